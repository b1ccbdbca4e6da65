"""Scalars, vectors and speeds: what every expression of a model is, and where its parts do not fit together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from dalembert.expressions.limits import LARGEST_EXPONENT, constant
from dalembert.expressions.nodes import (
    GENERAL_FUNCTIONS,
    Answer,
    Axis,
    Call,
    Comparison,
    Expression,
    Logic,
    Name,
    Negative,
    Power,
    Prime,
    Product,
    Reciprocal,
    Results,
    Sum,
    Time,
    Vector,
    fold,
)
from dalembert.expressions.parse import nearest, shown
from dalembert.expressions.text import text

LARGEST_GROWTH = 10 * LARGEST_EXPONENT  # of exponents upon exponents, through definitions as well
NONLINEAR = 2


@dataclass(frozen=True, slots=True)
class Kind:
    """What an expression is; `what` is None where a fault inside it was told already."""

    what: str | None = "scalar"  # scalar, vector, frame, condition
    coordinates: bool = False
    degree: int = 0  # in the speeds: 0, 1, or NONLINEAR
    growth: float = 1  # the largest product of exponents within each other
    time: bool = False
    state: bool = False  # holds first-order states
    data: bool = False  # holds data or what a controller holds, which have no derivative
    acceleration: bool = False


SCALAR, VECTOR, UNKNOWN = Kind(), Kind("vector"), Kind(None)
Report = Callable[[Expression, str], None]


@dataclass(slots=True)
class Scope:
    """The names that an expression may hold: what each is, and what its axes are."""

    values: dict[str, Kind] = field(default_factory=dict)
    axes: dict[str, Kind] = field(default_factory=lambda: {"world": Kind("frame")})
    unread: Collection[str] = ()  # names of things that were at fault themselves
    hints: Collection[str] = ()  # the names that a misspelt one may have meant
    apart: Mapping[str, str] = field(default_factory=dict)  # names that exist but may not stand here, and why
    accelerations: bool = False  # whether second derivatives may stand here
    answers: Callable[[Answer, Report], Kind] | None = None
    _kinds: Results[Kind] = field(default_factory=Results)  # of expressions without a fault

    def kind(self, root: Expression, report: Report) -> Kind:
        faulty: list[int] = []  # to be told wherever they stand

        def combine(node: Expression, kinds: tuple[Kind, ...]) -> Kind:
            kind = self._node(node, kinds, report)
            if kind.what is None:
                faulty.append(id(node))
            return kind

        found = fold(root, combine, self._kinds)
        for node in faulty:
            del self._kinds[node]
        return found

    def _node(self, node: Expression, kinds: tuple[Kind, ...], report: Report) -> Kind:
        match node:
            case Name(name):
                return self._name(node, name, report)
            case Answer():
                return UNKNOWN if self.answers is None else self.answers(node, report)
            case Prime() if self.accelerations and kinds[0].degree and not (kinds[0].acceleration or kinds[0].data):
                return replace(kinds[0], degree=NONLINEAR, acceleration=True)
            case Axis(frame):
                return self._axis(node, frame, report)
            case Call("omega"):
                return self._omega(node, kinds, report)
            case Call("gradient"):
                missing = [name for name in "xyz" if self.values.get(name, VECTOR).what != "scalar"]
                if missing:
                    report(node, f"gradient is along x, y and z, and the model has no scalar {missing[0]}")
                    return UNKNOWN
        for child, kind in zip(node.children, kinds, strict=True):
            if kind.what == "frame":
                report(
                    child, f"{text(child)} is a frame, and not a quantity; its unit vectors are {text(child)}.x, .y, .z"
                )
                return UNKNOWN
            if kind.what == "condition" and not (
                isinstance(node, Logic)
                or (isinstance(node, Call) and node.function == "if" and child is node.arguments[0])
            ):
                report(child, f"{short(child)} is a condition, and no quantity; it stands in if(condition, a, b)")
                return UNKNOWN
        together = Kind(
            coordinates=any(k.coordinates for k in kinds),
            degree=max((k.degree for k in kinds), default=0),
            growth=max((k.growth for k in kinds), default=1),
            time=any(k.time for k in kinds) or isinstance(node, Time),
            state=any(k.state for k in kinds),
            data=any(k.data for k in kinds),
            acceleration=any(k.acceleration for k in kinds),
        )
        if any(k.what is None for k in kinds):
            return replace(together, what=None)
        return _combined(node, kinds, together, report)

    def _name(self, node: Expression, name: str, report: Report) -> Kind:
        if name in self.values:
            return self.values[name]
        if name in self.axes:
            return Kind("frame")
        if name in self.apart:
            report(node, self.apart[name])
        elif name not in self.unread:
            report(node, f"the name {shown(name)} is not known{nearest(name, self.hints)}")
        return UNKNOWN

    def _axis(self, node: Expression, frame: str, report: Report) -> Kind:
        if frame in self.axes:
            return replace(self.axes[frame], what="vector")
        if frame in self.values:
            report(node, f"{frame} has no axes; for a component write dot({frame}, world.x)")
        elif frame not in self.unread:
            report(node, f"the frame {shown(frame)} is not known{nearest(frame, self.hints)}")
        return UNKNOWN

    def _omega(self, node: Call, kinds: tuple[Kind, ...], report: Report) -> Kind:
        argument = node.arguments[0]
        if isinstance(argument, Name) and argument.name in self.axes:
            axes = self.axes[argument.name]
            return replace(axes, what="vector", degree=int(axes.coordinates))
        if kinds[0].what is not None:
            report(node, f"omega takes the name of a frame or body, and {text(argument)} was met")
        return UNKNOWN


def _combined(node: Expression, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    """The kind of a node whose children are all scalars or vectors."""
    match node:
        case Comparison() | Logic():
            return _condition(node, kinds, together, report)
        case Sum() | Vector() | Negative() | Prime():
            return _linear(node, kinds, together, report)
        case Product():
            return _product(node, kinds, together, report)
        case Reciprocal() if kinds[0].what == "vector":
            return _mixed(node, f"{short(node.argument)} is a vector, and one cannot divide by a vector", report)
        case Power():
            return _power(node, kinds, together, report)
        case Call():
            return _call(node, kinds, together, report)
    return replace(together, degree=NONLINEAR if together.degree else 0)


def _linear(node: Expression, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    match node:
        case Prime(argument):
            if together.state or together.data:
                what = "a state, whose rate is stated" if together.state else "data, which have no derivative"
                report(node, f"the derivative of {short(argument)} was met, and it holds {what}")
                return UNKNOWN
            if together.degree:
                message = f"the derivative of {short(argument)}, which holds speeds, would be an acceleration"
                report(node, f"{message}; accelerations are what is solved for")
                return UNKNOWN
            return replace(together, what=kinds[0].what, degree=int(together.coordinates))
        case Vector():
            for child, kind in zip(node.children, kinds, strict=True):
                if kind.what == "vector":
                    return _mixed(child, f"{short(child)} is a vector, and the entries of [ , , ] are scalars", report)
            return replace(together, what="vector")
    first = kinds[0].what
    for child, kind in zip(node.children, kinds, strict=True):
        if kind.what != first:
            return _mixed(
                child,
                f"{short(node.children[0])} is a {first} and {short(child)} a {kind.what}; the two cannot be added",
                report,
            )
    return replace(together, what=first)


def _product(node: Product, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    vectors = [child for child, kind in zip(node.factors, kinds, strict=True) if kind.what == "vector"]
    if len(vectors) > 1:
        message = (
            f"{short(vectors[0])} and {short(vectors[1])} are both vectors; their product is dot( , ) or cross( , )"
        )
        return _mixed(vectors[1], message, report)
    degree = min(sum(k.degree for k in kinds), NONLINEAR)
    return replace(together, what="vector" if vectors else "scalar", degree=degree)


def _power(node: Power, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    if "vector" in (kinds[0].what, kinds[1].what):
        return _mixed(node, "a vector stands in a power, where scalars are expected; |v|^2 is dot(v, v)", report)
    exponent = abs(constant(node.exponent) or 1)
    growth = kinds[0].growth * max(exponent, 1)
    if growth > LARGEST_GROWTH:
        report(node, f"powers within powers come to an exponent of {growth:g}; at most {LARGEST_GROWTH} is expected")
        return UNKNOWN
    return replace(together, degree=NONLINEAR if together.degree else 0, growth=growth)


def _condition(node: Expression, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    expected = "scalar" if isinstance(node, Comparison) else "condition"
    for child, kind in zip(node.children, kinds, strict=True):
        if kind.what != expected:
            what = "< compares scalars" if expected == "scalar" else f"{node.operator} joins conditions"  # type: ignore[attr-defined]
            return _mixed(child, f"{what}, and {short(child)} is a {kind.what}", report)
    return replace(together, what="condition", degree=NONLINEAR if together.degree else 0)


def _general(node: Call, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    """if, d and gradient."""
    if node.function == "if":
        test, first, second = kinds
        if test.what != "condition":
            message = f"if takes a condition such as x < 1 first, and {short(node.arguments[0])} is a {test.what}"
            return _mixed(node.arguments[0], message, report)
        if first.what != second.what:
            message = f"{short(node.arguments[1])} is a {first.what} and {short(node.arguments[2])} a {second.what}"
            return _mixed(node.arguments[2], f"{message}; the two branches are to be alike", report)
        degree = NONLINEAR if test.degree else max(first.degree, second.degree)
        return replace(together, what=first.what, degree=degree)
    if node.function == "gradient":
        if kinds[0].what != "scalar":
            return _mixed(node, f"gradient takes a scalar, and {short(node.arguments[0])} is a {kinds[0].what}", report)
        return replace(together, what="vector")
    by = node.arguments[1]
    if not (isinstance(by, (Name, Time)) or (isinstance(by, Prime) and isinstance(by.argument, Name))):
        return _mixed(by, f"d takes a name second, as in d(V, x) or d(T, x'), and {short(by)} was met", report)
    if kinds[1].what != "scalar":
        return _mixed(by, f"d takes a scalar second, and {short(by)} is a {kinds[1].what}", report)
    degree = kinds[0].degree - (1 if kinds[0].degree == 1 and isinstance(by, Prime) else 0)
    return replace(together, what=kinds[0].what, degree=degree)


def _call(node: Call, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    if node.function in GENERAL_FUNCTIONS:
        return _general(node, kinds, together, report)
    expected = "vector" if node.function in ("dot", "cross", "norm") else "scalar"
    for child, kind in zip(node.arguments, kinds, strict=True):
        if kind.what != expected:
            return _mixed(child, f"{node.function} takes a {expected}, and {short(child)} is a {kind.what}", report)
    if node.function in ("dot", "cross"):
        degree = min(sum(k.degree for k in kinds), NONLINEAR)
        return replace(together, what="scalar" if node.function == "dot" else "vector", degree=degree)
    return replace(together, degree=NONLINEAR if together.degree else 0)


def _mixed(node: Expression, message: str, report: Report) -> Kind:
    report(node, message)
    return UNKNOWN


def short(node: Expression) -> str:
    """An expression as it may stand in a message."""
    written = text(node)
    return written if len(written) <= 30 else written[:14] + "…" + written[-14:]
