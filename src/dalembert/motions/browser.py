"""A system in the form that a page needs: programs as one module of WebAssembly, structs as rows of numbers.

In wasm32 every member of `Model` has four bytes: a number, a place in memory, or a place in the table of functions. A
row has one entry for each member:

    a number, taken literally;  a list, for the place of these integers, where a list in it is the place of these
    doubles and a name is a function;  a name, for the function or array of that name.
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
from dalembert.motions.kinked import kinked
from dalembert.motions.many import native_of
from dalembert.motions.native import Native, uncoded
from dalembert.motions.span import TimeSpan
from dalembert.motions.touching import NativeTouching
from dalembert.motions.unilateral import HybridSystem
from dalembert.programs import wasm
from dalembert.programs.program import Program
from dalembert.programs.system import CompiledSystem

Row = list[int | str | list[Any]]
Compiled = CompiledSystem | HybridSystem


@dataclass(frozen=True)
class PageSystem:
    """The module, and rows of the struct `Model`."""

    module: bytes
    model: Row  # Python's own
    pulled: Row  # with the forces of a hand, which solves with pivots
    begins: Row  # for starts and their natural sizes: kinks are in its functions
    checked: bool  # "moving slopes" are valid for a motion if their last output at the start is 1


def engine_module() -> bytes | None:
    """The engine for wasm32, or None if it was not built from the present headers."""
    path = ROOM / BROWSER
    data = path.read_bytes() if path.exists() else b""
    return data if sources(browser=True).encode() in data else None


def carried(free: Compiled, pulled: Compiled, more: Mapping[str, Program]) -> PageSystem:
    """A system with everything that its motions need, and further programs of x.

    `pulled` is the same system with the forces of a hand, whose parameters come last. While no hand pulls, a page uses
    the programs of `free`, which are those of Python.
    """
    system = free if isinstance(free, CompiledSystem) else free.system
    rows, programs = [], dict(more)
    for prefix, native in (("moving ", _moving(free)), ("pulled ", _native(pulled)), ("", _native(free, begins=True))):
        found = {name: function.program for name, function in native.functions.items()}
        if isinstance(native, NativeTouching):
            found |= {f"mode {i}": made().program for i, made in enumerate(native.mode_functions)}
        found |= {"rates": system.rates.program} if not prefix else {}  # natural sizes of a start hold rates
        own = {name: program for name, program in found.items() if program.outputs}
        programs |= {prefix + name: program for name, program in own.items()}
        rows.append(_row(native, {name: prefix + name for name in own}))
    checked = isinstance(free, CompiledSystem) and kinked(free) is None and "moving slopes" in programs
    model, by_hand, begins = rows
    return PageSystem(wasm.module(programs), model, by_hand, begins, checked)


def _moving(model: Compiled) -> Native:
    """The struct from which Python starts a motion, but for series."""
    native = native_of(model, TimeSpan(0.0, 1.0, stepper="dop853"), uncoded)
    if isinstance(native, NativeTouching) and native.kinks is None:
        native.write_modes()
    return native


def _native(model: Compiled, begins: bool = False) -> Native:
    """The struct without written-out programs."""
    if isinstance(model, HybridSystem):
        return NativeTouching(model, coded=uncoded, begins=begins)
    return Native(model, coded=uncoded, begins=begins)


def places() -> dict[str, int]:
    """The places of members for a page: in the row of a model, and in the bytes of a report."""
    counts = [field[0] for field in engine.Counts._fields_]
    sizes = [8 if field[1] is c.c_double else 4 for field in engine.Report._fields_]
    report = {field[0]: sum(sizes[:i]) for i, field in enumerate(engine.Report._fields_)}
    return {
        "has_slopes": counts.index("has_slopes"), "corrections": counts.index("corrections"), "report": sum(sizes),
        "report_y": report["y"], "report_row": report["row"], "report_guard": report["failed_guard"],
    }  # fmt: skip


def _row(native: Native, named: Mapping[str, str]) -> Row:
    """The row of a model's struct, with the names that its functions have in the module."""
    words = {name: memoryview(table).tobytes() for name, table in native.tables.items()}
    arrays: dict[str, Any] = {name: np.frombuffer(part, np.int32).tolist() for name, part in words.items()}
    arrays["parameters"] = "parameters"
    arrays["signals"] = [  # with the times and coefficients of their pieces in place of pointers
        word
        for one, (_, data) in zip(native.tables["signals"], native.system.signals, strict=True)
        for word in (one.place, one.count, one.jumps, data.times.tolist(), data.cubics.ravel().tolist())
    ]
    if isinstance(native, NativeTouching):
        arrays["mode_code"] = [word for i in range(len(native.mode_functions)) for word in (named[f"mode {i}"], 0)]
    found: Row = []
    for name, kind in engine.Model._fields_:
        value = getattr(native.struct, name)
        if kind is engine.Counts:
            found += [getattr(value, part) for part, _ in kind._fields_]
        elif kind is engine.Code:
            found += [named.get(name, 0), 0]
        elif kind is c.c_void_p:
            found.append(arrays.get(name, []))
        else:
            found.append(int(value))
    return found
