"""The pictures of pages and of the lab in docs. `python docs/page_picture.py` makes them again, with chromium."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import dalembert as da

HERE = Path(__file__).parent
PAGES = {  # file: model, settings, time, width, height, theme
    "page": ("rolling-disk", {}, 2.23, 1280, 720, "light"),
    "page-dark": ("whipple-bicycle", {"phi'": 0.6}, 0.62, 1280, 720, "dark"),
    "page-narrow": ("sliding-rod", {}, 0.24, 400, 800, "light"),
}
LABS = {  # file: model, part of the lab that is open, time, width, height, theme, two runs
    "lab": ("knife-edge", "model", 2.8, 1360, 980, "light", True),
    "lab-dark": ("double-pendulum", "equations", 6.0, 1320, 840, "dark", False),
    "lab-narrow": ("rolling-disk", "model", 3.0, 380, 820, "light", False),
}
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]


def small(png: bytes) -> Image.Image:
    """256 colours are enough for a picture of a page."""
    return Image.open(BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)


def opened(browser: Any, **options: Any) -> Any:
    """A page that may take its time."""
    page = browser.new_page(**options)
    page.set_default_timeout(200_000)
    return page


def main() -> None:
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, (model, settings, time, width, height, theme) in PAGES.items():
            file = Path(folder) / f"{name}.html"
            da.gallery(model).simulate(settings=settings, dense=True).animate(file)
            page = opened(browser, viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto(file.as_uri())
            page.evaluate("t => player.seek(t)", time)
            page.wait_for_timeout(300)
            small(page.screenshot()).save(HERE / f"{name}.png", optimize=True)
            page.close()
        file = Path(folder) / "derivation.html"
        file.write_text(da.gallery("rolling-disk").derive("chetaev").html(steps=True), encoding="utf-8")
        page = opened(browser, viewport={"width": 980, "height": 760})
        page.goto(file.as_uri())
        small(page.screenshot()).save(HERE / "derivation.png", optimize=True)
        labs(browser)
        browser.close()


def labs(browser: Any) -> None:
    command = [sys.executable, "-u", "-m", "dalembert", "lab", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        address = re.search(r"http\S+", lab.stdout.readline())[0]
        for name, (model, tab, time, width, height, theme, two) in LABS.items():
            page = opened(browser, viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto(f"{address}#model={model}")
            page.wait_for_selector("body[data-motions]", timeout=120_000)
            page.click(f"#tab-{tab}")
            if two:
                page.click("#second")
                page.wait_for_selector("#difference:not([hidden])")
                page.select_option("#quantity", "x")
            if tab == "equations":
                page.wait_for_selector("#panel-equations .steps details")
            page.wait_for_selector("article[data-computes]")
            page.wait_for_selector("#busy", state="hidden")
            page.evaluate(
                "t => { const range = document.querySelector('.da-range'), until = document.querySelector('#until');"
                " range.value = t / until.placeholder; range.dispatchEvent(new Event('input')); scrollTo(0, 0); }",
                time,
            )
            page.wait_for_timeout(500)
            small(page.screenshot()).save(HERE / f"{name}.png", optimize=True)
            page.close()
        lab.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
