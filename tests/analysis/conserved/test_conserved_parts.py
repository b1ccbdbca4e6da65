"""The parts of the search against independent checks; random systems, for which no claim may be false."""

from __future__ import annotations

from decimal import Decimal
from random import Random

import mpmath
import numpy as np
import pytest
import symengine as se
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.analysis.conserved.answer import conserved_quantities
from dalembert.analysis.conserved.checks import lowered
from dalembert.analysis.conserved.coefficients import fraction, recognized
from dalembert.analysis.conserved.exact import ExactFlow, ExactQuantities
from dalembert.analysis.conserved.motions import drifts
from dalembert.analysis.conserved.quantities import FlowQuantities, QuantityValues, products
from dalembert.analysis.conserved.search import beside, independent, null_space, reduced
from dalembert.analysis.conserved.subject import subject_of
from dalembert.analysis.exact.linear import solved
from dalembert.analysis.exact.series import ONE, Digits
from dalembert.analysis.question import Limit
from dalembert.errors import MathematicsError
from dalembert.model.read import model_of
from dalembert.model.record import ModelRecord
from dalembert.motions.accelerations import solve_accelerations
from random_systems import case


def generic(seed: int, damped: bool = False, constrained: bool = False) -> ModelRecord:
    """A metric, a potential and a constraint that contain every coordinate, so that there is no symmetry."""
    chance = Random(seed)

    def c(low: float = 0.2, high: float = 1.0) -> str:
        return f"{chance.uniform(low, high):.3f}"

    names = [f"q{i}" for i in range(chance.randint(2, 4))]
    sum_of = " + ".join(f"{c()}*{q}" for q in names)
    other = " - ".join(f"{c()}*{q}" for q in names)
    kinetic = " + ".join(f"({c(2, 3)} + {c()}*cos({sum_of} + {c()}*{q}))*{q}'^2" for q in names)
    kinetic += f" + {c(0.1, 0.3)}*sin({other})*{names[0]}'*{names[-1]}'"
    data: dict = {
        "coordinates": dict.fromkeys(names, 0.1),
        "energy": {"kinetic": kinetic, "potential": f"cos({other}) + {c()}*sin({sum_of})"},
    }
    if damped:
        data["energy"]["dissipation"] = " + ".join(f"{c()}*{q}'^2" for q in names)
    if constrained:
        row = " + ".join(f"({c()} + {c()}*sin({sum_of} + {c()}*{q}))*{q}'" for q in names)
        data["constraints"] = {"row": f"{row} = 0"}
    return model_of(data)


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.slow) for s in range(6, 40))])
def test_generic_systems_keep_their_energy_and_nothing_else(seed: int) -> None:
    free, held = (conserved_quantities(generic(seed, constrained=row), seconds=60) for row in (False, True))
    assert [q.kind for q in free.quantities] == ["energy"]
    # two coordinates with one row have one freedom: the motion may stay on a curve, which conserves a function of q
    assert [q.kind for q in held.quantities] == ["energy"]
    assert not free.momentum_equations and not held.momentum_equations


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.slow) for s in range(6, 40))])
def test_damped_generic_systems_keep_nothing(seed: int) -> None:
    answer = conserved_quantities(generic(seed, damped=True, constrained=bool(seed % 2)), seconds=60)
    assert not answer.quantities
    assert [s.sign for s in answer.energies[0].spoilers] == [-1]


def drift_by_scipy(record: ModelRecord, expressions: list[str]) -> np.ndarray:
    """Relative change of expressions along one motion, integrated by SciPy with accelerations state by state."""
    subject = subject_of(record, None)
    system, n = subject.mode.flow.system, len(subject.home.q)
    start = subject.mode.flow.states(subject.home, 1, np.random.default_rng(77)).x[0]

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        x = np.concatenate([[t], y, start[1 + 2 * n :]])
        return np.concatenate([y[n:], solve_accelerations(system, x).a])

    run = solve_ivp(rate, (start[0], start[0] + 0.4), start[1 : 1 + 2 * n], rtol=1e-10, atol=1e-12, method="DOP853")
    x = np.hstack([run.t[:, None], run.y.T, np.broadcast_to(start[1 + 2 * n :], (len(run.t), len(start) - 1 - 2 * n))])
    code = FlowQuantities(subject.eq, [lowered(record, text) for text in expressions])
    value, level = code.levels(x)
    return np.abs(value - value[0]).max(axis=0) / level.max(axis=0)


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(s, marks=pytest.mark.slow) for s in range(8, 60))])
def test_what_is_claimed_of_random_systems_holds(seed: int) -> None:
    """Models with everything that a model can state; another integrator checks every claim."""
    record = case(seed).model
    try:
        answer = conserved_quantities(record, seconds=60)
    except MathematicsError:
        return  # the motion is not determined near this state, and the sentence says so
    texts = [q.formula.language for q in answer.quantities]
    if not texts:
        return
    assert drift_by_scipy(record, texts).max() < 1e-6
    varies = any(energy.conserved for energy in answer.energies)
    assert varies == any("energy" in q.kind and q.kind != "moving energy" for q in answer.quantities)


