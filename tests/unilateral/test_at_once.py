"""Impacts at one instant: each contact is listed with its impulse, and the energy they take together counts once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import dalembert as da

TWO_BODIES = """
gravity = [0, -10, 0]
[coordinates]
a = 0.2
b = 0.2
[bodies.p]
mass = 1
position = [0, "a", 0]
[bodies.q]
mass = 3
position = [1, "b", 0]
[contacts.left]
gap = "a"
restitution = 0.5
[contacts.right]
gap = "b"
restitution = 0.25
"""
TWO_WALLS = """
[coordinates]
x = { initial = 1, speed = -2 }
y = { initial = 1, speed = -2 }
[bodies.p]
mass = 2
position = ["x", "y", 0]
[contacts.left]
gap = "x"
restitution = 1
[contacts.floor]
gap = "y"
restitution = 0.5
"""
CRADLE = """
[coordinates]
a = { initial = -1, speed = 2 }
b = 0
c = 0
[bodies.one]
mass = 1
position = ["a", 0, 0]
[bodies.two]
mass = 1
position = ["b", 0, 0]
[bodies.three]
mass = 1
position = ["c", 0, 0]
[contacts.first]
gap = "b - a"
restitution = 1
[contacts.second]
gap = "c - b"
restitution = 1
"""
TABLE = """
gravity = [0, -10, 0]
[coordinates]
y = 0.2
th = 0
[bodies.top]
mass = 2
position = [0, "y", 0]
rotation = [["z", "th"]]
inertia = [0, 0, 0.5]
[contacts.left]
gap = "y - sin(th)"
restitution = 0.5
[contacts.right]
gap = "y + sin(th)"
restitution = 0.5
"""

# model, instant, speeds before and after, impulse of every contact (m Δv; the cradle's by Moreau's law, all at once)
CASES = [
    pytest.param(TWO_BODIES, 0.2, {"a": (-2, 1), "b": (-2, 0.5)}, {"left": 3.0, "right": 7.5}, id="two bodies"),
    pytest.param(TWO_WALLS, 0.5, {"x": (-2, 2), "y": (-2, 1)}, {"left": 8.0, "floor": 6.0}, id="two walls"),
    pytest.param(CRADLE, 0.5, {"a": (2, -2 / 3), "b": (0, 4 / 3), "c": (0, 4 / 3)},
                 {"first": 8 / 3, "second": 4 / 3}, id="cradle"),
    pytest.param(TABLE, 0.2, {"y": (-2, 1), "th": (0, 0)}, {"left": 3.0, "right": 3.0}, id="table"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "instant", "speeds", "impulses"), CASES)
def test_impacts_at_once_are_listed_one_by_one(
    tmp_path: Any, model: str, instant: float, speeds: dict[str, tuple[float, float]], impulses: dict[str, float]
) -> None:
    path = tmp_path / "model.toml"
    path.write_text(model)
    motion = da.load(path).simulate(until=instant + 0.05, samples=5)
    told = [event for event in motion.to_dict()["events"] if event["kind"] == "impact"]
    assert [event["time"] for event in told] == pytest.approx([instant] * len(impulses), abs=1e-12)
    assert {event["name"]: event["impulse"] for event in told} == pytest.approx(impulses, abs=1e-12)
    for event in told:
        assert event["before"] == pytest.approx({name: before for name, (before, _) in speeds.items()}, abs=1e-12)
        assert event["after"] == pytest.approx({name: after for name, (_, after) in speeds.items()}, abs=1e-12)
    assert motion.diagnostics.energy_drift < 1e-12
    assert len({event["energy"] for event in told}) == 1  # the energy of all of them together


def test_energy_drifts_of_sweeps_do_not_count_losses(tmp_path: Any) -> None:
    path = tmp_path / "model.toml"
    path.write_text(TWO_BODIES)
    swept = da.load(path).sweep(vary={"a": [0.1, 0.2, 0.3]}, record=["drift"], until=0.8)
    assert swept["drift"].max() < 1e-9


def rocking(until: float) -> float:
    """The angle of a box on feet that is pushed over and falls back: it turns about a foot, strikes, and turns on.

    With e = 0 the outer foot takes the whole impulse: (I + m r²) ω⁺ = (I + m (h² − a²)) ω⁻, r² = a² + h².
    """
    I, a, h, push = 0.141, 0.3, 0.493, 0.247

    def force(t: float) -> float:
        return 3.516 * np.sin(2.775 * t) + 0.753

    def about(side: int):
        def slope(t: float, y: list[float]) -> list[float]:
            c, s = np.cos(y[0]), np.sin(y[0])
            x, z = side * a * c - h * s, side * a * s + h * c
            return [y[1], (-10 * x - (z + push * c) * force(t)) / (I + a * a + h * h)]

        return slope

    accuracy = {"rtol": 1e-12, "atol": 1e-14, "dense_output": True}
    tips = brentq(lambda t: force(t) * (h + push) - 10 * a, 0.2, 0.55)
    over = solve_ivp(about(-1), (tips, until), [0, 0], **accuracy).sol
    strikes = brentq(lambda t: over(t)[0], 0.9, until)
    omega = (I + h * h - a * a) / (I + a * a + h * h) * over(strikes)[1]
    return float(solve_ivp(about(1), (strikes, until), [0, omega], **accuracy).y[0, -1])


@pytest.mark.parametrize("c, d", [(1.0, 0.0), (1.88, -0.38)])
def test_feet_on_one_line_strike_together_whatever_the_coordinates(c: float, d: float, tmp_path: Any) -> None:
    """By rounding the inner foot comes 2e-12 s before the outer one; both are one impact."""
    y, th = f"({c}*y + ({d}))", f"({c}*th)"
    feet = "".join(
        f"""
        [contacts.foot{i}]
        gap = "{y} + {at}*sin({th}) - 0.493*cos({th})"
        slip = ["x' - ({at}*sin({th}) - 0.493*cos({th}))*({c}*th')"]
        friction = 0.664
        restitution = 0
        """
        for i, at in enumerate((-0.3, -0.183, 0.3))
    )
    path = tmp_path / "box.toml"
    path.write_text(
        f"""
        gravity = [0, -10, 0]
        [coordinates]
        x = 0
        y = "(0.493 - ({d}))/{c}"
        th = 0
        [bodies.box]
        mass = 1
        position = ["x", "{y}", 0]
        rotation = [["z", "{th}"]]
        inertia = [0, 0, 0.141]
        [forces.push]
        body = "box"
        force = ["3.516*sin(2.775*t) + 0.753", 0, 0]
        at = ["x - 0.247*sin({th})", "{y} + 0.247*cos({th})", 0]
        {feet}
        """
    )
    motion = da.load(path).simulate(until=1)
    assert [event.name for event in motion.events if event.kind == "impact"] == ["foot0"]
    assert c * motion["th"][-1] == pytest.approx(rocking(1.0), rel=1e-7)
