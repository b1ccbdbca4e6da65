"""The variational equations along a known motion, by Gauss collocation on all of its steps at once.

    δẏ = F_y δy + F_p δp,   y(t) given:   K_i = J(c_i) (S + h Σ a_ij K_j) + G(c_i),   S⁺ = S + h Σ b_i K_i
They are linear, so every step is an affine map S⁺ = Φ S + g of order 2s, independent of the steps before it. Six stages
are compared with five. A step on which they differ by more than the tolerance is halved, unless the difference is small
and halving did not lower it: then it is rounding, as in a stiff slip.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.errors import MathematicsError

Coefficients = Callable[[Array], tuple[Array, Array]]  # times -> J, G
STAGES, FEWER = 6, 5
DEEPEST = 40
ROUNDING = 1e-7  # a larger difference is an error even if halving does not lower it
BATCH = 200  # steps at once, to bound the memory


@dataclass(frozen=True, slots=True)
class Maps:
    """S at `ends` from S at `starts`: Φ S + g."""

    starts: Array
    ends: Array
    phi: Array
    g: Array


@cache
def tableau(stages: int) -> tuple[Array, Array, Array]:
    """a, b and c of Gauss's method: c the roots of Legendre's polynomial on [0, 1], a and b by exact integration."""
    from numpy.polynomial import Polynomial
    from numpy.polynomial.legendre import leggauss

    c = (leggauss(stages)[0] + 1) / 2
    a, b = np.zeros((stages, stages)), np.zeros(stages)
    for j in range(stages):
        others = np.delete(c, j)
        basis = Polynomial.fromroots(others) / np.prod(c[j] - others)
        whole = basis.integ()
        a[:, j], b[j] = whole(c) - whole(0.0), whole(1.0) - whole(0.0)
    return a, b, c


def maps(coefficients: Coefficients, edges: Array, tolerance: float) -> Maps:
    """The affine maps from edge to edge. A map is composed of as many halves as the tolerance requires."""
    starts, ends = edges[:-1], edges[1:]
    done: list[Maps] = []
    before = np.full(len(starts), np.inf)
    for depth in range(DEEPEST + 1):
        found, error = _stepped(coefficients, starts, ends)
        good = (error <= tolerance) | ((error > before / 2) & (error < ROUNDING))
        done.append(Maps(starts[good], ends[good], found.phi[good], found.g[good]))
        if good.all():
            break
        if depth == DEEPEST:
            raise MathematicsError(
                "at t = {starts:.9g} the derivatives grow too fast to be followed; end the motion before",
                starts=starts[~good][0],
            )
        left, right = starts[~good], ends[~good]
        middle = (left + right) / 2
        starts, ends = np.concatenate([left, middle]), np.concatenate([middle, right])
        before = np.tile(error[~good], 2)
    order = np.argsort(np.concatenate([part.starts for part in done]), kind="stable")
    joined = [np.concatenate([getattr(part, name) for part in done])[order] for name in ("starts", "ends", "phi", "g")]
    return Maps(*joined)


def _stepped(coefficients: Coefficients, starts: Array, ends: Array) -> tuple[Maps, Array]:
    """The map of every step, and its error; infinite if it has no value."""
    parts, errors = [], []
    for first in range(0, len(starts), BATCH):
        chosen = slice(first, first + BATCH)
        phi, g = _gauss(coefficients, starts[chosen], ends[chosen], STAGES)
        other, beside = _gauss(coefficients, starts[chosen], ends[chosen], FEWER)
        error = np.abs(phi - other).max(axis=(1, 2), initial=0.0) / np.abs(phi).max(axis=(1, 2), initial=1.0)
        if g.shape[2]:
            error += np.abs(g - beside).max(axis=(1, 2)) / np.maximum(1.0, np.abs(g).max(axis=(1, 2)))
        parts.append((phi, g))
        errors.append(np.where(np.isfinite(error), error, np.inf))
    phi, g = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    return Maps(starts, ends, phi, g), np.concatenate(errors)


def _gauss(coefficients: Coefficients, starts: Array, ends: Array, stages: int) -> tuple[Array, Array]:
    a, b, c = tableau(stages)
    h = ends - starts
    times = starts[:, None] + h[:, None] * c[None, :]
    J, G = coefficients(times.ravel())
    size, columns = J.shape[1], G.shape[2]
    J, G = J.reshape(len(h), stages, size, size), G.reshape(len(h), stages, size, columns)
    # (1 − h A ⊗ J) K = [J | G]: the stages for S = 1 and S = 0
    left = -h[:, None, None, None, None] * np.einsum("ij,eipq->eipjq", a, J)
    left = left.reshape(len(h), stages * size, stages * size) + np.eye(stages * size)
    right = np.concatenate([J, G], axis=3).reshape(len(h), stages * size, size + columns)
    K = np.linalg.solve(left, right).reshape(len(h), stages, size, size + columns)
    change = h[:, None, None] * np.einsum("i,eipq->epq", b, K)
    return np.eye(size) + change[:, :, :size], change[:, :, size:]


def carried(found: Maps, S: Array, wanted: Array) -> tuple[Array, Array]:
    """S at the times `wanted` (ends of steps, ascending), and at the end of all steps, from S at the first start."""
    kept = np.zeros((len(wanted), *S.shape))
    place = 0
    for k in range(len(found.starts)):
        while place < len(wanted) and wanted[place] <= found.starts[k]:
            kept[place] = S
            place += 1
        S = found.phi[k] @ S + found.g[k]
    kept[place:] = S
    return kept, S
