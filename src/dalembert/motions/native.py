"""A compiled system in the engine's form, and the memory of its motion."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.callbacks import callback
from dalembert.engine.library import library
from dalembert.motions.kinked import kinked
from dalembert.motions.scales import angles
from dalembert.motions.series import Jet
from dalembert.motions.written import Written
from dalembert.programs.functions import FEW_TIMES, OFTEN, Function
from dalembert.programs.system import CompiledSystem

LINES = 128  # bytes; processors fetch cache lines in pairs
Coding = Callable[[Function, list[Any]], Any]
Table = Any  # an array of NumPy with whole numbers, or of ctypes with structs


def room_of(size: int) -> np.ndarray:
    """Bytes, all zero, on cache lines that they share with no other memory.

    Vectors of eight numbers are as long as a line, and two threads that write to one line would send it back and forth
    between their cores.
    """
    whole = np.zeros(-(-size // LINES) * LINES + LINES, np.uint8)
    first = -whole.ctypes.data % LINES
    return whole[first : first + size]


def code(function: Function | None, kept: list[Any]) -> Any:
    """A compiled function in the form that the engine calls. One without machine code is called back in Python."""
    if function is None:
        return engine.Code()
    return engine.Code(function.address, None) if function.address else called_back(function, kept)


def uncoded(function: Function, kept: list[Any]) -> Any:
    """No code, for functions that are written out as text."""
    return engine.Code()


def when_called(make: Callable[[], Function], put: Callable[[Function], None], kept: list[Any]) -> Any:
    """Code that is made, and put in this one's place, when the engine first calls it."""

    def call(out: int, given: int, data: Any) -> None:
        function = make()
        put(function)
        engine.FUNCTION(function.address)(out, given, data)

    kept.append(callback(call))
    return engine.Code(c.cast(kept[-1], c.c_void_p).value, None)


def called_back(function: Function, kept: list[Any]) -> Any:
    """A function that the engine calls in Python."""
    inputs, outputs = function.inputs, function.outputs

    def call(out: int, given: int, _: Any) -> None:
        x = np.frombuffer(memoryview((c.c_double * max(inputs, 1)).from_address(given)))
        np.frombuffer(memoryview((c.c_double * max(outputs, 1)).from_address(out)))[:outputs] = function(x[:inputs])

    kept.append(callback(call))
    return engine.Code(c.cast(kept[-1], c.c_void_p).value, None)


def outside(system: CompiledSystem) -> tuple[c.Array[engine.Signal], c.Array[engine.Clock]]:
    """Data and controllers in the form that the engine reads."""
    eq, first = system.equations, 1 + system.size
    jumps = [one.between == "hold" or (one.between == "linear" and one.order > 0) for one in eq.signals.values()]
    signals = [
        engine.Signal(place - first, len(data.times), jump, data.times.ctypes.data, data.cubics.ctypes.data)
        for (place, data), jump in zip(system.signals, jumps, strict=True)
    ]
    clocks, held = [], 0
    for law in eq.sampled:
        clocks.append(engine.Clock(law.every, law.offset, held, len(law.values)))
        held += len(law.values)
    return (engine.Signal * len(signals))(*signals), (engine.Clock * len(clocks))(*clocks)


