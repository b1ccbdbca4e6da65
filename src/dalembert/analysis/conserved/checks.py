"""Tests expressions of the user for being conserved. They are read in the language of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.conserved import contacts, motions
from dalembert.analysis.conserved.exact import ExactFlow, ExactQuantities
from dalembert.analysis.conserved.flow import Flow, States
from dalembert.analysis.conserved.motions import COARSE, FINE, Drift
from dalembert.analysis.conserved.quantities import FlowQuantities
from dalembert.analysis.conserved.subject import Subject
from dalembert.analysis.conserved.varying import moving
from dalembert.analysis.question import Limit
from dalembert.errors import ModelError
from dalembert.expressions.parse import parse
from dalembert.language import tr
from dalembert.mechanics.system import System
from dalembert.model.check import check
from dalembert.model.record import ModelRecord, read_only
from dalembert.results.conserved import Check

RATE = 1e-9  # relative to the terms of a rate: a larger rate is not zero


def with_definitions(record: ModelRecord, texts: Sequence[str], word: str) -> ModelRecord:
    """The model with expressions of the user as further definitions. A faulty expression is refused."""
    definitions = dict(record.definitions)
    for text in texts:
        name = word
        taken = {*record.parameters, *record.coordinates, *definitions, *record.bodies, *record.points, *record.frames}
        taken |= set(record.quasi_velocities)
        while name in taken:
            name += "_"
        if "__" in name:
            name = f"{word}{len(definitions)}"
        trial = replace(record, definitions=read_only({**definitions, name: parse(text)}))
        faults = [fault for fault in check(trial) if fault.key == name]
        if faults:
            raise ModelError("the expression {text!r}: {message}", text=text, message=faults[0].message)
        definitions = dict(trial.definitions)
    return replace(record, definitions=read_only(definitions)) if texts else record


def lowered(record: ModelRecord, text: str) -> Any:
    """The user's expression in symbols."""
    trial = with_definitions(record, [text], "quantity")
    name = list(trial.definitions)[-1]
    outputs = System(trial).outputs
    if name not in outputs:
        raise ModelError(
            "the expression {text!r} is a vector; check its components, as in dot({text}, world.x).", text=text
        )
    return se.sympify(outputs[name])


def checked(subject: Subject, text: str, expression: Any, limit: Limit) -> Check:
    eq, mode = subject.mode.flow.equations, subject.mode
    if not frozenset(moving(eq)) & expression.free_symbols:
        return Check(
            text, True, 0.0, 16, None, 0, tr("It holds no coordinate and no speed: a constant of every motion.")
        )
    code = FlowQuantities(eq, [expression])
    states = mode.flow.states(subject.home, 60, np.random.default_rng(41))
    found = code.at(states)
    if np.ptp(found.value) <= 1e-10 * np.abs(found.level).max():
        value = float(found.value.mean())
        verdict = tr("It is {value:.10g} at every state that the constraints allow: it follows from them.", value=value)
        return Check(text, True, 0.0, 16, None, 0, verdict)
    rate = float((np.abs(found.rate) / np.maximum(found.size, 1e-300)).max())
    digits, holds = _sharpened(mode.flow, expression, states, rate)
    follow = Limit(max(limit.left, 1.0))
    if subject.eq.unilateral is not None:
        drift = motions.hybrid_drifts(
            subject.eq, subject.home, [expression], subject.duration, follow, mode.flow, mode.open
        )[0]
    else:
        drift = motions.drifts(mode.flow, subject.home, [expression], subject.duration, follow, general=False)[0]
    jumps = contacts.survivals(subject.eq.unilateral, mode, mode.flow, subject.home, [expression])[0] if holds else {}
    return Check(
        text, holds, rate, digits, (drift.coarse, drift.fine) if drift.motions else None, drift.motions,
        _verdict(holds, rate, digits, drift, jumps), jumps,
    )  # fmt: skip


def _sharpened(flow: Flow, expression: Any, states: States, rate: float) -> tuple[int, bool]:
    """Whether the rate vanishes, with forty digits if the states can be refined that far."""
    if rate > RATE:
        return 16, False
    exact = ExactQuantities(ExactFlow(flow), [expression])
    terms = [exact.terms(x, i) for i, x in enumerate(states.x[:4])]
    known = [exact.digits(abs(r[0]) / (s[0] or 1)) for t in terms if t is not None for _, r, s in [t]]
    if not known:
        return 16, True
    digits = [d for d in known if d is not None]
    return min(digits, default=40), len(digits) == len(known)


def _verdict(holds: bool, rate: float, digits: int, drift: Drift, jumps: dict[str, str]) -> str:
    moved = tr(
        "along {motions} random motions it changes by {coarse:.1e} (tolerance {coarse2:.0e}) "
        "and {fine:.1e} ({fine2:.0e}) of its terms",
        motions=drift.motions,
        coarse=drift.coarse,
        coarse2=COARSE,
        fine=drift.fine,
        fine2=FINE,
    )
    if not drift.motions:
        moved = tr("no motion could be followed")
    if not holds:
        return tr(
            "Not conserved: its rate reaches {rate:.2e} of its terms at random states; {moved}.", rate=rate, moved=moved
        )
    lost = [event for event, what in jumps.items() if what == "changed"]
    kept = [event for event, what in jumps.items() if what == "kept"]
    said = tr("Conserved: its rate vanishes at random states ({digits} digits); {moved}.", digits=digits, moved=moved)
    if kept:
        said += tr(" Kept by: {kept}.", kept=", ".join(kept))
    if lost:
        said += tr(" Changed by: {lost}.", lost=", ".join(lost))
    return said
