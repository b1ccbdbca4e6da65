"""The records of a sweep are those of single motions, for any other motions in the sweep."""

from collections import OrderedDict
from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert import prepared
from dalembert.api.sweep import build, ordered
from dalembert.errors import ModelError
from dalembert.model.read import model_of, read_text
from dalembert.model.values import initial_values

OSCILLATOR = """
title = "Oscillator"
[parameters]
m = { value = 1, min = 0.1 }
k = { value = 4, unit = "N/m" }
w = "sqrt(k/m)"
[coordinates]
x = { initial = "1/w", speed = 0, unit = "m" }
[definitions]
twice = "2*x"
arrow = "[x, 2*x, 3*x]"
[bodies.mass]
mass = "m"
position = ["x", 0, 0]
[energy]
potential = "k*x^2/2"
[events.middle]
when = "x"
[simulation]
duration = 4
"""


@pytest.fixture
def oscillator(loaded):
    return loaded(OSCILLATOR, "oscillator")


def computed(model, vary, keep, first=0, last=None, **more):
    plan = build(ordered(model.record, vary, keep=keep, **more))
    return plan, plan.computed(first, plan.order.space.size if last is None else last, lambda: False)


def test_every_record_of_an_oscillator_in_closed_form(oscillator):
    k = np.array([1.0, 4.0, 9.0])
    w = np.sqrt(k)  # x = cos(w t)/w, because the initial value follows the parameter
    found = oscillator.sweep(
        {"k": k},
        record=[
            "final", "final twice", "final x^2 + 1", "x at 0,1,2.5", "max x'", "min x", "max energy.total", "events",
            "events crossing middle", "crossing x = 0", "crossing x = 0 rising", "down = crossing x' = 0 falling",
            "drift", "final x''", "crossing energy.kinetic = 0.25", "crossing x'' = 0", "final t", "final arrow",
            "min 0*t + w",
        ],
        tolerance=1e-11,
    )  # fmt: skip
    end = 4.0

    def check(name, expected, tolerance=1e-8):
        np.testing.assert_allclose(found[name].values, expected, rtol=tolerance, atol=tolerance, err_msg=name)

    check("final x", np.cos(w * end) / w)
    check("final x'", -np.sin(w * end))
    check("final twice", 2 * np.cos(w * end) / w)
    check("final x^2 + 1", np.cos(w * end) ** 2 / w**2 + 1)
    check("x(t)", np.cos(np.outer(w, [0, 1, 2.5])) / w[:, None])
    check("max x'", [np.sin(4.0 - np.pi) if w_ * end < 1.5 * np.pi else 1.0 for w_ in w])
    check("min x", -1 / w)
    check("max energy.total", np.full(3, 0.5))
    passed = np.floor(w * end / np.pi + 0.5)
    check("events", passed, 0)
    check("events crossing middle", passed, 0)
    check("crossing x = 0", np.pi / 2 / w)
    check("crossing x = 0 rising", np.where(1.5 * np.pi / w < end, 1.5 * np.pi / w, np.nan))
    check("down", np.where(2 * np.pi / w < end, 2 * np.pi / w, np.nan))
    check("final x''", -w * np.cos(w * end))
    check("crossing energy.kinetic = 0.25", np.pi / 4 / w)
    check("crossing x'' = 0", np.pi / 2 / w)
    check("final t", np.full(3, end), 0)
    check("final arrow.x", np.cos(w * end) / w)
    check("final arrow.z", 3 * np.cos(w * end) / w)
    check("min 0*t + w", w)
    assert (found["drift"] < 1e-9).all()
    assert found["final x"].attrs["units"] == "m" and found["k"].attrs["units"] == "N/m"
    assert (found["status"] == 0).all() and "message" not in found


@pytest.mark.parametrize("name", ["double-pendulum", "rolling-disk", "chaplygin-sleigh", "bouncing-ball", "rocket"])
def test_a_motion_of_a_sweep_is_the_motion_alone(name, monkeypatch):
    """To the last bit, if the model was not asked with other values before: those it leaves open are no constants."""
    monkeypatch.setattr(prepared, "_KNOWN", OrderedDict())
    model = da.gallery(name)
    q = next(iter(model.record.coordinates))
    p, stated = next(iter(initial_values(model.record).parameters.items()))
    value = model.solve().coordinates[q]
    until = model.record.simulation.start + 0.7
    asked = {"vary": {q: [value, value + 0.05]}, "record": ["final", "drift", "events"], "until": until}
    found, fast = model.sweep(**asked, engine="reference"), model.sweep(**asked)
    for i, setting in enumerate(found[q].values.tolist()):
        alone = model.simulate(until=until, samples=2, settings={q: setting})
        for c in (*alone.coordinates, *(f"{c}'" for c in alone.coordinates)):
            assert found[f"final {c}"][i] == alone[c][-1]
            np.testing.assert_allclose(fast[f"final {c}"][i], alone[c][-1], rtol=1e-7, atol=1e-7)
        assert found["events"][i] == fast["events"][i] == len(alone.events)
    varied = model.sweep({p: [0.99 * stated]}, until=until)
    alone = model.simulate(until=until, samples=2, settings={p: 0.99 * stated})
    np.testing.assert_allclose(varied[f"final {q}"].values, alone[q][-1], rtol=1e-6, atol=1e-6)


