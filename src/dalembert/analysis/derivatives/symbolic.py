"""Rows of expressions: their symbols, sums and Jacobians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import symengine as se


def symbols(*expressions: Any) -> set[Any]:
    """The symbols in expressions. Parts that they share are searched once."""
    return se.Function("of")(*expressions).free_symbols


def unknown(word: str, count: int) -> tuple[Any, ...]:
    """New symbols. Their names contain a space, which no name of a model does."""
    return tuple(se.Symbol(f"{word} {i}") for i in range(count))


def total(row: Sequence[Any], factors: Sequence[Any]) -> Any:
    """Σ eᵢ fᵢ"""
    return se.Add(*(e * f for e, f in zip(row, factors, strict=True)))


def jacobian(rows: Sequence[Any], symbols: Sequence[Any]) -> list[list[Any]]:
    """∂eᵢ/∂sⱼ"""
    found = []
    for row in rows:
        row = se.sympify(row)
        held = row.free_symbols
        found.append([row.diff(s) if s in held else se.S.Zero for s in symbols])
    return found
