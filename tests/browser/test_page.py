"""The animated page in a real browser: it plays, its controls work, it fetches nothing, it executes no model text."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser_page import until

SAMPLE = ("bouncing-ball", "heisenberg", "car-axis")
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


def opened(page: Any, file: Path) -> Any:
    page.goto(file.as_uri())
    until(page, "globalThis.player?.root.querySelector('canvas').width > 100")
    return page


def picture(page: Any) -> bytes:
    return page.locator(".da-canvas").screenshot()


def test_it_plays_and_pauses(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
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
    assert "impact" in page.locator(".da-spoken[aria-live]").inner_text()
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
    before = picture(page)
    for label in ("Reactions", "Trails", "Contacts", "Grid"):
        page.get_by_label(label, exact=True).uncheck()
        after = picture(page)
        assert after != before, label
        before = after


@pytest.mark.parametrize("renderer", ["webgl", "canvas"])
def test_a_couple_is_drawn_and_told_in_the_legend(
    new_page: Callable[..., Any], browser: Any, graphics: Any, tmp_path: Path, renderer: str
) -> None:
    page = new_page(graphics if renderer == "webgl" else browser)
    file = tmp_path / "suslov.html"
    da.gallery("suslov").simulate(until=1, dense=True).animate(file, renderer=renderer)
    opened(page, file)
    page.wait_for_timeout(200)
    assert page.evaluate("player.renderer") == renderer  # one that is asked for stays
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
    assert "no WebGL" in page.locator(".da-message").inner_text()
    before = picture(page)
    page.evaluate("player.seek(2)")
    assert picture(page) != before


def test_software_webgl_gives_way_to_the_canvas(page: Any, files: dict[str, Path]) -> None:
    """The tests' browser draws WebGL by software. The page sees its name, and uses the canvas at once."""
    opened(page, files["rolling-disk"])
    assert page.evaluate("[player.renderer, player.root.dataset.frame]") == ["canvas", None]
    assert page.locator(".da-message").is_hidden()


def test_webgl_has_the_colours_of_the_canvas_and_the_grid_behind(
    new_page: Callable[..., Any], graphics: Any, tmp_path: Path
) -> None:
    """The ledge of a disk is one surface towards the eye: one colour, with a grid or without, as bright on both."""
    model = da.gallery("disk-off-a-ledge")
    model.simulate().animate(tmp_path / "ledge.html", renderer="webgl")
    page = opened(new_page(graphics, viewport={"width": 900, "height": 700}), tmp_path / "ledge.html")
    inside = """(renderer, ground) => { const own = player.inside; own.show.ground = ground;
        if (renderer === "canvas") own.simpler();
        own.picture();
        const { project } = own.camera.projector(own.view.width, own.view.height);
        const ratio = own.canvas.width / own.view.width;
        const [[x, y], [right, low]] = [[-0.95, 0, -0.08], [-0.1, 0, -0.55]]
          .map((p) => project(p).map((e) => Math.round(e * ratio)));
        const sheet = document.createElement("canvas"); [sheet.width, sheet.height] = [right - x, low - y];
        const pen = sheet.getContext("2d"); pen.drawImage(own.canvas, -x, -y);
        const { data } = pen.getImageData(0, 0, sheet.width, sheet.height);
        return [0, 1, 2].map((k) => data.filter((_, i) => i % 4 === k))
          .map((found) => [found.reduce((a, b) => Math.min(a, b)), found.reduce((a, b) => Math.max(a, b))]); }"""
    bare, gridded = (page.evaluate(f"({inside})('webgl', {ground})") for ground in ("false", "true"))
    assert bare == gridded
    assert all(high - low <= 2 for low, high in bare)
    plain = page.evaluate(f"({inside})('canvas', true)")
    assert all(abs(one[0] - other[0]) < 24 for one, other in zip(bare, plain, strict=True)), (bare, plain)


