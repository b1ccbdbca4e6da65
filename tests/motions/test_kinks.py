"""Kinks are events: crossings, rest and sliding agree with closed forms and Coulomb's law, or are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import MathematicsError, ModelError
from dalembert.model.read import model_of
from dalembert.motions.kinked import kinked
from dalembert.prepared import prepared


def model(**tables: Any) -> da.Model:
    return da.Model.of(model_of(tables))


def mass(x: float = 0.0, v: float = 0.0, **tables: Any) -> da.Model:
    energy = {"kinetic": "x'^2/2", **tables.pop("energy", {})}
    return model(coordinates={"x": {"initial": x, "speed": v}}, energy=energy, **tables)


def force(x: str) -> dict[str, Any]:
    return {"f": {"generalized": {"x": x}}}


def kinks(motion: da.Motion) -> list[Any]:
    return [event for event in motion.events if event.kind == "kink"]


# crossed


def test_a_kinked_potential_is_crossed_on_time():
    """V = |x| from rest at 1: zero after √2, 3√2, 5√2, …; back at 1 after 4√2."""
    motion = mass(1.0, energy={"potential": "abs(x)"}).simulate(until=40 * math.sqrt(2), samples=11)
    assert motion["x"] == pytest.approx(np.ones(11), abs=1e-11)
    late = np.array([event.time for event in motion.events]) / (math.sqrt(2) * np.arange(1, 40, 2)) - 1.0
    assert (np.abs(late) <= 1e-14 * np.arange(1, 21)).all()  # the rounding of every crossing moves all later ones
    assert [event.direction for event in motion.events] == [-1.0, 1.0] * 10
    assert {(event.name, event.kind) for event in motion.events} == {("x", "kink")}
    assert motion.diagnostics.steps < 60


@pytest.mark.parametrize("stepper", ["dop853", "radau"])
def test_jumps_in_time_are_located(stepper):
    """x'' = floor(t): x' grows by k in second k."""
    motion = mass(forces=force("floor(t)")).simulate(at=[1.0, 2.5, 7.25], stepper=stepper)
    assert motion["x'"] == pytest.approx([0.0, 1 + 0.5 * 2, 21 + 0.25 * 7], abs=1e-12)
    assert [event.time for event in kinks(motion)] == pytest.approx(np.arange(1.0, 8.0), rel=1e-14)


def test_data_written_as_a_sum_of_ramps():
    ramps = " + ".join(f"{(-1) ** k}*max(0, t - {k / 10})" for k in range(40))
    motion = mass(forces=force(ramps)).simulate(until=5.0, samples=2, tolerance=1e-11)
    exact = sum((-1) ** k * (5.0 - k / 10) ** 3 / 6 for k in range(40))
    assert motion["x"][-1] == pytest.approx(exact, rel=1e-12)
    assert motion.diagnostics.steps < 90


def test_kinks_inside_of_kinks_and_conditions():
    """Fixed branches give the values of the expressions at every sample of a motion through all of them."""
    drive = "max(abs(x), 2*abs(sin(3*t)), 0.4) - if(x' < 0.5 and not x > 1, x, clip(x, -0.3, 0.2)) - 2*x"
    motion = mass(0.5, 1.0, forces=force(drive)).simulate(until=6.0, samples=200, tolerance=1e-11)
    x, v, t = motion["x"], motion["x'"], motion.times
    inner = np.where((v < 0.5) & ~(x > 1), x, np.clip(x, -0.3, 0.2))
    most = np.maximum(np.maximum(np.abs(x), 2 * np.abs(np.sin(3 * t))), 0.4)
    assert motion.accelerations["x"] == pytest.approx(most - inner - 2 * x, abs=1e-12)
    halved = mass(0.5, 1.0, forces=force(drive)).simulate(until=6.0, samples=200, tolerance=1e-11, step=0.01)
    assert x == pytest.approx(halved["x"], abs=1e-9)


def test_what_has_no_value_beyond_a_kink_is_not_needed_there():
    """x'' = √x for x > 0 with energy v²/2 − 2/3 x^(3/2), nothing below zero."""
    motion = mass(1.0, -3.0, forces=force("if(x > 0, sqrt(x), 0)")).simulate(until=3.0, samples=2)
    assert motion["x'"][-1] == pytest.approx(-math.sqrt(9 - 4 / 3), rel=1e-8)
    assert len(kinks(motion)) == 1


# slid along, and rested on


