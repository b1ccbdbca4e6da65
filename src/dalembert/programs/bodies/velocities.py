"""Velocities from node to node of a tree of bodies, for any speeds, and the rates of their components.

    ω_child = Rᵀ ω + e θ′,          V_child = Rᵀ V,                V_P = V_O + ω × r        (r fixed in the node)
    d/dt     Rᵀ ω̇ + e θ″ − θ′ e × ω_child,  Rᵀ V̇ − θ′ e × V_child,  V̇_O + ω̇ × r        (of components)

Unit speeds give partial velocities, and the actual speeds give the motion. With a motion as `base`, accelerations give
the rates along it. The rate of a turn is replaced by the component of ω that it produces, and that of a wheel by its
whole spin (`own`). This change of speeds is triangular and makes most partial velocities zero. All components are in
the axes of nodes. If a model has a heading that nothing depends on, the speeds of its root are taken along and across
it (`heading`), and no equation contains that angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import symengine as se

from dalembert.equations import WORLD, Tree
from dalembert.programs.bodies.ledger import ZERO, Ledger, Value, Vector


@dataclass
class NodeTurns:
    """The nodes' sines and cosines, and vectors that are fixed in the world."""

    ledger: Ledger
    tree: Tree
    heading: int | None  # a child of the world, or None
    own: dict[int, tuple[int, int, bool]] = field(default_factory=dict)  # coordinate: node, axis, is it a wheel's
    _turns: dict[int, tuple[Value, Value]] = field(default_factory=dict)

    def sine_and_cosine(self, node: int) -> tuple[Value, Value]:
        if node not in self._turns:
            angle = self.tree.nodes[node].angle
            self._turns[node] = self.ledger.named(se.sin(angle)), self.ledger.named(se.cos(angle))
        return self._turns[node]

    def into(self, node: int, a: Vector) -> Vector:
        """Transform a vector from the axes of a node's parent into the node's own."""
        before, axis = self.tree.nodes[node].before, self.tree.nodes[node].axis
        if before is not None:
            columns = [tuple(self.ledger.of(before[i][k]) for i in range(3)) for k in range(3)]
            a = tuple(self.ledger.dot(column, a) for column in columns)  # type: ignore[assignment]
        s, c = self.sine_and_cosine(node)
        i, k, t = (axis + 1) % 3, (axis + 2) % 3, self.ledger.times
        found = list(a)
        found[i], found[k] = t(c, a[i]) + t(s, a[k]), t(c, a[k]) - t(s, a[i])
        return tuple(found)  # type: ignore[return-value]

    def out_of(self, node: int, a: Vector) -> Vector:
        before, axis = self.tree.nodes[node].before, self.tree.nodes[node].axis
        s, c = self.sine_and_cosine(node)
        i, k, t = (axis + 1) % 3, (axis + 2) % 3, self.ledger.times
        found = list(a)
        found[i], found[k] = t(c, a[i]) - t(s, a[k]), t(s, a[i]) + t(c, a[k])
        if before is None:
            return tuple(found)  # type: ignore[return-value]
        return tuple(self.ledger.dot([self.ledger.of(e) for e in row], found) for row in before)  # type: ignore

    def path(self, start: int, end: int) -> tuple[list[int], list[int]]:
        """The nodes to leave and the nodes to enter on the way from `start` to `end`."""
        ups, downs = self.line(start), self.line(end)
        while ups and downs and ups[-1] == downs[-1]:
            ups.pop()
            downs.pop()
        return ups, downs[::-1]

    def line(self, node: int) -> list[int]:
        found = []
        while node != WORLD:
            found.append(node)
            node = self.tree.nodes[node].parent
        return found

    def of_world(self, a: Vector, node: int) -> Vector:
        """A constant vector of the world in a node's axes. One along the heading's axis starts from the heading."""
        for step in self.path(self.first(a), node)[1]:
            a = self.into(step, a)
        return a

    def first(self, a: Vector) -> int:
        return self.heading if self.heading is not None and a[0] == ZERO and a[1] == ZERO else WORLD


def owners(tree: Tree) -> dict[int, tuple[int, int, bool]]:
    """Coordinates that are the angle of exactly one turn or one wheel."""
    wheels = {(spin.node, spin.axis, spin.rate) for body in tree.gyrostats for spin in body.spins}
    wheels |= {(wheel.node, wheel.axis, wheel.rate) for wheel in tree.wheels}
    places = [((i, node.axis, False), node.rate) for i, node in enumerate(tree.nodes) if i]
    places += [((node, axis, True), rate) for node, axis, rate in sorted(wheels, key=str)]
    roots = [rate for point in tree.points for rate in point.rates or ()]
    found = {}
    for place, rate in places:
        held = [j for j, r in enumerate(rate) if r != ZERO]
        others = [r for other, r in places if other != place] + roots
        if len(held) == 1 and rate[held[0]] == 1 and not any(r[held[0]] != ZERO for r in others):
            found[held[0]] = place
    return found


