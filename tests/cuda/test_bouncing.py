"""Bouncing and slipping written out: the same motions as by the default engine, and what is left to its loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_motions import both

import dalembert as da
from dalembert.cuda.bouncing import bounces
from dalembert.prepared import prepare
from dalembert.sweep.ensemble import FINISHED

BELT = """
title = "A block on a belt, held by a spring"
[parameters]
k = 4
mu = 0.3
v = 0.2
[coordinates]
x = { initial = 0, speed = 0.2 }
[bodies.block]
mass = 1
position = ["x", 0, 0]
[forces.spring]
body = "block"
force = ["-k*x", 0, 0]
[frictions.belt]
slip = ["x' - v"]
normal = 9.81
coefficient = "mu"
static = 0.45
"""
PADDLE = """
title = "A ball on a paddle that moves"
[parameters]
a = 0.05
[coordinates]
z = { initial = 1, speed = 0 }
x = { initial = 0, speed = 0.3 }
[energy]
kinetic = "(x'^2 + z'^2)/2"
potential = "9.81*z + x^2"
[contacts.paddle]
gap = "z - a*sin(7*t) - 0.1*cos(x)"
restitution = 0.9
[contacts.side]
gap = "0.4 - x"
restitution = 1
"""
PENDULUM = """
title = "A pendulum in Cartesian coordinates, on a rail with friction, at a wall"
gravity = [0, -9.81, 0]
[coordinates]
s = { initial = 0, speed = 0.4 }
x = { initial = 0.6, speed = 0.4 }
y = { initial = -0.8, speed = 0 }
[bodies.cart]
mass = 2
position = ["s", 0, 0]
[bodies.bob]
mass = 0.5
position = ["x", "y", 0]
[constraints]
rod = "(x - s)^2 + y^2 - 1 = 0"
[frictions.rail]
slip = ["s'"]
normal = 25
coefficient = 0.02
[contacts.wall]
gap = "0.9 - s"
restitution = 0.8
"""
# name, what varies, until, longest step: its choice sees differences of rounding
CASES = {
    "ball": ("zhang-mei-ball", {"x": "0.3:0.7:5", "ry'": "0.9:1.5:3"}, 16.0, 0.5),
    "ball that rolls": ("zhang-mei-ball", {"f": "0.12:0.4:5", "x": "0.3,0.6"}, 6.0, 0.5),
    "bouncing ball": ("bouncing-ball", {"e": "0.8,0.9", "z": "0.5,1.5"}, 1.5, 0.2),
    "billiard": ("ellipse-billiard", {"x": "0.1:0.4:3"}, 20.0, 0.5),
    "superball": ("superball", {"x'": "0.9:1.2:3"}, 3.0, 0.2),
    "sleigh": ("sleigh-at-a-wall", {"theta'": "0.04:0.06:3"}, 3.0, 0.05),
    "double pendulum": ("impact-double-pendulum", {"q1": "-0.9:-0.7:3"}, 3.0, 0.02),
    "belt": (BELT, {"v": "0.1:0.3:3", "k": "3,6"}, 10.0, 0.05),
    "paddle": (PADDLE, {"a": "0.03:0.06:3"}, 3.0, 0.05),
    "pendulum on a rail": (PENDULUM, {"s'": "0.6:1.2:3"}, 3.0, 0.02),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_bouncing_and_slipping_written_out_agree(case, tmp_path):
    name, vary, until, step = CASES[case]
    keep = ("final", "events", "events impact")
    found, expected, host = both(tmp_path, name, vary, keep, until=until, step=step)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-12, atol=1e-12)
    assert (found.status == FINISHED).all() and (found.values[:, -2] > 0).all()
    assert len(host.sources) == 1 and "void bouncing_motions(" in host.sources[0]


def test_what_meets_more_is_followed_from_its_beginning_by_the_loops(tmp_path):
    """Impacts that run together, beside motions that end before."""
    found, expected, host = both(
        tmp_path, "bouncing-ball", {"e": "0.5,0.9", "z": "0.5,1.5"}, ("final", "events"), until=2.0
    )
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-11, atol=1e-11)
    assert ["bouncing_motions" in source for source in host.sources] == [True, False]


def test_what_cannot_be_held_has_the_sentence_that_it_has_elsewhere(tmp_path):
    found, _, host = both(tmp_path, "zhang-mei-ball", {"f": "0.05,0.15"}, ("final",), until=3.0)
    assert len(host.sources) == 2 and list(found.sentences) == [0] and found.status[1] == FINISHED


def test_which_models_are_written_out():
    """Not friction at a contact, in a plane, or pressed by a reaction; nor the impact law in print."""
    out = {"bouncing-ball", "ellipse-billiard", "housner-block", "impact-double-pendulum", "newtons-cradle",
           "sleigh-at-a-wall", "superball", "zhang-mei-ball"}  # fmt: skip
    loops = {
        "disk-off-a-ledge",
        "rocking-block",
        "sliding-rod",
        "sliding-to-rolling",
        "tippe-top",
        "zhang-mei-ball-paper",
    }
    for name in out | loops:
        start = prepare(da.gallery(name).record)
        assert bounces(start.hybrid, start.x) == (name in out), name


@st.composite
def oscillators(draw):
    """Two masses with springs between walls, one of them on a rough floor that moves; all of it random."""
    m, k, c, v = (draw(st.floats(0.5, 2)) for _ in range(4))
    mu, static, e = draw(st.floats(0.05, 0.4)), draw(st.floats(1, 1.5)), draw(st.floats(0.5, 1))
    bend, drift = draw(st.sampled_from([0, 0.1])), draw(st.sampled_from([0, 0.05]))
    return f"""
[coordinates]
x = {{ initial = {draw(st.floats(-0.3, 0.3))}, speed = {draw(st.floats(-2, 2))} }}
y = {{ initial = {draw(st.floats(-0.3, 0.3))}, speed = {draw(st.floats(-2, 2))} }}
[energy]
kinetic = "({m}*x'^2 + y'^2 + {bend}*cos(x)*x'*y')/2"
potential = "{k}*(x - y)^2 + {c}*x^2 + {bend}*cos(y)"
[contacts.left]
gap = "x + 0.5 + {drift}*sin(3*t)"
restitution = {e}
[contacts.right]
gap = "0.6 - y + {bend}*x^2"
restitution = {e}
[frictions.floor]
slip = ["y' - {0.1 * v}*cos(t)"]
normal = "1 + 0.2*sin(x)"
coefficient = {mu}
static = {mu * static}
"""


@settings(max_examples=6, derandomize=True, deadline=None)
@given(text=oscillators())
def test_random_walls_and_floors_agree(text, tmp_path_factory):
    vary = {"x'": "-1.5:1.5:4"}
    found, expected, host = both(
        tmp_path_factory.mktemp("random"), text, vary, ("final", "events"), until=4.0, step=0.05
    )
    good = np.isfinite(expected.values)
    np.testing.assert_allclose(found.values[good], expected.values[good], rtol=1e-11, atol=1e-11)
    assert "bouncing_motions" in host.sources[0]
