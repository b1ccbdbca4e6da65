"""What contacts and frictions do at one state: the mode a motion goes on in, and what an impact makes of the speeds.

Loops that numba compiles, over one `table.Table`. F is what the compiled dynamics gave (D, d, A, b).

Impact (errata to ZhangMei (2.1)): v⁺ = v⁻ + Δv, M Δv = Cᵀ Λ, with B v⁺ = 0 for bilateral and held rows, for a contact
0 ≤ Λ ⊥ γ⁺ + e γ⁻ ≥ 0, for what it reverses r⁺ = −e r⁻, and Coulomb's cone for its slip. A friction pressed by a given,
finite force has no impulse to share, sliding or not; one pressed by a constraint keeps rolling inside its cone.
Poisson's law: compression with e = 0, then at least e Λ again. The paper's law holds all slips at what they are.
"""

from __future__ import annotations

import numpy as np

from dalembert.simulate.complementarity import CLOSED, NO_SOLUTION, OFF, OPEN, STICK, solve
from dalembert.simulate.laws import (
    BY_CONSTRAINT,
    BY_CONTACT,
    GIVEN,
    HELD_COUNT,
    HELD_START,
    IS_ROUGH,
    LAW,
    POISSON,
    PRESS_AT,
    PRESS_KIND,
    REVERSE_COUNT,
    REVERSE_START,
    SLIP_DIM,
    SLIP_START,
    ZHANG_MEI,
)  # fmt: skip
from dalembert.simulate.linear import DONE, Shape, accelerations, accelerations_again
from dalembert.simulate.table import (
    ACTIVE,
    ANSWER,
    BEFORE,
    BEST_ANSWER,
    BEST_CASE,
    BEST_DIR0,
    BEST_FORCE,
    BEST_SIGN,
    BEST_STATUS,
    CANDIDATE,
    CHANGE,
    CONTACT,
    CONTACTS,
    COUNTS,
    DIM,
    FORCE_SCALE,
    FORCED,
    FRICTION,
    FROM_REST,
    GIVEN0,
    GROUPS,
    HELD,
    HELD0,
    HOLD0,
    IMPULSE,
    INVOLVED,
    KINETIC,
    LAWS,
    MAY,
    MAY_STICK,
    MODE_DIR0,
    MODE_SIGN,
    NEW_SIDE,
    NORMAL,
    NORMAL_IMPULSE,
    OWNER,
    PLACE,
    PRESS,
    RATES,
    REACTIONS,
    RESPONSE,
    RESTING,
    ROUGH,
    ROWS,
    SCALES,
    SIDE,
    SIZE,
    SLIP_SCALE,
    SLOPES,
    START,
    STATIC,
    TWO_SIDED,
    W0,
    WHICH,
    WHO,
)  # fmt: skip

CREEPS = 2  # a slip from rest that begins with no acceleration
CONTRADICTS = 20  # a contact that the constraints do not let move


def sizes(n, symmetric):
    """Where d begins in F; A follows it, then b."""
    return n * (n + 1) // 2 if symmetric else n * n


def coefficient(tab, laws, j):
    return tab.reals[LAWS, laws.rows - laws.bilateral + j]


def static_coefficient(tab, laws, j):
    return tab.reals[LAWS, laws.rows - laws.bilateral + laws.frictions + j]


def given_normal(tab, laws, j):
    return tab.reals[LAWS, laws.rows - laws.bilateral + 2 * laws.frictions + j]


def restitution(tab, laws, i):
    return tab.reals[LAWS, laws.rows - laws.bilateral + 3 * laws.frictions + i]


def slip_of(tab, laws, j, c):
    """A component of a friction's slip."""
    return tab.reals[LAWS, laws.layout[SLIP_START, j] - laws.bilateral + c]


def slip_size(tab, laws, j):
    first = slip_of(tab, laws, j, 0)
    return abs(first) if laws.layout[SLIP_DIM, j] == 1 else np.hypot(first, slip_of(tab, laws, j, 1))


