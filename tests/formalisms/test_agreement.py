"""All methods on random systems: accelerations and multipliers agree, and energy is balanced by power."""

import numpy as np
import pytest
import symengine as se
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.formalisms import CHETAEV, derive
from dalembert.mechanics.algebra import dot, total
from dalembert.mechanics.system import System
from dalembert.model.read import model_of, read
from dalembert.model.values import initial_values
from dalembert.motions.accelerations import solve_accelerations
from dalembert.motions.initial import consistent
from dalembert.programs.system import CompiledSystem
from random_systems import case


def agree(seed):
    drawn = case(seed)
    reference = None
    for name in CHETAEV:
        system, x = drawn.compiled(name)
        found = solve_accelerations(system, x)
        values = np.concatenate([found.a, found.multipliers])
        if reference is None:
            reference = values
        scale = 1 + np.abs(reference).max()
        np.testing.assert_allclose(values, reference, rtol=0, atol=1e-10 * scale, err_msg=f"{name}, seed {seed}")
    D, d, A, b, R = system.unpacked(system.dynamics(x))
    np.testing.assert_allclose(A @ found.a, b, atol=1e-9)
    np.testing.assert_allclose(D @ found.a, d + R @ found.multipliers, atol=1e-9 * scale)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(seed=st.integers(min_value=0, max_value=10**9))
def test_all_methods_agree(seed):
    agree(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 1000, 100))
def test_all_methods_agree_on_more(start):
    for seed in range(start, start + 100):
        agree(seed)


@pytest.mark.parametrize(
    "wanted", [{"varying": True, "ejection": True, "bodies": True}, {"redundant": True, "linear": True}]
)
def test_all_methods_agree_where_it_is_hard(wanted):
    for seed in range(400, 408):
        drawn = case(seed, **wanted)
        answers = []
        for name in CHETAEV:
            found = solve_accelerations(*drawn.compiled(name))
            answers.append(np.concatenate([found.a, found.multipliers]))
        np.testing.assert_allclose(answers, [answers[0]] * len(answers), atol=1e-10 * (1 + np.abs(answers[0]).max()))


@pytest.mark.parametrize("name", collection.names())
def test_all_methods_agree_on_the_gallery(name):
    """At a state near the start that satisfies the constraints."""
    model = read(collection.path(name))
    values = initial_values(model)
    answers, state = [], None
    for method in CHETAEV:
        system = CompiledSystem(derive(model, method, numeric=True), "numpy")
        if state is None:
            chance = np.random.default_rng(1)
            q = [values.coordinates[c] + chance.uniform(-0.1, 0.1) for c in system.equations.coordinates]
            v = [(values.speeds[c] or 0) + chance.uniform(-0.1, 0.1) for c in system.equations.coordinates]
            state = consistent(system, q, v, np.ones(len(v), bool), t=0.3)[:2]
        found = solve_accelerations(system, system.state(0.3, *state))
        answers.append(np.concatenate([found.a, found.multipliers]))
    np.testing.assert_allclose(answers, [answers[0]] * len(answers), atol=1e-10 * (1 + np.abs(answers[0]).max()))


def evaluated(system, drawn, a, expressions):
    motion = system.motion
    symbols = [motion.t, *motion.q, *motion.v, *motion.a]
    return np.array(se.Lambdify(symbols, expressions, backend="lambda")([drawn.t, *drawn.q, *drawn.v, *a])).ravel()


def rate(motion, e):
    """de/dt along a motion."""
    return total([motion.derivative(e), *(e.diff(v) * a for v, a in zip(motion.v, motion.a, strict=True))])


@pytest.mark.parametrize("seed", range(500, 512))
def test_power_of_rheonomic_systems(seed):
    """d/dt (q̇·∂T/∂q̇ − T + V) = q̇·(Q′ + Aᵀν) − ∂T/∂t + ∂V/∂t; Q′ are the forces without potential."""
    drawn = case(seed, varying=False, loads=False, rheonomic=True)
    compiled, x = drawn.compiled("chetaev")
    found = solve_accelerations(compiled, x)
    system = System(drawn.model, numeric=True)
    motion, T, V = system.motion, system.kinetic, system.potential
    jacobi = dot(motion.gradient(T, motion.v), motion.v) - T + V
    free = [f + s for f, s in zip(system.fields, motion.gradient(system.given_potential, motion.q), strict=True)]
    left, right = evaluated(
        system, drawn, found.a, [rate(motion, jacobi), dot(free, motion.v) - T.diff(motion.t) + V.diff(motion.t)]
    )
    right += drawn.v @ compiled.unpacked(compiled.dynamics(x))[4] @ found.multipliers
    assert left == pytest.approx(right, abs=1e-8 * (1 + abs(right)))


