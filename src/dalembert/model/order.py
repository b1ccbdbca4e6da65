"""What rests on what: the order in which the named things of a model can be evaluated, and cycles where there are any.

A body is two things here: its place and its axes, so that a body may be placed along its own axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

from dalembert.expressions.nodes import Axis, Call, Expression, Name
from dalembert.model.record import Model, Turn

Key = tuple[str, str]  # a name, and which of its two: "value" or "axes"


def references(roots: Iterable[Expression]) -> Iterator[Key]:
    """The named things that expressions hold."""
    stack = list(roots)
    while stack:
        match stack.pop():
            case Name(name):
                yield name, "value"
            case Axis(frame):
                yield frame, "axes"
            case Call("omega", (Name(name),)):
                yield name, "axes"
            case node:
                stack.extend(node.children)


def turn_expressions(turns: Iterable[Turn]) -> Iterator[Expression]:
    for turn in turns:
        yield turn.angle
        if not isinstance(turn.axis, str):
            yield from turn.axis


def dependencies(model: Model) -> dict[Key, list[Key]]:
    """For every definition, quasi-velocity, frame, point and body: what it is made of."""
    found: dict[Key, list[Key]] = {}
    for name, expression in (*model.definitions.items(), *model.quasi_velocities.items()):
        found[name, "value"] = list(references([expression]))
    for name, frame in model.frames.items():
        found[name, "axes"] = [(frame.origin, "axes"), *references(turn_expressions(frame.turn))]
    for name, point in model.points.items():
        origin = [(point.origin, "value")] if point.origin else []
        axes = [(point.frame, "axes")] if point.frame else []
        found[name, "value"] = [*origin, *axes, *references([point.at])]
    for name, body in model.bodies.items():
        found[name, "value"] = list(references([body.position]))
        turns = (*body.rotation, *([body.spin] if body.spin else []))
        axes = [(body.frame, "axes")] if body.frame else []
        found[name, "axes"] = [*axes, *references(turn_expressions(turns))]
    return {key: [use for use in uses if use in found] for key, uses in found.items()}


def evaluation_order(model: Model) -> tuple[list[Key], list[list[str]]]:
    """The named things, each after all that it rests on; and the cycles, whose members are left out."""
    graph = dependencies(model)
    cycles = []
    while True:
        try:
            return [key for key in TopologicalSorter(graph).static_order() if key in graph], cycles
        except CycleError as error:
            members = error.args[1]
            cycles.append([name for name, _ in reversed(members)])
            for key in members:
                graph.pop(key, None)
