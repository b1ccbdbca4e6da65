"""What contacts and frictions do at one state: the mode a motion goes on in, and what an impact makes of the speeds.

Loops that numba compiles. F is what the compiled dynamics gave (D, d, A, b), L what the laws gave.

Impact (errata to ZhangMei (2.1)): v⁺ = v⁻ + Δv, M Δv = Cᵀ Λ, with B v⁺ = 0 for bilateral and held rows, for a contact
0 ≤ Λ ⊥ γ⁺ + e γ⁻ ≥ 0, for what it reverses r⁺ = −e r⁻, and Coulomb's cone for its slip. A friction pressed by a given,
finite force has no impulse to share, sliding or not; one pressed by a constraint keeps rolling inside its cone. Poisson's
law: compression with e = 0, then at least e Λ again. The paper's law holds all slips at what they are.
"""

from __future__ import annotations

import numpy as np

from dalembert.simulate.complementarity import CLOSED, NO_SOLUTION, OFF, OPEN, SLIP, STICK, Problem, solve
from dalembert.simulate.laws import BY_CONSTRAINT, BY_CONTACT, GIVEN, POISSON, ZHANG_MEI
from dalembert.simulate.linear import DONE, Shape, accelerations

CONTRADICTS = 20  # a contact that the constraints do not let move


def sizes(F, n, symmetric):
    """Where d, A and b begin in F."""
    return n * (n + 1) // 2 if symmetric else n * n


def coefficient(L, laws, j):
    return L[laws.rows - laws.bilateral + j]


def static_coefficient(L, laws, j):
    return L[laws.rows - laws.bilateral + laws.frictions + j]


def given_normal(L, laws, j):
    return L[laws.rows - laws.bilateral + 2 * laws.frictions + j]


def restitution(L, laws, i):
    return L[laws.rows - laws.bilateral + 3 * laws.frictions + i]


def respond(F, shape, n, rows, w, u, nu):
    """u and ν of D u = d + Bᵀ ν, B u = b as they stand in F."""
    return accelerations(F, shape, False, w, u, nu, True)


def bilateral_rows(laws, mode, kept, active):
    """Rows that hold both ways: the constraints, what frictions hold, and with `kept` every slip."""
    count = 0
    for i in range(laws.bilateral):
        active[count] = i
        count += 1
    for j in range(laws.frictions):
        if laws.press_kind[j] == BY_CONTACT and mode.contact[laws.press_at[j]] == OPEN:
            continue
        for c in range(laws.held_count[j]):
            active[count] = laws.held_start[j] + c
            count += 1
        if kept:
            for c in range(laws.slip_dim[j]):
                active[count] = laws.slip_start[j] + c
                count += 1
    return count


def responses(scr, shape, laws, n, size, start, w):
    """U, NU: row 0 for what F holds, row 1 + k for a unit force along the k-th row; then w₀'s part and W."""
    status, row = respond(scr.F, shape, n, laws.rows, w, scr.U[0], scr.NU[0])
    if status != DONE:
        return status, row
    at_A, at_b = start + n, start + n + laws.rows * n
    for i in range(laws.rows):
        scr.before[i] = scr.F[at_b + i]
        scr.F[at_b + i] = 0.0
    for k in range(size):
        for c in range(n):
            scr.F[start + c] = scr.F[at_A + scr.rows[k] * n + c]
        status, row = respond(scr.F, shape, n, laws.rows, w, scr.U[1 + k], scr.NU[1 + k])
        if status != DONE:
            return status, row
    for i in range(size):
        source = at_A + scr.rows[i] * n
        for k in range(size + 1):
            entry = 0.0
            for c in range(n):
                entry += scr.F[source + c] * scr.U[k, c]
            if k == 0:
                scr.w0[i] = entry
            else:
                scr.W[i, k - 1] = entry
    for i in range(size):
        if laws.bilateral <= scr.rows[i] < laws.bilateral + laws.contacts and not scr.W[i, i] > 1e-13:
            return CONTRADICTS, scr.rows[i]
    return DONE, 0


