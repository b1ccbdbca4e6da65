"""Frictions that also hold rows, that a constraint presses, or whose slip has only one free direction."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.api.instant import solve
from dalembert.api.motion import simulate
from dalembert.model.read import read_text

HELD = """
[coordinates]
x = {{ initial = 0, speed = {speed} }}
y = {{ initial = 0, speed = 0 }}
[energy]
kinetic = "x'^2/2 + {coupling}*x'*y' + y'^2/2"
potential = "{push}*y"
[frictions.sole]
slip = ["x'"]
held = ["y'"]
normal = "{normal}"
coefficient = 0.5
[simulation]
duration = 0.1
"""


@pytest.mark.parametrize("coupling", [0.0, 0.3, 0.9, -0.9])
@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_what_slips_and_what_is_held_share_the_cone(coupling, speed) -> None:
    """y″ = 0 and x″ = −S sign(ẋ): the held reaction is h = push − k S sign(ẋ), and S² + h² = (μN)²."""
    push, normal = 1.5, 4.0
    found = solve(read_text(HELD.format(speed=speed, coupling=coupling, push=push, normal=normal)))
    S = abs(found.accelerations["x"])
    held = found.accelerations["x"] * coupling + push
    assert math.copysign(1.0, found.accelerations["x"]) == -math.copysign(1.0, speed)
    assert found.accelerations["y"] == pytest.approx(0.0, abs=1e-12)
    assert found.multipliers["sole.held"] == pytest.approx(held, abs=1e-12)
    assert S**2 + held**2 == pytest.approx((0.5 * normal) ** 2, rel=1e-12)


ARM = """
[coordinates]
x = {{ initial = 0, speed = 1 }}
y = {{ initial = 0, speed = 0 }}
[energy]
kinetic = "x'^2/2 + {coupling}*x'*y' + {coupling}*{coupling}*y'^2"
[frictions.sole]
slip = ["x'"]
held = ["y'"]
normal = 1
coefficient = 0.5
[simulation]
duration = 0.1
"""


@pytest.mark.parametrize("coupling", [0.5, 1.0, 2.0, 5.0])
def test_a_held_reaction_that_grows_with_the_pull_is_found_all_the_same(coupling) -> None:
    """h = −k S, so S = μN/√(1 + k²): to repeat S = √((μN)² − h²) leads away from it where k > 1."""
    found = solve(read_text(ARM.format(coupling=coupling)))
    assert found.accelerations["x"] == pytest.approx(-0.5 / math.hypot(1.0, coupling), rel=1e-12)
    motion = simulate(read_text(ARM.format(coupling=coupling)))
    np.testing.assert_allclose(motion["x''"], -0.5 / math.hypot(1.0, coupling), rtol=1e-9)


def test_what_cannot_be_held_is_said_of_the_friction() -> None:
    text = HELD.format(speed=1, coupling=0, push=3, normal=4)
    with pytest.raises(da.MathematicsError, match=r"no state of sole satisfies.*that a friction holds leaves its cone"):
        solve(read_text(text))


ONE_WAY = """
[coordinates]
x = { initial = 0, speed = 1 }
y = 0
[bodies.p]
mass = 1
position = ["x", "y", 0]
[constraints]
rail = "x' - 2*y' = 0"
again = "2*x' - 4*y' = 0"
[frictions.sole]
slip = ["x'", "y'"]
normal = 2
coefficient = 0.25
[simulation]
duration = 6
"""


def test_a_planar_slip_with_one_direction_left_stops_where_it_should() -> None:
    """On the rail the friction is along it: s″ = −μN/m from |v| = √5/2 of the speeds that satisfy the rail."""
    motion = simulate(read_text(ONE_WAY), tolerance=1e-10)
    speed = math.hypot(motion["x'"][0], motion["y'"][0])
    assert [event.kind for event in motion.events] == ["stick"]
    assert motion.events[0].time == pytest.approx(speed / 0.5, abs=1e-8)
    assert math.hypot(motion["x"][-1], motion["y"][-1]) == pytest.approx(speed**2 / 1.0, abs=1e-8)


def test_a_pressing_reaction_that_redundant_rows_share_is_refused() -> None:
    text = ONE_WAY.replace("normal = 2", 'normal = "rail"')
    with pytest.raises(da.ModelError, match="rail follows from other constraints"):
        simulate(read_text(text))
    simulate(read_text(text.replace("again = \"2*x' - 4*y' = 0\"\n", "")))


REVERSED = """
[coordinates]
x = {{ initial = 1, speed = -1 }}
y = {{ initial = 0, speed = {speed} }}
[bodies.p]
mass = 1
position = ["x", "y", 0]
[contacts.wall]
gap = "x"
reverses = ["x' + y'/2"]
[simulation]
duration = 2
"""


def test_a_contact_that_would_have_to_pull_says_so() -> None:
    """Δẏ = −2ẏ takes ρ/2 along x' + y'/2, and Δẋ = λ + ρ = −2ẋ then leaves the wall λ = 2 + 4 ẏ."""
    motion = simulate(read_text(REVERSED.format(speed=-0.4)))
    assert motion.events[0].impulse == pytest.approx(2 - 4 * 0.4)
    assert motion.events[0].after == pytest.approx({"x": 1.0, "y": 0.4})
    with pytest.raises(da.MathematicsError, match=r"at t = 1 no impulse of the contacts wall.*have to pull"):
        simulate(read_text(REVERSED.format(speed=-0.6)))


SPENT = """
[coordinates]
x = { initial = 0, speed = 3 }
y = 0
[energy]
kinetic = "x'^2/2 + y'^2/2"
potential = "x*y"
[frictions.sole]
slip = ["x'"]
held = ["y'"]
normal = 2
coefficient = 0.5
[simulation]
duration = 3
"""


def test_a_cone_that_held_rows_come_to_need_whole_ends_the_motion_with_a_sentence() -> None:
    """h = x reaches μN = 1 while it slips, and the pull √(1 − x²) falls to nothing as a root does; ẋ is 3 to 2.8."""
    with pytest.raises(da.MathematicsError, match=r"at t = 0\.3[5-7]\d* the friction sole can no longer hold"):
        simulate(read_text(SPENT))
