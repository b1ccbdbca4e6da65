"""Evaluates a program's operations one after the other with NumPy, for one state or for arrays of states.

The values have the same bits as those of machine code: sums and products are rounded one by one, sine and cosine are
the operations of `sines`, and other functions are the C library's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.programs.program import CONDITIONS, FREE, Program
from dalembert.programs.sines import by_c, by_numpy

WORK: dict[str, Callable[..., Any]] = {  # but for sums, products, sines and cosines
    "div": np.divide, "neg": np.negative, "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign, "min": np.minimum,
    "max": np.maximum, "floor": np.floor, "pow": by_c(math.pow, np.float_power), "atan2": by_c(math.atan2, np.arctan2),
    "lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal, "and": np.logical_and,
    "or": np.logical_or, "not": np.logical_not, "select": np.where, "true": lambda: True, "false": lambda: False,
}  # fmt: skip
for _name in "asin acos atan asinh acosh atanh".split():
    WORK[_name] = by_c(getattr(math, _name), getattr(np, f"arc{_name[1:]}"))
for _name in "tan sinh cosh tanh exp log".split():
    WORK[_name] = by_c(getattr(math, _name), getattr(np, _name))


def all_values(program: Program, x: np.ndarray) -> list[Any]:
    """The value of every operation; `x` has the inputs along its first axis.

    At one state the values are Python's numbers: their sums and products are much faster than NumPy's.
    """
    one = x.ndim == 1
    inputs: Any = x.tolist() if one else x
    found: list[Any] = []
    turned: dict[int, tuple[Any, Any]] = {}
    with np.errstate(all="ignore"):
        for kind, arguments, value in program.operations:
            if kind == "mul":
                a, b = arguments
                found.append(found[a] * found[b])
            elif kind == "add":
                a, b = arguments
                found.append(found[a] + found[b])
            elif kind == "sub":
                a, b = arguments
                found.append(found[a] - found[b])
            elif kind == "number":
                found.append(value)
            elif kind == "input":
                found.append(inputs[arguments[0]])
            elif kind in ("sin", "cos"):
                angle = arguments[0]
                if angle not in turned:
                    turned[angle] = by_numpy(found[angle])
                found.append(turned[angle][kind == "cos"])
            else:
                entry = WORK[kind](*[found[a] for a in arguments])
                found.append(float(entry) if one and kind not in CONDITIONS else entry)
    return found


def values_of(program: Program, x: np.ndarray) -> np.ndarray:
    """The outputs at `x`, or at every row of it."""
    values = all_values(program, np.ascontiguousarray(np.moveaxis(x, -1, 0)))
    if x.ndim == 1:
        return np.array([values[place] for place in program.outputs], dtype=float)
    result = np.empty((*x.shape[:-1], len(program.outputs)))
    for column, place in enumerate(program.outputs):
        result[..., column] = values[place]
    return result


def magnitudes(program: Program, x: np.ndarray) -> np.ndarray:
    """The size of every output's terms at every row of x: sums of absolute values, recursively."""
    values = all_values(program, x.T)
    sizes = [np.abs(value) for value in values]
    for place, (kind, arguments, _) in enumerate(program.operations):
        if kind in ("add", "sub"):
            sizes[place] = sizes[arguments[0]] + sizes[arguments[1]]
        elif kind == "mul":
            sizes[place] = sizes[arguments[0]] * sizes[arguments[1]]
        elif kind == "div":
            sizes[place] = sizes[arguments[0]] / np.maximum(np.abs(values[arguments[1]]), 1e-300)
        elif kind == "neg":
            sizes[place] = sizes[arguments[0]]
    return np.array([np.broadcast_to(sizes[place], len(x)) for place in program.outputs]).T


def rounding(program: Program, x: np.ndarray) -> np.ndarray:
    """A bound on the rounding error of every output at every row of x, for exact inputs, in last places of one.

        e(a ± b) = e(a) + e(b) + |a ± b|,   e(a b) = |b| e(a) + |a| e(b) + |a b|,   e(√a) = e(a)/2√a + √a

    Other functions count with the slope 1, which bounds those of sine and cosine; for the rest it is an estimate.
    """
    values = all_values(program, x.T)
    errors: list[Any] = []
    with np.errstate(all="ignore"):
        for (kind, arguments, _), value in zip(program.operations, values, strict=True):
            if kind in FREE:
                errors.append(0.0)
                continue
            before = [errors[a] for a in arguments]
            if kind == "mul":
                before = [before[0] * np.abs(values[arguments[1]]), before[1] * np.abs(values[arguments[0]])]
            elif kind == "div":
                before = [part / np.abs(values[arguments[1]]) for part in (before[0], before[1] * np.abs(value))]
            elif kind == "sqrt":
                before = [before[0] / (2.0 * value)]
            errors.append(sum(before) + (0.0 if kind == "neg" else np.abs(value)))
    return np.array([np.broadcast_to(errors[place], len(x)) for place in program.outputs]).T
