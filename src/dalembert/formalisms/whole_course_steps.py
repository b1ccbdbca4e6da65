r"""The whole-course description, written out: an auxiliary system that no impact interrupts (ZhangMei section 3).

    q₁ = |q₁*|,  π_i = π_i* s^{V_i},  s = sgn q₁*                                                        (3.1)
    V_i = 1 for the gap's rate and the reversed rates, else 0
    T** = T*(q, π) with (3.1) substituted,   P** = P* s^V,   Boltzmann–Hamel in (q*, π*)                  (3.2), (3.3)
The quasi-velocities are ψ_A (reversed), ψ_B (kept: bilateral and held rows) and momenta ZᵀM q̇ with Z = ker [A; B],
which no impulse changes. By the printed law, slips count among ψ_B. If the model's own quasi-velocities are of these
kinds, they are used under their names. For a restitution e < 1 the rate of the gap is rescaled too (Ivanov):
    q̇₁ = s κ π₁*,  q̇₁* = κ π₁*,  κ = 1 − k s sgn π₁*,  k = (1 − e)/(1 + e),   so that π₁* is continuous again
If an impact with e < 1 reverses further rates, they need a factor that is κ in the impact and continuous in flight,
where κ changes with the sign of q̇₁ (engine/whole_course.hpp):
    π_i = s κ₁ π_i*,  κ₁ = 1 − k q̇₁/√(q̇₁² + 2 g* q₁),  g* > 0,   so π̇_i = s (κ₁ π̇_i* + κ̇₁ π_i*)
The paper has elastic impacts, e = 1, and neither factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import symengine as se

from dalembert.equations import QuasiVelocities, Row, Step
from dalembert.formalisms.base import Dynamics
from dalembert.formalisms.display import Display, indexed, label
from dalembert.formalisms.held_steps import S, flight, gap_rates, held_equations, integrated, signed
from dalembert.formalisms.places import letters_of
from dalembert.language import mark, tr
from dalembert.mechanics import variable_mass
from dalembert.mechanics.algebra import ONE, ZERO, Scalar, Symbols, dot, total
from dalembert.mechanics.elimination import Matrix, independent_rows, inverse, numbers, sample_state
from dalembert.mechanics.quasi import Inverted, inverted, symbols
from dalembert.mechanics.system import System
from dalembert.mechanics.whole_course import Auxiliary

TOO_LONG = mark(
    "Written out, the auxiliary system would be too long to read; it is formed with numbers at every state."
)


@dataclass(frozen=True, slots=True)
class CourseSteps:
    quasi: QuasiVelocities
    reversed: tuple[bool, ...]  # V_i
    held: tuple[bool, ...]


def whole_course_steps(system: System, dynamics: Dynamics, auxiliary: Auxiliary, show: Display) -> tuple[Step, ...]:
    """From the choice of quasi-velocities to the equations in q* and π*."""
    course = course_of(system, dynamics, auxiliary)
    quasi = course.quasi
    contact = system.touching.contacts[0]
    turned = inverted(system, quasi, show)
    pi, _ = symbols(quasi)
    chosen = tuple((label(str(p)), show(value)) for p, value in zip(pi, quasi.values, strict=True))
    V = tuple(
        (indexed("V", name), ONE if flag else ZERO) for name, flag in zip(quasi.names, course.reversed, strict=True)
    )
    first = Step(
        "Quasi-velocities of the whole course",
        r"\pi = (\psi_A,\ \psi_B,\ Z^{\mathsf T}M\dot q)",
        "ZhangMei (2.2), (2.10)",
        (*chosen, *V),
        key="course choice",
    )
    if turned is None or not turned.speeds:
        return (first, Step("Whole course", r"q_1 = |q_1^*|", "ZhangMei (3.1)", note=TOO_LONG))
    return (first, *_written(system, course, turned, auxiliary, contact.gap, show))


def course_of(system: System, dynamics: Dynamics, auxiliary: Auxiliary) -> CourseSteps:
    """Reversed rows, kept rows and momenta, under the model's names if it has them."""
    motion = system.motion
    bilateral = len(system.constraints.rows)
    unilateral = system.unilateral
    assert unilateral is not None
    psi, A = (*system.constraints.psi, *unilateral.psi), (*system.constraints.A, *unilateral.A)
    rows = (*auxiliary.reversed_rows, *auxiliary.kept_rows)
    state = sample_state(system)
    kept = [rows[i] for i in independent_rows(numbers(tuple(A[i] for i in rows), state))]
    held = {*range(bilateral), *(bilateral + i for friction in unilateral.frictions for i in friction.held)}
    names = {i: row.name for i, row in enumerate(system.constraints.rows)}
    found = [(names.get(i, ""), psi[i], A[i], i in auxiliary.reversed_rows, i in held) for i in kept]
    own = {name: (value, motion.gradient(value, motion.v)) for name, value in system.quasi_velocities.items()}
    own = {name: (e, row) for name, (e, row) in own.items() if not any(map(motion.has_speeds, row))}  # linear ones
    found = [(_own_name(e, own) or n, e, row, flag, stays) for n, e, row, flag, stays in found]
    momenta = _momenta(tuple(A[i] for i in kept), dynamics.D, own, {n for n, *_ in found}, state)
    for name, row in momenta:
        value = own[name][0] if name in own else dot(row, motion.v)
        found.append((name, value, row, False, False))
    order = _order(found, list(own))
    named = _with_names(order, {*own, *letters_of(system.model).values()})
    return CourseSteps(
        QuasiVelocities(
            names=tuple(n for n, *_ in named),
            values=tuple(e for _, e, *_ in named),
            jacobian=tuple(row for _, _, row, *_ in named),
            drift=tuple(motion.derivative(e) for _, e, *_ in named),
        ),
        tuple(bool(flag) for *_, flag, _ in named),
        tuple(bool(stays) for *_, stays in named),
    )


