"""Long expressions in terms of named parts that are written once. Every name has a meaning.

An expression that is too long to read is split by the rates, M[r, s] q̈_s, then by the speeds and their products,
Γ[r, s, k] q̇_s q̇_k; h[r] is an equation's rest on the other side. Parts that the lines of a step share are compared with
quantities of the system: r, v, a of a body's centre and their derivatives, entries of D and A, energies, roots in the
constraints. A part that is a constant times one of them takes its name. Any other part is written out where it
occurs. An expression that would still fill half a page is left to the formula of its step, with a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import symengine as se

from dalembert.equations import Equations, Step
from dalembert.language import mark, tr
from dalembert.report.known import Namer
from dalembert.report.letters import in_letters
from dalembert.report.lines import DOTS, LARGEST_ALL, LARGEST_ROW, fits, length, needed, scalars, values
from dalembert.report.splitting import Splitter

LONGEST_LINE = 3000  # characters; a longer expression is left to its formula
LONGEST_STEP = 16_000  # characters; in a longer step, every long expression is left to its formula
SHARED = mark(
    "Shared parts are written once, before the lines: r, v, a are the place, velocity and acceleration of a body's "
    "centre, v with a coordinate is its partial velocity, U the acceleration without q̈, n the components of its axes, "
    "D the coefficients of q̈, A those of the constraints, ρ a root in a constraint or the norm of a quaternion."
)
SPLIT = mark("M are the coefficients of the rates, Γ those of the speeds and of their products, h the rest.")
LEFT_OUT = mark(
    "A part that is named but not written, and an expression in whose place … stands, would fill half a page or more. "
    "The formula of the step defines it, and the answer in JSON has the equations in full."
)


def structured(eq: Equations) -> tuple[Step, ...]:
    """The steps of a derivation. A step with expressions that are too long to read begins with their parts."""
    steps = eq.steps
    taken = {symbol.name for step in steps for e in values(step) for symbol in se.sympify(e).free_symbols}
    found, namer, told = [], Namer(eq, taken), set()
    splitter = Splitter(eq, namer)
    for step in steps:
        if fits(values(step)):
            found.append(step)
            continue
        notes, whole = [], sum(map(length, values(step))) <= LARGEST_ALL
        results = namer.put_in(step.results) if whole else step.results
        if fits([e for line in results for e in (*scalars(line[0]), *scalars(line[1]))]):
            split = replace(step, results=results)
            notes.append(SHARED)
        else:
            namer.forget(results)
            split = replace(step, results=splitter.split(step))
            notes += [SPLIT] if len(split.results) > len(step.results) else []
            if not fits(values(split)):
                named = namer.put_in(split.results)
                notes += [SHARED] if len(named) > len(split.results) else []
                split = replace(split, results=named)
        sizes = [length(e) for e in values(split)]
        longest = LONGEST_LINE if sum(sizes) <= LONGEST_STEP else LARGEST_ROW
        if max(sizes) > longest or any(e == DOTS for e in values(split)):
            split = replace(split, results=_left_out(split.results, longest))
            notes.append(LEFT_OUT)
        said = [tr(note) for note in notes if note not in told]
        told |= set(notes)
        found.append(replace(split, note=" ".join([*([step.note] if step.note else []), *said])))
    return in_letters(tuple(found), eq.letters())


def _left_out(results: Sequence[tuple[Any, Any]], longest: int) -> tuple[tuple[Any, Any], ...]:
    """The results with dots for those that are too long, without the lines of parts that are too long or not used."""

    def short(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(short(part) for part in value)
        return value if isinstance(value, str) or length(value) <= longest else DOTS

    shown = [(short(left), short(value)) for left, value in results]
    lines = {left: se.sympify(value) for left, value in shown if not isinstance(left, str) and left.is_Symbol}
    others = [e for left, value in shown if left not in lines for e in (*scalars(left), *scalars(value))]
    used = needed([se.sympify(e) for e in others], lines)
    return tuple((left, value) for left, value in shown if left not in lines or (left in used and lines[left] != DOTS))
