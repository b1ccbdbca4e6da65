"""Modelica: a model with coordinates and speeds as states, and explicit accelerations.

    der(theta) = theta_dot,  der(theta_dot) = …,  and der(s) = … of first-order states

Constraints are solved for the accelerations; the solver's accuracy limits how well they hold. Only the way that is
valid at the most states is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.exchange.export.names import comment, identifiers
from dalembert.exchange.export.sheet import ExportSheet, renamed
from dalembert.language import tr
from dalembert.programs.program import CONDITIONS, Program

ENDING = ".mo"
WORDS = """algorithm and annotation block break class connect connector constant constrainedby der discrete each else
elseif elsewhen encapsulated end enumeration equation expandable extends external false final flow for
function if import impure in initial inner input loop model not operator or outer output package parameter
partial protected public pure record redeclare replaceable return stream then true type when while within
time abs sign sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp log min max floor Real Integer
Boolean String""".split()  # fmt: skip
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "ne": "<>", "and": "and",
         "or": "or", "pow": "^"}  # fmt: skip
PATTERNS = {
    "neg": "-{0}", "not": "not {0}", "select": "if {0} then {1} else {2}",
    "asinh": "sign({0})*log(abs({0}) + sqrt({0}^2 + 1))", "acosh": "log({0} + sqrt({0}^2 - 1))",
    "atanh": "0.5*log((1 + {0})/(1 - {0}))",
}  # fmt: skip


def written(sheet: ExportSheet, path: Path) -> dict[Path, str]:
    return {path: "\n".join(_lines(sheet)) + "\n"}


def _lines(sheet: ExportSheet) -> Iterator[str]:
    names = _names(sheet)
    way = sheet.ways[-1]
    yield f"model {sheet.name} {_text(tr(sheet.title))}"
    yield from (f"  // {comment(line)}" for line in (*sheet.origin, *sheet.notes, *renamed(names)))
    for name, value in sheet.parameters.items():
        yield f"  parameter Real {names[name]} = {_number(value)};"
    for name in sheet.inputs:
        yield f"  input Real {names[name]};"
    for name, q, v in zip(sheet.coordinates, *sheet.start, strict=True):
        yield f"  Real {names[name]}(start = {_number(q)}, fixed = true);"
        yield f"  Real {names[name]}_dot(start = {_number(v)}, fixed = true);"
    for name, value in sheet.states.items():
        yield f"  Real {names[name]}(start = {_number(value)}, fixed = true);"
    yield "protected"
    code = list(_statements(way, _reads(sheet, names)))
    for kind, name, _ in code:
        if name:
            yield f"  {kind} {name};"
    yield "equation"
    yield from (f"  {name} = {right};" for _, name, right in code if name)
    results = [right for _, name, right in code if not name]
    for name in sheet.coordinates:
        yield f"  der({names[name]}) = {names[name]}_dot;"
    rates = [*(f"{names[name]}_dot" for name in sheet.coordinates), *(names[name] for name in sheet.states)]
    yield from (f"  der({name}) = {right};" for name, right in zip(rates, results, strict=True))
    yield f"end {sheet.name};"


def _names(sheet: ExportSheet) -> dict[str, str]:
    """Names that differ from all words of Modelica, speeds and variables of a program."""
    found: dict[str, str] = {}
    given = identifiers((*sheet.coordinates, *sheet.states, *sheet.parameters, *sheet.inputs))
    taken = {*WORDS, sheet.name}
    for name, made in given.items():
        while made in taken or made.startswith("w_") or f"{made}_dot" in given.values():
            made += "_"
        taken |= {made, f"{made}_dot"}
        found[name] = made
    return found


def _reads(sheet: ExportSheet, names: dict[str, str]) -> list[str]:
    return [
        "time" if letter == "t" else names[sheet.groups[letter][k]] + ("_dot" if letter == "v" else "")
        for letter, k in sheet.places
    ]


def _statements(program: Program, reads: list[str]) -> Iterator[tuple[str, str, str]]:
    """Type, name and right-hand side of every variable, then the outputs without a name."""
    program = program.selected(range(len(program.outputs) - 1))
    known: list[str] = []
    for place, (kind, arguments, value) in enumerate(program.operations):
        if kind == "number":
            known.append(_number(value))
        elif kind == "input":
            known.append(reads[arguments[0]])
        elif kind in ("true", "false"):
            known.append(kind)
        else:
            given = [known[a] for a in arguments]
            if kind in INFIX:
                right = f"{given[0]} {INFIX[kind]} {given[1]}"
            else:
                right = PATTERNS.get(kind, f"{kind}({', '.join(f'{{{i}}}' for i in range(len(given)))})").format(*given)
            known.append(f"w_{place}")
            yield "Boolean" if kind in CONDITIONS else "Real", known[-1], right
    for place in program.outputs:
        yield "", "", known[place]


def _number(value: float) -> str:
    if not isfinite(value):
        raise ModelError(tr("a number of this model is {value}, which Modelica cannot express", value=value))
    return f"({value!r})" if value < 0 else repr(value)


def _text(title: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in title)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
