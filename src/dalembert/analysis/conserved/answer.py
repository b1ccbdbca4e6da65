"""The answer put together: energies, the search in every mode, symmetries, motions, contacts, and the user's checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.conserved import contacts, motions
from dalembert.analysis.conserved.basis import angles, basis, is_linear
from dalembert.analysis.conserved.energy import energies
from dalembert.analysis.conserved.exact import Exact
from dalembert.analysis.conserved.flow import Flow, Home, States
from dalembert.analysis.conserved.integrals import Integral, Search
from dalembert.analysis.conserved.motions import COARSE, FINE, Drift
from dalembert.analysis.conserved.quantities import Quantities
from dalembert.analysis.conserved.symmetry import Symmetries, Symmetry, momentum_equations, symmetries
from dalembert.analysis.conserved.text import phrase, shift, written_formula, written_integral
from dalembert.analysis.question import Limit, Question
from dalembert.equations import Equations
from dalembert.errors import MathematicsError, ModelError
from dalembert.expressions.parse import parse
from dalembert.formalisms import default_method, derive
from dalembert.mechanics.system import System
from dalembert.model.check import check
from dalembert.model.record import Model, read_only
from dalembert.model.values import initial_values
from dalembert.prepared import prepared
from dalembert.results.conserved import (
    Check,
    Conserved,
    ConservedQuantity,
    EnergyVerdict,
    MomentumLaw,
    Spoiler,
)

SECONDS = 8.0
FOLLOWING = 2.0  # seconds for motions, however long the search took
LONGEST_LAW = 150  # operations of a momentum equation that is worth writing
MOST_LAWS = 3
RATE = 1e-9


@dataclass(frozen=True, slots=True)
class _Subject:
    """One model's mechanics, its mode, and where states are drawn."""

    record: Model
    system: System
    eq: Equations
    home: Home
    mode: contacts.Mode


def conserved(question: Question) -> Conserved:
    """The part of `analyze`."""
    return conserved_quantities(question.record, checks=question.checks, seconds=question.limit.left)


def conserved_quantities(
    record: Model,
    *,
    checks: Sequence[str] = (),
    extra: Sequence[str] = (),
    quadratic: bool = False,
    search: bool = True,
    seconds: float = SECONDS,
) -> Conserved:
    """Energies, integrals in the span of the basis and of the user's `extra` quantities, and the user's `checks`."""
    limit = Limit(seconds)
    widened = _with_definitions(record, extra, "basis")
    subject = _subject(widened)
    asked = [_lowered(widened, text) for text in checks]
    balance = energies(subject.system, subject.mode.flow, subject.home, subject.mode.frictions)
    found: list[tuple[str, Flow, Integral]] = []
    notes: list[str] = []
    span = basis(subject.system, subject.mode.flow.equations, {e.name: e.expression for e in balance}, quadratic)
    groups = Symmetries((), ())
    if search:
        groups = symmetries(subject.mode.flow, subject.home)
        for when, flow in _flows(subject.mode):
            if limit.over:
                notes.append(f"The time was over before integrals {when} were sought.")
                break
            run = Search(flow, subject.home, span, limit.part(0.5), found=[i for _, _, i in found])
            result = run.run()
            found += [(when, flow, integral) for integral in result.integrals]
            notes += result.notes
        if span.cut:
            notes.append(f"Products beyond the first {len(span.candidates)} candidates were left out of the search.")
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
        checks=tuple(_checked(subject, text, e, limit) for text, e in zip(checks, asked, strict=True)),
        searched=len(span.candidates) if search else 0,
        tolerances=(COARSE, FINE),
        notes=(*notes, *dropped, *_mode_notes(subject)),
    )


def _subject(record: Model) -> _Subject:
    method = default_method(record)
    system = System(record)
    eq = derive(record, method)
    values = initial_values(record)
    q = np.array([values.coordinates[name] for name in eq.coordinates])
    v = np.array([values.speeds[name] or 0.0 for name in eq.coordinates])
    if method == "virtual-displacements":  # hidden constraints are found about the start, with numbers for parameters
        eq = prepared(record, method, (), often=False).at().system.equations
    turning = angles(eq)
    reach = np.array([np.pi if s in turning else max(1.0, abs(x)) for s, x in zip(eq.q, q, strict=True)])
    duration = record.simulation.duration or 1.0
    p = np.array([float(value) for value in eq.parameters.values()])
    home = Home(float(record.simulation.start), q, v, np.zeros(len(eq.z)), p, reach, min(1.0, float(duration)))
    return _Subject(record, system, eq, home, contacts.mode_of(eq, home))


def _flows(mode: contacts.Mode) -> list[tuple[str, Flow]]:
    """Where integrals are sought, and how that is said."""
    between = "between events" if mode.open else ""
    if mode.smooth is None or mode.rolling is None:
        return [(between, mode.flow)]
    names = ", ".join(mode.frictions)
    first = f"whatever the {names} is" + (", between impacts" if mode.open else "")
    return [(first, mode.flow), (f"without {names} only", mode.smooth), (f"while the {names} holds", mode.rolling)]


