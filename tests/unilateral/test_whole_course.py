"""The whole-course description against the segmented one, closed forms, and Zhang and Mei's (3.1) and (4.31)."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.errors import MathematicsError, ModelError
from dalembert.model.read import read_text
from dalembert.results.motion import Motion
from small_models import ISOTROPIC, LAWS, ball

COS_ALPHA, COS_BETA, COS_GAMMA, A2 = 0.5, 0.3, 0.812403840463596, 0.4


def motion(text: str, description: str, at: np.ndarray, tolerance: float = 1e-12, **more: object) -> Motion:
    settings = f'\n[simulation]\ntolerance = {tolerance}\ndescription = "{description}"\n'
    return da.Model.of(read_text(text + settings)).simulate(at=at, **more)


def same(text: str, end: float, near: float = 1e-9, samples: int = 31) -> Motion:
    """Both descriptions: states, modes and events, before and after."""
    at = np.linspace(0, end, samples)
    whole, segmented = motion(text, "whole-course", at), motion(text, "segmented", at)
    for name in whole.coordinates:
        for column in (name, f"{name}'"):
            assert whole[column] == pytest.approx(segmented[column], abs=near), column
    for name, words in whole.modes.items():
        assert words.tolist() == segmented.modes[name].tolist()
    assert [(e.kind, e.name) for e in whole.events] == [(e.kind, e.name) for e in segmented.events]
    for ours, theirs in zip(whole.events, segmented.events, strict=True):
        assert ours.time == pytest.approx(theirs.time, abs=near)
        assert ours.before == pytest.approx(theirs.before, abs=near)
        assert ours.after == pytest.approx(theirs.after, abs=near)
        if ours.kind == "impact":
            assert ours.impulse == pytest.approx(theirs.impulse, abs=near)
            assert ours.energy == pytest.approx(theirs.energy, abs=near)
        assert ours.direction == theirs.direction
    return whole


def impacts(found: Motion) -> list[float]:
    return [event.time for event in found.events if event.kind == "impact"]


@pytest.mark.parametrize(
    ("law", "f", "end", "count"),
    [("L0", 0.15, 20, 6), ("L1", 0.15, 20, 15), ("L2", 0.15, 20, 11), ("L0", 0.3, 12, 3), ("L1", 0.3, 8.5, 8)],
)
def test_ball(law: str, f: float, end: float, count: int) -> None:
    """f = 0.15: sliding all the way, 15 impacts under the right law; f = 0.3: rolling and sliding by turns."""
    assert len(impacts(same(ball(LAWS[law], f), end))) == count


def test_ball_that_slips_in_the_plane() -> None:
    found = same(ball(LAWS["L1"], 0.3, ISOTROPIC), 5)
    assert [event.kind for event in found.events] == ["impact", "stick", "impact", "slip"]


def test_period_of_the_paper() -> None:
    """τ = 2(2h/(cos α − R_x))^½ and (4.31) corrected, where S ≤ a² cos α/(1 + a²)."""
    S = np.sqrt((0.15 * COS_GAMMA) ** 2 - (A2 / (1 + A2) * COS_BETA) ** 2)
    assert S <= A2 * COS_ALPHA / (1 + A2)
    pull = COS_ALPHA - S
    tau = 2 * 0.7 / pull
    t = np.linspace(0, 5.85 * tau, 60)
    found = motion(ball(LAWS["L0"], 0.15, x=0, speed=0.7), "whole-course", t)
    assert impacts(found) == pytest.approx([k * tau for k in range(1, 6)])
    flight = t % tau
    assert found["x"] == pytest.approx(pull / 2 * flight * (tau - flight), abs=1e-9)
    height = 0.7**2 / (2 * pull)
    assert tau == pytest.approx(2 * (2 * height / pull) ** 0.5)
    # π₃ = π₃* sgn q₁*, π₃* = A₂ − cos β/(1 + a²) tri(t)
    s = np.where((t // tau) % 2 == 0, 1.0, -1.0)
    triangle = np.abs((t + tau) % (2 * tau) - tau)
    assert found["y'"] - found["az'"] == pytest.approx(s * (0.4 - COS_BETA / (1 + A2) * triangle), abs=1e-9)
    slip = -1.0 - (COS_ALPHA - (1 + A2) / A2 * S) * t
    assert found["x'"] - found["ay'"] == pytest.approx(slip, abs=1e-9)


def test_no_period_where_slip_stops() -> None:
    """S > a² cos α/(1 + a²): π₄ reaches zero, the ball rolls, and the paper's τ is not the time between impacts."""
    S = np.sqrt((0.3 * COS_GAMMA) ** 2 - (A2 / (1 + A2) * COS_BETA) ** 2)
    assert A2 * COS_ALPHA / (1 + A2) < S < COS_ALPHA
    found = motion(ball(LAWS["L0"], 0.3), "whole-course", np.array([14.0]))
    stops = [event.time for event in found.events if event.kind == "stick"]
    assert len(stops) == 1
    height = 0.5 + 0.2**2 / (2 * (COS_ALPHA - S))
    assert 2 * (2 * height / (COS_ALPHA - S)) ** 0.5 == pytest.approx(4.1084196153171515)
    between = np.diff(impacts(found))
    assert between == pytest.approx([3.3724397091576597, 3.350244798530882, 3.350244798530882])


