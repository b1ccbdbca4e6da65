"""Rounding error of an expression: a bound for exact inputs, in units of the last place of one.

    e(a + b) = e(a) + e(b) + |a + b|,   e(a b) = |b| e(a) + |a| e(b) + |a b|,   e(f(a)) = |f′(a)| e(a) + |f(a)|

A form may cost less and be less accurate: (x − y)² expanded loses the digits that x and y share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NUDGE = 1e-6


def rounding(e: Any, at: Mapping[Any, float], memory: dict[Any, tuple[float, float]]) -> tuple[float, float]:
    """The value at a state, and its error."""
    if e not in memory:
        memory[e] = _rounding(e, at, memory)
    return memory[e]


def _rounding(e: Any, at: Mapping[Any, float], memory: dict[Any, tuple[float, float]]) -> tuple[float, float]:
    if not e.free_symbols:
        value = float(e)
        return value, 0.0 if value == int(value) else abs(value)
    if not e.args:
        return at[e], 0.0
    kind = type(e).__name__
    parts = [rounding(a, at, memory) for a in e.args]
    value, error = parts[0]
    if kind in {"Add", "Mul"}:
        for other, more in parts[1:]:
            exact = kind == "Mul" and 1.0 in (abs(value), abs(other))
            error = error + more if kind == "Add" else abs(other) * error + abs(value) * more
            value = value + other if kind == "Add" else value * other
            error += 0.0 if exact else abs(value)
        return value, error
    slope = 0.0
    for i, (part, more) in enumerate(parts):
        if more:
            moved = [p for p, _ in parts]
            moved[i] = part + NUDGE * max(abs(part), 1.0)
            slope += more * abs((_value(e, moved) - _value(e, [p for p, _ in parts])) / (moved[i] - part))
    value = _value(e, [p for p, _ in parts])
    return value, slope + abs(value)


def _value(e: Any, arguments: list[float]) -> float:
    if type(e).__name__ == "Pow":
        return float(arguments[0] ** arguments[1])
    return float(e.func(*arguments))
