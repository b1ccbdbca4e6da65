"""axe-core finds no fault on page, derivation and lab, wide and narrow, light and dark.

The package axe-playwright-python carries it; DALEMBERT_AXE may name the axe.min.js of another version.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import dalembert as da
from dalembert.language import speaking

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser_page import typed

CARRIED = find_spec("axe_playwright_python")
FOLDERS = [] if CARRIED is None else [Path(folder) for folder in CARRIED.submodule_search_locations or ()]
SCRIPT = Path(os.environ.get("DALEMBERT_AXE") or next(iter(FOLDERS), Path()) / "axe.min.js")
SIZES = {"narrow": {"width": 390, "height": 800}, "wide": {"width": 1280, "height": 800}}
VIEWS = [(size, theme) for size in SIZES for theme in ("dark", "light")]
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="axe-playwright-python is not installed")


def findings(page, views=VIEWS, part=None):
    """What axe-core finds on a page as it is now, or in a part of it, in each view.

    Only colours differ between two themes of one size, so the second theme is examined by the rules on colours.
    """
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    found, known = [], set()
    for size, theme in views:
        rules = COLOURS if size in known else {}
        known.add(size)
        page.set_viewport_size(SIZES[size])
        page.emulate_media(color_scheme=theme)
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        answer = page.evaluate(
            "([part, rules]) => axe.run(part ?? document, { resultTypes: ['violations'], ...rules })", [part, rules]
        )
        found += [
            f"{size} {theme}: {one['id']}: {one['help']}: {node['html'][:160]} {node['failureSummary'][:300]}"
            for one in answer["violations"]
            for node in one["nodes"]
        ]
    return found


def test_the_page(page, tmp_path):
    file = tmp_path / "page.html"
    da.gallery("bouncing-ball").simulate(samples=60).animate(file)
    page.goto(file.as_uri())
    page.wait_for_selector(".da-canvas")
    page.get_by_role("button", name="x–y: one quantity over another").click()
    page.locator("summary").click()
    assert findings(page, VIEWS[:1]) == []
    page.locator(".da-slider input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("[data-computed]")  # another motion
    assert findings(page) == []


@pytest.mark.parametrize(
    ("name", "language"),
    [("simple-pendulum", "en"), pytest.param("chaplygin-sleigh", "zh", marks=pytest.mark.slow)],
)
def test_the_derivation(page, tmp_path, name, language):
    file = tmp_path / "derivation.html"
    with speaking(language):
        file.write_text(da.gallery(name).derive().html(steps=True), encoding="utf-8")
    page.goto(file.as_uri())
    assert findings(page) == []


def test_the_lab(page, lab):
    """The whole page with two runs; after that the parts that appear, each in the next view."""
    page.goto(lab.address + "#model=simple-pendulum")
    page.wait_for_selector("body[data-motions]", timeout=60_000)
    page.click("#second")
    page.wait_for_selector("#difference:not([hidden])", timeout=60_000)
    assert findings(page) == []
    for which, tab in enumerate(("equations", "vary", "files", "analyze")):
        page.click(f"#tab-{tab}")
        if tab == "equations":
            page.wait_for_selector("#panel-equations .steps details", timeout=60_000)
        if tab == "vary":
            page.click("#ask-locus")
            page.wait_for_selector("#panel-vary .varied", timeout=60_000)
        assert findings(page, VIEWS[which : which + 1], f"#panel-{tab}") == [], tab
    page.click("#tab-model")
    typed(page, 'mass = "m"', 'mass = "mm')
    page.wait_for_selector("#faults li")
    assert findings(page, VIEWS[2:3], "#panel-model") == []
    page.click("#new-model")
    page.wait_for_selector("dialog.question")
    assert findings(page, VIEWS[:1], "dialog.question") == []
    page.keyboard.press("Escape")
    page.click("#show-gallery")
    page.fill("#find", "knife")  # all cards are made in the same way
    page.wait_for_selector("#cards li:not([hidden]) canvas:not(.missing)")
    assert findings(page, VIEWS[:1], "#gallery") == []
