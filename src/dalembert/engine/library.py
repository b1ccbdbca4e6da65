"""The engine's library in Python: structs as in the headers, functions with their types, and one sentence if it cannot
be loaded.

Structs have the names that they have in the headers. Some of these names mean something else in other rooms, so they
are written with the module's name there: `engine.Event`.

The numbers of `Status` and the order of `EVENT_KINDS` are those of status.hpp and contact/happen.hpp. A test compares
them.
"""

from __future__ import annotations

import ctypes as c
import os
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.engine.checksum import is_whole
from dalembert.engine.sources import ROOM, library_name, sources
from dalembert.errors import DalembertError
from dalembert.language import mark, tr

REMEDY = mark("reinstall dalembert for this platform (pip install --force-reinstall dalembert), or in a clone run make")


class EngineError(DalembertError):
    """The engine cannot be loaded."""


class Status(IntEnum):
    DONE = 0
    SINGULAR = 1
    INCONSISTENT = 2
    NONFINITE = 3
    OVERDETERMINED = 4
    UNDERFLOW = 5
    PROJECTION_FAILED = 6
    IS_STIFF = 7
    BLOW_UP = 8
    NOT_CONVERGED = 9
    FINISHED = 10
    CONTINUE = 11
    NEED_ROOM = 12
    STOPPED_BY_EVENT = 13
    MASS_NEGATIVE = 14
    ROW_TURNS = 15
    CONTRADICTS = 20
    ENERGY_GAIN = 21
    NO_STATE = 22
    SEVERAL_STATES = 23
    UNDECIDED = 24
    HELD_BROKEN = 25
    STUCK = 26
    LAW_BROKEN = 27
    NOT_REVERSED = 28
    KINKS_TOGETHER = 40
    KINK_OPEN = 41
    KINK_HELD = 42
    KINK_STUCK = 43
    KINK_JUMPS = 44
    KINK_TOUCHED = 45


class Stepper(IntEnum):
    DOP853 = 0
    GAUSS = 1
    RADAU = 2
    TAYLOR = 3
    RK4 = 4


EVENT_KINDS = ("impact", "liftoff", "contact", "stick", "slip", "chatter", "crossing", "kink")
FUNCTION = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, c.c_void_p)


def _ints(names: str) -> list[tuple[str, Any]]:
    return [(name, c.c_int) for name in names.split()]


class Counts(c.Structure):
    _fields_ = _ints(
        "n m holonomic reactions extra states parameters guards symmetric general bilateral bilateral_holonomic "
        "contacts frictions has_slopes rows corrections jet_order jet_guards switches branches signals clocks held "
        "guard_forces modes uniform"
    )


class ContactLaw(c.Structure):
    _fields_ = _ints("row reverses_start reverses_count law")


class FrictionLaw(c.Structure):
    _fields_ = _ints("slip_start slip_count held_start held_count presser pressed_by rough")


class Switch(c.Structure):
    _fields_ = _ints("branch kind degree")


class Signal(c.Structure):
    _fields_ = [*_ints("place count jumps"), ("times", c.c_void_p), ("cubics", c.c_void_p)]


class Clock(c.Structure):
    _fields_ = [("every", c.c_double), ("offset", c.c_double), *_ints("first count")]


class Code(c.Structure):
    _fields_ = [("function", c.c_void_p), ("data", c.c_void_p)]


class Model(c.Structure):
    _fields_ = [
        ("counts", Counts),
        ("parameters", c.c_void_p),
        *((name, Code) for name in "dynamics slopes position velocity guards laws rates".split()),
        ("guard_kinds", c.c_void_p),
        ("rows", c.c_void_p),
        ("holonomic_rows", c.c_void_p),
        ("holonomic_count", c.c_int),
        ("contacts", c.c_void_p),
        ("frictions", c.c_void_p),
        ("correct_position", Code),
        ("correct_velocity", Code),
        ("angles", c.c_void_p),
        ("jet", Code),
        ("switches", c.c_void_p),
        ("kinks", Code),
        ("controls", Code),
        ("signals", c.c_void_p),
        ("clocks", c.c_void_p),
        ("mode_statuses", c.c_void_p),
        ("mode_code", c.c_void_p),
    ]


class Settings(c.Structure):
    _fields_ = [
        *((name, c.c_double) for name in "start end tolerance longest patience".split()),
        *_ints("stepper automatic"),
    ]


class Event(c.Structure):
    _fields_ = [*((name, c.c_double) for name in "time impulse energy side".split()), *_ints("kind index")]


class Desk(c.Structure):
    _fields_ = [
        *((name, c.c_void_p) for name in "sample_times samples modes events before after record".split()),
        *((name, c.c_long) for name in "sample_count event_room record_room sampled event_count recorded".split()),
        ("forces", c.c_void_p),
    ]


class ImpactAsked(c.Structure):
    _fields_ = [("mode", c.c_void_p), ("involved", c.c_void_p), *_ints("inelastic once")]


class ImpactDecided(c.Structure):
    _fields_ = [
        *((name, c.c_void_p) for name in "change impulses base rows which closed".split()),
        *((name, c.c_void_p) for name in "start dim who status along sign".split()),
        *_ints("base_count size contacts groups"),
        ("energy", c.c_double),
    ]


