"""The programs that the engine needs for a model: functions of x = (t, q, v, z, p), or of x with fewer speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.equations import Equations
from dalembert.programs.maker import Maker, Place
from dalembert.programs.program import Program


@dataclass(frozen=True, slots=True)
class Slopes:
    """The program from x to (a_1 … a_n, fine). `fine` is 1 only if every pivot counts; else solve with pivots."""

    program: Program
    way: str
    redundant: tuple[int, ...] = ()  # rows of A that were left out, because they follow from the others at the start


@dataclass(frozen=True, slots=True)
class Reduced:
    """A motion in coordinates and independent speeds u. Only holonomic constraints remain to be enforced."""

    slopes: Program  # (t, q, u, p) to (q̇, u̇, fine)
    start: Program  # (t, q, v, p) to u
    end: Program  # (t, q, u, p) to v


def begun(
    eq: Equations, speeds: Sequence[Any] | None = None, more: Sequence[str] = ()
) -> tuple[Maker, dict[Any, Place]]:
    """Begin a program: the maker and the places of x, with `speeds` in place of v. `more` inputs follow x."""
    symbols = (eq.t, *eq.q, *(eq.v if speeds is None else speeds), *eq.z, *eq.parameters)
    maker = Maker([*map(str, symbols), *more])
    return maker, {symbol: maker.input(i) for i, symbol in enumerate(symbols)}


def names(eq: Equations) -> list[str]:
    return [*(f"{name}''" for name in eq.coordinates), "fine"]
