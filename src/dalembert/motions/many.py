"""Many motions by the engine: threads claim them one by one, and each thread has its own block of memory.

A thread is one call into the library, which does not hold Python's lock. Nothing is allocated for a motion.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Status
from dalembert.engine.library import library
from dalembert.motions.contact_sentences import failure
from dalembert.motions.kinked import kinked
from dalembert.motions.native import Coding, Native, code, room_of
from dalembert.motions.sentences import sentence
from dalembert.motions.span import TimeSpan
from dalembert.motions.starts import run_threads
from dalembert.motions.touching import NativeTouching, of_flights
from dalembert.motions.unilateral import HybridSystem
from dalembert.motions.written import written
from dalembert.programs.functions import LANES, Function
from dalembert.programs.system import CompiledSystem

CHUNK = 2000  # steps between two checks of the stop request
MOST_SAMPLED = 2**20  # numbers that a lane may keep of its motion


@dataclass(frozen=True)
class Wanted:
    """The records of every motion."""

    function: Function | None  # of x, accelerations and multipliers: the quantities at the end and at samples
    forces: bool
    energy: Function
    drift: bool
    columns: np.ndarray  # of the engine's struct `Column`
    counted: np.ndarray  # whole numbers of 32 bits: for every count, the kinds and indices of its events
    watched: Function | None
    watched_forces: bool
    watches: np.ndarray  # of the engine's struct `Wish`
    inputs: int  # of the functions of quantities
    rows: np.ndarray  # of 32 bits, too: places of their multipliers among those of the engine

    def is_only(self, *kinds: int) -> bool:
        """Whether only columns of these kinds are kept, and no step is examined."""
        return set(self.columns["kind"].tolist()) <= {*kinds} and not len(self.watches) and not self.drift


@dataclass(frozen=True)
class MotionTable:
    """The arrays that threads share, with one row for each motion."""

    parameters: np.ndarray
    states: np.ndarray  # consistent states at the start, replaced by those at the end
    ends: np.ndarray  # times reached
    status: np.ndarray
    values: np.ndarray
    notes: np.ndarray
    claimed: np.ndarray
    stop: np.ndarray
    left: np.ndarray  # number of motions that lanes left to the full loop

    @staticmethod
    def of(parameters: np.ndarray, states: np.ndarray, columns: int) -> MotionTable:
        """Memory for motions from these starts, with that many numbers of each."""
        count, notes = len(states), note_size(states.shape[1], parameters.shape[1])
        return MotionTable(
            np.ascontiguousarray(parameters, dtype=float), np.ascontiguousarray(states, dtype=float),
            np.full(count, np.nan), np.full(count, engine.WAITING, dtype=np.int64), np.full((count, columns), np.nan),
            np.zeros((count, notes)), *(room_of(8).view(np.int64) for _ in range(3)),
        )  # fmt: skip

    def struct(self) -> engine.Motions:
        """The engine's view of them, valid while the arrays live."""
        places = {name: array.ctypes.data for name, array in vars(self).items()}
        return engine.Motions(**places, count=len(self.status), note_size=self.notes.shape[1])


def note_size(size: int, parameters: int) -> int:
    """The number of values in the notes on a failure: state, slope, and the x at which an evaluation failed."""
    return engine.NOTES + 2 * size + 1 + size + parameters


def fits_lanes(system: CompiledSystem, span: TimeSpan) -> bool:
    """Whether motions can be stepped in lanes. They cannot with kinks, or with so many samples that memory matters."""
    eq, few = system.equations, len(span.samples) * 2 * system.n <= MOST_SAMPLED and kinked(system) is None
    plain = not eq.varying and not eq.guards_forces and span.stepper in ("auto", "dop853")
    return few and plain and written(system) is not None


def native_of(model: CompiledSystem | HybridSystem, span: TimeSpan, coded: Coding = code) -> Native:
    """The model in the engine's form, with everything written out that can be."""
    if isinstance(model, HybridSystem):
        return NativeTouching(model, *of_flights(model, span.stepper, span.tolerance), coded)
    kinks = kinked(model)
    return Native(model, written=written(model if kinks is None else kinks.system), coded=coded)


