"""Zhang and Mei, result by result: equations of Boltzmann–Hamel type, the ball on its plane, and where it errs.

Numbers come from closed forms and integrations that share nothing with this package (zhangmei.json).
"""

import json
from math import cos, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
import symengine as se

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.api.motion import simulate
from dalembert.formalisms import derive
from dalembert.formalisms.boltzmann_hamel import BoltzmannHamel
from dalembert.formalisms.display import Display
from dalembert.mechanics.algebra import dot
from dalembert.mechanics.quasi import hamel_coefficients, inverted, quasi_velocities
from dalembert.mechanics.system import System
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text
from dalembert.prepared import prepare

REFERENCE = json.loads(Path(__file__).with_name("zhangmei.json").read_text())
A2, CA, CB = (REFERENCE["ball"]["params"][key] for key in ("a2", "cos_alpha", "cos_beta"))
METHOD = "boltzmann-hamel"

# a² is a parameter, cos α and cos β are ca and cb; φ₁ and φ₂ are the velocities of the point that touches the plane
BALL = """
[parameters]
a2 = 0.4
ca = 0.5
cb = 0.3
Rx = 0
Ry = 0
[coordinates]
q1 = 0.5
q2 = 0
theta = 1.1
psi = 0.3
phi = 0.2
[definitions]
wx = "theta'*cos(psi) + phi'*sin(theta)*sin(psi)"
wy = "theta'*sin(psi) - phi'*sin(theta)*cos(psi)"
wz = "psi' + phi'*cos(theta)"
[bodies.ball]
mass = 1
position = ["q1 + 1", "q2", 1]
rotation = [["z", "psi"], ["x", "theta"], ["z", "phi"]]
inertia = ["a2", "a2", "a2"]
[energy]
potential = "ca*q1 + cb*q2"
[forces.plane.generalized]
q1 = "Rx"
q2 = "Ry"
theta = "-Rx*sin(psi) + Ry*cos(psi)"
phi = "Rx*sin(theta)*cos(psi) + Ry*sin(theta)*sin(psi)"
[quasi_velocities]
p1 = "q1'"
p2 = "q2' + a2*(wz - wx)"
p3 = "q2' - wz"
p4 = "q1' - wy"
p5 = "q2' + wx"
"""
ROLLS = '[constraints]\nroll = "q2\' + wx = 0"\n'


def ball(text=BALL, **settings):
    """At the reference's start: π₁ = 0.2, π₂ = 0.7, π₃ = 0.4, π₄ = −1, π₅ = 0."""
    start = REFERENCE["ball"]["init"]
    q2 = (start["pi2"] + A2 * (start["pi3"] + start["pi5"])) / (1 + 2 * A2)  # (4.8)
    wx, wy, wz = start["pi5"] - q2, start["pi1"] - start["pi4"], q2 - start["pi3"]
    theta, psi = 1.1, 0.3
    phi = (wx * sin(psi) - wy * cos(psi)) / sin(theta)
    speeds = {"q1'": start["pi1"], "q2'": q2, "theta'": wx * cos(psi) + wy * sin(psi), "phi'": phi,
              "psi'": wz - phi * cos(theta)}  # fmt: skip
    return with_settings(read_text(text), speeds | settings)


def quasi_rates(model):
    """π̇ at the start."""
    start = prepare(model, METHOD)
    eq = derive(model, METHOD)
    a = solve(model, METHOD).accelerations
    at = {**eq.parameters, eq.t: 0.0, **dict(zip(eq.q, start.q, strict=True)), **dict(zip(eq.v, start.v, strict=True))}
    rows = zip(eq.quasi.names, eq.quasi.jacobian, eq.quasi.drift, strict=True)
    return {name: float((dot(row, list(a.values())) + drift).subs(at)) for name, row, drift in rows}


def results(model, **options):
    return [(left, e) for step in derive(model, METHOD, **options).steps for left, e in step.results]


def close(shown, expected):
    free = sorted(shown.free_symbols | expected.free_symbols, key=str)
    at = {s: 0.3 + 0.11 * i for i, s in enumerate(free)}
    return abs(float(shown.subs(at)) - float(expected.subs(at))) < 1e-12


a2, p1, p2, p3, p4, p5 = (se.Symbol(n) for n in ("a2", "p1", "p2", "p3", "p4", "p5"))


