"""Steps by Taylor series: accuracy, number of steps, events, and refusals if equations have kinks."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.collection.nlink import nlink
from dalembert.engine.sources import ROOM
from dalembert.motions.series import FIRST, order_of, pays, with_fewest_products
from dalembert.motions.written import unbound, written
from dalembert.prepared import prepare
from dalembert.programs.jets import products

PENDULUM = """
gravity = [0, 0, -9.81]
[coordinates]
theta = "pi/2"
[bodies.bob]
mass = 1
position = ["sin(theta)", 0, "-cos(theta)"]
[events.bottom]
when = "theta"
"""


@pytest.mark.parametrize("name", ["simple-pendulum", "rolling-disk", "chaplygin-sleigh", "euler-top", "snakeboard"])
def test_the_motion_is_that_of_other_steppers_in_fewer_evaluations(name) -> None:
    model = da.gallery(name)
    exact = model.simulate(until=4, at=[4.0], tolerance=1e-13, stepper="dop853")
    found = model.simulate(until=4, at=[4.0], tolerance=1e-11, stepper="taylor")
    for coordinate in exact.coordinates:
        size = max(1.0, abs(exact[coordinate][-1]))
        assert found[coordinate][-1] == pytest.approx(exact[coordinate][-1], abs=1e-9 * size)
    assert found.diagnostics.evaluations < exact.diagnostics.evaluations / 10
    assert found.diagnostics.stepper == "taylor"


@pytest.mark.parametrize("tolerance", [1e-7, 1e-8, 1e-9, 1e-10, 1e-11])
def test_a_symmetric_start_hides_no_order(loaded, tolerance) -> None:
    """From rest in the level position the series is one in t⁴: three of four orders vanish."""
    found = loaded(PENDULUM).simulate(until=10, samples=200, tolerance=tolerance, stepper="taylor")
    energy = np.asarray(found.energy["total"])
    assert np.abs(energy - energy[0]).max() < 100 * tolerance * 9.81


def test_events_are_those_of_other_steppers(loaded) -> None:
    model = loaded(PENDULUM)
    found = model.simulate(until=10, tolerance=1e-12, stepper="taylor")
    exact = model.simulate(until=10, tolerance=1e-13, stepper="dop853")
    assert [e.direction for e in found.events] == [e.direction for e in exact.events] and len(exact.events) > 5
    np.testing.assert_allclose([e.time for e in found.events], [e.time for e in exact.events], atol=1e-9)


def test_sums_of_angles_save_products() -> None:
    """Two links: sin(q1 − q2) and its cosine have two products, in place of four, and forces have six fewer."""
    system = prepare(nlink(2)).system
    mine = written(system).slopes
    shorter = with_fewest_products(system.equations, mine)
    assert products(shorter, 2) <= 14 < products(mine, 2) - 5


WALL = """
gravity = [0, -9.81, 0]
[coordinates]
q = -1.0
[bodies.bob]
mass = 1
position = ["sin(q)", "-cos(q)", 0]
[contacts.wall]
gap = "0.2 - q"
[simulation]
duration = 100
"""


@pytest.fixture
def at_a_wall(loaded):
    return loaded(WALL)


def test_impacts_are_those_of_other_steppers(at_a_wall) -> None:
    found = at_a_wall.simulate(until=20, tolerance=1e-12, stepper="taylor")
    exact = at_a_wall.simulate(until=20, tolerance=1e-13, stepper="dop853")
    assert len(found.events) == len(exact.events) > 10
    np.testing.assert_allclose([e.time for e in found.events], [e.time for e in exact.events], atol=1e-10)
    assert found.diagnostics.evaluations < exact.diagnostics.evaluations / 20
    assert found.diagnostics.stepper == "taylor"


def test_auto_goes_by_series_where_they_pay_and_a_motion_is_long(at_a_wall) -> None:
    short, plain = (at_a_wall.simulate(until=5, tolerance=1e-10, stepper=s) for s in ("auto", "dop853"))
    assert short.diagnostics.steps < FIRST and short["q"].tolist() == plain["q"].tolist()
    long, plain = (at_a_wall.simulate(tolerance=1e-10, stepper=s) for s in ("auto", "dop853"))
    assert long.diagnostics.evaluations < 0.6 * plain.diagnostics.evaluations
    assert long.diagnostics.stepper == "dop853, then taylor"
    loose, plain = (at_a_wall.simulate(tolerance=1e-7, stepper=s) for s in ("auto", "dop853"))
    assert loose.diagnostics.evaluations == plain.diagnostics.evaluations


def test_auto_has_the_same_bits_in_a_sweep(at_a_wall) -> None:
    starts = [-1.0, -0.9, -0.8]
    swept = at_a_wall.sweep({"q": starts}, record=["final q"], tolerance=1e-10)["final q"].values
    alone = [at_a_wall.simulate(settings={"q": q}, at=[100.0], tolerance=1e-10)["q"][-1] for q in starts]
    assert swept.tolist() == alone


def test_series_pay_by_what_slopes_cost_and_by_the_tolerance(at_a_wall) -> None:
    hybrid = prepare(at_a_wall.record).hybrid
    slopes = unbound(hybrid.system, hybrid.equations).slopes
    assert pays(slopes, 1e-8) and not pays(slopes, 1e-7)
    top = prepare(da.gallery("tippe-top").record).hybrid
    assert not pays(unbound(top.system, top.equations).slopes, 1e-12)


def test_the_engine_has_the_same_number_of_first_steps() -> None:
    assert f"constexpr long FIRST = {FIRST};" in (ROOM / "taylor.hpp").read_text(encoding="utf-8")


def test_the_order_grows_with_the_digits_asked_for() -> None:
    assert [order_of(tolerance) for tolerance in (1e-6, 1e-9, 1e-12, 1e-15)] == [11, 16, 21, 26]


def test_kinks_are_refused_with_another_stepper_named(tmp_path) -> None:
    file = tmp_path / "kink.toml"
    body = '[bodies.p]\nmass = 1\nposition = ["x", 0, 0]\n'
    file.write_text(f'[coordinates]\nx = 1\n{body}[forces.f]\ngeneralized = {{ x = "-abs(x)*x" }}\n')
    with pytest.raises(da.ModelError, match=r"taylor needs equations without abs.*use auto"):
        da.load(file).simulate(until=1, stepper="taylor")
