"""Reach of chosen inputs: q̇ = Σ u_k g_k(q), plus the drift of affine constraints if there is one.

Chow and Rashevskii: if the brackets of the g_k span the tangent space, every configuration nearby is reached. With a
drift (time is a coordinate), they span the directions that can be entered later (Sussmann and Jurdjevic).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from dalembert.analysis.constraints.distribution import frame
from dalembert.analysis.constraints.forms import Pfaffian, Point, numbers
from dalembert.analysis.exact.ranks import CHANCE, GIVEN, eliminated
from dalembert.analysis.exact.series import Expansion, Series, derivative, is_nil, scaled, times, total, value
from dalembert.analysis.question import Question
from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest, parse
from dalembert.mechanics.algebra import ONE, ZERO
from dalembert.mechanics.lowering import Lowering
from dalembert.mechanics.system import System
from dalembert.model.check import check
from dalembert.results.constraints import Reach

LENGTH = 6  # largest number of fields in a bracket
MOST = 300
Field = list[Series]
MINUS = Decimal(-1)


def driven(question: Question, system: System, found: Pfaffian, at: Point, places: Sequence[Point]) -> Reach:
    """The flag of the given directions at the state and at random points."""
    directions = [_direction(question, system, found, text) for text in question.inputs]
    for text, direction in zip(question.inputs, directions, strict=True):
        _admissible(found, text, direction, places)
    here = _flag(found, directions, at, GIVEN, question)
    generic = max((_flag(found, directions, p, CHANCE, question) for p in places), key=lambda flag: flag[-1])
    kept = eliminated(numbers(found.rows, places[0]), CHANCE, found.last).kept
    room = len(found.variables) - sum(i < found.holonomic for i in kept)
    return Reach(question.inputs, here, generic, room, True)


def _direction(question: Question, system: System, found: Pfaffian, text: str) -> tuple[Any, ...]:
    """Read "x = cos(theta), y = sin(theta)" as components. Coordinates that are not named stand still."""
    names, parts = system.motion.names, {}
    for pair in re.split(r",(?=\s*\w+'?\s*=)", text):
        name, equals, right = pair.partition("=")
        name = name.strip().removesuffix("'")
        if not equals or name not in names:
            hint = nearest(name, names) if equals else ""
            raise ModelError(
                'the input {text!r} is no direction{hint}; components are expected, as in "x = '
                'cos(theta), y = sin(theta)".',
                text=text,
                hint=hint,
            )
        parts[name] = parse(right.strip())
    record = question.record
    trial = replace(
        record,
        definitions=MappingProxyType(
            {**record.definitions, **{f"direction_of_{name}": node for name, node in parts.items()}}
        ),
    )
    faults = check(trial)
    if faults:
        raise ModelError("the input {text!r}: {message}.", text=text, message=faults[0].message)
    lowering = Lowering(trial, system.motion)
    values = {name: lowering.scalar(node) for name, node in parts.items()}
    if any(system.motion.has_speeds(e) for e in values.values()):
        raise ModelError(
            "the input {text!r} holds speeds; a direction depends on coordinates, time and parameters.", text=text
        )
    components = tuple(values.get(name, ZERO) for name in names)
    return (ZERO, *components) if found.extended else components


def _admissible(found: Pfaffian, text: str, direction: Sequence[Any], places: Sequence[Point]) -> None:
    for point in places:
        local = Expansion((), point, 0)
        g = [value(local(e)) for e in direction]
        size = max(map(abs, g))
        for name, row in zip(found.names, numbers(found.rows, point), strict=True):
            off = sum((a * c for a, c in zip(row, g, strict=True)), Decimal(0))
            if abs(off) > CHANCE * size * max(map(abs, row)):
                raise ModelError(
                    "the input {text!r} breaks the constraint {name}; give a direction that all constraints allow.",
                    text=text,
                    name=name,
                )


def _flag(
    found: Pfaffian, directions: Sequence[Sequence[Any]], at: Point, zero: Decimal, question: Question
) -> tuple[int, ...]:
    """Dimensions of the span of brackets of one, two, … fields at a point."""
    held = set().union(
        *(e.free_symbols for g in directions for e in g), *(e.free_symbols for r in found.rows for e in r)
    )
    moving = [i for i, s in enumerate(found.variables) if s in held]
    places = {i: k for k, i in enumerate(moving)}
    local = Expansion([found.variables[i] for i in moving], at, LENGTH - 1)
    first: list[Field] = [[local(e) for e in g] for g in directions]
    if found.extended:
        first.append(_drift(found, at, held, local))
    layer, values, dimensions = first, [], []
    for _ in range(LENGTH):
        values += [[value(c) for c in X] for X in layer]
        sized = [[c / max(map(abs, row)) for c in row] for row in values if max(map(abs, row)) > zero]
        dimensions.append(eliminated(sized, zero).rank)
        if dimensions[-1] == len(found.variables) or question.limit.over or len(layer) > MOST:
            break
        layer = [_bracket(X, Z, places) for Z in layer for X in first]
        layer = [Z for Z in layer if not all(is_nil(c) for c in Z)]
        if not layer:
            break
    while len(dimensions) > 1 and dimensions[-1] == dimensions[-2]:
        dimensions.pop()
    return tuple(dimensions)


def _drift(found: Pfaffian, at: Point, held: set[Any], local: Expansion) -> Field:
    """∂_t plus the speeds of dependent coordinates that affine and rheonomic rows impose."""
    kept = eliminated(numbers(found.rows, at), CHANCE, found.last).kept
    graph = frame(found.only(kept), found.variables, found.last, at, local.order, CHANCE, held)
    field: Field = [local.constant(Decimal(0)) for _ in found.variables]
    field[0] = local(ONE)
    for b, c in zip(graph.dependent, graph.B[0], strict=True):
        field[b] = c
    return field


def _bracket(X: Field, Y: Field, places: dict[int, int]) -> Field:
    def along(A: Field, f: Series) -> Series:
        parts = [times(A[i], derivative(f, place)) for i, place in places.items() if not is_nil(A[i])]
        return total(parts, len(f) - 2) if parts else [{} for _ in f[1:]]

    return [total([along(X, y), scaled(MINUS, along(Y, x))], len(y) - 2) for x, y in zip(X, Y, strict=True)]
