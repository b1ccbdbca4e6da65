"""Decides whether equations are the model's, and names the wrong terms."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.analysis.audit.claims import claims
from dalembert.analysis.audit.decide import HOLDS, Decision, decided
from dalembert.analysis.audit.mistakes import mistake
from dalembert.analysis.audit.terms import partings
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.results.audit import Audit


def audited(record: ModelRecord, texts: Sequence[str]) -> Audit:
    found = claims(record, texts)
    decision = decided(found)
    if decision.sided and found.near is not None:
        found = found.near
        decision = decided(found)
    if decision.holds and not decision.other:
        return _held(decision)
    by_equation = decision.residuals.max(axis=0)
    wrong = [i for i, size in enumerate(by_equation) if size > HOLDS]
    # multipliers spread an error over all equations that contain them
    suspects = [i for i, e in enumerate(found.E) if i in wrong or e.free_symbols & set(found.free)]
    told = partings(found, suspects)
    state, equation = decision.worst
    start = found.samples[state][0]
    eq = found.equations
    at = {"t": start.time, **dict(zip(eq.coordinates, start.q.tolist(), strict=True))}
    at |= {f"{name}'": value for name, value in zip(eq.coordinates, start.v.tolist(), strict=True)}
    names = ", ".join(str(i) for i in sorted({one.equation for one in told} or {i + 1 for i in wrong}))
    verdict = tr("These are not the model's equations: look at equation {names}.", names=names)
    if decision.holds:
        verdict = tr(
            "These equations have the model's motions, but other reactions: those of {other}.",
            other=", ".join(decision.other),
        )
    return Audit(
        agrees=False,
        verdict=verdict,
        partings=told,
        mistake=mistake(found, wrong),
        state={} if decision.holds else at,
        residual=float(decision.residuals[state, equation]),
        equation=0 if decision.holds else equation + 1,
        notes=() if told else (tr("No equation of the model is near enough to name a term."),),
    )


def _held(decision: Decision) -> Audit:
    if decision.complete:
        return Audit(True, tr("These are the model's equations: they hold on its motions, and determine them."))
    return Audit(
        False,
        tr(
            "These equations hold on the model's motions, but do not determine them: with the "
            "constraints they leave accelerations open. Some are missing, or follow from others."
        ),
    )


__all__ = ["audited"]
