"""Motions that bounce and slip, written out: flights between impacts, one friction that slips or rolls.

What `simulate.hybrid` does on the usual way, without a table or an index: the slopes of the two modes of a friction,
the projection onto the rows of each, guards, and every contact's impact are functions of their own, for pivots taken at
the model's own start. Of a friction pressed by a given force N, with rows held in the same cone (`sliding.py`),
    slipping    D a = d + Aᵀν − S side c,   S² + |ν_held|² = (μN)²
    rolling     c a = b_c,   |ν_slip|² + |ν_held|² ≤ (μ_s N)²
and of a contact by Newton's law (errata to ZhangMei (2.1))
    D Δv = Cᵀ Λ,   ψ⁺ = 0 for constraints and what is held,   γ⁺ = −e γ⁻,   r⁺ = −e r⁻ for what is reversed
A motion that meets anything else is LEFT as it began, for the loops that know all of it: impacts that run together or
come together, contacts that close, a cone that breaks, roots that one sign change of Bernstein's does not tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.compile.system import CompiledSystem, compile_equations
from dalembert.cuda.expressions import write
from dalembert.cuda.fast import applies, places, projection_text
from dalembert.cuda.kernels import expressions_of
from dalembert.cuda.kinds import REAL
from dalembert.cuda.reduce import turns_with_speeds
from dalembert.cuda.simplify import sign_tests, specialized
from dalembert.cuda.solve import Pivots, accelerations, entries_of, pivots_of
from dalembert.cuda.source import ARRAYS, LEFT, STAGE_AT_ONCE, Source, dense_text, entries, with_sums
from dalembert.cuda.translate import Translator, read
from dalembert.cuda.writer import Cell, Writer, header, text
from dalembert.equations import Equations
from dalembert.motions.laws import (
    GIVEN,
    HELD_COUNT,
    HELD_START,
    IS_ROUGH,
    LAW,
    NEWTON,
    PRESS_KIND,
    REVERSE_COUNT,
    REVERSE_START,
    SLIP_DIM,
    SLIP_START,
    Laws,
)
from dalembert.motions.unilateral import HybridSystem
from dalembert.simulate import advance, cascades, collisions, dop853, hybrid, linear, roots

ARGUMENTS = "const double t, const Vector &y, const Parameters &p"


def bounces(touching: HybridSystem, x: np.ndarray) -> bool:
    """Whether all of a usual motion is written out: one friction at most, pressed by a given force, along one line."""
    laws, eq = touching.laws, touching.system.equations
    kinds = laws.layout[:, : max(laws.contacts, laws.frictions)]
    one = laws.frictions == 0 or (
        laws.frictions == 1
        and (kinds[SLIP_DIM, 0], kinds[PRESS_KIND, 0], kinds[IS_ROUGH, 0]) == (1, GIVEN, 0)
    )  # fmt: skip
    if not (one and applies(touching.system) and all(kinds[LAW, : laws.contacts] == NEWTON)):
        return False
    if turns_with_speeds(eq):
        return False
    modes = [_rows_of(laws, stuck) for stuck in (False, True)[: laws.frictions + 1]]
    sets = [*modes, *(_struck(laws, i) for i in range(laws.contacts))]
    A = touching.system.unpacked(touching.system.dynamics(x))[2]
    return all(pivots_of(A[chosen]).rank == len(chosen) for chosen in sets)


def _rows_of(laws: Laws, stuck: bool) -> list[int]:
    """Rows that are on: constraints, what the friction holds, and its slip where it rolls."""
    found = list(range(laws.bilateral))
    if laws.frictions:
        layout = laws.layout[:, 0]
        found += range(layout[HELD_START], layout[HELD_START] + layout[HELD_COUNT])
        found += [layout[SLIP_START]] if stuck else []
    return [int(i) for i in found]


def _struck(laws: Laws, i: int) -> list[int]:
    """Rows of an impact: those that hold both ways, the contact, what it reverses."""
    first, count = laws.layout[REVERSE_START, i], laws.layout[REVERSE_COUNT, i]
    return [*_rows_of(laws, False), laws.bilateral + i, *(int(first + c) for c in range(count))]


def with_rows(eq: Equations, rows: Sequence[int], level: int) -> Equations:
    """The record with these rows of A alone, and the first of its places φ."""

    def of(values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(values[i] for i in rows)

    return replace(
        eq, A=of(eq.A), b=of(eq.b), psi=of(eq.psi), constraints=of(eq.constraints), multipliers=of(eq.multipliers),
        phi=eq.phi[:level], phi_q=eq.phi_q[:level],
    )  # fmt: skip


@dataclass
class _Part:
    """Expressions of a set of rows as cells: D, d, A, b, and what else was asked for."""

    writer: Writer
    D: list[list[Cell]]
    d: list[Cell]
    A: list[list[Cell]]
    b: list[Cell]
    more: list[Cell]
    pivots: Pivots
    tests: list[str]

    def solved(self, d: Sequence[Cell], b: Sequence[Cell]) -> tuple[list[Cell], list[Cell]]:
        """a and ν of D a = d + Aᵀ ν, A a = b."""
        a = accelerations(self.writer, self.D, d, self.A, b, self.pivots, self.tests)
        return a, reactions(self.writer, self.D, d, a, self.A, self.pivots)


def reactions(
    writer: Writer, D: Sequence[Sequence[Cell]], d: Sequence[Cell], a: Sequence[Cell], A: Sequence[Sequence[Cell]],
    pivots: Pivots,
) -> list[Cell]:  # fmt: skip
    """ν, by row, from the columns that the pivots determine: Σ A_rc ν_r = (D a − d)_c."""
    size = pivots.rank
    M = [[A[row][column] for row in pivots.rows] for column in pivots.columns]
    right: list[Cell] = []
    for column in pivots.columns:
        entry = writer.negative(d[column]) if d[column] != 0.0 else 0.0
        for j, value in enumerate(a):
            entry = writer.add(entry, writer.multiply(D[column][j], value))
        right.append(entry)
    for k in range(size):
        inverse = writer.reciprocal(M[k][k])
        for i in range(k + 1, size):
            factor = writer.multiply(M[i][k], inverse)
            for j in range(k + 1, size):
                M[i][j] = writer.less_product(M[i][j], factor, M[k][j])
            right[i] = writer.less_product(right[i], factor, right[k])
    found: list[Cell] = [0.0] * len(A)
    solution: list[Cell] = [0.0] * size
    for k in reversed(range(size)):
        entry = right[k]
        for j in range(k + 1, size):
            entry = writer.less_product(entry, M[k][j], solution[j])
        solution[k] = writer.multiply(entry, writer.reciprocal(M[k][k]))
        found[pivots.rows[k]] = solution[k]
    return found


def _part(system: CompiledSystem, x: np.ndarray, more: Sequence[Any]) -> _Part:
    n, m = system.n, system.m
    pivots = pivots_of(system.unpacked(system.dynamics(x))[2])
    inputs = places(system)
    dynamics = expressions_of(system, "dynamics")
    outputs, signs = specialized(list(inputs), [*dynamics, *more], x)
    writer = Writer("e")
    F = write(writer, inputs, [*outputs, *(letter for letter, _ in signs)])
    more_cells, tests = F[len(dynamics) : len(outputs)], sign_tests(F[len(outputs) :], signs)
    return _Part(writer, *entries_of(F, n, m), more_cells, pivots, tests)


def _mode(touching: HybridSystem, x: np.ndarray, stuck: bool) -> str:
    """A mode as a structure: its slopes, its projection, the guard of its reactions."""
    laws, eq = touching.laws, touching.system.equations
    rows = _rows_of(laws, stuck)
    system = compile_equations(with_rows(eq, rows, laws.holonomic))
    sources = [_slopes(touching, system, x, stuck, "slopes"), _slopes(touching, system, x, stuck, "watched")]
    projection = projection_text(system, x)
    names = ("HOLONOMIC", "CONSTRAINED")
    defined = [line for line in projection.splitlines() if line.startswith("#define")]
    body = "\n".join(line for line in projection.splitlines() if not line.startswith("#define"))
    parts = [body, header("project.h").split("\n", 1)[1], *sources, header("mode.h")]
    name = "Rolls" if stuck else "Slips"
    return "\n".join([*(f"#undef {n}" for n in names), *defined, f"struct {name} {{", *parts, "};"])


def _slopes(touching: HybridSystem, system: CompiledSystem, x: np.ndarray, stuck: bool, name: str) -> str:
    laws, n, u = touching.laws, system.n, touching.unilateral
    full = touching.system.equations
    more: list[Any] = []
    if laws.frictions:
        (friction,) = u.frictions
        row = int(laws.layout[SLIP_START, 0])
        more = [*full.A[row], full.b[row], friction.coefficient, friction.static, friction.normal]
    part = _part(system, x, more)
    writer, held = part.writer, range(laws.bilateral, len(_rows_of(laws, False)))
    guard: Cell = 1.0
    rate: Cell = 0.0
    slip_force: Cell = 0.0
    if not laws.frictions:
        a, nu = part.solved(part.d, part.b)
    else:
        tangent, right, (mu, static, N) = part.more[:n], part.more[n], part.more[n + 1 :]
        if stuck:
            a, nu = part.solved(part.d, part.b)
            slip_force = nu[-1]
            size = writer.largest([N])
            guard = writer.multiply(writer.multiply(static, static), writer.multiply(N, size))
            for i in (*held, len(nu) - 1):
                guard = writer.less_product(guard, nu[i], nu[i])
        else:
            a, guard = _slipping(part, tangent, mu, N, held, f"p[{len(full.parameters)}]")
        rate = writer.negative(right)
        for c in range(n):
            rate = writer.add(rate, writer.multiply(tangent[c], a[c]))
    known = not isinstance(guard, str)
    good = " && ".join([*(f"({test})" for test in part.tests), *(f"is_finite(out[{n + i}])" for i in range(n))])
    if name == "slopes":
        lines = [*writer.lines]
        lines += [f"out[{i}] = y[{n + i}];" for i in range(n)] + [f"out[{n + i}] = {text(a[i])};" for i in range(n)]
        return "\n".join([f"FUNCTION bool slopes({ARGUMENTS}, Vector &out) {{", *lines, f"return {good};", "}"])
    head = f"FUNCTION void watched({ARGUMENTS}, double &guard, double &force, double &rate) {{"
    ends = [f"guard = {text(guard)};", f"force = {text(slip_force)};", f"rate = {text(rate)};"]
    sure = f"static const bool SURE = {'true' if known and float(guard) > 0.0 else 'false'};"
    return "\n".join([sure, head, *writer.lines, *ends, "}"])


def _slipping(
    part: _Part, tangent: Sequence[Cell], mu: Cell, N: Cell, held: Sequence[int], side: str
) -> tuple[list[Cell], Cell]:
    """a under a slip's friction, and what its cone leaves beside what it holds."""
    writer, n = part.writer, len(tangent)
    pressed = greater_than_none(writer, N)
    strength = writer.multiply(mu, pressed)
    along = [writer.multiply(side, cell) for cell in tangent]
    if not held:
        force = [writer.less_product(part.d[c], strength, along[c]) for c in range(n)]
        return part.solved(force, part.b)[0], 1.0
    a, nu = part.solved(part.d, part.b)
    unit, response = part.solved([writer.negative(cell) for cell in along], [0.0] * len(part.b))
    square: Cell = 1.0
    cross: Cell = 0.0
    rest = writer.negative(writer.multiply(writer.multiply(mu, mu), writer.multiply(N, N)))
    for i in held:
        square = writer.add(square, writer.multiply(response[i], response[i]))
        cross = writer.add(cross, writer.multiply(nu[i], response[i]))
        rest = writer.add(rest, writer.multiply(nu[i], nu[i]))
    under = writer.subtract(writer.multiply(cross, cross), writer.multiply(square, rest))
    root = root_of(writer, under)
    pull = writer.multiply(writer.subtract(root, cross), writer.reciprocal(square))
    pull = chosen(writer, rest, greater_than_none(writer, pull))
    guard = writer.multiply(writer.multiply(mu, mu), writer.multiply(N, N))
    for i in held:
        value = writer.add(nu[i], writer.multiply(pull, response[i]))
        guard = writer.less_product(guard, value, value)
    return [writer.add(a[c], writer.multiply(pull, unit[c])) for c in range(n)], guard