def bilateral_rows(tab, laws, kept):
    """Rows that hold both ways: the constraints, what frictions hold, and with `kept` every slip; how many."""
    active, layout = tab.wholes[ACTIVE], laws.layout
    count = 0
    for i in range(laws.bilateral):
        active[count] = i
        count += 1
    for j in range(laws.frictions):
        if layout[PRESS_KIND, j] == BY_CONTACT and tab.wholes[CONTACT, layout[PRESS_AT, j]] == OPEN:
            continue
        for c in range(layout[HELD_COUNT, j]):
            active[count] = layout[HELD_START, j] + c
            count += 1
        for c in range(layout[SLIP_DIM, j] if kept else 0):
            active[count] = layout[SLIP_START, j] + c
            count += 1
    return count


def responses(tab, shape, laws, w):
    """What F asks for, and what a unit force along each row of the problem does: slopes, reactions, and with them W."""
    n, size, F = shape.n, tab.wholes[COUNTS, SIZE], tab.F
    start = sizes(n, shape.symmetric)
    at_A, at_b = start + n, start + n + laws.rows * n
    U, NU = tab.responses[SLOPES], tab.responses[REACTIONS]
    status, row = accelerations(F, shape, False, w, U[0], NU[0], True)
    if status != DONE:
        return status, row
    for i in range(laws.rows):
        tab.reals[BEFORE, i] = F[at_b + i]
        F[at_b + i] = 0.0
    for k in range(size):
        for c in range(n):
            F[start + c] = F[at_A + tab.wholes[ROWS, k] * n + c]
        status, row = accelerations_again(F, shape, w, U[1 + k], NU[1 + k])
        if status != DONE:
            return status, row
    for i in range(size):
        source = at_A + tab.wholes[ROWS, i] * n
        for k in range(size + 1):
            entry = 0.0
            for c in range(n):
                entry += F[source + c] * U[k, c]
            if k == 0:
                tab.reals[W0, i] = entry
            else:
                tab.squares[RESPONSE, i, k - 1] = entry
    for i in range(tab.wholes[COUNTS, CONTACTS]):
        if not abs(tab.squares[RESPONSE, i, i]) > 1e-13:
            return CONTRADICTS, tab.wholes[WHICH, i]
    return DONE, 0


def add_contacts(tab, laws, chosen):
    """The chosen contacts as the first rows of a problem that has nothing else yet."""
    wholes = tab.wholes
    count = 0
    for i in range(laws.contacts):
        wholes[PLACE, i] = -1
        if wholes[chosen, i]:
            wholes[ROWS, count], wholes[WHICH, count], wholes[PLACE, i] = laws.bilateral + i, i, count
            count += 1
    wholes[COUNTS, SIZE], wholes[COUNTS, CONTACTS], wholes[COUNTS, GROUPS] = count, count, 0


def add_group(tab, first_row, dim, owner, who):
    """A friction, or what a contact reverses, as further rows of the problem; returns its number."""
    wholes, reals = tab.wholes, tab.reals
    g, size = wholes[COUNTS, GROUPS], wholes[COUNTS, SIZE]
    wholes[START, g], wholes[DIM, g], wholes[OWNER, g], wholes[WHO, g] = size, dim, owner, who
    wholes[ROUGH, g], wholes[MAY_STICK, g], wholes[FORCED, g] = 0, 1, 0
    wholes[TWO_SIDED, g], wholes[HELD, g], wholes[SIDE, g] = 0, 0, 0
    reals[NORMAL, g], reals[KINETIC, g], reals[STATIC, g] = 0.0, 0.0, 0.0
    for k in range(tab.levers.shape[2]):
        tab.levers[PRESS, g, k] = 0.0
    for c in range(dim):
        wholes[ROWS, size + c] = first_row + c
    wholes[COUNTS, GROUPS], wholes[COUNTS, SIZE] = g + 1, size + dim
    return g


