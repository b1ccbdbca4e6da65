"""Consistent initial states of many motions in machine code: what `initial` does for one, step for step.

Positions first: least |Δq| with φ(q, t) = 0. Then speeds: the given ones are held and the rest take the least-norm
solution of ψ(q, v, t) = 0; only where there is none are the given ones changed, in the sense of least squares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.motions.initial import ACCEPTED
from dalembert.simulate import least_squares
from dalembert.simulate.core import apart, call, kernel, share
from dalembert.simulate.least_squares import EPSILON, length, turn_rows
from dalembert.simulate.least_squares import least_squares as solve

share(least_squares.SHARED)

# lines of the desk: the state, given and sought values, residuals; the search's own
Y, STATED, BEGIN, GOAL, FOUND, NEXT, CHANGE, LEFT, SPEEDS = range(9)
LINES = 9
J, TURNED, RIGHT = range(3)  # squares
ROWS, COLUMNS, GIVEN, FREE = range(4)  # lists
RANK = 1e-10  # of `initial`: singular values below, against the largest, are none


class Problem(NamedTuple):
    """The constraints as C functions, by address and data, and sizes; with contacts, their rows stand behind."""

    position: int
    position_data: int
    velocity: int
    velocity_data: int
    dynamics: int
    dynamics_data: int
    n: int
    size: int  # of (q, v, z)
    phi: int  # rows that the position function gives
    psi: int  # rows that the velocity function gives
    holonomic: int  # of them those of the constraints
    bilateral: int
    contacts: int
    at_A: int  # where A stands in what the dynamics give
    kept: np.ndarray  # rows that frictions hold, and the contact that must rest for it, or -1


class Desk(NamedTuple):
    """Room for one search."""

    x: np.ndarray
    out: np.ndarray
    lines: np.ndarray
    squares: np.ndarray
    lists: np.ndarray


def desk_of(problem: Problem, inputs: int, outputs: int) -> Desk:
    """For a system whose functions take so many inputs and whose dynamics give so many outputs."""
    most = max(problem.size, problem.psi, problem.phi, 1)
    longest = max((problem.n + 1) * max(problem.phi, problem.psi), outputs, 1)
    return Desk(
        np.zeros(inputs), np.zeros(longest), np.zeros((LINES, most)), np.zeros((3, most, most + 1)),
        np.zeros((4, most), dtype=np.int64),
    )  # fmt: skip


@kernel
def residual(problem, desk, level, rows, cols, u):
    """r and J of the listed rows and columns with the unknowns at u, into LEFT and the square J; level 1 is speeds."""
    apart()
    n, y, out = problem.n, desk.lines[Y], desk.out
    offset = level * n
    for c in range(cols):
        y[offset + desk.lists[COLUMNS, c]] = u[c]
    for i in range(problem.size):
        desk.x[1 + i] = y[i]
    if level == 0:
        call(problem.position, out.ctypes.data, desk.x.ctypes.data, problem.position_data)
    else:
        call(problem.velocity, out.ctypes.data, desk.x.ctypes.data, problem.velocity_data)
    total = problem.phi if level == 0 else problem.psi
    for i in range(rows):
        row = desk.lists[ROWS, i]
        desk.lines[LEFT, i] = out[row]
        for c in range(cols):
            desk.squares[J, i, c] = out[total + row * n + desk.lists[COLUMNS, c]]


@kernel
def finite(desk, rows, cols):
    for i in range(rows):
        if not np.isfinite(desk.lines[LEFT, i]):
            return False
        for c in range(cols):
            if not np.isfinite(desk.squares[J, i, c]):
                return False
    return True


@kernel
def within(desk, rows, cols, u, part, floor):
    """Whether residuals are small, row by row: measured by the size of the row's terms."""
    for i in range(rows):
        scale = floor
        terms = 0.0
        for c in range(cols):
            terms += abs(desk.squares[J, i, c]) * abs(u[c])
        if not abs(desk.lines[LEFT, i]) <= part * max(scale, terms):
            return False
    return True


@kernel
def largest(line, count):
    most = 0.0
    for c in range(count):
        most = max(most, abs(line[c]))
    return most


