"""A model's bodies as a tree of turns. `equations.Tree` defines nodes, points, gyrostats and wheels.

A turn by a constant angle is merged into the constants, or into the preceding turn about the same axis. `tree` returns
None if the model has bodies placed by formulas, varying masses or given energies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import symengine as se

from dalembert.equations import WORLD, Gyrostat, Node, NodePoint, Rate, Spin, Tree, Wheel
from dalembert.expressions.nodes import Name
from dalembert.mechanics.algebra import (
    IDENTITY,
    NULL,
    ZERO,
    Matrix3,
    Scalar,
    Triple,
    apply,
    dot,
    is_null,
    plus,
    product,
    scaled,
    total,
    transposed,
)
from dalembert.mechanics.bodies import inertia_matrix
from dalembert.mechanics.forces import load_power
from dalembert.mechanics.rotations import AXES, rotation
from dalembert.mechanics.system import System
from dalembert.model.record import AxisTurn, Plane


class NotATree(Exception):
    """The model is not a tree of turns."""


def tree(system: System) -> Tree | None:
    try:
        return _Grown(system).tree()
    except NotATree:
        return None


class _Grown:
    """Collects nodes and points in the order in which they occur."""

    def __init__(self, system: System):
        self.system, self.low, self.model = system, system.lowering, system.model
        self.motion = system.motion
        self.moving = {self.motion.t, *self.motion.q, *self.motion.v}
        self.nodes = [Node(WORLD, None, 2, ZERO, ())]
        self.frames: dict[str, tuple[int, Matrix3]] = {"world": (WORLD, IDENTITY)}
        self.points: list[NodePoint] = []
        self.known: dict[str, int] = {}

    def tree(self) -> Tree:
        system, model = self.system, self.model
        if system.given_kinetic != 0 or system.unilateral is not None or any(b.varies for b in system.bodies.values()):
            raise NotATree
        gravity = NULL if model.gravity is None else self.fixed(self.low.vector(model.gravity))
        for name in model.bodies:  # all nodes first: a constant turn can only be merged while its node has no children
            self.carrier(name)
            self.place(name)
        powers = [load_power(load, self.low) for load in system.loads if load.name != "gravity"]
        forces = tuple(total([f, *(p[r] for p in powers)]) for r, f in enumerate(system.fields))
        gyrostats, wheels = tuple(self.gyrostats()), tuple(self.wheels())
        return Tree(tuple(self.nodes), tuple(self.points), gyrostats, wheels, gravity, forces)

    def fixed(self, values: Sequence[Scalar]) -> Any:
        if any(self.moving & value.free_symbols for value in values):
            raise NotATree
        return tuple(values)

    def rate(self, value: Scalar) -> Rate:
        if self.motion.t in value.free_symbols:
            raise NotATree
        return self.fixed(self.motion.gradient(value, self.motion.q))

    def frame(self, name: str) -> tuple[int, Matrix3]:
        """The node that a frame or body turns with, and its axes in that node."""
        if name not in self.frames:
            frame = self.model.frames.get(name)
            if frame is not None:
                if frame.quaternion:
                    raise NotATree
                found = self.turned(self.frame(frame.origin), frame.turn)
            else:
                spin = self.model.bodies[name].spin
                found = self.turned(self.carrier(name), () if spin is None else (spin,))
            self.frames[name] = found
        return self.frames[name]

    def carrier(self, name: str) -> tuple[int, Matrix3]:
        key = name + " carrier"
        if key not in self.frames:
            body = self.model.bodies[name]
            self.frames[key] = self.turned(self.frame(body.frame or "world"), body.rotation)
        return self.frames[key]

    def turned(self, frame: tuple[int, Matrix3], turns: Sequence[AxisTurn]) -> tuple[int, Matrix3]:
        for turn in turns:
            if not isinstance(turn.axis, str):
                raise NotATree
            frame = self.turn(*frame, "xyz".index(turn.axis), self.low.scalar(turn.angle))
        return frame

    def turn(self, place: int, axes: Matrix3, axis: int, angle: Scalar) -> tuple[int, Matrix3]:
        rate = self.rate(angle)
        if all(r == 0 for r in rate):
            return place, _clean(product(axes, rotation(AXES["xyz"[axis]], angle)))
        node = self.nodes[place]
        before = None if axes == IDENTITY else axes
        if before is not None and place != WORLD and not any(n.parent == place for n in self.nodes[1:]):
            whole = _about(axes, node.axis)
            if whole is not None:  # the constant turn is merged into the node's own angle
                self.nodes[place] = Node(node.parent, node.before, node.axis, node.angle + whole, node.rate)
                back = transposed(axes)
                self.frames = {
                    k: (n, _clean(product(back, a)) if n == place else a) for k, (n, a) in self.frames.items()
                }
                self.points = [
                    NodePoint(p.origin, p.node, apply(back, p.at), p.rates)
                    if p.node == place and p.rates is None
                    else p
                    for p in self.points
                ]
                before = None
        for i, other in enumerate(self.nodes[1:], 1):
            if (other.parent, other.before, other.axis, other.rate) == (place, before, axis, rate):
                shift = se.expand(angle - other.angle)
                return i, IDENTITY if shift == 0 else rotation(AXES["xyz"[axis]], shift)
        self.nodes.append(Node(place, before, axis, angle, rate))
        return len(self.nodes) - 1, IDENTITY

    def place(self, name: str) -> int:
        if name in self.known:
            return self.known[name]
        point = self.model.points.get(name)
        if point is None:
            position = self.model.bodies[name].place
            if isinstance(position, Name) and (
                position.name in self.model.points or position.name in self.model.bodies
            ):
                found = self.place(position.name)
            else:
                found = self.root(self.low.vector(position))
        elif point.origin is None:
            found = self.root(self.low.position(name))
        else:
            origin, (node, axes) = self.place(point.origin), self.frame(point.frame or "world")
            at = apply(axes, self.fixed(self.low.vector(point.at)))
            found = self.point(*self.slid(origin, node, at))
        self.known[name] = found
        return found

    def root(self, position: Triple) -> int:
        rates = tuple(self.rate(c) for c in position)
        return self.point(None, WORLD, position, rates)  # type: ignore[arg-type]

    def point(self, origin: int | None, node: int, at: Triple, rates: tuple[Rate, Rate, Rate] | None = None) -> int:
        found = NodePoint(origin, node, at, rates)
        if found not in self.points:
            self.points.append(found)
        return self.points.index(found)

    def slid(self, origin: int, node: int, at: Triple) -> tuple[int, int, Triple]:
        """Shift the origin of a point along the axis of its node's turn, which shortens the path to the origin."""
        start, turned = self.points[origin], self.nodes[node]
        if start.origin is None or turned.parent != start.node or node == WORLD or turned.before is not None:
            return origin, node, at
        along: Triple = tuple(c if i == turned.axis else ZERO for i, c in enumerate(start.at))  # type: ignore[assignment]
        rest = tuple(ZERO if i == turned.axis else c for i, c in enumerate(start.at))
        return self.point(start.origin, start.node, rest), node, plus(at, along)  # type: ignore[arg-type]

    def reference(self, point: int, node: int) -> tuple[int, Triple]:
        """The first point that is fixed in the same node as this one, and the vector from there to this one."""
        way = NULL
        while self.points[point].origin is not None and self.points[point].node == node:
            way = plus(way, self.points[point].at)
            point = self.points[point].origin  # type: ignore[assignment]
        return point, way

    def gyrostats(self) -> list[Gyrostat]:
        found: dict[tuple[int, int], list[Any]] = {}
        plain = [name for name, body in self.model.bodies.items() if body.spin is None]
        for name in (*plain, *(n for n in self.model.bodies if n not in plain)):
            body, (node, axes) = self.model.bodies[name], self.carrier(name)
            mass = self.low.scalar(body.mass)
            J = inertia_matrix([self.low.scalar(i) for i in body.inertia]) if body.inertia else (NULL, NULL, NULL)
            self.fixed([mass, *(e for row in J for e in row)])
            point = self.place(name)
            spins: tuple[Spin, ...] = ()
            if body.spin is None or not body.inertia:
                J = product(product(axes, J), transposed(axes))
            else:
                axis, rate = self.axle(name)
                about, J = _without_axle(J, "xyz".index(str(body.spin.axis)), axis)
                spins = (Spin(about, node, axis, rate),)
                for child, other in enumerate(
                    self.nodes[1:], 1
                ):  # a frame that turns about the axle carries it as well
                    if other.parent == node and other.before is None and other.axis == axis and (child, point) in found:
                        node = child
                        break
            start, way = self.reference(point, node)
            sums = found.setdefault((node, start), [ZERO, NULL, (NULL, NULL, NULL), ()])
            square = dot(way, way)
            about_start = tuple(
                tuple(J[i][k] + mass * ((square if i == k else ZERO) - way[i] * way[k]) for k in range(3))
                for i in range(3)
            )
            sums[0] += mass
            sums[1] = plus(sums[1], scaled(mass, way))
            sums[2] = tuple(plus(a, b) for a, b in zip(sums[2], about_start, strict=True))
            sums[3] += spins
        return [self.gyrostat(*place, *sums) for place, sums in found.items()]

    def gyrostat(
        self, node: int, start: int, mass: Scalar, moment: Triple, inertia: Matrix3, spins: tuple[Spin, ...]
    ) -> Gyrostat:
        """Reduce the sums to the centre of mass."""
        if mass == 0:
            return Gyrostat(node, start, mass, inertia, spins)
        c = scaled(1 / mass, moment)
        square = dot(c, c)
        own = tuple(
            tuple(inertia[i][k] - mass * ((square if i == k else ZERO) - c[i] * c[k]) for k in range(3))
            for i in range(3)
        )
        centre = start if is_null(c) else self.point(start, node, c)
        return Gyrostat(node, centre, mass, own, spins)  # type: ignore[arg-type]

    def axle(self, name: str) -> tuple[int, Rate]:
        """The axis of a body's spin in its carrier's node, and the rate of the spin with the sign of that axis."""
        body, (_, axes) = self.model.bodies[name], self.carrier(name)
        if body.spin is None or not isinstance(body.spin.axis, str):
            raise NotATree
        along = apply(axes, AXES[body.spin.axis])
        for axis in range(3):
            if is_null(tuple(ZERO if i == axis else c for i, c in enumerate(along))):  # type: ignore[arg-type]
                rate = self.rate(self.low.scalar(body.spin.angle))
                return axis, tuple(along[axis] * r for r in rate)
        raise NotATree

    def wheels(self) -> list[Wheel]:
        found = []
        names = self.system.constraints.names
        for name, rolling in self.model.rolling.items():
            rows = {row: f"{name}.{row}" for row in ("touch", "slip1", "slip2") if f"{name}.{row}" in names}
            body = self.model.bodies[rolling.body]
            if rolling.kind != "wheel" or body.spin is None or not {"slip1", "slip2"} <= rows.keys():
                continue
            if rolling.on == "ground":
                up = AXES["z"]
            elif isinstance(rolling.on, Plane):
                up = self.low.vector(rolling.on.normal)
                if any(self.moving & c.free_symbols for c in (*up, *self.low.vector(rolling.on.point))):
                    continue
                up = scaled(1 / se.sqrt(dot(up, up)), up)
            else:
                continue
            radius = self.low.scalar(rolling.size)
            axis, rate = self.axle(rolling.body)
            self.fixed((radius,))
            node, _ = self.carrier(rolling.body)
            place, touches = self.place(rolling.body), "touch" in rows
            found.append(Wheel(node, place, axis, rate, radius, up, touches, tuple(rows.values())))
        return found