def greater_than_none(writer: Writer, cell: Cell) -> Cell:
    return max(cell, 0.0) if isinstance(cell, float) else writer.counted(f"greater({cell}, 0.0)", compare=1)


def root_of(writer: Writer, cell: Cell) -> Cell:
    if isinstance(cell, float):
        return float(np.sqrt(max(cell, 0.0)))
    return writer.counted(f"sqrt(greater({cell}, 0.0))", sqrt=1, compare=1)


def chosen(writer: Writer, below: Cell, cell: Cell) -> Cell:
    """The cell where `below` is less than nothing, and nothing elsewhere."""
    if isinstance(below, float):
        return cell if below < 0.0 else 0.0
    return writer.counted(f"{below} < 0.0 ? {text(cell)} : 0.0", compare=1)


def _impact(touching: HybridSystem, x: np.ndarray, i: int) -> str:
    laws, eq = touching.laws, touching.system.equations
    rows = _struck(laws, i)
    system = compile_equations(with_rows(eq, rows, 0))
    gradient = eq.phi_q[laws.holonomic + i]
    part = _part(system, x, [*(eq.psi[r] for r in rows), touching.unilateral.contacts[i].restitution, *gradient])
    writer, n, both = part.writer, system.n, len(_rows_of(laws, False))
    rates, e, slant = part.more[: len(rows)], part.more[len(rows)], part.more[len(rows) + 1 :]
    back = writer.add(1.0, e)
    right: list[Cell] = [writer.negative(rate) for rate in rates[: laws.bilateral]]
    right += [0.0] * (both - laws.bilateral)
    right += [writer.negative(writer.multiply(back, rate)) for rate in rates[both:]]
    change, nu = part.solved([0.0] * n, right)
    energy: Cell = 0.0
    for k in range(both, len(rows)):
        mean: Cell = rates[k]
        for c in range(n):
            mean = writer.add(mean, writer.multiply(writer.multiply(0.5, part.A[k][c]), change[c]))
        energy = writer.add(energy, writer.multiply(nu[k], mean))
    scale: Cell = 1e-2
    for c in range(n):
        scale = writer.add(scale, writer.largest([writer.multiply(slant[c], f"y[{c}]")]))
    head = f"FUNCTION bool impact_{i}({ARGUMENTS}, Half &change, Struck &struck) {{"
    lines = [*writer.lines, *(f"change[{c}] = {text(change[c])};" for c in range(n))]
    values = {"rate": rates[both], "impulse": nu[both], "energy": energy, "scale": scale}
    lines += [f"struck.{key} = {text(cell)};" for key, cell in values.items()]
    good = " && ".join([*(f"({test})" for test in part.tests), *(f"is_finite(change[{c}])" for c in range(n))])
    return "\n".join([head, *lines, f"return {good};", "}"])


