"""Qiao's Lagrange equations of variable mass in quasi-velocities, ordinary derivatives.

    d/dt ∂T*/∂ω_s − ∂T*/∂π_s = K_s + φ_s + Σ_r ∂T/∂q̇_r (d/dt ∂q̇_r/∂ω_s − ∂q̇_r/∂π_s)                        (3.10)
∂/∂π_s := Σ_r k_rs ∂/∂q_r, k = ∂q̇/∂ω at the actual q̇; φ_s as in (2.15), the m_i(q, q̇, t) differentiated with T.
The last ω are the constraints (3.2). (3.10) and (2.15) are equivalent, although the paper calls (3.10) more general.
Numerically:

    kᵀMk ω̇ = kᵀ(K + φ₀ − h + M k δ),   M and h those of (2.15) with the q̈ of φ on the left
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms import qiao_steps, shared
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display
from dalembert.language import mark
from dalembert.mechanics import variable_mass
from dalembert.mechanics.quasi import quasi_velocities
from dalembert.mechanics.system import System


class QiaoQuasi(Formalism):
    id = "qiao-quasi"
    title = mark("Equations of variable mass in quasi-velocities, ordinary derivatives")
    paper = "Qiao (3.10)"
    differentiates_masses = True

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = variable_mass.ordinary(system)
        quasi, notes = quasi_velocities(system)
        d = right_side(system.forces, inertia.vector)
        return Dynamics(inertia.matrix, d, symmetric=not skewed, route="quasi", quasi=quasi, notes=notes)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        form = qiao_steps.QuasiForm(
            r"\frac{d}{dt}\frac{\partial T^*}{\partial\omega_s}-\frac{\partial T^*}{\partial\pi_s}"
            r"-\sum_r\frac{\partial T}{\partial\dot q_r}\left(\frac{d}{dt}\frac{\partial\dot q_r}{\partial\omega_s}"
            r"-\frac{\partial\dot q_r}{\partial\pi_s}\right) = K_s + \phi_s",
            "Qiao (3.8)–(3.10)",
            system.kinetic,
            {},
            mark("Thrust and corrections"),
            "Qiao, under (3.10)",
            r"\phi",
            variable_mass.written(variable_mass.corrections(system), system.motion),
            variable_mass.mass_rates(system),
        )
        return (
            shared.kinetic_energy(system, show, "Qiao, after (2.12)"),
            *qiao_steps.quasi_equations(system, dynamics, show, form),
        )
