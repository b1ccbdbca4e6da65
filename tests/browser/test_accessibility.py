"""axe-core, where it is at hand, finds nothing on page, derivation and lab, wide and narrow, light and dark.

It is no part of this project: `npm install axe-core` in any folder, and DALEMBERT_AXE names its axe.min.js.
"""

import os
import sys
from pathlib import Path

import pytest

import dalembert as da

sys.path.insert(0, str(Path(__file__).parents[1]))
from lab_server import running

SCRIPT = Path(os.environ.get("DALEMBERT_AXE", "node_modules/axe-core/axe.min.js"))
SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 800}}
pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="axe-core is not installed (DALEMBERT_AXE names it)")


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


@pytest.fixture(params=[(size, theme) for size in SIZES for theme in ("light", "dark")], ids="-".join)
def view(request, new_page):
    size, theme = request.param
    return new_page(viewport=SIZES[size], color_scheme=theme)


@pytest.mark.parametrize("name", ["rolling-disk", "bouncing-ball"])
def test_the_page(view, tmp_path, name):
    file = tmp_path / "page.html"
    da.gallery(name).simulate(samples=60).animate(file)
    view.goto(file.as_uri())
    view.wait_for_selector(".da-canvas")
    view.get_by_role("button", name="x–y: one quantity over another").click()
    view.locator("summary").click()
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
    for tab in ("equations", "files", "analyze"):
        view.click(f"#tab-{tab}")
        if tab == "equations":
            view.wait_for_selector("#panel-equations .steps details", timeout=60_000)
        assert findings(view) == [], tab
    view.click("#show-gallery")
    view.wait_for_selector("#cards li")
    view.wait_for_timeout(500)
    assert findings(view) == []
