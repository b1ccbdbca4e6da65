"""Truncated Taylor series in several variables, with fifty digits: exact derivatives of expressions at a point.

    f(p + h) = Σ_{|e| ≤ order} f_e h^e

A series is a list over degrees of dictionaries {exponents: coefficient}. The exponents are packed into one integer, so
that a product of monomials is a sum of integers. Coefficients are `Decimal`, whose C arithmetic is ten times faster
than mpmath's; mpmath gives the values of elementary functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from functools import lru_cache
from math import factorial
from typing import Any

import mpmath
import symengine as se

from dalembert.errors import MathematicsError

DIGITS = 50
BITS = 5  # bits of one exponent: orders up to 31

Series = list[dict[int, Any]]
NIL, ONE = Decimal(0), Decimal(1)


def exact(value: Any) -> Decimal:
    """A float as it was written (0.3, not the nearest double). Integers and fractions stay exact."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, se.Rational):
        return Decimal(int(value.p)) / Decimal(int(value.q))
    if isinstance(value, int | se.Integer):
        return Decimal(int(value))
    return Decimal(repr(float(value)))


class Digits:
    """`with Digits():` computes with fifty digits in this thread."""

    def __enter__(self) -> None:
        self._context = localcontext()
        self._context.__enter__().prec = DIGITS

    def __exit__(self, *fault: object) -> None:
        self._context.__exit__(*fault)  # type: ignore[arg-type]


class Expansion:
    """Series of expressions in `variables` about a point, up to an order. Other symbols are numbers.

    `point` has the values of all symbols. Expansions are kept, so that shared parts are expanded once.
    """

    def __init__(self, variables: Sequence[Any], point: Mapping[Any, Any], order: int):
        self.order = order
        self.variables = tuple(variables)
        self._known: dict[Any, Series] = {}
        self.point = {symbol: exact(value) for symbol, value in point.items()}
        for i, symbol in enumerate(self.variables):
            self._known[symbol] = self._filled([{0: self.point[symbol]}, {1 << (BITS * i): ONE}])

    def given(self, symbol: Any, coefficients: Sequence[Any]) -> None:
        """Give a symbol that is itself a series. There must be only one variable."""
        self._known[symbol] = self._filled([{k: c} for k, c in enumerate(coefficients)])

    def __call__(self, expression: Any) -> Series:
        root = se.sympify(expression)
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self._known:
                stack.pop()
                continue
            missing = [part for part in self._parts(node) if part not in self._known]
            if missing:
                stack.extend(missing)
                continue
            self._known[node] = self._node(node)
            stack.pop()
        return self._known[root]

    def _parts(self, node: Any) -> Sequence[Any]:
        if type(node).__name__ == "Piecewise":
            return [self._case(node)]
        return () if node.is_Number else node.args

    def _case(self, node: Any) -> Any:
        """The branch that holds at the point."""
        numbers = {s: se.Float(str(self.point[s])) for s in node.free_symbols if s in self.point}
        for value, condition in zip(node.args[::2], node.args[1::2], strict=True):
            if bool(condition.subs(numbers)):
                return value
        raise MathematicsError("no case of an expression applies at this point")

    def _node(self, node: Any) -> Series:
        kind = type(node).__name__
        if node.is_Symbol:
            return self.constant(self.point[node])
        if node.is_Number:
            return self.constant(exact(node))
        if kind == "Piecewise":
            return self._known[self._case(node)]
        parts = [self._known[part] for part in node.args]
        if kind == "Add":
            return total(parts, self.order)
        if kind == "Mul":
            product = parts[0]
            for part in parts[1:]:
                product = times(product, part)
            return product
        if kind == "Pow":
            return self._power(node, parts)
        if kind in CONSTANTS:
            return self.constant(exact(CONSTANTS[kind]))
        if kind == "atan2":
            return self._angle(*parts)
        if kind not in TAYLOR:
            raise MathematicsError("the derivatives of {kind} are not known", kind=kind)
        return self.composed(TAYLOR[kind](_value(parts[0]), self.order), parts[0])

    def _power(self, node: Any, parts: list[Series]) -> Series:
        base, exponent = node.args
        if type(base).__name__ == "Exp1":
            return self.composed(TAYLOR["exp"](_value(parts[1]), self.order), parts[1])
        if not exponent.is_Number:
            log = self.composed(TAYLOR["log"](_value(parts[0]), self.order), parts[0])
            product = times(log, parts[1])
            return self.composed(TAYLOR["exp"](_value(product), self.order), product)
        if exponent.is_Integer and int(exponent) > 0:
            return self.raised(parts[0], int(exponent))
        return self.composed(_binomial(_value(parts[0]), exact(exponent), self.order), parts[0])

    def raised(self, base: Series, power: int) -> Series:
        result: Series | None = None
        while power:
            if power & 1:
                result = base if result is None else times(result, base)
            power >>= 1
            base = times(base, base) if power else base
        assert result is not None
        return result

    def _angle(self, y: Series, x: Series) -> Series:
        """atan2(y, x): its value, and the derivatives of the arc tangent of y/x or x/y, whichever is finite."""
        steep = abs(_value(y)) > abs(_value(x))
        ratio = times(x, self.inverse(y)) if steep else times(y, self.inverse(x))
        found = self.composed(TAYLOR["atan"](_value(ratio), self.order), ratio)
        if steep:
            found = scaled(exact(-1), found)
        found[0] = {0: elementary("atan2", _value(y), _value(x))}
        return found

    def constant(self, value: Decimal) -> Series:
        return self._filled([{0: value}])

    def inverse(self, a: Series) -> Series:
        return self.composed(_binomial(_value(a), exact(-1), self.order), a)

    def composed(self, taylor: Sequence[Decimal], a: Series) -> Series:
        """Σ c_k (a − a₀)^k by Horner. A factor a − a₀ raises the degree, so the first products need few degrees."""
        h: Series = [{}, *a[1:]]
        result: Series = [{0: taylor[-1]}]
        for c in reversed(taylor[:-1]):
            result = times([*result, {}], h)
            result[0] = {0: c}
        return result

    def _filled(self, parts: Series) -> Series:
        return [*parts[: self.order + 1], *({} for _ in range(self.order + 1 - len(parts)))]


