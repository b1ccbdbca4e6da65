"""Data for inputs: columns of a CSV file in the model's folder, or lists in the model; checked and evaluated."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest, shown
from dalembert.language import tr
from dalembert.model.machine import Signal
from dalembert.model.record import ModelRecord
from dalembert.model.units import Unit

BETWEEN = ("hold", "linear", "cubic")
RATE, RATE2 = ".rate", ".rate2"  # these endings of a name mark the derivatives of data
LARGEST = 200_000_000  # bytes of a file
SAME_TIME = 8 * 2.0**-52  # relative difference of equal times, the same as in the engine


def from_file(folder: Path | None, file: str, column: str, time: str, between: str) -> Signal:
    """The signal in a column of a file that lies in the model's folder."""
    path = _inside(folder, file)
    name = shown(file)
    try:
        if path.stat().st_size > LARGEST:
            raise ModelError(
                "the file {name} is larger than {largest} MB, the most that is read",
                name=name,
                largest=LARGEST // 1000000,
            )
        with path.open(newline="", encoding="utf-8-sig") as stream:
            times, values = _columns(csv.reader(stream), name, column, time)
    except FileNotFoundError:
        raise ModelError("there is no file {name} in the model's folder", name=name) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError("the file {name} cannot be read as CSV: {reason}", name=name, reason=reason) from None
    return checked(times, values, between, (file, column, time))


def _inside(folder: Path | None, file: str) -> Path:
    """The path of a file in the model's folder. No other file is ever opened."""
    if folder is None:
        raise ModelError(
            "the file {file} is asked for, and the model has no folder; give times and values", file=shown(file)
        )
    root = folder.resolve()
    try:
        path = (root / file).resolve()
    except (OSError, ValueError, RuntimeError):
        raise ModelError("{file} is not the path of a file in the model's folder", file=shown(file)) from None
    if Path(file).is_absolute() or not path.is_relative_to(root) or path == root:
        raise ModelError("the file {file} is outside the model's folder; copy it there", file=shown(file))
    if path.exists() and not path.is_file():
        raise ModelError("{file} is not a file", file=shown(file))
    return path


def _columns(rows: Iterator[list[str]], name: str, column: str, time: str) -> tuple[list[float], list[float]]:
    head = [entry.strip() for entry in next(rows, [])]
    places = []
    for wanted in (time, column):
        if wanted not in head:
            known = nearest(wanted, head) or tr(
                "; its columns are {shown}", shown=", ".join(map(shown, head[:8])) or tr("none")
            )
            raise ModelError(
                "the file {name} has no column {wanted}{known}", name=name, wanted=shown(wanted), known=known
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
                    "row {line} of {name} has {met} as {wanted}; a number is expected",
                    line=line,
                    name=name,
                    met=met,
                    wanted=shown(wanted),
                ) from None
    return found


def checked(
    times: Sequence[float], values: Sequence[float], between: str, source: tuple[str, str, str] | None = None
) -> Signal:
    """A signal of finite numbers with ascending times."""
    if len(times) != len(values):
        raise ModelError(
            "{count} times and {count2} values were met; equal numbers are expected",
            count=len(times),
            count2=len(values),
        )
    if not times:
        raise ModelError("there are no times; at least one is expected")
    for place, number in enumerate((*times, *values)):
        if not math.isfinite(number):
            raise ModelError(
                "entry {place} is {number}, and finite numbers are expected",
                place=place % len(times) + 1,
                number=number,
            )
    for place in range(1, len(times)):
        if times[place] <= times[place - 1]:
            raise ModelError(
                "the times do not ascend: entry {place} is {times:g} after {times2:g}; sort the rows by time",
                place=place + 1,
                times=times[place],
                times2=times[place - 1],
            )
    return Signal(tuple(map(float, times)), tuple(map(float, values)), between, source)


@dataclass(frozen=True, eq=False)
class Pieces:
    """A signal as the engine reads it: from knot k on, c₀ + c₁ s + c₂ s² + c₃ s³ with s = t − times[k].

    `cubic` is the natural spline through the data. Before the first knot and after the last, the value is constant.
    """

    times: np.ndarray
    cubics: np.ndarray  # a row for each knot

    def __call__(self, t: float | np.ndarray) -> np.ndarray:
        """The values at times. A time that equals a knot within rounding belongs to the piece after the knot."""
        t = np.asarray(t, dtype=float)
        place = np.searchsorted(self.times, t + SAME_TIME * np.abs(t), "right") - 1
        c = self.cubics[np.maximum(place, 0)]
        s = np.where(place < 0, 0.0, t - self.times[np.maximum(place, 0)])
        return c[..., 0] + s * (c[..., 1] + s * (c[..., 2] + s * c[..., 3]))

    def slope(self, t: np.ndarray) -> np.ndarray:
        """The derivatives at times. At a knot, it is that of the piece after the knot."""
        place = np.searchsorted(self.times, t, "right") - 1
        c = self.cubics[np.maximum(place, 0)]
        s = t - self.times[np.maximum(place, 0)]
        return np.where(place < 0, 0.0, c[..., 1] + s * (2 * c[..., 2] + 3 * s * c[..., 3]))


def signal_in_si(signal: Signal, of: Unit) -> Signal:
    if of.coherent:
        return signal
    return replace(signal, values=tuple(of.factor * value + of.offset for value in signal.values))


def covered(model: ModelRecord, start: float, end: float) -> None:
    """Refuse data that end before the motion if a constraint needs their derivatives, which would jump there."""
    for name, entry in model.inputs.items():
        signal = entry.signal
        if signal is None or signal.order != 1 or signal.between == "linear":  # the latter only bend where they end
            continue
        if not (signal.times[0] <= start and end <= signal.times[-1]):
            raise ModelError(
                "a constraint follows the data of {name} from t = {first:g} to {last:g}, and the motion goes from "
                "{start:g} to {end:g}; give data for all of it, or another end",
                name=name.removesuffix(RATE),
                first=signal.times[0],
                last=signal.times[-1],
                start=start,
                end=end,
            )


def pieces(signal: Signal) -> Pieces:
    times, values = np.array(signal.times), np.array(signal.values)
    cubics = np.zeros((len(times), 4))
    cubics[:, 0] = values
    if signal.between == "linear":
        cubics[:-1, 1] = np.diff(values) / np.diff(times)
    elif signal.between == "cubic" and len(times) > 1:
        from scipy.interpolate import CubicSpline

        cubics[:-1] = CubicSpline(times, values, bc_type="natural").c[::-1].T
    for _ in range(signal.order):
        cubics = np.column_stack([cubics[:, 1:] * [1.0, 2.0, 3.0], np.zeros(len(times))])
    if signal.order and signal.between == "cubic" and len(times) > 1:
        # the motion ends with the data, and uses the derivative from the left
        cubics[-1, 0] = np.polyval(cubics[-2, ::-1], times[-1] - times[-2])
    return Pieces(times, cubics)
