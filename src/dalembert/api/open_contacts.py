"""A contact that is open restrains nothing: the smooth model near a state at which all contacts are open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dalembert.errors import MathematicsError, ModelError
from dalembert.expressions.nodes import Expression, Number, ResultName, fold
from dalembert.expressions.substitute import rebuilt
from dalembert.model.record import ModelRecord, read_only
from dalembert.prepared import Start, prepare
from dalembert.results.linearization import Linearization

OPEN = 1e-9  # a smaller gap may close at once


@dataclass(frozen=True, slots=True)
class Smooth:
    """A model without its contacts, and the start with them."""

    record: ModelRecord
    start: Start | None = None  # None for a model that never had a contact

    def require_open(self, found: Linearization) -> None:
        """Refuse a steady motion at which a contact would touch or be passed."""
        if self.start is None:
            return
        names = self.start.system.equations.coordinates
        q, v = (np.array([values[name] for name in names]) for values in (found.coordinates, found.speeds))
        for name, gap in _gaps(replace(self.start, time=found.time, q=q, v=v)).items():
            if gap <= OPEN:
                raise MathematicsError(
                    "the nearest steady motion would be at the contact {name} or beyond it (its gap is {gap:.6g}); "
                    "begin nearer to another one, or state a contact that is closed as a constraint",
                    name=name,
                    gap=gap,
                )


def without_open_contacts(record: ModelRecord) -> Smooth:
    """The model near its initial state, without contacts that are open and what they press; others are refused."""
    if not (record.contacts or record.frictions):
        return Smooth(record)
    start = prepare(record, often=False)
    gaps = _gaps(start)
    touching = [("contacts", name) for name, gap in gaps.items() if gap <= OPEN]
    touching += [("frictions", name) for name, one in record.frictions.items() if one.normal not in gaps]
    if touching:
        table, name = touching[0]
        raise ModelError(
            "[{table}] {name}: linearize needs equations that are smooth near the state, and contacts that "
            "touch and frictions switch; leave them out, or state a contact that is closed as a "
            "constraint.",
            table=table,
            name=name,
        )

    def without_forces(node: Expression, parts: tuple[Expression, ...]) -> Expression:
        named = isinstance(node, ResultName) and (".".join(node.path) in gaps or node.path[0] in gaps)
        return Number(0) if named else node if parts == node.children else rebuilt(node, parts)

    none = read_only({})
    outputs = read_only({name: fold(root, without_forces) for name, root in record.outputs.items()})
    return Smooth(replace(record, contacts=none, frictions=none, events=none, outputs=outputs), start)


def _gaps(start: Start) -> Mapping[str, float]:
    assert start.hybrid is not None
    return dict(zip(start.record.contacts, start.hybrid.gaps(start.x).tolist(), strict=True))
