"""Conditions that a fixed choice depends on, as outputs of a program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalembert.programs.maker import Maker, Place

CANCELLED = 2.0**-43  # a pivot smaller than this fraction of its entry has vanished by cancellation


def counts(m: Maker, pivots: Iterable[tuple[Place, Place]]) -> Place:
    """Compare each pivot with the entry before elimination. A much smaller pivot means cancellation."""
    fine = m.truth(True)
    for pivot, entry in pivots:
        fine = m.both(fine, m.compare("lt", m.mul(m.number(CANCELLED), m.abs(entry)), pivot))
    return fine


def signs(m: Maker, values: Sequence[tuple[Place, float]], limited: bool = False) -> Place:
    """Whether each value has the sign of its limit and, if `limited`, is farther from zero than the limit."""
    fine = m.truth(True)
    for value, limit in values:
        pair = (m.number(limit if limited else 0.0), value)
        fine = m.both(fine, m.compare("lt", *(pair if limit > 0.0 else pair[::-1])))
    return fine
