"""The Taylor series that a program multiplies, and its operations that are constant along a motion."""

from __future__ import annotations

from dalembert.programs.jets import INTEGRALS, INVERSES, Lowered
from dalembert.programs.program import Program

Key = tuple[str, int]  # ("", an operation's series) or ("rate", j a[j])


def products(slopes: Program, n: int) -> int:
    """The number of products of series that the jet of these slopes has. An order k of each costs k multiplications."""
    return len(Products(Lowered(slopes.selected(range(len(slopes.outputs) - 1))), n).pairs)


class Products:
    """`pairs` of series whose products the recurrences sum, each with its index."""

    def __init__(self, code: Lowered, n: int):
        self.code, self.n = code, n
        self.constant = self._constants()
        self.depth = self._depths()
        self.pairs: dict[tuple[Key, Key], int] = {}
        self._find()

    def _constants(self) -> list[bool]:
        found: list[bool] = []
        for kind, arguments, _ in self.code.operations:
            if kind == "input":
                found.append(arguments[0] > 2 * self.n)
            else:
                found.append(all(found[a] for a in arguments))
        return found

    def _depths(self) -> list[int]:
        """How late the coefficient of an order becomes known; q[k] is known long before v[k]."""
        found: list[int] = []
        for place, (kind, arguments, _) in enumerate(self.code.operations):
            if kind == "input":
                found.append(5 if self.n < arguments[0] <= 2 * self.n else 0)
            else:
                found.append(0 if self.constant[place] else 1 + max([found[a] for a in arguments], default=0))
        return found

    def _find(self) -> None:
        partner = self.code.partner
        for place, (kind, arguments, _) in enumerate(self.code.operations):
            if self.constant[place]:
                continue
            a = arguments[0] if arguments and kind != "input" else place
            if kind == "mul" and not any(self.constant[i] for i in arguments):
                self._pair(("", arguments[0]), ("", arguments[1]))
            elif kind == "div" and not self.constant[arguments[1]]:
                self._pair(("", arguments[1]), ("", place))
            elif kind == "sqrt":
                self._pair(("", place), ("", place))
            elif kind == "pow":
                self._pair(("rate", a), ("", place))
                self._pair(("", a), ("", place))
            elif kind in INTEGRALS:
                self._pair(("rate", a), ("", partner[place]))
            elif kind in INVERSES:
                self._pair(("rate", place), ("", partner[place]))
            elif kind == "atan2":
                y, x = arguments
                self._pair(("rate", y), ("", x))
                self._pair(("rate", x), ("", y))
                self._pair(("rate", place), ("", partner[place]))

    def _pair(self, a: Key, b: Key) -> None:
        if (b, a) not in self.pairs and not self.constant[a[1]] and not self.constant[b[1]]:
            self.pairs.setdefault((a, b), len(self.pairs))
