"""C++ of accelerations body by body (`multibody.py`): slopes of all speeds, or of coordinates and independent speeds.

All speeds: a state's own independent speeds are taken, and the others as the constraints have them, so that a state
that is a little off is answered for one that is not; the stepper projects as ever. Every pivot is watched: a motion for
which one of them does not do is LEFT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.cuda.elimination import needed
from dalembert.cuda.expressions import write
from dalembert.cuda.multibody import Multibody, multibody
from dalembert.cuda.simplify import pivot_tests, sign_tests
from dalembert.cuda.writer import SIGNATURE, Cell, Writer, function, number, text


def slopes_by_bodies(system: CompiledSystem, x: np.ndarray) -> tuple[str, Counter[str]] | None:
    """ẏ of all coordinates and speeds."""
    found = multibody(system, x)
    if found is None:
        return None
    writer, n, v = Writer("e"), system.n, system.equations.v
    own = {u: e for u, e in zip(found.u, found.start, strict=True) if u not in v}
    found = replace(found, definitions=found.definitions | own)
    a, good = _watched(writer, _places(system, v), found, found.accelerations)
    lines = [*writer.lines, *(f"out[{i}] = y[{n + i}];" for i in range(n))]
    lines += [f"out[{n + i}] = {text(cell)};" for i, cell in enumerate(a)]
    good += [f"is_finite(out[{n + i}])" for i in range(n)]
    arguments = SIGNATURE.format(given="Vector", found="Vector")
    parts = [f"FUNCTION bool all_slopes({arguments}) {{", *lines, f"return {' & '.join(good)};", "}"]
    # no template itself: NVIDIA's compiler follows constants of templates to their beginnings, again for every use
    parts.append(f"template <bool FULL> FUNCTION bool slopes({arguments}) {{ return all_slopes(t, y, p, out); }}")
    return "\n".join(parts), Counter(writer.operations)


def reduced_by_bodies(system: CompiledSystem, x: np.ndarray) -> tuple[str, int, Counter[str]] | None:
    """Functions for steps of (q, u), how many components those are, and what the slopes count."""
    found = multibody(system, x)
    if found is None:
        return None
    eq = system.equations
    full, places = _places(system, eq.v), _places(system, found.u)
    writer = Writer("e")
    cells, good = _watched(writer, places, found, [*found.speeds, *found.rates])
    lines = [*writer.lines, *(f"out[{i}] = {text(cell)};" for i, cell in enumerate(cells))]
    head = f"EVALUATION bool reduced_slopes({SIGNATURE.format(given='Reduced', found='Reduced')}) {{"
    parts = [
        "\n".join([head, *lines, f"return {' & '.join(good) or 'true'};", "}"]),
        _function("void reduced_start", ("Vector", "Reduced"), full, found, (*eq.q, *found.start)),
        _function("void reduced_end", ("Reduced", "Vector"), places, found, (*eq.q, *found.speeds)),
    ]
    return "\n".join(parts), len(eq.q) + len(found.u), Counter(writer.operations)


def _places(system: CompiledSystem, speeds: Sequence[Any]) -> dict[Any, str]:
    eq = system.equations
    found = {eq.t: "t"} | {symbol: f"p[{i}]" for i, symbol in enumerate(eq.parameters)}
    return found | {symbol: f"y[{i}]" for i, symbol in enumerate((*eq.q, *speeds))}


def _watched(
    writer: Writer, places: Mapping[Any, str], found: Multibody, outputs: Sequence[Any]
) -> tuple[list[Cell], list[str]]:
    """The outputs' cells, and what must hold for them."""
    pairs = [e for pair in found.pivots for e in pair]
    beyond = [e for e, _ in found.beyond]
    whole = [*outputs, *pairs, *beyond, *(e for e, _ in found.signs)]
    cells = write(writer, places, whole, needed(found.definitions, whole))
    rest = cells[len(outputs) :]
    tests = pivot_tests(rest[: len(pairs)])
    rest = rest[len(pairs) :]
    for cell, (_, limit) in zip(rest, found.beyond, strict=False):
        tests.append(f"({text(cell)} {'>' if limit > 0 else '<'} {number(limit)})")
    return cells[: len(outputs)], tests + sign_tests(rest[len(beyond) :], found.signs)


def _function(
    name: str, kinds: tuple[str, str], places: Mapping[Any, str], found: Multibody, outputs: Sequence[Any]
) -> str:
    writer = Writer("e")
    cells = write(writer, places, outputs, needed(found.definitions, outputs))
    return function(name, kinds, writer, cells)
