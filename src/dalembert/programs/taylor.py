"""Taylor coefficients of a motion as one compiled function: the recurrences of `jets`, written out or in a loop,
whichever runs faster.

In the loop, the products of all pairs of series lie next to each other in vectors: the left factors of order j are one
row of memory and the right ones another, and the inner sum adds products of rows,

    Σ_{1≤j<k} a[j] b[k−j] = a[1] b[k−1] + a[k−1] b[1] + Σ_{2≤j≤k−2} a[j] b[k−j]

Order k − 1 is still in registers. Rows are stored and loaded as whole vectors: a load that needs several earlier stores
has to wait until these have left the processor, which took half of the time. Order 0 is written out. The code of the
other orders stands once, so its length does not depend on the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.equations import Equations
from dalembert.programs import jets, llvm, sines
from dalembert.programs.expressions import take
from dalembert.programs.functions import FEW_TIMES, OFTEN, Function, function, made
from dalembert.programs.jets import Key, Lowered, Recurrences, products, without_fine
from dalembert.programs.llvm import Text
from dalembert.programs.products import begun
from dalembert.programs.program import CONDITIONS, Program

SHORT = 400  # operations up to which the code is written out; longer code compiles more slowly, and runs no faster
LONG = 150  # products beyond which a loop is not optimized: LLVM would take seconds, and other methods are faster
WIDE = 8
AT_ONCE = 4  # vectors that are summed in one loop: more would not stay in registers
VECTOR = f"<{WIDE} x double>"
SIDES = ("left", "right")
Value = str | None  # None is zero


def jet(slopes: Program, coordinates: int, order: int, level: int = OFTEN) -> Function | None:
    """`void f(double *out, const double *in, void *)` with the outputs of `jets.jet`, or None if the slopes have a
    kink.

    out is y[0], …, y[order] (2n numbers each), g[0], …, g[order] of the quantities between the accelerations and
    `fine`, and `fine`.
    """
    if products(slopes, coordinates) * order * order <= SHORT:
        written = jets.jet(slopes, coordinates, order)
        return None if written is None else function(written, level)
    text = module(slopes, coordinates, order)
    if text is None:
        return None
    level = level if slopes.cost["mul"] <= LONG else FEW_TIMES
    size = (order + 1) * (coordinates + len(slopes.outputs) - 1) + 1
    key = (slopes.digest + bytes([order, coordinates]), level, 0)
    return made(key, lambda: text, slopes, size)


def with_others(slopes: Program, eq: Equations, expressions: Sequence[Any]) -> Program:
    """The slopes with other quantities of x, such as guards and gaps, between the accelerations and `fine`."""
    code, places = begun(eq)
    *a, fine = code.copied(slopes, list(places.values()))
    return code.program([*a, *take(code, places, expressions), fine])


def module(slopes: Program, coordinates: int, order: int) -> str | None:
    """A module with `f`, whose outputs are those of `jets.jet`, or None if one has a kink."""
    bare = without_fine(slopes)
    return _Loop(Lowered(bare), coordinates, order, slopes.inputs).written(slopes) if bare.is_smooth else None


class _Numbers:
    """A Maker's arithmetic as text."""

    def __init__(self, text: Text):
        self.text = text

    def number(self, value: float) -> Value:
        return self.text.constant(value) if value else None

    def add(self, a: Value, b: Value) -> Value:
        if a is None or b is None:
            return b if a is None else a
        return self.text.op("fadd", a, b)

    def sub(self, a: Value, b: Value) -> Value:
        if a is None or b is None:
            return self.neg(b) if a is None else a
        return self.text.op("fsub", a, b)

    def neg(self, a: Value) -> Value:
        return None if a is None else self.text.new(f"fneg double {a}")

    def mul(self, a: Value, b: Value) -> Value:
        return None if a is None or b is None else self.text.op("fmul", a, b)

    def div(self, a: Value, b: Value) -> Value:
        return None if a is None or b is None else self.text.op("fdiv", a, b)


