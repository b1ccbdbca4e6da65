"""Units: the meaning of a text like "deg" or "kN", from pint. Values are read in their unit and computed in SI.

A value that is a plain number is in its stated unit. A value that contains names is already in SI, because the names
are: with R = 10 cm, `{ value = "2*R", unit = "cm" }` is 20 cm.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from dalembert.errors import ModelError
from dalembert.expressions.limits import constant
from dalembert.expressions.nodes import Expression, Number, Product, Sum, expression
from dalembert.expressions.parse import nearest, shown
from dalembert.language import mark, tr
from dalembert.model.machine import joint_coordinates
from dalembert.model.record import Coordinate, ModelRecord

Dimension = tuple[tuple[str, float], ...]  # nonzero exponents of mass, length, time …


def dimension(**exponents: float) -> Dimension:
    return tuple(sorted((name, float(power)) for name, power in exponents.items() if power))


@dataclass(frozen=True, slots=True)
class Unit:
    """x in SI is factor · x + offset; `si` is the coherent unit of the same dimension."""

    factor: float = 1.0
    offset: float = 0.0
    dimension: Dimension = ()
    si: str = ""

    @property
    def coherent(self) -> bool:
        return self.factor == 1.0 and self.offset == 0.0


PLAIN: dict[str, Dimension] = {  # the units of most models, which are read without loading pint
    "": (),
    "1": (),
    "rad": (),
    "m": dimension(length=1),
    "kg": dimension(mass=1),
    "s": dimension(time=1),
    "rad/s": dimension(time=-1),
    "1/s": dimension(time=-1),
    "m/s": dimension(length=1, time=-1),
    "m/s^2": dimension(length=1, time=-2),
    "kg m^2": dimension(mass=1, length=2),
    "kg/s": dimension(mass=1, time=-1),
    "s/m": dimension(time=1, length=-1),
    "N": dimension(mass=1, length=1, time=-2),
    "N/m": dimension(mass=1, time=-2),
    "N s/m": dimension(mass=1, time=-1),
    "N m": dimension(mass=1, length=2, time=-2),
    "N m s": dimension(mass=1, length=2, time=-1),
    "N m/rad": dimension(mass=1, length=2, time=-2),
    "N m s/rad": dimension(mass=1, length=2, time=-1),
    "J": dimension(mass=1, length=2, time=-2),
    "W": dimension(mass=1, length=2, time=-3),
}
READABLE = re.compile(r"[A-Za-zµμΩ°%_0-9 ·*/^().+-]{1,60}")
TOO_LARGE = re.compile(r"[0-9]{3}|[0-9)]\s*(\^|\*\*)")  # large numbers, and powers of numbers, are not units
MISTAKEN = {"Nm": "N m", "nm": mark("N m or nanometer"), "Nms": "N m s", "kgm^2": "kg m^2", "rev/s": "revolution/s"}


@cache
def unit(text: str) -> Unit:
    """The unit of a text. A ModelError with a suggestion if pint does not know it."""
    if text in PLAIN:
        return Unit(dimension=PLAIN[text], si=text)
    if text in MISTAKEN:
        raise ModelError(
            "the unit {text} is not clear; write {mistaken}", text=shown(text), mistaken=tr(MISTAKEN[text])
        )
    if not READABLE.fullmatch(text) or TOO_LARGE.search(text):
        raise ModelError("the unit {text} is not known; write it as 'kg m^2/s' or 'deg'", text=shown(text))
    registry = _registry()
    try:
        one, none = (registry.Quantity(value, registry.Unit(text)).to_base_units() for value in (1.0, 0.0))
    except _unreadable() as error:
        raise ModelError(
            "the unit {text} is not known{registry}", text=shown(text), registry=_hint(registry, text, error)
        ) from None
    exponents = {name.strip("[]"): float(power) for name, power in one.dimensionality.items()}
    si = f"{one.units:~D}".replace(" ** ", "^").replace(" * ", " ").replace(" / ", "/")
    factor = float((one - none).magnitude)
    return Unit(factor, float(none.magnitude), dimension(**exponents), "" if si == "dimensionless" else si)


def _unreadable() -> tuple[type[Exception], ...]:
    """The errors that pint raises for texts that it cannot read: its own, tokenize's and Python's."""
    from tokenize import TokenError

    from pint.errors import PintError

    python = (ArithmeticError, AssertionError, AttributeError, LookupError, SyntaxError, TypeError, ValueError)
    return (PintError, TokenError, *python)


@cache
def _registry() -> Any:
    from pint import UnitRegistry

    return UnitRegistry(autoconvert_offset_to_baseunit=True)


def _hint(registry: Any, text: str, error: Exception) -> str:
    """A suggestion: the unit with a similar name."""
    known = sorted({name for name in registry._units if name.isascii() and len(name) > 1})
    unknown = getattr(error, "unit_names", text)
    return nearest(unknown if isinstance(unknown, str) else unknown[0], known) or tr(
        "; write it as 'kg m^2/s' or 'deg'"
    )


def in_si(value: Expression, of: Unit, *, rate: bool = False) -> Expression:
    """A stated value in SI. A `rate` has no offset."""
    if of.coherent or constant(value) is None:
        return value
    scaled = value if of.factor == 1.0 else Product((Number(of.factor), value))
    return scaled if rate or of.offset == 0.0 else Sum((scaled, expression(of.offset)))


@dataclass(frozen=True, slots=True)
class StatedUnit:
    """The unit of a quantity for its user: the value in SI is factor times the number, plus offset."""

    unit: str
    factor: float = 1.0
    offset: float = 0.0

    @property
    def plain(self) -> bool:
        return self.factor == 1.0 and self.offset == 0.0


def counted(model: ModelRecord) -> dict[str, StatedUnit]:
    """The units in which a user gives and sees values, their rates and second rates, by name."""
    stated = model.stated or model
    coordinates: Mapping[str, Coordinate] = {**stated.coordinates, **joint_coordinates(stated.joints)}
    found: dict[str, StatedUnit] = {}
    for entries in (stated.parameters, stated.inputs, stated.states, coordinates):
        for name, entry in entries.items():
            if entry.unit:
                of = unit(entry.unit)
                found[name] = StatedUnit(entry.unit, of.factor, of.offset)
    found |= {f"{n}'": StatedUnit(f"{found[n].unit}/s", found[n].factor) for n in coordinates if n in found}
    return found | {f"{n}''": StatedUnit(f"{found[n].unit}/s^2", found[n].factor) for n in coordinates if n in found}


def stated_units(model: ModelRecord) -> dict[str, str]:
    """The unit of every coordinate, as the user stated it."""
    stated = model.stated or model
    coordinates: Mapping[str, Coordinate] = {**stated.coordinates, **joint_coordinates(stated.joints)}
    return {name: entry.unit for name, entry in coordinates.items() if entry.unit}


def scales(model: ModelRecord) -> dict[str, float]:
    """The factor from each coordinate's unit to SI, if it is not 1."""
    factors = {name: unit(text).factor for name, text in stated_units(model).items()}
    return {name: factor for name, factor in factors.items() if factor != 1.0}
