"""Programs of accelerations body by body (`kane.py`): for all speeds, or for coordinates and independent speeds.

For all speeds, the program takes the independent speeds of the state and computes the others from the constraints. A
state slightly off the constraints is thus treated as one that satisfies them. Every pivot is watched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.equations import Equations
from dalembert.programs import watch
from dalembert.programs.bodies.kane import Multibody, multibody
from dalembert.programs.expressions import take
from dalembert.programs.forms import needed
from dalembert.programs.maker import Maker, Place
from dalembert.programs.products import Reduced, begun, names
from dalembert.programs.program import Program


def slopes(eq: Equations, x: np.ndarray) -> Program | None:
    """The program from x to a and `fine`, with the pivots of state x, or None if the model is not a tree of bodies."""
    found = multibody(eq, x)
    if found is None:
        return None
    own = {u: e for u, e in zip(found.u, found.start, strict=True) if u not in eq.v}
    found = replace(found, definitions=found.definitions | own)
    m, places = begun(eq)
    return m.program(_watched(m, places, found, found.accelerations), names(eq))


def reduced(eq: Equations, x: np.ndarray) -> Reduced | None:
    found = multibody(eq, x, near=True)
    if found is None:
        return None
    m, places = begun(eq, found.u)
    rates, u = [f"{c}'" for c in eq.coordinates], [str(symbol) for symbol in found.u]
    outputs = _watched(m, places, found, [*found.speeds, *found.rates])
    return Reduced(
        m.program(outputs, [*rates, *u, "fine"]),
        _plain(eq, eq.v, found, found.start, u),
        _plain(eq, found.u, found, found.speeds, rates),
    )


def _watched(m: Maker, places: dict[Any, Place], found: Multibody, outputs: Sequence[Any]) -> list[Place]:
    """The outputs, and whether the watched conditions hold."""
    pairs = [e for pair in found.pivots for e in pair]
    beyond, signs = [e for e, _ in found.beyond], [e for e, _ in found.signs]
    whole = [*outputs, *pairs, *beyond, *signs]
    taken = iter(take(m, places, whole, needed(found.definitions, whole)))
    results = [next(taken) for _ in outputs]
    fine = watch.counts(m, [(next(taken), next(taken)) for _ in found.pivots])
    fine = m.both(fine, watch.signs(m, [(next(taken), limit) for _, limit in found.beyond], limited=True))
    return [*results, m.both(fine, watch.signs(m, [(next(taken), sign) for _, sign in found.signs]))]


def _plain(eq: Equations, speeds: Sequence[Any], found: Multibody, outputs: Sequence[Any], names: list[str]) -> Program:
    m, places = begun(eq, speeds)
    return m.program(take(m, places, outputs, needed(found.definitions, outputs)), names)
