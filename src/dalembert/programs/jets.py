"""Taylor coefficients of a motion, by recurrences for every operation of its slopes.

    y = (q, v),  q̇ = v,  v̇ = a(t, q, v, p);   c[k] = (dᵏc/dtᵏ)/k!
    w = a ± b      w[k] = a[k] ± b[k]
    w = a b        w[k] = Σ_{0≤j≤k} a[j] b[k−j]
    w = a / b      w[k] = (a[k] − Σ_{1≤j≤k} b[j] w[k−j]) / b[0]
    w = √a         w[k] = (a[k] − Σ_{1≤j<k} w[j] w[k−j]) / 2 w[0]
    w = aˢ         w[k] = Σ_{1≤j≤k} ((s + 1) j/k − 1) a[j] w[k−j] / a[0]
    ẇ = ± g ȧ      w[k] = ± Σ_{1≤j≤k} j a[j] g[k−j] / k                   sin, cos, sinh, cosh, exp, tanh
    h ẇ = ± ȧ      w[k] = (± a[k] − Σ_{1≤j<k} j w[j] h[k−j] / k) / h[0]   log, atan, asin, …
    y[k+1] = ẏ[k] / (k + 1)

Corliss and Chang (1982), Jorba and Zou (2005). Every sum over products of two series has an inner part

    Σ_{1≤j<k} a[j] b[k−j]

and terms with order k of a or b. The inner part does not need order k, so that a processor computes it early. In every
sum the term that becomes known last is added last. Coefficients that are zero cost nothing. An operation with a kink
(abs, select, …) has no such series, and the program is refused.

`Recurrences` states all this once, for two writers: here the orders are written out one after the other, and in
`taylor` the code of an order stands in a loop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.programs.maker import Maker, Place
from dalembert.programs.program import Program
from dalembert.programs.tangents import INTEGRALS, INVERSES, PAIRS, PARTNERS

SUMS = ("add", "sub", "neg")
LATE = 5  # the depth of speeds: q[k] is known long before v[k]
Value = Any  # a coefficient, as the writer has it
Terms = list[tuple[int, str, Value]]  # of a sum: when each becomes known, "add" or "sub", the value
Key = tuple[str, int]  # ("", an operation's series) or ("rate", j a[j])


def without_fine(slopes: Program) -> Program:
    """The program of all outputs but the last, `fine`, which is a condition and has no series."""
    return slopes.selected(range(len(slopes.outputs) - 1))


def jet(slopes: Program, coordinates: int, order: int) -> Program | None:
    """The program from x = (t, q, v, p) to y[0], …, y[order], g[0], …, g[order], and `fine`, or None if there is a
    kink.

    The outputs of `slopes` are the n accelerations, any number of other quantities g, and `fine`.
    """
    n, last = coordinates, len(slopes.outputs) - 1
    bare = without_fine(slopes)
    if not bare.is_smooth:
        return None
    m = Maker(slopes.inputs)
    x = [m.input(i) for i in range(len(slopes.inputs))]
    fine = m.copied(slopes.selected([last]), x)[0]
    q, v = [[x[1 + i]] for i in range(n)], [[x[1 + n + i]] for i in range(n)]
    work = _WrittenOut(m, Lowered(bare), n, [[x[0], m.number(1.0)], *q, *v, *([p] for p in x[1 + 2 * n :])])
    work.speeds = v
    others: list[Place] = []
    for k in range(order + 1 if last > n else order):
        a = work.next()
        others += a[n:]
        over = m.number(1.0 / (k + 1))
        for i in range(n):
            q[i].append(m.mul(over, v[i][k]))
        for i in range(n):
            v[i].append(m.mul(over, a[i]))
    outputs = [c[k] for k in range(order + 1) for c in (*q, *v)]
    return m.program([*outputs, *others, fine])


def orders(code: Program, coordinates: int, order: int) -> Iterator[Program]:
    """For k = 0, 1, …, order: the program of the coefficients [k] of all outputs, where the inputs t, q and v are
    series in time. The coefficients [1], …, [order] of these follow all inputs: [1] of each, then [2] of each, ….
    """
    if not code.is_smooth:
        raise MathematicsError(tr("the equations have a kink, where there are no derivatives"))
    width, moving = len(code.inputs), 1 + 2 * coordinates
    names = (*code.inputs, *(f"{name}[{k}]" for k in range(1, order + 1) for name in code.inputs[:moving]))
    m = Maker(names)
    series = [[m.input(i)] for i in range(width)]
    for i in range(moving):
        series[i] += [m.input(width + k * moving + i) for k in range(order)]
    work = _WrittenOut(m, Lowered(code), coordinates, series)
    for _ in range(order + 1):
        yield m.program(work.next())


def products(slopes: Program, coordinates: int) -> int:
    """The number of operations whose series are sums of products. An order k of each costs k multiplications."""
    code = Lowered(without_fine(slopes))
    constant, asked = constants(code, coordinates), {"mul": slice(2), "div": slice(1, 2)}
    factors = [op.arguments[asked.get(op.kind, slice(1))] for op in code.operations if op.kind not in (*SUMS, "input")]
    return sum(bool(places) and not any(constant[a] for a in places) for places in factors)


def constants(code: Lowered, coordinates: int) -> list[bool]:
    """Which operations are constant along a motion."""
    found: list[bool] = []
    for kind, arguments, _ in code.operations:
        found.append(arguments[0] > 2 * coordinates if kind == "input" else all(found[a] for a in arguments))
    return found


class Lowered:
    """A program with the additional operations that recurrences need: `partner` is the g or h of a function.

    a · (1/b) becomes a / b where 1/b has no other use: one product of series fewer.
    """

    def __init__(self, code: Program):
        self.m = m = Maker(code.inputs)
        quotients, gone = _quotients(code)
        self.partner: dict[Place, Place] = {}
        found: list[Place] = []
        for place, (kind, arguments, value) in enumerate(code.operations):
            parts = [] if kind == "input" else [found[a] for a in arguments]
            if kind == "number":
                found.append(m.number(value))
            elif kind == "input":
                found.append(m.input(arguments[0]))
            elif place in gone:
                found.append(parts[0])  # nobody asks for it
            elif place in quotients:
                found.append(m.div(*(found[a] for a in quotients[place])))
            elif kind == "tan":
                found.append(m.div(self.function("sin", parts), self.function("cos", parts)))
            elif kind == "pow" and m.known(parts[1]) is None:
                found.append(self.function("exp", [m.mul(parts[1], self.function("log", parts[:1]))]))
            else:
                found.append(self.function(kind, parts))
        self.outputs = [found[o] for o in code.outputs]
        self.operations = m.operations

    def function(self, kind: str, parts: list[Place]) -> Place:
        m, place = self.m, self.m.made(kind, parts)
        if kind in PAIRS and place not in self.partner:
            other = m.function(PAIRS[kind], parts[0])
            self.partner |= {place: other, other: place}
        elif kind in PARTNERS and place not in self.partner:
            self.partner[place] = PARTNERS[kind](m, place, *parts)
        return place


def _quotients(code: Program) -> tuple[dict[Place, tuple[Place, Place]], set[Place]]:
    """Products with a reciprocal that has no other use, as numerators and denominators; and these reciprocals."""
    times = Counter(a for op in code.operations if op.kind != "input" for a in op.arguments) + Counter(code.outputs)
    found: dict[Place, tuple[Place, Place]] = {}
    gone: set[Place] = set()
    for place, (kind, factors, _) in enumerate(code.operations):
        for one, other in (factors, factors[::-1]) if kind == "mul" and factors[0] != factors[1] else ():
            above, *below = code.operations[other].arguments if code.operations[other].kind == "div" else (other,)
            if below and times[other] == 1 and code.operations[above].value == 1.0 and place not in found:
                found[place] = one, below[0]
                gone.add(other)
    return found, gone


class Recurrences(ABC):
    """Order k ≥ 1 of all operations of a program. The arithmetic `m` of coefficients is a Maker's.

    `zero` are the coefficients of order 0. A writer sets `k` and `over_k`, the order and its inverse as numbers.
    """

    k: Value
    over_k: Value

    def __init__(self, m: Any, code: Lowered, coordinates: int, zero: Sequence[Value]):
        self.m, self.code, self.n, self.zero = m, code, coordinates, zero
        self.constant = constants(code, coordinates)
        self.depth: list[int] = []  # how late the coefficient of an order becomes known
        for place, (kind, arguments, _) in enumerate(code.operations):
            if kind == "input":
                self.depth.append(LATE if self.n < arguments[0] <= 2 * self.n else 0)
            else:
                later = 1 + max([self.depth[a] for a in arguments], default=0)
                self.depth.append(0 if self.constant[place] else later)
        self.pairs: dict[tuple[Key, Key], int] = {}  # of series whose products are summed, each with its index
        self._inverses: dict[int, Value] = {}
        self._twice: dict[int, Value] = {}
        self._inside = self._only_in_sums()

    @abstractmethod
    def input(self, index: int) -> Value:
        """Order k of an input."""

    @abstractmethod
    def speed(self, i: int) -> Value | None:
        """v[k−1] = k q[k] of a coordinate, if it is known."""

    @abstractmethod
    def inner(self, a: Key, b: Key) -> Value:
        """Σ_{1≤j<k} a[j] b[k−j] of one of the `pairs`."""

    def order(self) -> list[Value]:
        """The outputs at order k. `values` are all operations there. The first order finds all pairs."""
        self.values: list[Value] = []
        self._terms: dict[int, Terms] = {}  # of sums that are written into others
        for place, op in enumerate(self.code.operations):
            value = self.m.number(0.0)
            if self.constant[place]:
                pass
            elif op.kind == "input":
                value = self.input(op.arguments[0])
            elif op.kind not in (*SUMS, "mul"):
                value = self._coefficient(place)
            elif place in self._inside:
                self._terms[place] = self._sum_of(place)
            else:
                value = self._added(self._sum_of(place))
            self.values.append(value)
        return [self.values[o] for o in self.code.outputs]

    def factors(self) -> dict[Key, Value]:
        """Order k of the series that stand in pairs."""
        return {key: self._of(key) for key in dict.fromkeys(key for pair in self.pairs for key in pair)}

    def _of(self, key: Key) -> Value:
        kind, place = key
        if not kind:
            return self.values[place]
        op = self.code.operations[place]
        known = self.speed(op.arguments[0] - 1) if op.kind == "input" and 1 <= op.arguments[0] <= self.n else None
        return self.m.mul(self.k, self.values[place]) if known is None else known

    def _only_in_sums(self) -> set[int]:
        """Operations that are used once, by a sum or as a numerator."""
        operations, outputs = self.code.operations, self.code.outputs
        used = Counter(a for op in operations if op.kind != "input" for a in op.arguments) + Counter(outputs)
        sums = [op.arguments for op in operations if op.kind in SUMS]
        numerators = [op.arguments[:1] for op in operations if op.kind == "div"]
        elsewhere = {*self.code.partner.values(), *outputs}
        return {a for arguments in (*sums, *numerators) for a in arguments if used[a] == 1 and a not in elsewhere}

    def _parts(self, place: int) -> Terms:
        return self._terms.get(place) or [(self.depth[place], "add", self.values[place])]

    def _sum_of(self, place: int) -> Terms:
        """The terms of order k of a sum or product."""
        kind, (a, *b), _ = self.code.operations[place]
        if kind == "mul":
            ends = [(a, self.zero[b[0]]), (b[0], self.zero[a])]
            if a == b[0]:
                if a not in self._twice:
                    self._twice[a] = self.m.add(self.zero[a], self.zero[a])
                ends = [(a, self._twice[a])]
            known = [(self.depth[end], "add", self.m.mul(self.values[end], other)) for end, other in ends]
            return [(0, "add", self._inner(("", a), ("", b[0]))), *known]
        if kind == "neg":
            return self._opposite(self._parts(a))
        return self._parts(a) + (self._parts(b[0]) if kind == "add" else self._opposite(self._parts(b[0])))

    def _opposite(self, terms: Terms) -> Terms:
        return [(late, "sub" if sign == "add" else "add", value) for late, sign, value in terms]

    def _added(self, terms: Terms) -> Value:
        found = self.m.number(0.0)
        for _, sign, value in sorted(terms, key=lambda term: term[0]):
            found = self.m.add(found, value) if sign == "add" else self.m.sub(found, value)
        return found

    def _coefficient(self, place: int) -> Value:
        """Order k of another operation."""
        m, (kind, arguments, _) = self.m, self.code.operations[place]
        a, here = arguments[0], [self.values[i] for i in arguments]
        if kind == "div":
            b = arguments[1]
            inside = (0, "sub", self._inner(("", b), ("", place)))
            end = (self.depth[b], "sub", m.mul(here[1], self.zero[place]))
            return m.mul(self._added([inside, end, *self._parts(a)]), self._inverse(place, b))
        if kind == "sqrt":
            rest = m.sub(here[0], self._inner(("", place), ("", place)))
            return m.mul(rest, self._inverse(place, place, 0.5))
        if kind == "pow":
            s = m.number(self.code.operations[arguments[1]].value + 1.0)
            one = m.mul(m.mul(s, self.over_k), self._product(a, place))
            other = m.add(m.mul(here[0], self.zero[place]), self._inner(("", a), ("", place)))
            return m.mul(m.sub(one, other), self._inverse(place, a))
        if kind in INTEGRALS:
            found = m.mul(self.over_k, self._product(a, self.code.partner[place]))
            return found if INTEGRALS[kind] > 0 else m.neg(found)
        if kind in INVERSES:
            right = here[0] if INVERSES[kind] > 0 else m.neg(here[0])
        else:  # atan2: h ẇ = x ẏ − y ẋ
            y, x = arguments
            right = m.mul(self.over_k, m.sub(self._product(y, x), self._product(x, y)))
        h = self.code.partner[place]
        own = m.mul(self.over_k, self._inner(("rate", place), ("", h)))
        return m.mul(m.sub(right, own), self._inverse(place, h))

    def _inverse(self, place: int, divisor: int, above: float = 1.0) -> Value:
        """The quotient with which all orders of an operation are multiplied."""
        if place not in self._inverses:
            self._inverses[place] = self.m.div(self.m.number(above), self.zero[divisor])
        return self._inverses[place]

    def _product(self, a: int, b: int) -> Value:
        """Σ_{1≤j≤k} j a[j] b[k−j]"""
        return self.m.add(self.m.mul(self._of(("rate", a)), self.zero[b]), self._inner(("rate", a), ("", b)))

    def _inner(self, a: Key, b: Key) -> Value:
        if self.constant[a[1]] or self.constant[b[1]]:
            return self.m.number(0.0)
        if (b, a) in self.pairs:
            a, b = b, a
        self.pairs.setdefault((a, b), len(self.pairs))
        return self.inner(a, b)


class _WrittenOut(Recurrences):
    """Coefficients as places of a program, order by order. `inputs` are the inputs' series, known up to each order."""

    speeds: Sequence[Sequence[Place]] = ()  # the series of v, if it is the rate of q

    def __init__(self, m: Maker, code: Lowered, coordinates: int, inputs: Sequence[Sequence[Place]]):
        super().__init__(m, code, coordinates, m.every(code.operations, [series[0] for series in inputs]))
        self.inputs, self.at = inputs, -1
        self.series: dict[Key, list[Place]] = {}  # of factors, from order 1 on

    def next(self) -> list[Place]:
        """The outputs' coefficients of the next order."""
        self.at += 1
        if self.at == 0:
            return [self.zero[o] for o in self.code.outputs]
        self.k, self.over_k = self.m.number(float(self.at)), self.m.number(1.0 / self.at)
        found = self.order()
        for key, value in self.factors().items():
            self.series.setdefault(key, []).append(value)
        return found

    def input(self, index: int) -> Place:
        series = self.inputs[index]
        return series[self.at] if self.at < len(series) else self.m.number(0.0)

    def speed(self, i: int) -> Place | None:
        return self.speeds[i][self.at - 1] if self.speeds else None

    def inner(self, a: Key, b: Key) -> Place:
        """For a square, each pair is computed once."""
        m, left, right = self.m, self.series.get(a, []), self.series.get(b, [])
        products = [m.mul(x, y) for x, y in zip(left, reversed(right), strict=True)]
        if a != b:
            return self._halves(products)
        middle = products[len(left) // 2] if len(left) % 2 else m.number(0.0)
        return m.add(m.mul(m.number(2.0), self._halves(products[: len(left) // 2])), middle)

    def _halves(self, parts: list[Place]) -> Place:
        """Add by halves, so that a processor adds several at a time. Products that vanish are left out."""
        parts = [part for part in parts if not self.m.is_zero(part)] or [self.m.number(0.0)]
        while len(parts) > 1:
            parts = [self.m.sum(parts[i : i + 2]) for i in range(0, len(parts), 2)]
        return parts[0]
