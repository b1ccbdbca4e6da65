"""The lab in a real browser: opened, edited, broken, dragged, compared, played, downloaded, linked, by keyboard."""

import io
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import dalembert as da

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser_page import text_of, typed, until, wait_for_motion

READY = "body[data-motions]"


@pytest.fixture
def opened(lab, new_page):
    """The page at a fragment, its first motion on screen."""

    def at(fragment="", width=1000, height=640):
        page = new_page(viewport={"width": width, "height": height}, accept_downloads=True)
        page.goto(lab.address + fragment)
        page.wait_for_selector(READY, timeout=60_000)
        return page

    return at


def work(page, run=0):
    """Derivations and compilations that the worker had made when the motion on screen was computed."""
    return page.evaluate(
        f"(({{derived, compiled}}) => [derived, compiled])(document.querySelectorAll('.status')[{run}].dataset)"
    )


def picture(page, run=0):
    return page.locator(".da-canvas").nth(run).screenshot()


def test_a_model_of_the_gallery_is_opened_by_its_picture(opened):
    page = opened()
    assert page.inner_text("h1") == "Disk rolling on a table"
    page.click("#show-gallery")
    page.fill("#find", "bernoulli double")
    card = page.locator("#cards li:not([hidden])")
    card.first.wait_for()
    until(page, "document.querySelector('#cards li:not([hidden]) canvas').dataset.drawn === 'yes'")
    wait_for_motion(page, card.first.locator("button").click)
    until(page, "document.querySelector('h1').textContent.startsWith('Double pendulum')")
    until(page, "location.hash === '#model=double-pendulum'")


def test_an_edit_moves_the_model(opened):
    page = opened("#model=simple-pendulum")
    before = text_of(page)
    wait_for_motion(page, lambda: typed(page, before.split('"')[1], "Edited"))
    until(page, "document.querySelector('h1').textContent === 'Edited'")
    for _ in "Edited":
        page.keyboard.press("Control+z")
    until(page, f"document.querySelector('h1').textContent === {json.dumps(before.split(chr(34))[1])}")


def test_a_fault_is_shown_at_its_line_and_goes_when_mended(opened):
    page = opened()
    line = text_of(page).split("\n").index('mass = "m"') + 1
    typed(page, 'mass = "m"', 'mass = "mm"')
    wrong = page.wait_for_selector(".cm-gutterElement.wrong")
    assert wrong.inner_text() == str(line)
    assert page.inner_text(".cm-content .fault") == "mm"
    assert f"line {line}" in page.inner_text("#faults") and "did you mean m" in page.inner_text("#faults")
    until(page, "document.getElementById('live').textContent.includes('One fault')")
    assert page.get_attribute("#text", "aria-invalid") == "true"
    page.click("#faults button")
    assert page.evaluate("getSelection().toString()") == "mm"
    page.keyboard.type("m")
    until(page, "document.getElementById('faults').textContent === ''")
    assert page.locator(".cm-gutterElement.wrong").count() == 0


def test_what_is_no_toml_has_its_line_too(opened):
    page = opened("#model=simple-pendulum")
    typed(page, "[coordinates]", "[coordinates")
    page.keyboard.press("Delete")  # the bracket that the editor closed
    line = text_of(page).split("\n").index("[coordinates") + 1
    marked = "[...document.querySelectorAll('.cm-lineNumbers .wrong')].map((one) => one.textContent).join()"
    until(page, f"{marked} === '{line}'")  # on the way there were other faults


