"""Steps that several derivations share, written with the given letters and numbers of the paper."""

from __future__ import annotations

import symengine as se

from dalembert.equations import QuasiVelocities, Row, Step
from dalembert.formalisms.base import Dynamics
from dalembert.formalisms.display import Display, indexed, label, size
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import dot
from dalembert.mechanics.elimination import inverse, sample_state
from dalembert.mechanics.system import System

KINETIC = r"T = \tfrac12\sum_i \left(m_i v_i^2 + \omega_i\cdot J_i\omega_i\right)"
POWER = r"\delta N = \sum_j Q_j\,\delta\dot q_j"  # of the active forces
TOO_LONG = mark(
    "In symbols this elimination would be too long to read. A motion eliminates with numbers at every state; the last "
    "step writes the equations with their multipliers."
)
LONGEST_FREE = 60  # operations of an acceleration that is written out
LONGEST_DIVIDED = 400  # operations; longer expressions are not divided by others
LEFT_OUT = mark(
    "These rows follow from the others and are left out here: {names}. Of all multipliers that fit, the smallest are "
    "reported."
)
FREE = mark(
    "A motion without constraint forces keeps the constraint only where this vanishes; "
    "that is the first of infinitely many conditions, since all its derivatives along the "
    "free motion must vanish too."
)


def balance(system: System, dynamics: Dynamics) -> Row:
    """D q̈ − d, row by row: the left side that the reactions must balance."""
    return tuple(dot(row, system.motion.a) - d for row, d in zip(dynamics.D, dynamics.d, strict=True))


def acting(system: System, show: Display, forces: Row) -> Row:
    """Generalized forces made readable: first those of contacts and frictions term by term, then the rest."""
    named = system.touching.forces
    return tuple(show.linear(e, named) for e in forces) if named else show(forces)


def kinetic_energy(system: System, show: Display, locator: str) -> Step:
    return Step("Kinetic energy", KINETIC, locator, (("T", show(system.kinetic)),))


def forces(system: System, show: Display, letter: str, formula: str, locator: str) -> Step:
    named = zip(system.motion.names, acting(system, show, system.forces), strict=True)
    return Step("Generalized forces", formula, locator, tuple((indexed(letter, name), e) for name, e in named))


def left_sides(system: System, show: Display, lefts: Row, letter: str, formula: str, locator: str, title: str) -> Step:
    """One line for every coordinate, linear in q̈."""
    shown = [show.linear(e, system.motion.a) for e in lefts]
    results = tuple((indexed(letter, name), e) for name, e in zip(system.motion.names, shown, strict=True))
    return Step(title, formula, locator, results)


def constraint_rows(system: System, show: Display, letters: str, formula: str, locator: str) -> tuple[Step, ...]:
    """A and b, or no step if there are no constraints."""
    constraints = system.constraints
    if not constraints.rows:
        return ()
    results = ((letters[0], show(constraints.A)), (letters[1], show(constraints.b)))
    return (Step("Constraints, differentiated", formula, locator, results),)


def constraint_forces(system: System, show: Display, formula: str, locator: str) -> tuple[Step, ...]:
    """Σ_α μ_α ∂f_α/∂q̇_j for every coordinate."""
    rows = system.constraints.rows
    if not rows:
        return ()
    mu = [se.Symbol(f"mu[{row.name}]") for row in rows]
    forces = tuple(dot(column, mu) for column in zip(*system.constraints.A, strict=True))
    named = zip(system.motion.names, show(forces), strict=True)
    return (Step("Constraint forces", formula, locator, tuple((indexed("Q^c", name), e) for name, e in named)),)


def free_motion(system: System, dynamics: Dynamics, show: Display) -> tuple[Step, ...]:
    """Φ₁ = f_q q̇ + f_q̇ a_f + f_t with a_f = M⁻¹(Q − h), which must vanish for a motion without constraint forces."""
    constraints = system.constraints
    bent = [i for i, row in enumerate(constraints.rows) if row.kind != "holonomic"]
    if not bent:
        return ()
    a = system.motion.a
    inverted = inverse(dynamics.D, sample_state(system), show)
    free = () if inverted is None else show(tuple(dot(row, dynamics.d) for row in inverted))
    if max(map(size, free), default=0) > LONGEST_FREE:  # then q̈ is left to M q̈ = Q − h
        free = ()
    named = [(label(str(s)), e) for s, e in zip(a, free, strict=False)]
    first = [
        (f"\\Phi_{{1,{label(constraints.rows[i].name)}}}", show(dot(constraints.A[i], free or a) - constraints.b[i]))
        for i in bent
    ]
    formula = r"Q^c_j = 0:\quad M\ddot q = Q - h,\quad \Phi_1 = f_q\dot q + f_{\dot q}\ddot q + f_t = 0"
    return (Step("Free motion", formula, "WangGao (13)", (*named, *first), FREE, key="free"),)


def held_names(quasi: QuasiVelocities) -> str:
    if not quasi.held:
        return ""
    return tr("Held at zero, being the constraints: {names}.", names=", ".join(quasi.names[-quasi.held :]))
