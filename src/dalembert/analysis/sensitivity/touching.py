"""Derivatives of a motion with contacts and frictions: from event to event in the mode of each piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.sensitivity.answer import (
    Happening,
    Stretch,
    Varied,
    along,
    changes_of_x,
    event_shift,
    require_crossed,
    states_x,
)
from dalembert.analysis.sensitivity.beginning import StatedValues, initial_derivative, stated
from dalembert.analysis.sensitivity.clocks import clocks_of
from dalembert.analysis.sensitivity.course import Piece, Traced, groups_of, pieces_of
from dalembert.analysis.sensitivity.happened import passed
from dalembert.analysis.sensitivity.mode_flow import FIXED, STARTING, ModeFlow
from dalembert.analysis.sensitivity.slip_ends import ASIDE, at_rest, rate_of, stopping_direction
from dalembert.errors import MathematicsError
from dalembert.motions.raw import uninterrupted
from dalembert.motions.span import TimeSpan
from dalembert.motions.touching import ModeSolver
from dalembert.motions.unilateral import HybridSystem
from dalembert.prepared import Start
from dalembert.programs.modes import CLOSED

KEPT = 1e-7  # allowed residual of the active rows at the start


def varied_touching(start: Start, hybrid: HybridSystem, names: Sequence[str], span: TimeSpan) -> Varied:
    """As `varied`, through impacts, stick and slip."""
    from dalembert.motions.contact import run_hybrid

    values = stated(start, names)
    y0, times = start.y, np.asarray(span.samples, dtype=float)
    span = replace(span, stepper="auto")
    raw = uninterrupted(run_hybrid(hybrid, y0, replace(span, dense=True)))
    if raw.status == "failed":
        raise MathematicsError(raw.message)
    require_crossed(raw.events)
    clocks = clocks_of(start.system, start.time, float(raw.end))
    course = Traced(start, hybrid, raw, values, span, clocks)
    kept = hybrid.kept_from_the_start(start.x) or start.system
    S = initial_derivative(start, kept, values)
    groups = groups_of(raw.events)
    pieces = pieces_of(course, run_hybrid, [group[0].time for group in groups])
    S = _begun(course, S)
    _require_kept(course, y0, pieces[0].mode if not groups or groups[0][0].time > start.time else None, S)
    found: list[Happening] = []
    columns = _Columns(course, len(times))
    before = ModeSolver(hybrid).settled(start.x).mode
    for k, piece in enumerate(pieces):
        inside = [e for e in raw.events if e.kind == "crossing" and _within(e.time, piece, k == len(pieces) - 1)]
        S = _carried(course, piece, S, columns, inside, found, k == len(pieces) - 1)
        before = piece.mode if piece.last > piece.first else before
        if k < len(groups):
            happened, S = passed(course, groups[k], piece, before, pieces[k + 1], S, found)
            found += happened
    found.sort(key=lambda one: one.time)
    return columns.result(values, tuple(found), raw.status)


def _begun(course: Traced, S: Array) -> Array:
    """S after the controllers computed at the start."""
    start, constant = course.start, course.values.constant
    for clock in course.clocks:
        if clock.time == start.time:
            S = clock.passed(course.hybrid.system, lambda times: np.array([start.y] * len(times)), S, constant, 0.0)
    return S


def _within(time: float, piece: Piece, is_last: bool) -> bool:
    return piece.first <= time < piece.last or (is_last and time == piece.last)


class _Columns:
    """The values collected at the samples."""

    def __init__(self, course: Traced, count: int) -> None:
        system, raw = course.hybrid.system, course.raw
        self.course, self.times = course, raw.times
        self.X = states_x(system, raw.times, raw.states)
        columns = len(course.values.names)
        self.S = np.zeros((len(raw.times), system.size, columns))
        self.a = np.zeros((len(raw.times), system.n, columns))
        self.nu = np.zeros((len(raw.times), course.hybrid.laws.rows, columns))
        self.determined = True

    def take(self, chosen: Array, S: Array, flow: ModeFlow, known: dict[int, Array]) -> None:
        if not len(chosen):
            return
        n = flow.hybrid.system.n
        self.S[chosen] = S
        dx = changes_of_x(S, self.course.values.constant)
        X = self.X[chosen]
        fixed, guess = flow.inputs(X, known)
        local = flow.flow.at(X, fixed, guess)
        dw = local.w_x @ dx
        self.a[chosen] = dw[:, :n]
        for place, row in enumerate(flow.flow.problem.multipliers):
            self.nu[chosen, row] = dw[:, n + place]
        for row, pull in flow.pulls.items():
            out = flow.flow.guard(pull)(np.hstack([X, local.w, fixed]))
            width = X.shape[1]
            self.nu[chosen, row] = np.einsum("sx,sxj->sj", out[:, 1 : 1 + width], dx) + np.einsum(
                "sw,swj->sj", out[:, 1 + width :], dw
            )
        self.determined = self.determined and local.determined

    def result(self, values: StatedValues, events: tuple[Happening, ...], status: str) -> Varied:
        raw = self.course.raw
        solved = np.hstack([raw.accelerations, raw.multipliers])
        return Varied(
            values.names, self.times, self.X, self.S, values.constant, self.a, self.nu, self.determined, events, status,
            solved,
        )  # fmt: skip


def _carried(
    course: Traced, piece: Piece, S: Array, columns: _Columns, crossings: list[Any], found: list[Happening], last: bool
) -> Array:
    """S at the end of a piece. Samples and crossings inside it are recorded."""
    flow, dense = course.flow(piece.mode), course.raw.dense
    inside = (columns.times >= piece.first) & ((columns.times <= piece.last) if last else (columns.times < piece.last))
    chosen = np.flatnonzero(inside)
    if piece.last <= piece.first:
        columns.take(chosen, np.broadcast_to(S, (len(chosen), *S.shape)), flow, piece.along)
        return S
    first, end = piece.first, piece.last
    aside = ASIDE * (end - first)
    if flow.planar and at_rest(course, flow, first, True):
        S = S + aside * rate_of(course, course.flow(piece.mode, STARTING), first, True, S, piece.along)
        first += aside
    stops = bool(flow.planar) and not last and at_rest(course, flow, end, False)
    end = end - aside if stops else end
    marks = np.array([event.time for event in crossings])
    wanted = np.union1d(columns.times[chosen], marks)

    def states(times: Array) -> Array:
        return dense(times)

    def fixed(times: Array, X: Array) -> tuple[Array, Array]:
        return flow.inputs(X, piece.along)

    within = np.clip(wanted, first, end)
    clocks = [clock for clock in course.clocks if first < clock.time <= end]
    stretch = Stretch(flow.flow, states, dense.starts, first, end, course.switches, fixed, clocks)
    S_at, S = along(stretch, course.values.constant, S, within, course.span.tolerance)
    columns.take(chosen, S_at[np.searchsorted(wanted, columns.times[chosen])], flow, piece.along)
    for event in crossings:
        found.append(_crossing(course, flow, piece, event, S_at[np.searchsorted(wanted, event.time)]))
    if stops:
        ends = course.flow(piece.mode, FIXED)
        known = piece.along | {j: stopping_direction(course, piece, j) for j in flow.planar}
        S = S + aside * rate_of(course, ends, piece.last, False, S, known)
    return S


def _crossing(course: Traced, flow: ModeFlow, piece: Piece, event: Any, S: Array) -> Happening:
    name = list(course.hybrid.equations.events)[event.which]
    X = course.x(event.time, event.before)[None]
    fixed, guess = flow.inputs(X, piece.along)
    local = flow.flow.at(X, fixed, guess)
    guard = course.hybrid.equations.events[name][0].subs(flow.answers)
    shift = event_shift(local, guard, S, course.values.constant, name, fixed)
    total = S + local.rate[0][:, None] * shift
    return Happening(event.time, name, "crossing", shift, total, total)


def _require_kept(course: Traced, y: Array, mode: Array | None, S: Array) -> None:
    """Refuse a change that would open a contact or start a slip at the very start: it has no derivative."""
    if mode is None:
        return
    missed, active = course.missed(course.start.time, y, mode, S)
    scale = max(1.0, float(np.abs(S).max(initial=0.0)))
    bad = np.argwhere(np.abs(missed) > KEPT * scale)
    if len(bad):
        row, column = bad[0].tolist()
        laws, labels = course.hybrid.laws, {r: label for label, r in course.hybrid.forces.items()}
        flat = [i for i in range(laws.contacts) if mode[i] == CLOSED]
        k = row - len(active) - laws.holonomic
        where = labels.get(active[row], "") if row < len(active) else course.hybrid.contact_labels[flat[k]]
        raise MathematicsError(
            "the motion starts with {where} touching or rolling, and a change of {names} would end "
            "that at once: there is no derivative; start from a state in which it stays, or a "
            "little apart",
            where=where,
            names=course.values.names[column],
        )
