"""A consistent initial state: the smallest change of the given values that satisfies the constraints, by the engine
(engine/start.hpp), and a sentence if there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.errors import Fault, MathematicsError, ModelError
from dalembert.language import tr
from dalembert.model.closures import joint_of
from dalembert.model.record import ModelRecord
from dalembert.motions.scales import natural_sizes
from dalembert.motions.starts import ManyStarts
from dalembert.programs.system import CompiledSystem

SAME = 1e-12  # a change smaller than this is no correction


class NoPosition(MathematicsError):
    """No position near the given one satisfies the holonomic constraints; `rows` are the ones that it breaks."""

    def __init__(self, sentence: str, rows: list[str]):
        self.rows = rows
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class Correction:
    """A given initial value that the constraints changed. A speed is written with its prime."""

    quantity: str
    given: float
    used: float

    def __str__(self) -> str:
        return tr(
            "{quantity} starts at {used!r} instead of {given!r}, to satisfy the constraints",
            quantity=self.quantity,
            used=self.used,
            given=self.given,
        )


def consistent(
    system: CompiledSystem,
    q: np.ndarray,
    v: np.ndarray,
    given: np.ndarray,
    strict: bool = False,
    t: float = 0.0,
    z: Any = (),
) -> tuple[np.ndarray, np.ndarray, list[Correction]]:
    """The initial q and v, and the changes. `given` marks the given speeds. `strict` refuses changes."""
    q0, v0 = np.array(q, dtype=float), np.array(v, dtype=float)
    given = np.asarray(given, dtype=bool)
    v0[~given] = 0.0
    z = np.zeros(system.k) if len(z) == 0 else np.asarray(z, dtype=float)
    sizes = natural_sizes(system, system.state(t, q0, v0, z), np.zeros(system.n), 1.0)
    status, q1, v1 = _found(system, t, q0, v0, given, z)
    if status == engine.NO_SPEEDS:
        rows = [row.name for row in system.equations.constraints]
        left = _worst(system.velocity(system.state(t, q1, v0, z))[: system.m], rows)
        raise MathematicsError(
            "at t = {t:.9g} no speeds were found that satisfy {left}; give speeds that do", t=t, left=left
        )
    names = [*system.equations.coordinates, *(f"{c}'" for c in system.equations.coordinates)]
    before, after = np.concatenate([q0, v0]), np.concatenate([q1, v1])
    moved = np.abs(before - after) > SAME * np.maximum(sizes[: 2 * system.n], np.abs(before))
    moved[system.n :] &= given
    corrections = [Correction(names[i], float(before[i]), float(after[i])) for i in np.flatnonzero(moved)]
    if strict and corrections:
        changes = "; ".join(
            tr("{quantity} = {given!r} would have to be {used!r}", quantity=c.quantity, given=c.given, used=c.used)
            for c in corrections
        )
        raise ModelError("the initial state does not satisfy the constraints: {changes}", changes=changes)
    return q1, v1, corrections


def position(system: CompiledSystem, t: float, q: np.ndarray) -> np.ndarray:
    """The nearest coordinates that satisfy the holonomic constraints, at rest."""
    return _found(system, t, q, np.zeros(system.n), np.zeros(system.n, bool), np.zeros(system.k))[1]


def _found(
    system: CompiledSystem, t: float, q: np.ndarray, v: np.ndarray, given: np.ndarray, z: np.ndarray
) -> tuple[int, np.ndarray, np.ndarray]:
    """The engine's status, q and v. A position that is not found is refused."""
    x, n = system.state(t, q, v, z), system.n
    states, parameters = x[None, 1 : 1 + system.size].copy(), x[None, 1 + system.size :].copy()
    (status,), _ = ManyStarts(system, given, 1, few=True).run(t, parameters, states)
    q, v = states[0, :n], states[0, n : 2 * n]
    if status == engine.NO_POSITION:
        names = [row.name for row in system.equations.constraints if row.kind == "holonomic"]
        raise no_position(t, system.position(system.state(t, q, v, z))[: system.mh], names)
    return int(status), q, v


def no_position(t: float, left: np.ndarray, names: list[str]) -> NoPosition:
    """The refusal if holonomic constraints cannot be satisfied."""
    sentence = tr(
        "at t = {t:.9g} no position near the given one satisfies {left}; give coordinates that do",
        t=t,
        left=_worst(left, names),
    )
    return NoPosition(sentence, [names[i] for i in _broken(left)])


def unclosed(record: ModelRecord, error: NoPosition) -> ModelError | MathematicsError:
    """The refusal of a start without a position: a fault of the joints if their rows are among the broken ones."""
    joints = dict.fromkeys(joint for row in error.rows if (joint := joint_of(record, row)) is not None)
    if not joints:
        return error
    message = tr("the loop cannot close: {message}, or change where the joint sits in its bodies", message=error)
    return ModelError([Fault(f"joints.{next(iter(joints))}", "", None, message)])


def _broken(left: np.ndarray) -> list[int]:
    """The rows with a residual that counts: the first without a value, or all that are near the largest."""
    if not np.all(np.isfinite(left)):
        return [int(np.flatnonzero(~np.isfinite(left))[0])]
    return np.flatnonzero(np.abs(left) > 1e-3 * np.abs(left).max()).tolist()


def _worst(left: np.ndarray, names: list[str]) -> str:
    most_left = _broken(left)
    if not np.all(np.isfinite(left)):
        return tr("the constraint {names}, whose residual has no value there", names=names[most_left[0]])
    rests = ", ".join(f"{left[i]:.3g}" for i in most_left)
    if len(most_left) == 1:
        return tr("the constraint {names} (its residual is {rests})", names=names[most_left[0]], rests=rests)
    listed = tr(
        "{most_left} and {names}", most_left=", ".join(names[i] for i in most_left[:-1]), names=names[most_left[-1]]
    )
    return tr("the constraints {listed} together (their residuals are {rests})", listed=listed, rests=rests)
