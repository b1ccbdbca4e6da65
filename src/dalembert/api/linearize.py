"""The answer of `linearize`: the equations of motion near the initial state, to first order."""

from __future__ import annotations

from dalembert.analysis.gradients import Place
from dalembert.analysis.linearize import Linearized
from dalembert.analysis.spectrum import cleaned, eigenvalues
from dalembert.analysis.steady import Steadiness, linearized
from dalembert.errors import ModelError
from dalembert.mechanics.system import System
from dalembert.model.record import Model
from dalembert.prepared import prepare
from dalembert.results.linearization import Linearization, Steady

LISTED = 3  # rates named in a note


def linearize(record: Model, method: str | None = None, strict: bool = False) -> Linearization:
    """Matrix, eigenvalues and steadiness at the initial state."""
    _refuse_unilateral(record)
    start = prepare(record, method, strict, often=False)
    quasi = System(record, numeric=True).quasi_velocities if record.quasi_velocities else {}
    found, about = linearized(start.system, Place(start.time, start.q, start.v, start.z), quasi)
    names = start.system.equations.coordinates
    return Linearization(
        method=start.system.equations.method,
        time=start.time,
        coordinates=dict(zip(names, start.q.tolist(), strict=True)),
        speeds=dict(zip(names, start.v.tolist(), strict=True)),
        states=found.states,
        matrix=cleaned(found.linear.matrix)[0] + 0.0,
        eigenvalues=eigenvalues(found.linear.matrix),
        steady=Steady(about.holds, about.residual, about.rates, about.ignorable, about.uniform),
        degrees_of_freedom=len(found.chart.speeds),
        corrections=start.corrections,
        notes=(*start.notes, *_notes(found, about)),
        title=record.title,
    )


def _refuse_unilateral(record: Model) -> None:
    for table in ("contacts", "frictions"):
        for name in getattr(record, table):
            raise ModelError(
                f"[{table}] {name}: linearize needs equations that are smooth near the state, and contacts and "
                "frictions switch; leave them out, or state a contact that is closed as a constraint."
            )


def _notes(found: Linearized, about: Steadiness) -> list[str]:
    notes, system = [], found.gradients.system
    if about.moving:
        fastest = sorted(about.moving, key=lambda name: -abs(about.rates[name]))[:LISTED]
        rates = ", ".join(f"d({name})/dt = {about.rates[name]:.6g}" for name in fastest)
        more = ", …" if len(about.moving) > LISTED else ""
        notes.append(
            f"This is no steady motion: {rates}{more}. The eigenvalues are those of the equations at this instant, and "
            "depend on the choice of coordinates and speeds."
        )
        if system.m > system.mh and not found.gradients.quasi:
            notes.append(
                "A steady turn or spin shows as one in speeds that turn along: [quasi_velocities] of the model are "
                "preferred as independent speeds."
            )
    if about.depends_on_time:
        notes.append(f"The equations depend on time; matrix and eigenvalues are those of t = {found.place.t:.9g}.")
    return notes
