"""Maggi's equations: Lagrange's left sides combined so that the multipliers drop out.

    Σ_r (d/dt ∂T/∂q̇_r − ∂T/∂q_r − Q_r) C_rs = 0,      q̇_r = Σ_s C_rs e_s + …
The columns of C span the speeds that the constraints leave free (G C = 0). Numerically C = [I; −A₂⁻¹A₁], with A₂ chosen
by pivoting at every state. Maggi, Rend. Lincei 5 (1896) 287; Neimark & Fufaev, Dynamics of Nonholonomic Systems, ch.
III.
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms import shared, speed_steps, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display
from dalembert.language import mark, tr
from dalembert.mechanics.basis import chosen_basis
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.system import System


class Maggi(Formalism):
    id = "maggi"
    title = mark("Maggi's equations")
    paper = "Maggi (1896)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = lagrange(system)
        return Dynamics(inertia.matrix, right_side(system.forces, inertia.vector), symmetric=not skewed)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        basis = chosen_basis(system, show)
        free = () if basis is None else (Step("Speeds left free", r"A\,C = 0", "Maggi", (("C", basis.k),)),)
        return (
            shared.kinetic_energy(system, show, "Maggi"),
            shared.forces(system, show, "Q", "Q_r", "Maggi"),
            shared.left_sides(
                system,
                show,
                shared.balance(system, dynamics),
                "E",
                r"E_r = \frac{d}{dt}\frac{\partial T}{\partial\dot q_r}-\frac{\partial T}{\partial q_r} - Q_r",
                "Maggi",
                tr("Lagrange's left sides"),
            ),
            *shared.constraint_rows(system, show, "Ab", r"A\ddot q = b", "Maggi"),
            *speed_steps.basis_steps(system, basis, show, {}),
            *free,
            *written_steps.equations_of_motion(system, dynamics, basis, show, r"\sum_r E_r C_{rs} = 0", "Maggi"),
        )
