"""What a method of derivation is, and how to add one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from dalembert.equations import Equations, Matrix, QuasiVelocities, Row, Step
from dalembert.errors import ModelError
from dalembert.mechanics.system import System


@dataclass(frozen=True, slots=True)
class Dynamics:
    """What a method contributes: D a = d + R ν. The rest of the record is the system's own."""

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
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()


class Formalism(ABC):
    """A method of derivation: from a system to its dynamic equations. To add one:

    1. Write a file of this folder named after the method, with one final subclass, its equations in the docstring in
       the paper's letters with the paper's numbers.
    2. Set `id`, `title` and `paper`; implement `dynamics`: form D, d (and R where the reactions are not Aᵀν).
    3. Record each thing that is formed as a `Step`, in the order of the paper, from the expressions themselves.
    4. Return from `refusal` the reason why a system is out of the method's reach, None where it is not.
    5. Name the class in `METHODS` of this package's `__init__`: one line.
    6. Add `tests/formalisms/test_<method>.py` and an entry in `docs/bibliography.md`.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]

    def refusal(self, system: System) -> str | None:
        """Why this method cannot take the system, as a sentence; None where it can."""
        return None

    @abstractmethod
    def dynamics(self, system: System) -> Dynamics:
        """The method's dynamic equations of the system."""

    def derive(self, system: System) -> Equations:
        reason = self.refusal(system)
        if reason is not None:
            raise ModelError(f"the method {self.id} does not apply: {reason}")
        dynamics = self.dynamics(system)
        constraints = system.constraints
        return Equations(
            method=self.id,
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
            multipliers=constraints.names if dynamics.multipliers is None else dynamics.multipliers,
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
            events=system.events,
            poses=system.poses,
            steps=dynamics.steps,
            notes=(*system.notes, *dynamics.notes),
        )


def right_side(forces: Row, h: Row) -> Row:
    """d = Q − h."""
    return tuple(Q - f for Q, f in zip(forces, h, strict=True))