class Crew:
    """Threads that follow motions of a model and keep their records.

    With `lanes`, smooth motions run several at once. `kind` is the processor that lanes are compiled for; −1: the best.
    """

    def __init__(
        self,
        model: CompiledSystem | HybridSystem,
        span: TimeSpan,
        wanted: Wanted,
        threads: int,
        lanes: bool = True,
        kind: int = -1,
    ):
        self.model = model
        self._alive: list[Any] = [wanted]
        self.native = native_of(model, span)
        self.native.complete()
        self._wide = None if isinstance(model, HybridSystem) or not lanes else self._lanes(model, span)
        self._plan = plan_of(span, wanted, lambda f: code(f, self._alive), self._placed, CHUNK)
        loaded = library()
        given = c.byref(self.native.struct), c.byref(self._plan), self._wide and c.addressof(self._wide)
        room = loaded.dalembert_worker_memory(*given)
        self.rooms = [room_of(room) for _ in range(threads)]
        self._hands = [loaded.dalembert_worker(room.ctypes.data, *given, kind) for room in self.rooms]

    def _placed(self, array: np.ndarray) -> int:
        """The address of an array that stays where it is."""
        self._alive.append(array)
        return array.ctypes.data

    def _lanes(self, system: CompiledSystem, span: TimeSpan) -> engine.WideModel | None:
        """The model for lanes, if they are possible."""
        parts = written(system) if fits_lanes(system, span) else None
        if parts is None:
            return None
        functions = parts.functions(LANES)
        self._alive.append(functions)
        return engine.WideModel(self.native.struct.counts, *(code(f, self._alive) for f in functions.values()))

    def run(self, motions: MotionTable, stop: Callable[[], bool]) -> None:
        """Follow all waiting motions until `stop()` becomes true."""
        motions.claimed[0] = 0
        struct, follow = motions.struct(), library().dalembert_many
        run_threads(len(self._hands), lambda i: follow(self._hands[i], c.byref(struct)), stop, motions.stop)


def why(model: CompiledSystem | HybridSystem, motions: MotionTable, i: int) -> str:
    """The sentence for a motion that failed, from the engine's notes."""
    size = motions.states.shape[1]
    note, status = motions.notes[i], Status(int(motions.status[i]))
    time, row, step, guard, stepper = note[: engine.NOTES].tolist()
    y, slope, bad = (note[engine.NOTES + part * size :].ctypes.data for part in range(3))
    report = engine.Report(
        t=time, h=step, row=int(row), stepper=int(stepper), failed_guard=int(guard), y=y, slope=slope, bad=bad
    )
    valued = model.valued(motions.parameters[i].tolist())
    if isinstance(valued, HybridSystem):
        return failure(NativeTouching(valued), report, status)
    return sentence(Native(valued), report, status)


def plan_of(
    span: TimeSpan,
    wanted: Wanted,
    coded: Callable[[Function | None], Any],
    placed: Callable[[np.ndarray], int],
    chunk: int,
) -> Any:
    """The engine's plan. `placed` keeps an array and gives its address."""
    rows = placed(wanted.rows)

    def quantities(function: Function | None, forces: bool) -> Any:
        count = 0 if function is None else function.outputs
        return engine.Quantities(coded(function), count, wanted.inputs, forces and count > 0, rows)

    return engine.Plan(
        settings=span.settings(),
        values=quantities(wanted.function, wanted.forces),
        watched=quantities(wanted.watched, wanted.watched_forces),
        energies=coded(wanted.energy), sample_times=placed(np.array(span.samples, dtype=float)),
        wishes=placed(wanted.watches), columns=placed(wanted.columns), counted=placed(wanted.counted),
        sample_count=len(span.samples), wish_count=len(wanted.watches), column_count=len(wanted.columns),
        most_events=wanted.counted.shape[2], drift=wanted.drift, chunk=chunk,
    )  # fmt: skip
