"""Equations from a C function. Its text is read, and never compiled or executed.

The function computes accelerations, statement by statement without branches and loops:

    void slopes(double t, const double *q, const double *v, const double *p, double *a) {
      double s = sin(q[0]);
      a[0] = -p[1] / p[0] * s;
    }

Arrays q, v, p and a have the coordinates, speeds, parameters and accelerations in the order of the model. Names of the
model stand for themselves, with theta_dot and theta_ddot for their derivatives. Every computed value becomes a
definition, so that nothing is expanded twice.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.exchange.foreign import FUNCTIONS, OPERATORS
from dalembert.expressions.limits import LONGEST
from dalembert.expressions.parse import shown
from dalembert.language import tr
from dalembert.model.record import ModelRecord

ARRAYS = {
    **dict.fromkeys(("q", "x", "pos"), ""), **dict.fromkeys(("v", "qd", "dq", "qdot", "q_dot", "vel"), "'"),
    **dict.fromkeys(("a", "qdd", "ddq", "qddot", "q_ddot", "acc"), "''"),
    **dict.fromkeys(("p", "par", "params", "parameters"), "p"),
}  # fmt: skip
CALLS = FUNCTIONS | {"fabs": "abs", "fmin": "min", "fmax": "max"}
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*", re.DOTALL | re.MULTILINE)
TYPES = re.compile(r"^(?:(?:const|static|register)\s+)*(?:double|float)\b")
ASSIGNED = re.compile(r"^\*?\s*(\w+)\s*(?:\[\s*(\w+)\s*\])?\s*([-+*/]?)=(?!=)\s*(.+)$", re.DOTALL)


def equations_in(path: Path, function: str, record: ModelRecord) -> list[str]:
    """The equations q'' = … of a function, after their definitions."""
    if not path.is_file():
        raise ModelError("there is no file {thing}", thing=shown(str(path)))
    text = COMMENTS.sub(" ", path.read_text(encoding="utf-8")[: 50 * LONGEST])
    found = re.search(rf"\b{re.escape(function)}\s*\([^)]*\)\s*\{{", text)
    if found is None:
        raise ModelError("{path} has no function {name}", path=shown(str(path)), name=shown(function))
    body, sign, _ = text[found.end() :].partition("}")
    if not sign or "{" in body:
        raise ModelError("{name} has branches or loops; audit reads only plain statements", name=shown(function))
    return list(_Function(record).read(body))


class _Function:
    def __init__(self, record: ModelRecord) -> None:
        self.coordinates, self.parameters = list(record.coordinates), list(record.parameters)
        self.names = {name: name for name in (*self.parameters, *self.coordinates, "t")} | {"M_PI": "pi"}
        for name in self.coordinates:
            self.names |= {f"{name}_dot": f"{name}'", f"{name}_ddot": f"{name}''"}
        self.count = 0

    def read(self, body: str) -> Iterator[str]:
        accelerations: dict[str, str] = {}
        for statement in filter(None, (part.strip() for part in body.split(";"))):
            if re.match(r"\(\s*void\s*\)|return$", statement):
                continue
            declared = TYPES.match(statement)
            for one in self._declarators(statement[declared.end() :]) if declared else [statement]:
                found = ASSIGNED.match(one.strip())
                if found is None:
                    if declared and re.fullmatch(r"\s*\w+(\s*\[\w+\])?\s*", one):
                        continue
                    raise self._fault(one, tr("is not an assignment"))
                name, index, operation, right = found.groups()
                place = self._place(name, index, one) if index is not None else name
                value = self._value(right)
                if operation:
                    value = f"({self.names.get(place, place)} {operation} ({value}))"
                self.count += 1
                own = f"computed_{self.count}"
                yield f"{own} = {value}"
                target = place if place.endswith("''") else self.names.get(place, "")
                if target.endswith("''"):
                    accelerations[target] = own
                self.names[place] = own
        if not accelerations:
            raise ModelError("the function computes no accelerations: it writes neither a[…] nor NAME_ddot")
        yield from (f"{name} = {own}" for name, own in accelerations.items())

    def _declarators(self, text: str) -> list[str]:
        """Split `x = f(a, b), y` at its outer commas."""
        parts, depth = [""], 0
        for letter in text:
            depth += (letter in "([") - (letter in ")]")
            if letter == "," and depth == 0:
                parts.append("")
            else:
                parts[-1] += letter
        return parts

    def _place(self, name: str, index: str, where: str) -> str:
        """The quantity of the model in an entry of an array; an entry of an unknown array stands for itself."""
        kind = ARRAYS.get(name)
        if kind is None:
            return f"{name}[{index}]"
        own = self.parameters if kind == "p" else self.coordinates
        named = next((one for one in own if index.endswith(f"_{one}")), None)
        if named is None and not (index.isdigit() and int(index) < len(own)):
            raise self._fault(where, tr("has an index that the model has no name for"))
        return (named or own[int(index)]) + ("" if kind == "p" else kind)

    def _value(self, text: str) -> str:
        plain = re.sub(r"\(\s*(?:double|float)\s*\)", "", text)
        plain = re.sub(r"(?<=[\d.])[fFlL]\b", "", plain)
        try:
            return self._one(ast.parse(plain.strip().replace("\n", " "), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self._fault(text, tr("cannot be read")) from None

    def _one(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return repr(value)
            case ast.Name(id=name):
                return self.names.get(name, name)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int() as index)):
                place = self._place(name, str(index), ast.unparse(node))
                return self.names.get(place, place)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=index)):
                place = self._place(name, index, ast.unparse(node))
                return self.names.get(place, place)
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return f"(-{self._one(part)})"
            case ast.UnaryOp(op=ast.UAdd(), operand=part):
                return self._one(part)
            case ast.BinOp(left=ast.Constant(value=int() as a), op=ast.Div(), right=ast.Constant(value=int() as b)) if (
                b
            ):
                return repr(a // b)  # C's division of integers
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS and not isinstance(op, ast.Pow):
                return f"({self._one(left)} {OPERATORS[type(op)]} {self._one(right)})"
            case ast.Call(func=ast.Name(id="pow"), args=[base, power]):
                return f"(({self._one(base)})^({self._one(power)}))"
            case ast.Call(func=ast.Name(id=name), args=parts) if name in CALLS:
                return f"{CALLS[name]}({', '.join(map(self._one, parts))})"
        raise self._fault(ast.unparse(node), tr("cannot be read"))

    def _fault(self, text: str, what: str) -> ModelError:
        return ModelError("in the function, {text} {what}", text=shown(text.strip()[:60]), what=what)
