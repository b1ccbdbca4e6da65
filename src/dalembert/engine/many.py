"""The C interface to many motions in Python: structs as in plan.hpp, wide.hpp and start.hpp."""

from __future__ import annotations

import ctypes as c
from functools import cache
from typing import Any

import numpy as np

from dalembert.engine.library import REMEDY, Code, Counts, EngineError, Model, Settings, library
from dalembert.language import tr

HANDED_OVER, WAITING, INTERRUPTED = -4, -2, -1  # statuses in addition to those of `Status`
AT_END, AT_SAMPLE, WATCHED, FIRST_TIME, COUNTED, DRIFT = range(6)  # sources of a column
GREATEST, LEAST, PASSES = range(3)  # questions about a watched quantity
CONSISTENT, NO_POSITION, NO_SPEEDS, NEGATIVE_GAP, DOUBTFUL = 0, 30, 31, 32, 33  # results of a start
NOTES = 6  # numbers before y, its slope and x in the notes on a failure: time, row, step, guard, stepper, 0

WISH = np.dtype([("level", "f8"), ("kind", "i4"), ("place", "i4"), ("direction", "i4"), ("", "i4")])
COLUMN = np.dtype([("kind", "i4"), ("place", "i4"), ("more", "i4")])
HELD_ROW = np.dtype([("row", "i4"), ("contact", "i4")])


def _of(kind: Any, names: str) -> list[tuple[str, Any]]:
    return [(name, kind) for name in names.split()]


class Quantities(c.Structure):
    _fields_ = [("code", Code), *_of(c.c_int, "count inputs forces"), ("rows", c.c_void_p)]


class Plan(c.Structure):
    _fields_ = [
        ("settings", Settings),
        *_of(Quantities, "values watched"),
        ("energies", Code),
        *_of(c.c_void_p, "sample_times wishes columns counted"),
        ("sample_count", c.c_longlong),
        *_of(c.c_int, "wish_count column_count most_events drift"),
        ("chunk", c.c_longlong),
    ]


class Motions(c.Structure):
    _fields_ = [
        *_of(c.c_void_p, "parameters states ends status values notes claimed stop left"),
        ("count", c.c_longlong),
        ("note_size", c.c_int),
    ]


class WideModel(c.Structure):
    _fields_ = [("counts", Counts), *_of(Code, "slopes position velocity")]


class Constraints(c.Structure):
    _fields_ = [
        *_of(Code, "position velocity dynamics"),
        *_of(c.c_int, "n size phi psi holonomic bilateral contacts at_A inputs outputs parameters"),
        ("held", c.c_void_p),
        ("held_count", c.c_int),
        *_of(c.c_void_p, "given angles"),
        ("symmetric", c.c_int),
    ]


class Starts(c.Structure):
    _fields_ = [
        ("time", c.c_double),
        *_of(c.c_void_p, "parameters states left status claimed"),
        ("count", c.c_longlong),
        ("left_size", c.c_int),
    ]


SIZES = (WISH.itemsize, c.sizeof(Quantities), COLUMN.itemsize, *map(c.sizeof, (Plan, Motions, WideModel, Constraints)))
_POINTER = c.c_void_p
SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "dalembert_size_in_many": (c.c_longlong, (c.c_int,)),
    "dalembert_worker_memory": (c.c_longlong, (c.POINTER(Model), c.POINTER(Plan), _POINTER)),
    "dalembert_worker": (_POINTER, (_POINTER, c.POINTER(Model), c.POINTER(Plan), _POINTER, c.c_int)),
    "dalembert_many": (None, (_POINTER, c.POINTER(Motions))),
    "dalembert_rooms": (None, (c.POINTER(Model), c.POINTER(Plan), c.POINTER(c.c_longlong))),
    "dalembert_start_memory": (c.c_longlong, (c.POINTER(Constraints),)),
    "dalembert_starts": (None, (_POINTER, c.POINTER(Constraints), c.POINTER(Starts))),
    "dalembert_least_squares": (None, (_POINTER, c.c_int, c.c_int, _POINTER, _POINTER)),
}


@cache
def doors() -> Any:
    """The library with the functions of this file; an EngineError if they do not fit."""
    loaded = library()
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(loaded, name, None)
        if function is None:
            raise EngineError(tr("the engine has no {name}; {remedy}", name=name, remedy=tr(REMEDY)))
        function.restype, function.argtypes = result, list(arguments)
    if any(loaded.dalembert_size_in_many(place) != size for place, size in enumerate(SIZES)):
        raise EngineError(tr("the engine does not fit this version of dalembert; {remedy}", remedy=tr(REMEDY)))
    return loaded