def test_49_kinetic_energy_in_quasi_velocities():
    expected = (1 + a2) * p1**2 / 2 + a2 * p4**2 / 2 - a2 * p1 * p4
    expected += (p2**2 + a2 * (p3**2 + p5**2) + a2**2 * (p3 - p5) ** 2) / (2 * (1 + 2 * a2))
    assert close(dict(results(ball()))["T^*"], expected)


def test_410_speeds():
    shown = dict(results(ball()))
    theta, psi = se.Symbol("theta"), se.Symbol("psi")
    wx = (-p2 - a2 * p3 + (1 + a2) * p5) / (1 + 2 * a2)
    assert close(shown[r"\dot{q}_{1}"], p1)
    assert close(shown[r"\dot{q}_{2}"], (p2 + a2 * (p3 + p5)) / (1 + 2 * a2))
    assert close(shown[r"\dot{\theta}"], se.cos(psi) * wx + (p1 - p4) * se.sin(psi))
    assert close(shown[r"\dot{\phi}"], (se.sin(psi) * wx - se.cos(psi) * (p1 - p4)) / se.sin(theta))


def test_412_generalized_forces():
    shown = dict(reversed(results(ball())))  # the first of each left side: (4.13) has them again
    ca, cb, Rx, Ry = (se.Symbol(n) for n in ("ca", "cb", "Rx", "Ry"))
    for name, expected in {
        "p_{1}": -ca, "p_{2}": -cb / (1 + 2 * a2), "p_{3}": -cb * a2 / (1 + 2 * a2), "p_{4}": Rx,
        "p_{5}": -cb * a2 / (1 + 2 * a2) + Ry,
    }.items():  # fmt: skip
        assert close(shown[f"P^*_{{{name}}}"], expected)


@pytest.mark.parametrize(("Rx", "Ry"), [(0, 0), (0.3, -0.2)])
def test_413_equations_of_motion(Rx, Ry):
    rate = quasi_rates(ball(Rx=Rx, Ry=Ry))
    assert rate["p1"] - A2 / (1 + A2) * rate["p4"] == pytest.approx(-CA / (1 + A2), abs=1e-12)
    assert rate["p2"] == pytest.approx(-CB, abs=1e-12)
    assert rate["p3"] - A2 / (1 + A2) * rate["p5"] == pytest.approx(-CB / (1 + A2), abs=1e-12)
    assert rate["p4"] - rate["p1"] == pytest.approx(Rx / A2, abs=1e-12)
    right = -CB / (1 + A2) + (1 + 2 * A2) / (A2 * (1 + A2)) * Ry
    assert rate["p5"] - A2 / (1 + A2) * rate["p3"] == pytest.approx(right, abs=1e-12)


def test_413_is_shown():
    d1, d4 = se.Symbol("p1'"), se.Symbol("p4'")
    assert close(dict(results(ball()))["P^*_{p_{1}}"], (1 + a2) * d1 - a2 * d4)


def test_416_417_the_rolling_direction_held():
    S = REFERENCE["ball"]["S"]
    model = ball(BALL + ROLLS, Rx=S)
    state, rate = solve(model, METHOD), quasi_rates(model)
    assert state.multipliers["roll"] == pytest.approx(REFERENCE["ball"]["Ry"], abs=1e-12)
    assert REFERENCE["ball"]["Ry"] == pytest.approx(A2 * CB / (1 + A2))
    assert rate["p1"] == pytest.approx(S - CA, abs=1e-12)
    assert rate["p3"] == pytest.approx(-CB / (1 + A2), abs=1e-12)
    assert rate["p4"] == pytest.approx(-CA + (1 + A2) / A2 * S, abs=1e-12)
    assert "p5" not in rate  # rows that a constraint already implies are left out, with a note
    assert any("p5" in note for note in state.notes)


def test_419_motion_before_the_first_impact():
    sample = REFERENCE["ball"]["samples"]["1"]
    defined = "".join(f'{n} = "{e}"\n' for n, e in {
        "P1": "q1'", "P2": "q2' + a2*(wz - wx)", "P3": "q2' - wz", "P4": "q1' - wy"}.items())  # fmt: skip
    text = BALL.replace("[bodies.ball]", defined + "[bodies.ball]") + ROLLS
    run = simulate(ball(text, Rx=REFERENCE["ball"]["S"]), METHOD, at=[1.0], tolerance=1e-12)
    assert run.coordinates["q1"][-1] == pytest.approx(sample["q1"], abs=1e-9)
    assert run.coordinates["q2"][-1] == pytest.approx(sample["q2"], abs=1e-9)
    for ours, theirs in {"P1": "p1", "P2": "p2", "P3": "p3", "P4": "p4"}.items():
        assert run.definitions[ours][-1] == pytest.approx(sample[theirs], abs=1e-9)


