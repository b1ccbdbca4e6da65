"""Steps that several derivations have in common, written with the paper's letters and numbers that are passed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import symengine as se

from dalembert.equations import QuasiVelocities, Row, Step
from dalembert.formalisms.base import Dynamics
from dalembert.formalisms.display import Display, indexed, label
from dalembert.mechanics.algebra import ZERO, Scalar, dot
from dalembert.mechanics.elimination import Reduction
from dalembert.mechanics.quasi import Inverted, left_sides_in_quasi_velocities, symbols
from dalembert.mechanics.system import System

TOO_LONG = "The elimination in symbols is too long to be read; it is done with numbers at every state."
LEFT_OUT = "Rows that follow from the others, left out here: {}; the smallest multipliers that fit are reported."


def balance(system: System, dynamics: Dynamics) -> Row:
    """D q̈ − d, row by row: what the reactions must make up for."""
    return tuple(dot(row, system.motion.a) - d for row, d in zip(dynamics.D, dynamics.d, strict=True))


def kinetic_energy(system: System, show: Display, locator: str) -> Step:
    return Step("Kinetic energy", "T", locator, (("T", show(system.kinetic)),))


def forces(system: System, show: Display, letter: str, formula: str, locator: str) -> Step:
    named = zip(system.motion.names, show(system.forces), strict=True)
    return Step("Generalized forces", formula, locator, tuple((indexed(letter, name), e) for name, e in named))


def left_sides(system: System, show: Display, lefts: Row, letter: str, formula: str, locator: str, title: str) -> Step:
    """One line for every coordinate, linear in q̈."""
    shown = [show.linear(e, system.motion.a) for e in lefts]
    results = tuple((indexed(letter, name), e) for name, e in zip(system.motion.names, shown, strict=True))
    return Step(title, formula, locator, results)


def constraint_rows(system: System, show: Display, letters: str, formula: str, locator: str) -> tuple[Step, ...]:
    """A and b; nothing where there are no constraints."""
    constraints = system.constraints
    if not constraints.rows:
        return ()
    results = ((letters[0], show(constraints.A)), (letters[1], show(constraints.b)))
    return (Step("Constraints", formula, locator, results),)


def constraint_forces(system: System, show: Display, formula: str, locator: str) -> tuple[Step, ...]:
    """Σ_α μ_α ∂f_α/∂q̇_j for every coordinate."""
    rows = system.constraints.rows
    if not rows:
        return ()
    mu = [se.Symbol(f"mu[{row.name}]") for row in rows]
    forces = tuple(dot(column, mu) for column in zip(*system.constraints.A, strict=True))
    named = zip(system.motion.names, show(forces), strict=True)
    return (Step("Constraint forces", formula, locator, tuple((indexed("Q^c", name), e) for name, e in named)),)


def dependent_speeds(system: System, reduced: Reduction | None, locators: Sequence[str]) -> tuple[Step, ...]:
    """q̇₂ = C q̇₁ + D and q̈₂ = C q̈₁ + E."""
    if not system.constraints.rows:
        return ()
    if reduced is None:
        return (Step("Dependent speeds", r"\dot q_2 = C\dot q_1 + D", locators[0], note=TOO_LONG),)
    names = [system.constraints.rows[i].name for i in reduced.choice.redundant]
    note = LEFT_OUT.format(", ".join(names)) if names else ""
    steps = []
    if reduced.speeds:
        results = tuple((label(str(v)), e) for v, e in reduced.speeds.items())
        steps.append(Step("Dependent speeds", r"\dot q_2 = C\dot q_1 + D", locators[0], results, note))
    results = tuple((label(str(a)), e) for a, e in reduced.accelerations.items())
    steps.append(Step("Dependent accelerations", r"\ddot q_2 = C\ddot q_1 + E", locators[-1], results, note))
    return tuple(steps)


def equations_of_motion(
    system: System, dynamics: Dynamics, reduced: Reduction | None, show: Display, formula: str, locator: str
) -> Step:
    """The balance combined so that no reaction is left, one line for every independent acceleration."""
    if reduced is None:
        return Step("Equations of motion", formula, locator, note=TOO_LONG)
    left = reduced.combined(balance(system, dynamics))
    return Step("Equations of motion", formula, locator, tuple(("0", show.linear(e, system.motion.a)) for e in left))


def quasi_steps(
    quasi: QuasiVelocities, turned: Inverted | None, show: Display, system: System, locators: Sequence[str]
) -> tuple[Step, ...]:
    """π(q, q̇, t), and turned round q̇(q, π, t) or, where a π is nonlinear, ∂q̇/∂π alone."""
    pi, _ = symbols(quasi)
    chosen = tuple((label(str(p)), show(value)) for p, value in zip(pi, quasi.values, strict=True))
    first = Step("Quasi-velocities", r"\pi_s = \pi_s(q,\dot q,t)", locators[0], chosen, _held(quasi))
    if turned is None:
        return (first, Step("Speeds", r"\dot q = \dot q(q,\pi,t)", locators[1], note=TOO_LONG))
    speeds = tuple((label(str(v)), e) for v, e in turned.speeds.items())
    if speeds:
        return (first, Step("Speeds", r"\dot q = \dot q(q,\pi,t)", locators[1], speeds))
    partial = ((r"\partial\dot q/\partial\pi", turned.k),)
    return (first, Step("Partial speeds", r"\partial\dot q_r/\partial\pi_s", locators[1], partial))


def _held(quasi: QuasiVelocities) -> str:
    if not quasi.held:
        return ""
    return f"Held at zero, being the constraints: {', '.join(quasi.names[-quasi.held :])}."


def partial_speeds(reduced: Reduction | None, locator: str) -> tuple[Step, ...]:
    if reduced is None or not reduced.choice.rows:
        return ()
    return (
        Step(
            "Partial speeds",
            r"k_{rs} = \partial\dot q_r/\partial W_s,\quad W_s = \dot q_s",
            locator,
            (("k", reduced.k),),
        ),
    )


def qiao_locator(system: System) -> str:
    """(2.21) and (2.22) where the constraints are linear, (2.23) where moreover T holds no coordinates."""
    kinds = {row.kind for row in system.constraints.rows}
    if "nonlinear" in kinds or not kinds:
        return "Qiao (2.15)"
    plain = not set(system.motion.q) & system.kinetic.free_symbols
    return "Qiao (2.15), (2.21)–(2.23)" if plain else "Qiao (2.15), (2.21), (2.22)"


def quasi_equations(
    system: System,
    dynamics: Dynamics,
    turned: Inverted | None,
    show: Display,
    energy: tuple[Scalar, dict[Scalar, Scalar]],
    beside: Row,
    formula: str,
    letters: tuple[str, str, str],
    rates_of_mass: Mapping[Scalar, Scalar] | None = None,
) -> tuple[Step, ...]:
    """T*, the forces, what stands beside them (thrust, corrections), and the equations in π̇ where every π is linear.

    `letters` are the place of K, the letter of what stands beside it, and the place of the equations;
    `rates_of_mass` the ṁ of masses that are symbols, where T is differentiated with its masses.
    """
    quasi = dynamics.quasi
    assert quasi is not None
    if turned is None:
        return (Step("Equations of motion", formula, letters[2], note=TOO_LONG),)
    free = len(quasi.names) - quasi.held
    columns = list(zip(*turned.k, strict=True))
    rates = turned.rates if turned.speeds else system.motion.a
    others = turned.pi if turned.speeds else ()
    still = dict.fromkeys((*turned.pi[free:], *turned.rates[free:]), ZERO) if turned.speeds else {}
    forces = tuple(turned.put_in(dot(system.forces, c)) for c in columns)
    pushes = tuple(turned.put_in(dot(beside, c)) for c in columns)
    steps = [
        Step("Generalized forces", "K_s", letters[0], _indexed("K", quasi, show(forces))),
        Step(
            "Thrust and corrections", f"{letters[1]}_s", letters[2],
            _indexed(letters[1], quasi, [show.linear(e, rates, others) for e in pushes]),
        ),
    ]  # fmt: skip
    T, back = energy
    note = NONLINEAR
    lefts = [dot(balance(system, dynamics), c) for c in columns]
    if turned.speeds:
        note = ""
        T = show.quadratic(turned.put_in(show(T)), turned.pi)
        steps.insert(0, Step("Kinetic energy in quasi-velocities", "T^*", letters[2], (("T^*", T.subs(back)),)))
        whole = [e.subs(back) for e in left_sides_in_quasi_velocities(system.motion, turned, T, rates_of_mass or {})]
        lefts = [e - K - P for e, K, P in zip(whole, forces, pushes, strict=True)]
    results = []
    for i, (name, left) in enumerate(zip(quasi.names, lefts, strict=True)):
        results.append(("0" if i < free else indexed("R", name), show.linear(left.subs(still), rates, others)))
    return (*steps, Step("Equations of motion", formula, letters[2], tuple(results), note))


NONLINEAR = "A quasi-velocity is nonlinear, so T* is not written out; the equations are formed at the actual speeds."


def _indexed(letter: str, quasi: QuasiVelocities, values: Sequence[Scalar]) -> tuple[tuple[str, Scalar], ...]:
    return tuple((indexed(letter, name), e) for name, e in zip(quasi.names, values, strict=True))
