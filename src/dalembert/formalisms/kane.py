"""Kane's equations with reactive thrust (Qiao (A)).

    K_r + K_r* + K_r^R = 0
    K_r  = Σ F·∂v/∂q̇_r + T·∂ω/∂q̇_r                          generalized active forces
    K_r* = −Σ m a·∂v/∂q̇_r + (Jα + ω×Jω)·∂ω/∂q̇_r             generalized inertia forces
    K_r^R = Σ ṁu·∂v/∂q̇_r                                     generalized thrust
for the n speeds of the released system. The constraints then combine them: K_r over independent r with ∂v/∂q̇_r + Σ_s
C_sr ∂v/∂q̇_s, where q̈_s = Σ C_sr q̈_r + E_s are the dependent ones. That elimination is numerical.
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.equations import Row, Step
from dalembert.formalisms import shared
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display, indexed, label
from dalembert.language import mark, tr
from dalembert.mechanics.basis import Basis, chosen_basis
from dalembert.mechanics.bodies import combined
from dalembert.mechanics.inertia import newton_euler
from dalembert.mechanics.system import System


class Kane(Formalism):
    id = "kane"
    title = mark("Kane's equations with reactive thrust")
    paper = "Qiao (A)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = newton_euler(system)
        return Dynamics(inertia.matrix, right_side(system.forces, inertia.vector), symmetric=not skewed)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        from dalembert.formalisms import speed_steps, written_steps  # a motion does not need them

        show = Display()
        basis = chosen_basis(system, show)
        inertial = tuple(-e - K for e, K in zip(shared.balance(system, dynamics), system.forces, strict=True))
        return (
            *partial_velocities(system, show),
            shared.forces(
                system, show, "K", r"K_r = \sum F_i\cdot\frac{\partial v_i}{\partial\dot q_r}", "Qiao (2.10)"
            ),
            inertia_step(system, show, inertial),
            *speed_steps.basis_steps(system, basis, show, speed_steps.QIAO_PLACES),
            *partial_velocities_in(system, basis, show),
            *written_steps.equations_of_motion(
                system, dynamics, basis, show, r"-(K_s + K_s^* + K_s^R) = 0", "Qiao (A)"
            ),
        )


def inertia_step(system: System, show: Display, inertial: Row) -> Step:
    """K* of every coordinate; with the thrust K^R if a body of varying mass has one."""
    own = r"-\sum m_i a_i\cdot\frac{\partial v_i}{\partial\dot q_r}"
    if any(body.turning is not None for body in system.bodies.values()):
        own += r" - \sum (J_i\alpha_i+\omega_i\times J_i\omega_i)\cdot\frac{\partial\omega_i}{\partial\dot q_r}"
    if not any(body.thrusts for body in system.bodies.values()):
        title = mark("Generalized inertia forces")
        made = shared.left_sides(system, show, inertial, "K^*", rf"K_r^* = {own}", "Qiao (2.12)", title)
        return replace(made, key="on partial velocities")
    formula = rf"K_r^* + K_r^R = {own} + \sum\dot m_i u_i\cdot\frac{{\partial v_i}}{{\partial\dot q_r}}"
    title = mark("Generalized inertia forces and thrust")
    return shared.left_sides(system, show, inertial, "(K^*+K^R)", formula, "Qiao (2.11), (2.12)", title)


NOT_MOVED = mark("No coordinate moves this body: all its partial velocities vanish.")


def partial_velocities(system: System, show: Display) -> tuple[Step, ...]:
    names = system.motion.names
    steps = []
    for body in system.bodies.values():
        results = [(indexed("v", name), show(c)) for name, c in zip(names, body.centre.columns, strict=True) if c]
        if body.turning is not None:
            turning = zip(names, body.turning.columns, strict=True)
            results += [(indexed(r"\omega", name), show(w)) for name, w in turning if w]
        formula = r"\frac{\partial v_i}{\partial\dot q_r},\quad \frac{\partial\omega_i}{\partial\dot q_r}"
        title, note = tr("Partial velocities of {name}", name=body.name), "" if results else NOT_MOVED
        steps.append(Step(title, formula, "Qiao (2.6)", tuple(results), note, key=f"velocities of {body.name}"))
    return tuple(steps)


def partial_velocities_in(system: System, basis: Basis | None, show: Display) -> tuple[Step, ...]:
    """U_is = Σ_r ∂v_i/∂q̇_r k_rs: the partial velocities by the generalized speeds, and the angular ones."""
    if basis is None or (basis.quasi is None and not system.constraints.rows):
        return ()
    results: list[tuple[str, object]] = []
    for body in system.bodies.values():
        for s, name in enumerate(basis.names):
            column = [row[s] for row in basis.k]
            results.append((_of("U", body.name, name), show(combined(body.centre.columns, tuple(column)))))
            if body.turning is not None:
                turned = combined(body.turning.columns, tuple(column))
                results.append((_of(r"\omega", body.name, name), show(turned)))
    formula = r"U_{is} = \sum_r\frac{\partial v_i}{\partial\dot q_r}\,k_{rs}"
    return (Step("Partial velocities by the independent speeds", formula, "Qiao (2.8)", tuple(results)),)


def _of(letter: str, body: str, name: str) -> str:
    return f"{letter}_{{{label(body)},{label(name)}}}"
