"""Events of a motion, ordered by time. They are kept in columns, and an `Event` is made when it is read.

A motion may have thousands of events. Making an object of each would take longer than the motion, and most are never
read.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

import numpy as np

from dalembert.results.state import Numbers

Some = TypeVar("Some", covariant=True)
MOST = 6  # members that a `repr` shows


@dataclass(frozen=True, slots=True)
class Event:
    """One event: an impact, a crossing, … `before` and `after` are the speeds on its two sides, and `coordinates` the
    place, which is the same on both.

    An impact has the `impulse` of its contact and the `energy` that the whole impact adds (negative if it takes
    energy). The energy is measured relative to the walls, and contacts that collide together report the same value.
    `direction` is the sign of a crossing or of a slip. For a kink it is the side on which the motion continues, and 0
    if the motion rests at the kink or slides along it. A kink at which speeds jump has an `energy` too.
    """

    time: float  # t in seconds
    name: str  # of the contact, friction, event or kink
    kind: str  # impact, liftoff, contact, stick, slip, chatter, crossing, kink
    before: Numbers
    after: Numbers
    impulse: float | None = None
    energy: float | None = None
    direction: float | None = None
    coordinates: Numbers = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        further = {"impulse": self.impulse, "energy": self.energy, "direction": self.direction}
        return {
            "time": self.time,
            "name": self.name,
            "kind": self.kind,
            "before": dict(self.before),
            "after": dict(self.after),
            **({"coordinates": dict(self.coordinates)} if self.coordinates else {}),
            **{name: value for name, value in further.items() if value is not None},
        }


class MadeOnRead(Sequence[Some]):
    """A sequence that makes its members from columns when they are read. It reads and compares like a tuple."""

    @abstractmethod
    def one(self, place: int) -> Some:
        """The member at a place, from 0 to len − 1."""

    @overload
    def __getitem__(self, place: int) -> Some: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Some, ...]: ...
    def __getitem__(self, place: int | slice) -> Some | tuple[Some, ...]:
        places = range(len(self))[place]  # raises IndexError, and counts negative places from the end
        return self.one(places) if isinstance(places, int) else tuple(self.one(i) for i in places)

    def __iter__(self) -> Iterator[Some]:
        return (self.one(i) for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, tuple | MadeOnRead) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # like a tuple of events, which contain dictionaries

    def __repr__(self) -> str:
        if len(self) <= MOST:
            return repr(tuple(self))
        first, last = (repr(self.one(i)) for i in (0, len(self) - 1))
        return f"<{len(self)} in all: {first}, …, {last}>"


class Events(MadeOnRead[Event]):
    """The events of a motion. The first iteration makes all of them and keeps them."""

    def __init__(
        self,
        coordinates: tuple[str, ...],
        labels: Sequence[tuple[str, str]],  # the (name, kind) pairs; `label` has the place of each event's pair
        label: np.ndarray,
        times: np.ndarray,
        before: np.ndarray,  # speeds, a row for each event
        after: np.ndarray,
        told: np.ndarray,  # impulse, energy and direction in columns; NaN if the event has none
        places: np.ndarray,  # coordinates
    ):
        self.coordinates, self.labels, self.label, self.times = coordinates, tuple(labels), label, times
        self.before, self.after, self.told, self.places = before, after, told, places
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
        before, after, at = (self._named(rows[place]) for rows in (self.before, self.after, self.places))
        impulse, energy, direction = (None if number != number else number for number in self.told[place].tolist())
        name, kind = self.labels[self.label[place]]
        return Event(float(self.times[place]), name, kind, before, after, impulse, energy, direction, at)

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import events_html

        return events_html(self)

    def _named(self, row: np.ndarray) -> Numbers:
        return dict(zip(self.coordinates, row.tolist(), strict=True))
