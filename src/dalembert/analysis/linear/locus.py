"""Follows eigenvalues along a family, and locates critical values.

From node to node, eigenvalues are paired by linear assignment: the sum of squared distances from their extrapolated
places is least. If the pairing is ambiguous, a node is added in between. Critical values are zeros of
    Re λ          a mode begins to grow, or to decay
    (λ₁ − λ₂)²    two eigenvalues meet: real ones become a pair, or of two frequencies one grows and one decays
Both are smooth functions of the varied quantity. Brent's method finds the zeros to rounding, with one linearization for
each step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.errors import MathematicsError

Spectrum = Callable[[float], Array]
DEEPEST = 7  # halvings of a step with an ambiguous pairing
NEUTRAL = 1e-7  # relative to the largest eigenvalue: a smaller real or imaginary part counts as zero
EXACT = 1e-14


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical value: `kind` is crossing or meeting, `value` is the varied quantity, with the eigenvalue there."""

    kind: str
    value: float
    eigenvalue: complex
    grows: bool | None = None  # for a crossing: whether the mode grows above it


Search = tuple[float, float, Callable[[], list[Critical]]]  # an interval, and the function with a zero in it


@dataclass(frozen=True, slots=True)
class EigenvalueBranches:
    """Eigenvalues over nodes, a column for each branch. `asked` has the indices of the requested values."""

    nodes: Array
    eigenvalues: Array
    asked: list[int]


def followed(spectrum: Spectrum, values: Array, spectra: list[Array]) -> EigenvalueBranches:
    """Connect spectra of equal size to branches. Nodes are added where the pairing is ambiguous."""
    nodes, rows, asked = [float(values[0])], [spectra[0]], [0]
    for value, target in zip(values[1:].tolist(), spectra[1:], strict=True):
        _follow(spectrum, nodes, rows, value, target, DEEPEST)
        asked.append(len(nodes) - 1)
    return EigenvalueBranches(np.array(nodes), np.array(rows), asked)


def _follow(
    spectrum: Spectrum, nodes: list[float], rows: list[Array], value: float, target: Array, deepest: int
) -> None:
    last, step = rows[-1], value - nodes[-1]
    guess = last
    if len(rows) > 1:
        guess = last + (last - rows[-2]) * (step / (nodes[-1] - nodes[-2]))
    new = paired(guess, target)
    if deepest and not _plain(last, guess, new):
        between = nodes[-1] + step / 2
        middle = _tried(spectrum, between)
        if middle is not None and len(middle) == len(target):
            _follow(spectrum, nodes, rows, between, middle, deepest - 1)
            _follow(spectrum, nodes, rows, value, target, deepest - 1)
            return
    nodes.append(value)
    rows.append(new)


def _tried(spectrum: Spectrum, value: float) -> Array | None:
    """The spectrum at a value. None if no state can be linearized there."""
    try:
        return spectrum(value)
    except MathematicsError:
        return None


def paired(guess: Array, target: Array) -> Array:
    """The target's entries, ordered like the entries that they continue. Zeros continue zeros."""
    from scipy.optimize import linear_sum_assignment

    small = NEUTRAL * np.abs(target).max(initial=0.0)
    zeros, others = np.abs(target) <= small, np.abs(guess) > small
    if zeros.sum() != len(others) - others.sum():
        others = np.ones(len(guess), dtype=bool)  # an eigenvalue passes through zero: any one may do so
        zeros = ~others
    found = np.empty_like(target)
    found[~others] = target[zeros]
    _, order = linear_sum_assignment(np.abs(guess[others][:, None] - target[~zeros][None, :]) ** 2)
    found[others] = target[~zeros][order]
    return found


def _plain(last: Array, guess: Array, new: Array) -> bool:
    """Whether the pairing is unambiguous: every eigenvalue is far nearer to its own continuation than to another's."""
    scale = np.abs(new).max(initial=0.0)
    if not scale:
        return True
    missed = np.abs(new - guess)
    apart = np.abs(new[:, None] - guess[None, :]) + np.where(np.eye(len(new), dtype=bool), np.inf, 0.0)
    close = missed <= 1e-3 * scale
    return bool(np.all(close | (missed <= 0.3 * apart.min(axis=1)) | (np.abs(new - last) <= 1e-6 * scale)))


def critical_values(
    spectrum: Spectrum, branches: EigenvalueBranches
) -> tuple[list[Critical], list[tuple[float, float]]]:
    """Crossings and meetings in ascending order, and intervals that contain one at which no state was found."""
    found: list[Critical] = []
    lost: list[tuple[float, float]] = []
    for look in (*_crossings(spectrum, branches), *_meetings(spectrum, branches)):
        first, last, locate = look
        try:
            found += locate()
        except MathematicsError:
            lost.append((first, last))
    return sorted(_once(found), key=lambda one: (one.value, one.kind)), sorted(set(lost))


def _crossings(spectrum: Spectrum, branches: EigenvalueBranches) -> Iterator[Search]:
    nodes, rows = branches.nodes, branches.eigenvalues
    small = NEUTRAL * np.abs(rows).max(axis=1, initial=0.0)
    for branch in range(rows.shape[1]):
        clear = np.flatnonzero(np.abs(rows[:, branch].real) > small).tolist()
        for i, j in pairwise(clear):
            before, after = rows[i, branch], rows[j, branch]
            if before.real * after.real <= 0 and before.imag + after.imag >= 0:
                yield float(nodes[i]), float(nodes[j]), partial(_crossing, spectrum, branches, i, j, branch)


