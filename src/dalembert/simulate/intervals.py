"""A step cut into intervals on which guards are followed by the polynomials through their nodes; for plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dalembert.simulate.roots import PLACES, resolved

NARROWEST = 2.0**-12  # part of a step below which a guard that its polynomial does not follow is taken as it is


def followed(
    guards: Callable[[np.ndarray], np.ndarray], t0: float, t1: float
) -> Iterator[tuple[float, float, np.ndarray]]:
    """From left to right: an interval's ends, and the guards at its nodes, a column for each; halved where need be.

    `guards(times)` has a row for each time.
    """
    spans = [(t0, t1)]
    while spans:
        left, right = spans.pop()
        values = guards(left + PLACES * (right - left))
        if right - left > NARROWEST * (t1 - t0) and not all(resolved(column) for column in values.T):
            middle = left + (right - left) / 2
            spans += [(middle, right), (left, middle)]
        else:
            yield left, right, values
