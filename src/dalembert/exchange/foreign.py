"""Equations from other sources as text of the model language: plain text, text of SymPy, or SymPy's objects.

Text of SymPy is in Python's notation: `m*Derivative(x(t), (t, 2)) + k*x(t)`, output of `srepr`, or a script that names
symbols and then equations. It is parsed into Python's syntax tree and read from there. It is never executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dalembert.errors import ModelError
from dalembert.expressions.limits import LONGEST
from dalembert.expressions.parse import shown
from dalembert.language import tr

FUNCTIONS = {name: name for name in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt sign".split()} | {
    "Abs": "abs", "Min": "min", "Max": "max", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh"}  # fmt: skip
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}
NARY = {"Add": " + ", "Mul": "*", "Pow": "^"}
SEVERAL = ("Matrix", "ImmutableMatrix", "MutableDenseMatrix", "ImmutableDenseMatrix")
NAMING = ("symbols", "dynamicsymbols", "Symbol", "Function", "var")
ASKED = ("equations", "eom", "eoms", "eqs", "eqns")
SYMPYS = re.compile(r"\b(Derivative|Matrix|Symbol|Function|Eq)\s*\(|\(t\)|\*\*")


def equations_of(thing: Any) -> list[str]:
    """Equations, each as text `left = right`, or as an expression that must be zero."""
    if isinstance(thing, Path):
        if not thing.is_file():
            raise ModelError("there is no file {thing}", thing=shown(str(thing)))
        if thing.stat().st_size > 50 * LONGEST:
            raise ModelError(
                "{thing} has more than {value} letters; give fewer equations",
                thing=shown(str(thing)),
                value=50 * LONGEST,
            )
        return _of_text(thing.read_text(encoding="utf-8"), thing.suffix == ".py")
    if isinstance(thing, str):
        return _of_text(thing, False)
    if isinstance(thing, (list, tuple)) and all(isinstance(one, str) for one in thing):
        return [text for one in thing for text in _of_text(one, False)]
    return _of_objects(thing)


def _of_text(text: str, script: bool) -> list[str]:
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if script or any(SYMPYS.search(line) for line in lines):
        return _Script().read(text)
    return [re.sub(r"\blambda\.", "multiplier.", line) for line in lines]


def _of_objects(thing: Any) -> list[str]:
    """SymPy's matrices, lists, equations, LagrangesMethod and KanesMethod."""
    import sympy

    kind = type(thing).__name__
    if kind == "LagrangesMethod":
        thing = thing.eom
    elif kind == "KanesMethod":
        thing = _kane(thing)
    elif kind == "SympyEquations":
        thing = thing.equations
    try:
        text = sympy.srepr(sympy.Matrix(list(thing)) if hasattr(thing, "__iter__") else sympy.sympify(thing))
    except (sympy.SympifyError, TypeError, AttributeError):
        raise ModelError(
            "{kind} was met; equations are text, a file, SymPy's expressions, a LagrangesMethod or a KanesMethod",
            kind=kind,
        ) from None
    return _Script().read(text)


def _kane(method: Any) -> Any:
    """fr + fr* with the rates of the coordinates in place of the speeds."""
    import sympy

    from dalembert.exchange.sympy_mechanics import speeds_of

    if method.bodies is None:
        raise ModelError("the KanesMethod has no equations yet; call its kanes_equations(bodies, loads) first")
    t = sympy.Symbol("t")
    dots = [entry.diff(t) for entry in method.q]
    speeds = speeds_of(dots, list(method.u), method.kindiffdict())
    found = method._fr + method._frstar
    return found.subs({u.diff(t): value.diff(t) for u, value in speeds.items()}).subs(speeds)


