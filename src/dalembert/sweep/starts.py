"""From the values that vary to the initial values of the motions, for whole ranges of motions at once.

An expression of parameters in the model follows the parameter that varies: with L = "h/2" and theta = "a/L", another h
gives another L and theta. The expressions are compiled once, as functions of the values that vary. So are the
quantities that only numbers can show to be wrong (bounds, masses, restitutions, …). If they speak against a motion, the
model's own checks examine it and say why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import symengine as se

from dalembert.errors import ModelError
from dalembert.expressions.nodes import Expression, Name
from dalembert.language import tr
from dalembert.mechanics.algebra import Symbols, number
from dalembert.mechanics.lowering import Lowering
from dalembert.model.change import with_settings
from dalembert.model.record import ModelRecord, Plane
from dalembert.model.shapes import MOST_COUNT
from dalembert.model.start import ROUNDING
from dalembert.model.units import counted
from dalembert.model.values import initial_values
from dalembert.prepared import Prepared
from dalembert.programs.functions import Function, compiled
from dalembert.sweep.asked import MULTIPLIERS

Named = dict[str, Any]


@dataclass(frozen=True)
class SweepStarts:
    """A compiled function from the values that vary, in the order of `names`, to the start and to values that must be ≥
    0.
    """

    prepared: Prepared
    names: tuple[str, ...]
    given: np.ndarray  # which speeds are stated
    function: Function  # coordinates, speeds, extra states, open parameters, then values that must not be negative

    def of(self, values: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """(q, v, z, p) of the motions, and which of them seem impossible."""
        found = self.function(np.column_stack([values[name] for name in self.names]))
        stated, nonnegative = np.split(found, [len(self.prepared.equations.inputs) - 1], axis=1)
        return stated, ~np.isfinite(found).all(axis=1) | ~(nonnegative >= 0).all(axis=1)

    def refusal(self, values: Mapping[str, float]) -> str | None:
        """The objection of the model's own checks to these values, or None."""
        try:
            with_settings(self.prepared.record, {name: values[name] for name in self.names})
        except ModelError as error:
            return str(error)
        return None


def starts(prepared: Prepared, names: tuple[str, ...]) -> SweepStarts:
    """Compile the start of a model in which `names` vary."""
    record, eq = prepared.record, prepared.equations
    rows = prepared.system.multiplier_names[: prepared.system.k]
    for name in names:
        if name.startswith(MULTIPLIERS) and name.removeprefix(MULTIPLIERS) not in rows:
            which = (
                tr("those of this one are {rows}", rows=", ".join(rows))
                if rows
                else tr("only a vakonomic motion starts from them")
            )
            raise ModelError(
                "{name} cannot vary: it is no initial multiplier of a motion by {method}; {which}",
                name=name,
                method=eq.method,
                which=which,
            )
    low = _Lowered(prepared, names)
    given = np.array([f"{q}'" in names or record.coordinates[q].speed is not None for q in eq.coordinates], bool)
    outputs = [
        *(low.coordinates[q] for q in eq.coordinates),
        *(low.speeds[q] for q in eq.coordinates),
        *(low.multiplier(row) for row in rows),
        *(low.parameters[str(symbol)] for symbol in eq.parameters),
    ]
    function = compiled(low.varied, [*outputs, *(low.at_start(e) for e in _nonnegative(record, low.lowering))])
    return SweepStarts(prepared, names, given, function)


