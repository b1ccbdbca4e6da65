"""Which contacts press and which frictions stick: complementarity with Coulomb's cone, as loops that numba compiles.

Forces f = (λ₁ … λ_c, R₁ … ) act on the rows of contacts and of slips; the rows answer with w = w₀ + W f, where w is the
separation and the slip that results (accelerations in a motion, velocities after an impact). Wanted are all f with

    0 ≤ λ_i ⊥ w_i ≥ 0                                          contacts
    w_j = 0 and |R_j| ≤ μ_s N_j,   or   R_j = −μ N_j w_j/|w_j|  frictions, N_j = n_j + L_j f

N_j is a given force, or a reaction: of a contact (L_j picks λ_i) or of a constraint (its absolute value counts). Reactions
that hold further rows at zero, h_j = k_j + H_j f, count inside the same cone: then |R_j|² + |h_j|² ≤ (μ_s N_j)² sticks and
|R_j|² = (μ N_j)² − |h_j|² slips (ZhangMei (4.15)–(4.18)). All cases are tried in turn, so that no solution and two
solutions, Painlevé's, are seen as what they are. Without friction there is one solution, which Lemke's pivots find
for any number of contacts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.simulate.linear import reduce

OPEN, CLOSED = 0, 1
OFF, STICK, SLIP = 0, 1, 2
NO_SOLUTION, SOLVED, SEVERAL, TOO_MANY = 0, 1, 2, 3
MOST_CASES = 20000


class Problem(NamedTuple):
    size: int  # of f and w: contacts first, then the rows of the frictions
    contacts: int
    frictions: int
    W: np.ndarray
    w0: np.ndarray
    start: np.ndarray  # of a friction's rows in f
    dim: np.ndarray
    owner: np.ndarray  # the contact without which a friction is off, or −1
    rough: np.ndarray  # sticks whatever it takes
    may_stick: np.ndarray
    forced: np.ndarray  # slips already, along `given`
    given: np.ndarray
    two_sided: np.ndarray  # |N| presses
    kinetic: np.ndarray
    static: np.ndarray
    normal: np.ndarray
    lever: np.ndarray
    held: np.ndarray  # how many rows each friction holds
    held_rest: np.ndarray
    held_lever: np.ndarray
    force_scale: float
    slip_scale: float


class Room(NamedTuple):
    """Work space, and with the same fields the answer: what `solve` leaves in `best`."""

    f: np.ndarray
    w: np.ndarray
    contact: np.ndarray
    friction: np.ndarray
    direction: np.ndarray
    sign: np.ndarray
    pull: np.ndarray  # |R| of a slip with held rows
    digits: np.ndarray
    base: np.ndarray
    turned: np.ndarray
    M: np.ndarray
    b: np.ndarray
    row_at: np.ndarray
    col_at: np.ndarray
    tableau: np.ndarray
    basis: np.ndarray


def room_for(size: int, contacts: int, frictions: int) -> Room:
    def reals(*shape: int) -> np.ndarray:
        return np.zeros(tuple(max(s, 1) for s in shape))

    def wholes(count: int) -> np.ndarray:
        return np.zeros(max(count, 1), dtype=np.int64)

    return Room(
        f=reals(size), w=reals(size), contact=wholes(contacts), friction=wholes(frictions),
        direction=reals(frictions, 2), sign=reals(frictions), pull=reals(frictions),
        digits=wholes(contacts + frictions), base=wholes(contacts + frictions), turned=wholes(frictions),
        M=reals(size, size), b=reals(size), row_at=wholes(size), col_at=wholes(size),
        tableau=reals(contacts, 2 * contacts + 2), basis=wholes(contacts),
    )  # fmt: skip


def lemke(W, q, count, z, tableau, basis):
    """w = W z + q ≥ 0, z ≥ 0, w·z = 0 by Lemke's complementary pivots; False where they end on a ray.

    Lexicographic ties are not needed for the matrices of mechanics; a tie is broken by the largest pivot.
    """
    worst, leaving = 0.0, -1
    for i in range(count):
        z[i] = 0.0
        if q[i] < worst:
            worst, leaving = q[i], i
    if leaving < 0:
        return True
    width = 2 * count + 2  # w, z, the artificial one, the right side
    for i in range(count):
        for j in range(width):
            tableau[i, j] = 0.0
        tableau[i, i] = 1.0
        for j in range(count):
            tableau[i, count + j] = -W[i, j]
        tableau[i, 2 * count] = -1.0
        tableau[i, width - 1] = q[i]
        basis[i] = i
    entering = 2 * count
    for _ in range(50 * (count + 1)):
        pivot = tableau[leaving, entering]
        for j in range(width):
            tableau[leaving, j] /= pivot
        for i in range(count):
            factor = tableau[i, entering]
            if i != leaving and factor != 0.0:
                for j in range(width):
                    tableau[i, j] -= factor * tableau[leaving, j]
        out = basis[leaving]
        basis[leaving] = entering
        if out == 2 * count:
            for i in range(count):
                if count <= basis[i] < 2 * count:
                    z[basis[i] - count] = max(tableau[i, width - 1], 0.0)
            return True
        entering = out + count if out < count else out - count
        best, leaving, size = np.inf, -1, 0.0
        for i in range(count):
            entry = tableau[i, entering]
            if entry > 1e-12:
                ratio = tableau[i, width - 1] / entry
                artificial = basis[i] == 2 * count
                if ratio < best - 1e-14 or (ratio <= best + 1e-14 and (artificial or entry > size)):
                    best, leaving, size = min(best, ratio), i, np.inf if artificial else entry
        if leaving < 0:
            return False
    return False


def press_of(problem, j, f):
    """N_j for the forces f."""
    N = problem.normal[j]
    for k in range(problem.size):
        N += problem.lever[j, k] * f[k]
    return abs(N) if problem.two_sided[j] else N


def case_forces(problem, contact, friction, direction, sign, f, room):
    """The forces that one case asks for: equations of closed contacts, sticking and slipping rows; False where singular."""
    M, b = room.M, room.b
    size = problem.size
    for i in range(size):
        b[i] = 0.0
        for k in range(size):
            M[i, k] = 0.0
    for i in range(problem.contacts):
        if contact[i] == CLOSED:
            b[i] = -problem.w0[i]
            for k in range(size):
                M[i, k] = problem.W[i, k]
        else:
            M[i, i] = 1.0
    for j in range(problem.frictions):
        start, dim = problem.start[j], problem.dim[j]
        for c in range(dim):
            i = start + c
            if friction[j] == STICK:
                b[i] = -problem.w0[i]
                for k in range(size):
                    M[i, k] = problem.W[i, k]
            elif friction[j] == SLIP and problem.held[j] > 0:
                M[i, i] = 1.0
                b[i] = -room.pull[j] * direction[j, c]
            elif friction[j] == SLIP:  # R + μ N d = 0
                pull = problem.kinetic[j] * direction[j, c] * sign[j]
                M[i, i] += 1.0
                b[i] = -pull * problem.normal[j]
                for k in range(size):
                    M[i, k] += pull * problem.lever[j, k]
            else:
                M[i, i] = 1.0
    rank = reduce(M, b, size, size, -1, room.row_at, room.col_at)
    for k in range(size):
        f[k] = 0.0
    for i in range(rank):
        f[room.col_at[i]] = b[i]
    for i in range(rank, size):
        if abs(b[i]) > 1e-9:
            return False
    return True


def answer(problem, f, w):
    for i in range(problem.size):
        w[i] = problem.w0[i]
        for k in range(problem.size):
            w[i] += problem.W[i, k] * f[k]


def turn(problem, friction, direction, w):
    """Point each planar slip along the w that results; the largest change."""
    change = 0.0
    for j in range(problem.frictions):
        if friction[j] != SLIP or problem.dim[j] != 2 or problem.forced[j]:
            continue
        start = problem.start[j]
        length = np.hypot(w[start], w[start + 1])
        if length <= 1e-14 * problem.slip_scale:
            continue
        for c in range(2):
            new = w[start + c] / length
            change = max(change, abs(new - direction[j, c]))
            direction[j, c] = new
    return change


def held_square(problem, j, f):
    """|h_j|², of the reactions that count in the same cone."""
    square = 0.0
    for c in range(problem.held[j]):
        reaction = problem.held_rest[j, c]
        for k in range(problem.size):
            reaction += problem.held_lever[j, c, k] * f[k]
        square += reaction**2
    return square


def tighten(problem, friction, f, room):
    """The pulls of slips that share their cone with held rows, for the forces found; the largest change, −1 if none is left."""
    change = 0.0
    for j in range(problem.frictions):
        if friction[j] != SLIP or problem.held[j] == 0:
            continue
        square = (problem.kinetic[j] * press_of(problem, j, f)) ** 2 - held_square(problem, j, f)
        if square < 0.0:
            return -1.0
        change = max(change, abs(np.sqrt(square) - room.pull[j]))
        room.pull[j] = np.sqrt(square)
    return change


def holds(problem, contact, friction, direction, sign, f, w):
    """Whether the forces of a case satisfy what the case did not impose."""
    tiny_force, tiny_w = 1e-11 * problem.force_scale, 1e-11 * problem.slip_scale
    for i in range(problem.contacts):
        if contact[i] == CLOSED:
            if f[i] < -tiny_force:
                return False
        elif w[i] < -tiny_w:
            return False
    for j in range(problem.frictions):
        start, dim = problem.start[j], problem.dim[j]
        if friction[j] == OFF:
            continue
        N = press_of(problem, j, f)
        if N < -tiny_force:
            return False
        if problem.two_sided[j]:
            raw = problem.normal[j]
            for k in range(problem.size):
                raw += problem.lever[j, k] * f[k]
            if raw * sign[j] < -tiny_force:
                return False
        if friction[j] == STICK:
            size = held_square(problem, j, f)
            for c in range(dim):
                size += f[start + c] ** 2
            if problem.rough[j]:
                continue
            if np.sqrt(size) > problem.static[j] * N + tiny_force:
                return False
        elif not problem.forced[j]:
            along = 0.0
            for c in range(dim):
                along += w[start + c] * direction[j, c]
            if along < -tiny_w:
                return False
    return True


def try_case(problem, contact, friction, direction, sign, f, w, room):
    """Solve one case, turning planar slips until they lie along what results; whether it holds."""
    for j in range(problem.frictions):
        room.pull[j] = 0.0
    for _attempt in range(200):
        if not case_forces(problem, contact, friction, direction, sign, f, room):
            return False
        answer(problem, f, w)
        change = tighten(problem, friction, f, room)
        if change < 0.0:
            return False
        if max(change / problem.force_scale, turn(problem, friction, direction, w)) < 1e-15:
            break
    return holds(problem, contact, friction, direction, sign, f, w)


def first_direction(problem, contact, friction, direction, sign, f, w, room):
    """A planar slip starts to be looked for against the force that sticking would have needed."""
    for j in range(problem.frictions):
        if friction[j] == SLIP and problem.dim[j] == 2 and not problem.forced[j]:
            friction[j] = STICK
            room.turned[j] = 1
        else:
            room.turned[j] = 0
    solved = case_forces(problem, contact, friction, direction, sign, f, room)
    for j in range(problem.frictions):
        if room.turned[j]:
            friction[j] = SLIP
            start = problem.start[j]
            length = np.hypot(f[start], f[start + 1])
            if solved and length > 0.0:
                direction[j, 0], direction[j, 1] = -f[start] / length, -f[start + 1] / length
            else:
                direction[j, 0], direction[j, 1] = 1.0, 0.0


def cases_of(problem, j):
    """Sticking, and slipping one way or the other, or along a direction to be found."""
    if problem.rough[j] or problem.forced[j]:
        return 1
    return 3 if problem.dim[j] == 1 else 2


def next_case(base, digits, places):
    """Count on in the mixed base of the cases; False after the last."""
    for p in range(places):
        digits[p] += 1
        if digits[p] < base[p]:
            return True
        digits[p] = 0
    return False


def read_case(problem, digits, contact, friction, direction, sign):
    """Statuses from digits; False where a case makes no sense. Contacts first closed, frictions first sticking."""
    places = problem.contacts
    for i in range(problem.contacts):
        contact[i] = CLOSED if digits[i] == 0 else OPEN
    for j in range(problem.frictions):
        d = digits[places + j]
        sign[j] = 1.0
        owner = problem.owner[j]
        plain = cases_of(problem, j)
        if problem.two_sided[j] and d >= plain:
            sign[j] = -1.0
            d -= plain
        if owner >= 0 and contact[owner] == OPEN:
            if d != 0 or sign[j] < 0.0:
                return False
            friction[j] = OFF
        elif problem.forced[j]:
            friction[j] = SLIP
            for c in range(problem.dim[j]):
                direction[j, c] = problem.given[j, c]
        elif d == 0:
            if problem.may_stick[j] == 0:
                return False
            if sign[j] < 0.0:
                return False  # a sticking force does not care on which side it is pressed
            friction[j] = STICK
        else:
            if problem.rough[j]:
                return False
            friction[j] = SLIP
            if problem.dim[j] == 1:
                direction[j, 0] = 1.0 if d == 1 else -1.0
    return True


def solve(problem, best, room):
    """Every case in turn. Returns NO_SOLUTION, SOLVED, SEVERAL (that differ) or TOO_MANY; the first one into `best`."""
    places = problem.contacts + problem.frictions
    cases = 1.0
    for p in range(places):
        j = p - problem.contacts
        room.base[p] = 2 if j < 0 else cases_of(problem, j) * (2 if problem.two_sided[j] else 1)
        cases *= room.base[p]
    if cases > MOST_CASES:
        if problem.frictions > 0:
            return TOO_MANY
        return solve_without_friction(problem, best, room)
    for p in range(places):
        room.digits[p] = 0
    found = 0
    more = True
    while more:
        if read_case(problem, room.digits, room.contact, room.friction, room.direction, room.sign):
            first_direction(problem, room.contact, room.friction, room.direction, room.sign, room.f, room.w, room)
            if try_case(
                problem, room.contact, room.friction, room.direction, room.sign, room.f, room.w, room
            ) and keep(problem, best, room, found):
                found += 1
        more = next_case(room.base, room.digits, places)
    return NO_SOLUTION if found == 0 else (SOLVED if found == 1 else SEVERAL)


def keep(problem, best, room, found):
    """The first solution that holds; whether this one is another. Degenerate cases give the same answer twice.

    Where sticking is possible it is what happens, though slipping from rest with less than the static friction would
    satisfy the equations too; so only solutions with other contacts count as others.
    """
    if found > 0:
        for i in range(problem.contacts):
            if room.contact[i] != best.contact[i]:
                for k in range(problem.size):
                    if abs(room.w[k] - best.w[k]) > 1e-7 * problem.slip_scale:
                        return True
        return False
    for i in range(problem.size):
        best.f[i], best.w[i] = room.f[i], room.w[i]
    for i in range(problem.contacts):
        best.contact[i] = room.contact[i]
    for j in range(problem.frictions):
        best.friction[j], best.sign[j] = room.friction[j], room.sign[j]
        for c in range(2):
            best.direction[j, c] = room.direction[j, c]
    return True


def solve_without_friction(problem, best, room):
    count = problem.contacts
    if not lemke(problem.W, problem.w0, count, best.f, room.tableau, room.basis):
        return NO_SOLUTION
    answer(problem, best.f, best.w)
    for i in range(count):
        best.contact[i] = CLOSED if best.w[i] <= 1e-11 * problem.slip_scale else OPEN
    return SOLVED


SHARED = (
    lemke, press_of, case_forces, answer, turn, held_square, tighten, holds, cases_of, try_case, first_direction, next_case, read_case, solve, keep,
    solve_without_friction,
)  # fmt: skip
