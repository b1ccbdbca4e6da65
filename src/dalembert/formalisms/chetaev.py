"""Multipliers with Chetaev's rule (WangGao (8), (10), (11)).

    d/dt ∂T/∂q̇_j − ∂T/∂q_j = Q_j + Σ_α μ_α ∂f_α/∂q̇_j         (11); ∂g_β/∂q_j for a holonomic g_β           (8)
    Σ_j ∂f_α/∂q̇_j δq_j = 0                                     (10)
With M = T_q̇q̇, h = T_q̇q q̇ + T_q̇t − T_q, G = ∂f/∂q̇ and b = −(f_q q̇ + f_t):

    [M −Gᵀ; G 0] [q̈; μ] = [Q − h; b]
Varying masses are held constant while T is differentiated; their thrust is added (Qiao (2.27)).
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms import shared, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display
from dalembert.language import mark, tr
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.system import System


class Chetaev(Formalism):
    id = "chetaev"
    title = mark("Lagrange's equations with multipliers, Chetaev's rule")
    paper = "WangGao (8), (11)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = lagrange(system)
        d = right_side(system.forces, inertia.vector)
        return Dynamics(inertia.matrix, d, symmetric=not skewed, route="saddle-point")

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        return (
            shared.kinetic_energy(system, show, "WangGao (1)"),
            shared.forces(system, show, "Q", shared.POWER, "WangGao (1)"),
            *shared.constraint_rows(system, show, "Gb", r"G\ddot q = b = -(f_q\dot q + f_t)", "WangGao (4), (9)"),
            *shared.constraint_forces(
                system, show, r"Q^c_j = \sum_\alpha\mu_\alpha\frac{\partial f_\alpha}{\partial\dot q_j}", "WangGao (10)"
            ),
            shared.left_sides(
                system,
                show,
                shared.balance(system, dynamics),
                "Q^c",
                r"\frac{d}{dt}\frac{\partial T}{\partial\dot q_j}-\frac{\partial T}{\partial q_j} - Q_j = Q^c_j",
                "WangGao (8), (11)",
                tr("Equations of motion"),
            ),
            written_steps.with_multipliers(system, dynamics, show, "mu"),
            *shared.free_motion(system, dynamics, show),
        )
