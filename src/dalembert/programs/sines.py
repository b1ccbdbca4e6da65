"""Sine and cosine together, in LLVM's language and with NumPy, by fdlibm's polynomials (Sun Microsystems 1993).

    x = k π/2 + r,  |r| ≤ π/4;    π/2 in three parts of 33 bits, so that k times each of the first two is exact

The largest error of 20,000 random angles is 1.0 unit in the last place below π/4, 1.6 below 10⁴ and 2.2 below 10⁶: r is
rounded, and its rounding is not carried on as in fdlibm. Angles beyond 2²⁰ quarter turns go to the C library, by a
branch that costs nothing otherwise. The functions are compiled once per process, and programs call them. NumPy does the
same operations and gives the same bits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

QUARTERS = 0.6366197723675814  # 2/π
PI_HALF = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
SINE = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
        2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)  # fmt: skip
COSINE = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
          -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)  # fmt: skip
MOST_QUARTERS = 2.0**20
ROUNDER = 1.5 * 2.0**52  # adding and subtracting it rounds to an integer
WIDTHS = (1, 2, 4, 8)
T = TypeVar("T")
Operation = Callable[[T, T], T]


def name(width: int) -> str:
    return f"dalembert_sine_and_cosine_{width}"


def declaration(width: int) -> str:
    real = _real(width)
    return f"declare {{ {real}, {real} }} @{name(width)}({real}) nounwind"


def _real(width: int) -> str:
    return f"<{width} x double>" if width > 1 else "double"


def turned(text: Any, angles: dict[int, str]) -> dict[int, tuple[str, str]]:
    """Sines and cosines of angles. For one state, several angles share a vector, as several states do otherwise."""
    if text.lanes > 1:
        return {place: _called(text, text.lanes, angle) for place, angle in angles.items()}
    left, found = list(angles.items()), {}
    while left:
        width = max(w for w in (1, 2, 4) if w <= max(len(left), 1))
        if len(left) == 3:
            width = 4
        group, left = left[:width], left[width:]
        if width == 1:
            found[group[0][0]] = _called(text, 1, group[0][1])
            continue
        packed = "undef"
        for lane in range(width):
            angle = group[min(lane, len(group) - 1)][1]
            packed = text.new(f"insertelement {_real(width)} {packed}, double {angle}, i32 {lane}")
        pair = _called(text, width, packed)
        for lane, (place, _) in enumerate(group):
            one, other = (text.new(f"extractelement {_real(width)} {part}, i32 {lane}") for part in pair)
            found[place] = one, other
    return found


def _called(text: Any, width: int, angle: str) -> tuple[str, str]:
    text.turns.add(width)
    real = _real(width)
    both = text.new(f"call {{ {real}, {real} }} @{name(width)}({real} {angle})")
    one, other = (text.new(f"extractvalue {{ {real}, {real} }} {both}, {i}") for i in (0, 1))
    return one, other


def module(texts: Sequence[Any]) -> str:
    """The functions themselves. Each of `texts` is an empty one of its width."""
    parts, declared = [], {"declare double @sin(double) nounwind", "declare double @cos(double) nounwind"}
    for text in texts:
        real = text.real
        s, c = sine_and_cosine(text, "%x")
        declared |= text.intrinsics
        one = text.new(f"insertvalue {{ {real}, {real} }} undef, {real} {s}, 0")
        both = text.new(f"insertvalue {{ {real}, {real} }} {one}, {real} {c}, 1")
        head = f"define {{ {real}, {real} }} @{name(text.lanes)}({real} %x) nounwind {{"
        parts.append("\n".join([head, "entry:", *text.lines, f"ret {{ {real}, {real} }} {both}", "}"]))
    return "\n".join([*sorted(declared), *parts])


def sine_and_cosine(text: Any, x: str) -> tuple[str, str]:
    """If every angle is at most π/4, then k = 0 and r = x: a shorter way gives the same bits, and the motion of two
    links that swing takes 0.87 of the time.
    """
    op, c = text.op, text.constant
    turns = op("fmul", x, c(QUARTERS))
    small = _in_every_lane(text, text.new(f"fcmp ole {text.real} {text.intrinsic('fabs', turns)}, {c(0.5)}"))
    short, long, end = text.label(), text.label(), text.label()
    text.lines += [f"br i1 {small}, label %{short}, label %{long}", f"{short}:"]
    near_s, near_k = _near_zero(text, x)
    text.lines += [f"br label %{end}", f"{long}:"]
    s, k, last = _any(text, x, turns)
    text.lines += [f"br label %{end}", f"{end}:"]
    joined = [f"phi {text.real} [ {a}, %{short} ], [ {b}, %{last} ]" for a, b in ((near_s, s), (near_k, k))]
    return text.new(joined[0]), text.new(joined[1])


def _near_zero(text: Any, r: str) -> tuple[str, str]:
    """Sine and cosine of an angle up to π/4."""
    op, c = text.op, text.constant
    z = op("fmul", r, r)
    square = op("fmul", z, z)

    def polynomial(coefficients: Sequence[float]) -> str:
        add, mul = (partial(op, kind) for kind in ("fadd", "fmul"))
        return in_pairs([c(one) for one in coefficients], z, square, add, mul)

    sine = op("fadd", r, op("fmul", op("fmul", z, r), polynomial(SINE)))
    half = op("fmul", c(0.5), z)
    w = op("fsub", c(1.0), half)
    rest = op("fsub", op("fsub", c(1.0), w), half)
    rest = op("fadd", rest, op("fmul", square, polynomial(COSINE)))
    return sine, op("fadd", w, rest)


def _any(text: Any, x: str, turns: str) -> tuple[str, str, str]:
    """Sine and cosine of any angle, and the label of the block where they are known."""
    op, c = text.op, text.constant
    shifted = op("fadd", turns, c(ROUNDER))
    count = op("fsub", shifted, c(ROUNDER))
    r = x
    for part in PI_HALF:
        r = op("fsub", r, op("fmul", count, c(part)))
    sine, cosine = _near_zero(text, r)
    quarter = text.new(f"bitcast {text.real} {shifted} to {text.whole}")
    one = text.constants("i64", 1)
    odd = text.new(f"trunc {text.whole} {quarter} to {text.bits}")
    after = text.new(f"add {text.whole} {quarter}, {one}")
    s = _signed(text, quarter, text.choose(odd, cosine, sine))
    k = _signed(text, after, text.choose(odd, sine, cosine))
    return _or_far(text, x, count, s, k)


def _signed(text: Any, quarter: str, value: str) -> str:
    """Change the sign of `value` if the second bit of `quarter` is set."""
    bit = text.new(f"and {text.whole} {quarter}, {text.constants('i64', 2)}")
    sign = text.new(f"shl {text.whole} {bit}, {text.constants('i64', 62)}")
    whole = text.new(f"bitcast {text.real} {value} to {text.whole}")
    return text.new(f"bitcast {text.whole} {text.new(f'xor {text.whole} {whole}, {sign}')} to {text.real}")


def in_pairs(coefficients: Sequence[T], z: T, square: T, add: Operation[T], mul: Operation[T]) -> T:
    """(c₀ + c₁ z) + z² ((c₂ + c₃ z) + z² (c₄ + c₅ z)): as many operations as by Horner, but pairs do not wait for each
    other, which makes the slopes of two links 1.1 times faster.
    """
    pairs = [add(one, mul(z, other)) for one, other in zip(coefficients[::2], coefficients[1::2], strict=True)]
    total = pairs.pop()
    for pair in reversed(pairs):
        total = add(pair, mul(square, total))
    return total


def _or_far(text: Any, x: str, count: str, s: str, k: str) -> tuple[str, str, str]:
    """Use the C library if the argument is large or NaN."""
    near = text.new(f"fcmp ole {text.real} {text.intrinsic('fabs', count)}, {text.constant(MOST_QUARTERS)}")
    every = _in_every_lane(text, near)
    here, far, there = text.label(), text.label(), text.label()
    text.lines += [f"br label %{here}", f"{here}:", f"br i1 {every}, label %{there}, label %{far}", f"{far}:"]
    far_s, far_k = (text.choose(near, mine, text.call(name, x)) for mine, name in ((s, "sin"), (k, "cos")))
    text.lines += [f"br label %{there}", f"{there}:"]
    joined = [f"phi {text.real} [ {a}, %{here} ], [ {b}, %{far} ]" for a, b in ((s, far_s), (k, far_k))]
    return text.new(joined[0]), text.new(joined[1]), there


def _in_every_lane(text: Any, condition: str) -> str:
    if text.lanes == 1:
        return condition
    mask = text.new(f"bitcast {text.bits} {condition} to i{text.lanes}")
    return text.new(f"icmp eq i{text.lanes} {mask}, -1")


def by_numpy(x: Any) -> tuple[Any, Any]:
    """Sine and cosine of a number or of an array."""
    if isinstance(x, float):
        count, sine, cosine = _in_first_quarter(x)
        if not abs(count) <= MOST_QUARTERS:
            return float(FAR_SINE(x)), float(FAR_COSINE(x))
        s, c = (cosine, sine) if int(count) & 1 else (sine, cosine)
        return -s if int(count) & 2 else s, -c if (int(count) + 1) & 2 else c
    with np.errstate(all="ignore"):
        count, sine, cosine = _in_first_quarter(x)
        near = np.abs(count) <= MOST_QUARTERS
        quarter = np.where(near, count, 0.0).astype(np.int64)
        odd = (quarter & 1).astype(bool)
        s = np.where(odd, cosine, sine) * np.where(quarter & 2, -1.0, 1.0)
        c = np.where(odd, sine, cosine) * np.where((quarter + 1) & 2, -1.0, 1.0)
    return (s, c) if near.all() else (np.where(near, s, FAR_SINE(x)), np.where(near, c, FAR_COSINE(x)))


def _in_first_quarter(x: Any) -> tuple[Any, Any, Any]:
    """The number of quarter turns, and sine and cosine of what is left."""
    count = (x * QUARTERS + ROUNDER) - ROUNDER
    r = x
    for part in PI_HALF:
        r = r - count * part
    z = r * r
    square = z * z
    half = 0.5 * z
    w = 1.0 - half
    in_sine, in_cosine = (in_pairs(one, z, square, operator.add, operator.mul) for one in (SINE, COSINE))
    return count, r + z * r * in_sine, w + (((1.0 - w) - half) + square * in_cosine)


def by_c(function: Callable[..., float], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the C library, as machine code calls it, number by number. NumPy's own may round differently; it
    gives infinities and NaN, for which Python raises an error.
    """

    def one(*arguments: float) -> float:
        try:
            return function(*arguments)
        except (ValueError, OverflowError):
            return float(otherwise(*arguments))

    return np.vectorize(one, otypes=[float])


FAR_SINE, FAR_COSINE = by_c(math.sin, np.sin), by_c(math.cos, np.cos)