def _about(axes: Matrix3, axis: int) -> Scalar | None:
    """The angle of a constant rotation about `axis`, or None if it is another rotation."""
    one, other = (axis + 1) % 3, (axis + 2) % 3
    entries = [axes[i][k] for i in range(3) for k in range(3) if (i == axis) != (k == axis)]
    if any(e != 0 for e in entries) or any(e.free_symbols for row in axes for e in row):
        return None
    return se.RealDouble(float(se.atan2(axes[other][one], axes[one][one])))


def _clean(axes: Matrix3) -> Matrix3:
    """Replace entries that are integers up to rounding by those integers."""
    return tuple(  # type: ignore[return-value]
        tuple(se.Integer(round(float(e))) if e.is_Number and abs(e - round(float(e))) < 1e-15 else e for e in row)
        for row in axes
    )


def _without_axle(J: Matrix3, own: int, axis: int) -> tuple[Scalar, Matrix3]:
    """A wheel's inertia about its axle (its `own` axis, the node's `axis`), and the rest. Raises NotATree for other
    bodies.
    """
    one, other = (own + 1) % 3, (own + 2) % 3
    if any(e != 0 for e in (J[own][one], J[own][other], J[one][other], J[one][one] - J[other][other])):
        raise NotATree
    rest = [[J[one][one] if i == k != axis else ZERO for k in range(3)] for i in range(3)]
    return J[own][own], tuple(map(tuple, rest))  # type: ignore[return-value]