@kernel
def left(desk, rows):
    """The norm of what is left, squared."""
    square = 0.0
    for i in range(rows):
        square += desk.lines[LEFT, i] ** 2
    return square


@kernel
def toward(desk, rows, cols, origin):
    """x ← x₀ + J⁺ (J (x - x₀) - r) with the origin x₀ in a line (BEGIN stands for x itself): the change alone."""
    lines, squares = desk.lines, desk.squares
    for i in range(rows):
        entry = -lines[LEFT, i]
        for c in range(cols):
            squares[TURNED, i, c] = squares[J, i, c]
            if origin == GOAL:
                entry += squares[J, i, c] * (lines[FOUND, c] - lines[GOAL, c])
        squares[RIGHT, i, 0] = entry
    solve(squares[TURNED], rows, cols, squares[RIGHT], 0, RANK, lines[CHANGE])


@kernel
def polished(problem, desk, level, rows, cols):
    """Gauss-Newton steps with halving from FOUND; whether nothing is left."""
    apart()
    lines = desk.lines
    found, trial = lines[FOUND], lines[NEXT]
    residual(problem, desk, level, rows, cols, found)
    for _ in range(60):
        if not finite(desk, rows, cols) or within(desk, rows, cols, found, EPSILON, 0.0):
            break
        toward(desk, rows, cols, BEGIN)
        before, scale, better = left(desk, rows), 1.0, False
        while scale > 1e-4 and not better:
            for c in range(cols):
                trial[c] = found[c] + scale * lines[CHANGE, c]
            residual(problem, desk, level, rows, cols, trial)
            better = left(desk, rows) < before
            scale *= 0.5
        if not better:
            residual(problem, desk, level, rows, cols, found)
            break
        for c in range(cols):
            found[c] = trial[c]
    return within(desk, rows, cols, found, ACCEPTED, 1e-2)


@kernel
def nearest(problem, desk, level, rows, cols):
    """From BEGIN to the point nearest to GOAL with residual zero, into FOUND and Y; False where there is none near."""
    apart()
    lines = desk.lines
    found, same = lines[FOUND], True
    for c in range(cols):
        found[c] = lines[BEGIN, c]
        same &= lines[BEGIN, c] == lines[GOAL, c]
    residual(problem, desk, level, rows, cols, found)
    if same and within(desk, rows, cols, found, ACCEPTED, 1e-2):
        return True
    settled = False
    for _ in range(60):
        if not finite(desk, rows, cols):
            break
        toward(desk, rows, cols, GOAL)
        step = 0.0
        for c in range(cols):
            new = lines[GOAL, c] + lines[CHANGE, c]
            step = max(step, abs(new - found[c]))
            found[c] = new
        residual(problem, desk, level, rows, cols, found)
        settled = step <= 1e-14 * max(1.0, largest(found, cols))
        if settled:
            break
    near = settled or largest(lines[LEFT], rows) < 1e-3 * max(1.0, largest(found, cols))
    if not (near and finite(desk, rows, cols)):
        for c in range(cols):
            found[c] = lines[BEGIN, c]
    return polished(problem, desk, level, rows, cols)


@kernel
def positions(problem, desk):
    n, lines = problem.n, desk.lines
    if problem.holonomic == 0:
        return True
    for i in range(problem.holonomic):
        desk.lists[ROWS, i] = i
    for c in range(n):
        desk.lists[COLUMNS, c] = c
        lines[BEGIN, c], lines[GOAL, c] = lines[Y, c], lines[Y, c]
    return nearest(problem, desk, 0, problem.holonomic, n)


@kernel
def starting(problem, desk, given, which):
    """Where a search for speeds begins, into SPEEDS: as stated, then beside it (there may be no gradient at rest)."""
    n, stated = problem.n, desk.lines[STATED]
    some = False
    for c in range(n):
        some |= not given[c]
    scale = 0.0
    if which > 0:
        scale = (1.0, -1.0, 0.01, 10.0)[which - 1] * max(1.0, largest(stated, n))
    for c in range(n):
        moved = which > 0 and (not some or not given[c])
        desk.lines[SPEEDS, c] = stated[c] + (scale * (1.0 / (1.0 + c)) if moved else 0.0)


