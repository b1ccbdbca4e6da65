"""The first start on a machine, in a browser: what is said while the steppers are compiled, and what can be read."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from dalembert.lab.tasks import warm
from lab_server import running

SHOWN = "Boolean(document.querySelector('.run .compiling:not([hidden])'))"


@pytest.fixture(autouse=True, scope="module")
def _really_compiled():
    """What these labs pretend to lack is there, so that nothing is waited for that is not meant."""
    warm(lambda seconds: None, lambda: None)


@pytest.fixture
def compiled(tmp_path):
    return tmp_path / "compiled"


def until(page, condition, seconds=30):
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"not seen within {seconds} s: {condition}"
        page.wait_for_timeout(100)


def test_it_says_that_it_compiles_and_equations_can_be_read(compiled, page):
    with running(compiled=compiled) as lab:
        page.goto(lab.address + "#model=simple-pendulum")
        until(page, SHOWN)
        assert "Compiling the steppers, once on this machine" in page.inner_text(".run .compiling")
        until(page, "document.getElementById('live').textContent.includes('Compiling the steppers')")
        assert page.inner_text("h1").startswith("Simple pendulum")  # the model was checked meanwhile
        first = page.inner_text(".run [role=timer]")
        until(page, f"document.querySelector('.run [role=timer]').textContent !== '{first}'")  # seconds pass
        page.click("#tab-equations")
        until(page, "document.querySelectorAll('#panel-equations math').length > 1")
        until(page, "document.querySelectorAll('#panel-equations .steps li').length > 1")
        page.click("#tab-compare")
        until(page, "!document.querySelector('#panel-compare .compiling').hidden")
        assert page.get_attribute("body", "data-motions") is None
        compiled.touch()
        page.wait_for_selector("body[data-motions]", timeout=60_000)
        until(page, f"!({SHOWN})")
        until(page, "document.querySelectorAll('#panel-compare table').length === 1")
        assert page.locator(".compiling:visible").count() == 0


def test_a_later_question_waits_and_a_stop_is_heard(compiled, page):
    with running("--workers", "1", compiled=compiled) as lab:
        page.goto(lab.address + "#model=simple-pendulum")
        until(page, SHOWN)
        page.fill("#until", "2")
        page.keyboard.press("Enter")
        until(page, SHOWN)
        page.wait_for_selector("#stop:visible")
        page.click("#stop")
        until(page, f"!({SHOWN})")
        assert "stopped before it began" in page.inner_text(".run .error")
        compiled.touch()
        page.fill("#until", "3")
        page.keyboard.press("Enter")
        page.wait_for_selector("body[data-motions]", timeout=60_000)
        assert page.locator(".run .error:visible").count() == 0
