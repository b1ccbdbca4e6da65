"""Impacts against numbers in closed form: Newton's law and Poisson's, several contacts, constraints, friction."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.model.read import read_text

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())
EXACT = 1e-10


def model(text: str) -> da.Model:
    return da.Model.of(read_text(text + "\n[simulation]\ntolerance = 1e-12\n"))


def numbers(fractions: list[str]) -> list[float]:
    return [float(Fraction(entry)) for entry in fractions]


def test_bouncing_ball() -> None:
    """Impact times and the accumulation point t∞ = √(2h/g) (1 + e)/(1 − e)."""
    reference = REFERENCE["bouncing_ball_e"]
    ball = model(
        f"""
        gravity = [0, 0, {-reference["g"]}]
        [coordinates]
        y = {reference["h0"]}
        [bodies.ball]
        mass = 1
        position = [0, 0, "y"]
        [contacts.floor]
        gap = "y"
        restitution = {reference["e"]}
        """
    )
    motion = ball.simulate(at=[4, 4.5])
    impacts = [event for event in motion.events if event.kind == "impact"]
    assert [event.time for event in impacts[:6]] == pytest.approx(reference["impact_times"], abs=EXACT)
    assert [-event.before["y"] for event in impacts[:6]] == pytest.approx(reference["v_pre"], abs=EXACT)
    (chatter,) = (event for event in motion.events if event.kind == "chatter")
    assert chatter.time == pytest.approx(reference["zeno_time"], abs=1e-9)
    assert motion.modes["floor"].tolist() == ["open", "closed"]
    assert motion.multipliers["floor"] == pytest.approx([0, reference["g"]])
    assert motion["y''"] == pytest.approx([-reference["g"], 0])


WALL = """
[coordinates]
x = {{ initial = 0.7, speed = -0.7 }}
y = {{ initial = 0, speed = 0.9 }}
az = {{ initial = 0, speed = -0.5 }}
[energy]
kinetic = "(x'^2 + y'^2)/2 + {a2}/2*az'^2"
[contacts.wall]
gap = "x"
{law}
"""


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("superball_e1_et1_muinf", "reverses = [\"y' - az'\"]"),
        ("stick_e08_et0_muinf", 'restitution = 0.8\nslip = ["y\' - az\'"]\nfriction = "rough"'),
        ("coulomb_e08_et0_mu01", "restitution = 0.8\nslip = [\"y' - az'\"]\nfriction = 0.1"),
        ("coulomb_e08_et0_mu05", "restitution = 0.8\nslip = [\"y' - az'\"]\nfriction = 0.5"),
    ],
)
@pytest.mark.parametrize("kind", ["newton", "poisson"])
def test_wall_with_friction(name: str, law: str, kind: str) -> None:
    """Where normal and tangential directions do not mix, Newton's and Poisson's laws agree."""
    expected = REFERENCE["wall_impact_friction"][name]
    ball = model(WALL.format(a2=REFERENCE["wall_impact_friction"]["a2"], law=f'law = "{kind}"\n{law}'))
    (event,) = ball.simulate(until=2).events
    assert event.time == pytest.approx(1, abs=EXACT)
    after = [event.after["x"], event.after["y"], event.after["az"]]
    assert after == pytest.approx([expected["vx"], expected["vy"], expected["wz"]], abs=EXACT)
    assert event.after["y"] - event.after["az"] == pytest.approx(expected["slip"], abs=EXACT)
    assert event.after["y"] - event.before["y"] == pytest.approx(expected["Iy"], abs=EXACT)
    assert event.impulse == pytest.approx(expected["In"], abs=EXACT)
    assert event.energy == pytest.approx(expected["dT"], abs=EXACT)


def test_three_balls_at_once() -> None:
    """Moreau's law for simultaneous impacts; in sequence it would be (0, 0, 1)."""
    reference = REFERENCE["moreau_three_balls"]
    balls = model(
        """
        [coordinates]
        a = { initial = 0, speed = 1 }
        b = 1
        c = 1
        [energy]
        kinetic = "(a'^2 + b'^2 + c'^2)/2"
        [contacts.ab]
        gap = "b - a"
        [contacts.bc]
        gap = "c - b"
        """
    )
    first, second = balls.simulate(until=2).events
    assert {first.name, second.name} == {"ab", "bc"}
    assert list(first.after.values()) == pytest.approx(reference["post"], abs=EXACT)
    assert [first.impulse, second.impulse] == pytest.approx(reference["lam"], abs=EXACT)
    assert first.energy == second.energy == pytest.approx(0, abs=EXACT)


