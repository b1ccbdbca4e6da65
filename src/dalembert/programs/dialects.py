"""Programs as text in C, NumPy, JAX, CasADi or MATLAB, one statement for every operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan

from dalembert.programs.program import CONDITIONS, Program

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "ne": "!=", "and": "&",
         "or": "|"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dialect:
    """`words` has a pattern for every kind of operation that is not an infix.

    `pair` is a statement that computes a sine and its cosine together, with {angle}, {sine} and {cosine}.
    """

    words: Mapping[str, str]
    nan: str = "float('nan')"
    infinity: str = "float('inf')"
    truth: tuple[str, str] = ("False", "True")
    end: str = ""  # end of a statement
    name: str = "x"  # beginning of the name of a value
    declared: tuple[str, str] = ("", "")  # before the name of a number, and of a condition
    pair: str = ""
    reads_once: bool = False  # whether an input is read into a value of its own

    def number(self, value: float) -> str:
        """A double as text that reads back to the same bits."""
        if isnan(value):
            return self.nan
        if not isfinite(value):
            return self.infinity if value > 0 else f"(-{self.infinity})"
        return f"({value!r})" if value < 0 else repr(value)


def dialect(module: str, names: Mapping[str, str], patterns: Mapping[str, str]) -> Dialect:
    """A dialect with functions of a module by name, and patterns for the rest."""
    calls = {kind: f"{module}.{name}({{0}})" for kind, name in names.items()}
    return Dialect({**calls, "neg": "-{0}", **patterns})


def statements(program: Program, words: Dialect, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
    """One statement for every operation, then the outputs."""
    both = program.turned("sin") & program.turned("cos") if words.pair else set()
    names: list[str] = []
    lines: list[str] = []
    turned: dict[int, str] = {}
    for place, (kind, arguments, value) in enumerate(program.operations):
        name = f"{words.name}{place}"
        if kind == "number":
            names.append(words.number(value))
            continue
        if kind in ("true", "false"):
            names.append(words.truth[kind == "true"])
            continue
        if kind in ("sin", "cos") and arguments[0] in both:
            angle = arguments[0]
            if angle not in turned:
                turned[angle] = name
                lines.append(words.pair.format(angle=names[angle], sine=f"{name}s", cosine=f"{name}c"))
            names.append(turned[angle] + kind[0])
            continue
        if kind == "input":
            right = inputs[arguments[0]]
            if not words.reads_once:
                names.append(right)
                continue
        elif kind in words.words:
            right = words.words[kind].format(*(names[a] for a in arguments))
        else:
            right = f"{names[arguments[0]]} {INFIX[kind]} {names[arguments[1]]}"
        names.append(name)
        lines.append(f"{words.declared[kind in CONDITIONS]}{name} = {right}{words.end}")
    found = zip(outputs, program.outputs, strict=True)
    return lines + [f"{left} = {names[place]}{words.end}" for left, place in found]
