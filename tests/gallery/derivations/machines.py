"""Machines by Newton and Euler: chains of turns written out in numbers, every derivative a quotient in 60 digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath as mp
from tests.gallery.derivations import spheres
from tests.gallery.derivations.mechanisms import _cross, _slope, _turn

Entry = dict
Bodies = Callable[[mp.matrix], list[tuple]]  # q -> (mass, inertia, centre, axes) of every body
SOURCE = "Newton and Euler for every body, all derivatives by difference quotients in 60 digits"
G = mp.matrix([0, 0, mp.mpf("-9.81")])


def _vector(*entries: float | str) -> mp.matrix:
    return mp.matrix([mp.mpf(str(entry)) for entry in entries])


def _inertia(xx: str, yy: str, zz: str, xy: str = "0", yz: str = "0", xz: str = "0") -> mp.matrix:
    rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return mp.matrix([[mp.mpf(entry) for entry in row] for row in rows])


def _unit(n: int, i: int) -> mp.matrix:
    return mp.matrix([1 if k == i else 0 for k in range(n)])


def _omega(axes: Callable, q: mp.matrix, v: mp.matrix) -> mp.matrix:
    """From the skew matrix Ṙ Rᵀ."""
    W = _slope(axes, q, v) * axes(q).T
    return mp.matrix([W[2, 1], W[0, 2], W[1, 0]])


def accelerations(
    bodies: Bodies, q: Sequence, v: Sequence, forces: Sequence, rows: Callable | None = None, g: mp.matrix = G
) -> list[mp.mpf]:
    """q̈ from the balance of every body projected on q̇, with rows(q, v) = 0 that are linear in the speeds."""
    q, v = mp.matrix(list(q)), mp.matrix(list(v))
    n = len(q)
    M, right = mp.zeros(n), mp.matrix(list(forces))
    for i, (mass, J, _, R) in enumerate(bodies(q)):
        centre, axes = (lambda q, i=i, part=part: bodies(q)[i][part] for part in (2, 3))
        world = R * J * R.T
        velocities = [_slope(centre, q, _unit(n, k)) for k in range(n)]
        turnings = [_omega(axes, q, _unit(n, k)) for k in range(n)]
        bias = _slope(lambda p: _slope(centre, p, v), q, v)  # noqa: B023 - used at once
        swing = _slope(lambda p: _omega(axes, p, v), q, v)  # noqa: B023
        omega = _omega(axes, q, v)
        force = mass * (g - bias)
        couple = -(world * swing) - _cross(omega, world * omega)
        for r in range(n):
            right[r] += mp.fdot(velocities[r], force) + mp.fdot(turnings[r], couple)
            for s in range(n):
                M[r, s] += mass * mp.fdot(velocities[r], velocities[s]) + mp.fdot(turnings[r], world * turnings[s])
    if rows is None:
        return list(mp.lu_solve(M, right))
    A = [rows(q, _unit(n, k)) for k in range(n)]
    b = -_slope(lambda p: rows(p, v), q, v)
    m = len(b)
    K, full = mp.zeros(n + m), mp.zeros(n + m, 1)
    for r in range(n):
        full[r] = right[r]
        for s in range(n):
            K[r, s] = M[r, s]
        for i in range(m):
            K[r, n + i], K[n + i, r] = -A[r][i], A[r][i]
    for i in range(m):
        full[n + i] = b[i]
    return list(mp.lu_solve(K, full)[:n])


def _chain(links: Sequence[tuple], q: mp.matrix) -> list[tuple]:
    """Links (mass, inertia, at, in_child, axis), each on the last one, turned by its coordinate."""
    R, p = mp.eye(3), mp.zeros(3, 1)
    found = []
    for (mass, J, at, inside, axis), angle in zip(links, q, strict=True):
        joint = p + R * at
        R = R * _turn(axis, angle)
        p = joint - R * inside
        found.append((mass, J, p, R))
    return found


def linkage() -> dict[str, Entry]:
    """The loop is closed by the rates of the far end of the rocker."""
    with mp.workdps(60):
        null = _vector(0, 0, 0)
        links = [
            (mp.mpf(1), _inertia("0", "0.0133", "0"), null, _vector("-0.2", 0, 0), "y"),
            (mp.mpf(2), _inertia("0", "0.24", "0"), _vector("0.2", 0, 0), _vector("-0.6", 0, 0), "y"),
            (mp.mpf("1.5"), _inertia("0", "0.125", "0"), _vector("0.6", 0, 0), _vector("-0.5", 0, 0), "y"),
        ]

        def end(q: mp.matrix) -> mp.matrix:
            _, _, p, R = _chain(links, q)[2]
            place = p + R * _vector("0.5", 0, 0)
            return mp.matrix([place[0], place[2]])

        a, b, c, d = mp.mpf("0.4"), mp.mpf("1.2"), mp.mpf(1), mp.mpf(1)
        length = mp.sqrt(d * d + a * a)
        second = mp.atan2(a, d) - mp.acos((b * b + length**2 - c * c) / (2 * b * length))
        knee = (b * mp.cos(second), a - b * mp.sin(second))
        third = mp.atan2(knee[1], d - knee[0])
        q = [-mp.pi / 2, second + mp.pi / 2, third - second]
        rates = [_slope(end, mp.matrix(q), _unit(3, k)) for k in range(3)]
        others = mp.lu_solve(mp.matrix([[rates[1][i], rates[2][i]] for i in range(2)]), -3 * rates[0])
        speeds = [mp.mpf(3), *others]
        found = accelerations(lambda q: _chain(links, q), q, speeds, [0, 0, 0], lambda q, v: _slope(end, q, v))
    names = ("theta", "phi", "psi")
    return {
        "four-bar": {
            "source": SOURCE,
            "solve": {
                "accelerations": dict(zip(names, found, strict=True)),
                "speeds": dict(zip(names, speeds, strict=True)),
            },
        }
    }


def arm() -> dict[str, Entry]:
    with mp.workdps(60):
        links = [
            ("8", ("0.15", "0.15", "0.05"), (0, 0, 0), (0, 0, "-0.2"), "z"),
            ("6", ("0.02", "0.12", "0.12"), (0, "0.1", "0.2"), ("-0.2", 0, 0), "y"),
            ("4", ("0.01", "0.06", "0.06", "0.002"), ("0.25", "-0.05", 0), ("-0.15", 0, "0.02"), "y"),
            ("1.5", ("0.002", "0.004", "0.004"), ("0.25", 0, "0.02"), ("-0.05", 0, 0), "x"),
            ("1", ("0.001", "0.002", "0.002"), ("0.05", 0, 0), ("-0.04", 0, 0), "y"),
            ("0.6", ("0.001", "0.0008", "0.0006", "0", "0.0001"), ("0.04", 0, 0), ("-0.03", "0.01", 0), "x"),
        ]
        read = [(mp.mpf(m), _inertia(*J), _vector(*at), _vector(*inside), axis) for m, J, at, inside, axis in links]
        q = [mp.mpf(e) for e in ("0", "-0.8", "1.2", "0.3", "-0.5", "0")]
        v = [mp.mpf(e) for e in ("1", "0", "0", "2", "0", "-1")]
        drag = [-mp.mpf(c) * speed for c, speed in zip(("2", "2", "1", "0.1", "0.1", "0.1"), v, strict=True)]
        found = accelerations(lambda q: _chain(read, q), q, v, drag)
    names = [f"q{i}" for i in range(1, 7)]
    return {"six-axis-arm": {"source": SOURCE, "solve": {"accelerations": dict(zip(names, found, strict=True))}}}


def governor() -> dict[str, Entry]:
    """(alpha, psi); the spring of the sleeve is a force by its place's slope."""
    with mp.workdps(60):
        length, k = mp.mpf("0.3"), mp.mpf(40)

        def bodies(q: mp.matrix) -> list[tuple]:
            S = _turn("z", q[1])
            found = [(mp.mpf(1), _inertia("0.01", "0.01", "0.02"), mp.zeros(3, 1), S)]
            for side in (1, -1):
                R = S * _turn("y", side * q[0])
                found.append((mp.mpf("0.5"), _inertia("2e-4", "2e-4", "2e-4"), -(R * mp.matrix([0, 0, length])), R))
            place = mp.matrix([0, 0, -2 * length * mp.cos(q[0])])
            return [*found, (mp.mpf("0.8"), _inertia("0.001", "0.001", "0.002"), place, S)]

        q, v = [mp.mpf("0.6"), mp.mpf(0)], [mp.mpf(0), mp.mpf(9)]
        slope, place = 2 * length * mp.sin(q[0]), -2 * length * mp.cos(q[0])
        found = accelerations(bodies, q, v, [-k * place * slope, -mp.mpf("0.01") * 9])
    table = dict(zip(("alpha", "psi"), found, strict=True))
    return {"flyball-governor": {"source": SOURCE, "solve": {"accelerations": table}}}


