"""Many motions on a device, by the engine's own text with a model's programs inlined (engine/kernel.cu, follow.cu).

Smooth motions of which only values at states are kept run in registers (`steps`), with all speeds or, if cheaper, with
independent ones. Motions that fail there, and all others, use the full loop (`follow`), or the processor's loop if they
are so few that compiling the full loop for the device would cost more.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Status
from dalembert.engine.library import library
from dalembert.motions.bouncing import Bouncing, bouncing_of, bouncing_text
from dalembert.motions.device import Device, Kernels
from dalembert.motions.inlined import Way, constants, functions_text, model_text, stepping_text
from dalembert.motions.many import Crew, MotionTable, Wanted, native_of, plan_of
from dalembert.motions.span import TimeSpan
from dalembert.motions.starts import ManyStarts
from dalembert.motions.unilateral import HybridSystem
from dalembert.programs.corrections import correction
from dalembert.programs.order import sparing
from dalembert.programs.program import Program
from dalembert.programs.slopes import THOROUGH, reduced, slopes
from dalembert.programs.system import CompiledSystem

LINE = 64  # bytes to which a thread's memory is aligned
FEW = 1000  # motions up to which the full loop is not compiled for a device
LONGEST = 24  # components whose stages still fit in registers, or nearly so
SHORT = 900  # price of an evaluation, in sums, below which a copy for every stage is faster than a loop
ROUNDS = 1000  # times that motions go to the full loop for an event and come back
DEAREST = 8000  # price of an evaluation, in sums, beyond which twelve copies take too long to compile


def way_of(system: CompiledSystem, x: np.ndarray, sampled: bool) -> Way | None:
    """What is stepped in registers for motions that start near x, or None if nothing can be written out."""
    eq = system.equations
    if eq.unilateral is not None or system.k or eq.masses or eq.R is not None or eq.varying:
        return None

    def corrected(rates: bool) -> Program | None:
        return correction(eq, rates) if (system.m if rates else system.mh) else None

    def all_speeds() -> Way | None:
        found = slopes(eq, x, THOROUGH)
        return None if found is None else Way(found.program, 2 * system.n, corrected(False), corrected(True))

    def fewer() -> Way | None:
        found = reduced(eq, x) if system.m else None
        if found is None:
            return None
        return Way(found.slopes, len(found.slopes.outputs) - 1, corrected(False), None, found)

    ways = [system.once(("all speeds", x.tobytes()), all_speeds)]
    if not sampled:
        ways.append(system.once(("independent speeds", x.tobytes()), fewer))
    fit = [way for way in ways if way is not None and way.stepped <= LONGEST and way.slopes.price <= DEAREST]
    return min(fit, key=lambda way: (way.slopes.price, way.stepped), default=None)


class DeviceCrew:
    """Follows motions of a model on a device and keeps their records.

    `x` is the model's own start. `processor` makes the crew that computes a few motions instead of the device's loop.
    A span with the stepper rk4 has steps of one length.
    """

    def __init__(
        self,
        model: CompiledSystem | HybridSystem,
        span: TimeSpan,
        wanted: Wanted,
        device: Device,
        x: np.ndarray | None,
        processor: Callable[[], Crew] | None = None,
    ):
        self.steps = round(span.length / span.step) if span.stepper == "rk4" and span.step is not None else 0
        self._kernels: dict[str, Kernels] = {}
        self.model, self.span, self.wanted, self.device, self.processor = model, span, wanted, device, processor
        self.native = native_of(model, replace(span, stepper="dop853"))  # there is no other on a device
        self.way = self._way(x)
        self.bouncing = self._bouncing()
        self._there: list[Any] = []
        self._plan = plan_of(span, wanted, lambda _: engine.Code(), self._placed, 2**30)
        rooms = (c.c_longlong * 4)()
        library().dalembert_rooms(c.byref(self.native.struct), c.byref(self._plan), rooms)
        names = "SYSTEM_ROOM", "KEEPER_ROOM", "BOOKS_ROOM", "CARRIED_ROOM"
        self.rooms = {name: -(-room // LINE) * LINE for name, room in zip(names, rooms, strict=True)}
        self.plan = device.there(np.frombuffer(bytes(self._plan), np.uint8))

    def _placed(self, array: np.ndarray) -> int:
        """The address of a copy on the device."""
        self._there.append(self.device.there(array))
        return self.device.address(self._there[-1])

    def _way(self, x: np.ndarray | None) -> Way | None:
        """What is stepped in registers, if only values at the end and at samples are kept."""
        plain = self.wanted.is_only(engine.AT_END, engine.AT_SAMPLE) and not self.native.struct.counts.guards
        if x is None or isinstance(self.model, HybridSystem) or not plain:
            return None
        return way_of(self.model, x, len(self.span.samples) > 0)

    def _bouncing(self) -> Bouncing | None:
        """The programs of modes of contacts, if states at the end, counts and times of events are all that is kept."""
        model, plain = self.model, self.wanted.is_only(engine.AT_END, engine.COUNTED, engine.FIRST_TIME)
        forces = self.wanted.forces or self.native.struct.counts.guard_forces
        if not (plain and isinstance(model, HybridSystem)) or forces:
            return None
        own = self.native.functions.get("guards")
        return model.system.once(("bouncing", self.native.struct.counts.guards), lambda: bouncing_of(model, own))

    def text(self, main: str) -> str:
        """The whole text of a kernel."""
        wanted = self.wanted
        sizes: dict[str, object] = {
            **self.rooms, "SAMPLED": int(len(self.span.samples) > 0), "VALUE_INPUTS": wanted.inputs,
            "FIXED_STEPS": self.steps, "VALUE_COUNT": 0 if wanted.function is None else wanted.function.outputs,
            "STAGES_OF_RK4": "UNROLL" if self.way and self.way.slopes.price < SHORT else "ROLLED",
        }  # fmt: skip
        called = {"values_of": wanted.function, "watched_of": wanted.watched, "energies_of": wanted.energy}
        parts = [constants(sizes), model_text(self.native), functions_text(called)]
        if self.way is not None and main == "kernel.cu":
            # DOP853 holds twelve slopes in registers, so that few are left for an evaluation
            way = self.way if self.steps else replace(self.way, slopes=sparing(self.way.slopes))
            parts.append(stepping_text(self.native, way))
        if self.bouncing is not None and main == "bounce.cu":
            parts.append(bouncing_text(self.native, self.bouncing))
        return "\n".join([*parts, f'#include "{main}"\n'])

    def kernels(self, main: str) -> Kernels:
        if main not in self._kernels:
            self._kernels[main] = self.device.compiled(self.text(main), long=main == "follow.cu")
        return self._kernels[main]

    def run(self, motions: MotionTable, stop: Callable[[], bool]) -> None:
        """Follow all waiting motions. A launch cannot be interrupted."""
        if self.way is not None and (motions.status == engine.WAITING).any():
            self._step(motions)
        if self.bouncing is not None and (motions.status == engine.WAITING).any():
            self._bounce(motions, stop)
        left = np.flatnonzero(motions.status == engine.WAITING)
        if len(left) and not stop():
            self._follow(motions, left, stop)

    def _step(self, motions: MotionTable) -> None:
        count, size, device = len(motions.status), motions.states.shape[1], self.device
        shared = DeviceMotions(device, motions)
        natural = device.room((count, size))
        samples = device.room((count, len(self.span.samples), size))
        steps = device.room((count,), np.int32)
        kernels = self.kernels("kernel.cu")
        kernels.run("sizes", count, (self.plan, shared.struct, natural))
        kernels.run("steps", count, (self.plan, shared.struct, natural, samples, steps))
        kernels.run("columns", count, (self.plan, shared.struct, samples))
        shared.take_back()

    def _bounce(self, motions: MotionTable, stop: Callable[[], bool]) -> None:
        """Steps in registers and the full loop in turns. A few motions that are left begin again on the processor."""
        count, device = len(motions.status), self.device
        shared = DeviceMotions(device, motions, notes=True)
        natural = device.room(motions.states.shape)
        carriage = device.room((count * self.rooms["CARRIED_ROOM"],), np.uint8)
        kernels = self.kernels("bounce.cu")
        kernels.run("sizes", count, (self.plan, shared.struct, natural))
        kernels.run("open", count, (self.plan, shared.struct, carriage))
        for _ in range(ROUNDS):
            kernels.run("bounce", count, (self.plan, shared.struct, natural, carriage))
            left = shared.handed_over()
            if left == 0 or (left <= FEW and self.processor is not None) or stop():
                break
            shared.claim_again()
            full = self.kernels("follow.cu")
            full.run("go_on", full.threads("go_on", left), (self.plan, shared.struct, natural, carriage))
        kernels.run("columns", count, (self.plan, shared.struct, carriage))
        begun = motions.states.copy()
        shared.take_back()
        again = np.isin(motions.status, (engine.HANDED_OVER, engine.WAITING))
        motions.states[again], motions.status[again] = begun[again], engine.WAITING

    def _follow(self, motions: MotionTable, left: np.ndarray, stop: Callable[[], bool]) -> None:
        part = MotionTable.of(motions.parameters[left], motions.states[left], motions.values.shape[1])
        if len(left) <= FEW and self.processor is not None:
            self.processor().run(part, stop)
        else:
            shared = DeviceMotions(self.device, part, notes=True)
            full = self.kernels("follow.cu")
            threads = full.threads("follow", len(left))
            shelves = self.device.room((threads * self.rooms["BOOKS_ROOM"],), np.uint8)
            full.run("follow", threads, (self.plan, shared.struct, shelves))
            shared.take_back()
        for name in ("states", "ends", "status", "values", "notes"):
            getattr(motions, name)[left] = getattr(part, name)


class DeviceMotions:
    """Motions on a device."""

    def __init__(self, device: Device, motions: MotionTable, notes: bool = False):
        self.device, self.motions, self.notes = device, motions, notes
        copied = ("parameters", "states", "status", *(("notes",) if notes else ()))
        self.arrays = {name: device.there(getattr(motions, name)) for name in copied}
        self.arrays |= {name: device.room(getattr(motions, name).shape) for name in ("ends", "values")}
        self.claim_again()

    def claim_again(self) -> None:
        """Threads that claim motions begin with the first one."""
        device, motions = self.device, self.motions
        self.arrays |= {name: device.there(np.zeros(1, np.int64)) for name in ("claimed", "stop", "left")}
        places = {name: device.address(array) for name, array in self.arrays.items()}
        struct = engine.Motions(**places, count=len(motions.status), note_size=motions.notes.shape[1])
        self.struct = device.there(np.frombuffer(bytes(struct), np.uint8))

    def handed_over(self) -> int:
        """The number of motions that were handed over."""
        return int((self.device.back(self.arrays["status"]) == engine.HANDED_OVER).sum())

    def take_back(self) -> None:
        """Copy the results back."""
        motions, back = self.motions, self.device.back
        motions.status[:] = back(self.arrays["status"])
        done = np.isin(motions.status, (Status.FINISHED, Status.STOPPED_BY_EVENT))
        for name in ("states", "ends", "values"):
            mine = getattr(motions, name)
            found = back(self.arrays[name]).reshape(mine.shape)
            if done.all() or (self.notes and name != "values"):
                mine[...] = found
            else:
                mine[done] = found[done]
        if self.notes:
            motions.notes[...] = back(self.arrays["notes"]).reshape(motions.notes.shape)


class DeviceStarts:
    """Finds consistent initial states on a device, or on the processor if there are few."""

    def __init__(self, starts: ManyStarts, device: Device, few: int = FEW):
        self.starts, self.device, self.few = starts, device, few
        self.left = starts.left

    @cached_property
    def kernels(self) -> Kernels:
        room = library().dalembert_start_memory(c.byref(self.starts.native.struct))
        text = [constants({"START_ROOM": int(room)}), model_text(self.starts.native), '#include "starts.cu"\n']
        return self.device.compiled("\n".join(text))

    def run(self, time: float, parameters: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Like `ManyStarts.run`."""
        count, device = len(states), self.device
        if not any(self.starts.rows):
            return np.zeros(count, np.int64), np.zeros((count, self.left))
        if count <= self.few:
            return self.starts.run(time, parameters, states)
        there = [device.there(array) for array in (self.starts.given, parameters, states)]
        status, left = device.room((count,), np.int64), device.room((count, self.left))
        every = engine.Starts(time, *map(device.address, (*there, left, status)), None, count, self.left)
        self.kernels.run("starts", count, [device.there(np.frombuffer(bytes(every), np.uint8))])
        states[...] = device.back(there[2]).reshape(states.shape)
        return device.back(status), device.back(left)
