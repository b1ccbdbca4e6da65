"""The contract of a method of derivation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import ClassVar

from dalembert.equations import Equations, Matrix, Once, QuasiVelocities, Row, Scalar, Step
from dalembert.errors import ModelError
from dalembert.expressions.nodes import names
from dalembert.formalisms.display import Display, label
from dalembert.formalisms.places import letters_of
from dalembert.language import tr
from dalembert.mechanics.system import System
from dalembert.mechanics.tree import tree
from dalembert.mechanics.variable_mass import named_masses
from dalembert.model.record import ModelRecord


@dataclass(frozen=True, slots=True)
class Dynamics:
    """The contribution of a method: D a = d + R ν. The rest of the record comes from the system."""

    D: Matrix
    d: Row
    symmetric: bool = False
    R: Matrix | None = None  # None: Aᵀ
    multipliers: tuple[str, ...] | None = None  # None: the constraints' names
    z: Row = ()
    route: str = "null-space"
    reaction_rest: Matrix | None = None
    reaction_slope: tuple[Matrix, ...] | None = None
    quasi: QuasiVelocities | None = None
    notes: tuple[str, ...] = ()


class Formalism(ABC):
    """A method of derivation: from a system to its dynamic equations. CONTRIBUTING.md says how to add one.

    `dynamics` is called for every question. `steps` is called only when somebody wants to read the derivation, and may
    take its time.
    """

    id: ClassVar[str]  # the name of the file, with dashes
    title: ClassVar[str]  # mark("…")
    paper: ClassVar[str]
    differentiates_masses: ClassVar[bool] = False  # whether T is differentiated with what varies in its masses

    def refusal(self, system: System) -> str | None:
        """The reason why this method cannot handle the system, as a sentence, or None if it can."""
        return None

    @abstractmethod
    def dynamics(self, system: System) -> Dynamics:
        """The method's dynamic equations of the system."""

    @abstractmethod
    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        """The derivation in the order of the paper. `released` are the constraints whose reactions are requested."""

    def _told(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        """The steps, with masses that vary and forces of contacts as letters that first steps explain."""
        from dalembert.formalisms.head import system_step
        from dalembert.formalisms.telling import told
        from dalembert.formalisms.touching_steps import forces_first, laws_after

        shown, named = named_masses(system, self.differentiates_masses)
        steps: list[Step] = [system_step(system, Display())]
        if named:
            show = Display()
            masses = tuple((label(str(symbol)), show(value)) for symbol, value in named.items())
            steps.append(Step("Masses that vary", r"m = m(q,\dot q,t)", "", masses))
        if system.unilateral is not None:
            steps += forces_first(shown, Display())
            shown = shown.with_touching()
        if shown is not system:
            dynamics = self.dynamics(shown)
        steps += self.steps(shown, dynamics, released)
        if system.unilateral is not None:
            steps += laws_after(shown, dynamics, Display())
        if system.model.simulation.description == "whole-course":
            steps += self._whole_course(system, shown, dynamics)
        whole = len(released) == len(system.constraints.rows if dynamics.multipliers is None else dynamics.multipliers)
        return told(tuple(steps), system.model, self.id, whole)

    def _whole_course(self, system: System, shown: System, dynamics: Dynamics) -> tuple[Step, ...]:
        """The auxiliary system, if the model asks for that description."""
        from dalembert.formalisms.whole_course_steps import whole_course_steps
        from dalembert.mechanics.whole_course import auxiliary

        return whole_course_steps(shown, dynamics, auxiliary(self.derive(system)), Display())

    def derive(self, system: System, reactions: Sequence[str] | None = None) -> Equations:
        reason = self.refusal(system)
        if reason is not None:
            raise ModelError(tr("the method {id} does not apply: {reason}", id=self.id, reason=reason))
        dynamics = self.dynamics(system)
        constraints = system.constraints
        rows = constraints.names if dynamics.multipliers is None else dynamics.multipliers
        released = selected(rows, reactions)
        return Equations(
            method=self.id,
            letters=partial(letters_of, system.model),
            coordinates=system.motion.names,
            t=system.motion.t,
            q=system.motion.q,
            v=system.motion.v,
            D=dynamics.D,
            d=dynamics.d,
            A=constraints.A,
            b=constraints.b,
            constraints=constraints.rows,
            phi=constraints.phi,
            phi_q=constraints.phi_q,
            psi=constraints.psi,
            R=dynamics.R,
            multipliers=rows,
            z=dynamics.z,
            parameters=system.parameters,
            symmetric=dynamics.symmetric,
            route=dynamics.route,
            reaction_rest=dynamics.reaction_rest,
            reaction_slope=dynamics.reaction_slope,
            quasi=dynamics.quasi,
            kinetic=system.kinetic,
            potential=system.potential,
            masses=system.varying_masses,
            outputs=system.outputs,
            measured=system.measured,
            states=system.states,
            signals=system.signals,
            sampled=system.sampled,
            events=system.events,
            poses=system.poses,
            unilateral=system.unilateral,
            description="" if system.unilateral is None else system.model.simulation.description,
            angles=angles(system.model),
            bodies=Once(partial(tree, system)),
            derivation=Once(partial(self._told, system, dynamics, released)),
            quantities=Once(partial(_named, system.model)),
            region=system.lowering.region,
            notes=(*system.notes, *dynamics.notes),
        )


def _named(model: ModelRecord) -> dict[Scalar, Scalar]:
    from dalembert.mechanics.named import named_quantities  # a motion needs no names

    return named_quantities(model)


def angles(model: ModelRecord) -> frozenset[str]:
    """Coordinates that are angles of turns, and those in radians or degrees."""
    turns = [turn for frame in model.frames.values() for turn in frame.turn]
    turns += [turn for body in model.bodies.values() for turn in (*body.rotation, *([body.spin] if body.spin else []))]
    roots = [names([turn.angle]) for turn in turns]
    roots += [names(frame.quaternion) for frame in model.frames.values()]
    stated = {name for name, coordinate in model.coordinates.items() if coordinate.unit in ("rad", "deg")}
    return frozenset(stated.union(*(root for root in roots if root <= model.coordinates.keys())))


def right_side(forces: Row, h: Row) -> Row:
    """d = Q − h."""
    return tuple(Q - f for Q, f in zip(forces, h, strict=True))


def selected(names: Sequence[str], asked: Sequence[str] | None) -> tuple[str, ...]:
    """The multipliers requested by name, by default all. NAME also stands for NAME.x, NAME.slip1, …"""
    if asked is None:
        return tuple(names)
    chosen: list[str] = []
    for name in asked:
        rows = [row for row in names if row == name or row.startswith(f"{name}.")]
        if not rows:
            near = get_close_matches(name, names, 1)
            hint = (
                tr("did you mean {near}?", near=near[0])
                if near
                else tr("known are {names}", names=", ".join(names) or tr("none"))
            )
            raise ModelError(
                tr("there is no constraint {name!r} to report the reaction of; {hint}", name=name, hint=hint)
            )
        chosen += [row for row in rows if row not in chosen]
    return tuple(chosen)