def _crossing(spectrum: Spectrum, branches: EigenvalueBranches, i: int, j: int, branch: int) -> list[Critical]:
    def real(value: float) -> float:
        return _near(spectrum, branches, i, j, branch, value).real

    value = _zero(real, float(branches.nodes[i]), float(branches.nodes[j]))
    there = _near(spectrum, branches, i, j, branch, value)
    return [Critical("crossing", value, there, bool(branches.eigenvalues[j, branch].real > 0))]


def _near(spectrum: Spectrum, branches: EigenvalueBranches, i: int, j: int, branch: int, value: float) -> complex:
    """The eigenvalue of a branch between two of its nodes."""
    share = (value - branches.nodes[i]) / (branches.nodes[j] - branches.nodes[i])
    rows = branches.eigenvalues
    still = _still(rows[[i, j]])
    guess = (rows[i] + share * (rows[j] - rows[i]))[~still]
    return complex(paired(guess, _without(spectrum(value), still))[int((~still[:branch]).sum())])


def _still(rows: Array) -> Array:
    """The branches that are zero in all of these rows."""
    return np.max(np.abs(rows), axis=0) <= NEUTRAL * np.abs(rows).max()


def _without(eigenvalues: Array, still: Array) -> Array:
    """Remove the eigenvalues that are always zero. Otherwise another one that vanishes would be mistaken for them."""
    return eigenvalues[np.argsort(np.abs(eigenvalues), kind="stable")[int(still.sum()) :]]


def _meetings(spectrum: Spectrum, branches: EigenvalueBranches) -> Iterator[Search]:
    nodes, rows = branches.nodes, branches.eigenvalues
    sizes = np.abs(rows).max(axis=1)
    for a in range(rows.shape[1]):
        for b in range(a + 1, rows.shape[1]):
            kinds = [_kind(rows[k, a], rows[k, b], sizes[k]) for k in range(len(nodes))]
            apart = [k for k in range(len(nodes)) if kinds[k] != "same"]  # a node may coincide with the meeting
            for i, j in pairwise(apart):
                if {kinds[i], kinds[j]} in ({"real", "conjugate"}, {"imaginary", "opposite"}):
                    above = "imaginary" in (kinds[i], kinds[j])
                    yield float(nodes[i]), float(nodes[j]), partial(_meeting, spectrum, branches, (i, j), (a, b), above)


def _kind(first: complex, second: complex, size: float) -> str:
    """The symmetry of two eigenvalues: mirrored in the real or imaginary axis, or both on one of the axes."""
    small = NEUTRAL * size
    real, imaginary = (
        all(abs(part) <= small for part in parts) for parts in ((first.imag, second.imag), (first.real, second.real))
    )
    if abs(first - second) <= small:
        return "same"
    if real:
        return "real"
    if abs(first - second.conjugate()) <= small:
        return "conjugate"  # a pair on the imaginary axis may become two real ones
    if imaginary:
        return "imaginary" if first.imag * second.imag > 0 else ""
    return "opposite" if abs(first + second.conjugate()) <= small else ""


def _meeting(
    spectrum: Spectrum, branches: EigenvalueBranches, nodes_at: tuple[int, int], pair: tuple[int, int], above: bool
) -> list[Critical]:
    nodes, rows = branches.nodes[list(nodes_at)], branches.eigenvalues[list(nodes_at)]
    (a, b), (left, right) = pair, rows
    if above and (left[a] + left[b]).imag < 0:
        return []  # its conjugate above the axis is found

    def square(value: float) -> float:
        first, second = between(value)
        return float(((first - second) ** 2).real)

    def between(value: float) -> tuple[complex, complex]:
        """The two eigenvalues that continue the sum and the squared difference of the pair; both are smooth."""
        share = (value - nodes[0]) / (nodes[1] - nodes[0])
        total = (1 - share) * (left[a] + left[b]) + share * (right[a] + right[b])
        squared = (1 - share) * (left[a] - left[b]) ** 2 + share * (right[a] - right[b]) ** 2
        there = _without(spectrum(value), _still(rows))
        size = float(np.abs(rows).max())
        candidates = [
            (abs(x + y - total) / size + abs((x - y) ** 2 - squared) / size**2, k, m)
            for k, x in enumerate(there)
            for m, y in enumerate(there[:k])
            if abs(((x - y) ** 2).imag) <= NEUTRAL * size**2
        ]
        _, k, m = min(candidates)
        return complex(there[k]), complex(there[m])

    value = _zero(square, *nodes.tolist())
    first, second = between(value)
    middle = (first + second) / 2
    if abs(first - second) > 1e-4 * np.abs(left).max():
        return []  # a change of sign without a zero: other eigenvalues were paired
    small = 1e-6 * np.abs(left).max()
    real, imaginary = (0.0 if abs(part) <= small else part for part in (middle.real, middle.imag))
    return [Critical("meeting", value, complex(real, imaginary))]


def _once(found: list[Critical]) -> list[Critical]:
    kept: list[Critical] = []
    for one in found:
        same = (
            abs(one.value - other.value) <= 1e-9 * max(1.0, abs(one.value))
            and abs(one.eigenvalue - other.eigenvalue) <= 1e-5 * max(1.0, abs(one.eigenvalue))
            for other in kept
        )
        if not any(same):
            kept.append(one)
    return kept


def _zero(function: Callable[[float], float], left: float, right: float) -> float:
    from scipy.optimize import brentq

    at_left, at_right = function(left), function(right)
    if at_left == 0.0 or at_right == 0.0:
        return left if at_left == 0.0 else right
    if at_left * at_right > 0:  # the end is neutral: there is no change of sign
        return left if abs(at_left) < abs(at_right) else right
    size = max(abs(left), abs(right))
    found = float(brentq(function, left, right, xtol=EXACT * size, rtol=EXACT, maxiter=200))
    return 0.0 if abs(found) <= 1e-12 * size else found