def drive() -> dict[str, Entry]:
    """(x, y, psi, phi_left, phi_right), x and y of the middle of the axle; both wheels slip across alike: one row."""
    with mp.workdps(60):
        radius, half, ahead = mp.mpf("0.1"), mp.mpf("0.2"), mp.mpf("0.05")
        wheel = _inertia("0.0013", "0.0025", "0.0013")

        def bodies(q: mp.matrix) -> list[tuple]:
            S, p = _turn("z", q[2]), mp.matrix([q[0], q[1], radius])
            found = [(mp.mpf(10), _inertia("0.2", "0.3", "0.4"), p + S * mp.matrix([ahead, 0, 0]), S)]
            for side, angle in ((1, q[3]), (-1, q[4])):
                found.append((mp.mpf("0.5"), wheel, p + S * mp.matrix([0, side * half, 0]), S * _turn("y", angle)))
            return found

        def rows(q: mp.matrix, v: mp.matrix) -> mp.matrix:
            along = mp.cos(q[2]) * v[0] + mp.sin(q[2]) * v[1]
            across = mp.cos(q[2]) * v[1] - mp.sin(q[2]) * v[0]
            return mp.matrix([across, along - half * v[2] - radius * v[3], along + half * v[2] - radius * v[4]])

        psi, turn, left = mp.mpf("0.3"), mp.mpf("0.4"), mp.mpf(2)
        along = half * turn + radius * left
        right = (along + half * turn) / radius
        q, v = [0, 0, psi, 0, 0], [along * mp.cos(psi), along * mp.sin(psi), turn, left, right]
        drag = mp.mpf("0.01")
        torques = [mp.mpf("0.3") - drag * left, mp.mpf("0.5") - drag * right]
        found = accelerations(bodies, q, v, [0, 0, 0, *torques], rows)
    names = ("x", "y", "psi", "phi_left", "phi_right")
    speeds = {name: float(value) for name, value in zip(names, v, strict=True)}
    table = dict(zip(names, found, strict=True))
    return {"differential-drive": {"source": SOURCE, "solve": {"accelerations": table, "speeds": speeds}}}


