"""Names the operation of an expression that left its domain, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.language import tr
from dalembert.programs.evaluate import all_values
from dalembert.programs.expressions import program, written
from dalembert.programs.program import Program


def domain_failure(
    inputs: Sequence[Any], named_outputs: Mapping[str, Any] | Sequence[tuple[str, Any]], x: np.ndarray
) -> str | None:
    """Name the first operation without a finite value at `x` although its arguments are finite, or None if all are.

    E.g. "the square root of x^2 - 1 = -0.3, in the force on ball".
    """
    named = list(named_outputs.items()) if isinstance(named_outputs, Mapping) else list(named_outputs)
    code = program(inputs, [e for _, e in named], sources=True)
    values = all_values(code, np.asarray(x, dtype=float))
    for (name, _), place in zip(named, code.outputs, strict=True):
        if not np.isfinite(values[place]):
            return tr("{code}, in {name}", code=_described(code, values, _origin(code, values, place)), name=name)
    return None


def _origin(code: Program, values: list[Any], place: int) -> int:
    """Follow a value that is not finite down to the operation whose arguments are all finite."""
    while True:
        kind, arguments, _ = code.operations[place]
        if kind in ("input", "number"):
            return place
        if kind == "select":  # only the branch that was taken counts
            arguments = (arguments[1] if values[arguments[0]] else arguments[2],)
        worse = [a for a in arguments if not np.isfinite(values[a])]
        if not worse:
            return place
        place = worse[0]


def _described(code: Program, values: list[Any], place: int) -> str:
    kind, arguments, value = code.operations[place]
    if kind == "number":
        return tr("no branch applies") if value != value else tr("a constant part is too large for a number")
    whole = _text(code, place)
    if kind == "input":
        return tr("the value of {whole} is not finite", whole=whole)
    terms = [(_text(code, a), float(values[a])) for a in arguments]
    if kind == "div" and terms[1][1] == 0.0:
        return tr("a division by {code}", code=_equals(*_base(code, values, arguments[1])))
    if kind == "sqrt" and terms[0][1] < 0.0:
        return tr("the square root of {terms}", terms=_equals(*terms[0]))
    if kind == "pow":
        return _power(*terms)
    if kind == "log":
        return tr("the logarithm of {terms}", terms=_equals(*terms[0]))
    if kind in ("asin", "acos"):
        return tr("{kind} of {terms}, which is outside -1 … 1", kind=kind, terms=_equals(*terms[0]))
    return tr("the value of {whole} is too large for a number", whole=whole)


def _base(code: Program, values: list[Any], place: int) -> tuple[str, float]:
    """The base of a divisor that is a power or a root: the divisor vanishes with its base."""
    while code.operations[place].kind in ("mul", "sqrt") and place not in code.sources:
        place = next(a for a in code.operations[place].arguments if values[a] == 0.0)
    return _text(code, place), float(values[place])


def _power(base: tuple[str, float], power: tuple[str, float]) -> str:
    if base[1] == 0 and power[1] < 0:
        return tr("a division by {base}", base=_equals(*base))
    if base[1] < 0 and power[1] != round(power[1]):
        return tr("the power {power} of {base}", power=power[0], base=_equals(*base))
    return tr(
        "{base} = {base2:.6g} to the power {power:.6g} is too large for a number",
        base=base[0],
        base2=base[1],
        power=power[1],
    )


def _text(code: Program, place: int) -> str:
    """The text of an operation's expression, or of the next operation that has one."""
    while place not in code.sources:
        op = code.operations[place]
        if op.kind == "number":
            return f"{op.value:.9g}"
        place += 1
    return written(code.sources[place], 80)


def _equals(text: str, value: float) -> str:
    try:
        float(text)
    except ValueError:
        return f"{text} = {value:.6g}"
    return text