class _Loop(Recurrences):
    """The function as text. In the loop, `%k` is the order, and names without a number in front of a place are set
    anew in every round: `%y0`, …, y[k]; `%rate0`, …, v[k−1]; `%left0`, `%right0`, …, the factors of order k − 1.
    """

    def __init__(self, code: Lowered, n: int, last: int, inputs: tuple[str, ...]):
        self.text, self.last = Text(1, prefix="v"), last
        self.text.lines.append("entry:")
        whole = Program(inputs, tuple(code.operations), tuple(code.outputs))
        super().__init__(_Numbers(self.text), code, n, llvm.body(whole, self.text))
        self.others = len(code.outputs) - n  # quantities other than the accelerations

    # the function

    def written(self, slopes: Program) -> str:
        text, n = self.text, self.n
        fine = self._fine(slopes.selected([len(slopes.outputs) - 1]))
        self.y: Sequence[Value] = [text.new(f"load double, ptr {self._at('%in', 1 + i)}") for i in range(2 * n)]
        for index, value in enumerate(self.y):
            self._put(value, self._at("%out", index))
        self._next([self.zero[o] for o in self.code.outputs], "0", text.constant(1.0), self._at("%out", 2 * n))
        self._loop(self.last + 1 if self.others else self.last)
        self._put(fine, self._at("%out", (self.last + 1) * (2 * n + self.others)))
        declared = [f"declare double @{name}({', '.join(['double'] * c)}) nounwind" for name, c in text.calls.items()]
        declared += [sines.declaration(width) for width in sorted(text.turns)]
        head = "define void @f(ptr noalias nocapture %out, ptr noalias nocapture readonly %in, ptr %data) nounwind {"
        return "\n".join([*declared, *sorted(text.intrinsics), head, *text.lines, "ret void", "}"])

    def _fine(self, check: Program) -> str:
        text, place = self.text, check.outputs[0]
        found = llvm.body(check, text)[place]
        if check.operations[place].kind in CONDITIONS:
            found = text.choose(found, text.constant(1.0), text.constant(0.0))
        return found

    def _next(self, outputs: Sequence[Value], k: str, over: str, there: str) -> None:
        """y[k + 1] from v[k] and the slopes of order k, into `there`; and the other quantities."""
        n = self.n
        self.rates, self.y = self.y[n:], [self.m.mul(over, value) for value in (*self.y[n:], *outputs[:n])]
        for i, value in enumerate(self.y):
            self._put(value, self._at(there, i))
        if self.others:
            place = self._at("%out", self._whole("mul", k, str(self.others)))
            for i, g in enumerate(outputs[n:]):
                self._put(g, self._at(place, (self.last + 1) * 2 * n + i))

    # places

    def _at(self, base: str, index: int | str) -> str:
        return self.text.new(f"getelementptr inbounds double, ptr {base}, i64 {index}")

    def _put(self, value: Value, place: str) -> None:
        self.text.lines.append(f"store double {value or self.text.constant(0.0)}, ptr {place}, align 8")

    def _whole(self, kind: str, a: str, b: str) -> str:
        return self.text.new(f"{kind} i64 {a}, {b}")

    def _vector(self, side: str, order: str, index: int) -> str:
        """The place of a vector of factors of an order."""
        return self._at(self._at(f"%{side}s", self._whole("mul", order, str(self.vectors * WIDE))), index * WIDE)

    def _factor(self, side: str, order: str, index: int) -> str:
        return self.text.new(f"load {VECTOR}, ptr {self._vector(side, order, index)}, align 64")

    def _keep(self, vector: str, side: str, order: str, index: int) -> None:
        self.text.lines.append(f"store {VECTOR} {vector}, ptr {self._vector(side, order, index)}, align 64")

    # one order

    def input(self, index: int) -> Value:
        return self.y[index - 1] if index else self.time

    def speed(self, i: int) -> Value:
        return self.rates[i]

    def inner(self, a: Key, b: Key) -> Value:
        vector, place = divmod(self.pairs[a, b], WIDE)
        return self.text.new(f"extractelement {VECTOR} %sum{vector}, i32 {place}")

    def _packed(self, values: Sequence[Value]) -> list[str]:
        """Values as vectors, filled up with zeros."""
        found = []
        for first in range(0, len(values), WIDE):
            vector = "zeroinitializer"
            for place, value in enumerate(values[first : first + WIDE]):
                if value is not None:
                    vector = self.text.new(f"insertelement {VECTOR} {vector}, double {value}, i32 {place}")
            found.append(vector)
        return found

    # the loop

    def _loop(self, end: int) -> None:
        """Orders 1 … end − 1. The slopes of the last order may have no place in `out`: they go to `unused`."""
        text, n, one = self.text, self.n, self.text.constant(1.0)
        first = [one, one, *self.y, *self.rates]
        names = ["%number", "%inverse", *(f"%y{i}" for i in range(2 * n)), *(f"%rate{i}" for i in range(n))]
        self.k, self.over_k, self.y, self.rates = names[0], names[1], names[2:-n], names[-n:]
        before, text.lines = text.lines, []
        self.time = text.choose(text.new("icmp eq i64 %k, 1"), one, text.constant(0.0))
        outputs, factors = self.order(), self.factors()
        packed = {side: self._packed([factors[pair[i]] for pair in self.pairs]) for i, side in enumerate(SIDES)}
        self.vectors = len(packed["left"])
        for side, vectors in packed.items():
            for index, vector in enumerate(vectors):
                self._keep(vector, side, "%k", index)
        text.lines.append("%more = add i64 %k, 1")
        number = text.op("fadd", self.k, one)
        inverse = text.op("fdiv", one, number)
        beyond = text.new(f"icmp ugt i64 %more, {self.last}")
        there = self._at("%out", self._whole("mul", "%more", str(2 * n)))
        self._next(outputs, "%k", inverse, text.new(f"select i1 {beyond}, ptr %unused, ptr {there}"))
        text.lines += [f"%again = icmp ult i64 %more, {end}", "br i1 %again, label %round, label %done", "done:"]
        order, text.lines = text.lines, []
        last = self._sums()
        sums, text.lines = text.lines, before
        sizes = {"unused": 2 * n} | {f"{side}s": (self.last + 1) * self.vectors * WIDE for side in SIDES}
        text.lines += [f"%{name} = alloca double, i64 {size}, align 64" for name, size in sizes.items()]
        for side in SIDES:
            for index in range(self.vectors):
                self._keep("zeroinitializer", side, "1", index)  # read in the first round
        text.lines += ["br label %begin", "begin:", "br label %round", "round:"]
        text.lines.append(f"%k = phi i64 [ 1, %begin ], [ %more, %{last} ]")
        for name, old, new in zip(names, first, (number, inverse, *self.y, *self.rates), strict=True):
            old, new = (value or text.constant(0.0) for value in (old, new))
            text.lines.append(f"{name} = phi double [ {old}, %begin ], [ {new}, %{last} ]")
        for side, vectors in packed.items():
            for index, vector in enumerate(vectors):
                phi = f"phi {VECTOR} [ zeroinitializer, %begin ], [ {vector}, %{last} ]"
                text.lines.append(f"%{side}{index} = {phi}")
        text.lines += [*sums, *order]

    def _sums(self) -> str:
        """The inner sums of all pairs. Returns the block after them."""
        block = "round"
        for first in range(0, self.vectors, AT_ONCE):
            block = self._sums_of(range(self.vectors)[first : first + AT_ONCE], block)
        text = self.text
        apart = text.new("icmp ugt i64 %k, 2")  # otherwise both ends are the same product
        for i in range(self.vectors):
            one = text.new(f"fmul {VECTOR} {self._factor('left', '1', i)}, %right{i}")
            other = text.new(f"fmul {VECTOR} %left{i}, {self._factor('right', '1', i)}")
            other = text.new(f"select i1 {apart}, {VECTOR} {other}, {VECTOR} zeroinitializer")
            ends = text.new(f"fadd {VECTOR} {one}, {other}")
            text.lines.append(f"%sum{i} = fadd {VECTOR} %inside{i}, {ends}")
        return block

    def _sums_of(self, vectors: Sequence[int], block: str) -> str:
        """Σ_{2≤j≤k−2} a[j] b[k−j] of these vectors of pairs, in a loop of its own."""
        text = self.text
        body, after = text.label(), text.label()
        text.lines += [f"br i1 {text.new('icmp ugt i64 %k, 3')}, label %{body}, label %{after}", f"{body}:"]
        j, more = f"%j.{body}", f"%more.{body}"
        zero = f"[ zeroinitializer, %{block} ]"
        text.lines.append(f"{j} = phi i64 [ 2, %{block} ], [ {more}, %{body} ]")
        text.lines += [f"%so.far{i} = phi {VECTOR} {zero}, [ %part{i}, %{body} ]" for i in vectors]
        other = self._whole("sub", "%k", j)
        for i in vectors:
            product = text.new(f"fmul {VECTOR} {self._factor('left', j, i)}, {self._factor('right', other, i)}")
            text.lines.append(f"%part{i} = fadd {VECTOR} %so.far{i}, {product}")
        text.lines.append(f"{more} = add i64 {j}, 1")
        test = text.new(f"icmp ult i64 {more}, {self._whole('sub', '%k', '1')}")
        text.lines += [f"br i1 {test}, label %{body}, label %{after}", f"{after}:"]
        text.lines += [f"%inside{i} = phi {VECTOR} {zero}, [ %part{i}, %{body} ]" for i in vectors]
        return after
