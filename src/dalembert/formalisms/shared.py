"""Steps that several derivations share, written with the given letters and numbers of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd, lcm

import symengine as se

from dalembert.equations import QuasiVelocities, Row, Step
from dalembert.formalisms.base import Dynamics
from dalembert.formalisms.display import Display, indexed, label, size, spoken
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import ONE, ZERO, Scalar, dot, total
from dalembert.mechanics.basis import Basis
from dalembert.mechanics.elimination import Reduction, inverse, length, sample_state
from dalembert.mechanics.quasi import (
    Inverted,
    inverted,
    left_sides_in_quasi_velocities,
    lettered,
    quasi_velocities,
    symbols,
)
from dalembert.mechanics.system import System

QIAO_PLACES = {
    "speeds": "Qiao (2.17)",
    "accelerations": "Qiao (2.17)",
    "quasi": "Qiao (2.2), (2.18)",
    "k": "Qiao (2.5), (2.20)",
}
KINETIC = r"T = \tfrac12\sum_i \left(m_i v_i^2 + \omega_i\cdot J_i\omega_i\right)"
POWER = r"\delta N = \sum_j Q_j\,\delta\dot q_j"  # of the active forces
TRANSFORMED = r"T^*(q,\pi,t) = T\left(q,\dot q(q,\pi,t),t\right)"
TOO_LONG = mark("The elimination in symbols is too long to be read; it is done with numbers at every state.")
LEFT_OUT = mark(
    "Rows that follow from the others, left out here: {names}; the smallest multipliers that fit are reported."
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


def basis_steps(system: System, basis: Basis | None, show: Display, locators: Mapping[str, str]) -> tuple[Step, ...]:
    """The steps that express the speeds by the independent ones, or by the quasi-velocities that the model chose.

    `locators` has the places of the speeds, the accelerations, the quasi-velocities and k in the method's paper.
    """
    if basis is None:
        return (Step("Dependent speeds", dependence(locators), locators.get("speeds", ""), note=TOO_LONG),)
    if basis.quasi is not None:
        return _chosen_steps(basis, show, locators)
    return dependent_speeds(system, basis.reduced, locators) if basis.reduced is not None else ()


def _chosen_steps(basis: Basis, show: Display, locators: Mapping[str, str]) -> tuple[Step, ...]:
    quasi = basis.quasi
    assert quasi is not None
    pi, _ = symbols(quasi)
    chosen = tuple((label(str(p)), show(value)) for p, value in zip(pi, quasi.values, strict=True))
    place = locators.get("quasi", "")
    first = Step("Generalized speeds, chosen by the model", r"\pi_s = \pi_s(q,\dot q,t)", place, chosen, _held(quasi))
    if not basis.speeds:
        return (first, Step("Partial speeds", K, locators.get("k", ""), (("k", basis.k),), NONLINEAR_BASIS))
    speeds = tuple((label(str(v)), e) for v, e in basis.speeds.items())
    return (
        first,
        Step("Speeds", r"\dot q_r = \sum_s k_{rs}\pi_s + l_r", locators.get("k", ""), speeds),
        Step("Partial speeds", K, locators.get("k", ""), (("k", basis.k),)),
    )


K = r"k_{rs} = \frac{\partial\dot q_r}{\partial\pi_s}"
NONLINEAR_BASIS = mark(
    "A generalized speed is nonlinear, so k is taken at the actual speeds, and the equations stay in q̈."
)


def free_motion(system: System, dynamics: Dynamics, show: Display) -> tuple[Step, ...]:
    """Φ₁ = f_q q̇ + f_q̇ a_f + f_t with a_f = M⁻¹(Q − h), which must vanish for a motion without constraint forces."""
    constraints = system.constraints
    bent = [i for i, row in enumerate(constraints.rows) if row.kind != "holonomic"]
    if not bent:
        return ()
    inverted = inverse(dynamics.D, sample_state(system), show)
    if inverted is None or length(inverted) > LONGEST_DIVIDED:
        return ()
    free = show(tuple(dot(row, dynamics.d) for row in inverted))
    named = [(label(str(a)), e) for a, e in zip(system.motion.a, free, strict=True)]
    first = [
        (f"\\Phi_{{1,{label(constraints.rows[i].name)}}}", show(dot(constraints.A[i], free) - constraints.b[i]))
        for i in bent
    ]
    formula = r"Q^c_j = 0:\quad M\ddot q = Q - h,\quad \Phi_1 = f_q\dot q + f_{\dot q}\ddot q + f_t = 0"
    return (Step("Free motion", formula, "WangGao (13)", (*named, *first), FREE, key="free"),)


FREE = mark(
    "A motion without constraint forces keeps the constraint only where this vanishes; "
    "that is the first of infinitely many conditions, since all its derivatives along the "
    "free motion must vanish too."
)


def dependent_speeds(system: System, reduced: Reduction | None, locators: Mapping[str, str]) -> tuple[Step, ...]:
    """q̇₂ = C q̇₁ + D and q̈₂ = C q̈₁ + E, with C and E themselves if later steps use letters for them."""
    if not system.constraints.rows:
        return ()
    speeds, accelerations = locators.get("speeds", ""), locators.get("accelerations", "")
    if reduced is None:
        return (Step("Dependent speeds", dependence(locators), speeds, note=TOO_LONG),)
    names = [system.constraints.rows[i].name for i in reduced.choice.redundant]
    note = tr(LEFT_OUT, names=", ".join(names)) if names else ""
    steps = []
    if reduced.letters:
        meanings = tuple((label(str(symbol)), e) for symbol, e in reduced.letters.items())
        told = BY_ROWS if any(str(symbol).startswith("beta[") for symbol in reduced.letters) else ""
        steps.append(Step("Coefficients of the dependent speeds", COEFFICIENTS, accelerations, meanings, told))
    elif reduced.written:
        results = tuple((label(str(v)), e) for v, e in reduced.written.items())
        steps.append(Step("Dependent speeds", dependence(locators), speeds, results, note))
    results = tuple((label(str(a)), e) for a, e in reduced.accelerations.items())
    note = "" if steps and steps[0].note else note
    steps.append(Step("Dependent accelerations", dependence(locators, "ddot"), accelerations, results, note))
    return tuple(steps)


def dependence(locators: Mapping[str, str], accent: str = "dot") -> str:
    """How dependent speeds or accelerations follow from the others, with the paper's index of C."""
    index, rest = locators.get("index", "{sr}"), "D" if accent == "dot" else "E"
    left = "p+s" if index == "{r,p+s}" else "s"
    return rf"\{accent} q_{{{left}}} = \sum_r C_{index}\{accent} q_r + {rest}_s"


