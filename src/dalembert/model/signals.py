"""Data for inputs: columns of a CSV file in the model's folder, or lists in the model; checked and evaluated."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest, shown
from dalembert.model.machine import Signal

BETWEEN = ("hold", "linear", "cubic")
LARGEST = 200_000_000  # bytes of a file
SAME_TIME = 8 * 2.0**-52  # of a time, as the engine has it


def from_file(folder: Path | None, file: str, column: str, time: str, between: str) -> Signal:
    """The signal in a column of a file that lies in the model's folder."""
    path = _inside(folder, file)
    name = shown(file)
    try:
        if path.stat().st_size > LARGEST:
            raise ModelError(f"the file {name} is larger than {LARGEST // 1_000_000} MB, the most that is read")
        with path.open(newline="", encoding="utf-8-sig") as stream:
            times, values = _columns(csv.reader(stream), name, column, time)
    except FileNotFoundError:
        raise ModelError(f"there is no file {name} in the model's folder") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"the file {name} cannot be read as CSV: {reason}") from None
    return checked(times, values, between, (file, column, time))


def _inside(folder: Path | None, file: str) -> Path:
    """Where a file of the model's folder is; no other file is ever opened."""
    if folder is None:
        raise ModelError(f"the file {shown(file)} is asked for, and the model has no folder; give times and values")
    root = folder.resolve()
    try:
        path = (root / file).resolve()
    except (OSError, ValueError, RuntimeError):
        raise ModelError(f"{shown(file)} is no path of a file") from None
    if Path(file).is_absolute() or not path.is_relative_to(root) or path == root:
        raise ModelError(f"the file {shown(file)} is outside the model's folder; copy it there")
    if path.exists() and not path.is_file():
        raise ModelError(f"{shown(file)} is not a file")
    return path


def _columns(rows: Iterator[list[str]], name: str, column: str, time: str) -> tuple[list[float], list[float]]:
    head = [entry.strip() for entry in next(rows, [])]
    places = []
    for wanted in (time, column):
        if wanted not in head:
            known = nearest(wanted, head) or f"; its columns are {', '.join(map(shown, head[:8])) or 'none'}"
            raise ModelError(f"the file {name} has no column {shown(wanted)}{known}")
        places.append(head.index(wanted))
    found: tuple[list[float], list[float]] = ([], [])
    for line, row in enumerate(rows, 2):
        if not row:
            continue
        for place, numbers, wanted in zip(places, found, (time, column), strict=True):
            try:
                numbers.append(float(row[place]))
            except (IndexError, ValueError):
                met = shown(row[place]) if place < len(row) else "nothing"
                raise ModelError(f"row {line} of {name} has {met} as {shown(wanted)}; a number is expected") from None
    return found


def checked(
    times: Sequence[float], values: Sequence[float], between: str, source: tuple[str, str, str] | None = None
) -> Signal:
    """A signal of finite numbers whose times rise."""
    if len(times) != len(values):
        raise ModelError(f"{len(times)} times and {len(values)} values were met; as many are expected")
    if not times:
        raise ModelError("there are no times; at least one is expected")
    for place, number in enumerate((*times, *values)):
        if not math.isfinite(number):
            raise ModelError(f"entry {place % len(times) + 1} is {number}, and finite numbers are expected")
    for place in range(1, len(times)):
        if times[place] <= times[place - 1]:
            raise ModelError(f"the times do not rise: entry {place + 1} is {times[place]:g} after {times[place - 1]:g}")
    return Signal(tuple(map(float, times)), tuple(map(float, values)), between, source)


@dataclass(frozen=True, eq=False)
class Pieces:
    """A signal as the engine reads it: from knot k on, c₀ + c₁ s + c₂ s² + c₃ s³ with s = t − times[k].

    `cubic` is the natural spline through the data. Before the first knot and after the last the value stays.
    """

    times: np.ndarray
    cubics: np.ndarray  # a row for each knot

    def __call__(self, t: float | np.ndarray) -> np.ndarray:
        """The value at times; at a knot, and so near before it that only rounding is between, that after it."""
        t = np.asarray(t, dtype=float)
        place = np.searchsorted(self.times, t + SAME_TIME * np.abs(t), "right") - 1
        c = self.cubics[np.maximum(place, 0)]
        s = np.where(place < 0, 0.0, t - self.times[np.maximum(place, 0)])
        return c[..., 0] + s * (c[..., 1] + s * (c[..., 2] + s * c[..., 3]))


def pieces(signal: Signal) -> Pieces:
    times, values = np.array(signal.times), np.array(signal.values)
    cubics = np.zeros((len(times), 4))
    cubics[:, 0] = values
    if signal.between == "linear":
        cubics[:-1, 1] = np.diff(values) / np.diff(times)
    elif signal.between == "cubic" and len(times) > 1:
        from scipy.interpolate import CubicSpline

        cubics[:-1] = CubicSpline(times, values, bc_type="natural").c[::-1].T
    return Pieces(times, cubics)
