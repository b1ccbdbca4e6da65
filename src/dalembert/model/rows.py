"""The names of the rows whose reaction can be a normal force: constraints, their components, rolling rows, contacts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from dalembert.expressions.nodes import Expression
from dalembert.model.record import ModelRecord, Surface

ROLLING_ROWS = {"touch": ("touch",), "slip": ("slip1", "slip2")}
SURFACE_ROWS = ("at1", "at2", "on")  # they keep the contact point on its surface


def row_names(model: ModelRecord) -> tuple[str, ...]:
    rows = [*model.constraints, *model.contacts]
    rows += [f"{name}.{axis}" for name in model.constraints for axis in "xyz"]
    for name, rolling in model.rolling.items():
        rows += [f"{name}.{row}" for kept in rolling.rows for row in ROLLING_ROWS[kept]]
        if isinstance(rolling.on, Surface) and rolling.kind != "at":
            rows += [f"{name}.{row}" for row in SURFACE_ROWS]
    return tuple(rows)


def normals_resolved(model: ModelRecord, parse: Callable[[str, str], Expression | None]) -> ModelRecord:
    """A normal force that is a single name is a row if there is one of that name, and an expression otherwise."""
    rows = row_names(model)
    resolved = {}
    for name, friction in model.frictions.items():
        stated = friction.normal
        if isinstance(stated, str) and stated not in rows and "." not in stated:
            resolved[name] = replace(friction, normal=parse(stated, name) or stated)
    return replace(model, frictions=MappingProxyType({**model.frictions, **resolved})) if resolved else model
