"""Qiao, result by result: variable mass by ordinary and frozen derivatives, in coordinates and quasi-velocities.

Numbers come from integrations of 40 digits that share nothing with this package (qiao.json).
"""

import json
from math import cos, log, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
import symengine as se

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.api.motion import simulate
from dalembert.errors import MathematicsError
from dalembert.formalisms import derive
from dalembert.mechanics.system import System
from dalembert.mechanics.variable_mass import corrections, ordinary_energy
from dalembert.model.change import with_settings
from dalembert.model.read import model_of, read, read_text
from dalembert.prepared import prepare

REFERENCE = json.loads(Path(__file__).with_name("qiao.json").read_text())
METHODS = ["qiao-lagrange", "qiao-lagrange-frozen", "qiao-quasi", "qiao-quasi-frozen", "kane"]

MASS = {"sleigh_m_t": "m0 - k*t", "sleigh_m_q_qd_t": "1 - 0.1*t + 0.02*x + 0.05*theta' + 0.03*(x'^2 + y'^2)"}


def sleigh(case, **settings):
    text = collection.text("qiao-sleigh").replace('mass = "m0 - k*t"', f'mass = "{MASS[case]}"')
    return with_settings(read_text(text), settings)


def forward(state):
    """V̇ = ẍ cos θ + ÿ sin θ, the other terms cancel on the constraint."""
    theta = state.coordinates["theta"]
    return state.accelerations["x"] * cos(theta) + state.accelerations["y"] * sin(theta)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", MASS)
def test_sleigh_at_the_start(case, method):
    numbers = REFERENCE[case]
    state = solve(sleigh(case), method)
    assert forward(state) == pytest.approx(numbers["acc0"]["Vdot"], abs=1e-12)
    assert state.accelerations["theta"] == pytest.approx(numbers["acc0"]["omegadot"], abs=1e-12)
    blade = numbers.get("blade_reaction0", numbers["acc0"].get("blade_reaction"))
    assert state.multipliers["blade"] == pytest.approx(blade, abs=1e-12)


@pytest.mark.parametrize("method", ["qiao-lagrange", "qiao-quasi-frozen"])
@pytest.mark.parametrize("case", MASS)
def test_sleigh_in_motion(case, method):
    numbers = REFERENCE[case]
    run = simulate(sleigh(case), method, at=[numbers["t_end"]], tolerance=1e-12)
    for name in ("x", "y", "theta"):
        assert run.coordinates[name][-1] == pytest.approx(numbers["end"][name], rel=1e-9)
    assert run.definitions["forward"][-1] == pytest.approx(numbers["end"]["V"], rel=1e-9)
    assert run.speeds["theta"][-1] == pytest.approx(numbers["end"]["omega"], rel=1e-9)


def test_the_accelerations_in_the_rate_of_mass_must_not_be_dropped():
    """With ṁ = ∂m/∂t + (∂m/∂q)q̇ alone the accelerations are wrong, by the numbers of the reference."""
    record = sleigh("sleigh_m_q_qd_t")
    start = prepare(record, "kane")
    D, d, A, b, _ = start.system.unpacked(start.system.dynamics(start.x))
    symmetric = prepare(sleigh("sleigh_m_q_qd_t", u=0), "kane")  # without thrust ṁu does not contain q̈
    M = symmetric.system.unpacked(symmetric.system.dynamics(symmetric.x))[0]
    K = np.block([[M, -A.T], [A, np.zeros((1, 1))]])
    a = np.linalg.solve(K, [*d, *b])
    wrong = REFERENCE["sleigh_m_q_qd_t"]["acc0_if_qdd_part_of_mdot_dropped(WRONG)"]
    assert a[0] * cos(0.3) + a[1] * sin(0.3) == pytest.approx(wrong["Vdot"], abs=1e-12)
    assert a[2] == pytest.approx(wrong["omegadot"], abs=1e-12)
    assert not np.allclose(D, D.T) and np.allclose(M, M.T)


def test_213_is_an_identity():
    """d/dt ∂T/∂q̇ − ∂T/∂q less its corrections is Σ m a·∂v/∂q̇, for m(q, q̇, t)."""
    system = System(sleigh("sleigh_m_q_qd_t", u=0), numeric=True)
    motion = system.motion
    chance = np.random.default_rng(3)
    symbols = [motion.t, *motion.q, *motion.v, *motion.a]
    at = dict(zip(symbols, chance.normal(size=len(symbols)), strict=True))
    energy, _ = ordinary_energy(system)
    phi = corrections(system)
    for r in range(system.size):
        left = energy.vector[r] - phi.vector[r]
        left += sum((energy.matrix[r][s] - phi.matrix[r][s]) * a for s, a in enumerate(motion.a))
        right = se.Integer(0)
        for body in system.bodies.values():
            acceleration = body.centre.acceleration(motion)
            right += body.mass * sum(c * e for c, e in zip(body.centre.columns[r], acceleration, strict=True))
        if r == 2:
            right += 0.5 * motion.a[2]  # J of the sleigh
        assert float(left.subs(at)) == pytest.approx(float(right.subs(at)), abs=1e-12)


