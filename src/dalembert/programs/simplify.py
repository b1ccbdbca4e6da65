"""Cheaper forms of the same expressions, for code that is run a billion times.

    a sum of products expanded, if its terms then cancel
    an input that no output depends on (the angle of a symmetric wheel) set to zero
    polynomials in sines and cosines, with exact numbers

Each form is tried, and kept if it costs less.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import symengine

from dalembert.programs.evaluate import rounding, values_of
from dalembert.programs.expressions import program
from dalembert.programs.polynomials import NoForm, Reader, grouped

WRITTEN_OUT = 60  # terms of a polynomial
WORSE = 4.0  # allowed factor between the rounding errors of two forms
BUSHY = 1500  # nodes of an expression above which no polynomial is tried
EXPANDED = 400  # operations of an expression, written as a tree, above which it is not expanded


def cost(inputs: Sequence[Any], outputs: Sequence[Any]) -> int:
    """The cost of a function on a processor with slow divisions and sines."""
    return program(inputs, outputs).price


def simplified(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """The outputs in the cheapest form found."""
    plain = without_idle(inputs, [symengine.sympify(e) for e in outputs])
    chosen = []
    for e in plain:
        forms = [e, symengine.expand(e)] if tree_size(e, EXPANDED) < EXPANDED else [e]
        chosen.append(min(forms, key=lambda form: cost(inputs, [form])))
    return min((plain, chosen), key=lambda forms: cost(inputs, forms))


def specialized(
    inputs: Sequence[Any], outputs: Sequence[Any], x: np.ndarray
) -> tuple[list[Any], list[tuple[Any, int]]]:
    """The outputs in the cheapest form, and the signs at x that this form assumes.

    Polynomials are tried for expressions with angles, and used if they do not round worse. A root of a square becomes ±
    its base: each pair is a sine or cosine with the assumed sign.
    """
    plain = simplified(inputs, outputs)
    read, forms = Reader(tuple(inputs), x), []
    for e, other in zip(map(symengine.sympify, outputs), plain, strict=True):
        form = other
        with suppress(NoForm):
            if tree_size(e, BUSHY) < BUSHY and read.turns(e):
                form = read.spelled(grouped(read(e, WRITTEN_OUT)))
        forms.append(form if as_exact(inputs, x, form, other) else other)
    mixed = [min(pair, key=lambda form: cost(inputs, [form])) for pair in zip(plain, forms, strict=True)]
    chosen = min((plain, forms, mixed), key=lambda found: cost(inputs, found))
    return chosen, [] if chosen is plain else [(read.spelled(letter), sign) for letter, sign in read.signs.items()]


def as_exact(inputs: Sequence[Any], x: np.ndarray, form: Any, other: Any) -> bool:
    """Whether a form rounds no worse than another near x: (x − y)² expanded loses the digits that x and y share."""
    if form is other:
        return True
    states = x + np.random.default_rng(3).uniform(-0.1, 0.1, (6, len(x))) * np.arange(6)[:, None]
    mine, its = (rounding(program(inputs, [e]), states) for e in (form, other))
    return bool((mine <= WORSE * its).all())


def tree_size(e: Any, most: int) -> int:
    """The number of nodes of an expression with all repetitions, up to `most`."""
    count, stack = 0, [e]
    while stack and count < most:
        count += 1
        stack.extend(stack.pop().args)
    return count


def without_idle(inputs: Sequence[Any], outputs: list[Any]) -> list[Any]:
    """Set inputs to zero that occur in the outputs but do not change them. Random states decide, up to rounding."""
    used = set().union(*(e.free_symbols for e in outputs)) if outputs else set()
    angles = [s for s in inputs if s in used]
    code = program(inputs, outputs)
    if not angles or not code.is_smooth:
        return outputs
    function = partial(values_of, code)
    random = np.random.default_rng(1)
    # The wide states detect a root of a square, which has a kink where its base changes sign.
    near, wide = random.uniform(0.2, 1.2, (24, len(inputs))), random.uniform(-3.0, 3.0, (96, len(inputs)))
    states = np.concatenate([near, wide[np.isfinite(function(wide)).all(axis=1)]])
    values = function(states)
    size = np.abs(values).max(axis=0, initial=0.0)
    scale = np.maximum(size, 1e-3 * size.max(initial=0.0))  # an output that cancels entirely leaves only rounding
    idle = {}
    for symbol in angles:
        moved = states.copy()
        moved[:, list(inputs).index(symbol)] = np.random.default_rng(2).uniform(-3.0, 3.0, len(states))
        moved[0, list(inputs).index(symbol)] = 0.0
        changes = function(moved) - values
        finite = np.isfinite(values).all() and np.isfinite(changes[: len(near)]).all()
        if finite and not (np.abs(changes) > 1e-12 * scale).any():
            idle[symbol] = 0
    return [e.xreplace(idle) for e in outputs] if idle else outputs