def test_a_dragged_slider_moves_the_motion_and_compiles_nothing(opened):
    page = opened("#model=double-pendulum")
    page.evaluate("document.querySelector('.da-range').value = 0.5")
    page.locator(".da-range").first.dispatch_event("input")
    slider = page.locator("#value-m1")
    wait_for_motion(page, lambda: slider.press("ArrowRight"))
    page.wait_for_timeout(200)
    before, counted = picture(page), work(page)
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + box["width"] * (0.5 + 0.05 * step), y)
    page.mouse.up()
    value = float(page.input_value("#value-m1"))
    until(page, "!document.querySelector('#busy').offsetParent")
    until(page, "document.querySelector('.row.changed') !== null")
    page.wait_for_timeout(300)
    assert value > 1.3 and picture(page) != before
    assert work(page) == counted
    page.click("#reset")
    page.wait_for_selector(".row.changed", state="detached")


def test_chetaev_and_vakonomic_side_by_side(opened):
    page = opened("#model=knife-edge")
    page.click("#second")
    page.wait_for_selector("#difference:not([hidden])")
    methods = page.locator(".run select[aria-label^='Method']")
    assert methods.count() == 2 and methods.nth(1).input_value() == "vakonomic"
    wait_for_motion(page, lambda: methods.nth(0).select_option("chetaev"))
    until(page, "/at most \\d/.test(document.getElementById('apart').textContent)")
    found = da.gallery("knife-edge").compare(["chetaev", "vakonomic"], samples=601)
    page.select_option("#quantity", "")
    said = float(page.inner_text("#apart").split()[2].rstrip(",").replace("−", "-"))
    one, two = (found.answers[m].motion for m in ("chetaev", "vakonomic"))
    assert said == pytest.approx(max(np.abs(one[q] - two[q]).max() for q in one.coordinates), rel=6e-3)
    page.locator(".da-range").nth(0).press("End")
    until(page, "new Set([...document.querySelectorAll('.da-clock')].map((c) => c.textContent)).size === 1")


def test_two_sets_of_values_side_by_side(opened):
    page = opened("#model=double-pendulum")
    page.click("#second")
    page.wait_for_selector("#difference:not([hidden])")
    page.locator(".run select[aria-label^='Method']").nth(1).select_option("kane")
    until(page, "/none at all|at most \\d(\\.\\d+)?e−/.test(document.getElementById('apart').textContent)")
    page.click("#adjust label:has(input[value='1'])")
    wait_for_motion(page, lambda: page.locator("#value-g").press("ArrowLeft"))
    until(page, "/at most [^e]*, at/.test(document.getElementById('apart').textContent)")


def test_the_table_of_comparisons(opened):
    page = opened("#model=knife-edge")
    page.click("#tab-compare")
    page.wait_for_selector("table.compare tbody tr", timeout=60_000)
    assert page.locator("table.compare .badge", has_text="reference").count() == 1
    assert page.locator("table.compare tr.apart th", has_text="vakonomic").count() == 1
    page.locator("button[aria-label$='vakonomic side by side']").click()
    page.wait_for_selector("#difference:not([hidden])")


def test_equations_and_their_steps(opened):
    page = opened("#model=chaplygin-sleigh")
    page.click("#tab-equations")
    page.wait_for_selector("#panel-equations math")
    page.select_option("#equations-method", "maggi")
    page.wait_for_selector("#panel-equations .steps details", timeout=60_000)
    assert page.locator("#panel-equations .steps details[open]").count() == 0
    page.click("text=Unfold every step")
    assert page.locator("#panel-equations .steps details:not([open])").count() == 0
    assert page.locator("#panel-equations .steps math").first.bounding_box()["height"] > 5


def test_an_analysis(opened):
    page = opened("#model=simple-pendulum")
    page.click("#tab-analyze")
    page.click("#panel-analyze button.main")
    page.wait_for_selector("#panel-analyze .answer h3", timeout=60_000)