def test_coulombs_law_by_a_sign_stops_a_block_for_good():
    """It stops after v/(μg), at v²/(2μg)."""
    motion = mass(0.0, 2.0, parameters={"mu": 0.3, "g": 9.81}, forces=force("-mu*g*sign(x')")).simulate(until=3.0)
    stops = 2.0 / (0.3 * 9.81)
    assert [(event.time, event.direction) for event in motion.events] == [(pytest.approx(stops, rel=1e-13), 0.0)]
    after = motion.times > stops
    assert motion["x"][after] == pytest.approx(2.0 * stops / 2, rel=1e-13)
    assert np.abs(motion["x'"][after]).max() < 1e-15
    assert np.abs(motion.accelerations["x"][after]).max() < 1e-15


TWO = {"x": {"initial": 0.3, "speed": 2.0}, "y": {"initial": -0.5, "speed": 0}}
SPRINGS = {"kinetic": "x'^2/2 + y'^2", "potential": "5/2*x^2 + (x - y)^2"}
FALL = {"gravity": [0, -9.81, 0], "bodies": {"p": {"mass": 1, "position": ["x", "y", 0]}}}


@pytest.mark.parametrize(
    ("tables", "forces", "frictions"),
    [
        (
            {"coordinates": TWO, "energy": SPRINGS},
            {"x": "1.2*sin(2*t) - 0.7*sign(x')", "y": "-0.4*sign(y')"},
            {"a": ("x'", 0.7), "b": ("y'", 0.4)},
        ),
        (
            {"coordinates": TWO, "energy": SPRINGS},
            {"x": "3*sin(2*t) - 0.7*sign(x') - 0.5*sign(x' - y')", "y": "0.5*sign(x' - y')"},
            {"a": ("x'", 0.7), "b": ("x' - y'", 0.5)},
        ),
        (
            {"coordinates": {"x": {"initial": 1, "speed": 0}}, "energy": {"kinetic": "x'^2/2", "potential": "2*x^2"}},
            {"x": "-0.8*sign(x' - 0.5)"},
            {"belt": ("x' - 0.5", 0.8)},
        ),
        (
            FALL
            | {
                "coordinates": {"x": {"initial": 0.3, "speed": 3}, "y": 0.5},
                "contacts": {"floor": {"gap": "y", "restitution": 0.5}},
                "energy": {"potential": "2*x^2"},
            },
            {"x": "-2*sign(x')"},
            {"f": ("x'", 2.0)},
        ),
    ],
    ids=["two blocks", "stacked", "belt", "bouncing"],
)
def test_a_sign_is_a_friction(tables, forces, frictions):
    """Coulomb's law stated as a force with a sign, and as a friction."""
    by_sign = model(**tables, forces={"f": {"generalized": forces}})
    bare = {q: text.split(" - 0.7")[0] if "sin" in text else "0" for q, text in forces.items()}
    laws = {name: {"slip": [slip], "normal": size, "coefficient": 1} for name, (slip, size) in frictions.items()}
    by_law = model(**tables, forces={"f": {"generalized": bare}}, frictions=laws)
    one, other = (m.simulate(until=8.0, samples=41, tolerance=1e-11) for m in (by_sign, by_law))
    for name in tables["coordinates"]:
        assert one[name] == pytest.approx(other[name], abs=1e-9)
        assert one[f"{name}'"] == pytest.approx(other[f"{name}'"], abs=1e-9)
    assert len(one.events) == len(other.events)


def test_a_sliding_mode_follows_its_surface():
    """u = −3 sign(x' + x): from the instant at which x' + x = 0, x falls as e^−t."""
    motion = mass(1.0, forces=force("-3*sign(x' + x)")).simulate(until=5.0, samples=26, tolerance=1e-11)
    (event,) = motion.events
    assert event.direction == 0.0
    later = motion.times > event.time
    x, t = motion["x"][later], motion.times[later]
    assert x * np.exp(t - t[0]) == pytest.approx(np.full(len(t), x[0]), rel=1e-9)
    assert motion.accelerations["x"][later] == pytest.approx(x, abs=1e-12)


