"""Data for inputs: columns of a CSV file in the model's folder, or lists in the model; checked and evaluated."""

from __future__ import annotations

import csv
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest, shown
from dalembert.language import tr
from dalembert.model.machine import Signal

BETWEEN = ("hold", "linear", "cubic")
LARGEST = 200_000_000  # bytes of a file


def from_file(folder: Path | None, file: str, column: str, time: str, between: str) -> Signal:
    """The signal in a column of a file that lies in the model's folder."""
    path = _inside(folder, file)
    name = shown(file)
    try:
        if path.stat().st_size > LARGEST:
            raise ModelError(
                tr(
                    "the file {name} is larger than {largest} MB, the most that is read",
                    name=name,
                    largest=LARGEST // 1000000,
                )
            )
        with path.open(newline="", encoding="utf-8-sig") as stream:
            times, values = _columns(csv.reader(stream), name, column, time)
    except FileNotFoundError:
        raise ModelError(tr("there is no file {name} in the model's folder", name=name)) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(tr("the file {name} cannot be read as CSV: {reason}", name=name, reason=reason)) from None
    return checked(times, values, between, (file, column, time))


def _inside(folder: Path | None, file: str) -> Path:
    """Where a file of the model's folder is; no other file is ever opened."""
    if folder is None:
        raise ModelError(
            tr("the file {file} is asked for, and the model has no folder; give times and values", file=shown(file))
        )
    root = folder.resolve()
    try:
        path = (root / file).resolve()
    except (OSError, ValueError, RuntimeError):
        raise ModelError(tr("{file} is no path of a file", file=shown(file))) from None
    if Path(file).is_absolute() or not path.is_relative_to(root) or path == root:
        raise ModelError(tr("the file {file} is outside the model's folder; copy it there", file=shown(file)))
    if path.exists() and not path.is_file():
        raise ModelError(tr("{file} is not a file", file=shown(file)))
    return path


def _columns(rows: Iterator[list[str]], name: str, column: str, time: str) -> tuple[list[float], list[float]]:
    head = [entry.strip() for entry in next(rows, [])]
    places = []
    for wanted in (time, column):
        if wanted not in head:
            known = nearest(wanted, head) or tr(
                "; its columns are {shown}", shown=", ".join(map(shown, head[:8])) or "none"
            )
            raise ModelError(
                tr("the file {name} has no column {wanted}{known}", name=name, wanted=shown(wanted), known=known)
            )
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
                raise ModelError(
                    tr(
                        "row {line} of {name} has {met} as {wanted}; a number is expected",
                        line=line,
                        name=name,
                        met=met,
                        wanted=shown(wanted),
                    )
                ) from None
    return found


def checked(
    times: Sequence[float], values: Sequence[float], between: str, source: tuple[str, str, str] | None = None
) -> Signal:
    """A signal of finite numbers whose times rise."""
    if len(times) != len(values):
        raise ModelError(
            tr("{count} times and {count2} values were met; as many are expected", count=len(times), count2=len(values))
        )
    if not times:
        raise ModelError(tr("there are no times; at least one is expected"))
    for place, number in enumerate((*times, *values)):
        if not math.isfinite(number):
            raise ModelError(
                tr(
                    "entry {place} is {number}, and finite numbers are expected",
                    place=place % len(times) + 1,
                    number=number,
                )
            )
    for place in range(1, len(times)):
        if times[place] <= times[place - 1]:
            raise ModelError(
                tr(
                    "the times do not rise: entry {place} is {times:g} after {times2:g}",
                    place=place + 1,
                    times=times[place],
                    times2=times[place - 1],
                )
            )
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
