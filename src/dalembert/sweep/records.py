"""From the user's words to the records that engines keep of a motion.

    final, final theta            the state at the end, or a quantity there
    theta at 0.5,1,2              a quantity at times (a list, or FIRST:LAST:COUNT)
    trajectory, trajectory 0:5:51 all coordinates and speeds at times
    max theta, min energy.total   the greatest and the least on the way
    crossing theta = 0.1 rising   the first time it passes a value (rising, falling, or either)
    events, events impact floor   the number of events, of a kind or a name
    drift                         the drift of the energy
    eigenvalues, growth           of the equations near the start, and their greatest real part
    critical v = 0:10:41          the values of v at which a mode begins to grow or to decay
    d(theta)/d(R), … at 1,2       the derivative of a quantity at the end, or at times, by a quantity that can vary
    top = max theta               any of them under a name of the user's choice

A quantity is a coordinate, a speed (theta'), an acceleration (theta''), a multiplier (multiplier.NAME), an energy
(energy.total), a definition, an output, or any expression of the model language. Expressions are added to the model as
definitions, and crossings as events, under names that it does not use: so the model's own checks, lowering and event
machinery serve them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.expressions.nodes import Expression, Name, Negative, Number, Prime, Sum
from dalembert.expressions.parse import nearest, parse
from dalembert.language import tr
from dalembert.model.check import check
from dalembert.model.record import EventRule, ModelRecord
from dalembert.model.units import counted
from dalembert.sweep.asked import grid_of, number, require_known
from dalembert.sweep.ensemble import Kind

ENERGIES = ("energy.kinetic", "energy.potential", "energy.total")
KINDS = ("impact", "liftoff", "contact", "stick", "slip", "chatter", "crossing", "kink")  # kinds of events
SIDES = {"rising": 1, "falling": -1, "": 0}
NAMED = re.compile(r"\s*([^\W\d]\w*)\s*=\s*(.+)", re.DOTALL)
INSPECTED = ("eigenvalues", "growth", "critical", "derivative")  # records that no engine computes
DERIVATIVE = re.compile(r"d\((.+)\)\s*/\s*d\(([^()]+)\)(?:\s+at\s+(.+))?")
TRAJECTORY = 101  # number of times if none are given
MOST_COLUMNS = 1_000_000


@dataclass(frozen=True, slots=True)
class Wish:
    """One variable of the result, as the user asked for it. The quantity is not yet looked up."""

    kind: Kind | str
    name: str
    quantity: str = ""
    times: tuple[float, ...] = ()
    value: float = 0.0
    direction: int = 0
    event_kind: str = ""
    event_name: str = ""
    by: str = ""  # the variable of a derivative


def wishes(record: ModelRecord, texts: Iterable[str], start: float, end: float) -> tuple[Wish, ...]:
    """All variables that the texts ask for. Each name occurs once."""
    found: list[Wish] = []
    for text in texts:
        named = NAMED.fullmatch(text)
        own, said = (named[1], named[2].strip()) if named else ("", text.strip())
        if own.startswith("__"):
            raise ModelError("{own} was given as a name; names of variables do not begin with '__'", own=own)
        more = _wished(record, said, start, end)
        if own and len(more) > 1:
            raise ModelError(
                "{text!r} keeps {count} quantities, and they cannot all be called {own}",
                text=text,
                count=len(more),
                own=own,
            )
        found += [replace(wish, name=own or wish.name.replace("/", " over ")) for wish in more]  # a slash is a path
    names = [wish.name for wish in found]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ModelError("{name!r} is recorded twice; give one of them a name of its own, NAME = RECORD", name=name)
    columns = sum(max(1, len(wish.times)) for wish in found)
    if columns > MOST_COLUMNS:
        raise ModelError(
            "{columns:,} numbers of every motion were asked for, and at most {most_columns:,} are kept",
            columns=columns,
            most_columns=MOST_COLUMNS,
        )
    return tuple(found)


def _wished(record: ModelRecord, text: str, start: float, end: float) -> list[Wish]:
    slope = DERIVATIVE.fullmatch(text)
    if slope is not None:
        of, by, said = slope.groups()
        require_known(record, by.strip())
        moments = _times(said, text, start, end) if said else ()
        name = f"d({of.strip()}) by d({by.strip()}){'(t)' if moments else ''}"
        return [Wish("derivative", name, of.strip(), moments, by=by.strip())]
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    states = [*record.coordinates, *(f"{q}'" for q in record.coordinates)]
    match word:
        case "":
            raise ModelError("an empty record was met; say what to keep, as in --record final or --record 'max theta'")
        case "final":
            return [Wish("final", f"final {q}", q) for q in ([rest] if rest else states)]
        case "max" | "min" if rest:
            return [Wish(word, f"{word} {rest}", rest)]
        case "trajectory":
            times = _times(rest or f"{start!r}:{end!r}:{TRAJECTORY}", text, start, end)
            return [Wish("at", f"{q}(t)", q, times) for q in states]
        case "crossing":
            return [_crossing(text, rest)]
        case "events":
            return [_events(record, text, rest.split())]
        case "drift" if not rest:
            return [Wish("drift", "drift")]
        case "eigenvalues" | "growth" if not rest:
            return [Wish(word, word)]
        case "critical":
            return [_critical(record, text, rest)]
        case "status" if not rest:
            return []  # the status is always kept
    quantity, at, when = text.rpartition(" at ")
    if at:
        return [Wish("at", f"{quantity.strip()}(t)", quantity.strip(), _times(when, text, start, end))]
    hint = nearest(word, ("final", "trajectory", "crossing", "events", "drift", "status", *INSPECTED))
    known = hint or tr(
        "; final Q, Q at TIMES, max Q, min Q, crossing Q = VALUE, events, drift and trajectory are known"
    )
    raise ModelError("the record {text!r} was met{known}", text=text, known=known)


def _times(text: str, whole: str, start: float, end: float) -> tuple[float, ...]:
    if ":" in text:
        parts = text.split(":")
        if len(parts) != 3 or not parts[2].strip().isdigit() or not 1 <= int(parts[2]) <= MOST_COLUMNS:
            raise ModelError("the record {whole!r}: FIRST:LAST:COUNT is expected, as in 0:5:51", whole=whole)
        found = np.linspace(number(parts[0], whole), number(parts[1], whole), int(parts[2]))
    else:
        found = np.array([number(part, tr("the record {whole!r}", whole=whole)) for part in text.split(",")])
    if found.min() < start or found.max() > end:
        raise ModelError(
            "the record {whole!r}: the motions run from t = {start:.10g} to {end:.10g}, and {found:.10g} is outside",
            whole=whole,
            start=start,
            end=end,
            found=found.min() if found.min() < start else found.max(),
        )
    return tuple(found.tolist())


def _crossing(text: str, rest: str) -> Wish:
    head, _, last = rest.rpartition(" ")
    side = last if last in SIDES and last else ""
    quantity, equals, value = (head if side else rest).rpartition("=")
    if not (equals and quantity.strip() and value.strip()):
        raise ModelError(
            "the record {text!r}: crossing QUANTITY = VALUE is expected, then rising or falling if it matters",
            text=text,
        )
    level = number(value, tr("the record {text!r}", text=text))
    quantity = quantity.strip()
    return Wish(
        "crossing", f"crossing {quantity} = {level:.10g}{side and ' ' + side}", quantity, (), level, SIDES[side]
    )


def _critical(record: ModelRecord, text: str, rest: str) -> Wish:
    name, equals, grid = (part.strip() for part in rest.partition("="))
    if not (equals and name and ":" in grid):
        raise ModelError(
            "the record {text!r}: critical NAME = FIRST:LAST:COUNT is expected, as in critical v = 0:10:41", text=text
        )
    require_known(record, name)
    values = grid_of(name, grid)
    if len(values) < 2 or values[0] >= values[-1]:
        raise ModelError("the record {text!r}: values that ascend are expected, at least two", text=text)
    return Wish("critical", f"critical {name}", name, tuple(values.tolist()))


def _events(record: ModelRecord, text: str, words: list[str]) -> Wish:
    names = [*record.events, *record.contacts, *record.frictions]
    kinds, named = [w for w in words if w in KINDS], [w for w in words if w not in KINDS]
    if len(kinds) > 1 or len(named) > 1:
        raise ModelError("the record {text!r}: one kind and one name of events are expected at most", text=text)
    if named and named[0] not in names:
        known = nearest(named[0], [*KINDS, *names]) or tr("; kinds are {kinds}", kinds=", ".join(KINDS))
        raise ModelError(
            "the record {text!r}: there is no event, contact or friction {named}{known}",
            text=text,
            named=named[0],
            known=known,
        )
    return Wish("events", " ".join(["events", *words]), event_kind=(kinds or [""])[0], event_name=(named or [""])[0])


@dataclass(frozen=True, slots=True)
class Extended:
    """The model with the definitions and events that the wishes need, and their names."""

    record: ModelRecord
    definitions: MappingProxyType[str, str]  # text of a quantity: its definition
    events: MappingProxyType[str, str]  # name of a wish for a crossing: its event


def extended(record: ModelRecord, wanted: Iterable[Wish]) -> Extended:
    """Add definitions for the expressions and events for the crossings, checked like the model's own."""
    wanted = [wish for wish in wanted if wish.quantity and wish.kind != "critical"]
    definitions, events = dict(record.definitions), dict(record.events)
    added: dict[str, str] = {}
    found: dict[str, str] = {}
    said: dict[str, str] = {}
    own = {name: one for name, one in counted(record).items() if name.rstrip("'") in record.coordinates}
    for wish in wanted:
        text = wish.quantity
        measured = text in record.outputs
        joined = _is_joined(record, text)
        if not in_language(record, text) and not ((measured or joined) and wish.kind == "crossing"):
            continue
        bare = Name(text.removesuffix("'"))
        node = (Prime(bare) if text.endswith("'") else bare) if joined else _parsed(text, wish.name)
        if not (measured or joined) and text not in added and text not in definitions:
            name = _free(definitions, f"recorded_{len(added) + 1}", record)
            added[text], said[name], definitions[name] = name, wish.name, node
        if wish.kind == "crossing":
            name = _free(events, f"passing_{len(found) + 1}", record)
            found[wish.name], said[name] = name, wish.name
            level = wish.value * own[text].factor if text in own else wish.value  # a name alone counts in its unit
            events[name] = EventRule(Sum((node, Negative(Number(level)))) if level else node)
    changed = replace(record, definitions=MappingProxyType(definitions), events=MappingProxyType(events))
    faults = check(changed)
    if faults:
        mine = [f for f in faults if f.key in said or f.table.removeprefix("events.") in said]
        place = next((said.get(f.key) or said[f.table.removeprefix("events.")] for f in mine), "")
        raise ModelError(
            tr("the record {place!r}: {message}", place=place, message=mine[0].message) if mine else faults
        )
    return Extended(changed, MappingProxyType(added), MappingProxyType(found))


def in_language(record: ModelRecord, text: str) -> bool:
    """Whether a quantity is an expression of the model language, and no output, force, acceleration or energy."""
    measured = text in record.outputs or (
        text.removesuffix(text[-2:]) in record.outputs and text[-2:] in (".x", ".y", ".z")
    )
    return not (
        measured
        or _is_joined(record, text)
        or text.endswith("''")
        or text in ENERGIES
        or text.startswith("multiplier.")
    )


def _is_joined(record: ModelRecord, text: str) -> bool:
    """Whether it is a coordinate or speed that a joint, an attitude or a surface has added, as elbow.f1."""
    return "." in text and text.rstrip("'") in record.coordinates and not text.endswith("''")


def _parsed(text: str, name: str) -> Expression:
    try:
        return parse(text)
    except ModelError as error:
        raise ModelError("the record {name!r}: {message}", name=name, message=error.faults[0].message) from None


def _free(taken: Any, name: str, record: ModelRecord) -> str:
    tables = (
        record.parameters,
        record.coordinates,
        record.frames,
        record.points,
        record.bodies,
        record.quasi_velocities,
    )
    while name in taken or any(name in table for table in tables):
        name += "_"
    return name
