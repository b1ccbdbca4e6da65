"""Asks the package in a process that can be ended: no answer within the time is a result, too."""

from __future__ import annotations

import atexit
import multiprocessing
import tempfile
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

HANGS = 10.0  # seconds for one question, derivation and all
BEGINS = 300.0  # for the first question, which imports the package


@dataclass(frozen=True)
class Told:
    """The answer: `values` as in the JSON, or the sentence of a refusal, or neither within the time."""

    values: dict[str, Any] | None = None
    refusal: str = ""
    fault: bool = False  # a fault of the package: an exception that no user should see

    @property
    def hung(self) -> bool:
        return self.values is None and not self.refusal


def ask(question: str, model: str, limit: float = HANGS, **options: Any) -> Told:
    """`question` is solve, simulate, sensitivities or analyze; the model is TOML, options are those in Python."""
    worker = _Worker.ready()
    return worker.ask((question, model, options), limit)


class _Worker:
    current: _Worker | None = None

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.here, there = context.Pipe()
        self.process = context.Process(target=_serve, args=(there,), daemon=True)
        self.process.start()
        there.close()
        self.ask(("solve", WARM, {}), BEGINS)
        for model in (WARM, WARM_CONTACT):
            self.ask(("simulate", model, {"until": 0.01, "samples": 2}), BEGINS)

    @classmethod
    def ready(cls) -> _Worker:
        if cls.current is None or not cls.current.process.is_alive():
            cls.current = cls()
        return cls.current

    def ask(self, asked: tuple[str, str, dict[str, Any]], limit: float) -> Told:
        self.here.send(asked)
        try:
            if self.here.poll(limit):
                return self.here.recv()
        except EOFError:
            self.end()
            return Told(refusal="the process ended without a word", fault=True)
        self.end()
        return Told()

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.here.close()
        _Worker.current = None


@atexit.register
def _finished() -> None:
    if _Worker.current is not None:
        _Worker.current.end()


WARM = """
[coordinates]
x = 1
[energy]
kinetic = "x'^2/2"
"""
WARM_CONTACT = """
[coordinates]
x = 1
y = 0
[energy]
kinetic = "x'^2/2 + y'^2/2"
[contacts.floor]
gap = "x"
slip = ["y'"]
friction = 0.3
"""


def _serve(there: Connection) -> None:
    import dalembert as da
    from dalembert.errors import DalembertError

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.toml"
        while True:
            try:
                question, text, options = there.recv()
            except EOFError:
                return
            try:
                path.write_text(text)
                there.send(Told(getattr(da.load(path), question)(**options).to_dict()))
            except DalembertError as error:
                there.send(Told(refusal=str(error)))
            except Exception as error:  # noqa: BLE001 - it is reported as a fault of the package, with its kind
                there.send(Told(refusal=f"{type(error).__name__}: {error}", fault=True))
