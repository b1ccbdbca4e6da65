"""Reported modes, forces, events and jumps, and refusals."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.model.read import read_text
from dalembert.motions.touching import ModeSolver
from dalembert.prepared import prepare

BLOCK = """
title = "A block on a slope"
[parameters]
mu = 0.3
slope = 0.5
g = 9.81
m = 2
[coordinates]
x = 0
y = 0
[bodies.block]
mass = "m"
position = ["x", "y", 0]
[forces.weight]
body = "block"
force = ["m*g*sin(slope)", "-m*g*cos(slope)", 0]
[contacts.plane]
gap = "y"
restitution = 0
slip = ["x'"]
friction = "mu"
[simulation]
tolerance = 1e-11
"""
PUCK = """
[parameters]
mu = 0.2
g = 10
[coordinates]
x = { initial = 0, speed = 3 }
y = { initial = 0, speed = 4 }
[bodies.puck]
mass = 2
position = ["x", "y", 0]
[frictions.ice]
slip = ["x'", "y'"]
normal = "2*g"
coefficient = "mu"
"""
BEAD = """
gravity = [0, -9.81, 0]
[parameters]
mu = 0.3
R = 2
[coordinates]
x = { initial = 0, speed = 3 }
y = "-R"
[bodies.bead]
mass = 1.5
position = ["x", "y", 0]
[constraints]
hoop = "sqrt(x^2 + y^2) = R"
[frictions.rub]
slip = ["(x'*y - y'*x)/R"]
normal = "hoop"
coefficient = "mu"
[simulation]
tolerance = 1e-11
"""
PENDULUM = """
gravity = [0, -10, 0]
[coordinates]
x = 0.6
y = -0.8
[bodies.bob]
mass = 1
position = ["x", "y", 0]
[constraints]
rod = "x^2 + y^2 = 1"
"""


def model(text: str) -> da.Model:
    return da.Model.of(read_text(text))


def test_slipping_and_sticking_on_a_slope() -> None:
    weight, press = 2 * 9.81 * np.sin(0.5), 2 * 9.81 * np.cos(0.5)
    slipping = model(BLOCK).solve()
    assert slipping.modes == {"plane": "closed", "plane.slip": "slip"}
    assert slipping.multipliers == pytest.approx({"plane": press, "plane.slip": -0.3 * press})
    assert slipping.accelerations == pytest.approx({"x": (weight - 0.3 * press) / 2, "y": 0})
    assert slipping.reactions["plane.slip"] == pytest.approx({"x": -0.3 * press, "y": 0})
    assert slipping.degrees_of_freedom == 2
    sticking = model(BLOCK).solve(settings={"mu": 0.6})
    assert sticking.modes["plane.slip"] == "stick"
    assert sticking.multipliers == pytest.approx({"plane": press, "plane.slip": -weight})


@pytest.mark.parametrize("method", model(BLOCK).methods())
def test_every_method_has_the_same_forces(method: str) -> None:
    for settings in ({}, {"mu": 0.6}, {"x'": -1.0}):
        ours, kane = (model(BLOCK).solve(name, settings=settings) for name in (method, "kane"))
        assert ours.accelerations == pytest.approx(kane.accelerations, abs=1e-12)
        assert ours.multipliers == pytest.approx(kane.multipliers, abs=1e-12)


def test_up_a_slope_and_down_again() -> None:
    """Slips up, stops, and slips down: one event where the slip turns, none of sticking."""
    motion = model(BLOCK).simulate(settings={"x'": -3}, at=[0.1, 1.5])
    up, down = (9.81 * (np.sin(0.5) + s * 0.3 * np.cos(0.5)) for s in (1, -1))
    turns = 3 / up
    assert [event.kind for event in motion.events] == ["slip"]
    assert motion.events[0].time == pytest.approx(turns, abs=1e-10)
    assert motion.events[0].direction == 1
    assert motion["x''"] == pytest.approx([up, down])
    top = -3 * turns + up * turns**2 / 2
    assert motion["x"][-1] == pytest.approx(top + down * (1.5 - turns) ** 2 / 2, abs=1e-9)


def test_planar_slip_comes_to_rest() -> None:
    motion = model(PUCK).simulate(at=[1, 2.6, 3], tolerance=1e-12)
    assert motion.events[-1].time == pytest.approx(2.5, abs=1e-9)
    assert [event.kind for event in motion.events] == ["stick"]
    assert motion.modes["ice"].tolist() == ["slip", "stick", "stick"]
    assert motion.multipliers["ice.1"] == pytest.approx([-0.2 * 20 * 0.6, 0, 0], abs=1e-9)
    assert motion.multipliers["ice.2"] == pytest.approx([-0.2 * 20 * 0.8, 0, 0], abs=1e-9)
    assert motion["y"][-1] == pytest.approx(4 * 2.5 / 2, abs=1e-9)


def test_planar_slip_starts_along_the_force() -> None:
    text = PUCK.replace("speed = 3", "speed = 0").replace("speed = 4", "speed = 0")
    pushed = text + "[forces.push]\ngeneralized = { x = 3, y = 6 }\n"
    state = model(pushed).solve()
    along = np.array([3, 6]) / np.hypot(3, 6)
    assert [state.multipliers["ice.1"], state.multipliers["ice.2"]] == pytest.approx((-4 * along).tolist())
    motion = model(pushed).simulate(at=[0, 2])
    assert motion["x"][-1] == pytest.approx(float((3 - 4 * along[0]) / 2 * 2), abs=1e-9)
    assert motion.multipliers["ice.2"] == pytest.approx([-4 * along[1]] * 2)


def test_friction_pressed_by_a_constraint() -> None:
    """N is |λ| on both sides: v dv/dθ with N = m(v²/R + g cos θ) has a closed form."""
    motion = model(BEAD).simulate(until=0.4, samples=9)
    mu, R, g = 0.3, 2.0, 9.81
    x, y, v = motion["x"], motion["y"], np.hypot(motion["x'"], motion["y'"])
    angle = np.arctan2(x, -y)
    k = 2 * mu
    # d(v²)/dθ = −2Rg sin θ − 2μ(v² + Rg cos θ)
    a, b = (2 * R * g * (1 - k * mu)) / (1 + k**2), -2 * R * g * (k + mu) / (1 + k**2)
    square = a * np.cos(angle) + b * np.sin(angle) + (9 - a) * np.exp(-k * angle)
    assert v**2 == pytest.approx(square, abs=1e-8)
    press = 1.5 * (v**2 / R + g * np.cos(angle))
    assert np.abs(motion.multipliers["hoop"]) == pytest.approx(press, abs=1e-7)
    assert np.abs(motion.multipliers["rub"]) == pytest.approx(mu * press, abs=1e-7)


@pytest.mark.parametrize("text", [BLOCK, PUCK, BEAD])
def test_forces_satisfy_the_equations(text: str) -> None:
    """D q̈ = d + Aᵀν with all forces, and q̈ is the rate of q̇."""
    asked = model(text)
    motion = asked.simulate(until=0.3, samples=7, dense=True, settings={"x'": 2.5})
    start = prepare(asked.changed({"x'": 2.5}).record)
    hybrid = start.hybrid
    assert hybrid is not None
    names = list(motion.coordinates)
    q, v, a = (
        np.column_stack([*table.values()]) for table in (motion.coordinates, motion.speeds, motion.accelerations)
    )
    X = hybrid.system.state(motion.times, q, v)
    D, d, A, _, _ = hybrid.system.unpacked(hybrid.system.dynamics(X))
    forces = sum(motion.multipliers[name][:, None] * A[:, row] for name, row in hybrid.forces.items())
    for i, row in enumerate(start.system.multiplier_names):
        forces = forces + motion.multipliers[row][:, None] * A[:, i]
    assert np.einsum("sij,sj->si", D, a) == pytest.approx(d + forces, abs=1e-9)
    inner, step = motion.times[1:-1], 1e-5
    later, sooner = motion.at(inner + step), motion.at(inner - step)
    slope = np.column_stack([(later[f"{name}'"] - sooner[f"{name}'"]) / (2 * step) for name in names])
    assert slope == pytest.approx(a[1:-1], abs=1e-5)


def test_forces_do_not_depend_on_how_many_are_asked_for() -> None:
    start = prepare(model(BEAD).record)
    assert start.hybrid is not None
    mode = np.array([2])
    X = np.vstack([start.x, start.x])
    a, nu = ModeSolver(start.hybrid).all_forces(X, np.vstack([mode, mode]))
    one, forces = ModeSolver(start.hybrid).all_forces(start.x[None], mode[None])
    assert a[1] == pytest.approx(one[0])
    assert nu[0] == pytest.approx(forces[0])


def test_both_sides_of_an_impact() -> None:
    ball = model(
        '[coordinates]\nx = { initial = 1, speed = -1 }\n[energy]\nkinetic = "x\'^2/2"\n[contacts.wall]\ngap = "x"\n'
    )
    motion = ball.simulate(at=[0, 0.5, 1.5, 2], dense=True)
    (event,) = motion.events
    assert motion["x'"].tolist() == [-1, -1, 1, 1]
    assert motion.at(event.time, side="before")["x'"] == -1
    assert motion.at(event.time, side="after")["x'"] == 1
    assert motion.at(np.array([0.25, 1.75]))["x"] == pytest.approx([0.75, 0.75])
    assert motion.at(0.25, side="before") == pytest.approx(motion.at(0.25))
    assert motion.jumps is not None
    assert (motion.jumps.before["x'"], motion.jumps.after["x'"]) == ([-1], [1])
    assert (event.impulse, event.energy) == (pytest.approx(2), pytest.approx(0))
    with pytest.raises(ValueError, match="side"):
        motion.at(1.0, side="left")  # type: ignore[arg-type]


def test_an_impact_at_the_start() -> None:
    ball = model(
        '[coordinates]\nx = { initial = 0, speed = -1 }\n[energy]\nkinetic = "x\'^2/2"\n[contacts.wall]\ngap = "x"\n'
    )
    state = ball.solve()
    assert state.modes == {"wall": "open"}
    assert any("not applied" in note for note in state.notes)
    motion = ball.simulate(at=[0, 1], dense=True)
    assert [event.kind for event in motion.events] == ["impact"]
    assert motion["x'"].tolist() == [1, 1]
    assert motion.at(0.0, side="before")["x'"] == -1


def test_at_the_start_a_gap_of_zero_is_no_event() -> None:
    motion = model(BLOCK).simulate(until=0.5, settings={"y'": 1})
    assert motion.events == () or motion.events[0].time > 0
    assert model(BLOCK).simulate(until=0.1).events == ()


def test_liftoff() -> None:
    """A block on a table that falls away faster and faster leaves it when the table's acceleration is g."""
    text = """
    gravity = [0, -9.81, 0]
    [coordinates]
    y = { initial = 0, speed = 0 }
    [bodies.block]
    mass = 2
    position = [0, "y", 0]
    [contacts.table]
    gap = "y + t^3"
    restitution = 0
    """
    motion = model(text).simulate(until=3, samples=31)
    (event,) = motion.events
    assert (event.kind, event.name) == ("liftoff", "table")
    assert event.time == pytest.approx(9.81 / 6, abs=1e-10)
    pressed = motion.times < event.time
    assert motion.multipliers["table"][pressed] == pytest.approx(2 * (9.81 - 6 * motion.times[pressed]), abs=1e-8)
    assert not motion.multipliers["table"][~pressed].any()
    assert motion.modes["table"].tolist() == ["closed" if closed else "open" for closed in pressed]


