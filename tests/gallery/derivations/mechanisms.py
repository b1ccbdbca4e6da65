"""Andrews' squeezer in the form of Hairer and Wanner, and the bicycle by numerical differentiation in 40 digits."""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np
from tests.gallery.derivations.precise import Real, motion, solved, vector

Entry = dict
cos, sin, sqrt = np.cos, np.sin, np.sqrt


def squeezer() -> dict[str, Entry]:
    """Hairer and Wanner II, (VII.7.2)–(VII.7.7): M q'' + Gᵀ λ = f, G q'' = -(Gq')' q'; λ changes sign for us."""
    m1, m2, m3, m4, m5, m6, m7 = vector(".04325", ".00365", ".02373", ".00706", ".0705", ".00706", ".05498")
    i1, i2, i3, i4, i5, i6, i7 = vector(
        "2.194e-6", "4.41e-7", "5.255e-6", "5.667e-7", "1.169e-5", "5.667e-7", "1.912e-5"
    )
    xb, yb, xc, yc = vector("-.03635", ".03273", ".014", ".072")
    d, da, e, ea, rr, ra, l0 = vector(".028", ".0115", ".02", ".01421", ".007", ".00092", ".07785")
    ss, sa, sb, sc, sd = vector(".035", ".01874", ".01043", ".018", ".02")
    ta, tb, u, ua, ub, zf, zt, fa = vector(".02308", ".00916", ".04", ".01228", ".00449", ".02", ".04", ".01421")
    c0, mom = vector(4530, ".033")

    def mass(q: np.ndarray) -> np.ndarray:
        M = np.zeros((7, 7), dtype=Real)
        M[0, 0] = m1 * ra**2 + m2 * (rr**2 - 2 * da * rr * cos(q[1]) + da**2) + i1 + i2
        M[0, 1] = M[1, 0] = m2 * (da**2 - da * rr * cos(q[1])) + i2
        M[1, 1] = m2 * da**2 + i2
        M[2, 2] = m3 * (sa**2 + sb**2) + i3
        M[3, 3] = m4 * (e - ea) ** 2 + i4
        M[3, 4] = M[4, 3] = m4 * ((e - ea) ** 2 + zt * (e - ea) * sin(q[3])) + i4
        M[4, 4] = m4 * (zt**2 + 2 * zt * (e - ea) * sin(q[3]) + (e - ea) ** 2) + m5 * (ta**2 + tb**2) + i4 + i5
        M[5, 5] = m6 * (zf - fa) ** 2 + i6
        M[5, 6] = M[6, 5] = m6 * ((zf - fa) ** 2 - u * (zf - fa) * sin(q[5])) + i6
        M[6, 6] = m6 * ((zf - fa) ** 2 - 2 * u * (zf - fa) * sin(q[5]) + u**2) + m7 * (ua**2 + ub**2) + i6 + i7
        return M

    def force(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        x, y = sd * cos(q[2]) + sc * sin(q[2]) + xb - xc, sd * sin(q[2]) - sc * cos(q[2]) + yb - yc
        length = sqrt(x * x + y * y)
        pull = -c0 * (length - l0) / length
        return np.array(
            [
                mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin(q[1]),
                m2 * da * rr * v[0] ** 2 * sin(q[1]),
                pull * (x * (sc * cos(q[2]) - sd * sin(q[2])) + y * (sd * cos(q[2]) + sc * sin(q[2]))),
                m4 * zt * (e - ea) * v[4] ** 2 * cos(q[3]),
                -m4 * zt * (e - ea) * v[3] * (v[3] + 2 * v[4]) * cos(q[3]),
                -m6 * u * (zf - fa) * v[6] ** 2 * cos(q[5]),
                m6 * u * (zf - fa) * v[5] * (v[5] + 2 * v[6]) * cos(q[5]),
            ]
        )

    def arms(q: np.ndarray, v: np.ndarray) -> list[list[tuple]]:
        """Each closure is a sum of ± length·(direction at an angle): (length, quarter turns, angle's coordinates)."""
        common = [(rr, 0, (0,)), (-d, 0, (0, 1))]
        return [
            [*common, (ss, 1, (2,))],
            [*common, (e, 1, (3, 4)), (-zt, 0, (4,))],
            [*common, (-zf, 0, (5, 6)), (u, 1, (6,))],
        ]

    def constraints(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        G, bias = np.zeros((6, 7), dtype=Real), np.zeros(6, dtype=Real)
        for row, loop in enumerate(arms(q, v)):
            for length, quarters, angles in loop:
                angle = sum(q[a] for a in angles) + quarters * 2 * np.arctan(Real(1))
                rate = sum(v[a] for a in angles)
                for a in angles:
                    G[2 * row, a] -= length * sin(angle)
                    G[2 * row + 1, a] += length * cos(angle)
                bias[2 * row] -= length * cos(angle) * rate**2
                bias[2 * row + 1] -= length * sin(angle) * rate**2
        return G, bias

    def accelerations(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, v = y[:7], y[7:]
        G, bias = constraints(q, v)
        K = np.block([[mass(q), G.T], [G, np.zeros((6, 6), dtype=Real)]])
        x = solved(K, np.concatenate([force(q, v), -bias]))
        return x[:7], -x[7:]

    start = np.concatenate(
        [
            vector(
                "-0.0617138900142764496358948458001",
                0,
                "0.455279819163070380255912382449",
                "0.222668390165885884674473185609",
                "0.487364979543842550225598953530",
                "-0.222668390165885884674473185609",
                "1.23054744454982119249735015568",
            ),
            np.zeros(7, dtype=Real),
        ]
    )
    (end,) = motion(lambda t, y: np.concatenate([y[7:], accelerations(y)[0]]), start, [0.03], 0.00015)
    names = ["beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon"]
    rows = [f"{loop}.{axis}" for loop in ("loop3", "loop4", "loop6") for axis in "xy"]
    a0, l0_ = accelerations(start)
    _, l1 = accelerations(end)
    return {
        "andrews-squeezer": {
            "source": "equations of Hairer and Wanner II, VII.7, integrated in long double; agrees with the published "
            "solution of the Test Set for IVP Solvers to its accuracy",
            "solve": {
                "accelerations": dict(zip(names, a0, strict=True)),
                "multipliers": dict(zip(rows, l0_, strict=False)),
            },
            "simulate": {
                "times": [0.03],
                "coordinates": {n: [v] for n, v in zip(names, end[:7], strict=True)},
                "speeds": {n: [v] for n, v in zip(names, end[7:], strict=True)},
                "multipliers": {n: [v] for n, v in zip(rows, l1, strict=True)},
            },
        }
    }


STEP = mp.mpf(10) ** -14


def _turn(axis: str, angle: mp.mpf) -> mp.matrix:
    c, s = mp.cos(angle), mp.sin(angle)
    return {
        "x": mp.matrix([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": mp.matrix([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": mp.matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def _cross(a: mp.matrix, b: mp.matrix) -> mp.matrix:
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _slope(f: Callable, q: mp.matrix, v: mp.matrix) -> mp.matrix:
    """d/ds f(q + s v) at s = 0, by central differences of order 4: 1e-40 or so at this step and precision."""
    at = [f(q + k * STEP * v) for k in (-2, -1, 1, 2)]
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * STEP)


def _bicycle_bodies(q: mp.matrix) -> tuple[list[tuple], mp.matrix, mp.matrix]:
    """(mass, inertia, place, attitude) of the four bodies, and the front hub's and contact's places."""
    x, y, psi, phi, chi, delta, rear, front = q
    w, c, tilt, rR, rF = (mp.mpf(s) for s in ("1.02", "0.08", "0", "0.3", "0.35"))
    tilt = mp.pi / 10
    lean = _turn("z", psi) * _turn("x", phi)
    frame = lean * _turn("y", chi)
    fork = frame * _turn("y", tilt) * _turn("z", delta) * _turn("y", -tilt)
    hub = mp.matrix([x, y, 0]) - rR * lean[:, 2]
    head = hub + frame * mp.matrix([w + c, 0, rR])
    front_hub = head + fork * mp.matrix([-c, 0, -rF])

    def inertia(*entries: str) -> mp.matrix:
        xx, yy, zz, xz = (mp.mpf(s) for s in entries)
        return mp.matrix([[xx, 0, xz], [0, yy, 0], [xz, 0, zz]])

    axle = fork[:, 1]
    down = mp.matrix([0, 0, 1]) - axle[2] * axle
    contact = front_hub + rF * down / mp.norm(down)
    bodies = [
        (mp.mpf(2), inertia("0.0603", "0.12", "0.0603", "0"), hub, lean * _turn("y", rear)),
        (
            mp.mpf(85),
            inertia("9.2", "11", "2.8", "2.4"),
            hub + frame * mp.matrix([mp.mpf("0.3"), 0, mp.mpf("-0.9") + rR]),
            frame,
        ),
        (
            mp.mpf(4),
            inertia("0.05892", "0.06", "0.00708", "-0.00756"),
            head + fork * mp.matrix([mp.mpf("0.9") - w - c, 0, mp.mpf("-0.7")]),
            fork,
        ),
        (mp.mpf(3), inertia("0.1405", "0.28", "0.1405", "0"), front_hub, fork * _turn("y", front)),
    ]
    return bodies, contact, mp.matrix([x, y, 0])


def _angular(i: int, q: mp.matrix, v: mp.matrix) -> mp.matrix:
    R = _bicycle_bodies(q)[0][i][3]
    W = _slope(lambda p: _bicycle_bodies(p)[0][i][3], q, v) * R.T
    return mp.matrix([W[2, 1], W[0, 2], W[1, 0]])


def _slip(q: mp.matrix, v: mp.matrix) -> mp.matrix:
    """Rear slip along x and -y (the normal is -z), front height below the road, front slip in the same axes."""
    bodies, contact, rear_contact = _bicycle_bodies(q)
    rows = []
    for i, touch in ((0, rear_contact), (3, contact)):
        speed = _slope(lambda p, i=i: _bicycle_bodies(p)[0][i][2], q, v) + _cross(
            _angular(i, q, v), touch - bodies[i][2]
        )
        if i == 3:
            rows.append(-_slope(lambda p: _bicycle_bodies(p)[1], q, v)[2])
        rows += [speed[0], -speed[1]]
    return mp.matrix(rows)


def _unit(n: int, i: int) -> mp.matrix:
    e = mp.zeros(n, 1)
    e[i] = 1
    return e


def bicycle() -> dict[str, Entry]:
    """Newton and Euler for four bodies, projected; every derivative is a difference quotient in 60 digits."""
    mp.mp.dps = 60
    n, g = 8, mp.mpf("9.81")
    q = mp.matrix([mp.mpf(s) for s in ("0", "0", "0.2", "0.1", "0", "0.3", "0", "0")])

    def height(chi: mp.mpf) -> mp.mpf:
        p = q.copy()
        p[4] = chi
        return _bicycle_bodies(p)[1][2]

    q[4] = mp.findroot(height, (mp.mpf("0"), mp.mpf("0.01")))
    A = mp.zeros(5, n)
    for i in range(n):
        A[:, i] = _slip(q, _unit(n, i))
    v = mp.zeros(n, 1)
    free = {3: mp.mpf("0.4"), 5: mp.mpf("-0.7"), 6: mp.mpf(-15)}
    for i, value in free.items():
        v[i] = value
    dependent = [i for i in range(n) if i not in free]
    part = mp.matrix([[A[r, i] for i in dependent] for r in range(5)])
    for i, value in zip(dependent, mp.lu_solve(part, -A * v), strict=True):
        v[i] = value

    M, right = mp.zeros(n, n), mp.zeros(n, 1)
    bodies, kinetic, potential = _bicycle_bodies(q)[0], mp.mpf(0), mp.mpf(0)
    for k, (m, inertia, place, R) in enumerate(bodies):
        J, W = mp.zeros(3, n), mp.zeros(3, n)
        for i in range(n):
            J[:, i] = _slope(lambda p, k=k: _bicycle_bodies(p)[0][k][2], q, _unit(n, i))
            W[:, i] = _angular(k, q, _unit(n, i))
        bias = _slope(lambda p, k=k: _slope(lambda s: _bicycle_bodies(s)[0][k][2], p, v), q, v)
        turning = _slope(lambda p, k=k: _angular(k, p, v), q, v)
        I, w = R * inertia * R.T, W * v
        M += m * J.T * J + W.T * I * W
        right += J.T * (m * mp.matrix([0, 0, g]) - m * bias) - W.T * (I * turning + _cross(w, I * w))
        kinetic += (m * (v.T * J.T * J * v)[0] + (w.T * I * w)[0]) / 2
        potential -= m * g * place[2]
    b = -_slope(lambda p: _slip(p, v), q, v)
    K, r = mp.zeros(n + 5, n + 5), mp.zeros(n + 5, 1)
    K[:n, :n], K[:n, n:], K[n:, :n] = M, -A.T, A
    r[:n], r[n:] = right, b
    a = mp.lu_solve(K, r)
    names = ["x", "y", "psi", "phi", "chi", "delta", "thetaR", "thetaF"]
    rows = ["rear.slip1", "rear.slip2", "front.touch", "front.slip1", "front.slip2"]
    settings = {name: q[i] for i, name in enumerate(names)} | {f"{name}'": v[i] for i, name in enumerate(names)}
    return {
        "whipple-bicycle": {
            "source": "Newton and Euler for four bodies, all derivatives by difference quotients in 60 digits; "
            "eigenvalues: Meijaard et al. (2007), table 2",
            "settings": settings,
            "solve": {
                "accelerations": dict(zip(names, a[:n], strict=True)),
                "multipliers": dict(zip(rows, a[n:], strict=True)),
                "energy": {"kinetic": kinetic, "potential": potential},
            },
            "linearize": [
                [-0.775341882195845, 4.46486771378823],
                [-0.775341882195845, -4.46486771378823],
                [-0.322866429004087, 0],
                [-14.0783896927982, 0],
            ],
        }
    }
