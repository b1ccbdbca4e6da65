"""Many motions from Python: a thread's memory, and the threads that claim motions until none is left."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

from dalembert.compile import wide_system
from dalembert.compile.functions import Function
from dalembert.compile.system import CompiledSystem
from dalembert.motions.unilateral import HybridSystem
from dalembert.simulate import advance as steps
from dalembert.simulate import consistent, ensemble, hybrid_advance, hybrid_drive, machine, starts
from dalembert.simulate.ensemble_advance import hybrid_motions, motions_in_lanes, smooth_motions
from dalembert.simulate.lanes import Code, board_of
from dalembert.simulate.lanes_look import shelves_of
from dalembert.simulate.own_lines import own_lines
from dalembert.simulate.through import address_of
from dalembert.simulate.watch import Watch, seen_of

STOP_ASKED_EVERY = 0.05  # seconds
MOST_SAMPLED = 2**20  # numbers that a lane keeps of its motion


class Span(NamedTuple):
    """When motions start and end, the times of samples (ascending), and how they are stepped."""

    start: float
    end: float
    samples: np.ndarray
    tolerance: float
    method: str = "dop853"
    step: float | None = None
    stiff_steps: float = np.inf


class Wanted(NamedTuple):
    """What is kept of every motion, but for where code and memory are."""

    function: Function | None  # of x, accelerations and multipliers: the quantities at the end and at samples
    forces: bool
    energy: Function
    drift: bool
    columns: np.ndarray
    counted: np.ndarray
    watched: Function | None
    watched_forces: bool
    what: np.ndarray
    level: np.ndarray
    inputs: int  # of the functions of quantities

    @property
    def stepwise(self) -> bool:
        """Whether every step is looked at."""
        return len(self.what) > 0 or self.drift


def run_threads(threads: int, task: Callable[[int], object], stop: Callable[[], bool], flag: np.ndarray) -> None:
    """`task(i)` on so many threads; `flag` is set when `stop()` turns true or the wait is interrupted."""
    with ThreadPoolExecutor(threads) as pool:
        left: set[Future[object]] = {pool.submit(task, i) for i in range(threads)}
        try:
            while left:
                done, left = wait(left, STOP_ASKED_EVERY)
                for future in done:
                    future.result()
                if left and stop():
                    flag[0] = 1
        except BaseException:
            flag[0] = 1  # threads end with the motion they are at, and the pool waits for them
            raise


def motions_of(
    parameters: np.ndarray, states: np.ndarray, columns: int, notes: int, kept: tuple[int, int] = (0, 0)
) -> ensemble.Motions:
    """Room for motions from these starts; `kept` is how many states with how many modes are kept of each."""
    count, size = states.shape
    rows, modes = kept
    return ensemble.Motions(
        parameters=np.ascontiguousarray(parameters),
        states=np.ascontiguousarray(states),
        ends=np.full(count, np.nan),
        status=np.full(count, ensemble.WAITING, dtype=np.int64),
        values=np.full((count, columns), np.nan),
        notes=np.zeros((count, notes)),
        kept=np.full((count if rows else 0, max(rows, 1), size), np.nan),
        kept_modes=np.zeros((count if rows else 0, max(rows, 1), 1 + modes), dtype=np.int64),
        claimed=own_lines(np.zeros(1, dtype=np.int64)),
        stop=own_lines(np.zeros(1, dtype=np.int64)),
    )


def note_size(size: int, inputs: int) -> int:
    return ensemble.NOTES + 2 * size + inputs


class Starts:
    """Consistent initial states of many motions."""

    def __init__(self, system: CompiledSystem, hybrid: HybridSystem | None, threads: int):
        self.problem = starts.problem_of(system, hybrid)
        dynamics = system.dynamics if hybrid is None else hybrid.system.dynamics
        desk = consistent.desk_of(self.problem, dynamics.inputs, dynamics.outputs)
        self.desks = [own_lines(desk) for _ in range(threads)]

    def run(
        self, time: float, given: np.ndarray, parameters: np.ndarray, states: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Makes `states` consistent; how each came out, and what was left where it did not."""
        status = np.zeros(len(states), dtype=np.int64)
        left = np.zeros((len(states), max(self.problem.psi, self.problem.phi, 1)))
        claimed, given = np.zeros(1, dtype=np.int64), np.ascontiguousarray(given, dtype=bool)

        def task(i: int) -> None:
            starts.starts(self.problem, self.desks[i], time, given, parameters, states, left, status, claimed)

        run_threads(len(self.desks), task, lambda: False, np.zeros(1))
        return status, left


class Crew:
    """Threads that run a compiled entry, each with the memory of the motions at hand.

    `alive` is what must not be freed before.
    """

    def __init__(self, entry: Any, hands: list[tuple[Any, ...]], alive: Any = None):
        self.entry, self.alive, self.compiled = entry, alive, False
        # what a plan says is looked at and never written, and may be long: threads share it
        self.hands = [tuple(p if isinstance(p, ensemble.Plan) else own_lines(p) for p in hand) for hand in hands]

    def run(self, motions: ensemble.Motions, stop: Callable[[], bool]) -> None:
        """All motions that wait, until `stop()` turns true."""
        motions.claimed[0] = 0
        if not self.compiled:
            address_of(self.entry, (*self.hands[0], motions))  # compiled here, where Ctrl-C is heard
            self.compiled = True
        run_threads(len(self.hands), lambda i: self.entry(*self.hands[i], motions), stop, motions.stop)