def _mode_notes(subject: _Subject) -> list[str]:
    mode, u = subject.mode, subject.eq.unilateral
    notes = []
    if u is not None and mode.closed:
        notes.append(f"Closed at the start and taken as closed here: {', '.join(mode.closed)}.")
    return notes


def _quantities(
    subject: _Subject, found: Sequence[tuple[str, Flow, Integral]], groups: Symmetries, limit: Limit
) -> tuple[list[ConservedQuantity], list[str]]:
    """The integrals with their drifts; one that drifted is not reported."""
    drifts = _all_drifts(subject, found, limit)
    jumps = [
        contacts.survivals(subject.eq.unilateral, subject.mode, flow, subject.home, [i.expression])[0]
        for _, flow, i in found
    ]
    origins = _origins(subject, groups, [i for _, _, i in found])
    quantities, dropped = [], []
    for (when, _, integral), drift, contact, origin in zip(found, drifts, jumps, origins, strict=True):
        if drift is not None and drift.motions and not drift.conserved:
            dropped.append(
                f"A combination whose rate vanished drifted by {drift.fine:.1e} along motions and is not reported."
            )
            continue
        quantities.append(
            ConservedQuantity(
                formula=written_integral(integral.expression, () if integral.energy else subject.eq.parameters),
                kind=_kind(subject, integral),
                words=phrase(integral.terms),
                symmetry=origin,
                when=when,
                general=integral.general,
                digits=integral.digits,
                drift=None if drift is None or not drift.motions else (drift.coarse, drift.fine),
                motions=0 if drift is None else drift.motions,
                contacts=contact,
            )
        )
    if any(d is None or not d.motions for d in drifts):
        dropped.append("No motion could be followed for some of the integrals; their rates vanish at random states.")
    return quantities, dropped


def _all_drifts(
    subject: _Subject, found: Sequence[tuple[str, Flow, Integral]], limit: Limit
) -> list[Drift | None]:
    """Along motions of the flow that each integral belongs to."""
    result: list[Drift | None] = [None] * len(found)
    duration = min(motions.LONGEST, float(subject.record.simulation.duration or motions.LONGEST))
    for flow in {id(flow): flow for _, flow, _ in found}.values():
        places = [k for k, (_, other, _) in enumerate(found) if other is flow]
        expressions = [found[k][2].expression for k in places]
        general = all(found[k][2].general for k in places)
        if flow is subject.mode.flow and subject.eq.unilateral is not None:
            drifts = motions.hybrid_drifts(
                subject.eq, subject.home, expressions, duration, limit, flow, subject.mode.open
            )
        else:
            drifts = motions.drifts(flow, subject.home, expressions, duration, limit, general)
        for k, drift in zip(places, drifts, strict=True):
            result[k] = drift
    return result


def _kind(subject: _Subject, integral: Integral) -> str:
    eq, e = subject.eq, se.sympify(integral.expression)
    speeds = frozenset((*eq.v, *eq.z))
    if integral.energy:
        return integral.terms[0][1] if len(integral.support) == 1 else "moving energy"
    if not speeds & e.free_symbols:
        return "geometric"
    if not is_linear(e, eq):
        return "quadratic"
    return "momentum" if len(integral.terms) == 1 and integral.terms[0][1].startswith(("momentum", "angular")) else "linear"


def _origins(subject: _Subject, groups: Symmetries, integrals: Sequence[Integral]) -> list[str]:
    """The symmetry whose momentum an integral is, up to other such momenta, or none."""
    eq = subject.mode.flow.equations
    fields = [s for s in groups.horizontal if s.momentum != 0]
    if not integrals:
        return []
    states = subject.mode.flow.states(subject.home, 40, np.random.default_rng(31))
    values = Quantities(eq, [i.expression for i in integrals]).values(states.x)
    basis_values = Quantities(eq, [s.momentum for s in fields]).values(states.x) if fields else np.zeros((40, 0))
    found = []
    for k, integral in enumerate(integrals):
        linear = se.sympify(integral.expression).free_symbols & frozenset(eq.v) and is_linear(
            se.sympify(integral.expression), eq
        )
        found.append(_origin(eq, fields, basis_values, values[:, k]) if linear else "")
    return found


def _origin(eq: Equations, fields: Sequence[Symmetry], momenta_at: Any, value: Any) -> str:
    if not fields:
        return "none"
    columns = np.column_stack([momenta_at, np.ones(len(value))])
    scale = np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    c, *_ = np.linalg.lstsq(columns / scale, value, rcond=1e-10)
    if np.linalg.norm(columns / scale @ c - value) > 1e-8 * np.linalg.norm(value):
        return "none"
    involved = [s for s, part in zip(fields, c, strict=False) if abs(part) > 1e-7 * np.abs(c).max()]
    return shift(eq, involved[0].field) if len(involved) == 1 else "a combination of symmetries"