class Native:
    """The struct `Model` of a system. It keeps everything that it points to alive.

    With kinks, its functions are those on a branch (`kinks.system`), and `written` must belong to that system too. With
    `begins` only starts are asked for: there are no guards and rates, and kinks lie in the functions. `coded`
    makes the code of every function.
    """

    def __init__(
        self,
        system: CompiledSystem,
        active: Sequence[int] | None = None,
        written: Written | None = None,
        jet: Jet | None = None,
        coded: Coding = code,
        begins: bool = False,
    ):
        eq, kinks = system.equations, None if begins else kinked(system)
        self.system, self.kinks, self.coded = system, kinks, coded
        source = system if kinks is None else kinks.system
        switches = () if kinks is None else kinks.kinks
        rows = np.arange(system.m, dtype=np.int32) if active is None else np.array(active, dtype=np.int32)
        holonomic = [i for i, row in enumerate(eq.constraints) if row.kind == "holonomic"]
        on = set(rows.tolist())
        flat = np.array([k for k, i in enumerate(holonomic) if i in on], dtype=np.int32)
        kinds = [1 if stop else 0 for _, stop in eq.events.values()] + [2] * len(eq.masses) + [3] * len(switches)
        kinds = [] if begins else kinds
        own = np.ascontiguousarray(system.parameters[system.s :])
        signals, clocks = outside(system)
        self.tables: dict[str, Table] = {}  # the arrays that the struct points to, by the names of its members
        functions = {
            "dynamics": source.dynamics,
            "position": source.position if system.mh else None,
            "velocity": source.velocity if system.m else None,
            "guards": None if not kinds else system.guards if kinks is None else kinks.guards,
            "jet": None if jet is None else jet.function,
            "kinks": None if kinks is None else kinks.rows,
            "rates": source.rates if system.s and not begins else None,
            "controls": source.controls if clocks and not begins else None,
            **({} if written is None else written.functions(level=system.level)),
        }
        self.functions = {name: function for name, function in functions.items() if function is not None}
        self.spares = written is not None and eq.unilateral is None  # functions that are rarely called
        self.kept: list[Any] = [own, self.functions, system.signals]
        self.struct = engine.Model(
            counts=engine.Counts(
                n=system.n, m=system.m, holonomic=system.mh, reactions=system.reactions, extra=system.k,
                states=system.s, parameters=len(own), guards=len(kinds), symmetric=bool(eq.symmetric),
                general=eq.R is not None, bilateral=system.m, bilateral_holonomic=system.mh, contacts=0, frictions=0,
                has_slopes=written is not None, rows=len(rows),
                corrections=0 if written is None else written.corrections,
                jet_order=0 if jet is None else jet.order, jet_guards=0 if jet is None else jet.guards,
                switches=len(switches), branches=0 if kinks is None else kinks.branches,
                signals=len(signals), clocks=len(clocks), held=sum(clock.count for clock in clocks),
                guard_forces=bool(kinds and eq.guards_forces),
            ),
            parameters=own.ctypes.data,
            holonomic_count=len(flat),
            **{name: self._code(name, function, written) for name, function in self.functions.items()},
        )  # fmt: skip
        self.put(
            guard_kinds=np.array(kinds, dtype=np.int32), rows=rows, holonomic_rows=flat, angles=angles(system),
            switches=(engine.Switch * len(switches))(*(engine.Switch(k.branch, k.kind, k.degree) for k in switches)),
            signals=signals, clocks=clocks, contacts=(engine.ContactLaw * 0)(), frictions=(engine.FrictionLaw * 0)(),
            mode_statuses=np.zeros(0, np.int32),
        )  # fmt: skip

    def put(self, **tables: Table) -> None:
        """Let the struct point to these arrays."""
        for name, table in tables.items():
            self.tables[name] = table
            place = table.ctypes.data if isinstance(table, np.ndarray) else c.addressof(table)
            setattr(self.struct, name, place)

    def _code(self, name: str, function: Function, written: Written | None) -> Any:
        """The machine code of a function. One that a written-out function replaces is made when it is first needed."""
        spare = written is not None and self.coded is code and name in ("dynamics", "position", "velocity", "jet")
        if not spare or function.backend != "llvm" or function.is_compiled:
            return self.coded(function, self.kept)

        def put(found: Function) -> None:
            setattr(self.struct, name, code(found, self.kept))

        return when_called(lambda: function, put, self.kept)

    def complete(self) -> None:
        """Make all code now, because threads of the engine copy the struct and must not wait for Python."""
        for name, function in self.functions.items():
            setattr(self.struct, name, code(function, self.kept))

    def optimize(self) -> None:
        """Replace the most-called code by code that takes longer to compile and gives the same bits."""
        for name, function in self.functions.items():
            used = name in ("slopes", "correct_position", "correct_velocity") or not self.spares
            if function.address and used and function.level == FEW_TIMES:
                self.functions[name] = replace(function, level=OFTEN)
                setattr(self.struct, name, code(self.functions[name], self.kept))

    @property
    def size(self) -> int:
        return self.system.size


class EngineMotion:
    """One motion inside the engine: its block of memory and its handle."""

    def __init__(self, native: Native):
        self.native = native
        self.library = library()
        self._memory = room_of(self.library.dalembert_memory(c.byref(native.struct)))
        self.handle = self.library.dalembert_motion(self._memory.ctypes.data, c.byref(native.struct))

    def set(self, settings: engine.Settings, y: np.ndarray, natural: np.ndarray) -> None:
        y, natural = np.ascontiguousarray(y, dtype=float), np.ascontiguousarray(natural, dtype=float)
        self.library.dalembert_set(self.handle, c.byref(settings), y.ctypes.data, natural.ctypes.data)

    def run(self, desk: engine.Desk, most: int) -> engine.Status:
        return engine.Status(self.library.dalembert_run(self.handle, c.byref(desk), most))

    def report(self) -> engine.Report:
        found = engine.Report()
        self.library.dalembert_report(self.handle, c.byref(found))
        return found

    def modes(self) -> np.ndarray:
        """The present status of every contact, then of every friction."""
        counts = self.native.struct.counts
        found = np.zeros(counts.contacts + counts.frictions + 1, np.int32)
        self.library.dalembert_modes(self.handle, found.ctypes.data)
        return found[:-1].astype(np.int64)


def vector(place: int, count: int) -> np.ndarray:
    """A copy of an array inside the engine."""
    return np.array((c.c_double * count).from_address(place))
