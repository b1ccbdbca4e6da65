"""The lines of a step: left = right, where a right side is an expression, a row or a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import symengine as se

from dalembert.equations import Step
from dalembert.mechanics.readable import MOST_TERMS, expanded_size, readable

LARGEST_ROW = 900  # characters; a system with a longer expression counts as large
LARGEST_ALL = 8000


def fits(flat: Sequence[Any]) -> bool:
    """Whether the expressions are short enough to read."""
    sizes = [len(str(e)) for e in flat]
    return sum(sizes) <= LARGEST_ALL and max(sizes, default=0) <= LARGEST_ROW


def values(step: Step) -> list[Any]:
    """Every expression of a step, including left sides that are expressions."""
    return [e for left, value in step.results for e in (*scalars(left), *scalars(value))]


def scalars(value: Any) -> list[Any]:
    if isinstance(value, str):
        return []
    return [e for part in value for e in scalars(part)] if isinstance(value, tuple) else [value]


def rebuilt(value: Any, found: Iterator[Any]) -> Any:
    if isinstance(value, str):
        return value
    return tuple(rebuilt(part, found) for part in value) if isinstance(value, tuple) else next(found)


def length(e: Any) -> int:
    return len(str(e))


def shorter(e: Any) -> Any:
    return readable(e) if expanded_size(e) <= MOST_TERMS else e


def needed(expressions: Sequence[Any], lines: Mapping[Any, Any]) -> set[Any]:
    found: set[Any] = set()
    stack = [symbol for e in expressions for symbol in e.free_symbols]
    while stack:
        symbol = stack.pop()
        if symbol in lines and symbol not in found:
            found.add(symbol)
            stack.extend(lines[symbol].free_symbols)
    return found


def in_order(results: Sequence[tuple[Any, Any]]) -> tuple[tuple[Any, Any], ...]:
    """The results, with every part before the lines that contain it."""
    lines = {left: value for left, value in results if not isinstance(left, str) and left.is_Symbol}
    found: dict[Any, tuple[Any, Any]] = {}

    def place(key: Any, left: Any, value: Any) -> None:
        held = {s for e in (*scalars(left), *scalars(value)) for s in se.sympify(e).free_symbols}
        for symbol in sorted(held - {left}, key=str):
            if symbol in lines and symbol not in found:
                place(symbol, symbol, lines.pop(symbol))
        found[key] = (left, value)

    for i, (left, value) in enumerate(results):
        key = left if not isinstance(left, str) and left.is_Symbol else i
        if key not in found:
            lines.pop(key, None)
            place(key, left, value)
    return tuple(found.values())
