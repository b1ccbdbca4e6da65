"""A model's programs as C++ text for the engine's kernels: the type `Inlined`, and `Stepping`, which threads step.

This writes out the contents of engine/model.hpp for one model: counts and tables as numbers, and every function as the
statements of its program. `Stepping` has coordinates and all speeds, or independent speeds if these cost less.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Mapping
from dataclasses import dataclass

from dalembert.engine import interface as engine
from dalembert.motions.native import Native
from dalembert.motions.touching import NativeTouching
from dalembert.programs import c99, cuda
from dalembert.programs.functions import Function
from dalembert.programs.products import Reduced
from dalembert.programs.program import Program

PATTERNS = {**c99.PATTERNS, "div": "quotient({0}, {1})"}  # as in engine/target.hpp
FUNCTIONS = (
    "dynamics slopes position velocity guards laws rates correct_position correct_velocity jet kinks controls".split()
)


@dataclass(frozen=True)
class Way:
    """The programs that a thread steps, the number of components, and the components that no slope depends on."""

    slopes: Program
    stepped: int
    position: Program | None
    velocity: Program | None
    reduced: Reduced | None = None

    @property
    def idle(self) -> list[int]:
        used = {op.arguments[0] for op in self.slopes.pruned().operations if op.kind == "input"}
        return [i for i in range(self.stepped) if 1 + i not in used]

    @property
    def price(self) -> int:
        """The price of an evaluation, in sums."""
        return self.slopes.price


def model_text(native: Native, all_steppers: bool = False, pairs: str = cuda.PAIRS) -> str:
    """The text of the type `Inlined`. `pairs` is a statement for a sine with its cosine, if the target has one."""
    struct = native.struct
    counts = ", ".join(str(getattr(struct.counts, name)) for name, _ in engine.Counts._fields_)
    tables, members = _tables(native)
    lines = [
        '#include "model.hpp"',
        "#if defined(__CUDACC__)",
        "#ifndef INFINITY",
        "#define INFINITY INF",
        "#endif",
        "#ifndef NAN",
        "#define NAN NOT_A_NUMBER",
        "#endif",
        "#endif",
        "namespace dalembert {",
        *tables,
        "struct Inlined {",
        f"    static constexpr int SIZE = {native.size};",
        *_flags(
            {
                "ALL_STEPPERS": all_steppers,
                "SWITCHED": struct.counts.switches > 0,
                "DRIVEN": struct.counts.signals + struct.counts.clocks > 0,
            }
        ),
        f"    Counts counts = {{{counts}}};",
        "    const double* parameters = nullptr;",
        *members,
        f"    int holonomic_count = {struct.holonomic_count};",
    ]
    functions = functions_of(native)
    for name in FUNCTIONS:
        found = functions.get(name)
        lines += method(name, None if found is None else found.program, "APART void", pairs)
    lines += _modes(native, pairs)
    return "\n".join([*lines, "};", "}  // namespace dalembert", ""])


def _flags(values: Mapping[str, bool]) -> list[str]:
    return [f"    static constexpr bool {name} = {str(value).lower()};" for name, value in values.items()]


def functions_of(native: Native) -> dict[str, Function]:
    """The functions that a model has, by name, but for those of modes."""
    functions = dict(native.functions)
    if isinstance(native, NativeTouching):
        functions["laws"] = native.hybrid.function if native.kinks is None else native.kinks.laws
    return {name: function for name, function in functions.items() if function is not None}


def _modes(native: Native, pairs: str) -> list[str]:
    """The functions of modes that are written out, called by the number of the mode."""
    made = native.mode_functions if isinstance(native, NativeTouching) else []
    lines = []
    for kind, name in enumerate(("slopes_in", "guards_in")):
        programs = [function().program for function in made[kind::2]]
        for mode, program in enumerate(programs):
            lines += method(f"{name}_{mode}", program, "APART void", pairs)
        lines.append(f"    HD void {name}(int mode, const double* in, double* out) const {{")
        lines.append("        (void)mode, (void)in, (void)out;")
        lines += [f"        if (mode == {mode}) {name}_{mode}(in, out);" for mode in range(len(programs))]
        lines.append("    }")
    return lines


def _tables(native: Native) -> tuple[list[str], list[str]]:
    """The arrays that the model points to, and the members that point to them."""
    struct, counts = native.struct, native.struct.counts
    whole = {
        "guard_kinds": (struct.guard_kinds, counts.guards), "rows": (struct.rows, counts.rows),
        "holonomic_rows": (struct.holonomic_rows, struct.holonomic_count), "angles": (struct.angles, counts.n),
        "mode_statuses": (struct.mode_statuses, counts.modes * (counts.contacts + counts.frictions)),
    }  # fmt: skip
    laws = {
        "contacts": (engine.ContactLaw, struct.contacts, counts.contacts),
        "frictions": (engine.FrictionLaw, struct.frictions, counts.frictions),
        "switches": (engine.Switch, struct.switches, counts.switches),
        "clocks": (engine.Clock, struct.clocks, counts.clocks),
    }
    lines, members = _data(native), ["    const Signal* signals = THE_SIGNALS;"]
    for name, (address, count) in whole.items():
        found = list((c.c_int * count).from_address(address)) if count else []
        lines.append(f"TABLE int THE_{name.upper()}[] = {{{', '.join(map(str, [*found, 0]))}}};")
        members.append(f"    const int* {name} = THE_{name.upper()};")
    for name, (kind, address, count) in laws.items():
        rows = [
            "{" + ", ".join(str(getattr(row, part)) for part, *_ in kind._fields_) + "}"
            for row in ((kind * count).from_address(address) if count else ())
        ]
        lines.append(f"TABLE {kind.__name__} THE_{name.upper()}[] = {{{', '.join([*rows, '{}'])}}};")
        members.append(f"    const {kind.__name__}* {name} = THE_{name.upper()};")
    return lines, members


def _data(native: Native) -> list[str]:
    """Signals, with their knots and cubics."""
    lines, rows, count = [], [], native.struct.counts.signals
    for i, one in enumerate((engine.Signal * count).from_address(native.struct.signals) if count else ()):
        for name, address, size in (("TIMES", one.times, one.count), ("CUBICS", one.cubics, 4 * one.count)):
            numbers = ", ".join(map(c99.number, (c.c_double * size).from_address(address)))
            lines.append(f"TABLE double SIGNAL_{name}_{i}[] = {{{numbers}}};")
        rows.append(f"{{{one.place}, {one.count}, {one.jumps}, SIGNAL_TIMES_{i}, SIGNAL_CUBICS_{i}}}")
    return [*lines, f"TABLE Signal THE_SIGNALS[] = {{{', '.join([*rows, '{}'])}}};"]


def method(name: str, program: Program | None, how: str = "void", pairs: str = cuda.PAIRS) -> list[str]:
    """A member function with a program's text. It is empty if the model has no such function."""
    if program is None:
        return [f"    HD void {name}(const double*, double*) const {{}}"]
    return [f"    HD {how} {name}(const double* in, double* out) const {{", *program_body(program, pairs), "    }"]


