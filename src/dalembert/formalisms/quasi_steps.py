"""The steps of methods in quasi-velocities: their choice, the speeds by them, T* and the equations written out."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.equations import QuasiVelocities, Step
from dalembert.formalisms.display import Display, label, spoken
from dalembert.formalisms.shared import TOO_LONG, held_names
from dalembert.formalisms.written_steps import written_out
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import ZERO, Scalar, dot
from dalembert.mechanics.elimination import length
from dalembert.mechanics.quasi import Inverted, inverted, lettered, symbols
from dalembert.mechanics.system import System

PI, SPEEDS = r"\pi_s = \pi_s(q,\dot q,t)", r"\dot q = \dot q(q,\pi,t)"
TRANSFORMED = r"T^*(q,\pi,t) = T\left(q,\dot q(q,\pi,t),t\right)"
IN_LETTERS = r"\dot q_r = \sum_s k_{rs}\pi_s,\quad \ddot q_r = \sum_s k_{rs}(\dot\pi_s - \delta_s)"
PARTIAL = r"\partial\dot q_r/\partial\pi_s"
BY_LETTERS = mark(
    "With k and the accelerations of the step before, the left side is Σ_r k_rs (d/dt ∂T/∂q̇_r − ∂T/∂q_r): the same "
    "equations, which would fill pages if k were written out. The speeds are known by the quasi-velocities."
)
NONLINEAR = mark(
    "A quasi-velocity is nonlinear, so T* is not written out; the equations are formed at the actual speeds."
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


def combined(rows: Sequence[Scalar], turned: Inverted) -> list[Scalar]:
    """Σ_r k_rs e_r in the variables of the quasi-velocities, of rows such as e = D q̈ − d."""
    return [turned.put_in(dot(rows, column)) for column in zip(*turned.k, strict=True)]


def by_letters(turned: Inverted) -> str:
    return BY_LETTERS if turned.letters else ""


def first_steps(
    quasi: QuasiVelocities, turned: Inverted | None, show: Display, system: System, locators: Sequence[str]
) -> tuple[Step, ...]:
    """π(q, q̇, t), and the inverse q̇(q, π, t), or only ∂q̇/∂π if a π is nonlinear."""
    pi, _ = symbols(quasi)
    chosen = tuple((label(str(p)), show(value)) for p, value in zip(pi, quasi.values, strict=True) if p != value)
    taken = [spoken(str(p)) for p, value in zip(pi, quasi.values, strict=True) if p == value]
    note = tr("Speeds taken as quasi-velocities: {names}.", names=", ".join(taken)) if taken else ""
    first = Step("Quasi-velocities", PI, locators[0], chosen, " ".join(filter(None, (note, held_names(quasi)))))
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
    return (first, Step("Partial speeds", PARTIAL, locators[1], partial))


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
