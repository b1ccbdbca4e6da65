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


def beyond(m: Maker, values: Sequence[tuple[Place, float]]) -> Place:
    """Whether each value is farther from zero than its limit, on the side of the limit."""
    fine = m.truth(True)
    for value, limit in values:
        pair = (m.number(limit), value)
        fine = m.both(fine, m.compare("lt", *(pair if limit > 0.0 else pair[::-1])))
    return fine


def signs(m: Maker, values: Sequence[tuple[Place, int]]) -> Place:
    """Whether each value has its sign."""
    fine = m.truth(True)
    for value, sign in values:
        pair = (m.number(0.0), value)
        fine = m.both(fine, m.compare("lt", *(pair if sign > 0 else pair[::-1])))
    return fine