class Auxiliary(c.Structure):
    _fields_ = [
        ("rates", Code),
        *((name, c.c_void_p) for name in "rows frictions".split()),
        *_ints("row_count reversed place"),
        ("k", c.c_double),
    ]


class Report(c.Structure):
    _fields_ = [
        *((name, c.c_double) for name in "t h residual rate_residual".split()),
        *((name, c.c_long) for name in "steps evaluations rejected".split()),
        *_ints("row stepper switches failed_guard"),
        *((name, c.POINTER(c.c_double)) for name in "y slope bad".split()),
        *_ints("sliding"),
    ]


class SolveAsked(c.Structure):
    _fields_ = [
        *((name, c.c_void_p) for name in "F x rows columns".split()),
        *_ints("row_count column_count count outputs inputs"),
        *((name, c.c_void_p) for name in "angles memory".split()),
    ]


class SolveFound(c.Structure):
    _fields_ = [(name, c.c_void_p) for name in "a nu status rank left_rank row".split()]


class Sizing(c.Structure):
    _fields_ = [
        *((name, c.c_void_p) for name in "angles y F rates a".split()), ("duration", c.c_double), ("out", c.c_void_p),
    ]  # fmt: skip


EVENT = np.dtype([("time", "f8"), ("impulse", "f8"), ("energy", "f8"), ("side", "f8"), ("kind", "i4"), ("index", "i4")])
STRUCTS = (Counts, Model, Settings, Event, Desk, Auxiliary)
SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "dalembert_sources": (c.c_char_p, ()),
    "dalembert_size_of": (c.c_long, (c.c_int,)),
    "dalembert_memory": (c.c_long, (c.POINTER(Model),)),
    "dalembert_motion": (c.c_void_p, (c.c_void_p, c.POINTER(Model))),
    "dalembert_set": (None, (c.c_void_p, c.POINTER(Settings), c.c_void_p, c.c_void_p)),
    "dalembert_run": (c.c_int, (c.c_void_p, c.POINTER(Desk), c.c_long)),
    "dalembert_report": (None, (c.c_void_p, c.POINTER(Report))),
    "dalembert_solve": (c.c_int, (c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p)),
    "dalembert_reduce": (c.c_int, (c.c_void_p, c.c_void_p, c.c_int, c.c_int, c.c_void_p, c.c_void_p)),
    "dalembert_least_norm": (c.c_int, (c.c_void_p, c.c_void_p, c.c_int, c.c_int, c.c_void_p, c.c_void_p, c.c_void_p)),
    "dalembert_solver_memory": (c.c_long, (c.POINTER(Counts),)),
    "dalembert_accelerations": (None, (c.POINTER(Counts), c.POINTER(SolveAsked), c.POINTER(SolveFound))),
    "dalembert_sizes": (None, (c.POINTER(Counts), c.POINTER(Sizing))),
    "dalembert_modes": (None, (c.c_void_p, c.c_void_p)),
    "dalembert_settle": (c.c_int, (c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p)),
    "dalembert_forces": (c.c_int, (c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p)),
    "dalembert_indeterminate": (c.c_int, (c.c_void_p, c.c_void_p)),
    "dalembert_impact": (c.c_int, (c.c_void_p,) * 5),
    "dalembert_course_memory": (c.c_long, (c.POINTER(Model), c.POINTER(Auxiliary))),
    "dalembert_describe": (None, (c.c_void_p, c.POINTER(Auxiliary), c.c_void_p)),
}


@cache
def library() -> Any:
    """The library, loaded once; an EngineError with a remedy if that is impossible."""
    chosen = os.environ.get("DALEMBERT_ENGINE")  # another build, for work on the engine
    path = Path(chosen) if chosen else ROOM / library_name()
    if not path.exists():
        raise EngineError(tr("the engine is missing: there is no {path}; {remedy}", path=path, remedy=tr(REMEDY)))
    if not chosen and not is_whole(path):
        raise EngineError(
            tr(
                "the engine {path} is damaged: it is not the file that was built; {remedy}",
                path=path,
                remedy=tr(REMEDY),
            )
        )
    try:
        loaded = c.CDLL(str(path))
        loaded.dalembert_sources.restype = c.c_char_p
        if not chosen and loaded.dalembert_sources().decode() != sources():
            raise EngineError(
                tr(
                    "the engine {path} was built from other sources than those next to it; {remedy}",
                    path=path,
                    remedy=tr(REMEDY),
                )
            )
        for name, (result, arguments) in SIGNATURES.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, list(arguments)
    except (OSError, AttributeError) as error:
        raise EngineError(
            tr(
                "the engine {path} cannot be loaded on this machine ({error}); {remedy}",
                path=path,
                error=error,
                remedy=tr(REMEDY),
            )
        ) from error
    _check(loaded, path)
    return loaded


def _check(loaded: Any, path: Path) -> None:
    """Compare the sizes of the structs with those in the headers."""
    for place, struct in enumerate(STRUCTS):
        if loaded.dalembert_size_of(place) != c.sizeof(struct):
            raise EngineError(
                tr("the engine {path} does not fit this version of dalembert; {remedy}", path=path, remedy=tr(REMEDY))
            )
