"""Balls with their mass off centre, by Newton and Euler in vectors: no Euler angle but at the start, no Lagrangian.

The axis k goes from the centre of mass to the centre of the ball, s = a k − R z from the centre of mass to the point of
contact, L = A ω + (C − A)(ω·k) k, k' = ω × k, and L' = s × F, m v' = F − m g z with F the force of the table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.gallery.derivations.precise import Real, motion, solved, vector

UP = vector(0, 0, 1)
FROM_NEWTON = "Newton and Euler's equations in vectors, long double"


def spheres() -> dict[str, Any]:
    return {"rolling-sphere": _rolling(), "tippe-top": _sliding()}


def _start(theta: str, rates: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """ω and k for Euler's angles z, x, z with psi = phi = 0."""
    angle = Real(theta)
    k = np.array([Real(0), -np.sin(angle), np.cos(angle)])
    psi, tilt, phi = map(Real, rates)
    return psi * UP + tilt * vector(1, 0, 0) + phi * k, k


def _inertia(A: Real, C: Real, omega: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """L' = I ω' + g."""
    return A * np.eye(3, dtype=Real) + (C - A) * np.outer(k, k), (C - A) * (omega @ k) * np.cross(omega, k)


def _skew(a: np.ndarray) -> np.ndarray:
    """a × b = _skew(a) b"""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=Real)


def _named(y: np.ndarray) -> dict[str, Any]:
    """Place, lean and spin of a state that begins with x, y and has ω and k at its end."""
    omega, k = y[-6:-3], y[-3:]
    return {"x": y[0], "y": y[1], "theta": np.arccos(k[2]), "spin": omega @ k}


def _expected(times: list[float], states: list[np.ndarray]) -> dict[str, Any]:
    rows = [_named(y) for y in states]
    coordinates = {name: [row[name] for row in rows] for name in ("x", "y", "theta")}
    return {"times": times, "coordinates": coordinates, "definitions": {"spin": [row["spin"] for row in rows]}}


def _rolling() -> dict[str, Any]:
    m, g, R, a, A, C = vector("1", "9.81", "0.5", "0.1", "0.11", "0.09")

    def rate(_: Real, y: np.ndarray) -> np.ndarray:
        omega, k = y[2:5], y[5:]
        s, turning = a * k - R * UP, np.cross(omega, k)
        moments, gyroscopic = _inertia(A, C, omega, k)
        # F = m (v' + g z), v = s × ω
        left = moments - m * _skew(s) @ _skew(s)
        right = m * np.cross(s, a * np.cross(turning, omega) + g * UP) - gyroscopic
        return np.concatenate([np.cross(s, omega)[:2], solved(left, right), turning])

    omega, k = _start("0.8", (1.5, 0.3, 4))
    times = [2.5, 5.0]
    states = motion(rate, np.concatenate([vector(0, 0), omega, k]), times, 0.02)
    return {"source": FROM_NEWTON, "simulate": _expected(times, states)}


def _sliding() -> dict[str, Any]:
    m, g, R, a, A, C, c = vector("0.006", "9.81", "0.015", "0.0045", "4.8e-7", "5.1e-7", "0.5")

    def rate(_: Real, y: np.ndarray) -> np.ndarray:
        v, omega, k = y[2:4], y[4:7], y[7:]
        s, turning = a * k - R * UP, np.cross(omega, k)
        moments, gyroscopic = _inertia(A, C, omega, k)
        slip = np.array([*v, Real(0)]) + np.cross(omega, s)
        slip[2] = 0
        # unknown ω' and N: L' = s × N (z − c slip), N = m (g − a k''·z), k'' = ω' × k + ω × k'
        left = np.zeros((4, 4), dtype=Real)
        left[:3, :3], left[:3, 3] = moments, -np.cross(s, UP - c * slip)
        left[3, :3], left[3, 3] = m * a * np.cross(k, UP), 1
        right = np.concatenate([-gyroscopic, [m * (g - a * np.cross(omega, turning)[2])]])
        found = solved(left, right)
        return np.concatenate([v, -c * found[3] / m * slip[:2], found[:3], turning])

    omega, k = _start("0.1", (0, 0, 150))
    times = [0.5, 3.0]
    states = motion(rate, np.concatenate([vector(0, 0, 0, 0), omega, k]), times, 0.002)
    return {"source": FROM_NEWTON, "methods": ["kane", "chetaev"], "simulate": _expected(times, states)}
