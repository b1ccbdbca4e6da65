"""A model for a page that computes motions by itself: its programs, its sliders, and the parts of its scene.

A page has the engine as WebAssembly. The programs are functions of x = (t, q, v, p), where every parameter can be set:

    values     the values of the sliders, then 1 for each that is set or 0   ↦   p, q, q̇ at the start, in SI
    outputs    kinetic and potential energy, definitions
    drawn, figures, acting     places, shapes and forces, from `stage`
"""

from __future__ import annotations

from typing import Any

import numpy as np
import symengine as se

from dalembert.equations import Equations
from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms import CHETAEV
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import Scalar
from dalembert.model.record import Model
from dalembert.model.values import at_start, initial_values
from dalembert.motions.browser import carried, engine_module, places
from dalembert.motions.kinked import kinked
from dalembert.prepared import Prepared, prepared
from dalembert.programs.expressions import program
from dalembert.programs.program import Program
from dalembert.view.controls import controls
from dalembert.view.packing import zipped
from dalembert.view.pulled import is_pull, pulled
from dalembert.view.stage import Stage

STEPPERS = ("auto", "dop853", "gauss", "radau")
MOST_OPERATIONS = 60_000  # of the dynamics, so that a page stays small
NO_ENGINE = mark("this copy of dalembert was built without the engine for pages; a wheel has it")


def engine_text() -> str:
    """The engine as text for pages. A ModelError if this copy was built without it."""
    data = engine_module()
    if data is None:
        raise ModelError(tr(NO_ENGINE))
    return zipped(data)


def laboratory(record: Model, method: str | None = None) -> dict[str, Any]:
    """The data from which a page computes motions of the model. A ModelError says why it cannot."""
    if engine_module() is None:
        raise ModelError(tr(NO_ENGINE))
    record = pulled(record)
    ready = prepared(record, method, often=False)
    _refuse(record, ready)
    stage = Stage.of(record)
    eq, given = ready.equations, [value is not None for value in initial_values(record).speeds.values()]
    sliders = [one | {"kind": "pull"} if is_pull(one["name"]) else one for one in controls(record)]
    more = {"values": values(record, stage), "outputs": ready.system.outputs.program, **stage.programs}
    made = carried(ready.system, ready.hybrid, np.array(given), more)
    system = ready.system if ready.hybrid is None else ready.hybrid.system
    written = {"slopes": system.n + 1} if made.slopes else {}
    counts = {
        "n": system.n, "m": system.m, "size": 2 * system.n, "reactions": system.reactions,
        "contacts": 0 if ready.hybrid is None else ready.hybrid.laws.contacts,
        "frictions": 0 if ready.hybrid is None else ready.hybrid.laws.frictions, "kinks": len(_kinks(ready)),
    }  # fmt: skip
    functions = {"position": system.position.program, "velocity": system.velocity.program, **more}
    return {
        "module": zipped(made.module),
        "model": made.model,
        "constraints": made.constraints,
        "slopes": made.slopes,
        "corrections": made.corrections,
        "at": places(),
        "counts": counts,
        "outputs": {name: len(part.outputs) for name, part in functions.items()} | written,
        "parameters": [str(symbol) for symbol in eq.parameters],
        "coordinates": list(eq.coordinates),
        "given": [int(one) for one in given],
        "controls": sliders,
        "scales": _scales(sliders, eq),
        "settings": {
            "tolerance": record.simulation.tolerance, "stepper": record.simulation.stepper,
            "step": record.simulation.step, "start": float(record.simulation.start),
        },
        "definitions": list(eq.outputs),
        "residuals": [[row.name, row.kind == "holonomic"] for row in eq.constraints],
        "multipliers": _multipliers(ready),
        "events": {
            "crossing": list(eq.events), "contact": [one.name for one in _laws(ready, "contacts")],
            "friction": [one.name for one in _laws(ready, "frictions")], "kink": list(_kinks(ready)),
        },
        "touching": _touching(record, ready),
        "mass": _mass(record),
        "stage": stage.told,
    }  # fmt: skip


