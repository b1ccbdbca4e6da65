"""Steady motions found by root finding, and the sentences if there is none."""

from __future__ import annotations

from math import cos, pi, sqrt
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.model.read import model_of


def model(data: dict[str, Any], **changes: Any) -> da.Model:
    return da.Model.of(model_of({**data, **changes}))


CONICAL: dict[str, Any] = {
    "gravity": [0, 0, -9.81],
    "parameters": {"L": 1.3},
    "coordinates": {"a": 0.8, "b": 0.3},
    "speeds": {"a": 0.4, "b": 2.0},
    "bodies": {"bob": {"mass": 2, "position": ["L*sin(a)*cos(b)", "L*sin(a)*sin(b)", "-L*cos(a)"]}},
}


def test_conical_pendulum_at_a_held_angle() -> None:
    found = model(CONICAL).linearize(steady=True, hold=["a"])
    assert found.steady.holds and found.coordinates["a"] == 0.8 and found.coordinates["b"] == 0.3
    assert found.speeds["b"] == pytest.approx(sqrt(9.81 / (1.3 * cos(0.8))), rel=1e-13)
    assert found.speeds["a"] == pytest.approx(0, abs=1e-14)


def test_conical_pendulum_at_a_held_speed() -> None:
    found = model(CONICAL, speeds={"a": 0.0, "b": 4.0}).linearize(steady=True, hold=["b'"])
    assert cos(found.coordinates["a"]) == pytest.approx(9.81 / (1.3 * 16), rel=1e-12)


@pytest.mark.parametrize(("near", "there", "stability"), [(0.3, 0.0, "neutral"), (2.8, pi, "unstable")])
def test_equilibria_of_a_double_pendulum(near: float, there: float, stability: str) -> None:
    settings = {"theta1": near, "theta2": near + 0.1, "theta1'": 0.2, "theta2'": -0.1}
    found = da.gallery("double-pendulum").linearize(settings=settings, steady=True)
    assert list(found.coordinates.values()) == pytest.approx([there, there], abs=1e-12)
    assert found.stability == stability and not np.any(np.round(list(found.speeds.values()), 12))


@pytest.mark.parametrize("name", ["simple-pendulum", "simple-pendulum-cartesian", "double-pendulum-cartesian"])
def test_equilibria_from_where_there_is_no_gradient_to_follow(name: str) -> None:
    """Held level, a pendulum's acceleration does not change with its angle; and coordinates that serve at the start may
    not serve at the bottom."""
    settings = {"theta": pi / 2} if name == "simple-pendulum" else {}
    found = da.gallery(name).linearize(settings=settings, steady=True)
    assert found.steady.holds and not any(found.speeds.values())
    assert all(np.abs(found.eigenvalues) > 1)


def test_rest_is_rest() -> None:
    """Rates that are quadratic at rest give Newton's method a double root. Tiny speeds are then set to zero."""
    found = da.gallery("chaplygin-sleigh").linearize(steady=True)
    assert set(found.speeds.values()) == {0.0} and not found.eigenvalues.any()


def test_a_held_definition() -> None:
    data = {
        "coordinates": {"x": 0.2, "y": 0.1},
        "definitions": {"sum": "x + y"},
        "energy": {"kinetic": "(x'^2 + y'^2)/2", "potential": "(x - y)^2"},
    }
    found = model(data).linearize(steady=True, hold=["sum"])
    assert [found.coordinates["x"], found.coordinates["y"]] == pytest.approx([0.15, 0.15])
    assert found.steady.holds


def test_dependent_coordinates_move_along() -> None:
    """A pendulum in Cartesian coordinates, by a rod that is also stated twice."""
    data = {
        "gravity": [0, -9.81, 0],
        "coordinates": {"x": 0.5, "y": -1.8},
        "bodies": {"bob": {"mass": 1.5, "position": ["x", "y", 0]}},
        "constraints": {"rod": "x^2 + y^2 = 4", "again": "3*x^2 + 3*y^2 = 12"},
    }
    found = model(data).linearize(steady=True)
    assert [found.coordinates["x"], found.coordinates["y"]] == pytest.approx([0, -2], abs=1e-12)
    assert found.eigenvalues.imag.max() == pytest.approx(sqrt(9.81 / 2))


