"""The check of a whole record before anything is computed. The reader and the Python builder both use it.

First `plain` writes out joints, inputs and controllers. Then come names and cycles of definitions, every expression in
its place (`rules`), and, if all of that is in order, the numbers at the start (`start`) and dimensions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dalembert.errors import Fault
from dalembert.expressions.limits import NOWHERE
from dalembert.expressions.names import is_name
from dalembert.expressions.nodes import RESERVED
from dalembert.expressions.parse import ON_SURFACE, QUATERNION
from dalembert.language import tr
from dalembert.model import rules, start
from dalembert.model.dimensions import dimensions
from dalembert.model.forms import printable
from dalembert.model.order import evaluation_order
from dalembert.model.plain import written_out
from dalembert.model.record import ModelRecord
from dalembert.model.surfaces import on_surfaces

LONGEST_CYCLE = 8  # names in the message
QUANTITIES = ("parameters", "coordinates", "definitions", "quasi_velocities", "frames", "points", "bodies")
OTHERS = (
    "inputs",
    "states",
    "sampled",
    "outputs",
    "forces",
    "constraints",
    "rolling",
    "contacts",
    "frictions",
    "events",
    "drawings",
)


def check(model: ModelRecord, columns: Mapping[int, int] = NOWHERE, unread: Collection[str] = ()) -> list[Fault]:
    """Every fault of a model. `columns` has the places of nodes; `unread` are names that a reader already refused."""
    return checked(model, columns, unread)[1]


def checked(
    stated: ModelRecord, columns: Mapping[int, int] = NOWHERE, unread: Collection[str] = (), only_values: bool = False
) -> tuple[ModelRecord, list[Fault]]:
    """The plain form of a model, and its faults, each at its place in the model as it was stated.

    `only_values`: the model was checked before, and only values became other numbers. Then names, expressions and
    dimensions are as they were, and the numbers at the start alone are checked.
    """
    model, writing = written_out(stated, unread)
    if only_values and not writing.faults:
        found = start.numbers(model)
    else:
        found = _plain(model, columns, unread, bool(writing.faults))
    return model, list(dict.fromkeys([*writing.faults, *map(writing.told, found)]))


def _plain(model: ModelRecord, columns: Mapping[int, int], unread: Collection[str], at_fault: bool) -> list[Fault]:
    faults = _names(model)
    order, cycles = evaluation_order(model)
    faults += [_cycle(model, members) for members in cycles]
    lost = {*unread, *(name for members in cycles for name in members)}
    faults += rules.expressions(model, order, columns, lost)
    if not (faults or unread or at_fault):
        faults += start.numbers(model) or dimensions(model, columns)
    return faults


def _names(model: ModelRecord) -> list[Fault]:
    """Names must be identifiers, not reserved, and unique."""
    faults = []
    owners: dict[str, str] = {}
    for table in (*QUANTITIES, *OTHERS):
        for name in getattr(model, table):
            message = "" if _made(model, table, name) else _misnamed(name)
            if table in QUANTITIES and not message:
                if name in RESERVED:
                    message = tr("the name {name} is reserved; choose another", name=name)
                elif name in owners:
                    message = tr(
                        "the name {name} is used in [{owners}] as well; names are unique",
                        name=name,
                        owners=owners[name],
                    )
                owners.setdefault(name, table)
            if message:
                faults.append(Fault(table, printable(name), None, message))
    for name in (*model.joints, *(model.stated.joints if model.stated else ())):
        message = _misnamed(name)
        if message:
            faults.append(Fault("joints", printable(name), None, message))
    return faults


def _made(model: ModelRecord, table: str, name: str) -> bool:
    """Whether `plain` made a name. A setting may state the start of such a coordinate."""
    owner, dot, entry = name.rpartition(".")
    if model.stated is None or not dot:
        return False
    body = model.stated.bodies.get(owner)
    entries: tuple[str, ...] = QUATERNION if body is not None and body.attitude == "quaternion" else ()
    if owner in on_surfaces(model.stated):
        entries = ON_SURFACE
    return name not in getattr(model.stated, table) or (table == "coordinates" and entry in entries)


def _misnamed(name: str) -> str:
    if not is_name(name):
        met = printable(name) or tr("an empty name")
        return tr(
            "{met} was met; a name has letters, digits and _ only (Latin, Greek or Chinese letters), and does not "
            "begin with a digit",
            met=met,
        )
    if "__" in name:
        return tr("{name} was met; a name does not contain '__'", name=printable(name))
    return ""


def _cycle(model: ModelRecord, members: list[str]) -> Fault:
    table = next(table for table in QUANTITIES if members[0] in getattr(model, table))
    shown = members if len(members) <= LONGEST_CYCLE else [*members[:LONGEST_CYCLE], "…", members[-1]]
    return Fault(table, members[0], None, tr("it depends on itself: {shown}; break the cycle", shown=" → ".join(shown)))
