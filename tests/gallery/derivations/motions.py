"""Motions without a closed form: reduced equations written by hand, integrated in long double."""

from __future__ import annotations

import numpy as np
from tests.gallery.derivations.precise import Real, motion, solved, vector

Entry = dict
METHOD = "by hand, integrated by extrapolation in long double"
cos, sin, tan, sqrt = np.cos, np.sin, np.tan, np.sqrt


def _double_pendulum_accelerations(y: np.ndarray) -> np.ndarray:
    m1, m2, l1, l2, g = vector("1", "0.7", "1", "0.6", "9.81")
    a, b, w1, w2 = y
    matrix = np.array([[(m1 + m2) * l1, m2 * l2 * cos(a - b)], [l1 * cos(a - b), l2]])
    right = np.array(
        [-m2 * l2 * w2**2 * sin(a - b) - (m1 + m2) * g * sin(a), l1 * w1**2 * sin(a - b) - g * sin(b)], dtype=Real
    )
    return solved(matrix, right)


def double_pendulum() -> dict[str, Entry]:
    m1, m2, l1, l2, g = vector("1", "0.7", "1", "0.6", "9.81")

    def rate(t: Real, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[2:], _double_pendulum_accelerations(y)])

    def cartesian(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Places, velocities, accelerations of both masses; minus the tensions."""
        e = [np.array([sin(q), -cos(q)]) for q in y[:2]]
        f = [np.array([cos(q), sin(q)]) for q in y[:2]]
        alpha = _double_pendulum_accelerations(y)
        a1 = l1 * (alpha[0] * f[0] - y[2] ** 2 * e[0])
        a2 = a1 + l2 * (alpha[1] * f[1] - y[3] ** 2 * e[1])
        weight = np.array([Real(0), -g])
        lower = m2 * (a2 - weight) @ e[1]
        upper = (m1 * (a1 - weight) + lower * e[1]) @ e[0]
        r, v = l1 * e[0], l1 * y[2] * f[0]
        places = np.concatenate([r, r + l2 * e[1]])
        return places, np.concatenate([v, v + l2 * y[3] * f[1]]), np.concatenate([a1, a2]), np.array([upper, lower])

    start = vector("1.2", "-0.4", 0, 0)
    (end,) = motion(rate, start, [2], 0.02)
    energy = -(m1 + m2) * g * l1 * cos(start[0]) - m2 * g * l2 * cos(start[1])
    first, last = cartesian(start), cartesian(end)
    names, rods = ["x1", "y1", "x2", "y2"], ["upper_rod", "lower_rod"]
    angles = {
        "source": f"Landau and Lifshitz, section 5, {METHOD}",
        "energy": energy,
        "solve": {"accelerations": dict(zip(["theta1", "theta2"], _double_pendulum_accelerations(start), strict=True))},
        "simulate": {
            "times": [2],
            "coordinates": {"theta1": [end[0]], "theta2": [end[1]]},
            "speeds": {"theta1": [end[2]], "theta2": [end[3]]},
        },
    }
    rods_entry = {
        "source": f"the angles' motion, {METHOD}; tensions by Newton's law for each mass",
        "energy": energy,
        "solve": {
            "accelerations": dict(zip(names, first[2], strict=True)),
            "multipliers": dict(zip(rods, first[3], strict=False)),
        },
        "simulate": {
            "times": [2],
            "coordinates": {n: [v] for n, v in zip(names, last[0], strict=True)},
            "speeds": {n: [v] for n, v in zip(names, last[1], strict=True)},
            "multipliers": {n: [v] for n, v in zip(rods, last[3], strict=True)},
        },
    }
    return {"double-pendulum": angles, "double-pendulum-cartesian": rods_entry}


def rolling_disk() -> dict[str, Entry]:
    """Euler's equations about the hub, in axes that lean but do not spin: x along the path, y the axle."""
    m, R, g = vector(1, "0.5", "9.81")
    A, C = m * R**2 / 4, m * R**2 / 2
    inertia = np.array([A, C, A])

    def parts(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of (x, y, yaw, lean, roll, wx, wy, wz), and the force at the contact in leaning axes."""
        yaw, lean, w = y[2], y[3], y[5:]
        s, c = sin(lean), cos(lean)
        turn = w[2] / c
        axes = np.array([w[0], turn * s, w[2]])
        v = R * np.array([w[1], -w[0], Real(0)])
        gyro, drag = np.cross(axes, inertia * w), np.cross(axes, v)
        dw = np.array(
            [
                (-gyro[0] + m * R * (drag[1] + g * s)) / (A + m * R**2),
                (-gyro[1] - m * R * drag[0]) / (C + m * R**2),
                -gyro[2] / A,
            ]
        )
        roll = w[1] - turn * s
        path = np.array([R * roll * cos(yaw), R * roll * sin(yaw), turn, w[0], roll])
        acceleration = R * np.array([dw[1], -dw[0], Real(0)]) + drag
        return np.concatenate([path, dw]), m * (acceleration + g * np.array([Real(0), s, c]))

    start = vector(0, 0, "0.3", "0.35", 0, 0, 0, 0)
    yaw1, lean1, roll1 = vector("0.9", "-0.2", 4)
    s, c = sin(start[3]), cos(start[3])
    start[5:] = [lean1, roll1 + yaw1 * s, yaw1 * c]
    (end,) = motion(lambda t, y: parts(y)[0], start, [2], 0.02)
    rate, force = parts(start)
    yaw2 = (rate[7] + yaw1 * s * lean1) / c
    roll2 = rate[6] - yaw2 * s - yaw1 * c * lean1
    yaw = start[2]
    names = ["x", "y", "yaw", "lean", "roll"]
    accelerations = [
        R * (roll2 * cos(yaw) - roll1 * yaw1 * sin(yaw)),
        R * (roll2 * sin(yaw) + roll1 * yaw1 * cos(yaw)),
        yaw2,
        rate[5],
        roll2,
    ]
    sideways = force[1] * c - force[2] * s
    level = [force[0] * cos(yaw) - sideways * sin(yaw), force[0] * sin(yaw) + sideways * cos(yaw)]
    v, w = R * np.array([start[6], -start[5]]), start[5:]
    return {
        "rolling-disk": {
            "source": f"Euler's equations in leaning axes, {METHOD}",
            "energy": m * (v @ v) / 2 + (inertia * w) @ w / 2 + m * g * R * c,
            "solve": {
                "accelerations": dict(zip(names, accelerations, strict=True)),
                "multipliers": {"table.slip1": level[0], "table.slip2": level[1]},
            },
            "simulate": {
                "times": [2],
                "coordinates": {n: [v] for n, v in zip(names, end[:5], strict=True)},
                "speeds": {n: [v] for n, v in zip(names, parts(end)[0][:5], strict=True)},
            },
        }
    }


def snakeboard() -> dict[str, Entry]:
    """Wheels: no sideways speed of the middle, θ' = u tan φ/l; one equation is left, for the headway u."""
    m, J, Jr, Jw, l, a, b, w = vector(6, "0.5", "0.7", "0.05", "0.5", "0.4", "0.9", 2)
    whole = J + Jr + 2 * Jw

    def rate(t: Real, y: np.ndarray) -> np.ndarray:
        _, _, theta, u = y
        phi, phi1, psi2 = a * sin(w * t), a * w * cos(w * t), -b * w**2 * sin(w * t)
        k, k1 = tan(phi) / l, phi1 / (l * cos(phi) ** 2)
        return np.array(
            [u * cos(theta), u * sin(theta), k * u, -(whole * k * k1 * u + Jr * psi2 * k) / (m + whole * k**2)]
        )

    (end,) = motion(rate, vector(0, 0, 0, 0), [5], 0.02)
    now = rate(Real(5), end)
    return {
        "snakeboard": {
            "source": f"reduced to the speed along the board, {METHOD}",
            "simulate": {
                "times": [5],
                "coordinates": {
                    "x": [end[0]],
                    "y": [end[1]],
                    "theta": [end[2]],
                    "phi": [a * sin(w * 5)],
                    "psi": [b * sin(w * 5)],
                },
                "speeds": {"x": [now[0]], "y": [now[1]], "theta": [now[2]]},
            },
        }
    }


def roller_racer() -> dict[str, Entry]:
    """Wheels: θ' = k u + n with k = sin φ/D, n = d2 φ'/D, D = d1 cos φ - d2; one equation for the headway u."""
    m, J, Jf, d1, d2, a, w = vector(5, "0.4", "0.05", "0.5", "0.2", "0.8", 3)

    def rate(t: Real, y: np.ndarray) -> np.ndarray:
        _, _, theta, u = y
        phi, p1, p2 = a * sin(w * t), a * w * cos(w * t), -a * w**2 * sin(w * t)
        D, D1 = d1 * cos(phi) - d2, -d1 * sin(phi) * p1
        k, n = sin(phi) / D, d2 * p1 / D
        k1, n1 = cos(phi) * p1 / D - sin(phi) * D1 / D**2, d2 * p2 / D - d2 * p1 * D1 / D**2
        rest = (J + Jf) * (k1 * u + n1) + Jf * p2
        return np.array([u * cos(theta), u * sin(theta), k * u + n, -k * rest / (m + (J + Jf) * k**2)])

    (end,) = motion(rate, vector(0, 0, 0, 0), [5], 0.02)
    now = rate(Real(5), end)
    return {
        "roller-racer": {
            "source": f"reduced to the speed of the rear axle, {METHOD}",
            "simulate": {
                "times": [5],
                "coordinates": {"x": [end[0]], "y": [end[1]], "theta": [end[2]], "phi": [a * sin(w * 5)]},
                "speeds": {"x": [now[0]], "y": [now[1]], "theta": [now[2]]},
            },
        }
    }


def nlink() -> dict[str, Entry]:
    """The chain of five: M_ij = (n - max(i, j)) m l² cos(θ_i - θ_j), counted from 0."""
    n, m, l, g = 5, Real(1), Real(1), Real("9.81")
    weight = np.array([[n - max(i, j) for j in range(n)] for i in range(n)], dtype=Real)

    def rate(t: Real, y: np.ndarray) -> np.ndarray:
        q, w = y[:n], y[n:]
        d = q[:, None] - q[None, :]
        right = -(m * l**2 * weight * sin(d)) @ w**2 - m * g * l * np.diag(weight) * sin(q)
        return np.concatenate([w, solved(m * l**2 * weight * cos(d), right)])

    start = np.concatenate([np.ones(n, dtype=Real), np.zeros(n, dtype=Real)])
    (end,) = motion(rate, start, [1], 0.02)
    names = [f"theta{k}" for k in range(1, n + 1)]
    return {
        "nlink(5)": {
            "source": f"Lagrange's equations of the chain, {METHOD}",
            "energy": -m * g * l * np.trace(weight) * cos(Real(1)),
            "solve": {"accelerations": dict(zip(names, rate(Real(0), start)[n:], strict=True))},
            "simulate": {
                "times": [1],
                "coordinates": {name: [v] for name, v in zip(names, end[:n], strict=True)},
                "speeds": {name: [v] for name, v in zip(names, end[n:], strict=True)},
            },
        }
    }


def rattleback() -> dict[str, Entry]:
    """Newton and Euler in body axes; ρ points from the contact to the centre of mass, v = ω × ρ."""
    m, g, a, b, c, h, sigma = vector(1, "9.81", "0.2", "0.03", "0.02", "0.01", "1e-4")
    A, B, C, D = vector("2e-4", "1.6e-3", "1.7e-3", "2e-5")
    inertia = np.array([[A, D, 0], [D, B, 0], [0, 0, C]], dtype=Real)
    squares = np.array([a * a, b * b, c * c])

    def attitude(q: np.ndarray) -> np.ndarray:
        """Rows: the inertial axes in body components, for the turns z (yaw), x (roll), y (pitch)."""
        yaw, roll, pitch = q
        z = np.array([[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]], dtype=Real)
        x = np.array([[1, 0, 0], [0, cos(roll), -sin(roll)], [0, sin(roll), cos(roll)]], dtype=Real)
        y = np.array([[cos(pitch), 0, sin(pitch)], [0, 1, 0], [-sin(pitch), 0, cos(pitch)]], dtype=Real)
        return z @ x @ y

    def parts(y: np.ndarray) -> tuple[np.ndarray, ...]:
        q, w = y[2:5], y[5:]
        R = attitude(q)
        n = R[2]
        e = sqrt(squares @ n**2)
        n1 = np.cross(n, w)
        e1 = squares @ (n * n1) / e
        r, r1 = -squares * n / e, -squares * (n1 / e - n * e1 / e**2)
        rho, rho1 = np.array([0, 0, -h], dtype=Real) - r, -r1
        v = np.cross(w, rho)
        known = np.cross(w, rho1) + np.cross(w, v)
        cross = np.array([[0, -rho[2], rho[1]], [rho[2], 0, -rho[0]], [-rho[1], rho[0], 0]])
        # I ω' + ω × I ω + σ ω + ρ × F = 0 with F = m(ω' × ρ + known + g n)
        right = -np.cross(w, inertia @ w) - sigma * w - m * cross @ (known + g * n)
        dw = solved(inertia - m * cross @ cross, right)
        force = m * (np.cross(dw, rho) + known + g * n)
        roll, pitch = q[1], q[2]
        yaw1 = (w[2] * cos(pitch) - w[0] * sin(pitch)) / cos(roll)
        turns = np.array([yaw1, w[0] * cos(pitch) + w[2] * sin(pitch), w[1] - yaw1 * sin(roll)])
        centre = R @ (v + np.cross(w, np.array([0, 0, h], dtype=Real)))
        energy = m * (v @ v) / 2 + w @ inertia @ w / 2 + m * g * (e - h * n[2])
        return np.concatenate([centre[:2], turns, dw]), R @ force, energy

    degree = np.arctan(Real(1)) / 45
    start = np.concatenate([vector(0, 0, 0), np.array([degree / 2, -degree / 2]), vector(0, 0, 5)])
    names, times = ["x", "y", "yaw", "roll", "pitch"], [1, 2]
    states = motion(lambda t, y: parts(y)[0], start, times, 0.00125)
    rates = [parts(s)[0] for s in states]
    first = parts(start)
    return {
        "rattleback": {
            "source": f"Newton and Euler about the contact in body axes, {METHOD}",
            "solve": {
                "speeds": dict(zip(names, first[0][:5], strict=True)),
                "multipliers": {"no_slip_x": first[1][0], "no_slip_y": first[1][1]},
                "energy": {"total": first[2]},
            },
            "simulate": {
                "times": times,
                "coordinates": {n: [s[i] for s in states] for i, n in enumerate(names)},
                "speeds": {n: [r[i] for r in rates] for i, n in enumerate(names)},
                "definitions": {"spin": [s[7] for s in states]},
                "energy": [parts(s)[2] for s in states],
            },
        }
    }
