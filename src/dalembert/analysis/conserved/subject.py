"""A model's mechanics in symbols, its mode at the start, and the region from which states are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.analysis.conserved import contacts, motions
from dalembert.analysis.conserved.basis import angles
from dalembert.analysis.conserved.flow import Home
from dalembert.equations import Equations
from dalembert.errors import ModelError
from dalembert.formalisms import default_method, derive
from dalembert.mechanics.system import System
from dalembert.model.record import ModelRecord
from dalembert.model.values import initial_values
from dalembert.prepared import prepared


@dataclass(frozen=True, slots=True)
class Subject:
    """A model's mechanics, its mode, and the region from which states are drawn."""

    record: ModelRecord
    system: System
    eq: Equations
    home: Home
    mode: contacts.FlowMode
    duration: float  # duration of the motions that are followed


def subject_of(record: ModelRecord, until: float | None) -> Subject:
    """The subject of a search. The motions that are followed end at `until`."""
    method = default_method(record)
    if method == "virtual-displacements":  # hidden constraints are found near the start, with numbers for parameters
        eq = prepared(record, method, (), often=False).at().system.equations
    else:
        eq = derive(record, method)
    values = initial_values(record)
    q = np.array([values.coordinates[name] for name in eq.coordinates])
    v = np.array([values.speeds[name] or 0.0 for name in eq.coordinates])
    turning = angles(eq)
    reach = np.array([np.pi if s in turning else max(1.0, abs(x)) for s, x in zip(eq.q, q, strict=True)])
    start = float(record.simulation.start)
    duration = float(record.simulation.duration or motions.LONGEST) if until is None else until - start
    if not duration > 0:
        raise ModelError(
            "the motions start at t = {start:.10g} and cannot end at {until:.10g}; give a later time.",
            start=start,
            until=until,
        )
    p = np.array([float(value) for value in eq.parameters.values()])
    home = Home(start, q, v, np.zeros(len(eq.z)), p, reach, min(1.0, duration))
    mode = contacts.mode_of(eq, home)
    if until is None:
        duration = min(duration, motions.LONGEST, motions.TURNS / max(1.0, float(np.abs(v).max(initial=0.0))))
    return Subject(record, System(record, numeric=not eq.parameters), eq, home, mode, duration)