def test_a_root_locus_and_a_sweep(opened):
    """Picture, table and files; a row of the table becomes the motion on screen."""
    page = opened("#model=simple-pendulum")
    page.click("#tab-vary")
    page.get_by_label("over", exact=True).select_option("l")
    page.get_by_label("over: how many values", exact=True).fill("5")
    for study in ("locus", "sweep"):
        page.click(f"#ask-{study}")
        page.wait_for_selector(f"#panel-vary [data-kind='{study}.csv']", timeout=60_000)
        until(page, "document.querySelector('.varied').naturalWidth > 300")
        until(  # the picture is in sight
            page,
            "(([one, panel]) => one.bottom <= Math.min(panel.bottom, innerHeight) + 1 && one.top < one.bottom - 100)"
            "(['.varied', '#panel-vary'].map((one) => document.querySelector(one).getBoundingClientRect()))",
        )
        assert page.locator("#panel-vary tbody tr").count() == 5
        with page.expect_download() as download:
            page.click(f"[data-kind='{study}.csv']")
        assert download.value.suggested_filename == f"simple-pendulum-{study}.csv"
        assert len(Path(download.value.path()).read_text().splitlines()) == 6
    wait_for_motion(page, page.get_by_role("button", name="Show the motion at l = 2").click)
    assert float(page.input_value("[aria-label='l, as a number']")) == 2


def test_the_motion_plays(opened):
    page = opened("#model=double-pendulum")
    still = [picture(page), picture(page)]
    assert still[0] == still[1]
    page.click(".da-play")
    page.wait_for_timeout(400)
    assert picture(page) != still[0]
    page.click(".da-play")
    page.wait_for_timeout(100)
    assert picture(page) == picture(page)


def test_every_file_is_downloaded_and_used_again(opened, new_page, tmp_path):
    page = opened("#model=chaplygin-sleigh")
    wait_for_motion(page, lambda: page.locator("#value-m").press("End"))
    page.click("#tab-files")
    page.fill("#samples", "21")
    files = {}
    for kind in (
        "model",
        "toml",
        "csv",
        "json",
        "nc",
        "parquet",
        "png",
        "svg",
        "html",
        "tex",
        "steps.tex",
        "steps.html",
    ):
        with page.expect_download(timeout=60_000) as found:
            page.click(f"[data-kind='{kind}']")
        path = tmp_path / found.value.suggested_filename
        found.value.save_as(path)
        files[kind] = path
    assert da.load(files["model"]).record == da.gallery("chaplygin-sleigh").record
    motion = da.load(files["toml"]).simulate(samples=21)
    table = np.genfromtxt(files["csv"], delimiter=",", names=True, deletechars="", replace_space=" ")
    np.testing.assert_allclose(table["theta"], motion["theta"], rtol=1e-7)
    assert len(json.loads(files["json"].read_text())["times"]) == 21
    import xarray
    from pyarrow import parquet

    np.testing.assert_allclose(xarray.load_dataset(files["nc"])["theta"], motion["theta"], rtol=1e-7)
    np.testing.assert_allclose(parquet.read_table(files["parquet"])["theta"].to_numpy(), motion["theta"], rtol=1e-7)
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(io.BytesIO(files["svg"].read_bytes())).getroot().tag.endswith("svg")
    for kind in ("tex", "steps.tex"):
        assert files[kind].read_text().rstrip().endswith(r"\end{document}")
    other = new_page()
    other.goto(files["html"].as_uri())
    other.wait_for_selector(".da-canvas")
    other.goto(files["steps.html"].as_uri())
    other.wait_for_selector("math")
    wait_for_motion(page, lambda: page.set_input_files("#pick", files["toml"]))
    until(page, "Number(document.getElementById('value-m').value) > 2")
    assert page.locator(".row.changed").count() == 0  # the set values are now the model's


def test_the_folder_keeps_models(opened, lab, faults):
    page = opened("#model=simple-pendulum")
    page.click("#tab-files")
    page.fill("#save-name", "mine")
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator(".names button", has_text="mine.toml").wait_for()
    assert (lab.folder / "mine.toml").read_text() == text_of(page)
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator("#panel-files .error", has_text="exists already").wait_for()
    (lab.folder / "mine.toml").write_text(da.gallery.text("double-pendulum"))
    wait_for_motion(page, lambda: page.click(".names button"))
    until(page, "document.querySelector('h1').textContent.startsWith('Double pendulum')")
    faults[:] = [fault for fault in faults if "409" not in fault]  # the browser's own message about the refusal