def test_general_inertia() -> None:
    """T = (v₁² + 1.2 cos q₂ v₁v₂ + …)/2: the momentum of q₂ is continuous, its speed is not; energy is kept."""
    reference = REFERENCE["2dof"]
    kinetic, potential = reference["T"].replace("v1", "q1'").replace("v2", "q2'"), reference["V"]
    q1, q2, v1, p2 = reference["y0_q1_q2_pi1_pi2"]
    momentum = "(0.6*cos(q2)*q1' + (2 + q1^2 + sin(q2)/2)*q2')"
    system = model(
        f"""
        [parameters]
        a = {q1}
        b = {q2}
        v = {v1}
        p = {p2}
        [coordinates]
        q1 = {{ initial = "a", speed = "v" }}
        q2 = {{ initial = "b", speed = "(p - 0.6*cos(b)*v)/(2 + a^2 + sin(b)/2)" }}
        [definitions]
        p2 = "{momentum}"
        [energy]
        kinetic = "{kinetic}"
        potential = "{potential}"
        [contacts.wall]
        gap = "q1"
        """
    )
    motion = system.simulate(at=[0, reference["end_t"]], dense=True)
    assert [event.time for event in motion.events] == pytest.approx(reference["impacts"], abs=EXACT)
    for event, expected in zip(motion.events, reference["pre"], strict=True):
        before, after = motion.at(event.time, side="before"), motion.at(event.time)
        assert [before["q1"], before["q2"], before["q1'"]] == pytest.approx(expected[:3], abs=EXACT)
        assert after["q1'"] == pytest.approx(-expected[2], abs=EXACT)
        assert event.energy == pytest.approx(0, abs=1e-12)
    last = [motion[name][-1] for name in ("q1", "q2", "q1'", "p2")]
    assert last == pytest.approx(reference["end_q1_q2_pi1_pi2"], abs=EXACT)
    assert motion.energy["total"] == pytest.approx([reference["E"]] * 2, abs=EXACT)


def test_sleigh_against_a_wall() -> None:
    """The blade takes part in the impact: V is reversed along the sleigh, ω is continuous."""
    reference = REFERENCE["sleigh_wall"]
    init, pre, end = reference["init"], reference["pre"], reference["end"]
    sleigh = model(
        f"""
        [parameters]
        a = {reference["a"]}
        V = {init["V"]}
        [coordinates]
        x = {{ initial = {init["x"]}, speed = "V*cos({init["theta"]})" }}
        y = {{ initial = {init["y"]}, speed = "V*sin({init["theta"]})" }}
        theta = {{ initial = {init["theta"]}, speed = {init["omega"]} }}
        [bodies.sleigh]
        mass = {reference["m"]}
        position = ["x + a*cos(theta)", "y + a*sin(theta)", 0]
        rotation = [["z", "theta"]]
        inertia = [0, 0, {reference["J"]}]
        [definitions]
        forward = "x'*cos(theta) + y'*sin(theta)"
        [constraints]
        blade = "y'*cos(theta) - x'*sin(theta) = 0"
        [contacts.wall]
        gap = "x"
        """
    )
    motion = sleigh.simulate(at=[reference["end_t"]], dense=True)
    (event,) = motion.events
    assert event.time == pytest.approx(reference["impact_t"], abs=EXACT)
    state = motion.at(event.time, side="before")
    before = {name: state[name] for name in ("x", "y", "theta")}
    assert before == pytest.approx({name: pre[name] for name in before}, abs=EXACT)
    assert event.before["theta"] == pytest.approx(pre["omega"], abs=EXACT)
    assert event.after["theta"] == pytest.approx(pre["omega"], abs=EXACT)
    assert event.after["x"] == pytest.approx(-event.before["x"], abs=EXACT)
    assert event.after["y"] == pytest.approx(-event.before["y"], abs=EXACT)
    last = [motion[name][0] for name in ("x", "y", "theta", "forward", "theta'")]
    assert last == pytest.approx([end[name] for name in ("x", "y", "theta", "V", "omega")], abs=EXACT)
    assert motion.diagnostics.constraint_residual < 1e-12


