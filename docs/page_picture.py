"""The pictures of pages in docs: python docs/page_picture.py writes them anew, with chromium and playwright."""

from __future__ import annotations

import shutil
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import dalembert as da

HERE = Path(__file__).parent
PAGES = {  # file: model, settings, time, width, height, theme
    "page": ("rolling-disk", {}, 2.23, 1280, 720, "light"),
    "page-dark": ("whipple-bicycle", {"phi'": 0.6}, 0.62, 1280, 720, "dark"),
    "page-narrow": ("sliding-rod", {}, 0.24, 400, 800, "light"),
}
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]


def small(png: bytes) -> Image.Image:
    """256 colours are enough for a picture of a page."""
    return Image.open(BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)


def main() -> None:
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, (model, settings, time, width, height, theme) in PAGES.items():
            file = Path(folder) / f"{name}.html"
            da.gallery(model).simulate(settings=settings, dense=True).animate(file)
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto(file.as_uri())
            page.evaluate("t => player.seek(t)", time)
            page.wait_for_timeout(300)
            small(page.screenshot()).save(HERE / f"{name}.png", optimize=True)
            page.close()
        file = Path(folder) / "derivation.html"
        file.write_text(da.gallery("rolling-disk").derive("chetaev").html(steps=True), encoding="utf-8")
        page = browser.new_page(viewport={"width": 980, "height": 760})
        page.goto(file.as_uri())
        small(page.screenshot()).save(HERE / "derivation.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
