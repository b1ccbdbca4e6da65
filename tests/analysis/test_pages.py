"""What the pages on linearize and sensitivities show is run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dalembert.cli.main import run

DOCS = Path(__file__).parents[2] / "docs"


def commands(page: str) -> list[str]:
    return [line[2:] for line in (DOCS / page).read_text().splitlines() if line.startswith("$ dalembert ")]


@pytest.mark.parametrize("command", dict.fromkeys([*commands("linearize.md"), *commands("sensitivities.md")]))
def test_commands(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They run; and of those whose answer is shown in full lines, those lines are in it."""
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(command.split("  #")[0])[1:]) == 0
    said = capsys.readouterr().out.splitlines()
    shown = re.findall(rf"\$ {re.escape(command)}\n…\n(.*?)```", (DOCS / _page(command)).read_text(), re.DOTALL)
    for line in "".join(shown).splitlines():
        assert line in said


def _page(command: str) -> str:
    return "linearize.md" if "linearize" in command else "sensitivities.md"


def test_python() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "sensitivities.md").read_text(), re.DOTALL)
    names: dict = {}
    exec("import dalembert as da\n" + "\n".join(blocks), names)  # noqa: S102 (our own page)
    assert names["fit"].x == pytest.approx([1.3, 0.8, -0.4], abs=0.03)