def add_group(scr, groups, at, dim, owner, who):
    """A friction, or what a contact reverses, as rows `at` … of the problem."""
    scr.start[groups], scr.dim[groups], scr.owner[groups], scr.who[groups] = at, dim, owner, who
    scr.rough[groups], scr.may_stick[groups], scr.forced[groups], scr.two_sided[groups] = 0, 1, 0, 0
    scr.held[groups] = 0
    scr.normal[groups] = 0.0
    scr.kinetic[groups] = 0.0
    scr.static[groups] = 0.0
    for k in range(scr.lever.shape[1]):
        scr.lever[groups, k] = 0.0


def press_group(scr, L, laws, g, j, size):
    """Coefficients and pressing force of a friction's group, affine in the forces of the problem."""
    scr.kinetic[g], scr.static[g] = coefficient(L, laws, j), static_coefficient(L, laws, j)
    scr.rough[g] = laws.rough[j]
    kind, at = laws.press_kind[j], laws.press_at[j]
    if kind == GIVEN:
        scr.normal[g] = given_normal(L, laws, j)
    elif kind == BY_CONTACT:
        scr.lever[g, scr.place[at]] = 1.0
    else:
        scr.two_sided[g] = 1
        scr.normal[g] = scr.NU[0, at]
        for k in range(size):
            scr.lever[g, k] = scr.NU[1 + k, at]
    scr.held[g] = laws.held_count[j]
    for c in range(laws.held_count[j]):
        row = laws.held_start[j] + c
        scr.held_rest[g, c] = scr.NU[0, row]
        for k in range(size):
            scr.held_lever[g, c, k] = scr.NU[1 + k, row]


def posed(scr, size, contacts, groups):
    """The problem as gathered, with its scales."""
    force, slip = 0.0, 0.0
    for i in range(size):
        slip = max(slip, abs(scr.w0[i]))
        if scr.W[i, i] > 0.0:
            force = max(force, abs(scr.w0[i]) / scr.W[i, i])
    for g in range(groups):
        force = max(force, abs(scr.normal[g]))
    for i in range(size):
        slip = max(slip, abs(scr.W[i, i]) * force)
    return Problem(
        size, contacts, groups, scr.W, scr.w0, scr.start, scr.dim, scr.owner, scr.rough, scr.may_stick, scr.forced,
        scr.given, scr.two_sided, scr.kinetic, scr.static, scr.normal, scr.lever, scr.held, scr.held_rest,
        scr.held_lever, max(force, 1e-300), max(slip, 1e-300),
    )  # fmt: skip


def slip_direction(L, laws, mode, j, out):
    """Unit vector of a slip: one-dimensional ones keep their mode's, planar ones follow the slip where there is one."""
    out[0], out[1] = mode.direction[j, 0], mode.direction[j, 1]
    if laws.slip_dim[j] == 2:
        at = laws.slip_start[j] - laws.bilateral
        length = np.hypot(L[at], L[at + 1])
        if length > 1e-300:
            out[0], out[1] = L[at] / length, L[at + 1] / length


