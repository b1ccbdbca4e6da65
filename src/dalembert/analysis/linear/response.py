"""Results of the matrices of a linear system: transfer functions, controllability and observability, and regulators.

    G(s) = C (s − A)⁻¹ B + D = g ∏ (s − zero) / ∏ (s − pole)

Zeros of one channel with relative degree r are the eigenvalues of A − b c Aʳ/(c Aʳ⁻¹ b) on the directions that the
output and its first r − 1 derivatives do not see. Everything is done in balanced units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.analysis.linear.spectrum import Array, balance, cleaned, eigenvalues
from dalembert.errors import MathematicsError
from dalembert.language import mark, tr

NOTHING = 1e-11  # relative to the size of its factors: a smaller product is rounding
RANK = 1e-9  # smallest remainder of a unit vector that counts as a new direction
SAME = 1e-7  # relative to the largest pole: a pole and a zero nearer than this cancel


@dataclass(frozen=True, slots=True)
class Channel:
    """One transfer function: its gain, zeros and poles, without those that cancel."""

    gain: float
    zeros: Array
    poles: Array


@dataclass(frozen=True, slots=True)
class Reached:
    """The number of states that inputs reach (or outputs see), and the eigenvalues of the rest."""

    rank: int
    left: Array


def balanced(A: Array, B: Array, C: Array) -> tuple[Array, Array, Array, Array]:
    """The same system in units in which rows and columns of A are equally large, and these units."""
    A, _ = cleaned(A)
    scales = balance(A)
    return A * (scales[None, :] / scales[:, None]), B / scales[:, None], C * scales[None, :], scales


def channel(A: Array, b: Array, c: Array, d: float) -> Channel:
    """The transfer function from one input to one output."""
    A, column, row, _ = balanced(A, b[:, None], c[None, :])
    b, c, poles = column[:, 0], row[0], eigenvalues(A)
    size, n = float(np.linalg.norm(A, 2)) if len(A) else 0.0, len(A)
    seen: list[Array] = []
    if d != 0.0:
        zeros = eigenvalues(A - np.outer(b, c) / d)
        return _cancelled(float(d), zeros, poles)
    gain, scale = float(c @ b), float(np.linalg.norm(c) * np.linalg.norm(b))
    while len(seen) < n:
        seen.append(c)
        if abs(gain) > NOTHING * scale:
            inner = A - np.outer(b, c @ A) / gain
            hidden = _complement(_spanned(np.array(seen)))
            return _cancelled(gain, eigenvalues(hidden.T @ inner @ hidden), poles)
        c = c @ A
        gain, scale = float(c @ b), scale * max(size, 1e-300)
    return Channel(0.0, np.zeros(0, complex), np.zeros(0, complex))


def _cancelled(gain: float, zeros: Array, poles: Array) -> Channel:
    size = float(np.abs(poles).max(initial=0.0))
    kept, left = [], list(poles)
    for zero in zeros:
        near = min(left, key=lambda pole: abs(pole - zero), default=None)
        if near is not None and abs(near - zero) <= SAME * max(size, abs(zero)):
            left.remove(near)
        else:
            kept.append(zero)
    return Channel(gain, np.array(kept, complex), np.array(left, complex))


def _spanned(rows: Array) -> Array:
    """Orthonormal columns that span rows."""
    found: list[Array] = []
    for row in rows:
        rest = row / (np.linalg.norm(row) or 1.0)
        for _ in range(2):
            for e in found:
                rest = rest - (e @ rest) * e
        length = np.linalg.norm(rest)
        if length > RANK:
            found.append(rest / length)
    return np.array(found).reshape(len(found), rows.shape[1]).T


def _complement(V: Array) -> Array:
    return np.linalg.svd(V, full_matrices=True)[0][:, V.shape[1] :] if V.shape[1] else np.eye(len(V))


def reached(A: Array, B: Array) -> Reached:
    """The reach of the inputs: the smallest invariant subspace with the columns of B. Dual: `reached(Aᵀ, Cᵀ)`."""
    A, B, _, _ = balanced(A, B, np.zeros((0, len(A))))
    V = _invariant(A, B)
    rest = _complement(V)
    return Reached(V.shape[1], eigenvalues(rest.T @ A @ rest))


def _invariant(A: Array, B: Array) -> Array:
    """Orthonormal columns of the smallest invariant subspace of A that contains the columns of B."""
    size = max(float(np.linalg.norm(A, 2)) if len(A) else 0.0, 1e-300)
    V = _spanned(B.T)
    first = 0
    while first < V.shape[1] < len(A):
        more = _spanned(
            np.vstack([V.T, *((A @ v / size)[None] for v in V.T[first:] if np.linalg.norm(A @ v) > RANK * size)])
        )
        first, V = V.shape[1], more
    return V


def regulator(A: Array, B: Array, Q: Array, R: Array) -> tuple[Array, Array]:
    """K of u = −K x that minimizes ∫ (xᵀ Q x + uᵀ R u) dt, and the poles of the closed loop.

    Directions that the weights never see cost nothing, and the equation is solved for the rest of x. So an angle on
    which nothing depends needs no input that moves it.
    """
    from scipy.linalg import solve_continuous_are

    seen = _invariant(A.T, Q)
    inner = seen.T @ A @ seen
    small = SAME * float(np.abs(eigenvalues(A)).max(initial=0.0))
    hidden = _complement(seen)
    stays, grows = reached(inner, seen.T @ B).left, eigenvalues(hidden.T @ A @ hidden)
    for left, what in (
        (stays[stays.real >= -small], mark("the inputs cannot move all that the weights see and that does not fade")),
        (grows[grows.real > small], mark("the weights do not see all that grows")),
    ):
        if len(left):
            raise MathematicsError(
                "{what} (eigenvalues {shown}), so this feedback regulates nothing; add an input, or give other "
                "weights in Q",
                what=tr(what),
                shown=", ".join(map(_shown, left)),
            )
    try:
        P = solve_continuous_are(inner, seen.T @ B, seen.T @ Q @ seen, R)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise MathematicsError(
            "the Riccati equation of these weights has no solution that stabilizes ({error}); give other weights",
            error=error,
        ) from None
    K = np.linalg.solve(R, B.T @ seen @ P) @ seen.T
    return np.where(np.abs(K) <= NOTHING * np.abs(K).max(initial=0.0), 0.0, K), eigenvalues(A - B @ K)


def _shown(value: complex) -> str:
    return f"{value.real + 0.0:.4g}" + (f" ± {abs(value.imag):.4g}i" if value.imag else "")
