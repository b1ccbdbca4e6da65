"""Rolling without slipping: the rows that a wheel, a ball or a material point on a plane gives.

Plane through P₀ with unit normal N, body centre c, contact point p, wheel axis n:
    ball   p = c − ϱ N
    wheel  p = c − ϱ (N − (N·n) n)/s,   s² = 1 − (N·n)²       the disk's lowest point towards the plane
    touch: N·(p − P₀) = 0        slip: e_i·(v_c + ω × (p − c) − v_plane(p)) = 0,   e₁ ∥ world.x projected, e₂ = N × e₁
The material velocity includes the body's spin, the plane's that of the body that carries it.
"""

from __future__ import annotations

import symengine as se

from dalembert.errors import Fault, ModelError
from dalembert.mechanics.algebra import NULL, ONE, ZERO, Scalar, Triple, cross, dot, minus, plus, scaled
from dalembert.mechanics.bodies import Bodies
from dalembert.mechanics.lowering import Lowering
from dalembert.mechanics.rotations import AXES
from dalembert.model.record import Plane, Rolling


def rolling_rows(name: str, rolling: Rolling, lowering: Lowering, bodies: Bodies) -> list[tuple[str, Scalar]]:
    origin, normal, plane_velocity, plane_omega = _plane(name, rolling, lowering, bodies)
    centre = bodies.point(rolling.body)
    arm, touch = _contact(rolling, lowering, centre.position, origin, normal)
    rows: list[tuple[str, Scalar]] = []
    if "touch" in rolling.rows:
        rows.append(("touch", touch))
    if "slip" in rolling.rows:
        contact = plus(centre.position, arm)
        omega = lowering.attitude(rolling.body).omega_world
        body_velocity = plus(centre.velocity(lowering.motion), cross(omega, arm))
        carried = plus(plane_velocity, cross(plane_omega, minus(contact, origin)))
        first = _tangent(normal)
        relative = minus(body_velocity, carried)
        rows += [("slip1", dot(first, relative)), ("slip2", dot(cross(normal, first), relative))]
    return rows


def contact_frame(
    name: str, rolling: Rolling, lowering: Lowering, bodies: Bodies
) -> tuple[Triple, Triple, Triple, Triple]:
    """The contact point, and the directions of touch, slip1 and slip2: N, e₁, e₂."""
    origin, normal, _, _ = _plane(name, rolling, lowering, bodies)
    centre = bodies.point(rolling.body).position
    arm, _ = _contact(rolling, lowering, centre, origin, normal)
    first = _tangent(normal)
    return plus(centre, arm), normal, first, cross(normal, first)


def _plane(name: str, rolling: Rolling, lowering: Lowering, bodies: Bodies) -> tuple[Triple, Triple, Triple, Triple]:
    """Point, unit normal, velocity of that point and angular velocity of the plane."""
    motion = lowering.motion
    if isinstance(rolling.on, Plane):
        origin = lowering.vector(rolling.on.point)
        normal = lowering.vector(rolling.on.normal)
        if any({motion.t, *motion.q} & n.free_symbols for n in normal):
            message = "the plane's normal moves; let a body carry the plane instead: on = the name of that body"
            raise ModelError([Fault("rolling", f"{name}.on", None, message)])
        length = se.sqrt(dot(normal, normal))
        velocity: Triple = tuple(motion.derivative(c) for c in origin)  # type: ignore[assignment]
        return origin, scaled(1 / length, normal), velocity, NULL
    if rolling.on == "ground":
        return NULL, AXES["z"], NULL, NULL
    attitude = lowering.attitude(rolling.on)
    place = bodies.point(rolling.on)
    return place.position, attitude.axis("z"), place.velocity(motion), attitude.omega_world


def _contact(
    rolling: Rolling, lowering: Lowering, centre: Triple, origin: Triple, normal: Triple
) -> tuple[Triple, Scalar]:
    """The arm from the centre to the contact point, and the residual of touching."""
    height = dot(normal, minus(centre, origin))
    if rolling.kind == "at":
        arm = minus(lowering.vector(rolling.size), centre)
        return arm, height + dot(normal, arm)
    radius = lowering.scalar(rolling.size)
    if rolling.kind == "ball":
        return scaled(-radius, normal), height - radius
    body = lowering.model.bodies[rolling.body]
    axis = AXES["z"] if body.spin is None else lowering.axis(body.spin)
    n = lowering.carrier(rolling.body).world(axis)
    lean = dot(normal, n)
    s = lowering.root(1 - lean**2)
    return scaled(-radius / s, minus(normal, scaled(lean, n))), height - radius * s


def _tangent(normal: Triple) -> Triple:
    """World.x projected on the plane; world.y where the normal is along x."""
    if normal == AXES["z"] or normal == (ZERO, ZERO, -ONE):
        return AXES["x"]
    along = AXES["y"] if normal[1] == 0 and normal[2] == 0 else AXES["x"]
    flat = minus(along, scaled(dot(along, normal), normal))
    return scaled(1 / se.sqrt(dot(flat, flat)), flat)