def results(method, model="qiao-sleigh"):
    return [(left, e) for step in derive(read(collection.path(model)), method).steps for left, e in step.results]


@pytest.mark.parametrize("method", ["qiao-lagrange", "qiao-lagrange-frozen", "qiao-quasi", "qiao-quasi-frozen"])
def test_44_45_are_shown(method):
    names = "M J a b u alpha theta x' theta' x'' theta'' m[fuel] m[fuel]'"
    M, J, a, b, u, alpha, th, xd, w, xdd, wd, m, md = (se.Symbol(n) for n in names.split())
    c = se.cos(th)
    first = (M + m) * (xdd + xd * w * se.tan(th)) / c**2 - w**2 * (M * a + m * b) / c - md * u * se.cos(alpha) / c
    second = (J + M * a**2 + m * b**2) * wd + xd * w * (M * a + m * b) / c - md * u * b * se.sin(alpha)
    shown = [e for left, e in results(method) if left == "0"]
    at = {s: 0.2 + 0.13 * i for i, s in enumerate((M, J, a, b, u, alpha, th, xd, w, xdd, wd, m, md))}
    assert [float(e.subs(at)) for e in shown] == pytest.approx([float(first.subs(at)), float(second.subs(at))])


def test_thrust_of_the_example_is_shown():
    """K₁^R = ṁu cos α/cos θ and K₂^R = ṁub sin α."""
    shown = dict(results("qiao-quasi-frozen"))
    u, b, alpha, th, md = (se.Symbol(n) for n in ("u", "b", "alpha", "theta", "m[fuel]'"))
    at = {u: 3.0, b: 0.7, alpha: 2.5, th: 0.4, md: -0.1}
    assert float(shown[r"K^R_{\dot{x}}"].subs(at)) == pytest.approx(-0.3 * cos(2.5) / cos(0.4))
    assert float(shown[r"K^R_{\dot{\theta}}"].subs(at)) == pytest.approx(-0.3 * 0.7 * sin(2.5))


def test_tsiolkovsky():
    """Straight ahead: V = V₀ + u ln((M + m₀)/(M + m))."""
    model = sleigh("sleigh_m_t", **{"alpha": "pi", "theta'": 0})
    run = simulate(model, "qiao-lagrange-frozen", at=[5.0], tolerance=1e-12)
    assert run.definitions["forward"][-1] == pytest.approx(REFERENCE["sleigh_tsiolkovsky"]["V_at_5"], rel=1e-9)
    assert REFERENCE["sleigh_tsiolkovsky"]["V_at_5"] == pytest.approx(1 + 3 * log(3 / 2.5))


@pytest.mark.parametrize("method", METHODS)
def test_mass_of_the_speed_is_relativity(method):
    numbers = REFERENCE["relativistic"]
    run = simulate(read(collection.path("relativistic-particle")), method, at=[4.0], tolerance=1e-12)
    assert run.coordinates["x"][-1] == pytest.approx(numbers["x_at_4"], rel=1e-9)
    assert run.speeds["x"][-1] == pytest.approx(numbers["v_at_4"], rel=1e-9)


CONSTANT = """
[coordinates]
x = 0
y = 0
[speeds]
x = 2
y = 0
[bodies.particle]
mass = "2 - 0.2*t"
position = ["x", "y", 0]
ejection = ["(x'*ut - y'*un)/2", "(y'*ut + x'*un)/2", 0]
[parameters]
ut = "1/3"
un = 1.5
[constraints]
speed = "x'^2 + y'^2 = 4"
"""


@pytest.mark.parametrize("method", METHODS)
def test_nonlinear_constraint_with_variable_mass(method):
    """ẋ² + ẏ² = c²: the direction turns by (u_n/c) ln(m/m₀)."""
    numbers = REFERENCE["const_speed_varmass"]
    model = read_text(CONSTANT)
    state = solve(model, method)
    assert state.accelerations["x"] == pytest.approx(numbers["xdd0"], abs=1e-12)
    assert state.accelerations["y"] == pytest.approx(numbers["ydd0"], abs=1e-12)
    assert state.multipliers["speed"] == pytest.approx(numbers["lambda0_for_f"], abs=1e-12)
    run = simulate(model, method, at=[3.0], tolerance=1e-12)
    assert run.coordinates["x"][-1] == pytest.approx(numbers["x_at_3"], rel=1e-9)
    assert run.coordinates["y"][-1] == pytest.approx(numbers["y_at_3"], rel=1e-9)


def test_24_25_read_literally_violate_chetaev():
    """With the linear part of f at q̇ = 0 (here zero) k does not exist; at the actual q̇, k is along (−ẏ, ẋ)."""
    state = solve(read_text(CONSTANT), "qiao-lagrange")
    shown = {left: e for step in derive(read_text(CONSTANT), "qiao-lagrange").steps for left, e in step.results}
    at = {se.Symbol("x'"): 1.2, se.Symbol("y'"): 1.6}
    k = [float(e.subs(at)) for (e,) in shown["k"]]
    assert 1.2 * k[0] + 1.6 * k[1] == pytest.approx(0)
    reaction = state.reactions["speed"]
    assert [reaction["x"], reaction["y"]] == pytest.approx([4 * state.multipliers["speed"], 0])


