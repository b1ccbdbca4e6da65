"""`dalembert export` writes whole files or prints a sentence, and leaves no partial file."""

from __future__ import annotations

import pytest

from dalembert.cli.main import run
from dalembert.exchange.export import TARGETS


@pytest.mark.parametrize(
    ("target", "files"),
    [
        ("c", ["disk.c", "disk.h"]),
        ("numpy", ["disk.py"]),
        ("wasm", ["disk.wasm", "disk.mjs"]),
        ("sympy", ["disk.py"]),
    ],
)
def test_files(target, files, tmp_path, capsys):
    assert run(["export", "rolling-disk", "--to", target, "-o", str(tmp_path / files[0]), "--set", "R=0.3"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"written: {tmp_path / name}" for name in files]
    assert {file.name for file in tmp_path.iterdir()} == set(files)
    assert "0.3" in (tmp_path / files[-1 if target == "wasm" else 0]).read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["bouncing-ball", "--to", "c", "-o", "FILE.c"], "it cannot carry contacts and frictions, and the model has"),
        (["knife-edge", "--to", "numpy", "-o", "FILE.py", "--method", "vakonomic"], "the method vakonomic needs more"),
        (["knife-edge", "--to", "num", "-o", "FILE.py"], "there is no target 'num'; did you mean numpy?"),
        (["knife-edge", "--to", "fortran", "-o", "FILE.f"], "there is no target 'fortran'; known are c, numpy"),
        (["knife-edge", "--to", "c", "-o", "FILE.py"], "the ending '.py' is not known; the endings known are .c"),
        (["knife-edge", "--to", "c", "--what", "equations", "-o", "FILE.c"], "cannot hold 'equations'"),
        (["knife-edge", "--to", "c"], "name the file that is written: -o FILE"),
        (["knife-edge", "--to", "c", "-o", "none/FILE.c"], "there is no directory"),
    ],
)
def test_refusals(words, sentence, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["export", *words]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_help_lists_every_target(capsys):
    assert run(["export", "--help"]) == 0
    told = capsys.readouterr().out
    listed = [line.split()[0] for line in told.partition("Targets:")[2].splitlines() if line.startswith("    ")]
    assert listed == list(TARGETS)
