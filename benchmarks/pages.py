"""A slider of a page in Chromium: milliseconds to the motion and to the picture on the canvas, and file sizes.
A lab that has just started: milliseconds from the page to its first motion.

    python -m benchmarks.pages [MODEL …]

Needs playwright and chromium (DALEMBERT_BROWSER names it). Prints median and best of forty values: the machine may be
shared. Targets: a picture within 50 ms (rolling disk) and 80 ms (bicycle), 5 s of the bicycle within 16 ms, 2 MB,
the first motion of a lab within 1 s.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

MODELS = ("rolling-disk", "whipple-bicycle", "bouncing-ball", "ball-in-bowl", "tippe-top")
VALUES = 40
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"]
_CODE = """(async (count) => { const found = [];
  const own = computing.told.controls.find((one) => one.kind === "parameter");
  for (let k = 0; k < count; k++) {
    const began = performance.now();
    await computing.set({ [own.name]: own.value * (0.95 + 0.1 * k / count) });
    found.push([computing.last.took, performance.now() - began, computing.last.motion.steps]);
    await new Promise((resolve) => setTimeout(resolve, 20));
  } return found; })"""


def measured(names: tuple[str, ...] = MODELS) -> dict[str, tuple[float, ...]]:
    """Motion (median, best) and picture (median, best) in ms, steps, and the size of the file in MB, by model."""
    from playwright.sync_api import sync_playwright

    import dalembert as da

    path = os.environ.get("DALEMBERT_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    found = {}
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        for name in names:
            file = Path(folder) / f"{name}.html"
            da.gallery(name).simulate().animate(file, renderer="canvas")
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(file.as_uri())
            page.wait_for_function("() => globalThis.computing?.model")
            rows = page.evaluate(f"{_CODE}({VALUES})")
            motion, picture, steps = zip(*rows, strict=True)
            size = file.stat().st_size / 1e6
            found[name] = (median(motion), min(motion), median(picture), min(picture), max(steps), size)
            page.close()
    return found


def begun(count: int = 5) -> list[float]:
    """Milliseconds from the address of a lab, which has just printed it, to the first motion on its page."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("DALEMBERT_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    command = [sys.executable, "-u", "-m", "dalembert", "lab", "--no-browser", "--port", "0"]
    found = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        for _ in range(count):
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
                assert lab.stdout is not None
                address = lab.stdout.readline().split("http", 1)[1].split()[0]
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.goto(f"http{address}")
                page.wait_for_selector("body[data-motions]", timeout=120_000)
                found.append(page.evaluate("Number(document.body.dataset.began)"))
                page.close()
                lab.send_signal(signal.SIGINT)
    return found


if __name__ == "__main__":
    print("| model | motion, median and best [ms] | picture, median and best [ms] | steps | file [MB] |")
    print("| --- | --- | --- | --- | --- |")
    for name, (motion, fastest, picture, quickest, steps, size) in measured(tuple(sys.argv[1:]) or MODELS).items():
        print(f"| {name} | {motion:.1f}, {fastest:.1f} | {picture:.1f}, {quickest:.1f} | {steps} | {size:.2f} |")
    times = begun()
    load = os.getloadavg()[0]
    print(f"First motion of a lab: median {median(times):.0f} ms, best {min(times):.0f} ms, at load {load:.1f}")
