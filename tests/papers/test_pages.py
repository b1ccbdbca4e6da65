"""The commands that the papers' pages show, run as they stand."""

import shlex
from pathlib import Path

import pytest

from dalembert.cli.main import run

PAGES = Path(__file__).parents[2] / "docs" / "papers"
COMMANDS = [
    pytest.param(line.strip(), id=f"{page.stem}: {line.strip()}")
    for page in sorted(PAGES.glob("*.md"))
    for line in page.read_text(encoding="utf-8").splitlines()
    if line.startswith("    dalembert ")
]


def test_every_paper_has_a_page_with_commands():
    assert {page.stem for page in PAGES.glob("*.md")} == {"long", "sun", "zhangmei", "qiao", "wanggao"}
    assert len(COMMANDS) >= 12


@pytest.mark.parametrize("command", COMMANDS)
def test_command_on_a_page(command, capsys):
    assert run(shlex.split(command)[1:]) == 0
    shown = capsys.readouterr()
    assert shown.out.strip() and not shown.err.strip()
