"""Derivatives of a motion by parameters and initial values, through its events.

Between events, the variational equations are integrated along the known motion (`variation`). At an event at τ(θ) with
y⁺ = y⁻ + Δ(y⁻, τ, p), h(y⁻, τ, p) = 0:
    δτ = −δh/ḣ⁻,   dy⁻ = S⁻ + ẏ⁻δτ,   dy⁺ = dy⁻ + Δ_x (δτ, dy⁻, δp),   S⁺ = dy⁺ − ẏ⁺δτ
This is the jump of Aizerman and Gantmakher (the saltation matrix); it includes the shift of the event's time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.sensitivity.beginning import StatedValues, initial_derivative, stated
from dalembert.analysis.sensitivity.clocks import ClockInstant, clocks_of
from dalembert.analysis.sensitivity.flow import CompiledFlow, LocalSolution, compiled_flow, smooth_problem
from dalembert.analysis.sensitivity.switches import Switches, switches_of
from dalembert.analysis.sensitivity.variation import carried, maps
from dalembert.errors import MathematicsError
from dalembert.motions.raw import EventTable, RawEvent, uninterrupted
from dalembert.motions.span import TimeSpan
from dalembert.prepared import Start

ASIDE = 1e-9  # distance from a switch, as a part of the piece, at which rates are evaluated
JUMPED = 1e-6  # a guard that is further in time from zero has not reached it, but jumped
TANGENT = 1e-9  # a guard whose relative rate is smaller only grazes zero: its time has no derivative


@dataclass(frozen=True, slots=True)
class Happening:
    """An event, with the derivatives by every θ of its time and of the state before and after it."""

    time: float
    name: str
    kind: str
    time_by: Array
    before_by: Array  # total derivatives of (q, v, z) at the event, not at a fixed time
    after_by: Array


@dataclass(frozen=True, slots=True)
class Varied:
    """A motion at its samples, with the derivatives of states, accelerations and multipliers."""

    names: tuple[str, ...]  # θ
    times: Array
    X: Array  # x at the samples
    S: Array  # samples × (q, v, z, s) × θ
    p: Array  # δp: parameters behind s × θ
    accelerations: Array  # samples × n × θ
    multipliers: Array  # samples × rows × θ
    determined: bool
    events: tuple[Happening, ...]
    status: str
    solved: Array = field(default_factory=lambda: np.zeros((0, 0)))  # accelerations and multipliers at the samples

    def dx(self) -> Array:
        """δx at the samples, at fixed times."""
        return changes_of_x(self.S, self.p)


def varied(start: Start, names: Sequence[str], span: TimeSpan) -> Varied:
    """The motion from `start`, with derivatives by `names` at the samples of `span`."""
    if start.hybrid is not None:
        from dalembert.analysis.sensitivity.touching import varied_touching

        return varied_touching(start, start.hybrid, names, span)
    values = stated(start, names)
    S = initial_derivative(start, start.system, values)
    return _smooth(start, values, S, span)


def _smooth(start: Start, values: StatedValues, S: Array, span: TimeSpan) -> Varied:
    from dalembert.motions.one import integrate

    system = start.system
    y0, times = start.y, np.asarray(span.samples, dtype=float)
    raw = uninterrupted(integrate(system, y0, replace(span, dense=True)))
    if raw.status == "failed":
        raise MathematicsError(raw.message)
    require_crossed(raw.events)
    crossings = raw.events.of_kind("crossing")
    last = float(raw.end)
    if raw.dense is not None:
        states: Callable[[Array], Array] = raw.dense
        steps = np.append(raw.dense.starts, raw.dense.ends[-1])
    else:  # a stiff stepper keeps no interpolant: the states themselves are requested

        def states(at: Array) -> Array:
            order = np.argsort(at, kind="stable")
            again = uninterrupted(integrate(system, y0, replace(span, samples=at[order])))
            found = np.empty((len(at), len(y0)))
            found[order] = again.states
            return found

        steps = np.linspace(start.time, last, max(2, min(int(raw.steps), 200)) + 1)
    flow = replace(system.once("flow", lambda: compiled_flow(system, smooth_problem(system))), system=system)
    reached = times[times <= last]
    everything = np.union1d(reached, crossings.times)
    switches = system.once("switches", lambda: switches_of(system.equations))
    clocks = clocks_of(system, start.time, last)
    stretch = Stretch(flow, states, steps, start.time, last, switches, clocks=clocks)
    S_at, _ = along(stretch, values.constant, S, everything, span.tolerance)
    X = states_x(system, reached, raw.states[: len(reached)])
    local = flow.at(X)
    chosen = S_at[np.searchsorted(everything, reached)]
    w = local.w_x @ changes_of_x(chosen, values.constant)
    events = tuple(
        crossing(flow, event, S_at[np.searchsorted(everything, event.time)], values.constant) for event in crossings
    )
    n, forces = system.n, w[:, system.n : system.n + system.reactions]
    constant = values.constant
    solved = local.w[:, : n + system.reactions]
    return Varied(
        values.names, reached, X, chosen, constant, w[:, :n], forces, local.determined, events, raw.status, solved
    )


def require_crossed(events: EventTable) -> None:
    """Refuse the derivative of a motion that does more at a kink than to cross it."""
    kinks = events.of_kind("kink").columns
    more = np.flatnonzero(~np.isnan(kinks["energy"]) | (kinks["side"] == 0.0))
    if len(more):
        raise MathematicsError(
            "at t = {times:.9g} the motion rests at a kink, slides along it or loses speed there; "
            "derivatives exist only through kinks that a motion crosses; end the motion before",
            times=kinks["time"][more[0]],
        )


def changes_of_x(S: Array, p: Array) -> Array:
    """δx at fixed times from δy and δp: samples × x × θ."""
    time = np.zeros((len(S), 1, S.shape[2]))
    return np.concatenate([time, S, np.broadcast_to(p, (len(S), *p.shape))], axis=1)


def states_x(system: Any, times: Array, y: Array) -> Array:
    n = system.n
    return system.state(times, y[:, :n], y[:, n : 2 * n], y[:, 2 * n :])


@dataclass(frozen=True, slots=True)
class Stretch:
    """A motion from `first` to `last`: its flow and states, and the guards and controllers that change its rates."""

    flow: CompiledFlow
    states: Callable[[Array], Array]
    steps: Array  # the times at which steps begin or end
    first: float
    last: float
    switches: Switches
    fixed: Callable[[Array, Array], tuple[Array, Array]] | None = None  # further inputs of the flow, and a guess
    clocks: Sequence[ClockInstant] = ()

    def x(self, times: Array) -> Array:
        return states_x(self.flow.system, times, self.states(times))

    def local(self, times: Array) -> tuple[LocalSolution, Array | None]:
        X = self.x(times)
        if self.fixed is None:
            return self.flow.at(X), None
        inputs = self.fixed(times, X)
        return self.flow.at(X, *inputs), inputs[0]

    def marks(self) -> list[tuple[float, Any]]:
        """Switches and instants of controllers in order. Between two instants nothing that is held jumps."""
        switches, first, last = self.switches, self.first, self.last
        if not self.clocks:
            return switches.between(self.x, self.steps, first, last) if last > first else []
        found: list[tuple[float, Any]] = []
        for clock, end in zip((None, *self.clocks), (*(c.time for c in self.clocks), last), strict=True):
            if clock is not None:
                found.append((clock.time, clock))
            begin = first if clock is None else clock.time
            aside = ASIDE * (end - begin)
            if end > begin:
                found += switches.between(self.x, self.steps, begin + aside, end - aside)
        return found


def along(stretch: Stretch, p: Array, S: Array, wanted: Array, tolerance: float) -> tuple[Array, Array]:
    """S at the times `wanted` of a stretch, and at its end."""
    size, first, last = stretch.flow.size, stretch.first, stretch.last

    def coefficients(times: Array) -> tuple[Array, Array]:
        rate_x = stretch.local(times)[0].rate_x
        return rate_x[:, :, 1 : 1 + size], rate_x[:, :, 1 + size :] @ p

    kept = np.zeros((len(wanted), *S.shape))
    for end, guard in [*stretch.marks(), (last, None)]:
        chosen = (wanted >= first) & ((wanted <= end) if guard is None else (wanted < end))
        if end > first:
            inside = [edge for edge in np.union1d(stretch.steps, wanted).tolist() if first < edge < end]
            kept[chosen], S = carried(maps(coefficients, np.array([first, *inside, end]), tolerance), S, wanted[chosen])
        else:
            kept[chosen] = S
        aside = ASIDE * (last - first)
        if isinstance(guard, ClockInstant):
            S = guard.passed(stretch.flow.system, stretch.states, S, p, aside)
        elif guard is not None:
            before, held = stretch.local(np.array([end - aside]))
            after, _ = stretch.local(np.array([end + aside]))
            shift = time_shift(before, guard, S, p, str(guard), held)
            S = S + (before.rate[0] - after.rate[0])[:, None] * shift
        first = end
    return kept, S


def crossing(flow: CompiledFlow, event: RawEvent, S: Array, p: Array) -> Happening:
    """A crossing of a user's event. The motion does not change there."""
    name, (expression, _) = list(flow.system.equations.events.items())[event.which]
    guard = expression.subs(flow.answers)
    local = flow.at(flow.system.along(event.time, event.before)[None])
    shift = event_shift(local, guard, S, p, name)
    total = S + local.rate[0][:, None] * shift
    return Happening(event.time, name, "crossing", shift, total, total)