def test_a_disk_keeps_turning_as_it_was_found() -> None:
    """The steady turn that is found is steady: the motion keeps its lean and its rates."""
    disk = da.gallery("rolling-disk")
    found = disk.linearize(steady=True, hold=["yaw'", "lean"], settings={"lean": 0.4, "yaw'": -1.1})
    assert found.speeds["yaw"] == -1.1 and found.coordinates["lean"] == 0.4 and found.family == 2
    settings = {**found.coordinates, **{f"{name}'": value for name, value in found.speeds.items()}}
    motion = disk.simulate(settings=settings, duration=4, samples=41, tolerance=1e-11)
    assert np.ptp(motion["lean"]) < 1e-8 and np.ptp(motion["yaw'"]) < 1e-8 and np.ptp(motion["roll'"]) < 1e-8
    assert np.hypot(np.ptp(motion["x"]), np.ptp(motion["y"])) > 1  # it goes in a circle and is not at rest


def steady_turn(lean: float, yaw: float, R: float, g: float = 9.81) -> float:
    """roll' of a uniform disk in a steady turn, by hand from Euler's equations about the hub.

    With s = roll' + yaw' sin φ, φ the lean: (5/4) R φ'' = g sin φ + (3/2) R yaw' s cos φ − R yaw'² sin φ cos φ/4 = 0.
    """
    s = (R * yaw**2 * np.sin(lean) * np.cos(lean) / 4 - g * np.sin(lean)) / (1.5 * R * yaw * np.cos(lean))
    return float(s - yaw * np.sin(lean))


def test_the_family_of_steady_turns_of_the_disk() -> None:
    leans = np.linspace(-1.2, 1.2, 25)
    locus = da.gallery("rolling-disk").root_locus("lean", leans, steady=True, hold=["yaw'"])
    assert len(locus.members) == 25 and not locus.failures and all(member.holds for member in locus.members)
    rolls = [member.speeds["roll"] for member in locus.members]
    assert rolls == pytest.approx([steady_turn(lean, 0.9, 0.5) for lean in leans], rel=1e-10, abs=1e-10)


def test_hands_free_turns_of_the_bicycle() -> None:
    """They begin where it capsizes, at 6.02426 m/s, and are slower the more it leans (Basu-Mandal and others, 2007)."""
    steers = np.linspace(0.01, 0.13, 5)
    locus = da.gallery("whipple-bicycle").root_locus("delta", steers, settings={"v": 6}, steady=True)
    assert not locus.failures and [m.coordinates["delta"] for m in locus.members] == steers.tolist()
    speeds = [-0.3 * m.speeds["thetaR"] for m in locus.members]
    leans = [m.coordinates["phi"] for m in locus.members]
    assert np.all(np.diff(speeds) < 0) and np.all(np.diff(leans) > 0)
    assert speeds[0] == pytest.approx(6.02426, abs=5e-3)
    motion = da.gallery("whipple-bicycle").simulate(
        settings={**locus.members[-1].coordinates, **{f"{q}'": v for q, v in locus.members[-1].speeds.items()}},
        duration=1,
        samples=11,
        tolerance=1e-11,
    )
    assert np.ptp(motion["phi"]) < 1e-9 and np.ptp(motion["delta"]) < 1e-9 and motion["psi"][-1] > 0.5


def test_where_the_family_ends_is_said() -> None:
    locus = da.gallery("rolling-disk").root_locus("lean", np.linspace(0.1, 1.1, 6), steady=True, hold=["roll'"])
    assert 0 < len(locus.members) < 6 and locus.failures
    value, sentence = locus.failures[0]
    assert value > locus.members[-1].value and "with roll', lean held: what is left is d(lean')/dt" in sentence
    assert f"at lean = {value:.10g}: no steady motion" in str(locus)


def test_none_where_nothing_holds_the_body() -> None:
    falling = {"gravity": [0, 0, -9.81], "coordinates": {"h": 1}, "bodies": {"b": {"mass": 1, "position": [0, 0, "h"]}}}
    with pytest.raises(
        da.MathematicsError, match=r"no steady motion was found near this state: what is left is d\(h'\)"
    ):
        model(falling).linearize(steady=True)


