"""A page that computes: its sliders simulate in the browser, with the numbers of this machine."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.api.motion import simulate_from
from dalembert.motions.browser import engine_module
from dalembert.prepared import prepared

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser_page import until, wait_for_motion

pytestmark = pytest.mark.skipif(engine_module() is None, reason="the engine was built without ziglang")
SAME = 1e-9
NAMES = ("rolling-disk", "whipple-bicycle", "bouncing-ball", "double-pendulum")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name in NAMES:
        da.gallery(name).simulate().animate(folder / f"{name}.html", renderer="canvas")  # software is slow at WebGL
    return {name: folder / f"{name}.html" for name in NAMES}


def opened(page: Any, file: Path) -> Any:
    page.goto(file.as_uri())
    until(page, "Boolean(globalThis.computing)")
    return page


def slide(page: Any, label: str, value: float) -> None:
    slider = page.get_by_role("slider", name=label, exact=True)
    slider.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input', { bubbles: true })); }", value)
    until(page, "!computing.busy")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("rolling-disk", {"R": 0.3, "lean": 0.5}),
        ("whipple-bicycle", {"v": 4.0, "phi": 0.05}),
        ("bouncing-ball", {"e": 0.5}),
    ],
)
def test_the_same_motion_as_here(page: Any, files: dict[str, Path], name: str, settings: dict[str, float]) -> None:
    """At the usual tolerance, with the parameters open here too, as a page has them and the server of the lab."""
    opened(page, files[name])
    page.evaluate("settings => computing.set(settings)", settings)
    found = page.evaluate(
        """(() => { const { times, states, events } = computing.last.motion;
            return { times: [...times], states: [...states], events: events.map((e) => e.time) }; })()"""
    )
    here = simulate_from(prepared(da.gallery(name).record).at(settings), at=found["times"])
    right = np.column_stack([*here.coordinates.values(), *here.speeds.values()])
    states = np.array(found["states"]).reshape(right.shape)
    assert (np.abs(states - right).max(axis=0) <= SAME * (1 + np.abs(right).max(axis=0))).all()
    assert np.allclose(found["events"], [event.time for event in here.events], rtol=0, atol=SAME)


@pytest.mark.parametrize(("name", "most"), [("rolling-disk", 200), ("whipple-bicycle", 80)])
def test_a_slider_is_followed_by_one_short_motion(page: Any, files: dict[str, Path], name: str, most: int) -> None:
    """Counts motions and their steps, which take the time. `benchmarks/pages.py` measures the time itself."""
    opened(page, files[name])
    found = page.evaluate(
        """(async () => { const own = computing.told.controls[0]; const { model } = computing; const found = [];
            let motions = 0;
            const follow = model.motion.bind(model);
            model.motion = (...asked) => { motions += 1; return follow(...asked); };
            for (const factor of [0.9, 1.1, 1.1, 0.95]) {
              motions = 0;
              await computing.set({ [own.name]: own.value * factor });
              found.push([motions, computing.last.motion.steps]);
            }
            delete model.motion;
            return found; })()"""
    )
    assert all(motions <= 2 and 0 < steps <= most for motions, steps in found), found
    assert found[-1][0] == 1, found  # a second one only if the first shows that there were too few instants


def test_a_drag_draws_once_and_leaves_the_page_as_it_is(page: Any, files: dict[str, Path]) -> None:
    """What a new motion costs beside itself is counted: pictures, meshes, nodes of the page."""
    for name, setting, meshes in (("whipple-bicycle", "phi'", 0), ("bouncing-ball", "e", 0), ("rolling-disk", "R", 1)):
        opened(page, files[name])
        found = page.evaluate(
            """(async (name) => {
                const own = computing.told.controls.find((one) => one.name === name);
                await computing.set({ [name]: own.value * 0.97 });
                const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
                for (let i = 0; i < 3; i++) await frame(); // the page has its size, which draws once more
                const counted = { pictures: 0, meshes: 0, nodes: 0 };
                const { view, root } = player.inside;
                const [draw, mesh] = [view.draw.bind(view), dalembert.mesh];
                view.draw = (...given) => { counted.pictures += 1; draw(...given); };
                dalembert.mesh = (...given) => { counted.meshes += 1; return mesh(...given); };
                const added = (list) => list.reduce((sum, { addedNodes }) => sum + addedNodes.length, 0);
                const watch = new MutationObserver((list) => { counted.nodes += added(list); });
                watch.observe(root, { childList: true, subtree: true });
                await computing.set({ [name]: own.value * 0.95 });
                await new Promise((resolve) => setTimeout(resolve));
                watch.disconnect();
                dalembert.mesh = mesh;
                return counted; })"""
            f"({setting!r})"
        )
        assert found["pictures"] == 1 and found["meshes"] == meshes, (name, found)
        assert found["nodes"] < 120, (name, found)  # marks of three plots, events, and numbers that are told


def test_sizes_follow_their_parameters(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["rolling-disk"])
    size = "player.inside.scene.bodies[0].shapes[0].sizes[0]"
    assert page.evaluate(size) == 0.5
    slide(page, "R", 0.8)
    assert page.evaluate(size) == pytest.approx(0.8)
    assert "Computed on this page" in page.locator(".da-lab [role=status]").inner_text()
    page.get_by_role("button", name="R as in the model").click()
    until(page, "!computing.busy")
    assert page.evaluate(size) == 0.5
    assert page.evaluate("computing.settings") == {}


def test_the_scene_is_the_one_that_python_makes(page: Any, files: dict[str, Path]) -> None:
    """Without a setting: places, attitudes, arrows, contacts, plots."""
    for name in NAMES:
        opened(page, files[name])
        page.evaluate("computing.set({})")
        off = page.evaluate(
            """(() => { const [a, b] = [computing.base, computing.last.scene]; const found = {};
            const far = (x, y, key) => x.forEach((e, i) => {
              for (let j = 0; j < e.length; j++) found[key] = Math.max(found[key] ?? 0, Math.abs(e[j] - y[i][j])); });
            const whole = (s) => s.bodies.length + s.drawings.length + s.links.length + s.points.length + s.contacts.length;
            found.count = whole(a) - whole(b);
            for (let k = 1; k < 20; k++) {
              const t = a.start + ((a.end - a.start) * (k + 0.37)) / 21;
              const [one, two] = [dalembert.moment(a, t), dalembert.moment(b, t)];
              far(one.bodies.map((e) => e.position), two.bodies.map((e) => e.position), "bodies");
              const turned = (e) => { const q = e.rotation; return [q[0] * q[1], q[1] * q[2], q[2] * q[0], q[3] * q[0], q[3] * q[3]]; };
              far(one.bodies.map(turned), two.bodies.map(turned), "attitudes");
              far(one.drawings.map((e) => e.position), two.drawings.map((e) => e.position), "drawings");
              far(one.points, two.points, "points");
              far(one.links.flat(), two.links.flat(), "links");
              far(one.contacts.map((e) => e.place), two.contacts.map((e) => e.place), "contacts");
              for (const arrow of b.arrows) {
                const i = a.arrows.findIndex((e) => e.name === arrow.name && e.body === arrow.body);
                const [m, n] = [one.arrows[i], two.arrows[b.arrows.indexOf(arrow)]];
                far([m.place], [n.place], "arrows");
                const size = 1 + Math.hypot(...m.vector);
                far([m.vector.map((e) => e / size)], [n.vector.map((e) => e / size)], "forces");
              }
              a.panels.forEach((panel, p) => panel.lines.forEach((line, l) => {
                const size = 1 + Math.abs(dalembert.valueAt(line, t));
                if (panel.key !== "reactions") far([[dalembert.valueAt(line, t) / size]], [[dalembert.valueAt(b.panels[p].lines[l], t) / size]], "plots");
              }));
            } return found; })()"""  # noqa: E501
        )
        size = page.evaluate("computing.base.outlook.size")
        assert off.pop("count") == 0, name
        for key, value in off.items():
            assert value <= 0.02 * (size if key not in ("attitudes", "forces", "plots") else 1.0), (name, key, value)


MOVING = """
[parameters]
k = 4
[coordinates]
x = { initial = 0.3, speed = 0.2 }
[bodies.slider]
mass = 1
position = ["x", 0, 0]
shapes = [{ box = 0.3 }, { cylinder = [0.05, "0.3 + x'/4"], at = [0, "x/3", 0.2] }]
[forces]
spring = { body = "slider", force = ["-k*x", 0, 0] }
[simulation]
duration = 2
"""


def test_what_moves_in_its_body_moves_on_the_page(page: Any, tmp_path: Path) -> None:
    (tmp_path / "moving.toml").write_text(MOVING)
    da.load(tmp_path / "moving.toml").simulate().animate(tmp_path / "moving.html", renderer="canvas")
    opened(page, tmp_path / "moving.html")
    seen = "[...dalembert.moment(player.inside.scene, 1).bodies[0].growth[1]]"
    here = page.evaluate(seen)
    assert page.evaluate("computing.set({}).then(() => player.seek(1))") is None
    assert page.evaluate(seen) == pytest.approx(here, abs=1e-3) and len(here) == 6 and abs(here[4]) > 0.02
    slide(page, "k", 9)
    assert page.evaluate(seen) != pytest.approx(here, abs=1e-2)


def test_a_sweep_moves_by_itself(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["double-pendulum"])
    name = page.evaluate("computing.told.controls[0].name")
    page.get_by_role("button", name=f"Sweep {name} to and fro").click()
    until(page, f"Math.abs(computing.settings[{name!r}] - computing.told.controls[0].value) > 0.05")
    page.get_by_role("button", name=f"Stop sweeping {name}").click()
    page.wait_for_timeout(100)
    until(page, "!computing.busy")
    stopped = page.evaluate("computing.settings")
    page.wait_for_timeout(200)
    assert page.evaluate("computing.settings") == stopped


def test_what_cannot_be_followed_is_said(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["bouncing-ball"])
    page.evaluate("computing.set({ z: -1 })")
    until(page, "!computing.busy")
    assert "a contact overlaps at the start" in page.locator(".da-lab [role=status]").inner_text()
    page.evaluate("computing.set({ z: 0.5 })")
    until(page, "!computing.busy")
    assert "overlaps" not in page.locator(".da-lab [role=status]").inner_text()


def test_a_kink_at_which_a_motion_ends_is_named(page: Any, tmp_path: Path) -> None:
    """Statuses of kinks have the sentences of Python, with the name of the kink."""
    (tmp_path / "ridge.toml").write_text("""
    [coordinates]
    x = { initial = 0.1, unit = "mm" }
    [bodies.ball]
    mass = 1
    position = ["x", 0, 0]
    [forces.ridge]
    generalized = { x = "sign(x)" }
    """)
    da.load(tmp_path / "ridge.toml").simulate().animate(tmp_path / "ridge.html")
    opened(page, tmp_path / "ridge.html")
    page.evaluate("computing.set({ x: 0 })")
    until(page, "!computing.busy")
    said = page.locator(".da-lab [role=status]").inner_text()
    assert "more than one motion is possible from the kink of x" in said and "start next to it" in said
    page.evaluate("computing.set({ x: 2 })")  # plots are in the unit of the model
    until(page, "!computing.busy")
    line = "player.inside.scene.panels.find(({ key }) => key === 'coordinates').lines[0]"
    assert abs(page.evaluate(f"{line}.values[0]") - 2) < 1e-6 and page.evaluate(f"{line}.unit") == "mm"


def test_small_and_allowed_little(files: dict[str, Path]) -> None:
    for file in files.values():
        text = file.read_text()
        assert len(text.encode()) < 2_000_000
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
        assert policy is not None
        words = {part.split()[0]: part.split()[1:] for part in policy[1].split(";")}
        assert words["default-src"] == ["'none'"]
        assert words["script-src"][-1] == "'wasm-unsafe-eval'"
        assert all(word.startswith("'sha256-") for word in [*words["script-src"][:-1], *words["style-src"]])
        assert words.keys() == {"default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}


def test_a_page_that_cannot_compute_says_why(page: Any, tmp_path: Path) -> None:
    file = tmp_path / "heisenberg.html"
    da.gallery("heisenberg").simulate().animate(file)
    page.goto(file.as_uri())
    until(page, "Boolean(globalThis.player)")
    assert "a page cannot start motions of the method vakonomic" in page.locator("footer").inner_text()
    assert "wasm" not in re.search(r'content="([^"]*script-src[^"]*)"', file.read_text())[1]


def test_the_lab_follows_a_slider_by_itself(new_page: Any, lab: Any) -> None:
    """While a slider is dragged the server is not asked. When it rests the server computes the same motion."""
    page = new_page(viewport={"width": 1280, "height": 800})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/api/motion") else None)
    page.goto(lab.address + "#model=rolling-disk")
    page.wait_for_selector("article[data-computes]", timeout=60_000)
    assert len(asked) == 1  # ahead of the scripts, and not again by them
    asked.clear()
    radius = "document.querySelector('.da-player').dataset.computed"
    before = page.get_attribute("body", "data-motions")
    page.evaluate(
        """(async () => { const slider = document.getElementById("value-R");
            for (const value of [0.6, 0.7, 0.8]) {
              slider.value = value;
              slider.dispatchEvent(new Event("input", { bubbles: true }));
              await new Promise((resolve) => setTimeout(resolve, 60));
            } })()"""
    )
    assert not asked
    until(page, f"Boolean({radius})")
    assert "Computed on this page" in page.locator(".status").first.inner_text() or asked
    until(page, f"document.body.dataset.motions !== '{before}'")
    assert len(asked) == 1
    assert "energy changes by" in page.locator(".status").first.inner_text()
    assert page.input_value("#value-R") == "0.8"


def test_the_lab_runs_live_and_bodies_are_put(new_page: Any, lab: Any) -> None:
    """A live motion takes up sliders and asks no server. A body that is put sets the initial values."""
    page = new_page(viewport={"width": 1280, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/api/motion") else None)
    page.goto(lab.address + "#model=double-pendulum")
    live = page.get_by_role("button", name=re.compile("^Live"))
    live.wait_for(timeout=60_000)
    asked.clear()
    live.click()
    told = page.locator(".status").first
    until(page, "/Live at t = 0[.][3-9]/.test(document.querySelector('.status').textContent)")
    page.locator("#value-m1").press("ArrowRight")
    page.wait_for_timeout(500)  # longer than a slider rests before the server is asked
    assert not asked and "Live at t" in told.inner_text()
    page.locator("#value-m1").press("ArrowLeft")
    live.click()
    assert live.get_attribute("aria-pressed") == "false"
    reset = page.get_by_role("button", name="All as in the model")
    wait_for_motion(page, reset.click)
    assert "energy changes by" in told.inner_text()
    before = page.input_value("#value-theta2")
    page.get_by_label("Names").check()
    x, y = page.evaluate(  # a name is written beside its body's centre
        """(() => { const { left, top } = document.querySelector(".da-stage").getBoundingClientRect();
            const { transform } = document.querySelectorAll(".da-name")[1].style;
            const [x, y] = transform.match(/[-\\d.]+(?=px)/g).map(Number);
            return [left + x, top + y]; })()"""
    )
    assert (
        page.get_by_role("button", name=re.compile("^Grab")).get_attribute("aria-pressed") == "true"
    )  # by the live motion
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y + 30, steps=3)
    wait_for_motion(page, page.mouse.up)  # the server computes from there when the hand rests
    assert page.input_value("#value-theta2") != before
    page.get_by_role("button", name="Undo").click()
    until(page, f"document.getElementById('value-theta2').value === '{before}'")
    page.locator("#second").click()
    live.wait_for(state="hidden")  # two runs have one time


def centre(page: Any, which: int = -1) -> list[float]:
    """The place of a body's centre on the screen."""
    return page.evaluate(
        """which => { const own = player.inside; const { left, top } = own.canvas.getBoundingClientRect();
            const { project } = own.camera.projector(own.view.width, own.view.height);
            const [x, y] = project(dalembert.moment(own.scene, own.time).bodies.at(which).position);
            return [left + x, top + y]; }""",
        which,
    )


