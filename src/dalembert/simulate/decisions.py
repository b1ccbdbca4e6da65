"""`contacts.impact` and `contacts.settle` behind C pointers, compiled on their own.

numba links and optimizes the whole of what a function calls again at every level of calls; kept apart, these two and
all below them are compiled once. They find their arrays by a list of addresses and shapes, and leave their answer
in the table's row RESULT.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from dalembert.simulate import complementarity, contacts, core, laws, linear, sliding, table
from dalembert.simulate.advance import _stamp
from dalembert.simulate.contacts import impact, settle
from dalembert.simulate.core import share
from dalembert.simulate.laws import Laws
from dalembert.simulate.linear import Workspace
from dalembert.simulate.table import RESULT, Table

for _module in (complementarity, contacts, sliding):
    share(_module.SHARED)
    share(_module.SHARED_ONCE, "always")

ARRAYS = 14  # four numbers each: address and shape
NUMBERS = 4 * ARRAYS


_inlined = numba.njit(error_model="numpy", inline="always")


def _pointer(kind: Any) -> Any:
    """An intrinsic that takes an address for a pointer to numbers of that kind."""

    @intrinsic
    def pointer(typingctx, address):  # type: ignore[no-untyped-def]
        target = types.CPointer(kind)

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.inttoptr(arguments[0], context.get_value_type(target))

        return target(types.int64), generate

    return pointer


reals_at, wholes_at = _pointer(types.float64), _pointer(types.int64)


def described(tab: Table, F: np.ndarray, layout: Laws, w: Workspace, n: int, symmetric: bool) -> np.ndarray:
    """Addresses and shapes of everything that a decision looks at, and the numbers that are no arrays."""
    arrays = [*tab, F, layout.layout, *w]
    assert len(arrays) == ARRAYS
    rows = [[a.ctypes.data, *a.shape, *[1] * (3 - a.ndim)] for a in arrays]
    numbers = [n, int(symmetric), layout.contacts, layout.frictions, layout.bilateral, layout.rows, layout.holonomic]
    return np.array([x for row in rows for x in row] + numbers, dtype=np.int64)


@_inlined
def table_at(d):
    return Table(
        numba.carray(wholes_at(d[0]), (d[1], d[2])),
        numba.carray(reals_at(d[4]), (d[5], d[6])),
        numba.carray(reals_at(d[8]), (d[9], d[10], d[11])),
        numba.carray(reals_at(d[12]), (d[13], d[14], d[15])),
        numba.carray(reals_at(d[16]), (d[17], d[18], d[19])),
        numba.carray(reals_at(d[20]), (d[21], d[22])),
        numba.carray(reals_at(d[24]), (d[25], d[26])),
        numba.carray(reals_at(d[28]), (d[29],)),
    )


@_inlined
def laws_of(d):
    k = NUMBERS
    layout = numba.carray(wholes_at(d[36]), (d[37], d[38]))
    return Laws(d[k + 2], d[k + 3], d[k + 4], d[k + 5], d[k + 6], layout)


@_inlined
def workspace_at(d):
    return Workspace(
        numba.carray(reals_at(d[40]), (d[41], d[42], d[43])),
        numba.carray(reals_at(d[44]), (d[45], d[46])),
        numba.carray(wholes_at(d[48]), (d[49], d[50])),
        numba.carray(wholes_at(d[52]), (d[53],)),
    )


def _functions(stamp: int) -> tuple[Any, Any]:
    @numba.cfunc(types.void(types.int64), cache=True, nopython=True, error_model="numpy")
    def impact_c(address):  # type: ignore[no-untyped-def]
        d = numba.carray(wholes_at(address), (NUMBERS + 7,))
        tab, F = table_at(d), numba.carray(reals_at(d[32]), (d[33],))
        status, row, cases, energy = impact(tab, F, laws_of(d), d[NUMBERS], d[NUMBERS + 1] != 0, workspace_at(d))
        out = tab.reals[RESULT]
        out[0], out[1], out[2], out[3] = status, row, cases, energy
        if stamp < 0:
            out[0] = -1.0

    @numba.cfunc(types.void(types.int64), cache=True, nopython=True, error_model="numpy")
    def settle_c(address):  # type: ignore[no-untyped-def]
        d = numba.carray(wholes_at(address), (NUMBERS + 7,))
        tab, F = table_at(d), numba.carray(reals_at(d[32]), (d[33],))
        status, row, cases = settle(tab, F, laws_of(d), d[NUMBERS], d[NUMBERS + 1] != 0, workspace_at(d))
        out = tab.reals[RESULT]
        out[0], out[1], out[2] = status, row, cases
        if stamp < 0:
            out[0] = -1.0

    return impact_c, settle_c


impact_c, settle_c = _functions(_stamp(complementarity, contacts, core, laws, linear, sliding, table))


@intrinsic
def ask(typingctx, address, description):  # type: ignore[no-untyped-def]
    """Call a decision at its address."""
    signature = types.void(types.int64, types.int64)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        from llvmlite import ir

        kind = ir.FunctionType(ir.VoidType(), [cgutils.intp_t])
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])
        return context.get_dummy_value()

    return signature, generate
