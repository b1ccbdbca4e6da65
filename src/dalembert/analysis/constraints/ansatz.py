"""Candidate functions of coordinates and time for integrals of constraints, from simple to less simple.

    g = Σ c_k b_k(t, q)       b: coordinates; sines, cosines, logarithms; products of two; functions in the rows

A sum of logarithms is the logarithm of a product of powers: log y − log x stands for y/x, and
log tan(θ/2) + V t/L for tan(θ/2) exp(V t/L).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import symengine as se

from dalembert.mechanics.algebra import HALF, ONE, total

Scalar = Any
MOST = 260  # functions in one search
WIDE = 6  # largest number of variables for which all exponentials are tried


def ladders(rows: Sequence[Sequence[Scalar]], variables: Sequence[Scalar]) -> list[list[Scalar]]:
    """Families of functions. Each one contains the one before."""
    angles, sums = _inside(rows, set(variables))
    moving = [s for s in variables if any(s in e.free_symbols for row in rows for e in row)]
    first: list[Scalar] = list(variables)
    second = [logarithm(s) for s in moving]
    for a in angles:
        second += [se.sin(a), se.cos(a), logarithm(se.sin(a)), logarithm(se.cos(a)), logarithm(se.tan(a / 2))]
    second += [e for s in sums for e in (s, logarithm(s))]
    third = [s * r for i, s in enumerate(variables) for r in variables[i:]]
    third += [s * f for a in angles for s in variables for f in (se.sin(a), se.cos(a))]
    powers = variables if len(variables) <= WIDE else moving
    third += [se.exp(s) for s in powers] + [r * se.exp(s) for s in powers for r in variables if r != s]
    third += [r * se.exp(-s) for s in powers for r in variables if r != s]
    third += [logarithm(s**2 + r**2) for i, s in enumerate(moving) for r in moving[i + 1 :]]
    third += [se.atan(s / r) for i, s in enumerate(moving) for r in moving[i + 1 :]]
    third += [s / r for s in variables for r in moving if s != r]
    fourth = [s * r * w for i, s in enumerate(variables) for j, r in enumerate(variables[i:], i) for w in variables[j:]]
    fourth += [
        s * r * f
        for a in angles
        for i, s in enumerate(variables)
        for r in variables[i:]
        for f in (se.sin(a), se.cos(a))
    ]
    found, families = list[Scalar](), list[list[Scalar]]()
    for more in (first, second, third, fourth):
        fresh = [f for f in dict.fromkeys(more) if f not in found and not f.is_Number]
        if len(found) + len(fresh) > MOST:
            break
        found = [*found, *fresh]
        families.append(found)
    return families


def logarithm(e: Scalar) -> Scalar:
    """log |e|, with derivatives on both sides of zero."""
    return HALF * se.log(e**2)


def written(functions: Sequence[Scalar], coefficients: Sequence[Scalar]) -> Scalar:
    """Σ c b, or its exponential if that is a product of powers."""
    logs = [(c, _argument(b)) for b, c in zip(functions, coefficients, strict=True) if _argument(b) is not None]
    rest = total(c * b for b, c in zip(functions, coefficients, strict=True) if _argument(b) is None)
    if not logs:
        return rest
    product = ONE
    for c, e in logs:
        product = product * e**c
    return product * se.exp(rest) if rest != 0 else product


def _argument(b: Scalar) -> Scalar | None:
    """e of ½ log e²."""
    if isinstance(b, se.Mul) and len(b.args) == 2 and b.args[0] == HALF and type(b.args[1]).__name__ == "log":
        inside = b.args[1].args[0]
        if isinstance(inside, se.Pow) and inside.args[1] == 2:
            return inside.args[0]
    return None


def _inside(rows: Sequence[Sequence[Scalar]], variables: set[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """Arguments of circular functions, and sums, that occur in the rows."""
    angles: dict[Scalar, None] = {}
    sums: dict[Scalar, None] = {}
    seen: set[Scalar] = set()
    stack = [e for row in rows for e in row]
    while stack:
        node = stack.pop()
        if node in seen or not variables & node.free_symbols:
            continue
        seen.add(node)
        if type(node).__name__ in {"sin", "cos", "tan"}:
            angles.setdefault(node.args[0])
        elif isinstance(node, se.Add) and len(node.args) <= 3 and len(sums) < 8:
            sums.setdefault(node)
        stack.extend(node.args)
    return list(angles)[:4], [s for s in sums if s not in angles]
