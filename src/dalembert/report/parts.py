"""Long expressions in terms of named parts that are written once. Every name has a meaning.

Parts of a step that is too long to read are compared with quantities of the system: places, velocities, axes, angular
velocities, entries of D, A, d and b, energies. A part that is a constant times one of them takes its name, and the
quantity is written in terms of others before it. A line that is still too long is split by the rates, M[r, s] q̈_s, then
by the speeds and their products, Γ[r, s, k] q̇_s q̇_k; g[r] is an equation's rest on the other side.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import symengine as se

from dalembert.equations import Equations, Step
from dalembert.report.known import Namer
from dalembert.report.letters import in_letters
from dalembert.report.lines import LARGEST_ROW, fits, length, scalars, values
from dalembert.report.meanings import Explained, together
from dalembert.report.splitting import Splitter

LONG_LINE = 200  # characters; a longer line of a step is written in the names that steps before it have told


def structured(eq: Equations) -> tuple[Step, ...]:
    """The steps of a derivation. A step with expressions that are too long to read begins with their parts."""
    steps = eq.steps
    taken = {symbol.name for step in steps for e in values(step) for symbol in se.sympify(e).free_symbols}
    found, namer, explained = [], Namer(eq, taken), Explained()
    splitter = Splitter(eq, namer)
    for step in steps:
        if fits(values(step)):
            results = _in_known_names(step, namer)
        elif not _all_short(results := namer.put_in(step.results)):
            namer.forget(results)
            results = namer.put_in(splitter.split(step))
        parts = [left for left, _ in results if not isinstance(left, str) and left.is_Symbol and left.name not in taken]
        said = explained.about(parts, eq.coordinates)
        found.append(replace(step, results=results, note=together([step.note, *said])))
    return in_letters(tuple(found), eq.letters())


def _in_known_names(step: Step, namer: Namer) -> tuple[tuple[Any, Any], ...]:
    """The lines of a step that fits, in the names of steps before it if that makes them shorter."""
    if not namer.has_told or max(map(length, values(step)), default=0) <= LONG_LINE:
        return step.results
    results = namer.put_in(step.results)
    if _size(results) < _size(step.results):
        return results
    namer.forget(results)
    return step.results


def _size(results: tuple[tuple[Any, Any], ...]) -> int:
    return sum(length(e) for line in results for side in line for e in scalars(side))


def _all_short(results: tuple[tuple[Any, Any], ...]) -> bool:
    return all(length(e) <= LARGEST_ROW for line in results for side in line for e in scalars(side))
