"""axe-core finds no fault on page, derivation and lab, wide and narrow, light and dark.

The package axe-playwright-python carries it; DALEMBERT_AXE may name the axe.min.js of another version.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import dalembert as da

sys.path.insert(0, str(Path(__file__).parents[1]))
from lab_server import running

CARRIED = find_spec("axe_playwright_python")
FOLDERS = [] if CARRIED is None else [Path(folder) for folder in CARRIED.submodule_search_locations or ()]
SCRIPT = Path(os.environ.get("DALEMBERT_AXE") or next(iter(FOLDERS), Path()) / "axe.min.js")
SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 800}}
pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="axe-playwright-python is not installed")


def findings(page):
    page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


@pytest.fixture(scope="module")
def lab():
    with running("--workers", "2") as lab:
        yield lab


VIEWS = [("narrow", "dark"), ("wide", "light"), ("wide", "dark"), ("narrow", "light")]
MORE = [pytest.param(one, marks=pytest.mark.slow) for one in VIEWS[1:]]


@pytest.fixture(params=[VIEWS[0], *MORE], ids="-".join)
def view(request, new_page):
    size, theme = request.param
    return new_page(viewport=SIZES[size], color_scheme=theme)


@pytest.mark.parametrize("name", ["bouncing-ball", pytest.param("rolling-disk", marks=pytest.mark.slow)])
def test_the_page(view, tmp_path, name):
    file = tmp_path / "page.html"
    da.gallery(name).simulate(samples=60).animate(file)
    view.goto(file.as_uri())
    view.wait_for_selector(".da-canvas")
    view.get_by_role("button", name="x–y: one quantity over another").click()
    view.locator("summary").click()
    assert findings(view) == []
    view.locator(".da-slider input[type=range]").first.focus()
    view.keyboard.press("ArrowRight")
    view.wait_for_selector("[data-computed]")  # another motion
    assert findings(view) == []


def test_the_derivation(view, tmp_path):
    file = tmp_path / "derivation.html"
    file.write_text(da.gallery("chaplygin-sleigh").derive().html(steps=True), encoding="utf-8")
    view.goto(file.as_uri())
    assert findings(view) == []


def test_the_lab(view, lab):
    view.goto(lab.address + "#model=double-pendulum")
    view.wait_for_selector("body[data-motions]", timeout=60_000)
    view.click("#second")
    view.wait_for_selector("#difference:not([hidden])", timeout=60_000)
    assert findings(view) == []
    for tab in ("equations", "vary", "files", "analyze"):
        view.click(f"#tab-{tab}")
        if tab == "equations":
            view.wait_for_selector("#panel-equations .steps details", timeout=60_000)
        if tab == "vary":
            view.click("#ask-locus")
            view.wait_for_selector("#panel-vary .varied", timeout=60_000)
        assert findings(view) == [], tab
    view.click("#show-gallery")
    view.wait_for_selector("#cards li")
    view.wait_for_timeout(500)
    assert findings(view) == []
