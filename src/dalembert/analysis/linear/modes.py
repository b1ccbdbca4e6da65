"""Modes of the linearized equations: the motion of every coordinate under a single eigenvalue.

    (M − λ) y = 0,   δX = E y
δX has all coordinates and speeds, including the dependent ones. It is scaled so that the largest coordinate that is not
ignorable is 1. If there is none, the largest of all coordinates, or else of the speeds, is 1.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.linear.chart import tangent
from dalembert.analysis.linear.linearize import Linearized
from dalembert.analysis.linear.spectrum import balance, cleaned

FAINT = 1e-9  # relative to the largest part: a smaller one counts as zero


def mode(found: Linearized, value: complex, ignorable: Collection[str]) -> Array:
    """The complex amplitudes δ(q, v, z) of an eigenvalue."""
    matrix, _ = cleaned(found.linear.matrix)
    scales = balance(matrix)
    shifted = matrix * (scales[None, :] / scales[:, None]) - value * np.eye(len(matrix))
    y = scales * np.linalg.svd(shifted)[2][-1].conj()
    names = found.gradients.system.equations.coordinates
    X = tangent(found.linear.local, found.chart, len(found.place.z)) @ y
    shape = X[: len(names)][[name not in ignorable for name in names]]
    parts = [part for part in (shape, X[: len(names)], X) if np.abs(part).max(initial=0.0) > FAINT * np.abs(X).max()]
    X = X / parts[0][int(np.abs(parts[0]).argmax())]
    return np.where(np.abs(X) <= FAINT * np.abs(X).max(), 0.0, X)


def nullity(matrix: Array) -> int:
    """The dimension of the kernel of a matrix, after balancing its units."""
    matrix, _ = cleaned(matrix)
    scales = balance(matrix)
    sizes = np.linalg.svd(matrix * (scales[None, :] / scales[:, None]), compute_uv=False)
    return int((sizes <= 1e-9 * sizes.max(initial=0.0)).sum()) if sizes.max(initial=0.0) > 0 else len(matrix)
