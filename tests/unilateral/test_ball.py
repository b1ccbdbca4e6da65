"""Zhang and Mei's ball on a slope before a wall: the paper's law and the right ones, event by event.

The laws L0 (the paper's), L1 (what is right for its rough wall) and L2 (a wall that reverses ω_y too); slips along x
while y is held, or isotropic. Every number of the reference is an exact solution between events.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import dalembert as da
from dalembert.model.read import read_text
from small_models import HELD, ISOTROPIC, LAWS
from small_models import ball as stated

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())
EXACT = 1e-10
TIGHT = "[simulation]\ntolerance = 1e-12\n"
CASES = [name for name in REFERENCE if name.startswith("ball_L")]


def ball(law: str, f: float, slip: str = HELD) -> da.Model:
    return da.Model.of(read_text(stated(LAWS[law], f, slip) + TIGHT))


def paper_variables(state: dict[str, float], a2: float = 0.4) -> dict[str, float]:
    """q₁, q₂ and π₁ … π₄ of the paper."""
    vx, vy, wx, wy, wz = (state[f"{name}'"] for name in ("x", "y", "ax", "ay", "az"))
    return {"q1": state["x"], "q2": state["y"], "p1": vx, "p2": vy - a2 * wx + a2 * wz, "p3": vy - wz, "p4": vx - wy}


def kinetic(state: dict[str, float], a2: float = 0.4) -> float:
    vx, vy, wx, wy, wz = (state[f"{name}'"] for name in ("x", "y", "ax", "ay", "az"))
    return (vx**2 + vy**2) / 2 + a2 / 2 * (wx**2 + wy**2 + wz**2)


def near(value: dict[str, float], expected: dict[str, float]) -> None:
    assert {name: value[name] for name in expected if name != "t"} == pytest.approx(
        {name: number for name, number in expected.items() if name != "t"}, abs=EXACT
    )


@pytest.mark.parametrize("name", CASES)
def test_events(name: str) -> None:
    reference = REFERENCE[name]
    last = reference["events"][-1]["t"]
    motion = ball(reference["law"], reference["params"]["f"]).simulate(until=last + 0.05, dense=True)
    events = [event for event in motion.events if event.kind in ("impact", "stick") or event.time > last]
    passed = [e for e in reference["events"] if e["kind"] == "impact" or e["mode_post"] == 0]
    assert [event.kind for event in events[: len(passed)]] == [
        "impact" if e["kind"] == "impact" else "stick" for e in passed
    ]
    for event, expected in zip(events, passed, strict=False):
        assert event.time == pytest.approx(expected["t"], abs=EXACT)
        before, after = motion.at(event.time, side="before"), motion.at(event.time)
        if expected["kind"] != "impact":
            near(paper_variables(after), expected["state"])
            continue
        near(paper_variables(before), expected["pre"])
        near(paper_variables(after), expected["post"])
        assert before["y'"] == pytest.approx(expected["q2dot_pre"], abs=EXACT)
        assert after["y'"] == pytest.approx(expected["q2dot_post"], abs=EXACT)
        assert event.before["ay"] == pytest.approx(expected["omega_y_pre"], abs=EXACT)
        assert event.after["ay"] == pytest.approx(expected["omega_y_post"], abs=EXACT)
        assert kinetic(before) == pytest.approx(expected["T_pre"], abs=EXACT)
        assert kinetic(after) == pytest.approx(expected["T_post"], abs=EXACT)
        assert event.energy == pytest.approx(expected["dT"], abs=EXACT)
        assert event.impulse is not None
        assert event.impulse > 0


@pytest.mark.parametrize("name", CASES)
def test_friction_on_both_sides_of_impacts(name: str) -> None:
    """R_x and R_y: S or the rolling reaction, whichever the mode asks for; both inside one cone."""
    reference = REFERENCE[name]
    impacts = [e for e in reference["events"] if e["kind"] == "impact"]
    moments = [moment for e in impacts for moment in (e["t"] - 1e-3, e["t"] + 1e-3)]
    motion = ball(reference["law"], reference["params"]["f"]).simulate(at=moments)
    expected = [force for e in impacts for force in (e["Rx_pre"], e["Rx_post"])]
    assert motion.multipliers["plane"] == pytest.approx(expected, abs=EXACT)
    assert motion.multipliers["plane.held"] == pytest.approx([reference["Ry"]] * len(moments), abs=EXACT)
    words = {-1: "slip", 0: "stick", 1: "slip"}
    assert motion.modes["plane"].tolist() == [words[e[key]] for e in impacts for key in ("mode_pre", "mode_post")]
    assert set(motion.modes["wall"]) == {"open"}
    reaction = motion.reactions["plane"]
    assert reaction["x"] == pytest.approx(-reaction["ay"])


@pytest.mark.parametrize("name", [name for name in CASES if "state_t20" in REFERENCE[name]])
def test_after_twenty_seconds(name: str) -> None:
    reference = REFERENCE[name]
    motion = ball(reference["law"], reference["params"]["f"]).simulate(at=[0, 20])
    state = {key: float(motion[key][-1]) for key in ("x", "y", "x'", "y'", "ax'", "ay'", "az'")}
    near(paper_variables(state), reference["state_t20"])
    assert motion.energy["total"] == pytest.approx([reference["E_t0"], reference["E_t20"]], abs=1e-9)


def test_samples_of_the_papers_law() -> None:
    reference = REFERENCE["ball_L0_f0.15"]
    samples = reference["samples"].values()
    motion = ball("L0", 0.15).simulate(at=[sample["t"] for sample in samples])
    for i, sample in enumerate(samples):
        state = {key: float(motion[key][i]) for key in ("x", "y", "x'", "y'", "ax'", "ay'", "az'")}
        near(paper_variables(state), {key: sample[key] for key in ("q1", "q2", "p1", "p2", "p3", "p4")})
        assert state["y'"] == pytest.approx(sample["q2dot"], abs=EXACT)
        assert motion.energy["total"][i] == pytest.approx(sample["E"], abs=EXACT)
    impacts = [event.time for event in motion.events if event.kind == "impact"]
    assert [b - a for a, b in pairwise(impacts)] == pytest.approx([reference["tau"]] * (len(impacts) - 1))
    heights = ball("L0", 0.15).simulate(at=[(impacts[0] + impacts[1]) / 2])
    assert heights["x"][0] == pytest.approx(reference["h"], abs=EXACT)
    assert heights["x''"][0] == pytest.approx(-reference["g_eff"], abs=EXACT)


def test_the_papers_periodic_motion_is_not_what_rolling_allows() -> None:
    reference = REFERENCE["ball_L0_f0.3"]
    motion = ball("L0", 0.3).simulate(until=13)
    impacts = [event.time for event in motion.events if event.kind == "impact"]
    assert [b - a for a, b in pairwise(impacts)] == pytest.approx(reference["actual_intervals"])
    assert min(abs(b - a - reference["tau_paper_formula"]) for a, b in pairwise(impacts)) > 0.5


def test_the_papers_law_tells_what_it_gains() -> None:
    motion = ball("L0", 0.15).simulate(until=12)
    gained = sum(event.energy for event in motion.events if event.kind == "impact")
    (note,) = (note for note in motion.notes if "zhang-mei" in note)
    assert f"{gained:.10g}" in note
    assert gained == pytest.approx(sum(e["dT"] for e in REFERENCE["ball_L0_f0.15"]["events"]), abs=EXACT)
    assert not any("zhang-mei" in note for note in ball("L1", 0.15).simulate(until=3).notes)


def test_accumulation_of_impacts() -> None:
    """After the cascade the ball rolls along the wall and the slope."""
    zeno = REFERENCE["ball_L1_f0.3"]["zeno"]
    motion = ball("L1", 0.3).simulate(at=[7, 10])
    (chatter,) = (event for event in motion.events if event.kind == "chatter")
    assert chatter.time == pytest.approx(zeno["accumulation_time"], abs=1e-9)
    impacts = [event for event in motion.events if event.kind == "impact"]
    ratio = impacts[12].after["x"] / impacts[11].after["x"]
    assert ratio == pytest.approx(zeno["rho"], abs=1e-9)
    flight = impacts[13].time - impacts[12].time
    assert flight / impacts[12].after["x"] == pytest.approx(zeno["flight_time_per_unit_impact_speed"], rel=1e-6)
    assert motion.modes["wall"].tolist() == ["open", "closed"]
    assert motion["x"][-1] == pytest.approx(0, abs=1e-12)
    assert motion.multipliers["wall"][-1] == pytest.approx(0.5 + motion.multipliers["plane"][-1], abs=1e-9)


def test_isotropic_slip() -> None:
    reference = REFERENCE["ball_isotropic_L1_f0.3"]
    motion = ball("L1", 0.3, ISOTROPIC).simulate(until=7, dense=True)
    events = [event for event in motion.events if event.kind in ("impact", "stick")]
    names = {"vx": "x'", "vy": "y'", "wx": "ax'", "wy": "ay'", "wz": "az'", "q1": "x", "q2": "y"}
    for event, expected in zip(events, reference["events"], strict=True):
        assert event.kind == ("impact" if expected["kind"] == "impact" else "stick")
        assert event.time == pytest.approx(expected["t"], abs=EXACT)
        sides = (
            {"before": expected["pre"], "after": expected["post"]} if event.kind == "impact" else {"after": expected}
        )
        for side, numbers in sides.items():
            state = motion.at(event.time, side=side)
            for short, name in names.items():
                if short in numbers:
                    assert state[name] == pytest.approx(numbers[short], abs=EXACT), (event.time, side, name)
        if event.kind == "impact":
            assert kinetic(motion.at(event.time)) == pytest.approx(expected["T"], abs=EXACT)


def test_direction_of_friction() -> None:
    """(4.14) with (4.15) contradicts Coulomb: isotropic friction points against the slip."""
    reference = REFERENCE["ball_friction_direction_at_t0"]
    held, isotropic = ball("L1", 0.3).solve(), ball("L1", 0.3, ISOTROPIC).solve()
    assert [held.multipliers["plane"], held.multipliers["plane.held"]] == pytest.approx(reference["paper_R"], abs=EXACT)
    assert [isotropic.multipliers["plane.1"], isotropic.multipliers["plane.2"]] == pytest.approx(
        reference["coulomb_R"], abs=EXACT
    )
    rate = isotropic.accelerations["y"] + isotropic.accelerations["ax"]
    assert rate == pytest.approx(reference["pi5dot_coulomb"], abs=EXACT)
    rolling = REFERENCE["ball_isotropic_L1_f0.3"]["R_roll"]
    still = ball("L1", 0.3, ISOTROPIC).solve(settings={"x'": 0, "y'": 0, "ax'": 0, "ay'": 0, "az'": 0})
    assert still.modes["plane"] == "stick"
    assert [still.multipliers["plane.1"], still.multipliers["plane.2"]] == pytest.approx(rolling, abs=EXACT)


def test_the_ball_held_in_the_corner() -> None:
    """q̈₂ = −cos β/(1 + 2a²): it rolls on the wall and on the plane."""
    corner = REFERENCE["corner_contact"]
    text = stated('restitution = 0\nslip = ["y\' - az\'"]\nfriction = "rough"', 10, ISOTROPIC)
    model = da.Model.of(read_text(text + TIGHT))
    at_rest = {"x": 0, "x'": 0, "y'": 0, "ax'": 0, "ay'": 0, "az'": 0}
    state = model.solve(settings=at_rest)
    assert state.modes == {"wall": "closed", "wall.slip": "stick", "plane": "stick"}
    assert state.accelerations["y"] == pytest.approx(corner["q2dd"], abs=EXACT)
    motion = model.simulate(settings=at_rest, at=[1.0])
    assert motion["y"][0] == pytest.approx(corner["q2dd"] / 2, abs=EXACT)


def test_a_slide_between_two_impacts_is_one_parabola() -> None:
    """Constant accelerations of a slide are computed once: one evaluation and about one step for each impact."""
    found = da.gallery("zhang-mei-ball-paper").simulate(duration=320, samples=2)
    impacts, spent = len(found.events), found.diagnostics
    assert impacts > 90
    assert spent.steps < 1.05 * impacts + 10 and spent.evaluations < 1.05 * impacts + 30


def test_a_parabola_is_exact_whatever_the_tolerance() -> None:
    loose, strict = (
        da.gallery("zhang-mei-ball").simulate(at=[1.7], tolerance=tolerance) for tolerance in (1e-4, 1e-12)
    )
    for name in loose.coordinates:
        assert loose[name][0] == pytest.approx(strict[name][0], abs=1e-12)
