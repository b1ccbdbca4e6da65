"""Sun, result by result: the normalized Routh equations of two hinged rods, and errors in print.

Numbers are exact or come from integrations of 40 digits that share nothing with this package (sun.json); m = l = 1.
"""

import json
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
import symengine as se

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.api.motion import simulate
from dalembert.formalisms import derive
from dalembert.mechanics.system import System
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text
from dalembert.motions import routes
from dalembert.prepared import prepare

REFERENCE = json.loads(Path(__file__).with_name("sun.json").read_text())
METHOD = "normalized-routh"
PROBLEMS = {"sun-1": ("XO", "YO", "XA", "YA"), "sun-2": ("XA", "YA"), "sun-3": ("XO", "YO")}
FORCES = {"XO": "X0", "YO": "Y0", "XA": "XA", "YA": "YA"}


def model(name, **settings):
    return with_settings(read(collection.path(name)), {"g": 1, **settings})


def expected(case):
    return {key: float(entry["value"]) for key, entry in REFERENCE[case].items()}


def compare(state, numbers):
    for name, value in state.accelerations.items():
        if name + "dd" in numbers:
            assert value == pytest.approx(numbers[name + "dd"], abs=1e-12)
    for name, value in state.multipliers.items():
        assert value == pytest.approx(numbers[FORCES[name]], abs=1e-12)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_27_28_at_rest(problem):
    """ÿ₁ is −9√3/110 g; the print of (2.7) has 119."""
    state = solve(model(problem), METHOD)
    compare(state, expected("at_rest"))
    assert tuple(state.multipliers) == PROBLEMS[problem]
    if problem == "sun-1":
        assert state.accelerations["y1"] == pytest.approx(-9 * sqrt(3) / 110, abs=1e-13)
        assert abs(state.accelerations["y1"] + 9 * sqrt(3) / 119) > 0.01


@pytest.mark.parametrize("problem", PROBLEMS)
def test_moving(problem):
    compare(solve(model(problem, **{"theta1'": 1, "theta2'": 2}), METHOD), expected("moving_w1_1_w2_2"))


def test_21_without_the_derivative_of_T_is_wrong():
    """Problem 3 in motion: T depends on the angles, and (2.1) as printed gives other numbers."""
    record = model("sun-3", **{"theta1'": 1, "theta2'": 2})
    start = prepare(record, METHOD)
    system = System(record, numeric=True)
    motion = system.motion
    slopes = motion.gradient(system.kinetic, motion.q)
    numbers = {motion.t: 0.0, **dict(zip(motion.q, start.q, strict=True)), **dict(zip(motion.v, start.v, strict=True))}
    D, d, A, b, R = start.system.unpacked(start.system.dynamics(start.x))
    without = d - np.array([float(s.subs(numbers)) for s in slopes])  # Q − h, and h has −∂T/∂q
    a, sigma = routes.normalized_routh(routes.ActiveRows(D, without, A, b, R))
    wrong = expected("moving_problem3_printed_2_1_WRONG")
    assert [*a[:2], *sigma] == pytest.approx(
        [wrong["theta1dd"], wrong["theta2dd"], wrong["X0"], wrong["Y0"]], abs=1e-12
    )
    right = solve(record, METHOD)
    assert abs(right.accelerations["theta1"] - wrong["theta1dd"]) > 1


def test_214_line_3_as_printed_is_wrong():
    """−m ẍ₂ l sin θ₁, not half of it."""
    c, s = sqrt(3) / 2, 0.5
    # unknowns θ̈₁, θ̈₂ at θ₁ = π/6, θ₂ = π/2, with ẍ₂ = −s θ̈₁ − ½θ̈₂ and ÿ₂ = c θ̈₁ put in
    M = np.array([[1 / 3 + s * s / 2 + c * c, s / 4], [s / 2, 1 / 12 + 1 / 4]])
    printed = np.linalg.solve(M, [-1.5 * s, -0.5])
    assert printed == pytest.approx([-54 / 107, -120 / 107])
    ours = solve(model("sun-2"), METHOD).accelerations
    assert abs(ours["theta1"] - printed[0]) > 0.1


def test_220_line_2_as_printed_is_wrong():
    """Rod OA's momentum is missing from p₄: σ₂ is (3√3/4) m l θ̈₁, not (√3/2) m l θ̈₁."""
    state = solve(model("sun-3"), METHOD)
    assert state.multipliers["YO"] == pytest.approx(3 * sqrt(3) / 4 * state.accelerations["theta1"], abs=1e-12)
    assert sqrt(3) / 2 * state.accelerations["theta1"] == pytest.approx(-9 * sqrt(3) / 55)  # the printed formula
    p4 = dict(shown("sun-3"))["p_{y}"]
    symbols = {s: 0.3 + 0.1 * i for i, s in enumerate(sorted(p4.free_symbols, key=str))}
    at = {str(s): v for s, v in symbols.items()}
    yd, c1, c2 = at["y'"], np.cos(at["theta1"]), np.cos(at["theta2"])
    both = 2 * yd + 1.5 * at["l"] * c1 * at["theta1'"] + 0.5 * at["l"] * c2 * at["theta2'"]
    assert float(p4.subs(symbols)) == pytest.approx(at["m"] * both)


