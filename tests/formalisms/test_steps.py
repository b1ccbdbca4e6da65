"""Displayed derivations: every equation holds at the solution, and the papers' matrices are present."""

import numpy as np
import pytest
import symengine as se

import dalembert as da
from dalembert import collection
from dalembert.formalisms import CHETAEV, derive
from dalembert.formalisms.boltzmann_hamel import BoltzmannHamel
from dalembert.formalisms.display import Display, label
from dalembert.formalisms.quasi_steps import in_quasi_velocities
from dalembert.mechanics.algebra import dot
from dalembert.mechanics.elimination import eliminate, reduction
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.quasi import hamel_coefficients, inverted, left_sides_in_quasi_velocities, quasi_velocities
from dalembert.mechanics.system import System
from dalembert.model.read import read
from dalembert.model.values import initial_values
from dalembert.motions.accelerations import solve_accelerations
from dalembert.motions.initial import consistent
from dalembert.programs.system import CompiledSystem
from dalembert.report.lines import values
from random_systems import case

SMALL = ["sun-1", "qiao-sleigh", "chaplygin-sleigh", "constant-speed", "double-pendulum-cartesian"]
SMALL += [
    pytest.param(name, marks=pytest.mark.slow)
    for name in ("sun-3", "roller-racer", "appell-hamel", "snakeboard", "four-bar")
]


def numbers(model, name):
    """Every symbol that a derivation may hold, at a state near the start: speeds, accelerations, quasi-velocities …"""
    system = CompiledSystem(derive(model, name, numeric=True), "numpy")
    values, chance = initial_values(model), np.random.default_rng(5)
    q = [values.coordinates[c] + chance.uniform(-0.2, 0.2) for c in system.equations.coordinates]
    v = [(values.speeds[c] or 0) + chance.uniform(-0.5, 0.5) for c in system.equations.coordinates]
    q, v, _ = consistent(system, q, v, np.ones(len(v), bool), t=0.2)
    solution = solve_accelerations(system, system.state(0.2, q, v))
    equations = derive(model, name)
    known = {**equations.parameters, equations.t: 0.2}
    known |= dict(zip(equations.q, q, strict=True)) | dict(zip(equations.v, v, strict=True))
    accelerations = {se.Symbol(f"{c}''"): a for c, a in zip(equations.coordinates, solution.a, strict=True)}
    readable = System(model, readable=True)
    quasi, _ = quasi_velocities(readable)
    if equations.quasi is not None or model.quasi_velocities:
        free = len(quasi.names) - quasi.held
        rows = zip(quasi.names, quasi.values, quasi.jacobian, quasi.drift, strict=True)
        q_dotdot = tuple(accelerations)
        for i, (label, chosen, row, drift) in enumerate(rows):
            rate = dot(row, q_dotdot) + drift
            symbol = label if i < free else f"pi[{label}]"
            known[se.Symbol(symbol)] = chosen.subs(known)
            accelerations[se.Symbol(f"{symbol}'")] = float(rate.subs(accelerations).subs(known))
    multipliers = dict(zip(equations.multipliers, solution.multipliers, strict=True))
    forces = {se.Symbol(f"{letter}[{c}]"): nu for c, nu in multipliers.items() for letter in ("lambda", "mu")}
    known |= forces | accelerations
    reduced = reduction(readable, Display())
    letters = {} if reduced is None else dict(reduced.letters)
    if equations.quasi is not None:
        turned, _ = in_quasi_velocities(readable, quasi, Display(), readable.kinetic)
        letters |= {} if turned is None else turned.letters
    for symbol, e in letters.items():  # a letter may contain those before it
        known[symbol] = value(e, known)
    return equations, known, solution


def value(expression, known):
    return float(se.sympify(expression).subs(known))


def masses(equations, known):
    """The varying masses of the first step, under the symbols of later steps."""
    first = next((step for step in equations.steps if step.title == "Masses that vary"), None)
    if first is None:
        return {}
    body = next(iter(equations.masses))
    symbols = (se.Symbol(f"m[{body}]"), se.Symbol(f"m[{body}]'"))
    return {s: float(se.sympify(e).subs(known)) for s, (_, e) in zip(symbols, first.results, strict=True)}


