"""IFToMM's benchmarks and wheeled machines by Newton and Euler; wheels by the velocity of the point that touches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath as mp
from tests.gallery.derivations.machines import (
    SOURCE,
    Bodies,
    Entry,
    _chain,
    _inertia,
    _omega,
    _unit,
    _vector,
    accelerations,
)
from tests.gallery.derivations.mechanisms import _cross, _slope, _turn

FEW = ["kane", "normalized-routh", "boltzmann-hamel", "qiao-lagrange"]


def _table(names: Sequence[str], q: Sequence, v: Sequence, found: Sequence, moved: Sequence[str] = ()) -> Entry:
    """An entry; `moved` are the coordinates and speeds (q') that differ from the model's own start."""
    values = dict(zip(names, q, strict=True)) | {f"{n}'": e for n, e in zip(names, v, strict=True)}
    tables = {
        "accelerations": dict(zip(names, found, strict=True)),
        "speeds": dict(zip(names, map(mp.mpf, v), strict=True)),
    }
    entry = {"source": SOURCE, "solve": tables, "methods": FEW}
    return entry | ({"settings": {name: values[name] for name in moved}} if moved else {})


def four_bars() -> dict[str, Entry]:
    """Parallelograms: T = 3/2 m l² θ'², V = 7/2 m g l cos θ."""
    names, signs = ("theta", "p0", "q1", "p1", "q2"), (1, -1, 1, -1, 1)
    angle = mp.mpf("0.5")
    found = [sign * mp.mpf(7) / 6 * mp.mpf("9.81") * mp.sin(angle) for sign in signs]
    entry = _table(names, [s * angle for s in signs], signs, found, names)
    return {"n-four-bar": entry | {"source": "a pendulum while the rods move as parallelograms"}}


def bricard() -> dict[str, Entry]:
    with mp.workdps(60):
        across, along = mp.mpf("1.01") / 12, mp.mpf("0.02") / 12
        kinds = {"x": (along, across, across), "y": (across, along, across), "z": (across, across, along)}
        joints = [
            ("x", (0, 0, 0), ("-0.5", 0, 0), "y"),
            ("y", ("0.5", 0, 0), (0, "0.5", 0), "z"),
            ("z", (0, "-0.5", 0), (0, 0, "-0.5"), "x"),
            ("x", (0, 0, "0.5"), ("0.5", 0, 0), "y"),
            ("y", ("-0.5", 0, 0), (0, "-0.5", 0), "z"),
        ]
        links = [
            (mp.mpf(1), mp.diag(kinds[kind]), _vector(*at), _vector(*inside), axis) for kind, at, inside, axis in joints
        ]

        def closed(q: mp.matrix) -> mp.matrix:
            _, _, p, R = _chain(links, q)[4]
            place = p + R * _vector(0, "0.5", 0)
            return mp.matrix([*place, R[1, 0]])  # and the hinge of the last rod stays along x

        q, rates = mp.zeros(5, 1), [_slope(closed, mp.zeros(5, 1), _unit(5, k)) for k in range(5)]
        others = mp.lu_solve(mp.matrix([[rates[k][i] for k in range(1, 5)] for i in range(4)]), -rates[0])
        v = [mp.mpf(1), *others]
        down = _vector(0, "-9.81", 0)
        found = accelerations(
            lambda q: _chain(links, q), q, v, [0] * 5, lambda q, v: _slope(closed, mp.matrix(q), mp.matrix(v)), down
        )
    return {"bricard": _table([f"q{i}" for i in range(1, 6)], q, v, found, ["q1'"])}


def stiff_governor() -> dict[str, Entry]:
    """(psi, s, alpha, beta); the springs by the slopes of their lengths."""
    with mp.workdps(60):
        arm, thick = mp.mpf(103) / 106, mp.mpf("0.0250025")
        rod = mp.diag([mp.mpf("5e-6"), thick + mp.mpf(15) / 212, thick + mp.mpf(15) / 212])
        top, half = mp.mpf(1), mp.mpf("0.05")

        def hinge(q: mp.matrix, side: int) -> tuple[mp.matrix, mp.matrix]:
            S = _turn("z", q[0])
            return S * mp.matrix([side * half, 0, 0]) + mp.matrix([0, 0, top]), S * _turn("y", q[2 if side > 0 else 3])

        def bodies(q: mp.matrix) -> list[tuple]:
            S = _turn("z", q[0])
            found = [(mp.mpf("0.3"), mp.diag([thick, thick, mp.mpf("5e-6")]), _vector(0, 0, "0.5"), S)]
            found.append((mp.mpf(3), _inertia("0.005", "0.005", "0.005"), mp.matrix([0, 0, q[1]]), S))
            for side in (1, -1):
                at, R = hinge(q, side)
                found.append((mp.mpf("5.3"), rod, at + R * mp.matrix([side * arm, 0, 0]), R))
            return found

        def length(q: mp.matrix, side: int) -> mp.mpf:
            at, R = hinge(q, side)
            foot = _turn("z", q[0]) * mp.matrix([side * half, 0, 0]) + mp.matrix([0, 0, q[1]])
            return mp.norm(at + R * mp.matrix([side * mp.mpf("0.5"), 0, 0]) - foot)

        q = mp.matrix([0, mp.mpf("0.51"), mp.pi / 6, -mp.pi / 6])
        v = mp.matrix([2 * mp.pi, mp.mpf("0.1"), mp.mpf("0.2"), mp.mpf("-0.1")])
        forces = mp.zeros(4, 1)
        for side in (1, -1):
            grow = [_slope(lambda p: mp.matrix([length(p, side)]), q, _unit(4, k))[0] for k in range(4)]  # noqa: B023
            pull = 800000 * (length(q, side) - mp.mpf("0.5")) + 40000 * mp.fdot(grow, v)
            forces -= pull * mp.matrix(grow)
        found = accelerations(bodies, q, v, forces)
    names = ("psi", "s", "alpha", "beta")
    return {"stiff-governor": _table(names, q, v, found, ["s", "s'", "alpha'", "beta'"])}


def _contact(bodies: Bodies, i: int, arm: Callable[[mp.matrix], mp.matrix]) -> Callable:
    """The velocity of the material point of body i that is arm(q) from its centre, along the floor."""

    def velocity(q: mp.matrix, v: mp.matrix) -> list[mp.mpf]:
        q, v = mp.matrix(list(q)), mp.matrix(list(v))
        slip = _slope(lambda p: bodies(p)[i][2], q, v) + _cross(_omega(lambda p: bodies(p)[i][3], q, v), arm(q))
        return [slip[0], slip[1]]

    return velocity


def _completed(rows: Callable, q: Sequence, known: dict[int, mp.mpf]) -> list[mp.mpf]:
    """All speeds from the known ones: there are as many rows as unknown speeds."""
    n = len(q)
    columns = [rows(mp.matrix(list(q)), _unit(n, k)) for k in range(n)]
    others = [k for k in range(n) if k not in known]
    right = -sum((known[k] * columns[k] for k in known), mp.zeros(len(columns[0]), 1))
    A = mp.matrix([[columns[k][i] for k in others] for i in range(len(others))])
    found = dict(zip(others, mp.lu_solve(A, right), strict=True)) | known
    return [found[k] for k in range(n)]


def eulers_disk() -> dict[str, Entry]:
    """(x, y, yaw, alpha, roll); steady except for the friction."""
    with mp.workdps(60):
        m, R, g, c, lean = (mp.mpf(e) for e in ("0.44", "0.0375", "9.81", "4e-7", "0.1"))
        J = m * R**2 / 4 * mp.diag([1, 1, 2])

        def plane(q: mp.matrix) -> mp.matrix:
            return _turn("z", q[2]) * _turn("x", q[3])

        def bodies(q: mp.matrix) -> list[tuple]:
            centre = mp.matrix([q[0], q[1], 0]) + plane(q) * mp.matrix([0, R, 0])
            return [(m, J, centre, plane(q) * _turn("z", q[4]))]

        rate = mp.sqrt(4 * g / (R * mp.sin(lean)))
        q = [0, -R * mp.cos(lean), 0, lean, 0]
        contact = _contact(bodies, 0, lambda q: plane(q) * mp.matrix([0, -R, 0]))

        def rows(q: mp.matrix, v: mp.matrix) -> mp.matrix:
            return mp.matrix(contact(q, v))

        v = _completed(rows, q, {2: rate, 3: mp.mpf(0), 4: -rate * mp.cos(lean)})
        found = accelerations(bodies, q, v, [0, 0, -c * rate, 0, 0], rows)
    return {"eulers-disk": _table(("x", "y", "yaw", "alpha", "roll"), q, v, found)}


def unicycle() -> dict[str, Entry]:
    """(x, y, yaw, lean, roll, pitch, fly)"""
    with mp.workdps(60):
        R = mp.mpf("0.15")

        def bodies(q: mp.matrix) -> list[tuple]:
            plane = _turn("z", q[2]) * _turn("x", q[3])
            hub = mp.matrix([q[0], q[1], 0]) + plane * mp.matrix([0, 0, R])
            upright = plane * _turn("y", q[5])
            return [
                (mp.mpf(2), _inertia("0.012", "0.022", "0.012"), hub, plane * _turn("y", q[4])),
                (mp.mpf(8), _inertia("0.25", "0.24", "0.06"), hub + upright * _vector(0, 0, "0.38"), upright),
                (
                    mp.mpf(3),
                    _inertia("0.06", "0.03", "0.03"),
                    hub + upright * _vector(0, 0, "0.64"),
                    upright * _turn("x", q[6]),
                ),
            ]

        contact = _contact(bodies, 0, lambda q: _turn("z", q[2]) * _turn("x", q[3]) * mp.matrix([0, 0, -R]))

        def rows(q: mp.matrix, v: mp.matrix) -> mp.matrix:
            return mp.matrix(contact(q, v))

        q = [mp.mpf(e) for e in ("0", "0", "0", "0.03", "0", "0.1", "0")]
        known = {2: "0.3", 3: "0.2", 4: "5", 5: "-0.4", 6: "3"}
        v = _completed(rows, q, {k: mp.mpf(e) for k, e in known.items()})
        drive = q[4] + mp.mpf("55.9") * q[5] + mp.mpf("1.67") * v[4] + mp.mpf("11.6") * v[5]
        swing = 154 * q[3] + mp.mpf("39.4") * v[3] + mp.mpf("0.0316") * v[6]
        found = accelerations(bodies, q, v, [0, 0, 0, 0, drive, -drive, swing], rows)
    names = ("x", "y", "yaw", "lean", "roll", "pitch", "fly")
    return {"unicycle-robot": _table(names, q, v, found, ["lean'", "roll'", "pitch'", "fly'"])}


def mobile_arm() -> dict[str, Entry]:
    """(x, y, psi, phi_left, phi_right, q1, q2, q3)"""
    with mp.workdps(60):
        R, half = mp.mpf("0.1"), mp.mpf("0.25")
        wheel = _inertia("0.003", "0.005", "0.003")
        links = [
            (mp.mpf(3), _inertia("0.03", "0.03", "0.01"), _vector(0, 0, 0), _vector(0, 0, "-0.12"), "z"),
            (mp.mpf(2), _inertia("0.002", "0.03", "0.03"), _vector(0, 0, "0.12"), _vector("-0.2", 0, 0), "y"),
            (mp.mpf("1.5"), _inertia("0.001", "0.02", "0.02"), _vector("0.2", 0, 0), _vector("-0.2", 0, 0), "y"),
        ]

        def bodies(q: mp.matrix) -> list[tuple]:
            S, axle = _turn("z", q[2]), mp.matrix([q[0], q[1], R])
            base = axle + S * _vector("0.1", 0, "0.05")
            found = [(mp.mpf(20), _inertia("0.6", "0.8", "1.1"), base, S)]
            for side, angle in ((1, q[3]), (-1, q[4])):
                found.append((mp.mpf(1), wheel, axle + S * mp.matrix([0, side * half, 0]), S * _turn("y", angle)))
            foot = base + S * _vector("0.1", 0, "0.08")
            return found + [(m, J, foot + S * p, S * A) for m, J, p, A in _chain(links, q[5:])]

        touches = [_contact(bodies, i, lambda q: mp.matrix([0, 0, -R])) for i in (1, 2)]

        def rows(q: mp.matrix, v: mp.matrix) -> mp.matrix:
            left, right = (touch(q, v) for touch in touches)
            return mp.matrix([*left, right[0]])

        q = [mp.mpf(e) for e in ("0", "0", "0", "0", "0", "0", "-0.8", "1.2")]
        v = _completed(rows, q, {k: mp.mpf(e) for k, e in {3: "2", 4: "4", 5: "0.5", 6: "-0.7", 7: "1.1"}.items()})
        motors = [20 * (1 - q[5]) - 4 * v[5], 60 * (mp.mpf("-0.6") - q[6]) - 8 * v[6], 40 * (1 - q[7]) - 4 * v[7]]
        found = accelerations(bodies, q, v, [0, 0, 0, 4 - v[3], 6 - v[4], *motors], rows)
    names = ("x", "y", "psi", "phi_left", "phi_right", "q1", "q2", "q3")
    moved = [f"{name}'" for name in names[3:]]
    return {"mobile-arm": _table(names, q, v, found, moved)}


def ackermann() -> dict[str, Entry]:
    """(delta, x, y, psi, hitched, q1, …, q6); rows across are those of one wheel of each axle."""
    with mp.workdps(60):
        R, base, half = mp.mpf("0.3"), mp.mpf("2.6"), mp.mpf("0.75")
        wheel, hub = _inertia("0.4", "0.7", "0.4"), _inertia("0.05", "0.05", "0.05")

        def bodies(q: mp.matrix) -> list[tuple]:
            S, axle = _turn("z", q[3]), mp.matrix([q[1], q[2], R])
            found = [(mp.mpf(1100), mp.diag([350, 1500, 1650]), axle + S * _vector("1.2", 0, "0.25"), S)]
            T = S * _turn("z", q[4])
            hitch = axle + S * _vector("-0.8", 0, 0)
            found.append((mp.mpf(400), mp.diag([100, 350, 400]), hitch + T * _vector("-2.7", 0, "0.25"), T))
            for side in (1, -1):
                angle = mp.atan2(base * mp.sin(q[0]), base * mp.cos(q[0]) - side * half * mp.sin(q[0]))
                place, K = axle + S * mp.matrix([base, side * half, 0]), S * _turn("z", angle)
                found.append((mp.mpf(5), hub, place, K))
                found.append((mp.mpf(15), wheel, place, K * _turn("y", q[5 if side > 0 else 6])))
            for side, k in ((1, 7), (-1, 8)):
                found.append((mp.mpf(15), wheel, axle + S * mp.matrix([0, side * half, 0]), S * _turn("y", q[k])))
            for side, k in ((1, 9), (-1, 10)):
                found.append((mp.mpf(15), wheel, hitch + T * mp.matrix([-3, side * half, 0]), T * _turn("y", q[k])))
            return found

        touches = [_contact(bodies, i, lambda q: mp.matrix([0, 0, -R])) for i in (3, 6, 8, 5, 7, 9)]

        def rows(q: mp.matrix, v: mp.matrix) -> mp.matrix:
            slips = [touch(q, v) for touch in touches]
            return mp.matrix([*(slip[0] for slip in slips), *(slip[1] for slip in slips[:3])])

        q = [mp.mpf("0.02"), *[mp.mpf(0)] * 10]
        v = _completed(rows, q, {0: mp.mpf(0), 7: mp.mpf(12)})
        force = 40 * (-q[0]) - 20 * v[0]
        found = accelerations(bodies, q, v, [force, 0, 0, 0, 0, 0, 0, 90, 90, 0, 0], rows)
    names = ("delta", "x", "y", "psi", "hitched", *(f"q{i}" for i in range(1, 7)))
    return {"ackermann-car": _table(names, q, v, found)}
