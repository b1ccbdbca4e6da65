"""Maggi's equations: Lagrange's left sides combined so that the multipliers drop out.

    Σ_r (d/dt ∂T/∂q̇_r − ∂T/∂q_r − Q_r) C_rs = 0,      q̇_r = Σ_s C_rs e_s + …
The columns of C span the speeds that the constraints leave free (G C = 0); with numbers C = [I; −A₂⁻¹A₁], A₂ chosen by
pivoting at every state. Maggi, Rend. Lincei 5 (1896) 287; Neimark & Fufaev, Dynamics of Nonholonomic Systems, ch. III.
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.system import System


class Maggi(Formalism):
    id = "maggi"
    title = "Maggi's equations"
    paper = "Maggi (1896)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = lagrange(system)
        M, h = inertia.matrix, inertia.vector
        steps = (
            Step("Kinetic energy", r"T", "Maggi", (("T", system.kinetic),)),
            Step(
                "Lagrange's left sides",
                r"E_r = \frac{d}{dt}\frac{\partial T}{\partial\dot q_r}-\frac{\partial T}{\partial q_r} - Q_r",
                "Maggi",
                (("M", M), ("h", h), ("Q", system.forces)),
            ),
            Step("Speeds left free", r"A\,C = 0", "Maggi", (("A", system.constraints.A), ("b", system.constraints.b))),
            Step("Equations of motion", r"\sum_r E_r C_{rs} = 0,\quad A\ddot q = b", "Maggi"),
        )
        return Dynamics(M, right_side(system.forces, h), symmetric=not skewed, steps=steps)