TWO = """
[coordinates]
x = { initial = 0.5, speed = 0.4 }
p = { initial = 0.3, speed = "(0.7 - 0.6*cos(0.3)*0.4)/(2.25 + sin(0.3)/2)" }
[energy]
kinetic = "(x'^2 + 2*0.6*cos(p)*x'*p' + (2 + x^2 + sin(p)/2)*p'^2)/2"
potential = "x + p^2/4"
[contacts.wall]
gap = "x"
"""


def test_two_degrees_of_freedom() -> None:
    """Inertia that couples the gap's rate with another and changes on the way; 34-digit reference."""
    found = motion(TWO, "whole-course", np.array([0.0, 8.0]))
    times = [1.4531693274803892, 3.5475953649980254, 5.66286929384302, 7.648076734625972]
    assert impacts(found) == pytest.approx(times, abs=1e-10)
    x, p, v = (found[name][-1] for name in ("x", "p", "x'"))
    momentum = 0.6 * np.cos(p) * v + (2 + x**2 + np.sin(p) / 2) * found["p'"][-1]
    expected = [0.3354731572514791, -0.5352292294625742, 0.7191916776887091, -0.49174655006310414]
    assert [x, p, v, momentum] == pytest.approx(expected, abs=1e-10)
    assert found.energy["total"] == pytest.approx([0.6937164510709344] * 2, abs=1e-10)


def test_as_many_evaluations_as_from_impact_to_impact() -> None:
    """The auxiliary motion is as smooth as the motion itself: its steps are as long."""
    whole, segmented = (motion(TWO, d, np.array([8.0])).diagnostics for d in ("whole-course", "segmented"))
    assert whole.steps <= 1.1 * segmented.steps
    assert whole.evaluations <= 1.1 * segmented.evaluations


@pytest.mark.parametrize("e", [1.0, 0.7])
def test_unfolded_oscillator(e: float) -> None:
    """ẍ + ẋ/10 + x = 0 before a wall at 0 is eᵏ|s(t)|, k the impacts so far and s the motion without the wall."""
    text = f"""
[coordinates]
x = {{ initial = 1, speed = 0.3 }}
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
dissipation = "0.05*x'^2"
[contacts.wall]
gap = "x"
restitution = {e}
"""
    t = np.linspace(0, 20, 41)
    found = motion(text, "whole-course", t)
    w = np.sqrt(1 - 0.05**2)
    s = np.exp(-0.05 * t) * (np.cos(w * t) + 0.35 / w * np.sin(w * t))
    first = (np.pi - np.arctan(w / 0.35)) / w
    times = np.array([first + k * np.pi / w for k in range(6)])
    assert impacts(found) == pytest.approx(times, abs=1e-10)
    assert found["x"] == pytest.approx(e ** np.searchsorted(times, t) * np.abs(s), abs=1e-10)


def test_what_is_reversed_with_less_than_full_restitution() -> None:
    """The factor of the reversed speeds is continuous in flight and 1 ± k at the wall."""
    found = same(ball(f"{LAWS['L2']}\nrestitution = 0.8", 0.15), 6)
    for event in found.events:
        if event.kind == "impact":
            before, after = event.before, event.after
            assert after["x"] == pytest.approx(-0.8 * before["x"])
            assert after["y"] - after["az"] == pytest.approx(-0.8 * (before["y"] - before["az"]))
            assert after["ay"] == pytest.approx(-0.8 * before["ay"])
    assert len(impacts(found)) == 3


