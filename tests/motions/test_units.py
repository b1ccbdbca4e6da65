"""The same problem in other units of length, time and mass has the same digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.model.read import model_of

Built = tuple[dict[str, Any], float, list[str]]  # a model, until when, and the coordinates that are lengths
UNITS = [  # of length, time and mass
    (1e-9, 1, 1), (1e-9, 1e-9, 1e-24), (1e-6, 1e-3, 1e-12), (1e-3, 1, 1e3), (1e6, 1, 1), (1e11, 1, 1),
    (1e11, 1e6, 1e24), (1, 1e-9, 1), (1, 1e11, 1), (1, 1, 1e-9), (1, 1, 1e11),
]  # fmt: skip


def rod(L: float, T: float, M: float) -> Built:
    """A particle on a rod, by a root."""
    return (
        {
            "coordinates": {"x": 0.6 * L, "y": -0.8 * L},
            "bodies": {"p": {"mass": M, "position": ["x", "y", 0]}},
            "forces": {"w": {"body": "p", "force": [0, -2 * M * L / T**2, 0]}},
            "constraints": {"rod": f"sqrt(x^2 + y^2) = {L!r}"},
        },
        4 * T,
        ["x", "y"],
    )


def hanging_rod(L: float, T: float, M: float) -> Built:
    """A rod that hangs by its end: two lengths and an angle, held by two rows."""
    return (
        {
            "gravity": [0, -9.81 * L / T**2, 0],
            "coordinates": {"x": math.sin(1) * L, "y": -math.cos(1) * L, "a": {"initial": 1, "speed": 0.5 / T}},
            "frames": {"b": {"turn": [["z", "a"]]}},
            "bodies": {"p": {"mass": M, "position": ["x", "y", 0], "frame": "b", "inertia": [0, 0, M * L**2 / 3]}},
            "constraints": {"across": f"x = {L!r}*sin(a)", "down": f"y = -{L!r}*cos(a)"},
        },
        3 * T,
        ["x", "y"],
    )


def rolling_disk(L: float, T: float, M: float) -> Built:
    """An upright disk that rolls without slipping down a slope, as its heading turns: rows of lengths and angles."""
    return (
        {
            "gravity": [3 * L / T**2, 0, -9 * L / T**2],
            "coordinates": {
                "x": 0,
                "y": 0,
                "heading": {"initial": 0.3, "speed": 0.7 / T},
                "roll": {"initial": 0, "speed": 2 / T},
            },
            "frames": {"f": {"turn": [["z", "heading"]]}},
            "bodies": {
                "d": {
                    "mass": M,
                    "position": ["x", "y", 0],
                    "frame": "f",
                    "spin": ["y", "roll"],
                    "inertia": [0.25 * M * L**2, 0.5 * M * L**2, 0.25 * M * L**2],
                }
            },
            "constraints": {"along": f"x' = {L!r}*cos(heading)*roll'", "across": f"y' = {L!r}*sin(heading)*roll'"},
        },
        4 * T,
        ["x", "y"],
    )


def slope(L: float, T: float, M: float) -> Built:
    """A block that slides to rest in a bowl with dry friction in two dimensions."""
    speed, force = L / T, M * L / T**2
    return (
        {
            "coordinates": {"x": {"initial": 0.1 * L, "speed": 1.3 * speed}, "y": {"initial": 0, "speed": speed}},
            "bodies": {"p": {"mass": M, "position": ["x", "y", 0]}},
            "energy": {"potential": f"{2 * force / L!r}*(x^2 + y^2)"},
            "frictions": {"f": {"slip": ["x'", "y'"], "normal": force, "coefficient": 0.3}},
        },
        2 * T,
        ["x", "y"],
    )


def ball(L: float, T: float, M: float) -> Built:
    """A ball that bounces with spin: a contact with friction, lengths and an angle."""
    return (
        {
            "gravity": [0, -9.81 * L / T**2, 0],
            "coordinates": {
                "x": {"initial": 0, "speed": 1.5 * L / T},
                "y": {"initial": 2 * L, "speed": 0},
                "spin": {"initial": 0, "speed": 3 / T},
            },
            "frames": {"b": {"turn": [["z", "spin"]]}},
            "bodies": {
                "p": {"mass": M, "position": ["x", "y", 0], "frame": "b", "inertia": [0, 0, 0.4 * M * L**2]},
            },
            "contacts": {
                "floor": {"gap": f"y - {L!r}", "restitution": 0.6, "friction": 0.2, "slip": [f"x' + {L!r}*spin'"]},
            },
        },
        2.5 * T,
        ["x", "y"],
    )


def sleigh(L: float, T: float, M: float) -> Built:
    """Chaplygin's sleigh: a row whose entries are lengths and numbers."""
    return (
        {
            "coordinates": {
                "x": {"initial": 0, "speed": L / T},
                "y": 0,
                "th": {"initial": 0.2, "speed": 0.8 / T},
            },
            "frames": {"b": {"turn": [["z", "th"]]}},
            "points": {"knife": ["x", "y", 0], "centre": {"from": "knife", "in": "b", "at": [0.4 * L, 0, 0]}},
            "bodies": {"s": {"mass": M, "position": "centre", "frame": "b", "inertia": [0, 0, 0.3 * M * L**2]}},
            "constraints": {"edge": "x'*sin(th) - y'*cos(th) = 0"},
        },
        5 * T,
        ["x", "y"],
    )


MODELS = [rod, hanging_rod, rolling_disk, slope, ball, sleigh]


def ends(built: Built, L: float, T: float) -> tuple[int, dict[str, np.ndarray]]:
    """The number of steps; coordinates and speeds in units of L and T, at five times."""
    data, until, lengths = built
    run = da.Model.of(model_of(data)).simulate(at=[until * k / 4 for k in range(5)], until=until, tolerance=1e-11)
    assert run.status == "finished"
    units = {name: L if name in lengths else 1.0 for name in data["coordinates"]}
    found = {name: np.asarray(run[name]) / unit for name, unit in units.items()}
    found |= {f"{name}'": np.asarray(run[f"{name}'"]) * T / unit for name, unit in units.items()}
    return run.diagnostics.steps, found


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_other_units(model: Callable[[float, float, float], Built]) -> None:
    steps, plain = ends(model(1.0, 1.0, 1.0), 1.0, 1.0)
    for L, T, M in UNITS:
        made, found = ends(model(L, T, M), L, T)
        assert abs(made - steps) <= 0.2 * steps  # another choice of independent speeds may need a few more
        for name, track in plain.items():
            assert found[name] == pytest.approx(track, rel=1e-9, abs=1e-9), (L, T, M, name)
