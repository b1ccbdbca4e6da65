"""Inputs, states and sampled controllers written out as parameters and definitions.

    a number            a parameter between its limits
    an expression       a definition, clip(value, min, max)
    data                a parameter that varies; it starts at the value of the data then
    a state             a parameter that varies; it starts at its initial value, and its rate is in `states`
    a sampled value     a parameter that varies; its expression is in `sampled`
The equations keep the symbols of parameters that vary (`Model.varying`), and a motion changes their values.
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.errors import Fault
from dalembert.expressions.nodes import Call, Expression, Number, expression, names
from dalembert.language import tr
from dalembert.model.conversions import unit_of
from dalembert.model.machine import FirstOrderState, Input
from dalembert.model.plain import Place, Writing
from dalembert.model.record import ModelRecord, Parameter, read_only
from dalembert.model.signals import RATE, RATE2, pieces, signal_in_si
from dalembert.model.units import Unit, in_si

ZERO = Number(0)


def write_control(writing: Writing) -> None:
    stated = writing.stated
    sampled = {name: owner for owner, controller in stated.sampled.items() for name in controller.values}
    data: dict[str, Input] = {}
    followed = _in_constraints(stated)
    for name, entry in stated.inputs.items():
        of = unit_of(writing, entry.unit, "inputs", name) or Unit()
        if entry.signal is not None:
            signal = signal_in_si(entry.signal, of)
            data[name] = replace(entry, signal=signal)
            _data(writing, name, data[name], of.si)
            if signal.between != "hold" and name in followed:
                for order, ending in enumerate((RATE, RATE2) if signal.between == "cubic" else (RATE,), 1):
                    data[name + ending] = Input(signal=replace(signal, order=order))
                    _data(writing, name + ending, data[name + ending], "")
        elif name in sampled:
            fixed = entry.value is None or writing.constant(entry.value)
            if not fixed:
                writing.faults.append(
                    Fault(
                        *("inputs", name),
                        None,
                        tr(
                            "[sampled.{owner}] computes this input; its value here is a number, that before the first "
                            "sample",
                            owner=sampled[name],
                        ),
                    )
                )
            start = in_si(entry.value, of) if entry.value is not None and fixed else ZERO
            _named(writing, "parameters", name, Parameter(start, of.si, entry.about), ("inputs", name))
        else:
            _valued(writing, name, entry, of)
    states: dict[str, FirstOrderState] = {}
    for name, state in stated.states.items():
        of = unit_of(writing, state.unit, "states", name) or Unit()
        states[name] = replace(state, initial=in_si(state.initial, of))
        _named(writing, "parameters", name, Parameter(states[name].initial, of.si, state.about), ("states", name))
        writing.origins["states", name] = ("states", name)
    writing.tables["inputs"], writing.tables["states"] = data, states
    _sampled(writing)


def _data(writing: Writing, name: str, entry: Input, unit: str) -> None:
    assert entry.signal is not None
    value = float(pieces(entry.signal)(writing.stated.simulation.start))
    _named(writing, "parameters", name, Parameter(expression(value), unit, entry.about), ("inputs", name))


def _in_constraints(stated: ModelRecord) -> set[str]:
    """The names that constraints contain, directly or through definitions and inputs."""
    values = {name: entry.value for name, entry in stated.inputs.items() if entry.value is not None}
    through = {**stated.definitions, **values}
    found = names([side for row in stated.constraints.values() for side in (row.left, row.right)])
    waiting = [name for name in found if name in through]
    while waiting:
        more = names([through[waiting.pop()]]) - found
        found |= more
        waiting += [name for name in more if name in through]
    return found


def _named(writing: Writing, table: str, name: str, entry: Parameter | Expression, place: Place) -> None:
    """Add an entry to the plain model under the user's name. The name must be unique."""
    owners = ("parameters", "coordinates", "definitions", "quasi_velocities", "frames", "points", "bodies")
    owner = next((owner for owner in owners if name in writing.tables[owner]), None)
    if owner is not None:
        owner = writing.origins.get((owner, name), (owner, ""))[0]
        writing.faults.append(
            Fault(
                *place,
                None,
                tr("the name {name} is used in [{owner}] as well; names are unique", name=name, owner=owner),
            )
        )
    else:
        writing.add(table, name, entry, place)


def _limited(value: Expression, entry: Input, of: Unit) -> Expression:
    least, greatest = (None if end is None else in_si(end, of) for end in (entry.least, entry.greatest))
    if least is not None and greatest is not None:
        return Call("clip", (value, least, greatest))
    if least is not None:
        return Call("max", (value, least))
    return value if greatest is None else Call("min", (value, greatest))


def _valued(writing: Writing, name: str, entry: Input, of: Unit) -> None:
    assert entry.value is not None
    value = _limited(in_si(entry.value, of), entry, of)
    if writing.constant(entry.value):
        _named(writing, "parameters", name, Parameter(value, of.si, entry.about), ("inputs", name))
    else:
        _named(writing, "definitions", name, value, ("inputs", name))


def _sampled(writing: Writing) -> None:
    stated = writing.stated
    owners: dict[str, str] = {}
    found = {}
    for name, controller in stated.sampled.items():
        values = {}
        for held, value in controller.values.items():
            place = (f"sampled.{name}", held)
            if held in owners:
                writing.faults.append(
                    Fault(
                        *place,
                        None,
                        tr("[sampled.{owners}] sets {held} already; once is expected", held=held, owners=owners[held]),
                    )
                )
                continue
            owners[held] = name
            entry = stated.inputs.get(held)
            if entry is not None and entry.signal is not None:
                writing.faults.append(
                    Fault(
                        *place,
                        None,
                        tr("the input {held} comes from data; only an input with a value can be set", held=held),
                    )
                )
            of = Unit() if entry is None else unit_of(writing, entry.unit, "inputs", held) or Unit()
            values[held] = value if entry is None else _limited(in_si(value, of), entry, of)
            if entry is None:
                _named(writing, "parameters", held, Parameter(ZERO), place)
        found[name] = replace(controller, values=read_only(values))
    writing.tables["sampled"] = found
