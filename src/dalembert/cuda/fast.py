"""Smooth motions written out: slopes and projection without a loop, for steppers that keep a state in registers.

`slopes` is the record's expressions with the solve of `solve.py` behind them; `settle_positions` and `settle_speeds`
are one step of the projection each. What they cannot answer for (a pivot that vanishes, a rank that changes) the
default engine's own functions do, translated (`rescued_…`), in a source by itself: a thread needs the registers of all
that it may call, twice as many for a pendulum, and so fewer threads would run at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.cuda.bodywise import slopes_by_bodies
from dalembert.cuda.expressions import write
from dalembert.cuda.kernels import accelerate, by_name, call, expressions_of, memory_of, model_functions
from dalembert.cuda.kinds import REAL, TRUTH, WHOLE, Array, kind_of
from dalembert.cuda.reduced import all_slopes
from dalembert.cuda.simplify import price, sign_tests, specialized
from dalembert.cuda.solve import Pivots, accelerations, entries_of, least_change, null_basis, pivots_of
from dalembert.cuda.translate import Translator, read
from dalembert.cuda.writer import Cell, Writer, header, text
from dalembert.simulate import core

SLOPES = (
    "template <bool FULL> FUNCTION bool slopes(const double t, const Vector &y, const Parameters &p, Vector &out) {"
)
LARGE = 700  # operations of the slopes above which they are one function, called, and stages are a loop


@dataclass(frozen=True)
class Fast:
    """Functions in C++, and what one evaluation of the slopes counts."""

    functions: str
    operations: Counter[str]
    large: bool


def applies(system: CompiledSystem) -> bool:
    """Whether the solve can be written out: D symmetric, reactions along the constraints, no extra states, no guard."""
    eq = system.equations
    return bool(eq.symmetric and eq.R is None and not system.k and not eq.events and not eq.masses and system.n)


def fast_functions(system: CompiledSystem, x: np.ndarray, rescued: bool) -> Fast:
    """The cheapest way: with the pivots of complete pivoting at x, body by body, or eliminated for good."""
    slopes, operations = slopes_text(system, x)
    for found in (slopes_by_bodies(system, x), all_slopes(system, x, places(system))):
        if found is not None and price(found[1]) < price(operations):
            slopes, operations = found
    large = sum(operations.values()) > LARGE
    parts = [model_functions(system, None), rescue_text(system), slopes] if rescued else [slopes]
    return Fast("\n".join([f"#define REDUNDANT {int('!FULL' in slopes)}", *parts]), operations, large)


def projection_text(system: CompiledSystem, x: np.ndarray) -> str:
    """Steps of the projection, with the pivots of complete pivoting at x."""
    parts = [f"#define HOLONOMIC {int(system.mh > 0)}", f"#define CONSTRAINED {int(system.m > 0)}"]
    if system.m:
        parts += [settle_text(system, x, rates=False), settle_text(system, x, rates=True)]
    return "\n".join(parts)


def places(system: CompiledSystem) -> dict[Any, str]:
    """The arguments of the functions: t, y and p."""
    eq = system.equations
    found = {eq.t: "t"}
    found |= {symbol: f"y[{i}]" for i, symbol in enumerate((*eq.q, *eq.v, *eq.z))}
    return found | {symbol: f"p[{i}]" for i, symbol in enumerate(eq.parameters)}


def slopes_text(system: CompiledSystem, x: np.ndarray) -> tuple[str, Counter[str]]:
    """ẏ into `out`; false where the pivots do not do. With FULL, whether redundant rows still are.

    A large record is a function apart from the solve: LLVM takes minutes for both as one block of code.
    """
    n, m = system.n, system.m
    pivots = pivots_of(system.unpacked(system.dynamics(x))[2])
    inputs = places(system)
    outputs, signs = specialized(list(inputs), expressions_of(system, "dynamics"), x)
    writer = Writer("e")
    F = write(writer, inputs, [*outputs, *(letter for letter, _ in signs)])
    operations = Counter(writer.operations)
    before = ""
    if sum(operations.values()) > LARGE:
        stores = [f"F[{i}] = {cell};" for i, cell in enumerate(F) if isinstance(cell, str)]
        head = "APART void record(const double t, const Vector &y, const Parameters &p, double *F) {"
        before = "\n".join([head, *writer.lines, *stores, "}\n"])
        writer = Writer("s", [f"double F[{len(F)}];", "record(t, y, p, F);"])
        F = [writer.named(f"F[{i}]") if isinstance(cell, str) else cell for i, cell in enumerate(F)]
    writer.operations.clear()
    D, d, rows, right = entries_of(F, n, m)
    tests = sign_tests(F[len(outputs) :], signs)
    a = accelerations(writer, D, d, rows, right, pivots, tests)
    operations += writer.operations
    full = redundancy_tests(writer, rows, right, pivots)
    lines = [*writer.lines]
    lines += [f"out[{i}] = y[{n + i}];" for i in range(n)] + [f"out[{n + i}] = {text(a[i])};" for i in range(n)]
    good = " && ".join([*(f"({test})" for test in tests), *(f"is_finite(out[{n + i}])" for i in range(n))])
    if full:
        good += f" && (!FULL || ({' && '.join(full)}))"
    return before + "\n".join([SLOPES, *lines, f"return {good};", "}"]), operations


def redundancy_tests(
    writer: Writer, rows: Sequence[Sequence[Cell]], right: Sequence[Cell], pivots: Pivots
) -> list[str]:
    """That the rows left out follow from the others, as `pivoting.reduce` and the test of consistency would find."""
    if not pivots.left:
        return []
    N, b0 = null_basis(writer, rows, right, pivots, [])
    tests = []
    for i in pivots.left:
        height = writer.largest(rows[i])
        rest: list[Cell] = []
        for f, column in enumerate(pivots.free):
            entry = rows[i][column]
            for s, dependent in enumerate(pivots.columns):
                entry = writer.less_product(entry, rows[i][dependent], N[s][f])
            rest.append(entry)
        missed = right[i]
        for s, dependent in enumerate(pivots.columns):
            missed = writer.less_product(missed, rows[i][dependent], b0[s])
        tests.append(f"{text(writer.largest(rest))} <= 1e-11*{text(height)}")
        tests.append(f"{text(writer.largest([missed]))} <= 1e-9*{text(height)}")
    return tests


def settle_text(system: CompiledSystem, x: np.ndarray, rates: bool) -> str:
    """One step of Newton's method for q (or v): SETTLED, AGAIN, or LOST where the pivots do not do."""
    n = system.n
    count = system.m if rates else system.mh
    name = "settle_speeds" if rates else "settle_positions"
    head = (
        f"FUNCTION int {name}(const double t, Vector &y, const Parameters &p, const double before, double &worst, "
        "double &scale) {"
    )
    if not count:
        return "\n".join([head, "worst = 0.0; scale = 0.0; return SETTLED;", "}"])
    values = (system.velocity if rates else system.position)(x)
    pivots = pivots_of(values[count:].reshape(count, n))
    inputs = places(system)
    outputs, signs = specialized(list(inputs), expressions_of(system, "velocity" if rates else "position"), x)
    writer = Writer("e")
    cells = write(writer, inputs, [*outputs, *(letter for letter, _ in signs)])
    held = sign_tests(cells[len(outputs) :], signs)
    r, J = cells[:count], [cells[count + i * n : count + (i + 1) * n] for i in range(count)]
    offset = n if rates else 0
    worst = writer.largest(r)
    scales: list[Cell] = []
    for row in J:
        terms: Cell = 0.0
        for j in range(n):
            product = writer.multiply(row[j], f"y[{offset + j}]")
            terms = writer.add(terms, writer.largest([product]))
        scales.append(terms)
    scale = writer.largest(scales)
    lines = [*writer.lines, f"worst = {text(worst)}; scale = {text(scale)};"]
    if held:
        lines.append(f"if (!({' && '.join(held)})) return LOST;")
    lines.append("if (!(worst > 2e-16*scale && worst < 0.5*before)) return SETTLED;")
    done = len(writer.lines)
    tests: list[str] = []
    change = least_change(writer, J, r, pivots, tests)
    lines += writer.lines[done:]
    if tests:
        lines.append(f"if (!({' && '.join(f'({test})' for test in tests)})) return LOST;")
    lines += [f"y[{offset + j}] += {text(change[j])};" for j in range(n) if change[j] != 0.0]
    return "\n".join([head, *lines, "return AGAIN;", "}"])