def test_crossings_that_accumulate_end_at_rest():
    """x'' = −sign x − sign(x')/2: speeds at x = 0 shrink by √3 a time, and so do the times between."""
    motion = mass(1.0, energy={"potential": "abs(x)"}, forces=force("-sign(x')/2")).simulate(until=10.0)
    through = [event for event in motion.events if event.name == "x"]
    speeds = np.abs([event.before["x"] for event in through])
    assert speeds[:-1] / np.append(speeds[1:-1], speeds[-1]) == pytest.approx(np.full(len(speeds) - 1, math.sqrt(3)))
    assert through[-1].direction == 0.0
    first = 2.0  # from 1 by −1/2: v = −1; half a turn up by 3/2, down by 1/2
    half = 2 / 3 + 2 / math.sqrt(3)
    assert through[-1].time == pytest.approx(first + half / (1 - 1 / math.sqrt(3)), abs=2e-3)
    assert motion["x"][-1] == pytest.approx(0.0, abs=1e-12)
    assert motion["x'"][-1] == 0.0


def test_a_damped_kink_does_not_flood_the_answer():
    motion = mass(1.0, energy={"potential": "abs(x)", "dissipation": "x'^2"}).simulate(until=30.0, samples=4)
    assert len(motion.events) < 120
    assert motion.events[-1].direction == 0.0
    assert motion["x"][-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("bias", [-0.9, 0.0, 0.6])
def test_rest_on_the_kink_of_a_potential(bias):
    state = mass(energy={"potential": f"abs(x) + {bias}*x"}).solve()
    assert state.accelerations["x"] == pytest.approx(0.0, abs=1e-14)
    leaves = mass(energy={"potential": f"abs(x) + {bias}*x - t*x"}).simulate(until=3.0, samples=4)
    start = 1.0 + bias  # at t = 1 + bias the push equals the kink
    assert [event.time for event in leaves.events] == [pytest.approx(start, rel=1e-12)]
    assert leaves["x"][-1] == pytest.approx((3.0 - start) ** 3 / 6, rel=1e-9)


def test_a_chain_of_blocks_at_rest():
    """Six kinks at one instant: nothing moves before the push is strong enough, then one block after the other."""
    n = 6
    energy = {
        "kinetic": " + ".join(f"x{i}'^2/2" for i in range(n)),
        "potential": " + ".join(f"(x{i} - x{i + 1})^2" for i in range(n - 1)),
    }
    coordinates = {f"x{i}": 0.0 for i in range(n)}
    push = {f"x{i}": f"-0.5*sign(x{i}')" + (" + t" if i == 0 else "") for i in range(n)}
    bare = {"x0": "t"}
    laws = {f"f{i}": {"slip": [f"x{i}'"], "normal": 0.5, "coefficient": 1} for i in range(n)}
    one = model(coordinates=coordinates, energy=energy, forces={"f": {"generalized": push}})
    other = model(coordinates=coordinates, energy=energy, forces={"f": {"generalized": bare}}, frictions=laws)
    a, b = (m.simulate(until=3.0, samples=13, tolerance=1e-11) for m in (one, other))
    for name in coordinates:
        assert a[name] == pytest.approx(b[name], abs=1e-9)
    assert a.events[0].time == pytest.approx(0.5, rel=1e-12)


def test_states_follow_the_force_between_both_sides():
    """At rest under 1/2 the friction sign(x') is 1/2, and so is the rate of a state that has it."""
    states = {"e": {"initial": 0, "rate": "sign(x')"}, "i": {"initial": 0, "rate": "max(0, t - 1)"}}
    motion = mass(0.0, 1.0, forces=force("0.5 - sign(x')"), states=states).simulate(until=4.0, samples=5)
    assert motion.states["e"] == pytest.approx([0.0, 1.0, 2.0, 2.5, 3.0], abs=1e-9)
    assert motion.states["i"] == pytest.approx([0.0, 0.0, 0.5, 2.0, 4.5], abs=1e-9)


# constraints and gaps


@pytest.mark.parametrize("slope", [0.3, 0.8])
def test_a_kinked_constraint_strikes(slope):
    """On y = s|x| a particle keeps the part of its velocity along the other side: (1 − s²)/(1 + s²) of it."""
    start = {"x": {"initial": 1, "speed": -2}, "y": {"initial": slope, "speed": -2 * slope}}
    body = {"p": {"mass": 3, "position": ["x", "y", 0]}}
    motion = model(coordinates=start, bodies=body, constraints={"vee": f"y - {slope}*abs(x) = 0"}).simulate(until=2.0)
    kept = (1 - slope**2) / (1 + slope**2)
    (event,) = motion.events
    assert (event.name, event.kind, event.time) == ("x", "kink", pytest.approx(0.5, rel=1e-13))
    assert event.after["x"] == pytest.approx(-2 * kept, rel=1e-12)
    assert event.energy == pytest.approx(1.5 * 4 * (1 + slope**2) * (kept**2 - 1), rel=1e-12)
    assert motion["x"][-1] == pytest.approx(-2 * kept * 1.5, rel=1e-12)
    assert motion["y"] == pytest.approx(slope * np.abs(motion["x"]), abs=1e-12)
    assert motion.diagnostics.energy_drift < 1e-12


def test_a_steep_corner_stops():
    start = {"x": {"initial": 1, "speed": -1}, "y": {"initial": 2, "speed": -2}}
    body = {"p": {"mass": 1, "position": ["x", "y", 0]}}
    motion = model(coordinates=start, bodies=body, constraints={"vee": "y - 2*abs(x) = 0"}).simulate(until=2.0)
    assert motion.events[0].after == pytest.approx({"x": 0.0, "y": 0.0}, abs=1e-14)
    assert motion["x"][-1] == pytest.approx(0.0, abs=1e-12)


CORNERS = {
    "constraint": {"constraints": {"vee": "y = abs(x)"}},
    "contact": {"contacts": {"vee": {"gap": "y - abs(x)", "restitution": 0}}},
}


def pushed(corner: str, push: str) -> da.Model:
    """A bead that slides into a corner of 90° and is pushed there; weight 10."""
    return model(
        gravity=[0, -10, 0],
        coordinates={"x": 0.2, "y": 0.2},
        bodies={"p": {"mass": 1, "position": ["x", "y", 0]}},
        forces={"push": {"body": "p", "force": [push, 0, 0]}},
        **CORNERS[corner],
    )


@pytest.mark.parametrize("corner", CORNERS)
def test_rest_in_a_corner_until_a_push_leaves_the_normals(corner: str):
    """It rests while the push is smaller than the weight, with the reaction (−push, weight), and then slides up."""
    motion = pushed(corner, "4*max(t - 1, 0)").simulate(until=5.0, at=[0.9, 2.0, 3.4, 5.0])
    assert motion["x"][:3] == pytest.approx([0, 0, 0], abs=1e-12)
    assert motion["x"][3] == pytest.approx(4 * (5 - 3.5) ** 3 / 12, rel=1e-9)
    assert motion.multipliers["vee"] == pytest.approx([10, 10, 10, (10 + 16) / 2], rel=1e-9)
    reaction = motion.to_dict()["reactions"]["vee"]
    assert reaction["x"] == pytest.approx([0, -4, -9.6, -13], abs=1e-9)
    assert reaction["y"] == pytest.approx([10, 10, 10, 13], rel=1e-9)
    leaves = [event.time for event in kinks(motion) if event.time > 1]
    assert leaves == pytest.approx([1.0, 3.5][-len(leaves) :], abs=1e-9)


@pytest.mark.parametrize("corner", CORNERS)
def test_solve_in_a_corner(corner: str):
    tables = {"coordinates": {"x": 0, "y": 0}, "bodies": {"p": {"mass": 1, "position": ["x", "y", 0]}}}
    push = {"push": {"body": "p", "force": [4, -10, 0]}}
    state = model(**tables, forces=push, **CORNERS[corner]).solve()
    assert state.accelerations == pytest.approx({"x": 0, "y": 0}, abs=1e-12)
    assert state.reactions["vee"] == pytest.approx({"x": -4, "y": 10}, abs=1e-12)


def test_a_bead_comes_to_rest_in_a_flat_corner():
    bead = model(**FALL, coordinates={"x": 1, "y": 0.5}, constraints={"vee": "y - 0.5*abs(x) = 0"})
    motion = bead.simulate(until=8.0)
    assert kinks(motion)[-1].direction == 0
    assert (motion["x"][-1], motion["x'"][-1]) == pytest.approx((0, 0), abs=1e-9)
    assert np.diff(motion["energy.total"]).max() < 1e-9


def test_solve_with_contacts_answers_between_the_sides_of_a_kink():
    tables = {"coordinates": {"x": 0, "y": 0}, "bodies": {"p": {"mass": 1, "position": ["x", "y", 0]}}}
    floor = {"contacts": {"floor": {"gap": "y"}}, "gravity": [0, -10, 0]}
    rests = model(**tables, **floor, energy={"potential": "abs(x)"}).solve()
    assert rests.accelerations == pytest.approx({"x": 0, "y": 0}, abs=1e-12)
    assert rests.notes == ()
    open_ = model(**tables, **floor, energy={"potential": "-abs(x)"}).solve()
    assert any("one side of a kink" in note for note in open_.notes)


def test_dry_friction_that_holds_for_less_than_a_step():
    """It stops and breaks loose within the same step: k x − F sin 2t = μ (a random model)."""
    spring = {"potential": "7.915/2*x^2"}
    rubs = force("1.465*sin(2*t) - 0.726*sign(x')")
    motion = mass(0.195, 1.392, energy=spring, forces=rubs).simulate(until=2.5, samples=3)
    *_, stops, leaves = kinks(motion)
    assert (stops.direction, leaves.direction) == (0, -1)
    (x,) = mass(0.195, 1.392, energy=spring, forces=rubs).simulate(at=[leaves.time])["x"]
    assert 1.465 * math.sin(2 * leaves.time) - 7.915 * x == pytest.approx(-0.726, abs=1e-7)


def test_a_kink_of_a_state_that_rates_drive_into_is_named():
    states = {"s": {"initial": 0.5, "rate": "-sign(s)"}}
    with pytest.raises(MathematicsError, match="rates on both sides of the kink of s drive into it"):
        mass(states=states, forces=force("s")).simulate(until=1.0)


def test_drag_turns_with_the_speed_that_an_impact_turns():
    """With −c|v|v up to the top: y = ln(1 + c v²/g)/(2c), after an impact that changes the branch of |v|."""
    ball = model(
        gravity=[0, -9.81, 0],
        coordinates={"y": 1},
        bodies={"p": {"mass": 1, "position": [0, "y", 0]}},
        forces={"drag": {"generalized": {"y": "-0.5*abs(y')*y'"}}},
        contacts={"floor": {"gap": "y", "restitution": 0.8}},
    )
    motion = ball.simulate(until=1.2, samples=400, tolerance=1e-11)
    impact = next(event for event in motion.events if event.kind == "impact")
    top = next(event for event in motion.events if event.kind == "kink" and event.time > impact.time)
    c, v = 0.5, impact.after["y"]
    assert top.time - impact.time == pytest.approx(math.atan(v * math.sqrt(c / 9.81)) / math.sqrt(c * 9.81), rel=1e-9)
    assert motion["y"][motion.times > impact.time].max() == pytest.approx(
        math.log(1 + c * v**2 / 9.81) / (2 * c), abs=1e-5
    )


# routes


def test_sweeps_follow_kinks_as_motions_alone_do():
    block = mass(0.0, 2.0, parameters={"mu": 0.3}, forces=force("-mu*sign(x') - 0.1*abs(x)"))
    swept = block.sweep({"mu": np.linspace(0.2, 0.5, 7)}, until=9.0, record=["final x", "n = events kink"])
    for k, mu in enumerate(np.linspace(0.2, 0.5, 7)):
        alone = block.changed({"mu": float(mu)}).simulate(until=9.0, samples=2, tolerance=1e-9)
        assert float(swept["final x"][k]) == pytest.approx(alone["x"][-1], abs=1e-12)
        assert int(swept["n"][k]) == len(alone.events)


def test_smooth_models_know_nothing_of_kinks():
    for name in ("double-pendulum", "rolling-disk", "sleigh"):
        if name in da.gallery():
            assert kinked(prepared(da.gallery(name).record).system) is None


def test_what_cannot_follow_kinks_says_so():
    hard = mass(1.0, 0.0, energy={"potential": "abs(x)"})
    with pytest.raises(ModelError, match=r"gauss .* kinks \(x = 0\)"):
        hard.simulate(until=1.0, stepper="gauss")
    stops = mass(0.0, 1.0, parameters={"mu": 1}, forces=force("-mu*sign(x')"))
    with pytest.raises(MathematicsError, match="rests at a kink"):
        stops.sensitivities(["mu"], until=2.0)
    with pytest.raises(MathematicsError, match="more than one motion is possible from the kink of x"):
        mass(energy={"potential": "-abs(x)"}).simulate(until=1.0)


def test_a_kink_and_a_friction_that_hold_the_same_slip():
    both = model(
        **FALL,
        coordinates={"x": {"initial": 0, "speed": 1}, "y": 0},
        contacts={"floor": {"gap": "y", "slip": ["x'"], "friction": 0.1}},
        forces=force("-sign(x')"),
    )
    with pytest.raises(MathematicsError, match=r"the kink of x' and the contacts and frictions \(floor\)"):
        both.simulate(until=2.0)