@kernel
def held(problem, desk, given, rows):
    """The given speeds as they are, the rest of least norm."""
    lines, n, cols = desk.lines, problem.n, 0
    for c in range(n):
        lines[Y, n + c] = lines[STATED, c]
        if not given[c]:
            desk.lists[COLUMNS, cols] = c
            lines[BEGIN, cols], lines[GOAL, cols] = lines[SPEEDS, c], 0.0
            cols += 1
    return nearest(problem, desk, 1, rows, cols)


@kernel
def nearby(problem, desk, rows):
    """The smallest change of all speeds together: where the rest alone have no gradient at the solution."""
    lines, n = desk.lines, problem.n
    for c in range(n):
        desk.lists[COLUMNS, c] = c
        lines[BEGIN, c], lines[GOAL, c] = lines[SPEEDS, c], lines[STATED, c]
    return nearest(problem, desk, 1, rows, n)


@kernel
def changed(problem, desk, given, rows):
    """Change of the given speeds least first, of that the rest's norm: two least-norm problems at every iteration."""
    apart()
    n, lines, squares, lists = problem.n, desk.lines, desk.squares, desk.lists
    fixed, free = 0, 0
    for c in range(n):
        lists[COLUMNS, c] = c
        lines[FOUND, c] = lines[SPEEDS, c]
        if given[c]:
            lists[GIVEN, fixed] = c
            fixed += 1
        else:
            lists[FREE, free] = c
            free += 1
    v, goal = lines[FOUND], lines[BEGIN]
    for _ in range(100):
        residual(problem, desk, 1, rows, n, v)
        if not finite(desk, rows, n):
            return False
        for i in range(rows):
            goal[i] = -lines[LEFT, i]
            for c in range(n):
                goal[i] += squares[J, i, c] * (v[c] - (lines[STATED, c] if given[c] else 0.0))
        # what the rest cannot do: the part of the rows across the range of the free columns
        for i in range(rows):
            for c in range(free):
                squares[TURNED, i, c] = squares[J, i, lists[FREE, c]]
            for c in range(fixed):
                squares[RIGHT, i, c] = squares[J, i, lists[GIVEN, c]]
            squares[RIGHT, i, fixed] = goal[i]
        size = turn_rows(squares[TURNED], rows, free, squares[RIGHT], fixed + 1)
        least, across = (EPSILON * max(rows, free)) ** 2 * size, 0
        for i in range(rows):
            if not length(squares[TURNED], i, free) > least:
                for c in range(fixed):
                    squares[TURNED, across, c] = squares[RIGHT, i, c]
                squares[RIGHT, across, 0] = squares[RIGHT, i, fixed]
                across += 1
        solve(squares[TURNED], across, fixed, squares[RIGHT], 0, RANK, lines[NEXT])
        for i in range(rows):
            for c in range(fixed):
                goal[i] -= squares[J, i, lists[GIVEN, c]] * lines[NEXT, c]
            squares[RIGHT, i, 0] = goal[i]
            for c in range(free):
                squares[TURNED, i, c] = squares[J, i, lists[FREE, c]]
        step = 0.0
        for c in range(fixed):
            new = lines[STATED, lists[GIVEN, c]] + lines[NEXT, c]
            step = max(step, abs(new - v[lists[GIVEN, c]]))
            v[lists[GIVEN, c]] = new
        solve(squares[TURNED], rows, free, squares[RIGHT], 0, RANK, lines[CHANGE])
        for c in range(free):
            step = max(step, abs(lines[CHANGE, c] - v[lists[FREE, c]]))
            v[lists[FREE, c]] = lines[CHANGE, c]
        if step <= 1e-15 * max(1.0, largest(v, n)):
            break
    residual(problem, desk, 1, rows, n, v)
    return within(desk, rows, n, v, ACCEPTED, 1e-2)


@kernel
def speeds(problem, desk, given, rows):
    """The first search that succeeds, from the first start from which it does."""
    if rows == 0:
        return True
    for search in range(3):
        for which in range(5):
            starting(problem, desk, given, which)
            if search == 0:
                done = held(problem, desk, given, rows)
            elif search == 1:
                done = changed(problem, desk, given, rows)
            else:
                done = nearby(problem, desk, rows)
            if done:
                return True
    return False
