"""`linearize` and `root_locus`: the equations to first order near one state, or near every state of a family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from dalembert.analysis.linear import (
    Family,
    FamilyState,
    Linearized,
    Steadiness,
    cleaned,
    critical_values,
    family,
    followed,
    mode,
    nullity,
    second_order,
)
from dalembert.api.control import EVERYTHING, Asked, Driven, control, driven
from dalembert.api.instant import units
from dalembert.api.open_contacts import without_open_contacts
from dalembert.errors import MathematicsError, ModelError
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.model.units import counted, scales
from dalembert.results.linearization import NEUTRAL, Linearization, Matrices, Mode, Steady
from dalembert.results.locus import Locus, Member, Turn

LISTED = 3  # number of rates named in a note
FEWEST, MOST = 2, 100_000  # number of values of the varied quantity


def linearize(
    record: ModelRecord,
    method: str | None = None,
    strict: bool = False,
    steady: bool = False,
    hold: Sequence[str] = (),
    asked: Asked = EVERYTHING,
) -> Linearization:
    """Matrices, eigenvalues, modes and steadiness at the initial state, or at the steady motion nearest to it."""
    smooth = without_open_contacts(record)
    if hold and not steady:
        raise ModelError("quantities are held while a steady motion is looked for; ask for one with steady (--steady).")
    of = driven(smooth.record, asked)
    states = family(of.record, method, None, steady, hold, tuple(of.symbols.values()))
    found = _controlled(states.at(strict=strict), of, asked)
    smooth.require_open(found)
    return found


def here_and_nearest(record: ModelRecord) -> Iterator[Linearization]:
    """The linearization at the initial state, then at the steady motion nearest to it; derived once for both."""
    smooth = without_open_contacts(record)
    of = driven(smooth.record, EVERYTHING)
    here = family(of.record, inputs=tuple(of.symbols.values()))
    for states in (here, here.nearest()):
        found = _controlled(states.at(), of, EVERYTHING)
        smooth.require_open(found)
        yield found


def _controlled(point: FamilyState, of: Driven, asked: Asked) -> Linearization:
    return replace(_answer(point), control=control(point, of, asked))


def root_locus(
    record: ModelRecord,
    vary: str,
    values: Iterable[float],
    method: str | None = None,
    steady: bool = False,
    hold: Sequence[str] = (),
) -> Locus:
    """Eigenvalues over values of a parameter, coordinate or speed, followed by continuity, with critical values."""
    record = without_open_contacts(record).record
    asked = np.array(list(values), dtype=float)
    if not FEWEST <= len(asked) <= MOST or not np.isfinite(asked).all():
        raise ModelError(
            "{count} values of {vary} were given; {fewest} to {most} finite ones are expected.",
            count=len(asked),
            vary=vary,
            fewest=FEWEST,
            most=MOST,
        )
    if np.any(np.diff(asked) <= 0):
        raise ModelError("the values of {vary} do not ascend; give each once, the least first.", vary=vary)
    found = family(record, method, vary, steady, hold)
    points, failures = _walked(found, asked)
    if not points:
        raise MathematicsError("nothing could be linearized: {failures}", failures=failures[0][1])

    def spectrum(value: float) -> np.ndarray:
        return found.at(value).eigenvalues

    members, turns = [], []
    lost: list[tuple[float, float]] = []
    for piece in _pieces(points, failures):
        branches = followed(spectrum, np.array([p.value for p in piece]), [p.eigenvalues for p in piece])
        members += [
            _member(point, branches.eigenvalues[place]) for point, place in zip(piece, branches.asked, strict=True)
        ]
        critical, unreached = critical_values(spectrum, branches)
        turns += [Turn(one.kind, one.value, one.eigenvalue, _about_turn(found, one.value, asked)) for one in critical]
        lost += unreached
    first = points[0]
    found_notes = (*first.start.system.equations.notes, *_locus_notes(points, steady), *_lost(vary, lost))
    return Locus(
        method=first.start.system.equations.method,
        vary=vary,
        steady=steady,
        held=found.kept.names,
        members=tuple(members),
        critical=tuple(turns),
        failures=tuple((value, sentence) for value, sentence in failures),
        notes=tuple(dict.fromkeys(found_notes)),
        title=tr(record.title),
        units={name: one.unit for name, one in counted(record).items() if one.factor != 1.0 and not name.endswith("'")},
        scales=scales(record),
    )


def _walked(found: Family, asked: np.ndarray) -> tuple[list[FamilyState], list[tuple[float, str]]]:
    points: list[FamilyState] = []
    failures: list[tuple[float, str]] = []
    for value in asked.tolist():
        try:
            points.append(found.at(value))
        except MathematicsError as error:
            failures.append((value, str(error)))
    return points, failures


def _pieces(points: list[FamilyState], failures: list[tuple[float, str]]) -> list[list[FamilyState]]:
    """Split the points into runs without a failure in between and with equally many eigenvalues."""
    pieces: list[list[FamilyState]] = []
    missed = [value for value, _ in failures]
    for point in points:
        joins = pieces and len(pieces[-1][-1].eigenvalues) == len(point.eigenvalues)
        if joins and not any(pieces[-1][-1].value < value < point.value for value in missed):
            pieces[-1].append(point)
        else:
            pieces.append([point])
    return pieces


def _about_turn(found: Family, value: float, asked: np.ndarray) -> tuple[str, str]:
    """Stability just before and just after a critical value."""
    aside = 1e-4 * float(asked[-1] - asked[0])
    words = []
    for there in (value - aside, value + aside):
        try:
            words.append(_answer(found.at(there), vectors=False).stability)
        except MathematicsError:
            words.append("")
    return words[0], words[1]


def _locus_notes(points: list[FamilyState], steady: bool) -> list[str]:
    moving = [point for point in points if not point.about.holds]
    if not moving or steady:
        return []
    which = (
        tr("None of these states moves")
        if len(moving) == len(points)
        else tr("{count} of these states do not move", count=len(moving))
    )
    return [
        tr(
            "{which} steadily; eigenvalues there are those of an instant. --steady looks for steady motions.",
            which=which,
        )
    ]


def _lost(vary: str, intervals: list[tuple[float, float]]) -> list[str]:
    return [
        tr(
            "Eigenvalues turn between {vary} = {first:.6g} and {last:.6g}, where no state was found to locate it.",
            vary=vary,
            first=first,
            last=last,
        )
        for first, last in intervals
    ]


def _member(point: FamilyState, eigenvalues: np.ndarray) -> Member:
    answer = _answer(point, vectors=False)
    return Member(point.value, answer.coordinates, answer.speeds, eigenvalues, answer.stability, answer.steady.holds)


def _answer(point: FamilyState, vectors: bool = True) -> Linearization:
    start, found, about = point.start, point.found, point.about
    names = start.system.equations.coordinates
    others = [i for i, name in enumerate(found.states) if name not in about.ignorable]
    inner = found.linear.matrix[np.ix_(others, others)]
    return Linearization(
        method=start.system.equations.method,
        time=start.time,
        coordinates=dict(zip(names, point.place.q.tolist(), strict=True)),
        speeds=dict(zip(names, point.place.v.tolist(), strict=True)),
        states=found.states,
        matrix=cleaned(found.linear.matrix)[0] + 0.0,
        eigenvalues=point.eigenvalues,
        steady=Steady(about.holds, about.residual, about.rates, about.ignorable, about.uniform),
        degrees_of_freedom=len(found.chart.speeds),
        family=nullity(inner),
        matrices=_matrices(found) if vectors else None,
        modes=_modes(point) if vectors else (),
        corrections=start.corrections,
        notes=(*start.notes, *_notes(found, about), *_in_si(start.record)),
        title=tr(start.record.title),
        **units(start.record),
    )


def _matrices(found: Linearized) -> Matrices | None:
    these = second_order(found)
    p, s = len(found.chart.coordinates), len(found.chart.speeds)
    return None if these is None else Matrices(found.states[p : p + s], found.states[:p], these.M, these.C, these.K)


def _modes(point: FamilyState) -> tuple[Mode, ...]:
    """The modes of all eigenvalues that are not zero. A conjugate pair gives one mode."""
    names, n = point.start.system.equations.coordinates, point.start.system.n
    small = NEUTRAL * float(np.abs(point.eigenvalues).max(initial=0.0))
    modes = []
    for value in point.eigenvalues.tolist():
        if abs(value) > small and value.imag >= 0:
            X = mode(point.found, value, point.about.ignorable).tolist()
            modes.append(Mode(value, dict(zip(names, X[:n], strict=True)), dict(zip(names, X[n : 2 * n], strict=True))))
    return tuple(modes)


def _in_si(record: ModelRecord) -> list[str]:
    names = ", ".join(scales(record))
    return (
        [tr("Matrices, modes, rates and gains are in SI; units hold for the state ({names}).", names=names)]
        if names
        else []
    )


def _notes(found: Linearized, about: Steadiness) -> list[str]:
    notes, system = [], found.gradients.system
    if about.moving:
        fastest = sorted(about.moving, key=lambda name: -abs(about.rates[name]))[:LISTED]
        rates = ", ".join(f"d({name})/dt = {about.rates[name]:.6g}" for name in fastest)
        more = ", …" if len(about.moving) > LISTED else ""
        notes.append(
            tr(
                "This is no steady motion: {rates}{more}. The eigenvalues are those of the equations "
                "at this instant, and depend on the choice of coordinates and speeds.",
                rates=rates,
                more=more,
            )
        )
        if system.m > system.mh and not found.gradients.quasi:
            notes.append(
                tr(
                    "A steady turn or spin shows as one in speeds that turn along: [quasi_velocities] of "
                    "the model are preferred as independent speeds."
                )
            )
    eq = system.equations
    if eq.signals:
        names = ", ".join(map(str, eq.signals))
        notes.append(tr("Data are taken as they are at t = {t:.9g}: {names}.", t=found.place.t, names=names))
    if eq.sampled:
        names = ", ".join(law.name for law in eq.sampled)
        notes.append(
            tr(
                "Sampled controllers are disconnected ({names}): the values that they hold count as inputs.",
                names=names,
            )
        )
    if about.depends_on_time:
        notes.append(
            tr("The equations depend on time; matrix and eigenvalues are those of t = {t:.9g}.", t=found.place.t)
        )
    return notes
