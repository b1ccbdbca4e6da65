"""The answer of `compare`: the same state and motion by several methods, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dalembert.language import tr
from dalembert.results.motion import Motion
from dalembert.results.state import State

if TYPE_CHECKING:
    from dalembert.results.plots.figure import Picture

AGREED = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """One method's state and motion. `error` is a sentence if the method gave no answer."""

    method: str
    model: str  # model of constraint: chetaev, vakonomic, virtual-displacements
    state: State | None = None  # at the start
    motion: Motion | None = None  # of one method of each group
    accelerations: float | None = None  # largest difference from the reference, along its motion
    control: float | None = None  # largest difference of the control forces at the start
    coordinates: float | None = None  # largest difference of the motions
    error: str | None = None  # the sentence of a method without an answer

    @property
    def control_forces(self) -> dict[str, float]:
        """Q^c at the start: the sum of all generalized reactions, by coordinate."""
        if self.state is None:
            return {}
        rows = self.state.reactions.values()
        return {q: sum(row[q] for row in rows) for q in self.state.coordinates}

    @property
    def final_control_forces(self) -> dict[str, float]:
        """Q^c at the end of the motion."""
        if self.motion is None:
            return {}
        rows = self.motion.reactions.values()
        return {q: sum(float(row[q][-1]) for row in rows if q in row) for q in self.motion.coordinates}

    def to_dict(self) -> dict[str, Any]:
        if self.state is None:
            return {"model": self.model, "error": self.error}
        end = None
        if self.motion is not None:
            end = {
                "time": float(self.motion.times[-1]),
                "coordinates": {q: float(values[-1]) for q, values in self.motion.coordinates.items()},
                "speeds": {q: float(values[-1]) for q, values in self.motion.speeds.items()},
                "multipliers": {name: float(values[-1]) for name, values in self.motion.multipliers.items()},
                "control_forces": self.final_control_forces,
            }
        return {
            "model": self.model,
            "accelerations": dict(self.state.accelerations),
            "multipliers": dict(self.state.multipliers),
            "reactions": {name: dict(row) for name, row in self.state.reactions.items()},
            "control_forces": self.control_forces,
            "end": end,
            "difference": {
                "accelerations": self.accelerations,
                "control_forces": self.control,
                "coordinates": self.coordinates,
            },
            "error": self.error,
        }

    def __repr__(self) -> str:
        return f"<Answer of {self.method}, {self.model}{': ' + self.error if self.error else ''}>"


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """The answers by method. `groups` are the methods that agree with each other; the reference's group comes first."""

    answers: Mapping[str, Answer]  # by method
    reference: str  # the model's own method
    groups: tuple[tuple[str, ...], ...]  # methods that agree
    start: float  # first time
    end: float  # last time
    samples: int  # number of compared states
    notes: tuple[str, ...] = ()  # sentences about the answer
    title: str = ""

    @property
    def largest_difference(self) -> float:
        """The largest difference among the methods that agree with the reference."""
        found = [0.0]
        for name in self.groups[0] if self.groups else ():
            answer = self.answers[name]
            found += [part for part in (answer.accelerations, answer.control) if part is not None]
        return max(found)

    def plot(self, names: Sequence[str] = (), *, kind: Literal["time", "phase", "path"] = "time") -> Picture:
        """Draw one motion of every group of methods in one picture, as `dalembert.plot` does."""
        from dalembert.results.plots.overlay import plot

        shown = [group for group in self.groups if self.answers[group[0]].motion is not None]
        motions = [motion for group in shown if (motion := self.answers[group[0]].motion) is not None]
        labels = [
            group[0] + (tr(" and {count} more", count=len(group) - 1) if len(group) > 1 else "") for group in shown
        ]
        return plot(*motions, names=names, labels=labels, kind=kind, title=self.title)

    def to_dict(self) -> dict[str, Any]:
        """The answer of `compare --json`."""
        return {
            "reference": self.reference,
            "start": self.start,
            "until": self.end,
            "samples": self.samples,
            "agreement": AGREED,
            "methods": {name: answer.to_dict() for name, answer in self.answers.items()},
            "groups": [list(group) for group in self.groups],
            "largest_difference": self.largest_difference,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        from dalembert.results.text.comparison import comparison_text

        return comparison_text(self)

    def __repr__(self) -> str:
        groups = " | ".join(", ".join(group) for group in self.groups)
        return f"<Comparison of {len(self.answers)} methods: {groups}>"

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import comparison_html

        return comparison_html(self)