OTHERS = {
    "a sleigh that meets a wall": """
[coordinates]
x = { initial = 0.6, speed = "-cos(0.2)" }
y = { initial = 0, speed = "-sin(0.2)" }
th = { initial = 0.2, speed = 0.05 }
[bodies.sleigh]
mass = 1
position = ["x + 0.3*cos(th)", "y + 0.3*sin(th)", 0]
rotation = [["z", "th"]]
inertia = [0, 0, 0.2]
[constraints]
blade = "y'*cos(th) - x'*sin(th) = 0"
[contacts.wall]
gap = "x"
""",
    "a floor that moves and is not flat": """
[coordinates]
x = { initial = 1, speed = 0.3 }
y = { initial = 0, speed = 0.2 }
[energy]
kinetic = "(x'^2 + y'^2)/2 + 0.2*x'*y'*cos(y)"
potential = "9.81*x"
[contacts.floor]
gap = "2*x - 0.2*sin(3*t) - 0.2*y^2"
restitution = 0.9
""",
    "a pendulum in Cartesian coordinates, its rod given twice": """
[coordinates]
x = 0.8
y = -0.6
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[constraints]
rod = "x^2 + y^2 = 1"
again = "2*x^2 + 2*y^2 = 2"
[contacts.wall]
gap = "x + 0.2"
restitution = 0.9
""",
    "a disk that rolls under its own weight": """
[coordinates]
x = { initial = 0.5, speed = -1 }
z = 1
phi = { initial = 0, speed = -1 }
[energy]
kinetic = "(x'^2 + z'^2)/2 + phi'^2/4"
potential = "x + 9.81*z"
[constraints]
plane = "z = 1"
[contacts.wall]
gap = "x"
[frictions.plane]
slip = ["x' - phi'"]
normal = "plane"
coefficient = 0.3
""",
    "a body that loses mass": """
[coordinates]
z = 1
[bodies.tank]
mass = "2 - 0.3*t"
position = [0, 0, "z"]
ejection = [0, 0, -1]
[forces.pull]
body = "tank"
force = [0, 0, -20]
[contacts.floor]
gap = "z"
restitution = 0.95
[events.middle]
when = "z - 0.5"
""",
}
OTHERS["a gap whose slope changes"] = TWO.replace('gap = "x"', 'gap = "x^2 + x*p - 0.1"')


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_systems(text: str) -> None:
    assert impacts(same(text, 2.4))


def random_system(seed: int) -> str:
    """Three coordinates with a coupled, varying inertia, a wall, reversed speeds, and a friction."""
    chance = random.Random(seed)

    def number() -> str:
        return f"{chance.uniform(-0.35, 0.35):.4f}"

    couplings = ["cos(q)*x'*q'", "sin(x + r)*x'*r'", "cos(t)*q'*r'"]
    gap = chance.choice(["x", "x - 0.1*sin(q)", "2*x + 0.3*q^2", "x + 0.1*cos(2*t)"])
    return f"""
[coordinates]
x = {{ initial = 0.8, speed = {number()} }}
q = {{ initial = 0.2, speed = {number()} }}
r = {{ initial = -0.3, speed = {number()} }}
[energy]
kinetic = "0.6*x'^2 + 0.7*q'^2 + 0.8*r'^2 + {" + ".join(f"({number()})*{c}" for c in couplings)}"
potential = "2*x + q^2/2 + r^2/3 + ({number()})*x*sin(q)"
[contacts.wall]
gap = "{gap}"
restitution = {chance.choice([1, 0.9, 0.6])}
law = "{chance.choice(["newton", "zhang-mei"])}"
reverses = ["q' + ({number()})*x'*cos(r)"]
[frictions.plane]
slip = ["r' + ({number()})*x'"]
normal = 1
coefficient = {chance.uniform(0.1, 0.5):.3f}
"""


@pytest.mark.parametrize("seed", range(8))
def test_random_systems(seed: int) -> None:
    assert impacts(same(random_system(seed), 3))


def test_rolling_that_an_impact_does_not_break() -> None:
    """A wedge presses the disk on its plane hard enough: the slip stays zero, and so its row belongs to B."""
    text = OTHERS["a disk that rolls under its own weight"].replace('"x"\n', '"x + 0.5*(z - 1)"\n')
    found = same(text.replace("0.3", "5"), 2)
    assert [event.kind for event in found.events] == ["impact"]
    with pytest.raises(MathematicsError, match="leaves a cone of friction"):
        motion(text.replace("0.3", "0.4"), "whole-course", np.array([2.0]))


