"""Taylor coefficients of a motion as one compiled function, written out or as a loop, whichever runs faster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.equations import Equations
from dalembert.programs import jets, taylor
from dalembert.programs.expressions import take
from dalembert.programs.functions import FEW_TIMES, OFTEN, Function, function, made
from dalembert.programs.products import begun
from dalembert.programs.program import Program
from dalembert.programs.series import products

SHORT = 1000  # operations up to which the code is written out; longer code compiles slowly, and a loop runs as fast
LONG = 150  # products beyond which a loop is not optimized: LLVM would take seconds, and other methods are faster


def jet(slopes: Program, coordinates: int, order: int, level: int = OFTEN) -> Function | None:
    """`void f(double *out, const double *in, void *)` with the outputs of `jets.jet`, or None if the slopes have a
    kink.

    out is y[0], …, y[order] (2n numbers each), g[0], …, g[order] of the quantities between the accelerations and
    `fine`, and `fine`.
    """
    if not jets.smooth(slopes.selected(range(len(slopes.outputs) - 1))):
        return None
    if order < taylor.LEAST or products(slopes, coordinates) * order * order <= SHORT:
        written = jets.jet(slopes, coordinates, order)
        return None if written is None else function(written, level)
    text = taylor.module(slopes, coordinates, order)
    assert text is not None
    level = level if slopes.cost["mul"] <= LONG else FEW_TIMES
    size = (order + 1) * (coordinates + len(slopes.outputs) - 1) + 1
    key = (slopes.digest + bytes([order, coordinates]), level, 0)
    return made(key, lambda: text, slopes, size)


def with_others(slopes: Program, eq: Equations, expressions: Sequence[Any]) -> Program:
    """The slopes with other quantities of x, such as guards and gaps, between the accelerations and `fine`."""
    code, places = begun(eq)
    *a, fine = code.copied(slopes, list(places.values()))
    return code.program([*a, *take(code, places, expressions), fine])
