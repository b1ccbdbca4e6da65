"""A system with contacts and frictions as the kernels see it: its mode tells which rows are on.

Accelerations are kept as long as nothing changes that they are solved from, over impacts too.
"""

from __future__ import annotations

from collections import namedtuple

from numba.extending import overload

from dalembert.motions.laws import HELD_COUNT, HELD_START, SLIP_DIM, SLIP_START
from dalembert.simulate import cases, complementarity, contacts, core, impacts, lemke, sliding
from dalembert.simulate.complementarity import CLOSED, OFF, SLIP, STICK
from dalembert.simulate.core import (
    FROM_DYNAMICS,
    FROM_POSITION,
    FROM_VELOCITY,
    accelerate,
    apart,
    call,
    kernel,
    load,
    share,
)
from dalembert.simulate.linear import DONE, IN_NU, IN_SLOPE, Shape
from dalembert.simulate.parts import PART
from dalembert.simulate.sliding import accelerations_in_mode, shares_cone
from dalembert.simulate.table import (
    ACTIVE,
    CONTACT,
    COUNTS,
    FRICTION,
    FROM_REST,
    KNOWN,
    LAST_CONTACT,
    LAST_DIR0,
    LAST_FRICTION,
    LAST_LAWS,
    LAST_REACTION,
    LAST_REST,
    LAST_SLOPE,
    LAWS,
    MODE_DIR0,
    PHI_ACTIVE,
    RANK_A,
    RANK_R,
    RATES,
)

for _module in (lemke, complementarity, cases, contacts, impacts, sliding):
    share(_module.SHARED)

SOLVED, RANKS, FORCES = 1, 2, 4  # what was asked of the last accelerations: ranks anew, multipliers

HybridCalls = namedtuple("HybridCalls", (*core.Calls._fields, "laws_function", "laws_data", "laws"))
HybridMemory = namedtuple("HybridMemory", (*core.Memory._fields, "tab", "values", "hits"))


@overload(accelerate, jit_options=PART)
def _accelerate(calls, mem, fixed, wanted):  # type: ignore[no-untyped-def]
    if getattr(calls, "instance_class", None) is not HybridCalls:
        return None

    def in_mode(calls, mem, fixed, wanted):  # type: ignore[no-untyped-def]
        if calls.shape.general:
            laws_at(calls, mem)
        asked = SOLVED | (0 if fixed else RANKS) | (FORCES if wanted else 0)
        if known(calls, mem, asked):
            return DONE, 0
        status, row = accelerations_in_mode(
            mem.tab, mem.outs[FROM_DYNAMICS], calls.laws, calls.shape, fixed, mem.w, mem.w.vectors[IN_SLOPE],
            mem.w.vectors[IN_NU], wanted,
        )  # fmt: skip
        for j in range(calls.laws.frictions):
            if shares_cone(mem.tab, calls.laws, j):
                asked |= FORCES  # they were needed on the way
        keep(calls, mem, asked if status == DONE else 0)
        return status, row

    return in_mode


@kernel
def known(calls, mem, asked):
    """Whether the last accelerations are these: in free flight and on a plane the same numbers come again and again.

    They are when nothing that they are solved from has changed since, and they had what is `asked` of these.
    """
    F, last, reals, laws = mem.outs[FROM_DYNAMICS], mem.tab.last, mem.tab.reals, calls.laws
    extent = laws.rows - laws.bilateral + 3 * laws.frictions if calls.shape.general else 0
    if mem.tab.wholes[COUNTS, KNOWN] & asked == asked:
        first = min(extent, laws.rows - laws.bilateral)
        for j in range(laws.frictions if calls.shape.general else 0):
            if laws.layout[SLIP_DIM, j] == 2:  # its direction turns with its slip
                first = 0
        different = 0
        for i in range(calls.dynamics_size):
            different |= F[i] != last[i]
        for i in range(first, extent):
            different |= reals[LAWS, i] != reals[LAST_LAWS, i]
        if different == 0:
            recall(calls, mem)
            return True
    for i in range(calls.dynamics_size):
        last[i] = F[i]
    for i in range(extent):
        reals[LAST_LAWS, i] = reals[LAWS, i]
    return False


@kernel
def keep(calls, mem, what):
    """Keep the accelerations, their ranks and, if they were asked for, the reactions: an impact uses the same room."""
    counts, reals, w = mem.tab.wholes[COUNTS], mem.tab.reals, mem.w
    counts[KNOWN] = what
    if what != 0:
        for i in range(calls.shape.n):
            reals[LAST_SLOPE, i] = w.vectors[IN_SLOPE, i]
        for i in range(calls.laws.rows if what & FORCES else 0):
            reals[LAST_REACTION, i] = w.vectors[IN_NU, i]
        counts[RANK_A], counts[RANK_R] = w.rank[0], w.rank[1]