APPELL = """
gravity = [0, 0, -9.81]
[coordinates]
x = 0
y = 0
z = 0
[speeds]
x = {x}
y = {y}
z = {z}
[bodies.particle]
mass = "2 - 0.2*t"
position = ["x", "y", "z"]
ejection = [0, 0, -2]
[constraints]
climb = "z' = 0.75*sqrt(x'^2 + y'^2)"
"""


@pytest.mark.parametrize("method", METHODS)
def test_appell_with_variable_mass(method):
    numbers = REFERENCE["appell_varmass"]
    state = solve(read_text(APPELL.format(x=3, y=4, z=3.75)), method)
    assert list(state.accelerations.values()) == pytest.approx(numbers["accel_at_v345"], abs=1e-12)
    assert state.multipliers["climb"] == pytest.approx(numbers["lambda_at_v345"], abs=1e-12)
    run = simulate(read_text(APPELL.format(x=30, y=40, z=37.5)), method, at=[3.0], tolerance=1e-12)
    found = [run.coordinates[name][-1] for name in ("x", "y", "z")]
    assert found == pytest.approx(numbers["pos_at_3"], rel=1e-9)
    assert sqrt(run.speeds["x"][-1] ** 2 + run.speeds["y"][-1] ** 2) == pytest.approx(numbers["rho_at_3"], rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_mass_that_its_own_thrust_cancels_is_refused(method):
    """m = m₀ e^{−v/c} with u = −c: 𝓜 = m − u ∂m/∂q̇ ≡ 0."""
    body = {"mass": "2*exp(-x'/3)", "position": ["x", 0, 0], "ejection": [-3, 0, 0]}
    model = model_of({"coordinates": {"x": 0}, "speeds": {"x": 0.5}, "bodies": {"b": body}})
    with pytest.raises(MathematicsError, match="x carries no inertia"):
        solve(model, method)


def test_310_is_not_more_general_than_215():
    """All choices of quasi-velocities give the same accelerations and reactions."""
    plain = sleigh("sleigh_m_q_qd_t")
    text = collection.text("qiao-sleigh").replace('mass = "m0 - k*t"', f'mass = "{MASS["sleigh_m_q_qd_t"]}"')
    chosen = read_text(text + "\n[quasi_velocities]\nV = \"x'*cos(theta) + y'*sin(theta)\"\nw = \"theta' + 0.3*x'\"\n")
    one, two = solve(plain, "qiao-lagrange"), solve(chosen, "qiao-quasi")
    assert list(two.accelerations.values()) == pytest.approx(list(one.accelerations.values()), abs=1e-12)
    assert two.multipliers["blade"] == pytest.approx(one.multipliers["blade"], abs=1e-12)


def test_223_where_T_has_no_coordinates():
    """T = T(q̇, t), ∂m/∂q = 0: d/dt ∂T/∂W_s + Σ_rk ∂T/∂W_k ȧ_kr a⁻¹_rs = K̃_s + ψ_s, constraints put in afterwards."""
    text = """
    [coordinates]
    x = 0
    y = 0
    theta = 0.4
    [speeds]
    x = "2*cos(0.4)"
    y = "2*sin(0.4)"
    theta = 0.7
    [bodies.disk]
    mass = "3 - 0.2*t"
    position = ["x", "y", 0]
    rotation = [["z", "theta"]]
    inertia = [0, 0, 0.5]
    ejection = [1, 2, 0]
    [constraints]
    edge = "y'*cos(theta) - x'*sin(theta) = 0"
    """
    state = solve(read_text(text), "qiao-lagrange")
    th, V, w, m, md = 0.4, 2.0, 0.7, 3.0, -0.2
    c, s = cos(th), sin(th)
    # W = (ẋ cos θ + ẏ sin θ, θ̇, ẏ cos θ − ẋ sin θ); T = ½m(W₁² + W₃²) + ¼W₂²; W₃ = 0 after differentiating
    a_dot = w * np.array([[-s, c, 0], [0, 0, 0], [-c, -s, 0]])
    inverse = np.array([[c, 0, -s], [s, 0, c], [0, 1, 0]])
    slopes = np.array([m * V, 0.5 * w, 0.0])
    bent = slopes @ a_dot @ inverse
    u = np.array([1.0, 2.0, 0.0]) @ inverse  # thrust along W
    psi = md * u[:2] + np.array([md * V, 0])  # R + ṁv
    W1_dot = (psi[0] - bent[0] - md * V) / m
    W2_dot = (psi[1] - bent[1]) / 0.5
    assert forward(state) == pytest.approx(W1_dot, abs=1e-12)
    assert state.accelerations["theta"] == pytest.approx(W2_dot, abs=1e-12)
