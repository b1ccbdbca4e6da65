"""Modes of the linearized equations: how every coordinate moves where a single eigenvalue acts.

    (M − λ) y = 0,   δX = E y:   the coordinates and speeds, dependent ones too, scaled so that the largest of the
coordinates that are not ignorable is 1 (else of all coordinates, else of the speeds).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.linear.chart import tangent
from dalembert.analysis.linear.linearize import Linearized
from dalembert.analysis.linear.spectrum import balance, cleaned

FAINT = 1e-9  # beside the largest, a part that is none


def mode(found: Linearized, value: complex, ignorable: Collection[str]) -> Array:
    """δ(q, v, z) of an eigenvalue, complex."""
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
    """How many independent directions a matrix maps to zero, its units balanced away."""
    matrix, _ = cleaned(matrix)
    scales = balance(matrix)
    sizes = np.linalg.svd(matrix * (scales[None, :] / scales[:, None]), compute_uv=False)
    return int((sizes <= 1e-9 * sizes.max(initial=0.0)).sum()) if sizes.max(initial=0.0) > 0 else len(matrix)