def _with_names(found: list, taken: set[str]) -> list:
    """Quantities without a name are numbered by their places, or higher if the model or its paper has that name."""
    named = []
    for i, (name, *rest) in enumerate(found, 1):
        number = i
        while not name and f"pi{number}" in taken:
            number += 1
        name = name or f"pi{number}"
        taken = taken | {name}
        named.append((name, *rest))
    return named


def _own_name(value: Scalar, own: dict[str, tuple[Scalar, Row]]) -> str:
    return next((name for name, (e, _) in own.items() if se.expand(e - value) == 0), "")


def _order(found: list, own: list[str]) -> list:
    """Sort in the order of the model's own quasi-velocities, with the others after them."""
    return sorted(found, key=lambda entry: own.index(entry[0]) if entry[0] in own else len(own))


def _momenta(
    C: Matrix, M: Matrix, own: dict[str, tuple[Scalar, Row]], taken: set[str], state: dict[Scalar, float]
) -> list[tuple[str, Row]]:
    """Rows ZᵀM that complete C: the model's own if no impulse along C changes them, else from a basis of ker C."""
    size = len(M)
    basis = list(C)
    found: list[tuple[str, Row]] = []
    Z = _kernel(C, size, state)
    for name, (_, row) in own.items():
        fresh = len(independent_rows(numbers((*basis, row), state))) == len(basis) + 1
        if name not in taken and fresh and _is_momentum(row, M, Z, state):
            basis.append(row)
            found.append((name, row))
    for z in Z:
        row = tuple(dot(z, column) for column in zip(*M, strict=True))
        if len(basis) < size and len(independent_rows(numbers((*basis, row), state))) == len(basis) + 1:
            basis.append(row)
            found.append(("", row))
    return found


def _is_momentum(row: Row, M: Matrix, Z: list[Row], state: dict[Scalar, float]) -> bool:
    """Whether row is a combination of the rows zᵀM."""
    rows = tuple(tuple(dot(z, column) for column in zip(*M, strict=True)) for z in Z)
    if not rows:
        return False
    values = numbers((*rows, row), state)
    return len(independent_rows(values)) == len(independent_rows(values[:-1]))


def _kernel(C: Matrix, size: int, state: dict[Scalar, float]) -> list[Row]:
    """Columns that C maps to zero, in symbols. The dependent columns are chosen by numerical pivoting."""
    if not C:
        return [tuple(ONE if i == j else ZERO for i in range(size)) for j in range(size)]
    values = numbers(C, state)
    dependent: list[int] = []
    left = [row[:] for row in values]
    for _ in range(len(C)):
        row, column = max(
            ((i, j) for i in range(len(left)) for j in range(size) if j not in dependent),
            key=lambda place: (abs(left[place[0]][place[1]]) > 0.5, abs(left[place[0]][place[1]]), -place[1]),
        )
        pivot = left.pop(row)
        left = [[a - other[column] / pivot[column] * b for a, b in zip(other, pivot, strict=True)] for other in left]
        dependent.append(column)
    dependent.sort()
    free = [j for j in range(size) if j not in dependent]
    A2 = tuple(tuple(row[j] for j in dependent) for row in C)
    inverted_ = inverse(A2, state, lambda e: e)
    if inverted_ is None:
        return []
    found = []
    for j in free:
        along = [row[j] for row in C]
        solved = dict(zip(dependent, (-dot(row, along) for row in inverted_), strict=True))
        found.append(tuple(solved.get(i, ONE if i == j else ZERO) for i in range(size)))
    return found


