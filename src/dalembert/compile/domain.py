"""Which operation of an expression left its domain, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.compile.tape import Tape, Values, tape, written


def domain_failure(
    inputs: Sequence[Any], named_outputs: Mapping[str, Any] | Sequence[tuple[str, Any]], x: np.ndarray
) -> str | None:
    """The first operation that has no finite value at `x` although its arguments have, or None where all is finite.

    E.g. "the square root of x^2 - 1 = -0.3, in the force on ball".
    """
    named = list(named_outputs.items()) if isinstance(named_outputs, Mapping) else list(named_outputs)
    code = tape(inputs, [e for _, e in named])
    values = code.values(np.asarray(x, dtype=float))
    for (name, _), place in zip(named, code.outputs, strict=True):
        if not np.isfinite(values[place]):
            return f"{_described(code, values, _origin(code, values, place))}, in {name}"
    return None


def _origin(code: Tape, values: Values, place: int) -> int:
    """Down from a value that is not finite to the operation whose arguments all are."""
    while True:
        operation = code.operations[place]
        if operation.kind in {"input", "number"}:
            return place
        candidates = operation.arguments
        if operation.kind == "Piecewise":  # only the branch that was taken counts
            pairs = zip(candidates[::2], candidates[1::2], strict=True)
            candidates = tuple([branch for branch, condition in pairs if values[condition]][:1])
        worse = [i for i in candidates if not np.isfinite(values[i])]
        if not worse:
            return place
        place = worse[0]


def _described(code: Tape, values: Values, place: int) -> str:
    operation = code.operations[place]
    terms = [(written(code.operations[i].expression, 80), float(values[i])) for i in operation.arguments]
    if operation.kind == "Pow":
        return _power(*terms)
    if operation.kind == "number":
        return "a constant part is too large for a number"
    if operation.kind == "input":
        return f"the value of {written(operation.expression)} is not finite"
    if operation.kind == "Piecewise":
        return f"no branch of {written(operation.expression)} applies"
    text, value = terms[0] if terms else (written(operation.expression), float("nan"))
    if operation.kind == "log":
        return f"the logarithm of {_equals(text, value)}"
    if operation.kind in {"asin", "acos"}:
        return f"{operation.kind} of {_equals(text, value)}, which is outside -1 … 1"
    return f"the value of {written(operation.expression)} is too large for a number"


def _power(base: tuple[str, float], power: tuple[str, float]) -> str:
    if base[1] == 0 and power[1] < 0:
        return f"a division by {_equals(*base)}"
    if base[1] < 0 and abs(power[1]) == 0.5:
        return f"the square root of {_equals(*base)}"
    if base[1] < 0 and power[1] != round(power[1]):
        return f"the power {power[0]} of {_equals(*base)}"
    return f"{base[0]} = {base[1]:.6g} to the power {power[1]:.6g} is too large for a number"


def _equals(text: str, value: float) -> str:
    try:
        float(text)
    except ValueError:
        return f"{text} = {value:.6g}"
    return text
