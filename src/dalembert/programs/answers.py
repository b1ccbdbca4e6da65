"""All answers at a state as programs: accelerations, multipliers, energies, outputs, and derivatives of them.

D a = d + Aᵀ ν,  A a = b
D ȧ = ḋ − Ḋ a + Ȧᵀ ν + Aᵀ ν̇,   A ȧ = ḃ − Ȧ a        along any direction, with the same factors as for a
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import symengine as se

from dalembert.equations import Equations
from dalembert.programs.expressions import program, take
from dalembert.programs.maker import Place
from dalembert.programs.products import begun
from dalembert.programs.program import Program
from dalembert.programs.solve import Factored, SystemPlaces, expressions, factored
from dalembert.programs.tangents import tangents


def _measured(eq: Equations) -> tuple[list[Any], list[Any]]:
    """Symbols of accelerations and multipliers, and the expressions of definitions and outputs."""
    forces = [se.Symbol(f"{q}''") for q in eq.coordinates]
    forces += [se.Symbol(f"lambda.{row.name}") for row in eq.constraints]
    return forces, [*eq.outputs.values(), *eq.measured.values()]


def told(eq: Equations) -> Program:
    """The program from x to both energies, definitions, outputs, multipliers, and whether all pivots count."""
    m, places = begun(eq)
    record = SystemPlaces(m, eq, take(m, places, expressions(eq)))
    factors = factored(m, record)
    a, nu = factors.answer(record.d, record.b)
    forces, outputs = _measured(eq)
    known = places | dict(zip(forces, [*a, *nu], strict=True))
    return m.program([*take(m, known, [eq.kinetic, eq.potential, *outputs]), *nu, factors.fine])


def with_rates(eq: Equations, slopes: Program) -> Program:
    """The program from x to (a, ṡ, fine), given the one to (a, fine): the rates of first-order states beside a."""
    if not eq.states:
        return slopes
    m, places = begun(eq)
    *a, fine = m.copied(slopes, list(places.values()))
    rates = [f"{symbol}'" for symbol in eq.states]
    return m.program(
        [*a, *take(m, places, list(eq.states.values())), fine], [*slopes.names[:-1], *rates, slopes.names[-1]]
    )


def linear(eq: Equations, signals: Sequence[int]) -> Program:
    """The program from x to ∂a/∂w, ∂ṡ/∂w, ∂(definitions, outputs)/∂w by rows, and whether all pivots count.

    w = (q, v, s, u). `signals` are the places of u among the inputs x. s are the first-order states.
    """
    n = len(eq.q)
    m, places = begun(eq)
    x = list(places.values())
    states = [1 + 2 * n + i for i, symbol in enumerate(eq.parameters) if symbol in eq.states]
    varied = [*range(1, 1 + 2 * n), *states, *signals]
    along = {i: {k: m.number(1.0)} for k, i in enumerate(varied)}
    record = program(eq.inputs, expressions(eq))
    entries = SystemPlaces(m, eq, m.copied(record, x))
    factors = factored(m, entries)
    a, nu = factors.answer(entries.d, entries.b)
    moved = tangents(m, record, x, along)
    columns = [_answer(factors, eq, (a, nu), [column.get(k) for column in moved]) for k in range(len(varied))]
    forces, outputs = _measured(eq)
    rows = program([*eq.inputs, *forces], [*eq.states.values(), *outputs])
    for i in range(n + len(eq.b)):
        along[len(x) + i] = {k: column[i] for k, column in enumerate(columns) if not m.is_zero(column[i])}
    measured = tangents(m, rows, [*x, *a, *nu], along)
    zero = m.number(0.0)
    found = [column[i] for i in range(n) for column in columns]
    found += [row.get(k, zero) for row in measured for k in range(len(varied))]
    return m.program([*found, factors.fine])


def _answer(
    factors: Factored, eq: Equations, known: tuple[list[Place], list[Place]], moved: Sequence[Place | None]
) -> list[Place]:
    """ȧ and ν̇ along a direction in which the record's entries change by `moved`, from a and ν."""
    m, (a, nu) = factors.w, known
    zero = m.number(0.0)
    change = SystemPlaces(m, eq, [zero if place is None else place for place in moved])
    n = change.n
    D = [[change.D[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    d = [m.sub(change.d[i], m.dot(D[i], a)) for i in range(n)]
    for row, force in zip(change.A, nu, strict=True):
        d = [m.add(d[i], m.mul(row[i], force)) for i in range(n)]
    b = [m.sub(change.b[r], m.dot(change.A[r], a)) for r in range(change.m)]
    return [part for parts in factors.answer(d, b) for part in parts]
