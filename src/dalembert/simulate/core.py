"""What every stepper needs, in machine code: the right-hand side through C pointers, and projection.

y = (q, v, z),   ẏ = (v, a, ν[:k])       with a, ν from the constrained solve
projection: the smallest Δq with φ(q, t) = 0, then the smallest Δv with ψ(q, v, t) = 0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from dalembert.compile.system import CompiledSystem
from dalembert.simulate import linear, pivoting
from dalembert.simulate.linear import (
    DONE,
    IN_CHANGE,
    IN_G,
    IN_J,
    IN_NU,
    IN_RESIDUAL,
    IN_SLOPE,
    LEFT_COLUMNS,
    LEFT_ROWS,
    shape_of,
)
from dalembert.simulate.parts import PART, part

kernel = part


def share(functions: Sequence[Any]) -> None:
    """Lets compiled functions call these plain ones."""
    for function in functions:
        part(function)


share(pivoting.SHARED)
share(linear.SHARED)

# places in the array of real numbers that a motion carries from call to call
T, H, T_END, T_NEW, TOLERANCE, H_MAX, RESIDUAL, RATE_RESIDUAL, STIFF_STEPS, T_START, H_LIMIT = range(11)
REALS = 11
# and in that of whole numbers
SAMPLE, STEPS, EVALUATIONS, REJECTED, STIFF, NOT_STIFF, EVENTS, RECORDED, FRESH, ROW, RANK_PHI, RANK_PSI, NARROWED = (
    range(13)
)
WHOLES = 13

NODES = 15  # at which guards are seen in a step
DEPTH = 80


class Calls(NamedTuple):
    """A system as the kernels see it: C functions by address and data, and sizes."""

    dynamics: int
    dynamics_data: int
    position: int
    position_data: int
    velocity: int
    velocity_data: int
    guards: int
    guards_data: int
    dynamics_size: int
    size: int  # of y
    k: int
    mh: int
    guard_count: int
    shape: linear.Shape
    phi_rows: np.ndarray  # the holonomic rows switched on
    guard_kinds: np.ndarray  # RECORDED_ONLY, STOPS, FAILS


# rows of the bank of vectors as long as y: slopes, the interpolant, and states
K, DENSE, GUESS, STAGE, OLD, NEW, TRY, SHIFTED, LARGEST, SEEN = 0, 16, 24, 27, 28, 29, 30, 31, 32, 33
BANK = 34
# rows of what compiled functions return
FROM_DYNAMICS, FROM_POSITION, FROM_VELOCITY, FROM_GUARDS = range(4)
# columns of what is known of a guard, after its values at the nodes
GREATEST, EXCLUDED = NODES, NODES + 1


class Memory(NamedTuple):
    """Room for a step, allocated once. Few arrays, because numba's time to compile grows with their number."""

    x: np.ndarray
    bad: np.ndarray  # x where an evaluation failed
    outs: np.ndarray
    bank: np.ndarray
    guards: np.ndarray
    crossings: np.ndarray  # of the step: fraction, guard, direction; then brackets
    stack: np.ndarray
    w: linear.Workspace


def calls_of(system: CompiledSystem, active: list[int] | None = None, with_guards: bool = True) -> Calls:
    eq = system.equations
    shape = shape_of(system, active)
    holonomic = [i for i, row in enumerate(eq.constraints) if row.kind == "holonomic"]
    on = set(shape.active.tolist())
    phi_rows = np.array([k for k, i in enumerate(holonomic) if i in on], dtype=np.int64)
    kinds = [1 if stop else 0 for _, stop in eq.events.values()] + [2] * len(eq.masses)
    count = len(kinds) if with_guards else 0
    functions = [system.dynamics]
    for wanted, name in ((system.mh, "position"), (system.m, "velocity"), (count, "guards")):
        functions.append(getattr(system, name) if wanted else system.dynamics)
    pointers = [p for f in functions for p in (f.address, f.data)]
    return Calls(
        *pointers, system.dynamics.outputs, 2 * system.n + system.k, system.k, system.mh, count, shape, phi_rows,
        np.array(kinds[:count], dtype=np.int64),
    )  # fmt: skip


def memory_of(system: CompiledSystem, calls: Calls) -> Memory:
    inputs = system.dynamics.inputs
    x = np.zeros(inputs)
    x[inputs - len(system.parameters) :] = system.parameters
    longest = max(system.dynamics.outputs, (system.n + 1) * max(system.m, system.mh), calls.guard_count, 1)
    return Memory(
        x=x,
        bad=np.zeros(inputs),
        outs=np.zeros((4, longest)),
        bank=np.zeros((BANK, max(calls.size, 1))),
        guards=np.zeros((max(calls.guard_count, 1), NODES + 2)),
        crossings=np.zeros((max(calls.guard_count, 1) * NODES + NODES, 3)),
        stack=np.zeros((DEPTH, NODES + 2)),
        w=linear.workspace(system.n, max(system.m, system.mh), system.reactions),
    )