def test_slow_webgl_gives_way_to_the_canvas(page: Any, files: dict[str, Path]) -> None:
    """The renderer does not tell its name. The page measures its first frames."""
    page.add_init_script(
        """(({ prototype }) => { const own = prototype.getExtension; prototype.getExtension = function (name) {
            return name === 'WEBGL_debug_renderer_info' ? null : own.call(this, name); }; })(WebGL2RenderingContext)"""
    )
    opened(page, files["rolling-disk"])
    until(page, "player.root.dataset.frame !== undefined")
    page.wait_for_timeout(100)
    took = float(page.evaluate("player.root.dataset.frame"))
    assert page.evaluate("player.renderer") == ("canvas" if took > 25 else "webgl")
    page.evaluate("for (let k = 0; k < 5; k++) player.inside.pace(250)")  # slow frames
    assert page.evaluate("player.renderer") == "canvas"
    assert page.locator(".da-canvas").count() == 1
    before = picture(page)
    page.evaluate("player.seek(2)")
    assert picture(page) != before
    assert page.locator(".da-canvas").get_attribute("aria-label") == "Picture of the motion of Disk rolling on a table"


def another(name: str, **settings: float) -> str:
    from dalembert.view.scene import scene

    model = da.gallery(name).changed(settings)
    return json.dumps(scene(model.simulate(dense=True), model.record))


def camera(page: Any) -> Any:
    return page.evaluate("(c => [c.turn, c.level, c.zoom, c.shift, [...c.middle]])(player.camera)")


