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
from dalembert.exchange.export.sheet import Described, ExportSheet, renamed
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
        (unit, about), begin = _said(sheet, name), f" = {_number(value)}"
        yield f"  parameter Real {names[name]}{f'({unit})' if unit else ''}{begin}{about};"
    for name in sheet.inputs:
        unit, about = _said(sheet, name)
        yield f"  input Real {names[name]}{f'({unit})' if unit else ''}{about};"
    for name, q, v in zip(sheet.coordinates, *sheet.start, strict=True):
        yield _state(sheet, name, names[name], q)
        yield _state(sheet, name, f"{names[name]}_dot", v, rate=True)
    for name, value in sheet.states.items():
        yield _state(sheet, name, names[name], value)
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


def _state(sheet: ExportSheet, name: str, own: str, value: float, rate: bool = False) -> str:
    unit, about = _said(sheet, name, rate)
    return f"  Real {own}({', '.join(filter(None, [unit, f'start = {_number(value)}', 'fixed = true']))}){about};"


def _said(sheet: ExportSheet, name: str, rate: bool = False) -> tuple[str, str]:
    """The unit as a modification, and the description as a comment of Modelica."""
    said = sheet.said.get(name, Described("", ""))
    unit = f'unit = "{_unit(said.unit, rate)}"' if said.unit else ""
    return unit, f" {_text(said.about)}" if said.about and not rate else ""


def _unit(si: str, rate: bool) -> str:
    """A unit in Modelica's notation: kg m^2/s^2 is kg.m2/s2, and kg/m/s^2 is kg/(m.s2)."""
    above, *below = si.split("/")
    powers: dict[str, int] = {}
    for sign, text in ((1, above), *((-1, part) for part in below), *([(-1, "s")] if rate else [])):
        for factor in text.split():
            base, _, power = factor.partition("^")
            powers[base] = powers.get(base, 0) + sign * int(power or 1)
    sides = [
        [f"{base}{abs(p) if abs(p) > 1 else ''}" for base, p in powers.items() if base != "1" and p * sign > 0]
        for sign in (1, -1)
    ]
    over, under = ".".join(sides[0]) or "1", ".".join(sides[1])
    return over if not under else f"{over}/{f'({under})' if len(sides[1]) > 1 else under}"


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
        raise ModelError("a number of this model is {value}, which Modelica cannot express", value=value)
    return f"({value!r})" if value < 0 else repr(value)


def _text(title: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in title)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
