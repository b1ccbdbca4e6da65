"""The layout of the result: arrays over the axes, filled in blocks that are both ranges of motions and boxes of the
arrays.

In the order of an array, motions first … last − 1 form a box if they differ only along one axis and the axes after it.
Such blocks are read from the parts one after the other and written to the result, so that only one is in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, Protocol

import numpy as np

from dalembert.sweep.ensemble import FAILED, FINISHED, REFUSED, STOPPED, WORDS, Outcome
from dalembert.sweep.space import Space
from dalembert.sweep.variables import Variable

LARGEST = 1 << 22  # numbers in a block


@dataclass(frozen=True)
class Layout:
    """The result's axes, arrays and attributes."""

    space: Space
    variables: tuple[Variable, ...]
    attributes: dict[str, Any]
    messages: bool  # whether any motion has a sentence
    units: Mapping[str, str] = field(default_factory=dict)  # of the varied quantities, if the model states them

    @property
    def columns(self) -> int:
        return sum(variable.columns for variable in self.variables)

    def dimensions(self, variable: Variable) -> tuple[str, ...]:
        return (*self.space.dimensions, *(name for name, _ in variable.beyond))

    def beyond(self) -> dict[str, tuple[float, ...]]:
        """Dimensions that are the same for every motion: times, modes."""
        return {name: values for variable in self.variables for name, values in variable.beyond}

    @property
    def box(self) -> tuple[int, ...]:
        """The shape of a block: 1, …, 1, some, all, …, all."""
        most = max(1, LARGEST // max(1, self.columns))
        shape, box = self.space.shape, [1] * len(self.space.shape)
        for k in range(len(shape) - 1, -1, -1):
            after = prod(shape[k + 1 :])
            box[k] = max(1, min(shape[k], most // after))
            if box[k] < shape[k]:
                break
        return tuple(box)

    def boxes(self) -> Iterator[tuple[int, int, tuple[slice, ...]]]:
        """The blocks in order: first motion, end, and their box."""
        shape, box = self.space.shape, self.box
        counts = [-(-size // step) for size, step in zip(shape, box, strict=True)]
        first = 0
        for place in np.ndindex(*counts):
            region = tuple(
                slice(i * step, min((i + 1) * step, size)) for i, step, size in zip(place, box, shape, strict=True)
            )
            last = first + prod(part.stop - part.start for part in region)
            yield first, last, region
            first = last


@dataclass(frozen=True)
class ResultBlock:
    """A range of motions that is a box of the arrays."""

    first: int
    last: int
    region: tuple[slice, ...]
    outcome: Outcome

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(part.stop - part.start for part in self.region)

    @property
    def messages(self) -> list[str]:
        """The sentence of every motion, or no text."""
        return [self.outcome.sentences.get(i, "") for i in range(self.last - self.first)]


def blocks(layout: Layout, outcomes: Iterable[tuple[int, Outcome]]) -> Iterator[ResultBlock]:
    """The contents of the parts, regrouped into blocks."""
    rest = iter(outcomes)
    start, current = next(rest)
    for first, last, region in layout.boxes():
        outcome, at = Outcome.blank(last - first, layout.columns), first
        while at < last:
            if at >= start + len(current.status):
                start, current = next(rest)
            end = min(last, start + len(current.status))
            outcome.put(slice(at - first, end - first), current.part(at - start, end - start))
            at = end
        yield ResultBlock(first, last, region, outcome)


class Target(Protocol):
    """A file, or memory, that receives blocks in order."""

    def write(self, block: ResultBlock) -> None: ...

    def close(self) -> None: ...


@dataclass
class Summary:
    """The summary of a result, available without reading the result again."""

    layout: Layout
    motions: int = 0
    counts: dict[str, int] = field(default_factory=dict)  # number of motions by how they ended
    ranges: dict[str, list[float]] = field(default_factory=dict)  # variable: count of numbers, least, mean, greatest
    example: str = ""  # the first sentence of a motion that failed
    notes: dict[str, int] = field(default_factory=dict)  # sentences of motions that did not fail, with their counts

    def add(self, block: ResultBlock) -> None:
        values, status = block.outcome.values, block.outcome.status
        self.motions += len(status)
        for code in (FINISHED, STOPPED, FAILED, REFUSED):
            count = int((status == code).sum())
            if count:
                self.counts[WORDS[code]] = self.counts.get(WORDS[code], 0) + count
        for i, text in sorted(block.outcome.sentences.items()):
            if status[i] in (FAILED, REFUSED):
                self.example = self.example or text
            else:
                self.notes[text] = self.notes.get(text, 0) + 1
        for variable in self.layout.variables:
            part = values[:, variable.first : variable.first + variable.columns]
            part = part[np.isfinite(part)]
            if not part.size:
                continue
            known = self.ranges.setdefault(variable.name, [0.0, np.inf, 0.0, -np.inf])
            known[2] = (known[2] * known[0] + float(part.sum())) / (known[0] + part.size)
            known[0] += part.size
            known[1], known[3] = min(known[1], float(part.min())), max(known[3], float(part.max()))


def assembled(layout: Layout, outcomes: Iterable[tuple[int, Outcome]], target: Target) -> Summary:
    """Fill the result, block by block."""
    summary = Summary(layout)
    for block in blocks(layout, outcomes):
        target.write(block)
        summary.add(block)
    target.close()
    return summary
