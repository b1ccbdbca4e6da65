"""Straight-line code as a value: named inputs, operations that use earlier ones, named outputs.

    operation i = kind(operations before i)          a condition has the values 0 and 1

Nothing here depends on mechanics or on a target. The cost of a program is counted by kind, so that tests can bound it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from struct import pack
from typing import Any, NamedTuple

ARITHMETIC = ("add", "sub", "mul", "div", "neg", "sqrt", "abs", "sign", "min", "max", "pow")
FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
             "asinh", "acosh", "atanh", "exp", "log", "floor")  # fmt: skip
COMPARISONS = ("lt", "le", "eq", "ne")
LOGIC = ("and", "or", "not")
CONDITIONS = frozenset((*COMPARISONS, *LOGIC, "true", "false"))
KINDS = frozenset(("number", "input", "select", *ARITHMETIC, *FUNCTIONS, *CONDITIONS))
FREE = frozenset(("number", "input", "true", "false"))
KINKS = frozenset(("abs", "sign", "min", "max", "floor", "select", *COMPARISONS))  # operations with branches

# The cost of one operation in sums, for divisions, roots and polynomials on a processor. Everything else is a call.
PRICE = {"add": 1, "sub": 1, "mul": 1, "neg": 1, "abs": 1, "min": 1, "max": 1, "sign": 3, "select": 1, "div": 10,
         "sqrt": 15, "sincos": 40, "sin": 30, "cos": 30} | dict.fromkeys((*COMPARISONS, *LOGIC), 1)  # fmt: skip
CALL = 40


class Operation(NamedTuple):
    """`arguments` are places of operations; an input's argument is its index. `value` is the value of a number."""

    kind: str
    arguments: tuple[int, ...] = ()
    value: float = 0.0


@dataclass(frozen=True)
class Program:
    inputs: tuple[str, ...]
    operations: tuple[Operation, ...]
    outputs: tuple[int, ...]
    names: tuple[str, ...] = ()  # names of the outputs, if they have any
    sources: dict[int, Any] = field(default_factory=dict, repr=False, compare=False)  # expressions of some operations

    @cached_property
    def cost(self) -> Counter[str]:
        """The number of operations by kind. A sine and a cosine of the same angle count as one `sincos`."""
        counts = Counter(op.kind for op in self.operations if op.kind not in FREE)
        pairs = len(self.turned("sin") & self.turned("cos"))
        counts.subtract({"sin": pairs, "cos": pairs})
        counts["sincos"] += pairs
        return +counts

    @property
    def price(self) -> int:
        """The cost as one number."""
        return price(self.cost)

    @property
    def is_smooth(self) -> bool:
        """Whether every operation has a Taylor series at every state of its domain."""
        return not any(op.kind in KINKS for op in self.operations)

    def turned(self, kind: str) -> set[int]:
        """The angles of all sines, or of all cosines."""
        return {op.arguments[0] for op in self.operations if op.kind == kind}

    @cached_property
    def digest(self) -> bytes:
        """The key in caches. Programs with the same operations have the same key."""
        made = blake2b(digest_size=20)
        made.update(repr((len(self.inputs), self.outputs)).encode())
        for kind, arguments, value in self.operations:
            made.update(f"{kind}{arguments}".encode())
            if kind == "number":
                made.update(pack("<d", value))
        return made.digest()

    def pruned(self) -> Program:
        """The program without operations that no output needs. Inputs keep their indices."""
        needed = [False] * len(self.operations)
        for place in self.outputs:
            needed[place] = True
        for place in reversed(range(len(self.operations))):
            op = self.operations[place]
            if needed[place] and op.kind != "input":
                for a in op.arguments:
                    needed[a] = True
        return self if all(needed) else self.ordered([place for place, is_needed in enumerate(needed) if is_needed])

    def ordered(self, places: Sequence[int]) -> Program:
        """The program of the operations at these places, in this order, in which each follows its arguments."""
        moved = [-1] * len(self.operations)
        kept: list[Operation] = []
        for place in places:
            moved[place] = len(kept)
            op = self.operations[place]
            if op.kind != "input" and op.arguments:
                op = Operation(op.kind, tuple([moved[a] for a in op.arguments]), op.value)
            kept.append(op)
        sources = {moved[place]: e for place, e in self.sources.items() if moved[place] >= 0}
        return replace(
            self, operations=tuple(kept), outputs=tuple([moved[o] for o in self.outputs]), sources=sources
        )  # fmt: skip

    def selected(self, outputs: Sequence[int]) -> Program:
        """The program of some of the outputs, by their indices."""
        names = tuple(self.names[i] for i in outputs) if self.names else ()
        return replace(self, outputs=tuple(self.outputs[i] for i in outputs), names=names).pruned()

    def reads(self) -> frozenset[int]:
        """The indices of the inputs that outputs depend on."""
        return frozenset(op.arguments[0] for op in self.pruned().operations if op.kind == "input")


def price(cost: Counter[str]) -> int:
    return sum(PRICE.get(kind, CALL) * times for kind, times in cost.items())
