"""Coefficients of an equation's terms, as numbers at given states and as expressions.

    E = Σ c_k a_k + Σ g_r λ_r + Σ c_ij v_i v_j + Σ c_i v_i + c + rest
    c_k = ∂E/∂a_k,  g_r = ∂E/∂λ_r                                 at a = λ = 0
    c_ij = ∂²E/∂v_i∂v_j  (half of it if i = j),  c_i = ∂E/∂v_i,  c = E     at a = λ = v = 0

The numbers come from one program of all equations: the second derivative along two directions y and z. Every pair of
directions is a row of its inputs. An expression is differentiated only if somebody reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from math import prod
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.audit.claims import Claims
from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import take
from dalembert.programs.maker import Maker, Place
from dalembert.programs.program import Program
from dalembert.programs.tangents import tangents

Monomial = tuple[Any, ...]  # () has the terms without speeds
Values = Mapping[Monomial, np.ndarray]  # one number for every state
REST: Monomial = (se.Symbol("the rest"),)  # no model has this name
ROUNDING = 1e-11  # of the terms: a smaller rest is none


def coefficients(found: Claims, expressions: Sequence[Any], places: Mapping[Any, Any]) -> list[Values]:
    """The coefficients of every expression, without those that are zero at all states.

    An expression without a value at rest, such as x'/sqrt(x'^2 + y'^2), has its accelerations and multipliers, and
    everything else is its rest. Symbols in `places` stand for expressions.
    """
    speeds, forces = found.equations.v, [*found.a, *found.free]
    pairs: list[Monomial] = list(combinations_with_replacement(speeds, 2))
    asked: list[Monomial] = [*((s,) for s in forces), *pairs]
    code = _along_two(found.inputs, [*speeds, *forces], expressions, places)
    x, at = _states(found), {s: i for i, s in enumerate(found.inputs)}
    moving = {s: len(at) + i for i, s in enumerate([*speeds, *forces])}
    given = np.zeros((1 + len(asked), len(x), len(code.inputs)))
    given[:, :, : len(at)] = x
    given[1:, :, [at[s] for s in forces]] = 0.0
    given[1 + len(forces) :, :, [at[s] for s in speeds]] = 0.0
    for row, monomial in enumerate(asked, 1):
        given[row, :, moving[monomial[0]]] = 1.0
        given[row, :, moving[monomial[-1]] + len(moving)] = 1.0
    value, slope, bend = np.split(np.moveaxis(values_of(code, given), 2, 0), 3)
    of = {monomial: row for row, monomial in enumerate(asked, 1)}
    answers: list[Mapping[Monomial, np.ndarray]] = []
    for i in range(len(expressions)):
        polynomial: dict[Monomial, np.ndarray] = {(s,): slope[i, of[(s,)]] for s in forces}
        if np.isfinite(value[i, of[pairs[0]]]).all() and np.isfinite(bend[i, 1 + len(forces) :]).all():
            polynomial |= {(): value[i, of[pairs[0]]]} | {(s,): slope[i, of[(s, s)]] for s in speeds}
            polynomial |= {pair: bend[i, of[pair]] / (2 if pair[0] == pair[1] else 1) for pair in pairs}
        parts = [c * prod(x[:, at[s]] for s in monomial) for monomial, c in polynomial.items()]
        rest = value[i, 0] - sum(parts)
        if np.abs(rest).max() > ROUNDING * np.sum(np.abs(parts), axis=0).max(initial=1e-300):
            polynomial[REST] = rest
        answers.append({monomial: c for monomial, c in polynomial.items() if c.any()})
    return answers


def _states(found: Claims) -> np.ndarray:
    """The samples, with other speeds, accelerations and multipliers."""
    x = np.array([found.x(start, a) for start, a in found.samples])
    moving = slice(x.shape[1] - len(found.a) - len(found.free), None)
    x[:, moving] = np.random.default_rng(5).uniform(-1.0, 1.0, x[:, moving].shape)
    return x


def _along_two(
    inputs: Sequence[Any], moving: Sequence[Any], expressions: Sequence[Any], places: Mapping[Any, Any]
) -> Program:
    """E, its derivative along y and its second derivative along y and z. y and z are inputs after the others."""
    names = [*map(str, inputs), *(f"{along} {s}" for along in "yz" for s in moving)]
    index = {s: i for i, s in enumerate(inputs)}
    maker = Maker(names)
    own = {s: maker.input(i) for s, i in index.items()}
    plain = maker.program(take(maker, own, expressions, places))
    once = _with_slopes(plain, range(len(expressions)), {index[s]: len(index) + k for k, s in enumerate(moving)})
    late = len(index) + len(moving)
    slopes = range(len(expressions), 2 * len(expressions))
    return _with_slopes(once, slopes, {index[s]: late + k for k, s in enumerate(moving)})


def _with_slopes(code: Program, outputs: Iterable[int], directions: Mapping[int, int]) -> Program:
    """The program, and the derivatives of some outputs along a direction: indices of inputs, by input that varies."""
    maker = Maker(code.inputs)
    inputs: list[Place] = [maker.input(i) for i in range(len(code.inputs))]
    values, zero = maker.copied(code, inputs), maker.number(0.0)
    along = {i: {0: inputs[direction]} for i, direction in directions.items()}
    columns = tangents(maker, code.selected(list(outputs)), inputs, along)
    return maker.program([*values, *(column.get(0, zero) for column in columns)])


def coefficient(found: Claims, e: Any, places: Mapping[Any, Any], monomial: Monomial, known: Iterable[Monomial]) -> Any:
    """The expression of a coefficient. The rest is the equation without its `known` terms."""
    e = se.sympify(e)
    if places:
        e = e.subs({k: w for k, w in places.items() if k in found.a}).subs(places)
    if monomial != REST:
        return _derived(found, e, monomial)
    terms: Iterator[Any] = (_derived(found, e, k) * prod(k, start=se.Integer(1)) for k in known if k != REST)
    return e - sum(terms, se.Integer(0))


def _derived(found: Claims, e: Any, monomial: Monomial) -> Any:
    unmoved = dict.fromkeys([*found.a, *found.free], 0)
    if monomial and monomial[0] not in found.equations.v:
        return e.diff(monomial[0]).subs(unmoved)
    e = e.subs(unmoved)
    for s in monomial:
        e = e.diff(s)
    e = e.subs(dict.fromkeys(found.equations.v, 0))
    return e / 2 if len(monomial) == 2 and monomial[0] == monomial[1] else e