def test_names_that_cannot_be_held() -> None:
    with pytest.raises(da.ModelError, match="leam to hold"):
        da.gallery("rolling-disk").linearize(steady=True, hold=["leam"])
    with pytest.raises(da.ModelError, match="--steady"):
        da.gallery("rolling-disk").linearize(hold=["lean"])


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["linearize", "rolling-disk", "--steady", "--hold", "lean,yaw'"]) == 0
    out = capsys.readouterr().out
    assert "steady motion, neutral" in out and "neighbouring steady motions" in out and "M δu̇ + C δu + K δq = 0" in out


def test_a_part_of_the_analysis(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", "whipple-bicycle", "--parts", "stability", "--set", "push=0"]) == 0
    assert "The initial state is a steady motion, stable: disturbances fade" in capsys.readouterr().out
    found = da.gallery("rolling-disk").analyze(["stability"])["stability"]
    assert not found.initial and found.near.steady.holds
    falling = da.gallery("falling-chain").analyze(["stability"])["stability"]
    assert falling.near is None and "No steady motion was found" in falling.reason
    touching = da.gallery("rocking-block").analyze(["stability"])
    assert "contacts that touch and frictions switch" in str(touching)
    assert touching.to_dict()["stability"]["near"] is None


def test_open_contacts_leave_the_smooth_equations() -> None:
    """A pendulum hangs beside its wall, with the friction of that wall; behind the wall there is no steady motion."""
    free: dict[str, Any] = {
        "gravity": [0, -9.81, 0],
        "parameters": {"wall": 0.5},
        "coordinates": {"a": 0.3},
        "bodies": {"bob": {"mass": 1, "position": ["sin(a)", "-cos(a)", 0]}},
    }
    data = free | {"contacts": {"w": {"gap": "wall - sin(a)"}}}
    data["frictions"] = {"f": {"slip": ["a'"], "normal": "w", "coefficient": 0.2}}
    hanging, alone = (da.Model.of(model_of(one)).analyze(["stability"])["stability"] for one in (data, free))
    assert hanging.near.coordinates == {"a": 0.0}
    assert hanging.near.eigenvalues.tolist() == alone.near.eigenvalues.tolist()
    behind = data | {"parameters": {"wall": -0.1}, "coordinates": {"a": -0.3}}
    reason = da.Model.of(model_of(behind)).analyze(["stability"])["stability"].reason
    assert "would be at the contact w or beyond it (its gap is -0.1)" in reason
    with pytest.raises(da.MathematicsError, match="at the contact w or beyond it"):
        da.Model.of(model_of(behind)).linearize(steady=True)


@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_equilibrium_is_near(seed: int) -> None:
    """Whole steps of Newton's method from a double pendulum at large angles end a hundred turns away."""
    angles = np.random.default_rng(seed).uniform(-3, 3, 2)
    start = dict(zip(("theta1", "theta2"), angles.tolist(), strict=True))
    found = da.gallery("double-pendulum").changed(start).analyze(["stability"])["stability"].near
    assert max(abs(found.coordinates[name] - value) for name, value in start.items()) < 4


def test_rest_is_no_answer_where_the_constraints_have_no_gradient() -> None:
    data = {
        "gravity": [0, -1, 0],
        "coordinates": {"x": 0, "y": 0, "z": 0, "w": 0},
        "speeds": {"x": 1, "y": 0.2, "z": -0.2},
        "bodies": {"one": {"mass": 1, "position": ["x", "y", 0]}, "two": {"mass": 3, "position": ["z", "w", 0]}},
        "constraints": {"ortho": "x'*z' + y'*w' = 0", "ratio": "x'^2 + y'^2 = z'^2 + w'^2"},
    }
    with pytest.raises(da.MathematicsError, match="restrains nothing, because its gradient is zero"):
        model(data).linearize(steady=True)


def test_what_cannot_move_is_analyzed() -> None:
    data = {
        "coordinates": {"x": 1},
        "bodies": {"p": {"mass": 1, "position": ["x", 0, 0]}},
        "constraints": {"c": "x = 1"},
    }
    told = str(model(data).analyze(["conserved", "stability"]))
    assert "No integral was found" in told
    assert "Nothing is free to move, so that nothing can be disturbed." in told
