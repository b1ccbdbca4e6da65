"""The systems stated with sympy.physics.mechanics, for the peers that start from SymPy's equations.

Each function returns a `Statement`: M(q, u) u̇ = f(q, u) with q̇ given, all symbols that vary listed as states, and
parameters as (symbol, value). KanesMethod forms the equations, except for Andrews'
squeezer: there LagrangesMethod with multipliers is used, which keeps its six loop constraints as rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import sympy as sm
import sympy.physics.mechanics as me
from sympy.physics.vector import Vector

from benchmarks import systems

Vector.simp = False
G = systems.GRAVITY


@dataclass(frozen=True, slots=True)
class Statement:
    """Coordinates q, speeds u, q̇(q, u), M, f, parameter values, initial state, and where `compared` is in (q, u, q̇)."""

    q: Sequence[Any]
    u: Sequence[Any]
    rates: Sequence[Any]
    mass: Any
    forcing: Any
    parameters: Sequence[tuple[Any, float]]
    start: Sequence[float]
    picks: Sequence[int]
    stated: float  # when the system was stated and its derivation began


def state(system: systems.System) -> Statement:
    """The system in SymPy."""
    if system.links:
        return pendulum(system.links)
    return {"rolling-disk": rolling_disk, "whipple": whipple, "andrews": andrews}[system.key]()


def pendulum(n: int) -> Statement:
    """n links by Kane's method, velocities written in inertial axes (the fastest of the usual ways to state it)."""
    q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
    m, length, g = sm.symbols("m l g")
    frame, point = me.ReferenceFrame("N"), me.Point("O")
    point.set_vel(frame, 0)
    x_rate, y_rate, bodies, loads = sm.S.Zero, sm.S.Zero, [], []
    for i in range(n):
        x_rate += length * u[i] * sm.cos(q[i])
        y_rate += length * u[i] * sm.sin(q[i])
        point = me.Point(f"P{i}")
        point.set_vel(frame, x_rate * frame.x + y_rate * frame.y)
        bodies.append(me.Particle(f"p{i}", point, m))
        loads.append((point, -m * g * frame.y))
    kinematic = [a.diff() - b for a, b in zip(q, u, strict=True)]
    stated = perf_counter()
    kane = me.KanesMethod(frame, q, u, kd_eqs=kinematic)
    kane.kanes_equations(bodies, loads)
    values = [(m, systems.LINK_MASS), (length, systems.LINK_LENGTH), (g, G)]
    start = [*systems.pendulum_start(n), *[0.0] * n]
    return Statement(q, u, u, kane.mass_matrix, kane.forcing, values, start, range(2 * n), stated)