def test_events_of_the_model_and_of_contacts_together() -> None:
    text = BLOCK + '[events.mark]\nwhen = "x - 0.1"\n[events.last]\nwhen = "x - 0.4"\nstop = true\n'
    motion = model(text).simulate(until=5)
    assert motion.status == "stopped"
    assert [event.name for event in motion.events] == ["mark", "last"]
    assert [event.direction for event in motion.events] == [1, 1]
    assert motion["x"][-1] == pytest.approx(0.4, abs=1e-10)
    assert motion.modes["plane"][-1] == "closed"
    assert motion.notes[-1].startswith("The event last ended the motion")


def test_speeds_that_a_friction_holds_are_corrected() -> None:
    text = PUCK.replace('slip = ["x\'", "y\'"]', 'slip = ["x\'"]\nheld = ["y\'"]')
    state = model(text).solve()
    assert state.speeds["y"] == pytest.approx(0, abs=1e-12)
    assert [(change["quantity"], change["given"]) for change in state.corrections] == [("y'", 4.0)]
    with pytest.raises(da.ModelError, match=r"y' = 4\.0"):
        model(text).solve(strict=True)


def test_rough_contacts_do_not_slip() -> None:
    text = BLOCK.replace('friction = "mu"', 'friction = "rough"')
    motion = model(text).simulate(until=1, samples=3)
    assert not motion["x"].any()
    assert set(motion.modes["plane.slip"]) == {"stick"}
    assert motion.multipliers["plane.slip"] == pytest.approx([-2 * 9.81 * np.sin(0.5)] * 3)