@pytest.mark.parametrize("seed", range(520, 532))
def test_power_of_variable_mass(seed):
    """dT/dt = q̇·(Q + Aᵀν) + Σ ṁ (u·v + ½v²), inertias constant; for an energy without bodies q̇·∂T/∂q̇ − T."""
    drawn = case(seed, varying=True, ejection=True, bodies=True, rheonomic=False)
    compiled, x = drawn.compiled("kane")
    found = solve_accelerations(compiled, x)
    system = System(drawn.model, numeric=True)
    motion = system.motion
    gained = []
    for body in system.bodies.values():
        v = [rate(motion, c) for c in body.centre.position]
        gained.append(rate(motion, body.mass) * (dot(body.ejection, v) + dot(v, v) / 2))
    given = system.given_kinetic
    stored = system.kinetic - 2 * given + dot(motion.gradient(given, motion.v), motion.v)
    left, right = evaluated(
        system, drawn, found.a, [rate(motion, stored), dot(system.forces, motion.v) + total(gained)]
    )
    right += drawn.v @ compiled.unpacked(compiled.dynamics(x))[4] @ found.multipliers
    assert left == pytest.approx(right, abs=1e-8 * (1 + abs(right)))


def test_gravity_that_varies_in_space_is_a_force_without_a_potential():
    field = {"gravity": ["-4*x", 0, "-9.81*y"], "coordinates": {"x": 1, "y": 2}}
    model = model_of(field | {"bodies": {"p": {"mass": 2, "position": ["x", "y", 0]}}})
    state = solve(model)
    assert state.accelerations == {"x": -4.0, "y": 0.0}
    assert state.energy["potential"] == 0.0
    assert any("gravity varies" in note for note in state.notes)
    uniform = model_of(
        field | {"gravity": [0, "-9.81 + t", 0], "bodies": {"p": {"mass": 2, "position": ["x", "y", 0]}}}
    )
    assert solve(uniform).energy["potential"] == pytest.approx(2 * 9.81 * 2)
    assert solve(uniform).notes == ()


def test_a_long_chain_by_relative_angles_stays_small():
    """Turns about one axis add up; and the power of gravity is what the kinetic energy gains."""
    n = 30
    frames = {"f0": {"turn": [["z", "q0"]]}}
    frames |= {f"f{i}": {"from": f"f{i - 1}", "turn": [["z", f"q{i}"]]} for i in range(1, n)}
    points = {"p0": [0, 0, 0]} | {f"p{i + 1}": {"from": f"p{i}", "in": f"f{i}", "at": [1, 0, 0]} for i in range(n)}
    chain = {"gravity": [0, -9.81, 0], "coordinates": {f"q{i}": {"initial": 0.1, "speed": 0.2} for i in range(n)}}
    chain |= {"frames": frames, "points": points}
    model = model_of(chain | {"bodies": {f"b{i}": {"mass": 1, "position": f"p{i + 1}"} for i in range(n)}})
    assert System(model).lowering.attitude(f"f{n - 1}").matrix[0][0] == se.cos(sum(se.symbols(f"q0:{n}")))
    found = solve(model)
    angles, rates = 0.1 * np.arange(1, n + 1), 0.2 * np.arange(1, n + 1)
    vx, vy = -np.cumsum(np.sin(angles) * rates), np.cumsum(np.cos(angles) * rates)
    assert found.energy["kinetic"] == pytest.approx(np.sum(vx**2 + vy**2) / 2, rel=1e-12)
    turning = np.cumsum(list(found.accelerations.values()))
    ax = -np.cumsum(np.sin(angles) * turning + np.cos(angles) * rates**2)
    ay = np.cumsum(np.cos(angles) * turning - np.sin(angles) * rates**2)
    assert np.sum(ax * vx + ay * vy) == pytest.approx(-9.81 * vy.sum(), rel=1e-9)
