"""Accelerations of a model as one program, computed in the way with the lowest cost.

    as it stands    the record's expressions, and the solve of `solve`
    by pivots       the same with the pivots of the start (`nullspace`), if rows are redundant or it is cheaper
    independent     dependent speeds eliminated permanently (`maggi`)
    bodies          body by body, after Kane (`bodies`)
    specialized     the record's expressions in their cheapest forms (`simplify`), then as it stands or by pivots

Each one has an output `fine` that watches it, and is compared with the record's own solution at states near the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from dalembert.equations import Equations
from dalembert.programs import by_speeds, nullspace, solve, watch
from dalembert.programs.agreement import ReferenceStates, reference
from dalembert.programs.bodies.kane import multibody
from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import program
from dalembert.programs.maggi import maggi
from dalembert.programs.products import Reduced, Slopes, begun, names
from dalembert.programs.program import Program
from dalembert.programs.simplify import specialized

PLAIN, QUICK, THOROUGH = 0, 1, 2  # time allowed for the search: milliseconds, tens of milliseconds, seconds
Known = Callable[[], ReferenceStates]
TRIALS = {QUICK: 500, THOROUGH: 40000}  # operations that the search for the cheapest forms may count


def slopes(eq: Equations, x: np.ndarray, effort: int = QUICK, everywhere: np.ndarray | None = None) -> Slopes | None:
    """The program from x to (a, fine), for motions that start at x, or None if the solve cannot be written out.

    With `everywhere`, None too if no program by independent speeds is fine at all these states.
    """
    if not solve.applies(eq):
        return None
    record = program(eq.inputs, solve.expressions(eq))
    known = cache(lambda: reference(eq, record, x))  # made when a program is compared with it
    best, enough = None, False
    for found in _by_speeds(eq, x, effort, everywhere):
        best = _cheapest([found], known, best)
        enough = best is not None and best.program.price < record.price  # no solve from the record can cost less
        if enough and effort < THOROUGH:
            return best
    if not enough and (best is not None or everywhere is None):
        best = _cheapest(_solved(eq, "as it stands", record, [], known, effort), known, best)
    if effort == THOROUGH:
        best = _cheapest(_specialized(eq, x, known), known, best)
    return best


def reduced(eq: Equations, x: np.ndarray) -> Reduced | None:
    """The same in coordinates and independent speeds, or None if no permanent choice of speeds is known."""
    if not solve.applies(eq):
        return None
    known = reference(eq, program(eq.inputs, solve.expressions(eq)), x)
    ways = (maggi(eq, x, TRIALS[THOROUGH], fewer=True), multibody(eq, x, fewer=True))
    forms = [by_speeds.reduced(eq, way) for way in ways]
    found = [form for form in forms if form is not None and known.agrees_reduced(form)]
    return min(found, key=lambda form: form.slopes.price, default=None)


def _cheapest(ways: Iterable[Slopes], known: Known, best: Slopes | None) -> Slopes | None:
    for found in ways:
        if (best is None or found.program.price < best.program.price) and known().agrees(found.program):
            best = found
    return best


def _by_speeds(eq: Equations, x: np.ndarray, effort: int, everywhere: np.ndarray | None) -> Iterator[Slopes]:
    """By independent speeds: fewer equations, and no multipliers."""
    for way in ("independent", "bodies") if effort >= QUICK and (eq.b or effort == THOROUGH) else ():
        found = maggi(eq, x, TRIALS[effort]) if way == "independent" else multibody(eq, x, states=everywhere)
        code = by_speeds.slopes(eq, found)
        if code is not None and (everywhere is None or (values_of(code, everywhere)[:, -1] == 1.0).all()):
            yield Slopes(code, way)


def _specialized(eq: Equations, x: np.ndarray, known: Known) -> Iterator[Slopes]:
    outputs, signs = specialized(eq.inputs, solve.expressions(eq), x)
    cheaper = program(eq.inputs, [*outputs, *(letter for letter, _ in signs)])
    yield from _solved(eq, "specialized", cheaper, signs, known, THOROUGH)


def _solved(
    eq: Equations, way: str, record: Program, signs: Sequence[tuple[Any, int]], known: Known, effort: int
) -> Iterator[Slopes]:
    """Solve with the record's entries, whose forms may assume signs (their letters are the last outputs)."""
    code, places = begun(eq)
    values = code.copied(record, list(places.values()))
    letters = values[len(values) - len(signs) :]
    held = watch.signs(code, [(place, sign) for place, (_, sign) in zip(letters, signs, strict=True)])
    entries = solve.SystemPlaces(code, eq, values)
    redundant: tuple[int, ...] = ()
    if eq.b and len(known().A):
        pivots = nullspace.pivots_of(known().A[0])
        redundant = pivots.left
        if redundant or effort >= QUICK:
            a, fine = nullspace.accelerations(code, entries, pivots)
            yield Slopes(code.program([*a, code.both(held, fine)], names(eq)), f"{way}, by pivots", redundant)
    if not redundant:
        a, fine = solve.accelerations(code, entries)
        yield Slopes(code.program([*a, code.both(held, fine)], names(eq)), way)