def press_group(tab, laws, g, j):
    """Coefficients and pressing force of a friction's group, affine in the forces of the problem."""
    reals, layout, NU = tab.reals, laws.layout, tab.responses[REACTIONS]
    size = tab.wholes[COUNTS, SIZE]
    reals[KINETIC, g], reals[STATIC, g] = coefficient(tab, laws, j), static_coefficient(tab, laws, j)
    tab.wholes[ROUGH, g] = layout[IS_ROUGH, j]
    at = layout[PRESS_AT, j]
    if layout[PRESS_KIND, j] == GIVEN:
        reals[NORMAL, g] = given_normal(tab, laws, j)
    elif layout[PRESS_KIND, j] == BY_CONTACT:
        tab.levers[PRESS, g, tab.wholes[PLACE, at]] = 1.0
    else:
        tab.wholes[TWO_SIDED, g] = 1
        reals[NORMAL, g] = NU[0, at]
        for k in range(size):
            tab.levers[PRESS, g, k] = NU[1 + k, at]
    tab.wholes[HELD, g] = layout[HELD_COUNT, j]
    for c in range(layout[HELD_COUNT, j]):
        row = layout[HELD_START, j] + c
        reals[HELD0 + c, g] = NU[0, row]
        for k in range(size):
            tab.levers[HOLD0 + c, g, k] = NU[1 + k, row]


def weigh(tab):
    """The scales of the problem, against which nothing is nothing."""
    size, groups = tab.wholes[COUNTS, SIZE], tab.wholes[COUNTS, GROUPS]
    force, slip = 0.0, 0.0
    for i in range(size):
        slip = max(slip, abs(tab.reals[W0, i]))
        if tab.squares[RESPONSE, i, i] > 0.0:
            force = max(force, abs(tab.reals[W0, i]) / tab.squares[RESPONSE, i, i])
    for g in range(groups):
        force = max(force, abs(tab.reals[NORMAL, g]))
    for i in range(size):
        slip = max(slip, abs(tab.squares[RESPONSE, i, i]) * force)
    tab.reals[SCALES, FORCE_SCALE], tab.reals[SCALES, SLIP_SCALE] = max(force, 1e-300), max(slip, 1e-300)


def slip_direction(tab, laws, j, c):
    """Component c of a slip's unit vector: the mode's in one dimension, that of the slip itself in the plane.

    A slip that creeps out of its cone has no direction of its own yet: the mode's it is until then.
    """
    if laws.layout[SLIP_DIM, j] == 2 and tab.wholes[FROM_REST, j] != CREEPS:
        length = slip_size(tab, laws, j)
        if length > 1e-300:
            return slip_of(tab, laws, j, c) / length
    return tab.reals[MODE_DIR0 + c, j]


def settle(tab, F, laws, n, symmetric, w):
    """The mode after an event: which candidates stay closed, which frictions stick or slip.

    CANDIDATE contacts touch and do not separate; RESTING frictions have no slip (the others slip along what they
    have); MAY is 0 where a friction's cone was just left. Returns the status of the linear solve and of the cases.
    """
    wholes, reals, layout = tab.wholes, tab.reals, laws.layout
    start = sizes(n, symmetric)
    for i in range(start + n + laws.rows * (n + 1)):
        tab.F[i] = F[i]
    for i in range(laws.contacts):
        wholes[CONTACT, i] = CLOSED if wholes[CANDIDATE, i] else OPEN
    count = bilateral_rows(tab, laws, False)
    shape = Shape(n, laws.rows, laws.rows, symmetric, False, wholes[ACTIVE][:count], wholes[ACTIVE][:count])
    add_contacts(tab, laws, CANDIDATE)
    for j in range(laws.frictions):
        wholes[FRICTION, j] = OFF
        owner = wholes[PLACE, layout[PRESS_AT, j]] if layout[PRESS_KIND, j] == BY_CONTACT else -1
        if layout[PRESS_KIND, j] == BY_CONTACT and owner < 0:
            continue
        g = add_group(tab, layout[SLIP_START, j], layout[SLIP_DIM, j], owner, j)
        wholes[MAY_STICK, g], wholes[SIDE, g] = wholes[MAY, j], wholes[NEW_SIDE, j]
        if not wholes[RESTING, j] and not layout[IS_ROUGH, j]:
            wholes[FORCED, g] = 1
            for c in range(layout[SLIP_DIM, j]):
                reals[GIVEN0 + c, g] = slip_of(tab, laws, j, c) / slip_size(tab, laws, j)
    if wholes[COUNTS, SIZE] == 0:
        return DONE, 0, 1
    status, row = responses(tab, shape, laws, w)
    if status != DONE:
        return status, row, 1
    for i in range(wholes[COUNTS, SIZE]):
        reals[W0, i] -= reals[BEFORE, wholes[ROWS, i]]
    for g in range(wholes[COUNTS, GROUPS]):
        press_group(tab, laws, g, wholes[WHO, g])
    weigh(tab)
    cases = solve(tab)
    if cases != NO_SOLUTION:
        take_mode(tab, laws)
    return DONE, 0, cases