class Pass:
    """ω of nodes and V of points for the speeds s, or the rates of their components along a motion `base`."""

    def __init__(
        self, turns: NodeTurns, s: Sequence[Value], base: Pass | None = None, plain: bool = False, tidy: bool = True
    ):
        self.turns, self.s, self.base, self.plain = turns, s, base, plain  # plain: s are the rates of coordinates
        self.kept = turns.ledger.tidy if tidy else lambda e: e  # without names, terms of different points may cancel
        self.ledger, self.tree = turns.ledger, turns.tree
        self._omega: dict[int, Vector] = {WORLD: (ZERO, ZERO, ZERO)}
        self._velocity: dict[tuple[int, int], Vector] = {}

    def speed(self, j: int) -> Value:
        """q̇_j"""
        if self.plain or j not in self.turns.own:
            return self.s[j]
        node, axis, wheel = self.turns.own[j]
        return self.s[j] - (self.omega(node) if wheel else self._brought(node))[axis]

    def along(self, rate: Sequence[Any]) -> Value:
        """Σ rate_j q̇_j"""
        return sum((self.ledger.times(self.ledger.of(r), self.speed(j)) for j, r in enumerate(rate) if r != ZERO), ZERO)

    def spin(self, node: int, axis: int, rate: Sequence[Any]) -> Value:
        """The whole spin of a wheel."""
        for j, own in self.turns.own.items():
            if own == (node, axis, True) and rate[j] != ZERO and not self.plain:
                return self.s[j]
        return self.omega(node)[axis] + self.along(rate)

    def omega(self, node: int) -> Vector:
        if node not in self._omega:
            known = self.tree.nodes[node]
            found = list(self._brought(node))
            owner = next((j for j, own in self.turns.own.items() if own == (node, known.axis, False)), None)
            if owner is None or self.plain:
                found[known.axis] += self.along(known.rate)
            else:
                found[known.axis] = self.s[owner]
            if self.base is not None:
                found = self._turning(node, found, self.base.omega(node), -1)
            self._omega[node] = tuple(map(self.kept, found))  # type: ignore[assignment]
        return self._omega[node]

    def _brought(self, node: int) -> Vector:
        """ω of the parent, in the node's axes."""
        return self.turns.into(node, self.omega(self.tree.nodes[node].parent))

    def _turning(self, node: int, found: Sequence[Value], of: Vector, sign: int) -> list[Value]:
        """found ± θ′ e × of"""
        assert self.base is not None
        axis, rate = self.tree.nodes[node].axis, self.base.along(self.tree.nodes[node].rate)
        i, k, t = (axis + 1) % 3, (axis + 2) % 3, self.ledger.times
        moved = list(found)
        moved[i] -= sign * t(rate, of[k])
        moved[k] += sign * t(rate, of[i])
        return moved

    def velocity(self, point: int, node: int) -> Vector:
        if (point, node) not in self._velocity:
            self._velocity[point, node] = tuple(map(self.kept, self._found(point, node)))  # type: ignore[assignment]
        return self._velocity[point, node]

    def _found(self, point: int, node: int) -> Vector:
        known = self.tree.points[point]
        home = known.node
        if known.rates is not None:
            home = WORLD if self.turns.heading is None else self.turns.heading
        if node == home:
            if known.rates is not None:
                return tuple(self.along(rate) for rate in known.rates)  # type: ignore[return-value]
            assert known.origin is not None
            start = self.velocity(known.origin, node)
            arm = tuple(self.ledger.of(c) for c in known.at)
            turned = self.ledger.cross(self.omega(node), arm)  # type: ignore[arg-type]
            return tuple(a + b for a, b in zip(start, turned, strict=True))  # type: ignore[return-value]
        ups, downs = self.turns.path(home, node)
        if downs:
            last = downs[-1]
            found = self.turns.into(last, self.velocity(point, self.tree.nodes[last].parent))
            if self.base is not None:
                return tuple(self._turning(last, found, self.base.velocity(point, last), -1))  # type: ignore
            return found
        last = next(n for n in ups if self.tree.nodes[n].parent == node)
        inner = self.velocity(point, last)
        if self.base is not None:
            inner = tuple(self._turning(last, inner, self.base.velocity(point, last), 1))  # type: ignore[assignment]
        return self.turns.out_of(last, inner)