def rescue_text(system: CompiledSystem) -> str:
    """The default engine's evaluation and projection, with memory of their own."""
    calls = by_name(core.calls_of(system, with_guards=False))
    memory = core.memory_of(system, calls)
    none = np.zeros((1, 1))
    memory = memory._replace(bank=none, guards=none, crossings=none, stack=none)
    translator = Translator({core.call: call, core.accelerate: accelerate})
    kinds = kind_of(calls), kind_of(memory, memory=True)
    vector, wholes, reals = Array(REAL, calls.size), Array(WHOLE, core.WHOLES), Array(REAL, core.REALS)
    evaluate = translator.function(
        read(core.evaluate), vars(core), (*kinds, wholes, REAL, vector, TRUTH, vector)
    )  # fmt: skip
    project = translator.function(read(core.project), vars(core), (*kinds, reals, wholes, REAL, vector))
    room = "\n".join(memory_of(translator.structures, kinds[1], "mem"))
    constants = {
        "WHOLES": core.WHOLES, "REALS": core.REALS, "AT_RANK_PHI": core.RANK_PHI, "AT_RANK_PSI": core.RANK_PSI,
        "AT_RESIDUAL": core.RESIDUAL, "AT_ROW": core.ROW,
    }  # fmt: skip
    body = header("rescue.h").replace("MEMORY_OF_ONE_MOTION", room)
    body = body.replace("EVALUATE", evaluate.name).replace("PROJECT", project.name)
    return "\n".join([*(f"#define {k} {v}" for k, v in constants.items()), translator.text(), body])
