"""Derivatives of a program along some of its inputs, operation by operation.

    ẇ = Σ ∂w/∂a ȧ     (a b)˙ = ȧ b + a ḃ,   (a/b)˙ = (ȧ − w ḃ)/b,   (√a)˙ = ȧ/2w,   (aᵇ)˙ = b aᵇ⁻¹ ȧ + w log(a) ḃ

There is one column for every input that varies, and columns that are zero cost nothing. A kink (abs, min, select, …)
has the derivative of the side on which the state lies, and steps (sign, floor) have the derivative zero.

`tangents` writes them as further operations, for code that is called often. `swept` has them as numbers at one state:
writing the code would take as long as some tens of such sweeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from dalembert.programs.evaluate import all_values, values_of
from dalembert.programs.maker import Maker, Place
from dalembert.programs.program import CONDITIONS, Program

Column = dict[int, Place]  # nonzero derivatives by input
FLAT = CONDITIONS | {"number", "sign", "floor"}

# functions: the partner is g of ẇ = ± g ȧ, or h of h ẇ = ± ȧ (h ẇ = x ẏ − y ẋ of atan2)
PAIRS = {"sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh"}


def _one(m: Maker, sign: str, a: Place) -> Place:
    """1 ± a²"""
    return m.made(sign, [m.number(1.0), m.mul(a, a)])


PARTNERS: dict[str, Callable[..., Place]] = {
    "exp": lambda m, w, a: w,
    "tanh": lambda m, w, a: _one(m, "sub", w),
    "log": lambda m, w, a: a,
    "atan": lambda m, w, a: _one(m, "add", a),
    "atanh": lambda m, w, a: _one(m, "sub", a),
    "asin": lambda m, w, a: m.sqrt(_one(m, "sub", a)),
    "acos": lambda m, w, a: m.sqrt(_one(m, "sub", a)),
    "asinh": lambda m, w, a: m.sqrt(_one(m, "add", a)),
    "acosh": lambda m, w, a: m.sqrt(m.sub(m.mul(a, a), m.number(1.0))),
    "atan2": lambda m, w, y, x: m.add(m.mul(x, x), m.mul(y, y)),
}
INTEGRALS = {"sin": 1, "cos": -1, "sinh": 1, "cosh": 1, "exp": 1, "tanh": 1}  # ẇ = ± g ȧ, the signs
INVERSES = {"log": 1, "atan": 1, "atanh": 1, "asin": 1, "acos": -1, "asinh": 1, "acosh": 1}  # h ẇ = ± ȧ


def tangents(m: Maker, program: Program, inputs: Sequence[Place], along: Mapping[int, Column]) -> list[Column]:
    """The columns of every output. `inputs` are the inputs' places; `along` has columns for those that vary."""
    values: list[Place] = []
    found: list[Column] = []
    for kind, arguments, value in program.operations:
        if kind == "number":
            values.append(m.number(value))
            found.append({})
        elif kind == "input":
            values.append(inputs[arguments[0]])
            found.append(dict(along.get(arguments[0], {})))
        else:
            parts = [values[a] for a in arguments]
            w = m.made(kind, parts)
            values.append(w)
            found.append({} if kind in FLAT else _column(m, kind, w, parts, [found[a] for a in arguments]))
    return [found[o] for o in program.outputs]


def swept(program: Program, x: np.ndarray, along: Sequence[int]) -> tuple[list[Any], np.ndarray]:
    """The values of all operations at one state, and the derivatives of the outputs by the inputs `along`."""
    values = all_values(program, x)
    units = dict(zip(along, np.eye(len(along)), strict=True))
    found: list[np.ndarray | None] = []  # None is zero
    with np.errstate(all="ignore"):
        for w, (kind, arguments, _) in zip(values, program.operations, strict=True):
            if kind == "input":
                found.append(units.get(arguments[0]))
            elif kind in FLAT:
                found.append(None)
            elif kind == "mul":
                a, b = arguments
                first, second = found[a], found[b]
                first = None if first is None else first * values[b]
                found.append(_plus(first, None if second is None else second * values[a]))
            elif kind == "add":
                a, b = arguments
                found.append(_plus(found[a], found[b]))
            elif kind == "sub":
                a, b = arguments
                second = found[b]
                found.append(_plus(found[a], None if second is None else -second))
            elif kind == "neg":
                first = found[arguments[0]]
                found.append(None if first is None else -first)
            elif kind == "select":
                condition, a, b = arguments
                found.append(found[a if values[condition] else b])
            else:
                found.append(_rate(kind, w, [values[a] for a in arguments], [found[a] for a in arguments]))
    zero = np.zeros(len(along))
    rows = [zero if found[place] is None else found[place] for place in program.outputs]
    return values, np.array(rows).reshape(len(rows), len(along))


