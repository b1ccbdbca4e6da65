"""Acting forces: loads on bodies, potentials, dissipation, generalized forces, and the thrust of variable mass.

Q_r = Σ F·∂v/∂q̇_r + T·∂ω/∂q̇_r − ∂V/∂q_r − ∂Φ/∂q̇_r + Q_r^given
thrust of a body: ṁ u, ṁ = μ + Σ_s (∂m/∂q̇_s) q̈_s; the q̈ part belongs to the left side      (Qiao; errata)
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.language import tr
from dalembert.mechanics.algebra import NULL, Scalar, Symbols, Triple, dot, minus, scaled, total
from dalembert.mechanics.bodies import BodyMotion, Columns, material_columns, world_turning
from dalembert.mechanics.lowering import Lowering
from dalembert.model.record import ModelRecord


@dataclass(frozen=True, slots=True)
class Load:
    """A force at a material point of a body (`arm` from its centre of mass) and a torque, in inertial axes."""

    name: str
    body: BodyMotion
    force: Triple
    arm: Triple = NULL
    torque: Triple = NULL


def loads(model: ModelRecord, bodies: dict[str, BodyMotion], lowering: Lowering) -> tuple[Load, ...]:
    found = []
    if model.gravity is not None:
        gravity = lowering.vector(model.gravity)
        found += [Load("gravity", body, scaled(body.mass, gravity)) for body in bodies.values() if body.mass != 0]
    for name, force in model.forces.items():
        if force.body is None:
            continue
        body = bodies[force.body]
        found.append(
            Load(
                name,
                body,
                NULL if force.force is None else lowering.vector(force.force),
                NULL if force.at is None else minus(lowering.vector(force.at), body.centre.position),
                NULL if force.torque is None else lowering.vector(force.torque),
            )
        )
    return tuple(found)


def given_forces(model: ModelRecord, lowering: Lowering) -> dict[str, Scalar]:
    """Generalized forces that the model states by coordinate."""
    found: dict[str, list[Scalar]] = {}
    for force in model.forces.values():
        for coordinate, value in force.generalized.items():
            found.setdefault(coordinate, []).append(lowering.scalar(value))
    return {coordinate: total(values) for coordinate, values in found.items()}


def partials(load: Load, lowering: Lowering) -> tuple[Columns, Columns]:
    """Partial velocities of the point where a load acts, and partial angular velocities of its body."""
    turning = world_turning(load.body, lowering) if load.torque != NULL else (None,) * len(lowering.motion.q)
    columns = load.body.centre.columns if load.arm == NULL else material_columns(load.body, lowering, load.arm)
    return columns, turning


def load_power(load: Load, lowering: Lowering) -> list[Scalar]:
    """F·∂v/∂q̇_r + T·∂ω/∂q̇_r for every r."""
    columns, turning = partials(load, lowering)
    return [
        total(
            [
                *([] if c is None else [dot(load.force, c)]),
                *([] if w is None else [dot(load.torque, w)]),
            ]
        )
        for c, w in zip(columns, turning, strict=True)
    ]


def conservative(potential: Scalar, dissipation: Scalar, motion: Symbols) -> list[Scalar]:
    """−∂V/∂q_r − ∂Φ/∂q̇_r."""
    slope = motion.gradient(potential, motion.q)
    drag = motion.gradient(dissipation, motion.v)
    return [-(p + d) for p, d in zip(slope, drag, strict=True)]


def gravity_potential(model: ModelRecord, bodies: dict[str, BodyMotion], lowering: Lowering) -> Scalar:
    """−Σ m g·r, for reporting the energy. Zero if gravity varies, since the gradient of this expression is then not m
    g.
    """
    if model.gravity is None or gravity_varies(model, lowering):
        return total([])
    gravity = lowering.vector(model.gravity)
    return -total(body.mass * dot(gravity, body.centre.position) for body in bodies.values())


def gravity_varies(model: ModelRecord, lowering: Lowering) -> bool:
    """Whether g changes with coordinates or speeds, as a central field does."""
    moving = {*lowering.motion.q, *lowering.motion.v}
    return model.gravity is not None and any(moving & g.free_symbols for g in lowering.vector(model.gravity))


def gravity_notes(model: ModelRecord, lowering: Lowering) -> tuple[str, ...]:
    if not gravity_varies(model, lowering):
        return ()
    return (
        tr(
            "gravity varies with the motion: it acts as a force, and the potential energy does not "
            "count it; a potential of its own can stand in [energy] instead"
        ),
    )
