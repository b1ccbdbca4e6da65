"""Writes an expression in the model language, with the fewest brackets from which the same tree is read back."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.expressions.nodes import (
    Axis,
    Call,
    Expression,
    Inequality,
    Logic,
    Name,
    Negative,
    Number,
    Pi,
    Power,
    Prime,
    Product,
    Reciprocal,
    ResultName,
    Sum,
    Time,
    Vector,
    fold,
)

OR, AND, NOT, COMPARED, SUM, PRODUCT, UNARY, POSTFIX = range(8)  # precedence of a text, the loosest first


class _Part(NamedTuple):
    text: str
    tightness: int = POSTFIX
    inverted: _Part | None = None  # b of -b and 1/b: a chain writes them as a - b and a/b

    def within(self, least: int) -> str:
        """The text, in brackets if its precedence is looser than required."""
        return f"({self.text})" if self.tightness < least else self.text


def text(node: Expression) -> str:
    """The text of a tree; `parse(text(node)) == node`."""
    return fold(node, _written).text


def _written(node: Expression, parts: tuple[_Part, ...]) -> _Part:
    match node:
        case Number(value):
            return _Part(repr(value))
        case Pi():
            return _Part("pi")
        case Time():
            return _Part("t")
        case Name(name):
            return _Part(name)
        case Axis(frame, axis):
            return _Part(f"{frame}.{axis}")
        case ResultName(kind, path):
            return _Part(".".join((kind, *path)))
        case Prime():
            return _Part(f"{parts[0].within(POSTFIX)}'")
        case Negative():
            return _Part(f"-{parts[0].within(UNARY)}", UNARY, parts[0])
        case Reciprocal():
            return _Part(f"1/{parts[0].within(UNARY)}", PRODUCT, parts[0])
        case Power():
            return _Part(f"{parts[0].within(POSTFIX)}^{parts[1].within(UNARY)}", UNARY)
        case Sum():
            return _Part(_chain(parts, [isinstance(c, Negative) for c in node.children], " + ", " - ", PRODUCT), SUM)
        case Product():
            return _Part(_chain(parts, [isinstance(c, Reciprocal) for c in node.children], "*", "/", UNARY), PRODUCT)
        case Call(function):
            return _Part(f"{function}({', '.join(part.text for part in parts)})")
        case Vector():
            return _Part(f"[{', '.join(part.text for part in parts)}]")
        case Inequality(operator):
            return _Part(f"{parts[0].within(SUM)} {operator} {parts[1].within(SUM)}", COMPARED)
        case Logic("not"):
            return _Part(f"not {parts[0].within(NOT)}", NOT)
        case Logic(operator):
            level = OR if operator == "or" else AND
            return _Part(f" {operator} ".join(part.within(level + 1) for part in parts), level)
    raise TypeError(f"{type(node).__name__} is not a node of the model language")


def _chain(parts: tuple[_Part, ...], inverses: list[bool], sign: str, inverse: str, least: int) -> str:
    """A sum as a - b + c, a product as a/b*c."""
    written = [parts[0].within(least)]
    for part, inverted in zip(parts[1:], inverses[1:], strict=True):
        if inverted and part.inverted is not None:
            written += [inverse, part.inverted.within(least)]
        else:
            written += [sign, part.within(least)]
    return "".join(written)
