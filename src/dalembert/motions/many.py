"""Many motions by the engine: threads claim them one by one, and each thread has its own block of memory.

A thread is one call into the library, which does not hold Python's lock. Nothing is allocated for a motion.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Status
from dalembert.engine.library import library
from dalembert.motions.contact import failure
from dalembert.motions.kinked import kinked
from dalembert.motions.native import Coding, EngineMotion, Native, code, room_of
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
    columns: np.ndarray  # kind and two places for each
    counted: np.ndarray  # for every count, the kinds and indices of its events
    watched: Function | None
    watched_forces: bool
    what: np.ndarray  # kind, place and direction of every watch
    level: np.ndarray  # the level of a crossing
    inputs: int  # of the functions of quantities
    rows: np.ndarray  # places of their multipliers among those of the engine

    @property
    def stepwise(self) -> bool:
        """Whether every step is examined."""
        return len(self.what) > 0 or self.drift


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
    def of(parameters: np.ndarray, states: np.ndarray, columns: int, notes: int) -> MotionTable:
        """Memory for motions from these starts, with that many numbers and notes on a failure for each."""
        count = len(states)
        return MotionTable(
            np.ascontiguousarray(parameters, dtype=float), np.ascontiguousarray(states, dtype=float),
            np.full(count, np.nan), np.full(count, engine.WAITING, dtype=np.int64), np.full((count, columns), np.nan),
            np.zeros((count, notes)), *(room_of(8).view(np.int64) for _ in range(3)),
        )  # fmt: skip

    def struct(self) -> engine.Motions:
        """The engine's view of them, valid while the arrays live."""
        places = {name: array.ctypes.data for name, array in vars(self).items()}
        return engine.Motions(**places, count=len(self.status), note_size=self.notes.shape[1])


def note_size(size: int, inputs: int) -> int:
    """The number of values in the notes on a failure."""
    return engine.NOTES + 2 * size + inputs


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
    return Native(model, written=written(model if kinks is None else kinks.system), kinks=kinks, coded=coded)


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
        self._arrays = arrays_of(span, wanted)
        self._plan = plan_of(
            span, wanted, lambda f: code(f, self._alive), [array.ctypes.data for array in self._arrays], CHUNK
        )
        loaded = library()
        given = c.byref(self.native.struct), c.byref(self._plan), self._wide and c.addressof(self._wide)
        room = loaded.dalembert_worker_memory(*given)
        self.rooms = [room_of(room) for _ in range(threads)]
        self._hands = [loaded.dalembert_worker(room.ctypes.data, *given, kind) for room in self.rooms]

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
    """The sentence for a motion that failed."""
    status, parameters = Status(int(motions.status[i])), motions.parameters[i].tolist()
    if not isinstance(model, HybridSystem):
        native = Native(model.valued(parameters), kinks=kinked(model))
        return sentence(_Ended(native, motions.notes[i]), status)
    touching = NativeTouching(model.valued(parameters))
    return failure(_Ended(touching, motions.notes[i]), touching, status)


def arrays_of(span: TimeSpan, wanted: Wanted) -> tuple[np.ndarray, ...]:
    """Times, wishes, columns, counts and rows in the form that the engine reads."""
    wishes = np.zeros(len(wanted.what), engine.Wish)
    wishes["level"] = wanted.level
    wishes["kind"], wishes["place"], wishes["direction"] = wanted.what.T
    columns = np.zeros(len(wanted.columns), engine.Column)
    columns["kind"], columns["place"], columns["more"] = wanted.columns.T
    return (
        np.ascontiguousarray(span.samples, dtype=float), wishes, columns,
        np.ascontiguousarray(wanted.counted, dtype=np.int32), np.ascontiguousarray(wanted.rows, dtype=np.int32),
    )  # fmt: skip


def plan_of(
    span: TimeSpan, wanted: Wanted, coded: Callable[[Function | None], Any], addresses: Sequence[int], chunk: int
) -> Any:
    """The engine's plan. `addresses` are those of `arrays_of`."""
    times, wishes, columns, counted, rows = addresses

    def quantities(function: Function | None, forces: bool) -> Any:
        count = 0 if function is None else function.outputs
        return engine.Quantities(coded(function), count, wanted.inputs, forces and count > 0, rows)

    return engine.Plan(
        settings=span.settings(),
        values=quantities(wanted.function, wanted.forces),
        watched=quantities(wanted.watched, wanted.watched_forces),
        energies=coded(wanted.energy), sample_times=times, wishes=wishes, columns=columns, counted=counted,
        sample_count=len(span.samples), wish_count=len(wanted.what), column_count=len(wanted.columns),
        most_events=wanted.counted.shape[2], drift=wanted.drift, chunk=chunk,
    )  # fmt: skip


class _Ended(EngineMotion):
    """A failed motion in the form that `sentence` needs, made from the engine's notes."""

    def __init__(self, native: Native, note: np.ndarray):
        self.native, self.note = native, np.ascontiguousarray(note)
        time, row, step, guard, stepper = note[: engine.NOTES].tolist()
        y, slope, bad = (self.note[engine.NOTES + part * native.size :].ctypes.data for part in range(3))
        self.found = engine.Report(
            t=time, h=step, row=int(row), stepper=int(stepper), failed_guard=int(guard), y=y, slope=slope, bad=bad
        )

    def report(self) -> Any:
        return self.found