def test_states_move_along_the_motions_that_check_a_claim(loaded) -> None:
    """x' keeps its value only while the state f is zero, where the model starts."""
    record = loaded(
        """
        [coordinates]
        x = 0.0
        [states]
        f = { initial = 0.0, rate = "1" }
        [bodies.p]
        mass = 2
        position = ["x", 0, 0]
        [forces.push]
        generalized = { x = "f" }
        """
    ).record
    subject = subject_of(record, None)
    drift, kept = drifts(subject.mode.flow, subject.home, [subject.eq.v[0], 7.0], 1.0, Limit(60.0))
    assert drift.motions == kept.motions == 4
    assert drift.fine > 0.01 and not drift.conserved
    assert kept.conserved


DRIVEN = {
    "a held value": (
        """
        [inputs]
        push = 0
        [sampled.controller]
        every = 0.1
        push = "-x"
        """
    ),
    "data that begins at zero": (
        """
        [inputs]
        push = { times = [0, 1, 2], values = [0, 0, 1], between = "hold" }
        """
    ),
    "a state": (
        """
        [states]
        push = { initial = 0, rate = "-x" }
        """
    ),
}


@pytest.mark.parametrize("drive", DRIVEN.values(), ids=DRIVEN)
@pytest.mark.parametrize("acts", ["force", "potential"])
def test_a_quantity_that_varies_is_no_constant_parameter(loaded, drive: str, acts: str) -> None:
    """The drive is zero at the start. While it stays there, energy and momentum along x would be conserved."""
    entry = {
        "force": '[forces.drive]\ngeneralized = { x = "push" }',
        "potential": '[energy]\npotential = "-push*x"',
    }[acts]
    record = loaded(
        f"""
        [coordinates]
        x = 0.5
        y = 0
        {drive}
        [bodies.p]
        mass = 2
        position = ["x", "y", 0]
        {entry}
        """
    ).record
    answer = conserved_quantities(record, checks=["x'", "y'", "push"], search=False, seconds=60)
    assert [energy.conserved for energy in answer.energies] == [False]
    assert [check.conserved for check in answer.checks] == [False, True, False]
    assert answer.energies[0].spoilers[0].name == ("drive" if acts == "force" else "time")
    assert not answer.notes  # none of them is a parameter that was kept at zero


def test_data_that_stays_constant_is_a_constant(loaded) -> None:
    """A potential with data in it is conserved if the data does not change."""
    record = loaded(
        """
        [coordinates]
        x = 0.5
        [inputs]
        push = { times = [0, 1], values = [3, 3] }
        [bodies.p]
        mass = 2
        position = ["x", 0, 0]
        [energy]
        potential = "-push*x"
        """
    ).record
    assert conserved_quantities(record, search=False, seconds=60).energies[0].conserved


def test_an_integral_with_a_state_is_found(loaded) -> None:
    """The state gathers what the spring gives: 2 x' + drive keeps its value, and x' alone does not."""
    record = loaded(
        """
        [coordinates]
        x = 0.5
        [states]
        drive = { initial = 0, rate = "x" }
        [definitions]
        gathered = "drive"
        [bodies.p]
        mass = 2
        position = ["x", 0, 0]
        [energy]
        potential = "x^2/2"
        """
    ).record
    answer = conserved_quantities(record, checks=["2*x' + drive", "x'"], seconds=60)
    assert [check.conserved for check in answer.checks] == [True, False]
    assert any("drive" in q.formula.language for q in answer.quantities)


