"""The starts of many motions, by threads that claim them: consistent states, and gaps that a motion can begin with.

Rows that frictions hold from the start join the constraints in a second search, when the contacts that rest are known.
"""

from __future__ import annotations

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.motions.unilateral import HybridSystem
from dalembert.simulate import consistent, through
from dalembert.simulate.consistent import BEGIN, LEFT, ROWS, STATED, TURNED, Problem, Y, largest, positions, speeds
from dalembert.simulate.core import call, kernel
from dalembert.simulate.least_squares import length
from dalembert.simulate.parts import entry, stamp
from dalembert.simulate.through import claim

# how a start came out
CONSISTENT, NO_POSITION, NO_SPEEDS, NEGATIVE_GAP, DOUBTFUL = 0, 30, 31, 32, 33
TOUCHING, RESTING = 1e-12, 1e-11  # of `unilateral`


@kernel
def bound(problem, desk, i):
    """Whether the row of gap i depends on those of the constraints, by their remainders, normalized (two rounds)."""
    n, basis, count = problem.n, desk.squares[TURNED], 0
    call(problem.dynamics, desk.out.ctypes.data, desk.x.ctypes.data, problem.dynamics_data)
    for r in range(problem.bilateral + 1):
        row, last = problem.at_A + (r if r < problem.bilateral else r + i) * n, r == problem.bilateral
        for c in range(n):
            basis[count, c] = desk.out[row + c]
        size = np.sqrt(length(basis, count, n))
        if not np.isfinite(size):
            return False
        for c in range(n):
            basis[count, c] /= size if size > 0.0 else 1.0
        for _twice in range(2):
            for b in range(count):
                along = 0.0
                for c in range(n):
                    along += basis[b, c] * basis[count, c]
                for c in range(n):
                    basis[count, c] -= along * basis[b, c]
        size = np.sqrt(length(basis, count, n))
        if size > 1e-9:
            if last:
                return False
            for c in range(n):
                basis[count, c] /= size
            count += 1
    return True


@kernel
def touching(problem, desk):
    """Gaps and rates at the start: a status, and the rows that frictions hold behind those of the constraints."""
    n, size, y, out = problem.n, problem.size, desk.lines[Y], desk.out
    for i in range(size):
        desk.x[1 + i] = y[i]
    gaps, rest = desk.lines[BEGIN], RESTING * max(largest(y[n : 2 * n], n), 1e-3)
    call(problem.position, out.ctypes.data, desk.x.ctypes.data, problem.position_data)
    for i in range(problem.contacts):
        gaps[i] = out[problem.holonomic + i]
        if not gaps[i] >= -TOUCHING:
            return NEGATIVE_GAP, 0
    for i in range(problem.contacts if problem.bilateral > 0 else 0):
        if bound(problem, desk, i):
            return DOUBTFUL, 0
    call(problem.velocity, out.ctypes.data, desk.x.ctypes.data, problem.velocity_data)
    rows = problem.bilateral
    for k in range(problem.kept.shape[0]):
        row, contact = problem.kept[k, 0], problem.kept[k, 1]
        rests = contact < 0 or (abs(gaps[contact]) <= TOUCHING and abs(out[problem.bilateral + contact]) <= rest)
        if rests:
            desk.lists[ROWS, rows] = row
            rows += 1
    return CONSISTENT, rows


@kernel
def one_start(problem, desk, given):
    """From what STATED and Y say to a consistent state in Y."""
    n, lines = problem.n, desk.lines
    if not positions(problem, desk):
        return NO_POSITION
    for i in range(problem.bilateral):
        desk.lists[ROWS, i] = i
    if not speeds(problem, desk, given, problem.bilateral):
        return NO_SPEEDS
    if problem.contacts + problem.kept.shape[0] == 0:
        return CONSISTENT
    status, rows = touching(problem, desk)
    if status == CONSISTENT and rows > problem.bilateral:
        for i in range(problem.bilateral):
            desk.lists[ROWS, i] = i
        for c in range(n):
            lines[Y, n + c] = lines[STATED, c]
        if not speeds(problem, desk, given, rows):
            return NO_SPEEDS
    return status


@kernel
def starts_loop(problem, desk, time, given, parameters, states, left_over, status, claimed):
    n, inputs = problem.n, desk.x.shape[0]
    while True:
        motion = claim(claimed.ctypes.data)
        if motion >= status.shape[0]:
            return
        desk.x[0] = time
        for p in range(parameters.shape[1]):
            desk.x[inputs - parameters.shape[1] + p] = parameters[motion, p]
        for i in range(problem.size):
            desk.lines[Y, i] = states[motion, i]
        for c in range(n):
            desk.lines[STATED, c] = states[motion, n + c] if given[c] else 0.0
            desk.lines[Y, n + c] = desk.lines[STATED, c]
        status[motion] = one_start(problem, desk, given)
        for i in range(problem.size):
            states[motion, i] = desk.lines[Y, i]
        for i in range(left_over.shape[1]):
            left_over[motion, i] = desk.lines[LEFT, i]


def _entry(mark):  # type: ignore[no-untyped-def]
    @entry
    def starts(problem, desk, time, given, parameters, states, left_over, status, claimed):
        """Consistent states in place of those given, of motions as they are claimed, and how each came out.

        Threads call this at once, each with a desk of its own; `left_over` gets the residuals where it failed.
        """
        if mark < 0:
            return
        starts_loop(problem, desk, time, given, parameters, states, left_over, status, claimed)

    return starts


starts = _entry(stamp(consistent, through))


def problem_of(system: CompiledSystem, hybrid: HybridSystem | None = None) -> Problem:
    """The constraints of a system; with contacts and frictions, those of its extended one."""
    kept = np.zeros((0, 2), dtype=np.int64)
    contacts = 0
    holonomic, bilateral = system.mh, system.m
    if hybrid is not None:
        system, contacts, offset = hybrid.system, hybrid.laws.contacts, hybrid.laws.bilateral
        held = [
            (offset + row, -1 if friction.contact is None else friction.contact)
            for friction in hybrid.unilateral.frictions
            for row in (*friction.held, *(friction.slips if friction.rough else ()))
        ]
        kept = np.array(held, dtype=np.int64).reshape(len(held), 2)
    n, position, velocity = system.n, system.dynamics, system.dynamics
    if system.mh:
        position = system.position
    if system.m:
        velocity = system.velocity
    return Problem(
        position.address, position.data, velocity.address, velocity.data, system.dynamics.address,
        system.dynamics.data, n, 2 * n + system.k, system.mh, system.m, holonomic, bilateral, contacts,
        (n * (n + 1) // 2 if system.equations.symmetric else n * n) + n, kept,
    )  # fmt: skip
