"""What README shows is what the commands say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dalembert.cli.main import run

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def words(line: str) -> list[str | float]:
    """Numbers as numbers: their last digits are those of the steps that a machine takes."""
    return [float(w) if re.fullmatch(r"[-+]?\d+\.\d+(e[-+]?\d+)?", w) else w for w in line.split()]


def same(shown: list[str | float], printed: list[str | float]) -> bool:
    if len(shown) != len(printed):
        return False
    return all(
        b == (pytest.approx(a, rel=1e-6) if isinstance(a, float) else a) for a, b in zip(shown, printed, strict=True)
    )


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sleigh.toml").write_text(re.search(r"```toml\n(.*?)```", README, re.DOTALL)[1], encoding="utf-8")
    session = re.search(r"```console\n(\$ dalembert .*?)```", README, re.DOTALL)[1]
    for call in session.split("$ dalembert ")[1:]:
        command, _, shown = call.partition("\n")
        assert run(command.split()) == 0
        printed = [words(line) for line in capsys.readouterr().out.splitlines()]
        for line in shown.splitlines():
            if line != "…" and "drift" not in line:  # there is more than is shown; drift is rounding
                assert any(same(words(line), other) for other in printed), line
    assert Path("sleigh.png").exists()