BY_ROWS = mark("b are the right sides of A q̈ = b, and β the entries of the inverse of A₂: E_s = Σ_α β_sα b_α.")
COEFFICIENTS = r"\dot q_s = \sum_r C_{sr}\dot q_r + D_s,\quad \ddot q_s = \sum_r C_{sr}\ddot q_r + E_s"


def equations_of_motion(
    system: System,
    dynamics: Dynamics,
    basis: Basis | None,
    show: Display,
    formula: str,
    locator: str,
    leading: str = "",
) -> tuple[Step, ...]:
    """The balance combined so that no reaction remains, one line for every independent rate, then written out.

    If the elimination in symbols is too long, the rows with their multipliers and the constraints are written instead.
    """
    if basis is None:
        return (Step("Equations of motion", formula, locator, note=TOO_LONG), with_multipliers(system, dynamics, show))
    left = basis.combined(balance(system, dynamics))
    shown = tuple(("0", show.linear(e, basis.rates, basis.values)) for e in left)
    rows = tuple(
        (basis.put_in(dot(row, system.motion.a)), basis.put_in(b)) for row, b in _nonlinear_rows(system, basis)
    )
    extra = tuple(show.linear(a - b, basis.rates) for a, b in rows)
    return (
        Step("Equations of motion", formula, locator, shown),
        written_out(system, (*left, *extra), basis.rates, show, basis.values, leading=leading),
    )


