"""A model in the hole of a shell: a head with counts and offsets, tables, and machine code; see shell.hpp."""

from __future__ import annotations

import ctypes as c
from collections.abc import Iterable

import numpy as np

from dalembert.engine import interface as engine
from dalembert.exchange.export.fmu.flat import GRAIN, PAGE, Flat, NotFlat, flat_programs, texts_of
from dalembert.exchange.export.fmu.shells import CALLED, HOLE, JUMP, shell_sources
from dalembert.exchange.export.taken import Taken

CODE = (
    "dynamics slopes position velocity guards laws rates correct_position correct_velocity kinks controls told".split()
)
TABLES = (
    "guard_kinds rows holonomic_rows angles contacts frictions switches clocks signals multiplier_rows "
    "start_states start_parameters parameter_least parameter_greatest"
).split()
STEPPED = ("slopes", "correct_position", "correct_velocity")


class Packed(c.Structure):
    _fields_ = [
        ("shell", c.c_char * 16),
        ("token", c.c_char * 48),
        *((name, c.c_double) for name in ("start_time", "duration", "tolerance")),
        ("counts", engine.Counts),
        *((name, c.c_int) for name in ("holonomic_count", "told_count", "told_inputs", *CODE, *TABLES)),
    ]


class Hole:
    """Bytes from the beginning of the hole, in which parts find their places."""

    def __init__(self) -> None:
        self.bytes = bytearray(c.sizeof(Packed))

    def put(self, part: bytes, grain: int = GRAIN) -> int:
        """The offset of a part; 0 if it is empty."""
        self.bytes += bytes(-len(self.bytes) % grain)
        self.bytes += part
        return len(self.bytes) - len(part) if part else 0

    def numbers(self, values: Iterable[float]) -> int:
        return self.put(np.array([*values, 0.0]).tobytes())


def with_model(shell: bytes, hole: bytes) -> bytes:
    """The shell with a model in its hole."""
    begin = shell.index(hole[:16])
    return shell[:begin] + hole + shell[begin + len(hole) :]


def holes_of(found: Taken, token: str, processors: Iterable[str]) -> dict[str, bytes]:
    """The contents of the hole by processor; none if the model does not fit."""
    programs = {name: function.program for name, function in found.native.functions.items()} | {"told": found.values}
    texts = texts_of(programs, STEPPED if "slopes" in programs else (*programs,))
    holes = {}
    for processor in processors:
        try:
            holes[processor] = _hole(found, token, flat_programs(texts, processor))
        except NotFlat:
            continue
    return {processor: hole for processor, hole in holes.items() if len(hole) <= HOLE}


def _hole(found: Taken, token: str, piece: Flat) -> bytes:
    hole, struct = Hole(), found.native.struct
    at = hole.put(bytes(piece.code), PAGE)
    jumps = {name: -at - JUMP * (len(CALLED) - i) for i, name in enumerate(CALLED)}
    hole.bytes[at : at + len(piece.code)] = piece.resolve(jumps)
    simulation, mark = found.record.simulation, shell_sources().encode()
    head = Packed(
        mark, token.encode(), found.start.time, float(simulation.duration or 1.0), simulation.tolerance,
        struct.counts, struct.holonomic_count, len(found.values.outputs), len(found.values.inputs),
        **{name: at + piece.places[name] for name in CODE if name in piece.places}, **_tables(found, hole),
    )  # fmt: skip
    hole.bytes[: c.sizeof(Packed)] = bytes(head)
    return bytes(hole.bytes)


def _tables(found: Taken, hole: Hole) -> dict[str, int]:
    tables = {name: table for name, table in found.native.tables.items() if name in TABLES}
    signals = type(tables["signals"])(*tables.pop("signals"))
    places = {name: hole.put(memoryview(table).tobytes()) for name, table in tables.items()}
    for own, (_, data) in zip(signals, found.native.system.signals, strict=True):
        own.times, own.cubics = hole.numbers(data.times), hole.numbers(data.cubics.ravel())
    low, high = found.ends
    return places | {
        "signals": hole.put(bytes(signals)),
        "multiplier_rows": hole.put(np.array([*found.multipliers.values(), 0], dtype=np.int32).tobytes()),
        "start_states": hole.numbers(found.states.values()),
        "start_parameters": hole.numbers(found.parameters.values()),
        "parameter_least": hole.numbers(low),
        "parameter_greatest": hole.numbers(high),
    }
