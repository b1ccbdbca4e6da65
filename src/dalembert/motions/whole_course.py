"""The whole-course description of a motion: its auxiliary system in the engine's form (engine/whole_course.hpp)."""

from __future__ import annotations

import ctypes as c
from typing import Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.equations import Equations
from dalembert.errors import Fault, ModelError
from dalembert.language import tr
from dalembert.mechanics.whole_course import auxiliary
from dalembert.motions.native import EngineMotion, code, room_of
from dalembert.motions.unilateral import HybridSystem


def describe(motion: EngineMotion, hybrid: HybridSystem, x: np.ndarray) -> None:
    """Let a motion from x follow the auxiliary system. A ModelError names the precondition that does not hold."""
    restitution = _restitution(hybrid, x)
    eq, u = hybrid.equations, hybrid.unilateral
    parts = auxiliary(eq)
    b = (*eq.b, *u.b)

    def rates(_: Equations) -> list[Any]:
        D = [e for i, row in enumerate(parts.D_rate) for e in row[i if eq.symmetric else 0 :]]
        return [*(e for row in parts.A_rate for e in row), *D, *(b[i] for i in parts.rows)]

    rolls = [j for j, rows in parts.rolling_rows.items() for _ in rows]
    rows, frictions = np.array(parts.rows, np.int32), np.full(len(parts.rows), -1, np.int32)
    frictions[len(rows) - len(rolls) :] = rolls
    struct = engine.Auxiliary(
        code(hybrid.system.compiled("course rates", rates), motion.native.kept), rows.ctypes.data,
        frictions.ctypes.data, len(rows), len(parts.reversed_rows), parts.place, (1 - restitution) / (1 + restitution),
    )  # fmt: skip
    memory = room_of(motion.library.dalembert_course_memory(c.byref(motion.native.struct), c.byref(struct)))
    motion.native.kept += [rows, frictions, struct, memory]
    motion.library.dalembert_describe(motion.handle, c.byref(struct), memory.ctypes.data)


def _restitution(hybrid: HybridSystem, x: np.ndarray) -> float:
    contacts = hybrid.unilateral.contacts
    if len(contacts) != 1:
        return 1.0  # refused with the other preconditions
    value = float(hybrid.function(x)[-1])
    if not 0.0 < value <= 1.0:
        message = tr(
            'description = "whole-course" does not apply: the restitution is {value:g}, and '
            'Ivanov\'s substitution needs one greater than 0 and at most 1; use "segmented"',
            value=value,
        )
        raise ModelError([Fault("contacts", f"{contacts[0].name}.restitution", None, message)])
    return value
