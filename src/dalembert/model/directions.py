"""Directions that a joint states by components, and arithmetic of vectors as expressions.

Two directions across n, where i is the axis along which n has its smallest component:
    e₁ = n × i / |n × i|,   e₂ = n × e₁ / |n|
If n is one of the axes, these are the other two in cyclic order: a planar joint about z moves along x and y.
"""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.expressions.limits import constant
from dalembert.expressions.nodes import Axis, Call, Expression, Negative, Number, Product, Reciprocal, Sum, Vector
from dalembert.model.values import DOMAIN, Evaluator

Components = tuple[Expression, Expression, Expression]
ZERO, ONE = Number(0), Number(1)
UNITS: dict[str, Components] = {"x": (ONE, ZERO, ZERO), "y": (ZERO, ONE, ZERO), "z": (ZERO, ZERO, ONE)}


def components(vector: Expression | None) -> Components | None:
    return (vector.x, vector.y, vector.z) if isinstance(vector, Vector) else None


def numbers(direction: Components, parameters: Mapping[str, float]) -> tuple[float, float, float] | None:
    """The components at the parameters' values, or None if they have no value."""
    try:
        return Evaluator(parameters).vector(Vector(*direction))
    except (*DOMAIN, KeyError, TypeError, AttributeError):
        return None


def aligned(direction: Components) -> str | None:
    """The axis (x, y or z) that a direction of plain numbers points along, or None."""
    values = [constant(entry) for entry in direction]
    along = [axis for axis, value in zip("xyz", values, strict=True) if value != 0]
    return along[0] if len(along) == 1 and (values["xyz".index(along[0])] or 0) > 0 else None


def unit(direction: Components) -> Components:
    along = aligned(direction)
    if along is not None:
        return UNITS[along]
    length = Call("sqrt", (add(*(times(entry, entry) for entry in direction)),))
    return tuple(ZERO if is_zero(e) else Product((e, Reciprocal(length))) for e in direction)  # type: ignore[return-value]


def across(direction: Components, values: tuple[float, float, float]) -> tuple[Components, Components]:
    """Two unit directions at right angles to n and to each other; `values` are n's components."""
    along = aligned(direction)
    if along is not None:
        place = "xyz".index(along)
        return UNITS["xyz"[(place + 1) % 3]], UNITS["xyz"[(place + 2) % 3]]
    least = min(range(3), key=lambda i: abs(values[i]))
    first = unit(cross(direction, UNITS["xyz"[least]]))
    return first, unit(cross(direction, first))


def cross(a: Components, b: Components) -> Components:
    return (
        add(times(a[1], b[2]), negative(times(a[2], b[1]))),
        add(times(a[2], b[0]), negative(times(a[0], b[2]))),
        add(times(a[0], b[1]), negative(times(a[1], b[0]))),
    )


def in_axes(frame: str, direction: Components) -> Expression:
    """The vector with these components along a frame's axes."""
    terms = [times(e, Axis(frame, axis)) for e, axis in zip(direction, "xyz", strict=True) if not is_zero(e)]
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def scaled(factor: Expression, direction: Components) -> Components:
    return tuple(times(factor, entry) for entry in direction)  # type: ignore[return-value]


def added(a: Components, b: Components) -> Components:
    return tuple(add(p, q) for p, q in zip(a, b, strict=True))  # type: ignore[return-value]


def is_zero(entry: Expression) -> bool:
    return isinstance(entry, Number) and entry.value == 0


def times(a: Expression, b: Expression) -> Expression:
    if is_zero(a) or is_zero(b):
        return ZERO
    return b if a == ONE else a if b == ONE else Product((a, b))


def add(*terms: Expression) -> Expression:
    kept = tuple(term for term in terms if not is_zero(term))
    return ZERO if not kept else kept[0] if len(kept) == 1 else Sum(kept)


def negative(entry: Expression) -> Expression:
    return entry if is_zero(entry) else Negative(entry)
