"""The kind of every expression of a model (scalar, vector, degree in speeds), and parts that do not fit together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from dalembert.expressions.limits import LARGEST_EXPONENT, constant
from dalembert.expressions.nodes import (
    GENERAL_FUNCTIONS,
    SCALAR_FUNCTIONS,
    Axis,
    Call,
    Expression,
    Inequality,
    Logic,
    Name,
    Negative,
    Number,
    Power,
    Prime,
    Product,
    Reciprocal,
    ResultName,
    Results,
    Sum,
    Time,
    Vector,
    fold,
    walk,
)
from dalembert.expressions.parse import nearest, shown
from dalembert.expressions.text import text
from dalembert.language import Sentences, tr

LARGEST_GROWTH = 10 * LARGEST_EXPONENT  # of nested exponents, through definitions as well
NONLINEAR = 2


@dataclass(frozen=True, slots=True)
class Kind:
    """What an expression is. `what` is None if a fault inside it was already reported."""

    what: str | None = "scalar"  # scalar, vector, frame, condition
    coordinates: bool = False
    degree: int = 0  # in the speeds: 0, 1, or NONLINEAR
    growth: float = 1  # the largest product of nested exponents
    time: bool = False
    state: bool = False  # contains first-order states
    data: bool = False  # contains data or sampled values
    rough: bool = False  # … without a derivative: all but linear and cubic data in a constraint
    bent: bool = False  # … with a first derivative only: linear data
    acceleration: bool = False

    @property
    def told(self) -> str:
        """Its word in a sentence."""
        return tr(self.what or "")


WHAT: Sentences = {"scalar": "scalar", "vector": "vector", "frame": "frame", "condition": "condition"}
SCALAR, VECTOR, FRAME, UNKNOWN = Kind(), Kind("vector"), Kind("frame"), Kind(None)
Report = Callable[[Expression, str], None]


@dataclass(slots=True)
class Scope:
    """The names that an expression may contain, with the kind of each and of its axes."""

    values: dict[str, Kind] = field(default_factory=dict)
    axes: dict[str, Kind] = field(default_factory=lambda: {"world": FRAME})
    unread: Collection[str] = ()  # names whose own entry has a fault
    hints: Collection[str] = ()  # suggestions for a misspelt name
    apart: Mapping[str, str] = field(default_factory=dict)  # names that are not allowed here, with a sentence
    accelerations: bool = False  # whether second derivatives are allowed here
    answers: Callable[[ResultName, Report], Kind] | None = None
    _kinds: Results[Kind] = field(default_factory=Results)  # of expressions without a fault

    def kind(self, root: Expression, report: Report) -> Kind:
        found = fold(root, partial(self._node, report), self._kinds)
        if found.what is None:  # the parts at fault are reported wherever they occur
            for node in walk(root):
                if self._kinds.get(id(node), found).what is None:
                    self._kinds.pop(id(node), None)
        return found

    def _node(self, report: Report, node: Expression, kinds: tuple[Kind, ...]) -> Kind:
        if isinstance(node, Name):
            return self.values.get(node.name) or self._name(node, node.name, report)
        if isinstance(node, Number):
            return SCALAR
        plain = _plain(kinds) if _keeps_kind(node) else None
        if plain is not None:
            return plain
        if isinstance(node, SPECIAL):
            found = self._special(node, kinds, report)
            if found is not None:
                return found
        for kind in kinds:
            if kind.what not in QUANTITIES:
                return self._faulty(node, kinds, report)
        return _combined(node, kinds, _together(kinds, isinstance(node, Time)), report)

    def _special(self, node: Expression, kinds: tuple[Kind, ...], report: Report) -> Kind | None:
        """The kind of a node with a meaning of its own, None for any other."""
        match node:
            case ResultName():
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
                    report(
                        node,
                        tr("gradient is along x, y and z, and the model has no scalar {missing}", missing=missing[0]),
                    )
                    return UNKNOWN
        return None

    def _faulty(self, node: Expression, kinds: tuple[Kind, ...], report: Report) -> Kind:
        """The kind of a node with a condition in it, or with a part that is a frame or has a fault."""
        for child, kind in zip(node.children, kinds, strict=True):
            if kind.what == "frame":
                report(
                    child,
                    tr(
                        "{child} is a frame, not a quantity; its unit vectors are {child}.x, .y, .z",
                        child=text(child),
                    ),
                )
                return UNKNOWN
            if kind.what == "condition" and not (
                isinstance(node, Logic)
                or (isinstance(node, Call) and node.function == "if" and child is node.arguments[0])
            ):
                report(
                    child,
                    tr("{child} is a condition, not a quantity; use it in if(condition, a, b)", child=short(child)),
                )
                return UNKNOWN
        together = _together(kinds, isinstance(node, Time))
        if any(k.what is None for k in kinds):
            return replace(together, what=None)
        return _combined(node, kinds, together, report)

    def _name(self, node: Expression, name: str, report: Report) -> Kind:
        """The kind of a name that is no quantity."""
        if name in self.axes:
            return FRAME
        if name in self.apart:
            report(node, tr(self.apart[name], name=name))
        elif name not in self.unread:
            report(node, tr("the name {name} is not known{name2}", name=shown(name), name2=nearest(name, self.hints)))
        return UNKNOWN

    def _axis(self, node: Expression, frame: str, report: Report) -> Kind:
        if frame in self.axes:
            return replace(self.axes[frame], what="vector")
        if frame in self.values:
            report(node, tr("{frame} has no axes; for a component write dot({frame}, world.x)", frame=frame))
        elif frame not in self.unread:
            report(
                node,
                tr("the frame {frame} is not known{frame2}", frame=shown(frame), frame2=nearest(frame, self.hints)),
            )
        return UNKNOWN

    def _omega(self, node: Call, kinds: tuple[Kind, ...], report: Report) -> Kind:
        argument = node.arguments[0]
        if isinstance(argument, Name) and argument.name in self.axes:
            axes = self.axes[argument.name]
            return replace(axes, what="vector", degree=int(axes.coordinates))
        if kinds[0].what is not None:
            report(node, tr("omega takes the name of a frame or body, and {argument} was met", argument=text(argument)))
        return UNKNOWN


ARITHMETIC = frozenset((Sum, Product, Negative, Reciprocal))
SPECIAL = (ResultName, Prime, Axis, Call)
QUANTITIES = {"scalar", "vector"}


def _keeps_kind(node: Expression) -> bool:
    """Whether scalars without speeds give such a scalar, which contains what they contain."""
    return type(node) in ARITHMETIC or (isinstance(node, Call) and node.function in SCALAR_FUNCTIONS)


def _plain(kinds: tuple[Kind, ...]) -> Kind | None:
    """Everything that scalars without speeds contain, None if a part is anything else."""
    only, several = SCALAR, False
    for kind in kinds:
        if kind is only or kind is SCALAR:  # which adds nothing
            continue
        if kind.what != "scalar" or kind.degree:
            return None
        several = only is not SCALAR
        only = kind
    return _joined(kinds, False) if several else only


def _together(kinds: tuple[Kind, ...], time: bool) -> Kind:
    """Everything that the parts of an expression contain."""
    parts = [kind for kind in kinds if kind is not SCALAR]  # which adds nothing
    if parts and parts[0].what == "scalar" and not time and len(set(map(id, parts))) == 1:
        return parts[0]
    return _joined(kinds, time)


@lru_cache(1024)
def _joined(kinds: tuple[Kind, ...], time: bool) -> Kind:
    return Kind(
        coordinates=any(k.coordinates for k in kinds),
        degree=max((k.degree for k in kinds), default=0),
        growth=max((k.growth for k in kinds), default=1),
        time=any(k.time for k in kinds) or time,
        state=any(k.state for k in kinds),
        data=any(k.data for k in kinds),
        rough=any(k.rough for k in kinds),
        bent=any(k.bent for k in kinds),
        acceleration=any(k.acceleration for k in kinds),
    )


@lru_cache(1024)
def moving(what: str, kinds: tuple[Kind, ...]) -> Kind:
    """The kind of a point, frame or body that is made of such parts: only how it moves counts."""
    return Kind(
        what,
        coordinates=any(k.coordinates for k in kinds),
        growth=max(k.growth for k in kinds),
        time=any(k.time for k in kinds),
    )


def _being(kind: Kind, what: str | None, degree: int) -> Kind:
    return kind if kind.what == what and kind.degree == degree else _changed(kind, what, degree)


@lru_cache(1024)
def _changed(kind: Kind, what: str | None, degree: int) -> Kind:
    return replace(kind, what=what, degree=degree)


def _combined(node: Expression, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    """The kind of a node whose children are all scalars or vectors."""
    match node:
        case Product():
            return _product(node, kinds, together, report)
        case Sum() | Vector() | Negative() | Prime():
            return _linear(node, kinds, together, report)
        case Inequality() | Logic():
            return _condition(node, kinds, together, report)
        case Reciprocal() if kinds[0].what == "vector":
            return _mixed(
                node,
                tr("{argument} is a vector, and one cannot divide by a vector", argument=short(node.argument)),
                report,
            )
        case Power():
            return _power(node, kinds, together, report)
        case Call():
            return _call(node, kinds, together, report)
    return _being(together, together.what, NONLINEAR if together.degree else 0)


def _linear(node: Expression, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    match node:
        case Sum():
            pass
        case Prime(argument):
            if together.state or together.data:
                what = tr("a state, whose rate is stated") if together.state else tr("data, which have no derivative")
                report(
                    node,
                    tr(
                        "the derivative of {argument} was met, and it contains {what}",
                        argument=short(argument),
                        what=what,
                    ),
                )
                return UNKNOWN
            if together.degree:
                message = tr(
                    "the derivative of {argument}, which contains speeds, would be an acceleration",
                    argument=short(argument),
                )
                report(node, tr("{message}, which only outputs and events may contain", message=message))
                return UNKNOWN
            return _being(together, kinds[0].what, int(together.coordinates))
        case Vector():
            for child, kind in zip(node.children, kinds, strict=True):
                if kind.what == "vector":
                    return _mixed(
                        child,
                        tr("{child} is a vector, and the entries of [ , , ] are scalars", child=short(child)),
                        report,
                    )
            return _being(together, "vector", together.degree)
    first = kinds[0].what
    for child, kind in zip(node.children, kinds, strict=True):
        if kind.what != first:
            return _mixed(
                child,
                tr(
                    "{children} is a {first} and {child} a {what}; the two cannot be added",
                    children=short(node.children[0]),
                    first=tr(first or ""),
                    child=short(child),
                    what=kind.told,
                ),
                report,
            )
    return _being(together, first, together.degree)


def _product(node: Product, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    vectors = [child for child, kind in zip(node.factors, kinds, strict=True) if kind.what == "vector"]
    if len(vectors) > 1:
        message = tr(
            "{vectors} and {vectors2} are both vectors; their product is dot( , ) or cross( , )",
            vectors=short(vectors[0]),
            vectors2=short(vectors[1]),
        )
        return _mixed(vectors[1], message, report)
    degree = min(sum(k.degree for k in kinds), NONLINEAR)
    return _being(together, "vector" if vectors else "scalar", degree)


def _power(node: Power, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    if "vector" in (kinds[0].what, kinds[1].what):
        return _mixed(node, tr("a power contains a vector, and scalars are expected; |v|^2 is dot(v, v)"), report)
    exponent = abs(constant(node.exponent) or 1)
    growth = kinds[0].growth * max(exponent, 1)
    if growth > LARGEST_GROWTH:
        report(
            node,
            tr(
                "nested powers give an exponent of {growth:g}; at most {largest_growth} is expected",
                growth=growth,
                largest_growth=LARGEST_GROWTH,
            ),
        )
        return UNKNOWN
    return replace(together, degree=NONLINEAR if together.degree else 0, growth=growth)


def _condition(node: Expression, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    expected = "scalar" if isinstance(node, Inequality) else "condition"
    for child, kind in zip(node.children, kinds, strict=True):
        if kind.what != expected:
            operator = "" if expected == "scalar" else node.operator  # type: ignore[attr-defined]
            what = tr("{operator} joins conditions", operator=operator) if operator else tr("< compares scalars")
            return _mixed(
                child,
                tr("{what}, and {child} is a {what2}", what=what, child=short(child), what2=kind.told),
                report,
            )
    return replace(together, what="condition", degree=NONLINEAR if together.degree else 0)


def _general(node: Call, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    """if, d, gradient, and a table that names no data (others are already written out)."""
    if node.function == "table":
        met = short(node.arguments[1])
        return _mixed(node, tr("table takes the name of an input from data second, and {met} was met", met=met), report)
    if node.function == "if":
        test, first, second = kinds
        if test.what != "condition":
            message = tr(
                "if takes a condition such as x < 1 first, and {arguments} is a {what}",
                arguments=short(node.arguments[0]),
                what=test.told,
            )
            return _mixed(node.arguments[0], message, report)
        if first.what != second.what:
            message = tr(
                "{arguments} is a {what} and {arguments2} a {what2}",
                arguments=short(node.arguments[1]),
                what=first.told,
                arguments2=short(node.arguments[2]),
                what2=second.told,
            )
            return _mixed(
                node.arguments[2], tr("{message}; the two branches must be of one kind", message=message), report
            )
        degree = NONLINEAR if test.degree else max(first.degree, second.degree)
        return replace(together, what=first.what, degree=degree)
    if node.function == "gradient":
        if kinds[0].what != "scalar":
            return _mixed(
                node,
                tr(
                    "gradient takes a scalar, and {arguments} is a {what}",
                    arguments=short(node.arguments[0]),
                    what=kinds[0].told,
                ),
                report,
            )
        return replace(together, what="vector")
    by = node.arguments[1]
    if not (isinstance(by, (Name, Time)) or (isinstance(by, Prime) and isinstance(by.argument, Name))):
        return _mixed(
            by, tr("d takes a name second, as in d(V, x) or d(T, x'), and {by} was met", by=short(by)), report
        )
    if kinds[1].what != "scalar":
        return _mixed(by, tr("d takes a scalar second, and {by} is a {what}", by=short(by), what=kinds[1].told), report)
    degree = kinds[0].degree - (1 if kinds[0].degree == 1 and isinstance(by, Prime) else 0)
    return replace(together, what=kinds[0].what, degree=degree)


def _call(node: Call, kinds: tuple[Kind, ...], together: Kind, report: Report) -> Kind:
    if node.function in GENERAL_FUNCTIONS:
        return _general(node, kinds, together, report)
    expected = "vector" if node.function in ("dot", "cross", "norm") else "scalar"
    for child, kind in zip(node.arguments, kinds, strict=True):
        if kind.what != expected:
            return _mixed(
                child,
                tr(
                    "{function} takes a {expected}, and {child} is a {what}",
                    function=node.function,
                    expected=expected,
                    child=short(child),
                    what=kind.told,
                ),
                report,
            )
    if node.function in ("dot", "cross"):
        degree = min(sum(k.degree for k in kinds), NONLINEAR)
        return _being(together, "scalar" if node.function == "dot" else "vector", degree)
    return _being(together, together.what, NONLINEAR if together.degree else 0)


def _mixed(node: Expression, message: str, report: Report) -> Kind:
    report(node, message)
    return UNKNOWN


def short(node: Expression) -> str:
    """An expression, short enough for a message."""
    written = text(node)
    return written if len(written) <= 30 else written[:14] + "…" + written[-14:]
