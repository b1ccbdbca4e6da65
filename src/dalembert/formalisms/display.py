"""Expressions made readable, within a budget: what a derivation shows is simplified, what a motion uses never is.

First SymEngine alone: like terms merged, sin² + cos² = 1 used in whichever direction is shorter. Then SymPy, which
knows more and takes longer, for small expressions and as long as there is time; else the expression stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import symengine as se

from dalembert.mechanics.algebra import ZERO, Scalar, total

LARGEST = 4000  # operations beyond which an expression is left alone
SMALL = 80  # operations up to which SymPy looks at it


class Display:
    """Simplifies scalars, rows and matrices; `seconds` is all the time that SymPy may take for one derivation."""

    def __init__(self, seconds: float = 4.0):
        self.left = seconds
        self._known: dict[Scalar, Scalar] = {}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return tuple(self(entry) for entry in value)
        if value not in self._known:
            self._known[value] = self._scalar(se.sympify(value))
        return self._known[value]

    def linear(self, expression: Scalar, symbols: Sequence[Scalar]) -> Scalar:
        """An expression that is linear in `symbols` (accelerations), with each coefficient simplified."""
        present = [s for s in symbols if s in expression.free_symbols]
        rest = expression.subs(dict.fromkeys(present, ZERO)) if present else expression
        return total([*(self(expression.diff(s)) * s for s in present), self(rest)])

    def _scalar(self, e: Scalar) -> Scalar:
        if not e.args or size(e) > LARGEST:
            return e
        shortest = min((e, *circular(e)), key=size)
        if size(shortest) <= SMALL and self.left > 0:
            began = perf_counter()
            shortest = min((shortest, self._by_sympy(shortest)), key=size)
            self.left -= perf_counter() - began
        return shortest

    @staticmethod
    def _by_sympy(e: Scalar) -> Scalar:
        import sympy

        x = sympy.sympify(e)
        found = [sympy.factor_terms(x)]
        found.append(sympy.simplify(x) if x.count_ops() < SMALL // 2 else sympy.trigsimp(x))
        if len(x.args) > 2:
            found.append(sympy.factor(x))
        return se.sympify(min(found, key=lambda c: c.count_ops()))


def size(e: Scalar) -> int:
    return se.count_ops(e)


def circular(e: Scalar) -> list[Scalar]:
    """e expanded, with squares of sines or of cosines (whichever way) taken out of every argument."""
    pairs = {f.args[0] for f in functions(e)}
    expanded = se.expand(e)
    results = [expanded]
    if not pairs:
        return results
    for gone, kept in ((se.sin, se.cos), (se.cos, se.sin)):
        reduced = expanded
        for argument in pairs:
            reduced = _without_squares(reduced, gone(argument), 1 - kept(argument) ** 2)
        results.append(reduced)
    return results


def functions(e: Scalar) -> set[Scalar]:
    """The sines and cosines in e."""
    found: set[Scalar] = set()
    seen: set[Scalar] = set()
    stack = [e]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, se.sin | se.cos):
            found.add(node)
        stack.extend(node.args)
    return found


def _without_squares(e: Scalar, factor: Scalar, square: Scalar) -> Scalar:
    powers = {p for p in _powers(e, factor) if p >= 2}
    if not powers:
        return e
    return se.expand(e.subs({factor**p: factor ** (p % 2) * square ** (p // 2) for p in powers}))


def _powers(e: Scalar, factor: Scalar) -> set[int]:
    found: set[int] = set()
    stack = [e]
    while stack:
        node = stack.pop()
        if isinstance(node, se.Pow) and node.args[0] == factor and node.args[1].is_Integer:
            found.add(int(node.args[1]))
        else:
            stack.extend(node.args)
    return found
