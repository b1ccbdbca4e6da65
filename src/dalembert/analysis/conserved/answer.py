"""Conserved quantities of a model: energies, the search in every mode, symmetries, contacts, and the user's checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.conserved import contacts, motions
from dalembert.analysis.conserved.basis import basis, is_linear
from dalembert.analysis.conserved.checks import checked, lowered, with_definitions
from dalembert.analysis.conserved.energy import energies
from dalembert.analysis.conserved.flow import Flow
from dalembert.analysis.conserved.integrals import SQUARES, FirstIntegral, Search, simple
from dalembert.analysis.conserved.motions import COARSE, FINE, Drift
from dalembert.analysis.conserved.quantities import FlowQuantities
from dalembert.analysis.conserved.subject import Subject, subject_of
from dalembert.analysis.conserved.symmetry import Symmetries, Symmetry, momentum_equations, symmetries
from dalembert.analysis.conserved.text import phrase, shift, written_formula, written_integral
from dalembert.analysis.question import Limit, Question
from dalembert.equations import Equations
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import total
from dalembert.model.record import ModelRecord
from dalembert.results.conserved import (
    Conserved,
    ConservedQuantity,
    EnergyVerdict,
    MomentumLaw,
    Spoiler,
)

SECONDS = 8.0
FOLLOWING = 2.0  # seconds for motions, even if the search used up the time
LONGEST_LAW = 150  # largest number of operations of a momentum equation that is shown
MOST_LAWS = 3
LONGEST_FIELD = 60  # characters
SQUARE = mark("square of one linear in the speeds")


def conserved(question: Question) -> Conserved:
    """The part `conserved` of `analyze`."""
    return conserved_quantities(
        question.record,
        checks=question.checks,
        extra=question.basis,
        quadratic=question.quadratic,
        until=question.until,
        seconds=question.limit.left,
    )


def conserved_quantities(
    record: ModelRecord,
    *,
    checks: Sequence[str] = (),
    extra: Sequence[str] = (),
    quadratic: bool = False,
    search: bool = True,
    until: float | None = None,
    seconds: float = SECONDS,
) -> Conserved:
    """Energies, integrals in the span of the basis and of the user's `extra` quantities, and the user's `checks`."""
    limit = Limit(seconds)
    widened = with_definitions(record, extra, "basis")
    subject = subject_of(widened, until)
    asked = [lowered(widened, text) for text in checks]
    balance = energies(subject.system, subject.mode.flow, subject.home, subject.mode.frictions)
    found: list[tuple[str, Flow, FirstIntegral]] = []
    notes: list[str] = []
    span = basis(subject.system, subject.mode.flow.equations, {e.name: e.expression for e in balance}, quadratic)
    groups = Symmetries((), ())
    if search:
        groups = symmetries(subject.mode.flow, subject.home)
        flows = _flows(subject.mode)
        for done, (when, flow) in enumerate(flows):
            if limit.over:
                notes.append(tr("The time was over before integrals {when} were sought.", when=when))
                break
            kept = [i for _, owner, i in found if owner is subject.mode.flow]  # these hold in every mode
            run = Search(flow, subject.home, span, limit.part(0.7 / (len(flows) - done)), found=kept)
            result = run.run()
            found += [(when, flow, integral) for integral in result.integrals]
            notes += result.notes
        if span.cut:
            notes.append(
                tr(
                    "Products beyond the first {count} candidates were left out of the search.",
                    count=len(span.candidates),
                )
            )
    quantities, dropped = _quantities(subject, found, groups, Limit(max(limit.left, FOLLOWING)))
    laws = _laws(subject, groups) if search and not limit.over else ()
    return Conserved(
        energies=tuple(
            EnergyVerdict(
                e.name,
                written_formula(e.expression),
                e.conserved,
                () if e.conserved else tuple(Spoiler(p.name, p.kind, p.size, p.sign, p.why) for p in e.powers),
            )
            for e in balance
        ),
        quantities=tuple(quantities),
        momentum_equations=laws,
        checks=tuple(checked(subject, text, e, limit) for text, e in zip(checks, asked, strict=True)),
        searched=len(span.candidates) if search else 0,
        tolerances=(COARSE, FINE),
        notes=tuple(dict.fromkeys([*notes, *dropped, *_mode_notes(subject)])),
    )


def _flows(mode: contacts.FlowMode) -> list[tuple[str, Flow]]:
    """The flows to search, and the words for them."""
    between = tr("between events") if mode.open else ""
    if mode.smooth is None or mode.rolling is None:
        return [(between, mode.flow)]
    names = ", ".join(mode.frictions)
    first = tr("whatever the {names} is", names=names) + (tr(", between impacts") if mode.open else "")
    return [
        (first, mode.flow),
        (tr("without {names} only", names=names), mode.smooth),
        (tr("while the {names} holds", names=names), mode.rolling),
    ]


def _mode_notes(subject: Subject) -> list[str]:
    mode, u = subject.mode, subject.eq.unilateral
    notes = []
    varying = frozenset(subject.eq.varying)
    zeros = [str(s) for s, value in subject.eq.parameters.items() if value == 0 and s not in varying]
    if zeros:
        notes.append(tr("Parameters that are zero were kept at zero: {zeros}.", zeros=", ".join(zeros)))
    if u is not None and mode.closed:
        notes.append(tr("Closed at the start and taken as closed here: {closed}.", closed=", ".join(mode.closed)))
    return notes


def _quantities(
    subject: Subject, found: Sequence[tuple[str, Flow, FirstIntegral]], groups: Symmetries, limit: Limit
) -> tuple[list[ConservedQuantity], list[str]]:
    """The integrals with their drifts. One that drifted is dropped."""
    drifts = _all_drifts(subject, found, limit)
    jumps = [
        contacts.survivals(subject.eq.unilateral, subject.mode, flow, subject.home, [i.expression])[0]
        for _, flow, i in found
    ]
    origins = _origins(subject, groups, found)
    quantities, dropped = [], []
    for (when, _, integral), drift, contact, origin in zip(found, drifts, jumps, origins, strict=True):
        if drift is not None and drift.motions and not drift.conserved:
            dropped.append(
                tr(
                    "A combination whose rate vanished drifted by {fine:.1e} along motions and is not reported.",
                    fine=drift.fine,
                )
            )
            continue
        quantities.append(
            ConservedQuantity(
                formula=written_integral(
                    integral.expression, () if len(integral.terms) == 1 else subject.eq.parameters
                ),
                kind=_kind(subject, integral),
                words=phrase(integral.terms) or (tr(SQUARE) if integral.level == SQUARES else ""),
                symmetry=origin,
                when=when,
                general=integral.general and (bool(subject.eq.parameters) or not subject.record.parameters),
                digits=integral.digits,
                drift=None if drift is None or not drift.motions else (drift.coarse, drift.fine),
                motions=0 if drift is None else drift.motions,
                contacts=contact,
            )
        )
    if any(d is None or not d.motions for d in drifts):
        dropped.append(
            tr("No motion could be followed for some of the integrals; their rates vanish at random states.")
        )
    return quantities, dropped


def _all_drifts(subject: Subject, found: Sequence[tuple[str, Flow, FirstIntegral]], limit: Limit) -> list[Drift | None]:
    """The drifts along motions of the flow to which each integral belongs."""
    result: list[Drift | None] = [None] * len(found)
    for flow in {id(flow): flow for _, flow, _ in found}.values():
        places = [k for k, (_, other, _) in enumerate(found) if other is flow]
        expressions = [found[k][2].expression for k in places]
        general = all(found[k][2].general for k in places)
        if flow is subject.mode.flow and subject.eq.unilateral is not None:
            drifts = motions.hybrid_drifts(
                subject.eq, subject.home, expressions, subject.duration, limit, flow, subject.mode.open
            )
        else:
            drifts = motions.drifts(flow, subject.home, expressions, subject.duration, limit, general)
        for k, drift in zip(places, drifts, strict=True):
            result[k] = drift
    return result


def _kind(subject: Subject, integral: FirstIntegral) -> str:
    eq, e = subject.eq, se.sympify(integral.expression)
    speeds = frozenset((*eq.v, *eq.z))
    if integral.energy:
        return integral.terms[0][1] if len(integral.support) == 1 else "moving energy"
    if not speeds & e.free_symbols:
        return "geometric"
    if not is_linear(e, eq):
        return "quadratic" if all(is_linear(e.diff(v), eq) for v in eq.v) else "nonlinear"
    alone = len(integral.terms) == 1 and integral.terms[0][1].startswith(("momentum", "angular"))
    return "momentum" if alone else "linear"


def _origins(subject: Subject, groups: Symmetries, found: Sequence[tuple[str, Flow, FirstIntegral]]) -> list[str]:
    """The symmetry whose momentum an integral is, up to other such momenta. Empty if there is none."""
    eq = subject.mode.flow.equations
    fields = [s for s in groups.horizontal if s.momentum != 0]
    if not found or len(eq.z) or eq.R is not None:
        return [""] * len(found)
    states = subject.mode.flow.states(subject.home, 40, np.random.default_rng(31))
    values = FlowQuantities(eq, [i.expression for _, _, i in found]).values(states.x)
    basis_values = FlowQuantities(eq, [s.momentum for s in fields]).values(states.x) if fields else np.zeros((40, 0))
    origins = []
    for k, (_, flow, integral) in enumerate(found):
        e = se.sympify(integral.expression)
        asked = flow is not subject.mode.rolling and e.free_symbols & frozenset(eq.v) and is_linear(e, eq)
        origins.append(_origin(eq, fields, basis_values, values[:, k]) if asked else "")
    return origins


def _origin(eq: Equations, fields: Sequence[Symmetry], momenta_at: Any, value: Any) -> str:
    if not fields:
        return "none"
    columns = np.column_stack([momenta_at, np.ones(len(value))])
    scale = np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    c, *_ = np.linalg.lstsq(columns / scale, value, rcond=1e-10)
    if np.linalg.norm(columns / scale @ c - value) > 1e-8 * np.linalg.norm(value):
        return "none"
    parts = (c / scale)[: len(fields)]
    parts = np.where(np.abs(c[: len(fields)]) > 1e-7 * np.abs(c).max(), parts, 0.0)
    parts = parts / parts[np.flatnonzero(parts)[0]]
    field = [total(simple(a) * s.field[j] for a, s in zip(parts, fields, strict=True) if a) for j in range(len(eq.q))]
    words = shift(eq, field)
    return words if len(words) <= LONGEST_FIELD else tr("a combination of symmetries")


def _laws(subject: Subject, groups: Symmetries) -> tuple[MomentumLaw, ...]:
    system, eq, flow = subject.system, subject.mode.flow.equations, subject.mode.flow
    if system.varying_masses or flow.pushes:
        return ()
    forces = [Q + se.sympify(eq.potential).diff(q) for Q, q in zip(system.forces, eq.q, strict=True)]
    laws = []
    for law in momentum_equations(flow, subject.home, groups.group, forces, LONGEST_LAW):
        momentum, rate = written_formula(law.momentum, law.rate)
        laws.append(MomentumLaw(shift(eq, law.field), momentum, rate))
    return tuple(sorted(laws, key=lambda law: len(law.rate.text))[:MOST_LAWS])