def settle(F, L, laws, mode, candidate, resting, may_stick, n, symmetric, w, scr):
    """The mode after an event: which candidates stay closed, which frictions stick or slip.

    `candidate` contacts touch and do not separate; `resting` frictions have no slip (the others slip along what they
    have); `may_stick` is 0 where the cone was just left. Returns the status of the linear solve and of the cases.
    """
    start = sizes(F, n, symmetric)
    at_b = start + n + laws.rows * n
    for i in range(start + n + laws.rows * (n + 1)):
        scr.F[i] = F[i]
    for i in range(laws.contacts):
        mode.contact[i] = CLOSED if candidate[i] else OPEN
    count = bilateral_rows(laws, mode, False, scr.active)
    shape = Shape(n, laws.rows, laws.rows, symmetric, False, scr.active[:count], scr.active[:count])
    size, contacts, groups = 0, 0, 0
    for i in range(laws.contacts):
        scr.place[i] = -1
        if candidate[i]:
            scr.rows[size] = laws.bilateral + i
            scr.which[contacts], scr.place[i] = i, contacts
            contacts += 1
            size += 1
    for j in range(laws.frictions):
        owner = -1
        mode.friction[j] = OFF
        if laws.press_kind[j] == BY_CONTACT:
            owner = scr.place[laws.press_at[j]]
            if owner < 0:
                continue
        add_group(scr, groups, size, laws.slip_dim[j], owner, j)
        scr.may_stick[groups] = may_stick[j]
        if not resting[j] and not laws.rough[j]:
            scr.forced[groups] = 1
            slip_direction(L, laws, mode, j, scr.given[groups])
            if laws.slip_dim[j] == 1:
                scr.given[groups, 0] = 1.0 if L[laws.slip_start[j] - laws.bilateral] > 0.0 else -1.0
        for c in range(laws.slip_dim[j]):
            scr.rows[size] = laws.slip_start[j] + c
            size += 1
        groups += 1
    if size == 0:
        return DONE, 0, 1
    status, row = responses(scr, shape, laws, n, size, start, w)
    if status != DONE:
        return status, row, 1
    for i in range(size):
        scr.w0[i] -= scr.before[scr.rows[i]]
    for g in range(groups):
        press_group(scr, L, laws, g, scr.who[g], size)
    cases = solve(posed(scr, size, contacts, groups), scr.best, scr.room)
    if cases == NO_SOLUTION:
        return DONE, 0, cases
    for p in range(contacts):
        mode.contact[scr.which[p]] = scr.best.contact[p]
    for g in range(groups):
        j = scr.who[g]
        mode.friction[j], mode.sign[j] = scr.best.friction[g], scr.best.sign[g]
        for c in range(2):
            mode.direction[j, c] = scr.best.direction[g, c] if c < laws.slip_dim[j] else 0.0
    return DONE, 0, cases


def impact(F, L, psi, laws, mode, involved, n, symmetric, w, scr, dv, normal_impulse):
    """Δv of an impact of the `involved` contacts into dv and their impulses; statuses as `settle`, and energy gained.

    psi holds the rates of all rows before the impact. The energy is what the impulses do against the mean of the
    rates before and after: for walls at rest the change of the kinetic energy, for moving ones that seen from the wall.
    """
    start = sizes(F, n, symmetric)
    at_A, at_b = start + n, start + n + laws.rows * n
    for i in range(start + n + laws.rows * (n + 1)):
        scr.F[i] = F[i]
    paper, poisson = False, False
    for i in range(laws.contacts):
        if involved[i]:
            paper |= laws.law[i] == ZHANG_MEI
            poisson |= laws.law[i] == POISSON
    count = bilateral_rows(laws, mode, paper, scr.active)
    shape = Shape(n, laws.rows, laws.rows, symmetric, False, scr.active[:count], scr.active[:count])
    for c in range(n):
        scr.F[start + c] = 0.0
    for i in range(laws.rows):
        scr.F[at_b + i] = -psi[i] if i < laws.bilateral else 0.0
    size, contacts, groups = impact_rows(laws, mode, involved, paper, scr)
    status, row = responses(scr, shape, laws, n, size, start, w)
    if status != DONE:
        return status, row, 1, 0.0
    for g in range(groups):
        if scr.who[g] >= 0:
            press_group(scr, L, laws, g, scr.who[g], size)
            scr.held[g] = 0
        else:
            scr.rough[g] = 1
    for i in range(size):
        scr.before[i] = psi[scr.rows[i]]
        scr.w0[i] += scr.before[i] * (1.0 + rebound(L, laws, scr, i, contacts, groups, poisson))
        scr.impulses[i] = 0.0
    cases = solve(posed(scr, size, contacts, groups), scr.best, scr.room)
    if cases == NO_SOLUTION:
        return DONE, 0, cases, 0.0
    for i in range(size):
        scr.impulses[i] = scr.best.f[i]
    if poisson:
        cases = expand(L, laws, scr, size, contacts, groups)
        if cases == NO_SOLUTION:
            return DONE, 0, cases, 0.0
    energy = 0.0
    for c in range(n):
        dv[c] = scr.U[0, c]
        for k in range(size):
            dv[c] += scr.impulses[k] * scr.U[1 + k, c]
    for k in range(size):
        after = scr.before[k]
        for c in range(n):
            after += scr.F[at_A + scr.rows[k] * n + c] * dv[c]
        energy += 0.5 * scr.impulses[k] * (scr.before[k] + after)
    if paper:
        energy += paper_work(psi, laws, scr, size, at_A, n, dv)
    for i in range(laws.contacts):
        normal_impulse[i] = scr.impulses[scr.place[i]] if scr.place[i] >= 0 else 0.0
    return DONE, 0, cases, energy


