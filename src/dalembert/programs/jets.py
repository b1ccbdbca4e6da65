"""Taylor coefficients of a motion, by recurrences for every operation of its slopes.

    y = (q, v),  q̇ = v,  v̇ = a(t, q, v, p);   c[k] = (dᵏc/dtᵏ)/k!
    w = a ± b      w[k] = a[k] ± b[k]
    w = a b        w[k] = Σ_{0≤j≤k} a[j] b[k−j]
    w = a / b      w[k] = (a[k] − Σ_{1≤j≤k} b[j] w[k−j]) / b[0]
    w = √a         w[k] = (a[k] − Σ_{1≤j<k} w[j] w[k−j]) / 2 w[0]
    w = aˢ         w[k] = Σ_{1≤j≤k} (s j − k + j) a[j] w[k−j] / k a[0]
    ẇ = ± g ȧ      w[k] = ± Σ_{1≤j≤k} j a[j] g[k−j] / k                   sin, cos, sinh, cosh, exp, tanh
    h ẇ = ± ȧ      w[k] = (± a[k] − Σ_{1≤j<k} j w[j] h[k−j] / k) / h[0]   log, atan, asin, …
    y[k+1] = ẏ[k] / (k + 1)

Corliss and Chang (1982), Jorba and Zou (2005). Coefficients that are zero cost nothing. An operation with a kink (abs,
select, …) has no such series, and the program is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.programs.maker import Maker, Place
from dalembert.programs.program import CONDITIONS, Operation, Program

KINKS = frozenset(("abs", "sign", "min", "max", "select", "floor"))
Series = list[Place]


def smooth(code: Program) -> bool:
    """Whether every operation has a Taylor series at every state of its domain."""
    return not any(op.kind in KINKS or op.kind in CONDITIONS for op in code.operations)


def jet(slopes: Program, coordinates: int, order: int) -> Program | None:
    """The program from x = (t, q, v, p) to y[0], …, y[order], g[0], …, g[order], and `fine`, or None if there is a
    kink.

    The outputs of `slopes` are the n accelerations, any number of other quantities g, and `fine`.
    """
    n, last = coordinates, len(slopes.outputs) - 1
    bare = slopes.selected(range(last))
    if not smooth(bare):
        return None
    m = Maker(slopes.inputs)
    x = [m.input(i) for i in range(len(slopes.inputs))]
    fine = m.copied(slopes.selected([last]), x)[0]
    q, v = [[x[1 + i]] for i in range(n)], [[x[1 + n + i]] for i in range(n)]
    work = _Orders(m, bare, [[x[0], m.number(1.0)], *q, *v, *([p] for p in x[1 + 2 * n :])])
    work.rates |= {1 + i: v[i] for i in range(n)}
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


def orders(code: Program, moving: int, order: int) -> Iterator[Program]:
    """For k = 0, 1, …, order: the program of the coefficients [k] of all outputs, where the first `moving` inputs are
    series in time. The coefficients [1], …, [order] of these follow all inputs: [1] of each, then [2] of each, ….
    """
    if not smooth(code):
        raise MathematicsError(tr("the equations have a kink, where there are no derivatives"))
    width = len(code.inputs)
    names = (*code.inputs, *(f"{name}[{k}]" for k in range(1, order + 1) for name in code.inputs[:moving]))
    m = Maker(names)
    series = [[m.input(i)] for i in range(width)]
    for i in range(moving):
        series[i] += [m.input(width + k * moving + i) for k in range(order)]
    work = _Orders(m, code, series)
    for _ in range(order + 1):
        yield m.program(work.next())


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


PAIRS = {"sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh"}


def _one(m: Maker, sign: str, a: Place) -> Place:
    """1 ± a²"""
    return m.made(sign, [m.number(1.0), m.mul(a, a)])


PARTNERS: dict[str, Callable[..., Place]] = {
    "exp": lambda m, w, a: w,
    "tanh": lambda m, w, a: _one(m, "sub", w),
    "log": lambda m, w, a: a,
    "atan": lambda m, w, a: _one(m, "add", a),
    "atanh": lambda m, w, a: _one(m, "sub", a),
    "asin": lambda m, w, a: m.sqrt(_one(m, "sub", a)),
    "acos": lambda m, w, a: m.sqrt(_one(m, "sub", a)),
    "asinh": lambda m, w, a: m.sqrt(_one(m, "add", a)),
    "acosh": lambda m, w, a: m.sqrt(m.sub(m.mul(a, a), m.number(1.0))),
    "atan2": lambda m, w, y, x: m.add(m.mul(x, x), m.mul(y, y)),
}
INTEGRALS = {"sin": 1, "cos": -1, "sinh": 1, "cosh": 1, "exp": 1, "tanh": 1}  # ẇ = ± g ȧ
INVERSES = {"log": 1, "atan": 1, "atanh": 1, "asin": 1, "acos": -1, "asinh": 1, "acosh": 1}  # h ẇ = ± ȧ


class _Orders:
    """Coefficients of all operations of a program, order by order."""

    def __init__(self, m: Maker, code: Program, inputs: list[Series]):
        self.m, self.code, self.inputs = m, Lowered(code), inputs
        self.k = 0
        self.rates: dict[int, Series] = {}  # of inputs whose derivative has its own series
        self.series: list[Series] = []
        self.times: dict[int, Series] = {}  # j a[j] of each operation

    def next(self) -> list[Place]:
        """The outputs' coefficients of the next order."""
        for place, op in enumerate(self.code.operations):
            if self.k == 0:
                self.series.append([])
            self.series[place].append(self._coefficient(place, op))
        self.k += 1
        return [self.series[o][-1] for o in self.code.outputs]

    def _coefficient(self, place: int, op: Operation) -> Place:
        m, k, zero = self.m, self.k, self.m.number(0.0)
        kind, arguments, value = op
        if kind == "number":
            return zero if k else m.number(value)
        if kind == "input":
            series = self.inputs[arguments[0]]
            return series[k] if k < len(series) else zero
        parts = [self.series[a] for a in arguments]
        if kind in ("add", "sub", "neg"):
            return m.made(kind, [part[k] for part in parts])
        if kind == "mul":
            return self.product(parts[0], parts[1])
        if k == 0:
            return m.made(kind, [part[0] for part in parts])
        if kind in INTEGRALS:
            found = self.integral(arguments[0], self.series[self.code.partner[place]])
            return found if INTEGRALS[kind] > 0 else m.neg(found)
        if kind in INVERSES:
            right = parts[0][k] if INVERSES[kind] > 0 else m.neg(parts[0][k])
            return self.quotient(place, right)
        if kind == "atan2":  # h ẇ = x ẏ − y ẋ
            y, x = arguments
            return self.quotient(place, m.sub(self.integral(y, parts[1]), self.integral(x, parts[0])))
        if kind == "div":
            rest = m.sub(parts[0][k], self.dot(parts[1][1:], self.series[place]))
            return m.mul(rest, m.div(m.number(1.0), parts[1][0]))
        if kind == "sqrt":
            w = self.series[place]
            rest = m.sub(parts[0][k], self.product(w[1:], w[1:], k - 2))
            return m.mul(rest, m.div(m.number(0.5), w[0]))
        return self.power(place, arguments)

    def product(self, a: Series, b: Series, k: int | None = None) -> Place:
        """Σ a[j] b[k−j]. For a square, each pair is computed once."""
        m, k = self.m, self.k if k is None else k
        if k < 0:
            return m.number(0.0)
        if a is not b and a != b:
            return self.sum([m.mul(a[j], b[k - j]) for j in range(k + 1)])
        found = m.mul(m.number(2.0), self.sum([m.mul(a[j], a[k - j]) for j in range((k + 1) // 2)]))
        return found if k % 2 else m.add(found, m.mul(a[k // 2], a[k // 2]))

    def dot(self, a: Sequence[Place], w: Sequence[Place]) -> Place:
        """Σ_{1≤j≤k} a[j] w[k−j]; the list `a` starts at its coefficient 1."""
        return self.sum([self.m.mul(x, y) for x, y in zip(a[: self.k], reversed(w[: self.k]), strict=True)])

    def sum(self, parts: list[Place]) -> Place:
        """Add by halves, so that a processor adds several at a time. Products that vanish are left out."""
        parts = [part for part in parts if not self.m.is_zero(part)] or [self.m.number(0.0)]
        while len(parts) > 1:
            parts = [self.m.sum(parts[i : i + 2]) for i in range(0, len(parts), 2)]
        return parts[0]

    def rate(self, place: int) -> Series:
        """j a[j] for 1 ≤ j ≤ k: the coefficients of ȧ."""
        op = self.code.operations[place]
        if op.kind == "input" and op.arguments[0] in self.rates:
            return self.rates[op.arguments[0]]
        found, series = self.times.setdefault(place, []), self.series[place]
        while len(found) < min(self.k, len(series) - 1):
            j = len(found) + 1
            found.append(self.m.mul(self.m.number(float(j)), series[j]))
        return found

    def integral(self, place: int, g: Series) -> Place:
        """w[k] of ẇ = g ȧ."""
        return self.m.mul(self.m.number(1.0 / self.k), self.dot(self.rate(place), g))

    def quotient(self, place: int, right: Place) -> Place:
        """w[k] of h ẇ = …, where `right` is coefficient k − 1 of the right side, divided by k."""
        m, k, h = self.m, self.k, self.series[self.code.partner[place]]
        own = self.rate(place)[: k - 1]
        rest = self.sum([m.mul(x, h[k - 1 - j]) for j, x in enumerate(own)])
        return m.mul(m.sub(right, m.mul(m.number(1.0 / k), rest)), m.div(m.number(1.0), h[0]))

    def power(self, place: int, arguments: Sequence[int]) -> Place:
        m, k = self.m, self.k
        a, w = self.series[arguments[0]], self.series[place]
        s = self.code.operations[arguments[1]].value
        parts = [m.mul(m.number((s * j - k + j) / k), m.mul(a[j], w[k - j])) for j in range(1, k + 1)]
        return m.mul(self.sum(parts), m.div(m.number(1.0), a[0]))
