"""Help: every command in full, in a sensible order, and every method by name."""

from __future__ import annotations

from dalembert.cli.commands import COMMANDS
from dalembert.cli.main import run
from dalembert.formalisms import METHODS


def told(capsys, *arguments: str) -> str:
    assert run(arguments) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    return shown.out


def test_help_and_version(capsys) -> None:
    for arguments in ([], ["--help"], ["simulate", "--help"], ["--version"]):
        assert "dalembert" in told(capsys, *arguments)


def test_every_command_is_named_whole_and_every_method(capsys) -> None:
    assert "..." not in told(capsys, "--help").split("Commands:")[1]
    for name in COMMANDS:
        assert told(capsys, name, "--help")
    assert all(method in told(capsys, "derive", "--help") for method in METHODS)


def test_an_unknown_command_names_the_nearest(capsys) -> None:
    assert run(["simulat"]) == 2
    assert "simulate" in capsys.readouterr().err
