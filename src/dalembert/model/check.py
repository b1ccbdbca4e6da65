"""The whole record examined before anything is computed; used alike by the reader and the Python builder.

First names and what rests on what, then every expression in its place (`rules`), and once all of that holds, the
numbers at the start (`start`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from dalembert.errors import Fault
from dalembert.expressions.limits import NOWHERE
from dalembert.expressions.nodes import RESERVED
from dalembert.model import rules, start
from dalembert.model.forms import printable
from dalembert.model.order import evaluation_order
from dalembert.model.record import Model

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
LONGEST_CYCLE = 8  # names of it that are told
QUANTITIES = ("parameters", "coordinates", "definitions", "quasi_velocities", "frames", "points", "bodies")
OTHERS = ("forces", "constraints", "rolling", "contacts", "frictions", "events", "drawings")


def check(model: Model, columns: Mapping[int, int] = NOWHERE, unread: Collection[str] = ()) -> list[Fault]:
    """Every fault of a model. `columns` knows where nodes stand; `unread` names what a reader already refused."""
    faults = _names(model)
    order, cycles = evaluation_order(model)
    faults += [_cycle(model, members) for members in cycles]
    lost = {*unread, *(name for members in cycles for name in members)}
    faults += rules.expressions(model, order, columns, lost)
    if not (faults or unread):
        faults += start.numbers(model)
    return faults


def _names(model: Model) -> list[Fault]:
    """Identifiers, none of them reserved, and none used twice."""
    faults = []
    owners: dict[str, str] = {}
    for table in (*QUANTITIES, *OTHERS):
        for name in getattr(model, table):
            message = _misnamed(name)
            if table in QUANTITIES and not message:
                if name in RESERVED:
                    message = f"the name {name} is reserved; choose another"
                elif name in owners:
                    message = f"the name {name} is used in [{owners[name]}] as well; names are unique"
                owners.setdefault(name, table)
            if message:
                faults.append(Fault(table, printable(name), None, message))
    return faults


def _misnamed(name: str) -> str:
    if not IDENTIFIER.fullmatch(name):
        met = printable(name) or "an empty name"
        return f"{met} was met; names are of ASCII letters, digits and _, and begin with no digit"
    if "__" in name:
        return f"{printable(name)} was met; names hold no '__'"
    return ""


def _cycle(model: Model, members: list[str]) -> Fault:
    table = next(table for table in QUANTITIES if members[0] in getattr(model, table))
    shown = members if len(members) <= LONGEST_CYCLE else [*members[:LONGEST_CYCLE], "…", members[-1]]
    return Fault(table, members[0], None, f"it is defined by itself: {' → '.join(shown)}")
