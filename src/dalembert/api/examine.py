"""`check`: degrees of freedom, kind and redundancy of every constraint, contacts and frictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert import columns
from dalembert.errors import Fault, MathematicsError, ModelError
from dalembert.formalisms import default_method
from dalembert.language import english, mark, tr
from dalembert.model.record import ModelRecord
from dalembert.motions.accelerations import redundant_rows
from dalembert.motions.unilateral import HybridSystem
from dalembert.prepared import prepare

if TYPE_CHECKING:
    from dalembert.results.text.blocks import Block


@dataclass(frozen=True, slots=True)
class Constraint:
    kind: str  # holonomic, linear, nonlinear
    redundant: bool  # follows from the others


@dataclass(frozen=True, slots=True, repr=False)
class Examination:
    """The answer of `check`. If there are faults, the other fields are empty."""

    title: str = ""
    degrees_of_freedom: int | None = None  # of the speeds
    constraints: Mapping[str, Constraint] | None = None  # by name
    faults: tuple[Fault, ...] = ()  # every fault of the model
    notes: tuple[str, ...] = ()  # sentences about the model
    contacts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # law, gap, restitution at the start
    frictions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # coefficient, pressing force, directions

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
            **({"contacts": self.contacts} if self.contacts else {}),
            **({"frictions": self.frictions} if self.frictions else {}),
            "faults": [
                {"table": fault.table, "key": fault.key, "column": fault.column, "message": fault.message}
                for fault in self.faults
            ],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        from dalembert.results.text.layout import noted

        if self.faults:
            return str(ModelError(self.faults))
        lines = [
            *([self.title] if self.title else []),
            tr("degrees of freedom: {degrees_of_freedom}", degrees_of_freedom=self.degrees_of_freedom),
        ]
        names = (*(self.constraints or {}), *self.contacts, *self.frictions)
        width = max(map(columns.width, names), default=0)
        for name, row in (self.constraints or {}).items():
            lines.append(f"  {columns.left(name, width)}   {tr(row.kind)}{tr(', redundant') if row.redundant else ''}")
        for name, about in self.contacts.items():
            told = tr("contact, law {law}, restitution {restitution:.6g}, gap {gap:.6g} at the start", **about)
            lines.append(f"  {columns.left(name, width)}   {told}")
        for name, about in self.frictions.items():
            size = tr("rough") if about["coefficient"] is None else tr("coefficient {coefficient:.6g}", **about)
            told = tr("friction, {size}, pressed by {presses}", size=size, presses=tr(about["pressed_by"]))
            lines.append(f"  {columns.left(name, width)}   {told}")
        return "\n".join([*lines, *noted(self.notes)])

    def __repr__(self) -> str:
        if self.faults:
            return f"<Examination: {len(self.faults)} faults>"
        return f"<Examination: ok, degrees of freedom {self.degrees_of_freedom}>"

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import fragment

        return fragment(self.title or tr("Model"), self._blocks(), self.notes)

    def _blocks(self) -> Iterable[Block]:
        from dalembert.results.text.blocks import Grid, Sentence

        if self.faults:
            yield Grid((tr("fault"), ""), tuple((f"[{f.table}] {f.key}".strip(), f.message) for f in self.faults))
            return
        yield Sentence(tr("degrees of freedom: {degrees_of_freedom}", degrees_of_freedom=self.degrees_of_freedom))
        rows = [
            (name, tr(row.kind), tr("redundant") if row.redundant else "")
            for name, row in (self.constraints or {}).items()
        ]
        rows += [
            (name, tr("contact, {law}", law=about["law"]), tr("gap {gap:.6g}", **about))
            for name, about in self.contacts.items()
        ]
        rows += [
            (name, tr("friction"), tr("pressed by {presses}", presses=tr(about["pressed_by"])))
            for name, about in self.frictions.items()
        ]
        if rows:
            yield Grid((tr("constraint"), tr("kind"), ""), tuple(rows))


def examine(record: ModelRecord) -> Examination:
    """Examine a model at its initial state, after that state was made consistent with the constraints."""
    start = prepare(record, often=False, whole=False)
    system = start.system
    A = system.velocity(start.x)[system.m :].reshape(system.m, system.n)
    redundant = set(redundant_rows(A))
    rows = system.equations.constraints
    constraints = {row.name: Constraint(row.kind, i in redundant) for i, row in enumerate(rows)}
    notes = (*start.notes, *_hidden(record))
    freedom = system.n - (system.m - len(redundant))
    contacts, frictions = ({}, {}) if start.hybrid is None else _one_sided(start.hybrid, start.x)
    return Examination(tr(record.title), freedom, constraints, (), notes, contacts, frictions)


def _one_sided(hybrid: HybridSystem, x: np.ndarray) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Describe contacts and frictions at the start."""
    laws, u, values = hybrid.laws, hybrid.unilateral, hybrid.function(x).tolist()
    first = laws.rows - laws.bilateral  # coefficients, static ones, given forces, then restitutions
    contacts = {
        label: {"law": contact.law, "restitution": values[first + 3 * laws.frictions + i], "gap": float(gap)}
        for i, (label, contact, gap) in enumerate(zip(hybrid.contact_labels, u.contacts, hybrid.gaps(x), strict=True))
    }
    frictions = {}
    for j, (label, friction) in enumerate(zip(hybrid.friction_labels, u.frictions, strict=True)):
        presses = mark("a given force")
        if friction.contact is not None:
            presses = u.contacts[friction.contact].name
        elif friction.constraint is not None:
            presses = hybrid.equations.constraints[friction.constraint].name
        coefficient = None if friction.rough else values[first + j]
        frictions[label] = {"coefficient": coefficient, "pressed_by": presses, "directions": len(friction.slips)}
    return contacts, frictions


def _hidden(record: ModelRecord) -> tuple[str, ...]:
    """Hidden constraints that rows of virtual displacements imply, or the reason why there is no motion."""
    if default_method(record) != "virtual-displacements":
        return ()
    try:
        return tuple(
            note for note in prepare(record, often=False).notes if english(note).startswith("Hidden constraint")
        )
    except MathematicsError as error:
        return (tr("There is no motion: {error}.", error=error),)