def value(a: Series) -> Decimal:
    """The value at the point itself."""
    return a[0].get(0, NIL)


_value = value  # a second name, because an argument hides the first


def total(parts: Sequence[Series], order: int) -> Series:
    result: Series = [dict(level) for level in parts[0]]
    for part in parts[1:]:
        for into, level in zip(result, part, strict=False):
            for key, c in level.items():
                into[key] = into[key] + c if key in into else c
    return result[: order + 1]


def scaled(factor: Decimal, a: Series) -> Series:
    return [{key: factor * c for key, c in level.items()} for level in a]


def times(a: Series, b: Series) -> Series:
    """The product, up to the order to which both factors are known."""
    size = min(len(a), len(b))
    result: Series = [{} for _ in range(size)]
    for i, left in enumerate(a[:size]):
        if not left:
            continue
        for j, right in enumerate(b[: size - i]):
            if not right:
                continue
            into = result[i + j]
            for k1, c1 in left.items():
                for k2, c2 in right.items():
                    key = k1 + k2
                    into[key] = into[key] + c1 * c2 if key in into else c1 * c2
    return result


def derivative(a: Series, place: int) -> Series:
    """∂/∂h_place. It is known to one order less."""
    one, mask = 1 << (BITS * place), (1 << BITS) - 1
    shift = BITS * place
    return [
        {key - one: c * ((key >> shift) & mask) for key, c in level.items() if (key >> shift) & mask} for level in a[1:]
    ]


def is_nil(a: Series) -> bool:
    return not any(c for level in a for c in level.values())


_MP = mpmath.mp.clone()  # a separate context, so that the precision of other code is not changed
_MP.dps = DIGITS + 10


@lru_cache(maxsize=4096)
def elementary(function: str, *arguments: Decimal) -> Decimal:
    """The value of an elementary function in five digits more than DIGITS."""
    found = getattr(_MP, function)(*(_MP.mpf(str(a)) for a in arguments))
    if not isinstance(found, _MP.mpf) or not _MP.isfinite(found):
        raise MathematicsError(
            "{function} has no value at {arguments}",
            function=function,
            arguments=", ".join(f"{a:.6g}" for a in arguments),
        )
    return Decimal(_MP.nstr(found, DIGITS + 5))


