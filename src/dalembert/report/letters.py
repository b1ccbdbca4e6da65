"""The steps of a paper's own example in the paper's letters: π₁ for p1, a² for a2, P for the body `first`.

The names of the model file stay in JSON and in the equations without steps. Expressions are changed by substitution,
left sides by their LaTeX, titles of steps about one body by its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import symengine as se

from dalembert.equations import Step
from dalembert.formalisms.display import label
from dalembert.language import tr
from dalembert.report.dialects import Terminal

FORMS = ("", "'", "''", "*", "*'")  # of a name in expressions


def in_letters(steps: tuple[Step, ...], letters: Mapping[str, str]) -> tuple[Step, ...]:
    """The steps with these letters. The first step says which name of the model each of them stands for."""
    if not letters or not steps:
        return steps
    put = {se.Symbol(name + form): letter(to, form) for name, to in letters.items() for form in FORMS}
    found = [_step(step, letters, put) for step in steps]
    named = {name: to for name, to in letters.items() if not name.endswith("0") and to not in ("mu", "lambda")}
    told = ", ".join(f"{_spoken(to)} = {_spoken(name)}" for name, to in named.items())
    if told:
        found[0] = replace(found[0], note=tr("Letters of the paper and names of the model: {told}.", told=told))
    return tuple(found)


def letter(to: str, form: str) -> Any:
    base, _, power = to.partition("^")
    return se.Symbol(base + form) ** (int(power) if power else 1)


def _spoken(name: str) -> str:
    """A letter or a name of the model in a sentence."""
    return Terminal().symbol(name).replace("^2", "²")


def _step(step: Step, letters: Mapping[str, str], put: Mapping[Any, Any]) -> Step:
    title = step.title
    for name, to in letters.items():
        if step.key.endswith(f" of {name}"):
            title = re.sub(rf"\b{re.escape(name)}\b", _spoken(to), title)
    results = tuple((_left(left, letters, put), _value(value, put)) for left, value in step.results)
    return replace(step, title=title, results=results)


def _value(value: Any, put: Mapping[Any, Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_value(part, put) for part in value)
    return se.sympify(value).subs(put)


def _left(left: Any, letters: Mapping[str, str], put: Mapping[Any, Any]) -> Any:
    """A left side: an expression, or LaTeX in which every name is replaced as it is written there."""
    if not isinstance(left, str):
        return _value(left, put)
    table = {}
    for name, to in letters.items():
        if name.startswith("friction["):
            owner, _, place = name[9:-1].rpartition(", ")
            table[f"R_{{{label(owner)}, {place}}}"] = label(to)
            continue
        for dots in range(3 - name.count("'")):
            table[label(name, dots)] = to if to.endswith("'") or "^" in to else label(to, dots)
    names = "|".join(map(re.escape, sorted(table, key=len, reverse=True)))
    return re.sub(rf"(?<![A-Za-z\\])(?:{names})(?![A-Za-z])", lambda match: table[match[0]], left)
