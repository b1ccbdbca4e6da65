"""Qiao's Lagrange equations of variable mass, ordinary derivatives.

    Σ_r (d/dt ∂T/∂q̇_r − ∂T/∂q_r) k_rs = K_s + φ_s                                                         (2.15)
    φ_s = Σ_r {Σ_i (R_i + ṁ_i v_i)·∂v_i/∂q̇_r + d/dt(∂m_i/∂q̇_r ½v_i²) − ∂m_i/∂q_r ½v_i²} k_rs,   R = ṁu
m_i(q, q̇, t) is differentiated with T; ṁ = ∂m/∂t + (∂m/∂q)q̇ + (∂m/∂q̇)q̈, and every term with q̈ is moved to the left.
k = ∂q̇/∂W at the actual q̇: read literally, with the linear part of f at q̇ = 0, (2.4)–(2.5) would violate Chetaev's
rule. With linear constraints this is (2.21); with W_s = q̇_s it is (2.22), k = [I; C].
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms import qiao_steps, shared, speed_steps, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display
from dalembert.language import mark, tr
from dalembert.mechanics import variable_mass
from dalembert.mechanics.basis import chosen_basis
from dalembert.mechanics.system import System

LEFT = r"\frac{d}{dt}\frac{\partial T}{\partial\dot q_r}-\frac{\partial T}{\partial q_r}"
PHI = (
    r"\phi_r = \sum_i (R_i+\dot m_i v_i)\cdot\frac{\partial v_i}{\partial\dot q_r}"
    r"+\frac{d}{dt}\left(\frac{\partial m_i}{\partial\dot q_r}\tfrac12 v_i^2\right)"
    r"-\frac{\partial m_i}{\partial q_r}\tfrac12 v_i^2"
)


class QiaoLagrange(Formalism):
    id = "qiao-lagrange"
    title = mark("Lagrange's equations of variable mass, ordinary derivatives")
    paper = "Qiao (2.15)"
    differentiates_masses = True

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = variable_mass.ordinary(system)
        return Dynamics(inertia.matrix, right_side(system.forces, inertia.vector), symmetric=not skewed)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        basis = chosen_basis(system, show)
        energy, _ = variable_mass.ordinary_energy(system)
        lefts = variable_mass.written(energy, system.motion)
        phi = variable_mass.written(variable_mass.corrections(system), system.motion)
        return (
            shared.kinetic_energy(system, show, "Qiao, after (2.12)"),
            shared.forces(
                system, show, "K", r"K_r = \sum F_i\cdot\frac{\partial v_i}{\partial\dot q_r}", "Qiao (2.10)"
            ),
            shared.left_sides(
                system, show, lefts, "L", LEFT, "Qiao (2.13)", tr("Lagrange's left sides, masses differentiated")
            ),
            shared.left_sides(system, show, phi, r"\phi", PHI, "Qiao (2.15)", tr("Thrust and corrections")),
            *speed_steps.basis_steps(system, basis, show, qiao_steps.QIAO_PLACES),
            *speed_steps.partial_speeds(basis, "Qiao (2.5), (2.20)"),
            *written_steps.equations_of_motion(
                system,
                dynamics,
                basis,
                show,
                r"\sum_r (L_r - K_r - \phi_r)\,k_{rs} = 0",
                qiao_steps.qiao_locator(system),
            ),
            *qiao_steps.in_chosen_quantities(system, phi, show),
        )
