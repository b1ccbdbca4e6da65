"""A real browser for tests: chromium by playwright, without network. Every fault of a page fails its test.

`page` is a fresh page. A test fails when its page writes anything to the console, throws, or asks for anything that
is not on this machine. A test that expects such a message takes it out of `faults`.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from lab_server import Lab, running

NEEDED = bool(os.environ.get("DALEMBERT_NEED_BROWSER"))  # continuous integration sets it, so that nothing is skipped
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
PLAIN = [  # WebGL is still drawn, by software; the page around it is not, which takes a tenth of the time
    "--disable-gpu-compositing",
    "--disable-gpu-rasterization",
]
HERE = ("127.0.0.1", "localhost", "::1")


def executable() -> str | None:
    """A browser's path: DALEMBERT_BROWSER, or the first of the usual names."""
    return os.environ.get("DALEMBERT_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def launch() -> Iterator[Callable[..., Any]]:
    """Starts a browser, with further flags."""
    if NEEDED:
        import playwright.sync_api as playwright
    else:
        playwright = pytest.importorskip("playwright.sync_api", reason="no browser tests: playwright is not installed")
    path = executable()
    if path is None:
        missing = "chromium is not installed (apt-get install chromium, or set DALEMBERT_BROWSER)"
        (pytest.fail if NEEDED else pytest.skip)(f"no browser tests: {missing}")
    started = []
    with playwright.sync_playwright() as driver:

        def start(*flags: str) -> Any:
            started.append(driver.chromium.launch(executable_path=path, args=[*FLAGS, *flags]))
            return started[-1]

        yield start
        for one in started:
            one.close()


@pytest.fixture(scope="session")
def browser(launch: Callable[..., Any]) -> Any:
    return launch(*PLAIN)


@pytest.fixture(scope="session")
def graphics(launch: Callable[..., Any]) -> Any:
    """For pages that draw with WebGL. The other browser reads their pictures back, and warns that this is slow."""
    return launch()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One lab for all tests of a worker: a start takes seconds, and what it has derived it keeps."""
    folder = tmp_path_factory.mktemp("models")
    with running("--workers", "2", "--seconds", "30", "--folder", str(folder)) as lab:
        yield replace(lab, folder=folder)


@pytest.fixture
def faults() -> list[str]:
    """The faults on the pages of this test."""
    return []


@pytest.fixture
def new_page(browser: Any, faults: list[str]) -> Iterator[Callable[..., Any]]:
    """Opens watched pages; options are those of a browser context, and `browser` replaces the usual one."""
    contexts = []

    def opened(browser: Any = browser, **options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        watched(page, faults)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults, "\n".join(faults)


@pytest.fixture
def page(new_page: Callable[..., Any]) -> Any:
    return new_page(viewport={"width": 1280, "height": 800}, accept_downloads=True)


def watched(page: Any, faults: list[str]) -> None:
    """Record every console message, every exception, and every request to another machine."""

    def said(message: Any) -> None:
        faults.append(f"console, {message.type}: {message.text}")

    def asked(request: Any) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("file", "data", "blob", "about") and url.hostname not in HERE:
            faults.append(f"request to another machine: {request.url}")

    page.on("console", said)
    page.on("pageerror", lambda error: faults.append(f"exception: {error}"))
    page.on("request", asked)