class _Lowered:
    """The start in symbols of the values that vary. Everything else is a number of the model."""

    def __init__(self, prepared: Prepared, names: tuple[str, ...]) -> None:
        record = prepared.record
        self.record, self.motion = record, Symbols(tuple(record.coordinates))
        self.varied = [se.Symbol(f"varied {name}") for name in names]
        own = counted(record)
        self.symbols: Named = {  # in SI; the varied values are in their stated units
            name: own[name].factor * symbol + own[name].offset if name in own and not own[name].plain else symbol
            for name, symbol in zip(names, self.varied, strict=True)
        }
        values = initial_values(record)
        known = {name: value for name, value in values.parameters.items() if name not in prepared.open}
        self.lowering = Lowering(record, self.motion, known)
        self.parameters: Named = {}
        places: dict[Any, Any] = {}
        for name, parameter in record.parameters.items():
            if name in known:
                continue
            value = self.symbols.get(name)
            if value is None:
                value = self._of(parameter.value, places, values.parameters[name])
            self.parameters[name] = places[se.Symbol(name)] = value
        self.coordinates = {
            q: self.symbols.get(q, self._of(c.initial, places, values.coordinates[q]))
            for q, c in record.coordinates.items()
        }
        self.speeds: Named = {}
        for q, c in record.coordinates.items():
            stated = se.Integer(0) if c.speed is None else self._of(c.speed, places, values.speeds[q] or 0.0)
            self.speeds[q] = self.symbols.get(f"{q}'", stated)
        self.places = places | {self.motion.t: number(float(record.simulation.start))}
        self.places |= dict(zip(self.motion.q, self.coordinates.values(), strict=True))
        self.places |= dict(zip(self.motion.v, self.speeds.values(), strict=True))

    def _of(self, expression: Expression, places: Mapping[Any, Any], value: float) -> Any:
        lowered = se.sympify(self.lowering.scalar(expression)).xreplace(dict(places))
        return lowered if lowered.free_symbols else se.RealDouble(value)

    def at_start(self, expression: Any) -> Any:
        return se.sympify(expression).xreplace(self.places)

    def multiplier(self, row: str) -> Any:
        if MULTIPLIERS + row in self.symbols:
            return self.symbols[MULTIPLIERS + row]
        stated = self.record.multipliers.get(row)
        return se.Integer(0) if stated is None else self.at_start(self.lowering.scalar(stated))


def _nonnegative(record: ModelRecord, low: Lowering) -> Iterator[Any]:
    """The conditions of `model.start` on the numbers, as expressions that must not be negative."""
    for name, parameter in record.parameters.items():
        symbol = low.scalar(Name(name))
        if parameter.least is not None:
            yield symbol - low.scalar(parameter.least)
        if parameter.greatest is not None:
            yield low.scalar(parameter.greatest) - symbol
    for body in record.bodies.values():
        yield low.scalar(body.mass)
        if body.spin is not None and body.inertia:
            yield _roundness(low, body.inertia, low.axis(body.spin))
    for contact in record.contacts.values():
        yield low.scalar(contact.restitution)
        yield 1 - low.scalar(contact.restitution)
        if isinstance(contact.friction, Expression):
            yield low.scalar(contact.friction)
    for friction in record.frictions.values():
        yield low.scalar(friction.coefficient)
        if friction.static is not None:
            yield low.scalar(friction.static) - low.scalar(friction.coefficient)
    for rolling in record.rolling.values():
        if rolling.kind != "at":
            yield low.scalar(rolling.size) - se.RealDouble(np.finfo(float).tiny)
        if isinstance(rolling.on, Plane):
            yield sum(c * c for c in low.vector(rolling.on.normal)) - se.RealDouble(np.finfo(float).tiny)
    for shape in (*(one for body in record.bodies.values() for one in body.shapes), *record.drawings.values()):
        yield from (low.scalar(size) for size in shape.sizes)
        if shape.count is not None:
            yield low.scalar(shape.count)
            yield MOST_COUNT - low.scalar(shape.count)


def _roundness(low: Lowering, inertia: tuple[Expression, ...], axis: Any) -> Any:
    """An expression that is not negative if the tensor is that of a body of revolution about the axis, I = A 1 + (C −
    A) n nᵀ.
    """
    xx, yy, zz, xy, yz, xz = (*(low.scalar(entry) for entry in inertia), 0, 0, 0)[:6]
    tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    about = sum(axis[i] * tensor[i][j] * axis[j] for i in range(3) for j in range(3))
    across = (xx + yy + zz - about) / 2
    misses = (
        tensor[i][j] - across * int(i == j) - (about - across) * axis[i] * axis[j] for i in range(3) for j in range(3)
    )
    return (ROUNDING * ROUNDING / 16) * sum(e * e for row in tensor for e in row) - sum(miss * miss for miss in misses)
