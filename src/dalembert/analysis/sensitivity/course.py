"""A motion with contacts, cut into pieces of one mode each, with the functions for differentiating it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.derivatives.symbolic import jacobian
from dalembert.analysis.sensitivity.beginning import StatedValues
from dalembert.analysis.sensitivity.clocks import ClockInstant
from dalembert.analysis.sensitivity.mode_flow import MOVING, ModeFlow, mode_flow
from dalembert.analysis.sensitivity.switches import Switches, switches_of
from dalembert.motions.span import TimeSpan
from dalembert.motions.unilateral import HybridSystem
from dalembert.prepared import Start
from dalembert.programs.functions import Function, compiled
from dalembert.programs.modes import CLOSED, SLIP

SAME = 1e-12  # times that differ by less are the same


@dataclass(frozen=True)
class Piece:
    """A piece of the motion between two events, in one mode."""

    first: float
    last: float
    mode: Array
    along: dict[int, Array]  # directions of slips in one dimension, the same throughout


@dataclass(frozen=True)
class Traced:
    """A motion with contacts, its pieces, and the functions for differentiating it."""

    start: Start
    hybrid: HybridSystem
    raw: Any
    values: StatedValues
    span: TimeSpan
    clocks: Sequence[ClockInstant] = ()  # of controllers

    def flow(self, mode: Array, direction: str = MOVING) -> ModeFlow:
        """The equations of a mode. They are compiled once, for all values of the parameters."""
        system, name = self.hybrid.system, ("flow", mode.tobytes(), direction)
        found = system.once(name, lambda: mode_flow(self.hybrid, mode, direction))
        return replace(found, hybrid=self.hybrid, flow=replace(found.flow, system=system))

    def x(self, time: float, y: Array) -> Array:
        n = self.hybrid.system.n
        return self.hybrid.system.state(time, y[:n], y[n : 2 * n], y[2 * n :])

    def is_given(self, time: float) -> bool:
        """Whether a time is one at which controllers compute or data jump: it does not move with any θ."""
        data = self.hybrid.equations.signals.values()
        jumps = (signal.times for signal in data if signal.between == "hold" or signal.order)
        times = [clock.time for clock in self.clocks] + [other for each in jumps for other in each]
        return any(abs(time - other) <= SAME * max(1.0, abs(time)) for other in times)

    @property
    def rows(self) -> Function:
        """Derivatives by x of ψ of all rows, then of φ."""
        eq = self.hybrid.system.equations
        rows = (*eq.psi, *eq.phi)
        return self.hybrid.system.once(
            "rows by x",
            lambda: compiled(eq.inputs, [e for row in jacobian(rows, eq.inputs) for e in row], backend="numpy"),
        )

    @property
    def switches(self) -> Switches:
        u = self.hybrid.unilateral
        further = [*(f.coefficient for f in u.frictions), *(0 if f.normal is None else f.normal for f in u.frictions)]
        system = self.hybrid.system
        return system.once("switches", lambda: switches_of(system.equations, further))

    def missed(self, time: float, y: Array, mode: Array, S: Array) -> tuple[Array, list[int]]:
        """The residual of S in the active rows: rates first, then positions."""
        x, laws = self.x(time, y), self.hybrid.laws
        by = self.rows(x).reshape(-1, len(x)) @ self.dx(S)
        active = self.hybrid.active_rows(mode)
        flat = [*range(laws.holonomic), *(laws.holonomic + i for i in range(laws.contacts) if mode[i] == CLOSED)]
        return np.vstack([by[active], by[[laws.rows + i for i in flat]]]), active

    def dx(self, S: Array) -> Array:
        return np.vstack([np.zeros((1, S.shape[1])), S, self.values.constant])

    def dx_later(self, time: float, S: Array, shift: Array) -> Array:
        """δx at an instant that moves by `shift`, with S taken there; data move along their slope."""
        found = self.dx(S)
        found[0] = shift
        for place, data in self.hybrid.system.signals:
            found[place] = data.slope(np.array([time]))[0] * shift
        return found


def groups_of(events: Sequence[Any]) -> list[list[Any]]:
    """Group events of contacts and frictions by instant. An accumulation joins the impact that ends it."""
    groups: list[list[Any]] = []
    for event in events:
        if event.kind in ("crossing", "chatter", "kink"):
            continue
        if groups and groups[-1][0].time == event.time:
            groups[-1].append(event)
        else:
            groups.append([event])
    for event in events:
        if event.kind == "chatter":
            for group in groups:
                if group[0].kind == "impact" and np.array_equal(group[0].before, event.before):
                    group.append(event)
    return groups


def pieces_of(course: Traced, run: Any, marks: list[float]) -> list[Piece]:
    start, raw, laws = course.start, course.raw, course.hybrid.laws
    edges = [start.time, *marks, float(raw.end)]
    middles = [(a + b) / 2 for a, b in pairwise(edges)]
    again = run(course.hybrid, start.y, replace(course.span, end=float(raw.end), samples=middles))
    pieces = []
    for k, (first, last) in enumerate(pairwise(edges)):
        mode = again.modes[k] if first < last else again.modes[min(k, len(again.modes) - 1)]
        slips = course.hybrid.function(course.x(middles[k], again.states[k]))
        known = {}
        for j, own in enumerate(laws.of_friction):
            if own.slip_count == 1 and mode[laws.contacts + j] == SLIP:
                known[j] = np.array([1.0 if slips[own.slip_start - laws.bilateral] >= 0 else -1.0])
        pieces.append(Piece(first, last, mode.copy(), known))
    return pieces
