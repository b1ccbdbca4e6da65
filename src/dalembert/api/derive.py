"""`derive`: the equations of motion by a method, for reading."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.formalisms import derive as derived
from dalembert.language import tr
from dalembert.model.record import Model
from dalembert.report.derivation import Derivation


def derive(
    record: Model, method: str | None = None, numeric: bool = False, reactions: Iterable[str] | None = None
) -> Derivation:
    """Derive the equations, and refuse a model whose loops of joints cannot close: it has no state to move from."""
    if record.stated is not None and record.stated.joints:
        from dalembert.prepared import require_closed  # which compiles; other models do not load it

        require_closed(record)
    released = None if reactions is None else tuple(reactions)
    return Derivation(derived(record, method, numeric, reactions=released), tr(record.title))