def _binomial(a: Decimal, r: Decimal, order: int) -> list[Decimal]:
    """Taylor coefficients of x^r at a."""
    if a == 0 or (a < 0 and r != int(r)):
        raise MathematicsError("a power has no value at {a:.6g}", a=a)
    whole = r == int(r)
    found = [a ** int(r) if whole else elementary("exp", elementary("log", a) * r)]
    for k in range(order):
        found.append(found[-1] * (r - k) / ((k + 1) * a))
    return found


def _cycle(values: Sequence[Decimal], order: int) -> list[Decimal]:
    """Taylor coefficients from derivatives that repeat in a cycle."""
    return [values[k % len(values)] / factorial(k) for k in range(order + 1)]


def _sine(a: Decimal, order: int) -> list[Decimal]:
    s, c = elementary("sin", a), elementary("cos", a)
    return _cycle((s, c, -s, -c), order)


def _cosine(a: Decimal, order: int) -> list[Decimal]:
    s, c = elementary("sin", a), elementary("cos", a)
    return _cycle((c, -s, -c, s), order)


def _logarithm(a: Decimal, order: int) -> list[Decimal]:
    if a <= 0:
        raise MathematicsError("log has no value at {a:.6g}", a=a)
    return [elementary("log", a), *(-((-1) ** k) / (k * a**k) for k in range(1, order + 1))]


def _ratio(above: Sequence[Decimal], below: Sequence[Decimal]) -> list[Decimal]:
    if below[0] == 0:
        raise MathematicsError("a tangent has no value here")
    found: list[Decimal] = []
    for k, c in enumerate(above):
        found.append((c - sum(found[i] * below[k - i] for i in range(k))) / below[0])
    return found


def _integral(first: Decimal, slopes: Sequence[Decimal]) -> list[Decimal]:
    return [first, *(c / (k + 1) for k, c in enumerate(slopes))]


def _arc(function: str, slope: Callable[[Any], Any]) -> Callable[[Decimal, int], list[Decimal]]:
    """The series of a function with an algebraic derivative, integrated term by term."""

    def taylor(a: Decimal, order: int) -> list[Decimal]:
        first = elementary(function, a)
        if order == 0:
            return [first]
        x = se.Symbol("x")
        local = Expansion((), {x: a}, order - 1)
        local.given(x, [a, ONE])
        return _integral(first, [level.get(k, 0) for k, level in enumerate(local(slope(x)))])

    return taylor


def _exponential(a: Decimal, order: int) -> list[Decimal]:
    return _cycle((elementary("exp", a),), order)


def _hyperbolic(sign: int) -> Callable[[Decimal, int], list[Decimal]]:
    def taylor(a: Decimal, order: int) -> list[Decimal]:
        up, down = elementary("exp", a), elementary("exp", -a)
        sinh, cosh = (up - down) / 2, (up + down) / 2
        return _cycle((sinh, cosh) if sign < 0 else (cosh, sinh), order)

    return taylor


TAYLOR: dict[str, Callable[[Decimal, int], list[Decimal]]] = {
    "sin": _sine,
    "cos": _cosine,
    "tan": lambda a, order: _ratio(_sine(a, order), _cosine(a, order)),
    "exp": _exponential,
    "log": _logarithm,
    "sinh": _hyperbolic(-1),
    "cosh": _hyperbolic(1),
    "tanh": lambda a, order: _ratio(_hyperbolic(-1)(a, order), _hyperbolic(1)(a, order)),
    "asin": _arc("asin", lambda x: (1 - x**2) ** se.Rational(-1, 2)),
    "acos": _arc("acos", lambda x: -((1 - x**2) ** se.Rational(-1, 2))),
    "atan": _arc("atan", lambda x: 1 / (1 + x**2)),
}
CONSTANTS = {"Pi": Decimal(_MP.nstr(+_MP.pi, DIGITS + 5)), "Exp1": Decimal(_MP.nstr(+_MP.e, DIGITS + 5))}