def test_names_that_a_constraint_has() -> None:
    text = PENDULUM + '[contacts.rod]\ngap = "y + 0.95"\n[frictions.rod]\nslip = ["x\'"]\nnormal = 1\ncoefficient = 0\n'
    state = model(text).solve()
    assert set(state.multipliers) == {"rod", "contacts.rod", "frictions.rod"}


def test_files(tmp_path: Path) -> None:
    motion = model(BLOCK).simulate(until=0.5, samples=3)
    motion.save(tmp_path / "m.csv")
    with (tmp_path / "m.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["mode.plane.slip"] for row in rows] == ["slip"] * 3
    assert [float(row["multiplier.plane"]) for row in rows] == motion.multipliers["plane"].tolist()
    answer = json.loads(json.dumps(motion.to_dict()))
    assert answer["modes"] == {"plane": ["closed"] * 3, "plane.slip": ["slip"] * 3}
    assert motion.to_xarray()["mode.plane"].values.tolist() == ["closed"] * 3
    motion.save(tmp_path / "m.png")


def test_pictures_draw_jumps() -> None:
    ball = model(
        '[coordinates]\nx = { initial = 1, speed = -1 }\n[energy]\nkinetic = "x\'^2/2"\n[contacts.wall]\ngap = "x"\n'
    )
    motion = ball.simulate(until=2, samples=4)
    axes = motion.plot(["x", "x'"]).axes
    times, x = axes[0].lines[0].get_data()
    assert min(x[np.isfinite(x)]) == pytest.approx(0, abs=1e-12)  # the corner is drawn although there is no sample
    times, speeds = axes[1].lines[0].get_data()
    jump = np.flatnonzero(np.isnan(speeds))
    assert len(jump) == 1
    assert speeds[jump[0] - 1 : jump[0] + 2 : 2].tolist() == [-1, 1]
    assert times[jump[0]] == pytest.approx(1)


FAULTS = {
    "gap below zero": (BLOCK.replace("y = 0", "y = -0.1"), "[contacts.plane] gap", "-0.1"),
    "restitution": (BLOCK.replace("restitution = 0", 'restitution = "mu + 1"'), "[contacts.plane] restitution", "1.3"),
    "coefficient": (BLOCK.replace("mu = 0.3", "mu = -0.3"), "[contacts.plane] friction", "-0.3"),
    "slip without speed": (BLOCK.replace('slip = ["x\'"]', 'slip = ["x"]'), "[contacts.plane] slip", "speed"),
    "three slips": (PUCK.replace('slip = ["x\'", "y\'"]', 'slip = ["x\'", "y\'", "x\' + y\'"]'), "ice", "3 entries"),
    "a gap that a constraint fixes": (
        PENDULUM + '[contacts.hull]\ngap = "2 - x^2 - y^2"\n',
        "[contacts.hull] gap",
        "no motion of its own",
    ),
    "vakonomic": (
        PENDULUM + '[virtual_displacements]\nrule = "vakonomic"\n[contacts.floor]\ngap = "y + 2"\n',
        "vakonomic does not apply",
        "kane",
    ),
    "rows": (
        PENDULUM.replace("x^2 + y^2 = 1", "x*x' + y*y' = 0")
        + '[virtual_displacements]\nrule = "rows"\nrows = [{ x = "x", y = "y" }]\n[contacts.floor]\ngap = "y + 2"\n',
        "virtual-displacements does not apply",
        "kane",
    ),
    "description": (BLOCK + 'description = "whole"\n', "[simulation] description", "whole-course"),
    "stepper": (BLOCK + 'stepper = "gauss"\n', "gauss", "dop853"),
}
FAILURES = {
    "held rows leave the cone": (
        PUCK.replace('slip = ["x\'", "y\'"]', 'slip = ["x\'"]\nheld = ["y\'"]')
        .replace("speed = 4", "speed = 0")
        .replace('coefficient = "mu"', 'coefficient = "mu*(1 - t)"')
        + "[forces.side]\ngeneralized = { y = 3 }\n",
        "can no longer hold",
    ),
    "negative mass": (
        BLOCK.replace('mass = "m"', 'mass = "m - 4*t"') + "[energy]\nkinetic = \"x'^2 + y'^2\"\n",
        "mass of block becomes negative",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, *said = FAULTS[name]
    file = tmp_path / "model.toml"
    file.write_text(text)
    assert run(["simulate", str(file), "--until", "1"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    for words in said:
        assert words in told.err


@pytest.mark.parametrize("name", FAILURES)
def test_failures(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, words = FAILURES[name]
    file = tmp_path / "model.toml"
    file.write_text(text)
    assert run(["simulate", str(file), "--until", "1"]) == 1
    assert words in capsys.readouterr().err


def test_an_open_contact_beside_a_constraint_is_no_fault() -> None:
    """Hanging straight down, the pendulum's rod happens to point along the gap."""
    hanging = PENDULUM.replace("x = 0.6", "x = 0").replace("y = -0.8", "y = -1") + '[contacts.floor]\ngap = "y + 3"\n'
    assert model(hanging).check().ok
    assert model(hanging).simulate(until=1, samples=2).status == "finished"


def test_check_lists_contacts_and_frictions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.toml"
    file.write_text(BLOCK)
    assert run(["check", str(file), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["degrees_of_freedom"] == 2
    assert answer["contacts"] == {"plane": {"law": "newton", "restitution": 0.0, "gap": 0.0}}
    assert answer["frictions"] == {"plane.slip": {"coefficient": 0.3, "pressed_by": "plane", "directions": 1}}
    assert run(["check", str(file)]) == 0
    assert "plane.slip   friction, coefficient 0.3, pressed by plane" in capsys.readouterr().out


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    from dalembert.motions.native import EngineMotion

    actual, calls = EngineMotion.run, []

    def run_few(self: EngineMotion, desk: object, most: int) -> object:
        calls.append(most)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return actual(self, desk, 3)

    monkeypatch.setattr(EngineMotion, "run", run_few)
    ball = model(
        'gravity = [0, 0, -9.81]\n[coordinates]\ny = 1\n[bodies.b]\nmass = 1\nposition = [0, 0, "y"]\n'
        '[contacts.floor]\ngap = "y"\nrestitution = 0.9\n'
    )
    motion = ball.simulate(until=50, samples=1001)
    assert motion.status == "interrupted"
    assert 0 < motion.times[-1] < 50
    assert len(motion.times) == len(motion["y"]) == len(motion.modes["floor"])
    assert motion.notes[-1].startswith("Interrupted at t = ")
