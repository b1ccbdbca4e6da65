"""Motions with contacts and frictions, from Python: memory, buffers, chunks, and sentences for what can go wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.equations import Equations
from dalembert.errors import ModelError
from dalembert.simulate import (
    complementarity,
    contacts,
    core,
    decisions,
    dop853,
    guards,
    happenings,
    hybrid,
    linear,
    modes,
    roots,
    sliding,
    tableau,
)  # fmt: skip
from dalembert.simulate.accelerations import explained
from dalembert.simulate.advance import _stamp
from dalembert.simulate.laws import Laws, compile_unilateral, table_of

KINDS = ("impact", "liftoff", "contact", "stick", "slip", "chatter", "crossing")


@dataclass(frozen=True, slots=True)
class HybridEvent:
    time: float
    kind: str
    index: int
    impulse: float
    energy: float
    side: float
    before: np.ndarray
    after: np.ndarray


@dataclass(frozen=True, slots=True)
class HybridMotion:
    """What a motion left: states and modes at the samples, events, counts, and how it ended."""

    status: int
    message: str
    times: np.ndarray
    states: np.ndarray
    modes: np.ndarray
    events: tuple[HybridEvent, ...]
    steps: int
    evaluations: int
    residual: float
    rate_residual: float
    recorded: np.ndarray
    interrupted: bool = False


def _entry(stamp):  # type: ignore[no-untyped-def]
    @numba.njit(error_model="numpy", nogil=True, cache=True, _nrt=False)
    def advance(base, mem, real, whole, samples, sampled, modes, events, recorded, most):
        if stamp < 0:
            return hybrid.CONTINUE
        return hybrid.hybrid_loop(base, mem, real, whole, samples, sampled, modes, events, recorded, most)

    return advance


advance = _entry(
    _stamp(core, dop853, linear, roots, tableau, complementarity, contacts, sliding, modes, guards, happenings, hybrid)
)


def hybrid_memory(system: CompiledSystem, calls: core.Calls, laws: Laws):  # type: ignore[no-untyped-def]
    """The steppers' memory with what contacts need beside it."""
    n = system.n
    guards = calls.guard_count + laws.contacts + 3 * laws.frictions + 1
    outputs = system.dynamics.outputs + n * laws.rows
    mem = core.memory_of(system, calls)
    mem = mem._replace(outs=np.zeros((4, max(mem.outs.shape[1], outputs))), w=linear.workspace(n, laws.rows, laws.rows))
    tab = table_of(laws, n, outputs, guards)
    return modes.HybridMemory(
        *mem, tab, np.zeros((guards, core.NODES)), np.zeros((guards * core.NODES + core.NODES, 3)), np.zeros((64, 2)),
        decisions.described(tab, mem.outs[core.FROM_DYNAMICS], laws, mem.w, n, bool(system.equations.symmetric)),
    )


class HybridSystem:
    """A system with contacts and frictions, compiled."""

    def __init__(self, eq: Equations):
        self.equations = eq
        self.system, self.function, self.laws = compile_unilateral(eq)
        self.unilateral = eq.unilateral

    def calls(self):  # type: ignore[no-untyped-def]
        base = core.calls_of(self.system)
        system = self.system
        base = base._replace(
            position=system.position.address if system.mh else base.dynamics,
            position_data=system.position.data if system.mh else base.dynamics_data,
            velocity=system.velocity.address,
            velocity_data=system.velocity.data,
        )
        return modes.HybridCalls(
            *base, self.function.address, self.function.data, decisions.impact_c.address, decisions.settle_c.address, self.laws
        )

    def check_start(self, x: np.ndarray) -> None:
        """A gap below zero at the start is the model's fault."""
        assert self.unilateral is not None
        gaps = self.system.position(x)[self.laws.holonomic : self.laws.holonomic + self.laws.contacts]
        for contact, gap in zip(self.unilateral.contacts, gaps, strict=True):
            if gap < -1e-12:
                raise ModelError(
                    f"the contact {contact.name} has the gap {gap:.6g} at the start; it must not be negative"
                )


