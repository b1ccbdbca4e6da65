"""Motions with contacts and frictions, from Python: memory, buffers, chunks, and sentences for what can go wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.motions.accelerations import explained
from dalembert.motions.contact import EventTable, HybridMotion
from dalembert.motions.laws import HELD_START, SLIP_START, Laws
from dalembert.motions.raw import Pieces
from dalembert.motions.unilateral import HybridSystem
from dalembert.simulate import contacts, core, dop853, hybrid, linear, modes
from dalembert.simulate.complementarity import NO_SOLUTION, SEVERAL, SLIP
from dalembert.simulate.events import ENERGY_GAIN, HELD_BROKEN, NO_CASE, TOO_MANY_CASES, TWO_CASES
from dalembert.simulate.forces_in_mode import forces_in_mode
from dalembert.simulate.hybrid_advance import advance
from dalembert.simulate.settled import CONTRADICTION, TOO_MANY, paradox
from dalembert.simulate.table import CONTACT, FRICTION
from dalembert.simulate.tables import table_of

MORE = 1024  # events that one call may meet besides those of a step
STALLED, PATIENCE = 1e-9, 20_000  # part of the motion that so many steps must do, or it is stuck
SPENT = 1e-3  # of the held reactions, a pull that leaves them all of the cone
CHUNK, GROWTH, LONGEST = 200, 4, 20_000  # steps of the first call, how they grow from call to call, the most
KINDS = ("impact", "liftoff", "contact", "stick", "slip", "chatter", "crossing")


def hybrid_memory(system: CompiledSystem, calls: core.Calls, laws: Laws):  # type: ignore[no-untyped-def]
    """The steppers' memory with what contacts need beside it."""
    n = system.n
    guards = calls.guard_count + laws.contacts + 3 * laws.frictions + 1
    outputs = system.dynamics.outputs + n * laws.rows
    mem = core.memory_of(system, calls)
    mem = mem._replace(outs=np.zeros((4, max(mem.outs.shape[1], outputs))), w=linear.workspace(n, laws.rows, laws.rows))
    tab = table_of(laws, n, outputs, guards)
    return modes.HybridMemory(  # type: ignore[call-arg]
        *mem, tab, np.zeros((guards, core.NODES)), np.zeros((guards * core.NODES + core.NODES, 3))
    )


def hybrid_calls(hybrid_system: HybridSystem):  # type: ignore[no-untyped-def]
    """The compiled functions' addresses, those of the mode's rows with them."""
    system, function = hybrid_system.system, hybrid_system.function
    base = core.calls_of(system)
    base = base._replace(
        position=system.position.address if system.mh else base.dynamics,
        position_data=system.position.data if system.mh else base.dynamics_data,
        velocity=system.velocity.address,
        velocity_data=system.velocity.data,
    )
    return modes.HybridCalls(*base, function.address, function.data, hybrid_system.laws)  # type: ignore[call-arg]


class Room(NamedTuple):
    """What a motion is computed in, as the compiled entry takes it."""

    base: Any
    mem: Any
    real: np.ndarray
    whole: np.ndarray
    samples: np.ndarray
    sampled: np.ndarray
    marks: np.ndarray  # modes at the samples
    events: tuple[np.ndarray, ...]


def room_for(
    hybrid_system: HybridSystem, samples: np.ndarray, start: float, end: float, tolerance: float, step: float | None
) -> Room:
    """Everything allocated for a motion from `start` to `end`; its state is still to be put in."""
    laws = hybrid_system.laws
    base = hybrid_calls(hybrid_system)
    real, whole = np.zeros(core.REALS), np.zeros(core.WHOLES, dtype=np.int64)
    real[core.T], real[core.T_START], real[core.T_END], real[core.TOLERANCE] = start, start, end, tolerance
    real[core.H_MAX], real[core.STIFF_STEPS] = end - start if step is None else step, np.inf
    real[core.H_LIMIT] = real[core.H_MAX]
    whole[core.FRESH], whole[core.RANK_PHI], whole[core.RANK_PSI] = 1, -1, -1
    count = 8 * (laws.contacts + laws.frictions) + 2 * core.NODES * max(base.guard_count, 1) + 256
    return Room(
        base, hybrid_memory(hybrid_system.system, base, laws), real, whole, samples,
        np.zeros((max(len(samples), 1), base.size)),
        np.zeros((max(len(samples), 1), max(laws.contacts + laws.frictions, 1)), dtype=np.int64),
        (np.zeros((count, 2), dtype=np.int64), np.zeros((count, 4)), *(np.zeros((count, base.size)) for _ in "12")),
    )  # fmt: skip


