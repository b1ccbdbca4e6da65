"""Freed joints: the directions that a joint locks become coordinates, and rows keep these at zero.

The multiplier of such a row is the load that the joint carries in that direction. Sun frees a constraint in the same
way to find its reaction. Only joints whose load an output asks for are freed. Directions, in the joint's axes:
    displacements   x, y, z;  across the axis for prismatic and cylindrical, along it for planar       NAME.f1, …
    turns           across the axis for revolute, cylindrical, planar;  x, y, z for prismatic, weld;
                    n × m for universal, after its first angle                                         NAME.c1, …
"""

from __future__ import annotations

from dalembert.expressions.nodes import Expression, Name, Number, ResultName, walk
from dalembert.model import directions
from dalembert.model.directions import UNITS, Components
from dalembert.model.machine import Joint
from dalembert.model.plain import Writing
from dalembert.model.record import Coordinate, Equation

ZERO = Number(0)
Directions = list[tuple[Expression, Components]]


def asked_loads(writing: Writing) -> set[str]:
    """The joints whose load an output contains."""
    nodes = (node for root in writing.stated.outputs.values() for node in walk(root))
    return {node.path[0] for node in nodes if isinstance(node, ResultName) and node.kind == "load" and node.path}


def freed(writing: Writing, name: str, joint: Joint, second: Components | None) -> tuple[Directions, Directions]:
    """The coordinates of a freed joint with their directions: displacements and turns."""
    if name not in asked_loads(writing):
        return [], []
    axis = directions.components(joint.axis)
    every: list[Components] = list(UNITS.values())
    none: list[Components] = []
    across: list[Components] = []
    if axis is not None:
        across = list(directions.across(axis, directions.numbers(axis, writing.parameters) or (0, 0, 1)))
    along = {"prismatic": across, "cylindrical": across, "free": none}.get(joint.type, every)
    if joint.type == "planar" and axis is not None:
        along = [directions.unit(axis)]
    about = {"prismatic": every, "weld": every, "ball": none, "free": none}.get(joint.type, across)
    if joint.type == "universal" and axis is not None and second is not None:
        about = [directions.unit(directions.cross(axis, second))]
    return _coordinates(writing, name, "f", along), _coordinates(writing, name, "c", about)


def _coordinates(writing: Writing, name: str, letter: str, found: list[Components]) -> Directions:
    made: Directions = []
    for i, direction in enumerate(found, 1):
        row, place = f"{name}.{letter}{i}", (f"joints.{name}", "")
        writing.add("coordinates", row, Coordinate(ZERO), place)
        writing.add("constraints", row, Equation(Name(row), ZERO), place)
        made.append((Name(row), direction))
    return made