def _rolls(mass: mp.mpf, J: mp.matrix, omega: mp.matrix, arm: mp.matrix, arm_rate: mp.matrix) -> tuple:
    """a, α and F of a body that rolls: m a = F + m g, J α + ω × J ω = ϱ × F, a + α × ϱ + ω × ϱ̇ = 0."""
    K, right = mp.zeros(9), mp.zeros(9, 1)
    skew = mp.matrix([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    gyro, swing = _cross(omega, J * omega), _cross(omega, arm_rate)
    for i in range(3):
        K[i, i], K[i, 6 + i], K[6 + i, i] = mass, -1, 1
        right[i], right[3 + i], right[6 + i] = mass * G[i], -gyro[i], -swing[i]
        for k in range(3):
            K[3 + i, 3 + k], K[3 + i, 6 + k], K[6 + i, 3 + k] = J[i, k], -skew[i, k], -skew[i, k]
    found = mp.lu_solve(K, right)
    return found[:3], found[3:6], found[6:]


def _entry(a: Sequence, v: mp.matrix, **more: dict) -> Entry:
    names = "xyz"[: len(v)]
    tables = {"accelerations": dict(zip(names, a, strict=False)), "speeds": dict(zip(names, v, strict=True))}
    return {"source": "Newton and Euler's equations in vectors, 60 digits", "solve": tables | more}


def rollers() -> dict[str, Entry]:
    with mp.workdps(60):
        return {"ball-in-bowl": _bowl(), "rolling-ellipsoid": _ellipsoid(), "rolling-torus": _torus()}


def _bowl() -> Entry:
    radius, a, u = mp.mpf("0.2"), mp.mpf("0.8"), mp.mpf("0.6")
    omega = _vector(-8, 0, 3)

    def normal(p: mp.matrix) -> mp.matrix:
        n = mp.matrix([-2 * a * p[0], -2 * a * p[1], 1])
        return n / mp.norm(n)

    def centre(p: mp.matrix) -> mp.matrix:
        return mp.matrix([p[0], p[1], a * (p[0] ** 2 + p[1] ** 2)]) + radius * normal(p)

    p = mp.matrix([u, 0])
    arm = -radius * normal(p)
    v = -_cross(omega, arm)
    along = [_slope(centre, p, _unit(2, k)) for k in range(2)]
    contact = mp.lu_solve(mp.matrix([[along[k][i] for k in range(2)] for i in range(2)]), mp.matrix([v[0], v[1]]))
    arm_rate = -radius * _slope(normal, p, contact)
    J = mp.mpf(2) / 5 * radius**2 * mp.eye(3)
    acceleration, _, force = _rolls(mp.mpf(1), J, omega, arm, arm_rate)
    press = mp.fdot(force, normal(p))
    return _entry(acceleration, v, multipliers={"bowl.touch": press})


def _attitudes(R: mp.matrix, omega: mp.matrix) -> Callable:
    """R turned on by ω, to the second order in time."""
    W = mp.matrix([[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]])
    return lambda s: (mp.eye(3) + s[0] * W + s[0] ** 2 * W * W / 2) * R


def _ellipsoid() -> Entry:
    sizes = mp.diag([mp.mpf("0.01"), mp.mpf("0.0256"), mp.mpf("0.04")])
    R = _turn("x", mp.mpf("0.4")) * _turn("y", mp.mpf("0.3"))
    omega = R * _vector(1, -2, 3)
    up = _vector(0, 0, 1)

    def arm(R: mp.matrix) -> mp.matrix:
        n = R.T * up
        return -(R * sizes * n) / mp.sqrt((n.T * sizes * n)[0])

    turned = _attitudes(R, omega)
    rate = _slope(lambda s: arm(turned(s)), mp.matrix([0]), mp.matrix([1]))
    J = R * _inertia("0.0208", "0.0136", "0.0104") * R.T
    acceleration, _, force = _rolls(mp.mpf(2), J, omega, arm(R), rate)
    return _entry(acceleration, -_cross(omega, arm(R)), multipliers={"table.touch": force[2]})


def _torus() -> Entry:
    big, small, theta = mp.mpf("0.4"), mp.mpf("0.1"), mp.mpf("1.2")
    R = _turn("x", theta)
    omega = _vector(0, 0, "0.5") + R * _vector(0, 0, 4) + _vector("0.1", 0, 0)
    up = _vector(0, 0, 1)

    def arm(R: mp.matrix) -> mp.matrix:
        axis = R * up
        lean = axis[2]
        return -big * (up - lean * axis) / mp.sqrt(1 - lean**2) - small * up

    turned = _attitudes(R, omega)
    rate = _slope(lambda s: arm(turned(s)), mp.matrix([0]), mp.matrix([1]))
    J = R * _inertia("0.1294", "0.1294", "0.2513") * R.T
    acceleration, _, _ = _rolls(mp.mpf("1.5"), J, omega, arm(R), rate)
    return _entry(acceleration[:2], -_cross(omega, arm(R))[:2])


def tippe_top() -> dict[str, Entry]:
    """The same motion as by angles; a quaternion has no theta."""
    known = spheres.spheres()["tippe-top"]
    motion = dict(known["simulate"])
    motion["coordinates"] = {name: values for name, values in motion["coordinates"].items() if name != "theta"}
    return {"tippe-top-quaternion": {**known, "simulate": motion}}
