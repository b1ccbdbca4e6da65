"""Kane's equations with reactive thrust (Qiao (A)).

    K_r + K_r* + K_r^R = 0
    K_r  = Σ F·∂v/∂q̇_r + T·∂ω/∂q̇_r                          generalized active forces
    K_r* = −Σ m a·∂v/∂q̇_r + (Jα + ω×Jω)·∂ω/∂q̇_r             generalized inertia forces
    K_r^R = Σ ṁu·∂v/∂q̇_r                                     generalized thrust
for the n speeds of the released system; the constraints then combine them, K_r over independent r with
∂v/∂q̇_r + Σ_s C_sr ∂v/∂q̇_s, where q̈_s = Σ C_sr q̈_r + E_s are the dependent ones. That elimination is done with numbers.
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.mechanics.inertia import newton_euler
from dalembert.mechanics.system import System


class Kane(Formalism):
    id = "kane"
    title = "Kane's equations with reactive thrust"
    paper = "Qiao (A)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = newton_euler(system)
        M, h = inertia.matrix, inertia.vector
        steps = (
            Step("Partial velocities", r"\partial v_i/\partial\dot q_r", "Qiao (2.6)", partial_velocities(system)),
            Step("Generalized active forces", r"K_r = \sum F_i\cdot\partial v_i/\partial\dot q_r", "Qiao (2.10)", (("K", system.forces),)),
            Step("Generalized inertia forces with thrust", r"-K_r^*-K_r^R = \sum_s M_{rs}\ddot q_s + h_r", "Qiao (A)", (("M", M), ("h", h))),
        )
        return Dynamics(M, right_side(system.forces, h), symmetric=not skewed, steps=steps)


def partial_velocities(system: System) -> tuple[tuple[str, object], ...]:
    found: list[tuple[str, object]] = []
    for body in system.bodies.values():
        for name, column in zip(system.motion.names, body.centre.columns, strict=True):
            if column is not None:
                found.append((f"v[{body.name}, {name}]", column))
        if body.turning is not None:
            for name, column in zip(system.motion.names, body.turning.columns, strict=True):
                if column is not None:
                    found.append((f"omega[{body.name}, {name}]", column))
    return tuple(found)
