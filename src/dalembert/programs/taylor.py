"""Taylor coefficients of a motion as machine code with a loop over the orders: the recurrences of `jets`.

All of them are sums over products of two series,
    P[k] = a[0] b[k] + a[k] b[0] + a[1] b[k−1] + a[k−1] b[1] + Σ_{2≤j≤k−2} a[j] b[k−j]
and the last sum does not need the previous order: it is summed in vectors of eight products while that order is
computed. One series of a pair is stored forwards and the other backwards, so that both are read in memory order. Places
that are not reached yet hold zeros. Orders 0, 1 and 2 are written out.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.programs import llvm, sines
from dalembert.programs.jets import INTEGRALS, INVERSES, Lowered, smooth
from dalembert.programs.llvm import Text
from dalembert.programs.program import Program
from dalembert.programs.series import Key, Products

WIDE = 8
LEAST = 4  # smallest order for which there is a loop
VECTOR = f"<{WIDE} x double>"
Value = str | None  # None is zero


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
        self.forward = {key: i for i, key in enumerate(dict.fromkeys(a for a, _ in self.pairs))}
        self.backward = {key: i for i, key in enumerate(dict.fromkeys(b for _, b in self.pairs))}
        self.length = WIDE * (-(-(order + WIDE) // WIDE))  # of a series stored forwards
        self.reverse = order + 3 * WIDE  # of a series stored backwards: its [j] is at order − j

    # the function

    def written(self, slopes: Program) -> str:
        text, n, order = self.text, self.n, self.order
        text.lines.append("entry:")
        size = len(self.forward) * self.length + len(self.backward) * self.reverse
        sums = -(-max(len(self.pairs), 1) // WIDE) * WIDE
        self.room = text.new(f"alloca double, i64 {max(size, 1)}, align 64")
        self.sums = text.new(f"alloca double, i64 {sums}, align 64")
        fine = self._first(slopes)
        self._zeros(sums)
        for index in range(2 * n):
            self._put(text.new(f"load double, ptr {self._at('%in', 1 + index)}"), self._at("%out", index))
        orders = [{key: self._of(key, self.zero, 0.0) for key in self.keys}]
        self._turn_to("0")
        self._store(orders[0], 0)
        self._next(self.zero_outputs, "0", 1.0)
        for k in (1, 2):
            self._turn_to(str(k))
            values, outputs = self._order(k, str(k), orders)
            orders.append(values)
            self._next(outputs, str(k), 1.0 / (k + 1))
            if k == 1:
                self._store(values, 0)
        self.zeroth, self.first = orders[:2]
        self.before = orders[2]
        last = order if self.others else order - 1
        for start in (3, *range(4 + WIDE, last, WIDE)):  # one loop for each number of vectors
            if start < last:
                self._loop(start, min(start + WIDE + (start == 3), last))
        self._alone(last)
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
        check = slopes.selected([len(slopes.outputs) - 1])
        found = llvm.body(check, text)
        fine = found[check.outputs[0]]
        if check.operations[check.outputs[0]].kind in llvm.CONDITION_KINDS:
            fine = text.choose(fine, text.constant(1.0), text.constant(0.0))
        return fine

    def _zeros(self, sums: int) -> None:
        zero = f"store {VECTOR} zeroinitializer, ptr"
        for i in range(len(self.forward)):
            for j in range(0, self.length, WIDE):
                self.text.lines.append(f"{zero} {self._at(self.room, i * self.length + j)}, align 8")
        for i in range(len(self.backward)):
            for j in range(1, 3 * WIDE - 1, WIDE):
                place = len(self.forward) * self.length + i * self.reverse + self.order + j
                place = min(place, len(self.forward) * self.length + (i + 1) * self.reverse - WIDE)
                self.text.lines.append(f"{zero} {self._at(self.room, place)}, align 8")
        for j in range(0, sums, WIDE):
            self.text.lines.append(f"{zero} {self._at(self.sums, j)}, align 8")

    # places

    def _at(self, base: str, index: int | str) -> str:
        return self.text.new(f"getelementptr inbounds double, ptr {base}, i64 {index}")

    def _put(self, value: Value, place: str) -> None:
        self.text.lines.append(f"store double {value or self.text.constant(0.0)}, ptr {place}, align 8")

    def _turn_to(self, k: str) -> None:
        """Set `ahead` and `behind` to the places of the [k] of series stored forwards and backwards."""
        self.ahead = self._at(self.room, k)
        self.behind = self._at(self.room, self._whole("sub", "0", k))

    def _forward(self, key: Key, shift: int = 0) -> str:
        return self._at(self.ahead, self.forward[key] * self.length + shift)

    def _backward(self, key: Key, shift: int = 0) -> str:
        start = len(self.forward) * self.length + self.backward[key] * self.reverse + self.order
        return self._at(self.behind, start - shift)

    def _whole(self, kind: str, a: str, b: str) -> str:
        return self.text.new(f"{kind} i64 {a}, {b}")

    def _store(self, values: dict[Key, Value], shift: int) -> None:
        """Store [k + shift] of the series of pairs."""
        for key in self.forward:
            self._put(values[key], self._forward(key, shift))
        for key in self.backward:
            self._put(values[key], self._backward(key, shift))

    def _next(self, outputs: Sequence[Value], k: str, over: float | str) -> None:
        """y[k + 1] from v[k] and the slopes of order k."""
        n, text = self.n, self.text
        here = self._at("%out", self._whole("mul", k, str(2 * n)))
        factor = text.constant(over) if isinstance(over, float) else over
        for i in range(n):
            v = text.new(f"load double, ptr {self._at(here, n + i)}, align 8")
            self._put(text.op("fmul", factor, v), self._at(here, 2 * n + i))
        for i, a in enumerate(outputs[:n]):
            self._put(a and text.op("fmul", factor, a), self._at(here, 3 * n + i))
        self._put_others(outputs, k)

    def _put_others(self, outputs: Sequence[Value], k: str) -> None:
        if self.others:
            place = self._at("%out", self._whole("mul", k, str(self.others)))
            for i, g in enumerate(outputs[self.n :]):
                self._put(g, self._at(place, (self.order + 1) * 2 * self.n + i))

    # one order

    def _of(self, key: Key, values: Sequence[Value], k: float | str) -> Value:
        kind, place = key
        if not kind:
            return values[place]
        if k == 0.0:
            return None
        op = self.code.operations[place]
        if op.kind == "input" and 1 <= op.arguments[0] <= self.n:  # k q[k] = v[k − 1]
            return self.rates[op.arguments[0]]
        return self._times(self._number(k), values[place])

    def _number(self, k: float | str) -> str:
        return self.text.constant(k) if isinstance(k, float) else k

    def _order(
        self, k: int | None, index: str, orders: Sequence[dict[Key, Value]], kf: str = "", inverse: str = ""
    ) -> tuple[dict[Key, Value], list[Value]]:
        """All series at order k (None in the loop): those of pairs, and the outputs."""
        text, n = self.text, self.n
        self.k, self.orders = k, orders
        self.kf: float | str = float(k) if k is not None else kf
        self.over_k = text.constant(1.0 / k) if k is not None else inverse
        here = self._at("%out", self._whole("mul", index, str(2 * n)))
        before = self._at(here, -2 * n)
        self.rates = {1 + i: text.new(f"load double, ptr {self._at(before, n + i)}, align 8") for i in range(n)}
        self._interiors: dict[tuple[Key, Key], Value] = {}
        self.values: list[Value] = []
        for place, op in enumerate(self.code.operations):
            if op.kind == "input" and not self.constant[place]:
                given: Value = None
                if op.arguments[0]:
                    given = text.new(f"load double, ptr {self._at(here, op.arguments[0] - 1)}, align 8")
                elif k == 1:
                    given = text.constant(1.0)
                self.values.append(given)
            else:
                self.values.append(None if self.constant[place] else self._coefficient(place))
        found = {key: self._of(key, self.values, self.kf) for key in self.keys}
        return found, [self.values[o] for o in self.code.outputs]

    def _coefficient(self, place: int) -> Value:
        kind, arguments, _ = self.code.operations[place]
        a = arguments[0]
        here = [self.values[i] for i in arguments]
        if kind in ("add", "sub"):
            return self._plus(here[0], here[1], kind)
        if kind == "neg":
            return self._plus(None, here[0], "sub")
        if kind == "mul":
            b = arguments[1]
            ends = [
                (self.depth[b], self._times(self.zero[a], here[1])),
                (self.depth[a], self._times(here[0], self.zero[b])),
            ]
            found = self._interior(("", a), ("", b))
            for _, end in sorted(ends, key=lambda pair: pair[0]):  # the value that becomes known last is added last
                found = self._plus(found, end)
            return found
        if kind == "div":
            end, inside = self._times(here[1], self.zero[place]), self._interior(("", arguments[1]), ("", place))
            if self.depth[a] > self.depth[arguments[1]]:
                return self._times(self._minus(here[0], self._plus(inside, end)), self.inverse[place])
            return self._times(self._minus(self._minus(here[0], inside), end), self.inverse[place])
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

    def _loop(self, start: int, end: int) -> None:
        """Orders start … end − 1."""
        text = self.text
        before, body, after = text.label(), text.label(), text.label()
        text.lines += [f"br label %{before}", f"{before}:", f"br label %{body}", f"{body}:"]
        k, more = f"%k{start}", f"%m{start}"
        text.lines.append(f"{k} = phi i64 [ {start}, %{before} ], [ {more}, %{body} ]")
        given, self.before = self.before, {key: f"%p{start}.{i}" for i, key in enumerate(self.keys)}
        place = len(text.lines)
        kf = text.new(f"sitofp i64 {k} to double")
        values, outputs = self._whole_order(k, end - 1, kf, text.op("fdiv", text.constant(1.0), kf))
        self._next(outputs, k, text.op("fdiv", text.constant(1.0), text.op("fadd", kf, text.constant(1.0))))
        text.lines.append(f"{more} = add i64 {k}, 1")
        test = text.new(f"icmp ult i64 {more}, {end}")
        text.lines += [f"br i1 {test}, label %{body}, label %{after}", f"{after}:"]
        phis = [
            f"{name} = phi double [ {self._known(given[key])}, %{before} ], [ {self._known(values[key])}, %{body} ]"
            for key, name in self.before.items()
        ]
        text.lines[place:place] = phis
        self.before = values

    def _known(self, value: Value) -> str:
        return value or self.text.constant(0.0)

    def _alone(self, k: int) -> None:
        """The last order: of the accelerations, or of the other quantities only."""
        text = self.text
        _, outputs = self._whole_order(str(k), k, text.constant(float(k)), text.constant(1.0 / k))
        if self.others:
            self._put_others(outputs, str(k))
        else:
            self._next(outputs, str(k), 1.0 / (k + 1))

    def _whole_order(self, k: str, most: int, kf: str, inverse: str) -> tuple[dict[Key, Value], list[Value]]:
        """Compute the sums, then the order. Results of the previous order are stored in between, long before they are
        read.
        """
        self._turn_to(k)
        for i, vector in enumerate(self._vectors(-(-(most - 3) // WIDE))):
            self.text.lines.append(f"store {VECTOR} {vector}, ptr {self._at(self.sums, i * WIDE)}, align 8")
        self._store(self.before, -1)
        return self._order(None, k, [self.zeroth, self.first], kf, inverse)

    def _vectors(self, count: int) -> list[str]:
        """Σ_{2≤j≤k−2} a[j] b[k−j] of every pair, from stored orders up to k − 2."""
        text = self.text
        found = []
        for a, b in self.pairs:
            total: str | None = None
            for i in range(0, count * WIDE, WIDE):
                places = self._at(self.room, self.forward[a] * self.length + 2 + i), self._backward(b, -2 - i)
                parts = [text.new(f"load {VECTOR}, ptr {place}, align 8") for place in places]
                part = text.new(f"fmul {VECTOR} {parts[0]}, {parts[1]}")
                total = part if total is None else text.new(f"fadd {VECTOR} {total}, {part}")
            found.append(total or "zeroinitializer")
        return [self._across(found[i : i + WIDE]) for i in range(0, len(found), WIDE)]

    def _across(self, vectors: list[str]) -> str:
        """One vector that contains the sum of each of eight vectors."""
        vectors = vectors + ["zeroinitializer"] * (WIDE - len(vectors))
        for low, high in HALVES:
            pairs = zip(vectors[::2], vectors[1::2], strict=True)
            vectors = [self._joined(one, other, low, high) for one, other in pairs]
        return vectors[0]

    def _joined(self, one: str, other: str, low: str, high: str) -> str:
        parts = [
            self.text.new(f"shufflevector {VECTOR} {one}, {VECTOR} {other}, <{WIDE} x i32> <{mask}>")
            for mask in (low, high)
        ]
        return self.text.new(f"fadd {VECTOR} {parts[0]}, {parts[1]}")


def _mask(places: Sequence[int]) -> str:
    return ", ".join(f"i32 {place}" for place in places)


HALVES = tuple(
    (_mask(low), _mask(high))
    for low, high in (
        ((0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15)),
        ((0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15)),
        ((0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15)),
    )
)
