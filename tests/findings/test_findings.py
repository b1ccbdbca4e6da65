"""Models that once gave a wrong answer, each with the right one. The model files say more."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from fuzz.asked import Told, ask
from fuzz.known import finding
from fuzz.laws import breaches
from reference.motions import Functions, stepped

HERE = Path(__file__).parent
LIMIT = 4.0  # seconds for an answer: all of these are small


def text(name: str) -> str:
    return (HERE / f"{name}.toml").read_text()


def answered(told: Told) -> dict[str, Any]:
    assert not told.hung, "no answer within the time"
    assert told.values is not None, told.refusal
    return told.values


def solved(name: str) -> dict[str, Any]:
    return answered(ask("solve", text(name), limit=LIMIT))


def moved(name: str, until: float, samples: int = 2, **options: Any) -> dict[str, Any]:
    return answered(ask("simulate", text(name), until=until, samples=samples, **options, limit=LIMIT))


def last(values: dict[str, Any]) -> dict[str, float]:
    return {name: track[-1] for name, track in values["coordinates"].items()}


def lawful(name: str, values: dict[str, Any]) -> None:
    assert breaches(Functions(da.load(HERE / f"{name}.toml").record), values) == []


def as_reference(name: str, until: float, step: float, samples: int = 7) -> None:
    """The motion agrees with Moreau's steps, to the change by halving them, and keeps the laws of contact."""
    model = da.load(HERE / f"{name}.toml").record
    values = moved(name, until, samples)
    reference = stepped(model, values["times"], step)
    found = np.array([values["coordinates"][q] for q in model.coordinates]).T
    scale = 1.0 + np.abs(reference.q).max(axis=0)
    assert np.all(np.abs(found - reference.q) < 3 * reference.error + 1e-6 * scale)
    lawful(name, values)


@finding("two-feet-slide")
def test_a_box_on_two_feet_slides() -> None:
    """From F = 2.1875 on, with x″ = (1.6 F − 3.5)/1.3."""
    as_reference("two-feet-never-slide", 1.2, 0.01)


@finding("two-feet-split")
def test_a_split_inside_the_cone_is_told() -> None:
    values = solved("two-feet")
    assert values["accelerations"] == pytest.approx({"x": 0.0, "y": 0.0}, abs=1e-12)
    assert values["multipliers"]["left"] >= 0.7 - 1e-9
    lawful("two-feet", values)


@finding("four-legs")
def test_a_table_on_four_legs_slides_when_all_legs_do() -> None:
    assert last(moved("four-legs-slide-late", 1.5))["x"] == pytest.approx(0.28125, abs=1e-7)


@finding("three-legs")
def test_a_table_on_three_legs_slides() -> None:
    values = solved("three-legs-false-painleve")
    assert values["accelerations"]["x"] == pytest.approx(1.0)
    assert [values["multipliers"][c] for c in ("c0", "c1", "c2")] == pytest.approx([13 / 3, 17 / 6, 17 / 6])
    assert last(moved("three-legs-false-painleve", 1.0))["x"] == pytest.approx(0.5, abs=1e-8)


@finding("three-legs-stand")
def test_a_table_on_three_legs_stands() -> None:
    values = answered(
        ask("simulate", text("three-legs-false-painleve").replace('["4",0,0]', '["2",0,0]'), until=1.0, limit=LIMIT)
    )
    assert max(abs(x) for x in values["coordinates"]["x"]) < 1e-9


@finding("three-legs-slowed")
def test_a_table_on_three_legs_that_slides_is_slowed() -> None:
    """Without a push and with x′ = 1 it comes to rest after 1/3 s, at x = 1/6."""
    model = text("three-legs-false-painleve").replace('["4",0,0]', '["0",0,0]') + "\n[speeds]\nx = 1\n"
    values = answered(ask("simulate", model, until=1.0, limit=LIMIT))
    assert values["coordinates"]["x"][-1] == pytest.approx(1 / 6, abs=1e-7)


@finding("three-legs-dropped")
def test_a_table_on_three_legs_that_is_dropped_while_it_moves() -> None:
    """It lands with z′ = −√2 and x′ = 1. The legs' impulses sum to √2, friction is 0.3 of that: x′ = 1 − 0.3 √2."""
    model = text("three-legs-false-painleve").replace('["4",0,0]', '["0",0,0]').replace("z=0\n", "z=0.1\n")
    model += "\n[speeds]\nx = 1\n"
    landed, slowed = math.sqrt(0.02), 1 - 0.3 * math.sqrt(2)
    values = answered(ask("simulate", model, until=1.0, limit=LIMIT))
    assert values["coordinates"]["x"][-1] == pytest.approx(landed + slowed**2 / 6, abs=1e-7)