def _engines_agree(name):
    model = da.gallery(name)
    values, timing = initial_values(model.record), model.record.simulation
    q = next(iter(model.record.coordinates))
    until = timing.start + min(0.3, timing.duration or 0.3)
    stated = {p: values.parameters[p] for p in list(model.record.parameters)[:2] if values.parameters[p]}
    vary = {p: [value, 0.995 * value] for p, value in stated.items()}
    vary[q] = [values.coordinates[q], values.coordinates[q] + 1e-3]
    records = ["final", f"max {q}", "events", f"crossing {q}' = 0.01", "final energy.total"]
    fast, plain = (model.sweep(vary, record=records, until=until, engine=e) for e in ("threads", "reference"))
    for variable in plain.data_vars:
        np.testing.assert_allclose(fast[variable], plain[variable], rtol=1e-6, atol=1e-6, err_msg=str(variable))
    last = plain.isel(dict.fromkeys(vary, -1))
    alone = model.simulate(until=until, samples=2, settings={name: v[1] for name, v in vary.items()})
    for c in alone.coordinates:
        np.testing.assert_allclose(last[f"final {c}"], alone[c][-1], rtol=1e-8, atol=1e-8)


SOME = ("car-axis", "heisenberg", "qiao-sleigh", "sliding-to-rolling", "yoyo-despin", "zhang-mei-ball")


@pytest.mark.parametrize("name", SOME)
def test_models_of_the_gallery_can_be_swept(name):
    _engines_agree(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in da.gallery() if name not in SOME])
def test_every_model_of_the_gallery_can_be_swept(name):
    _engines_agree(name)


def test_the_chunks_do_not_matter(oscillator):
    vary, keep = {"k": "1:9:7", "x'": "0:1:3"}, ["final", "max x", "x at 1,2"]
    plan, whole = computed(oscillator, vary, keep)
    for cuts in ([0, 21], [0, 1, 2, 20, 21], [0, 10, 11, 21]):
        parts = [plan.computed(a, b, lambda: False) for a, b in pairwise(cuts)]
        np.testing.assert_array_equal(np.concatenate([p.values for p in parts]), whole.values)
        np.testing.assert_array_equal(np.concatenate([p.status for p in parts]), whole.status)


def test_a_motion_that_fails_says_why_and_disturbs_no_other(oscillator):
    oscillator_ = oscillator.sweep({"m": [1, 0.05, 2]}, record=["final", "max x"])
    assert oscillator_["status"].values.tolist() == [0, 3, 0]
    assert "at least 0.1 is allowed by its bounds" in str(oscillator_["message"].values[1])
    assert np.isnan(oscillator_["final x"].values).tolist() == [False, True, False]
    alone = oscillator.sweep({"m": [1, 2]}, record=["final", "max x"])
    for name in alone.data_vars:
        np.testing.assert_array_equal(alone[name].values, oscillator_[name].values[[0, 2]])
    rocket = da.gallery("rocket")  # its mass goes below zero on the way
    p = rocket.record
    burnt = rocket.sweep({next(iter(p.coordinates)): [0.0]}, until=1e4)
    assert burnt["status"].values.tolist() == [2] and burnt["message"].values[0]


def test_what_a_model_forbids_is_found_without_trying_each(oscillator):
    model = da.gallery("bouncing-ball")
    e = next(name for name in model.record.parameters if name in ("e", "restitution"))
    found = model.sweep({e: [0.5, 1.5, -0.1]}, until=0.1)
    assert found["status"].values.tolist() == [0, 3, 3]
    assert "from 0 to 1 is expected" in str(found["message"].values[1])


def test_a_body_of_revolution_must_stay_one():
    model = da.Model("spinning")
    phi, s = model.coordinates("phi s", s=0.1)
    a = model.parameters(a=2)
    model.body("top", mass=1, position=[s, 0, 0], spin=("z", phi), inertia=[a, 2, 1])
    found = model.sweep({"a": [2, 2.5]}, until=0.1)
    assert found["status"].values.tolist() == [0, 3]
    assert "not symmetric about the spin" in str(found["message"].values[1])


