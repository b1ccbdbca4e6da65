"""All states of a contact problem, or the proof that no state exists.

Convex problems (all normal forces given, one coefficient for stick and slip) have exactly one w: it minimizes
½ fᵀW f + w₀ᵀf over the cones, and the interior-point method finds it.

Other problems are searched completely. A node of the tree has decided some contacts and frictions; the others are
replaced by a convex set that contains all of their cases. A certificate of infeasibility ends the node. Slips in the
plane are searched in arcs, which are halved. So every state is found, and if there is none, this is proved
(states whose slips differ by less than `NARROW` count as one).

Large problems take the fixed point of De Saxcé and Acary: with s_j = |w_j| known, the problem
min ½ fᵀW f + w₀ᵀf + Σ μ_j s_j N_j(f) over |R_j| ≤ μ_j N_j, λ ≥ 0 is convex, and where its own slips are the s_j it
is Coulomb's. This finds a state, but does not prove that it is the only one (`complete` is False).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from reference.cones import (
    CLOSED,
    OFF,
    OPEN,
    SLIP,
    STICK,
    TOLERANCE,
    Arc,
    Case,
    Problem,
    _Writer,
    conditions,
    force_set,
    off,
    violation,
)
from reference.interior import minimum

NARROW = 0.02  # rad
EXACT = 1e-7  # a smaller violation is rounding


@dataclass(frozen=True)
class Solution:
    w: np.ndarray
    forces: np.ndarray  # of least norm inside the cones
    contacts: tuple[str, ...]
    frictions: tuple[str, ...]
    determinate: bool  # whether w is the only one near it
    spread: np.ndarray  # columns: directions of forces that are not determinate; sums across them are
    margin: float  # how far from another state, in units of the problem

    @property
    def sums(self) -> np.ndarray:
        """Rows c with cᵀf determinate, orthonormal: all rows where every force is determinate."""
        size = len(self.forces)
        if self.spread.shape[1] == 0:
            return np.eye(size)
        return np.linalg.svd(self.spread.T)[2][np.linalg.matrix_rank(self.spread) :]


@dataclass(frozen=True)
class Answer:
    solutions: tuple[Solution, ...]
    complete: bool  # whether these are all states; without solutions, the proof that no state exists
    nodes: int


def solve(problem: Problem, most: int = 4000) -> Answer:
    """Every state, if the search ends within this number of nodes; otherwise one state."""
    scaled, force, unit = problem.scaled()
    if convex(scaled):
        found, complete, nodes = [convex_state(scaled)], True, 1
    else:
        search = _Search(scaled, most)
        found, complete, nodes = search.run()
        if not complete and not found:
            found = [f for f in [fixed_point(scaled)] if f is not None]
    solutions = []
    for forces in found:
        one = described(scaled, forces)
        if one is not None and not any(same(one, other) for other in solutions):
            solutions.append(one)
    return Answer(tuple(_unscaled(s, force, unit) for s in solutions), complete, nodes)


def same(a: Solution, b: Solution) -> bool:
    alike = a.contacts == b.contacts and a.frictions == b.frictions
    return bool(np.abs(a.w - b.w).max(initial=0.0) < 1e-5) or (alike and not (a.determinate and b.determinate))


def _unscaled(s: Solution, force: float, unit: float) -> Solution:
    return replace(s, w=s.w * unit, forces=s.forces * force)


def convex(problem: Problem) -> bool:
    given = all(not f.press and not f.two_sided and np.isfinite(f.coefficient) for f in problem.frictions)
    return given and all(f.direction is not None or f.sticking == f.coefficient for f in problem.frictions)


def convex_state(problem: Problem) -> np.ndarray:
    """Forces with the unique w of a convex problem, refined by Newton's steps in the case that they show."""
    return _minimized(problem, np.zeros(len(problem.frictions)))