@pytest.mark.parametrize("name", ["rolling-disk", "chaplygin-sleigh", "double-pendulum-cartesian", "appell-hamel"])
def test_rates_agree_with_those_in_forty_digits_and_with_the_solver(name: str) -> None:
    subject = subject_of(da.gallery(name).record, None)
    flow, n = subject.mode.flow, len(subject.home.q)
    states = flow.states(subject.home, 3, np.random.default_rng(2))
    quantities = [subject.eq.kinetic, *subject.eq.v]
    rough, exact = FlowQuantities(subject.eq, quantities).at(states), ExactQuantities(ExactFlow(flow), quantities)
    for i, x in enumerate(states.x):
        terms = exact.terms(x)
        assert terms is not None
        assert rough.rate[i] == pytest.approx([float(r) for r in terms[1]], rel=1e-8, abs=1e-8)
        assert states.rates[i, 1 + n : 1 + 2 * n] == pytest.approx(solve_accelerations(flow.system, x).a, rel=1e-7)
        assert np.abs(flow.system.velocity(x)[: flow.system.m]).max(initial=0.0) < 1e-11


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_null_spaces_are_those_that_were_built_in(seed: int) -> None:
    """Rates of random candidates, some of which are combinations: the number of null vectors is right."""
    chance = np.random.default_rng(seed)
    count, hidden = int(chance.integers(3, 9)), int(chance.integers(0, 3))
    states = 3 * count
    rate = chance.normal(size=(states, count))
    mixing = chance.normal(size=(count, hidden))
    rate = rate - rate @ mixing @ np.linalg.pinv(mixing) if hidden else rate
    value = chance.normal(size=(states, count))
    found = QuantityValues(value, rate, np.abs(value) + 1, np.abs(rate) + 1)
    assert independent(found) == list(range(count))
    null = null_space(found, range(count))
    assert len(null.vectors) == hidden and null.clear
    for row in null.vectors:
        assert np.abs(rate @ (row / null.scale)).max() < 1e-9 * np.abs(row / null.scale).max()
    assert len(beside(null.vectors, null.vectors)) == 0
    again = reduced(null.vectors)
    assert again == pytest.approx(null.vectors, abs=1e-9)


@settings(derandomize=True, max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_products_obey_the_product_rule(seed: int) -> None:
    chance = np.random.default_rng(seed)
    value, rate = chance.normal(size=(5, 4)), chance.normal(size=(5, 4))
    step = 1e-6
    found = products(QuantityValues(value, rate, np.abs(value), np.abs(rate)), [(0, 1, 1), (2,), (3, 3)])
    moved = value + step * rate
    slopes = (moved[:, 0] * moved[:, 1] ** 2 - value[:, 0] * value[:, 1] ** 2) / step
    assert found.rate[:, 0] == pytest.approx(slopes, rel=1e-3, abs=1e-3)
    assert found.rate[:, 2] == pytest.approx(2 * value[:, 3] * rate[:, 3])


M, A, J = LETTERS = se.symbols("m a J")


@pytest.mark.parametrize(
    "wanted", [se.Rational(2, 7), -A * M / 3, J + M * A**2, J / (J + M * A**2), (A - J) / (2 * A), M * A * J], ids=str
)
def test_coefficients_are_recognized_in_the_parameters(wanted: se.Basic) -> None:
    parameters = np.random.default_rng(3).uniform(0.5, 2.0, (300, 3))
    values = np.array([float(wanted.subs(dict(zip(LETTERS, row, strict=True)))) for row in parameters])
    found = recognized(values, parameters, LETTERS)
    assert found is not None
    assert abs(float((found - wanted).subs({M: 0.31, A: 1.7, J: 0.9}))) < 1e-9


def test_what_is_no_quotient_is_not_recognized() -> None:
    parameters = np.random.default_rng(3).uniform(0.5, 2.0, (300, 2))
    assert recognized(np.sqrt(parameters[:, 0]), parameters, se.symbols("m a")) is None
    assert fraction(0.3333333333) is not None and fraction(0.3334) is None and fraction(np.pi) is None


def test_linear_equations_in_forty_digits_are_refined_from_doubles():
    """Against elimination in forty digits, also where double precision is of no use; singular equations have no
    answer."""
    mp, chance = mpmath.mp.clone(), np.random.default_rng(5)
    mp.dps = 50
    for size, near in ((5, 0), (20, 0), (12, 8), (8, 15), (6, 25)):
        with Digits():
            K = [[Decimal(float(e)) for e in row] for row in chance.normal(size=(size, size))]
            K[0] = [a + Decimal(10) ** -near * b for a, b in zip(K[1], K[0], strict=True)] if near else K[0]
            right = [Decimal(float(e)) for e in chance.normal(size=size)]
            found = solved(K, right)
        expected = mp.lu_solve(
            mp.matrix([[mp.mpf(str(e)) for e in row] for row in K]), mp.matrix([mp.mpf(str(e)) for e in right])
        )
        assert found is not None
        worst = max(abs(mp.mpf(str(a)) - b) for a, b in zip(found, expected, strict=True))
        assert worst <= mp.mpf(10) ** (near - 46) * max(map(abs, expected))
    assert solved([[ONE, Decimal(2)], [Decimal(2), Decimal(4)]], [ONE, Decimal(3)]) is None
