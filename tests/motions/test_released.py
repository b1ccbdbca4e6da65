"""Reactions by a matrix as small as the question: the same as from all constraints together, and the size is told."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert import collection
from dalembert.api.again import again
from dalembert.api.exact import solve_exactly
from dalembert.api.instant import solve
from dalembert.cli.main import run
from dalembert.errors import ModelError
from dalembert.model.read import model_of, read
from dalembert.motions import routes
from dalembert.motions.accelerations import redundant_rows, solve_accelerations
from dalembert.motions.released import released
from random_systems import case

SIZES = {("XO", "YO"): 4, ("XA",): 3, ("XO", "YO", "XA", "YA"): 6}  # of sun-1, with six coordinates


def scale(numbers):
    return max([1.0, *map(abs, numbers)])


@pytest.mark.parametrize("name", collection.names())
def test_every_row_of_the_gallery(name):
    record = read(collection.path(name))
    whole = solve(record)
    rows = list(whole.multipliers)
    largest, fastest = scale(whole.multipliers.values()), scale(whole.accelerations.values())
    for asked in [[row] for row in rows[:8]] + [rows[-2:]] * (len(rows) > 2):
        found = solve(record, reactions=asked)
        for row in asked:
            assert found.multipliers[row] == pytest.approx(whole.multipliers[row], abs=1e-10 * largest)
            assert found.reactions[row] == pytest.approx(whole.reactions[row], abs=1e-10 * largest)
        if found.accelerations.keys() == whole.accelerations.keys():  # a normal force by placement frees nothing
            assert found.accelerations == pytest.approx(whole.accelerations, abs=1e-10 * fastest)
            assert found.degrees_of_freedom == whole.degrees_of_freedom


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("method", ["kane", "chetaev"])
def test_random_systems(seed, method):
    """Rows that other rows imply cannot be released alone; all others can."""
    system, x = case(seed, redundant=seed % 3 == 0).compiled(method)
    rows = routes.ActiveRows(*system.unpacked(system.dynamics(x)))
    whole = solve_accelerations(system, x)
    for asked in [[i] for i in range(system.m)] + [[0, system.m - 1]] * (system.m > 1):
        found = released(rows, asked)
        last = [i for i in range(system.m) if i not in asked] + asked
        implied = any(place >= system.m - len(asked) for place in redundant_rows(rows.A[last]))
        assert (found is None) == implied
        if found is not None:
            np.testing.assert_allclose(found.sigma, whole.multipliers[asked], rtol=1e-10, atol=1e-10)
            np.testing.assert_allclose(found.a, whole.a, rtol=1e-10, atol=1e-10)
            assert found.size == system.n - np.linalg.matrix_rank(rows.A[last[: -len(asked)]])


@pytest.mark.parametrize("asked", SIZES)
def test_the_answer_tells_the_size(asked):
    """The paper's point: the matrix of problem 1 is 6×6, and 4×4 where one hinge is asked for."""
    state = da.gallery("sun-1").solve(reactions=asked)
    assert state.to_dict()["released"]["size"] == SIZES[asked]
    assert state.to_dict()["released"]["whole"] == 6
    assert f"[B] is {SIZES[asked]}×{SIZES[asked]}" in str(state)
    assert "released" not in da.gallery("sun-1").solve().to_dict()


@pytest.mark.parametrize("name, asked", [("sun-1", "XO"), ("rocking-block", "right"), ("six-axis-arm", "elbow")])
def test_along_a_motion(name, asked):
    """Smooth, with contacts, and for a joint that is freed for the question."""
    model = da.gallery(name)
    found = model.simulate(until=0.2, samples=5, reactions=[asked])
    assert all(row == asked or row.startswith(asked + ".") for row in found.multipliers)
    assert 0 < found.to_dict()["released"]["size"] <= len(found.coordinates)
    assert "[B] is" in str(found)
    if name != "six-axis-arm":
        whole = model.simulate(until=0.2, samples=5)
        for row, values in found.multipliers.items():
            np.testing.assert_allclose(values, whole.multipliers[row], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("method", ["vakonomic", "virtual-displacements"])
def test_other_models_of_constraint(method):
    """Reactions along other rows: the small system is solved as a whole."""
    model = model_of(
        {
            "coordinates": {"x": 0, "y": 0.1, "z": 0.3},
            "speeds": {"x": 1, "y": 0.5},
            "energy": {"kinetic": "(x'^2 + y'^2 + 2*z'^2)/2", "potential": "z + x*y"},
            "constraints": {"climb": "z' = y*x'", "drift": "y' = x*z' + x'/2"},
            "virtual_displacements": {"rule": "rows", "rows": [{"z": 1, "x": "y"}, {"y": 1, "z": "-x/2", "x": -1}]},
            "multipliers": {"climb": 0.2, "drift": -0.1},
        }
    )
    whole = solve(model, method)
    for row in whole.multipliers:
        found = solve(model, method, reactions=[row])
        assert found.released.size == 2
        assert found.accelerations == pytest.approx(whole.accelerations, abs=1e-12)
        assert found.multipliers[row] == pytest.approx(whole.multipliers[row], abs=1e-12)
        assert found.reactions[row] == pytest.approx(whole.reactions[row], abs=1e-12)


def test_no_such_constraint():
    with pytest.raises(ModelError, match="no constraint"):
        da.gallery("sun-1").simulate(duration=0.2, reactions=["nothing"])


def test_a_question_is_asked_again(tmp_path):
    path = tmp_path / "rods.json"
    arguments = ["sun-1", "--reactions", "XO", "--until", "0.1", "--samples", "3"]
    assert run(["simulate", *arguments, "-o", str(path)]) == 0
    first = json.loads(path.read_text())
    second = again(path)
    assert list(first["multipliers"]) == list(second.multipliers) == ["XO"]
    assert second.multipliers["XO"].tolist() == first["multipliers"]["XO"]


def test_exact_values_of_a_hinge():
    record = read(collection.path("sun-1"))
    whole, hinge = solve_exactly(record), solve_exactly(record, reactions=["XA", "YA"])
    assert hinge.multipliers == {name: whole.multipliers[name] for name in ("XA", "YA")}
    assert hinge.accelerations == whole.accelerations
    assert "[B] is 4×4" in str(hinge)
