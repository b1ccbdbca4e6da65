"""Classical problems of impact and friction as model files, with numbers computed independently of this package."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.cli.main import run

DATA = Path(__file__).parent / "data"
CASES: dict[str, dict[str, Any]] = {
    file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(DATA.glob("*.json"))
}


def picked(answer: Any, path: str) -> float:
    """events[kind=impact][0].time, count:events"""
    if path.startswith("count:"):
        return len(picked(answer, path[6:]))  # type: ignore[arg-type]
    for name, index in re.findall(r"\.?([^.\[\]]+)|\[([^\]]*)\]", path):
        if name:
            answer = answer[name]
        elif "=" in index:
            key, value = index.split("=")
            answer = [entry for entry in answer if entry[key] == value]
        else:
            answer = answer[int(index)]
    return answer


def misses(answer: dict[str, Any], case: dict[str, Any]) -> list[str]:
    found = []
    for expected in case["expect"]:
        value, wanted = picked(answer, expected["path"]), expected["value"]
        if not abs(value - wanted) <= expected["rtol"] * abs(wanted) + expected["atol"]:
            found.append(f"{expected['path']}: {value!r} instead of {wanted!r}")
    return found


def times(case: dict[str, Any]) -> list[float]:
    return [float(value) for value in case["args"][1].split(",")]


@pytest.mark.parametrize("method", ["kane", "normalized-routh", "boltzmann-hamel", "gibbs-appell", "udwadia-kalaba"])
@pytest.mark.parametrize("name", CASES)
def test_motion(name: str, method: str) -> None:
    motion = da.load(DATA / f"{name}.toml").simulate(method, at=times(CASES[name]))
    assert motion.times.tolist() == times(CASES[name])
    assert not misses(motion.to_dict(), CASES[name])
    assert motion.diagnostics.constraint_residual <= 1e-10


@pytest.mark.parametrize("name", CASES)
def test_command_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    case = CASES[name]
    assert run([case["command"], str(DATA / f"{name}.toml"), *case["args"], "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert not misses(answer, case)
    assert all(len(words) == len(answer["times"]) for words in answer["modes"].values())