def _nonlinear_rows(system: System, basis: Basis) -> list[tuple[Row, Scalar]]:
    """The constraints, if they were not used to substitute the accelerations."""
    if basis.accelerations or not basis.quasi:
        return []
    return list(zip(system.constraints.A, system.constraints.b, strict=True))


def with_multipliers(system: System, dynamics: Dynamics, show: Display, letter: str = "lambda") -> Step:
    """D q̈ = d + R ν and A q̈ = b, line by line."""
    names = system.constraints.names if dynamics.multipliers is None else dynamics.multipliers
    a, A = system.motion.a, system.constraints.A
    nu = [se.Symbol(f"{letter}[{name}]" + ("'" if i < len(dynamics.z) else "")) for i, name in enumerate(names)]
    R = dynamics.R if dynamics.R is not None else tuple(zip(*A, strict=True)) if A else ((),) * system.size
    motion = [e - dot(row, nu) for e, row in zip(balance(system, dynamics), R, strict=True)]
    rows = [dot(row, a) - b for row, b in zip(A, system.constraints.b, strict=True)]
    rates = (*a, *nu[: len(dynamics.z)])
    return written_out(system, (*motion, *rows), rates, show, forces=tuple(nu[len(dynamics.z) :]))


def written_out(
    system: System,
    lefts: Sequence[Scalar],
    rates: Sequence[Scalar],
    show: Display,
    others: Sequence[Scalar] = (),
    forces: Sequence[Scalar] = (),
    leading: str = "",
) -> Step:
    """Equations e = 0 with the unknowns on the left and the rest on the right, and common constants divided out.

    The coefficient of the `leading` rate, an equation's "own" or its "first" one, is divided out if it is a constant.
    """
    results = []
    constants = set(system.parameters)
    for i, e in enumerate(lefts):
        present = [r for r in rates if r in e.free_symbols]
        coefficients = {r: show(e.diff(r)) for r in present}
        first = [rates[i]] if leading == "own" and i < len(rates) else present[:1] if leading == "first" else []
        factor = next((c for r in first if (c := coefficients.get(r, ZERO)) != 0 and c.free_symbols <= constants), None)
        rest = -e.subs(dict.fromkeys(rates, ZERO))
        if size(rest) > LONGEST_DIVIDED:
            rest = show.linear(rest, (*system.touching.forces, *forces), others)
        if factor is None:
            own = [coefficients[r] for r in rates[i : i + 1] if r in coefficients]  # the first one decides the sign
            factor = common_factor([*own, *coefficients.values(), *([rest] if rest != 0 else [])], constants)
        left = total(show(c / factor) * r for r, c in coefficients.items())
        right = se.expand(rest / factor) if factor != 1 and size(rest) < LONGEST_DIVIDED else rest / factor
        results.append((left, show.linear(right, (*system.touching.forces, *forces), others)))
    return Step("Equations of motion, written out", "", "", tuple(results), key="written")


LONGEST_DIVIDED = 400


def common_factor(coefficients: Sequence[Scalar], constants: set[Scalar]) -> Scalar:
    """The number and the product of constants that divide every one of these, negative if the first is; 1 if they are
    long.
    """
    found = [e for e in coefficients if e != 0]
    if not found or any(size(e) > LONGEST_DIVIDED for e in found):
        return ONE
    terms = [_monomial(term) for e in found for term in _sum_terms(se.expand(e))]
    if any(not number.is_Rational for number, _ in terms):
        return ONE
    above = gcd(*(abs(int(number.p)) for number, _ in terms))
    below = lcm(*(int(number.q) for number, _ in terms))
    sign = -1 if all(_monomial(term)[0] < 0 for term in _sum_terms(se.expand(found[0]))) else 1
    shared = {base: power for base, power in terms[0][1].items() if base.free_symbols <= constants}
    for _, powers in terms[1:]:
        shared = {
            base: min(power, powers[base], key=abs) for base, power in shared.items() if power * powers.get(base, 0) > 0
        }
    return se.Rational(sign * above, below) * se.Mul(*(base**power for base, power in shared.items()))


