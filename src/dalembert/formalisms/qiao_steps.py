"""What Qiao's forms share: places in the paper, (2.23), and the equations in quasi-velocities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dalembert.equations import QuasiVelocities, Row, Step
from dalembert.formalisms.base import Dynamics
from dalembert.formalisms.display import Display, indexed
from dalembert.formalisms.quasi_steps import (
    NONLINEAR,
    TRANSFORMED,
    by_letters,
    combined,
    first_steps,
    in_quasi_velocities,
    quasi_written,
)
from dalembert.formalisms.shared import TOO_LONG, acting, balance
from dalembert.formalisms.written_steps import with_multipliers
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import ZERO, Scalar, dot, total
from dalembert.mechanics.quasi import inverted, left_sides_in_quasi_velocities, quasi_velocities
from dalembert.mechanics.system import System

LETTER_OF_CONSTRAINTS = mark(
    "Those of the constraints are written π here, since ω is also the letter of an angular velocity."
)


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
    pushes: str  # the title of the step with P: thrust, or thrust and corrections
    push_place: str
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
    told = _in_omega(first_steps(quasi, turned, show, system, ("Qiao (3.1), (3.2)", "Qiao (3.3)")), quasi)
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
            form.pushes, rf"{form.letter}_s = \sum_r {form.letter}_r k_{{rs}}", form.push_place,
            _indexed(form.letter, quasi, [show.linear(e, rates, others) for e in pushes]),
        ),
    ]  # fmt: skip
    note, back = NONLINEAR, form.masses
    lefts = combined(balance(system, dynamics), turned)
    if turned.speeds:
        note = by_letters(turned)
        formula = TRANSFORMED.replace(r"\pi", r"\omega")
        energy = (("T^*", T.subs(back)),)
        steps.insert(0, Step("Kinetic energy in quasi-velocities", formula, "Qiao, before (3.8)", energy))
    if turned.speeds and not turned.letters:
        whole = [e.subs(back) for e in left_sides_in_quasi_velocities(system.motion, turned, T, form.rates_of_mass)]
        lefts = [e - K - P for e, K, P in zip(whole, forces, pushes, strict=True)]
    results = []
    for i, (name, left) in enumerate(zip(quasi.names, lefts, strict=True)):
        results.append(("0" if i < free else indexed("R", name), show.linear(left.subs(still), rates, others)))
    equations = Step("Equations of motion", form.formula, form.place, tuple(results), note)
    return (*told, *steps, equations, quasi_written(system, lefts, quasi, turned, show))


def _in_omega(steps: tuple[Step, ...], quasi: QuasiVelocities) -> tuple[Step, ...]:
    """The formulas with ω, Qiao's letter of quasi-velocities. His π are the quasi-coordinates."""
    first, *rest = [replace(step, formula=step.formula.replace(r"\pi", r"\omega")) for step in steps]
    note = " ".join(filter(None, (first.note, tr(LETTER_OF_CONSTRAINTS) if quasi.held else "")))
    return (replace(first, note=note), *rest)


def _indexed(letter: str, quasi: QuasiVelocities, values: Sequence[Scalar]) -> tuple[tuple[str, Scalar], ...]:
    return tuple((indexed(letter, name), e) for name, e in zip(quasi.names, values, strict=True))
