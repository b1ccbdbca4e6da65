"""table(x, NAME): the data of an input read at x, written out in the model language.

Between two times of the data it is the cubic of `signals.Pieces`. Before the first and after the last it is constant.
if(x < time, …, …) finds the piece by halving, so that later stages see comparisons and polynomials only, and can
differentiate them. table(t, NAME) is NAME itself, which a motion evaluates as it advances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from dalembert.errors import Fault, ModelError
from dalembert.expressions.nodes import Call, Expression, Inequality, Name, Number, Time, fold, walk
from dalembert.expressions.substitute import rebuilt
from dalembert.language import tr
from dalembert.model.machine import Signal
from dalembert.model.record import ModelRecord, read_only
from dalembert.model.signals import pieces, signal_in_si
from dalembert.model.units import unit

MOST_ROWS = 200  # of data that are written out


def expanded(stated: ModelRecord) -> tuple[ModelRecord, list[Fault]]:
    """The model with its tables written out. A table that names no data stays, and the checker refuses it."""
    if not any(entry.signal is not None for entry in stated.inputs.values()):
        return stated, []
    faults: list[Fault] = []

    def combine(node: Expression, parts: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Call) and node.function == "table" and isinstance(node.arguments[1], Name):
            entry = stated.inputs.get(node.arguments[1].name)
            if entry is not None and entry.signal is not None:
                return _read(parts[0], node.arguments[1], signal_in_si(entry.signal, _unit(entry.unit)), faults)
        same = all(part is child for part, child in zip(parts, node.children, strict=True))
        return node if same else rebuilt(node, parts)

    def written(root: Expression) -> Expression:
        tables = any(isinstance(node, Call) and node.function == "table" for node in walk(root))
        return fold(root, combine) if tables else root

    return _mapped(stated, written), list(dict.fromkeys(faults))


def _unit(stated: str) -> Any:
    try:
        return unit(stated)
    except ModelError:  # reported where the input is read
        return unit("")


def _read(at: Expression, name: Name, signal: Signal, faults: list[Fault]) -> Expression:
    if isinstance(at, Time):
        return name
    if len(signal.times) > MOST_ROWS:
        message = tr(
            "table writes out every row of its data, and {name} has {count}; at most {most} are expected "
            "(of t alone, {name} itself is read as the motion goes on)",
            name=name.name,
            count=len(signal.times),
            most=MOST_ROWS,
        )
        faults.append(Fault("inputs", name.name, None, message))
        return name
    data = pieces(signal)
    rows: list[Expression] = [Number(signal.values[0])]
    for time, (c0, c1, c2, c3) in zip(signal.times, data.cubics.tolist(), strict=True):
        s = at - Number(time)
        rows.append(Number(c0) + s * (Number(c1) + s * (Number(c2) + s * Number(c3))) if c1 or c2 or c3 else Number(c0))

    def chosen(low: int, high: int) -> Expression:
        if high - low == 1:
            return rows[low]
        middle = (low + high) // 2
        before = Inequality("<", at, Number(signal.times[middle - 1]))
        return Call("if", (before, chosen(low, middle), chosen(middle, high)))

    return chosen(0, len(rows))


def _mapped(value: Any, written: Callable[[Expression], Expression]) -> Any:
    """A record with all its expressions rewritten. A part that does not change stays the same object."""
    if isinstance(value, Expression):
        return written(value)
    if isinstance(value, Mapping):
        found = {name: _mapped(entry, written) for name, entry in value.items()}
        return value if all(found[name] is entry for name, entry in value.items()) else read_only(found)
    if isinstance(value, tuple):
        entries = tuple(_mapped(entry, written) for entry in value)
        return value if all(a is b for a, b in zip(entries, value, strict=True)) else entries
    if is_dataclass(value) and not isinstance(value, (type, Signal)):
        before = {f.name: getattr(value, f.name) for f in fields(value) if f.name != "stated"}
        changed = {name: new for name, old in before.items() if (new := _mapped(old, written)) is not old}
        return replace(value, **changed) if changed else value
    return value
