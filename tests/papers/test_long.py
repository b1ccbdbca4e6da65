"""Long, result by result: partial accelerations, two rolling wheels, and errors in print.

Numbers come from integrations of 40 digits that share nothing with this package (long.json).
"""

import json
from math import cos, pi, sin
from pathlib import Path

import numpy as np
import pytest
import symengine as se

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.api.motion import simulate
from dalembert.api.redundancy import determinate_sums
from dalembert.formalisms import derive
from dalembert.mechanics.algebra import apply, cross, plus
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text

REFERENCE = json.loads(Path(__file__).with_name("long.json").read_text())
METHOD = "partial-acceleration"
m, R, g, theta, rho = 2, 0.5, 9.81, pi / 6, 0.3
EXAMPLES = {"long-1": "ex1", "long-2": "ex2"}


def model(name):
    return read(collection.path(name))


def results(name):
    """The expressions of a derivation, by their left sides."""
    return {left: e for step in derive(model(name), METHOD).steps for left, e in step.results}


def same(shown, *expected):
    """Whether two rows of expressions are mathematically equal."""
    symbols = {
        s: 0.3 + 0.17 * i
        for i, s in enumerate(sorted({s for e in (*shown, *expected) for s in se.sympify(e).free_symbols}, key=str))
    }
    return np.allclose(
        [float(se.sympify(e).subs(symbols)) for e in shown],
        [float(se.sympify(e).subs(symbols)) for e in expected],
        atol=1e-13,
    )


def symbols(*names):
    return [se.Symbol(name) for name in names]


RR, MM, G, TH, RHO = symbols("R", "m", "g", "theta", "rho")
Q2, V1, V2, A1, A2 = symbols("q2", "q1'", "q2'", "q1''", "q2''")


def test_18_to_21_accelerations_of_the_hubs():
    """In the axes n, τ, b. The print has lost dots in (18), (19) and (21)."""
    shown = results("long-1")
    assert same(shown[r"a_{\text{first}}"], RR * V1 * V2, -RR * A1, 0)
    assert same(shown[r"a_{\text{second}}"], RR * (V1 + 2 * V2) * V2, -RR * (A1 + 2 * A2), 0)
    assert same([shown[r"\dot{q}_{3}"]], V1 + 2 * V2)  # (20)


def test_22_23_partial_accelerations():
    shown = results("long-1")
    assert same(shown[r"a_{\text{first},q_{1}}"], 0, -RR, 0) and same(shown[r"a_{\text{first},q_{2}}"], 0, 0, 0)
    assert same(shown[r"a_{\text{second},q_{1}}"], 0, -RR, 0) and same(shown[r"a_{\text{second},q_{2}}"], 0, -2 * RR, 0)


def test_25_to_27_generalized_forces():
    shown = results("long-1")
    for name in (r"L_{q_{1}}", r"L_{q_{2}}"):
        assert same([shown[name]], 2 * G * RR * MM * se.sin(TH) * se.sin(Q2))
    assert same([shown[r"L^*_{q_{1}}"]], -2 * MM * RR**2 * (A1 + A2))
    assert same([shown[r"L^*_{q_{2}}"]], -2 * MM * RR**2 * (A1 + 2 * A2))


def test_43_to_46_angular_accelerations():
    """α_τ = q̇₁q̇₂ although ω_τ ≡ 0; the print of (42) has q̇₃q̇₁ for q̇₃q̇₂."""
    shown = results("long-2")
    assert same(shown[r"\alpha_{\text{first}}"], A1, V1 * V2, A2)
    assert same(shown[r"\alpha_{\text{second}}"], A1 + 2 * A2, (V1 + 2 * V2) * V2, A2)
    assert same(shown[r"\alpha_{\text{first},q_{1}}"], 1, 0, 0) and same(shown[r"\alpha_{\text{first},q_{2}}"], 0, 0, 1)
    assert same(shown[r"\alpha_{\text{second},q_{1}}"], 1, 0, 0)
    assert same(shown[r"\alpha_{\text{second},q_{2}}"], 2, 0, 1)


def test_47_48_generalized_inertia_forces():
    shown = results("long-2")
    K = MM * (RR**2 + RHO**2)
    assert same([shown[r"L^*_{q_{1}}"]], -2 * K * (A1 + A2))
    assert same([shown[r"L^*_{q_{2}}"]], -2 * K * (A1 + 2 * A2) - MM * RHO**2 * A2)


def test_35_has_the_wrong_sign_along_tau():
    numbers = REFERENCE["euler_Tstar"]
    J, omega, alpha = numbers["J"], numbers["omega"], numbers["alpha"]
    tensor = tuple(tuple(se.Integer(J[r]) if r == s else se.Integer(0) for s in range(3)) for r in range(3))
    vectors = [tuple(map(se.Integer, v)) for v in (omega, alpha)]
    ours = [-float(e) for e in plus(apply(tensor, vectors[1]), cross(vectors[0], apply(tensor, vectors[0])))]
    n, tau, b = range(3)
    printed = -(J[tau] * alpha[tau] + (J[b] - J[n]) * omega[b] * omega[n])
    assert ours == numbers["correct"] and printed == numbers["printed35"][tau] != ours[tau]