def impact_rows(laws, mode, involved, paper, scr):
    """Rows and groups of an impact: contacts, what they reverse, their slips, and rolling under a constraint."""
    size, contacts, groups = 0, 0, 0
    for i in range(laws.contacts):
        scr.place[i] = -1
        if involved[i]:
            scr.rows[size] = laws.bilateral + i
            scr.which[contacts], scr.place[i] = i, contacts
            contacts += 1
            size += 1
    for i in range(laws.contacts):
        for c in range(laws.reverse_count[i] if involved[i] else 0):
            add_group(scr, groups, size, 1, scr.place[i], -1 - i)
            scr.rows[size] = laws.reverse_start[i] + c
            size += 1
            groups += 1
    if paper:
        return size, contacts, groups
    for j in range(laws.frictions):
        owner = -1
        if laws.press_kind[j] == BY_CONTACT:
            owner = scr.place[laws.press_at[j]]
            if owner < 0:
                continue
        elif laws.press_kind[j] != BY_CONSTRAINT or mode.friction[j] != STICK:
            continue
        add_group(scr, groups, size, laws.slip_dim[j], owner, j)
        for c in range(laws.slip_dim[j]):
            scr.rows[size] = laws.slip_start[j] + c
            size += 1
        groups += 1
    return size, contacts, groups


def rebound(L, laws, scr, i, contacts, groups, poisson):
    """The restitution that goes with a row of an impact: none for slips, none in compression."""
    if poisson:
        return 0.0
    if i < contacts:
        return restitution(L, laws, scr.which[i])
    for g in range(groups):
        if scr.start[g] <= i < scr.start[g] + scr.dim[g]:
            return restitution(L, laws, -1 - scr.who[g]) if scr.who[g] < 0 else 0.0
    return 0.0


def expand(L, laws, scr, size, contacts, groups):
    """Poisson's second phase: e times the impulses of compression again, and more where a contact still closes."""
    for i in range(size):
        scr.w0[i] = scr.best.w[i]
    for k in range(size):
        again = scr.impulses[k] * rebound(L, laws, scr, k, contacts, groups, False)
        scr.room.w[k] = again
        for i in range(size):
            scr.w0[i] += scr.W[i, k] * again
    for g in range(groups):
        if scr.who[g] < 0:  # reversed rows get their share and no more: let them go where that takes them
            scr.rough[g] = 0
            scr.may_stick[g] = 0
        elif scr.owner[g] >= 0:
            scr.normal[g] += scr.room.w[scr.owner[g]]
            scr.owner[g] = -1  # pressed even where the contact asks for no more than its share
    for k in range(size):
        scr.impulses[k] += scr.room.w[k]
    cases = solve(posed(scr, size, contacts, groups), scr.best, scr.room)
    if cases != NO_SOLUTION:
        for k in range(size):
            scr.impulses[k] += scr.best.f[k]
    return cases


def paper_work(psi, laws, scr, size, at_A, n, dv):
    """What the paper's law gains: its slips are held by impulses though they move (φᵀμ of the errata)."""
    work = 0.0
    for j in range(laws.frictions):
        for c in range(laws.slip_dim[j]):
            row = laws.slip_start[j] + c
            impulse = scr.NU[0, row]
            for k in range(size):
                impulse += scr.impulses[k] * scr.NU[1 + k, row]
            rate = psi[row]
            change = 0.0
            for p in range(n):
                change += scr.F[at_A + row * n + p] * dv[p]
            work += impulse * (rate + 0.5 * change)
    return work


SHARED = (
    sizes, coefficient, static_coefficient, given_normal, restitution, respond, bilateral_rows, responses, add_group,
    press_group, posed, slip_direction, settle, impact, impact_rows, rebound, expand, paper_work,
)  # fmt: skip