def place(page: Any, which: int = -1) -> np.ndarray:
    found = page.evaluate("w => [...dalembert.moment(player.inside.scene, player.time).bodies.at(w).position]", which)
    return np.array(found)


def test_a_live_motion_goes_on_and_can_be_pulled(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["double-pendulum"])
    page.get_by_role("button", name="Live: the motion goes on without an end").click()
    until(page, "computing.live.t > 0.2")
    energy = (
        "((scene) => scene.panels.find((p) => p.key === 'energy').lines.find((l) => l.name === 'total').values.at(-1))"
    )
    before = page.evaluate(f"{energy}(player.inside.scene)")
    page.evaluate("player.setSpeed(0.01)")  # a slow body can be grabbed
    x, y = centre(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y - 90, steps=4)
    until(page, "computing.live.pull?.body === 'lower'")
    seen = "(player.draw(), player.root.querySelector('.da-over').toDataURL())"
    drawn = f"(() => {{ const {{ pull }} = player.inside; const own = {seen}; player.inside.pull = null;"
    assert page.evaluate(f"{drawn} const free = {seen}; player.inside.pull = pull; return own !== free; }})()")
    page.evaluate("player.setSpeed(1)")
    there = np.array(page.evaluate("computing.live.pull.place"))
    first = np.linalg.norm(place(page) - there)
    until(page, "computing.live.pull && computing.live.t > 0.6")
    page.evaluate(  # every frame is looked at: a busy machine draws few of them
        """there => { window.nearest = Infinity; const own = player.inside; const { flow } = own;
            own.flow = function (...given) { flow.apply(own, given);
              const { position } = dalembert.moment(own.scene, own.time).bodies.at(-1);
              window.nearest = Math.min(window.nearest, Math.hypot(...there.map((e, k) => e - position[k]))); }; }""",
        there.tolist(),
    )
    until(page, f"window.nearest < {0.7 * first}")
    page.mouse.up()
    until(page, "computing.live.pull === null")
    assert abs(page.evaluate(f"{energy}(player.inside.scene)") - before) > 0.1  # the pull did work
    page.get_by_role("button", name="Live: the motion goes on without an end").click()
    assert not page.evaluate("computing.live.going")
    time = page.evaluate("player.time")
    page.wait_for_timeout(150)
    assert page.evaluate("player.time") == time


