"""Waiting in browser tests: for text on the page, and for the motion that an action requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def until(page: Any, condition: str, seconds: float = 240) -> None:
    """Wait until an expression is true on the page.

    Playwright's own `wait_for_function` evaluates text inside the page, which the policy of the pages forbids.
    """
    for _ in range(round(seconds / 0.05)):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not seen within {seconds} s: {condition}")


def wait_for_motion(page: Any, action: Callable[[], Any]) -> None:
    """Do something in the lab, and wait until the requested motion is on screen."""
    before = page.get_attribute("body", "data-motions")
    action()
    until(page, f"document.body.dataset.motions !== '{before}'")


def text_of(page: Any) -> str:
    """The text in the lab's editor. Its element holds only the lines in sight."""
    return page.evaluate("editor.text")


def typed(page: Any, old: str, new: str) -> None:
    """Type over a word of the lab's editor as a person would: select it, and type."""
    assert old in text_of(page)
    page.evaluate(
        "old => { const i = editor.text.indexOf(old); editor.view.focus(); "
        "editor.view.dispatch({ selection: { anchor: i, head: i + old.length }, scrollIntoView: true }); }",
        old,
    )
    page.keyboard.type(new)