@pytest.mark.parametrize("model", SMALL)
@pytest.mark.parametrize("name", CHETAEV)
def test_displayed_equations_hold_at_the_solution(model, name):
    equations, known, _ = numbers(read(collection.path(model)), name)
    known |= masses(equations, known)
    shown = [e for step in equations.steps for left, e in step.results if left == "0"]
    if name not in {"udwadia-kalaba", "chetaev", "boltzmann-hamel"}:
        assert shown
    general = [step for step in equations.steps if step.title != "Equations at the start"]
    written = [(left, right) for step in general for left, right in step.results if not isinstance(left, str)]
    assert written or name == "normalized-routh"  # whose two groups are the equations
    for left, right in [*written, *((0, e) for e in shown)]:
        assert abs(value(left, known) - value(right, known)) < 1e-9


@pytest.mark.parametrize("model", ["sun-1", "qiao-sleigh", "chaplygin-sleigh"])
@pytest.mark.parametrize("name", ["normalized-routh", "boltzmann-hamel", "qiao-quasi", "qiao-quasi-frozen"])
def test_displayed_reactions_are_the_multipliers(model, name):
    equations, known, solution = numbers(read(collection.path(model)), name)
    known |= masses(equations, known)
    forces = {left: e for step in equations.steps if step.title == "Generalized forces" for left, e in step.results}
    found = []
    for step in equations.steps[1:]:  # the first one describes the system, with its rotations R_x(α)
        for left, e in step.results if step.title != "Values at the start" else ():
            if not isinstance(left, str):
                continue
            if left.startswith(("R_", r"\sigma_")):
                found.append(value(e, known))
            elif " + R_" in left and step.title == "Equations of motion":  # P* + R = …
                found.append(value(e, known) - value(forces[left.partition(" + ")[0]], known))
    np.testing.assert_allclose(found, solution.multipliers, atol=1e-10)


def displayed(seed):
    """A random system whose quasi-velocities can be inverted in symbols; None if that would take too long."""
    drawn = case(seed, bodies=False, nonlinear=False, quasi=True, varying=False, linear=True, redundant=False)
    system = System(drawn.model, numeric=True)
    quasi, _ = quasi_velocities(system)
    turned = inverted(system, quasi, Display(0))
    return None if turned is None else (drawn, system, quasi, turned)


@pytest.mark.parametrize("name", ["boltzmann-hamel", "qiao-quasi"])
def test_displayed_energy_and_coefficients_satisfy_the_law(name):
    """(2.7) from T* and γ, and (3.10) from T*, are Lagrange's left side combined by ∂q̇/∂π at any state."""
    count = 0
    for seed in range(700, 716):
        found = displayed(seed)
        if found is None:
            continue
        count += 1
        drawn, system, quasi, turned = found
        motion, T = system.motion, turned.put_in(system.kinetic)
        if name == "boltzmann-hamel":
            gamma = [[turned.put_in(e) for e in row] for row in hamel_coefficients(quasi, turned.k, motion)]
            lefts = BoltzmannHamel.left_sides(motion, turned, T, gamma)
        else:
            lefts = left_sides_in_quasi_velocities(motion, turned, T, {})
        chance = np.random.default_rng(seed)
        at = {motion.t: drawn.t, **dict(zip(motion.q, drawn.q, strict=True))}
        inside = dict(at)
        for s in (*motion.v, *motion.a):
            at[s] = chance.normal()
        for p, dp, value, row, drift in zip(
            turned.pi, turned.rates, quasi.values, quasi.jacobian, quasi.drift, strict=True
        ):
            inside[p] = float(value.subs(at))
            inside[dp] = float((dot(row, motion.a) + drift).subs(at))
        inertia, _ = lagrange(system)
        plain = [dot(row, motion.a) + h for row, h in zip(inertia.matrix, inertia.vector, strict=True)]
        expected = [float(dot(plain, column).subs(at)) for column in zip(*turned.k, strict=True)]
        shown = [float(e.subs(inside)) for e in lefts]
        np.testing.assert_allclose(shown, expected, atol=1e-8 * (1 + np.abs(expected).max()))
    assert count >= 5


def test_a_step_shows_only_the_reactions_asked_for():
    steps = derive(read(collection.path("sun-1")), "normalized-routh", reactions=["XA", "YA"]).steps
    group = next(step for step in steps if step.title.startswith("Group I:"))
    assert [left for left, _ in group.results] == [r"\sigma_{\text{XA}}", r"\sigma_{\text{YA}}"]