def _minimized(problem: Problem, slips: np.ndarray) -> np.ndarray:
    m = len(problem.w0)
    write, unit, q = _Writer(m), np.eye(m), problem.w0.copy()
    for i in range(problem.contacts):
        write.cone((unit[i], 0.0))
    fixed = {}
    for j, friction in enumerate(problem.frictions):
        N, n, mu = problem.lever(j), friction.normal, friction.coefficient
        if friction.direction is not None:
            fixed |= {r: -mu * n * d for r, d in zip(friction.rows, friction.direction, strict=True)}
        else:
            write.cone((mu * N, mu * n), *((unit[r], 0.0) for r in friction.rows))
            q = q + mu * slips[j] * N
    out = write.done()
    free = [i for i in range(m) if i not in fixed]
    known = np.zeros(m)
    for r, value in fixed.items():
        known[r] = value
    W = problem.W
    found = minimum(W[np.ix_(free, free)], (q + W @ known)[free], out.G[:, free], out.h, out.dims)
    f = known.copy()
    f[free] = found.x
    return polished(problem, f)


def fixed_point(problem: Problem) -> np.ndarray | None:
    """A state of a problem with one coefficient for stick and slip, or None if the iteration does not converge."""
    if any(f.two_sided or f.direction is not None or not np.isfinite(f.coefficient) for f in problem.frictions):
        return None
    if any(f.sticking != f.coefficient for f in problem.frictions):
        return None
    slips = np.zeros(len(problem.frictions))
    for _ in range(200):
        f = _minimized(problem, slips)
        if violation(problem, f) < EXACT:
            return f
        w = problem.response(f)
        slips = 0.5 * slips + 0.5 * np.array([np.linalg.norm(w[list(j.rows)]) for j in problem.frictions])
    return None


def states(problem: Problem, f: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...]]:
    w = problem.response(f)
    contacts = tuple(OPEN if w[i] > TOLERANCE else CLOSED for i in range(problem.contacts))
    frictions = []
    for j, friction in enumerate(problem.frictions):
        if off(problem, contacts, j):
            frictions.append(OFF)
        elif friction.direction is not None or np.linalg.norm(w[list(friction.rows)]) > TOLERANCE:
            frictions.append(SLIP)
        else:
            frictions.append(STICK)
    return contacts, tuple(frictions)


def polished(problem: Problem, f: np.ndarray, zero: float = 1e-5) -> np.ndarray:
    """Newton's steps on the equations of the case that f shows; f itself if they do not improve it."""
    w = problem.response(f)
    contacts = ["open" if w[i] > zero and f[i] < zero else "closed" for i in range(problem.contacts)]
    slipping = [j.direction is not None or float(np.linalg.norm(w[list(j.rows)])) > zero for j in problem.frictions]
    best, g = f, f.copy()
    for _ in range(12):
        value, J = _equations(problem, g, contacts, slipping)
        if not np.isfinite(J).all():  # a slip has stopped, and has no direction
            break
        step = np.linalg.lstsq(J, -value, rcond=1e-11)[0]
        g = g + step
        if not np.all(np.isfinite(g)):
            break
        if violation(problem, g) < violation(problem, best):
            best = g.copy()
        if np.abs(step).max(initial=0.0) < 1e-15:
            break
    return best


def _equations(
    problem: Problem, f: np.ndarray, contacts: list[str], slipping: list[bool]
) -> tuple[np.ndarray, np.ndarray]:
    m = len(f)
    unit, w, W = np.eye(m), problem.response(f), problem.W
    value, J = [], []
    for i, state in enumerate(contacts):
        value.append(f[i] if state == OPEN else w[i])
        J.append(unit[i] if state == OPEN else W[i])
    for j, friction in enumerate(problem.frictions):
        rows, mu = list(friction.rows), friction.coefficient
        N = problem.pressing(j, f)
        L = problem.lever(j)
        if friction.two_sided and N < 0.0:
            N, L = -N, -L
        speed = float(np.linalg.norm(w[rows]))
        if off(problem, tuple(contacts), j):
            value += list(f[rows])
            J += list(unit[rows])
        elif slipping[j]:
            if friction.direction is not None:
                d, turn = np.asarray(friction.direction), np.zeros((len(rows), m))
            else:
                d = w[rows] / speed if speed else np.full(len(rows), np.nan)
                turn = (W[rows] - np.outer(d, d @ W[rows])) / (speed or np.nan)
            value += list(f[rows] + mu * N * d)
            J += list(unit[rows] + mu * np.outer(d, L) + mu * N * turn)
        else:
            value += list(w[rows])
            J += list(W[rows])
    return np.array(value), np.array(J).reshape(-1, m)


