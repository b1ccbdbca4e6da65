"""Every model of the gallery against numbers from other sources (expected.json names them)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.collection import names, path, summary, text
from dalembert.errors import ModelError
from dalembert.formalisms import CHETAEV

EXPECTED: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("expected.json").read_text(encoding="utf-8"))
RELATIVE = 1e-9


def methods(name: str) -> tuple[str, ...]:
    return tuple(EXPECTED[name].get("methods", CHETAEV))


def model(name: str) -> da.Model:
    if name.startswith("nlink"):
        from dalembert.collection.nlink import nlink

        return da.Model.of(nlink(int(name.removeprefix("nlink(").removesuffix(")"))))
    return da.gallery(name)


def assert_close(found: Any, expected: Any, scale: float, what: str) -> None:
    """Relative to the number itself, or to the largest of its kind if it is (nearly) zero."""
    error = np.abs(np.asarray(found) - np.asarray(expected))
    bound = RELATIVE * np.maximum(np.abs(np.asarray(expected)), 1e-2 * scale)
    assert np.all(error <= bound), f"{what}: {found} instead of {expected}"


def assert_tables_close(found: Any, expected: dict[str, dict[str, Any]]) -> None:
    for kind, table in expected.items():
        values = getattr(found, kind)
        scale = max(np.max(np.abs(v)) for v in table.values()) or 1.0
        for name, value in table.items():
            assert_close(values[name], value, scale, f"{kind} {name}")


SOLVED = [(n, m) for n, e in EXPECTED.items() if "solve" in e for m in methods(n)]
SIMULATED = [(n, m) for n, e in EXPECTED.items() if "simulate" in e for m in methods(n)]


@pytest.mark.parametrize(("name", "method"), SOLVED)
def test_state_at_the_start(name: str, method: str) -> None:
    expected = EXPECTED[name]
    state = model(name).solve(method, settings=expected.get("settings"), strict=True)
    assert_tables_close(state, expected["solve"])
    if "energy" in expected:
        assert state.energy["total"] == pytest.approx(expected["energy"], rel=RELATIVE, abs=1e-12)


@pytest.mark.parametrize(("name", "method"), SIMULATED)
def test_motion(name: str, method: str) -> None:
    expected = dict(EXPECTED[name]["simulate"])
    times = expected.pop("times")
    motion = model(name).simulate(method, at=times, tolerance=1e-13)
    energy = expected.pop("energy", None)
    assert_tables_close(motion, expected)
    if "energy" in EXPECTED[name]:
        energy = [EXPECTED[name]["energy"]] * len(times)
    if energy is not None:
        assert motion.energy["total"] == pytest.approx(energy, rel=RELATIVE, abs=1e-9)


@pytest.mark.parametrize("name", names())
def test_every_model_has_its_numbers_and_says_what_it_is(name: str) -> None:
    assert name in EXPECTED and EXPECTED[name]["source"]
    title, reference = summary(name)
    assert title and reference
    assert model(name).record.simulation.duration


@pytest.mark.parametrize("name", names())
def test_states_are_consistent_as_written(name: str) -> None:
    assert not model(name).solve().corrections


def test_a_bicycle_fits_on_a_page() -> None:
    mechanics = [
        line for line in text("whipple-bicycle").splitlines() if not line.startswith("  {")
    ]  # shapes are drawn
    assert len(mechanics) <= 75


def test_bicycle_has_the_eigenvalues_of_the_benchmark() -> None:
    """Lean, steer and their rates about straight running at 5 m/s, by central differences: good to 1e-8 or so."""
    bicycle, step = model("whipple-bicycle"), 1e-4

    def rate(z: np.ndarray) -> np.ndarray:
        start = dict(zip(("phi", "delta", "phi'", "delta'"), z, strict=True))
        found = bicycle.solve("chetaev", settings=start).accelerations
        return np.array([z[2], z[3], found["phi"], found["delta"]])

    columns = [(rate(step * e) - rate(-step * e)) / (2 * step) for e in np.eye(4)]
    found = np.sort_complex(np.linalg.eigvals(np.array(columns).T))
    published = np.sort_complex([complex(*pair) for pair in EXPECTED["whipple-bicycle"]["linearize"]])
    assert found == pytest.approx(published, rel=1e-7)


def test_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(ModelError, match="rolling-disk"):
        path("roling-disk")


def test_listing_is_cheap() -> None:
    code = (
        "import sys; from dalembert.collection import names, summary; [summary(n) for n in names()]; "
        "print([m for m in ('symengine', 'numpy', 'sympy') if m in sys.modules])"
    )
    assert run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_the_gallery_is_a_module_and_a_function() -> None:
    assert da.gallery() == names()
    assert da.gallery("rocket").record.title == summary("rocket")[0]
    assert da.gallery("rocket").record == da.load(path("rocket")).record
