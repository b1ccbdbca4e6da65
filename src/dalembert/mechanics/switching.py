"""Kinks and jumps of a record's equations: expressions whose zeros an integrator must step to.

    abs u, sign u      u                 if(l < r, …)       l − r
    max, min           differences       floor u            sin π u, zero at every integer u
All of these occur in the record as conditions of Piecewise, or as floor. An expression and its negative count as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations

import symengine as se

from dalembert.equations import Equations
from dalembert.mechanics.algebra import Scalar

RELATIONS = frozenset({"StrictLessThan", "LessThan", "Equality", "Unequality"})


def switching(equations: Equations, further: Iterable[Scalar] = ()) -> tuple[Scalar, ...]:
    """The guards of all expressions that a motion by these equations evaluates, and of `further` ones, each once."""
    moving = {equations.t, *equations.q, *equations.v, *equations.z, *equations.varying}
    found: dict[Scalar, None] = {}
    for guard in _guards(chain(_evaluated(equations), further)):
        if moving & guard.free_symbols and -guard not in found and (-guard).expand() not in found:
            found[guard] = None
    return tuple(found)


def _evaluated(eq: Equations) -> Iterator[Scalar]:
    yield from chain.from_iterable([*eq.D, eq.d, *eq.A, eq.b, *(eq.R or ()), eq.phi, eq.psi])
    yield from eq.states.values()
    unilateral = eq.unilateral
    if unilateral is not None:
        yield from chain.from_iterable([*unilateral.A, unilateral.b, unilateral.psi, unilateral.phi])
        for law in unilateral.frictions:
            yield from (e for e in (law.coefficient, law.static, law.normal) if e is not None)


def _guards(roots: Iterable[Scalar]) -> Iterator[Scalar]:
    seen: set[Scalar] = set()
    stack = [se.sympify(root) for root in roots]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        arguments = node.args
        kind = type(node).__name__
        if kind in RELATIONS:
            yield arguments[0] - arguments[1]
        elif kind == "floor":
            yield se.sin(se.pi * arguments[0])
        elif kind in ("Abs", "sign"):
            yield arguments[0]
        elif kind in ("Max", "Min"):
            yield from (a - b for a, b in combinations(arguments, 2))
        stack.extend(arguments)
