"""The display of answers: one line in a console, readable text, tables and pictures in a notebook."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from answers import MAKERS, answer

import dalembert as da

VOID = {"img", "meta", "br"}
FORMULAS = ("derive", "sympy", "animate", "differentiate", "prepare", "event", "origin")  # no tables


class Page(HTMLParser):
    """Fails on a tag that is closed out of order; collects texts and tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def html_of(given: Any) -> str:
    if hasattr(given, "_repr_mimebundle_"):
        return given._repr_mimebundle_()["text/html"]
    return given._repr_html_()


@pytest.mark.parametrize("name", MAKERS)
def test_a_line_in_a_console(name: str) -> None:
    line = repr(answer(name))
    assert "\n" not in line
    assert len(line) < 250
    assert "array(" not in line
    assert " at 0x" not in line


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in FORMULAS])
def test_a_notebook_shows_tables(name: str) -> None:
    given = answer(name)
    page = Page(html_of(given))
    assert "script" not in page.tags
    assert {"table", "img"} & set(page.tags)
    assert len("".join(page.texts)) < 10_000


def test_a_motion_shows_its_picture_once() -> None:
    bundle = answer("simulate contacts")._repr_mimebundle_()
    assert bundle["image/png"].startswith(b"\x89PNG")
    page = Page(bundle["text/html"])
    assert page.tags.count("img") == 1
    assert "impact" in page.texts
    assert bundle["text/plain"].startswith("<Motion")


def test_numbers_in_the_table_are_those_of_the_state() -> None:
    state = answer("solve")
    texts = Page(html_of(state)).texts
    assert f"{state.accelerations['x']:.6g}" in texts
    assert f"{state.multipliers['edge'] + 0.0:.6g}" in texts


def test_what_a_model_says_is_text_and_nothing_else() -> None:
    model = da.Model("<script>alert(1)</script>")
    model.coordinate("x", about="<img src=x onerror=alert(1)>")
    model.body("b", mass=1, position=["x", 0, 0])
    for given in (model, model.check(), model.solve(), model.linearize(), model.simulate(duration=0.1, samples=3)):
        page = Page(html_of(given))
        assert "script" not in page.tags
        assert page.tags.count("img") == (1 if isinstance(given, da.Motion) else 0)


def test_a_model_with_faults_shows_them() -> None:
    model = da.Model("Faulty")
    model.coordinates("x")
    model.constraint("c", "y' = 0")
    assert repr(model) == "<Model 'Faulty': coordinates x>"
    assert any("y" in text for text in Page(html_of(model)).texts)


def test_many_events_are_not_all_in_a_line() -> None:
    motion = da.gallery("bouncing-ball").simulate()
    assert len(motion.events) > 6
    assert repr(motion.events).startswith(f"<{len(motion.events)} in all: Event(")
    assert len(repr(motion.events)) < 800


def test_two_motions_in_one_picture() -> None:
    model = da.gallery("knife-edge")
    chetaev, vakonomic = (model.simulate(method, duration=1, samples=11) for method in ("chetaev", "vakonomic"))
    figure = da.plot(chetaev, vakonomic, names=["x", "y"])
    assert [place.get_title(loc="left") for place in figure.axes] == ["x", "y"]
    first, second = figure.axes[0].lines
    np.testing.assert_array_equal(first.get_ydata(), chetaev["x"])
    np.testing.assert_array_equal(second.get_ydata(), vakonomic["x"])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["chetaev", "vakonomic"]
    path = da.plot(chetaev, vakonomic, kind="path", names=["x", "y"], labels=["A", "B"])
    np.testing.assert_array_equal(path.axes[0].lines[1].get_xdata(), vakonomic["x"])
    assert len(da.plot(chetaev, vakonomic, kind="phase").axes) == 4  # three coordinates, and one empty panel
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_jumps_are_drawn_on_both_sides() -> None:
    motion = answer("simulate contacts")
    times, speeds = da.plot(motion, names=["z'"]).axes[0].lines[0].get_data()
    hit = motion.events[0]
    assert {hit.before["z"], hit.after["z"]} <= set(np.asarray(speeds)[np.asarray(times) == hit.time])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"names": ["zz"]}, "did you mean|known are"),
        ({"labels": ["one", "two"]}, "2 labels were given for 1 motions"),
        ({"kind": "pie"}, "no kind of picture"),
        ({"kind": "path", "names": ["x"]}, "two names are expected, not 1"),
    ],
)
def test_a_picture_that_cannot_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(da.ModelError, match=said):
        da.plot(answer("simulate"), **options)
    with pytest.raises(da.ModelError, match="at least one motion"):
        da.plot()
    with pytest.raises(da.ModelError, match="argument 2 is a State"):
        da.plot(answer("simulate"), answer("solve"))


def test_a_comparison_is_drawn_by_groups() -> None:
    figure = answer("compare").plot(["x", "y"])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["kane and 1 more", "vakonomic"]