def _laws(subject: _Subject, groups: Symmetries) -> tuple[MomentumLaw, ...]:
    system, eq, flow = subject.system, subject.mode.flow.equations, subject.mode.flow
    if system.varying_masses or flow.pushes:
        return ()
    forces = [Q + se.sympify(eq.potential).diff(q) for Q, q in zip(system.forces, eq.q, strict=True)]
    laws = []
    for law in momentum_equations(flow, subject.home, groups.group, forces):
        momentum, rate = written_formula(law.momentum, law.rate)
        if se.count_ops(law.momentum) + se.count_ops(law.rate) <= LONGEST_LAW:
            laws.append(MomentumLaw(shift(eq, law.field), momentum, rate))
    return tuple(sorted(laws, key=lambda law: len(law.rate.text))[:MOST_LAWS])


def _with_definitions(record: Model, texts: Sequence[str], word: str) -> Model:
    """The model with expressions of the user's as further definitions; a fault in one is told."""
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
            raise ModelError(f"the expression {text!r}: {faults[0].message}")
        definitions = dict(trial.definitions)
    return replace(record, definitions=read_only(definitions)) if texts else record


def _lowered(record: Model, text: str) -> Any:
    """The user's expression in symbols."""
    trial = _with_definitions(record, [text], "quantity")
    name = list(trial.definitions)[-1]
    outputs = System(trial).outputs
    if name not in outputs:
        raise ModelError(f"the expression {text!r} is a vector; check its components, as in dot({text}, world.x).")
    return se.sympify(outputs[name])


def _checked(subject: _Subject, text: str, expression: Any, limit: Limit) -> Check:
    eq, mode = subject.mode.flow.equations, subject.mode
    moving = frozenset((eq.t, *eq.q, *eq.v, *eq.z))
    if not moving & expression.free_symbols:
        return Check(text, True, 0.0, 0, None, 0, "It holds no coordinate and no speed: a constant, of no motion in particular.")
    code = Quantities(eq, [expression])
    states = mode.flow.states(subject.home, 60, np.random.default_rng(41))
    found = code.at(states)
    if np.ptp(found.value) <= 1e-10 * np.abs(found.level).max():
        value = float(found.value.mean())
        verdict = f"It is {value:.10g} at every state that the constraints allow: it follows from them."
        return Check(text, True, 0.0, 16, None, 0, verdict)
    rate = float((np.abs(found.rate) / np.maximum(found.size, 1e-300)).max())
    digits, holds = _sharpened(mode.flow, expression, states, rate)
    duration = min(motions.LONGEST, float(subject.record.simulation.duration or motions.LONGEST))
    follow = Limit(max(limit.left, 1.0))
    if subject.eq.unilateral is not None:
        drift = motions.hybrid_drifts(
            subject.eq, subject.home, [expression], duration, follow, mode.flow, mode.open
        )[0]
    else:
        drift = motions.drifts(mode.flow, subject.home, [expression], duration, follow, general=False)[0]
    jumps = contacts.survivals(subject.eq.unilateral, mode, mode.flow, subject.home, [expression])[0] if holds else {}
    return Check(
        text, holds, rate, digits, (drift.coarse, drift.fine) if drift.motions else None, drift.motions,
        _verdict(holds, rate, digits, drift, jumps), jumps,
    )  # fmt: skip


def _sharpened(flow: Flow, expression: Any, states: States, rate: float) -> tuple[int, bool]:
    """Whether the rate vanishes, in forty digits where the states can be refined to them."""
    if rate > RATE:
        return 16, False
    exact = Exact(flow, [expression])
    terms = [exact.terms(x, i) for i, x in enumerate(states.x[:4])]
    known = [exact.digits(abs(r[0]) / (s[0] or 1)) for t in terms if t is not None for _, r, s in [t]]
    if not known:
        return 16, True
    digits = [d for d in known if d is not None]
    return min(digits, default=40), len(digits) == len(known)


def _verdict(holds: bool, rate: float, digits: int, drift: Drift, jumps: dict[str, str]) -> str:
    moved = f"along {drift.motions} random motions it changes by {drift.coarse:.1e} (tolerance {COARSE:.0e}) and {drift.fine:.1e} ({FINE:.0e}) of its terms"
    if not drift.motions:
        moved = "no motion could be followed"
    if not holds:
        return f"Not conserved: its rate reaches {rate:.2e} of its terms at random states; {moved}."
    lost = [event for event, what in jumps.items() if what == "changed"]
    kept = [event for event, what in jumps.items() if what == "kept"]
    said = f"Conserved: its rate vanishes at random states ({digits} digits); {moved}."
    if kept:
        said += f" Kept by: {', '.join(kept)}."
    if lost:
        said += f" Changed by: {', '.join(lost)}."
    return said


