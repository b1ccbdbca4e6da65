"""Expressions as frozen trees. The grammar reads them, the Python builder makes them, and a model keeps them.

A node knows nothing of mechanics; the model resolves names. Sums and products are flat, one node for a chain of any
length, so that the depth of a tree is the depth that a reader sees. Nodes have Python's operators for the builder, and
`_sympy_` for SymPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

Result = TypeVar("Result")

SCALAR_FUNCTIONS: dict[str, tuple[int, int | None]] = {  # name: smallest and largest number of arguments
    **dict.fromkeys(
        ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign"],
        (1, 1),
    ),
    "atan2": (2, 2),
    "min": (2, None),
    "max": (2, None),
}
LATER_FUNCTIONS: dict[str, tuple[int, int | None]] = {  # their names may be names of a model as well
    "clip": (3, 3),
    "floor": (1, 1),
    "mod": (2, 2),
}
SCALAR_FUNCTIONS |= LATER_FUNCTIONS
GENERAL_FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "if": (3, 3),
    "d": (2, 2),
    "gradient": (1, 1),
    "table": (2, 2),
}
VECTOR_FUNCTIONS: dict[str, tuple[int, int | None]] = {"dot": (2, 2), "cross": (2, 2), "norm": (1, 1), "omega": (1, 1)}
FUNCTIONS = SCALAR_FUNCTIONS | VECTOR_FUNCTIONS | GENERAL_FUNCTIONS
FREE_NAMES = frozenset({*LATER_FUNCTIONS, "d", "gradient", "table"})
RESERVED = frozenset({"t", "pi", "world", "ground", "and", "or", "not", *FUNCTIONS}) - FREE_NAMES


class Expression:
    """A node of an expression tree. Equality compares structure, and arithmetic builds new nodes."""

    __slots__ = ()

    @property
    def children(self) -> tuple[Expression, ...]:
        return ()

    @property
    def dot(self) -> Expression:
        """The time derivative: `x.dot` in Python is `x'` in a model file."""
        return Prime(self)

    def __add__(self, other: Any) -> Expression:
        return _combined(Sum, self, other)

    def __radd__(self, other: Any) -> Expression:
        return _combined(Sum, other, self)

    def __sub__(self, other: Any) -> Expression:
        other = coerced(other)
        return NotImplemented if other is None else _combined(Sum, self, Negative(other))

    def __rsub__(self, other: Any) -> Expression:
        return _combined(Sum, other, Negative(self))

    def __mul__(self, other: Any) -> Expression:
        return _combined(Product, self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _combined(Product, other, self)

    def __truediv__(self, other: Any) -> Expression:
        other = coerced(other)
        return NotImplemented if other is None else _combined(Product, self, Reciprocal(other))

    def __rtruediv__(self, other: Any) -> Expression:
        return _combined(Product, other, Reciprocal(self))

    def __pow__(self, other: Any) -> Expression:
        other = coerced(other)
        return NotImplemented if other is None else Power(self, other)

    def __rpow__(self, other: Any) -> Expression:
        other = coerced(other)
        return NotImplemented if other is None else Power(other, self)

    def __lt__(self, other: Any) -> Inequality:
        return Inequality("<", self, expression(other))

    def __le__(self, other: Any) -> Inequality:
        return Inequality("<=", self, expression(other))

    def __gt__(self, other: Any) -> Inequality:
        return Inequality(">", self, expression(other))

    def __ge__(self, other: Any) -> Inequality:
        return Inequality(">=", self, expression(other))

    def __and__(self, other: Any) -> Logic:
        return Logic("and", (self, expression(other)))

    def __or__(self, other: Any) -> Logic:
        return Logic("or", (self, expression(other)))

    def __invert__(self) -> Logic:
        return Logic("not", (self,))

    def __neg__(self) -> Expression:
        return Negative(self)

    def __pos__(self) -> Expression:
        return self

    def __str__(self) -> str:
        from dalembert.expressions.text import text

        return text(self)

    def _sympy_(self) -> Any:
        from dalembert.expressions.exchange import to_sympy

        return to_sympy(self)


def coerced(value: Any) -> Expression | None:
    """`value` as an expression: from a number, a triple (a vector) or SymPy. None if it cannot be one."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        value = float(value) if isinstance(value, float) else int(value)  # NumPy's float prints differently
        negative = value < 0 or (value == 0 and math.copysign(1, value) < 0)
        return Negative(Number(-value)) if negative else Number(value)
    if isinstance(value, (list, tuple)) and len(value) == 3:
        entries = [coerced(v) for v in value]
        return None if any(e is None for e in entries) else Vector(*entries)  # type: ignore[arg-type]
    if hasattr(value, "_sympy_") or type(value).__module__.partition(".")[0] == "sympy":
        from dalembert.expressions.exchange import from_sympy

        return from_sympy(value)
    if hasattr(value, "item"):  # a NumPy scalar
        return coerced(value.item())
    return None


def expression(value: Any) -> Expression:
    """As `coerced`, but raise an error instead of returning None."""
    result = coerced(value)
    if isinstance(value, bool):
        raise TypeError(
            f"{value} was met, which == gives in Python; write an equation as its two sides or as its residual: "
            'constraint("c", x.dot, 1) or constraint("c", x.dot - 1)'
        )
    if result is None:
        raise TypeError(f"{value!r} is not an expression: give a number, a name of the model, or an expression of them")
    return result


