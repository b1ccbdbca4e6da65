"""The varied quantities: axes whose product is the set of motions, numbered in the order of an array over the axes.

An axis is a list of values of one quantity, the rows of a table with a column for each of several quantities, or a
number of random starts. Nothing of the size of the product is ever stored: the values of a range of motions are
computed on request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.sweep.chance import Spread

MOST = 10**9  # largest number of motions


@dataclass(frozen=True)
class Table:
    """Values that vary together: one column for each quantity, and one row after the other."""

    dimension: str
    columns: Mapping[str, np.ndarray]

    @property
    def size(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def values(self, first: int, last: int) -> dict[str, np.ndarray]:
        return {name: column[first:last] for name, column in self.columns.items()}

    def taken(self, index: np.ndarray) -> dict[str, np.ndarray]:
        return {name: column[index] for name, column in self.columns.items()}

    def told(self) -> dict[str, Any]:
        """The manifest's entry: count, first and last value, and a hash that distinguishes two tables."""
        return {
            name: {
                "values": len(column),
                "from": float(column[0]),
                "to": float(column[-1]),
                "sha256": sha256(np.ascontiguousarray(column, "<f8").tobytes()).hexdigest(),
            }
            for name, column in self.columns.items()
        }


@dataclass(frozen=True)
class Sample:
    """Random starts, each quantity with its own distribution."""

    size: int
    seed: int
    spreads: tuple[Spread, ...]
    dimension: str = "sample"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(spread.name for spread in self.spreads)

    def values(self, first: int, last: int) -> dict[str, np.ndarray]:
        return {spread.name: spread.values(self.seed, first, last) for spread in self.spreads}

    def taken(self, index: np.ndarray) -> dict[str, np.ndarray]:
        """The values at an index that rises by ones and may restart at 0, as in a range of motions."""
        if self.size <= len(index):
            return {name: values[index] for name, values in self.values(0, self.size).items()}
        runs = np.split(index, np.flatnonzero(np.diff(index) != 1) + 1)
        parts = [self.values(int(run[0]), int(run[-1]) + 1) for run in runs]
        return {name: np.concatenate([part[name] for part in parts]) for name in self.names}

    def told(self) -> dict[str, Any]:
        return {"seed": self.seed, **{spread.name: str(spread) for spread in self.spreads}}


Axis = Table | Sample


@dataclass(frozen=True)
class Space:
    """The product of the axes."""

    axes: tuple[Axis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.size for axis in self.axes)

    @property
    def size(self) -> int:
        """The number of motions."""
        return prod(self.shape)

    @property
    def dimensions(self) -> tuple[str, ...]:
        return tuple(axis.dimension for axis in self.axes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all varied quantities."""
        return tuple(name for axis in self.axes for name in axis.names)

    def values(self, first: int, last: int) -> dict[str, np.ndarray]:
        """The values of every varied quantity, for motions first … last − 1."""
        places = np.unravel_index(np.arange(first, last), self.shape)
        found: dict[str, np.ndarray] = {}
        for axis, index in zip(self.axes, places, strict=True):
            found |= axis.taken(index)
        return found

    def told(self) -> dict[str, Any]:
        return {axis.dimension: {"size": axis.size, **axis.told()} for axis in self.axes}

    def without_values(self) -> Space:
        """The same names and dimensions, and zeros for values that come from elsewhere."""
        return Space(tuple(Table(axis.dimension, dict.fromkeys(axis.names, np.zeros(1))) for axis in self.axes))


def space(axes: Sequence[Axis]) -> Space:
    """The product of the axes. Refused if it is empty or too large, or if two axes vary one quantity."""
    if not axes:
        raise ModelError('nothing varies; give a grid, as in --vary "R=0.2:0.4:21", or a number of samples')
    for axis in axes:
        if not axis.size:
            raise ModelError("{dimension} has no values; at least one is expected", dimension=axis.dimension)
        for name in axis.names:
            _require_finite(name, axis)
    found = Space(tuple(axes))
    for names in (found.names, found.dimensions):
        for i, name in enumerate(names):
            if name in names[:i]:
                raise ModelError("{name} varies twice; give all its values at once", name=name)
    if found.size > MOST:
        sizes = " × ".join(f"{size:,}" for size in found.shape)
        raise ModelError(
            "{sizes} = {size:.6g} motions were asked for, and at most {most:,} are computed in one "
            "sweep; take fewer values, or split the sweep",
            sizes=sizes,
            size=found.size,
            most=MOST,
        )
    return found


def _require_finite(name: str, axis: Axis) -> None:
    if isinstance(axis, Table) and not np.isfinite(axis.columns[name]).all():
        place = int(np.flatnonzero(~np.isfinite(axis.columns[name]))[0])
        raise ModelError(
            "value {place} of {name} is {columns}; finite numbers are expected",
            place=place + 1,
            name=name,
            columns=axis.columns[name][place],
        )
