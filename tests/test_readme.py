"""What README shows is what the commands say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dalembert.cli.main import run

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sleigh.toml").write_text(re.search(r"```toml\n(.*?)```", README, re.DOTALL)[1], encoding="utf-8")
    session = re.search(r"```console\n(\$ dalembert .*?)```", README, re.DOTALL)[1]
    for call in session.split("$ dalembert ")[1:]:
        command, _, shown = call.partition("\n")
        assert run(command.split()) == 0
        printed = capsys.readouterr().out
        for line in shown.splitlines():
            if line != "…":  # there is more than is shown; a drift is not the same on every machine
                assert line.partition("energy drift")[0] in printed, line
    assert Path("sleigh.png").exists()
