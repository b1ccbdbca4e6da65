"""A system in the form that a page needs: its programs as one module of WebAssembly, the engine's structs as rows of
numbers.

In wasm32 every member of `Model` and `Constraints` has four bytes: a number, a place in memory, or a place in the table
of functions. A row has one entry for each member:

    a number, taken literally;  a list, for the place of these integers, where a list in it is the place of these
    doubles;  a name, for the function or array of that name.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.engine import library as engine
from dalembert.engine import many as doors
from dalembert.engine.build import BROWSER
from dalembert.engine.sources import ROOM, sources
from dalembert.motions.kinked import kinked
from dalembert.motions.native import Native, outside
from dalembert.motions.starts import held_rows
from dalembert.motions.touching import NativeTouching
from dalembert.motions.unilateral import HybridSystem
from dalembert.motions.written import as_alone
from dalembert.programs import wasm
from dalembert.programs.functions import Function
from dalembert.programs.program import Program
from dalembert.programs.system import CompiledSystem

Row = list[int | str | list[Any]]


@dataclass(frozen=True)
class Carried:
    """The module, and the rows of the structs `Model` and `Constraints` without written-out slopes."""

    module: bytes
    model: Row
    constraints: Row
    slopes: bool  # accelerations are written out; they are valid if their last output is 1
    corrections: int


def engine_module() -> bytes | None:
    """The engine for wasm32, or None if it was not built from the present headers."""
    path = ROOM / BROWSER
    data = path.read_bytes() if path.exists() else b""
    return data if sources(browser=True).encode() in data else None


def carried(
    system: CompiledSystem,
    hybrid: HybridSystem | None,
    given: np.ndarray,
    more: Mapping[str, Program],
    alone: CompiledSystem,
) -> Carried:
    """The system with everything that its motions need, and further programs of x.

    `alone` is the system without the forces of a hand, whose parameters come last. Its written-out accelerations are
    those of Python, and a page uses them while no hand pulls.
    """
    native = (
        Native(system, kinks=kinked(system), bare=True, driven=True)
        if hybrid is None
        else NativeTouching(hybrid, bare=True, driven=True)
    )
    found = as_alone(system, alone) if hybrid is None and native.kinks is None else None
    own = native.functions if native.kinks is None else _functions(native.system)
    programs = {name: function.program for name, function in own.items() if function is not None}
    named = {}  # functions with branches, which only the engine's model sees
    if native.kinks is not None:
        for name, function in {**native.functions, "laws": native.kinks.laws}.items():
            if function is not None:
                named[name] = f"{name} on branch"
                programs[named[name]] = function.program
    if found is not None:
        parts = {"slopes": found.slopes, "correct_position": found.position, "correct_velocity": found.velocity}
        programs |= {name: program for name, program in parts.items() if program is not None}
    if hybrid is not None:
        programs["laws"] = hybrid.function.program
    rows, flat, kinds, _, angles = native.arrays
    arrays: dict[str, Any] = {
        "parameters": "parameters", "rows": rows.tolist(), "holonomic_rows": flat.tolist(),
        "guard_kinds": kinds.tolist(), "angles": angles.tolist(), "switches": _whole(native.switches),
        "signals": _signals(system), "clocks": _whole(outside(system)[1]),
    }  # fmt: skip
    if isinstance(native, NativeTouching):
        arrays["contacts"], arrays["frictions"] = (_whole(part) for part in native.laws)
    return Carried(
        wasm.module(programs | dict(more)),
        _row(native.struct, arrays, programs, named),
        _constraints(native, system, hybrid, programs),
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


def _constraints(
    native: Native, bilateral: CompiledSystem, hybrid: HybridSystem | None, programs: Mapping[str, Program]
) -> Row:
    system, symmetric = native.system, bool(native.system.equations.symmetric)
    n, held = system.n, held_rows(bilateral.m, hybrid)
    struct = doors.Constraints(
        n=n, size=system.size, phi=system.mh, psi=system.m, holonomic=bilateral.mh, bilateral=bilateral.m,
        contacts=0 if hybrid is None else hybrid.laws.contacts,
        symmetric=symmetric, at_A=(n * (n + 1) // 2 if symmetric else n * n) + n, inputs=system.dynamics.inputs,
        outputs=system.dynamics.outputs, parameters=len(system.parameters) - system.s, held_count=len(held),
    )  # fmt: skip
    arrays = {"held": [e for row in held for e in row], "given": "given", "angles": native.arrays[4].tolist()}
    return _row(struct, arrays, programs)


def _signals(system: CompiledSystem) -> list[Any]:
    """The structs `Signal` in four-byte words, with the times and coefficients of their pieces."""
    found: list[Any] = []
    for one, (_, data) in zip(outside(system)[0], system.signals, strict=True):
        found += [one.place, one.count, one.jumps, data.times.tolist(), data.cubics.ravel().tolist()]
    return found


def _functions(system: CompiledSystem) -> dict[str, Function | None]:
    """The functions of a system that starts and pages use, regardless of its kinks."""
    return {
        "dynamics": system.dynamics,
        "position": system.position if system.mh else None,
        "velocity": system.velocity if system.m else None,
    }


def _row(
    struct: c.Structure,
    arrays: Mapping[str, Any],
    programs: Mapping[str, Program],
    named: Mapping[str, str] | None = None,
) -> Row:
    """The row of a struct. `named` functions have other names in the module."""
    found: Row = []
    for name, kind in type(struct)._fields_:  # type: ignore[misc]
        value = getattr(struct, name)
        if kind is engine.Counts:
            found += [getattr(value, part) for part, _ in kind._fields_]
        elif kind is engine.Code:
            called = (named or {}).get(name, name)
            found += [called if called in programs and programs[called].outputs else 0, 0]
        elif kind is c.c_void_p:
            found.append(arrays.get(name, []))
        else:
            found.append(int(value))
    return found


def _whole(structs: c.Array[Any]) -> list[int]:
    return np.frombuffer(bytes(structs), np.int32).tolist()