def take_mode(tab, laws):
    """The kept solution as the mode."""
    wholes, reals = tab.wholes, tab.reals
    for p in range(wholes[COUNTS, CONTACTS]):
        wholes[CONTACT, wholes[WHICH, p]] = wholes[BEST_CASE, p]
    for g in range(wholes[COUNTS, GROUPS]):
        j = wholes[WHO, g]
        wholes[FRICTION, j], reals[MODE_SIGN, j] = wholes[BEST_STATUS, g], reals[BEST_SIGN, g]
        for c in range(2):
            reals[MODE_DIR0 + c, j] = reals[BEST_DIR0 + c, g] if c < laws.layout[SLIP_DIM, j] else 0.0


def impact(tab, F, laws, n, symmetric, w):
    """Δv of an impact of the INVOLVED contacts into CHANGE, their impulses into NORMAL_IMPULSE; statuses and energy.

    RATES holds the rates of all rows before the impact. The energy is what the impulses do against the mean of the
    rates before and after: for walls at rest the change of the kinetic energy, for moving ones that seen from the wall.
    """
    wholes, reals = tab.wholes, tab.reals
    start = sizes(n, symmetric)
    at_A, at_b = start + n, start + n + laws.rows * n
    for i in range(start + n + laws.rows * (n + 1)):
        tab.F[i] = F[i]
    paper, poisson = governed_by(tab, laws, ZHANG_MEI), governed_by(tab, laws, POISSON)
    count = bilateral_rows(tab, laws, paper)
    shape = Shape(n, laws.rows, laws.rows, symmetric, False, wholes[ACTIVE][:count], wholes[ACTIVE][:count])
    for c in range(n):
        tab.F[start + c] = 0.0
    for i in range(laws.rows):
        tab.F[at_b + i] = -reals[RATES, i] if i < laws.bilateral else 0.0
    impact_rows(tab, laws, paper)
    status, row = responses(tab, shape, laws, w)
    if status != DONE:
        return status, row, 1, 0.0
    for g in range(wholes[COUNTS, GROUPS]):
        if wholes[WHO, g] >= 0:
            press_group(tab, laws, g, wholes[WHO, g])
            wholes[HELD, g] = 0
        else:
            wholes[ROUGH, g] = 1
    size = wholes[COUNTS, SIZE]
    for i in range(size):
        reals[BEFORE, i] = reals[RATES, wholes[ROWS, i]]
        reals[W0, i] += reals[BEFORE, i] * (1.0 + (0.0 if poisson else rebound(tab, laws, i)))
    weigh(tab)
    cases = solve(tab)
    if cases == NO_SOLUTION:
        return DONE, 0, cases, 0.0
    for i in range(size):
        reals[IMPULSE, i] = reals[BEST_FORCE, i]
    if poisson:
        cases = expand(tab, laws)
        if cases == NO_SOLUTION:
            return DONE, 0, cases, 0.0
    energy = 0.0
    for c in range(n):
        reals[CHANGE, c] = tab.responses[SLOPES, 0, c]
        for k in range(size):
            reals[CHANGE, c] += reals[IMPULSE, k] * tab.responses[SLOPES, 1 + k, c]
    for k in range(size):
        energy += reals[IMPULSE, k] * mean_rate(tab, at_A, n, wholes[ROWS, k])
    if paper:
        energy += paper_work(tab, laws, at_A, n)
    for i in range(laws.contacts):
        reals[NORMAL_IMPULSE, i] = reals[IMPULSE, wholes[PLACE, i]] if wholes[PLACE, i] >= 0 else 0.0
    return DONE, 0, cases, energy