def described(problem: Problem, f: np.ndarray) -> Solution | None:
    """The state that these forces show, with the least forces that belong to it."""
    if violation(problem, f) > EXACT:
        return None
    w = problem.response(f)
    w = np.where(np.abs(w) < TOLERANCE, 0.0, w)
    contacts, frictions = states(problem, f)
    signs = tuple(
        -1.0 if j.two_sided and problem.pressing(k, f) < 0.0 else 1.0 for k, j in enumerate(problem.frictions)
    )
    fits = force_set(problem, w, signs)
    at = fits.deepest()
    forces, room = f, 1.0
    spread = np.zeros((len(f), 0))
    point = fits.point()
    if at is not None and point is not None:
        room = -at[1].tau
        Z = point[1]
        if Z.shape[1] > 0:
            least = fits.least()
            if least is not None and violation(problem, least) < EXACT:
                forces = least
            spread = Z if room > 1e-6 else _extent(fits, Z)
    _, J = _equations(problem, f, list(contacts), [s == SLIP for s in frictions])
    _, values, V = np.linalg.svd(J)
    free = V[int((values > 1e-9 * values[0]).sum()) :].T if len(values) else np.zeros((len(f), 0))
    moves = convex(problem) or np.abs(problem.W @ free).max(initial=0.0) < 1e-7
    room = min([room, *(w[i] for i in range(problem.contacts) if contacts[i] == OPEN)])
    for j, friction in enumerate(problem.frictions):
        if frictions[j] == SLIP and friction.direction is None:
            room = min(room, float(np.linalg.norm(w[list(friction.rows)])))
    return Solution(w, forces, contacts, frictions, bool(moves), spread, float(room))


def _extent(fits, Z: np.ndarray) -> np.ndarray:
    """Directions in which a set without interior extends: differences of its farthest points."""
    base = fits.least()
    points = [fits.least(side * column) for column in Z.T for side in (1.0, -1.0)]
    differences = np.array([p - base for p in points if p is not None and base is not None]).T
    if differences.size == 0:
        return Z[:, :0]
    U, values, _ = np.linalg.svd(differences, full_matrices=False)
    return U[:, values > 1e-5]


