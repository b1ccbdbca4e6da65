"""Qiao's Lagrange equations of variable mass, frozen derivatives.

    Σ_r (D/Dt ∂T/∂q̇_r − ∂T/∂q_r) k_rs = K_s + K_s^R                                                      (2.27)
D/Dt, ∂/∂q̇ and ∂/∂q hold every mass constant (2.24)–(2.26); K^R = Σ ṁu·∂v/∂q̇ (2.11) with all of ṁ, the part with q̈
on the left. k = ∂q̇/∂W at the actual q̇. The print has lost K_s^R's index. With linear constraints and W_s = q̇_s this is
the frozen form of (2.22), from which section 3 obtains (4.4) and (4.5).
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms import qiao_steps, shared, speed_steps, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display
from dalembert.language import mark, tr
from dalembert.mechanics import variable_mass
from dalembert.mechanics.basis import chosen_basis
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.system import System


class QiaoLagrangeFrozen(Formalism):
    id = "qiao-lagrange-frozen"
    title = mark("Lagrange's equations of variable mass, frozen derivatives")
    paper = "Qiao (2.27)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = lagrange(system)
        return Dynamics(inertia.matrix, right_side(system.forces, inertia.vector), symmetric=not skewed)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        basis = chosen_basis(system, show)
        push = variable_mass.written(variable_mass.thrust(system), system.motion)
        balance = shared.balance(system, dynamics)
        lefts = tuple(e + K + P for e, K, P in zip(balance, system.forces, push, strict=True))
        return (
            shared.kinetic_energy(system, show, "Qiao, after (2.12)"),
            shared.forces(
                system, show, "K", r"K_r = \sum F_i\cdot\frac{\partial v_i}{\partial\dot q_r}", "Qiao (2.10)"
            ),
            shared.left_sides(
                system,
                show,
                push,
                "K^R",
                r"K^R_r = \sum_i \dot m_i u_i\cdot\frac{\partial v_i}{\partial\dot q_r}",
                "Qiao (2.11)",
                tr("Generalized thrust"),
            ),
            shared.left_sides(
                system,
                show,
                lefts,
                "L",
                r"\frac{D}{Dt}\frac{\partial T}{\partial\dot q_r}-\frac{\partial T}{\partial q_r}",
                "Qiao (2.25)",
                tr("Lagrange's left sides, masses held constant"),
            ),
            *speed_steps.basis_steps(system, basis, show, qiao_steps.QIAO_PLACES),
            *speed_steps.partial_speeds(basis, "Qiao (2.5), (2.20)"),
            *written_steps.equations_of_motion(
                system,
                dynamics,
                basis,
                show,
                r"\sum_r (L_r - K_r - K^R_r)\,k_{rs} = 0",
                "Qiao (2.27)",
            ),
        )
