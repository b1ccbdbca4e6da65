"""Pages and the lab in the reader's language: no text of ours is left in English."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.collection import text
from dalembert.formalisms import METHODS
from dalembert.lab.words import WORDS as OF_LAB
from dalembert.language import speaking
from dalembert.view.words import WORDS

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser_page import until

NAMES = ("{y} over {x}", "{title} over time: {names}", "{title} ({left_out} more not shown)")  # their words are few
OWN = """dalembert lab slip Poincaré Chetaev Vacco Ctrl Escape Tab WebM PNG LaTeX TOML CSV JSON netCDF Parquet SVG HTML
    GIF final max min crossing events drift growth sweep"""  # names, words of the interface, keys and files
SEEN = """() => { const found = new Set();
    for (const one of document.querySelectorAll("body *:not(script, style, noscript, math *, .cm-editor *)")) {
      for (const name of ["title", "aria-label", "placeholder"].filter((key) => one.getAttribute(key)))
        found.add(one.getAttribute(name));
      for (const node of one.childNodes) if (node.nodeType === 3 && node.data.trim()) found.add(node.data.trim());
    }
    return [...found]; }"""


def left(page: Any, words: tuple[str, ...]) -> list[str]:
    """Texts and labels on the page that are still one of these English sentences."""
    shapes = [re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(word))) for word in words if word not in NAMES]
    return [one for one in page.evaluate(SEEN) if any(shape.fullmatch(one) for shape in shapes)]


def english(page: Any, model: str) -> list[str]:
    """Texts and labels on the page with words of letters that are neither the model's nor names of ours."""
    own = set(re.findall(r"[A-Za-z]+", " ".join([text(model), *METHODS, OWN])))
    words = {one: set(re.findall(r"[A-Za-z]{3,}", one)) for one in page.evaluate(SEEN) if not one.endswith(".toml")}
    return [one for one, found in words.items() if found - own]


@pytest.mark.parametrize("name", ["bouncing-ball", "rolling-disk", "double-pendulum"])
def test_a_page_in_chinese(page: Any, tmp_path: Path, name: str) -> None:
    motion = da.gallery(name).simulate()
    motion.animate(tmp_path / "english.html", renderer="canvas")
    page.goto((tmp_path / "english.html").as_uri())
    until(page, "Boolean(globalThis.computing)")
    assert len(left(page, WORDS)) > 40  # the texts are found where they are
    with speaking("zh"):
        motion.animate(tmp_path / "page.html", renderer="canvas")
    page.goto((tmp_path / "page.html").as_uri())
    until(page, "Boolean(globalThis.computing)")
    assert page.get_attribute("html", "lang") == "zh"
    assert page.get_by_role("button", name="播放").count() == 1
    page.get_by_role("button", name="x–y").click()
    page.locator(".da-lab input[type=range]").first.press("ArrowRight")
    until(page, "!computing.busy && computing.last")
    page.evaluate("computing.live.start()")
    until(page, "computing.live.t > 0.05")
    page.evaluate("computing.live.stop()")
    assert left(page, WORDS) == []
    assert english(page, name) == []


def test_the_lab_in_chinese(new_page: Any, lab: Any) -> None:
    """The language is that of the browser."""
    page = new_page(viewport={"width": 1280, "height": 900}, locale="zh-CN")
    page.goto(lab.address)
    page.wait_for_selector("body[data-motions]", timeout=60_000)
    assert page.get_attribute("html", "lang") == "zh"
    for tab in page.get_by_role("tab").all():
        tab.click()
        page.wait_for_timeout(100)
    page.locator("#panel-compare table").wait_for(state="attached", timeout=240_000)
    page.locator("#second").click()
    until(page, "!document.getElementById('differs').hidden")
    until(page, "document.querySelectorAll('.run canvas').length > 1")
    assert english(page, "rolling-disk") == []
    page.locator("#show-gallery").click()
    page.locator("#cards li").first.wait_for()
    assert left(page, (*WORDS, *OF_LAB)) == []
