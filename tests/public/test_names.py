"""The names of `dalembert`: they exist, editors see the same names, no signature is hidden, an example is typed."""

from __future__ import annotations

import ast
import inspect
import logging
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert as da

ROOT = Path(__file__).parents[2]
PACKAGE = Path(da.__file__).parent
ANSWERS = [
    *(da.Model, da.Motion, da.State, da.Derivation, da.Comparison, da.Connection, da.Linearization, da.Locus),
    *(da.Sensitivities, da.Analysis, da.Conserved, da.Examination, da.Animation, da.Differentiated),
    *(da.PreparedModel, da.SympyEquations),
]


def test_every_public_name_is_there() -> None:
    for name in da.__all__:
        assert getattr(da, name) is not None, name
    assert set(dir(da)) == set(da.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Moton'"):
        _ = da.Moton


def test_functions_of_the_model_language_are_all_there() -> None:
    from dalembert.expressions.nodes import FUNCTIONS

    x = da.Model().coordinates("x")
    python = {"if": "choose", "d": "derivative"}  # one is a word of Python, the other is too short for a public name
    for name, (least, _) in FUNCTIONS.items():
        made = getattr(da, python.get(name, name))(*[x] * least)
        assert str(made).startswith(f"{name}(")


def test_editors_see_the_same_names() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    homes = {
        alias.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert homes == da._HOME
    assert (PACKAGE / "py.typed").is_file()


@pytest.mark.parametrize("kind", ANSWERS, ids=lambda kind: kind.__name__)
def test_no_signature_is_hidden(kind: type) -> None:
    named = (
        "parameters",
        "speeds",
        "coordinates",
        "multipliers",
        "sample",
        "drawing",
    )  # keywords are the model's names
    for name, function in inspect.getmembers(kind, callable):
        if name.startswith("_") or name in named:
            continue
        kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, f"{kind.__name__}.{name} takes **"


def test_every_public_class_is_in_the_reference() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    for name, module in da._HOME.items():
        if isinstance(getattr(da, name), type) and name not in ("Expression", "Constraint"):
            assert f"::: {module}.{name}\n" in pages, name


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    exec((ROOT / "examples" / "first_steps.py").read_text(encoding="utf-8"), names)  # noqa: S102 (our own file)
    shown = capsys.readouterr().out
    assert "who agrees: (('kane', 'chetaev'), ('vakonomic',))" in shown
    assert "the nearest is rolling-disk" in shown


def test_the_example_is_typed() -> None:
    options = ["--strict", "--follow-imports=silent", "--ignore-missing-imports", "--config-file="]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--cache-dir", ".mypy_cache/strict", "examples/first_steps.py"],
        cwd=ROOT,
        env={"MYPYPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_done_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dalembert"):
        fresh = da.Model("Derived by nobody before")
        x = fresh.coordinate("x", 1)
        fresh.energy(kinetic=x.dot**2 / 2, potential=2.718 * x**4)
        fresh.simulate(duration=1)
    said = [record.getMessage() for record in caplog.records]
    assert all(record.name.startswith("dalembert.") for record in caplog.records)
    assert any("derived by kane" in sentence for sentence in said)
    assert any("finished at t = 1 after" in sentence for sentence in said)


def test_nothing_is_said_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    da.gallery("simple-pendulum").simulate(duration=1)
    assert capsys.readouterr() == ("", "")