def test_418_and_why_414_with_415_contradicts_coulomb():
    params = REFERENCE["ball"]["params"]
    f, cg = params["f"], params["cos_gamma"]
    assert sqrt((f * cg) ** 2 - (A2 / (1 + A2) * CB) ** 2) == pytest.approx(REFERENCE["ball"]["S"], abs=1e-15)
    friction = REFERENCE["friction"]
    rate = quasi_rates(ball(Rx=friction["coulomb_R"][0], Ry=friction["coulomb_R"][1]))
    assert rate["p5"] == pytest.approx(friction["pi5dot_coulomb"], abs=1e-12)  # not zero: π₅ ≡ 0 does not persist


def test_bracket_of_28_as_printed_is_wrong():
    """∂q̇_r/∂π multiplies the whole difference. With the bracket as printed, the sleigh's equations are wrong."""
    system = System(read(collection.path("chaplygin-sleigh")), numeric=True)
    motion = system.motion
    quasi, _ = quasi_velocities(system)
    turned = inverted(system, quasi, Display())
    T = turned.put_in(system.kinetic)
    right = hamel_coefficients(quasi, turned.k, motion)
    printed = []
    for value, gradient in zip(quasi.values, quasi.jacobian, strict=True):
        rates = sum(motion.derivative(g) for g in gradient)
        along = motion.gradient(value, motion.q)
        printed.append([rates - dot(along, column) for column in zip(*turned.k, strict=True)])
    start = solve(read(collection.path("chaplygin-sleigh")), METHOD)
    at = dict(zip((*motion.q, *motion.v), (*start.coordinates.values(), *start.speeds.values()), strict=True))
    inside = {p: float(v.subs(at)) for p, v in zip(turned.pi, quasi.values, strict=True)} | {q: at[q] for q in motion.q}
    for p, row, drift in zip(turned.rates, quasi.jacobian, quasi.drift, strict=True):
        inside[p] = float((dot(row, list(start.accelerations.values())) + drift).subs(at))

    def missed(gamma):
        shown = [[turned.put_in(e) for e in row] for row in gamma]
        lefts = BoltzmannHamel.left_sides(motion, turned, T, shown)
        return max(abs(float(e.subs(inside))) for e in lefts[:-1])  # no forces act: both equations must vanish

    assert missed(right) < 1e-12 < 1e-2 < missed(printed)


def test_27_holds_for_nonlinear_quasi_velocities():
    """π₂ = ẋ² + ẏ² − c², T* = ½(π₂ + c²): (2.7) is ½γ₂₁ = P*₁, with γ as it is shown."""
    model = read(collection.path("constant-speed"))
    system = System(model, numeric=True)
    motion = system.motion
    quasi, _ = quasi_velocities(system)
    turned = inverted(system, quasi, Display())
    assert quasi.names == ("x'", "speed") and quasi.held == 1
    gamma = hamel_coefficients(quasi, turned.k, motion)
    state = solve(model, METHOD)
    numbers = (*state.coordinates.values(), *state.speeds.values(), *state.accelerations.values())
    at = dict(zip((*motion.q, *motion.v, *motion.a), numbers, strict=True))
    P1 = dot(system.forces, [row[0] for row in turned.k])
    assert float(gamma[1][0].subs(at)) / 2 == pytest.approx(float(P1.subs(at)), abs=1e-12)
    assert abs(float(P1.subs(at))) > 1
    # (2.8): ∂T*/∂π₂ = ½ is constant, ½γ₂₂ = P*₂ + R
    P2 = dot(system.forces, [row[1] for row in turned.k])
    assert float(gamma[1][1].subs(at)) / 2 - float(P2.subs(at)) == pytest.approx(state.multipliers["speed"], abs=1e-12)


def test_methods_agree_on_the_ball():
    answers = [
        list(solve(ball(BALL + ROLLS, Rx=0.1), m).accelerations.values()) for m in (METHOD, "kane", "qiao-quasi")
    ]
    np.testing.assert_allclose(answers, [answers[0]] * 3, atol=1e-12)