@pytest.mark.parametrize(("name", "inertia"), [("long-1", 0.0), ("long-2", rho**2)])
@pytest.mark.parametrize("q2", [0.0, 0.4, 2.0, pi / 2])
def test_28_29_and_the_end_of_example_2_at_a_single_position(name, inertia, q2):
    state = solve(with_settings(model(name), {"q2": q2}), METHOD)
    expected = g * R / (R**2 + inertia) * sin(theta) * sin(q2)
    assert state.accelerations["q1"] == pytest.approx(expected, abs=1e-12)
    assert state.accelerations["q3"] == pytest.approx(expected, abs=1e-12)
    assert state.accelerations["q2"] == pytest.approx(0, abs=1e-12)
    assert state.degrees_of_freedom == 2
    assert any("edundant" in note and "second_wheel.slip" in note for note in state.notes)  # four rows of rank three


@pytest.mark.parametrize("name", EXAMPLES)
def test_motion(name):
    expected = {key: float(value) for key, value in REFERENCE[EXAMPLES[name]].items()}
    run = simulate(model(name), METHOD, at=[1.0], tolerance=1e-12)
    for ours, theirs in {"q1": "q1", "q2": "q2", "x": "xP", "y": "yP"}.items():
        assert run.coordinates[ours][-1] == pytest.approx(expected[theirs], rel=1e-9)
    assert run.speeds["q1"][-1] == pytest.approx(expected["q1dot"], rel=1e-9)
    assert run.accelerations["q1"][-1] == pytest.approx(expected["q1ddot"], rel=1e-9)
    n = np.array([cos(expected["q2"]), sin(expected["q2"])])
    rows = [f"{wheel}.slip{i}" for wheel in ("first_wheel", "second_wheel") for i in (1, 2)]
    force = np.array([run.multipliers[row][-1] for row in rows])
    assert (force[:2] + force[2:]) @ n == pytest.approx(expected["H_total"], rel=1e-9)
    tau = np.array([-n[1], n[0]])
    assert force[:2] @ tau == pytest.approx(expected["Ftau"], rel=1e-9, abs=1e-9)


LOADED = """
gravity = ["g*sin(theta)", 0, "-g*cos(theta)"]
[parameters]
m = 2
R = 0.5
g = 9.81
theta = "pi/6"
rho = {rho}
[coordinates]
x = 0
y = 0
z = "R"
q1 = 0
q2 = 1.9
q3 = 0
tilt = 0
[speeds]
q1 = {speed}
q2 = 1.5
[frames]
axle = {{ turn = [["z", "q2"], ["y", "tilt"]] }}
[points]
P = ["x", "y", "z"]
Q = {{ from = "P", in = "axle", at = ["-2*R", 0, 0] }}
[bodies.first]
mass = "m"
position = "P"
frame = "axle"
spin = ["x", "q1"]
{inertia}
[bodies.second]
mass = "m"
position = "Q"
frame = "axle"
spin = ["x", "q3"]
{inertia}
[rolling.first_wheel]
body = "first"
wheel = "R"
[rolling.second_wheel]
body = "second"
wheel = "R"
"""


@pytest.mark.parametrize("example", ["ex1", "ex2"])
def test_wheel_loads_show_the_sign_of_35(example):
    """With height and tilt released the normal forces are multipliers; the printed (35) would leave ρ² out of them."""
    expected = REFERENCE[example]
    heavy = 0.3 if example == "ex2" else 0.0
    inertia = 'inertia = ["m*rho^2", "m*rho^2/2", "m*rho^2/2"]' if heavy else ""
    state = solve(read_text(LOADED.format(rho=heavy, speed=expected["q1dot"], inertia=inertia)), METHOD)
    N = [state.multipliers[f"{wheel}.touch"] for wheel in ("first_wheel", "second_wheel")]
    assert pytest.approx([float(expected["N_P"]), float(expected["N_Pp"])], rel=1e-10) == N
    q1_dot, q2, q2_dot = state.speeds["q1"], 1.9, 1.5
    right = 2 * m * g * sin(theta) * cos(q2) - 2 * m * (R + heavy**2 / R) * (q1_dot + q2_dot) * q2_dot
    printed = 2 * m * g * sin(theta) * cos(q2) - 2 * m * R * (q1_dot + q2_dot) * q2_dot
    assert N[0] - N[1] == pytest.approx(right, rel=1e-10)
    assert (abs(N[0] - N[1] - printed) > 1) == bool(heavy)


def test_only_the_sum_of_the_side_forces_is_determinate():
    """The two lateral rows say the same; every set of multipliers that fits has the same sums."""
    (note,) = [note for note in solve(model("long-1")).notes if note.startswith("Redundant")]
    assert "first_wheel.slip1 + second_wheel.slip1, first_wheel.slip2 + second_wheel.slip2" in note
    side = np.array([1.0, 2.0, -1.0, -2.0])  # the null vector of rows in which the side is along (1, 2)
    rows = np.random.default_rng(3).normal(size=(5, 4)) @ (np.eye(4) - np.outer(side, side) / (side @ side))
    assert determinate_sums(rows, "abcd") == ["a + c", "b + d", "a − 0.5 b"]
    assert determinate_sums(np.eye(4), "abcd") == []