def event_shift(local: LocalSolution, guard: Any, S: Array, p: Array, name: str, fixed: Array | None = None) -> Array:
    """δτ of an event of the model. The guard of an acceleration or a reaction may have jumped past zero: no δτ."""
    shift, away = guard_shift(local, guard, S, p, name, fixed)
    if away > JUMPED * max(1.0, abs(float(local.X[0, 0]))):
        raise MathematicsError(
            "at t = {x:.9g} the event {name} happens because accelerations or reactions jump; such an event has "
            "no derivative of its own",
            x=local.X[0, 0],
            name=name,
        )
    return shift


def time_shift(local: LocalSolution, guard: Any, S: Array, p: Array, name: str, fixed: Array | None = None) -> Array:
    """δτ by every θ, for the zero of a guard, which is an expression in x and w."""
    return guard_shift(local, guard, S, p, name, fixed)[0]


def guard_shift(
    local: LocalSolution, guard: Any, S: Array, p: Array, name: str, fixed: Array | None = None
) -> tuple[Array, float]:
    """δτ, and the guard's distance from zero in time. The guard is a sum: pairs of a weight and an expression."""
    flow, x = local.flow, local.X[0]
    inputs = np.concatenate([x, local.w[0], np.zeros(0) if fixed is None else fixed[0]])
    terms = guard if isinstance(guard, tuple) else ((1.0, guard),)
    out = sum((weight * flow.guard(expression)(inputs) for weight, expression in terms), np.zeros(1))
    width = len(x)
    by = out[1 : 1 + width] + out[1 + width : 1 + width + len(local.w[0])] @ local.w_x[0]
    along_x = local.along()[0]
    rate = float(by @ along_x)
    if abs(rate) <= TANGENT * float(np.abs(by) @ np.abs(along_x)):
        raise MathematicsError(
            "at t = {x:.9g} the event {name} is reached without speed (it grazes), so its time has no derivative; "
            "leave the event out, or end the motion before",
            x=x[0],
            name=name,
        )
    dx = np.vstack([np.zeros((1, S.shape[1])), S, p])
    return -(by @ dx) / rate, abs(float(out[0]) / rate)
