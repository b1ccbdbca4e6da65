"""Straight-line C++: statements with a name for every value, and numbers that are known folded away.

A value is a float that is known, or the name of a variable. What is counted is what the text does: one for each sum,
product, quotient and root, and a number of its own for every function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from math import inf, isnan

Cell = float | str


SIGNATURE = "const double t, const {given} &y, const Parameters &p, {found} &out"


def header(name: str) -> str:
    """A part of the source that is the same for every model."""
    return files("dalembert.cuda").joinpath(name).read_text()


def number(value: float) -> str:
    """A double that reads back to the same bits."""
    if isnan(value):
        return "NAN"
    if value in (inf, -inf):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(float(value))
    return f"({text})" if value < 0 or text.startswith("-") else text


def text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else number(cell)


@dataclass
class Writer:
    """Lines of a function's body. Names begin with `prefix`, so that two bodies may stand in one scope."""

    prefix: str
    lines: list[str] = field(default_factory=list)
    operations: Counter[str] = field(default_factory=Counter)
    known: dict[str, str] = field(default_factory=dict)  # what was written already, by its text

    def named(self, expression: str, kind: str = "double") -> str:
        """A variable with that value; the same text is written once."""
        if expression not in self.known:
            name = f"{self.prefix}{len(self.known)}"
            self.known[expression] = name
            self.lines.append(f"const {kind} {name} = {expression};")
        return self.known[expression]

    def counted(self, expression: str, **operations: int) -> str:
        if expression not in self.known:
            self.operations.update(operations)
        return self.named(expression)

    def multiply(self, a: Cell, b: Cell) -> Cell:
        if isinstance(a, float) and isinstance(b, float):
            return a * b
        if a == 0.0 or b == 0.0:
            return 0.0
        for one, other in ((a, b), (b, a)):
            if one == 1.0:
                return other
            if one == -1.0:
                return self.negative(other)
        return self.counted(f"{text(a)}*{text(b)}", multiply=1)

    def add(self, a: Cell, b: Cell) -> Cell:
        if isinstance(a, float) and isinstance(b, float):
            return a + b
        if a == 0.0:
            return b
        if b == 0.0:
            return a
        return self.counted(f"{text(a)} + {text(b)}", add=1)

    def subtract(self, a: Cell, b: Cell) -> Cell:
        if isinstance(a, float) and isinstance(b, float):
            return a - b
        if b == 0.0:
            return a
        if a == 0.0:
            return self.negative(b)
        return self.counted(f"{text(a)} - {text(b)}", add=1)

    def negative(self, a: Cell) -> Cell:
        return -a if isinstance(a, float) else self.named(f"-{a}")

    def less_product(self, a: Cell, b: Cell, c: Cell) -> Cell:
        """a − b c."""
        return self.subtract(a, self.multiply(b, c))

    def reciprocal(self, a: Cell) -> Cell:
        return 1.0 / a if isinstance(a, float) and a != 0.0 else self.counted(f"reciprocal({text(a)})", divide=1)

    def largest(self, cells: Iterable[Cell]) -> Cell:
        """The largest size among them, 0 for none; not a number where one is none."""
        least, names = 0.0, []
        for cell in cells:
            if isinstance(cell, float):
                least = max(least, abs(cell))
            elif cell not in names:
                names.append(cell)
        found: Cell = least
        for name in names:
            size = self.named(f"fabs({name})")
            found = size if found == 0.0 else self.counted(f"greater({text(found)}, {size})", compare=1)
        return found


def function(name: str, kinds: tuple[str, str], writer: Writer, cells: Iterable[Cell]) -> str:
    """A function from one kind of state to another, with the cells for its components."""
    lines = [*writer.lines, *(f"out[{i}] = {text(cell)};" for i, cell in enumerate(cells))]
    return "\n".join([f"FUNCTION {name}({SIGNATURE.format(given=kinds[0], found=kinds[1])}) {{", *lines, "}"])
