"""Total differential equations dz = Σ_j B_j(z, x) dx_j that are integrable, solved one ordinary equation after another.

Mayer's method: z(x_1) from dz/dx_1 = B_1 with the other x held, z = F(x_1, C; …); C depends on the rest,
dC = Σ_{j≥2} (B_j − ∂F/∂x_j)/(∂F/∂C) dx_j, which is integrable again. The last C, as a function of z and x, is the
integral. SymPy solves the ordinary equations; this runs in a child process under a limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp


def answers(z: Any, x: Sequence[Any], B: Sequence[Any]) -> Iterator[Any]:
    """The integral, for a child process."""
    found = integral(z, x, B)
    if found is not None:
        yield found


def integral(z: Any, x: Sequence[Any], B: Sequence[Any]) -> Any | None:
    """A function of z and x that is constant, or None."""
    x = [s for s, b in zip(x, B, strict=True) if sp.simplify(b) != 0]
    B = [b for b in map(sp.simplify, B) if b != 0]
    if not x:
        return z
    for first in range(len(x)):
        order = [first, *(i for i in range(len(x)) if i != first)]
        found = _solved(z, [x[i] for i in order], [B[i] for i in order])
        if found is not None:
            return found
    return None


def _solved(z: Any, x: Sequence[Any], B: Sequence[Any]) -> Any | None:
    s = x[0]
    unknown, C = sp.Function("unknown")(s), sp.Symbol("C1")
    try:
        solutions = sp.dsolve(sp.Eq(unknown.diff(s), B[0].subs(z, unknown)), unknown, simplify=True)
    except (NotImplementedError, ValueError, TypeError):
        return None
    for solution in solutions if isinstance(solutions, list) else [solutions]:
        if solution.lhs != unknown or solution.rhs.has(unknown):
            continue
        F = solution.rhs
        back = [e for e in sp.solve(sp.Eq(z, F), C) if not e.has(sp.I)]
        if not back:
            continue
        if len(x) == 1:
            return sp.simplify(back[0])
        slope = sp.diff(F, C)
        rest = [sp.simplify((b.subs(z, F) - sp.diff(F, r)) / slope) for b, r in zip(B[1:], x[1:], strict=True)]
        if any(r.has(s) for r in rest):
            continue
        inner = sp.Symbol("constant")
        found = integral(inner, x[1:], [r.subs(C, inner) for r in rest])
        if found is not None:
            return sp.simplify(found.subs(inner, back[0]))
    return None
