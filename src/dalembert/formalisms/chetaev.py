"""Multipliers with Chetaev's rule (WangGao (8), (10), (11)).

    d/dt ∂T/∂q̇_j − ∂T/∂q_j = Q_j + Σ_α μ_α ∂f_α/∂q̇_j         (11); ∂g_β/∂q_j for a holonomic g_β           (8)
    Σ_j ∂f_α/∂q̇_j δq_j = 0                                     (10)
With M = T_q̇q̇, h = T_q̇q q̇ + T_q̇t − T_q, G = ∂f/∂q̇ and b = −(f_q q̇ + f_t):

    [M −Gᵀ; G 0] [q̈; μ] = [Q − h; b]
Varying masses are held constant while T is differentiated; their thrust is added (Qiao (2.27)).
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.system import System


class Chetaev(Formalism):
    id = "chetaev"
    title = "Lagrange's equations with multipliers, Chetaev's rule"
    paper = "WangGao (8), (11)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = lagrange(system)
        M, h = inertia.matrix, inertia.vector
        d = right_side(system.forces, h)
        return Dynamics(M, d, symmetric=not skewed, route="saddle-point", steps=self.steps(system, M, h))

    def steps(self, system: System, M: object, h: object) -> tuple[Step, ...]:
        constraints = system.constraints
        return (
            Step("Kinetic energy", r"T", "WangGao (1)", (("T", system.kinetic),)),
            Step("Generalized forces", r"Q_j", "WangGao (1)", (("Q", system.forces),)),
            Step(
                "Lagrange's left side",
                r"\frac{d}{dt}\frac{\partial T}{\partial\dot q_j}-\frac{\partial T}{\partial q_j} = \sum_k M_{jk}\ddot q_k + h_j",
                "WangGao (1)",
                (("M", M), ("h", h)),
            ),
            Step(
                "Virtual displacements",
                r"\sum_j \frac{\partial f_\alpha}{\partial\dot q_j}\,\delta q_j = 0",
                "WangGao (10)",
                (("G", constraints.A),),
            ),
            Step(
                "Constraints differentiated",
                r"G\ddot q = b = -(f_q\dot q + f_t)",
                "WangGao (9)",
                (("b", constraints.b),),
            ),
            Step(
                "Equations of motion",
                r"M\ddot q + h = Q + G^{\mathsf T}\mu,\quad G\ddot q = b",
                "WangGao (8), (11)",
                tuple((f"\\mu_{{{row.name}}}", row.residual) for row in constraints.rows),
            ),
        )
