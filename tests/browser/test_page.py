"""The animated page in a real browser: it plays, it can be operated, it fetches nothing, and no model's text acts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dalembert as da

SAMPLE = ("bouncing-ball", "heisenberg", "whipple-bicycle")
HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">&<!--"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages that several tests look at, made once."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name in ("rolling-disk", "bouncing-ball"):
        made[name] = folder / f"{name}.html"
        da.gallery(name).simulate(dense=True).animate(made[name])
    return made


def until(page: Any, true: str) -> None:
    """Wait for something to be true; playwright's own way would need `eval`, which these pages do not allow."""
    for _ in range(600):
        if page.evaluate(true):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"it never came true: {true}")


def opened(page: Any, file: Path) -> Any:
    page.goto(file.as_uri())
    until(page, "Boolean(globalThis.player) && player.root.querySelector('canvas').width > 100")
    return page


def picture(page: Any) -> bytes:
    return page.locator(".da-canvas").screenshot()


def test_it_plays_and_pauses(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    assert page.evaluate("player.renderer") == "webgl"
    before = picture(page)
    page.get_by_role("button", name="Play (space)").click()
    until(page, "player.time > 0.3")
    assert page.evaluate("player.playing")
    page.get_by_role("button", name="Pause (space)").click()
    assert picture(page) != before
    stopped = page.evaluate("player.time")
    page.wait_for_timeout(120)
    assert page.evaluate("player.time") == stopped


def test_scrubbing_moves_the_picture_and_the_plots(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    before, cursor = picture(page), page.locator(".da-cursor").first
    began = float(cursor.get_attribute("x1"))
    page.get_by_role("slider", name="Time").fill("0.5")
    assert page.evaluate("player.time") == pytest.approx(2.5, abs=1e-9)
    assert picture(page) != before
    left, right = 54, 420 - 8  # of the plot
    assert float(cursor.get_attribute("x1")) == pytest.approx((left + right) / 2, abs=0.02)
    assert began == pytest.approx(left, abs=0.02)
    assert page.locator(".da-plot").first.locator(".da-value").first.inner_text() not in ("", "–")
    assert "t = 2.50 s" in page.locator(".da-clock").inner_text()


def test_a_plot_is_a_way_to_a_time(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    box = page.locator(".da-plot svg").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] * (54 + 0.25 * 358) / 420, box["y"] + box["height"] / 2)
    assert page.evaluate("player.time") == pytest.approx(1.25, abs=0.03)


def test_next_event_and_back(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["bouncing-ball"])
    page.get_by_role("button", name="Next event (N)").click()
    first = (2 / 9.81) ** 0.5
    assert page.evaluate("player.time") == pytest.approx(first, abs=1e-9)
    assert "impact" in page.locator(".da-spoken").inner_text()
    page.locator(".da-player").focus()
    page.keyboard.press("n")
    assert page.evaluate("player.time") == pytest.approx(first * (1 + 2 * 0.8), abs=1e-9)
    page.keyboard.press("p")
    assert page.evaluate("player.time") == pytest.approx(first, abs=1e-9)


def test_all_of_it_by_keyboard(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    page.locator(".da-player").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("player.time") == pytest.approx(5 / 200, abs=1e-9)
    page.keyboard.press("End")
    assert page.evaluate("player.time") == 5
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    until(page, "player.playing && player.time > 0.05")
    page.keyboard.press("Space")
    assert not page.evaluate("player.playing")
    page.keyboard.press("l")
    assert page.get_by_role("button", name="Loop (L)").get_attribute("aria-pressed") == "false"


def test_arrows_and_trails_can_be_put_away(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    page.evaluate("player.seek(2.2)")
    for label in ("Reactions", "Trails", "Contacts", "Grid"):
        before = picture(page)
        page.get_by_label(label, exact=True).uncheck()
        assert picture(page) != before, label


@pytest.mark.parametrize("renderer", ["auto", "canvas"])
def test_a_couple_is_drawn_and_told_in_the_legend(page: Any, tmp_path: Path, renderer: str) -> None:
    file = tmp_path / "suslov.html"
    da.gallery("suslov").simulate(until=1, dense=True).animate(file, renderer=renderer)
    opened(page, file)
    assert "couple" in page.locator(".da-key").inner_text()
    before = picture(page)
    page.get_by_label("Reactions", exact=True).uncheck()
    assert picture(page) != before


def test_at_the_end_it_begins_again_or_stops(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    page.evaluate("player.seek(4.9); player.play()")
    until(page, "player.playing && player.time < 4.8")
    page.evaluate("player.pause()")
    page.get_by_role("button", name="Loop (L)").click()
    page.evaluate("player.seek(4.9); player.play()")
    until(page, "!player.playing")
    assert page.evaluate("player.time") == 5


def test_light_and_dark(new_page: Callable[..., Any], files: dict[str, Path]) -> None:
    page = opened(new_page(color_scheme="dark", viewport={"width": 900, "height": 700}), files["rolling-disk"])
    assert page.locator(".da-player").get_attribute("data-theme") == "dark"
    dark = picture(page)
    page.get_by_role("button", name="Switch to light colours").click()
    assert page.locator(".da-player").get_attribute("data-theme") == "light"
    assert picture(page) != dark


def test_narrow_screens_need_no_sideways_scrolling(new_page: Callable[..., Any], files: dict[str, Path]) -> None:
    page = opened(new_page(viewport={"width": 360, "height": 740}), files["bouncing-ball"])
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for button in page.get_by_role("button").all():
        if button.is_visible():
            box = button.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360


def test_without_webgl_it_says_so_and_draws(
    launch: Callable[..., Any], new_page: Callable[..., Any], files: dict[str, Path]
) -> None:
    page = new_page(launch("--disable-gpu", "--disable-3d-apis"))
    opened(page, files["rolling-disk"])
    assert page.evaluate("player.renderer") == "canvas"
    assert "no WebGL" in page.get_by_role("status").inner_text()
    before = picture(page)
    page.evaluate("player.seek(2)")
    assert picture(page) != before


def test_hostile_texts_are_texts(page: Any, tmp_path: Path) -> None:
    model = da.Model(HOSTILE)
    x = model.coordinate("x", initial=0, speed=1, unit="</style><script>1</script>")
    model.body("ball", mass=1, position=[x, 0, 0])
    model.event("wall", x - 0.5)
    model.simulate(duration=1).animate(tmp_path / "hostile.html")
    opened(page, tmp_path / "hostile.html")
    assert page.title() == HOSTILE
    assert page.locator(".da-title").inner_text() == HOSTILE
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 3


def test_the_page_allows_nothing_but_itself(page: Any, files: dict[str, Path], faults: list[str]) -> None:
    opened(page, files["rolling-disk"])
    answers = page.evaluate(
        """async () => {
            const found = [];
            try { await fetch("http://127.0.0.1:9/"); found.push("fetched"); } catch { found.push("no fetch"); }
            const script = document.createElement("script");
            script.textContent = "globalThis.ran = true";
            document.body.appendChild(script);
            found.push(globalThis.ran ? "ran" : "no script");
            return found;
        }"""
    )
    assert answers == ["no fetch", "no script"]
    assert faults
    faults.clear()  # the browser told of both refusals


def test_a_notebook_plays_it_in_a_frame(page: Any, tmp_path: Path) -> None:
    shown = da.gallery("bouncing-ball").simulate(samples=60).animate(autoplay=True, height=500)._repr_html_()
    file = tmp_path / "notebook.html"
    file.write_bytes(b"<!doctype html><meta charset='latin-1'><body>" + shown.encode() + b"</body>")
    page.goto(file.as_uri())
    clock = page.frame_locator("iframe").locator(".da-clock")
    clock.wait_for()
    before = clock.inner_text()
    for _ in range(200):
        if clock.inner_text() != before:
            break
        page.wait_for_timeout(50)
    assert clock.inner_text() != before
    assert page.evaluate("document.querySelector('iframe').contentDocument") is None  # nor can it reach out


def test_two_players_on_one_page(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["bouncing-ball"])
    times = page.evaluate(
        """() => {
            const scene = JSON.parse(document.getElementById("scene").textContent);
            const place = document.body.appendChild(document.createElement("div"));
            const ontime = (t) => player.seek(t);
            const other = dalembert.mountPlayer(place, scene, { header: false, plots: false, ontime });
            other.seek(1.25);
            const both = [player.time, other.time, document.querySelectorAll(".da-player").length];
            other.update({ ...scene, title: "another" });
            both.push(other.time);
            other.destroy();
            return [...both, document.querySelectorAll(".da-player").length];
        }"""
    )
    assert times == [1.25, 1.25, 2, 1.25, 1]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.slow) for name in da.gallery.names()]
)
def test_every_model_of_the_gallery_has_a_page(page: Any, name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.html"
    run = da.gallery(name).simulate(dense=True)
    run.animate(file)
    assert file.stat().st_size < 5_000_000
    opened(page, file)
    page.evaluate("t => player.seek(t)", float(run.times[-1] + run.times[0]) / 2)
    assert page.locator(".da-title").inner_text() == da.gallery(name).record.title
    assert len(set(picture(page))) > 20
