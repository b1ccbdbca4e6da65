"""Eigenvalues and steady motions that are known in closed form or from the literature."""

from __future__ import annotations

import json
from math import cos, pi, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.model.read import model_of

DISK: dict[str, Any] = {
    "gravity": [0, 0, -9.81],
    "parameters": {"R": 1.0, "A": 0.25, "C": 0.5},
    "coordinates": {"ps": 0.3, "te": pi / 2, "fi": 0.0, "x": 0.0, "y": 0.0},
    "speeds": {"ps": 0.0, "te": 0.0, "fi": 1.0},
    "definitions": {"w3": "ps'*cos(te) + fi'"},
    "bodies": {
        "disk": {
            "mass": 1,
            "position": ["x", "y", "R*sin(te)"],
            "rotation": [["z", "ps"], ["x", "te"]],
            "spin": ["z", "fi"],
            "inertia": ["A", "A", "C"],
        }
    },
    "constraints": {
        "rollx": "x' = R*(te'*sin(ps)*sin(te) - w3*cos(ps))",
        "rolly": "y' = R*(-te'*cos(ps)*sin(te) - w3*sin(ps))",
    },
}


def model(data: dict[str, Any], **changes: Any) -> da.Model:
    return da.Model.of(model_of({**data, **changes}))


def roots(square: float) -> list[complex]:
    """±√square."""
    root = complex(square) ** 0.5
    return [root, -root]


def assert_has(found: np.ndarray, wanted: list[complex], zeros: int, to: float = 1e-9) -> None:
    """These eigenvalues, and that many zeros."""
    left = found.tolist()
    for value in wanted:
        nearest = min(left, key=lambda e: abs(e - value))
        assert abs(nearest - value) <= to * max(1.0, abs(value)), f"{value} is not among {found}"
        left.remove(nearest)
    assert len(left) == zeros
    assert np.abs(left).max(initial=0.0) <= 1e-7 * max(1.0, np.abs(found).max(initial=0.0))


def pendulum(angle: float = 0.0, damping: float = 0.0) -> da.Model:
    """a'' = −(g/L) sin a − c a', L = 2."""
    energy = {"kinetic": "2*a'^2", "potential": "-2*9.81*cos(a)", "dissipation": f"2*{damping}*a'^2"}
    return model({"coordinates": {"a": angle}, "energy": energy})


def test_pendulum() -> None:
    found = pendulum().linearize()
    assert_has(found.eigenvalues, roots(-9.81 / 2), 0, 1e-14)
    assert found.steady.holds and found.stability == "neutral" and found.states == ("a", "a'")
    assert found.matrix == pytest.approx(np.array([[0, 1], [-9.81 / 2, 0]]))


def test_pendulum_upside_down_and_damped() -> None:
    upright = pendulum(pi).linearize()
    assert_has(upright.eigenvalues, roots(9.81 / 2), 0, 1e-13)
    assert upright.stability == "unstable"
    found = pendulum(damping=0.3).linearize()
    turn = sqrt(9.81 / 2 - 0.15**2)
    assert_has(found.eigenvalues, [complex(-0.15, turn), complex(-0.15, -turn)], 0, 1e-13)
    assert found.stability == "stable"


def test_pendulum_in_cartesian_coordinates() -> None:
    found = model(
        {
            "gravity": [0, -9.81, 0],
            "coordinates": {"x": 0, "y": -2},
            "bodies": {"bob": {"mass": 1.5, "position": ["x", "y", 0]}},
            "constraints": {"rod": "x^2 + y^2 = 4", "again": "3*x^2 + 3*y^2 = 12"},
        }
    ).linearize()
    assert found.states == ("x", "x'")
    assert_has(found.eigenvalues, roots(-9.81 / 2), 0, 1e-13)


def test_double_pendulum() -> None:
    """Equal links: ω² = (2 ± √2) g/L."""
    equal = dict.fromkeys(["m1", "m2", "l1", "l2"], 1.0)
    found = da.gallery("double-pendulum").linearize(settings={**equal, "theta1": 0, "theta2": 0})
    assert_has(found.eigenvalues, [*roots(-(2 + sqrt(2)) * 9.81), *roots(-(2 - sqrt(2)) * 9.81)], 0, 1e-12)


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.5])
def test_rolling_disk(speed: float) -> None:
    """λ² = m g R/(A + m R²) − C (C + m R²) Ω²/(A (A + m R²)): Routh's critical speed."""
    found = model(DISK, speeds={"ps": 0, "te": 0, "fi": speed}).linearize()
    square = 9.81 / 1.25 - 0.5 * 1.5 * speed**2 / (0.25 * 1.25)
    assert_has(found.eigenvalues, roots(square), 6)
    assert found.steady.holds and found.steady.ignorable == ("ps", "fi", "x", "y")
    assert found.stability == ("unstable" if square > 0 else "neutral")
    assert not found.notes


