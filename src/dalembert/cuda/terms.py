"""Expressions of the kernels' Python as C++ terms with their kinds."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.cuda.kinds import (
    REAL,
    TRUTH,
    WHOLE,
    Array,
    Kind,
    Known,
    Numbers,
    Record,
    Row,
    Untranslatable,
    joined,
    literal,
    member,
    plain,
)

if TYPE_CHECKING:
    from dalembert.cuda.translate import Translator

Term = tuple[str, Kind]
FUNCTIONS = {
    np.sqrt: "sqrt", np.hypot: "hypot", np.sin: "sin", np.cos: "cos", np.isfinite: "is_finite", np.isnan: "is_nan",
}  # fmt: skip
OPERATORS: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", lambda a, b: a + b),
    ast.Sub: ("-", lambda a, b: a - b),
    ast.Mult: ("*", lambda a, b: a * b),
    ast.Div: ("/", lambda a, b: a / b),
    ast.FloorDiv: ("/", lambda a, b: a // b),
    ast.Mod: ("%", lambda a, b: a % b),
    ast.BitOr: ("|", lambda a, b: a | b),
    ast.BitAnd: ("&", lambda a, b: a & b),
}
COMPARISONS: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", lambda a, b: a < b),
    ast.LtE: ("<=", lambda a, b: a <= b),
    ast.Gt: (">", lambda a, b: a > b),
    ast.GtE: (">=", lambda a, b: a >= b),
    ast.Eq: ("==", lambda a, b: a == b),
    ast.NotEq: ("!=", lambda a, b: a != b),
}


def known(value: Any, *sources: Kind) -> Term:
    kind = Known(value, any(isinstance(s, Known) and s.fixed for s in sources))
    return literal(value) if isinstance(value, (bool, int, float)) else "", kind


def kept(kind: Kind) -> Kind:
    """What of a value stays known where it is handed on: sizes of the model, and what decides; no other numbers."""
    if isinstance(kind, Known) and isinstance(kind.value, (int, float)):
        return kind if kind.fixed or isinstance(kind.value, bool) else plain(kind)
    return kind


class Terms:
    """Terms in the scope of one function: `names` are its variables, `scope` its module's."""

    def __init__(self, translator: Translator, scope: dict[str, Any]):
        self.translator = translator
        self.scope = scope
        self.names: dict[str, Kind] = {}
        self.chosen: dict[str, Known] = {}  # variables of loops whose turns are written one after the other
        self.lines: list[str] = []
        self.count = 0

    def keep(self, code: str) -> str:
        self.count += 1
        self.lines.append(f"const auto kept{self.count} = {code};")
        return f"kept{self.count}"

    def term(self, node: ast.expr) -> Term:
        method = getattr(self, f"on_{type(node).__name__}", None)
        if method is None:
            raise Untranslatable(f"line {node.lineno}: {ast.unparse(node)}")
        return method(node)

    def on_Constant(self, node: ast.Constant) -> Term:
        return known(node.value)

    def on_Name(self, node: ast.Name) -> Term:
        if node.id in self.chosen:
            return known(self.chosen[node.id].value, self.chosen[node.id])
        if node.id in self.names:
            kind = self.names[node.id]
            return (known(kind.value)[0], kind) if isinstance(kind, Known) else (f"{node.id}_", kind)
        return self.outer(self.found(node))

    def found(self, node: ast.expr) -> Any:
        """The Python value of a name of the module, or of a module's."""
        if isinstance(node, ast.Name):
            if node.id in self.scope:
                return self.scope[node.id]
            builtins = self.scope["__builtins__"]
            return (builtins if isinstance(builtins, dict) else vars(builtins))[node.id]
        assert isinstance(node, ast.Attribute)
        return getattr(self.found(node.value), node.attr)

    def outer(self, value: Any) -> Term:
        if isinstance(value, np.ndarray):
            return "", Known(Numbers(value), True)
        if isinstance(value, (bool, int, float)):
            return known(value)
        return "", Known(value)

    def on_Attribute(self, node: ast.Attribute) -> Term:
        if self.is_outer(node.value):
            return self.outer(self.found(node))
        if node.attr == "data" and isinstance(node.value, ast.Attribute) and node.value.attr == "ctypes":
            code, kind = self.term(node.value.value)
            return f"{code}.p", kind
        code, kind = self.term(node.value)
        if isinstance(kind, Record):
            inner = kind[node.attr]
            return (
                (known(inner.value, inner)[0], inner)
                if isinstance(inner, Known)
                else (member(code, kind, node.attr), inner)
            )
        if isinstance(kind, Array) and node.attr == "shape":
            first = (f"{code}.n", WHOLE) if kind.length is None else known(kind.length, Known(0, True))
            sizes = [first, *(known(size, Known(0, True)) for size in kind.inner)]
            return code, Row(tuple(k for _, k in sizes))
        if isinstance(kind, Known) and isinstance(kind.value, Numbers) and node.attr == "shape":
            return "", Row(tuple(Known(size, True) for size in kind.value.values.shape))
        if isinstance(kind, Known):
            return known(getattr(kind.value, node.attr))
        raise Untranslatable(f"line {node.lineno}: {ast.unparse(node)}")

    def is_outer(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute):
            return self.is_outer(node.value)
        return (
            isinstance(node, ast.Name)
            and node.id not in self.names
            and node.id not in self.chosen
            and isinstance(self.found(node), ModuleType)
        )

    def on_Subscript(self, node: ast.Subscript) -> Term:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            code, kind = self.term(node.value)
            assert isinstance(kind, Row) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int)
            entry = kind.entries[node.slice.value]
            return (literal(entry.value), entry) if isinstance(entry, Known) else (f"{code}.n", WHOLE)
        code, kind = self.term(node.value)
        if isinstance(kind, Row):
            index = self.term(node.slice)[1]
            assert isinstance(index, Known)
            entry = kind.entries[index.value]
            return (
                (known(entry.value, entry)[0], entry)
                if isinstance(entry, Known)
                else (f"{code}.at{index.value}", entry)
            )
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(kind, Known) and isinstance(kind.value, Numbers):
            return self.looked_up(kind.value, [self.term(place) for place in places])
        if not isinstance(kind, Array):
            raise Untranslatable(f"line {node.lineno}: {ast.unparse(node)}")
        if isinstance(node.slice, ast.Slice):
            return self.sliced(code, kind, node.slice)
        for place in places:
            code = f"{code}[{self.term(place)[0]}]"
        rest = kind.inner[len(places) - 1 :]
        return code, Array(kind.item, rest[0], rest[1:]) if rest else kind.item

    def looked_up(self, numbers: Numbers, places: list[Term]) -> Term:
        """An entry of what is known."""
        if all(isinstance(kind, Known) for _, kind in places):
            entry = numbers.values[tuple(kind.value for _, kind in places)]  # type: ignore[union-attr]
            return known(entry.item(), Known(0, True))
        code = self.translator.table(numbers)
        for place, _ in places:
            code = f"{code}[{place}]"
        return code, REAL if numbers.values.dtype.kind == "f" else WHOLE

    def sliced(self, code: str, kind: Array, part: ast.Slice) -> Term:
        """Rows from `lower` on, or up to `upper`."""
        lower = self.term(part.lower) if part.lower else known(0)
        upper = self.term(part.upper) if part.upper else (f"{code}.n", WHOLE)
        if not part.upper and kind.length is not None:
            upper = known(kind.length)
        inner = "".join(f"*{size}" for size in kind.inner)
        start = code + ".p" if lower[0] == "0" else f"{code}.p + ({lower[0]}){inner}"
        if isinstance(lower[1], Known) and isinstance(upper[1], Known):
            found = Array(kind.item, upper[1].value - lower[1].value, kind.inner)
            return f"{self.translator.cpp(found)}{{{start}}}", found
        found = Array(kind.item, None, kind.inner)
        return f"{self.translator.cpp(found)}{{{start}, {upper[0]} - ({lower[0]})}}", found

    def on_Tuple(self, node: ast.Tuple) -> Term:
        terms = [self.term(e) for e in node.elts]
        kind = Row(tuple(k if isinstance(k, Known) and k.value is None else plain(k) for _, k in terms))
        return f"{self.translator.cpp(kind)}{{{', '.join(code for code, _ in terms)}}}", kind

    def on_UnaryOp(self, node: ast.UnaryOp) -> Term:
        code, kind = self.term(node.operand)
        if isinstance(kind, Known):
            value = {ast.USub: lambda v: -v, ast.Not: lambda v: not v}[type(node.op)](kind.value)
            return known(value, kind)
        return (f"(!{code})", TRUTH) if isinstance(node.op, ast.Not) else (f"(-{code})", kind)

    def on_BinOp(self, node: ast.BinOp) -> Term:
        (a, left), (b, right) = self.term(node.left), self.term(node.right)
        if isinstance(node.op, ast.Pow):
            return self.power(a, left, b, right)
        if type(node.op) not in OPERATORS:
            raise Untranslatable(f"line {node.lineno}: {ast.unparse(node)}")
        sign, work = OPERATORS[type(node.op)]
        if isinstance(left, Known) and isinstance(right, Known):
            return known(work(left.value, right.value), left, right)
        kind = REAL if isinstance(node.op, ast.Div) else joined(plain(left), plain(right))
        if isinstance(node.op, ast.Div):
            a, b = (f"(double)({code})" if plain(k) == WHOLE else code for code, k in ((a, left), (b, right)))
        return f"({a} {sign} {b})", kind

    def power(self, a: str, left: Kind, b: str, right: Kind) -> Term:
        if isinstance(left, Known) and isinstance(right, Known):
            return known(left.value**right.value, left, right)
        if isinstance(right, Known) and right.value == 2:
            return f"squared({a})", plain(left)
        return f"pow({a}, {b})", REAL

    def on_BoolOp(self, node: ast.BoolOp) -> Term:
        both = isinstance(node.op, ast.And)
        codes: list[str] = []
        sources: list[Kind] = []
        for value in node.values:
            code, kind = self.term(value)
            if isinstance(kind, Known):
                sources.append(kind)
                if bool(kind.value) != both:
                    if not codes:
                        return known(bool(kind.value), Known(0, True))
                    codes.append("false" if both else "true")
                    break
                continue
            codes.append(code)
        if not codes:
            return known(both, *sources)
        return f"({(' && ' if both else ' || ').join(codes)})", TRUTH

    def on_Compare(self, node: ast.Compare) -> Term:
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            _, kind = self.term(node.left)
            nothing = isinstance(kind, Known) and kind.value is None
            return known(nothing == isinstance(node.ops[0], ast.Is), Known(0, True))
        code, kind = self.term(node.left)
        if isinstance(node.ops[0], ast.In):
            places = node.comparators[0]
            assert isinstance(places, ast.Tuple)
            return "(" + " || ".join(f"{code} == {self.term(e)[0]}" for e in places.elts) + ")", TRUTH
        parts = []
        for operator, other in zip(node.ops, node.comparators, strict=True):
            sign, work = COMPARISONS[type(operator)]
            right, right_kind = self.term(other)
            if isinstance(kind, Known) and isinstance(right_kind, Known) and len(node.ops) == 1:
                return known(bool(work(kind.value, right_kind.value)), kind, right_kind)
            parts.append(f"({code} {sign} {right})")
            code, kind = right, right_kind
        return (parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"), TRUTH

    def on_IfExp(self, node: ast.IfExp) -> Term:
        test, kind = self.term(node.test)
        if isinstance(kind, Known):
            return self.term(node.body if kind.value else node.orelse)
        (a, left), (b, right) = self.term(node.body), self.term(node.orelse)
        both = plain(joined(left, right)) if not isinstance(left, (Array, Record, Row)) else joined(left, right)
        a, b = (self.translator.structures.converted(c, k, both, self.keep) for c, k in ((a, left), (b, right)))
        return f"({test} ? {a} : {b})", both

    def on_Call(self, node: ast.Call) -> Term:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "finfo":
            return "", Known(np.finfo(np.float64))
        function = self.found(node.func)
        if function in (max, min, abs, float, int, bool):
            return self.builtin(function, [self.term(a) for a in node.args])
        if function is np.finfo:
            return "", Known(np.finfo(np.float64))
        if function in FUNCTIONS:
            codes = [f"(double)({self.term(a)[0]})" for a in node.args]
            return f"{FUNCTIONS[function]}({', '.join(codes)})", TRUTH if function in (np.isfinite, np.isnan) else REAL
        if function in self.translator.spread:  # whose last argument is a tuple of arguments
            assert isinstance(node.args[-1], ast.Tuple)
            arguments = [self.term(a) for a in node.args[-1].elts]
            return self.translator.spread[function](self.translator, arguments, self)
        terms = [self.term(a) for a in node.args]
        if isinstance(function, type) and hasattr(function, "_fields"):
            return self.made(function, terms)
        if not isinstance(function, FunctionType) and not callable(function):
            raise Untranslatable(f"line {node.lineno}: {ast.unparse(node)}")
        return self.translator.called(function, terms, self)

    def builtin(self, function: Any, terms: list[Term]) -> Term:
        if all(isinstance(k, Known) for _, k in terms):
            return known(function(*(k.value for _, k in terms)), *(k for _, k in terms))  # type: ignore[union-attr]
        if function in (float, int, bool):
            into = {float: REAL, int: WHOLE, bool: TRUTH}[function]
            return f"({into.cpp})({terms[0][0]})", into
        kind = plain(terms[0][1])
        if function is abs:
            return f"{'fabs' if kind == REAL else 'abs'}({terms[0][0]})", kind
        code = terms[0][0]
        for other, right in terms[1:]:
            kind = joined(kind, plain(right))
            code = f"{'greater' if function is max else 'smaller'}<{self.translator.cpp(kind)}>({code}, {other})"
        return code, kind

    def made(self, record: Any, terms: list[Term]) -> Term:
        """A named tuple."""
        kinds = [
            k
            if isinstance(k, Known) and (k.fixed or not isinstance(k.value, (int, float)) or isinstance(k.value, bool))
            else plain(k)
            for _, k in terms
        ]
        kind = Record(record.__name__, tuple(zip(record._fields, kinds, strict=True)))
        codes = [code for (code, _), k in zip(terms, kinds, strict=True) if not isinstance(k, Known)]
        return f"{self.translator.cpp(kind)}{{{', '.join(codes)}}}", kind