def test_a_live_motion_goes_on_when_the_canvas_replaces_webgl(new_page: Any, graphics: Any, tmp_path: Path) -> None:
    """The renderer does not tell its name, and is found to be slow while a body is pulled."""
    page = new_page(graphics, viewport={"width": 1280, "height": 800})
    file = tmp_path / "disk.html"
    da.gallery("rolling-disk").simulate().animate(file)
    page.add_init_script(
        """(({ prototype }) => { const own = prototype.getExtension; prototype.getExtension = function (name) {
            return name === 'WEBGL_debug_renderer_info' ? null : own.call(this, name); }; })(WebGL2RenderingContext);
            performance.now = () => 0;  // no frame is found to be slow but those below"""
    )
    opened(page, file)
    assert page.evaluate("player.renderer") == "webgl"
    page.evaluate("player.inside.paced = true")
    page.get_by_role("button", name="Live: the motion goes on without an end").click()
    until(page, "computing.live.t > 0.02")
    page.evaluate("player.setSpeed(0.01)")
    x, y = centre(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y - 20, steps=2)
    until(page, "computing.live.pull?.body === 'disk'")
    page.evaluate("player.inside.paced = false; for (let k = 0; k < 5; k++) player.inside.pace(250)")
    assert page.evaluate("[player.renderer, player.root.querySelectorAll('.da-canvas').length]") == ["canvas", 1]
    page.mouse.move(x + 60, y - 40, steps=2)
    until(  # the hand still holds it
        page,
        f"""(([x, y]) => {{ const own = player.inside; const {{ left, top }} = own.canvas.getBoundingClientRect();
            const [px, py] = own.camera.projector(own.view.width, own.view.height).project(own.pull.place);
            return Math.hypot(left + px - x, top + py - y) < 3; }})([{x + 60}, {y - 40}])""",
    )
    page.mouse.up()
    assert page.evaluate("computing.live.pull") is None
    page.evaluate("player.setSpeed(1)")
    time = page.evaluate("computing.live.t")
    until(page, f"computing.live.t > {time} + 0.3 && player.time === computing.live.t")
    x, y = centre(page)
    page.mouse.move(x, y)
    page.mouse.down()  # bodies can be grabbed on the new canvas
    until(page, "computing.live.pull?.body === 'disk'")
    page.mouse.up()
    slide(page, "R", 0.25)  # a value acts on the live motion, and so does its size
    until(page, "Math.abs(player.inside.view.parts[0].shape.sizes[0] - 0.25) < 1e-9")
    assert page.evaluate("computing.live.going")


