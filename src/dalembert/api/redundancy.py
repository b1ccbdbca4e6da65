"""Notes on redundant constraints: which rows follow from others, and which sums of their multipliers are determinate.

    R (ν + k) = R ν if R k = 0, so that ν_i + α ν_j is determinate if and only if k_i + α k_j = 0 for all such k
Long's axle is the example: each wheel alone keeps it from sliding sideways, and only the sum of the side forces is
known.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from dalembert.language import tr

SMALL = 1e-9  # of the largest singular value; a smaller one belongs to a null vector
MOST = 8  # sums that a note names


def redundancy_notes(
    redundant: Sequence[str], R: np.ndarray | None = None, names: Sequence[str] = ()
) -> tuple[str, ...]:
    """A note that names the redundant rows and, if R is given at the state, determinate sums of multipliers."""
    if not redundant:
        return ()
    sums = [] if R is None else determinate_sums(R, names)
    known = tr(" Determinate are {sums}.", sums=", ".join(sums[:MOST])) if sums else ""
    return (
        tr(
            "Redundant at the initial state: {names}; of all multipliers that fit, the smallest are reported.{known}",
            names=", ".join(redundant),
            known=known,
        ),
    )


def determinate_sums(R: np.ndarray, names: Sequence[str]) -> list[str]:
    """Independent sums of two multipliers that every solution shares, first those with equal weights."""
    _, values, V = np.linalg.svd(R)
    rank = int((values > SMALL * values.max(initial=0.0)).sum())
    null = V[rank:]  # a row each
    sizes = np.linalg.norm(null, axis=0)
    shared = np.flatnonzero(sizes > 1e-7)
    found: list[tuple[float, int, int, float]] = []
    for i, j in combinations(shared.tolist(), 2):
        alpha = -float(null[:, i] @ null[:, j]) / float(sizes[j] ** 2)
        if np.linalg.norm(null[:, i] + alpha * null[:, j]) <= 1e-7 * sizes[i]:
            found.append((round(abs(np.log(abs(alpha))), 9), i, j, alpha))
    chosen: list[str] = []
    group = {int(i): int(i) for i in shared}  # rows that chosen sums link to each other
    for _, i, j, alpha in sorted(found):
        if group[i] == group[j]:
            continue  # follows from sums that are chosen
        group = {row: group[i] if one == group[j] else one for row, one in group.items()}
        weight = f"{abs(alpha):.6g}"
        sign = " + " if alpha > 0 else " − "
        chosen.append(f"{names[i]}{sign}{'' if weight == '1' else f'{weight} '}{names[j]}")
    return chosen