def function(name: str, program: Program | None, pairs: str = cuda.PAIRS) -> list[str]:
    """The same as a free function."""
    if program is None:
        return [f"HD inline void {name}(const double*, double*) {{}}"]
    return [f"HD inline void {name}(const double* in, double* out) {{", *program_body(program, pairs), "}"]


def program_body(program: Program, pairs: str = cuda.PAIRS) -> list[str]:
    """The statements of a program."""
    return [f"        {line}" for line in ("(void)in, (void)out;", *c99.body(program.pruned(), pairs, PATTERNS))]


def stepping_text(native: Native, way: Way) -> str:
    """The type `Stepping`, and the conversion between a motion's state and the stepped quantities."""
    counts, n, size = native.struct.counts, native.system.n, way.stepped
    corrections = (way.position is not None) + 2 * (way.velocity is not None)
    held = {"n": n, "parameters": counts.parameters, "has_slopes": 1, "corrections": corrections}
    places = ", ".join(str(held.get(name, 0)) for name, _ in engine.Counts._fields_)
    idle = " || ".join(f"i == {i}" for i in way.idle) or "false"
    lines = [
        f"constexpr int FULL = {2 * n}, STEPPED = {size}, PARAMETERS = {counts.parameters};",
        "namespace dalembert {",
        "struct SteppingCounts : Counts {",
        f"    HD int size() const {{ return {size}; }}",
        f"    HD int inputs() const {{ return {1 + size + counts.parameters}; }}",
        "};",
        "struct Stepping {",
        f"    static constexpr bool REDUCED = {'true' if way.reduced else 'false'};",
        f"    static constexpr int PLACES = {n};",
        f"    HD static constexpr bool idle(int i) {{ return {idle}; }}" if way.idle else
        "    HD static constexpr bool idle(int) { return false; }",
        f"    SteppingCounts counts = {{{{{places}}}}};",
        *method("slopes", way.slopes),
    ]  # fmt: skip
    if way.reduced is None:
        lines += [*method("correct_position", way.position), *method("correct_velocity", way.velocity), "};"]
        lines += _same(size)
    else:
        lines += _at_places("correct_position", way.position, n, size, counts.parameters)
        lines += method("correct_velocity", None)
        lines += ["};", *function("by_speeds", way.reduced.start), *function("all_speeds", way.reduced.end)]
        lines += _by_speeds(n, size - n, counts.parameters)
    return "\n".join([*lines, "}  // namespace dalembert", ""])


