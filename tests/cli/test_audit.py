"""`dalembert audit`: its output and exit status."""

from __future__ import annotations

import json

from dalembert.cli.main import run


def test_right_and_wrong(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("l*theta'' = -g*sin(theta)\n")
    assert run(["audit", "simple-pendulum", str(tmp_path / "mine.txt")]) == 0
    assert "These are the model's equations" in capsys.readouterr().out
    assert run(["audit", "simple-pendulum", "l*theta'' = g*sin(theta)"]) == 1
    assert "the sign is opposite" in capsys.readouterr().out


def test_json(capsys):
    assert run(["audit", "simple-pendulum", "l*theta'' = g*sin(theta)", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["agrees"] is False and answer["partings"][0]["why"] == "the sign is opposite"


def test_refusals(capsys):
    for words, sentence in (
        (["simple-pendulum", "none.txt"], "there is no file"),
        (["simple-pendulum", "thets'' = 0"], "thets"),
        (["bouncing-ball", "z'' = -9.81"], "contacts or frictions"),
    ):
        assert run(["audit", *words]) == 2
        assert sentence in capsys.readouterr().err
