"""A model's programs as C++ text for the engine's kernels: the type `Inlined`, and `Stepping`, which threads step.

This writes out the contents of engine/model.hpp for one model: counts and tables as numbers, and every function as the
statements of its program. `Stepping` has coordinates and all speeds, or independent speeds if these cost less.
"""

from __future__ import annotations

import ctypes as c
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from dalembert.engine import interface as engine
from dalembert.motions.native import Native
from dalembert.motions.touching import NativeTouching
from dalembert.programs import c99
from dalembert.programs.dialects import Dialect
from dalembert.programs.functions import Function
from dalembert.programs.products import Reduced
from dalembert.programs.program import Program

ENGINE = replace(  # as in engine/target.hpp
    c99.CUDA, words={**c99.WORDS, "div": "quotient({0}, {1})"}, nan="NOT_A_NUMBER", infinity="INF"
)
WITHOUT_PAIRS = replace(ENGINE, pair="")  # for targets without a sine and cosine together
Places = Callable[[int], str]


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
        used = self.slopes.reads()
        return [i for i in range(self.stepped) if 1 + i not in used]


def model_text(native: Native, all_steppers: bool = False, words: Dialect = ENGINE) -> str:
    """The text of the type `Inlined`. `words` may be without sines and cosines taken together."""
    struct = native.struct
    counts = ", ".join(str(getattr(struct.counts, name)) for name, _ in engine.Counts._fields_)
    tables, members = _tables(native)
    lines = [
        '#include "model.hpp"',
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
    for name in (name for name, kind in engine.Model._fields_ if kind is engine.Code):
        found = native.functions.get(name)
        lines += method(name, None if found is None else found.program, "APART void", words)
    lines += _modes(native, words)
    return "\n".join([*lines, "};", "}  // namespace dalembert", ""])


def _flags(values: Mapping[str, bool]) -> list[str]:
    return [f"    static constexpr bool {name} = {str(value).lower()};" for name, value in values.items()]


def _modes(native: Native, words: Dialect) -> list[str]:
    """The functions of modes that are written out, called by the number of the mode."""
    made = native.mode_functions if isinstance(native, NativeTouching) else []
    lines = []
    for kind, name in enumerate(("slopes_in", "guards_in")):
        programs = [function().program for function in made[kind::2]]
        for mode, program in enumerate(programs):
            lines += method(f"{name}_{mode}", program, "APART void", words)
        lines.append(f"    HD void {name}(int mode, const double* in, double* out) const {{")
        lines.append("        (void)mode, (void)in, (void)out;")
        lines += [f"        if (mode == {mode}) {name}_{mode}(in, out);" for mode in range(len(programs))]
        lines.append("    }")
    return lines


def _tables(native: Native) -> tuple[list[str], list[str]]:
    """The arrays that the model points to, and the members that point to them."""
    lines, members = [], []
    for i, (_, data) in enumerate(native.system.signals):
        for part in ("times", "cubics"):
            numbers = ", ".join(map(ENGINE.number, getattr(data, part).ravel().tolist()))
            lines.append(f"TABLE double SIGNAL_{part.upper()}_{i}[] = {{{numbers}}};")
    for name, table in native.tables.items():
        if isinstance(table, np.ndarray):
            kind, entries = "int", [*map(str, table.ravel().tolist()), "0"]
        else:
            kind, entries = table._type_.__name__, [*(_entry(i, row) for i, row in enumerate(table)), "{}"]
        lines.append(f"TABLE {kind} THE_{name.upper()}[] = {{{', '.join(entries)}}};")
        members.append(f"    const {kind}* {name} = THE_{name.upper()};")
    return lines, members


def _entry(i: int, row: c.Structure) -> str:
    """A struct as text. Only signals have pointers, to arrays of their own."""
    fields = [(name, kind is c.c_void_p) for name, kind, *_ in row._fields_]
    parts = [f"SIGNAL_{name.upper()}_{i}" if points else str(getattr(row, name)) for name, points in fields]
    return "{" + ", ".join(parts) + "}"


def method(
    name: str, program: Program | None, how: str = "void", words: Dialect = ENGINE, places: Places | None = None
) -> list[str]:
    """A member function with a program's text. It is empty if the model has no such function."""
    if program is None:
        return [f"    HD void {name}(const double*, double*) const {{}}"]
    body = program_body(program, words, places)
    return [f"    HD {how} {name}(const double* in, double* out) const {{", *body, "    }"]


def function(name: str, program: Program | None, words: Dialect = ENGINE) -> list[str]:
    """The same as a free function."""
    if program is None:
        return [f"HD inline void {name}(const double*, double*) {{}}"]
    return [f"HD inline void {name}(const double* in, double* out) {{", *program_body(program, words), "}"]


def program_body(program: Program, words: Dialect = ENGINE, places: Places | None = None) -> list[str]:
    """The statements of a program. `places` are the texts of its inputs, if they are not in[0], in[1], …"""
    lines = [f"        {line}" for line in ("(void)in, (void)out;", *c99.body(program.pruned(), words))]
    if places is None:
        return lines
    return [re.sub(r"\bin\[(\d+)\]", lambda found: places(int(found[1])), line) for line in lines]


def stepping_head(native: Native, size: int, corrections: int, flags: Mapping[str, bool]) -> list[str]:
    """The beginning of the type `Stepping`, which has `size` components."""
    n, parameters = native.system.n, native.struct.counts.parameters
    held = {"n": n, "parameters": parameters, "has_slopes": 1, "corrections": corrections}
    counts = ", ".join(str(held.get(name, 0)) for name, _ in engine.Counts._fields_)
    return [
        '#include "lean.hpp"',
        f"constexpr int FULL = {2 * n}, STEPPED = {size}, PARAMETERS = {parameters};",
        "namespace dalembert {",
        "struct Stepping {",
        *_flags(flags),
        f"    static constexpr int PLACES = {n};",
        f"    SteppingCounts<STEPPED, PARAMETERS> counts = {{{{{counts}}}}};",
    ]


def stepping_text(native: Native, way: Way) -> str:
    """The type `Stepping`, and the conversion between a motion's speeds and independent ones."""
    n, size, reduced = native.system.n, way.stepped, way.reduced
    corrections = (way.position is not None) + 2 * (way.velocity is not None)
    known, less = 1 + 2 * n, 2 * n - size  # fewer speeds

    def places(i: int) -> str:
        """The inputs of a correction of coordinates, which reads no speeds."""
        return f"in[{i}]" if i <= n else "0.0" if i < known else f"in[{i - less}]"

    idle = " || ".join(f"i == {i}" for i in way.idle) or "i < 0"
    lines = [
        *stepping_head(native, size, corrections, {"REDUCED": reduced is not None}),
        f"    HD static constexpr bool idle(int i) {{ return {idle}; }}",
        *method("slopes", way.slopes),
        *method("correct_position", way.position, places=places),
        *method("correct_velocity", way.velocity),
        "};",
        *function("by_speeds", None if reduced is None else reduced.start),
        *function("all_speeds", None if reduced is None else reduced.end),
    ]  # fmt: skip
    return "\n".join([*lines, "}  // namespace dalembert", ""])


def functions_text(functions: Mapping[str, Function | None]) -> str:
    """The functions of quantities, by name."""
    lines = [line for name, f in functions.items() for line in function(name, None if f is None else f.program)]
    return "\n".join(["namespace dalembert {", *lines, "}  // namespace dalembert", ""])


def constants(values: Mapping[str, object]) -> str:
    return "".join(f"#define {name} {value}\n" for name, value in values.items())