@finding("wheels-together")
def test_wheels_that_begin_to_slip_together() -> None:
    as_reference("wheels-slip-together", 0.6, 0.002)


@finding("legs-together")
def test_legs_that_begin_to_slide_together() -> None:
    as_reference("legs-slide-together", 0.8, 0.004)


@finding("legs-hardly")
def test_legs_that_begin_to_slide_slowly() -> None:
    """The push is hardly larger than the friction; Moreau's steps end at the same place."""
    values = moved("legs-hardly-slide", 0.8)
    assert last(values)["x"] == pytest.approx(0.00534795077, rel=1e-6)
    assert last(values)["x"] / values["coordinates"]["y"][-1] == pytest.approx(4.64617, rel=1e-3)
    lawful("legs-hardly-slide", values)


@finding("legs-thin")
def test_legs_whose_forces_are_hardly_more_than_one() -> None:
    as_reference("legs-thin-cones", 0.8, 0.008, samples=4)


@finding("legs-begin-twice")
def test_legs_that_begin_to_slide_without_acceleration() -> None:
    """Moreau's steps, which take a minute, end at the same place; the digits are those of a tolerance of 1e-12."""
    values = moved("legs-begin-twice", 0.8, samples=4)
    assert last(values)["x"] == pytest.approx(-0.008360792749, rel=1e-6)
    assert last(values)["c"] == pytest.approx(0.00811671487, rel=1e-6)
    assert values["diagnostics"]["steps"] < 400
    lawful("legs-begin-twice", values)


@pytest.mark.slow
def test_legs_that_begin_to_slide_move_as_by_small_steps() -> None:
    as_reference("legs-begin-twice", 0.8, 0.008, samples=4)


@finding("legs-interpolated")
def test_legs_that_begin_to_slide_do_not_stop_at_once() -> None:
    values = moved("legs-interpolated", 0.8, samples=4)
    assert [event["kind"] for event in values["events"]] == ["slip"] * 3
    lawful("legs-interpolated", values)


@finding("legs-first-step")
def test_the_error_of_a_first_step_is_no_stop() -> None:
    """The digits are those of a tolerance of 1e-12; Moreau's steps, which take two minutes, agree with the motion."""
    values = moved("legs-first-step", 0.8, samples=4)
    assert [event["kind"] for event in values["events"]] == ["slip"] * 3
    assert last(values)["x"] == pytest.approx(-0.002511420313, rel=1e-7)
    assert last(values)["c"] == pytest.approx(-0.003264732733, rel=1e-7)
    lawful("legs-first-step", values)


@finding("wheels-creep-on")
def test_a_wheel_that_begins_to_slip_while_others_creep() -> None:
    as_reference("wheels-creep-on", 0.6, 0.002)


@finding("corner-lets-go")
def test_a_wall_lets_go_in_time() -> None:
    """N of the wall is zero where the torque takes all friction of the floor: 1.813 t = 0.3 · 1.329."""
    values = moved("corner-lets-go", 0.5, samples=11)
    assert [event["kind"] for event in values["events"]] == ["liftoff"]
    assert values["events"][0]["time"] == pytest.approx(0.3 * 1.329 / 1.813, abs=1e-9)
    assert values["diagnostics"]["steps"] < 30
    lawful("corner-lets-go", values)


@finding("rests-at-the-wall")
def test_a_pendulum_that_rests_where_it_just_touches() -> None:
    values = moved("rests-at-the-wall", 1.0, samples=4)
    assert last(values) == pytest.approx({"x": 0.0, "y": -0.63}, abs=1e-12)


@pytest.mark.parametrize("digits", [6.1, 6.4, 7.0, 7.5, 8.2, 9.0, 10.3, 11.8])
def test_rounding_does_not_decide_whether_a_contact_that_just_touches_opens(digits: float) -> None:
    """By the tolerance, the wall is met at x = ±1e-18: an acceleration of 1e-17 opened it again and again."""
    values = moved("rests-at-the-wall", 1.0, samples=4, tolerance=10.0**-digits)
    assert last(values) == pytest.approx({"x": 0.0, "y": -0.63}, abs=1e-12)


@finding("disk-in-corner")
def test_a_wall_does_not_pull() -> None:
    values = solved("disk-in-corner-pulled")
    expected = {"floor": 9.81, "wall": 0.0, "floor.slip": 0.0, "wall.slip": 0.0}
    assert values["multipliers"] == pytest.approx(expected, abs=1e-6)


@finding("ladder")
def test_a_ladder_stands_with_forces_in_their_cones() -> None:
    values = solved("ladder-forces-outside-cones")
    forces = values["multipliers"]
    assert max(abs(a) for a in values["accelerations"].values()) < 1e-9
    assert forces["floor"] + forces["wall.slip"] == pytest.approx(9.81)
    lawful("ladder-forces-outside-cones", values)


