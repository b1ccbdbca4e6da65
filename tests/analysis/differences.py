"""Derivatives of motions by central differences of the fourth order, from motions of high accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da
from dalembert.api.motion import simulate_from
from dalembert.model.read import model_of
from dalembert.model.values import initial_values
from dalembert.prepared import prepared
from dalembert.results.motion import Motion


def model(data: dict[str, Any], **changes: Any) -> da.Model:
    return da.Model.of(model_of({**data, **changes}))


def value(of: da.Model, name: str) -> float:
    """The value of a parameter, coordinate or speed at the start."""
    values = initial_values(of.record)
    if name in values.parameters:
        return values.parameters[name]
    if name in values.coordinates:
        return values.coordinates[name]
    if name.startswith("multipliers."):
        return float(of.solve().multipliers[name.removeprefix("multipliers.")])
    given = values.speeds[name[:-1]]
    return of.solve().speeds[name[:-1]] if given is None else given


def assert_agree(
    of: da.Model,
    to: list[str],
    until: float,
    step: float = 1e-4,
    bound: float = 1e-7,
    quantities: list[str] | None = None,
    relative: bool = False,
) -> Any:
    """Derivatives of all columns and of event times against differences, at times that no event hits."""
    at = (
        of.record.simulation.start + (until - of.record.simulation.start) * np.array([0.0, 0.317, 0.733, 1.0])
    ).tolist()
    found = of.sensitivities(to, at=at, until=until, of=quantities or _columns(of, at))
    once = prepared(of.record, None, [name for name in to if name in of.record.parameters])
    for name in to:
        here = value(of, name)
        h = step * (_size(of, name, here) if relative else 1.0)
        runs = {
            k: simulate_from(once.at({name: here + k * h}), at=at, until=until, tolerance=1e-13) for k in (-2, -1, 1, 2)
        }
        for quantity in found.of:
            expected = _slope({k: run[quantity] for k, run in runs.items()}, h)
            missed = np.abs(found[quantity, name] - expected).max()
            assert missed <= bound * max(1.0, np.abs(expected).max()), (quantity, name, missed)
        _assert_events(found, name, runs, h, bound)
    return found


def _size(of: da.Model, name: str, here: float) -> float:
    """The size of a value. A speed is compared with the fastest one: of a top that spins, differences lose digits."""
    fastest = max(map(abs, of.solve().speeds.values())) if name.endswith("'") else 0.0
    return max(abs(here), fastest, 1e-2)


def _columns(of: da.Model, at: list[float]) -> list[str]:
    run = of.simulate(at=at[:1], until=at[-1])
    return [name for name in run.columns() if name != "t"]


def _assert_events(found: Any, name: str, runs: dict[int, Motion], step: float, bound: float) -> None:
    names = of_coordinates(found)
    for i, event in enumerate(found.events):
        there = {k: [e for e in run.events if e.kind != "kink"][i] for k, run in runs.items()}
        assert {e.kind for e in there.values()} == {event.kind}
        expected = _slope({k: e.time for k, e in there.items()}, step)
        assert abs(event.time_by[name] - expected) <= bound * max(1.0, abs(expected)), (event, expected)
        for q in names:
            expected = _slope({k: e.after[q] for k, e in there.items()}, step)
            assert abs(event.after_by[f"{q}'"][name] - expected) <= bound * max(1.0, abs(expected)), (event.kind, q)


def of_coordinates(found: Any) -> list[str]:
    return list(found.motion.coordinates)


def _slope(runs: dict[int, Any], step: float) -> Any:
    return (8 * (runs[1] - runs[-1]) - (runs[2] - runs[-2])) / (12 * step)
