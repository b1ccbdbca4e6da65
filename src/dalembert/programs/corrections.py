"""Corrections of positions and speeds as programs: the smallest change that satisfies constraints to first order.

    J Δ = −r,   Δ = −S² Jᵀ (J S² Jᵀ)⁻¹ r      S = diag(s): Δ is smallest in natural sizes s

    worst = max |r_i|,   relative = max |r_i| / max(Σ_j |J_ij| |y_j|, Σ_j |J_ij| s_j)

A residual is compared with its terms, or with the size that they would have for the natural sizes s. The inputs are x
and the natural sizes of all q, then of all v.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.equations import Equations, Row, Scalar
from dalembert.programs.expressions import program
from dalembert.programs.products import begun
from dalembert.programs.program import Program
from dalembert.programs.solve import INDEPENDENT, Factor

SMALLEST = 1e-300  # smallest scale


def correction(eq: Equations, rates: bool) -> Program:
    """The program from (x, sizes) to the change of q (or v), the worst residual, its relative size, and `fine`."""
    return correction_of(eq, rates, *((eq.psi, eq.A) if rates else (eq.phi, eq.phi_q)))


def correction_of(eq: Equations, rates: bool, residuals: Sequence[Scalar], jacobian: Sequence[Row]) -> Program:
    """The same for these residuals, which may be those of a mode of contacts."""
    y = eq.v if rates else eq.q
    m, n = len(residuals), len(eq.q)
    w, places = begun(eq, more=[f"size of {name}" for name in (*eq.q, *eq.v)])
    sizes = [w.input(len(places) + (n if rates else 0) + j) for j in range(n)]
    value = iter(w.copied(program(eq.inputs, [*residuals, *(e for row in jacobian for e in row)]), [*places.values()]))
    r = [next(value) for _ in range(m)]
    J = [[next(value) for _ in range(n)] for _ in range(m)]
    at = [w.abs(places[symbol]) for symbol in y]
    worst = relative = w.number(0.0)
    for i in range(m):
        terms = w.sum([w.mul(w.abs(J[i][j]), at[j]) for j in range(n)])
        usual = w.sum([w.mul(w.abs(J[i][j]), sizes[j]) for j in range(n)])
        scale = w.function("max", w.function("max", terms, usual), w.number(SMALLEST))
        worst = w.function("max", worst, w.abs(r[i]))
        relative = w.function("max", relative, w.div(w.abs(r[i]), scale))
    JS = [[w.mul(J[i][j], sizes[j]) for j in range(n)] for i in range(m)]
    factor = Factor(w, [[w.dot(JS[i], JS[j]) for j in range(i + 1)] for i in range(m)], INDEPENDENT)
    mu = factor.solved(r)
    change = [w.neg(w.mul(sizes[j], w.dot([JS[i][j] for i in range(m)], mu))) for j in range(n)]
    return w.program([*change, worst, relative, factor.fine], [*eq.coordinates, "worst", "relative", "fine"])
