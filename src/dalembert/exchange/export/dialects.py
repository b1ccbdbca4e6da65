"""Programs as text in NumPy, JAX, CasADi or MATLAB, one statement for every operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan

from dalembert.programs.c99 import INFIX
from dalembert.programs.program import Program


@dataclass(frozen=True, slots=True)
class Dialect:
    """`words` has a pattern for every kind of operation that is not an infix."""

    words: Mapping[str, str]
    nan: str = "float('nan')"
    infinity: str = "float('inf')"
    truth: tuple[str, str] = ("False", "True")
    end: str = ""  # end of a statement

    def number(self, value: float) -> str:
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
    names: list[str] = []
    lines: list[str] = []
    for place, (kind, arguments, value) in enumerate(program.operations):
        if kind == "number":
            names.append(words.number(value))
            continue
        if kind in ("true", "false"):
            names.append(words.truth[kind == "true"])
            continue
        if kind == "input":
            names.append(inputs[arguments[0]])
            continue
        given = [names[a] for a in arguments]
        if kind in words.words:
            right = words.words[kind].format(*given)
        else:
            right = f"{given[0]} {INFIX[kind]} {given[1]}"
        names.append(f"x{place}")
        lines.append(f"x{place} = {right}{words.end}")
    found = zip(outputs, program.outputs, strict=True)
    return lines + [f"{left} = {names[place]}{words.end}" for left, place in found]