def run_hybrid(
    hybrid_system: HybridSystem,
    y0: np.ndarray,
    samples: np.ndarray,
    start: float,
    end: float,
    tolerance: float,
    progress: Callable[[float], None] | None = None,
    record: bool = False,
    step: float | None = None,
) -> HybridMotion:
    """The motion from y0 = (q, v) at `start`, at the times `samples` (ascending), through every event.

    A failure of the mathematics comes back as status "failed" with a sentence and all samples up to there. `step` is
    the longest step to make.
    """
    system = hybrid_system.system
    hybrid_system.check_start(system.state(start, y0[: system.n], y0[system.n :]))
    room = room_for(hybrid_system, samples, start, end, tolerance, step)
    base, mem, real, whole = room.base, room.mem, room.real, room.whole
    sampled, mode_marks = room.sampled, room.marks
    events = tuple(np.concatenate([part, np.zeros((MORE, *part.shape[1:]), part.dtype)]) for part in room.events)
    mem.bank[core.OLD] = y0
    laws = hybrid_system.laws
    recorded = np.zeros((1024 if record else 0, 2 + 8 * base.size))
    kept: list[np.ndarray] = []
    happened: list[tuple[np.ndarray, ...]] = []
    interrupted = False
    chunk, told = CHUNK, time.perf_counter()
    mark = (start, 0)  # time and steps up to which the motion got on
    while True:
        try:
            status = int(advance(base, mem, real, whole, samples, sampled, mode_marks, events, recorded, chunk))
            chunk = min(GROWTH * chunk, LONGEST)
            if progress is not None and end > start and time.perf_counter() - told > 0.2:
                told = time.perf_counter()
                progress(float((real[core.T] - start) / (end - start)))
        except KeyboardInterrupt:
            interrupted, status = True, hybrid.CONTINUE
        happened.append(tuple(part[: whole[core.EVENTS]].copy() for part in events))
        whole[core.EVENTS] = 0
        if record:
            kept.append(recorded[: whole[core.RECORDED]].copy())
            whole[core.RECORDED] = 0
        if interrupted or status not in (hybrid.CONTINUE, hybrid.NEED_BUFFERS):
            break
        if real[core.T] - mark[0] > STALLED * (end - start):
            mark = float(real[core.T]), int(whole[core.STEPS])
        elif whole[core.STEPS] - mark[1] > PATIENCE:  # a cascade that no law of decay describes
            status = hybrid.STUCK
            break
    found = EventTable(*(np.concatenate(parts) for parts in zip(*happened, strict=True)))
    word, message = _ended(hybrid_system, mem, real, whole, status, interrupted, found)
    reached = int(whole[core.SAMPLE])
    final = mem.bank[core.OLD, : base.size].copy()
    return HybridMotion(
        status=word, message=message, times=samples[:reached], states=sampled[:reached],
        modes=mode_marks[:reached, : laws.contacts + laws.frictions], events=found,
        steps=int(whole[core.STEPS]), evaluations=int(whole[core.EVALUATIONS]), residual=float(real[core.RESIDUAL]),
        rate_residual=float(real[core.RATE_RESIDUAL]), end=float(real[core.T]), end_state=final,
        end_mode=_mode(laws, mem),
        dense=_pieces(np.concatenate(kept), y0, start, final, float(real[core.T])) if record else None,
    )  # fmt: skip