def plan_for(wanted: Wanted, address: int, chunk: tuple[int, int, int], blank: Function) -> ensemble.Plan:
    """What the kernels are told of it, with the entry at `address` called for so many steps at a time."""
    function, watched = wanted.function or blank, wanted.watched or blank
    if wanted.stepwise:
        chunk = 1, 1, 1
    return ensemble.Plan(
        address, *chunk, function.address, function.data, wanted.forces, wanted.energy.address, wanted.energy.data,
        wanted.drift, wanted.columns, wanted.counted,
        Watch(watched.address, watched.data, wanted.watched_forces, wanted.what, wanted.level),
    )  # fmt: skip


def books_for(wanted: Wanted, plan: ensemble.Plan, guards: int) -> ensemble.Books:
    """A thread's notes on it."""
    values = 0 if wanted.watched is None else wanted.watched.outputs
    return ensemble.Books(
        seen_of(plan.watch, wanted.inputs, values),
        np.zeros(1 if wanted.function is None else max(wanted.function.outputs, 1)),
        np.zeros((ensemble.KINDS, wanted.counted.shape[2]), dtype=np.int64),
        np.zeros((max(guards, 1), 2)),
        np.zeros(4),
    )


def smooth_crew(system: CompiledSystem, span: Span, wanted: Wanted, threads: int) -> Crew:
    """For motions without contacts, stepped as `machine` steps one."""
    hands = []
    for _ in range(threads):
        motion = machine.prepare(
            system, np.zeros(2 * system.n + system.k), span.samples, span.start, span.end, span.tolerance, span.method,
            span.step, span.stiff_steps,
        )  # fmt: skip
        recorded = np.zeros((1 if len(wanted.what) else 0, 2 + 8 * motion.calls.size))
        arguments = (
            motion.method, motion.calls, motion.memory, motion.real, motion.whole, motion.samples, motion.sampled,
            motion.events, recorded, motion.chunk,
        )  # fmt: skip
        address = address_of(steps.advance, arguments)
        plan = plan_for(wanted, address, (motion.chunk, 1, motion.chunk), system.dynamics)
        hands.append(
            (
                1, plan, books_for(wanted, plan, motion.calls.guard_count), motion.method, motion.calls, motion.memory,
                motion.real, motion.whole, motion.real.copy(), motion.samples, motion.sampled, motion.events, recorded,
            )
        )  # fmt: skip
    return Crew(smooth_motions, hands)


def fits_lanes(system: CompiledSystem, span: Span) -> bool:
    """Whether motions can be stepped in lanes; not with so many samples that their room would count."""
    few = len(span.samples) * 2 * system.n <= MOST_SAMPLED
    return few and span.method == "dop853" and wide_system.fits(system.equations)


def lanes_crew(system: CompiledSystem, span: Span, wanted: Wanted, threads: int) -> Crew:
    """For motions without contacts, several at once in every thread."""
    eq = system.equations
    functions = (
        wide_system.slope(eq),
        wide_system.correction(eq, False) if system.mh else None,
        wide_system.correction(eq, True) if system.m else None,
    )
    slope, position, velocity = (0 if f is None else f.address for f in functions)
    code = Code(slope, position, velocity, system.n, system.mh, system.m)
    hands = []
    for _ in range(threads):
        motion = machine.prepare(
            system, np.zeros(2 * system.n), span.samples, span.start, span.end, span.tolerance, span.method, span.step,
            span.stiff_steps,
        )  # fmt: skip
        plan = plan_for(wanted, 0, (1, 1, 1), system.dynamics)
        board = board_of(code, system.dynamics.inputs, len(span.samples))
        guards = motion.calls.guard_count
        shelves = shelves_of(books_for(wanted, plan, guards), guards)
        hands.append(
            (
                1 if len(wanted.what) else None, code, board, plan, shelves, motion.calls, motion.memory, motion.real,
                motion.whole, motion.samples, motion.events,
            )
        )  # fmt: skip
    return Crew(motions_in_lanes, hands, functions)


def hybrid_crew(hybrid: HybridSystem, span: Span, wanted: Wanted, threads: int) -> Crew:
    """For motions with contacts and frictions, stepped as `hybrid_drive` steps one."""
    hands = []
    for _ in range(threads):
        room = hybrid_drive.room_for(hybrid, span.samples, span.start, span.end, span.tolerance, span.step)
        recorded = np.zeros((1 if wanted.stepwise else 0, 2 + 8 * room.base.size))
        arguments = (
            room.base, room.mem, room.real, room.whole, room.samples, room.sampled, room.marks, room.events, recorded,
            hybrid_drive.CHUNK,
        )  # fmt: skip
        address = address_of(hybrid_advance.advance, arguments)
        chunk = hybrid_drive.CHUNK, hybrid_drive.GROWTH, hybrid_drive.LONGEST
        plan = plan_for(wanted, address, chunk, hybrid.system.dynamics)
        hands.append(
            (
                plan, books_for(wanted, plan, room.base.guard_count), room.base, room.mem, room.real, room.whole,
                room.real.copy(), room.samples, room.sampled, room.marks, room.events, recorded,
            )
        )  # fmt: skip
    return Crew(hybrid_motions, hands)
