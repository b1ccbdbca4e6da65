"""`derive`: the equations of motion by a method, for reading."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dalembert.formalisms import applicable
from dalembert.formalisms import derive as derived
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.report.derivation import Derivation

SUN = "normalized-routh"


def derive(
    record: ModelRecord, method: str | None = None, numeric: bool = False, reactions: Iterable[str] | None = None
) -> Derivation:
    """Derive the equations, and refuse a model whose loops of joints cannot close: it has no state to move from.

    If reactions are asked for and no method is named, the method is Sun's, which releases these constraints alone.
    """
    if record.stated is not None and record.stated.joints:
        from dalembert.prepared import require_closed  # which compiles; other models do not load it

        require_closed(record)
    released = None if reactions is None else tuple(reactions)
    if released and not (method or numeric or record.simulation.method) and SUN in applicable(record):
        method = SUN
    equations = derived(record, method, numeric, reactions=released)
    if released and equations.method != SUN:
        sentence = tr(
            "{method} has all reactions at once; only {sun} releases {names} alone",
            method=equations.method,
            sun=SUN,
            names=", ".join(released),
        )
        equations = replace(equations, notes=(*equations.notes, sentence))
    return Derivation(equations, tr(record.title))