def _written(
    system: System, course: CourseSteps, turned: Inverted, auxiliary: Auxiliary, gap: Scalar, show: Display
) -> tuple[Step, ...]:
    motion = system.motion
    restitution = system.touching.contacts[0].law.restitution
    factors = _factors(system, course, auxiliary)
    starred = Starred(motion, course, turned, auxiliary, factors)
    turned_by = "s" if restitution == 1 else r"(s\kappa)" if sum(course.reversed) == 1 else r"(s\kappa_i)"
    force_turned_by = turned_by.replace("_i", r"_\rho")
    T, back = variable_mass.frozen_energy(system)
    T = show.quadratic(turned.put_in(show(T)), turned.pi)
    columns = list(zip(*turned.k, strict=True))
    push = variable_mass.written(variable_mass.thrust(system), motion)
    landed = {contact.line.force: ZERO for contact in system.touching.contacts}  # impacts are unfolded; nothing rests
    forces = [turned.put_in(dot(system.forces, c) + dot(push, c)).subs(landed) for c in columns]
    sides = flight(system, turned, show)
    rows = [(a - b) * factor for (a, b), factor in zip(sides, factors, strict=True)]
    equations = [starred(e) for e in rows]
    variables: list[tuple[Any, Scalar]] = [(label(str(motion.q[auxiliary.place])), starred.coordinate)]
    variables += [(label(str(p)), starred.pi[p]) for p in turned.pi]
    variables += starred.rescaled(restitution)
    named = system.touching.forces
    P = [show.linear(starred(f * factor), named) for f, factor in zip(forces, factors, strict=True)]
    rates = starred.rates
    results = []
    for i, e in enumerate(equations):
        own = show(e.diff(rates[i]))
        moving = {*starred.values, S, motion.t, *motion.q}
        factor = own if own != 0 and not moving & own.free_symbols else ONE
        e = signed(e / factor)
        rest = -e.subs(dict.fromkeys(rates, ZERO))
        lhs = total(show(e.diff(r)) * r for r in rates if r in e.free_symbols)
        results.append((lhs, show.linear(rest, named, starred.values)))
    energy = show.quadratic(starred(T.subs(back)), starred.values)
    steps = [
        Step(
            "Variables of the auxiliary system",
            rf"q_1 = |q_1^*|,\quad \pi_i = \pi_i^*\,{turned_by}^{{V_i}},\quad s = \mathrm{{sgn}}\,q_1^*",
            "ZhangMei (3.1)",
            tuple(variables),
            _restitution_note(restitution, sum(course.reversed)),
            key="course variables",
        ),
        Step(
            "Kinetic energy of the auxiliary system",
            r"T^{**}(q^*,\pi^*) = T^*(q,\pi)",
            "ZhangMei (3.2)",
            (("T^{**}", energy),),
            key="course energy",
        ),
        Step(
            "Forces of the auxiliary system",
            rf"P^{{**}}_\rho = P^*_\rho\,{force_turned_by}^{{V_\rho}}",
            "ZhangMei (3.2), (3.3)",
            tuple((indexed("P^{**}", n), p) for n, p in zip(course.quasi.names, P, strict=True)),
            key="course forces",
        ),
        Step(
            "Equations of the whole course", EQUATIONS, "ZhangMei (3.2), (3.3)", tuple(results), key="course equations"
        ),
    ]
    if any(course.held):
        written, solved = held_equations(results, course.held, rates, starred.values, system, show)
        steps.append(
            Step(
                "Equations with the held quantities at zero",
                r"\pi_\beta^* = 0",
                "ZhangMei (1.4), (3.3)",
                tuple(written),
                "The equation of a held quantity gives its reaction.",
                key="course held",
            )
        )
        gaps = dict.fromkeys(gap_rates(system, course.quasi.values), starred.star)
        if restitution != 1:
            solved = None  # with κ, the rate of q₁* is not π₁*
        integrals = [] if solved is None else integrated(solved, starred.values, gaps, system, show)
        if integrals:
            steps.append(
                Step(
                    "The whole course between two impacts",
                    r"\pi^* = A + \dot\pi^*t",
                    "ZhangMei (3.3)",
                    tuple(integrals),
                    "It holds while s and the directions of the slips are constant. At an impact s changes its sign, "
                    "and π* goes on from its value there.",
                    key="course integrals",
                )
            )
    return tuple(steps)


