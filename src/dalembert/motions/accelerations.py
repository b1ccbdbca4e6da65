"""Accelerations and multipliers at one state or at many, with a sentence if there are none."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Status
from dalembert.engine.library import library
from dalembert.errors import MathematicsError
from dalembert.language import Sentences, tr
from dalembert.motions import routes
from dalembert.motions.scales import angles
from dalembert.programs.system import CompiledSystem

WHY: Sentences = {
    "no value": "{when} the equations of motion have no value: {reason}; end the motion before, or start elsewhere",
    "overdetermined": "{when} the equations of motion and the constraints contradict each other: the virtual "
    "displacements allow {n} independent equations for {n2} accelerations; give the constraints reactions "
    "that fit them",
    "lost, singular": "the constraint {worst} can no longer be kept: this is next to a singular position, where "
    "branches of a mechanism cross, and rounding errors of speeds grow to {rounding:.0e}; loosen the tolerance to "
    "{tolerance:.0e}: longer steps pass over such a position; or end the motion before, or change a length",
    "lost": "the constraint {worst} can no longer be kept: no state near the computed one "
    "satisfies it, as where branches of a mechanism cross; end the motion before, change a length, or loosen the "
    "tolerance: longer steps pass over such a position",
    "one axis": "the angles {names} turn about one axis in this state, so they are not determined one "
    'by one; begin elsewhere, choose other turns, or give the body attitude = "quaternion"',
    "no inertia": "the coordinate{several} {names} {verb} no inertia in this state, so the acceleration "
    "is not determined; give a mass or an inertia, or a constraint",
    "singular": "the equations of motion are singular: they do not determine the acceleration{several} "
    "of {names} in this state; begin elsewhere, or check masses and inertias",
    "bound": "the constraint {involved} cannot be kept: no acceleration changes its rate; leave it out, or state it "
    "for what moves",
    "contradict": "the constraints {involved} contradict each other: no accelerations keep them all; leave one of "
    "them out",
}
LARGE_ROUNDING = 1e-11  # of speeds: then a singular position is near
REDUNDANT = 1e-9  # a smaller singular value, relative to the largest, belongs to a redundant row


@dataclass(frozen=True, slots=True)
class Solution:
    a: np.ndarray
    multipliers: np.ndarray  # ν, of least norm
    reactions: np.ndarray  # row i is ν_i R[:, i]
    redundant: tuple[str, ...]  # constraints that follow from earlier ones
    rank: int
    degrees_of_freedom: int
    own_way: bool = True  # solved by the method's route; otherwise by elimination, if that route loses accuracy


class Solved(NamedTuple):
    """The results of the engine's solve, a row for each state: status, a, ν, the rank of A, the row at fault."""

    status: np.ndarray
    a: np.ndarray
    nu: np.ndarray
    rank: np.ndarray
    row: np.ndarray


