"""A system in the form that a page needs: its programs as one module of WebAssembly, the engine's structs as rows of
numbers.

In wasm32 every member of `Model` has four bytes: a number, a place in memory, or a place in the table of functions. A
row has one entry for each member:

    a number, taken literally;  a list, for the place of these integers, where a list in it is the place of these
    doubles;  a name, for the function or array of that name.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.build import BROWSER
from dalembert.engine.sources import ROOM, sources
from dalembert.motions.inlined import functions_of
from dalembert.motions.kinked import kinked
from dalembert.motions.native import Native, outside, uncoded
from dalembert.motions.touching import NativeTouching
from dalembert.motions.unilateral import HybridSystem
from dalembert.motions.written import as_alone
from dalembert.programs import wasm
from dalembert.programs.program import Program
from dalembert.programs.system import CompiledSystem

Row = list[int | str | list[Any]]


@dataclass(frozen=True)
class Carried:
    """The module, and the row of the struct `Model` without written-out slopes."""

    module: bytes
    model: Row
    begins: Row | None  # the same for starts, if kinks are branches of the model
    slopes: bool  # accelerations are written out; they are valid if their last output is 1
    corrections: int


def engine_module() -> bytes | None:
    """The engine for wasm32, or None if it was not built from the present headers."""
    path = ROOM / BROWSER
    data = path.read_bytes() if path.exists() else b""
    return data if sources(browser=True).encode() in data else None


def carried(
    system: CompiledSystem, hybrid: HybridSystem | None, more: Mapping[str, Program], alone: CompiledSystem
) -> Carried:
    """The system with everything that its motions need, and further programs of x.

    `alone` is the system without the forces of a hand, whose parameters come last. Its written-out accelerations are
    those of Python, and a page uses them while no hand pulls.
    """
    kinks = kinked(system) if hybrid is None else hybrid.kinks

    def native_of(begins: bool) -> Native:
        if hybrid is not None:
            return NativeTouching(hybrid, coded=uncoded, begins=begins)
        return Native(system, kinks=None if begins else kinks, coded=uncoded, begins=begins)

    native, first = native_of(False), native_of(True)
    found = as_alone(system, alone) if hybrid is None and kinks is None else None
    programs = {name: function.program for name, function in functions_of(first).items()}
    named = {}  # functions with branches, which only the engine's model sees
    for name, function in functions_of(native).items():
        named[name] = name if kinks is None else f"{name} on branch"
        programs[named[name]] = function.program
    if found is not None:
        parts = {"slopes": found.slopes, "correct_position": found.position, "correct_velocity": found.velocity}
        programs |= {name: program for name, program in parts.items() if program is not None}
    return Carried(
        wasm.module(programs | dict(more)),
        _row(native, programs, named),
        None if kinks is None else _row(first, programs, {}),
        found is not None,
        0 if found is None else found.corrections,
    )


def places() -> dict[str, int]:
    """The places of members for a page: in the row of a model, and in the bytes of a report."""
    counts = [field[0] for field in engine.Counts._fields_]
    sizes = [8 if field[1] is c.c_double else 4 for field in engine.Report._fields_]
    report = {field[0]: sum(sizes[:i]) for i, field in enumerate(engine.Report._fields_)}
    return {
        "has_slopes": counts.index("has_slopes"), "corrections": counts.index("corrections"), "report": sum(sizes),
        "report_y": report["y"], "report_row": report["row"], "report_guard": report["failed_guard"],
    }  # fmt: skip


def _signals(system: CompiledSystem) -> list[Any]:
    """The structs `Signal` in four-byte words, with the times and coefficients of their pieces."""
    found: list[Any] = []
    for one, (_, data) in zip(outside(system)[0], system.signals, strict=True):
        found += [one.place, one.count, one.jumps, data.times.tolist(), data.cubics.ravel().tolist()]
    return found


def _row(native: Native, programs: Mapping[str, Program], named: Mapping[str, str]) -> Row:
    """The row of a model's struct. `named` functions have other names in the module."""
    rows, flat, kinds, _, angles = native.arrays
    arrays: dict[str, Any] = {
        "parameters": "parameters", "rows": rows.tolist(), "holonomic_rows": flat.tolist(),
        "guard_kinds": kinds.tolist(), "angles": angles.tolist(), "switches": _whole(native.switches),
        "signals": _signals(native.system), "clocks": _whole(outside(native.system)[1]),
    }  # fmt: skip
    if isinstance(native, NativeTouching):
        arrays["contacts"], arrays["frictions"] = (_whole(part) for part in native.laws)
    found: Row = []
    for name, kind in engine.Model._fields_:
        value = getattr(native.struct, name)
        if kind is engine.Counts:
            found += [getattr(value, part) for part, _ in kind._fields_]
        elif kind is engine.Code:
            called = named.get(name, name)
            found += [called if called in programs and programs[called].outputs else 0, 0]
        elif kind is c.c_void_p:
            found.append(arrays.get(name, []))
        else:
            found.append(int(value))
    return found


def _whole(structs: c.Array[Any]) -> list[int]:
    return np.frombuffer(bytes(structs), np.int32).tolist()