def test_the_matrix_is_as_small_as_the_question():
    """sun-1 asked for the hinge at A alone is the paper's problem 2: [B] is 4×4; its reactions are the multipliers."""
    record = read(collection.path("sun-1"))
    _, known, solution = numbers(record, "normalized-routh")
    names = derive(record, "normalized-routh").multipliers
    for asked in (["XA", "YA"], ["YO"], ["XO", "YA"]):
        steps = derive(record, "normalized-routh", reactions=asked).steps
        found = {left: e for step in steps for left, e in step.results}
        assert len(found["[B]"]) == 2 + len(asked)
        for name in asked:
            sigma = value(found[rf"\sigma_{{\text{{{name}}}}}"], known)
            assert abs(sigma - solution.multipliers[names.index(name)]) < 1e-10
        assert all(abs(value(e, known)) < 1e-10 for step in steps for left, e in step.results if left == "0")
        assert not any("(2.3)" in step.locator for step in steps)


def test_a_reaction_is_asked_for_where_the_rest_is_long():
    """The rod that is kept has letters for its coefficients. Without a method, Sun's answers."""
    derivation = da.gallery("double-pendulum-cartesian").derive(reactions=["upper_rod"])
    assert derivation.method == "normalized-routh"
    equations, known, solution = numbers(read(collection.path("double-pendulum-cartesian")), "normalized-routh")
    found = {left: e for step in derivation.steps for left, e in step.results}
    for left in (r"b_{\text{lower\_rod}}", r"\beta_{y_{2}, \text{lower\_rod}}"):
        name = {"b": "b[lower_rod]", "\\": "beta[y2, lower_rod]"}[left[0]]
        known[se.Symbol(name)] = value(found[left], known)
    assert len(found["[B]"]) == 3
    sigma = value(found[r"\sigma_{\text{upper\_rod}}"], known)
    assert abs(sigma - solution.multipliers[equations.multipliers.index("upper_rod")]) < 1e-10
    assert all(abs(value(e, known)) < 1e-10 for step in derivation.steps for left, e in step.results if left == "0")


def test_dependent_speeds_are_those_that_the_model_leaves_out():
    names = ["x", "y", "q1", "q2", "q3"]
    choice = eliminate(System(read(collection.path("long-2"))))
    assert [names[j] for j in choice.independent] == ["q1", "q2"] and len(choice.redundant) == 1


def test_values_at_the_start_have_no_roots_of_squares():
    """Letters for long coefficients are replaced before numbers are put in, and √(L²) is L for L > 0."""
    steps = {step.key: dict(step.results) for step in da.gallery("car-axis").derive("normalized-routh").steps}
    g = se.Symbol("g")
    assert [steps["start"][rf"\ddot{{\text{{{name}}}}}"] for name in ("yl", "yr")] == [-g, -g]
    long = {step.key for step in da.gallery("car-with-trailer").derive("normalized-routh").steps}
    assert "start" not in long


BUFFER = """
[parameters]
k = 5
[coordinates]
x = 0.1
y = 0.1
[bodies.block]
mass = 1
position = ["x", "y", 0]
[forces.buffer]
body = "block"
force = ["-k*max(x + 2*y - 5, 0)*(1 + x*y) + k*max(x - 7 + y*2, 0)*x*y", 0, 0]
"""


@pytest.mark.parametrize("name", ["kane", "boltzmann-hamel"])
def test_a_force_that_is_zero_in_most_places_is_shown(loaded, name):
    """Whether a smooth expression vanishes is tested at a few places. That does not decide about a case distinction."""
    text = loaded(BUFFER).derive(name).text(steps=True)
    assert text.count("max(x - 5 + 2·y, 0)") >= 3 and "max(x - 7 + 2·y, 0)" in text


def test_a_limited_force_is_not_split_by_the_speeds():
    text = da.gallery("quadcopter-slung-load").derive("boltzmann-hamel").text(steps=True)
    last = text.partition("written out")[2]
    assert last.count("12·(z_to - z) - 8·z′, 0), 40)") == 2 and " if " not in last
    assert "9.81" in last and "981·" not in last  # decimals are not cleared


@pytest.mark.parametrize("name", ["roller-racer", "ball-on-turntable", "double-pendulum-cartesian", "four-bar"])
def test_every_letter_of_the_normalized_equations_is_told(name):
    steps = da.gallery(name).derive("normalized-routh").equations.steps
    told = {left for step in steps for left, _ in step.results if isinstance(left, str)}
    flat = [e for step in steps for e in values(step)]
    used = {s.name for e in flat for s in se.sympify(e).free_symbols if s.name.startswith(("C[", "E[", "b[", "beta["))}
    assert used and {label(s) for s in used} <= told
