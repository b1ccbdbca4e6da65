"""The matrix of the linearized equations against central differences of the motion itself, on random systems."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.derivatives.gradients import Gradients, Local, Place
from dalembert.analysis.linear.chart import moved
from dalembert.analysis.linear.linearize import Linearized, linearizations
from dalembert.analysis.linear.nearest import nearest
from dalembert.mechanics.system import System
from dalembert.model.read import model_of
from dalembert.motions.accelerations import solve_accelerations
from dalembert.prepared import prepare, prepared
from dalembert.programs.system import CompiledSystem
from random_systems import case

STEP = 1e-3


def linearized(system: CompiledSystem, place: Place, quasi: dict | None = None) -> Linearized:
    return next(linearizations(Gradients(system, quasi or {}), place))


def rates(found: Linearized, change: np.ndarray) -> np.ndarray:
    """dx/dt at x + change, from positions, speeds and accelerations alone."""
    gradients, chart, place = found.gradients, found.chart, found.place
    system, n = gradients.system, gradients.system.n
    p, s = len(chart.coordinates), len(chart.speeds)
    place = moved(gradients, chart, place, change[:p])
    assert place is not None
    z = place.z + change[p + s :]
    wanted = found.linear.values[p : p + s] + change[p : p + s]

    def speed(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = system.state(place.t, place.q, v, z)
        rows, own, c, m = system.velocity(x), gradients.speed_values(x), len(gradients.speeds), system.m
        jacobian = np.vstack([rows[m:].reshape(m, n), own[c:].reshape(c, n)[chart.speeds]])
        return np.concatenate([rows[:m], own[:c][chart.speeds] - wanted]), jacobian

    v, left = nearest(speed, place.v)
    assert left is None
    solution = solve_accelerations(system, system.state(place.t, place.q, v, z))
    units = [i - len(gradients.quasi) for i in chart.speeds]
    assert min(units, default=0) >= 0
    return np.concatenate([v[chart.coordinates], solution.a[units], solution.multipliers[: system.k]])


def differences(found: Linearized) -> np.ndarray:
    """Central differences of the fourth order."""
    columns = []
    for e in np.eye(len(found.states)):
        near, far = (rates(found, h * e) - rates(found, -h * e) for h in (STEP, 2 * STEP))
        columns.append((8 * near - far) / (12 * STEP))
    return np.array(columns).T.reshape(len(found.states), -1)


def assert_same(found: np.ndarray, expected: np.ndarray, to: float) -> None:
    assert np.abs(found - expected).max(initial=0.0) <= to * np.abs(expected).max(initial=1.0)


@pytest.mark.parametrize("seed", range(12))
def test_random_systems(seed: int) -> None:
    drawn = case(seed)
    system, x = drawn.compiled("kane")
    found = linearized(system, Place(drawn.t, drawn.q, drawn.v, np.zeros(0)))
    rows, _, holonomic = found.linear.local.kept.ranks
    assert len(found.states) == 2 * system.n - rows - holonomic
    assert_same(found.linear.matrix, differences(found), 1e-7)
    accelerations = solve_accelerations(system, x).a
    p = len(found.chart.coordinates)
    assert found.linear.rates[:p] == pytest.approx(drawn.v[found.chart.coordinates], abs=1e-12)
    assert found.linear.rates[p:] == pytest.approx(accelerations[found.chart.speeds], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("wanted", ["holonomic", "nonlinear", "redundant", "massless", "varying"])
def test_every_kind_of_system(wanted: str) -> None:
    drawn = case(40, **{wanted: True, "linear": True})
    system, _ = drawn.compiled("kane")
    found = linearized(system, Place(drawn.t, drawn.q, drawn.v, np.zeros(0)))
    assert_same(found.linear.matrix, differences(found), 1e-7)


@pytest.mark.parametrize("method", ["partial-acceleration", "boltzmann-hamel", "qiao-lagrange", "chetaev", "maggi"])
def test_methods_agree(method: str) -> None:
    drawn = case(3, holonomic=True, nonlinear=True)
    place = Place(drawn.t, drawn.q, drawn.v, np.zeros(0))
    expected = linearized(drawn.compiled("kane")[0], place)
    found = linearized(drawn.compiled(method)[0], place)
    assert found.states == expected.states
    assert_same(found.linear.matrix, expected.linear.matrix, 1e-10)


@pytest.mark.parametrize("name", ["heisenberg", "appell-hamel", "car-axis", "andrews-squeezer"])
def test_models_of_the_gallery(name: str) -> None:
    """Vakonomic multipliers among the states, nonlinear constraints, time in the constraints, closed loops."""
    start = prepare(da.gallery(name).record, often=False)
    found = linearized(start.system, Place(start.time, start.q, start.v, start.z))
    expected = differences(found)
    scale = np.maximum(np.abs(expected).max(axis=1), 1.0)[:, None]
    assert np.abs((found.linear.matrix - expected) / scale).max() < 1e-6


def test_general_virtual_displacements() -> None:
    data = {
        "coordinates": {"x": 0.1, "y": 0.2, "z": 0.3},
        "speeds": {"x": 0.7, "y": -0.4},
        "energy": {"kinetic": "(x'^2 + y'^2 + z'^2)/2", "potential": "x^2 + x*y + z^4"},
        "constraints": {"c": "z' - y*x' = 0"},
        "virtual_displacements": {"rule": "rows", "rows": [{"z": 1, "x": "-y - 0.3*x", "y": "0.2"}]},
    }
    start = prepare(model_of(data), often=False)
    assert start.system.equations.method == "virtual-displacements"
    found = linearized(start.system, Place(start.time, start.q, start.v, start.z))
    assert_same(found.linear.matrix, differences(found), 1e-8)


def test_quasi_velocities_change_the_coordinates_of_the_matrix_only() -> None:
    """At rest the eigenvalues do not depend on the choice of speeds."""
    data = {
        "coordinates": {"x": 0, "y": 0, "theta": 0.7},
        "energy": {"kinetic": "(x'^2 + y'^2 + theta'^2)/2", "potential": "x^2/2 + (theta - 0.7)^2"},
        "constraints": {"blade": "y'*cos(theta) - x'*sin(theta) = 0"},
        "quasi_velocities": {"u": "2*(x'*cos(theta) + y'*sin(theta)) + theta*theta'"},
    }
    record = model_of(data)
    start = prepare(record, often=False)
    place = Place(start.time, start.q, start.v, start.z)
    plain = linearized(start.system, place)
    other = linearized(start.system, place, System(record, numeric=True).quasi_velocities)
    assert "u" in other.states and "u" not in plain.states
    assert np.poly(other.linear.matrix) == pytest.approx(np.poly(plain.linear.matrix), abs=1e-12)


SEGWAY = {
    "parameters": {"r": 0.1, "b": 0.2, "m": 3.0, "l": 0.4, "heading": 0.3},
    "gravity": [0, 0, -9.81],
    "coordinates": {
        "x": 0,
        "y": 0,
        "yaw": {"initial": "heading", "speed": 0.4},
        "pitch": {"initial": 0.2, "speed": 0.1},
        "right": {"initial": 0, "speed": 2},
        "left": 0,
    },
    "frames": {"c": {"turn": [["z", "yaw"]]}, "rod": {"from": "c", "turn": [["y", "pitch"]]}},
    "points": {
        "mid": ["x", "y", "r"],
        "hr": {"from": "mid", "in": "c", "at": [0, "-b", 0]},
        "hl": {"from": "mid", "in": "c", "at": [0, "b", 0]},
        "head": {"from": "mid", "in": "rod", "at": [0, 0, "l"]},
    },
    "bodies": {
        "top": {"mass": "m", "position": "head", "frame": "rod", "inertia": [0.1, 0.1, 0.05]},
        "wr": {"mass": 1, "position": "hr", "frame": "c", "spin": ["y", "right"], "inertia": [0.0025, 0.005, 0.0025]},
        "wl": {"mass": 1, "position": "hl", "frame": "c", "spin": ["y", "left"], "inertia": [0.0025, 0.005, 0.0025]},
    },
    "rolling": {"rr": {"body": "wr", "wheel": "r"}, "rl": {"body": "wl", "wheel": "r"}},
}


@pytest.mark.parametrize("heading", [0.3, np.pi / 2, np.pi / 2 + 1e-7, np.pi, -np.pi / 2])
def test_redundant_rows_at_any_heading(heading: float) -> None:
    """Both wheels of a Segway keep its axle from sliding along itself. Which rows say so depends on the heading."""
    plain = da.Model.of(model_of(SEGWAY))
    start = prepare(plain.changed({"heading": heading}).record, often=False)
    found = linearized(start.system, Place(start.time, start.q, start.v, start.z))
    assert_same(found.linear.matrix, differences(found), 1e-7)
    turned, plain = plain.changed({"heading": heading}).linearize(), plain.linearize()
    assert turned.steady.ignorable == plain.steady.ignorable
    assert np.abs(turned.eigenvalues - plain.eigenvalues).max() < 1e-6


def written(system: CompiledSystem) -> bool:
    """Whether a program of derivatives in symbols has been written."""
    return any(name[0] == "derivatives" for name in system._made if isinstance(name, tuple))


@pytest.mark.parametrize(
    "name",
    [
        "heisenberg",
        "appell-hamel",
        "car-axis",
        "four-bar",
        "ball-in-bowl",
        "differential-drive",
        "eulers-disk",
        "raindrop",
    ],
)
def test_a_sweep_has_the_derivatives_of_the_program_in_symbols(name: str) -> None:
    """Also by inputs: here the last parameter counts as one."""
    record = da.gallery(name).record
    ready = prepared(record, open=list(record.parameters)[-1:], often=False)
    start, quasi = ready.at(), System(record, numeric=True, open=ready.open).quasi_velocities
    inputs = tuple(ready.equations.parameters)[-1:]
    place = Place(start.time, start.q, start.v, start.z)
    swept = Gradients(start.system, quasi, inputs, few=True).at(place)
    assert not written(start.system)
    computed = Gradients(start.system, quasi, inputs).at(place)
    assert written(start.system)
    for one in fields(Local):
        if one.name != "kept" and not one.name.endswith("size"):
            assert_same(getattr(swept, one.name), getattr(computed, one.name), 1e-11)


@pytest.mark.parametrize(
    ("force", "x", "swept"), [("-abs(x')*x'", 0.5, True), ("-abs(x')*x'", 0.0, False), ("-x'*sqrt(x')", 0.0, False)]
)
def test_switches_and_roots_at_zero_get_the_program(force: str, x: float, swept: bool) -> None:
    """At a switch the text of the condition may be needed, and x √x has a derivative at zero although √x has none."""
    data = {
        "coordinates": {"x": {"initial": 0, "speed": x}},
        "energy": {"kinetic": "x'^2/2", "potential": "x^2/2"},
        "forces": {"drag": {"generalized": {"x": force}}},
    }
    start = prepare(model_of(data), often=False)
    found = Gradients(start.system, {}, few=True).at(Place(start.time, start.q, start.v, start.z))
    assert found.a_X.tolist() == [[-1.0, -2 * x]]
    assert written(start.system) is not swept