class _Script:
    """Reads Python's notation, statement by statement."""

    def __init__(self) -> None:
        self.known: dict[str, list[str]] = {}  # variables, and the expressions they stand for

    def read(self, text: str) -> list[str]:
        try:
            tree = ast.parse(text.strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            raise ModelError(
                "line {line} of the equations cannot be read as an expression of SymPy", line=line
            ) from None
        found: list[str] = []
        for statement in tree.body:
            match statement:
                case ast.Import() | ast.ImportFrom():
                    continue
                case ast.Expr(value=ast.Constant(value=str())):
                    continue  # a docstring
                case ast.Expr(value=value):
                    found += self.all(value)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call) if _called(call) in NAMING:
                    self._name([target.id for target in targets if isinstance(target, ast.Name)], call)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if _called(call) in NAMING:
                    self._name([name], call)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.known[name] = self.all(value)
                case _:
                    raise self._fault(statement, tr("is not an equation; write one equation per line"))
        asked = next((self.known[name] for name in ASKED if name in self.known), None)
        return found or asked or [one for texts in self.known.values() for one in texts][-1:]

    def _name(self, variables: list[str], call: ast.Call) -> None:
        """`m, x = symbols("m x")`: the variables stand for quantities of these names."""
        given = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else ""
        names = str(given).replace(",", " ").split()
        if len(names) != len(variables):
            raise self._fault(call, tr("names a different number of quantities than variables"))
        self.known |= {variable: [name] for variable, name in zip(variables, names, strict=True)}

    def all(self, node: ast.expr) -> list[str]:
        """The expressions of a matrix or a list, or the single one."""
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [text for part in parts for text in self.all(part)]
            case ast.Call(args=parts) if _called(node) == "Tuple":
                return [text for part in parts for text in self.all(part)]
            case ast.Call(args=[first, *_]) if _called(node) in SEVERAL:
                rows = node.args[-1] if len(node.args) == 3 else first
                return self.all(rows)
            case ast.Name(id=name) if len(self.known.get(name, ())) > 1:
                return self.known[name]
        return [self.one(node)]

    def one(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=bool() | None):
                pass
            case ast.Constant(value=int() | float() as value):
                return repr(value)
            case ast.Name(id=name):
                (text,) = self.known.get(name, [name])
                return text if re.fullmatch(r"[\w.']+", text) else f"({text})"
            case ast.Attribute(attr="pi"):
                return "pi"
            case ast.Attribute(value=ast.Name(id=name)) if name.startswith("lam"):
                return _plain(ast.unparse(node))
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return f"(-{self.one(part)})"
            case ast.UnaryOp(op=ast.UAdd(), operand=part):
                return self.one(part)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return f"({self.one(left)} {OPERATORS[type(op)]} {self.one(right)})"
            case ast.Call():
                return self._call(node)
        raise self._fault(node, tr("cannot be read"))

    def _call(self, node: ast.Call) -> str:
        name, arguments = _called(node), node.args
        if name in FUNCTIONS:
            return f"{FUNCTIONS[name]}({', '.join(map(self.one, arguments))})"
        match name, arguments:
            case "Eq" | "Equality", [left, right]:
                return f"({self.one(left)} - ({self.one(right)}))"
            case "Derivative", [what, *by]:
                return self.one(what) + "'" * self._order(by)
            case "diff", by if isinstance(node.func, ast.Attribute):
                return self.one(node.func.value) + "'" * self._order(by)
            case "Symbol", [ast.Constant(value=str(text)), *_]:
                return _plain(text)
            case "Integer", [ast.Constant() | ast.UnaryOp() as value]:
                return self.one(value)
            case "Float", [ast.Constant(value=str() | float() | int() as value), *_]:
                return repr(float(value))
            case "Rational", [above, below]:
                return f"({self.one(above)}/{self.one(below)})"
            case "Rational" | "sympify" | "S", [value]:
                return self.one(value)
            case ("Add" | "Mul" | "Pow") as kind, parts if parts:
                return f"({NARY[kind].join(map(self.one, parts))})"
        if len(arguments) == 1 and self.one(arguments[0]) == "t":  # a coordinate
            if isinstance(node.func, ast.Name):
                return self.one(node.func)
            if isinstance(node.func, ast.Attribute):
                return _plain(ast.unparse(node.func))
            if isinstance(node.func, ast.Call) and _called(node.func) == "Function":
                (given, *_) = node.func.args
                return _plain(str(given.value)) if isinstance(given, ast.Constant) else self.one(given)
        raise self._fault(node, tr("is not a function of the model language"))

    def _order(self, by: list[ast.expr]) -> int:
        """The number of derivatives with respect to t."""
        order = 0
        parts = list(self._parts(by))
        for place, part in enumerate(parts):
            if part == "t":
                follows = parts[place + 1] if place + 1 < len(parts) else "t"
                order += int(follows) if follows.isdigit() else 1
            elif not part.isdigit():
                raise ModelError(
                    "a derivative with respect to {part} was met; only those with respect to t are known",
                    part=shown(part),
                )
        return order

    def _parts(self, by: list[ast.expr]) -> Iterator[str]:
        for part in by:
            yield from self.all(part)

    def _fault(self, node: ast.AST, what: str) -> ModelError:
        line = getattr(node, "lineno", 1)
        return ModelError(
            "line {line} of the equations: {unparse} {what}",
            line=line,
            unparse=shown(ast.unparse(node)[:60]),
            what=what,
        )


def _plain(name: str) -> str:
    """A multiplier's name in a form that the model language allows."""
    return re.sub(r"\W", "_", name) if name.startswith("lam") else name


def _called(node: ast.Call) -> str:
    """The last name of the called function."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
