"""Expressions with other expressions in place of names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from dalembert.expressions.nodes import (
    Call,
    Expression,
    Inequality,
    Logic,
    Name,
    Negative,
    Power,
    Prime,
    Product,
    Reciprocal,
    Sum,
    Vector,
    fold,
)


def substituted(root: Expression, values: Mapping[str, Expression]) -> Expression:
    """The same tree with `values` in place of names. A node that contains none of the names stays the same object."""

    def combine(node: Expression, parts: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Name):
            return values.get(node.name, node)
        same = all(part is child for part, child in zip(parts, node.children, strict=True))
        return node if same else rebuilt(node, parts)

    return fold(root, combine)


def rebuilt(node: Expression, parts: tuple[Expression, ...]) -> Expression:
    """A node of the same kind with other children."""
    match node:
        case Call(function):
            return Call(function, parts)
        case Inequality(operator):
            return Inequality(operator, *parts)
        case Logic(operator):
            return Logic(operator, parts)
        case Sum() | Product():
            return type(node)(parts)
        case Vector() | Power() | Prime() | Negative() | Reciprocal():
            return cast(Expression, type(node)(*parts))  # type: ignore[call-arg]
    return node
