"""Contact problems and the decision about their states. NumPy alone, nothing of the package.

Forces f = (λ₁ … λ_c, R₁ …) act on rows, which answer with w = w₀ + W f; W is symmetric, w₀ given. Wanted are f and w:

    0 ≤ λ_i ⊥ w_i ≥ 0                                            contacts, the first c rows
    w_j = 0 and |R_j| ≤ μ_s N_j,    or    R_j = −μ N_j w_j/|w_j|   frictions of one or two rows
    N_j = n_j + L_j f,  or its absolute value (`two_sided`): given, the force of a contact, a constraint's reaction
    R_j = −μ N_j d_j, w_j free                                   frictions that slip along d_j already (`direction`)

W may be singular: then many f belong to one w. **Given w, the forces that fit form a convex set**:

    F(w) = { f : W f = w − w₀,  λ_i = 0 where w_i > 0,  λ_i ≥ 0 else,
                 R_j = −μ N_j w_j/|w_j| where w_j ≠ 0,  |R_j| ≤ μ_s N_j else }

A state w is a solution if and only if F(w) is not empty: some split of the forces must exist, no matter which. Of
F(w) the force of least norm is taken. Sums of forces along the directions in which F(w) extends are not determinate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reference.interior import Margin, margin, minimum

TOLERANCE = 1e-8  # in units of the problem: smaller numbers count as zero
MOVES = 1e-6  # in units of the problem: a smaller slip counts as rest and belongs to the case of sticking
RANK = 1e-10  # of the largest singular value


@dataclass(frozen=True)
class Friction:
    rows: tuple[int, ...]
    coefficient: float
    static: float | None = None  # the same as the coefficient
    normal: float = 0.0
    press: tuple[tuple[int, float], ...] = ()  # N = normal + Σ factor·f[row]
    two_sided: bool = False
    direction: tuple[float, ...] | None = None

    @property
    def sticking(self) -> float:
        return self.coefficient if self.static is None else self.static


@dataclass(frozen=True)
class Problem:
    W: np.ndarray
    w0: np.ndarray
    contacts: int = 0
    frictions: tuple[Friction, ...] = ()

    def response(self, f: np.ndarray) -> np.ndarray:
        return self.w0 + self.W @ f

    def lever(self, j: int) -> np.ndarray:
        row = np.zeros(len(self.w0))
        for at, factor in self.frictions[j].press:
            row[at] += factor
        return row

    def pressing(self, j: int, f: np.ndarray) -> float:
        """N_j, with its sign."""
        return float(self.frictions[j].normal + self.lever(j) @ f)

    def scaled(self) -> tuple[Problem, float, float]:
        """The problem scaled to numbers of about one, and its units of force and of w."""
        unit = float(np.abs(self.w0).max(initial=0.0)) or 1.0
        force = unit / (float(np.abs(self.W).max(initial=0.0)) or 1.0)
        frictions = tuple(replace(j, normal=j.normal / force) for j in self.frictions)
        return Problem(self.W * (force / unit), self.w0 / unit, self.contacts, frictions), force, unit


@dataclass(frozen=True)
class Conditions:
    """E f = e and h − G f ∈ K: the conditions of one case on the forces."""

    E: np.ndarray
    e: np.ndarray
    G: np.ndarray
    h: np.ndarray
    dims: tuple[int, ...]

    def point(self) -> tuple[np.ndarray, np.ndarray] | None:
        """A force that satisfies the equations, and a basis of the directions that they leave; None without one."""
        U, values, V = np.linalg.svd(self.E)
        rank = int((values > RANK * max(values[0], 1.0)).sum()) if len(values) else 0
        f = V[:rank].T @ ((U[:, :rank].T @ self.e) / values[:rank])
        if np.abs(self.E @ f - self.e).max(initial=0.0) > TOLERANCE * (1.0 + np.abs(f).max(initial=0.0)):
            return None
        return f, V[rank:].T

    def deepest(self, sign: float = 0.0) -> tuple[np.ndarray, Margin] | None:
        """The force deepest inside the cones, with its margin (positive: a proof that no force fits)."""
        at = self.point()
        if at is None:
            return None
        f, Z = at
        if not self.dims:
            return f, Margin(np.zeros(Z.shape[1]), -1.0, np.zeros(0))
        if Z.shape[1] == 0:
            s = self.h - self.G @ f
            lacks = [np.linalg.norm(part[1:]) - part[0] for part in np.split(s, np.cumsum(self.dims)[:-1])]
            return f, Margin(np.zeros(0), float(max(lacks)), np.zeros(len(s)))
        found = margin(self.G @ Z, self.h - self.G @ f, self.dims, sign)
        return f + Z @ found.x, found

    def least(self, towards: np.ndarray | None = None) -> np.ndarray | None:
        """The force of least norm, or the one that lies farthest in a direction."""
        at = self.point()
        if at is None:
            return None
        f, Z = at
        k = Z.shape[1]
        if k == 0 or not self.dims:
            return f
        P, q = (np.eye(k), Z.T @ f) if towards is None else (1e-9 * np.eye(k), -Z.T @ towards)
        return f + Z @ minimum(P, q, self.G @ Z, self.h - self.G @ f, self.dims).x


class _Writer:
    """Gathers equations and cones row by row."""

    def __init__(self, size: int):
        self.size = size
        self.E: list[np.ndarray] = []
        self.e: list[float] = []
        self.G: list[np.ndarray] = []
        self.h: list[float] = []
        self.dims: list[int] = []

    def equal(self, row: np.ndarray, value: float) -> None:
        self.E.append(row)
        self.e.append(value)

    def cone(self, *entries: tuple[np.ndarray, float]) -> None:
        """|rest| ≤ first, each entry row·f + number."""
        for row, number in entries:
            self.G.append(-row)
            self.h.append(number)
        self.dims.append(len(entries))

    def done(self) -> Conditions:
        shape = (-1, self.size)
        return Conditions(
            np.array(self.E).reshape(shape),
            np.array(self.e, dtype=float),
            np.array(self.G).reshape(shape),
            np.array(self.h, dtype=float),
            tuple(self.dims),
        )


OPEN, CLOSED, OFF, STICK, SLIP = "open", "closed", "off", "stick", "slip"


@dataclass(frozen=True)
class Arc:
    """Directions within `half` of `middle`, in which a slip in the plane is searched."""

    middle: float
    half: float

    def holds(self, d: np.ndarray) -> bool:
        off = (np.arctan2(d[1], d[0]) - self.middle + np.pi) % (2 * np.pi) - np.pi
        return bool(abs(off) <= self.half + 1e-9)


@dataclass(frozen=True)
class Case:
    """A state of every contact and friction, None if undecided. A slip is a direction, or an arc of directions."""

    contacts: tuple[str | None, ...]
    frictions: tuple[str | Arc | tuple[float, ...] | None, ...]
    signs: tuple[float, ...]  # of the pressing forces that may have either sign


def conditions(problem: Problem, case: Case) -> Conditions:
    """What a case asks for: exactly where it is decided, a convex set that holds all of its cases where it is not."""
    m = len(problem.w0)
    write, unit = _Writer(m), np.eye(m)
    W, w0 = problem.W, problem.w0
    for i, state in enumerate(case.contacts):
        if state == OPEN:
            write.equal(unit[i], 0.0)
        elif state == CLOSED:
            write.equal(W[i], -w0[i])
        if state != OPEN:
            write.cone((unit[i], 0.0))
        if state != CLOSED:
            write.cone((W[i], w0[i]))
    for j, (friction, state) in enumerate(zip(problem.frictions, case.frictions, strict=True)):
        rows, sign = list(friction.rows), case.signs[j]
        N, n = sign * problem.lever(j), sign * friction.normal
        mu, hold = friction.coefficient, friction.sticking
        if np.any(N) and state != OFF:
            write.cone((N, n))
        if state == OFF:
            for r in rows:
                write.equal(unit[r], 0.0)
        elif isinstance(state, tuple):  # it slips along a known direction
            for r, d in zip(rows, state, strict=True):
                write.equal(unit[r] + mu * d * N, -mu * d * n)
            if friction.direction is None:
                write.cone((np.asarray(state) @ W[rows], float(np.asarray(state) @ w0[rows]) - MOVES))
                for across in _across(np.asarray(state)):
                    write.equal(across @ W[rows], -float(across @ w0[rows]))
        elif isinstance(state, Arc):
            _arc(write, state, problem, j, N, n)
        else:
            if state == STICK:
                for r in rows:
                    write.equal(W[r], -w0[r])
                bound = hold
            else:
                bound = max(hold, mu)
            if np.isfinite(bound):
                write.cone((bound * N, bound * n), *((unit[r], 0.0) for r in rows))
    return write.done()


def _across(d: np.ndarray) -> list[np.ndarray]:
    return [np.array([-d[1], d[0]])] if len(d) == 2 else []


def _arc(write: _Writer, arc: Arc, problem: Problem, j: int, N: np.ndarray, n: float) -> None:
    """−R and w between the ends of the arc, and −R beyond its chord: μN cos(half) ≤ −R·middle."""
    friction = problem.frictions[j]
    rows, mu, unit = list(friction.rows), friction.coefficient, np.eye(len(problem.w0))
    R, w, w0 = unit[rows], problem.W[rows], problem.w0[rows]
    for end, side in ((arc.middle - arc.half, 1.0), (arc.middle + arc.half, -1.0)):
        normal = side * np.array([-np.sin(end), np.cos(end)])
        write.cone((-(normal @ R), 0.0))
        write.cone((normal @ w, float(normal @ w0)))
    middle = np.array([np.cos(arc.middle), np.sin(arc.middle)])
    chord = mu * np.cos(arc.half)
    write.cone((-(middle @ R) - chord * N, -chord * n))
    write.cone((mu * N, mu * n), *((r, 0.0) for r in R))
    write.cone((middle @ w, float(middle @ w0) - MOVES * np.cos(arc.half)))


def force_set(problem: Problem, w: np.ndarray, signs: tuple[float, ...] | None = None) -> Conditions:
    """F(w), for w with numbers about one."""
    contacts = tuple(OPEN if w[i] > TOLERANCE else CLOSED for i in range(problem.contacts))
    m = len(problem.w0)
    write, unit = _Writer(m), np.eye(m)
    signs = signs or (1.0,) * len(problem.frictions)
    for i in range(m):
        write.equal(problem.W[i], w[i] - problem.w0[i])
    for i, state in enumerate(contacts):
        if state == OPEN:
            write.equal(unit[i], 0.0)
        else:
            write.cone((unit[i], 0.0))
    for j, friction in enumerate(problem.frictions):
        rows = list(friction.rows)
        N, n, mu = signs[j] * problem.lever(j), signs[j] * friction.normal, friction.coefficient
        slip = float(np.linalg.norm(w[rows]))
        if off(problem, contacts, j):
            for r in rows:
                write.equal(unit[r], 0.0)
        elif friction.direction is not None or slip > TOLERANCE:
            along = w[rows] / slip if friction.direction is None else np.asarray(friction.direction)
            for r, d in zip(rows, along, strict=True):
                write.equal(unit[r] + mu * d * N, -mu * d * n)
            if np.any(N):
                write.cone((N, n))
        elif np.isfinite(friction.sticking):
            hold = friction.sticking
            write.cone((hold * N, hold * n), *((unit[r], 0.0) for r in rows))
    return write.done()


def off(problem: Problem, contacts: tuple[str | None, ...], j: int) -> bool:
    """Whether nothing presses: no given force, and every contact that presses is open."""
    friction = problem.frictions[j]
    pressed = [at for at, factor in friction.press if factor]
    return friction.normal == 0.0 and all(at < problem.contacts and contacts[at] == OPEN for at in pressed)


def violation(problem: Problem, f: np.ndarray) -> float:
    """The largest breach of any law, in units of the problem: of |w₀| for what moves, of |w₀|/|W| for forces."""
    scaled, force, _ = problem.scaled()
    f = np.asarray(f, dtype=float) / force
    w = scaled.response(f)
    worst = 0.0
    for i in range(problem.contacts):
        worst = max(worst, -f[i], -w[i], min(abs(f[i]), abs(w[i])))
    for j, friction in enumerate(scaled.frictions):
        rows, N = list(friction.rows), scaled.pressing(j, f)
        N = abs(N) if friction.two_sided else N
        R, slip = f[rows], w[rows]
        speed, mu = float(np.linalg.norm(slip)), friction.coefficient
        worst = max(worst, -N)
        if friction.direction is not None:
            worst = max(worst, float(np.linalg.norm(R + mu * N * np.asarray(friction.direction))))
            continue
        stick = max(speed, np.linalg.norm(R) - friction.sticking * N if np.isfinite(friction.sticking) else 0.0)
        along = slip / speed if speed > 0.0 else np.zeros(len(rows))
        slides = float(np.linalg.norm(R + mu * N * along)) if np.isfinite(mu) else np.inf
        pressed_by_nothing = float(np.linalg.norm(R)) if N <= TOLERANCE else np.inf
        worst = max(worst, min(float(stick), slides, pressed_by_nothing))
    return float(worst)