def test_a_hand_at_rest_on_the_screen_does_not_stop_what_the_view_follows(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["whipple-bicycle"])
    page.evaluate("player.seek(4)")  # it runs straight on by then
    page.get_by_role("button", name="Live: the motion goes on without an end").click()
    until(page, "computing.live.t > 4.1")
    x, y = centre(page, 0)
    page.mouse.move(x, y)
    page.mouse.down()
    until(page, "computing.live.pull?.rate")
    held = page.evaluate("computing.live.t")
    until(page, f"computing.live.t > {held} + 0.5")
    assert page.evaluate("computing.live.pull.body") == "rear_wheel"
    assert page.evaluate("Math.hypot(...computing.live.pull.rate)") == pytest.approx(5.0, rel=0.05)
    speed = page.evaluate("Math.hypot(...computing.live.y.slice(computing.model.n, computing.model.n + 2))")
    assert speed == pytest.approx(5.0, rel=0.05)  # m/s
    page.mouse.up()


def test_a_push(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["double-pendulum"])
    page.evaluate("""() => {  // a push is short: what is set is counted, since to look now and then may miss it
        let pull = null;
        window.pulls = 0;
        const set = (value) => { window.pulls += value !== null; pull = value; };
        Object.defineProperty(player.inside, "pull", { get: () => pull, set });
    }""")
    page.get_by_role("button", name=re.compile("^Push")).click()
    until(page, "window.pulls > 0")
    until(page, "computing.live.going && computing.live.pull === null && computing.live.t > 0.1")