def _refuse(record: Model, ready: Prepared) -> None:
    """Refuse models whose motions a page cannot compute."""
    eq = ready.equations
    if eq.varying:
        names = ", ".join(map(str, eq.varying))
        raise ModelError(tr("a page cannot compute data inputs, states or sampled controllers ({names})", names=names))
    if eq.guards_forces:
        names = ", ".join(eq.guards_forces)
        raise ModelError(tr("a page cannot locate events of accelerations and reactions ({names})", names=names))
    if eq.z or eq.method not in CHETAEV:
        raise ModelError(tr("a page cannot start motions of the method {method}", method=eq.method))
    if record.simulation.description == "whole-course":
        raise ModelError(tr("a page cannot compute a whole-course motion"))
    if record.simulation.stepper == "gauss" and _kinks(ready):
        raise ModelError(tr("a page cannot end steps of fixed length at kinks ({names} = 0)", names=_kinks(ready)[0]))
    if record.simulation.stepper not in STEPPERS:
        raise ModelError(tr("a page has no stepper {stepper}", stepper=record.simulation.stepper))
    if tuple(map(str, eq.parameters)) != tuple(record.parameters):
        raise ModelError(tr("a page cannot set the parameters of this model"))
    size = len(ready.system.dynamics.program.operations)
    if size > MOST_OPERATIONS:
        raise MathematicsError(tr("the programs of this model are too long for a page ({size} operations)", size=size))


def _kinks(ready: Prepared) -> tuple[str, ...]:
    """The expressions at whose zeros the model has kinks."""
    found = kinked(ready.system) if ready.hybrid is None else ready.hybrid.kinks
    return () if found is None else found.names


def values(record: Model, stage: Stage) -> Program:
    """The start of a motion from the sliders: the set value, or the model's own expression of the values above it."""
    lowering = stage.system.lowering
    symbols = dict(zip(record.parameters, stage.system.parameters, strict=True))
    speeds = [coordinate.speed for coordinate in record.coordinates.values()]
    stated = [
        *(one.value for one in record.parameters.values()),
        *(q.initial for q in record.coordinates.values()),
        *speeds,
    ]
    given = [(se.Symbol(f"set {i}"), se.Symbol(f"is set {i}")) for i in range(len(stated))]
    known: dict[Any, Scalar] = {}
    found: list[Scalar] = []
    for i, (expression, (value, is_set)) in enumerate(zip(stated, given, strict=True)):
        own = se.Integer(0) if expression is None else lowering.scalar(expression).subs(known)
        found.append(se.Piecewise((value, is_set > se.Rational(1, 2)), (own, True)))
        if i < len(symbols):
            known[list(symbols.values())[i]] = found[-1]
    return program([*(value for value, _ in given), *(is_set for _, is_set in given)], found)


def _mass(record: Model) -> float:
    """The mass of all bodies at the start."""
    start = at_start(record)
    return float(sum(abs(start.number(body.mass)) for body in record.bodies.values()))


def _laws(ready: Prepared, kind: str) -> tuple[Any, ...]:
    return () if ready.hybrid is None else getattr(ready.hybrid.unilateral, kind)


def _scales(sliders: list[dict[str, Any]], eq: Equations) -> dict[str, float]:
    """The factor from each coordinate's unit to SI."""
    return {one["name"]: one["factor"] for one in sliders if "factor" in one and one["name"] in eq.coordinates}


def _multipliers(ready: Prepared) -> dict[str, int]:
    """The indices of the engine's multipliers, by their reported names."""
    own = {name: i for i, name in enumerate(ready.system.multiplier_names)}
    return own if ready.hybrid is None else own | ready.hybrid.forces


def _touching(record: Model, ready: Prepared) -> dict[str, list[int]]:
    """For every contact, by label: its index among the modes, and the indices of the frictions that colour it."""
    hybrid = ready.hybrid
    if hybrid is None:
        return {}
    frictions, first = list(hybrid.friction_labels), hybrid.laws.contacts
    found = {}
    for i, label in enumerate(hybrid.contact_labels):
        own = [name for name, friction in record.frictions.items() if friction.normal == label]
        slips = [first + frictions.index(name) for name in (f"{label}.slip", *own) if name in frictions]
        found[label] = [i, *slips]
    return found