@pytest.mark.parametrize("speed", [1.0, 4.0])
def test_spinning_disk(speed: float) -> None:
    """λ² = m g R/(A + m R²) − Ω²; x' and y' turn with the disk and must not be taken for independent."""
    found = model(DISK, speeds={"ps": speed, "te": 0, "fi": 0}).linearize()
    assert_has(found.eigenvalues, roots(9.81 / 1.25 - speed**2), 6)
    assert found.steady.holds and "ps" in found.steady.uniform


def test_disk_rolls_in_a_circle() -> None:
    """The accelerations give the lean of a turn; x and y go in a circle and do not matter."""
    lean, turn = 1.2, 0.8
    coordinates = {**DISK["coordinates"], "te": lean}

    def falls(roll: float) -> float:
        speeds = {"ps": turn, "te": 0, "fi": roll}
        return model(DISK, coordinates=coordinates, speeds=speeds).solve().accelerations["te"]

    slope = falls(1.0) - falls(0.0)  # linear in the roll
    roll = -falls(0.0) / slope
    found = model(DISK, coordinates=coordinates, speeds={"ps": turn, "te": 0, "fi": roll}).linearize()
    assert found.steady.holds and found.steady.ignorable == ("ps", "fi", "x", "y")
    assert set(found.steady.uniform) == {"ps", "fi"}
    start = model(DISK, coordinates={**coordinates, "ps": 1.9}, speeds={"ps": turn, "te": 0, "fi": roll})
    assert np.poly(start.linearize().matrix) == pytest.approx(np.poly(found.matrix), abs=1e-9)


def test_conical_pendulum() -> None:
    """λ² = −ω² (1 + 3 cos²θ), ω² = g/(L cos θ)."""
    angle = 0.8
    turn = sqrt(9.81 / cos(angle))
    data = {
        "gravity": [0, 0, -9.81],
        "coordinates": {"a": angle, "b": 0.3},
        "speeds": {"a": 0, "b": turn},
        "bodies": {"bob": {"mass": 2, "position": ["sin(a)*cos(b)", "sin(a)*sin(b)", "-cos(a)"]}},
    }
    found = model(data).linearize()
    assert_has(found.eigenvalues, roots(-(turn**2) * (1 + 3 * cos(angle) ** 2)), 2)
    assert found.steady.holds and found.steady.ignorable == found.steady.uniform == ("b",)


def test_trailer_straight_behind() -> None:
    """δθ' = −(V/L) δθ."""
    found = da.gallery("trailer").linearize(settings={"theta": 0, "L": 0.5, "V": 1.5})
    assert found.eigenvalues == pytest.approx([-3.0])
    assert found.steady.holds and found.stability == "stable"
    assert not da.gallery("trailer").linearize().steady.holds


@pytest.mark.parametrize(
    ("speed", "published"),
    [
        (5, [-0.775341882195845 + 4.46486771378823j, -0.775341882195845 - 4.46486771378823j]),
        (5, [-0.322866429004087, -14.0783896927982]),
        (0, [3.13164324790656, 5.53094371765393, -3.13164324790656, -5.53094371765393]),
    ],
)
def test_bicycle(speed: float, published: list[complex]) -> None:
    """Meijaard, Papadopoulos, Ruina and Schwab (2007), table 2."""
    found = da.gallery("whipple-bicycle").linearize(settings={"v": speed, "push": 0})
    left = found.eigenvalues
    for value in published:
        assert np.abs(left - value).min() <= 1e-9 * abs(value)
    assert len(left) == 10 and np.count_nonzero(np.abs(left) > 1e-9) == 4
    assert found.steady.holds


