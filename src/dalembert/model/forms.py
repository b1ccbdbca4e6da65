"""The forms in which a file states a value, and the readers that turn each into a part of the record.

A reader that meets a fault notes it and returns None. Reading goes on, so that all faults are found at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from dalembert.errors import Fault, ModelError
from dalembert.expressions.nodes import Expression, Vector, expression
from dalembert.expressions.parse import Columns, nearest, parse, parse_equation, shown
from dalembert.language import tr
from dalembert.model.record import AxisTurn, Equation

Result = TypeVar("Result")
Reader = Callable[[Any, str, str], Any]  # of a value, its table and its key
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Forms:
    """Reads values. Collects faults and the column of every node."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder  # of the files that a model names
        self.faults: list[Fault] = []
        self.columns: Columns = {}
        self.unread: set[str] = set()  # names of entries with a fault

    def fault(self, table: str, key: str, message: str, column: int | None = None) -> Any:
        """Note a fault, and return None for the reader to return."""
        self.faults.append(Fault(printable(table), printable(key), column, message))

    def _read(self, table: str, key: str, reader: Callable[[], Result]) -> Result | None:
        try:
            return reader()
        except ModelError as error:
            self.faults += [replace(f, table=printable(table), key=printable(key)) for f in error.faults]
            return None

    def number(self, value: Any, table: str, key: str) -> float | None:
        """A plain finite number."""
        value = plain(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return self.fault(table, key, tr("{met} was met, and a number is expected", met=met(value)))
        if not finite(value):
            return self.fault(table, key, tr("{met} was met, and a finite number is expected", met=met(value)))
        return value

    def expression(self, value: Any, table: str, key: str, place: str = "") -> Expression | None:
        """A number, or a text in the model language. `place` says which entry of a list it is."""
        value = plain(value)
        if isinstance(value, str):
            return self._read(table, key, lambda: parse(value, self.columns))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return self.fault(
                table,
                key,
                tr("{place}{met} was met, and a number or an expression is expected", place=place, met=met(value)),
            )
        if not finite(value):
            return self.fault(
                table, key, tr("{place}{met} was met, and a finite number is expected", place=place, met=met(value))
            )
        return expression(value)

    def measured(self, value: Any, table: str, key: str) -> Expression | None:
        """An output: an expression that may contain accelerations, multipliers and loads, or three of them."""
        if isinstance(value, list) and len(value) == 3:
            parts = [self.measured(entry, table, key) for entry in value]
            return None if None in parts else Vector(*parts)  # type: ignore[arg-type]
        if isinstance(value, str):
            return self._read(table, key, lambda: parse(value, self.columns, answers=True))
        return self.expression(value, table, key)

    def expressions(self, value: Any, table: str, key: str) -> tuple[Expression, ...] | None:
        """A list of expressions, or a single expression."""
        entries = value if isinstance(value, list) else [value]
        places = tr("entry {i}: ")
        results = [self.expression(e, table, key, places.format(i=i)) for i, e in enumerate(entries, 1)]
        return None if None in results else tuple(results)  # type: ignore[arg-type]

    def vector(self, value: Any, table: str, key: str) -> Expression | None:
        """Three expressions, or one text of a vector."""
        if isinstance(value, str):
            return self.expression(value, table, key)
        if not isinstance(value, list) or len(value) != 3:
            return self.fault(
                table, key, tr("{met} was met; three expressions or one vector expression is expected", met=met(value))
            )
        entries = self.expressions(value, table, key)
        return None if entries is None else Vector(*entries)

    def equation(self, value: Any, table: str, key: str) -> Equation | None:
        if not isinstance(value, str):
            return self.fault(
                table, key, tr('{met} was met, and an equation "left = right" is expected', met=met(value))
            )
        sides = self._read(table, key, lambda: parse_equation(value, self.columns))
        return None if sides is None else Equation(*sides)

    def turn(self, value: Any, table: str, key: str) -> AxisTurn | None:
        """One [axis, angle]."""
        if not isinstance(value, list) or len(value) != 2:
            return self.fault(table, key, tr("{met} was met, and [axis, angle] is expected", met=met(value)))
        axis, angle = value[0], self.expression(value[1], table, key, tr("the angle: "))
        if isinstance(axis, list) and len(axis) == 3:
            axis = self.expressions(axis, table, key)
        elif not (isinstance(axis, str) and axis in ("x", "y", "z")):
            return self.fault(
                table, key, tr("the axis {axis} was met; x, y, z or [n1, n2, n3] is expected", axis=met(axis))
            )
        return None if axis is None or angle is None else AxisTurn(axis, angle)

    def turns(self, value: Any, table: str, key: str) -> tuple[AxisTurn, ...] | None:
        """A list of [axis, angle]."""
        if not isinstance(value, list):
            return self.fault(table, key, tr("{met} was met, and a list of [axis, angle] is expected", met=met(value)))
        if len(value) == 2 and isinstance(value[0], str):
            return self.fault(table, key, tr("a single turn was met where a list is expected; write [[axis, angle]]"))
        turns = [self.turn(entry, table, key) for entry in value]
        return None if None in turns else tuple(turns)  # type: ignore[arg-type]

    def text(self, value: Any, table: str, key: str) -> str | None:
        if not isinstance(value, str):
            return self.fault(table, key, tr("{met} was met, and a text is expected", met=met(value)))
        return value

    def choice(self, value: Any, table: str, key: str, choices: Collection[str]) -> str | None:
        if not isinstance(value, str) or value not in choices:
            hint = nearest(value, choices) if isinstance(value, str) else ""
            return self.fault(
                table,
                key,
                tr("{met} was met; {choices} is expected{hint}", met=met(value), choices=listed(choices), hint=hint),
            )
        return value

    def flag(self, value: Any, table: str, key: str) -> bool | None:
        if not isinstance(value, bool):
            return self.fault(table, key, tr("{met} was met, and true or false is expected", met=met(value)))
        return value

    def table(self, value: Any, table: str, key: str, expected: str = "a table") -> dict[str, Any] | None:
        if not isinstance(value, dict):
            return self.fault(
                table, key, tr("{met} was met, and {expected} is expected", met=met(value), expected=expected)
            )
        return value

    def entries(
        self,
        value: Any,
        table: str,
        key: str,
        readers: Mapping[str, Reader],
        required: Mapping[str, Any] = NOTHING,
    ) -> dict[str, Any] | None:
        """A table with known keys, each read by its reader. Entries with a fault are left out.

        `required` has the keys that may not be missing, and substitutes for them so that the rest of the table can be
        checked. If one is missing, the name of the table is noted as unread.
        """
        if not isinstance(value, dict):
            return self.table(value, table, key, tr("a table of {readers}", readers=listed(readers)))
        before = len(self.faults)
        place = f"{table}.{key}" if key and table else table or key
        for unknown in value:
            if unknown not in readers:
                hint = nearest(unknown, readers) or tr("; known are {readers}", readers=listed(readers))
                self.fault(place, unknown, tr("the key is not known{hint}", hint=hint))
        for name in required:
            if name not in value:
                self.fault(place, name, tr("it is missing; this table needs it"))
        results = {name: reader(value[name], place, name) for name, reader in readers.items() if name in value}
        if len(self.faults) > before:
            self.unread.add(key)
        return {**required, **{name: result for name, result in results.items() if result is not None}}


def plain(value: Any) -> Any:
    """NumPy's scalars and arrays as Python's numbers and lists, which a file can hold."""
    return value.tolist() if hasattr(value, "tolist") else value


def finite(value: float) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def printable(name: str) -> str:
    """Any text of the user, made fit for a message."""
    return name if name.isprintable() and len(name) <= 80 else shown(name)


def met(value: Any) -> str:
    """A value as a message shows it."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return shown(value)
        case dict():
            return "a table"
        case list():
            return tr("a list of {count}", count=len(value))
        case int() if not finite(value):
            return tr("a number larger than a double can hold")
        case int() | float():
            return str(value)
    return f"a {type(value).__name__}"


def listed(items: Iterable[str]) -> str:
    *most, last = items
    return ", ".join(most) + (tr(" or ") if most else "") + last


def frozen(value: Any) -> Any:
    """Lists as tuples and tables as read-only mappings, all the way down."""
    if isinstance(value, Mapping):
        return MappingProxyType({k: frozen(v) for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(frozen(v) for v in value)
    return value