def test_initial_multipliers_vary_where_there_are_any():
    model = da.gallery("heisenberg")
    row = next(iter(model.record.constraints))
    found = model.sweep(
        {f"multipliers.{row}": [0, 0.5, 1]}, method="vakonomic", until=1, record=[f"multiplier.{row} at 0"]
    )
    np.testing.assert_array_equal(found[f"multiplier.{row}(t)"].values[:, 0], [0, 0.5, 1])
    with pytest.raises(ModelError, match="only a vakonomic motion"):
        model.sweep({f"multipliers.{row}": [0, 1]}, method="chetaev", until=1)


def test_an_event_that_stops_is_the_end():
    text = OSCILLATOR.replace('when = "x"', 'when = "x"\nstop = true')
    model = da.Model.of(read_text(text))
    found = model.sweep({"k": [4.0]}, record=["final t", "final x", "x at 0.1,2", "min x", "events"])
    assert found["status"].values.tolist() == [1]
    np.testing.assert_allclose(found["final t"].values, np.pi / 4, rtol=1e-8)
    np.testing.assert_allclose(found["final x"].values, 0, atol=1e-9)
    np.testing.assert_allclose(found["min x"].values, 0, atol=1e-9)
    assert np.isnan(found["x(t)"].values).tolist() == [[False, True]]


def test_extremes_see_both_sides_of_a_jump():
    model = da.gallery("bouncing-ball")
    z = next(iter(model.record.coordinates))
    g = 9.81
    found = model.sweep({z: [1.0, 2.0]}, record=[f"max {z}'", f"min {z}'", "min energy.total"], until=0.7)
    speed = np.sqrt(2 * g * found[z].values)
    np.testing.assert_allclose(found[f"min {z}'"].values, -speed, rtol=1e-8)
    assert (found[f"max {z}'"].values < speed).all() and (found[f"max {z}'"].values > 0.5 * speed).all()


def test_stiff_motions_are_followed_to_the_end():
    model = da.Model("stiff")
    x = model.coordinates("x", x=1)
    c = model.parameters(c=1e7)
    model.body("mass", mass=1, position=[x, 0, 0])
    model.energy(dissipation=c * x.dot**2 / 2, potential=x**2 / 2)
    found = model.sweep({"c": "1:1e7:2:log"}, until=5, record=["final", "max x"])
    np.testing.assert_allclose(found["final x"].values[1], np.exp(-5e-7), rtol=1e-8)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("final y", "y"),
        ("max", "max Q"),
        ("maximum x", "known"),
        ("x at 5", "5 is outside"),
        ("x at -1", "-1 is outside"),
        ("x at 0:1", "FIRST:LAST:COUNT"),
        ("crossing x", "crossing QUANTITY = VALUE"),
        ("crossing x = y", "a finite number"),
        ("events bang", "no event, contact or friction bang"),
        ("final x +", "final x \\+"),
        ("final arrow + 1", "final arrow"),
        ("max multiplier.rod", "no quantity multiplier.rod"),
        ("two = final", "cannot all be called two"),
        ("__k = final x", "do not begin with"),
        ("k = final x", "is the name of something else"),
        ("", "an empty record"),
        ("d(x)/d(y)", "no parameter, coordinate or speed 'y' to vary"),
        ("d(y)/d(k)", "y"),
        ("d(energy.all)/d(k)", "energy.all"),
        ("d(multiplier.rod)/d(k)", "no quantity multiplier.rod"),
        ("d(arrow)/d(k)", "arrow is a vector"),
        ("critical k", "critical NAME = FIRST:LAST:COUNT"),
        ("x at 0:4:2000000", "FIRST:LAST:COUNT"),
    ],
)
def test_a_record_that_cannot_be_kept_is_refused(oscillator, record, words):
    with pytest.raises(ModelError, match=words):
        oscillator.sweep({"k": [1, 2]}, record=[record])


def test_how_motions_ended_is_kept_without_any_number(oscillator):
    found = oscillator.sweep({"k": [1, 2]}, record="status")
    assert list(found.data_vars) == ["status"] and found["status"].values.tolist() == [0, 0]


def test_the_same_record_twice_is_refused(oscillator):
    with pytest.raises(ModelError, match="recorded twice"):
        oscillator.sweep({"k": [1, 2]}, record=["max x", "max x"])