FALL = """
[coordinates]
y = {{ initial = 1 }}
[energy]
kinetic = "y'^2/2"
potential = "{potential}"
[contacts.floor]
gap = "y"
restitution = 0.5
"""


def test_impacts_that_accumulate_and_contact_that_is_left() -> None:
    found = same(FALL.format(potential="y*(9.81 - 1.5*t)"), 8)
    kinds = [event.kind for event in found.events]
    assert kinds.count("impact") > 15
    assert kinds[-3:] == ["contact", "chatter", "liftoff"]
    assert found.events[-1].time == pytest.approx(6.54)


def test_touching_at_the_start() -> None:
    at_once = FALL.format(potential="9.81*y").replace("initial = 1", "initial = 0, speed = -1")
    assert impacts(same(at_once, 0.15)) == pytest.approx([0, 1 / 9.81])
    leaves = at_once.replace("speed = -1", "speed = 1")
    assert impacts(same(leaves, 0.25)) == pytest.approx([2 / 9.81])
    rests = at_once.replace("speed = -1", "speed = 0")
    assert same(rests, 1).modes["floor"].tolist() == ["closed"] * 31


@pytest.mark.parametrize(
    ("law", "after"),
    [
        ('law = "zhang-mei"', [1, 12 / 7, 3 / 14]),
        ("", [1, 6 / 5, 9 / 10]),
        ("restitution = 0.5", [1 / 2, 7 / 5, 4 / 5]),
    ],
)
def test_one_auxiliary_state_read_with_both_signs(law: str, after: list[float]) -> None:
    """(3.1): π* is continuous, and its two values give the speeds before and after (matrix example of the errata)."""
    text = f"""
[coordinates]
q1 = {{ initial = 0, speed = -1 }}
q2 = {{ initial = 0, speed = 2 }}
q3 = {{ initial = 0, speed = 0.5 }}
[energy]
kinetic = "q1'^2 + 1.5*q2'^2 + q3'^2 + q1'*q2' + q2'*q3'"
[contacts.wall]
gap = "q1"
{law}
[frictions.plane]
slip = ["q2' - q3'"]
normal = 1
coefficient = 0.1
"""
    first = motion(text, "whole-course", np.array([0.0, 0.1])).events[0]
    assert first.kind == "impact"
    assert [first.before[name] for name in ("q1", "q2", "q3")] == pytest.approx([-1, 2, 0.5])
    assert [first.after[name] for name in ("q1", "q2", "q3")] == pytest.approx(after)


def test_interpolant() -> None:
    at = np.linspace(0, 8.5, 5)
    whole, segmented = (motion(TWO, d, at, dense=True) for d in ("whole-course", "segmented"))
    for t in np.linspace(0, 8.5, 40):
        assert whole.at(t) == pytest.approx(segmented.at(t), abs=1e-8)


WALL = '\n[contacts.other]\ngap = "2 - x"\n'
REFUSED = {
    "one contact": (TWO + WALL, "there must be one contact, and the model has 2"),
    "no contact": (ball("", 0.15).replace('[contacts.wall]\ngap = "x"', ""), "the model has none"),
    "crooked gap": (
        TWO.replace('gap = "x"', 'gap = "x^2 - p^2 + 1"'),
        r"wall\.gap: .* linear in at least one coordinate",
    ),
    "plastic": (TWO + "restitution = 0", r"wall\.restitution: .* the restitution is 0"),
    "varying restitution": (TWO + 'restitution = "0.5 + 0.1*x"', "must be a constant"),
    "friction of its own": (TWO + 'slip = ["p\'"]\nfriction = 0.3', r"wall\.slip: .* no friction of its own"),
    "nonlinear constraint": (
        TWO + "[constraints]\nspeed = \"x'^2 + p'^2 = 1\"",
        r"\[constraints\] speed: .* linear in the",
    ),
    "inertia": (OTHERS["a body that loses mass"].replace("0.3*t", "0.01*z'"), "inertia must not depend on speeds"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_preconditions(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(ModelError, match=message):
        motion(text, "whole-course", np.array([1.0]))


@pytest.mark.parametrize("name", ["rolling-disk", "newtons-cradle"])
@pytest.mark.parametrize("ask", ["derive", "solve", "simulate"])
def test_a_model_without_one_contact_has_no_whole_course(name, ask, capsys):
    assert run([ask, name, "--description", "whole-course"]) == 2
    assert "there must be one contact" in capsys.readouterr().err