def _sum_terms(e: Scalar) -> Sequence[Scalar]:
    return e.args if isinstance(e, se.Add) else (e,)


def _monomial(term: Scalar) -> tuple[Scalar, dict[Scalar, int]]:
    """The number of a term, and the integer powers of its other factors."""
    number, powers = ONE, {}
    for part in term.args if isinstance(term, se.Mul) else (term,):
        base, power = part.args if isinstance(part, se.Pow) else (part, ONE)
        if part.is_Number:
            number *= part
        elif power.is_Integer:
            powers[base] = int(power)
    return number, powers


PI, SPEEDS = r"\pi_s = \pi_s(q,\dot q,t)", r"\dot q = \dot q(q,\pi,t)"
IN_LETTERS = r"\dot q_r = \sum_s k_{rs}\pi_s,\quad \ddot q_r = \sum_s k_{rs}(\dot\pi_s - \delta_s)"
BY_LETTERS = mark(
    "With k and the accelerations of the step before, the left side is Σ_r k_rs (d/dt ∂T/∂q̇_r − ∂T/∂q_r): the same "
    "equations, which would fill pages if k were written out. The speeds are known by the quasi-velocities."
)
LONGEST_PLAIN = 1000  # operations in ∂T*/∂q and in q̈(q, π, π̇); beyond this, letters stand for k


def in_quasi_velocities(
    system: System, quasi: QuasiVelocities, show: Display, energy: Scalar
) -> tuple[Inverted | None, Scalar]:
    """The inverse q̇(q, π, t), and T* made from the energy, with letters for k if the equations would be long."""
    turned = inverted(system, quasi, show)
    if turned is None or not turned.speeds:
        return turned, ZERO
    T = show.quadratic(turned.put_in(show(energy)), turned.pi)
    slopes = system.motion.gradient(T, system.motion.q)
    if length([slopes, list(turned.accelerations.values())]) <= LONGEST_PLAIN:
        return turned, T
    turned = lettered(quasi, turned, system.motion)
    return turned, show.quadratic(show(energy).subs(turned.speeds), turned.pi)


def combined(system: System, dynamics: Dynamics, turned: Inverted) -> list[Scalar]:
    """Σ_r k_rs (Σ_j D_rj q̈_j − d_r) in the variables of the quasi-velocities: what the reactions must balance."""
    rows = balance(system, dynamics)
    return [turned.put_in(dot(rows, column)) for column in zip(*turned.k, strict=True)]


def by_letters(turned: Inverted) -> str:
    return BY_LETTERS if turned.letters else ""


def quasi_steps(
    quasi: QuasiVelocities, turned: Inverted | None, show: Display, system: System, locators: Sequence[str]
) -> tuple[Step, ...]:
    """π(q, q̇, t), and the inverse q̇(q, π, t), or only ∂q̇/∂π if a π is nonlinear."""
    pi, _ = symbols(quasi)
    chosen = tuple((label(str(p)), show(value)) for p, value in zip(pi, quasi.values, strict=True) if p != value)
    taken = [spoken(str(p)) for p, value in zip(pi, quasi.values, strict=True) if p == value]
    note = tr("Speeds taken as quasi-velocities: {names}.", names=", ".join(taken)) if taken else ""
    first = Step("Quasi-velocities", PI, locators[0], chosen, " ".join(filter(None, (note, _held(quasi)))))
    if turned is None:
        return (first, Step("Speeds", SPEEDS, locators[1], note=TOO_LONG))
    speeds = tuple((label(str(v)), e) for v, e in turned.speeds.items() if v != e)
    if turned.letters:
        named = tuple((label(str(symbol)), show.linear(e, ())) for symbol, e in turned.letters.items())
        accelerations = tuple((label(str(a)), e) for a, e in turned.accelerations.items() if a != e)
        return (
            first,
            Step("Coefficients of the speeds", IN_LETTERS, locators[1], named),
            Step("Speeds", SPEEDS, locators[1], (*speeds, *accelerations)),
        )
    if speeds:
        return (first, Step("Speeds", SPEEDS, locators[1], speeds))
    if turned.speeds:
        return (first,)
    partial = ((r"\partial\dot q/\partial\pi", turned.k),)
    return (first, Step("Partial speeds", r"\partial\dot q_r/\partial\pi_s", locators[1], partial))