def test_derivatives_of_motions(oscillator):
    k = np.array([1.0, 4.0])
    w, t = np.sqrt(k), 4.0
    records = ["d(x)/d(k)", "d(x)/d(x)", "d(k*x)/d(k)", "d(x')/d(k) at 0,4", "d(energy.total)/d(x')", "final x"]
    found = oscillator.sweep({"k": k}, record=records, tolerance=1e-11)
    slope = (-np.sin(w * t) * t / w - np.cos(w * t) / w**2) / (2 * w)  # of cos(w t)/w
    np.testing.assert_allclose(found["d(x) by d(k)"], slope, rtol=1e-7)
    np.testing.assert_allclose(found["d(x) by d(x)"], np.cos(w * t), rtol=1e-7)
    np.testing.assert_allclose(found["d(k*x) by d(k)"], np.cos(w * t) / w + k * slope, rtol=1e-7)
    np.testing.assert_allclose(found["d(x') by d(k)(t)"][:, 0], 0, atol=1e-9)
    np.testing.assert_allclose(found["d(x') by d(k)(t)"][:, 1], -np.cos(w * t) * t / (2 * w), rtol=1e-7)
    np.testing.assert_allclose(found["d(energy.total) by d(x')"], 0, atol=1e-9)
    dropped = da.gallery("bouncing-ball").sweep({"z": [1.0]}, record=["d(z)/d(e)"], until=0.6)
    hit = np.sqrt(2 / 9.81)
    np.testing.assert_allclose(dropped["d(z) by d(e)"], 9.81 * hit * (0.6 - hit), rtol=1e-7)  # after one impact


def test_eigenvalues_and_critical_values(oscillator):
    found = oscillator.sweep({"k": [1, 4]}, record=["eigenvalues", "growth", "final x"])
    np.testing.assert_allclose(found["eigenvalues imaginary"].values, [[1, -1], [2, -2]], atol=1e-12)
    np.testing.assert_allclose(found["growth"].values, 0, atol=1e-12)
    bicycle = da.gallery("whipple-bicycle").changed({"push": 0})
    speeds = bicycle.sweep({"c": [0.08]}, record=["critical v = 3:7:17"])["critical v"].values[0]
    np.testing.assert_allclose(speeds[:2], [4.29238253634111, 6.02426201538837], rtol=1e-10)
    assert np.isnan(speeds[2:]).all()


def test_coordinates_of_attitudes_and_places_on_surfaces_are_kept() -> None:
    """`final` keeps every coordinate, those with a point in their names too."""
    found = da.gallery("ball-in-bowl").sweep({"a": [0.5, 0.6]}, record=["final", "max bowl.u'"], until=0.1)
    assert {"final ball.e0", "final bowl.u", "final bowl.v'", "max bowl.u'"} <= set(found.data_vars)
    assert np.isfinite(found["final bowl.u"]).all()


def test_outputs_are_recorded_as_a_single_motion_has_them():
    """A normal force, a vector of reactions and a level that it passes."""
    drive = da.gallery("differential-drive")
    drive.output("load", "reaction.left.normal")
    drive.output("slip", "reaction.left.slip")
    keep = ["max load", "final slip", "load at 0.5", "crossing load = 53.2"]
    found = drive.sweep({"R": [0.1, 0.12]}, record=keep, until=1.0)
    for i, radius in enumerate((0.1, 0.12)):
        alone = drive.simulate(until=1.0, samples=2001, settings={"R": radius})
        assert found["max load"].values[i] == pytest.approx(alone["load"].max(), rel=1e-6)
        assert found["load(t)"].values[i] == pytest.approx(alone["load"][1000], rel=1e-8)
        for axis in "xyz":
            assert found[f"final slip.{axis}"].values[i] == pytest.approx(alone[f"slip.{axis}"][-1], abs=1e-7)
        passes = np.flatnonzero(np.diff(alone["load"] > 53.2))
        time = found["crossing load = 53.2"].values[i]
        assert np.isnan(time) if not len(passes) else abs(time - alone.times[passes[0]]) < 6e-4


@pytest.mark.parametrize("engine", ["threads", "reference"])
@pytest.mark.parametrize("by", ["controller", "data"])
def test_extrema_see_both_sides_of_a_jump(engine, by):
    """u x' jumps with u at given instants: from the left 0.5 · 1 and from the right 0.5 · (−2), say."""
    data = {
        "parameters": {"K": 1.0},
        "coordinates": {"x": 1.0},
        "energy": {"kinetic": "x'^2/2"},
        "forces": {"f": {"generalized": {"x": "K*u"}}},
        "definitions": {"power": "u*x'"},
    }
    if by == "data":
        data["inputs"] = {"u": {"times": [0, 0.5, 1.0, 1.5], "values": [1, -2, 0.5, 0], "between": "hold"}}
    else:
        data["sampled"] = {"c": {"every": 0.5, "u": "1 - 6*t"}}
    model = da.Model.of(model_of(data))
    found = model.sweep({"K": [1.0, 2.0]}, until=1.9, record=["max power", "min power"], engine=engine)
    # x' = 0, 0.5, −0.5, −0.25 at the knots; 0, 0.5, −0.5, −3 at the instants, and −6.2 at the end
    least, most = (-1.0, 1.0) if by == "data" else (-1.0, 49.6)
    assert found["min power"].values == pytest.approx([least, 2 * least], rel=1e-6)
    assert found["max power"].values == pytest.approx([most, 2 * most], rel=1e-6)
