"""The request for a sweep as data: everything that its numbers depend on, and a fingerprint of that.

It is stored in the manifest next to the result, and sent without its values to the workers of a cluster.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.model.record import ModelRecord
from dalembert.model.signals import covered
from dalembert.model.write import write_text
from dalembert.motions.span import require_step
from dalembert.sweep.asked import asked_space
from dalembert.sweep.records import INSPECTED, Wish, wishes
from dalembert.sweep.space import Space

ENGINES = ("threads", "reference", "gpu")  # the first one unless another is asked for
DURATION = 10.0  # default duration, as for `simulate`
STEPPERS = ("auto", "dop853", "gauss", "radau", "rk4")


@dataclass(frozen=True)
class Order:
    """Everything that the numbers depend on."""

    model: ModelRecord
    space: Space
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

    @cached_property
    def text(self) -> str:
        """The model as a file would state it, for people and for comparisons: nothing is computed from it."""
        return write_text(self.model)

    @cached_property
    def told(self) -> dict[str, Any]:
        """The same as JSON, with arrays replaced by their hash."""
        rest = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("model", "space")}
        whole = {"model": self.text, "varied": self.space.told(), **rest}
        return json.loads(json.dumps(whole))  # type: ignore[no-any-return]

    @cached_property
    def fingerprint(self) -> str:
        return sha256(json.dumps(self.told, sort_keys=True).encode()).hexdigest()

    def without_values(self) -> Order:
        """The part that a worker needs to derive and compile. The values come with its tasks."""
        return replace(self, space=self.space.without_values())


def ordered(
    record: ModelRecord,
    vary: Mapping[str, Any] | None = None,
    *,
    sample: int | None = None,
    seed: int = 0,
    spread: Mapping[str, str] | None = None,
    keep: Iterable[str] = ("final",),
    engine: str = ENGINES[0],
    method: str | None = None,
    until: float | None = None,
    tolerance: float | None = None,
    stepper: str | None = None,
    step: float | None = None,
    strict: bool = False,
) -> Order:
    """Make an order. The model's settings are the defaults. Faults of the call are refused here."""
    from dalembert import __version__

    space, kept = asked_space(record, vary or {}, sample, seed, spread), tuple(keep)
    own = record.simulation
    start = float(own.start)
    end = start + (DURATION if own.duration is None else float(own.duration)) if until is None else float(until)
    if not (np.isfinite(end) and end > start):
        raise ModelError(
            "the motions start at t = {start:.10g} and cannot end at {end:.10g}; give a later time",
            start=start,
            end=end,
        )
    covered(record, start, end)
    tolerance = own.tolerance if tolerance is None else tolerance
    if not 0 < tolerance <= 1e-2:
        raise ModelError(
            "the tolerance is {tolerance:g}; it must be greater than 0 and at most 0.01", tolerance=tolerance
        )
    stepper, step = stepper or own.stepper, own.step if step is None else step
    if stepper not in STEPPERS:
        raise ModelError(
            "{stepper!r} is no stepper: expected one of {steppers}", stepper=stepper, steppers=", ".join(STEPPERS)
        )
    require_step(stepper, step, end - start)
    wanted = wishes(record, kept, start, end)
    made = Order(
        record, space, kept, method or own.method, start, end, tolerance, stepper, step, strict, engine, __version__
    )
    if stepper == "rk4":
        _require_fixed_steps(made, wanted)
    return made


def _require_fixed_steps(order: Order, wanted: tuple[Wish, ...]) -> None:
    """Refuse steps of one length, unless a GPU computes smooth motions of which only the end is kept."""
    model = order.model
    if order.engine != "gpu":
        raise ModelError(
            "the stepper rk4, Runge and Kutta's with steps of one length, is there on a GPU alone: "
            "give --gpu, or take another stepper (gauss has steps of one length as well)"
        )
    if order.step is None:
        raise ModelError("the stepper rk4 takes steps of one length, and none was given; say which, as in --step 1e-3")
    events = [f"[{table}.{name}]" for table in ("contacts", "frictions", "events") for name in getattr(model, table)]
    if events:
        raise ModelError(
            "the stepper rk4 looks at nothing between its steps, and this model has {events}; leave out --stepper rk4",
            events=events[0],
        )
    beyond = [wish.name for wish in wanted if wish.kind == "derivative" or wish.kind not in ("final", *INSPECTED)]
    if beyond:
        raise ModelError(
            "the stepper rk4 keeps only quantities at the end of a motion, and {beyond!r} was asked for; keep "
            "final quantities, or leave out --stepper rk4",
            beyond=beyond[0],
        )
