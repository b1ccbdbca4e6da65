"""Widgets in a real browser; a few lines of script play the part of the kernel."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dalembert as da

pytest.importorskip("anywidget", reason="no widgets: anywidget is not installed")

KERNEL = """
window.kernel = (state) => ({
  state, sent: [], heard: {},
  get(name) { return this.state[name]; },
  set(name, value) { this.state[name] = value; (this.heard[`change:${name}`] || []).forEach((f) => f()); },
  on(name, f) { (this.heard[name] = this.heard[name] || []).push(f); },
  save_changes() { this.sent.push(JSON.parse(JSON.stringify(this.state.values))); },
});
window.define = () => { throw new Error("the loader of modules was asked"); };
window.define.amd = {};
"""
MOUNT = """async ([text, css, state]) => {
  const style = document.createElement("style");
  style.textContent = css;
  document.head.append(style);
  const module = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  window.model = kernel(state);
  window.left = module.default.render({ model, el: document.getElementById("cell") });
}"""


@pytest.fixture
def mounted(page: Any) -> Any:
    def shown(widget: Any) -> Any:
        page.set_content("<!doctype html><title>notebook</title><main id='cell'></main>")
        page.evaluate(KERNEL)
        names = ("scene", "ghost", "options", "time", "said", "sliders", "values")
        state = {name: getattr(widget, name) for name in names}
        page.evaluate(MOUNT, [widget._esm, widget._css, json.loads(json.dumps(state))])
        return page

    return shown


def test_a_slider_asks_the_kernel_and_the_picture_follows(mounted: Any) -> None:
    lab = da.gallery("simple-pendulum").lab(["theta", "l"], duration=1)
    page = mounted(lab)
    assert page.locator(".da-slider").count() == 2
    page.get_by_role("slider", name="theta").fill("1")
    sent = page.evaluate("model.sent.at(-1)")
    assert sent == {"theta": 1, "l": 1}
    lab.values = sent
    page.evaluate("(scene) => model.set('scene', scene)", lab.scene)
    assert page.locator("canvas.da-canvas").count() == 1
    page.evaluate("model.set('said', 'no such motion')")
    assert page.locator(".da-said").inner_text() == "no such motion"


def test_time_goes_both_ways_and_a_ghost_is_shown(mounted: Any) -> None:
    model = da.gallery("knife-edge")
    first, second = (model.simulate(method, duration=1) for method in ("chetaev", "vakonomic"))
    page = mounted(first.animate(plots=False, equations=False).widget(over=second))
    assert page.locator(".da-player").get_attribute("data-ghost") == "yes"
    page.evaluate("model.set('time', 0.5)")
    assert "0.500" in page.locator(".da-player").inner_text()
    page.locator(".da-player input[type=range]").first.fill("1")
    assert page.evaluate("model.get('time')") == 1.0
    page.evaluate("left()")
    assert page.locator(".da-player").count() == 0
