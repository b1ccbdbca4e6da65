"""Eliminates dependent speeds permanently: v = B(q, t) u + b(q, t), which satisfies the constraints for every u.

    A v + a = 0                       rows linear in the speeds, none of them holonomic
    a pivot that is a number          that speed follows from the others (or a product of parameters: if one is zero,
                                      no speed is finite, and this form is abandoned)
    a pair with A_j² + A_k² = c       v_j = A_k u − A_j r/c,  v_k = −A_j u − A_k r/c: along the blade, and across it
    two rows with A_ij² + A_lj² = c   rotated, so that one of them has c and the other 0
    (Bᵀ D B) u̇ = Bᵀ (d − D (Ḃ u + ḃ))  Maggi's equations, without a multiplier

A choice that depends on numbers alone cannot become singular later. It exists, for instance, for wheels, blades and
balls on a plane. If there is none, or a polynomial grows too long, there is no reduction.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import symengine

from dalembert.equations import Equations
from dalembert.programs.polynomials import Letters, NoForm, Reader, short, terms_of

ZERO = symengine.Integer(0)
SMALLEST = 1e-8  # smallest pivot relative to the numbers of its row: a smaller one may be a rounded zero


@dataclass(frozen=True)
class IndependentForm:
    """Polynomials in letters: speeds v(q, u, t), the start u(q, v, t), D and d; `as_it_was` is d with v in it."""

    letters: Letters
    u: tuple[Any, ...]
    v: tuple[Any, ...]
    speeds: tuple[Any, ...]
    start: tuple[Any, ...]
    drift: tuple[Any, ...]  # Ḃ u + ḃ
    D: tuple[tuple[Any, ...], ...]
    d: tuple[Any, ...]
    as_it_was: tuple[Any, ...]
    signs: tuple[tuple[Any, int], ...]  # assumed signs of letters that stood under a root


def reduction(eq: Equations, x: np.ndarray) -> IndependentForm | None:
    """The record in independent speeds only. Signs of cosines under roots are those of state x."""
    if eq.phi or turns_with_speeds(eq):
        return None
    try:
        return _reduced(eq, x)
    except NoForm:
        return None


def turns_with_speeds(eq: Equations) -> bool:
    """Whether a row of A depends on speeds, so that its constraint is not linear in them."""
    return not all(set(eq.v).isdisjoint(symengine.sympify(e).free_symbols) for row in eq.A for e in row)


def _reduced(eq: Equations, x: np.ndarray) -> IndependentForm:
    read = Reader(eq.inputs, x)
    letters = read.letters
    still = dict.fromkeys(eq.v, symengine.sympify(0))
    rows = [[read(e) for e in row] for row in eq.A]
    rest = [read(symengine.sympify(e).xreplace(still)) for e in eq.psi]
    u, speeds, start = _eliminated(letters, list(eq.v), rows, rest, set(eq.parameters))
    given = dict(zip(eq.v, speeds, strict=True))
    rates = {eq.t: symengine.sympify(1)} | dict(zip(eq.q, speeds, strict=True))
    drift = [letters.normal(letters.rate(e, rates)) for e in speeds]
    D = [tuple(short(letters.normal(read(e).xreplace(given))) for e in row) for row in eq.D]
    d = [short(letters.normal(read(e).xreplace(given))) for e in eq.d]
    return IndependentForm(
        letters, tuple(u), eq.v, tuple(speeds), tuple(start), tuple(drift), tuple(D), tuple(d),
        tuple(read.signed(letters.read(e)) for e in eq.d), tuple(read.signs.items()),
    )  # fmt: skip


def _eliminated(
    letters: Letters, v: list[Any], rows: list[list[Any]], rest: list[Any], parameters: set[Any]
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return u, v(u), u(v). `names` are the remaining speeds, `held` is v by them, and `start` is them by v."""
    names, start, held = list(v), list(v), {c: c for c in v}
    while rows:
        zero = [i for i, row in enumerate(rows) if all(e == ZERO for e in row)]
        if zero:
            if rest[zero[0]] != ZERO:
                raise NoForm
            del rows[zero[0]], rest[zero[0]]
            continue
        found = _pivot(letters, rows, parameters)
        if found is None:
            _turn(letters, rows, rest, parameters)
            continue
        i, j, k = found
        row = rows[i]
        others = rest[i] + sum(row[c] * names[c] for c in range(len(names)) if c not in (j, k))
        if k is None:
            told = {names[j]: letters.normal(-others / row[j])}
        else:
            square = letters.normal(row[j] ** 2 + row[k] ** 2)
            fresh = symengine.Symbol(f"along {len(v) - len(names)}")
            told = {
                names[j]: letters.normal(row[k] * fresh - row[j] * others / square),
                names[k]: letters.normal(-row[j] * fresh - row[k] * others / square),
            }
            start[j] = letters.normal((row[k] * start[j] - row[j] * start[k]) / square)
        whole = [rest[o] + sum(rows[o][c] * names[c] for c in range(len(names))) for o in range(len(rows)) if o != i]
        if k is not None:
            names[j] = fresh
        gone = j if k is None else k
        del names[gone], start[gone]
        whole = [letters.normal(e.xreplace(told)) for e in whole]
        rows = [[e.diff(c) for c in names] for e in whole]
        rest = [e.xreplace(dict.fromkeys(names, ZERO)) for e in whole]
        held = {c: short(letters.normal(e.xreplace(told))) for c, e in held.items()}
    return names, [held[c] for c in v], start


def _pivot(letters: Letters, rows: list[list[Any]], parameters: set[Any]) -> tuple[int, int, int | None] | None:
    """Row and column of a number, where the column has the fewest entries; else a row and two columns, or None."""
    columns = range(len(rows[0]))
    alone = [
        (sum(row[j] != ZERO for row in rows), bool(rows[i][j].free_symbols), i, j)
        for i in range(len(rows))
        for j in columns
        if _steady(rows[i][j], parameters) and _size(rows[i][j]) > SMALLEST * max(map(_size, rows[i]))
    ]
    if alone:
        _, _, i, j = min(alone)
        return i, j, None
    for i, row in enumerate(rows):
        for j in columns:
            for k in range(j + 1, len(row)):
                if _circle(letters, row[j], row[k], parameters):
                    return i, j, k
    return None


def _turn(letters: Letters, rows: list[list[Any]], rest: list[Any], parameters: set[Any]) -> None:
    """Rotate two rows in place so that they have a pivot."""
    for i, l in combinations(range(len(rows)), 2):
        for j in range(len(rows[0])):
            one, other = rows[i][j], rows[l][j]
            if _circle(letters, one, other, parameters):
                pairs = [*zip(rows[i], rows[l], strict=True), (rest[i], rest[l])]
                first = [letters.normal(one * a + other * b) for a, b in pairs]
                second = [letters.normal(other * a - one * b) for a, b in pairs]
                *rows[i], rest[i] = first
                *rows[l], rest[l] = second
                return
    raise NoForm


def _circle(letters: Letters, a: Any, b: Any, parameters: set[Any]) -> bool:
    return a != ZERO and b != ZERO and _steady(letters.normal(a**2 + b**2), parameters)


def _size(e: Any) -> float:
    """The largest coefficient of a polynomial."""
    return max(abs(float(number)) for number, _ in terms_of(e))


def _steady(e: Any, parameters: set[Any]) -> bool:
    """Whether the expression is a nonzero number or a product of parameters."""
    ((_, powers), *more) = terms_of(e)
    return e != ZERO and not more and set(powers) <= parameters
