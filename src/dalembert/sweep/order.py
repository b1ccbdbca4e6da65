"""What is asked of a sweep, as data: what its numbers depend on, and a fingerprint of that.

It travels to the manifest beside the result, and without its values to the workers of a cluster.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.model.record import Model
from dalembert.model.write import write_text
from dalembert.sweep.records import wishes
from dalembert.sweep.space import Columns, Space

DURATION = 10.0  # of a model that states none, as of `simulate`


@dataclass(frozen=True)
class Order:
    """All that the numbers depend on."""

    model: str  # the text of its file
    space: Space | Columns
    record: tuple[str, ...]
    method: str | None
    start: float
    end: float
    tolerance: float
    stepper: str
    step: float | None
    strict: bool
    engine: str
    version: str

    def told(self) -> dict[str, Any]:
        """The same in JSON, arrays by their hash."""
        return {
            "model": self.model,
            "varied": self.space.told(),
            "record": list(self.record),
            "method": self.method,
            "start": self.start,
            "end": self.end,
            "tolerance": self.tolerance,
            "stepper": self.stepper,
            "step": self.step,
            "strict": self.strict,
            "engine": self.engine,
            "version": self.version,
        }

    @cached_property
    def fingerprint(self) -> str:
        return sha256(json.dumps(self.told(), sort_keys=True).encode()).hexdigest()

    @property
    def motions(self) -> Space:
        if not isinstance(self.space, Space):
            raise TypeError("this order knows the names of what varies, and not the values")
        return self.space

    def without_values(self) -> Order:
        """What a worker needs to derive and compile; values come with its tasks."""
        return replace(self, space=Columns(self.space.names))


def order(
    record: Model,
    space: Space,
    kept: tuple[str, ...],
    *,
    version: str,
    engine: str,
    method: str | None = None,
    until: float | None = None,
    tolerance: float | None = None,
    stepper: str | None = None,
    step: float | None = None,
    strict: bool = False,
) -> Order:
    """What is asked, with the model's own settings where nothing is said; faults of the call are refused here."""
    own = record.simulation
    start = float(own.start)
    end = start + (DURATION if own.duration is None else float(own.duration)) if until is None else float(until)
    if not (np.isfinite(end) and end > start):
        raise ModelError(f"the motions start at t = {start:.10g} and cannot end at {end:.10g}; give a later time")
    tolerance = own.tolerance if tolerance is None else tolerance
    if not 0 < tolerance <= 1e-2:
        raise ModelError(f"the tolerance is {tolerance:g}; it must be greater than 0 and at most 0.01")
    stepper, step = stepper or own.stepper, own.step if step is None else step
    if stepper not in ("auto", "dop853", "gauss", "radau"):
        raise ModelError(f"{stepper!r} is no stepper: expected one of auto, dop853, gauss, radau")
    if step is not None and not 0 < step < np.inf:
        raise ModelError(f"the step is {step!r}; a positive number is expected")
    wishes(record, kept, start, end)
    return Order(
        write_text(record), space, tuple(kept), method or own.method, start, end, tolerance, stepper, step, strict,
        engine, version,
    )  # fmt: skip