def test_a_link_reproduces_the_screen(opened, new_page, lab):
    page = opened("#model=knife-edge")
    page.click("#second")
    page.wait_for_selector("#difference:not([hidden])")
    wait_for_motion(page, lambda: page.locator("#value-J").press("ArrowRight"))
    page.fill("#until", "1.5")
    wait_for_motion(page, lambda: page.keyboard.press("Enter"))
    typed(page, "# ", "# edited, ")
    page.click("#tab-equations")
    page.wait_for_selector("#panel-equations math", timeout=30_000)
    until(page, "location.hash.startsWith('#s=')")
    page.wait_for_timeout(600)
    address = page.url
    text, value = text_of(page), page.input_value("#value-J")
    other = new_page()
    other.goto(lab.address + address[address.index("#") :])
    other.wait_for_selector("#difference:not([hidden])", timeout=30_000)
    assert text_of(other) == text and "edited" in text
    assert other.input_value("#value-J") == value and other.input_value("#until") == "1.5"
    assert other.get_attribute("#tab-equations", "aria-selected") == "true"
    assert other.locator(".run").count() == 2
    assert other.inner_text("#apart") == page.inner_text("#apart")


MORE = [pytest.param(link, marks=pytest.mark.slow) for link in ("#s=!!", "#model=../../x", "#s=" + "A" * 5000)]


@pytest.mark.parametrize("fragment", ["#s=AAAA", "#model=no-such-model", *MORE])
def test_a_broken_link_opens_nothing_else_in_its_place(lab, new_page, faults, fragment):
    page = new_page(viewport={"width": 1000, "height": 640})
    page.goto(lab.address + fragment)
    page.wait_for_selector("#notice:not([hidden])")
    said = page.inner_text("#notice")
    assert "This link cannot be read" in said or "no-such-model" in said
    assert text_of(page) == "" and page.locator(".run canvas").count() == 0
    page.get_by_role("button", name="Begin a new model").click()
    page.wait_for_selector(READY, timeout=60_000)
    assert page.inner_text("h1") == "My model" and page.locator("#notice").is_hidden()
    faults[:] = [fault for fault in faults if "404" not in fault]  # a gallery without that name answers so


def test_a_long_run_is_stopped_and_what_it_has_is_shown(opened):
    page = opened("#model=double-pendulum")
    page.fill("#until", "1e7")
    page.keyboard.press("Enter")
    page.wait_for_selector("#busy:not([hidden])")
    page.click("#stop")
    page.wait_for_selector("#busy", state="hidden")
    until(page, "document.querySelector('.status').textContent.startsWith('interrupted')")


def test_by_keyboard_alone(opened):
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "show-gallery"
    page.keyboard.press("Enter")
    page.wait_for_selector("#cards li")
    page.keyboard.type("knife")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # all tags together are one tab stop
    page.keyboard.press("Tab")
    assert "knife-edge" in page.evaluate("document.activeElement.innerText")
    wait_for_motion(page, lambda: page.keyboard.press("Enter"))
    until(page, "document.querySelector('h1').textContent.startsWith('Knife edge')")
    page.focus("#value-J")
    wait_for_motion(page, lambda: page.keyboard.press("ArrowRight"))
    page.focus("#tab-model")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-equations"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "text"
    before = text_of(page)
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    assert text_of(page) == "  " + before
    page.keyboard.press("Shift+Tab")
    assert text_of(page) == before
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.id") == "tab-model"  # no trap


