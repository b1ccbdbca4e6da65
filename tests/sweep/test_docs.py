"""The page on sweeps: its commands run and say what stands there, its Python runs."""

import re
import shlex
from pathlib import Path

import pytest

from dalembert.cli.main import run

PAGE = Path(__file__).parents[2] / "docs" / "sweeps.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_commands_of_the_page_run(capsys):
    for block in re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *said = step.splitlines()
            assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
            out = capsys.readouterr().out
            for line in said:
                assert line == "…" or not line or line in out


def test_the_python_of_the_page_runs():
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), {})  # noqa: S102