def _ended(  # type: ignore[no-untyped-def]
    hybrid_system: HybridSystem, mem, real: np.ndarray, whole: np.ndarray, status: int, interrupted: bool,
    found: EventTable,
) -> tuple[str, str]:  # fmt: skip
    """How it ended, in a word and in a sentence."""
    if interrupted:
        return "interrupted", f"interrupted at t = {real[core.T]:.9g}"
    if status == hybrid.FINISHED:
        return "finished", ""
    if status == hybrid.STOPPED_BY_EVENT:
        names = list(hybrid_system.equations.events)
        last = found[int(np.flatnonzero(found.kinds == "crossing")[-1])]
        return "stopped", f"the event {names[last.which]} ended the motion at t = {last.time:.9g}"
    index = int(whole[core.ROW])
    if status in (hybrid.STUCK, dop853.UNDERFLOW):
        spent = _spent(hybrid_system, mem)
        if spent is not None:
            status, index = HELD_BROKEN, hybrid_system.laws.contacts + spent
    at = mem.bad if mem.bad.any() else mem.x
    return "failed", failure(hybrid_system, status, float(real[core.T]), index, at)


def _mode(laws: Laws, mem) -> np.ndarray:  # type: ignore[no-untyped-def]
    """A status for every contact, then for every friction."""
    return np.concatenate([mem.tab.wholes[CONTACT, : laws.contacts], mem.tab.wholes[FRICTION, : laws.frictions]])


def _spent(hybrid_system: HybridSystem, mem) -> int | None:  # type: ignore[no-untyped-def]
    """The friction whose held rows need all of its cone: its pull falls to nothing as a root does, and so do steps."""
    laws, mode = hybrid_system.laws, _mode(hybrid_system.laws, mem)
    nu = forces_in_mode(hybrid_system, mem.x[None], mode[None])[1][0]
    for j, friction in enumerate(hybrid_system.unilateral.frictions):
        slip = int(laws.layout[SLIP_START, j])
        held = int(laws.layout[HELD_START, j])
        pull = np.linalg.norm(nu[slip : slip + len(friction.slips)])
        share = np.linalg.norm(nu[held : held + len(friction.held)])
        if friction.held and mode[laws.contacts + j] == SLIP and not pull > SPENT * share:
            return j
    return None


def _pieces(rows: np.ndarray, y0: np.ndarray, start: float, final: np.ndarray, end: float) -> Pieces:
    """The steps, between what was given at the start and what is left at the end: both may lie behind an impact."""
    size = len(y0)
    outer = np.zeros((2, 8, size))
    outer[0, 7], outer[1, 7] = y0, final
    steps = rows[:, 2:].reshape(len(rows), 8, size)
    return Pieces(
        np.concatenate([[start - 1.0], rows[:, 0], [end]]),
        np.concatenate([[start], rows[:, 1], [end + 1.0]]),
        np.concatenate([outer[:1], steps, outer[1:]]),
    )


def failure(hybrid_system: HybridSystem, status: int, t: float, index: int, at: np.ndarray) -> str:
    """Why a motion ended before its time, in a sentence; `index` is the row at fault, `at` where it was evaluated."""
    u, laws = hybrid_system.unilateral, hybrid_system.laws
    when = f"at t = {t:.9g}"
    if status == contacts.CONTRADICTS:
        return f"{when} {CONTRADICTION.format(name=u.contacts[index].name)}"
    if status == ENERGY_GAIN:
        contact = u.contacts[index]
        return (
            f"{when} the {contact.law} law would add energy at the impact of {contact.name}: its restitution does not "
            'fit the friction or the other contacts; use law = "poisson" or a smaller restitution'
        )
    if status in (NO_CASE, TWO_CASES):
        return f"{when} {paradox(hybrid_system, NO_SOLUTION if status == NO_CASE else SEVERAL)}"
    if status == TOO_MANY_CASES:
        return f"{when} {TOO_MANY}"
    if status == HELD_BROKEN:
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
    return explained(hybrid_system.system, at, status, index)