def shown(name, **options):
    """The results of all steps but the last one, which repeats them as numbers at the start."""
    steps = derive(read(collection.path(name)), METHOD, **options).steps
    return [result for step in steps if step.title != "Values at the start" for result in step.results]


def test_23_to_26_are_shown():
    found = dict(shown("sun-1"))
    l, t1, t2, mm, g = (se.Symbol(n) for n in ("l", "theta1", "theta2", "m", "g"))
    s1, c1, s2, c2, half = se.sin(t1), se.cos(t1), se.sin(t2), se.cos(t2), se.Rational(1, 2)
    assert found["[A_2]"] == ((1, 0, 0, 0), (0, 1, 0, 0), (-1, 0, 1, 0), (0, -1, 0, 1))
    assert found["[A_2]^{-1}"] == ((1, 0, 0, 0), (0, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1))
    assert found["[A_1]"] == (
        (half * l * s1, 0), (-half * l * c1, 0), (half * l * s1, half * l * s2), (-half * l * c1, -half * l * c2)
    )  # fmt: skip
    assert found["[B]"] == (  # (2.3); the print has 0 for the 1 in row 2
        (0, 0, 0, 0, 1, 0),
        (0, 0, 0, 0, 0, 1),
        (1, 0, 0, 0, -half * l * s1, 0),
        (0, 1, 0, 0, half * l * c1, 0),
        (1, 0, 1, 0, -l * s1, -half * l * s2),
        (0, 1, 0, 1, l * c1, half * l * c2),
    )
    assert [found[f"Q_{{{q}}}"] for q in (r"\theta_{1}", r"\theta_{2}", "x_{1}", "y_{1}", "x_{2}", "y_{2}")] == [
        0, 0, g * mm, 0, g * mm, 0
    ]  # fmt: skip
    assert found[r"p_{\theta_{1}}"] == l**2 * mm * se.Symbol("theta1'") / 12 and found["p_{x_{2}}"] == mm * se.Symbol(
        "x2'"
    )
    x1, x2, y1, y2 = (se.Symbol(f"{n}''") for n in ("x1", "x2", "y1", "y2"))
    group = [se.expand(found[rf"\sigma_{{\text{{{n}}}}}"]) for n in ("XO", "YO", "XA", "YA")]
    assert group == [se.expand(e) for e in (mm * (x1 + x2) - 2 * mm * g, mm * (y1 + y2), mm * x2 - mm * g, mm * y2)]
    second = [se.expand(e) for left, e in shown("sun-1") if left == "0"]
    assert se.expand(
        mm * l**2 * se.Symbol("theta2''") / 12 + half * mm * l * (c2 * y2 - s2 * x2) + half * mm * g * l * s2
    ) in second  # fmt: skip


def test_only_the_released_constraints_are_reported():
    state = solve(model("sun-1"), METHOD, reactions=["XA", "YA"])
    assert tuple(state.multipliers) == ("XA", "YA") == tuple(state.reactions)
    compare(state, expected("at_rest"))


def test_sigma_belongs_to_the_way_a_constraint_is_written():
    """Scaling F divides σ; adding rows mixes them: with F₃, F₄ seen from O instead of from C₁, σ₁ and σ₂ change."""
    text = collection.text("sun-1")
    far = text.replace('x1 + l/2*cos(theta1)"', 'l*cos(theta1)"').replace('y1 + l/2*sin(theta1)"', 'l*sin(theta1)"')
    assert far != text
    state = solve(with_settings(read_text(far), {"g": 1}), METHOD)
    exact = [-101 / 110, -9 * sqrt(3) / 110, -23 / 110, -9 * sqrt(3) / 55]
    assert REFERENCE["alt_constraint_sigma"]["exact"][0] == "-101/110"
    assert list(state.multipliers.values()) == pytest.approx(exact, abs=1e-12)
    scaled = text.replace('"x1 - l/2*cos(theta1) = 0"', '"4*x1 - 2*l*cos(theta1) = 0"')
    quarter = solve(with_settings(read_text(scaled), {"g": 1}), METHOD)
    assert quarter.multipliers["XO"] == pytest.approx(-62 / 55 / 4, abs=1e-12)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_motion_from_rest(problem):
    numbers = REFERENCE["trajectory_from_rest_m1_l1_g9_81"]
    run = simulate(read(collection.path(problem)), METHOD, at=[float(t) for t in numbers], tolerance=1e-12)
    for i, row in enumerate(numbers.values()):
        assert run.coordinates["theta1"][i] == pytest.approx(float(row["theta1"]), rel=1e-9)
        assert run.coordinates["theta2"][i] == pytest.approx(float(row["theta2"]), rel=1e-9)
        assert run.speeds["theta2"][i] == pytest.approx(float(row["w2"]), rel=1e-9)
        for name in PROBLEMS[problem]:
            assert run.multipliers[name][i] == pytest.approx(float(row[FORCES[name]]), rel=1e-9)
