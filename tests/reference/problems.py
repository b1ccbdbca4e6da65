"""Random contact problems over strata, the same for the same seed, and their answers as JSON.

`python tests/reference/problems.py FILE [COUNT]` writes problems with the reference's answers, for tests of another
solver. Every problem comes from masses and levers (W = A M⁻¹ Aᵀ, w₀ = A M⁻¹ h), so that the rows of a redundant
one are consistent.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from reference.cones import Friction, Problem, violation
from reference.states import Answer, solve

STRATA = (
    "given-1d",
    "given-2d",
    "given-redundant",
    "smooth-contacts",
    "smooth-redundant",
    "contacts-1d",
    "contacts-1d-redundant",
    "contacts-2d",
    "contacts-2d-redundant",
    "feet",
    "legs",
    "mixed",
    "nearly-singular",
    "sliding",
    "static",
    "two-sided",
)


def problem(stratum: str, seed: int) -> Problem:
    rng = np.random.default_rng([STRATA.index(stratum), seed])
    return _MAKERS[stratum](rng)


def _system(rng: np.random.Generator, A: np.ndarray, push: float = 5.0) -> tuple[np.ndarray, np.ndarray]:
    n = A.shape[1]
    B = np.eye(n) + 0.3 * rng.normal(size=(n, n))
    inverse = B @ np.diag(rng.uniform(0.3, 3.0, n)) @ B.T
    return A @ inverse @ A.T, A @ inverse @ (push * rng.normal(size=n))


def _rows(rng: np.random.Generator, count: int, redundant: bool) -> np.ndarray:
    n = max(1, count - int(rng.integers(1, 3))) if redundant else count + int(rng.integers(0, 3))
    return rng.normal(size=(count, n))


def _given(rng: np.random.Generator, dim: int, redundant: bool) -> Problem:
    count = int(rng.integers(1 + redundant, 7))
    W, w0 = _system(rng, _rows(rng, dim * count, redundant))
    frictions = tuple(
        Friction(tuple(range(dim * k, dim * k + dim)), float(rng.uniform(0.1, 1)), normal=float(rng.uniform(0.5, 8)))
        for k in range(count)
    )
    return Problem(W, w0, 0, frictions)


def _smooth(rng: np.random.Generator, redundant: bool) -> Problem:
    count = int(rng.integers(1 + redundant, 7))
    W, w0 = _system(rng, _rows(rng, count, redundant))
    return Problem(W, w0, count, ())


def _contacts(rng: np.random.Generator, dim: int, redundant: bool, most: int, high: float = 0.8) -> Problem:
    count = int(rng.integers(1 + redundant, most + 1))
    size = count * (1 + dim)
    n = max(2, size - int(rng.integers(1, 3))) if redundant else size + int(rng.integers(0, 3))
    A = rng.normal(size=(size, n))
    W, w0 = _system(rng, A)
    w0 = w0 - W[:, :count] @ rng.uniform(0, 3, count)  # more contacts press
    frictions = tuple(
        Friction(
            tuple(range(count + dim * k, count + dim * k + dim)), float(rng.uniform(0.05, high)), press=((k, 1.0),)
        )
        for k in range(count)
    )
    return Problem(W, w0, count, frictions)


def _feet(rng: np.random.Generator) -> Problem:
    """A box in the plane on two to four feet, pushed."""
    count, height = int(rng.integers(2, 5)), float(rng.uniform(0.1, 0.8))
    places = np.sort(rng.uniform(-1, 1, count))
    rows = [[0, 1, x] for x in places] + [[1, 0, height] for _ in places]
    push, top = float(rng.uniform(-6, 6)), float(rng.uniform(-0.5, 0.8))
    A, inverse = np.array(rows), np.diag([1, 1, 1 / rng.uniform(0.05, 0.5)])
    load = np.array([push, -10.0, -top * push])
    frictions = tuple(Friction((count + k,), float(rng.uniform(0.05, 0.8)), press=((k, 1.0),)) for k in range(count))
    return Problem(A @ inverse @ A.T, A @ inverse @ load, count, frictions)


def _legs(rng: np.random.Generator) -> Problem:
    """A table on three legs, or two, pushed and turned."""
    count, height = int(rng.integers(2, 4)), float(rng.uniform(0.1, 0.6))
    angles = 2 * np.pi * (np.arange(count) + rng.uniform(0, 0.5, count)) / count
    rows: list[np.ndarray] = []
    for axes in (((0, 0, 1),), ((1, 0, 0), (0, 1, 0))):
        for a in angles:
            rows += [np.concatenate([axis, np.cross([np.cos(a), np.sin(a), -height], axis)]) for axis in axes]
    A, inverse = np.array(rows, dtype=float), np.diag([1, 1, 1, *1 / rng.uniform(0.1, 0.5, 3)])
    load = np.array([*rng.uniform(-4, 4, 2), -10.0, *rng.uniform(-0.5, 0.5, 2), float(rng.uniform(-2, 2))])
    same = float(rng.uniform(0.1, 0.6))
    frictions = tuple(Friction((count + 2 * k, count + 2 * k + 1), same, press=((k, 1.0),)) for k in range(count))
    return Problem(A @ inverse @ A.T, A @ inverse @ load, count, frictions)


def _mixed(rng: np.random.Generator) -> Problem:
    """A contact with friction, one without, and a friction whose normal force is given."""
    W, w0 = _system(rng, _rows(rng, 5, bool(rng.integers(2))))
    frictions = (
        Friction((2,), float(rng.uniform(0.1, 0.6)), press=((0, 1.0),)),
        Friction((3, 4), float(rng.uniform(0.1, 0.6)), normal=float(rng.uniform(0.5, 6))),
    )
    return Problem(W, w0, 2, frictions)


def _near(rng: np.random.Generator) -> Problem:
    """Two nearly identical contacts."""
    kind = int(rng.integers(2))
    A = rng.normal(size=(4, 5))
    A[1] = A[0] + 10.0 ** -rng.uniform(1, 3) * rng.normal(size=5)
    A[3] = A[2] + 10.0 ** -rng.uniform(1, 3) * rng.normal(size=5)
    W, w0 = _system(rng, A)
    if kind == 0:
        return Problem(
            W, w0, 2, tuple(Friction((2 + k,), float(rng.uniform(0.1, 0.5)), press=((k, 1.0),)) for k in (0, 1))
        )
    return Problem(W, w0, 0, tuple(Friction((k, k + 2), float(rng.uniform(0.1, 0.5)), normal=4.0) for k in (0, 1)))


def _sliding(rng: np.random.Generator) -> Problem:
    """Contacts, some of which already slide."""
    base = _contacts(rng, int(rng.integers(1, 3)), bool(rng.integers(2)), 3)
    frictions = []
    for k, f in enumerate(base.frictions):
        d = rng.normal(size=len(f.rows))
        slides = k == 0 or rng.integers(2)
        d = d / np.linalg.norm(d)
        frictions.append(Friction(f.rows, f.coefficient, press=f.press, direction=tuple(d) if slides else None))
    return Problem(base.W, base.w0, base.contacts, tuple(frictions))


def _static(rng: np.random.Generator) -> Problem:
    base = _contacts(rng, 1, False, 3, high=0.4)
    more = [
        Friction(f.rows, f.coefficient, static=f.coefficient * float(rng.uniform(1, 2)), press=f.press)
        for f in base.frictions
    ]
    return Problem(base.W, base.w0, base.contacts, tuple(more))


def _sided(rng: np.random.Generator) -> Problem:
    """Frictions pressed by reactions of either sign: N = |n + L f|, of forces that change it a little."""
    count = int(rng.integers(1, 4))
    W, w0 = _system(rng, _rows(rng, count, False))
    frictions = []
    for k in range(count):
        press = tuple((i, float(rng.uniform(-0.3, 0.3))) for i in range(count) if i != k)
        normal = float(rng.normal() * 4)
        frictions.append(Friction((k,), float(rng.uniform(0.1, 0.6)), normal=normal, press=press, two_sided=True))
    return Problem(W, w0, 0, tuple(frictions))


_MAKERS = {
    "given-1d": lambda rng: _given(rng, 1, False),
    "given-2d": lambda rng: _given(rng, 2, False),
    "given-redundant": lambda rng: _given(rng, int(rng.integers(1, 3)), True),
    "smooth-contacts": lambda rng: _smooth(rng, False),
    "smooth-redundant": lambda rng: _smooth(rng, True),
    "contacts-1d": lambda rng: _contacts(rng, 1, False, 5),
    "contacts-1d-redundant": lambda rng: _contacts(rng, 1, True, 4),
    "contacts-2d": lambda rng: _contacts(rng, 2, False, 3),
    "contacts-2d-redundant": lambda rng: _contacts(rng, 2, True, 3),
    "feet": _feet,
    "legs": _legs,
    "mixed": _mixed,
    "nearly-singular": _near,
    "sliding": _sliding,
    "static": _static,
    "two-sided": _sided,
}


def as_json(stratum: str, seed: int, given: Problem, answer: Answer) -> dict[str, Any]:
    return {
        "stratum": stratum,
        "seed": seed,
        "W": given.W.tolist(),
        "w0": given.w0.tolist(),
        "contacts": given.contacts,
        "frictions": [
            {
                "rows": list(f.rows),
                "coefficient": f.coefficient,
                "static": f.sticking,
                "normal": f.normal,
                "press": [list(entry) for entry in f.press],
                "two_sided": f.two_sided,
                "direction": None if f.direction is None else list(f.direction),
            }
            for f in given.frictions
        ],
        "complete": answer.complete,
        "count": len(answer.solutions),
        "solutions": [
            {
                "w": s.w.tolist(),
                "w_determinate": s.determinate,
                "contacts": list(s.contacts),
                "frictions": list(s.frictions),
                "forces": s.forces.tolist(),
                "forces_free": s.spread.T.tolist(),
                "sums": s.sums.tolist(),
                "margin": s.margin,
                "violation": violation(given, s.forces),
            }
            for s in answer.solutions
        ],
    }


def main(path: str, count: int) -> None:
    found = []
    each = -(-count // len(STRATA))
    for stratum in STRATA:
        start = time.time()
        for seed in range(each):
            given = problem(stratum, seed)
            found.append(as_json(stratum, seed, given, solve(given, 1500)))
        here = [p for p in found if p["stratum"] == stratum]
        counts = sorted(p["count"] for p in here)
        worst = max((s["violation"] for p in here for s in p["solutions"]), default=0.0)
        unknown = sum(not p["complete"] for p in here)
        print(
            f"{stratum}: states {counts}, not complete {unknown}, {worst:.1e}, {time.time() - start:.0f} s", flush=True
        )
        Path(path).write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 320)
