"""The rows of a joint that closes a loop. P are the parent's axes, C the child's, and d is the distance of the points.

    point:   d = 0                                  revolute, universal, ball, weld        NAME.x, .y, .z
    line:    e₁·d = 0, e₂·d = 0                     prismatic, cylindrical                 NAME.across1, .across2
    plane:   n·d = 0                                planar                                 NAME.height
    axis:    e₁·n_C = 0, e₂·n_C = 0                 revolute, cylindrical, planar          NAME.turn1, .turn2
    axes:    P.y·C.z = P.z·C.x = P.x·C.y = 0        prismatic, weld                        NAME.turn1, .turn2, .turn3
    cross:   n_P·m_C = n·m                          universal                              NAME.turn
n, e₁, e₂ are in P and n_C, m_C the same components in C. Rows that hold identically are dropped later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dalembert.expressions.nodes import Axis, Call, Expression, Name, Number, Vector
from dalembert.model import directions
from dalembert.model.directions import Components
from dalembert.model.machine import Joint
from dalembert.model.plain import Writing
from dalembert.model.record import Equation, ModelRecord

ZERO = Number(0)
ORIGIN = Vector(ZERO, ZERO, ZERO)


def close(
    writing: Writing,
    joint: Joint,
    axes: str,
    points: tuple[str | None, str],
    axis: Components | None,
    second: Callable[[Joint, Components], Components],
) -> Iterator[tuple[str, Equation]]:
    """The equations of a closing joint, each with the end of its name."""
    inner, outer = points
    start: Expression = ORIGIN if inner is None else Name(inner)
    distance: Expression = Name(outer) - start
    if joint.type in ("revolute", "universal", "ball", "weld"):
        yield "", Equation(Name(outer), start)
    if axis is not None:
        n = directions.in_axes(axes, directions.unit(axis))
        values = directions.numbers(axis, writing.parameters) or (0, 0, 1)
        e = [directions.in_axes(axes, c) for c in directions.across(axis, values)]
        if joint.type in ("prismatic", "cylindrical"):
            yield ".across1", Equation(_dot(e[0], distance), ZERO)
            yield ".across2", Equation(_dot(e[1], distance), ZERO)
        if joint.type == "planar":
            yield ".height", Equation(_dot(n, distance), ZERO)
        if joint.type in ("revolute", "cylindrical", "planar"):
            turned = directions.in_axes(joint.child, directions.unit(axis))
            yield ".turn1", Equation(_dot(e[0], turned), ZERO)
            yield ".turn2", Equation(_dot(e[1], turned), ZERO)
        if joint.type == "universal":
            m = directions.unit(second(joint, axis))
            straight = directions.add(*(directions.times(a, b) for a, b in zip(directions.unit(axis), m, strict=True)))
            yield ".turn", Equation(_dot(n, directions.in_axes(joint.child, m)), straight)
    if joint.type in ("prismatic", "weld"):
        for i, (a, b) in enumerate((("y", "z"), ("z", "x"), ("x", "y")), 1):
            yield f".turn{i}", Equation(_dot(Axis(axes, a), Axis(joint.child, b)), ZERO)


def joint_of(model: ModelRecord, row: str) -> str | None:
    """The joint of a plain model that a row belongs to, if it is no row of [constraints] or [rolling]."""
    owner = row.partition(".")[0]
    stated = model.stated
    return owner if stated is not None and owner in stated.joints and row not in stated.constraints else None


def _dot(a: Expression, b: Expression) -> Expression:
    return Call("dot", (a, b))