def test_the_eye_stays_when_a_value_changes_and_the_disk_grows(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    before = camera(page)
    widths = []
    for R in (0.5, 1.0):
        page.evaluate("scene => player.update(JSON.parse(scene))", another("rolling-disk", R=R))
        assert camera(page) == before
        widths.append(page.evaluate("player.camera.frame(800, 500).distance"))
    assert widths[0] == widths[1]
    page.evaluate("player.seek(1)")  # the larger disk has left the picture, and a button says so
    page.get_by_role("button", name="The motion has left the picture").click()
    assert page.locator(".da-away").is_hidden()
    assert page.evaluate("player.camera.frame(800, 500).distance") != widths[0]  # now the caller asked for it
    page.evaluate("scene => player.update(JSON.parse(scene), { fresh: true })", another("double-pendulum"))
    assert camera(page) != before


def test_views_along_the_axes_and_from_above(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    for name, eye in {
        "along x": [1, 0, 0],
        "along y": [0, 1, 0],
        "along z": [0, 0, 1],
        "from above": [0, 0, 1],
    }.items():
        page.get_by_label("View from").select_option(label=name)
        assert page.evaluate("player.camera.eyeward") == pytest.approx(eye, abs=1e-3)
    right = page.evaluate("player.camera.frame(800, 500).right")
    assert right == pytest.approx([1, 0, 0], abs=1e-3)  # x to the right


def test_the_scale_is_as_long_as_it_says(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["bouncing-ball"])
    said = page.evaluate("player.inside.over.said")
    assert said.endswith(" m")
    length = float(said.split()[0])
    found = page.evaluate(
        """length => {
            const { width, height, view } = player.inside.over;
            const { project } = player.camera.projector(width, height);
            const { right } = player.camera.frame(width, height);
            const { target } = player.camera;
            const [a, b] = [target, target.map((v, k) => v + length * right[k])].map(project);
            return [Math.hypot(a[0] - b[0], a[1] - b[1]), length * view.scale];
        }""",
        length,
    )
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    before = page.locator(".da-stage").screenshot()
    page.get_by_label("Ruler", exact=True).uncheck()
    assert page.locator(".da-stage").screenshot() != before


def test_space_plays_wherever_the_focus_is(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    assert page.evaluate("player.playing") and page.evaluate("scrollY") == 0
    page.get_by_role("slider", name="Time").focus()
    page.keyboard.press("Space")
    assert not page.evaluate("player.playing")


def test_signs_of_buttons_need_no_font(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["bouncing-ball"])
    for name in ("Play (space)", "Previous event (P)", "Next event (N)", "Reset the view (R)", "Loop (L)"):
        button = page.get_by_role("button", name=name)
        assert button.inner_text() == ""
        box = button.locator("svg path").bounding_box()
        assert box["width"] > 4 and box["height"] > 4


def test_a_ghost_is_drawn_over_the_motion(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    page.evaluate("player.seek(2)")
    alone = page.locator(".da-stage").screenshot()
    page.evaluate("scene => player.ghost(JSON.parse(scene))", another("rolling-disk", R=0.6))
    assert page.locator(".da-stage").screenshot() != alone
    page.evaluate("player.ghost(null)")
    assert page.locator(".da-stage").screenshot() == alone


def test_the_stage_is_saved_as_a_picture(page: Any, files: dict[str, Path], tmp_path: Path) -> None:
    opened(page, files["rolling-disk"])
    with page.expect_download() as found:
        page.get_by_role("button", name="Picture of the stage as PNG").click()
    assert found.value.suggested_filename == "Disk-rolling-on-a-table.png"
    found.value.save_as(tmp_path / "stage.png")
    assert (tmp_path / "stage.png").read_bytes().startswith(b"\x89PNG")


def test_the_motion_is_filmed(page: Any, files: dict[str, Path], tmp_path: Path) -> None:
    opened(page, files["rolling-disk"])
    page.evaluate("player.setSpeed(10)")
    with page.expect_download() as found:
        page.get_by_role("button", name="Film of the motion as WebM").click()
    found.value.save_as(tmp_path / "film.webm")
    assert (tmp_path / "film.webm").read_bytes().startswith(b"\x1a\x45\xdf\xa3")  # EBML


def test_the_whole_screen(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    full = "document.fullscreenElement === player.root"
    page.get_by_role("button", name="Full screen (F)").click()
    until(page, full)
    page.keyboard.press("f")
    until(page, "document.fullscreenElement === null")


def test_one_finger_scrolls_and_two_turn(new_page: Callable[..., Any], files: dict[str, Path]) -> None:
    page = opened(new_page(viewport={"width": 390, "height": 700}, has_touch=True), files["rolling-disk"])
    assert page.evaluate("getComputedStyle(player.root.querySelector('.da-canvas')).touchAction") == "pan-y"
    hand = page.context.new_cdp_session(page)
    box = page.locator(".da-canvas").bounding_box()

    def moved(fingers: list[tuple[int, int]]) -> bool:
        """Whether fingers that go to the right turn the picture."""
        before = page.evaluate("player.camera.turn")
        for kind, dx in (("touchStart", 0), ("touchMove", 20), ("touchMove", 40), ("touchEnd", 40)):
            points = [{"x": box["x"] + x + dx, "y": box["y"] + y, "id": i} for i, (x, y) in enumerate(fingers)]
            data = {"type": kind, "touchPoints": [] if kind == "touchEnd" else points}
            hand.send("Input.dispatchTouchEvent", data)
        return page.evaluate("player.camera.turn") != before

    assert not moved([(100, 80)])
    assert moved([(100, 80), (160, 100)])


def test_the_mouse_turns_moves_and_zooms(page: Any, files: dict[str, Path]) -> None:
    """By OrbitControls of three.js; the picture on the plain canvas follows, too."""
    opened(page, files["rolling-disk"])
    area = page.locator(".da-canvas").bounding_box()
    x, y = area["x"] + 60, area["y"] + 60

    def dragged(button: str = "left") -> list[bool]:
        """What a drag by 80 pixels to the right changed: turn, level, zoom, shift."""
        before = camera(page)[:4]
        page.mouse.move(x, y)
        page.mouse.down(button=button)
        page.mouse.move(x + 80, y, steps=4)
        page.mouse.up(button=button)
        return [not np.allclose(a, b, atol=1e-9) for a, b in zip(before, camera(page), strict=False)]

    assert dragged() == [True, False, False, False]
    assert dragged("right") == [False, False, False, True]
    page.mouse.wheel(0, 240)
    until(page, "player.camera.zoom > 1.05")
    page.mouse.dblclick(x, y)
    until(page, "player.camera.zoom === 1 && player.camera.turn === 0")


def test_any_quantity_over_any_other(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    page.get_by_role("button", name="x–y: one quantity over another").click()
    portrait = page.locator(".da-portrait")
    assert portrait.locator("svg").get_attribute("aria-label") == "x' over x"
    page.get_by_label("To the right", exact=True).select_option("lean")
    page.get_by_label("Upwards").select_option("lean'")
    path = portrait.locator("path").get_attribute("d")
    assert path.count("L") > 100 and "NaN" not in path
    page.evaluate("player.seek(0)")
    first = portrait.locator("circle").get_attribute("cx")
    assert path.startswith(f"M{float(first):.1f} ")
    page.evaluate("player.seek(2)")
    assert portrait.locator("circle").get_attribute("cx") != first


def test_hostile_texts_are_texts(page: Any, tmp_path: Path) -> None:
    model = da.Model(HOSTILE)
    x = model.coordinate("x", initial=0, speed=1, about="</style><script>1</script>")
    model.body("ball", mass=1, position=[x, 0, 0])
    model.event("wall", x - 0.5)
    model.simulate(duration=1).animate(tmp_path / "hostile.html")
    opened(page, tmp_path / "hostile.html")
    assert page.title() == HOSTILE
    assert page.locator(".da-title").inner_text() == HOSTILE
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 4  # hashes of the page's scripts; the last one is the engine's


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
    faults.clear()  # the browser reported both refusals


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
    assert page.evaluate("document.querySelector('iframe').contentDocument") is None  # it has no access to the outside


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
    "name", [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.slow) for name in da.gallery()]
)
def test_every_model_of_the_gallery_has_a_page(
    new_page: Callable[..., Any], graphics: Any, name: str, tmp_path: Path
) -> None:
    page = new_page(graphics)
    file = tmp_path / f"{name}.html"
    run = da.gallery(name).simulate(dense=True)
    run.animate(file, renderer="webgl")  # other tests draw on the canvas
    assert file.stat().st_size < 5_000_000
    opened(page, file)
    page.evaluate("t => player.seek(t)", float(run.times[-1] + run.times[0]) / 2)
    assert page.locator(".da-title").inner_text() == da.gallery(name).record.title
    assert len(set(picture(page))) > 20


def test_a_poincare_section(page: Any, tmp_path: Path) -> None:
    """Points of the x–y plot where a third quantity rises through zero."""
    motion = da.gallery("double-pendulum").simulate()
    motion.animate(tmp_path / "pendulum.html")
    opened(page, tmp_path / "pendulum.html")
    page.get_by_role("button", name="x–y: one quantity over another").click()
    page.get_by_label("Poincaré section: where this rises through zero").select_option("theta1")
    values = motion["theta1"]
    rises = int(((values[:-1] < 0) & (values[1:] >= 0)).sum())
    assert rises > 2
    assert page.locator(".da-section").count() == rises
    assert f"{rises} points of the section" in page.locator(".da-portrait svg").get_attribute("aria-label")
    page.get_by_label("Poincaré section: where this rises through zero").select_option("")
    assert page.locator(".da-section").count() == 0


def test_equations_are_copied_as_latex(new_page: Callable[..., Any], files: dict[str, Path]) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    opened(page, files["rolling-disk"])
    page.locator("summary").click()
    page.get_by_role("button", name="Copy LaTeX").click()
    until(page, "document.querySelector('.da-spoken').textContent.includes('copied')")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "\\begin" in text
    assert "\\ddot" in text
