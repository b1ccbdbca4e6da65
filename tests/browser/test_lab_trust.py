"""The lab's page keeps values, drafts, undo, names and limits, and shows two runs with one camera."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.collection import text

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser_page import text_of, typed, until, wait_for_motion
from lab_server import running

READY = "body[data-motions]"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    with running("--workers", "2", "--seconds", "8", "--folder", str(folder)) as lab:
        yield replace(lab, folder=folder)


@pytest.fixture
def opened(lab, new_page):
    def at(fragment="", width=1100, height=760):
        page = new_page(viewport={"width": width, "height": height}, accept_downloads=True)
        page.goto(lab.address + fragment)
        page.wait_for_selector(READY, timeout=60_000)
        return page

    return at


def box(page, name):
    return page.locator(f".row:has(#value-{name}) .box")


def set_value(page, name, value):
    field = box(page, name)
    field.fill(str(value))
    wait_for_motion(page, lambda: field.press("Enter"))


def test_a_value_that_follows_a_parameter_is_that_of_the_motion(opened):
    page = opened("#model=disk-off-a-ledge")
    set_value(page, "R", 0.6)
    until(page, "Number(document.querySelector('.row:has(#value-phi-rate) .box').value) < 1")
    assert float(box(page, "phi-rate").input_value()) == pytest.approx(0.4 / 0.6, rel=1e-5)
    assert float(box(page, "z").input_value()) == pytest.approx(0.6)
    found = da.gallery("disk-off-a-ledge").simulate(samples=3, settings={"R": 0.6})
    assert float(box(page, "phi-rate").input_value()) == pytest.approx(found["phi'"][0], rel=1e-5)


def test_a_free_speed_shows_what_was_solved(opened):
    page = opened("#model=rolling-disk")
    found = da.gallery("rolling-disk").simulate(samples=3)
    shown = box(page, "x-rate")
    assert shown.input_value() == ""
    assert float(shown.get_attribute("placeholder").replace("−", "-")) == pytest.approx(found["x'"][0], rel=1e-3)


def test_a_slider_comes_to_round_values_and_back(opened):
    page = opened("#model=chaplygin-sleigh")
    slider = page.locator("#value-m")
    first = box(page, "m").input_value()
    for _ in range(7):
        slider.press("ArrowRight")
    away = float(box(page, "m").input_value())
    step = float(slider.get_attribute("step"))
    assert step in {digit * 10.0**power for digit in (1, 2, 5) for power in range(-6, 3)}
    assert away == pytest.approx(1.3 + 7 * step) and len(box(page, "m").input_value()) < 6
    for _ in range(7):
        slider.press("ArrowLeft")
    assert box(page, "m").input_value() == first == "1.3"


def test_every_slider_of_the_gallery_can_come_back(opened):
    page = opened("#model=simple-pendulum")
    for name in ("whipple-bicycle", "andrews-squeezer", "tippe-top"):
        wait_for_motion(page, lambda name=name: page.evaluate(f"location.hash = '#model={name}'"))
        until(page, "document.querySelectorAll('.row').length > 3")
        far = page.evaluate(
            """[...document.querySelectorAll('.row')].filter((row) => {
                const [range, box] = row.querySelectorAll('input');
                const own = box.value === '' ? NaN : Number(box.value);
                return Math.abs(Number(range.value) - own) > Number(range.step) / 2 + 1e-9;
            }).length"""
        )
        assert far == 0, name


def test_a_link_that_is_entered_is_not_written_over(lab, new_page):
    """The address is written a moment after a change, perhaps just when another link is entered."""
    page = new_page(viewport={"width": 1100, "height": 760})
    page.add_init_script(
        """window.held = []; const later = window.setTimeout; window.setTimeout = (run, wait, ...given) =>
            (wait === 150 ? window.held.push(run) : later(run, wait, ...given));"""
    )
    page.goto(lab.address + "#model=simple-pendulum")
    page.wait_for_selector(READY, timeout=60_000)
    assert page.evaluate("held.length") > 0
    link = "location.hash = '#model=bouncing-ball'; held.splice(0).forEach((run) => run());"
    wait_for_motion(page, lambda: page.evaluate(link))
    assert "bounces" in page.inner_text("h1")


def test_numbers_fit_into_their_boxes(opened):
    page = opened("#model=tippe-top")
    field = box(page, "a")
    assert field.input_value() == "0.0045"
    assert field.evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_what_two_runs_differ_in_is_listed(opened):
    page = opened("#model=double-pendulum")
    page.click("#second")
    page.wait_for_selector("#difference:not([hidden])")
    page.click("#adjust label:has(input[value='1'])")
    set_value(page, "g", 3.7)
    assert "g 9.81 and 3.7" in page.inner_text("#differs") and "method" in page.inner_text("#differs")
    page.click("#adjust label:has(input[value='both'])")
    assert "g 9.81 and 3.7" in page.inner_text("#differs")
    assert page.locator(".row:has(#value-g)").get_attribute("class").split().count("differs") == 1
    set_value(page, "g", 5)
    assert "g " not in page.inner_text("#differs")


def test_a_text_with_faults_is_there_again_after_a_reload(opened):
    page = opened("#model=simple-pendulum")
    typed(page, 'mass = "m"', 'mass = "mm" # a thought')
    page.wait_for_selector(".cm-gutterElement.wrong")
    written = text_of(page)
    page.reload()
    page.wait_for_selector("#notice:not([hidden])", timeout=60_000)
    assert text_of(page) == written and "has been restored" in page.inner_text("#notice")
    page.wait_for_selector(".cm-gutterElement.wrong")
    typed(page, '"mm"', '"m"')
    page.wait_for_selector(READY, timeout=60_000)


def test_a_draft_outlives_the_server(lab, opened):
    page = opened("#model=simple-pendulum")
    typed(page, "# The coordinate", "# kept, The coordinate")
    until(page, "localStorage.getItem('lab-draft') !== null")
    page.goto(lab.address + "#model=knife-edge")  # a link to another model puts the draft away
    until(page, "document.querySelector('h1').textContent.startsWith('Knife edge')")
    page.click("#tab-files")
    page.locator("#drafts button", has_text="simple-pendulum").click()
    until(page, "editor.text.includes('# kept, The coordinate')")
    page.click("#tab-model")
    typed(page, "# kept, The coordinate", "# kept, The coordinates")
    until(page, "localStorage.getItem('lab-draft')?.includes('coordinates')")
    page.goto(lab.address)  # as a new start prints it: without the rest of the address
    page.wait_for_selector("#notice:not([hidden])", timeout=60_000)
    assert "# kept, The coordinate" in text_of(page)
    page.get_by_role("button", name="Start again").click()
    page.wait_for_selector(READY, timeout=60_000)
    assert page.inner_text("h1") == "Disk rolling on a table"
    page.click("#tab-files")
    page.locator("#drafts button", has_text="simple-pendulum").first.click()  # the newest
    until(page, "editor.text.includes('# kept, The coordinates')")


def test_replacing_asks_and_keeps(opened):
    page = opened("#model=simple-pendulum")
    typed(page, "# The coordinate", "# mine")
    page.wait_for_timeout(400)
    page.click("#new-model")
    page.get_by_role("button", name="Go on editing").click()
    assert "# mine" in text_of(page)
    page.click("#new-model")
    wait_for_motion(page, page.get_by_role("button", name="Replace it").click)
    until(page, "document.querySelector('h1').textContent === 'My model'")
    page.click("#tab-files")
    page.locator("#drafts button", has_text="simple-pendulum").wait_for()
    page.click("#new-model")  # nothing was edited, so the page does not ask
    assert page.locator("dialog.question").count() == 0


def test_a_chosen_model_does_not_wait_for_pictures(opened):
    page = opened("#model=simple-pendulum")
    asked = []
    page.route("**/api/picture/*", lambda route: asked.append(route))  # none is answered
    page.click("#show-gallery")
    page.locator("#cards li").first.wait_for()
    wait_for_motion(page, page.get_by_role("button", name="bouncing-ball").click)
    assert "bounces" in page.inner_text("h1")
    assert len(asked) == 3  # a browser has six connections
    page.click("#show-gallery")
    for one in asked[:]:
        one.continue_()
    until(page, "document.querySelectorAll('canvas[data-drawn]').length === 3")
    for _ in range(600):
        if len(asked) < 6:
            page.wait_for_timeout(50)
    assert len(asked) == 6  # an open gallery goes on with the others


def test_faults_are_in_sight_below_a_notice(opened):
    page = opened("#model=simple-pendulum")
    typed(page, "mass", "mess")
    page.locator("#faults li").first.wait_for()
    ends = "document.getElementById('faults').getBoundingClientRect().bottom <= innerHeight"
    until(page, ends)
    page.reload()
    page.get_by_role("button", name="Go on", exact=True).wait_for()
    page.locator("#faults li").first.wait_for()
    until(page, ends)


def test_undo_goes_over_values_and_models(opened):
    page = opened("#model=simple-pendulum")
    set_value(page, "l", 1.5)
    set_value(page, "m", 2)
    wait_for_motion(page, lambda: page.click("#new-model"))
    until(page, "document.querySelector('h1').textContent === 'My model'")
    page.click("#undo")
    until(page, "document.querySelector('h1').textContent.startsWith('Simple pendulum')")
    until(page, "document.querySelector('.row:has(#value-m) .box').value === '2'")
    page.click("#undo")
    until(page, "document.querySelector('.row:has(#value-m) .box').value === '1'")
    assert box(page, "l").input_value() == "1.5"
    page.evaluate("document.activeElement.blur()")
    wait_for_motion(page, lambda: page.keyboard.press("Control+z"))
    assert box(page, "l").input_value() == "1" and page.locator("#undo").is_disabled()
    wait_for_motion(page, lambda: page.keyboard.press("Control+Shift+z"))
    assert box(page, "l").input_value() == "1.5"


def test_the_template_is_a_model():
    source = (Path(da.__file__).parent / "lab" / "static" / "template.js").read_text(encoding="utf-8")
    from dalembert.model.read import read_text

    record = read_text(source.split("`")[1])
    assert set(record.bodies) == {"cart", "bob"} and da.Model.of(record).simulate(samples=3).status == "finished"


def test_an_empty_editor_is_a_fault_and_no_more(opened):
    page = opened("#model=simple-pendulum")
    page.focus("#text")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    until(page, "document.getElementById('faults').textContent.includes('fault')")
    page.keyboard.type('title = "x"')
    until(page, "document.querySelectorAll('#faults li').length > 0")


def test_downloads_have_the_models_name(opened):
    page = opened("#model=chaplygin-sleigh")
    page.click("#tab-files")
    for kind, ending in {"model": ".toml", "toml": "-set.toml", "tex": "-equations.tex"}.items():
        with page.expect_download(timeout=60_000) as found:
            page.click(f"[data-kind='{kind}']")
        assert found.value.suggested_filename == f"chaplygin-sleigh{ending}"
    with page.expect_download() as found:
        page.get_by_role("button", name="Picture of the stage as PNG").click()
    assert found.value.suggested_filename == "chaplygin-sleigh.png"


def test_at_the_limit_of_time_a_motion_keeps_what_it_has(opened):
    page = opened("#model=double-pendulum")
    page.fill("#until", "1e7")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.status').textContent.startsWith('interrupted')", 60)
    assert "Ended after 8 s, the limit" in page.inner_text(".notes")
    assert page.locator(".run .error").is_hidden()


def test_space_plays_in_the_lab(opened):
    page = opened("#model=double-pendulum")
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.keyboard.press("Space")
    until(page, "document.querySelector('.da-play').dataset.icon === 'pause'")
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("Space")
    until(page, "document.querySelector('.da-play').dataset.icon === 'play'")


def test_two_runs_have_one_eye(opened):
    page = opened("#model=knife-edge")
    page.click("#second")
    page.wait_for_selector("#difference:not([hidden])")
    stages = page.locator(".da-canvas")
    before = [stages.nth(i).screenshot() for i in range(2)]
    area = stages.nth(1).bounding_box()
    page.mouse.move(area["x"] + 100, area["y"] + 100)
    page.mouse.down()
    page.mouse.move(area["x"] + 160, area["y"] + 120, steps=3)
    page.mouse.up()
    page.wait_for_timeout(200)
    after = [stages.nth(i).screenshot() for i in range(2)]
    assert after[0] != before[0] and after[1] != before[1]


def test_a_run_is_laid_over_the_other(opened):
    page = opened("#model=knife-edge")
    page.click("#second")
    page.wait_for_selector("#difference:not([hidden])")
    page.locator(".da-range").first.press("End")
    page.wait_for_timeout(200)
    page.click("#over")
    until(page, "document.querySelector('.da-player').dataset.ghost === 'yes'")
    assert page.locator(".run .stage").nth(1).is_hidden() and page.locator(".run .stage").nth(0).is_visible()
    page.click("#over")
    until(page, "document.querySelector('.da-player').dataset.ghost !== 'yes'")
    assert page.locator(".run .stage").nth(1).is_visible()


def test_another_value_moves_no_camera_and_another_model_does(opened):
    page = opened("#model=rolling-disk")
    ruler = "document.querySelector('.da-over').toDataURL()"  # numbers on the grid, and the scale
    stage = page.locator(".da-canvas").first
    before, small = page.evaluate(ruler), stage.screenshot()
    set_value(page, "R", 1)
    page.wait_for_timeout(200)
    assert page.evaluate(ruler) == before and stage.screenshot() != small
    wait_for_motion(page, lambda: page.evaluate("location.hash = '#model=double-pendulum'"))
    page.wait_for_timeout(200)
    assert page.evaluate(ruler) != before


def test_models_are_found_by_what_they_are_about(opened):
    page = opened()
    page.click("#show-gallery")
    page.wait_for_selector("#cards li")
    page.locator("#tags button", has_text="variable mass").click()
    names = page.locator("#cards li:not([hidden]) .faint").all_inner_texts()
    assert {"rocket", "raindrop", "qiao-sleigh", "leaking-oscillator"} <= set(names) and "rolling-disk" not in names
    page.locator("#tags button", has_text="variable mass").click()
    assert page.locator("#cards li:not([hidden])").count() == len(da.gallery())


def test_values_and_kinds_are_told_by_the_server(lab):
    found = lab.result("motion", {"text": text("disk-off-a-ledge"), "settings": {"R": 0.6}, "samples": 3})
    assert found["values"]["phi'"] == pytest.approx(0.4 / 0.6) and found["values"]["z"] == pytest.approx(0.6)
    page = lab.ask("/", headers=lab.visitor)[1].decode()
    assert "&quot;nc&quot;" in page  # netCDF4 is installed here
    assert np.isfinite(list(found["values"].values())).all() and json.dumps(found["values"])


def test_what_is_not_installed_is_not_offered(monkeypatch):
    from dalembert.lab import pages

    monkeypatch.setattr(pages, "find_spec", lambda name: None)
    assert {"nc", "parquet"}.isdisjoint(pages.available()) and {"csv", "json", "html"} <= set(pages.available())


def test_equations_are_copied_as_latex(lab, browser, faults):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(lab.address + "#model=simple-pendulum")
    page.wait_for_selector(READY, timeout=60_000)
    page.click("#tab-equations")
    page.get_by_role("button", name="Copy LaTeX").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").rstrip().endswith(r"\end{document}")
    context.close()


def test_letters_go_to_the_cursor_though_the_browsers_caret_lags(opened):
    page = opened("#model=simple-pendulum")
    page.evaluate(
        """document.addEventListener('beforeinput', () => {
            const { node } = editor.view.domAtPos(editor.text.indexOf('title'));
            getSelection().collapse(node, 0); // as on a busy machine: the caret is not where the editor put it
        }, true)"""
    )
    typed(page, 'mass = "m"', 'mass = "m*2')
    assert 'mass = "m*2"' in text_of(page)
    page.evaluate("editor.view.dispatch({ selection: { anchor: editor.text.indexOf('title') } })")
    page.keyboard.type("# a")
    assert text_of(page).startswith("# atitle")
    page.keyboard.press("Control+z")
    assert text_of(page).startswith("title")


def test_words_are_offered_and_lines_explained(opened):
    page = opened("#model=simple-pendulum")
    offered = page.locator(".cm-tooltip-autocomplete li")
    typed(page, 'mass = "m"', 'mass = "m*sq')
    offered.filter(has_text="sqrt").wait_for()
    assert page.locator(".cm-completionLabel").all_inner_texts() == ["sqrt"]
    until(page, "document.querySelector('#faults').dataset.some === 'yes'")  # a fault is shown, and the list stays
    assert offered.first.is_visible()
    assert page.locator(".cm-completionDetail").all_inner_texts() == ["sqrt(x), the square root"]
    page.keyboard.press("Enter")
    until(page, """editor.text.includes('mass = "m*sqrt')""")
    assert "sqrt(x), the square root" in page.inner_text("#editor-hint")
    offered.first.wait_for(state="detached")
    typed(page, 'mass = "m*sqrt', 'mass = "')
    page.keyboard.press("Control+Space")
    offered.filter(has_text="theta").wait_for()  # until then the list is that of an earlier place
    assert {"m", "l", "g", "theta", "bob"} <= set(page.locator(".cm-completionLabel").all_inner_texts())
    page.keyboard.press("Escape")
    offered.first.wait_for(state="detached")
    for word, line in (
        ("title", "title: a text"),
        ("[parameters]", "[parameters]: name = value"),
        ('sin(theta)"', "sin(x), x in radians"),
        ("mass =", "mass: an"),
        ("l*sin", "l = 1 m"),
        ("ball =", "ball: radius"),
    ):
        assert any(said.startswith(line) for said in hovered(page, word)), word


def test_who_types_sees_the_line_though_faults_are_listed(opened):
    page = opened("#model=whipple-bicycle")
    page.evaluate("editor.view.focus(); editor.view.dispatch({ selection: { anchor: editor.text.length } })")
    page.keyboard.type("\n[bod")
    page.locator(".cm-tooltip-autocomplete li").filter(has_text="bodies").wait_for()
    until(page, "document.querySelector('#faults').dataset.some === 'yes'")
    until(
        page,
        """(({ view }) => { const { top, bottom } = view.scrollDOM.getBoundingClientRect();
            const line = view.coordsAtPos(view.state.selection.main.head);
            return line && line.top >= top && line.bottom <= bottom; })(editor)""",
        5,
    )


def hovered(page, word):
    """The lines that appear when the mouse rests on the first letter of a word."""
    page.mouse.move(2, 2)
    page.locator(".told").wait_for(state="detached")
    page.evaluate(
        "word => editor.view.dispatch({ selection: { anchor: editor.text.indexOf(word) }, scrollIntoView: true })", word
    )
    page.wait_for_timeout(50)
    place = page.evaluate(
        "word => { const r = editor.view.coordsAtPos(editor.text.indexOf(word)); return [r.left, r.top]; }", word
    )
    page.mouse.move(place[0] + 3, place[1] + 6)
    page.mouse.move(place[0] + 4, place[1] + 7)
    page.wait_for_selector(".told")
    return page.locator(".told p").all_inner_texts()
