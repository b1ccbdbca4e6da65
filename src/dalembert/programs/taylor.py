"""Taylor coefficients of a motion as machine code with a loop over the orders: the recurrences of `jets`.

All of them are sums over products of two series,
    P[k] = a[0] b[k] + a[k] b[0] + a[1] b[k−1] + a[k−1] b[1] + Σ_{2≤j≤k−2} a[j] b[k−j]
and the last sum does not need the previous order, so that a processor computes it while it still works on that order.
The products of all pairs lie next to each other in vectors: the left factors of order j are one row of memory and the
right ones another, and the sum adds products of rows. Orders 0, 1 and 2 are written out. The code of the other orders
stands once, so its length does not depend on the order. In every sum the term that becomes known last is added last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dalembert.programs import llvm, sines
from dalembert.programs.jets import INTEGRALS, INVERSES, Lowered, smooth
from dalembert.programs.llvm import Text
from dalembert.programs.program import Program
from dalembert.programs.series import Key, Products

WIDE = 8
LEAST = 4  # smallest order for which there is a loop
AT_ONCE = 4  # vectors that are summed in one loop: more would not stay in registers
VECTOR = f"<{WIDE} x double>"
Value = str | None  # None is zero
Terms = list[tuple[int, str, Value]]  # of a sum: when each becomes known, "add" or "sub", the value


def module(slopes: Program, coordinates: int, order: int) -> str | None:
    """A module with `f`, whose outputs are those of `jets.jet`, or None if one has a kink or the order is too low."""
    bare = slopes.selected(range(len(slopes.outputs) - 1))
    if not smooth(bare) or order < LEAST:
        return None
    writer = _Loop(Lowered(bare), coordinates, order)
    return writer.written(slopes)


class _Loop:
    def __init__(self, code: Lowered, n: int, order: int):
        self.code, self.n, self.order = code, n, order
        self.others = len(code.outputs) - n  # quantities other than the accelerations
        self.text = Text(1)
        known = Products(code, n)
        self.constant, self.depth, self.pairs = known.constant, known.depth, known.pairs
        self.keys = list(dict.fromkeys(key for pair in self.pairs for key in pair))
        self.inlined = self._only_in_sums()
        self.width = -(-max(len(self.pairs), 1) // WIDE) * WIDE  # of a row of factors

    # the function

    def written(self, slopes: Program) -> str:
        text, n, order = self.text, self.n, self.order
        text.lines.append("entry:")
        rows = (order + 1) * self.width
        self.lefts, self.rights = (text.new(f"alloca double, i64 {rows}, align 64") for _ in range(2))
        self.sums = text.new(f"alloca double, i64 {self.width}, align 64")
        unused = text.new(f"alloca double, i64 {2 * n}, align 64")  # y[order + 1]
        fine = self._first(slopes)
        self.y: Sequence[Value] = [text.new(f"load double, ptr {self._at('%in', 1 + i)}") for i in range(2 * n)]
        for index, value in enumerate(self.y):
            self._put(value, self._at("%out", index))
        orders = [{key: self._of(key, self.zero, 0.0) for key in self.keys}]
        self._next(self.zero_outputs, "0", text.constant(1.0))
        for k in (1, 2):
            values, outputs = self._order(k, orders)
            orders.append(values)
            self._next(outputs, str(k), text.constant(1.0 / (k + 1)))
        self.zeroth, self.first, self.before = orders
        self._loop(order + 1 if self.others else order, unused)
        self._put(fine, self._at("%out", (order + 1) * (2 * n + self.others)))
        declared = [f"declare double @{name}({', '.join(['double'] * c)}) nounwind" for name, c in text.calls.items()]
        declared += [sines.declaration(width) for width in sorted(text.turns)]
        head = "define void @f(ptr noalias nocapture %out, ptr noalias nocapture readonly %in, ptr %data) nounwind {"
        return "\n".join([*declared, *sorted(text.intrinsics), head, *text.lines, "ret void", "}"])

    def _first(self, slopes: Program) -> str:
        """Order 0 of all operations, the inverses that later orders multiply with, and `fine`."""
        text = self.text
        whole = Program(slopes.inputs, tuple(self.code.operations), tuple(self.code.outputs))
        self.zero = llvm.body(whole, text)
        self.zero_outputs: list[Value] = [self.zero[o] for o in self.code.outputs]
        self.inverse: dict[int, str] = {}
        for place, (kind, arguments, _) in enumerate(self.code.operations):
            if self.constant[place]:
                continue
            if kind == "sqrt":
                self.inverse[place] = text.op("fdiv", text.constant(0.5), self.zero[place])
            elif kind in ("div", "pow") or kind in INVERSES or kind == "atan2":
                divisor = {"div": arguments[-1], "pow": arguments[0]}.get(kind) if kind in ("div", "pow") else None
                divisor = self.code.partner[place] if divisor is None else divisor
                self.inverse[place] = text.op("fdiv", text.constant(1.0), self.zero[divisor])
        squares = {op.arguments[0] for op in self.code.operations if op.kind == "mul" and len(set(op.arguments)) == 1}
        self.twice = {a: text.op("fadd", self.zero[a], self.zero[a]) for a in sorted(squares)}
        check = slopes.selected([len(slopes.outputs) - 1])
        found = llvm.body(check, text)
        fine = found[check.outputs[0]]
        if check.operations[check.outputs[0]].kind in llvm.CONDITION_KINDS:
            fine = text.choose(fine, text.constant(1.0), text.constant(0.0))
        return fine

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
        self.rates, self.y = self.y[n:], [self._times(over, value) for value in (*self.y[n:], *outputs[:n])]
        for i, value in enumerate(self.y):
            self._put(value, self._at(there, i))
        if self.others:
            place = self._at("%out", self._whole("mul", k, str(self.others)))
            for i, g in enumerate(outputs[n:]):
                self._put(g, self._at(place, (self.order + 1) * 2 * n + i))

    # one order

    def _of(self, key: Key, values: Sequence[Value], k: float | str) -> Value:
        kind, place = key
        if not kind:
            return values[place]
        if k == 0.0:
            return None
        op = self.code.operations[place]
        if op.kind == "input" and 1 <= op.arguments[0] <= self.n:  # k q[k] = v[k − 1]
            return self.rates[op.arguments[0] - 1]
        return self._times(self._number(k), values[place])

    def _number(self, k: float | str) -> str:
        return self.text.constant(k) if isinstance(k, float) else k

    def _order(
        self, k: int | None, orders: Sequence[dict[Key, Value]], kf: str = "", inverse: str = ""
    ) -> tuple[dict[Key, Value], list[Value]]:
        """All series at order k (None in the loop): those of pairs, and the outputs."""
        text = self.text
        self.k, self.orders = k, orders
        self.kf: float | str = float(k) if k is not None else kf
        self.over_k = text.constant(1.0 / k) if k is not None else inverse
        self._interiors: dict[tuple[Key, Key], Value] = {}
        self.values: list[Value] = []
        self.terms: dict[int, Terms] = {}  # of sums that are written into others
        for place, op in enumerate(self.code.operations):
            value: Value = None
            if self.constant[place]:
                pass
            elif op.kind == "input":
                time = text.constant(1.0) if k == 1 else None
                value = self.y[op.arguments[0] - 1] if op.arguments[0] else time
            elif op.kind not in ("add", "sub", "neg", "mul"):
                value = self._coefficient(place)
            elif place in self.inlined:
                self.terms[place] = self._sum_of(place)
            else:
                value = self._added(self._sum_of(place))
            self.values.append(value)
        found = {key: self._of(key, self.values, self.kf) for key in self.keys}
        return found, [self.values[o] for o in self.code.outputs]

    def _only_in_sums(self) -> set[int]:
        """Sums and products that are used once, by another sum or as a numerator."""
        operations, outputs = self.code.operations, self.code.outputs
        used = Counter(a for op in operations if op.kind != "input" for a in op.arguments) + Counter(outputs)
        inside = [op.arguments if op.kind in ("add", "sub", "neg") else op.arguments[:1]
                  for op in operations if op.kind in ("add", "sub", "neg", "div")]  # fmt: skip
        factors = {place for _, place in self.keys} | set(outputs)
        return {a for arguments in inside for a in arguments if used[a] == 1 and a not in factors}

    def _parts(self, place: int) -> Terms:
        return self.terms.get(place) or [(self.depth[place], "add", self.values[place])]

    def _sum_of(self, place: int) -> Terms:
        """Order k of a sum or product."""
        kind, (a, *b), _ = self.code.operations[place]
        if kind == "mul":
            ends = (a, self.zero[b[0]]), (b[0], self.zero[a])
            inside = [(0, "add", self._interior(("", a), ("", b[0])))]
            if a == b[0]:
                return [*inside, (self.depth[a], "add", self._times(self.twice[a], self.values[a]))]
            return [*inside, *((self.depth[end], "add", self._times(self.values[end], known)) for end, known in ends)]
        if kind == "neg":
            return self._opposite(self._parts(a))
        return self._parts(a) + (self._parts(b[0]) if kind == "add" else self._opposite(self._parts(b[0])))

    def _opposite(self, terms: Terms) -> Terms:
        return [(late, "sub" if sign == "add" else "add", value) for late, sign, value in terms]

    def _added(self, terms: Terms) -> Value:
        found: Value = None
        for _, sign, value in sorted(terms, key=lambda term: term[0]):
            found = self._plus(found, value, sign)
        return found

    def _coefficient(self, place: int) -> Value:
        """Order k of another operation."""
        kind, arguments, _ = self.code.operations[place]
        a = arguments[0]
        here = [self.values[i] for i in arguments]
        if kind == "div":
            b = arguments[1]
            inside = [(0, "sub", self._interior(("", b), ("", place)))]
            end = (self.depth[b], "sub", self._times(here[1], self.zero[place]))
            return self._times(self._added([*inside, end, *self._parts(a)]), self.inverse[place])
        if kind == "sqrt":
            rest = self._minus(here[0], self._interior(("", place), ("", place)))
            return self._times(rest, self.inverse[place])
        if kind == "pow":
            s = self.text.constant(self.code.operations[arguments[1]].value + 1.0)
            one = self._times(
                self._times(s, self.over_k), self._product(("rate", a), ("", place), known=self.zero[place])
            )
            other = self._plus(self._times(here[0], self.zero[place]), self._interior(("", a), ("", place)))
            return self._times(self._minus(one, other), self.inverse[place])
        if kind in INTEGRALS:
            g = self.code.partner[place]
            found = self._times(self.over_k, self._product(("rate", a), ("", g), known=self.zero[g]))
            return found if INTEGRALS[kind] > 0 else self._minus(None, found)
        if kind in INVERSES:
            right = here[0] if INVERSES[kind] > 0 else self._minus(None, here[0])
        else:  # atan2
            y, x = arguments
            one = self._product(("rate", y), ("", x), known=self.zero[x])
            right = self._times(self.over_k, self._minus(one, self._product(("rate", x), ("", y), known=self.zero[y])))
        own = self._interior(("rate", place), ("", self.code.partner[place]))
        return self._times(self._minus(right, self._times(self.over_k, own)), self.inverse[place])

    def _product(self, rate: Key, b: Key, known: str) -> Value:
        """Σ_{1≤j≤k} j a[j] b[k−j]; b[0] is `known`."""
        return self._plus(self._times(self._of(rate, self.values, self.kf), known), self._interior(rate, b))

    def _interior(self, a: Key, b: Key) -> Value:
        """Σ_{1≤j<k} a[j] b[k−j]"""
        if (a, b) not in self.pairs:
            a, b = b, a
        if self.k == 1 or (a, b) not in self.pairs:
            return None
        first = self.orders[1]
        if self.k == 2:
            return self._times(first[a], first[b])
        if (a, b) not in self._interiors:
            place = self._at(self.sums, self.pairs[a, b])
            found: Value = self.text.new(f"load double, ptr {place}, align 8")
            one = self._times(first[a], self.before[b])
            other = one if a == b else self._times(self.before[a], first[b])
            self._interiors[a, b] = self._plus(found, self._plus(one, other))
        return self._interiors[a, b]

    def _plus(self, a: Value, b: Value, kind: str = "add") -> Value:
        if b is None:
            return a
        if a is None:
            return b if kind == "add" else self.text.new(f"fneg double {b}")
        return self.text.op(f"f{kind}", a, b)

    def _minus(self, a: Value, b: Value) -> Value:
        return self._plus(a, b, "sub")

    def _times(self, a: Value, b: Value) -> Value:
        return None if a is None or b is None else self.text.op("fmul", a, b)

    # the loop

    def _loop(self, end: int, unused: str) -> None:
        """Orders 3 … end − 1. The slopes of the last order may have no place in `out`: they go to `unused`."""
        text, n = self.text, self.n
        before, body, after = text.label(), text.label(), text.label()
        text.lines += [f"br label %{before}", f"{before}:", f"br label %{body}", f"{body}:"]
        k, more, known = "%k", "%more", (*self.before.values(), *self.y, *self.rates)
        names = [f"%p{i}" for i in range(len(known))]
        self.before = dict(zip(self.keys, names, strict=False))
        self.y, self.rates = names[len(self.keys) : -n], names[-n:]
        place = len(text.lines)
        last = self._sum_up(k, body)
        self._store(self.before, self._whole("sub", k, "1"))
        kf = text.new(f"sitofp i64 {k} to double")
        one = text.constant(1.0)
        values, outputs = self._order(None, [self.zeroth, self.first], kf, text.op("fdiv", one, kf))
        text.lines.append(f"{more} = add i64 {k}, 1")
        there = self._at("%out", self._whole("mul", more, str(2 * n)))
        if self.others:
            beyond = text.new(f"icmp ugt i64 {more}, {self.order}")
            there = text.new(f"select i1 {beyond}, ptr {unused}, ptr {there}")
        self._next(outputs, k, text.op("fdiv", one, text.op("fadd", kf, one)), there)
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
