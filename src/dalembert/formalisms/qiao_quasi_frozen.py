"""Qiao's Lagrange equations of variable mass in quasi-velocities, frozen derivatives.

    D/Dt ∂T*/∂ω_s − ∂T*/∂π_s = K_s + K_s^R + Σ_r ∂T/∂q̇_r (d/dt ∂q̇_r/∂ω_s − ∂q̇_r/∂π_s)                      (3.11)
D/Dt and the partial derivatives hold every mass constant; K^R = Σ ṁu·∂v/∂q̇ k (3.6). The last ω are the
constraints (3.2).
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms import qiao_steps, shared
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display
from dalembert.language import mark
from dalembert.mechanics import variable_mass
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.quasi import quasi_velocities
from dalembert.mechanics.system import System


class QiaoQuasiFrozen(Formalism):
    id = "qiao-quasi-frozen"
    title = mark("Equations of variable mass in quasi-velocities, frozen derivatives")
    paper = "Qiao (3.11)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = lagrange(system)
        quasi, notes = quasi_velocities(system)
        d = right_side(system.forces, inertia.vector)
        return Dynamics(inertia.matrix, d, symmetric=not skewed, route="quasi", quasi=quasi, notes=notes)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        form = qiao_steps.QuasiForm(
            r"\frac{D}{Dt}\frac{\partial T^*}{\partial\omega_s}-\frac{\partial T^*}{\partial\pi_s}"
            r"-\sum_r\frac{\partial T}{\partial\dot q_r}\left(\frac{d}{dt}\frac{\partial\dot q_r}{\partial\omega_s}"
            r"-\frac{\partial\dot q_r}{\partial\pi_s}\right) = K_s + K^R_s",
            "Qiao (3.11)",
            *variable_mass.frozen_energy(system),
            mark("Generalized thrust"),
            "Qiao (3.6)",
            "K^R",
            variable_mass.written(variable_mass.thrust(system), system.motion),
        )
        return (
            shared.kinetic_energy(system, show, "Qiao, after (2.12)"),
            *qiao_steps.quasi_equations(system, dynamics, show, form),
        )
