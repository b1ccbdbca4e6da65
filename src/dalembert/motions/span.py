"""A motion's time and steps: the one record that everything which follows a motion takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Stepper
from dalembert.errors import ModelError
from dalembert.model.tables import ONE_LENGTH, STEPPERS

Progress = Callable[[float], None]

# A stiff motion keeps explicit steps if it needs no more of them than this: implicit ones cost more each.
PATIENCE = 2000
GAUSS_STEPS = 1000  # of a motion without a given step
MOST_STEPS = 2**29 - 1  # of one length: the evaluations of a motion, four per step, are counted in 32 bits


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """The start and end of a motion, the ascending times of its samples, and how it is stepped."""

    start: float
    end: float
    samples: Sequence[float] | np.ndarray = ()
    tolerance: float = 1e-9
    stepper: str = "auto"
    step: float | None = None  # the length of fixed steps, or the longest one
    dense: bool = False  # whether the interpolant of every step is kept
    progress: Progress | None = None  # called with the part of the motion that is done
    most_steps: int | None = None  # after so many steps the motion is interrupted, and the part so far is kept

    @property
    def length(self) -> float:
        return self.end - self.start

    def settings(self) -> engine.Settings:
        """The same in the engine's struct. Steps of one length are made to end at the end."""
        longest = self.length if self.step is None else self.step
        if self.stepper in ONE_LENGTH:
            length = self.length / GAUSS_STEPS if self.step is None else self.step
            longest = self.length / max(1, round(self.length / length)) if self.length > 0 else 1.0
        automatic = self.stepper == "auto"
        chosen = Stepper.DOP853 if automatic else Stepper[self.stepper.upper()]
        return engine.Settings(self.start, self.end, self.tolerance, longest, PATIENCE, chosen, automatic)


def require_stepper(stepper: str, step: float | None, length: float) -> None:
    """Refuse a stepper that does not exist, and a step with which no motion of this length ends."""
    if stepper not in STEPPERS:
        known = ", ".join(STEPPERS)
        raise ModelError("{stepper!r} is no stepper: expected one of {steppers}", stepper=stepper, steppers=known)
    require_step(stepper, step, length)


def require_step(stepper: str, step: float | None, length: float) -> None:
    """Refuse a step that is no positive number, and more steps of one length than are counted."""
    if step is None:
        return
    if not 0 < step < inf:
        raise ModelError("the step is {step!r}: expected a positive number", step=step)
    if stepper in ONE_LENGTH and length / step > MOST_STEPS:
        raise ModelError(
            "{count:.4g} steps of {step:g} were asked for, and at most {most_steps:,} are taken; give a longer one",
            count=length / step,
            step=step,
            most_steps=MOST_STEPS,
        )