KNIFE: dict[str, Any] = {
    "coordinates": {"x": 0, "y": 0, "theta": 0.4},
    "speeds": {"x": 2 * cos(0.4), "y": 2 * sin(0.4), "theta": 1.5},
    "bodies": {"skate": {"mass": 1, "position": ["x", "y", 0], "rotation": [["z", "theta"]], "inertia": [0, 0, 1]}},
    "constraints": {"blade": "y'*cos(theta) - x'*sin(theta) = 0"},
}


def test_a_steady_turn_shows_in_speeds_that_turn_along() -> None:
    found = model(KNIFE).linearize()
    assert not found.steady.holds
    assert "no steady motion" in found.notes[0] and "quasi_velocities" in found.notes[1]
    along = model(KNIFE, quasi_velocities={"forward": "x'*cos(theta) + y'*sin(theta)"}).linearize()
    assert along.steady.holds and along.steady.ignorable == ("x", "y", "theta") and not along.notes
    assert "forward" in along.states
    assert not along.eigenvalues.any()


@pytest.mark.parametrize("speed", [2.0, -2.0])
@pytest.mark.parametrize("quasi", [{}, {"forward": "x'*cos(theta) + y'*sin(theta)"}])
def test_sleigh_runs_straight(speed: float, quasi: dict[str, str]) -> None:
    """λ = −m a V/(J + m a²): stable with the centre of mass in front of the blade."""
    place = ["x + 0.5*cos(theta)", "y + 0.5*sin(theta)", 0]
    bodies = {"sleigh": {"mass": 3, "position": place, "rotation": [["z", "theta"]], "inertia": [0, 0, 1]}}
    speeds = {"x": speed * cos(0.4), "y": speed * sin(0.4), "theta": 0}
    found = model(KNIFE, speeds=speeds, bodies=bodies, quasi_velocities=quasi).linearize()
    assert_has(found.eigenvalues, [-3 * 0.5 * speed / (1 + 3 * 0.25)], 4)
    assert found.steady.holds and set(found.steady.ignorable) >= {"x", "y"}


def test_speeds_of_wheels_serve_where_those_of_the_axle_turn() -> None:
    found = da.gallery("two-wheeled-cart").linearize(settings={"a": 0})
    assert found.steady.holds and set(found.states) & {"right'", "left'"}


def test_a_force_that_starts_flat_is_no_steady_motion() -> None:
    """V = q⁴ at q = 0: the matrix alone does not show that q matters."""
    data = {"coordinates": {"q": 0}, "speeds": {"q": 1}, "energy": {"kinetic": "q'^2/2", "potential": "q^4"}}
    found = model(data).linearize()
    assert not found.matrix[1].any()
    assert not found.steady.holds and found.steady.rates["q"] == 1 and "d(q)/dt = 1" in found.notes[0]


def test_time_in_the_equations_is_said() -> None:
    data = {"coordinates": {"q": 0}, "energy": {"kinetic": "q'^2/2", "potential": "(1 + t)*q^2/2"}}
    found = model(data, simulation={"start": 3}).linearize()
    assert_has(found.eigenvalues, roots(-4), 0)
    assert not found.steady.holds and "depend on time" in found.notes[0]


def test_constraints_that_lose_rank_are_refused() -> None:
    data = {"coordinates": {"x": 0, "y": 0}, "energy": {"kinetic": "x'^2 + y'^2"}, "constraints": {"c": "x*y = 0"}}
    with pytest.raises(da.MathematicsError, match="not in states near it"):
        model(data).linearize()


@pytest.mark.parametrize("potential", ["abs(x - 1)", "max(0, x - 1)", "min(x, 1)*x"])
def test_a_kink_has_no_derivative(potential: str) -> None:
    data = {"coordinates": {"x": 1}, "energy": {"kinetic": "x'^2", "potential": potential}}
    with pytest.raises(da.MathematicsError, match="switches"):
        model(data).linearize()


def test_quadratic_drag_at_rest_has_a_derivative() -> None:
    drag = {"drag": {"generalized": {"x": "-3*x'*abs(x')"}}}
    found = model({"coordinates": {"x": 0}, "energy": {"kinetic": "x'^2/2", "potential": "2*x^2"}}, forces=drag)
    assert_has(found.linearize().eigenvalues, roots(-4), 0)
    moving = found.linearize(settings={"x'": 0.5})
    assert moving.matrix[1, 1] == pytest.approx(-3)


