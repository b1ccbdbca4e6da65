"""The options of a call for a motion: checked, and completed by the model's own settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.model.forms import met
from dalembert.model.record import MOST_SAMPLES, ModelRecord
from dalembert.model.signals import covered
from dalembert.motions.span import Progress, TimeSpan

DURATION = 10.0  # seconds, if neither the call nor the model states a duration
SAMPLES = 501


@dataclass(frozen=True, slots=True)
class Sampling:
    """The sample times, in the order of the call, and the start and end of the motion."""

    start: float
    end: float
    times: np.ndarray
    exact: bool = False  # the caller gave these times, so no other is added
    notes: tuple[str, ...] = ()

    @property
    def ordered(self) -> np.ndarray:
        """Every sample time once, in order (`np.unique` would load `numpy.ma` first)."""
        times = np.sort(self.times)
        return times[np.concatenate([[True], np.diff(times) > 0])]


@dataclass(frozen=True, slots=True)
class Stepping:
    """Options of the steps, complete."""

    tolerance: float
    stepper: str
    step: float | None
    dense: bool
    progress: Progress | None

    def span(self, start: float, end: float, samples: np.ndarray) -> TimeSpan:
        """These options with a start, an end and ascending times of samples."""
        return TimeSpan(start, end, samples, self.tolerance, self.stepper, self.step, self.dense, self.progress)


def stepping(
    record: ModelRecord,
    tolerance: float | None = None,
    stepper: str | None = None,
    step: float | None = None,
    dense: bool = False,
    progress: Progress | None = None,
) -> Stepping:
    """The options of a call, completed by the model's own settings."""
    _be_numbers(tolerance=tolerance, step=step)
    settings = record.simulation
    tolerance = settings.tolerance if tolerance is None else tolerance
    if not 0 < tolerance <= 1e-2:
        raise ModelError(
            "the tolerance is {tolerance:g}; it must be greater than 0 and at most 0.01.", tolerance=tolerance
        )
    return Stepping(tolerance, stepper or settings.stepper, settings.step if step is None else step, dense, progress)


def _be_numbers(**options: Any) -> None:
    for name, value in options.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | np.number)):
            raise ModelError("{name}: {met} was met, and a number is expected", name=name, met=met(value))


def sampling(
    record: ModelRecord, until: float | None = None, samples: int | None = None, at: Iterable[float] | None = None
) -> Sampling:
    """The sample times of a call. `until` is a time, not a duration; with `at` the samples are exactly those times."""
    _be_numbers(until=until, samples=samples)
    start, settings = float(record.simulation.start), record.simulation
    if samples is not None and at is not None:
        raise ModelError("give a number of samples or the times themselves, not both.")
    if until is not None and not (np.isfinite(until) and until > start):
        wanted = tr("a later time") if np.isfinite(until) else tr("a finite time")
        raise ModelError(
            "the motion starts at t = {start:.10g} and cannot end at {until:.10g}; give {wanted}.",
            start=start,
            until=until,
            wanted=wanted,
        )
    if at is not None:
        try:
            times = np.array(list(at), float)
        except (TypeError, ValueError):
            times = np.array([np.nan])
        if times.ndim != 1 or not len(times) or not np.isfinite(times).all():
            raise ModelError("the times asked for must be finite numbers, at least one.")
        if times.min() < start:
            raise ModelError(
                "the motion starts at t = {start:.10g}, and {times:.10g} is before that.",
                start=start,
                times=times.min(),
            )
        end = float(times.max()) if until is None else float(until)
        if times.max() > end:
            raise ModelError(
                "the motion ends at t = {end:.10g}, and {times:.10g} is after that.", end=end, times=times.max()
            )
        covered(record, start, end)
        return Sampling(start, end, times, exact=True)
    notes: tuple[str, ...] = ()
    if until is None:
        if settings.duration is None:
            notes = (tr("The model states no duration; {duration:g} s were taken.", duration=DURATION),)
        until = start + (DURATION if settings.duration is None else float(settings.duration))
    count = settings.samples or SAMPLES if samples is None else samples
    if not 2 <= count <= MOST_SAMPLES or count != int(count):
        raise ModelError(
            "{count} samples were asked for; a whole number from 2 to {most_samples} million is expected.",
            count=count,
            most_samples=MOST_SAMPLES // 10**6,
        )
    covered(record, start, float(until))
    return Sampling(start, float(until), np.linspace(start, float(until), int(count)), notes=notes)
