"""The functions of the model language on floats. Outside their domain they raise ValueError or OverflowError."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction


def _sign(x: float) -> float:
    return (x > 0) - (x < 0)


FLOAT_FUNCTIONS: dict[str, Callable[..., float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "abs": abs,
    "sign": _sign,
    "min": min,
    "max": max,
    "clip": lambda x, low, high: min(max(x, low), high),
    "floor": math.floor,
    "mod": lambda x, m: x - m * math.floor(x / m),
}


def applied(function: str, arguments: Sequence[float]) -> float:
    """The value of a scalar function."""
    return float(FLOAT_FUNCTIONS[function](*arguments))


def power(base: float, exponent: float) -> float:
    """base^exponent. A result that underflows to zero raises an error, like an overflow.

    Exact arithmetic later would form all digits of such a number: 9^-1000 has as many as 9^1000.
    """
    result = math.pow(base, exponent)
    if result == 0 and base != 0:
        raise OverflowError("underflow")
    return result


def rational_root(value: Fraction) -> Fraction | None:
    """The square root of a number that is the square of a rational one, or None."""
    above, below = (math.isqrt(abs(part)) for part in (value.numerator, value.denominator))
    root = Fraction(above, below)
    return root if root * root == value else None