def switched(system: CompiledSystem, active: Sequence[int] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The active rows of A, and the columns of R: those of the rows if A and R have equally many, otherwise all."""
    rows = np.arange(system.m) if active is None else np.asarray(active)
    columns = rows if system.reactions == system.m else np.arange(system.reactions)
    return rows.astype(np.int32), columns.astype(np.int32)


def solved(system: CompiledSystem, X: np.ndarray, F: np.ndarray, active: Sequence[int] | None = None) -> Solved:
    """Solve D a = d + R ν, A a = b with the engine at every row of X, from the values F of the dynamics there."""
    loaded, eq = library(), system.equations
    X, F = np.ascontiguousarray(np.atleast_2d(X), dtype=float), np.ascontiguousarray(np.atleast_2d(F))
    counts = engine.Counts(
        n=system.n, m=system.m, reactions=system.reactions, symmetric=bool(eq.symmetric), general=eq.R is not None
    )
    rows, columns = switched(system, active)
    memory = np.zeros(loaded.dalembert_solver_memory(c.byref(counts)), np.uint8)
    status, rank, left_rank, row = (np.zeros(len(X), np.int32) for _ in range(4))
    a, nu = np.zeros((len(X), system.n)), np.zeros((len(X), system.reactions))
    asked = engine.SolveAsked(
        F.ctypes.data, X.ctypes.data, rows.ctypes.data, columns.ctypes.data, len(rows), len(columns),
        len(X), F.shape[1], X.shape[1], angles(system).ctypes.data, memory.ctypes.data,
    )  # fmt: skip
    answer = engine.SolveFound(*(part.ctypes.data for part in (a, nu, status, rank, left_rank, row)))
    loaded.dalembert_accelerations(c.byref(counts), c.byref(asked), c.byref(answer))
    return Solved(status, a, nu, rank, row)


def solve_accelerations(system: CompiledSystem, x: np.ndarray) -> Solution:
    """Solve D a = d + R ν, A a = b at x. Raise MathematicsError with a sentence if there is no unique a."""
    F = system.dynamics(x)
    (status,), (a,), (nu,), (rank,), (row,) = solved(system, x, F)
    if status != Status.DONE:
        raise MathematicsError(explained(system, x, status, row))
    rows = routes.ActiveRows(*system.unpacked(F))
    (a, nu), own_way = routes.by_route(system.equations, rows, (a, nu), lambda: system.quasi(x))
    redundant = tuple(system.equations.constraints[i].name for i in redundant_rows(rows.A))
    return Solution(a, nu, (rows.R * nu).T, redundant, int(rank), system.n - int(rank), own_way)


def accelerations(system: CompiledSystem, X: np.ndarray, F: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """q̈ and ν at every row of X. Raise MathematicsError with a sentence if a state has no unique q̈.

    `F` are the values of the dynamics there, if they are known.
    """
    found = solved(system, X, system.dynamics(X) if F is None else F)
    for i in np.flatnonzero(found.status != Status.DONE):
        raise MathematicsError(explained(system, X[i], int(found.status[i]), int(found.row[i])))
    return found.a, found.nu


def residuals(system: CompiledSystem, X: np.ndarray) -> dict[str, np.ndarray]:
    """The residual of every constraint as the model states it: φ of holonomic rows, f of the others."""
    rows = system.equations.constraints
    phi = iter(system.position(X)[:, : system.mh].T) if system.mh else iter(())
    psi = system.velocity(X)[:, : system.m].T if system.m else ()
    return {row.name: next(phi) if row.kind == "holonomic" else f for row, f in zip(rows, psi, strict=True)}


def redundant_rows(A: np.ndarray) -> list[int]:
    """The rows that depend on earlier rows."""
    found: list[int] = []
    basis: list[np.ndarray] = []
    for i, row in enumerate(A):
        size = np.linalg.norm(row)
        rest = routes.remainder(row / size if size > 0 else row, basis)
        if np.linalg.norm(rest) > 1e-9:
            basis.append(rest / np.linalg.norm(rest))
        else:
            found.append(i)
    return found


def explained(system: CompiledSystem, x: np.ndarray, status: int, row: int, active: Sequence[int] | None = None) -> str:
    """Why the solve failed at x, in a sentence."""
    when = tr("at t = {x:.9g}", x=x[0])
    if status == Status.NONFINITE:
        reason = system.domain_failure(x) or tr("a number grew beyond all bounds")
        return tr(WHY["no value"], when=when, reason=reason)
    D, _, A, b, R = system.unpacked(system.dynamics(x))
    rows, columns = switched(system, active)
    names = [system.equations.constraints[i].name for i in rows]
    if status == Status.INCONSISTENT:
        return f"{when} {_contradicting(A[rows], b[rows], names)}"
    if status == Status.OVERDETERMINED:
        n, n2 = (system.n - np.linalg.matrix_rank(M) for M in (R, A))
        return tr(WHY["overdetermined"], when=when, n=n, n2=n2)
    return f"{when} {_undetermined(system, D, A[rows], R[:, columns])}"


def lost(system: CompiledSystem, x: np.ndarray) -> str:
    """A sentence that no projection satisfies the constraints near x, with the name of the worst one.

    Next to a singular position the smallest singular value s of A is small. A rounding error ε of the rows moves places
    by ε/s, and this moves speeds by ε/s². A step that is computed there has no more digits than that.
    """
    phi, psi = system.position(x)[: system.mh], system.velocity(x)[: system.m]
    names = [row.name for row in system.equations.constraints]
    holonomic = [row.name for row in system.equations.constraints if row.kind == "holonomic"]
    worst = max([*zip(np.abs(phi), holonomic, strict=True), *zip(np.abs(psi), names, strict=True)])[1]
    rounding = _rounding(system, x)
    tolerance = 10.0 ** min(np.ceil(np.log10(10 * rounding)), -6)
    key = "lost, singular" if rounding > LARGE_ROUNDING else "lost"
    return tr(WHY[key], worst=worst, rounding=rounding, tolerance=tolerance)


def _rounding(system: CompiledSystem, x: np.ndarray) -> float:
    """The rounding error ε/s² of speeds, with the smallest singular value s of A relative to its largest."""
    values = np.linalg.svd(system.unpacked(system.dynamics(x))[2], compute_uv=False)
    largest = values.max(initial=1e-300)
    kept = values[values > REDUNDANT * largest] / largest
    return float(np.finfo(float).eps / kept.min(initial=1.0) ** 2)


def _contradicting(A: np.ndarray, b: np.ndarray, names: list[str]) -> str:
    A, b = routes.scaled(A), routes.scaled_right(A, b)
    missed = b - A @ np.linalg.lstsq(A, b, rcond=1e-10)[0]
    involved = [name for name, part in zip(names, missed, strict=True) if abs(part) > 1e-6 * np.abs(missed).max()]
    if len(involved) < 2:
        return tr(WHY["bound"], involved=(involved or names)[0])
    return tr(WHY["contradict"], involved=_listed(involved))


def _undetermined(system: CompiledSystem, D: np.ndarray, A: np.ndarray, R: np.ndarray) -> str:
    C, L = null_basis(A), null_basis(R.T)
    T = L.T @ D @ C
    if not T.shape[1]:
        return tr("the equations of motion cannot be solved; check masses and inertias")
    direction = C @ np.linalg.svd(T)[2][-1]
    direction = direction / np.abs(direction).max()
    names = [c for c, part in zip(system.equations.coordinates, direction, strict=True) if abs(part) > 1e-6]
    several = "s" if len(names) > 1 else ""
    still = np.abs(D @ direction).max() <= 1e-9 * max(np.abs(D).max(), 1e-300)
    turn = several and set(names) <= system.equations.angles
    key = "one axis" if turn else "no inertia" if still else "singular"
    return tr(WHY[key], names=_listed(names), several=several, verb="carry" if several else "carries")


def null_basis(A: np.ndarray) -> np.ndarray:
    """Orthonormal columns that A maps to zero, computed with scaled rows."""
    if not A.shape[0]:
        return np.eye(A.shape[1])
    _, values, V = np.linalg.svd(routes.scaled(A))
    return V[int((values > 1e-10 * max(values.max(initial=0.0), 1e-300)).sum()) :].T


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + tr(" and ") + names[-1]
