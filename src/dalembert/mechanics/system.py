"""One model's mechanics in symbols: everything that a method of derivation starts from, computed once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from functools import cached_property

import symengine as se

from dalembert.equations import SampledLaw, Unilateral
from dalembert.mechanics.algebra import ZERO, Scalar, Symbols, total
from dalembert.mechanics.bodies import Bodies, BodyMotion
from dalembert.mechanics.constraints import ConstraintRows, constraints
from dalembert.mechanics.forces import (
    Load,
    conservative,
    given_forces,
    gravity_notes,
    gravity_potential,
    load_power,
    loads,
)
from dalembert.mechanics.lowering import Lowering
from dalembert.mechanics.measuring import Measuring
from dalembert.mechanics.supports import Supports
from dalembert.mechanics.touching import Touching, touching
from dalembert.mechanics.unilateral import unilateral
from dalembert.model.machine import Signal
from dalembert.model.record import ModelRecord
from dalembert.model.signals import RATE, RATE2
from dalembert.model.values import at_start, initial_values


class System:
    """The mechanics of `model`. With `numeric`, all parameters but the `open` ones are numbers; otherwise they are
    symbols.

    With `readable` it is written for people: decimals are exact, and roots of squares are resolved for the region
    around the start.
    """

    def __init__(
        self,
        model: ModelRecord,
        numeric: bool = False,
        open: Collection[str] = (),
        readable: bool = False,
        motion: Symbols | None = None,
    ):
        self.model = model
        self.motion = Symbols(tuple(model.coordinates)) if motion is None else motion
        values = initial_values(model)
        kept = {*open, *model.varying}
        known = {name: value for name, value in values.parameters.items() if numeric and name not in kept}
        followed = {name: values.parameters[name] for name in model.followed}
        self.parameters: Mapping[Scalar, float] = {
            se.Symbol(name): value for name, value in {**followed, **values.parameters}.items() if name not in known
        }
        self.start: dict[Scalar, float] = {self.motion.t: model.simulation.start, **self.parameters}
        for name, q, v in zip(self.motion.names, self.motion.q, self.motion.v, strict=True):
            self.start[q] = values.coordinates[name]
            self.start[v] = values.speeds[name] or 0.0
        self.lowering = Lowering(model, self.motion, known, self.start if readable else None)
        self.motion.rates = {se.Symbol(n): self.lowering.scalar(state.rate) for n, state in model.states.items()}
        for name in (n for n in model.inputs if n + RATE in model.inputs):
            self.motion.rates[se.Symbol(name)] = se.Symbol(name + RATE)
            if name + RATE2 in model.inputs:
                self.motion.rates[se.Symbol(name + RATE)] = se.Symbol(name + RATE2)
        self.kinematics = Bodies(self.lowering)
        self.bodies: dict[str, BodyMotion] = {name: self.kinematics.body(name) for name in model.bodies}
        self.constraints: ConstraintRows
        self.constraints, notes = constraints(model, self.lowering, self.kinematics, self.start)
        self.notes = (*notes, *gravity_notes(model, self.lowering), *self._supports.notes())

    def with_bodies(self, bodies: dict[str, BodyMotion]) -> System:
        """The same system with other bodies. Everything derived from the bodies is computed again."""
        other = copy(self)
        for name, value in vars(System).items():
            if isinstance(value, cached_property):
                vars(other).pop(name, None)
        other.bodies = bodies
        return other

    def with_constraints(self, rows: Collection[int]) -> System:
        """The same system with only the constraints in `rows`."""
        other = self.with_bodies(self.bodies)
        whole, chosen = self.constraints, sorted(rows)
        flat = [i for i, row in enumerate(whole.rows) if row.kind == "holonomic"]
        kept = [place for place, i in enumerate(flat) if i in chosen]
        other.constraints = ConstraintRows(
            tuple(whole.rows[i] for i in chosen),
            tuple(whole.A[i] for i in chosen),
            tuple(whole.b[i] for i in chosen),
            tuple(whole.psi[i] for i in chosen),
            tuple(whole.phi[i] for i in kept),
            tuple(whole.phi_q[i] for i in kept),
        )
        return other

    def with_touching(self) -> System:
        """The same system, whose acting forces include those of its contacts and frictions as named symbols."""
        if self.unilateral is None:
            return self
        named = self.touching.generalized(self.size)
        other = self.with_bodies(self.bodies)
        vars(other)["fields"] = tuple(f + n for f, n in zip(self.fields, named, strict=True))
        return other

    @property
    def size(self) -> int:
        return len(self.motion.q)

    @cached_property
    def loads(self) -> tuple[Load, ...]:
        return loads(self.model, self.bodies, self.lowering)

    def _energy(self, name: str) -> Scalar:
        node = getattr(self.model.energy, name)
        return ZERO if node is None else self.lowering.scalar(node)

    @cached_property
    def given_kinetic(self) -> Scalar:
        """The kinetic energy that [energy] adds to that of the bodies."""
        return self._energy("kinetic")

    @cached_property
    def given_potential(self) -> Scalar:
        return self._energy("potential")

    @cached_property
    def dissipation(self) -> Scalar:
        return self._energy("dissipation")

    @cached_property
    def kinetic(self) -> Scalar:
        return total([*(body.kinetic(self.motion) for body in self.bodies.values()), self.given_kinetic])

    @cached_property
    def potential(self) -> Scalar:
        return self.given_potential + gravity_potential(self.model, self.bodies, self.lowering)

    @cached_property
    def fields(self) -> tuple[Scalar, ...]:
        """−∂V/∂q − ∂Φ/∂q̇ + the given generalized forces: all forces that do not act through a body."""
        given = given_forces(self.model, self.lowering)
        rest = conservative(self.given_potential, self.dissipation, self.motion)
        return tuple(r + given.get(name, ZERO) for name, r in zip(self.motion.names, rest, strict=True))

    @cached_property
    def forces(self) -> tuple[Scalar, ...]:
        """Q, the generalized forces of everything except inertia and thrust."""
        powers = [load_power(load, self.lowering) for load in self.loads]
        return tuple(total([field, *(p[r] for p in powers)]) for r, field in enumerate(self.fields))

    @cached_property
    def outputs(self) -> dict[str, Scalar]:
        found: dict[str, Scalar] = {}
        for name, node in self.model.definitions.items():
            value = self.lowering.value(node)
            if isinstance(value, tuple):
                found |= {f"{name}.{axis}": c for axis, c in zip("xyz", value, strict=True)}
            else:
                found[name] = value
        return found

    @cached_property
    def measured(self) -> dict[str, Scalar]:
        """The outputs, as expressions in x, q̈ and the multipliers (see `measuring`)."""
        return self._measuring.outputs() if self.model.outputs else {}

    @cached_property
    def _measuring(self) -> Measuring:
        return Measuring(self.lowering, self._supports)

    @property
    def _supports(self) -> Supports:
        return Supports(self.lowering, self.kinematics, self.bodies, self.constraints.names, self.start)

    @property
    def states(self) -> dict[Scalar, Scalar]:
        """First-order states and their rates."""
        return {se.Symbol(name): self.motion.rates[se.Symbol(name)] for name in self.model.states}

    @property
    def signals(self) -> dict[Scalar, Signal]:
        return {se.Symbol(n): entry.signal for n, entry in self.model.inputs.items() if entry.signal is not None}

    @property
    def sampled(self) -> tuple[SampledLaw, ...]:
        """Controllers that compute at instants and hold their values in between."""
        if not self.model.sampled:
            return ()
        at = at_start(self.model)
        return tuple(
            SampledLaw(
                name,
                at.number(controller.every),
                self.model.simulation.start if controller.offset is None else at.number(controller.offset),
                {se.Symbol(held): self.lowering.scalar(value) for held, value in controller.values.items()},
            )
            for name, controller in self.model.sampled.items()
        )

    @cached_property
    def unilateral(self) -> Unilateral | None:
        return unilateral(self.model, self.lowering, self.constraints)

    @cached_property
    def touching(self) -> Touching:
        """Contacts and frictions with their forces as symbols."""
        return touching(self.unilateral, self.constraints.names)

    @property
    def events(self) -> dict[str, tuple[Scalar, bool]]:
        """The guards, each with whether it stops the motion. A rolling contact with a grip adds two guards."""
        _ = self.measured  # outputs may occur in guards
        found = {name: (self._measuring.guard(name, e.when), e.stop) for name, e in self.model.events.items()}
        for name, rolling in self.model.rolling.items():
            if rolling.grip is not None:
                lifts, slips = self._measuring.ends(name, rolling.grip)
                found |= {f"{name}.lift": (lifts, False), f"{name}.slip": (slips, False)}
        return found

    @property
    def poses(self) -> dict[str, tuple[tuple[Scalar, ...], tuple[tuple[Scalar, ...], ...]]]:
        return {name: (b.centre.position, self.lowering.attitude(name).matrix) for name, b in self.bodies.items()}

    @property
    def varying_masses(self) -> dict[str, Scalar]:
        return {name: body.mass for name, body in self.bodies.items() if body.varies}

    @cached_property
    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        """h of the general virtual displacements Σ h δq = 0 (WangGao (20))."""
        return tuple(
            tuple(self.lowering.scalar(row[name]) if name in row else ZERO for name in self.motion.names)
            for row in self.model.virtual_displacements.rows
        )

    @cached_property
    def quasi_velocities(self) -> dict[str, Scalar]:
        return {name: self.lowering.scalar(node) for name, node in self.model.quasi_velocities.items()}