def _plus(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
    return a if b is None else b if a is None else a + b


def _rate(kind: str, w: float, parts: list[float], given: list[np.ndarray | None]) -> np.ndarray | None:
    """ẇ = Σ ∂w/∂a ȧ of one operation."""
    if all(rate is None for rate in given):
        return None
    slopes = values_of(_slopes(kind, len(parts)), np.array([w, *parts])).tolist()
    return sum(slope * rate for slope, rate in zip(slopes, given, strict=True) if rate is not None)


@cache
def _slopes(kind: str, count: int) -> Program:
    """∂w/∂a for every argument of an operation, from w and the arguments."""
    m = Maker(("w", *(f"a{i}" for i in range(count))))
    w, *parts = [m.input(i) for i in range(1 + count)]
    column = _column(m, kind, w, parts, [{i: m.number(1.0)} for i in range(count)])
    return m.program([column.get(i, m.number(0.0)) for i in range(count)])


def _column(m: Maker, kind: str, w: Place, parts: list[Place], given: list[Column]) -> Column:
    """The derivatives of one operation."""
    if kind in ("select", "min", "max"):
        *_, a, b = given
        condition = parts[0] if kind == "select" else m.compare("le", *(parts if kind == "min" else reversed(parts)))
        zero = m.number(0.0)
        return {i: m.select(condition, a.get(i, zero), b.get(i, zero)) for i in a.keys() | b.keys()}
    if kind in ("add", "sub"):
        return _sum(m, [(m.number(1.0), given[0]), (m.number(1.0 if kind == "add" else -1.0), given[1])])
    if kind == "mul":
        return _sum(m, [(parts[1], given[0]), (parts[0], given[1])])
    if kind == "div":
        inverse = m.div(m.number(1.0), parts[1])
        return _sum(m, [(inverse, given[0]), (m.neg(m.mul(w, inverse)), given[1])])
    if kind == "atan2":
        y, x = parts
        size = PARTNERS[kind](m, w, y, x)
        return _sum(m, [(m.div(x, size), given[0]), (m.neg(m.div(y, size)), given[1])])
    if kind == "pow":
        base, exponent = parts
        lower = m.power(base, m.sub(exponent, m.number(1.0)))
        terms = [(m.mul(exponent, lower), given[0])]
        if given[1]:
            terms.append((m.mul(w, m.function("log", base)), given[1]))
        return _sum(m, terms)
    return _sum(m, [(_outer(m, kind, w, parts[0]), given[0])]) if given[0] else {}


def _outer(m: Maker, kind: str, w: Place, a: Place) -> Place:
    """dw/da of a function of one argument."""
    if kind == "neg":
        return m.number(-1.0)
    if kind == "sqrt":
        return m.div(m.number(0.5), w)
    if kind == "abs":
        return m.function("sign", a)
    if kind == "tan":
        return _one(m, "add", w)
    partner = m.function(PAIRS[kind], a) if kind in PAIRS else PARTNERS[kind](m, w, a)
    found = partner if kind in INTEGRALS else m.div(m.number(1.0), partner)
    return found if (INTEGRALS | INVERSES)[kind] > 0 else m.neg(found)


def _sum(m: Maker, terms: Sequence[tuple[Place, Column]]) -> Column:
    found: Column = {}
    for factor, column in terms:
        for i, place in sorted(column.items()):
            part = m.mul(factor, place)
            found[i] = m.add(found[i], part) if i in found else part
    return {i: place for i, place in found.items() if not m.is_zero(place)}