def _guard(touching: HybridSystem, name: str, expression: Any, sided: bool) -> str:
    system = touching.system
    writer = Writer("e")
    (cell,) = write(writer, places(system), [expression])
    value = f"p[PARAMETERS]*({text(cell)})" if sided else text(cell)
    lines = [f"static FUNCTION_MEMBER double at({ARGUMENTS}) {{", *writer.lines, f"return {value};", "}"]
    return "\n".join([f"struct {name} {{", *lines, "};"])


def _rate(touching: HybridSystem, i: int) -> str:
    """How fast a gap opens."""
    writer = Writer("e")
    (cell,) = write(writer, places(touching.system), [touching.system.equations.psi[touching.laws.bilateral + i]])
    return "\n".join([f"FUNCTION double rate_{i}({ARGUMENTS}) {{", *writer.lines, f"return {text(cell)};", "}"])


def bouncing_source(touching: HybridSystem, x: np.ndarray) -> Source:
    """The source; its entry `bouncing_motions` takes one motion per thread."""
    laws, eq, system = touching.laws, touching.system.equations, touching.system
    size, parameters = 2 * system.n, len(system.parameters)
    translator = Translator({}, {})
    place = translator.function(read(roots.next_place), vars(roots), (REAL,) * 7).name
    least = translator.function(read(roots.apart_by), vars(roots), (REAL,) * 4).name
    constants: Mapping[str, Any] = {
        "SIZE": size, "HALF": system.n, "PARAMETERS": parameters, "STEPPED": size, "RANK_OF_A": 0, "RESCUED": 0,
        "EVALUATION": "FUNCTION", "PROJECTION": "FUNCTION",
        "DONE": linear.DONE, "FINISHED": advance.FINISHED, "LEFT": LEFT,
        "TOO_LARGE": dop853.TOO_LARGE, "LEAP": dop853.LEAP, "FLOOR": dop853.FLOOR, "SAFETY": dop853.SAFETY,
        "EPSILON_OF_ONE": float(np.finfo(float).eps), "SETTLED": 0, "AGAIN": 1, "LOST": 2,
        "CONTACTS": laws.contacts, "FRICTION": laws.frictions, "EVENTS_OF": laws.contacts + 2,
        "TINY": collisions.TINY, "STEADY": cascades.STEADY, "SHORT": cascades.SHORT, "LOWEST": cascades.LOWEST,
        "SLOW": cascades.SLOW, "FAR": hybrid.FAR, "SHORTEST": hybrid.SHORTEST,
        "UNRESOLVED": roots.UNRESOLVED, "NEXT_PLACE": place, "APART_BY": least,
    }  # fmt: skip
    head = [f"#define {name} {value}" for name, value in constants.items()]
    head += ["struct Ranks { int a, r, phi, psi, row; };", "struct Struck { double rate, impulse, energy, scale; };"]
    head += [f"typedef double {name};" for name in ARRAYS]
    even = roots.PLACES[::2]
    tables = {
        "NODES_OF_STEP[8]": even, "TAIL_OF_NODES[3][8]": roots.TAIL_OF_HALF,
        "BERNSTEIN[8][8]": roots.from_values(even), "BERNSTEIN_DEFLATED[7][7]": roots.from_values(even[1:]),
    }  # fmt: skip
    head += [f"TABLE double {name} = {{{entries(values)}}};" for name, values in tables.items()]
    body = [_mode(touching, x, False), *([_mode(touching, x, True)] if laws.frictions else [])]
    body += [_impact(touching, x, i) for i in range(laws.contacts)]
    gaps = eq.phi[laws.holonomic : laws.holonomic + laws.contacts]
    body += [_guard(touching, f"Gap{i}", gap, False) for i, gap in enumerate(gaps)]
    body += [_rate(touching, i) for i in range(laws.contacts)]
    if laws.frictions:
        body.append(_guard(touching, "Slip", eq.psi[int(laws.layout[SLIP_START, 0])], True))
    many = range(laws.contacts)
    loop = header("bouncing.h")
    for word, template in {
        "ALL_OPEN": "good = good && Gap{i}::at(t, y, p) > 1e-12;",
        "ROOTS_OF_GAPS": "first.take(first_root<Gap{i}>(span, y, fresh, dense, p, begins[{i}]), {i});",
        "IMPACTS": "if (what == {i}) good = impact_{i}(t, y, p, change, struck);",
        "REBOUNDS": "if (what == {i}) rebound = rate_{i}(t, y, p);",
        "OTHERS_APART": "if (what != {i}) good = good && Gap{i}::at(t, y, p) > 1e-10 * struck.scale;",
    }.items():
        loop = loop.replace(word, "\n".join(template.replace("{i}", str(i)) for i in many))
    steps = with_sums(loop, STAGE_AT_ONCE, "MODE::")
    parts = [header("base.h"), *head, header("motion.h"), translator.text(), *body]
    return Source(
        "\n".join([*parts, header("stepping.h"), dense_text(), header("first_root.h"), steps]), size, parameters
    )
