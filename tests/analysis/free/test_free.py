"""Free sets: states from which constraints need no force. WangGao (13)–(17), with the complete chain."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
import symengine as se

from dalembert.api.analyze import analyze
from dalembert.api.motion import simulate
from dalembert.collection import path
from dalembert.expressions.parse import parse
from dalembert.mechanics.algebra import Symbols
from dalembert.mechanics.lowering import Lowering
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text
from dalembert.results.effort import effort

SECONDS = 90  # machines differ in speed; the test is about the answer

PARTICLE = """
[parameters]
g = {g}
k = 1
[coordinates]
x = 0
y = 0
z = 0
[speeds]
x = 0.6
y = 0.8
z = 1
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "g*z"
[constraints]
climb = "z' = k*sqrt(x'^2 + y'^2)"
"""


def free(record, seconds: float = SECONDS):
    return analyze(record, ["free"], seconds=seconds, until=record.simulation.start + 0.2)["free"]


def families(found) -> set[frozenset[str]]:
    return {frozenset(c.text for c in part.conditions) for part in found.components}


@cache
def free_of(name: str):
    return free(model(name))


def model(name: str, **settings):
    return with_settings(read(path(name)), settings)


def test_knife_edge_on_a_plane_slides_straight_or_turns_in_place():
    found = free(model("knife-edge", alpha=0))
    assert families(found) == {frozenset({"x'", "y'"}), frozenset({"phi'", "sin(phi)*x' - cos(phi)*y'"})}
    assert found.here  # it turns in place at the start
    assert [part.dimension for part in found.components] == [4, 4]


def test_skate_on_an_incline_is_free_only_straight_down():
    found = free_of("knife-edge")
    assert families(found) == {frozenset({"sin(phi)", "phi'", "y'"})}
    assert not found.here and found.possible
    assert abs(found.chain[1]) < 1e-12 < abs(found.chain[2])  # (17) holds, but the motion is not free


def test_nonholonomic_particle():
    """ż = y ẋ, no force: Φ₁ = −ẏ ẋ."""
    found = free_of("nonholonomic-particle")
    assert families(found) == {frozenset({"x'", "z'"}), frozenset({"y'", "y*x' - z'"})} or families(found) == {
        frozenset({"x'"}),
        frozenset({"y'"}),
    }


def test_upright_disk_rolls_straight_or_turns_in_place():
    assert families(free_of("vertical-rolling-disk")) == {frozenset({"theta'"}), frozenset({"phi'"})}


def test_rolling_disk_rolls_straight_spins_or_turns_about_a_hub_at_rest():
    """The third family: R ψ'² cos θ = 4 g with the hub at rest, the steady motion of Euler's disk."""
    record = model("rolling-disk")
    found = free_of("rolling-disk")
    assert len(found.components) == 3
    assert all(part.dimension == 5 for part in found.components)
    assert frozenset({"lean'", "sin(lean)", "yaw'"}) in families(found)
    assert frozenset({"lean'", "sin(lean)", "roll'"}) in families(found)
    lean, R, g = 0.4, 0.5, 9.81
    turn = np.sqrt(4 * g / (R * np.cos(lean)))
    steady = {"lean": lean, "lean'": 0, "yaw'": turn, "roll'": -turn * np.sin(lean)}
    there = with_settings(record, steady)
    motion = simulate(there, until=2)
    assert max(np.abs(values).max() for values in motion.multipliers.values()) < 1e-6


@pytest.mark.parametrize(("g", "always", "possible"), [(0, True, True), (9.81, False, False)])
def test_appell_and_hamel_with_and_without_gravity(g: float, always: bool, possible: bool):
    found = free(read_text(PARTICLE.format(g=g)))
    assert (found.always, found.possible, found.here) == (always, possible, always)


def test_long_s_cart_with_a_singular_mass_matrix_is_free_straight_down():
    found = free(model("long-1"))
    assert families(found) == {frozenset({"cos(q2)", "q2'", "q1' - q3'"})}


def test_holonomic_constraints_have_free_sets_too():
    """A particle on the circle x² + y² = 1 in the field of a spring that pulls by its own distance: ω² = k."""
    text = """
    [parameters]
    k = 3
    [coordinates]
    x = 1
    y = 0
    [speeds]
    y = "sqrt(3)"
    [energy]
    kinetic = "(x'^2 + y'^2)/2"
    potential = "k/2*(x^2 + y^2)"
    [constraints]
    ring = "x^2 + y^2 = 1"
    """
    found = free(read_text(text))
    assert found.here and [part.dimension for part in found.components] == [1]


@pytest.fixture
def no_symbols(monkeypatch):
    """SymPy never ends."""

    @contextmanager
    def within():
        with monkeypatch.context() as patch:
            patch.setattr("dalembert.analysis.free.symbols.bounded", lambda *_, **__: (None, "it took more than 0 s"))
            yield

    return within


def test_states_are_looked_for_where_symbols_take_too_long(no_symbols):
    with no_symbols():
        found = free(model("suslov"))
    assert found.components == () and "not worked out in symbols" in found.notes[-1]
    assert found.states
    for state in found.states:
        motion = simulate(with_settings(model("suslov"), state), until=0.5)
        assert max(np.abs(values).max() for values in motion.multipliers.values()) < 1e-3


def test_effort_of_a_pendulum_s_rod():
    """Q = 2λ(x, y) has the size of the rod's force m(g cos + L ω²); its power vanishes."""
    record = read(path("simple-pendulum-cartesian"))
    motion = simulate(record, samples=2001)
    told = effort(motion)
    name = next(iter(motion.multipliers))
    force = told.forces[0]
    Q = np.column_stack([motion.reactions[name][q] for q in motion.coordinates])
    square = (Q**2).sum(axis=1)
    assert force.effort == pytest.approx(np.trapezoid(square, motion.times), rel=1e-5)
    assert force.largest == pytest.approx(np.sqrt(square.max()))
    assert force.power < 1e-6 and abs(force.work) < 1e-6


@pytest.mark.parametrize("name", ["knife-edge", "nonholonomic-particle", "vertical-rolling-disk", "rolling-disk"])
def test_states_found_by_numbers_lie_in_the_families_found_in_symbols(name: str, no_symbols):
    """Two independent ways find the same families."""
    record, found = model(name), free_of(name)
    with no_symbols():
        looked = free(record)
    assert looked.states
    for state in looked.states:
        values = {se.Symbol(name): number for name, number in state.items()}
        values |= {se.Symbol(name): float(p.value.value) for name, p in record.parameters.items()}
        off = [max(abs(float(c.subs(values))) for c in family) for family in expressions(record, found)]
        assert min(off) < 1e-3  # Newton's method ends early at the states where families meet


def expressions(record, found):
    lowering = Lowering(record, Symbols(tuple(record.coordinates)))
    return [[lowering.scalar(parse(c.text)) for c in part.conditions] for part in found.components]