def _held(quasi: QuasiVelocities) -> str:
    if not quasi.held:
        return ""
    return tr("Held at zero, being the constraints: {names}.", names=", ".join(quasi.names[-quasi.held :]))


def partial_speeds(basis: Basis | None, locator: str) -> tuple[Step, ...]:
    """k of independent speeds. That of chosen quasi-velocities is shown with them."""
    if basis is None or basis.reduced is None or not basis.reduced.choice.rows:
        return ()
    formula = r"k_{rs} = \partial\dot q_r/\partial W_s,\quad W_s = \dot q_s"
    return (Step("Partial speeds", formula, locator, (("k", basis.k),)),)


def qiao_locator(system: System) -> str:
    """(2.21) for linear constraints and a choice of W, (2.22) for W_s = q̇_s, (2.15) if a constraint is nonlinear."""
    kinds = {row.kind for row in system.constraints.rows}
    if "nonlinear" in kinds or not kinds:
        return "Qiao (2.15)"
    return "Qiao (2.15), (2.21)" if system.quasi_velocities else "Qiao (2.15), (2.22)"


def in_chosen_quantities(system: System, phi: Row, show: Display) -> tuple[Step, ...]:
    """Qiao (2.23), for T(q̇, t) and linear constraints: T is differentiated by all n W, then the constraints are
    applied.
    """
    kinds = {row.kind for row in system.constraints.rows}
    moving = {*system.motion.q, *system.motion.v}
    plain = not set(system.motion.q) & system.kinetic.free_symbols
    fixed = all(not moving & body.mass.free_symbols for body in system.bodies.values())
    if "nonlinear" in kinds or not kinds or not plain or not fixed:
        return ()
    quasi, _ = quasi_velocities(system)
    turned = inverted(system, quasi, show)
    if turned is None or not turned.speeds:
        return ()
    motion, free = system.motion, len(quasi.names) - quasi.held
    T = turned.put_in(system.kinetic)
    slopes = [T.diff(p) for p in turned.pi]
    rates = [[turned.put_in(motion.derivative(a)) for a in row] for row in quasi.jacobian]
    still = dict.fromkeys((*turned.pi[free:], *turned.rates[free:]), ZERO)
    masses = [(body.mass, body.mass_drift) for body in system.bodies.values() if body.varies and body.mass.is_Symbol]
    results = []
    for s in range(free):
        column = [row[s] for row in turned.k]
        along = [slopes[s].diff(p) * dp for p, dp in (*zip(turned.pi, turned.rates, strict=True), *masses)]
        along += [slopes[s].diff(q) * turned.speeds[v] for q, v in zip(motion.q, motion.v, strict=True)]
        swing = [slopes[i] * dot(rates[i], column) for i in range(len(slopes))]
        acting = turned.put_in(dot(system.forces, column) + dot(phi, column))
        left = total([*along, slopes[s].diff(motion.t), *swing]) - acting
        results.append(("0", show.linear(left.subs(still), turned.rates, turned.pi)))
    formula = (
        r"\frac{d}{dt}\frac{\partial T}{\partial W_s}+\sum_r\sum_k\frac{\partial T}{\partial W_k}"
        r"\frac{da_{kr}}{dt}a^{-1}_{rs} = \tilde K_s+\psi_s"
    )
    return (Step("The same, for T without coordinates", formula, "Qiao (2.23)", tuple(results)),)


@dataclass(frozen=True, slots=True)
class QuasiForm:
    """One of Qiao's forms of the equations in quasi-velocities: d/dt ∂T*/∂ω_s − … = K_s + P_s."""

    formula: str
    place: str  # of the equations, in the paper
    energy: Scalar  # T, in which masses may be symbols
    masses: Mapping[Scalar, Scalar]  # by these symbols
    letter: str  # of P: φ or K^R
    further: Row  # P by coordinates: thrust or corrections
    rates_of_mass: Mapping[Scalar, Scalar] = field(default_factory=dict)  # ṁ, if d/dt acts on masses as well


