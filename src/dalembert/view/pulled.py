"""A model whose bodies can be pulled: a spring and a damper from the centre of each body to one moving place.

F = k (p − r) − c ṙ      k and c of every body, and the place p, are parameters. They are zero without a pull
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.expressions.nodes import Expression, Name, Negative, Number, Prime, Product, Sum, Vector
from dalembert.model.record import Force, ModelRecord, Parameter, read_only

PLACE = ("pull x", "pull y", "pull z")  # names of a model contain no space


def stiffness(body: str) -> str:
    return f"pull k {body}"


def damping(body: str) -> str:
    return f"pull c {body}"


def is_pull(name: str) -> bool:
    return name.startswith("pull ")


def pulled(record: ModelRecord) -> ModelRecord:
    """The same model with a pull on every body. With all pulls zero, its motion is the same."""
    names = [*PLACE, *(of(body) for body in record.bodies for of in (stiffness, damping))]
    forces = {f"pull {body}": Force(body, force=_force(body)) for body in record.bodies}
    return replace(
        record,
        parameters=read_only({**record.parameters, **{name: Parameter(Number(0)) for name in names}}),
        forces=read_only({**record.forces, **forces}),
    )


def _force(body: str) -> Expression:
    away = Sum((Vector(*(Name(name) for name in PLACE)), Negative(Name(body))))
    drag = Product((Name(damping(body)), Prime(Name(body))))
    return Sum((Product((Name(stiffness(body)), away)), Negative(drag)))