def rolling_disk() -> Statement:
    """A disk whose contact point is at rest: three speeds, no constraint left."""
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    m, r, g = sm.symbols("m r g")
    world = me.ReferenceFrame("N")
    yaw = world.orientnew("Y", "Axis", (q[0], world.z))
    lean = yaw.orientnew("L", "Axis", (q[1], yaw.x))
    disk = lean.orientnew("D", "Axis", (q[2], lean.y))
    kinematic = [a.diff() - b for a, b in zip(q, u, strict=True)]
    yaw.set_ang_vel(world, u[0] * world.z)
    lean.set_ang_vel(yaw, u[1] * yaw.x)
    disk.set_ang_vel(lean, u[2] * lean.y)
    touch = me.Point("C")
    touch.set_vel(world, 0)
    centre = touch.locatenew("G", r * lean.z)
    centre.set_vel(world, me.cross(disk.ang_vel_in(world), r * lean.z))
    inertia = me.inertia(lean, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    body = me.RigidBody("disk", centre, disk, m, (inertia, centre))
    stated = perf_counter()
    kane = me.KanesMethod(world, q, u, kd_eqs=kinematic)
    kane.kanes_equations([body], [(centre, -m * g * world.z)])
    values = [(s, systems.DISK[s.name]) for s in (m, r, g)]
    names = ("yaw", "lean", "spin")
    start = [systems.DISK_START[a] for a in names] + [systems.DISK_RATES[a] for a in names]
    return Statement(q, u, u, kane.mass_matrix, kane.forcing, values, start, range(6), stated)


def whipple() -> Statement:
    """The bicycle with four coordinates, six speeds, and the front contact at rest as three velocity constraints.

    The place on the plane and the angles of the wheels are ignorable and left out, as SymPy's own example does.
    """
    p = {name: sm.Symbol(name) for name in systems.WHIPPLE}
    yaw, lean, pitch, steer = q = me.dynamicsymbols("yaw lean pitch steer")
    u = me.dynamicsymbols("u_yaw u_lean u_pitch u_steer u_rear u_front")
    world = me.ReferenceFrame("N")
    A = world.orientnew("A", "Axis", (yaw, world.z))
    B = A.orientnew("B", "Axis", (lean, A.x))
    C = B.orientnew("C", "Axis", (pitch, B.y))  # the rear frame
    tilted = C.orientnew("T", "Axis", (p["lam"], C.y))
    H = tilted.orientnew("H", "Axis", (steer, tilted.z))  # fork and handlebar
    R, F = me.ReferenceFrame("R"), me.ReferenceFrame("F")
    A.set_ang_vel(world, u[0] * world.z)
    B.set_ang_vel(A, u[1] * A.x)
    C.set_ang_vel(B, u[2] * B.y)
    tilted.set_ang_vel(C, 0)
    H.set_ang_vel(tilted, u[3] * tilted.z)
    R.set_ang_vel(C, u[4] * C.y)
    F.set_ang_vel(H, u[5] * H.y)

    rear_touch = me.Point("rear_touch")
    rear_touch.set_vel(world, 0)
    rear_hub = rear_touch.locatenew("rear_hub", -p["rR"] * B.z)
    rear_hub.set_vel(world, me.cross(R.ang_vel_in(world), -p["rR"] * B.z))
    frame_centre = rear_hub.locatenew("frame_centre", p["xB"] * C.x + (p["zB"] + p["rR"]) * C.z)
    frame_centre.v2pt_theory(rear_hub, world, C)
    head = rear_hub.locatenew("head", (p["w"] + p["c"]) * C.x + p["rR"] * C.z)  # where the steer axis meets the ground
    head.v2pt_theory(rear_hub, world, C)
    sine, cosine = sm.sin(p["lam"]), sm.cos(p["lam"])

    def on_fork(x: Any, z: Any) -> Any:
        """A place of the fork, given from `head` in the axes of the rear frame at zero steer."""
        return (x * cosine - z * sine) * H.x + (x * sine + z * cosine) * H.z

    front_hub = head.locatenew("front_hub", on_fork(-p["c"], -p["rF"]))
    front_hub.v2pt_theory(head, world, H)
    fork_centre = head.locatenew("fork_centre", on_fork(p["xH"] - p["w"] - p["c"], p["zH"]))
    fork_centre.v2pt_theory(head, world, H)
    down = world.z - me.dot(world.z, H.y) * H.y
    down = down / sm.sqrt(1 - me.dot(world.z, H.y) ** 2)
    front_touch = front_hub.locatenew("front_touch", p["rF"] * down)
    touch_speed = front_hub.vel(world) + me.cross(F.ang_vel_in(world), p["rF"] * down)

    def wheel(frame: Any, name: str) -> Any:
        return me.inertia(frame, p[f"I{name}xx"], p[f"I{name}yy"], p[f"I{name}xx"])

    def plate(frame: Any, name: str) -> Any:
        xx, yy, zz, xz = (p[f"I{name}{axes}"] for axes in ("xx", "yy", "zz", "xz"))
        return me.inertia(frame, xx, yy, zz, 0, 0, xz)

    bodies = [
        me.RigidBody("rear", rear_hub, R, p["mR"], (wheel(C, "R"), rear_hub)),
        me.RigidBody("frame", frame_centre, C, p["mB"], (plate(C, "B"), frame_centre)),
        me.RigidBody("fork", fork_centre, H, p["mH"], (plate(tilted_axes(H, p), "H"), fork_centre)),
        me.RigidBody("front", front_hub, F, p["mF"], (wheel(H, "F"), front_hub)),
    ]
    loads = [(body.masscenter, body.mass * p["g"] * world.z) for body in bodies]
    kinematic = [a.diff() - b for a, b in zip(q, u[:4], strict=True)]
    height = me.dot(front_touch.pos_from(rear_touch), world.z)
    no_slip = [me.dot(touch_speed, axis) for axis in (A.y, A.x, A.z)]  # an order of pivots that is not zero upright
    stated = perf_counter()
    kane = me.KanesMethod(
        world, q_ind=[yaw, lean, steer], q_dependent=[pitch], configuration_constraints=[height],
        u_ind=[u[1], u[3], u[4]], u_dependent=[u[0], u[5], u[2]], velocity_constraints=no_slip, kd_eqs=kinematic,
    )  # fmt: skip
    kane.kanes_equations(bodies, loads)
    speed = systems.WHIPPLE_SPEED
    start = {yaw: 0.0, lean: 0.0, steer: 0.0, pitch: 0.0}
    free = {u[1]: systems.WHIPPLE_LEAN_RATE, u[3]: 0.0, u[4]: -speed / systems.WHIPPLE["rR"]}
    values = [(symbol, systems.WHIPPLE[name]) for name, symbol in p.items()]
    rows = sm.Matrix(no_slip).xreplace(start | free | dict(values))
    dependent = sm.solve(list(rows), [u[0], u[5], u[2]])
    start |= free | {a: float(b) for a, b in dependent.items()}
    names, order, speeds = ["yaw", "lean", "steer"], list(kane.q), list(kane.u)
    picks = [order.index(me.dynamicsymbols(name)) for name in names]
    picks += [len(order) + speeds.index(u[k]) for k in (0, 1, 3, 4, 5)]
    pairs = dict(zip(q, u[:4], strict=True))
    rates = [pairs[a] for a in order]
    initial = [float(start[a]) for a in order + speeds]
    return Statement(order, speeds, rates, kane.mass_matrix, kane.forcing, values, initial, picks, stated)


def tilted_axes(fork: Any, p: dict[str, Any]) -> Any:
    """The axes in which the fork's inertia is given: vertical when the bicycle stands upright."""
    return fork.orientnew("H0", "Axis", (-p["lam"], fork.y))


def andrews() -> Statement:
    """Seven angles, six loop equations, multipliers; M is bordered by the constraint Jacobian."""
    p = {name: sm.Symbol(name) for name in systems.ANDREWS}
    t = me.dynamicsymbols._t
    q = me.dynamicsymbols(" ".join(systems.ANDREWS_ANGLES))
    be, th, ga, ph, de, om, ep = q
    s, c = sm.sin, sm.cos
    centres = [
        (p["ra"] * c(be), p["ra"] * s(be)),
        (p["rr"] * c(be) - p["da"] * c(be + th), p["rr"] * s(be) - p["da"] * s(be + th)),
        (p["xb"] + p["sa"] * s(ga) + p["sb"] * c(ga), p["yb"] - p["sa"] * c(ga) + p["sb"] * s(ga)),
        (p["xa"] + p["zt"] * c(de) + (p["e"] - p["ea"]) * s(ph + de),
         p["ya"] + p["zt"] * s(de) - (p["e"] - p["ea"]) * c(ph + de)),
        (p["xa"] + p["ta"] * c(de) - p["tb"] * s(de), p["ya"] + p["ta"] * s(de) + p["tb"] * c(de)),
        (p["xa"] + p["u"] * s(ep) + (p["zf"] - p["fa"]) * c(om + ep),
         p["ya"] - p["u"] * c(ep) + (p["zf"] - p["fa"]) * s(om + ep)),
        (p["xa"] + p["ua"] * s(ep) - p["ub"] * c(ep), p["ya"] - p["ua"] * c(ep) - p["ub"] * s(ep)),
    ]  # fmt: skip
    angles = [be, be + th, ga, ph + de, de, om + ep, ep]
    kinetic = sum(
        p[f"m{k}"] * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + p[f"I{k}"] * angle.diff(t) ** 2 / 2
        for k, ((x, y), angle) in enumerate(zip(centres, angles, strict=True), start=1)
    )
    end_x = p["xb"] + p["sc"] * s(ga) + p["sd"] * c(ga)  # where the spring holds the third body
    end_y = p["yb"] - p["sc"] * c(ga) + p["sd"] * s(ga)
    stretch = sm.sqrt((end_x - p["xc"]) ** 2 + (end_y - p["yc"]) ** 2) - p["lo"]
    action = kinetic - p["c0"] * stretch**2 / 2 + p["mom"] * be
    tip = (p["rr"] * c(be) - p["d"] * c(be + th), p["rr"] * s(be) - p["d"] * s(be + th))
    ends = [
        (p["xb"] + p["ss"] * s(ga), p["yb"] - p["ss"] * c(ga)),
        (p["xa"] + p["zt"] * c(de) + p["e"] * s(ph + de), p["ya"] + p["zt"] * s(de) - p["e"] * c(ph + de)),
        (p["xa"] + p["u"] * s(ep) + p["zf"] * c(om + ep), p["ya"] - p["u"] * c(ep) + p["zf"] * s(om + ep)),
    ]
    loops = [here - there for end in ends for here, there in zip(tip, end, strict=True)]
    stated = perf_counter()
    lagrange = me.LagrangesMethod(action, q, hol_coneqs=loops)
    lagrange.form_lagranges_equations()
    u = [a.diff(t) for a in q]
    full, right = lagrange.mass_matrix_full, lagrange.forcing_full
    values = [(symbol, systems.ANDREWS[name]) for name, symbol in p.items()]
    start = [*systems.ANDREWS_START, *[0.0] * 7]
    return Statement(q, u, u, full[7:, 7:], right[7:, :], values, start, range(14), stated)
