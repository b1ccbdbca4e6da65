"""A sample of the random models of `make fuzz`, the same every time, and tests of the tools that judge them."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace

import numpy as np
import pytest

from fuzz.cases import Case, written
from fuzz.judge import BAD, RIGHT, STRATA, UNJUDGED, WRONG, drawn, judge, record
from fuzz.known import stratum
from fuzz.laws import breaches
from fuzz.shrink import shrunk
from fuzz.variants import halved, moved, renamed, repeated
from reference.motions import Functions, smooth, stepped, taylor

SEEDS = {"feet": (104,), "legs": (101,), "wheels": (1,), "corner": (0,), "stiff": (0, 1), "plain": (0, 1, 3)}


@pytest.mark.parametrize("name", [pytest.param(name, marks=stratum(name)) for name in STRATA])
def test_a_sample_of(name: str) -> None:
    bad = []
    for seed in SEEDS.get(name, (0,)):
        verdict = judge(drawn(name, seed), limit=4.0)
        if verdict.kind in BAD:
            bad.append(f"{name} {seed}: {verdict.kind}. {verdict.detail}")
    assert bad == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=stratum(name)) for name in STRATA])
def test_more_of(name: str) -> None:
    found = [judge(drawn(name, seed)) for seed in range(1000, 1020)]
    assert [(v.case.seed, v.kind, v.detail) for v in found if v.kind in BAD] == []
    assert sum(v.kind == UNJUDGED for v in found) <= 5


@pytest.mark.parametrize("name", list(STRATA))
def test_models_are_what_they_read_as(name: str) -> None:
    for seed in range(3):
        case = drawn(name, seed)
        assert tomllib.loads(case.text) == case.model
        record(case.model)
        assert written(drawn(name, seed).model) == written(case.model)  # the same for the same seed


BLOCK = {
    "coordinates": {"x": {"initial": 0, "speed": 2.0}},
    "energy": {"kinetic": "x'^2/2"},
    "frictions": {"f": {"slip": ["x'"], "normal": 10, "coefficient": 0.3}},
}


def test_moreaus_steps_stop_a_block_where_it_stops() -> None:
    """x = v²/(2μg) = 2/3 after 2/3 s."""
    found = stepped(record(BLOCK), [0.5, 1.0], 0.01)
    assert found.q[:, 0] == pytest.approx([1 - 0.375, 2 / 3], abs=1e-4)
    assert found.error[0] < 1e-4


def test_moreaus_steps_bounce() -> None:
    """Dropped from 0.2 under 10 with e = 0.5: impacts at 0.2, 0.4, 0.5, … accumulate at 0.6."""
    ball = {
        "gravity": [0, -10, 0],
        "coordinates": {"y": 0.2},
        "bodies": {"p": {"mass": 1, "position": [0, "y", 0]}},
        "contacts": {"floor": {"gap": "y", "restitution": 0.5}},
    }
    found = stepped(record(ball), [0.1, 0.3, 0.45, 1.0], 0.002)
    assert found.q[:, 0] == pytest.approx([0.15, 0.05, 0.0125, 0.0], abs=2e-3)


def test_smooth_references_swing_as_elliptic_functions_do() -> None:
    case = drawn("long", 3)
    assert case.exact is not None
    times = [1.0, 5.0, 10.0]
    assert smooth(record(case.model), times).q[:, 0] == pytest.approx(case.exact(np.array(times))["th"], abs=1e-9)


def test_smooth_references_agree_with_taylor_series() -> None:
    model = {
        "gravity": [0, -9.81, 0],
        "coordinates": {"a": {"initial": 1.0, "speed": 0.5}, "b": {"initial": -0.5, "speed": 0.0}},
        "bodies": {
            "one": {"mass": 1, "position": ["sin(a)", "-cos(a)", 0]},
            "two": {"mass": 0.5, "position": ["sin(a) + sin(b)", "-cos(a) - cos(b)", 0]},
        },
    }
    assert np.allclose(taylor(record(model), [0.1]), smooth(record(model), [0.1]).q, atol=1e-11)


def wrong_block(friction: str) -> Case:
    """A sliding block, compared with a reference that has another coefficient."""
    wrong = BLOCK | {"frictions": {"f": {"slip": ["x'"], "normal": 10, "coefficient": friction}}}
    return Case("block", 0, wrong, 0.5, "stepped", step=0.01, instead=BLOCK)


def test_the_judge_sees_a_wrong_motion() -> None:
    assert judge(wrong_block("0.3"), limit=60.0).kind == RIGHT
    assert judge(wrong_block("0.31"), limit=60.0).kind == WRONG


def test_laws_see_forces_outside_of_their_cones() -> None:
    functions = Functions(record(BLOCK))
    values = {"time": 0.0, "coordinates": {"x": 0.0}, "speeds": {"x": 2.0}, "multipliers": {"f": -3.0}}
    assert breaches(functions, values) == []
    assert breaches(functions, values | {"multipliers": {"f": -3.5}})
    assert breaches(functions, values | {"multipliers": {"f": 3.0}})
    assert breaches(functions, values | {"multipliers": {"f": -2.0}})


@pytest.mark.parametrize("law", [renamed, moved, halved, repeated])
def test_variants_have_the_same_motion(law) -> None:
    """Tests the reference alone; the package is not asked."""
    model = {
        "gravity": [0, -9.81, 0],
        "coordinates": {"x": {"initial": 0.6, "speed": 0.0}, "y": {"initial": -0.8, "speed": 0.0}},
        "bodies": {"p": {"mass": 2.0, "position": ["x", "y", 0]}},
        "forces": {"f": {"generalized": {"x": "0.3*y'"}}},
        "constraints": {"rod": "x^2 + y^2 = 1"},
    }
    other = law(model, np.random.default_rng(1))
    times = [0.2, 0.5]
    first = smooth(record(model), times)
    again = smooth(record(other.model), times)
    found = other.back({name: again.q[:, k] for k, name in enumerate(record(other.model).coordinates)})
    assert np.allclose(np.array([found["x"], found["y"]]).T, first.q, atol=1e-9)


def test_failing_models_are_made_smaller() -> None:
    """Unneeded parts are removed: this failure needs only a gap that starts below zero."""
    case = replace(drawn("bounce", 0), reference="kink", row="no such row")
    model = case.model | {
        "forces": {"w": {"body": "p", "force": [0.123, 0, 0]}},
        "contacts": {"floor": {"gap": "y + nothing", "restitution": 0}},
    }
    verdict = judge(replace(case, model=model), limit=60.0)
    assert verdict.kind in BAD
    small = shrunk(verdict, 30.0)
    assert small.kind == verdict.kind
    assert "forces" not in small.case.model


def test_an_oscillator_beside_a_wall() -> None:
    """The formula of the grazing stratum against one impact worked out by hand: x = cos, wall at 0.5, e = 1."""
    from fuzz.touching import _beside

    hit = math.pi - math.acos(0.5)  # −cos(t) = 0.5 at t = 2π/3
    assert _beside(hit, 1.0, 1.0, 0.5, 1.0) == pytest.approx(0.5)
    assert _beside(hit + 0.3, 1.0, 1.0, 0.5, 1.0) == pytest.approx(-math.cos(hit - 0.3))