def test_a_body_is_put_where_it_starts(page: Any, files: dict[str, Path]) -> None:
    opened(page, files["double-pendulum"])
    page.get_by_role("button", name=re.compile("^Grab")).click()
    start = place(page)
    x, y = centre(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y + 30, steps=3)
    page.mouse.up()
    until(page, "!computing.busy && Object.keys(computing.settings).length > 0")
    assert set(page.evaluate("computing.settings")) <= {"theta1", "theta2"}
    page.evaluate("player.seek(0)")
    moved = centre(page)
    assert np.hypot(moved[0] - (x - 40), moved[1] - (y + 30)) < 4
    assert np.linalg.norm(place(page) - start) > 0.02
    page.mouse.move(40, 300)  # away from all bodies, dragging turns the picture as before


def test_the_stage_stays_in_sight(new_page: Any, files: dict[str, Path]) -> None:
    """On a phone: the picture stays visible when a slider far below moves, and nothing is wider than the screen.

    Speeds that follow from the constraints are shown from the first picture on.
    """
    page = opened(new_page(viewport={"width": 390, "height": 800}), files["rolling-disk"])
    speed = page.evaluate('computing.sliders.rows.get("x\'").range.value')
    assert abs(float(speed) - da.gallery("rolling-disk").solve().speeds["x"]) < 0.02
    last = page.get_by_role("slider", name="roll'", exact=True)
    last.scroll_into_view_if_needed()
    stage, slider = page.locator(".da-stage").bounding_box(), last.bounding_box()
    assert 0 <= stage["y"] < 20
    assert stage["y"] + stage["height"] <= slider["y"] + slider["height"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    cut = "[...document.querySelectorAll('.da-number')].filter((box) => box.scrollWidth > box.clientWidth).length"
    page.evaluate(
        """computing.sliders.show({ R: -0.0617139213, m: 0.0105225, "roll'": -1234567.891, lean: 1.5e-7 }, {})"""
    )
    assert page.get_by_role("spinbutton", name="R, as a number").input_value() == "-0.061714"
    assert page.evaluate(cut) == 0
