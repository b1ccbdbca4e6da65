"""The frame of `analyze`: parts alone and together, as text, HTML and JSON, on the command line and in Python."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

import dalembert as da
from dalembert.analysis.algebra.child import bounded
from dalembert.analysis.question import Limit
from dalembert.api.analyze import PARTS, analyze
from dalembert.cli.main import run
from dalembert.collection import names, path
from dalembert.errors import ModelError
from dalembert.model.read import read


class Page(HTMLParser):
    """Tags that are opened and closed, and addresses that would be fetched."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.fetched += [value for name, value in attrs if name in {"src", "href"}]
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_every_part_answers_alone_and_as_a_whole_page():
    found = da.gallery("vertical-rolling-disk").analyze(["constraints", "models"], until=1)
    page = Page(found.html())
    assert not page.open and not page.fetched and "<script" not in found.html()
    assert "Growth vector (2, 3, 4)" in str(found)
    answer = found.to_dict()
    assert answer["constraints"]["growth_vector"] == {"here": [2, 3, 4], "generic": [2, 3, 4]}
    assert answer["models"]["coincide"] == "for some multipliers"
    assert json.loads(json.dumps(answer)) == answer


def test_the_command_line(capsys):
    assert run(["analyze", "knife-edge", "--parts", "constraints", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["constraints"]["holonomic"] is False and set(answer["seconds"]) == {"constraints"}
    assert run(["analyze", "knife-edge", "--parts", "constraints", "--format", "html"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
    assert run(["analyze", "knife-edge", "--parts", "constrains"]) == 2
    assert "did you mean constraints?" in capsys.readouterr().err
    assert run(["analyze", "knife-edge", "--seconds", "0"]) == 2


def test_a_part_that_fails_says_so_and_the_others_go_on(tmp_path, capsys):
    file = tmp_path / "two.toml"
    file.write_text(
        '[coordinates]\nx = 0\ny = 0\n[energy]\nkinetic = "x\'^2 + y\'^2"\n[constraints]\na = "x = 0"\nb = "x = 1"\n'
    )
    assert run(["analyze", str(file), "--parts", "constraints", "--json"]) == 0
    assert "contradict each other" in json.loads(capsys.readouterr().out)["constraints"]["error"]


def test_no_part_and_a_part_that_is_none_are_refused():
    record = read(path("knife-edge"))
    for parts in ([], ["growth"]):
        with pytest.raises(ModelError):
            analyze(record, parts)


def test_a_child_is_ended_at_its_limit_and_keeps_what_it_said(monkeypatch, tmp_path):
    (tmp_path / "children.py").write_text(
        "def endless():\n    yield 'first'\n    while True:\n        pass\n\n\n"
        "def failing():\n    yield from ()\n    raise ValueError\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import children

    assert bounded(children.endless, seconds=6)[0] == "first"
    assert bounded(children.failing, seconds=20) == (None, "SymPy could not do it")
    assert bounded(children.failing, seconds=0.1) == (None, "there was no time left for it")


def test_limits_are_shared_out():
    limit = Limit(10)
    assert limit.part(0.5).seconds == pytest.approx(5, abs=0.1)
    assert Limit(0).over


def test_a_model_of_the_gallery_has_an_answer_to_everything():
    all_parts("simple-pendulum-cartesian")


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_model_of_the_gallery_has_an_answer(name: str):
    all_parts(name)


def all_parts(name: str) -> None:
    found = analyze(read(path(name)))
    assert set(found.parts) == set(PARTS)
    assert not Page(found.html()).open


def test_one_text_is_one_part():
    assert set(da.gallery("knife-edge").analyze("constraints").to_dict()) >= {"constraints"}
    found = da.gallery("simple-pendulum").analyze("conserved", checks="theta'")
    assert len(found["conserved"].checks) == 1