def test_nothing_free_to_move() -> None:
    data = {"coordinates": {"x": 1}, "energy": {"kinetic": "x'^2"}, "constraints": {"c": "x = 1"}}
    found = model(data).linearize()
    assert found.states == () and "nothing is free to move" in str(found)


def test_a_contact_that_is_open_does_not_matter() -> None:
    """Limits of a joint far from its angle, and the force there: the same matrices as without them."""
    arm: dict[str, Any] = {
        "gravity": [0, 0, -9.81],
        "bodies": {"arm": {"mass": 1, "inertia": [0.1, 0.1, 0.1]}},
        "inputs": {"torque": 0},
        "joints": {
            "j": {
                "type": "revolute", "parent": "ground", "child": "arm", "in_child": [-0.5, 0, 0], "axis": "y",
                "coordinate": {"name": "a", "initial": 0.2}, "motor": "torque",
            }
        },
        "outputs": {"angle": "a"},
    }  # fmt: skip
    free = da.Model.of(model_of(arm)).linearize()
    arm["joints"]["j"]["limits"] = [-0.5, 0.9]
    arm["outputs"]["force"] = "multiplier.j.high"
    found = da.Model.of(model_of(arm)).linearize()
    assert found.matrix.tolist() == free.matrix.tolist()
    assert found.control.C.tolist() == [*free.control.C.tolist(), [0.0, 0.0]]


def test_the_state_is_in_the_units_of_the_model(tmp_path: Path) -> None:
    """State and varied quantity in degrees and centimetres; the matrix in SI."""
    data = {
        "gravity": [0, 0, -9.81],
        "parameters": {"l": {"value": 40, "unit": "cm"}},
        "coordinates": {"theta": {"initial": 30, "speed": 60, "unit": "deg"}},
        "bodies": {"bob": {"mass": 1, "position": ["l*sin(theta)", 0, "-l*cos(theta)"]}},
    }
    pendulum = model(data)
    found = pendulum.linearize()
    told = found.to_dict()
    assert found.coordinates["theta"] == pytest.approx(np.pi / 6) and told["units"] == {"theta": "deg"}
    assert told["coordinates"]["theta"] == pytest.approx(30) and told["speeds"]["theta"] == pytest.approx(60)
    assert told["A"][1][0] == pytest.approx(-9.81 / 0.4 * np.cos(np.pi / 6))
    assert "theta [deg]   30   60" in str(found) and any("are in SI" in note for note in found.notes)
    locus = pendulum.root_locus("l", [20, 40])
    assert locus.to_dict()["members"][1]["coordinates"]["theta"] == pytest.approx(30) and "l [cm]" in str(locus)
    locus.save(tmp_path / "l.csv")
    assert (tmp_path / "l.csv").read_text().startswith("l [cm],theta [deg],theta' [deg/s],eigenvalue.1.re")


def test_contacts_are_refused() -> None:
    data = {"coordinates": {"h": 0}, "energy": {"kinetic": "h'^2/2"}, "contacts": {"floor": {"gap": "h"}}}
    with pytest.raises(da.ModelError, match=r"\[contacts\] floor: .* closed as a constraint"):
        model(data).linearize()


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["linearize", "whipple-bicycle", "--json", "--method", "chetaev", "--set", "push=0"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == [
        *("method", "time", "coordinates", "speeds", "states", "matrix", "eigenvalues", "stability", "verdict"),
        *("family", "matrices", "modes", "steady", "degrees_of_freedom", "corrections", "notes"),
        *("inputs", "outputs", "A", "B", "C", "D"),
    ]
    assert answer["method"] == "chetaev" and answer["degrees_of_freedom"] == 3
    assert list(answer["steady"]) == ["holds", "residual", "rates", "ignorable", "uniform"]
    assert len(answer["matrix"]) == len(answer["states"]) == len(answer["eigenvalues"]) == 10
    found = np.sort_complex(np.linalg.eigvals(np.array(answer["matrix"])))
    assert found[0] == pytest.approx(-14.0783896927982)


def test_what_a_reader_sees(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["linearize", "simple-pendulum", "--set", "theta=0", "--set", "theta'=0"]) == 0
    out = capsys.readouterr().out
    assert "equilibrium, neutral" in out and "frequency [rad/s]" in out
    period = next(line.split()[-1] for line in out.splitlines() if line.split()[:1] == ["neutral"])
    assert float(period) == pytest.approx(2 * pi / sqrt(9.81), rel=1e-9)