def run_hybrid(
    hybrid_system: HybridSystem,
    y0: np.ndarray,
    samples: np.ndarray,
    start: float,
    end: float,
    tolerance: float,
    progress: Callable[[float], None] | None = None,
    record: bool = False,
    most: int = 100_000_000,
) -> HybridMotion:
    system = hybrid_system.system
    hybrid_system.check_start(system.state(start, y0[: system.n], y0[system.n :]))
    base = hybrid_system.calls()
    mem = hybrid_memory(system, base, hybrid_system.laws)
    real, whole = np.zeros(core.REALS), np.zeros(core.WHOLES, dtype=np.int64)
    real[core.T], real[core.T_START], real[core.T_END], real[core.TOLERANCE] = start, start, end, tolerance
    real[core.H_MAX], real[core.STIFF_STEPS] = np.inf, np.inf
    whole[core.FRESH], whole[core.RANK_PHI], whole[core.RANK_PSI] = 1, -1, -1
    mem.bank[core.OLD] = y0
    laws = hybrid_system.laws
    sampled = np.zeros((max(len(samples), 1), base.size))
    mode_marks = np.zeros((max(len(samples), 1), max(laws.contacts + laws.frictions, 1)), dtype=np.int64)
    recorded = np.zeros((1024 if record else 0, 2 + 8 * base.size))
    kept: list[np.ndarray] = []
    room = 8 * (laws.contacts + laws.frictions) + 2 * core.NODES * max(base.guard_count, 1) + 256
    events = (
        np.zeros((room, 2), dtype=np.int64),
        np.zeros((room, 4)),
        np.zeros((room, base.size)),
        np.zeros((room, base.size)),
    )
    found: list[HybridEvent] = []
    interrupted = False
    chunk, told = 200, time.perf_counter()
    while True:
        try:
            status = advance(base, mem, real, whole, samples, sampled, mode_marks, events, recorded, chunk)
            chunk = min(4 * chunk, 20_000)
            if progress is not None and time.perf_counter() - told > 0.2:
                told = time.perf_counter()
                progress((real[core.T] - start) / (end - start))
        except KeyboardInterrupt:
            interrupted = True
            status = hybrid.CONTINUE
        found += _collected(events, int(whole[core.EVENTS]))
        whole[core.EVENTS] = 0
        if record:
            kept.append(recorded[: whole[core.RECORDED]].copy())
            whole[core.RECORDED] = 0
        if interrupted or status not in (hybrid.CONTINUE, hybrid.NEED_BUFFERS) or whole[core.STEPS] > most:
            break
    message = (
        ""
        if status in (hybrid.FINISHED, hybrid.STOPPED_BY_EVENT) or interrupted
        else failure(hybrid_system, mem, real, whole, int(status))
    )
    reached = int(whole[core.SAMPLE])
    return HybridMotion(
        status=int(status), message=message, times=samples[:reached], states=sampled[:reached], modes=mode_marks[:reached],
        events=tuple(sorted(found, key=lambda e: e.time)), steps=int(whole[core.STEPS]),
        evaluations=int(whole[core.EVALUATIONS]), residual=float(real[core.RESIDUAL]),
        rate_residual=float(real[core.RATE_RESIDUAL]),
        recorded=np.concatenate(kept) if kept else recorded, interrupted=interrupted,
    )  # fmt: skip


def _collected(events: tuple[np.ndarray, ...], count: int) -> list[HybridEvent]:
    marks, reals, before, after = events
    return [
        HybridEvent(
            float(reals[e, 0]), KINDS[marks[e, 0]], int(marks[e, 1]), float(reals[e, 1]), float(reals[e, 2]),
            float(reals[e, 3]), before[e].copy(), after[e].copy(),
        )
        for e in range(count)
    ]  # fmt: skip


def failure(hybrid_system: HybridSystem, mem, real: np.ndarray, whole: np.ndarray, status: int) -> str:  # type: ignore[no-untyped-def]
    """Why a motion ended before its time, in a sentence."""
    u, laws = hybrid_system.unilateral, hybrid_system.laws
    assert u is not None
    t, index = real[core.T], int(whole[core.ROW])
    when = f"at t = {t:.9g}"
    names = ", ".join(c.name for c in u.contacts)
    if status == contacts.CONTRADICTS:
        contact = u.contacts[index].name
        return f"{when} the contact {contact} contradicts the constraints: they leave its gap no motion"
    if status == happenings.ENERGY_GAIN:
        contact = u.contacts[index]
        return (
            f"{when} the {contact.law} law would add energy at the impact of {contact.name}: its restitution does not fit "
            'the friction or the other contacts; use law = "poisson" or a smaller restitution'
        )
    if status == happenings.NO_CASE:
        return (
            f"{when} no state of the contacts {names} satisfies the equations (Painlevé's paradox: sliding friction "
            "presses a contact harder than the body can give way); the rigid model has no motion from here"
        )
    if status == happenings.TWO_CASES:
        return (
            f"{when} more than one state of the contacts {names} satisfies the equations (Painlevé's paradox: it may as "
            "well lift off as go on pressed); the rigid model does not determine the motion from here"
        )
    if status == happenings.TOO_MANY_CASES:
        return f"{when} more contacts with friction touch at once than can be told apart"
    if status == happenings.HELD_BROKEN:
        friction = u.frictions[(index - laws.contacts) % max(laws.frictions, 1)].name
        return f"{when} the friction {friction} can no longer hold what it is to hold: the reaction leaves the cone"
    if status == hybrid.STUCK:
        return f"{when} the contacts and frictions keep changing without time going on"
    if status == hybrid.MASS_NEGATIVE:
        names_of = list(hybrid_system.equations.masses)
        return f"{when} the mass of {names_of[index - len(hybrid_system.equations.events)]} becomes negative"
    if status == dop853.UNDERFLOW:
        return f"{when} the step became too small to go on"
    if status == dop853.PROJECTION_FAILED:
        return f"{when} the constraints can no longer be satisfied"
    if status == dop853.BLOW_UP:
        return f"{when} the motion grows beyond all bounds"
    return explained(hybrid_system.system, mem.bad if mem.bad.any() else mem.x, status, index)
