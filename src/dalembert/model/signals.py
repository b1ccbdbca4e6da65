"""Data for inputs: columns of a CSV file in the model's folder, or lists in the model; checked and evaluated."""

from __future__ import annotations

import csv
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest, shown
from dalembert.model.machine import Signal

BETWEEN = ("hold", "linear", "cubic")
LARGEST = 200_000_000  # bytes of a file


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


def value_at(signal: Signal, t: float) -> float:
    """The value at a time; `cubic` is the natural spline through the data."""
    times, values = signal.times, signal.values
    if t <= times[0] or len(times) == 1:
        return values[0]
    if t >= times[-1]:
        return values[-1]
    place = bisect_right(times, t) - 1
    if signal.between == "hold":
        return values[place]
    if signal.between == "linear":
        part = (t - times[place]) / (times[place + 1] - times[place])
        return values[place] + part * (values[place + 1] - values[place])
    from scipy.interpolate import CubicSpline

    return float(CubicSpline(times, values, bc_type="natural")(t))
