"""Fixed steps by independent speeds: the same motions as by all speeds with projection, at fourth order."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se
from host_device import library, passed

import dalembert as da
from dalembert.cuda import source
from dalembert.cuda.polynomials import Letters, grouped, terms_of
from dalembert.cuda.reduce import reduction
from dalembert.model.read import read_text
from dalembert.motions.one import integrate
from dalembert.prepared import prepared

SHAKEN = """
title = "A sleigh on a table that is shaken across its blade, held a second time by a turned row"
[parameters]
m = 1.3
J = 0.7
a = 0.4
w = 0.3
[coordinates]
x = 0.1
y = 0.2
theta = { initial = 0.4, speed = 2 }
s = { initial = 0, speed = 1 }
[bodies.sleigh]
mass = "m"
position = ["x + a*cos(theta)", "y + a*sin(theta)", 0]
rotation = [["z", "theta"]]
inertia = [0, 0, "J"]
[bodies.bead]
mass = "1 + m"
position = ["s", 0, 0]
[forces.pull]
body = "bead"
force = ["-3*s + w*cos(t)", 0, 0]
[constraints]
blade = "y'*cos(theta) - x'*sin(theta) = w*sin(2*t)"
again = "2*y'*cos(theta) - 2*x'*sin(theta) = 2*w*sin(2*t)"
drawn = "s' - t*x'*cos(theta) - t*y'*sin(theta) + 0.2*theta' = 0"
"""
LED = """
title = "A point led along a curve: no speed is free"
[parameters]
w = 0.7
[coordinates]
x = 1
y = 0.5
[bodies.point]
mass = 1
position = ["x", "y", 0]
[constraints]
across = "x' = w*cos(t*y)"
along = "y' + 2*x' = sin(x)"
"""
CASES = {  # model, parameters that are arguments, what is set, duration
    "disk": ("rolling-disk", (), {}, 0.5),
    "disk of any radius": ("rolling-disk", ("R", "g"), {"R": 0.4}, 0.5),
    "disk hanging below": ("rolling-disk", (), {"lean": 2.6, "lean'": 0.3}, 0.2),
    "sleigh": ("chaplygin-sleigh", ("a",), {"a": 0.5}, 1.0),
    "knife edge": ("knife-edge", (), {}, 1.0),
    "rolling sphere": ("rolling-sphere", (), {}, 0.5),
    "Chaplygin's ball": ("chaplygin-ball", (), {}, 1.0),
    "turntable": ("ball-on-turntable", (), {}, 0.5),
    "cart": ("two-wheeled-cart", (), {}, 1.0),
    "redundant rows": ("long-1", (), {}, 1.0),
    "particle": ("nonholonomic-particle", (), {}, 1.0),
    "shaken": (SHAKEN, ("w", "m"), {"w": 0.7}, 1.0),
    "no speed free": (LED, ("w",), {}, 1.0),
    "no constraint": ("double-pendulum", (), {}, 0.3),
}  # fmt: skip
FREE = ("sleigh", "knife edge", "shaken")  # which turn past the pivots of complete pivoting at the start


def begun(name, open, given):
    record = read_text(name) if "\n" in name else da.gallery(name).record
    return prepared(record, open=open).at(given)


def follow(text, start, steps, duration, folder):
    """The states at the end with so many steps, and whether each motion finished."""
    entry = library(text, folder).fixed_steps
    given = np.concatenate([start.q, start.v])[:, None].copy()
    parameters = np.array([*start.system.parameters, 0.0])[:, None].copy()
    ends, good = [], []
    for count in steps:
        final, reached, books = np.zeros_like(given), np.zeros(1), np.zeros(6, np.int32)
        entry(*map(passed, (1, parameters, given, 0.0, duration / count, count, final, reached, books)))
        ends.append(final[:, 0])
        good.append(books[0] != source.LEFT)
    return np.array(ends), good


@pytest.mark.parametrize("case", CASES)
def test_independent_speeds_follow_the_same_motion(case, tmp_path, monkeypatch):
    name, open, given, duration = CASES[case]
    start = begun(name, open, given)
    reduced = source.fast_source(start.system, start.x, "rk4")
    assert "reduced_slopes" in reduced.text
    assert reduced.stepped < reduced.size or not start.system.m
    ends, good = follow(reduced.text, start, (200, 400, 2000), duration, tmp_path)
    assert all(good)
    y = np.concatenate([start.q, start.v])
    right = integrate(start.system, y, [], 0.0, duration, 1e-13).end_state
    errors = np.abs(ends - right).max(axis=1)
    assert errors[2] < 2e-11
    if errors[1] > 1e-11:
        assert 13.0 < errors[0] / errors[1] < 19.0
    x = start.system.state(duration, *np.split(ends[2], 2))
    residual = start.system.velocity(x)[: start.system.m]
    assert np.abs(residual).max(initial=0.0) < 1e-14 * max(1.0, np.abs(x).max())
    monkeypatch.setattr(source, "reduced_functions", lambda system, x: None)
    full = source.fast_source(start.system, start.x, "rk4")
    assert "reduced_slopes" not in full.text
    others, kept = follow(full.text, start, (2000,), duration, tmp_path)
    assert kept[0] or case in FREE
    if kept[0]:
        np.testing.assert_allclose(ends[2], others[0], rtol=0, atol=2e-12)


def test_an_evaluation_of_the_disk_costs_what_one_by_hand_costs():
    """By hand: two sines with their cosines, a quotient, 18 products and sums (`gpu_peers/rolling-disk.cu`)."""
    start = begun("rolling-disk", (), {})
    found = source.fast_source(start.system, start.x, "rk4")
    counted = dict(found.operations)
    assert counted.pop("sincos") == 2 and counted.pop("divide") == 1
    assert set(counted) == {"add", "multiply"} and sum(counted.values()) <= 18
    assert found.stepped == 8
    assert "is_above_rounding(e" not in found.text  # no pivot that could vanish by cancellation


@pytest.mark.parametrize("name", ["double-pendulum-cartesian", "constant-speed", "suslov", "whipple-bicycle"])
def test_where_speeds_cannot_be_eliminated_for_good_all_are_stepped(name):
    start = begun(name, (), {})
    assert reduction(start.system, start.x) is None
    if name != "whipple-bicycle":  # whose source takes a while
        found = source.fast_source(start.system, start.x, "rk4")
        assert found.stepped == found.size and "reduced_slopes" not in found.text


def test_a_disk_that_falls_flat_is_left(tmp_path):
    """The sign of a cosine that stood under a root changes: nothing that was written holds any more."""
    start = begun("rolling-disk", (), {"lean": 1.4, "roll'": 0.0, "yaw'": 0.0, "lean'": 1.0})
    text = source.fast_source(start.system, start.x, "rk4").text
    assert "is_positive(e" in text
    assert not follow(text, start, (200,), 1.0, tmp_path)[1][0]


def test_inconsistent_speeds_are_projected_first(tmp_path):
    start = begun("rolling-disk", (), {})
    start.v[0] += 0.3
    one = source.fast_source(start.system, start.x, "rk4").text
    ends, _ = follow(one, start, (500,), 0.5, tmp_path)
    start.v[:] = _projected(start)
    others, _ = follow(one, start, (500,), 0.5, tmp_path)
    np.testing.assert_allclose(ends, others, rtol=0, atol=1e-13)


def _projected(start):
    A = start.system.unpacked(start.system.dynamics(start.x))[2]
    return start.v - np.linalg.pinv(A) @ (A @ start.v)


def test_letters_see_what_cancels():
    x, y, k = se.symbols("x y k")
    letters = Letters()
    sine, cosine = letters.angle(x)

    def normal(e):
        return letters.normal(letters.read(e))

    assert normal(0.1 * se.sin(x) ** 2 + 0.1 * se.cos(x) ** 2 - 0.3 + 0.2) == 0
    assert normal(se.tan(x) * se.cos(x)) == sine
    root = normal(se.sqrt(1 - se.sin(x) ** 2) * se.cos(x) + se.sin(x) ** 2 * se.cos(x) / se.sqrt(1 - se.sin(x) ** 2))
    (sign,) = letters.signs
    assert root == sign and letters.signs[sign] == cosine
    rate = letters.normal(letters.rate(normal(se.sqrt(1 + x**2) * se.sin(x)), {x: k}))
    values = {x: 0.7, k: 1.3}
    full = {letter: letters.plain(letter) for letter in (*letters.angles, *letters.roots)}
    right = (se.sqrt(1 + x**2) * se.sin(x)).diff(x) * k
    assert float(rate.xreplace(full).xreplace(values)) == pytest.approx(float(right.xreplace(values)), rel=1e-14)
    total = se.expand((x + y) * k * x + k**2 / y + 3 * k)
    assert se.expand(grouped(total)) == total
    assert len(terms_of(grouped(total))) == 1