def _combined(kind: type[Sum] | type[Product], left: Any, right: Any) -> Expression:
    left, right = coerced(left), coerced(right)
    if left is None or right is None:
        return NotImplemented
    return kind((*left.children, right) if isinstance(left, kind) else (left, right))


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A number as written. An integer stays an integer, so that 1/3 and x^2 are exact. Never negative: see Negative."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Pi(Expression):
    pass


@dataclass(frozen=True, slots=True)
class Time(Expression):
    pass


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A parameter, coordinate, definition, quasi-velocity, point or body. Frames and bodies have axes x, y, z."""

    name: str

    @property
    def x(self) -> Axis:
        return Axis(self.name, "x")

    @property
    def y(self) -> Axis:
        return Axis(self.name, "y")

    @property
    def z(self) -> Axis:
        return Axis(self.name, "z")


@dataclass(frozen=True, slots=True)
class Axis(Expression):
    """A unit vector of a frame or body: lean.y"""

    frame: str
    axis: str


@dataclass(frozen=True, slots=True)
class Prime(Expression):
    """The total time derivative."""

    argument: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.argument,)


@dataclass(frozen=True, slots=True)
class Negative(Expression):
    argument: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.argument,)


@dataclass(frozen=True, slots=True)
class Reciprocal(Expression):
    """One factor that divides, in a product: a/b is Product(a, Reciprocal(b))."""

    argument: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.argument,)


@dataclass(frozen=True, slots=True)
class Sum(Expression):
    terms: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.terms


@dataclass(frozen=True, slots=True)
class Product(Expression):
    factors: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.factors


@dataclass(frozen=True, slots=True)
class Power(Expression):
    base: Expression
    exponent: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.base, self.exponent)


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A function of FUNCTIONS; for `omega` the argument is the Name of a frame or body."""

    function: str
    arguments: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.arguments


@dataclass(frozen=True, slots=True)
class Vector(Expression):
    """Three components along the inertial axes."""

    x: Expression
    y: Expression
    z: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.x, self.y, self.z)


@dataclass(frozen=True, slots=True)
class Inequality(Expression):
    """A condition: left < right, or <=, >, >=."""

    operator: str
    left: Expression
    right: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, slots=True)
class Logic(Expression):
    """Conditions joined by `and` or `or`, or one negated by `not`."""

    operator: str
    terms: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.terms


@dataclass(frozen=True, slots=True)
class ResultName(Expression):
    """A result of the solved equations: multiplier.NAME, reaction.NAME.normal, load.JOINT.force. Allowed in outputs
    only.
    """

    kind: str
    path: tuple[str, ...]


ANSWERS = ("multiplier", "reaction", "load")


def walk(root: Expression) -> Iterator[Expression]:
    """Every node, parents before children. A part that stands in several places is walked once."""
    stack, seen = [root], set[int]()
    while stack:
        node = stack.pop()
        children = node.children
        if children:
            if id(node) in seen:
                continue
            seen.add(id(node))
            stack.extend(reversed(children))
        yield node


SHALLOW = 50  # levels of an expression up to which it is folded by recursion


class Results(dict[int, Result]):
    """Results of nodes, by the identity of the node. The nodes are kept alive with them.

    Expressions that are built in Python share their parts, so that a chain of bodies costs no more than its last body.
    """

    def __init__(self) -> None:
        super().__init__()
        self.roots: list[Expression] = []


def fold(
    root: Expression,
    combine: Callable[[Expression, tuple[Result, ...]], Result],
    known: Results[Result] | None = None,
) -> Result:
    """Apply `combine(node, results of its children)` from the leaves to the root, once per node, as they are read.

    Results in `known` are reused, and new results are added to it.
    """
    results = Results[Result]() if known is None else known
    if id(root) in results:
        return results[id(root)]
    results.roots.append(root)
    return _folded(root, combine, results, SHALLOW)


def _folded(
    root: Expression,
    combine: Callable[[Expression, tuple[Result, ...]], Result],
    results: Results[Result],
    depth: int,
) -> Result:
    """`fold` by recursion, which is faster, to some depth."""
    if not depth:
        return _folded_deep(root, combine, results)
    children = root.children
    if not children:
        found = results[id(root)] = combine(root, ())
        return found
    parts = []
    for child in children:
        key = id(child)
        parts.append(results[key] if key in results else _folded(child, combine, results, depth - 1))
    found = results[id(root)] = combine(root, tuple(parts))
    return found


def _folded_deep(
    root: Expression, combine: Callable[[Expression, tuple[Result, ...]], Result], results: Results[Result]
) -> Result:
    """`fold` without recursion, for expressions of any depth."""
    stack = [root]
    while stack:
        node = stack[-1]
        children = node.children
        waiting = [child for child in children if id(child) not in results]
        if waiting:
            stack += reversed(waiting)
            continue
        del stack[-1]
        if id(node) not in results:  # it may wait in several places
            results[id(node)] = combine(node, tuple([results[id(child)] for child in children]))
    return results[id(root)]


def names(roots: Iterable[Expression]) -> set[str]:
    """Every name that occurs, including the frames of unit vectors."""
    found: set[str] = set()
    for root in roots:
        for node in walk(root):
            if isinstance(node, Name):
                found.add(node.name)
            elif isinstance(node, Axis):
                found.add(node.frame)
    return found
