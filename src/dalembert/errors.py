"""The two kinds of refusal: the model is at fault, or the mathematics fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert.language import tr


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a model: its place, and a sentence that says what was found and what is expected."""

    table: str  # of the model file, such as bodies.wheel
    key: str  # in the table
    column: int | None  # in the text of the value
    message: str  # a sentence

    def __str__(self) -> str:
        parts = (f"[{self.table}]" if self.table else "", self.key)
        place = " ".join(part for part in parts if part) or tr("the file")
        if self.column is not None:
            place += tr(", column {column}", column=self.column)
        return f"{place}: {self.message}"


class DalembertError(Exception):
    """The base of all refusals of this package: a sentence for the user, in the reader's language.

    raise ModelError("there is no method {name}", name=name)
    """

    def __init__(self, sentence: str, /, **values: Any):
        super().__init__(tr(sentence, **values))


class ModelError(DalembertError):
    """The model or the call is at fault (exit status 2). `faults` has every fault that was found."""

    def __init__(self, faults: list[Fault] | tuple[Fault, ...] | str, /, **values: Any):
        said = [Fault("", "", None, tr(faults, **values))] if isinstance(faults, str) else faults
        self.faults: tuple[Fault, ...] = tuple(said)
        super().__init__("\n".join(f.message if not (f.table or f.key) else str(f) for f in self.faults))


class MathematicsError(DalembertError):
    """The mathematics failed (exit status 1): singular, inconsistent, outside a domain, step underflow."""


class Stopped(DalembertError):
    """A signal ended the work, and a part of it is kept (exit status 128 plus the signal's number)."""

    def __init__(self, sentence: str, status: int):
        self.status = status
        super().__init__(sentence)
