"""Looks up wishes in the compiled model and returns the engines' quantities and records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import symengine as se

from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest
from dalembert.model.units import counted
from dalembert.prepared import Prepared
from dalembert.sweep.ensemble import Quantity, Record
from dalembert.sweep.records import Extended, Wish

FORCE = "multiplier."


def recorded(prepared: Prepared, model: Extended, wanted: Sequence[Wish]) -> tuple[Record, ...]:
    """The records. A vector gives three of them."""
    known, beyond = _known(prepared), {str(symbol) for symbol in _forces(prepared)}

    @cache
    def quantity(symbol: str) -> Quantity:
        expression = se.sympify(known[symbol])
        return Quantity(symbol, expression, any(str(free) in beyond for free in expression.free_symbols))

    records: list[Record] = []
    for wish in wanted:
        if not wish.quantity:
            records.append(_record(wish, wish.name, None))
            continue
        named = _components(wish.quantity, model.definitions, known)
        if len(named) > 1 and wish.kind == "crossing":
            raise _vector(wish)
        for axis, symbol in named:
            shown = wish.quantity.replace("/", " over ")
            name = wish.name if not axis else wish.name.replace(shown, f"{shown}.{axis}", 1)
            records.append(_record(wish, name, quantity(symbol), model.events.get(wish.name, "")))
    return tuple(records)


def _record(wish: Wish, name: str, quantity: Quantity | None, event: str = "") -> Record:
    kind: Any = wish.kind
    return Record(kind, name, quantity, wish.times, wish.value, wish.direction, event, wish.event_kind, wish.event_name)


def _known(prepared: Prepared) -> dict[str, Any]:
    """Every named quantity of the compiled model."""
    eq = prepared.equations
    found: dict[str, Any] = dict(zip(eq.coordinates, eq.q, strict=True))
    found |= {f"{name}'": v for name, v in zip(eq.coordinates, eq.v, strict=True)}
    found |= {f"{name}''": se.Symbol(f"{name}''") for name in eq.coordinates}
    own = counted(prepared.record)
    found = {name: e / own[name].factor if name in own and not own[name].plain else e for name, e in found.items()}
    found |= eq.outputs
    forces = {se.Symbol(f"lambda.{name}"): se.Symbol(FORCE + name) for name in multipliers(prepared)}
    found |= {name: se.sympify(e).xreplace(forces) for name, e in eq.measured.items()}
    found |= {str(symbol): symbol for symbol in eq.varying}
    found |= {"energy.kinetic": eq.kinetic, "energy.potential": eq.potential}
    found["energy.total"] = eq.kinetic + eq.potential
    extra = dict(zip(prepared.system.multiplier_names, eq.z, strict=False))  # multipliers that are integrated
    for name in multipliers(prepared):
        found[FORCE + name] = extra.get(name, se.Symbol(FORCE + name))
    return found


def require_scalar(prepared: Prepared, name: str, wish: Wish) -> None:
    """Refuse a quantity that the model does not have, or that is a vector."""
    known = _known(prepared)
    if f"{name}.x" in known:
        raise _vector(wish)
    if name not in known:
        raise ModelError(
            "the record {name!r}: there is no quantity {name2}{name3}",
            name=wish.name,
            name2=name,
            name3=nearest(name, known),
        )


def _vector(wish: Wish) -> ModelError:
    return ModelError(
        "the record {name!r}: {quantity} is a vector; name one of its components",
        name=wish.name,
        quantity=wish.quantity,
    )


def multipliers(prepared: Prepared) -> tuple[str, ...]:
    """Names of the multipliers that a motion reports."""
    return (*prepared.system.multiplier_names, *(() if prepared.hybrid is None else prepared.hybrid.forces))


def _forces(prepared: Prepared) -> tuple[Any, ...]:
    """The symbols that a quantity may contain besides x: accelerations, then multipliers."""
    return (
        *(se.Symbol(f"{name}''") for name in prepared.equations.coordinates),
        *(se.Symbol(FORCE + name) for name in multipliers(prepared)),
    )


def inputs(prepared: Prepared) -> tuple[Any, ...]:
    """The arguments of compiled quantities: x, accelerations, multipliers."""
    return (*prepared.equations.inputs, *_forces(prepared))


def _components(text: str, added: Mapping[str, str], known: Mapping[str, Any]) -> list[tuple[str, str]]:
    name = text if text in known else added.get(text, text)
    if name in known:
        return [("", name)]
    parts = [(axis, f"{name}.{axis}") for axis in "xyz" if f"{name}.{axis}" in known]
    if not parts:
        raise ModelError("there is no quantity {text}{text2}", text=text, text2=nearest(text, known))
    return parts
