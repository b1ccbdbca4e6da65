"""What an impact makes of the speeds.

Errata to ZhangMei (2.1): v⁺ = v⁻ + Δv, M Δv = Cᵀ Λ, with B v⁺ = 0 for bilateral and held rows, for a contact
0 ≤ Λ ⊥ γ⁺ + e γ⁻ ≥ 0, for what it reverses r⁺ = −e r⁻, and Coulomb's cone for its slip. A friction pressed by a given,
finite force has no impulse to share, sliding or not; one pressed by a constraint keeps rolling inside its cone.
Poisson's law: compression with e = 0, then at least e Λ again. The paper's law holds all slips at what they are.
Loops that numba compiles, over one `table.Table`.
"""

from __future__ import annotations

from dalembert.motions.laws import (
    BY_CONSTRAINT,
    BY_CONTACT,
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
from dalembert.simulate.cases import solve
from dalembert.simulate.complementarity import NO_SOLUTION, STICK
from dalembert.simulate.contacts import (
    add_contacts,
    add_group,
    bilateral_rows,
    press_group,
    responses,
    restitution,
    sizes,
    weigh,
)  # fmt: skip
from dalembert.simulate.linear import DONE, Shape
from dalembert.simulate.table import (
    ACTIVE,
    ANSWER,
    BEFORE,
    BEST_ANSWER,
    BEST_FORCE,
    CHANGE,
    CONTACTS,
    COUNTS,
    DIM,
    FRICTION,
    GROUPS,
    HELD,
    IMPULSE,
    INVOLVED,
    MAY_STICK,
    NORMAL,
    NORMAL_IMPULSE,
    OWNER,
    PLACE,
    RATES,
    REACTIONS,
    RESPONSE,
    ROUGH,
    ROWS,
    SIZE,
    SLOPES,
    START,
    W0,
    WHICH,
    WHO,
)  # fmt: skip


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


SHARED = (impact, governed_by, mean_rate, impact_rows, rebound, expand, paper_work)
