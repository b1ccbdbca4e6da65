"""The answer of `sensitivities`: derivatives of a motion's quantities and of its events."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.language import tr
from dalembert.results.motion import Motion

Array = np.ndarray
ENDINGS = (".csv", ".json")


def column(of: str, to: str) -> str:
    """The column name of a derivative."""
    return f"d({of})/d({to})"


@dataclass(frozen=True, slots=True)
class EventDerivative:
    """Derivatives of an event: of its time, and of coordinates and speeds just before and just after it."""

    time: float
    name: str
    kind: str
    time_by: Mapping[str, float]  # derivative of the time, by parameter
    before_by: Mapping[str, Mapping[str, float]]  # quantity: {by: number}
    after_by: Mapping[str, Mapping[str, float]]  # of the state after the event

    def to_dict(self) -> dict[str, Any]:
        return {
            "time": self.time,
            "name": self.name,
            "kind": self.kind,
            "time_by": dict(self.time_by),
            "before_by": {name: dict(by) for name, by in self.before_by.items()},
            "after_by": {name: dict(by) for name, by in self.after_by.items()},
        }


@dataclass(frozen=True, slots=True, repr=False)
class Sensitivities:
    """`found["theta", "R"]` is ∂theta/∂R at the fixed `times`. `found["theta"]` has a column for each name in `to`."""

    of: tuple[str, ...]  # differentiated quantities
    to: tuple[str, ...]  # parameters and initial values
    times: Array
    values: Mapping[str, Array]  # samples × to
    events: tuple[EventDerivative, ...]  # derivatives at events
    motion: Motion  # the motion itself
    notes: tuple[str, ...] = ()  # sentences about the answer

    def __getitem__(self, key: str | tuple[str, str]) -> Array:
        of, to = key if isinstance(key, tuple) else (key, None)
        for name, known, what in ((of, self.of, "of"), (to, self.to, "to")):
            if name is not None and name not in known:
                near = get_close_matches(name, known, 1)
                hint = (
                    tr("; did you mean {near!r}", near=near[0])
                    if near
                    else tr("; known are {known}", known=", ".join(known))
                )
                raise KeyError(f"there is no derivative {what} {name!r}{hint}")
        return self.values[of] if to is None else self.values[of][:, self.to.index(to)]

    def jacobian(self, of: Iterable[str] | None = None) -> Array:
        """The matrix for a fit: samples of the first quantity, then of the second, …; columns are `to`."""
        names = self.of if of is None else tuple(of)
        return np.vstack([self[name] for name in names])

    def columns(self) -> dict[str, Array]:
        """Every derivative by its column name."""
        return {column(of, to): self[of, to] for of in self.of for to in self.to}

    def to_dict(self) -> dict[str, Any]:
        """`sensitivities` of `simulate --json`."""
        return {
            "of": list(self.of),
            "to": list(self.to),
            "derivatives": {of: {to: self[of, to].tolist() for to in self.to} for of in self.of},
            "events": [event.to_dict() for event in self.events],
            "notes": list(self.notes),
        }

    def save(self, path: str | Path) -> None:
        """Write a file. Its ending chooses the form: .csv .json"""
        from dalembert.results.write import check_target, json_text, placed

        file = Path(path)
        check_target(file, ENDINGS)

        def make(beside: Path) -> None:
            if file.suffix.lower() == ".json":
                answer = {"times": self.times.tolist(), **self.to_dict()}
                beside.write_text(json_text(answer) + "\n", encoding="utf-8")
                return
            columns = {"t": self.times, **self.columns()}
            with beside.open("w", newline="", encoding="utf-8") as out:
                writer = csv.writer(out, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))

        placed(file, make)

    def __str__(self) -> str:
        from dalembert.results.text.sensitivity import sensitivities_text

        return sensitivities_text(self)

    def __repr__(self) -> str:
        return f"<Sensitivities of {', '.join(self.of)} by {', '.join(self.to)}: {len(self.times)} samples>"

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import sensitivities_html

        return sensitivities_html(self)
