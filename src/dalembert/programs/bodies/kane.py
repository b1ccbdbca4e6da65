"""Accelerations body by body, after Kane, for a model that is a tree: cheaper than expanded expressions.

    s = (s_k, c − S s_k),  s_k = (u, B u)          dependent speeds by elimination of the constraints (`rolling.py`)
    M_ij = Σ V_i·P_j + ω_i·H_j                     partial velocities of s_k, and the momenta that they make
    f_i = −Σ V_i·Ṗ + ω_i·Ḣ                         with ṡ_k = 0
    P = m V,  H = J ω,  Ṗ = m (a − g),  Ḣ = J ω̇ + ω × (J ω + h)      of a gyrostat about its centre, h of its wheels
    (1, Bᵀ) M (1, B) u̇ = (1, Bᵀ) (f − M (0, a₀)),  ṡ_k = (u̇, a₀ + B u̇)
All vectors are in the axes of nodes (`velocities.py`). The caller compares the result with the record's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import symengine as se

from dalembert.equations import WORLD, Equations, Tree
from dalembert.programs.bodies.ledger import ZERO, Ledger, Value
from dalembert.programs.bodies.rolling import DependentSpeeds, WheelRows
from dalembert.programs.bodies.velocities import NodeTurns, Pass, owners
from dalembert.programs.by_speeds import BySpeeds


def multibody(eq: Equations, x: np.ndarray, fewer: bool = False, states: np.ndarray | None = None) -> BySpeeds | None:
    """The accelerations with the pivots of state x, or None if the model or its constraints do not fit.

    With `fewer`, for a motion in independent speeds from x, speeds of the root are eliminated first: that needs fewer
    operations, but its pivots hold at fewer states. Its pivots must hold at all `states`.
    """
    tree = eq.bodies() if eq.symmetric and eq.R is None and not eq.z else None
    if tree is None or len(tree.nodes) == 1:
        return None
    everywhere = None if states is None else dict(zip(eq.inputs, states.T, strict=True))
    return _assembled(eq, tree, dict(zip(eq.inputs, x.tolist(), strict=True)), fewer, everywhere)


def heading(tree: Tree, rolls: int, rows: int) -> tuple[int, int, int] | None:
    """A node and two coordinates that describe only the heading and the position of the whole, or None."""
    children = [i for i, node in enumerate(tree.nodes) if i and node.parent == WORLD]
    if len(children) != 1 or rolls != rows:
        return None
    (first,) = children
    axis, before = tree.nodes[first].axis, tree.nodes[first].before
    flat = ((axis + 1) % 3, (axis + 2) % 3)
    upright = all(vector[f] == 0 for vector in (tree.gravity, *(w.up for w in tree.wheels)) for f in flat)
    roots = [point.rates for point in tree.points if point.rates is not None]
    if before is not None or not upright or len(roots) != 1:
        return None
    pair = []
    for f in flat:
        held = [j for j, r in enumerate(roots[0][f]) if r != 0]
        if len(held) != 1 or roots[0][f][held[0]] != 1:
            return None
        pair.append(held[0])
    rates = [node.rate for node in tree.nodes[1:]] + [w.rate for w in tree.wheels] + [roots[0][axis]]
    rates += [spin.rate for g in tree.gyrostats for spin in g.spins]
    if pair[0] == pair[1] or any(rate[j] != 0 for rate in rates for j in pair):
        return None
    return first, pair[0], pair[1]


def _assembled(eq: Equations, tree: Tree, at: dict[Any, float], fewer: bool, everywhere: Any) -> BySpeeds | None:
    n, ledger = len(eq.q), Ledger()
    rolling = [row for wheel in tree.wheels for row in wheel.rows]
    names = [row.name for row in eq.constraints]
    if not set(rolling) <= set(names):  # some rows of the record were removed
        return None
    others = [i for i, name in enumerate(names) if name not in rolling]
    if any(not set(eq.v).isdisjoint(se.sympify(e).free_symbols) for i in others for e in eq.A[i]):
        return None
    if not all(_homogeneous(eq, i) for i in others):
        return None
    faces = heading(tree, len(rolling), len(eq.b))
    turns = NodeTurns(ledger, tree, None if faces is None else faces[0], owners(tree))
    ledger.spread = True
    wheels = [WheelRows(turns, wheel, at) for wheel in tree.wheels]
    units = [Pass(turns, [ZERO + int(i == j) for i in range(n)], tidy=False) for j in range(n)]
    columns = [[row for wheel in wheels for row in wheel.rows(unit)] for unit in units]
    rows = [list(row) for row in zip(*columns, strict=True)] + [[unit.along(eq.A[i]) for unit in units] for i in others]
    early = frozenset(range(n)) - set(turns.own) if fewer else frozenset()
    solved = DependentSpeeds(ledger, n, rows, at, early, everywhere)
    ledger.spread = False
    if len(solved.dependent) < len(rows):
        return None
    free, kept, whole = solved.free, solved.kept, solved.whole
    B = {d: {f: -ledger.tidy(solved.rows[solved.dependent[d]][f]) for f in free} for d in kept if d not in free}
    quasi = {*turns.own, *(faces[1:] if faces else ())}
    symbols = {j: se.Symbol(f"along {j}") if j in quasi else eq.v[j] for j in free}
    s = whole(symbols | {d: ledger.tidy(ledger.dot(row.values(), symbols.values())) for d, row in B.items()})
    motion = Pass(turns, s)
    v = [ledger.tidy(motion.speed(j)) for j in range(n)]
    speeds = dict(zip(eq.v, v, strict=True))

    def right_sides(rates: list[Value]) -> list[Value]:
        along = Pass(turns, rates, motion)
        found = [-e for wheel in wheels for e in wheel.rates(along)]
        return found + [ledger.of(se.sympify(eq.b[i]).xreplace(speeds)) - along.along(eq.A[i]) for i in others]

    c, a0 = solved.at_rest(right_sides)
    partial = {k: Pass(turns, whole({k: ZERO + 1})) for k in kept}
    M, f = _balance(ledger, tree, turns, motion, Pass(turns, whole({}, c), motion), partial)
    forces = [ledger.of(se.sympify(force).xreplace(speeds)) for force in tree.forces]
    if faces is not None:
        forces = _turned(turns, faces, forces, -1)
    for j in kept:
        f[j] = f[j] + sum((ledger.times(partial[j].speed(i), force) for i, force in enumerate(forces)), ZERO)
    M, f = _condensed(ledger, M, f, B, a0)
    rates, pivots = _solved(ledger, M, f, free)
    a = whole(rates | {d: a0[d] + ledger.dot(row.values(), [rates[j] for j in row]) for d, row in B.items()}, c)
    found = Pass(turns, [ledger.tidy(e) for e in a], motion)
    a = [found.speed(j) for j in range(n)]
    given = Pass(turns, eq.v, plain=True)
    start = [_start(given, j) for j in free]
    if faces is not None:
        node, one, other = faces
        t, turn = ledger.times, motion.along(tree.nodes[node].rate)
        v[one], v[other] = s[one], s[other]
        a[one], a[other] = a[one] - t(turn, s[other]), a[other] + t(turn, s[one])
        v, a = _turned(turns, faces, v, 1), _turned(turns, faces, a, 1)
        along = _turned(turns, faces, list(eq.v), -1)
        start = [along[j] if j in faces[1:] else e for j, e in zip(free, start, strict=True)]
    return BySpeeds(
        ledger.definitions, tuple(symbols.values()), tuple(start), tuple(v),
        tuple((*v, *(rates[j] for j in free)) if fewer else a), tuple(pivots),
        tuple(pair for wheel in wheels for pair in wheel.signs), tuple(solved.watched),
    )  # fmt: skip


def _turned(turns: NodeTurns, faces: tuple[int, int, int], values: list[Value], sense: int) -> list[Value]:
    """Values by coordinates, those of the position turned from the heading into the world, or back."""
    node, one, other = faces
    (sine, cosine), t, found = turns.sine_and_cosine(node), turns.ledger.times, list(values)
    ahead, across = values[one], values[other]
    found[one] = t(cosine, ahead) - sense * t(sine, across)
    found[other] = t(cosine, across) + sense * t(sine, ahead)
    return found


def _start(given: Pass, j: int) -> Value:
    """The speed that replaces q̇_j."""
    if j not in given.turns.own:
        return given.s[j]
    node, axis, wheel = given.turns.own[j]
    return given.omega(node)[axis] + (given.s[j] if wheel else ZERO)


def _homogeneous(eq: Any, i: int) -> bool:
    """Whether a row is A v = 0."""
    rest = se.sympify(eq.psi[i]) - sum(e * v for e, v in zip(eq.A[i], eq.v, strict=True))
    return se.expand(rest) == 0


def _condensed(
    ledger: Ledger, M: Mapping[tuple[int, int], Value], f: Mapping[int, Value], B: Mapping[int, Mapping[int, Value]],
    a0: Mapping[int, Value],
) -> tuple[dict[tuple[int, int], Value], dict[int, Value]]:  # fmt: skip
    """M and f by free speeds, where dependent ones have the rates a₀ + B u̇."""
    t, free = ledger.times, [j for j in f if j not in B]

    def entry(i: int, j: int) -> Value:
        return ledger.held(M[max(i, j), min(i, j)])

    def plus(e: Value, terms: Iterable[Value]) -> Value:
        return sum(terms, e)

    by = {(d, j): ledger.tidy(plus(entry(d, j), (t(entry(d, e), B[e][j]) for e in B))) for d in B for j in free}
    few = {
        (i, j): plus(M[i, j], (t(entry(i, d), B[d][j]) + t(B[d][i], by[d, j]) for d in B))
        for i in free for j in free if j <= i
    }  # fmt: skip
    return few, {j: plus(f[j], (t(B[d][j], ledger.tidy(f[d])) - t(by[d, j], a0[d]) for d in B)) for j in free}


def _balance(
    ledger: Ledger, tree: Tree, turns: NodeTurns, motion: Pass, rates: Pass, partial: Mapping[int, Pass]
) -> tuple[dict[tuple[int, int], Value], dict[int, Value]]:
    """M and f, summed over the gyrostats."""
    M = {(i, j): ZERO for i in partial for j in partial if j <= i}
    f = dict.fromkeys(partial, ZERO)
    for body in tree.gyrostats:
        mass, inertia = ledger.of(body.mass), [[ledger.of(e) for e in row] for row in body.inertia]
        w, V, dw = motion.omega(body.node), motion.velocity(body.point, body.node), rates.omega(body.node)
        gravity = turns.of_world(tuple(ledger.of(c) for c in tree.gravity), body.node)  # type: ignore[arg-type]
        a = _sum(rates.velocity(body.point, body.node), ledger.cross(w, V), [-c for c in gravity])
        angular = list(_applied(ledger, inertia, w))
        spins = [(ledger.of(s.inertia), _spin(motion, s), _spin(rates, s), s) for s in body.spins]
        for about, rate, _, spin in spins:
            angular[spin.axis] += ledger.times(about, rate)
        angular = [ledger.held(c) for c in angular]
        couple = _sum(_applied(ledger, inertia, dw), ledger.cross(w, tuple(angular)))  # type: ignore[arg-type]
        for i, one in partial.items():
            wi, Vi = one.omega(body.node), one.velocity(body.point, body.node)
            f[i] -= ledger.times(mass, ledger.dot(Vi, a)) + ledger.dot(wi, couple)
            H = [ledger.held(c) for c in _applied(ledger, inertia, wi)]
            for j, other in partial.items():
                if j <= i:
                    M[i, j] += ledger.times(mass, ledger.dot(other.velocity(body.point, body.node), Vi))
                    M[i, j] += ledger.dot(other.omega(body.node), H)
            for about, _, change, spin in spins:
                own = ledger.held(ledger.times(about, _spin(one, spin)))
                f[i] -= ledger.times(own, change)
                for j, other in partial.items():
                    if j <= i:
                        M[i, j] += ledger.times(own, _spin(other, spin))
    return M, f


def _spin(speeds: Pass, spin: Any) -> Value:
    return speeds.spin(spin.node, spin.axis, spin.rate)


def _applied(ledger: Ledger, matrix: Sequence[Sequence[Value]], a: Sequence[Value]) -> Any:
    return tuple(ledger.dot(row, a) for row in matrix)


def _sum(*vectors: Sequence[Value]) -> Any:
    return tuple(sum(parts, ZERO) for parts in zip(*vectors, strict=True))


def _solved(
    ledger: Ledger, M: Mapping[tuple[int, int], Value], f: Mapping[int, Value], free: Sequence[int]
) -> tuple[dict[int, Value], list[tuple[Value, Value]]]:
    """Solve by L D Lᵀ, beginning with the first speed."""
    t = ledger.times
    S = {(i, j): ledger.tidy(M[i, j]) for i in free for j in free if j <= i}
    b = {j: ledger.tidy(f[j]) for j in free}
    diagonal, factors, inverses, pivots = {j: S[j, j] for j in free}, {}, {}, []
    for place, j in enumerate(free):
        inverses[j] = ledger.inverse(S[j, j])
        if not S[j, j].is_Number:
            pivots.append((S[j, j], diagonal[j]))
        later = free[place + 1 :]
        for i in later:
            factors[i, j] = t(S[i, j], inverses[j])
        for i in later:
            for k in later:
                if k <= i:
                    S[i, k] = ledger.tidy(S[i, k] - t(factors[i, j], S[k, j]))
            b[i] = ledger.tidy(b[i] - t(factors[i, j], b[j]))
    found: dict[int, Value] = {}
    for place in reversed(range(len(free))):
        j = free[place]
        rest = sum((t(factors[i, j], found[i]) for i in free[place + 1 :]), ZERO)
        found[j] = ledger.tidy(t(b[j], inverses[j]) - rest)
    return found, pivots