def test_a_nonlinear_constraint_turns_during_the_impact() -> None:
    """ż = (kẋ + c)ẏ: the direction of its reaction changes with ẋ, which (2.10) of Zhang and Mei overlooks."""
    reference = REFERENCE["nonlinear_phi_impact"]
    particle = model(
        f"""
        [parameters]
        k = {reference["k"]}
        c = {reference["c"]}
        [coordinates]
        x = {{ initial = 1, speed = {-reference["v"]} }}
        y = {{ initial = 0, speed = {reference["yd_minus"]} }}
        z = 0
        [bodies.particle]
        mass = 1
        position = ["x", "y", "z"]
        [constraints]
        bent = "z' = (k*x' + c)*y'"
        [contacts.wall]
        gap = "x"
        """
    )
    motion = particle.simulate(at=[1.5])
    (event,) = motion.events
    y = reference["yd_plus_true"]
    z = (reference["k"] * reference["v"] + reference["c"]) * y
    assert event.after == pytest.approx({"x": reference["v"], "y": y, "z": z}, abs=EXACT)
    assert [motion[name][0] for name in ("x'", "y'", "z'")] == pytest.approx([reference["v"], y, z], abs=EXACT)
    assert event.energy == pytest.approx((1 + y**2 + z**2 - 1 - 0.8**2 - 0.4**2) / 2, abs=EXACT)
    assert abs(y - reference["yd_plus_2_10"]) > 0.1


MATRIX = """
[coordinates]
a = {{ initial = 0, speed = -1 }}
b = {{ initial = 0, speed = 2 }}
c = {{ initial = 0, speed = 0.5 }}
[energy]
kinetic = "a'^2 + a'*b' + 3*b'^2/2 + b'*c' + c'^2"
[contacts.wall]
gap = "a"
{law}
[frictions.track]
slip = ["b' - c'"]
normal = 1
coefficient = 0.1
"""


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("paper_law", 'law = "zhang-mei"'),
        ("impulse_free_slip", ""),
        ("impulse_free_slip_e_half", "restitution = 0.5"),
    ],
)
def test_matrix_example(name: str, law: str) -> None:
    """Exact fractions: the paper keeps the slip by an impulse that adds energy; sliding contacts carry no impulse."""
    expected = REFERENCE["impact_matrix_example"][name]
    event = model(MATRIX.format(law=law)).simulate(until=0.1).events[0]
    assert (event.kind, event.time) == ("impact", 0)
    assert list(event.before.values()) == REFERENCE["impact_matrix_example"]["v_minus"]
    assert list(event.after.values()) == pytest.approx(numbers(expected["v_plus"]), abs=EXACT)
    impulses: list[Any] = expected.get("lam") or expected["lam_mu"]
    assert event.impulse == pytest.approx(numbers(impulses)[0], abs=EXACT)
    assert event.energy == pytest.approx(float(Fraction(expected["dT"])), abs=EXACT)


ROD = """
gravity = [0, -9.81, 0]
[parameters]
angle = {angle}
mu = {mu}
[coordinates]
x = {{ initial = 0, speed = {vx} }}
y = {{ initial = "sin(angle)", speed = "{vy}" }}
theta = {{ initial = "angle", speed = {w} }}
[bodies.rod]
mass = 1
position = ["x", "y", 0]
rotation = [["z", "theta"]]
inertia = [0, 0, "1/3"]
[contacts.tip]
gap = "y - sin(theta)"
restitution = {e}
slip = ["x' + sin(theta)*theta'"]
friction = "mu"
law = "{law}"
"""


def rod(angle: float, mu: float, vx: float, vy: str, w: float = 0, e: float = 0.9, law: str = "newton") -> da.Model:
    return model(ROD.format(angle=angle, mu=mu, vx=vx, vy=vy, w=w, e=e, law=law))


def test_newton_with_friction_may_add_energy_and_is_refused() -> None:
    with pytest.raises(da.MathematicsError, match=r"would add energy at the impact of tip.*poisson"):
        rod(1, 0.3, 1, "-1").simulate(until=0.01)
    event = rod(1, 0.3, 1, "-1", law="poisson").simulate(until=0.001).events[0]
    assert event.kind == "impact"
    assert event.energy < 0
    rate = event.after["y"] - event.after["theta"] * 0.5403023058681398
    assert rate > 0


def test_painleve() -> None:
    """A rod pushed along its tilt, μ > 4/3: no state without rotation, two states if the rotation lifts the tip."""
    with pytest.raises(da.MathematicsError, match=r"no state of the contacts tip.*no motion from here"):
        rod(1, 1.5, -1, "0").solve()
    with pytest.raises(da.MathematicsError, match="no state of the contacts tip"):
        rod(1, 1.5, -1, "0").simulate(until=1)
    spinning = rod(1, 1.5, -6, "5*cos(angle)", 5)
    for ask in (spinning.solve, lambda: spinning.simulate(until=1)):
        with pytest.raises(da.MathematicsError, match="more than one state of the contacts tip"):
            ask()
    assert rod(1, 1.5, 1, "0").solve().modes == {"tip": "closed", "tip.slip": "slip"}
