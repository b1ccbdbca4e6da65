"""Expressions to machine code for several states at once, one in each lane of vectors: void f(double *out, double *in).

`in` and `out` have LANES numbers for every quantity. What happens in a lane depends on that lane alone, and products
and sums are rounded one by one, so a state has the same bits in any lane, in any company, on any machine. Sine and
cosine are fdlibm's polynomials (Sun Microsystems 1993; arguments beyond 2²⁰ quarter turns go to the C library's), other
functions are called lane by lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from llvmlite import ir

LANES = 8
REAL = ir.VectorType(ir.DoubleType(), LANES)
WHOLE = ir.VectorType(ir.IntType(64), LANES)
Value = Any  # a vector in the code, or a float that is known while it is written

CALLED = {name: name for name in "tan asin acos atan sinh cosh tanh asinh acosh atanh exp log atan2 pow".split()}
ORDER = {"StrictLessThan": "<", "LessThan": "<=", "Equality": "==", "Unequality": "!="}
QUARTERS = 0.6366197723675814  # 2/π
PI_HALF = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)  # 33 bits, 33 bits, the rest
SINE = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
        2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)  # fmt: skip
COSINE = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
          -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)  # fmt: skip
MOST_QUARTERS = 2.0**20
ROUNDER = 1.5 * 2.0**52  # added and taken away again, it rounds to a whole number


@dataclass(frozen=True, slots=True)
class WideFunction:
    """Machine code for LANES states; alive as long as this is."""

    inputs: int
    outputs: int
    address: int
    _engine: Any = field(repr=False)


class Writer:
    """Writes one function: values of expressions, and arithmetic in which known numbers are folded."""

    def __init__(self, name: str, inputs: Sequence[Any]):
        self.module = ir.Module(name)
        pointer = ir.DoubleType().as_pointer()
        function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [pointer] * 3), name)
        function.attributes.add("nounwind")
        self.builder = ir.IRBuilder(function.append_basic_block())
        self.out, self.source, _ = function.args  # the third is what plain functions call their data
        self.name, self.inputs, self.outputs = name, len(inputs), 0
        self._places = {symbol: i for i, symbol in enumerate(inputs)}
        self._known: dict[Any, Value] = {}
        self._turns: dict[Any, tuple[Value, Value]] = {}

    # values

    def take(self, outputs: Sequence[Any]) -> list[Value]:
        """The values of expressions, common parts worked out once."""
        import symengine as se

        inputs, outputs = _apart(list(self._places), [se.sympify(e) for e in outputs])
        renamed = dict(zip(inputs, self._places.values(), strict=True))
        parts, rest = se.cse(outputs)
        self._known = {}
        places, self._places = self._places, renamed
        for symbol, expression in parts:
            self._known[symbol] = self._value(expression)
        found = [self._value(expression) for expression in rest]
        self._places = places
        return found

    def give(self, values: Sequence[Value]) -> None:
        """Store as the function's results."""
        for value in values:
            place = self.builder.gep(self.out, [ir.IntType(64)(self.outputs * LANES)])
            self.builder.store(self.made(value), self.builder.bitcast(place, REAL.as_pointer()), align=8)
            self.outputs += 1

    def _value(self, root: Any) -> Value:
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if node in self._known:
                continue
            if not ready and node.args:
                stack.append((node, True))
                stack.extend((a, False) for a in node.args if a not in self._known)
                continue
            self._known[node] = self._node(node, [self._known[a] for a in node.args])
        return self._known[root]

    def _node(self, node: Any, parts: list[Value]) -> Value:
        kind = type(node).__name__
        if node in self._places:
            return self.input(self._places[node])
        if kind in ("BooleanTrue", "BooleanFalse"):
            return kind == "BooleanTrue"
        if not parts:
            return float(node)
        if kind in ("Add", "Mul"):
            return reduce(self.add if kind == "Add" else self.times, parts)
        if kind == "Pow":
            return self.power(parts[0], parts[1])
        if kind in ("sin", "cos"):
            return self.turn(parts[0])[kind == "cos"]
        if kind in ("Max", "Min"):
            sign = ">=" if kind == "Max" else "<="
            return reduce(lambda a, b: self.choose(self.compare(sign, a, b), a, b), parts)
        if kind == "Abs":
            return self.size(parts[0])
        if kind == "sign":
            negative = self.choose(self.compare("<", parts[0], 0.0), -1.0, 0.0)
            return self.choose(self.compare(">", parts[0], 0.0), 1.0, negative)
        if kind in ORDER:
            return self.compare(ORDER[kind], *parts)
        if kind in ("And", "Or", "Not"):
            return self._logic(kind, parts)
        if kind == "Piecewise":
            result: Value = float("nan")
            for value, condition in reversed(list(zip(parts[::2], parts[1::2], strict=True))):
                result = self.choose(condition, value, result)
            return result
        return self.called(CALLED[kind], parts)

    def input(self, index: int) -> Value:
        place = self.builder.gep(self.source, [ir.IntType(64)(index * LANES)])
        return self.builder.load(self.builder.bitcast(place, REAL.as_pointer()), align=8)

    # arithmetic

    def made(self, value: Value) -> Any:
        """A vector of a number that is known."""
        return ir.Constant(REAL, [float(value)] * LANES) if isinstance(value, int | float) else value

    def add(self, a: Value, b: Value) -> Value:
        if isinstance(a, float) and isinstance(b, float):
            return a + b
        if a == 0.0 and isinstance(a, float):
            return b
        if b == 0.0 and isinstance(b, float):
            return a
        return self.builder.fadd(self.made(a), self.made(b))

    def minus(self, a: Value, b: Value) -> Value:
        if isinstance(b, float):
            return self.add(a, -b)
        return self.builder.fsub(self.made(a), self.made(b))

    def times(self, a: Value, b: Value) -> Value:
        if isinstance(b, float):
            a, b = b, a
        if isinstance(a, float):
            if isinstance(b, float):
                return a * b
            if a in (0.0, 1.0):
                return 0.0 if a == 0.0 else b
            if a == -1.0:
                return self.builder.fneg(b)
        return self.builder.fmul(self.made(a), self.made(b))

    def over(self, a: Value, b: Value) -> Value:
        if isinstance(a, float) and isinstance(b, float) and b:
            return a / b
        return 0.0 if isinstance(a, float) and a == 0.0 else self.builder.fdiv(self.made(a), self.made(b))

    def root(self, a: Value) -> Value:
        return self._intrinsic("llvm.sqrt", a)

    def size(self, a: Value) -> Value:
        return abs(a) if isinstance(a, float) else self._intrinsic("llvm.fabs", a)

    def power(self, base: Value, exponent: Value) -> Value:
        if not (isinstance(exponent, float) and (2 * exponent).is_integer() and abs(exponent) <= 32):
            return self.called("pow", [base, exponent])
        if isinstance(base, float):
            return self.called("pow", [base, exponent])
        count = int(abs(exponent))
        result: Value = 1.0 if exponent == int(exponent) else self.root(base)
        square = base
        while count:
            if count % 2:
                result = self.times(result, square)
            count //= 2
            square = self.times(square, square) if count else square
        return result if exponent > 0 else self.over(1.0, result)

    def compare(self, sign: str, a: Value, b: Value) -> Value:
        if a is True or b is True:  # a condition that several cases share, which `cse` names and writes: name == True
            return b if a is True else a
        return self.builder.fcmp_ordered(sign, self.made(a), self.made(b))

    def choose(self, condition: Value, a: Value, b: Value) -> Value:
        if isinstance(condition, bool):
            return a if condition else b
        return self.builder.select(condition, self.made(a), self.made(b))

    def both(self, a: Value, b: Value) -> Value:
        return self._logic("And", [a, b])

    def _logic(self, kind: str, parts: list[Value]) -> Value:
        bits = ir.VectorType(ir.IntType(1), LANES)
        made = [ir.Constant(bits, [part] * LANES) if isinstance(part, bool) else part for part in parts]
        if kind == "Not":
            return self.builder.not_(made[0])
        return reduce(self.builder.and_ if kind == "And" else self.builder.or_, made)

    # functions

    def _intrinsic(self, name: str, a: Value) -> Value:
        full = f"{name}.v{LANES}f64"
        function = self.module.globals.get(full) or ir.Function(self.module, ir.FunctionType(REAL, [REAL]), full)
        return self.builder.call(function, [self.made(a)])

    def called(self, name: str, parts: list[Value]) -> Value:
        """The C library's function, lane by lane."""
        real, made = ir.DoubleType(), [self.made(part) for part in parts]
        function = self.module.globals.get(name) or ir.Function(
            self.module, ir.FunctionType(real, [real] * len(parts)), name
        )
        result: Value = ir.Constant(REAL, ir.Undefined)
        for lane in range(LANES):
            place = ir.IntType(32)(lane)
            value = self.builder.call(function, [self.builder.extract_element(part, place) for part in made])
            result = self.builder.insert_element(result, value, place)
        return result

    def turn(self, angle: Value) -> tuple[Value, Value]:
        """Sine and cosine together."""
        if angle not in self._turns:
            self._turns[angle] = self._turned(self.made(angle))
        return self._turns[angle]

    def _turned(self, x: Value) -> tuple[Value, Value]:
        b = self.builder
        shifted = self.add(self.times(x, QUARTERS), ROUNDER)
        count = self.minus(shifted, ROUNDER)
        r = x
        for part in PI_HALF:
            r = self.minus(r, self.times(count, part))
        z = self.times(r, r)
        sine = self.add(r, self.times(self.times(z, r), self._polynomial(z, SINE)))
        half = self.times(0.5, z)
        w = self.minus(1.0, half)
        rest = self.add(self.minus(self.minus(1.0, w), half), self.times(self.times(z, z), self._polynomial(z, COSINE)))
        cosine = self.add(w, rest)
        quarter = b.bitcast(shifted, WHOLE)
        odd = b.trunc(quarter, ir.VectorType(ir.IntType(1), LANES))
        one = ir.Constant(WHOLE, [1] * LANES)
        second = b.trunc(b.lshr(quarter, one), ir.VectorType(ir.IntType(1), LANES))
        other = b.trunc(b.lshr(b.add(quarter, one), one), ir.VectorType(ir.IntType(1), LANES))
        s, c = self.choose(odd, cosine, sine), self.choose(odd, sine, cosine)
        s, c = self.choose(second, b.fneg(s), s), self.choose(other, b.fneg(c), c)
        return self._or_far(x, count, s, c)

    def _polynomial(self, z: Value, coefficients: Sequence[float]) -> Value:
        return reduce(lambda total, c: self.add(c, self.times(z, total)), reversed(coefficients[:-1]), coefficients[-1])

    def _or_far(self, x: Value, count: Value, s: Value, c: Value) -> tuple[Value, Value]:
        """The C library's where the argument is large, or no number; a branch, so that it costs nothing elsewhere."""
        b = self.builder
        near = self.compare("<=", self.size(count), MOST_QUARTERS)
        mask = b.bitcast(near, ir.IntType(LANES))
        here = b.block
        with b.if_then(b.icmp_unsigned("!=", mask, ir.IntType(LANES)(2**LANES - 1)), likely=False):
            far = [self.choose(near, mine, self.called(name, [x])) for mine, name in ((s, "sin"), (c, "cos"))]
            there = b.block
        joined = []
        for mine, other in zip((s, c), far, strict=True):
            value = b.phi(REAL)
            value.add_incoming(mine, here)
            value.add_incoming(other, there)
            joined.append(value)
        return joined[0], joined[1]

    # the end

    def compiled(self) -> WideFunction:
        """The function, in machine code for this processor."""
        self.builder.ret_void()
        return WideFunction(self.inputs, self.outputs, *_linked(str(self.module), self.name))


def _linked(text: str, name: str) -> tuple[int, Any]:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, codemodel="jitdefault"
    )
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine.get_function_address(name), engine


def _apart(inputs: list[Any], outputs: list[Any]) -> tuple[list[Any], list[Any]]:
    """The same expressions without inputs called x0, x1, …

    SymEngine's cse calls its temporaries so unless an expression holds that name, and does not look at the inputs.
    """
    import symengine

    other = {s: symengine.Symbol(f"in {s}") for s in inputs if str(s)[:1] == "x" and str(s)[1:].isdigit()}
    if not other:
        return inputs, outputs
    return [other.get(s, s) for s in inputs], [symengine.sympify(e).xreplace(other) for e in outputs]
