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


def slopes(eq: Equations, x: np.ndarray, effort: int = QUICK) -> Slopes | None:
    """The program from x to (a, fine), for motions that start at x, or None if the solve cannot be written out."""
    if not solve.applies(eq):
        return None
    record, known = _known(eq, x)
    best = _by_speeds(eq, x, effort, record, known)
    if best is None or best.program.price >= record.price:  # otherwise no solve from the record can cost less
        best = _cheapest(_solved(eq, "as it stands", record, [], known, effort), known, best)
    if effort == THOROUGH:
        best = _cheapest(_specialized(eq, x, known), known, best)
    return best


def steady(eq: Equations, x: np.ndarray, everywhere: np.ndarray) -> Program | None:
    """The program by independent speeds that is fine at all states `everywhere`, or None if a solve costs less at x."""
    record, known = _known(eq, x)
    best = _by_speeds(eq, x, QUICK, record, known, everywhere)
    if best is None:
        return None
    solves = () if best.program.price < record.price else _solved(eq, "", record, [], known, QUICK)
    return best.program if _cheapest(solves, known, best) is best else None


def reduced(eq: Equations, x: np.ndarray) -> Reduced | None:
    """The same in coordinates and independent speeds, or None if no permanent choice of speeds is known."""
    if not solve.applies(eq):
        return None
    _, known = _known(eq, x)
    ways = (maggi(eq, x, TRIALS[THOROUGH], fewer=True), multibody(eq, x, fewer=True))
    forms = [by_speeds.reduced(eq, way) for way in ways]
    found = [form for form in forms if form is not None and known().agrees_reduced(form)]
    return min(found, key=lambda form: form.slopes.price, default=None)


def _known(eq: Equations, x: np.ndarray) -> tuple[Program, Known]:
    """The record's program, and its solution near x, which is computed when it is first needed."""
    record = program(eq.inputs, solve.expressions(eq))
    return record, cache(lambda: reference(eq, record, x))


def _cheapest(ways: Iterable[Slopes], known: Known, best: Slopes | None) -> Slopes | None:
    """The cheapest way that agrees with the record, or `best` if none of these costs less."""
    for found in sorted(ways, key=lambda way: way.program.price):
        if best is not None and found.program.price >= best.program.price:
            break
        if known().agrees(found.program):
            return found
    return best


def _by_speeds(
    eq: Equations, x: np.ndarray, effort: int, record: Program, known: Known, everywhere: np.ndarray | None = None
) -> Slopes | None:
    """By independent speeds: fewer equations, and no multipliers. `everywhere` are states at which it must be fine."""
    if effort < QUICK or not (eq.b or effort == THOROUGH):
        return None
    best = None
    for way in ("independent", "bodies"):
        found = maggi(eq, x, TRIALS[effort]) if way == "independent" else multibody(eq, x, everywhere=everywhere)
        code = by_speeds.slopes(eq, found)
        if code is not None and (everywhere is None or (values_of(code, everywhere)[:, -1] == 1.0).all()):
            best = _cheapest([Slopes(code, way)], known, best)
        if effort < THOROUGH and best is not None and best.program.price < record.price:
            break  # already cheaper than any solve
    return best


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