@kernel
def recall(calls, mem):
    """What `keep` kept, back where it is looked for."""
    counts, reals, w = mem.tab.wholes[COUNTS], mem.tab.reals, mem.w
    for i in range(calls.shape.n):
        w.vectors[IN_SLOPE, i] = reals[LAST_SLOPE, i]
    for i in range(calls.laws.rows if counts[KNOWN] & FORCES else 0):
        w.vectors[IN_NU, i] = reals[LAST_REACTION, i]
    w.rank[0], w.rank[1] = counts[RANK_A], counts[RANK_R]


@kernel
def forget_other_modes(laws, tab):
    """Note the mode; the last accelerations are of no use in another one."""
    wholes, reals = tab.wholes, tab.reals
    same = True
    for i in range(laws.contacts):
        same = same and wholes[LAST_CONTACT, i] == wholes[CONTACT, i]
        wholes[LAST_CONTACT, i] = wholes[CONTACT, i]
    for j in range(laws.frictions):
        same = same and wholes[LAST_FRICTION, j] == wholes[FRICTION, j]
        same = same and wholes[LAST_REST, j] == wholes[FROM_REST, j]
        wholes[LAST_FRICTION, j], wholes[LAST_REST, j] = wholes[FRICTION, j], wholes[FROM_REST, j]
        for r in range(3):  # its direction and its side
            same = same and reals[LAST_DIR0 + r, j] == reals[MODE_DIR0 + r, j]
            reals[LAST_DIR0 + r, j] = reals[MODE_DIR0 + r, j]
    if not same:
        wholes[COUNTS, KNOWN] = 0


@kernel
def laws_at(calls, mem):
    """Slips, coefficients, pressing forces and restitutions at the state that is loaded."""
    out = mem.tab.reals[LAWS]
    call(calls.laws_function, out.ctypes.data, mem.x.ctypes.data, calls.laws_data)


@kernel
def dynamics_at(calls, mem):
    out = mem.outs[FROM_DYNAMICS]
    call(calls.dynamics, out.ctypes.data, mem.x.ctypes.data, calls.dynamics_data)


@kernel
def gaps_at(calls, mem):
    out = mem.outs[FROM_POSITION]
    call(calls.position, out.ctypes.data, mem.x.ctypes.data, calls.position_data)


@kernel
def gap_of(calls, mem, i):
    return mem.outs[FROM_POSITION, calls.laws.holonomic + i]


@kernel
def survey(calls, mem, t, y):
    """Dynamics, laws, gaps, and the rates of all rows at a state."""
    apart()
    load(calls, mem, t, y)
    dynamics_at(calls, mem)
    laws_at(calls, mem)
    if calls.mh > 0:
        gaps_at(calls, mem)
    out = mem.outs[FROM_VELOCITY]
    call(calls.velocity, out.ctypes.data, mem.x.ctypes.data, calls.velocity_data)
    for i in range(calls.laws.rows):
        mem.tab.reals[RATES, i] = out[i]


@kernel
def in_mode(base, mem):
    """The calls of the mode as it is now: which rows are on."""
    apart()
    laws, layout, wholes = base.laws, base.laws.layout, mem.tab.wholes
    active, flat = wholes[ACTIVE], wholes[PHI_ACTIVE]
    count, level = 0, 0
    general = False
    for i in range(laws.bilateral):
        active[count] = i
        count += 1
    for i in range(laws.holonomic):
        flat[level] = i
        level += 1
    for i in range(laws.contacts):
        if wholes[CONTACT, i] == CLOSED:
            active[count], flat[level] = laws.bilateral + i, laws.holonomic + i
            count += 1
            level += 1
    for j in range(laws.frictions):
        if wholes[FRICTION, j] == OFF:
            continue
        general |= wholes[FRICTION, j] == SLIP
        for c in range(layout[SLIP_DIM, j] if wholes[FRICTION, j] == STICK else 0):
            active[count] = layout[SLIP_START, j] + c
            count += 1
        for c in range(layout[HELD_COUNT, j]):
            active[count] = layout[HELD_START, j] + c
            count += 1
    forget_other_modes(laws, mem.tab)
    old = base.shape
    shape = Shape(old.n, old.m, old.reactions, old.symmetric, general, active[:count], active[:count])
    return HybridCalls(
        base.dynamics, base.dynamics_data, base.position, base.position_data, base.velocity, base.velocity_data,
        base.guards, base.guards_data, base.dynamics_size, base.size, base.k, base.mh, base.guard_count, shape,
        flat[:level], base.guard_kinds, base.laws_function, base.laws_data, laws,
    )  # fmt: skip