EQUATIONS = (
    r"\frac{d}{dt}\frac{\partial T^{**}}{\partial\pi^*_\rho}-\frac{\partial T^{**}}{\partial\bar\pi^*_\rho}"
    r"+\sum_s\frac{\partial T^{**}}{\partial\pi_s^*}\gamma^*_{s\rho} = P^{**}_\rho\ (+R_\rho)"
)


KAPPA, OTHER, OTHER_RATE = se.Symbol("kappa"), se.Symbol("kappa1"), se.Symbol("kappa1'")


def _factors(system: System, course: CourseSteps, auxiliary: Auxiliary) -> tuple[Scalar, ...]:
    """π_i/π_i*: s for reversed quantities; with e < 1, s κ for the rate of the gap and s κ₁ for the others."""
    if system.touching.contacts[0].law.restitution == 1:
        return tuple(S if flag else ONE for flag in course.reversed)
    assert system.unilateral is not None
    psi = (*system.constraints.psi, *system.unilateral.psi)
    rate = psi[auxiliary.reversed_rows[0]]
    return tuple(
        (S * KAPPA if se.expand(value - rate) == 0 else S * OTHER) if flag else ONE
        for value, flag in zip(course.quasi.values, course.reversed, strict=True)
    )


class Starred:
    """Substitutes q₁ = s q₁* and π = factor π* in expressions, with s² = 1. Between impacts ds/dt and dκ/dt are 0."""

    def __init__(
        self,
        motion: Symbols,
        course: CourseSteps,
        turned: Inverted,
        auxiliary: Auxiliary,
        factors: tuple[Scalar, ...],
    ):
        q = motion.q[auxiliary.place]
        self.star = se.Symbol(f"{q}*" if auxiliary.rest == 0 and auxiliary.factor == 1 else "q1*")
        self.coordinate = (S * self.star - auxiliary.rest) / auxiliary.factor
        self.values = tuple(se.Symbol(f"{p}*") for p in turned.pi)
        self.rates = tuple(se.Symbol(f"{p}*'") for p in turned.pi)
        self.pi = {p: value * factor for p, value, factor in zip(turned.pi, self.values, factors, strict=True)}
        self._rates = {
            r: rate * factor + value * factor.diff(OTHER) * OTHER_RATE
            for r, rate, value, factor in zip(turned.rates, self.rates, self.values, factors, strict=True)
        }
        self._place = {q: self.coordinate}
        self._gap = next((v for v, f in zip(self.values, factors, strict=True) if KAPPA in f.free_symbols), None)
        self._several = any(OTHER in factor.free_symbols for factor in factors)

    def __call__(self, e: Scalar) -> Scalar:
        return signed(e.subs(self._rates | self.pi | self._place))

    def rescaled(self, restitution: Scalar) -> list[tuple[Any, Scalar]]:
        """Ivanov's κ, the factor κ₁ of other reversed rates, and the rate of q₁*; nothing for e = 1."""
        if self._gap is None:
            return []
        k, fall = se.Symbol("k"), se.Symbol("g*")
        speed = KAPPA * self._gap
        theta = S * speed / se.sqrt(speed**2 + 2 * fall * S * self.star)
        return [
            ("k", (1 - restitution) / (1 + restitution)),
            (r"\kappa", 1 - k * S * se.sign(self._gap)),
            *([(r"\kappa_{1}", 1 - k * theta)] if self._several else []),
            (se.Symbol(f"{self.star}'"), speed),
        ]


def _restitution_note(e: Scalar, reversed_: int) -> str:
    if e == 1:
        return ""
    if reversed_ == 1:
        return tr(
            "The restitution e is below 1. Ivanov's factor κ is 1 + k before an impact and 1 − k after it, and "
            "(1 − k)/(1 + k) is e. So π* is continuous."
        )
    return tr(
        "The restitution e is below 1. Ivanov's factor κ is 1 + k before an impact and 1 − k after it, and "
        "(1 − k)/(1 + k) is e. The other reversed rates have the factor κ₁, which is κ in an impact, where q₁* = 0, "
        "and is continuous in flight; g* may be any positive acceleration, and a motion takes that of the fall. So π* "
        "is continuous. The paper itself has elastic impacts alone."
    )
