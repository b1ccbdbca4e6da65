"""The equation of Udwadia and Kalaba, in the form that a singular mass matrix allows.

    q̈ = a_f + M^{-1/2} (A M^{-1/2})⁺ (b − A a_f),   a_f = M⁻¹(Q − h)           M positive definite
    q̈ = [(I − A⁺A) M; A]⁺ [Q − h; b]                                          in general
Udwadia & Kalaba, Proc. R. Soc. A 439 (1992) 407; Udwadia & Phohomsiri, Proc. R. Soc. A 462 (2006) 2097. The second form
is used throughout. It allows any A and b: linear, nonlinear, redundant. Pseudo-inverses are computed numerically.
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms import shared, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display
from dalembert.language import mark, tr
from dalembert.mechanics.inertia import newton_euler
from dalembert.mechanics.system import System


class UdwadiaKalaba(Formalism):
    id = "udwadia-kalaba"
    title = mark("The equation of Udwadia and Kalaba")
    paper = "Udwadia & Kalaba (1992); Udwadia & Phohomsiri (2006)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = newton_euler(system)
        d = right_side(system.forces, inertia.vector)
        return Dynamics(inertia.matrix, d, symmetric=not skewed, route="pseudo-inverse")

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        unconstrained = (("M", show(dynamics.D)), ("Q - h", show(dynamics.d)))
        return (
            Step("Unconstrained system", r"M\ddot q = Q - h", "Udwadia & Kalaba (2)", unconstrained),
            *shared.constraint_rows(system, show, "Ab", r"A\ddot q = b", "Udwadia & Kalaba (4)"),
            Step(
                "Equation of motion",
                r"\ddot q = [(I-A^+A)M;\ A]^{+}\,[Q-h;\ b]",
                "Udwadia & Phohomsiri (3.19)",
                note=tr(
                    "The pseudo-inverses are taken of numbers, at every state. The same accelerations "
                    "solve the rows below, whose multipliers need not be known."
                ),
            ),
            written_steps.with_multipliers(system, dynamics, show),
        )
