"""Rolling without slipping: the rows of a wheel, a ball, a convex body or a material point on a plane or surface.

Plane through P₀ with unit normal N, body centre c, contact point p, wheel axis n:
    ball   p = c − ϱ N
    wheel  p = c − ϱ (N − (N·n) n)/s,   s² = 1 − (N·n)²       the disk's lowest point towards the plane
    torus  p = c − ϱ (N − (N·n) n)/s − r N,   ellipsoid  p = c − B A² Bᵀ N/√(NᵀB A² BᵀN), B its axes, A its semi-axes
    touch: N·(p − P₀) = 0        slip: e_i·(v_c + ω × (p − c) − v_plane(p)) = 0,   e₁ ∥ world.x projected, e₂ = N × e₁
The material velocity includes the body's spin. The plane's velocity is that of the body that carries it.

A surface z = g(x, y) or f(x, y, z) = 0 has its normal N(p) at the contact point, so p = (u, v, w) are coordinates:
    touch: N·(c + a − p) = 0,   at_i: e_i·(c + a − p) = 0,   on: f(p) = 0,   slip as above, a(N) the body's arm
These coordinates have no mass, so the multipliers of at_i vanish, and that of touch is the normal force.
"""

from __future__ import annotations

import symengine as se

from dalembert.errors import Fault, ModelError
from dalembert.language import tr
from dalembert.mechanics.algebra import NULL, ONE, ZERO, Scalar, Triple, cross, dot, minus, plus, scaled
from dalembert.mechanics.bodies import Bodies
from dalembert.mechanics.lowering import Lowering
from dalembert.mechanics.rotations import AXES
from dalembert.model.record import Plane, Rolling, Surface


def rolling_rows(name: str, rolling: Rolling, lowering: Lowering, bodies: Bodies) -> list[tuple[str, Scalar]]:
    if isinstance(rolling.on, Surface):
        return _surface_rows(name, rolling, rolling.on, lowering, bodies)
    origin, normal, plane_velocity, plane_omega = _plane(name, rolling, lowering, bodies)
    centre = bodies.point(rolling.body)
    offset = _offset(rolling, lowering)
    arm, touch = _contact(rolling, lowering, plus(centre.position, offset), origin, normal)
    arm = lowering.motion.triple("s", name, plus(offset, arm))
    rows: list[tuple[str, Scalar]] = []
    if "touch" in rolling.rows:
        rows.append(("touch", touch))
    if "slip" in rolling.rows:
        contact = plus(centre.position, arm)
        omega = _turning(rolling.body, lowering)
        body_velocity = plus(centre.velocity(lowering.motion), cross(omega, arm))
        carried = plus(plane_velocity, cross(plane_omega, minus(contact, origin)))
        first = _tangent(normal, name, lowering)
        second = lowering.motion.triple("eta", name, cross(normal, first))
        relative = lowering.motion.triple("c", name, minus(body_velocity, carried))
        rows += [("slip1", dot(first, relative)), ("slip2", dot(second, relative))]
    return rows


def contact_frame(
    name: str, rolling: Rolling, lowering: Lowering, bodies: Bodies
) -> tuple[Triple, Triple, Triple, Triple]:
    """The contact point, and the directions of touch, slip1 and slip2: N, e₁, e₂."""
    if isinstance(rolling.on, Surface):
        point, normal, _ = _surface(name, rolling, rolling.on, lowering)
        first = _tangent(normal, name, lowering)
        return point, normal, first, cross(normal, first)
    origin, normal, _, _ = _plane(name, rolling, lowering, bodies)
    centre = plus(bodies.point(rolling.body).position, _offset(rolling, lowering))
    arm, _ = _contact(rolling, lowering, centre, origin, normal)
    first = _tangent(normal, name, lowering)
    return plus(centre, arm), normal, first, cross(normal, first)


def _plane(name: str, rolling: Rolling, lowering: Lowering, bodies: Bodies) -> tuple[Triple, Triple, Triple, Triple]:
    """A point of the plane, its unit normal, the velocity of that point and the plane's angular velocity."""
    motion = lowering.motion
    if isinstance(rolling.on, Plane):
        origin = lowering.vector(rolling.on.point)
        normal = lowering.vector(rolling.on.normal)
        if any({motion.t, *motion.q} & n.free_symbols for n in normal):
            message = tr("the plane's normal moves; let a body carry the plane instead: on = the name of that body")
            raise ModelError([Fault("rolling", f"{name}.on", None, message)])
        length = se.sqrt(dot(normal, normal))
        velocity: Triple = tuple(motion.derivative(c) for c in origin)  # type: ignore[assignment]
        return origin, scaled(1 / length, normal), velocity, NULL
    if rolling.on == "ground":
        return NULL, AXES["z"], NULL, NULL
    assert isinstance(rolling.on, str)
    attitude = lowering.attitude(rolling.on)
    place = bodies.point(rolling.on)
    return place.position, attitude.axis("z"), place.velocity(motion), _turning(rolling.on, lowering)


def _turning(body: str, lowering: Lowering) -> Triple:
    """The angular velocity of a body, in inertial axes."""
    return lowering.motion.triple("Omega", body, lowering.attitude(body).omega_world)


