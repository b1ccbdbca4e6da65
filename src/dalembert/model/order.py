"""The order in which the named things of a model can be evaluated, and cycles among them.

A body counts as two things, its place and its axes, so that its place may depend on its own axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

from dalembert.expressions.nodes import Axis, Call, Expression, Name
from dalembert.model.recent import kept
from dalembert.model.record import AxisTurn, ModelRecord

Key = tuple[str, str]  # a name, and "value" or "axes"
OTHER = {"value": "axes", "axes": "value"}


def references(roots: Iterable[Expression]) -> Iterator[Key]:
    """The named things that expressions contain."""
    stack, seen = list(roots), set[int]()
    while stack:
        node = stack.pop()
        if isinstance(node, Name):
            yield node.name, "value"
        elif isinstance(node, Axis):
            yield node.frame, "axes"
        elif isinstance(node, Call) and node.function == "omega" and isinstance(node.arguments[0], Name):
            yield node.arguments[0].name, "axes"
        elif id(node) not in seen:
            seen.add(id(node))
            stack += node.children


def turn_expressions(turns: Iterable[AxisTurn]) -> Iterator[Expression]:
    for turn in turns:
        yield turn.angle
        if not isinstance(turn.axis, str):
            yield from turn.axis


def makeup(model: ModelRecord, name: str, part: str) -> tuple[list[Expression], list[Key]]:
    """The expressions and the other named things that a named thing consists of."""
    if name in model.definitions:
        return [model.definitions[name]], []
    if name in model.quasi_velocities:
        return [model.quasi_velocities[name]], []
    if name in model.frames:
        frame = model.frames[name]
        return [*turn_expressions(frame.turn), *frame.quaternion], [(frame.origin, "axes")]
    if name in model.points:
        point = model.points[name]
        origin = [(point.origin, "value")] if point.origin else []
        return [point.at], origin + ([(point.frame, "axes")] if point.frame else [])
    body = model.bodies[name]
    if part == "value":
        return [body.place], []
    turns = (*body.rotation, *([body.spin] if body.spin else []))
    return list(turn_expressions(turns)), [(body.frame, "axes")] if body.frame else []


def dependencies(model: ModelRecord) -> dict[Key, list[Key]]:
    """For every definition, quasi-velocity, frame, point and body: the named things that it depends on."""
    quantities = (*model.definitions, *model.quasi_velocities, *model.points, *model.bodies)
    keys = [*((name, "value") for name in quantities), *((name, "axes") for name in (*model.frames, *model.bodies))]
    things = {name for name, _ in keys}
    found: dict[Key, list[Key]] = {key: [] for key in keys}
    made = {key: makeup(model, *key) for key in keys}
    together = references(root for roots, _ in made.values() for root in roots)  # parts that are shared count once
    if not any(uses for _, uses in made.values()) and things.isdisjoint(name for name, _ in together):
        return found
    for key, (roots, uses) in made.items():
        for name, part in (*uses, *references(roots)):
            if name in things:  # a reference of the wrong kind counts too; the checker refuses it
                found[key].append((name, part) if (name, part) in found else (name, OTHER[part]))
    return found


@kept
def evaluation_order(model: ModelRecord) -> tuple[list[Key], list[list[str]]]:
    """The named things, each after all that it depends on, and the cycles, whose members are left out."""
    graph = dependencies(model)
    if not any(graph.values()):
        return list(graph), []
    cycles: list[list[str]] = []
    while True:
        try:
            return [key for key in TopologicalSorter(graph).static_order() if key in graph], cycles
        except CycleError as error:
            members = error.args[1]
            cycles.append([name for name, _ in reversed(members)])
            for key in members:
                graph.pop(key, None)
