"""Constraints of a tree of bodies: rows of rolling wheels, their rates, and the elimination of dependent speeds.

A wheel has the axle n, ρ̂ from its hub to the road, t = n × ρ̂ and the hub's velocity V, all in the axes of its carrier:
    t·V + R (ω + θ′ n)·n = 0,   n·(V + ω × ρ) = 0,   ρ̂·V = 0 if it touches
    ρ̂′ = β t,  t′ = −β ρ̂,  β = (k·n/|k − (k·n) n|) ω·ρ̂ − ω·n        k: downwards
If the hub was placed above the contact, the last row holds identically.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.equations import Wheel
from dalembert.programs.bodies.ledger import ZERO, Ledger, Value
from dalembert.programs.bodies.velocities import NodeTurns, Pass

SMALLEST = 1e-8  # smallest pivot that is a number, relative to the others of its row
SHRUNK = 0.01  # smallest trusted pivot, relative to its value at the reference state


class WheelRows:
    """The rows of one wheel."""

    def __init__(self, turns: NodeTurns, wheel: Wheel, at: Mapping[Any, float]):
        self.ledger, self.wheel = turns.ledger, wheel
        self.a, self.i, self.k = wheel.axis, (wheel.axis + 1) % 3, (wheel.axis + 2) % 3
        self.radius = self.ledger.of(wheel.radius)
        down = turns.of_world(tuple(-self.ledger.of(c) for c in wheel.up), wheel.node)  # type: ignore[arg-type]
        one, other, t = down[self.i], down[self.k], self.ledger.times
        self.signs: list[tuple[Value, int]] = []
        self.lean: Value | None = None  # k·n/|k − (k·n) n|
        if one == ZERO or other == ZERO:
            sign = 1 if self.ledger.at([one + other], at)[0] > 0.0 else -1
            self.signs.append((one + other, sign))
            self.ray = (ZERO if one == ZERO else ZERO + sign, ZERO if other == ZERO else ZERO + sign)
        else:
            inverse = self.ledger.inverse_root(t(one, one) + t(other, other))
            self.ray = t(one, inverse), t(other, inverse)
            self.lean = t(down[self.a], inverse)
        self.arm = tuple(t(self.radius, c) for c in self.ray)

    def spin(self, speeds: Pass) -> Value:
        return speeds.spin(self.wheel.node, self.a, self.wheel.rate)

    def rows(self, speeds: Pass) -> list[Value]:
        t, (i, k) = self.ledger.times, (self.i, self.k)
        w, V = speeds.omega(self.wheel.node), speeds.velocity(self.wheel.point, self.wheel.node)
        found = [
            t(self.ray[0], V[k]) - t(self.ray[1], V[i]) + t(self.radius, self.spin(speeds)),
            V[self.a] + t(w[i], self.arm[1]) - t(w[k], self.arm[0]),
        ]
        return [*found, t(self.ray[0], V[i]) + t(self.ray[1], V[k])] if self.wheel.touches else found

    def rates(self, rates: Pass) -> list[Value]:
        """d/dt of the rows along a motion that satisfies them."""
        found = self.rows(rates)
        assert rates.base is not None
        if self.lean is None:
            return found  # ρ̂ is constant in the carrier
        t, w = self.ledger.times, rates.base.omega(self.wheel.node)
        V = rates.base.velocity(self.wheel.point, self.wheel.node)
        turn = t(w[self.i], self.ray[0]) + t(w[self.k], self.ray[1])
        beta = t(self.lean, turn) - w[self.a]
        found[1] += t(self.radius, t(beta, turn))
        if self.wheel.touches:
            found[2] -= t(self.radius, t(beta, self.spin(rates.base)))
        else:
            found[0] -= t(beta, t(self.ray[0], V[self.i]) + t(self.ray[1], V[self.k]))
        return found


@dataclass
class DependentSpeeds:
    """Solves the rows A s = b for the dependent speeds, by elimination of one column after the other.

    Pivots are numbers as long as possible, `early` columns first, then the largest entry at the reference state. Of
    pivots that are numbers, the coefficients are short: s_simple = c − S s_kept, before the others are eliminated.
    """

    ledger: Ledger
    count: int
    rows: list[list[Value]]
    at: Mapping[Any, float]
    early: frozenset[int] = frozenset()
    everywhere: Mapping[Any, Any] | None = None  # states at which every pivot must hold
    dependent: dict[int, int] = field(default_factory=dict)  # speed: row, in the order of elimination
    simple: dict[int, list[Value]] = field(default_factory=dict)  # speed: its row of S
    steps: list[tuple[int, Value, list[tuple[int, Value]]]] = field(default_factory=list)
    watched: list[tuple[Value, float]] = field(default_factory=list)  # pivots, each with its lower bound

    def __post_init__(self) -> None:
        while (found := self._pivot()) is not None:
            row, column = found
            pivot = self.rows[row][column]
            if not pivot.is_Number and not self.watched:
                self._keep_simple()
            if not pivot.is_Number:
                self.watched.append((pivot, SHRUNK * float(self.ledger.at([pivot], self.at)[0])))
                if self.everywhere and not (self.ledger.at([pivot], self.everywhere) / self.watched[-1][1] > 1.0).all():
                    break
            self.dependent[column] = row
            self._eliminate(row, column)
        if not self.watched:
            self._keep_simple()

    def _keep_simple(self) -> None:
        self.simple = {j: list(self.rows[row]) for j, row in self.dependent.items()}

    def _eliminate(self, row: int, column: int) -> None:
        inverse = self.ledger.inverse(self.rows[row][column])
        self.rows[row] = [self.ledger.times(e, inverse) for e in self.rows[row]]
        self.rows[row][column] = ZERO + 1
        factors = []
        for other in range(len(self.rows)):
            factor = self.rows[other][column]
            if other != row and factor != ZERO:
                factors.append((other, factor))
                self.rows[other] = [
                    a - self.ledger.times(factor, b) for a, b in zip(self.rows[other], self.rows[row], strict=True)
                ]
                self.rows[other][column] = ZERO
        self.steps.append((row, inverse, factors))

    @property
    def free(self) -> list[int]:
        return [j for j in range(self.count) if j not in self.dependent]

    @property
    def kept(self) -> list[int]:
        """Free speeds, and those that depend on them by long coefficients."""
        return [j for j in range(self.count) if j not in self.simple]

    def whole(self, own: Mapping[int, Value], c: Mapping[int, Value] | None = None) -> list[Value]:
        """All s, from those that are kept (zero if not given) and c."""
        found = [own.get(j, ZERO) for j in range(self.count)]
        for j, row in self.simple.items():
            found[j] = (c or {}).get(j, ZERO) - sum((self.ledger.times(row[k], e) for k, e in own.items()), ZERO)
        return found

    def at_rest(self, right_sides: Callable[[list[Value]], list[Value]]) -> tuple[dict[int, Value], dict[int, Value]]:
        """The rates if those of free speeds vanish: c of the simple speeds, and a₀ of other dependent ones.

        `right_sides` are those of all rows after rates of speeds are brought there. With the rates of the first
        columns, those of the other rows are already the ones after the elimination of these columns.
        """
        tidy, many = self.ledger.tidy, len(self.simple)
        first = {j: row for j, row in self.dependent.items() if j in self.early and j in self.simple}
        c: dict[int, Value] = {}
        if first:
            begun = right_sides(self.whole({}))
            b = self._right({row: begun[row] for row in first.values()}, slice(len(first)))
            c = {j: tidy(b[row]) for j, row in first.items()}
        b = {row: e for row, e in enumerate(right_sides(self.whole({}, c))) if row not in first.values()}
        b = self._right(b, slice(len(first), many))
        c |= {j: tidy(b[row]) for j, row in self.dependent.items() if j in self.simple and j not in first}
        b = self._right(b, slice(many, None))
        return c, {j: tidy(b[row]) for j, row in self.dependent.items() if j not in self.simple}

    def _right(self, b: dict[int, Value], steps: slice) -> dict[int, Value]:
        """The right sides of some rows after these steps."""
        b = dict(b)
        for row, inverse, factors in self.steps[steps]:
            b[row] = self.ledger.times(b[row], inverse)
            for other, factor in factors:
                if other in b:
                    b[other] = b[other] - self.ledger.times(factor, b[row])
        return b

    def _pivot(self) -> tuple[int, int] | None:
        left = [r for r in range(len(self.rows)) if r not in self.dependent.values()]
        if not left:
            return None
        numbers = []
        for r in left:
            largest = max((abs(float(e)) for e in self.rows[r] if e.is_Number), default=0.0)
            for j, e in enumerate(self.rows[r]):
                if e.is_Number and abs(float(e)) > SMALLEST * largest:
                    numbers.append((j not in self.early, sum(self.rows[o][j] != ZERO for o in left), -j, r, j))
        if numbers:
            return min(numbers)[3:]
        for r in left:  # a speed that must vanish
            alone = [j for j, e in enumerate(self.rows[r]) if e != ZERO]
            if len(alone) == 1:
                return r, alone[0]
        entries = [(r, j) for r in left for j in range(len(self.rows[r]))]
        values = self.ledger.at([self.rows[r][j] for r, j in entries], self.at)
        size, place = max((abs(v), place) for v, place in zip(values, entries, strict=True))
        return place if size > SMALLEST else None