def _contact(
    rolling: Rolling, lowering: Lowering, centre: Triple, origin: Triple, normal: Triple
) -> tuple[Triple, Scalar]:
    """The arm from the centre to the contact point, and the residual of touching."""
    height = dot(normal, minus(centre, origin))
    if rolling.kind == "at":
        arm = minus(lowering.vector(rolling.size), centre)
        return arm, height + dot(normal, arm)
    arm, extent = _support(rolling, lowering, normal)
    return arm, height - extent


def _support(rolling: Rolling, lowering: Lowering, normal: Triple) -> tuple[Triple, Scalar]:
    """The arm from the centre to the point with outward normal −N, and its extent along −N."""
    radius, *further = (lowering.scalar(size) for size in (rolling.size, *rolling.further))
    if rolling.kind == "ball":
        return scaled(-radius, normal), radius
    if rolling.kind == "ellipsoid":
        attitude = lowering.attitude(rolling.body)
        local = attitude.local(normal)
        squared: Triple = tuple(a * a * c for a, c in zip((radius, *further), local, strict=True))  # type: ignore[assignment]
        extent = se.sqrt(dot(squared, local))
        return scaled(-1 / extent, attitude.world(squared)), extent
    body = lowering.model.bodies[rolling.body]
    axis = AXES["z"] if body.spin is None else lowering.axis(body.spin)
    n = lowering.carrier(rolling.body).world(axis)
    lean = dot(normal, n)
    s = lowering.root(1 - lean**2)
    arm = scaled(-radius / s, minus(normal, scaled(lean, n)))
    if rolling.kind == "torus":
        return minus(arm, scaled(further[0], normal)), radius * s + further[0]
    return arm, radius * s


def _offset(rolling: Rolling, lowering: Lowering) -> Triple:
    """The vector from the centre of mass to the centre of the ball, wheel or convex body."""
    return NULL if rolling.centre is None else lowering.attitude(rolling.body).world(lowering.vector(rolling.centre))


def _surface(name: str, rolling: Rolling, surface: Surface, lowering: Lowering) -> tuple[Triple, Triple, Scalar]:
    """The contact point, the unit normal there, and the residual of the surface at the point."""
    motion = lowering.motion
    if rolling.kind == "at":
        place = lowering.vector(rolling.size)
    else:
        letters = "uv" if surface.explicit else "uvw"
        place = tuple(motion.q[motion.names.index(f"{name}.{letter}")] for letter in letters)  # type: ignore[assignment]
    stand_ins = tuple(se.Symbol(f"place {axis}") for axis in "xyz")
    f = lowering.with_names(dict(zip("xyz", stand_ins, strict=True)), surface.residual)
    gradient = [motion.slope(f, axis) for axis in stand_ins]
    if surface.explicit and len(place) == 2:
        place = (*place, -f.subs({stand_ins[0]: place[0], stand_ins[1]: place[1], stand_ins[2]: ZERO}))  # type: ignore[assignment]
    here = dict(zip(stand_ins, place, strict=True))
    normal: Triple = tuple(g.subs(here) for g in gradient)  # type: ignore[assignment]
    size = motion.named(f"rho[{name}]", se.sqrt(dot(normal, normal)))
    return place, motion.triple("N", name, scaled(1 / size, normal)), f.subs(here)


def _surface_rows(
    name: str, rolling: Rolling, surface: Surface, lowering: Lowering, bodies: Bodies
) -> list[tuple[str, Scalar]]:
    place, normal, off = _surface(name, rolling, surface, lowering)
    first = _tangent(normal, name, lowering)
    second = lowering.motion.triple("eta", name, cross(normal, first))
    centre = bodies.point(rolling.body)
    if rolling.kind == "at":
        arm = minus(place, centre.position)
        rows = [("touch", off)]
    else:
        arm, _ = _support(rolling, lowering, normal)
        arm = lowering.motion.triple("s", name, plus(_offset(rolling, lowering), arm))
        apart = minus(plus(centre.position, arm), place)
        rows = [("touch", dot(normal, apart)), ("at1", dot(first, apart)), ("at2", dot(second, apart))]
        rows += [] if surface.explicit else [("on", off)]
    if "slip" in rolling.rows:
        velocity = plus(centre.velocity(lowering.motion), cross(_turning(rolling.body, lowering), arm))
        velocity = lowering.motion.triple("c", name, velocity)
        rows += [("slip1", dot(first, velocity)), ("slip2", dot(second, velocity))]
    return rows


def _tangent(normal: Triple, name: str, lowering: Lowering) -> Triple:
    """World.x projected on the plane, or world.y if the normal is along x."""
    if normal == AXES["z"] or normal == (ZERO, ZERO, -ONE):
        return AXES["x"]
    along = AXES["y"] if normal[1] == 0 and normal[2] == 0 else AXES["x"]
    flat = minus(along, scaled(dot(along, normal), normal))
    square = 1 - dot(along, normal) ** 2 if lowering.motion.names_quantities else dot(flat, flat)
    size = lowering.motion.named(f"rho[{name}, tau]", se.sqrt(square))
    return lowering.motion.triple("tau", name, scaled(1 / size, flat))
