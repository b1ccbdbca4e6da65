"""Another order of operations: the same values, and fewer of them held at a time."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.prepared import prepare
from dalembert.programs.evaluate import values_of
from dalembert.programs.order import sparing
from dalembert.programs.program import FREE, Operation, Program
from dalembert.programs.slopes import reduced


def held(program: Program) -> int:
    """The largest number of values that are held at a time until their last use, inputs and numbers not counted."""
    last = {a: place for place, op in enumerate(program.operations) if op.kind not in FREE for a in op.arguments}
    last |= dict.fromkeys(program.outputs, len(program.operations))
    most = now = 0
    ends: dict[int, int] = {}
    for place, op in enumerate(program.operations):
        now -= ends.pop(place, 0)
        if op.kind not in FREE and place in last:
            now += 1
            ends[last[place]] = ends.get(last[place], 0) + 1
        most = max(most, now)
    return most


def test_values_that_are_held():
    """a b + c d holds two products."""
    x = [Operation("input", (i,)) for i in range(4)]
    code = Program(
        tuple("abcd"), (*x, Operation("mul", (0, 1)), Operation("mul", (2, 3)), Operation("add", (4, 5))), (6,)
    )
    assert held(code) == 2 and sparing(code).cost == code.cost


def test_products_of_a_long_sum_are_added_at_once():
    """All eight products before any sum: eight values are held. In the other order two are."""
    n = 8
    operations = [Operation("input", (i,)) for i in range(n)]
    operations += [Operation("mul", (i, i)) for i in range(n)]
    operations += [Operation("add", (n, n + 1))]
    operations += [Operation("add", (2 * n + k, n + 2 + k)) for k in range(n - 2)]
    code = Program(tuple(f"x{i}" for i in range(n)), tuple(operations), (len(operations) - 1,))
    assert (held(code), held(sparing(code))) == (8, 2)
    x = np.arange(1.0, n + 1)
    assert values_of(sparing(code), x) == values_of(code, x) == [204.0]


@pytest.mark.parametrize("name", ["whipple-bicycle", "rolling-disk"])
def test_slopes_keep_their_bits_and_their_cost(name: str):
    start = prepare(da.gallery(name).record)
    found = reduced(start.system.equations, start.x)
    assert found is not None
    code, other = found.slopes, sparing(found.slopes)
    assert other.cost == code.cost and held(other) <= held(code)
    x = start.x[: len(code.inputs)] + np.random.default_rng(1).normal(size=(5, len(code.inputs)))
    np.testing.assert_array_equal(values_of(other, x), values_of(code, x))
    if name == "whipple-bicycle":
        assert held(other) < 0.9 * held(code)
