"""The functions for drawing a model, compiled once for all parameters: functions of x = (t, q, v, p)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.expressions.nodes import Number
from dalembert.mechanics.algebra import IDENTITY, NULL, ZERO, Scalar, Triple, plus, product
from dalembert.mechanics.bodies import world_turning
from dalembert.mechanics.rolling import contact_frame
from dalembert.mechanics.rotations import AXES, rotation
from dalembert.mechanics.system import System
from dalembert.model.record import AxisTurn, Body, ModelRecord, Shape, Surface
from dalembert.model.values import initial_values
from dalembert.programs.functions import FEW_TIMES, Function, compiled
from dalembert.programs.program import Program
from dalembert.results.motion import Motion
from dalembert.view.acting import RowOfForce, rows_of_force
from dalembert.view.dots import dots
from dalembert.view.figures import Numbers

Values = Mapping[str, np.ndarray]
ALONG_X = ("box", "cube", "ellipsoid", "ball", "sphere", "blade", "mesh", "text")  # without an axis of symmetry


@dataclass(frozen=True)
class Stage:
    """The places, attitudes, forces and rows of one model, as functions of the states of a motion."""

    record: ModelRecord
    system: System
    rows: tuple[RowOfForce, ...]
    parameters: tuple[Scalar, ...]  # in the order of x

    @classmethod
    def of(cls, record: ModelRecord, parameters: Sequence[Scalar] | None = None) -> Stage:
        system = System(record)
        return cls(
            record, system, rows_of_force(system), tuple(system.parameters if parameters is None else parameters)
        )

    @property
    def names(self) -> tuple[str, ...]:
        return self.system.motion.names

    @cached_property
    def dots(self) -> dict[str, Triple]:
        """The points that are drawn if the model has no bodies."""
        return dots(self.system)

    @cached_property
    def _drawn(self) -> tuple[Function, dict[str, slice]]:
        """Bodies (position, rotation by rows), points, and the contact points of rolling."""
        system, parts = self.system, {}
        for name, (position, attitude) in system.poses.items():
            parts[f"body {name}"] = [*position, *(e for row in attitude for e in row)]
        for name, place in self.dots.items():
            parts[f"body {name}"] = [*place, *(e for row in IDENTITY for e in row)]
        for name in self.record.points:
            parts[f"point {name}"] = list(system.lowering.position(name))
        for name, rolling in self.record.rolling.items():
            frame = contact_frame(name, rolling, system.lowering, system.kinematics)
            parts[f"rolling {name}"] = [e for triple in frame for e in triple]
        return self._compiled(parts)

    @cached_property
    def _figures(self) -> tuple[Function, dict[str, slice]]:
        """The numbers of every stated shape: sizes, count, place, axis, both ends, turn by rows (`figures.Numbers`)."""
        parts = {}
        for owner, i, shape in self.stated:
            parts[f"{owner} {i}"] = self._shape(shape, self.record.bodies.get(owner.removeprefix("body ")))
        for rolling in self.record.rolling.values():  # bodies whose shape follows from rolling
            if rolling.kind != "at" and not self.record.bodies[rolling.body].shapes:
                parts[f"radius {rolling.body}"] = [self.system.lowering.scalar(rolling.size)]
        if self.record.view.up is not None:
            parts["up"] = list(self.system.lowering.vector(self.record.view.up))
        elif self.record.gravity is not None:
            parts["up"] = [-e for e in self.system.lowering.vector(self.record.gravity)]
        return self._compiled(parts)

    @property
    def stated(self) -> Iterator[tuple[str, int, Shape]]:
        """Every shape that the model states, with its owner and index."""
        for name, body in self.record.bodies.items():
            for i, shape in enumerate(body.shapes):
                yield f"body {name}", i, shape
        for name, shape in self.record.drawings.items():
            yield f"drawing {name}", 0, shape

    def _shape(self, shape: Shape, body: Body | None) -> list[Scalar]:
        lowering = self.system.lowering
        spin = body.spin.axis if body is not None and body.spin is not None else "z"
        axis = lowering.axis(AxisTurn(shape.axis if shape.axis is not None else spin, Number(0)))
        if shape.kind in ALONG_X and shape.axis is None:
            axis = AXES["z"]
        turn = IDENTITY
        for one in shape.turn:
            turn = product(turn, rotation(lowering.axis(one), lowering.angle(one)[0]))
        places = [NULL if place is None else lowering.vector(place) for place in (shape.at, shape.start, shape.to)]
        count = ZERO if shape.count is None else lowering.scalar(shape.count)
        sizes = [lowering.scalar(size) for size in shape.sizes]
        return [*sizes, count, *places[0], *axis, *places[1], *places[2], *(e for row in turn for e in row)]

    @property
    def particles(self) -> list[str]:
        """Bodies without a size."""
        some = self.record.bodies.items()
        return [name for name, body in some if not (body.inertia or body.spin or body.rotation or body.frame)]

    @cached_property
    def _relief(self) -> tuple[Function, dict[str, slice]]:
        """f(x, y, z) of every surface of [rolling]. x, y, z are the first three inputs."""
        motion, parts = self.system.motion, {}
        place = dict(zip("xyz", [motion.t, *motion.q, *motion.v][:3], strict=True))
        for name, rolling in self.record.rolling.items():
            if isinstance(rolling.on, Surface):
                parts[name] = [self.system.lowering.with_names(place, rolling.on.residual)]
        return self._compiled(parts)

    def off(self, name: str, state: np.ndarray, places: np.ndarray) -> np.ndarray:
        """f at places, for the surface of an entry of [rolling], with the parameters of a state."""
        x = np.repeat(state[None], len(places), 0)
        x[:, :3] = places
        with np.errstate(all="ignore"):
            return _named(self._relief, x)[name][:, 0]

    @property
    def programs(self) -> dict[str, Program]:
        """The programs that a page evaluates by itself."""
        return {name: function.program for name, (function, _) in self._made.items()}

    @property
    def _made(self) -> dict[str, tuple[Function, dict[str, slice]]]:
        return {"drawn": self._drawn, "figures": self._figures, "acting": self._acting, "partial": self._partial,
                "relief": self._relief}  # fmt: skip

    @property
    def told(self) -> dict[str, Any]:
        """The places of all parts in the outputs of those programs, and the shapes that a page draws."""
        places = {
            name: {part: [place.start, place.stop] for part, place in where.items()}
            for name, (_, where) in self._made.items()
        }
        shapes: dict[str, list[dict[str, Any]]] = {}
        parameters = {*self.system.parameters}
        for owner, _, shape in self.stated:
            numbers = self._shape(shape, self.record.bodies.get(owner.removeprefix("body ")))
            still = all(se.sympify(e).free_symbols <= parameters for e in numbers)
            told = {"kind": shape.kind, "sizes": len(shape.sizes), "spans": shape.to is not None, "still": still}
            shapes.setdefault(owner, []).append(told)
        acts = {row.label: [act.owner for act in row.acts] for row in self.rows if row.table == "contacts"}
        loads = [[load.body.name, load.name] for load in self.system.loads]
        return {"places": places, "shapes": shapes, "acts": acts, "loads": loads, "particles": self.particles}

    @cached_property
    def _view(self) -> tuple[Function, dict[str, slice]]:
        """Up and the direction of the eye, if the model states them."""
        view, vector = self.record.view, self.system.lowering.vector
        stated = {"up": view.up, "eye": view.eye}
        return self._compiled({key: list(vector(value)) for key, value in stated.items() if value is not None})

    @cached_property
    def _acting(self) -> tuple[Function, dict[str, slice]]:
        """Loads (place, force, torque), rows with their acts (place, direction), gaps."""
        system, parts = self.system, {}
        for i, load in enumerate(system.loads):
            place = plus(load.body.centre.position, load.arm)
            parts[f"load {i}"] = [*place, *load.force, *load.torque]
        for row in self.rows:
            parts[f"row {row.label}"] = list(row.row)
            parts[f"rest {row.label}"] = list(row.rest)
            parts[f"gap {row.label}"] = [row.gap]
            for i, act in enumerate(row.acts):
                parts[f"act {i} {row.label}"] = [*act.place, *act.direction]
        return self._compiled(parts)

    @cached_property
    def _partial(self) -> tuple[Function, dict[str, slice]]:
        """∂v/∂q̇ and ∂ω/∂q̇ of every body: 6 × n."""
        parts = {}
        for name, body in self.system.bodies.items():
            turning = world_turning(body, self.system.lowering)
            parts[name] = [
                0 if column is None else column[i]
                for columns in (body.centre.columns, turning)
                for i in range(3)
                for column in columns
            ]
        return self._compiled(parts)

    def _compiled(self, parts: Mapping[str, Sequence[Scalar]]) -> tuple[Function, dict[str, slice]]:
        motion, places = self.system.motion, {}
        flat: list[Scalar] = []
        for name, expressions in parts.items():
            places[name] = slice(len(flat), len(flat) + len(expressions))
            flat += expressions
        inputs: list[Any] = [motion.t, *motion.q, *motion.v, *self.parameters]
        return compiled(inputs, flat, level=FEW_TIMES), places

    def states(
        self, record: ModelRecord, t: np.ndarray, q: np.ndarray, v: np.ndarray, motion: Motion | None = None
    ) -> np.ndarray:
        """x, a row for each time, with the values of the parameters that `record` states.

        First-order states and inputs are interpolated linearly between the samples of the motion, if one is given.
        """
        values = initial_values(record).parameters
        columns = {name: np.full(len(t), values[name], float) for name in map(str, self.parameters)}
        if motion is not None and len(motion.times):
            order = np.argsort(motion.times, kind="stable")
            for name, line in {**motion.states, **motion.inputs}.items():
                columns[name] = np.interp(t, motion.times[order], line[order])
        return np.column_stack([t, q, v, *columns.values()])

    def drawn(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """By machine code: every scene asks several times, until its instants are dense enough."""
        return _named(self._drawn, x, self._drawn[0].by_machine)

    def figures(self, x: np.ndarray) -> dict[str, list[tuple[Shape, Numbers]]]:
        """The stated shapes of `body NAME` and `drawing NAME`, with their numbers."""
        found: dict[str, list[tuple[Shape, Numbers]]] = {}
        values = _named(self._figures, x) if any(True for _ in self.stated) else {}
        for owner, i, shape in self.stated:
            found.setdefault(owner, []).append((shape, Numbers.of(shape, values[f"{owner} {i}"])))
        return found

    def looked(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """`up` and `eye` at the first state, if the model states them."""
        stated = self.record.view.up is not None or self.record.view.eye is not None
        return {key: rows[0] for key, rows in _named(self._view, x[:1]).items()} if stated else {}

    def acting(self, x: np.ndarray) -> dict[str, np.ndarray]:
        return _named(self._acting, x)

    def partial(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """The matrices of every body that map speeds to velocity and angular velocity: times × 6 × n."""
        return {name: values.reshape(len(x), 6, -1) for name, values in _named(self._partial, x).items()}


def _named(
    made: tuple[Function, dict[str, slice]], x: np.ndarray, evaluate: Callable[[np.ndarray], np.ndarray] | None = None
) -> dict[str, np.ndarray]:
    function, places = made
    out = (evaluate or function)(x)
    return {name: out[:, place] for name, place in places.items()}
