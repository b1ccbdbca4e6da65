"""Determinate combinations of forces that share a load: every admissible set of forces has the same value of them.

    ν + Nᵀ y acts like ν for every y (N: null vectors, a row each), so Σ c_r ν_r is determinate if and only if N c = 0

The combinations are the rows of the reduced echelon form of a basis of those c.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.language import tr

SMALL = 1e-7  # entries of unit vectors below this are rounding


def shared(null: np.ndarray) -> list[int]:
    """The places of the forces that are not determinate individually."""
    return np.flatnonzero(np.abs(null).max(axis=0, initial=0.0) > SMALL).tolist()


def combinations(null: np.ndarray) -> list[dict[int, float]]:
    """Independent determinate combinations of the shared forces, each as coefficients by place."""
    places = shared(null)
    if not places:
        return []
    _, values, V = np.linalg.svd(null[:, places])
    rank = int((values > SMALL * values[0]).sum())
    reduced = _echelon(V[rank:].copy())
    return [
        {place: float(c) for place, c in zip(places, row, strict=True) if abs(c) > SMALL}
        for row in reduced
        if np.abs(row).max(initial=0.0) > SMALL
    ]


def _echelon(M: np.ndarray) -> np.ndarray:
    row = 0
    for column in range(M.shape[1]):
        if row == len(M):
            break
        best = row + int(np.abs(M[row:, column]).argmax())
        if abs(M[best, column]) <= SMALL:
            continue
        M[[row, best]] = M[[best, row]]
        M[row] /= M[row, column]
        others = np.arange(len(M)) != row
        M[others] -= np.outer(M[others, column], M[row])
        row += 1
    return M


def told(null: np.ndarray, names: Sequence[str]) -> tuple[str, ...]:
    """A note with the names of the multipliers if many sets of forces are possible; empty if there is only one."""
    places = shared(null)
    if not places:
        return ()
    sums, known = [_written(one, names) for one in combinations(null)], ""
    if len(sums) == 1:
        known = tr("determinate is {sums}", sums=sums[0])
    elif sums:
        known = tr("determinate are {sums}", sums=", ".join(sums))
    message = tr(
        "The forces {places} share a load, and many sets of them fit; the one of least norm "
        "inside all cones is given{words}{known}.",
        places=", ".join(names[i] for i in places), words="; " if known else "", known=known,
    )  # fmt: skip
    return (message,)


def _written(combination: dict[int, float], names: Sequence[str]) -> str:
    text = ""
    for place, c in combination.items():
        size = f"{abs(c):.6g}"
        sign = (" − " if c < 0 else " + ") if text else ("−" if c < 0 else "")
        text += sign + ("" if size == "1" else f"{size} ") + names[place]
    return text
