"""Integrals of constraints by quadrature, if no sum of known functions is one: Mayer's method, within a time limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import symengine as se

from dalembert.analysis.algebra.child import bounded
from dalembert.analysis.algebra.mayer import answers
from dalembert.analysis.constraints.forms import Pfaffian, Point, numbers
from dalembert.analysis.question import Limit
from dalembert.language import tr
from dalembert.mechanics.readable import readable

Scalar = Any
LONGEST = 400  # largest number of characters of a form


def quadratures(
    found: Pfaffian, rows: Sequence[Sequence[Scalar]], at: Point, limit: Limit
) -> tuple[list[Scalar], tuple[str, ...]]:
    """Candidates for integrals, each from one row alone. The caller must verify them."""
    import sympy

    candidates: list[Scalar] = []
    reasons: set[str] = set()
    for row, entries in zip(rows, numbers(rows, at), strict=True):
        if limit.over:
            break
        held = [i for i, e in enumerate(row) if e != 0]
        fit = [i for i in held if i not in found.last and abs(entries[i]) > 0]
        if len(held) < 2 or not fit or sum(len(str(e)) for e in row) > LONGEST:
            continue
        pivot = min(fit, key=lambda i: (len(str(row[i])), -abs(entries[i])))
        z = found.variables[pivot]
        x = [found.variables[i] for i in held if i != pivot]
        B = [readable(-row[i] / row[pivot]) for i in held if i != pivot]
        if set(found.variables) & set().union(*(b.free_symbols for b in B)) - {z, *x}:
            continue
        asked = (sympy.sympify(z), [sympy.sympify(s) for s in x], [sympy.sympify(b) for b in B])
        answer, reason = bounded(answers, *asked, seconds=limit.left)
        if answer is not None:
            candidates.append(se.sympify(answer))
        elif reason.startswith(("it took", "there was")):
            reasons.add(reason)
    notes = tuple(
        tr("A quadrature of the constraints was given up: {reason}.", reason=reason) for reason in sorted(reasons)
    )
    return candidates, notes