@finding("axle")
def test_an_axle_slips_with_one_wheel() -> None:
    as_reference("axle", 0.45, 0.003)


@finding("skid")
def test_skid_steering_goes_on() -> None:
    as_reference("skid", 0.6, 0.004)


@finding("lift")
def test_a_robot_on_three_wheels_does_not_lift() -> None:
    values = moved("lift", 0.57, 20)
    assert min(min(values["multipliers"][c]) for c in ("cr", "cl", "cc")) > 11
    assert not any(event["kind"] == "liftoff" for event in values["events"])
    as_reference("lift", 0.45, 0.003, 4)


@finding("lift-lower-friction")
def test_no_false_liftoffs_are_told() -> None:
    lower = text("lift").replace("mu = 0.6", "mu = 0.3")
    values = answered(ask("simulate", lower, until=0.5, samples=5, limit=LIMIT))
    assert not any(event["kind"] in ("liftoff", "impact") for event in values["events"])


@finding("euler")
def test_eulers_disk_needs_few_steps() -> None:
    """Beyond the model's own end (5 s), through the first of its slips.

    It never lies flat: without slip ω² = 4 g sin θ/R, so that air takes c ω² of the energy 3/2 m g R sin θ and θ falls
    as exp(−8 c t/(3 m R²)), except for its nutation.
    """
    values = moved("euler", 6.1)
    assert values["diagnostics"]["steps"] < 2000
    assert {event["kind"] for event in values["events"]} == {"slip", "stick"}
    falls = 8 * 2e-5 / (3 * 0.4 * 0.0375**2)
    assert last(values)["th"] == pytest.approx(0.3 * math.exp(-falls * 6.1), rel=0.05)
    assert moved("euler", 5.0)["diagnostics"]["steps"] < 700


@finding("coulomb-by-sign")
def test_friction_written_as_a_sign_stops_and_stays() -> None:
    values = moved("coulomb-by-sign", 3.0, 4)
    assert values["coordinates"]["x"][2:] == pytest.approx([0.5, 0.5], abs=1e-8)
    assert values["speeds"]["x"][2:] == pytest.approx([0.0, 0.0], abs=1e-8)


def test_friction_written_as_a_sign_until_it_stops() -> None:
    assert last(moved("coulomb-by-sign", 0.9))["x"] == pytest.approx(0.9 - 0.405, abs=1e-9)


@finding("kinked-potential")
def test_rest_at_the_kink_of_a_potential() -> None:
    assert last(moved("kinked-potential-at-rest-hangs", 0.5))["x"] == pytest.approx(0.0, abs=1e-9)


@finding("kinked-potential-solve")
def test_no_acceleration_at_the_kink_of_a_potential() -> None:
    """0 lies between the slopes −1 and 1 on both sides: x = 0 is an equilibrium."""
    assert solved("kinked-potential-at-rest-hangs")["accelerations"]["x"] == pytest.approx(0.0, abs=1e-12)


@finding("kink-max-abs")
def test_a_kinked_constraint_is_an_event_max() -> None:
    _impact_or_sentence("kink-max-abs", 5.0, 7.0, "square", lambda q: max(abs(q["x"]), abs(q["y"])) - 5)


@finding("kink-vee")
def test_a_kinked_constraint_is_an_event_vee() -> None:
    _impact_or_sentence("kink-vee", 1.0, 2.0, "vee", lambda q: q["y"] + abs(q["x"]))


def _impact_or_sentence(name: str, at: float, until: float, row: str, residual: Any) -> None:
    """An event at the kink and a motion that keeps the row and gains no energy, or a sentence that names the row."""
    told = ask("simulate", text(name), until=until, samples=9, limit=LIMIT)
    assert not told.hung
    if told.values is None:
        assert row in told.refusal
        assert "kink" in told.refusal
        return
    events = [event for event in told.values["events"] if abs(event["time"] - at) < 1e-6]
    assert events
    assert abs(residual(last(told.values))) < 1e-8
    energy = told.values["energy"]["total"]
    assert energy[-1] <= energy[0] + 1e-9


@finding("valley-kink")
def test_a_kinked_gap_ends_at_rest_or_with_a_sentence() -> None:
    told = ask("simulate", text("valley-kink-hangs"), until=6.0, samples=13, limit=LIMIT)
    assert not told.hung
    if told.values is None:
        assert "valley" in told.refusal
        assert "kink" in told.refusal
        return
    x, y = np.array(told.values["coordinates"]["x"]), np.array(told.values["coordinates"]["y"])
    assert (y - np.abs(x)).min() > -1e-9
    assert np.diff(told.values["energy"]["total"]).max() < 1e-9


