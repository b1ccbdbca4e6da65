"""Decimals of a model as exact fractions: 0.3 is 3/10, and 0.3·3 is 9/10.

SymEngine multiplies floats in double precision, where 0.3·3 is 0.8999999999999999. Ranks and integrability are decided
exactly, so a lost digit would give a wrong answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from dalembert.expressions.nodes import Expression, Number, Power, Product, Reciprocal, Results, Sum, fold
from dalembert.model.record import ModelRecord

PART = 10**15  # smaller integers stay integers when expressions are lowered


def with_fractions(model: ModelRecord) -> ModelRecord:
    """The same model without a decimal in any expression."""
    return _changed(model, Results[Expression]())


def _changed(value: Any, known: Results[Expression]) -> Any:
    if isinstance(value, Expression):
        return fold(value, _rebuilt, known)
    if isinstance(value, Mapping):
        return MappingProxyType({key: _changed(entry, known) for key, entry in value.items()})
    if isinstance(value, tuple):
        return tuple(_changed(entry, known) for entry in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _changed(getattr(value, f.name), known) for f in fields(value) if f.init})
    return value


def _rebuilt(node: Expression, parts: tuple[Expression, ...]) -> Expression:
    """The node with other children. A decimal becomes a fraction."""
    if isinstance(node, Number):
        return node if isinstance(node.value, int) else fraction(node.value)
    if all(part is child for part, child in zip(parts, node.children, strict=True)):
        return node
    left = list(parts)
    changes: dict[str, Expression | tuple[Expression, ...]] = {}
    for field in fields(node):  # type: ignore[arg-type]
        value = getattr(node, field.name)
        if isinstance(value, Expression):
            changes[field.name] = left.pop(0)
        elif isinstance(value, tuple) and value and isinstance(value[0], Expression):
            changes[field.name] = tuple(left.pop(0) for _ in value)
    return replace(node, **changes)  # type: ignore[type-var]


def fraction(value: float) -> Expression:
    """The shortest decimal that reads as this double: whole·10^exponent, with whole in parts that stay exact."""
    _, digits, exponent = Decimal(repr(value)).as_tuple()
    whole = int("".join(map(str, digits)))
    assert isinstance(exponent, int)
    high, low = divmod(whole, PART)
    number: Expression = Number(low)
    if high:
        number = Sum((Product((Number(high), Power(Number(10), Number(15)))), number))
    if exponent == 0 or whole == 0:
        return number
    power: Expression = Power(Number(10), Number(abs(exponent)))
    return Product((number, power if exponent > 0 else Reciprocal(power)))
