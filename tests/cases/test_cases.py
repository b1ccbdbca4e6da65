"""Classical problems as model files, each with numbers computed independently of this package, by every method."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.formalisms import CHETAEV

DATA = Path(__file__).parent / "data"
CASES: dict[str, dict[str, Any]] = {
    file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(DATA.glob("*.json"))
}
RELATIVE = 1e-9


def picked(answer: Any, path: str) -> float:
    for name, index in re.findall(r"\.?([^.\[\]]+)|\[([^\]]*)\]", path):
        answer = answer[name] if name else answer[int(index)]
    return float(answer)


def misses(answer: dict[str, Any], case: dict[str, Any]) -> list[str]:
    found = []
    for expected in case["expect"]:
        value, wanted = picked(answer, expected["path"]), expected["value"]
        bound = min(expected["rtol"], RELATIVE) * abs(wanted) + min(expected["atol"], RELATIVE)
        if not abs(value - wanted) <= bound:
            found.append(f"{expected['path']}: {value!r} instead of {wanted!r}, off by {abs(value - wanted):.1e}")
    return found


def times(case: dict[str, Any]) -> list[float]:
    option, values = case["args"]
    assert option == "--at"
    return [float(value) for value in values.split(",")]


@pytest.mark.parametrize("method", CHETAEV)
@pytest.mark.parametrize("name", CASES)
def test_motion(name: str, method: str) -> None:
    motion = da.load(DATA / f"{name}.toml").simulate(method, at=times(CASES[name]))
    assert motion.times.tolist() == times(CASES[name])
    assert not misses(motion.to_dict(), CASES[name])
    assert motion.diagnostics.constraint_residual <= 1e-10


@pytest.mark.parametrize("name", ["NH01", "NL02", "VM07", "MB02"])
def test_command_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    case = CASES[name]
    assert run([case["command"], str(DATA / f"{name}.toml"), *case["args"], "--json"]) == 0
    assert not misses(json.loads(capsys.readouterr().out), case)