@finding("astronomic-rod")
def test_a_rod_of_astronomic_length() -> None:
    values = solved("astronomic-rod-refused")
    assert values["accelerations"] == pytest.approx({"x": -0.48, "y": -0.36})
    assert values["multipliers"]["rod"] == pytest.approx(-0.8)


@finding("small-lengths")
def test_small_lengths_have_the_same_digits() -> None:
    values = moved("small-lengths-lose-digits", 10.0)
    assert values["definitions"]["ratio"][-1] == pytest.approx(-0.574480619, abs=2e-8)


@finding("micro-start")
def test_a_small_start_is_corrected() -> None:
    values = solved("micro-start-not-corrected")
    q = values["coordinates"]
    assert math.hypot(q["x"], q["y"]) / 1e-7 == pytest.approx(1.0, abs=1e-9)
    assert values["corrections"]


@finding("auto-stepper")
def test_a_stiff_oscillation_is_followed_without_radau() -> None:
    assert moved("auto-stepper-slow-on-stiff-oscillator", 2.0)["diagnostics"]["steps"] < 40000


@finding("event-after-pole")
def test_an_event_after_a_pole() -> None:
    values = moved("event-after-pole-missed", 10.0)
    assert values["status"] == "stopped"
    assert values["times"][-1] == pytest.approx(7.0, abs=1e-9)


@finding("gauss-singularity")
def test_gauss_does_not_run_through_a_singularity() -> None:
    told = ask("simulate", text("gauss-runs-through-singularity"), until=3.0, stepper="gauss", limit=LIMIT)
    assert not told.hung
    assert told.refusal
    assert not told.fault


@pytest.mark.parametrize("force", ["1/(1 - t)^2", "tan(t)", "-1/x"])
def test_gauss_does_not_run_through_poles(force: str) -> None:
    """Poles of forces in time and in the state, for any position of the fixed steps."""
    model = '[coordinates]\nx = 0.7\n[energy]\nkinetic = "x\'^2/2"\n[forces.f]\ngeneralized = { x = "%s" }\n'
    for step in (0.01, 0.0137, 0.02):
        told = ask("simulate", model % force, until=3.0, stepper="gauss", step=step, limit=LIMIT)
        assert told.refusal, (force, step)
        assert not told.fault


@finding("radau-domain")
def test_radau_says_what_left_its_domain() -> None:
    told = ask("simulate", text("radau-crash-outside-domain"), until=3.0, stepper="radau", limit=LIMIT)
    assert "asin" in told.refusal
    assert not told.fault


@finding("integrability-decimals")
def test_decimals_are_exact_in_decisions_of_integrability() -> None:
    """0.3 (y³ x′ + 3 x y² y′) + z′ is the derivative of 0.3 x y³ + z."""
    told = ask("analyze", text("integrability-decimals"), limit=60, parts=["constraints"])
    found = answered(told)["constraints"]
    assert found["holonomic"]
    assert found["constraints"]["c"]["integrable"]
    assert found["growth_vector"]["generic"] == [2]


@finding("red-sensitivity")
def test_sensitivities_where_independent_rows_change() -> None:
    _sensitivity(text("red"), "tau", 0.1, 0.3, "yaw")


@finding("long-2-sensitivity")
def test_sensitivities_of_longs_second_example() -> None:
    told = ask(
        "sensitivities",
        (HERE.parents[1] / "src/dalembert/collection/long-2.toml").read_text(),
        to=["q1"],
        until=2.0,
        limit=LIMIT,
    )
    assert not told.hung
    assert told.values is not None


def _sensitivity(model: str, to: str, value: float, until: float, of: str) -> None:
    told = ask("sensitivities", model, to=[to], of=[of], until=until, samples=2, limit=LIMIT)
    assert not told.hung
    values = answered(told)
    ends = []
    for side in (-1, 1):
        changed = ask("simulate", model, until=until, samples=2, settings={to: value + side * 1e-4}, limit=LIMIT)
        ends.append(answered(changed)["coordinates"][of][-1])
    slope = (ends[1] - ends[0]) / 2e-4
    assert np.ravel(values["derivatives"][of][to])[-1] == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("stepper", ["auto", "radau"])
def test_a_constraint_that_is_singular_at_rest_is_named(stepper: str) -> None:
    """Appell and Hamel's particle comes to rest at t = u₀(1 + k²)/(g k), where z' = k |v| has no derivative."""
    model = (Path(da.__file__).parent / "collection" / "appell-hamel.toml").read_text()
    told = ask("simulate", model, until=5.0, stepper=stepper, limit=LIMIT)
    assert not told.hung
    assert told.values is None
    assert "the constraint climb is singular" in told.refusal
    assert float(told.refusal.split()[3]) == pytest.approx(5 * 1.64 / (9.81 * 0.8), abs=1e-5)
