"""SymEngine expressions as C++: common parts once, sines with their cosines, powers by products.

`symengine.cse` over all outputs of a function together; quotients of a product are joined into one; a root or a
reciprocal of the same base is taken once. Branches (Piecewise) are selected, never jumped to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.compile.tape import tape
from dalembert.cuda.writer import Cell, Writer, number, text

FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "log": "log", "exp": "exp", "Abs": "fabs", "sign": "sign_of", "asinh": "asinh",
    "acosh": "acosh", "atanh": "atanh", "atan2": "atan2",
}  # fmt: skip
RELATIONS = {"StrictLessThan": "<", "LessThan": "<=", "Equality": "==", "Unequality": "!="}


def write(
    writer: Writer, inputs: Mapping[Any, str], outputs: Sequence[Any], defined: Mapping[Any, Any] | None = None
) -> list[Cell]:
    """The values of `outputs` where each symbol of `inputs` is the C++ text given for it.

    Symbols of `defined` stand for expressions, each written once, when it is first needed.
    """
    import symengine

    defined = defined or {}
    roots = [symengine.sympify(e) for e in (*defined.values(), *outputs)]
    tape([*inputs, *defined], roots)  # refuses, with a sentence, what has no value
    safe = {symbol: symengine.Symbol(f"in {i}") for i, symbol in enumerate((*inputs, *defined))}
    shared, roots = symengine.cse([e.xreplace(safe) for e in roots])
    used = set().union(*(e.free_symbols for _, e in shared), *(e.free_symbols for e in roots))
    names = {safe[s]: writer.named(place) for s, place in inputs.items() if safe[s] in used}  # each is read once
    scribe = _Scribe(writer, names)
    scribe.pair([e for _, e in shared] + list(roots))
    if defined:
        scribe.waiting = dict(shared) | dict(zip((safe[s] for s in defined), roots, strict=False))
    else:
        for symbol, e in shared:
            scribe.cells[symbol] = scribe.cell(e)
    return [scribe.cell(e) for e in roots[len(defined) :]]


class _Scribe:
    """Walks expressions and writes them; `cells` are symbols with their values."""

    def __init__(self, writer: Writer, inputs: Mapping[Any, str]):
        self.writer = writer
        self.cells: dict[Any, Cell] = dict(inputs)
        self.waiting: dict[Any, Any] = {}  # symbols that are written when they are first met
        self.pairs: set[Any] = set()

    def pair(self, expressions: Sequence[Any]) -> None:
        """Which arguments have both a sine and a cosine somewhere."""
        seen: dict[str, set[Any]] = {"sin": set(), "cos": set()}
        stack, done = list(expressions), set()
        while stack:
            node = stack.pop()
            if node in done:
                continue
            done.add(node)
            kind = type(node).__name__
            if kind in seen:
                seen[kind].add(node.args[0])
            stack.extend(node.args)
        self.pairs = seen["sin"] & seen["cos"]

    def cell(self, node: Any) -> Cell:
        """The value of a node: a number, or the name of a variable that holds it."""
        if node in self.cells:
            return self.cells[node]
        if node in self.waiting:
            self.cells[node] = self.cell(self.waiting[node])
            return self.cells[node]
        kind = type(node).__name__
        if not node.args or kind in {"Integer", "Rational", "RealDouble", "RealMPFR"}:
            return float(node)
        found = self.operation(kind, node)
        self.cells[node] = found
        return found

    def operation(self, kind: str, node: Any) -> Cell:
        if kind == "Add":
            return self.sum(node)
        if kind == "Mul":
            return self.product(node)
        if kind == "Pow":
            return self.power(*node.args)
        if kind == "Piecewise":
            return self.branches(node)
        if kind in {"Max", "Min"}:
            names = [text(self.cell(a)) for a in node.args]
            expression = names[0]
            for name in names[1:]:
                expression = f"{'greater' if kind == 'Max' else 'smaller'}({expression}, {name})"
            return self.writer.counted(expression, compare=len(names) - 1)
        if kind in RELATIONS or kind in {"And", "Or", "Not"}:
            return self.condition(node)
        if kind in {"sin", "cos"} and node.args[0] in self.pairs:
            return self.sine_and_cosine(kind, node.args[0])
        arguments = ", ".join(text(self.cell(a)) for a in node.args)
        return self.writer.counted(f"{FUNCTIONS[kind]}({arguments})", **{FUNCTIONS[kind]: 1})

    def sine_and_cosine(self, kind: str, argument: Any) -> Cell:
        writer = self.writer
        angle = text(self.cell(argument))
        place = f"sincos({angle})"
        if place not in writer.known:
            name = f"{writer.prefix}{len(writer.known)}"
            writer.known[place] = name
            writer.lines.append(f"double {name}s, {name}c; sine_and_cosine({angle}, {name}s, {name}c);")
            writer.operations.update(sincos=1)
        return writer.known[place] + ("s" if kind == "sin" else "c")

    def sum(self, node: Any) -> Cell:
        constant, parts = 0.0, []
        for term in node.args:
            if term.is_number:
                constant += float(term)
                continue
            sign, factor = 1, term
            if type(term).__name__ == "Mul" and term.args[0].is_number and float(term.args[0]) == -1.0:
                sign, factor = -1, term / term.args[0]
            value = self.cell(factor)
            if isinstance(value, float):
                constant += sign * value
            else:
                parts.append((sign, value, self.is_product(factor)))
        if not parts:
            return constant
        parts.sort(key=lambda part: (part[2], -part[0]))  # to what stands there, products are added as they are made
        expression = number(constant) if constant != 0.0 else ""
        for sign, name, _ in parts:
            expression += f" {'+' if sign > 0 else '-'} {name}" if expression else ("-" if sign < 0 else "") + name
        if expression == parts[0][1]:
            return expression
        return self.writer.counted(expression, add=len(parts) - (constant == 0.0))

    def is_product(self, node: Any) -> bool:
        return type(self.waiting.get(node, node)).__name__ in {"Mul", "Pow"}

    def product(self, node: Any) -> Cell:
        """Numerator and denominator apart, and one quotient."""
        constant, above, below = 1.0, [], []
        for factor in node.args:
            if factor.is_number:
                constant *= float(factor)
            elif type(factor).__name__ == "Pow" and factor.args[1].is_number and float(factor.args[1]) < 0:
                below.append(self.power(factor.args[0], -factor.args[1]))
            else:
                above.append(self.cell(factor))
        return self.quotient(constant, above, below)

    def quotient(self, constant: float, above: list[Cell], below: list[Cell]) -> Cell:
        writer = self.writer
        numerator: Cell = 1.0
        for cell in above:
            numerator = writer.multiply(numerator, cell)
        if not below:
            return writer.multiply(constant, numerator)
        denominator: Cell = 1.0
        for cell in below:
            denominator = writer.multiply(denominator, cell)
        numerator = writer.multiply(constant, numerator)
        if isinstance(denominator, float):
            return writer.multiply(numerator, 1.0 / denominator)
        if numerator == 1.0:
            return writer.reciprocal(denominator)
        return writer.counted(f"quotient({text(numerator)}, {denominator})", divide=1)

    def power(self, base: Any, exponent: Any) -> Cell:
        writer = self.writer
        if exponent.is_Rational and (2 * exponent).is_Integer and type(base).__name__ == "Pow" and base.args[1] == 2:
            inner = self.cell(base.args[0])  # a root of a square
            size = abs(inner) if isinstance(inner, float) else writer.named(f"fabs({inner})")
            whole = self.whole_power(size, abs(int(2 * exponent)))
            return writer.reciprocal(whole) if exponent < 0 else whole
        name = self.cell(base)
        if not exponent.is_number:
            return writer.counted(f"pow({text(name)}, {text(self.cell(exponent))})", pow=1)
        value = Fraction(str(exponent)) if exponent.is_Rational else None
        if value is None or value.denominator > 2 or abs(value) > 64:
            return writer.counted(f"pow({text(name)}, {number(float(exponent))})", pow=1)
        if value < 0:
            if value == Fraction(-1, 2):
                return writer.counted(f"reciprocal_root({text(name)})", root=1)
            return writer.reciprocal(self.power(base, -exponent))
        found = self.whole_power(name, int(value))
        if value.denominator == 2:
            found = writer.multiply(found, writer.counted(f"sqrt({text(name)})", root=1))
        return found

    def whole_power(self, base: Cell, exponent: int) -> Cell:
        """By squares."""
        found: Cell = 1.0
        square = base
        while exponent:
            if exponent & 1:
                found = self.writer.multiply(found, square)
            exponent >>= 1
            if exponent:
                square = self.writer.multiply(square, square)
        return found

    def branches(self, node: Any) -> Cell:
        pairs = list(zip(node.args[::2], node.args[1::2], strict=True))
        expression = "NAN"
        for value, condition in reversed(pairs):
            expression = f"({self.condition(condition)} ? {text(self.cell(value))} : {expression})"
        return self.writer.counted(expression, compare=len(pairs))

    def condition(self, node: Any) -> str:
        kind = type(node).__name__
        if kind in {"BooleanTrue", "BooleanFalse"}:
            return "true" if kind == "BooleanTrue" else "false"
        if kind in RELATIONS:
            shared = [a for a in node.args if type(a).__name__ != "BooleanTrue"]
            if len(shared) == 1:  # a condition that several cases share, which `cse` names and writes: name == True
                return text(self.cell(shared[0]))
            return f"({text(self.cell(node.args[0]))} {RELATIONS[kind]} {text(self.cell(node.args[1]))})"
        if kind == "Not":
            return f"(!{self.condition(node.args[0])})"
        return "(" + (" && " if kind == "And" else " || ").join(self.condition(a) for a in node.args) + ")"