def test_every_control_has_a_name_and_every_id_is_one(opened):
    page = opened("#model=knife-edge")
    page.click("#second")
    for tab in ("compare", "analyze", "files", "equations"):
        page.click(f"#tab-{tab}")
    unnamed = page.evaluate(
        """[...document.querySelectorAll('button, input, select, textarea, progress, [role=img], dialog')]
           .filter((e) => !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.innerText?.trim() ||
                            e.labels?.length || e.title)).map((e) => e.outerHTML.slice(0, 120))"""
    )
    assert unnamed == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    landmarks = page.evaluate(
        "['header', 'main', 'nav'].map((tag) => document.querySelectorAll(`body > ${tag}, header > ${tag}`).length)"
    )
    assert landmarks == [1, 1, 1] and page.locator("h1").count() == 1 and page.get_attribute("html", "lang") == "en"


def test_light_and_dark(opened, lab, new_page):
    page = opened()

    def lightness():
        return page.evaluate("getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)[0]")

    assert lightness() > 200
    page.click("#theme")
    page.click("#theme")
    assert lightness() < 60 and page.get_attribute(".da-player", "data-theme") == "dark"
    other = new_page(color_scheme="dark")
    other.goto(lab.address)
    other.wait_for_selector(".da-player[data-theme=dark]", timeout=30_000)


@pytest.mark.parametrize("width", [320, pytest.param(768, marks=pytest.mark.slow)])
def test_a_narrow_screen_needs_no_scrolling_sideways(opened, width):
    page = opened("#model=appell-hamel", width)
    page.click("#second")
    page.wait_for_selector("#difference:not([hidden])")
    for tab in ("equations", "compare", "files", "analyze", "model"):
        page.click(f"#tab-{tab}")
        if tab == "compare":
            page.wait_for_selector("table.compare", timeout=60_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, tab
    page.click("#show-gallery")
    page.wait_for_selector("#cards li")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_the_picture_stays_above_the_values(opened):
    page = opened(width=390, height=800)
    last = page.get_by_role("slider", name="roll'", exact=False).last
    last.scroll_into_view_if_needed()
    stage, slider = page.locator(".da-stage").bounding_box(), last.bounding_box()
    assert 0 <= stage["y"] < 20 and stage["y"] + stage["height"] <= slider["y"] + slider["height"]
    page.set_viewport_size({"width": 1200, "height": 800})  # turned, it is wide
    page.wait_for_selector(".side > #controls")


NAMED = """
[parameters]
constructor = 2
[coordinates]
toString = { initial = 0.4, speed = 0.3 }
valueOf = 0
[bodies.hasOwnProperty]
mass = "constructor"
position = ["toString", "valueOf", 0]
[constraints]
isPrototypeOf = "valueOf' = 0.5*toString'"
[simulation]
duration = 1
"""


def test_names_of_the_language_of_pages_are_names(opened):
    """What every object of JavaScript has is no setting and no reaction, in the lab and in what it writes."""
    page = opened("#model=simple-pendulum")
    page.focus("#text")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(NAMED)
    until(page, "document.getElementById('value-constructor') !== null")
    page.wait_for_selector("article[data-computes]")
    assert page.locator(".row.changed").count() == 0
    assert float(page.input_value("[aria-label='constructor, as a number']")) == 2
    wait_for_motion(page, lambda: page.locator("#value-toString").press("ArrowRight"))
    assert page.locator(".row.changed").count() == 1
    assert "Computed on this page" in page.inner_text(".status") or "finished" in page.inner_text(".status")
    assert page.locator(".error:visible").count() == 0


def test_the_texts_of_a_model_are_texts(opened):
    evil = "<img src=x onerror=alert(1)></script><script>document.title = 'owned'</script>"
    page = opened("#model=simple-pendulum")
    title = text_of(page).split('"')[1]
    wait_for_motion(page, lambda: typed(page, title, evil.replace('"', "'")))
    until(page, "document.querySelector('h1').textContent.includes('onerror')")
    assert "owned" not in page.title() or "<script>" in page.title()
    assert page.locator("img[src=x]").count() == 0
