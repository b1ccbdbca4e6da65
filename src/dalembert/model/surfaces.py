"""Rolling on a surface written out: the contact point p = (u, v, w) becomes coordinates without mass.

These are NAME.u and NAME.v on z = g(x, y), and also NAME.w on f(x, y, z) = 0. Their rows are in `mechanics.rolling`.
They start at the contact point p = c + a(N(p)), where the arm a leads from the body's centre to its point with the
outward normal −N. An iteration from the foot of the centre on the surface finds p.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.expressions.nodes import Expression, Name, expression
from dalembert.model.plain import Writing
from dalembert.model.record import Coordinate, ModelRecord, Rolling, Surface
from dalembert.model.values import DOMAIN, Evaluator, at_start

ROUNDS = 300  # of the iteration; each goes to the surface by Newton's method, then takes the body's arm there
STEEPEST = 30  # Newton steps to the surface
Triple = tuple[float, float, float]


def on_surfaces(model: ModelRecord) -> dict[str, Rolling]:
    """The entries of [rolling] whose contact point has to be found."""
    return {n: r for n, r in model.rolling.items() if isinstance(r.on, Surface) and r.kind != "at"}


def contact_names(name: str, surface: Surface) -> tuple[str, ...]:
    return tuple(f"{name}.{letter}" for letter in ("uv" if surface.explicit else "uvw"))


def write_surfaces(writing: Writing) -> None:
    found = on_surfaces(writing.stated)
    evaluator = _started(writing) if found else None
    for name, rolling in found.items():
        assert isinstance(rolling.on, Surface)
        names = contact_names(name, rolling.on)
        start = _touching(rolling, evaluator) if evaluator is not None else (0.0,) * 3
        for coordinate, value in zip(names, start, strict=False):
            writing.coordinate(coordinate, Coordinate(expression(value)), (f"rolling.{name}", "on"))


def _started(writing: Writing) -> Evaluator | None:
    from dalembert.errors import ModelError

    if writing.faults:
        return None
    try:
        return at_start(writing.model())
    except ModelError:
        return None  # the checker reports why


def _touching(rolling: Rolling, at: Evaluator) -> Triple:
    try:
        return _iterated(rolling, at)
    except (*DOMAIN, KeyError, TypeError, AttributeError):
        return (0.0, 0.0, 0.0)  # the checker reports an expression without a value


def _iterated(rolling: Rolling, at: Evaluator) -> Triple:
    surface = rolling.on
    assert isinstance(surface, Surface)
    residual = surface.residual
    parameters = dict(at.scalars)
    centre = _centre(rolling, at)
    point, gradient = _foot(residual, parameters, centre)
    for _ in range(ROUNDS):
        length = math.hypot(*gradient)
        arm = _arm(rolling, at, tuple(g / length for g in gradient))  # type: ignore[arg-type]
        nearer, gradient = _foot(residual, parameters, tuple(c + a for c, a in zip(centre, arm, strict=True)))  # type: ignore[arg-type]
        if math.dist(nearer, point) <= 1e-16 * (1 + math.hypot(*point)):
            return nearer
        point = nearer
    return point


def _centre(rolling: Rolling, at: Evaluator) -> Triple:
    place = at.vector(Name(rolling.body))
    if rolling.centre is None:
        return place
    axes, offset = at.axes[rolling.body], at.vector(rolling.centre)
    return tuple(p + sum(axes[i][k].value * offset[k] for k in range(3)) for i, p in enumerate(place))  # type: ignore[return-value]


def _level(residual: Expression, parameters: dict[str, float], point: Triple) -> tuple[float, Triple]:
    here = Evaluator(parameters | dict(zip("xyz", point, strict=True)))
    return here.with_slopes(residual, "xyz")  # type: ignore[return-value]


def _foot(residual: Expression, parameters: dict[str, float], point: Triple) -> tuple[Triple, Triple]:
    """A point of the surface near the given one, by Newton steps along the gradient, and the gradient there."""
    value, gradient = _level(residual, parameters, point)
    for _ in range(STEEPEST):
        square = sum(g * g for g in gradient)
        if square == 0 or abs(value) <= 1e-16 * math.sqrt(square):
            break
        point = tuple(p - value * g / square for p, g in zip(point, gradient, strict=True))  # type: ignore[assignment]
        value, gradient = _level(residual, parameters, point)
    return point, gradient


def _arm(rolling: Rolling, at: Evaluator, normal: Triple) -> Triple:
    """The vector from the centre to the point of the body whose outward normal is −N."""
    axes: Any = [[entry.value for entry in row] for row in at.axes[rolling.body]]  # columns are the body's axes
    sizes = [at.number(size) for size in (rolling.size, *rolling.further)]
    if rolling.kind == "ball":
        return tuple(-sizes[0] * c for c in normal)  # type: ignore[return-value]
    local = [sum(axes[i][k] * normal[i] for i in range(3)) for k in range(3)]
    if rolling.kind == "ellipsoid":
        length = math.sqrt(sum((a * c) ** 2 for a, c in zip(sizes, local, strict=True)))
        inside = [-a * a * c / length for a, c in zip(sizes, local, strict=True)]
        return tuple(sum(axes[i][k] * inside[k] for k in range(3)) for i in range(3))  # type: ignore[return-value]
    n = [_axle(rolling, at, axes, i) for i in range(3)]
    lean = sum(a * b for a, b in zip(n, normal, strict=True))
    s = math.sqrt(1 - lean * lean)
    tube = sizes[1] if rolling.kind == "torus" else 0.0
    return tuple(-sizes[0] / s * (c - lean * a) - tube * c for c, a in zip(normal, n, strict=True))  # type: ignore[return-value]


def _axle(rolling: Rolling, at: Evaluator, axes: Any, i: int) -> float:
    """A component of the axis of a wheel or torus, which is its spin axis, or z without spin."""
    spin = at.model.bodies[rolling.body].spin if at.model is not None else None
    if spin is None:
        return axes[i][2]
    if isinstance(spin.axis, str):
        return axes[i]["xyz".index(spin.axis)]
    entries = [at.number(entry) for entry in spin.axis]
    return sum(axes[i][k] * entries[k] for k in range(3)) / math.hypot(*entries)