def _same(size: int) -> list[str]:
    return [
        "HD inline void reduce_state(double, const double* y, const double* sizes, const double*, double* out,",
        "                            double* natural) {",
        f"    UNROLL for (int i = 0; i < {size}; ++i) out[i] = y[i], natural[i] = sizes[i];",
        "}",
        "HD inline void restore_state(double, const double* y, const double*, double* out) {",
        f"    UNROLL for (int i = 0; i < {size}; ++i) out[i] = y[i];",
        "}",
    ]


def _at_places(name: str, program: Program | None, n: int, size: int, parameters: int) -> list[str]:
    """A correction of coordinates, with the program's inputs: all speeds, and all natural sizes."""
    if program is None:
        return method(name, None)
    return [
        f"    HD void {name}(const double* given, double* out) const {{",
        f"        double in[{1 + 4 * n + parameters}];",
        f"        UNROLL for (int i = 0; i <= {n}; ++i) in[i] = given[i];",
        f"        UNROLL for (int i = 0; i < {n}; ++i) in[{1 + n} + i] = 0.0;",
        f"        UNROLL for (int i = 0; i < {parameters}; ++i) in[{1 + 2 * n} + i] = given[{1 + size} + i];",
        f"        UNROLL for (int i = 0; i < {n}; ++i)",
        f"            in[{1 + 2 * n + parameters} + i] = given[{1 + size + parameters} + i];",
        *program_body(program),
        "    }",
    ]


def _by_speeds(n: int, free: int, parameters: int) -> list[str]:
    """u from v and back. The size of u_j is the largest contribution of a speed of natural size to it."""
    return [
        "HD inline void reduce_state(double t, const double* y, const double* sizes, const double* p, double* out,",
        "                            double* natural) {",
        f"    double in[{1 + 2 * n + parameters + 1}], rest[{free}], one[{free}];",
        "    in[0] = t;",
        f"    UNROLL for (int i = 0; i < {n}; ++i) in[1 + i] = out[i] = y[i], natural[i] = sizes[i];",
        f"    UNROLL for (int i = 0; i < {n}; ++i) in[{1 + n} + i] = y[{n} + i];",
        f"    UNROLL for (int i = 0; i < {parameters}; ++i) in[{1 + 2 * n} + i] = p[i];",
        f"    by_speeds(in, out + {n});",
        f"    UNROLL for (int i = 0; i < {n}; ++i) in[{1 + n} + i] = 0.0;",
        "    by_speeds(in, rest);",
        f"    UNROLL for (int j = 0; j < {free}; ++j) natural[{n} + j] = 0.0;",
        f"    UNROLL for (int i = 0; i < {n}; ++i) {{",
        f"        in[{1 + n} + i] = sizes[{n} + i];",
        "        by_speeds(in, one);",
        f"        UNROLL for (int j = 0; j < {free}; ++j)",
        f"            natural[{n} + j] = larger(natural[{n} + j], fabs(one[j] - rest[j]));",
        f"        in[{1 + n} + i] = 0.0;",
        "    }",
        "}",
        "HD inline void restore_state(double t, const double* y, const double* p, double* out) {",
        f"    double in[{1 + n + free + parameters + 1}];",
        "    in[0] = t;",
        f"    UNROLL for (int i = 0; i < {n + free}; ++i) in[1 + i] = y[i];",
        f"    UNROLL for (int i = 0; i < {parameters}; ++i) in[{1 + n + free} + i] = p[i];",
        f"    UNROLL for (int i = 0; i < {n}; ++i) out[i] = y[i];",
        f"    all_speeds(in, out + {n});",
        "}",
    ]


def functions_text(functions: Mapping[str, Function | None]) -> str:
    """The functions of quantities, by name."""
    lines = [line for name, f in functions.items() for line in function(name, None if f is None else f.program)]
    return "\n".join(["namespace dalembert {", *lines, "}  // namespace dalembert", ""])


def constants(values: Mapping[str, object]) -> str:
    return "".join(f"#define {name} {value}\n" for name, value in values.items())


__all__ = ["Way", "constants", "functions_text", "model_text", "stepping_text"]