def governed_by(tab, laws, law):
    """Whether a contact of this impact has that law."""
    for i in range(laws.contacts):
        if tab.wholes[INVOLVED, i] and laws.layout[LAW, i] == law:
            return True
    return False


def mean_rate(tab, at_A, n, row):
    """Of a row, before and after the impact."""
    change = 0.0
    for c in range(n):
        change += tab.F[at_A + row * n + c] * tab.reals[CHANGE, c]
    return tab.reals[RATES, row] + 0.5 * change


def impact_rows(tab, laws, paper):
    """Rows and groups of an impact: contacts, what they reverse, their slips, and rolling under a constraint."""
    wholes, layout = tab.wholes, laws.layout
    add_contacts(tab, laws, INVOLVED)
    for i in range(laws.contacts):
        for c in range(layout[REVERSE_COUNT, i] if wholes[INVOLVED, i] else 0):
            add_group(tab, layout[REVERSE_START, i] + c, 1, wholes[PLACE, i], -1 - i)
    if paper:
        return
    for j in range(laws.frictions):
        owner = -1
        if layout[PRESS_KIND, j] == BY_CONTACT:
            owner = wholes[PLACE, layout[PRESS_AT, j]]
            if owner < 0:
                continue
        elif layout[PRESS_KIND, j] != BY_CONSTRAINT or wholes[FRICTION, j] != STICK:
            continue
        add_group(tab, layout[SLIP_START, j], layout[SLIP_DIM, j], owner, j)


def rebound(tab, laws, i):
    """The restitution that goes with a row of an impact: none for slips."""
    wholes = tab.wholes
    if i < wholes[COUNTS, CONTACTS]:
        return restitution(tab, laws, wholes[WHICH, i])
    for g in range(wholes[COUNTS, GROUPS]):
        if wholes[START, g] <= i < wholes[START, g] + wholes[DIM, g]:
            return restitution(tab, laws, -1 - wholes[WHO, g]) if wholes[WHO, g] < 0 else 0.0
    return 0.0


def expand(tab, laws):
    """Poisson's second phase: e times the impulses of compression again, and more where a contact still closes."""
    wholes, reals = tab.wholes, tab.reals
    size = wholes[COUNTS, SIZE]
    for i in range(size):
        reals[W0, i] = reals[BEST_ANSWER, i]
    for k in range(size):
        reals[ANSWER, k] = reals[IMPULSE, k] * rebound(tab, laws, k)
        for i in range(size):
            reals[W0, i] += tab.squares[RESPONSE, i, k] * reals[ANSWER, k]
    for g in range(wholes[COUNTS, GROUPS]):
        if wholes[WHO, g] < 0:  # reversed rows get their share and no more: let them go where that takes them
            wholes[ROUGH, g], wholes[MAY_STICK, g] = 0, 0
        elif wholes[OWNER, g] >= 0:  # pressed even where the contact asks for no more than its share
            reals[NORMAL, g] += reals[ANSWER, wholes[OWNER, g]]
            wholes[OWNER, g] = -1
    for k in range(size):
        reals[IMPULSE, k] += reals[ANSWER, k]
    weigh(tab)
    cases = solve(tab)
    if cases != NO_SOLUTION:
        for k in range(size):
            reals[IMPULSE, k] += reals[BEST_FORCE, k]
    return cases


def paper_work(tab, laws, at_A, n):
    """What the paper's law gains: its slips are held by impulses though they move (φᵀμ of the errata)."""
    work = 0.0
    for j in range(laws.frictions):
        for c in range(laws.layout[SLIP_DIM, j]):
            row = laws.layout[SLIP_START, j] + c
            impulse = tab.responses[REACTIONS, 0, row]
            for k in range(tab.wholes[COUNTS, SIZE]):
                impulse += tab.reals[IMPULSE, k] * tab.responses[REACTIONS, 1 + k, row]
            work += impulse * mean_rate(tab, at_A, n, row)
    return work


SHARED = (
    sizes, coefficient, static_coefficient, given_normal, restitution, slip_of, slip_size, bilateral_rows,
    responses, add_contacts, add_group, press_group, weigh, slip_direction, settle, impact, governed_by, mean_rate,
    rebound, paper_work, expand, impact_rows, take_mode,
)  # fmt: skip