@intrinsic
def call(typingctx, address, out, inputs, data):  # type: ignore[no-untyped-def]
    """Call the C function at `address`; all four are integers."""
    signature = types.void(types.int64, types.int64, types.int64, types.int64)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        from llvmlite import ir

        byte = cgutils.voidptr_t
        kind = ir.FunctionType(ir.VoidType(), [byte, byte, byte])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(a, byte) for a in (arguments[1], arguments[2], arguments[3])])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def apart(typingctx):  # type: ignore[no-untyped-def]
    """Keeps the enclosing function from being inlined: LLVM would copy it into every caller, for nothing but time."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), generate


@kernel
def load(calls, mem, t, y):
    mem.x[0] = t
    for i in range(calls.size):
        mem.x[1 + i] = y[i]


def accelerate(calls, mem, fixed, wanted):
    """The constrained solve of what the dynamics gave; motions with contacts have a way of their own."""


@overload(accelerate, jit_options=PART)
def _accelerate(calls, mem, fixed, wanted):  # type: ignore[no-untyped-def]
    if getattr(calls, "instance_class", None) is not Calls:
        return None

    def plain(calls, mem, fixed, wanted):  # type: ignore[no-untyped-def]
        F, a, nu = mem.outs[FROM_DYNAMICS], mem.w.vectors[IN_SLOPE], mem.w.vectors[IN_NU]
        return linear.accelerations(F[: calls.dynamics_size], calls.shape, fixed, mem.w, a, nu, wanted)

    return plain


@kernel
def evaluate(calls, mem, whole, t, y, fixed, out):
    """ẏ into out; the status, and on failure the state and row kept for the sentence."""
    apart()
    n = calls.shape.n
    F, a, nu = mem.outs[FROM_DYNAMICS], mem.w.vectors[IN_SLOPE], mem.w.vectors[IN_NU]
    load(calls, mem, t, y)
    call(calls.dynamics, F.ctypes.data, mem.x.ctypes.data, calls.dynamics_data)
    whole[EVALUATIONS] += 1
    status, row = accelerate(calls, mem, fixed, calls.k > 0)
    if status != DONE:
        whole[ROW] = row
        for i in range(mem.x.shape[0]):
            mem.bad[i] = mem.x[i]
        return status
    for i in range(n):
        out[i] = y[n + i]
        out[n + i] = a[i]
    for i in range(calls.k):
        out[2 * n + i] = nu[i]
    return DONE


@kernel
def residuals(calls, mem, t, y, rates):
    """φ (or ψ with `rates`) and its Jacobian into the workspace; the largest entry and its scale."""
    apart()
    n = calls.shape.n
    J, r = mem.w.matrices[IN_J], mem.w.vectors[IN_RESIDUAL]
    load(calls, mem, t, y)
    if rates:
        out, rows, all_rows, offset = mem.outs[FROM_VELOCITY], calls.shape.active, calls.shape.m, n
        call(calls.velocity, out.ctypes.data, mem.x.ctypes.data, calls.velocity_data)
    else:
        out, rows, all_rows, offset = mem.outs[FROM_POSITION], calls.phi_rows, calls.mh, 0
        call(calls.position, out.ctypes.data, mem.x.ctypes.data, calls.position_data)
    worst, scale = 0.0, 0.0
    for i in range(rows.shape[0]):
        r[i] = out[rows[i]]
        terms = 0.0
        for j in range(n):
            J[i, j] = out[all_rows + rows[i] * n + j]
            terms += abs(J[i, j] * y[offset + j])
        scale = max(scale, terms)
        if not abs(r[i]) <= worst:  # lets NaN through
            worst = abs(r[i])
    return worst, scale


@kernel
def corrected(calls, mem, whole, t, y, rates):
    """Newton's method with smallest changes for q (or v with `rates`); the residual left, negative where it fails.

    Redundant rows are left out: their number is remembered from states that satisfy the constraints, and counted
    anew when what was left out does not vanish with the rest.
    """
    apart()
    n, w = calls.shape.n, mem.w
    rows = calls.shape.active.shape[0] if rates else calls.phi_rows.shape[0]
    if rows == 0:
        return 0.0
    remembered, offset = (RANK_PSI, n) if rates else (RANK_PHI, 0)
    J, r, change, G = w.matrices[IN_J], w.vectors[IN_RESIDUAL], w.vectors[IN_CHANGE], w.matrices[IN_G]
    row_at, col_at = w.places[LEFT_ROWS], w.places[LEFT_COLUMNS]
    before = np.inf
    worst, scale = residuals(calls, mem, t, y, rates)
    for _iteration in range(12):
        if not (worst > 2e-16 * scale and worst < 0.5 * before):
            break
        before = worst
        for i in range(rows):
            r[i] = -r[i]
        rank = pivoting.least_norm(J, r, rows, n, whole[remembered], row_at, col_at, G, change)
        for j in range(n):
            y[offset + j] += change[j]
        worst, scale = residuals(calls, mem, t, y, rates)
        if whole[remembered] >= 0 and rank < rows and not worst <= 1e-11 * max(scale, 1.0):
            whole[remembered] = -1
            before = np.inf
    if not worst <= 1e-10 * max(scale, 1.0):
        return -1.0
    if whole[remembered] < 0:
        whole[remembered] = pivoting.reduce(J, r, rows, n, -1, row_at, col_at)
    return worst


@kernel
def project(calls, mem, real, whole, t, y):
    """Onto φ = 0 and ψ = 0, and the largest residuals into the books; False where Newton's method fails."""
    apart()
    for level in range(2):
        worst = corrected(calls, mem, whole, t, y, level == 1)
        if worst < 0.0:
            return False
        real[RESIDUAL + level] = max(real[RESIDUAL + level], worst)
    return True


@kernel
def shortened(real, whole, followed):
    """Whether the step just tried is to be made again, shorter: a guard is not `followed` by its polynomial.

    A guard with a corner is never followed there, so there is an end to it; afterwards steps grow again by and by. A
    step of few roundings of time, as before an end at which something happens, shows nothing but rounding.
    """
    h = real[T_NEW] - real[T]
    if followed or whole[NARROWED] >= 12 or h <= 1e-13 * abs(real[T_NEW]):
        whole[NARROWED] = 0
        real[H_MAX] = min(2.0 * max(real[H_MAX], h), real[H_LIMIT])
        return False
    whole[NARROWED] += 1
    real[H_MAX] = 0.4 * h
    real[H] = 0.4 * h
    return True