class _Search:
    """The tree of cases, depth first."""

    def __init__(self, problem: Problem, most: int):
        self.problem = problem
        self.most = most
        self.nodes = 0
        self.complete = True
        self.found: list[np.ndarray] = []

    def run(self) -> tuple[list[np.ndarray], bool, int]:
        sided = [j for j, f in enumerate(self.problem.frictions) if f.two_sided]
        for signs in itertools.product((1.0, -1.0), repeat=len(sided)):
            all_signs = [1.0] * len(self.problem.frictions)
            for j, sign in zip(sided, signs, strict=True):
                all_signs[j] = sign
            frictions = tuple(f.direction for f in self.problem.frictions)
            self.visit(Case((None,) * self.problem.contacts, frictions, tuple(all_signs)))
        return self.found, self.complete, self.nodes

    def visit(self, case: Case) -> None:
        if self.nodes >= self.most:
            self.complete = False
            return
        self.nodes += 1
        at = conditions(self.problem, case).deepest(TOLERANCE)
        if at is None or at[1].tau > TOLERANCE:
            return
        branches = self.branches(case)
        if branches:
            for branch in branches:
                self.visit(branch)
            return
        arcs = [s for s in case.frictions if isinstance(s, Arc)]
        new = self.leaf(case, at[0], bool(arcs))
        if not arcs:
            return
        widest = max(arc.half for arc in arcs)
        if widest < NARROW and (new or any(self.inside(case, f) for f in self.found)):
            return
        if widest < NARROW / 16:
            if at[1].tau < -TOLERANCE:
                self.complete = False
            return
        place = next(j for j, s in enumerate(case.frictions) if isinstance(s, Arc) and s.half == widest)
        arc = case.frictions[place]
        assert isinstance(arc, Arc)
        for side in (-0.5, 0.5):
            self.visit(_with(case, place, Arc(arc.middle + side * arc.half, 0.5 * arc.half)))

    def branches(self, case: Case) -> list[Case]:
        for i, state in enumerate(case.contacts):
            if state is None:
                return [replace(case, contacts=_set(case.contacts, i, s)) for s in (CLOSED, OPEN)]
            for j, friction in enumerate(self.problem.frictions):
                if case.frictions[j] is None and any(at == i for at, _ in friction.press):
                    found = self.slips(case, j)
                    if found:
                        return found
        for j, state in enumerate(case.frictions):
            if state is None:
                return self.slips(case, j)
        return []

    def slips(self, case: Case, j: int) -> list[Case]:
        friction = self.problem.frictions[j]
        if any(at < self.problem.contacts and case.contacts[at] is None for at, _ in friction.press):
            return []
        if off(self.problem, case.contacts, j):
            return [_with(case, j, OFF)]
        ways: list = [STICK]
        if np.isfinite(friction.coefficient):
            if len(friction.rows) == 1:
                ways += [(1.0,), (-1.0,)]
            else:
                ways += [Arc(k * np.pi / 3, np.pi / 6) for k in range(6)]
        return [_with(case, j, way) for way in ways]

    def leaf(self, case: Case, f: np.ndarray, arcs: bool) -> bool:
        """Search for a state near f. Returns whether one was found in this case."""
        tries = [f]
        if arcs:
            g = f.copy()
            for j, state in enumerate(case.frictions):
                if isinstance(state, Arc):
                    N = case.signs[j] * self.problem.pressing(j, f)
                    d = np.array([np.cos(state.middle), np.sin(state.middle)])
                    g[list(self.problem.frictions[j].rows)] = -self.problem.frictions[j].coefficient * N * d
            tries.append(g)
        else:
            least = conditions(self.problem, case).least()
            tries = [least, f] if least is not None else [f]
        for g in tries:
            if violation(self.problem, g) > 1e-12:
                g = _polished_in(self.problem, g, case)
            if violation(self.problem, g) < EXACT:
                if not self.known(g):
                    self.found.append(g)
                if not arcs or self.inside(case, g):
                    return True
        return False

    def known(self, f: np.ndarray) -> bool:
        w = self.problem.response(f)
        return any(np.abs(self.problem.response(g) - w).max(initial=0.0) < 1e-6 for g in self.found)

    def inside(self, case: Case, f: np.ndarray) -> bool:
        w = self.problem.response(f)
        for j, state in enumerate(case.frictions):
            slip = w[list(self.problem.frictions[j].rows)]
            if isinstance(state, Arc) and np.linalg.norm(slip) > TOLERANCE and not state.holds(slip):
                return False
        return True


def _polished_in(problem: Problem, f: np.ndarray, case: Case) -> np.ndarray:
    contacts = [str(s) for s in case.contacts]
    slipping = [isinstance(s, (Arc, tuple)) for s in case.frictions]
    best, g = f, f.copy()
    for _ in range(15):
        w = problem.response(g)
        for j, friction in enumerate(problem.frictions):
            if slipping[j] and friction.direction is None and np.linalg.norm(w[list(friction.rows)]) < 1e-13:
                return best
        value, J = _equations(problem, g, contacts, slipping)
        if not np.isfinite(J).all():  # a slip has stopped, and has no direction
            break
        step = np.linalg.lstsq(J, -value, rcond=1e-11)[0]
        g = g + step
        if not np.all(np.isfinite(g)) or np.abs(g).max(initial=0.0) > 1e8:
            break
        if violation(problem, g) < violation(problem, best):
            best = g.copy()
        if np.abs(step).max(initial=0.0) < 1e-15:
            break
    return best


def _set(values: tuple, at: int, value) -> tuple:
    return (*values[:at], value, *values[at + 1 :])


def _with(case: Case, j: int, state) -> Case:
    return replace(case, frictions=_set(case.frictions, j, state))
