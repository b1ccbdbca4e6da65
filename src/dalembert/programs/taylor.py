"""Taylor coefficients of a motion as one compiled function: the recurrences of `jets`, written out or in a loop,
whichever runs faster.

In the loop, the products of all pairs of series lie next to each other in vectors: the left factors of order j are one
row of memory and the right ones another, and the inner sum adds products of rows,

    Σ_{1≤j<k} a[j] b[k−j] = a[1] b[k−1] + a[k−1] b[1] + Σ_{2≤j≤k−2} a[j] b[k−j]

The last sum does not need the previous order either. Orders 0, 1 and 2 are written out. The code of the other orders
stands once, so its length does not depend on the order.
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

SHORT = 1000  # operations up to which the code is written out; longer code compiles slowly, and a loop runs as fast
LONG = 150  # products beyond which a loop is not optimized: LLVM would take seconds, and other methods are faster
WIDE = 8
LEAST = 4  # smallest order for which there is a loop
AT_ONCE = 4  # vectors that are summed in one loop: more would not stay in registers
VECTOR = f"<{WIDE} x double>"
Value = str | None  # None is zero


def jet(slopes: Program, coordinates: int, order: int, level: int = OFTEN) -> Function | None:
    """`void f(double *out, const double *in, void *)` with the outputs of `jets.jet`, or None if the slopes have a
    kink.

    out is y[0], …, y[order] (2n numbers each), g[0], …, g[order] of the quantities between the accelerations and
    `fine`, and `fine`.
    """
    if order < LEAST or products(slopes, coordinates) * order * order <= SHORT:
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
    """A module with `f`, whose outputs are those of `jets.jet`, or None if one has a kink or the order is too low."""
    bare = without_fine(slopes)
    if not bare.is_smooth or order < LEAST:
        return None
    return _Loop(Lowered(bare), coordinates, order, slopes.inputs).written(slopes)


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
    def __init__(self, code: Lowered, n: int, last: int, inputs: tuple[str, ...]):
        self.text, self.last = Text(1), last
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
        self._next([self.zero[o] for o in self.code.outputs], "0", text.constant(1.0))
        self.first: dict[Key, Value] = {}
        for step in (1, 2):
            self.step, self.k, self.over_k = step, text.constant(float(step)), text.constant(1.0 / step)
            outputs = self.order()
            self.before = self.factors()
            self.first = self.first or self.before
            self._next(outputs, str(step), text.constant(1.0 / (step + 1)))
        self.width = -(-max(len(self.pairs), 1) // WIDE) * WIDE  # of a row of factors
        rows = (self.last + 1) * self.width
        self.lefts, self.rights = (text.new(f"alloca double, i64 {rows}, align 64") for _ in range(2))
        self.sums = text.new(f"alloca double, i64 {self.width}, align 64")
        unused = text.new(f"alloca double, i64 {2 * n}, align 64")  # y[last + 1]
        self._loop(self.last + 1 if self.others else self.last, unused)
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

    # places

    def _at(self, base: str, index: int | str) -> str:
        return self.text.new(f"getelementptr inbounds double, ptr {base}, i64 {index}")

    def _put(self, value: Value, place: str) -> None:
        self.text.lines.append(f"store double {value or self.text.constant(0.0)}, ptr {place}, align 8")

    def _whole(self, kind: str, a: str, b: str) -> str:
        return self.text.new(f"{kind} i64 {a}, {b}")

    def _row(self, base: str, order: str) -> str:
        return self._at(base, self._whole("mul", order, str(self.width)))

    def _store(self, values: dict[Key, Value], order: str) -> None:
        """Store the factors of an order."""
        left, right = (self._row(base, order) for base in (self.lefts, self.rights))
        for (a, b), place in self.pairs.items():
            self._put(values[a], self._at(left, place))
            self._put(values[b], self._at(right, place))

    def _next(self, outputs: Sequence[Value], k: str, over: str, there: str = "") -> None:
        """y[k + 1] from v[k] and the slopes of order k, into `there` if it is given; and the other quantities."""
        n = self.n
        there = there or self._at("%out", self._whole("mul", self._whole("add", k, "1"), str(2 * n)))
        self.rates, self.y = self.y[n:], [self.m.mul(over, value) for value in (*self.y[n:], *outputs[:n])]
        for i, value in enumerate(self.y):
            self._put(value, self._at(there, i))
        if self.others:
            place = self._at("%out", self._whole("mul", k, str(self.others)))
            for i, g in enumerate(outputs[n:]):
                self._put(g, self._at(place, (self.last + 1) * 2 * n + i))

    # one order

    def input(self, index: int) -> Value:
        time = self.m.number(1.0 if self.step == 1 else 0.0)
        return self.y[index - 1] if index else time

    def speed(self, i: int) -> Value:
        return self.rates[i]

    def inner(self, a: Key, b: Key) -> Value:
        if self.step == 1:
            return None
        if self.step == 2:
            return self.m.mul(self.first[a], self.first[b])
        found = self.text.new(f"load double, ptr {self._at(self.sums, self.pairs[a, b])}, align 8")
        one = self.m.mul(self.first[a], self.before[b])
        other = one if a == b else self.m.mul(self.before[a], self.first[b])
        return self.m.add(found, self.m.add(one, other))

    # the loop

    def _loop(self, end: int, unused: str) -> None:
        """Orders 3 … end − 1. The slopes of the last order may have no place in `out`: they go to `unused`."""
        text, n = self.text, self.n
        before, body, after = text.label(), text.label(), text.label()
        text.lines += [f"br label %{before}", f"{before}:", f"br label %{body}", f"{body}:"]
        k, more, known = "%k", "%more", (*self.before.values(), *self.y, *self.rates)
        names = [f"%p{i}" for i in range(len(known))]
        self.before = dict(zip(self.before, names, strict=False))
        self.y, self.rates = names[len(self.before) : -n], names[-n:]
        place = len(text.lines)
        last = self._sum_up(k, body)
        self._store(self.before, self._whole("sub", k, "1"))
        one = text.constant(1.0)
        self.step, self.k = 3, text.new(f"sitofp i64 {k} to double")  # 3 and more
        self.over_k = text.op("fdiv", one, self.k)
        outputs = self.order()
        values = self.factors()
        text.lines.append(f"{more} = add i64 {k}, 1")
        there = self._at("%out", self._whole("mul", more, str(2 * n)))
        if self.others:
            beyond = text.new(f"icmp ugt i64 {more}, {self.last}")
            there = text.new(f"select i1 {beyond}, ptr {unused}, ptr {there}")
        self._next(outputs, k, text.op("fdiv", one, text.op("fadd", self.k, one)), there)
        test = text.new(f"icmp ult i64 {more}, {end}")
        text.lines += [f"br i1 {test}, label %{body}, label %{after}", f"{after}:"]
        phis = [f"{k} = phi i64 [ 3, %{before} ], [ {more}, %{last} ]"]
        for name, first, then in zip(names, known, (*values.values(), *self.y, *self.rates), strict=True):
            old, new = (value or text.constant(0.0) for value in (first, then))
            phis.append(f"{name} = phi double [ {old}, %{before} ], [ {new}, %{last} ]")
        text.lines[place:place] = phis

    def _sum_up(self, k: str, block: str) -> str:
        """Store Σ_{2≤j≤k−2} a[j] b[k−j] of all pairs. Returns the block after it."""
        for first in range(0, self.width, WIDE * AT_ONCE):
            block = self._sums_from(first, min(self.width - first, WIDE * AT_ONCE) // WIDE, k, block)
        return block

    def _sums_from(self, first: int, count: int, k: str, block: str) -> str:
        """The sums of `count` vectors of pairs from the pair `first` on."""
        text = self.text
        body, after = text.label(), text.label()
        some = text.new(f"icmp ugt i64 {k}, 3")
        text.lines += [f"br i1 {some}, label %{body}, label %{after}", f"{body}:"]
        j, more = f"%j.{body}", f"%more.{body}"
        text.lines.append(f"{j} = phi i64 [ 2, %{block} ], [ {more}, %{body} ]")
        sums = [f"%sum.{body}.{i}" for i in range(count)]
        parts = [f"%part.{body}.{i}" for i in range(count)]
        for name, part in zip(sums, parts, strict=True):
            text.lines.append(f"{name} = phi {VECTOR} [ zeroinitializer, %{block} ], [ {part}, %{body} ]")
        rows = self._row(self.lefts, j), self._row(self.rights, self._whole("sub", k, j))
        for i, (name, part) in enumerate(zip(sums, parts, strict=True)):
            a, b = (text.new(f"load {VECTOR}, ptr {self._at(row, first + i * WIDE)}, align 64") for row in rows)
            product = text.new(f"fmul {VECTOR} {a}, {b}")
            text.lines.append(f"{part} = fadd {VECTOR} {name}, {product}")
        text.lines.append(f"{more} = add i64 {j}, 1")
        test = text.new(f"icmp ult i64 {more}, {self._whole('sub', k, '1')}")
        text.lines += [f"br i1 {test}, label %{body}, label %{after}", f"{after}:"]
        for i, part in enumerate(parts):
            total = text.new(f"phi {VECTOR} [ zeroinitializer, %{block} ], [ {part}, %{body} ]")
            parts[i] = total
        for i, total in enumerate(parts):
            text.lines.append(f"store {VECTOR} {total}, ptr {self._at(self.sums, first + i * WIDE)}, align 64")
        return after
