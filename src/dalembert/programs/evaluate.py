"""Evaluates a program's operations one after the other with NumPy, for one state or for arrays of states.

The values have the same bits as those of machine code: sums and products are rounded one by one, sine and cosine are
the operations of `sines`, and other functions are the C library's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.programs.program import CONDITIONS, Program
from dalembert.programs.sines import by_c, by_numpy


def _select(condition: Any, a: Any, b: Any) -> Any:
    return np.where(condition, a, b)


WORK: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,  # on two numbers ten times as fast as NumPy's
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": np.divide, "neg": np.negative, "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign, "min": np.minimum,
    "max": np.maximum, "floor": np.floor, "pow": by_c(math.pow, np.float_power), "atan2": by_c(math.atan2, np.arctan2),
    "sin": lambda x: by_numpy(x)[0], "cos": lambda x: by_numpy(x)[1],
    "lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal, "and": np.logical_and,
    "or": np.logical_or, "not": np.logical_not, "select": _select, "true": lambda: True, "false": lambda: False,
}  # fmt: skip
ARCS = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}
for _name in (*ARCS, "tan", "sinh", "cosh", "tanh", "exp", "log"):
    WORK[_name] = by_c(getattr(math, _name), getattr(np, ARCS.get(_name, _name)))


def all_values(program: Program, x: np.ndarray) -> list[Any]:
    """The value of every operation; `x` has the inputs along its first axis."""
    if x.ndim == 1:
        return _at_one_state(program, x.tolist())
    found: list[Any] = []
    turned: dict[int, tuple[Any, Any]] = {}
    with np.errstate(all="ignore"):
        for kind, arguments, value in program.operations:
            if kind == "number":
                found.append(value)
            elif kind == "input":
                found.append(x[arguments[0]])
            elif kind in ("sin", "cos"):
                angle = arguments[0]
                if angle not in turned:
                    turned[angle] = by_numpy(found[angle])
                found.append(turned[angle][kind == "cos"])
            else:
                found.append(WORK[kind](*[found[a] for a in arguments]))
    return found


def _at_one_state(program: Program, x: list[float]) -> list[Any]:
    """The same for one state, with Python's numbers: their sums and products are much faster than NumPy's."""
    found: list[Any] = []
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
                found.append(x[arguments[0]])
            else:
                entry = WORK[kind](*[found[a] for a in arguments])
                found.append(entry if kind in CONDITIONS else float(entry))
    return found


def values_of(program: Program, x: np.ndarray) -> np.ndarray:
    """The outputs at `x`, or at every row of it."""
    if x.ndim == 1:
        values = _at_one_state(program, x.tolist())
        return np.array([values[place] for place in program.outputs], dtype=float)
    values = all_values(program, np.ascontiguousarray(np.moveaxis(x, -1, 0)))
    result = np.empty((len(program.outputs), *x.shape[:-1]))
    for row, place in enumerate(program.outputs):
        result[row] = values[place]
    return np.ascontiguousarray(np.moveaxis(result, 0, -1))


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
