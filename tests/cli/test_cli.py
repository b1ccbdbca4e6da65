"""The command line: answers, exit statuses, and sentences instead of tracebacks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dalembert.cli.main import run

PENDULUM = """
title = "Pendulum in a plane"
gravity = [0, -9.81, 0]
[parameters]
L = 2
[coordinates]
x = 2
y = 0
[definitions]
angle = "atan2(x, -y)"
[bodies.bob]
mass = 1.5
position = ["x", "y", 0]
[constraints]
rod = "x^2 + y^2 = L^2"
[events.bottom]
when = "x"
[simulation]
duration = 1
samples = 21
"""
SINGULAR = '[coordinates]\nx = 0\ny = 0\n[energy]\nkinetic = "x\'^2/2"\n'


@pytest.fixture
def pendulum(tmp_path: Path) -> str:
    file = tmp_path / "pendulum.toml"
    file.write_text(PENDULUM)
    return str(file)


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = run(arguments)
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return status, out, err


def test_solve(capsys, pendulum) -> None:
    status, out, err = called(capsys, "solve", pendulum, "--json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert list(answer) == [
        *("method", "time", "coordinates", "speeds", "accelerations", "multipliers", "reactions", "energy"),
        *("degrees_of_freedom", "corrections", "notes"),
    ]
    assert answer["accelerations"] == {"x": pytest.approx(0, abs=1e-12), "y": pytest.approx(-9.81)}
    assert answer["reactions"]["rod"] == {"x": pytest.approx(0, abs=1e-12), "y": pytest.approx(0, abs=1e-12)}
    assert answer["degrees_of_freedom"] == 1
    assert answer["energy"]["total"] == pytest.approx(0)


def test_solve_as_text(capsys, pendulum) -> None:
    status, out, _ = called(capsys, "solve", pendulum)
    assert status == 0
    assert out.splitlines()[0] == "Pendulum in a plane"
    assert "degrees of freedom: 1" in out
    assert "rod" in out


def test_set(capsys, pendulum) -> None:
    _, out, _ = called(capsys, "solve", pendulum, "--set", "L=4", "--set", "x=4", "--set", "y'=0.5", "--json")
    answer = json.loads(out)
    assert answer["coordinates"]["x"] == 4
    assert answer["speeds"]["y"] == 0.5
    assert answer["accelerations"]["x"] == pytest.approx(-(0.5**2) / 4)


def test_corrections_are_told_and_strict_refuses(capsys, pendulum) -> None:
    _, out, _ = called(capsys, "solve", pendulum, "--set", "x=3", "--json")
    answer = json.loads(out)
    assert answer["coordinates"]["x"] == pytest.approx(2)
    assert answer["corrections"][0]["given"] == 3
    assert answer["notes"]
    status, out, err = called(capsys, "solve", pendulum, "--set", "x=3", "--strict", "--json")
    assert (status, out) == (2, "")
    assert "x = 3" in err


def test_reactions_asked_for(capsys, pendulum) -> None:
    _, out, _ = called(capsys, "solve", "whipple-bicycle", "--reactions", "front", "--json")
    answer = json.loads(out)
    assert list(answer["multipliers"]) == list(answer["reactions"]) == ["front.touch", "front.slip1", "front.slip2"]
    status, _, err = called(capsys, "solve", pendulum, "--reactions", "rodd")
    assert status == 2
    assert "did you mean rod" in err


def test_simulate(capsys, pendulum) -> None:
    status, out, _ = called(capsys, "simulate", pendulum, "--json")
    assert status == 0
    answer = json.loads(out)
    assert answer["status"] == "finished"
    assert len(answer["times"]) == len(answer["coordinates"]["x"]) == len(answer["multipliers"]["rod"]) == 21
    assert answer["times"][0] == 0
    assert answer["times"][-1] == 1
    assert answer["diagnostics"]["constraint_residual"] <= 1e-10
    assert answer["diagnostics"]["energy_drift"] <= 1e-7
    assert [event["kind"] for event in answer["events"]] == ["crossing"]
    assert list(answer["definitions"]) == ["angle"]


def test_times_are_those_asked_for_in_their_order(capsys, pendulum) -> None:
    _, out, _ = called(capsys, "simulate", pendulum, "--at", "0.7,0,0.2,0.7", "--json")
    answer = json.loads(out)
    assert answer["times"] == [0.7, 0.0, 0.2, 0.7]
    assert answer["coordinates"]["x"][0] == answer["coordinates"]["x"][3] != answer["coordinates"]["x"][2]
    assert answer["coordinates"]["x"][1] == 2


def test_an_event_that_stops_ends_the_motion_there(capsys, tmp_path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(PENDULUM.replace('when = "x"', 'when = "x"\nstop = true'))
    answer = json.loads(called(capsys, "simulate", str(file), "--json")[1])
    assert answer["status"] == "stopped"
    assert answer["times"][-1] == answer["events"][-1]["time"] < 1
    assert answer["coordinates"]["x"][-1] == pytest.approx(0, abs=1e-12)
    answer = json.loads(called(capsys, "simulate", str(file), "--at", "0.2,0.9", "--json")[1])
    assert answer["times"] == [0.2]
    assert any("bottom" in note for note in answer["notes"])


def test_a_model_without_duration_takes_ten_seconds_and_says_so(capsys, tmp_path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(PENDULUM.replace("duration = 1\n", ""))
    _, out, _ = called(capsys, "simulate", str(file), "--json")
    answer = json.loads(out)
    assert answer["times"][-1] == 10
    assert any("duration" in note for note in answer["notes"])


def test_files(capsys, pendulum, tmp_path) -> None:
    for name in ("a.csv", "a.json", "a.png"):
        status, _, _ = called(capsys, "simulate", pendulum, "-o", str(tmp_path / name))
        assert status == 0
        assert (tmp_path / name).stat().st_size > 1000
    assert (tmp_path / "a.csv").read_text().startswith("t,x,y,x',y',x'',y'',angle,multiplier.rod,energy.kinetic")


def test_check(capsys, pendulum) -> None:
    status, out, _ = called(capsys, "check", pendulum, "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer["ok"] is True
    assert answer["degrees_of_freedom"] == 1
    assert answer["constraints"] == {"rod": {"kind": "holonomic", "redundant": False}}
    assert answer["faults"] == []


def test_check_finds_redundancy(capsys, tmp_path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(PENDULUM.replace('L^2"\n', 'L^2"\nagain = "3*x^2 + 3*y^2 = 12"\n'))
    _, out, _ = called(capsys, "check", str(file), "--json")
    answer = json.loads(out)
    assert answer["degrees_of_freedom"] == 1
    assert [row["redundant"] for row in answer["constraints"].values()] == [False, True]


def test_every_fault_is_told(capsys, tmp_path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(
        PENDULUM.replace("L^2", "K^2").replace("mass = 1.5", 'mass = "1 +"').replace("duration", "durration")
    )
    status, out, err = called(capsys, "check", str(file), "--json")
    answer = json.loads(out)
    assert status == 2
    assert answer["ok"] is False
    assert len(answer["faults"]) == len(err.splitlines()) >= 3
    assert {"table", "key", "column", "message"} == set(answer["faults"][0])
    assert {fault["table"] for fault in answer["faults"]} >= {"constraints", "simulation"}


@pytest.mark.parametrize("form", ["text", "latex", "html", "json"])
@pytest.mark.parametrize("steps", [[], ["--steps"]])
def test_derive(capsys, pendulum, form, steps) -> None:
    status, out, err = called(capsys, "derive", pendulum, "--format", form, *steps)
    assert (status, err) == (0, "")
    assert len(out) > 100


@pytest.mark.parametrize("form", ["text", "latex", "html", "json"])
def test_a_derivation_in_a_file(capsys, pendulum, form, tmp_path) -> None:
    _, out, _ = called(capsys, "derive", pendulum, "--format", form)
    status, told, _ = called(capsys, "derive", pendulum, "--format", form, "-o", str(tmp_path / "derivation"))
    assert status == 0 and out not in told
    assert (tmp_path / "derivation").read_text(encoding="utf-8").strip() == out.strip()


def test_gallery(capsys) -> None:
    status, out, _ = called(capsys, "gallery")
    assert status == 0
    assert "chaplygin-sleigh" in out
    _, out, _ = called(capsys, "gallery", "--tag", "variable")
    assert "rocket" in out and "double-pendulum" not in out
    status, _, err = called(capsys, "gallery", "--tag", "nothing")
    assert status == 2 and "contact and impact" in err
    _, out, _ = called(capsys, "gallery", "chaplygin-sleigh")
    assert "[constraints]" in out
    _, out, _ = called(capsys, "gallery", "chaplygin-sleigh", "--json")
    assert "[constraints]" in json.loads(out)["text"]


REFUSED = [
    (["solve", "chaplygin-sleig"], "the nearest name in the gallery is chaplygin-sleigh"),
    (["solve", "missing.toml"], "missing.toml"),
    (["solve", "/"], "directory"),
    (["solve", "a\0b"], "file"),
    (["solve", ""], "file"),
    (["solve"], "MODEL"),
    (["solv", "rocket"], "solv"),
    (["solve", "rocket", "--nonsense"], "nonsense"),
    (["solve", "rocket", "--method", "kan"], "kane"),
    (["solve", "rocket", "--set", "m0"], "NAME=VALUE"),
    (["solve", "rocket", "--set", "=3"], "NAME=VALUE"),
    (["solve", "rocket", "--set", "m00=3"], "m0"),
    (["solve", "rocket", "--set", "m0=__import__('os')"], "m0"),
    (["solve", "rocket", "--set", "m0=nan"], "m0"),
    (["simulate", "rocket", "--at", "1,x"], "'x'"),
    (["simulate", "rocket", "--at", ""], "numbers between commas"),
    (["simulate", "rocket", "--at", "nan"], "finite"),
    (["simulate", "rocket", "--at", "-1"], "before that"),
    (["simulate", "rocket", "--until", "-1"], "cannot end"),
    (["simulate", "rocket", "--until", "inf"], "give a finite time"),
    (["simulate", "rocket", "--until", "soon"], "--until"),
    (["simulate", "rocket", "--samples", "1"], "samples"),
    (["simulate", "rocket", "--samples", "100000000000"], "from 2 to 10 million"),
    (["compare", "rocket", "--methods", ","], "no method is named"),
    (["connect", "heisenberg", "--to", "x=1,x=2"], "twice"),
    (["linearize", "rocket", "--vary", "m0=1:2:1000000000000"], "2 to 100000"),
    (["simulate", "rocket", "--samples", "5", "--at", "1"], "not both"),
    (["simulate", "rocket", "--tolerance", "-1"], "tolerance"),
    (["simulate", "rocket", "--stepper", "euler"], "euler"),
    (["simulate", "rocket", "-o", "motion.doc"], ".csv"),
    (["simulate", "rocket", "-o", "/no/such/place/a.csv"], "no directory"),
    (["derive", "rocket", "--format", "pdf"], "pdf"),
    (["gallery", "rockt"], "rocket"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED, ids=[" ".join(a).replace("\0", "0") for a, _ in REFUSED])
def test_calls_at_fault(capsys, arguments, said) -> None:
    status, out, err = called(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe\x00",
        b"[coordinates]\nx = ",
        b"x" * 6_000_000,
        b"a = " + b"[" * 100_000,
        b'[coordinates]\nx = 0\n[energy]\nkinetic = "' + b"(" * 50_000 + b'"\n',
        b'[coordinates]\nx = 0\n[energy]\nkinetic = "9^9^9^9^9"\n',
        b"[coordinates]\nx = 0\n[energy]\nkinetic = \"__import__('os').system('true')\"\n",
        b'[coordinates]\n"x\\u0000" = 0\n',
        b"",
    ],
    ids=["bytes", "toml", "huge", "nested", "parentheses", "tower", "import", "name", "empty"],
)
def test_hostile_files(capsys, tmp_path, text) -> None:
    file = tmp_path / "m.toml"
    file.write_bytes(text)
    status, out, err = called(capsys, "solve", str(file))
    assert (status, out) == (2, "")
    assert 0 < len(err) < 5000


def test_mathematics_that_fails(capsys, tmp_path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(SINGULAR)
    for command in ("solve", "simulate"):
        status, out, err = called(capsys, command, str(file))
        assert (status, out) == (1, "")
        assert "y" in err
        assert len(err.splitlines()) == 1


def test_check_tells_in_json_what_the_mathematics_refuses(capsys, tmp_path) -> None:
    text = (
        '[coordinates]\nx = 1\n[bodies.p]\nmass = 1\nposition = ["x", 0, 0]\n[constraints]\na = "x = 1"\nb = "x = 2"\n'
    )
    (tmp_path / "m.toml").write_text(text)
    assert run(["check", str(tmp_path / "m.toml"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert not told["ok"]
    assert "satisfies the constraint" in told["faults"][0]["message"]


def test_a_constraint_without_a_gradient_is_told(capsys, tmp_path) -> None:
    text = '[coordinates]\nx = 1\n[bodies.p]\nmass = 1\nposition = ["x", 0, 0]\n[constraints]\nc = "(x - 1)^2 = 0"\n'
    (tmp_path / "m.toml").write_text(text)
    assert run(["check", str(tmp_path / "m.toml")]) == 0
    assert "note: The gradient of c is zero at the initial state" in capsys.readouterr().out


def test_a_title_cannot_command_a_terminal(capsys, tmp_path) -> None:
    text = 'title = "\\u001b[31mred\\u0007 \\u6446"\n[coordinates]\nx = 1\n[energy]\nkinetic = "x\'^2/2"\n'
    (tmp_path / "m.toml").write_text(text)
    for call in (["check"], ["solve"], ["derive", "--format", "html"], ["simulate", "--samples", "2"]):
        assert run([call[0], str(tmp_path / "m.toml"), *call[1:]]) == 0
        out = capsys.readouterr().out
        assert "\\x1b[31mred\\x07 \u6446" in out
        assert not {"\x1b", "\x07"} & set(out)


def test_a_motion_that_fails_writes_no_file(capsys, tmp_path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(
        '[coordinates]\nx = 1\n[energy]\nkinetic = "x\'^2/2"\npotential = "-x^4"\n[simulation]\nduration = 100\n'
    )
    status, out, err = called(capsys, "simulate", str(file), "-o", str(tmp_path / "a.csv"))
    assert (status, out) == (1, "")
    assert "t = " in err
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs permissions that bind")
def test_permissions(capsys, pendulum, tmp_path) -> None:
    Path(pendulum).chmod(0)
    status, _, err = called(capsys, "solve", pendulum)
    assert status == 2
    assert "pendulum.toml" in err


def test_a_reader_that_leaves_is_no_fault(capsys, pendulum) -> None:
    called(capsys, "simulate", pendulum)  # compiles what is not compiled yet; the log would show that
    command = f"'{sys.executable}' -m dalembert simulate '{pendulum}' --samples 20000 --json | head -c 10"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.stdout == '{"method":'


def test_interrupt(capsys, monkeypatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dalembert.collection.names", interrupted)
    status, _, err = called(capsys, "gallery")
    assert status == 130
    assert err.strip() == "dalembert: interrupted."


def test_our_own_faults_are_told_in_a_sentence(capsys, monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.delenv("DALEMBERT_TRACEBACK", raising=False)
    monkeypatch.setattr("dalembert.collection.names", broken)
    status, _, err = called(capsys, "gallery")
    assert status == 1
    assert "ZeroDivisionError: oops" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-o", "a.html"], "written: a.html"),
        (["-o", "a.png", "--plot", "phase:x"], "written: a.png"),
        (["-o", "a.svg", "--plot", "path"], "written: a.svg"),
        (["-o", "a.svg", "--plot", "x,angle"], "written: a.svg"),
    ],
)
def test_pages_and_pictures(
    pendulum: str, options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["simulate", pendulum, *options]) == 0
    assert said in capsys.readouterr().out
    assert (tmp_path / options[1]).stat().st_size > 5000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--plot", "phase"], "name its file, too"),
        (["-o", "a.csv", "--plot", "phase"], "is no picture"),
        (["-o", "a.png", "--plot", "phase:angle"], "no coordinate of this motion"),
        (["-o", "a.png", "--plot", "path:x"], "two quantities"),
        (["-o", "a.png", "--plot", "angel"], "did you mean 'angle'"),
    ],
)
def test_pictures_that_cannot_be_drawn(
    pendulum: str, options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["simulate", pendulum, *options]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("a.*"))


def test_options_that_would_be_dropped_are_refused(capsys, tmp_path: Path) -> None:
    assert run(["simulate", "rocket", "--sensitivity", "u", "--reactions", "x"]) == 2
    assert "leave out --reactions" in capsys.readouterr().err
    assert run(["simulate", "--again", str(tmp_path / "motion.csv"), "--sensitivity", "u", "--of", "x"]) == 2
    assert "leave out sensitivity, of" in capsys.readouterr().err
