"""Python functions that the engine calls. An error in one of them is raised where Python called the engine."""

from __future__ import annotations

import ctypes as c
import threading
from collections.abc import Callable
from math import nan
from typing import Any

from dalembert.engine.interface import FUNCTION

_failed = threading.local()


def callback(call: Callable[[int, int, Any], None]) -> Any:
    """A function of (out, given, data) for the engine. If it fails, its first output is NaN, so the engine gives up."""

    def guarded(out: int, given: int, data: Any) -> None:
        try:
            call(out, given, data)
        except BaseException as error:  # noqa: BLE001 (ctypes would print it and go on with old numbers)
            _failed.error = error
            c.c_double.from_address(out).value = nan

    return FUNCTION(guarded)


def passed_on(result: Any, *_: Any) -> Any:
    """The result of a function of the engine, unless a callback failed meanwhile: then its error is raised."""
    error = getattr(_failed, "error", None)
    if error is None:
        return result
    _failed.error = None
    raise error
