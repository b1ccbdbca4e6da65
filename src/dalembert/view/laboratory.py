"""A model for a page that computes motions by itself: its programs, its sliders, and the parts of its scene.

A page has the engine as WebAssembly. The programs are functions of x = (t, q, v, s, p): s are first-order states and
what controllers hold. Every parameter and every start can be set:

    values     the values of the sliders, then 1 for each that is set or 0   ↦   s, p, q, q̇ at the start, in SI
    outputs    kinetic and potential energy, definitions
    drawn, figures, acting     places, shapes and forces, from `stage`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import symengine as se

from dalembert.engine.interface import Status
from dalembert.errors import MathematicsError, ModelError
from dalembert.expressions.nodes import Expression
from dalembert.formalisms import CHETAEV
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import Scalar
from dalembert.model.record import ModelRecord
from dalembert.model.units import counted
from dalembert.model.values import at_start, initial_values
from dalembert.motions.browser import carried, engine_module, places
from dalembert.motions.kinked import NOT_ALONG_STATES, ROW_TURNS, SENTENCES, Kinked, kinked
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


def laboratory(record: ModelRecord, method: str | None = None) -> dict[str, Any]:
    """The data from which a page computes motions of the model. A ModelError says why it cannot."""
    if engine_module() is None:
        raise ModelError(tr(NO_ENGINE))
    alone, record = record, pulled(record)
    ready = prepared(record, method, often=False)
    _refuse(record, ready)
    eq = ready.equations
    stage = Stage.of(record, tuple(eq.parameters))
    given = [value is not None for value in initial_values(record).speeds.values()]
    sliders = [one | {"kind": "pull"} if is_pull(one["name"]) else one for one in controls(record)]
    more = {
        "values": values(record, stage, [one["name"] for one in sliders]),
        "outputs": ready.system.outputs.program,
        **stage.programs,
    }
    free = prepared(alone, method, often=False)
    made = carried(free.hybrid or free.system, ready.hybrid or ready.system, more)
    system = ready.system if ready.hybrid is None else ready.hybrid.system
    checked = {"moving slopes": system.n + 1} if made.checked else {}
    counts = {
        "n": system.n, "m": system.m, "size": system.size, "states": system.s, "reactions": system.reactions,
        "contacts": 0 if ready.hybrid is None else ready.hybrid.laws.contacts,
        "frictions": 0 if ready.hybrid is None else ready.hybrid.laws.frictions, "kinks": len(_kinks(ready)),
        "guards": len(eq.events) + len(eq.masses) + len(_kinks(ready)),
    }  # fmt: skip
    functions = {"position": system.position.program, "velocity": system.velocity.program, **more}
    return {
        "module": zipped(made.module),
        "model": made.model,
        "pulled": made.pulled,
        "begins": made.begins,
        "at": places(),
        "counts": counts,
        "outputs": {name: len(part.outputs) for name, part in functions.items()} | checked,
        "parameters": [str(symbol) for symbol in eq.parameters],
        "signals": [[place, data.times.tolist(), data.cubics.ravel().tolist()] for place, data in system.signals],
        "coordinates": list(eq.coordinates),
        "given": [int(one) for one in given],
        "controls": sliders,
        "scales": {name: [of.factor, of.offset] for name, of in counted(record).items() if not of.plain},
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
            "of_states": [kink.degree == 0 for kink in kinks.kinks] if (kinks := _kinked(ready)) else [],
        },
        "reasons": _reasons(ready),
        "touching": _touching(record, ready),
        "mass": _mass(record),
        "stage": stage.told,
    }  # fmt: skip


def _refuse(record: ModelRecord, ready: Prepared) -> None:
    """Refuse models whose motions a page cannot compute."""
    eq = ready.equations
    if eq.z or eq.method not in CHETAEV:
        raise ModelError("a page cannot start motions of the method {method}", method=eq.method)
    if record.simulation.description == "whole-course":
        raise ModelError("a page cannot compute a whole-course motion")
    if record.simulation.stepper == "gauss" and _kinks(ready):
        raise ModelError("a page cannot end steps of fixed length at kinks ({names} = 0)", names=_kinks(ready)[0])
    if record.simulation.stepper not in STEPPERS:
        raise ModelError("a page has no stepper {stepper}", stepper=record.simulation.stepper)
    if set(map(str, eq.parameters)) != set(record.parameters):
        raise ModelError("a page cannot set the parameters of this model")
    size = len(ready.system.dynamics.program.operations)
    if size > MOST_OPERATIONS:
        raise MathematicsError("the programs of this model are too long for a page ({size} operations)", size=size)


def _kinked(ready: Prepared) -> Kinked | None:
    return kinked(ready.system) if ready.hybrid is None else ready.hybrid.kinks


def _kinks(ready: Prepared) -> tuple[str, ...]:
    """The expressions at whose zeros the model has kinks."""
    found = _kinked(ready)
    return () if found is None else found.names


def _reasons(ready: Prepared) -> dict[str, str]:
    """Why a motion ends at a kink or a singular constraint, by the number of the status. The page puts in {name}."""
    rows = ", ".join(row.name for row in ready.equations.constraints)
    said = {**SENTENCES, Status.ROW_TURNS: ROW_TURNS, "states": NOT_ALONG_STATES}
    return {str(int(s) if isinstance(s, Status) else s): tr(text, name="{name}", rows=rows) for s, text in said.items()}


def values(record: ModelRecord, stage: Stage, sliders: Sequence[str]) -> Program:
    """The start of a motion from the sliders: the set value, or the model's own expression of the values above it."""
    lowering, symbols = stage.system.lowering, dict(zip(record.parameters, stage.system.parameters, strict=True))
    stated: dict[str, Expression | None] = {name: one.value for name, one in record.parameters.items()}
    stated |= {name: coordinate.initial for name, coordinate in record.coordinates.items()}
    stated |= {f"{name}'": coordinate.speed for name, coordinate in record.coordinates.items()}
    given = {name: (se.Symbol(f"set {i}"), se.Symbol(f"is set {i}")) for i, name in enumerate(sliders)}
    known: dict[Any, Scalar] = {}
    found: dict[str, Scalar] = {}
    for name, expression in stated.items():
        found[name] = se.Integer(0) if expression is None else lowering.scalar(expression).subs(known)
        if name in given:
            value, is_set = given[name]
            found[name] = se.Piecewise((value, is_set > se.Rational(1, 2)), (found[name], True))
        if name in symbols:
            known[symbols[name]] = found[name]
    order = [*map(str, stage.parameters), *record.coordinates, *(f"{name}'" for name in record.coordinates)]
    inputs = [*(value for value, _ in given.values()), *(is_set for _, is_set in given.values())]
    return program(inputs, [found[name] for name in order])


def _mass(record: ModelRecord) -> float:
    """The mass of all bodies at the start."""
    start = at_start(record)
    return float(sum(abs(start.number(body.mass)) for body in record.bodies.values()))


def _laws(ready: Prepared, kind: str) -> tuple[Any, ...]:
    return () if ready.hybrid is None else getattr(ready.hybrid.unilateral, kind)


def _multipliers(ready: Prepared) -> dict[str, int]:
    """The indices of the engine's multipliers, by their reported names."""
    own = {name: i for i, name in enumerate(ready.system.multiplier_names)}
    return own if ready.hybrid is None else own | ready.hybrid.forces


def _touching(record: ModelRecord, ready: Prepared) -> dict[str, list[int]]:
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