def quasi_equations(system: System, dynamics: Dynamics, show: Display, form: QuasiForm) -> tuple[Step, ...]:
    """The quasi-velocities, T*, the forces, the additional terms P (thrust, corrections), and the equations, in π̇ if
    every π is linear.
    """
    quasi = dynamics.quasi
    assert quasi is not None
    turned, T = in_quasi_velocities(system, quasi, show, form.energy)
    told = quasi_steps(quasi, turned, show, system, ("Qiao (3.1), (3.2)", "Qiao (3.3)"))
    if turned is None:
        too_long = Step("Equations of motion", form.formula, form.place, note=TOO_LONG)
        return (*told, too_long, with_multipliers(system, dynamics, show))
    free = len(quasi.names) - quasi.held
    columns = list(zip(*turned.k, strict=True))
    rates = turned.rates if turned.speeds else system.motion.a
    others = turned.pi if turned.speeds else ()
    still = dict.fromkeys((*turned.pi[free:], *turned.rates[free:]), ZERO) if turned.speeds else {}
    forces = tuple(turned.put_in(dot(system.forces, c)) for c in columns)
    pushes = tuple(turned.put_in(dot(form.further, c)) for c in columns)
    steps = [
        Step(
            "Generalized forces", r"K_s = \sum_r K_r k_{rs}", "Qiao (3.5)",
            _indexed("K", quasi, acting(system, show, forces)),
        ),
        Step(
            "Thrust and corrections", rf"{form.letter}_s = \sum_r {form.letter}_r k_{{rs}}", form.place,
            _indexed(form.letter, quasi, [show.linear(e, rates, others) for e in pushes]),
        ),
    ]  # fmt: skip
    note, back = NONLINEAR, form.masses
    lefts = combined(system, dynamics, turned)
    if turned.speeds:
        note = by_letters(turned)
        steps.insert(0, Step("Kinetic energy in quasi-velocities", TRANSFORMED, form.place, (("T^*", T.subs(back)),)))
    if turned.speeds and not turned.letters:
        whole = [e.subs(back) for e in left_sides_in_quasi_velocities(system.motion, turned, T, form.rates_of_mass)]
        lefts = [e - K - P for e, K, P in zip(whole, forces, pushes, strict=True)]
    results = []
    for i, (name, left) in enumerate(zip(quasi.names, lefts, strict=True)):
        results.append(("0" if i < free else indexed("R", name), show.linear(left.subs(still), rates, others)))
    equations = Step("Equations of motion", form.formula, form.place, tuple(results), note)
    return (*told, *steps, equations, quasi_written(system, lefts, quasi, turned, show))


def quasi_written(
    system: System,
    lefts: Sequence[Scalar],
    quasi: QuasiVelocities,
    turned: Inverted,
    show: Display,
    leading: str = "",
) -> Step:
    """The equations of the free quasi-velocities. If one is nonlinear, they are in q̈, with the constraints."""
    free = len(quasi.names) - quasi.held
    if turned.speeds:
        still = dict.fromkeys((*turned.pi[free:], *turned.rates[free:]), ZERO)
        return written_out(
            system, [e.subs(still) for e in lefts[:free]], turned.rates, show, turned.pi, leading=leading
        )
    a, constraints = system.motion.a, system.constraints
    rows = [dot(row, a) - b for row, b in zip(constraints.A, constraints.b, strict=True)]
    return written_out(system, [*lefts[:free], *rows], a, show)


NONLINEAR = mark(
    "A quasi-velocity is nonlinear, so T* is not written out; the equations are formed at the actual speeds."
)


def _indexed(letter: str, quasi: QuasiVelocities, values: Sequence[Scalar]) -> tuple[tuple[str, Scalar], ...]:
    return tuple((indexed(letter, name), e) for name, e in zip(quasi.names, values, strict=True))
