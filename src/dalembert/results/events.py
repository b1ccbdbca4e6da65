"""What happened on the way: events by time, kept in columns and made when they are asked for.

A motion may meet thousands of events, and to name them all takes longer than to compute it; most are never looked at.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np

from dalembert.results.state import Numbers

Some = TypeVar("Some", covariant=True)
MOST = 6  # members that a `repr` shows


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at an instant: an impact, a crossing, …; `before` and `after` are speeds.

    Of an impact, `impulse` is that of the contact and `energy` what the whole impact adds (negative: takes), seen from
    the walls; contacts that collide together tell the same. `direction` is the sign of a crossing or a slip.
    """

    time: float
    name: str
    kind: str
    before: Numbers
    after: Numbers
    impulse: float | None = None
    energy: float | None = None
    direction: float | None = None

    def to_dict(self) -> dict[str, Any]:
        further = {"impulse": self.impulse, "energy": self.energy, "direction": self.direction}
        return {
            "time": self.time,
            "name": self.name,
            "kind": self.kind,
            "before": dict(self.before),
            "after": dict(self.after),
            **{name: value for name, value in further.items() if value is not None},
        }


class Made(Sequence[Some]):
    """A sequence whose members are made from columns when they are asked for; it reads, and compares, as a tuple."""

    @abstractmethod
    def one(self, place: int) -> Some:
        """The member at a place from 0 to len − 1."""

    @overload
    def __getitem__(self, place: int) -> Some: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Some, ...]: ...
    def __getitem__(self, place: int | slice) -> Some | tuple[Some, ...]:
        places = range(len(self))[place]  # says what is out of range, and counts from the end
        return self.one(places) if isinstance(places, int) else tuple(self.one(i) for i in places)

    def __iter__(self) -> Iterator[Some]:
        return (self.one(i) for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, tuple | Made) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as of a tuple of events, which hold dictionaries

    def __repr__(self) -> str:
        if len(self) <= MOST:
            return repr(tuple(self))
        first, last = (repr(self.one(i)) for i in (0, len(self) - 1))
        return f"<{len(self)} in all: {first}, …, {last}>"


class Events(Made[Event]):
    """The events of a motion; who goes over all of them makes each once."""

    def __init__(
        self,
        coordinates: tuple[str, ...],
        labels: Sequence[tuple[str, str]],  # names and kinds that there are, and which of them each event has
        label: np.ndarray,
        times: np.ndarray,
        before: np.ndarray,  # speeds, a row for each event
        after: np.ndarray,
        told: np.ndarray,  # impulse, energy and direction in columns; NaN where an event of that kind has none
    ):
        self.coordinates, self.labels, self.label, self.times = coordinates, tuple(labels), label, times
        self.before, self.after, self.told = before, after, told
        self._all: tuple[Event, ...] | None = None

    def __len__(self) -> int:
        return len(self.times)

    def __iter__(self) -> Iterator[Event]:
        if self._all is None:
            self._all = tuple(super().__iter__())
        return iter(self._all)

    def one(self, place: int) -> Event:
        if self._all is not None:
            return self._all[place]
        before, after = (self._speeds(side[place]) for side in (self.before, self.after))
        impulse, energy, direction = (None if number != number else number for number in self.told[place].tolist())
        name, kind = self.labels[self.label[place]]
        return Event(float(self.times[place]), name, kind, before, after, impulse, energy, direction)

    def _speeds(self, row: np.ndarray) -> Numbers:
        return dict(zip(self.coordinates, row.tolist(), strict=True))
