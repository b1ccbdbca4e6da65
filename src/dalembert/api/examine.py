"""What `check` answers: degrees of freedom, and the kind and redundancy of every constraint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalembert.api.instant import prepare
from dalembert.errors import Fault, MathematicsError, ModelError
from dalembert.formalisms import default_method
from dalembert.model.record import Model
from dalembert.simulate.accelerations import redundant_rows


@dataclass(frozen=True, slots=True)
class Constraint:
    kind: str  # holonomic, linear, nonlinear
    redundant: bool


@dataclass(frozen=True, slots=True)
class Examination:
    """A model that was read and checked; with faults, nothing else is known of it."""

    title: str = ""
    degrees_of_freedom: int | None = None
    constraints: Mapping[str, Constraint] | None = None
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        """The answer of `check --json`."""
        rows = (self.constraints or {}).items()
        return {
            "ok": self.ok,
            "degrees_of_freedom": self.degrees_of_freedom,
            "constraints": {name: {"kind": row.kind, "redundant": row.redundant} for name, row in rows},
            "faults": [
                {"table": fault.table, "key": fault.key, "column": fault.column, "message": fault.message}
                for fault in self.faults
            ],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        if self.faults:
            return str(ModelError(self.faults))
        lines = [*([self.title] if self.title else []), f"degrees of freedom: {self.degrees_of_freedom}"]
        width = max((len(name) for name in self.constraints or {}), default=0)
        for name, row in (self.constraints or {}).items():
            lines.append(f"  {name.ljust(width)}   {row.kind}{', redundant' if row.redundant else ''}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def examine(record: Model) -> Examination:
    """Degrees of freedom and redundancy are those of the initial state, made consistent."""
    start = prepare(record, often=False, whole=False)
    system = start.system
    A = system.velocity(start.x)[system.m :].reshape(system.m, system.n)
    redundant = set(redundant_rows(A))
    rows = system.equations.constraints
    constraints = {row.name: Constraint(row.kind, i in redundant) for i, row in enumerate(rows)}
    notes = (*start.notes, *_hidden(record))
    return Examination(record.title, system.n - (system.m - len(redundant)), constraints, (), notes)


def _hidden(record: Model) -> tuple[str, ...]:
    """What rows of virtual displacements ask beyond the constraints, or why there is no motion."""
    if default_method(record) != "virtual-displacements":
        return ()
    try:
        return tuple(note for note in prepare(record, often=False).notes if note.startswith("Hidden constraint"))
    except MathematicsError as error:
        return (f"There is no motion: {error}.",)
