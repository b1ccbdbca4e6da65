"""Hidden constraints of rows of virtual displacements: conditions of D a = d + R ν, A a = b on the state itself.

WangGao calls s = r complete. Here ranks decide: a left null vector ℓ of K = [D −R; A 0] gives the condition
χ(q, v, t) = ℓ·[d; b] = 0 (for regular D: χ = κᵀ(b − A D⁻¹d), κᵀS = 0, S = A D⁻¹R). If χ does not vanish on the
constraints, it is a constraint itself. It is added and differentiated, and the ranks are examined again:

    Φ₀ = f,  Φ_{k+1} = Φ_k,q v + Φ_k,v a + Φ_k,t      (R = 0: the free motion of WangGao (13)–(17))

In the end K has one row too many for each constraint that was found. These rows agree on the constraints. A stepper
also evaluates off the constraints, where they do not. So R gets as many columns of Aᵀ, whose multipliers vanish on the
constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dalembert.constraint_models.elimination import compatibility
from dalembert.constraint_models.saddle import SMALL, Saddle, saddle
from dalembert.constraint_models.samples import Initial, samples
from dalembert.equations import Equations, Scalar
from dalembert.errors import MathematicsError
from dalembert.formalisms.display import Display
from dalembert.language import tr
from dalembert.mechanics.algebra import Symbols
from dalembert.mechanics.constraints import differentiated
from dalembert.motions.initial import consistent
from dalembert.programs.functions import FEW_TIMES, compiled
from dalembert.programs.system import CompiledSystem
from dalembert.report.dialects import Language


@dataclass(frozen=True, slots=True)
class Hidden:
    """One hidden constraint: its residual as an expression and as text."""

    name: str
    residual: Scalar
    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """Equations with their hidden constraints among the constraints."""

    equations: Equations
    hidden: tuple[Hidden, ...]


def with_hidden(system: CompiledSystem, start: Initial, symbolic: Callable[[], Equations]) -> CompiledSystem:
    """Return the system unchanged if K is regular at the initial state, else complete that of `symbolic`.

    `symbolic` derives the equations with names for the parameters, in which hidden constraints are stated.
    """
    q, v, _ = consistent(system, start.q, start.v, start.given, False, start.time)
    x = system.state(start.time, q, v)
    if not np.isfinite(system.dynamics(x)).all() or saddle(system, x).regular:
        return system
    return CompiledSystem(completed(symbolic(), start).equations, system.backend, system.level)


def completed(equations: Equations, start: Initial) -> Completion:
    """Add all hidden constraints. Raise an error if no state keeps them, or if accelerations stay undetermined."""
    found: list[Hidden] = []
    stated = equations
    for _ in range(2 * len(equations.q) + len(equations.b) + 1):
        system = CompiledSystem(equations, level=FEW_TIMES)
        X = _samples(system, start, stated, found)
        at = [saddle(system, x) for x in X]
        _same_rank(at, X[0])
        if all(np.abs(s.contradictions).max(initial=0.0) <= SMALL for s in at):
            _nothing_free(stated, at[0], X[0], found)
            return Completion(_squared(equations, at[0]), tuple(found))
        known = len(found)
        found += [Hidden(f"hidden{known + i}", chi, Language()(chi)) for i, chi in enumerate(_conditions(system, X), 1)]
        if len(found) == known:
            break
        _possible(stated, found[known:], system, X, found)
        equations = _with(equations, found[known:])
    raise MathematicsError(
        "at t = {time:.9g} the rows of virtual displacements contradict the constraints, and "
        "the conditions on the state that would resolve it are too long to be worked out; "
        "state other rows",
        time=start.time,
    )


def _samples(system: CompiledSystem, start: Initial, stated: Equations, found: list[Hidden]) -> np.ndarray:
    try:
        return samples(system, start)
    except MathematicsError as error:
        if not found:
            raise
        raise MathematicsError(
            "{stated}, which no state near the initial one does", stated=_listed(stated, found)
        ) from error


def _same_rank(at: list[Saddle], x: np.ndarray) -> None:
    if any(s.rank != at[0].rank for s in at):
        greatest = max(s.rank for s in at)
        raise MathematicsError(
            "at t = {x:.9g} the equations of motion are singular in this state: their rank is {rank}, and "
            "{greatest} in states near it; start elsewhere",
            x=x[0],
            rank=at[0].rank,
            greatest=greatest,
        )


def _conditions(system: CompiledSystem, X: np.ndarray) -> list[Scalar]:
    """The hidden constraints in symbols: the conditions that do not hold identically."""
    eq = system.equations
    n, R = len(eq.q), eq.R or ((),) * len(eq.q)
    width = len(R[0])
    K = [(*eq.D[i], *(-c for c in R[i])) for i in range(n)]
    K += [(*row, *(row[0] * 0 for _ in range(width))) for row in eq.A]
    at = [saddle(system, x) for x in X]
    right = (*eq.d, *eq.b)
    found = compatibility(K, right, np.array([s.K for s in at]), np.array([s.right for s in at]))
    scale = np.array([np.abs(s.right).max(initial=0.0) for s in at])
    chosen: list[Scalar] = []
    shown = Display()
    for chi in found or []:
        values = _values(system, chi)(X)
        if np.any(np.abs(values) > SMALL * np.maximum(scale, 1e-3)):
            chi = shown(chi)
            chosen.append(-chi if Language()(chi).startswith("-") else chi)
    return chosen


def _values(system: CompiledSystem, chi: Scalar) -> Callable[[np.ndarray], np.ndarray]:
    function = compiled(system.equations.inputs, [chi], backend="numpy")
    return lambda X: function(X)[:, 0]


def _possible(
    stated: Equations, fresh: list[Hidden], system: CompiledSystem, X: np.ndarray, found: list[Hidden]
) -> None:
    """Refuse a condition that is a nonzero constant."""
    moving = {stated.t, *stated.q, *stated.v}
    for hidden in fresh:
        values = _values(system, hidden.residual)(X)
        if moving.isdisjoint(hidden.residual.free_symbols) or np.ptp(values) < 1e-12 * np.abs(values).max():
            earlier = found[: found.index(hidden)]
            first = tr("{stated}. These leave ", stated=_listed(stated, earlier)) if earlier else _why(stated, X[0])
            raise MathematicsError(
                "{first}{text} = 0, which no state satisfies: it is {values:.9g}",
                first=first,
                text=hidden.text,
                values=values[0],
            )


def _why(stated: Equations, x: np.ndarray) -> str:
    rows, constraints = len((stated.R or ((),))[0]), len(stated.b)
    if not rows:
        return tr("at t = {x:.9g} the free motion breaks the constraints; to keep them it would need ", x=x[0])
    said = (
        tr("as many as there are constraints, which is not enough: G M⁻¹Hᵀ must be regular")
        if rows == constraints
        else tr("for {constraints} constraint{words}", constraints=constraints, words="s" if constraints != 1 else "")
    )
    return tr(
        "at t = {x:.9g} the equations of motion contradict the constraints: {rows} row{words} of virtual "
        "displacements, {said}. No reaction along them changes the remaining condition: ",
        x=x[0],
        rows=rows,
        words="s" if rows != 1 else "",
        said=said,
    )


def _nothing_free(stated: Equations, s: Saddle, x: np.ndarray, found: list[Hidden]) -> None:
    directions = s.free_accelerations
    if not len(directions):
        return
    named = tr(" and ").join(_direction(stated.coordinates, row) for row in directions)
    rows, constraints = len((stated.R or ((),))[0]), len(stated.b) + len(found)
    raise MathematicsError(
        "at t = {x:.9g} the accelerations are free along {named}: {rows} rows of virtual "
        "displacements for {constraints} constraints leave {count} of them undetermined; a "
        "selection rule is needed (fewer rows, or further constraints)",
        x=x[0],
        named=named,
        rows=rows,
        constraints=constraints,
        count=len(directions),
    )


def _direction(names: tuple[str, ...], row: np.ndarray) -> str:
    row = row / row[np.abs(row).argmax()]
    parts = [
        name if part == 1.0 else f"{part:.6g} {name}" for name, part in zip(names, row, strict=True) if abs(part) > 1e-9
    ]
    return "(" + " + ".join(parts).replace("+ -", "- ") + ")"


def _with(equations: Equations, fresh: list[Hidden]) -> Equations:
    more = differentiated([(hidden.name, hidden.residual) for hidden in fresh], Symbols(equations.coordinates))
    return replace(
        equations,
        A=(*equations.A, *more.A),
        b=(*equations.b, *more.b),
        psi=(*equations.psi, *more.psi),
        phi=(*equations.phi, *more.phi),
        phi_q=(*equations.phi_q, *more.phi_q),
        constraints=(*equations.constraints, *more.rows),
        notes=(*equations.notes, *(_note(hidden) for hidden in fresh)),
    )


def _squared(equations: Equations, s: Saddle) -> Equations:
    """Extend R by columns of Aᵀ, so that the rows of K are independent off the constraints too."""
    n = s.n
    y = s.left_null[:, :n]
    A = s.K[n:, :n]
    columns: list[int] = []
    rest = y @ A.T
    for _ in range(len(y)):
        if not rest.size or np.abs(rest).max() < SMALL:
            break
        best = int(np.abs(rest).max(axis=0).argmax())
        columns.append(best)
        basis = np.linalg.qr((y @ A.T)[:, columns])[0]
        rest = y @ A.T - basis @ (basis.T @ (y @ A.T))
    R = equations.R or ((),) * n
    return replace(equations, R=tuple((*R[j], *(equations.A[i][j] for i in columns)) for j in range(n)))


def _note(hidden: Hidden) -> str:
    return tr(
        "Hidden constraint {name}: {text} = 0; no reaction along the rows keeps it.", name=hidden.name, text=hidden.text
    )


def _listed(stated: Equations, found: list[Hidden]) -> str:
    texts = tr(" and ").join(f"{hidden.text} = 0" for hidden in found)
    asking = tr("the rows of virtual displacements ask") if (stated.R or ((),))[0] else tr("a free motion asks")
    return tr("{asking} of the state that {texts}", asking=asking, texts=texts)
