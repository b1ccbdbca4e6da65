"""A question for the reactions of some constraints: which rows it releases, and the answer by Sun's small matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.equations import Equations
from dalembert.expressions.nodes import ResultName
from dalembert.model.plain import written_out
from dalembert.model.record import ModelRecord, read_only
from dalembert.programs.system import CompiledSystem
from dalembert.results.release import Release

if TYPE_CHECKING:
    from dalembert.motions.routes import ActiveRows


def with_loads(record: ModelRecord, reactions: Sequence[str]) -> ModelRecord:
    """The model with the loads asked for as outputs: of joints, which are freed for that, and normals of what rolls."""
    stated = record.stated or record
    asked = [("load", name, which) for name in reactions if name in stated.joints for which in ("force", "couple")]
    rolling = [name for name in reactions if name in stated.rolling and "touch" in stated.rolling[name].rows]
    answers = [
        ResultName(kind, (name, which)) for kind, name, which in (*asked, *(("reaction", n, "normal") for n in rolling))
    ]
    if not answers:
        return record
    named = {f"{answer.kind}.{'.'.join(answer.path)}": answer for answer in answers}
    return written_out(replace(stated, outputs=read_only({**stated.outputs, **named})))[0]


def question(equations: Equations, names: Sequence[str], chosen: Sequence[str]) -> tuple[str, ...]:
    """The constraints to release: those chosen, and those whose multipliers the model's outputs contain."""
    used = set().union(*(se.sympify(e).free_symbols for e in equations.measured.values()))
    return tuple(name for name in names if name in chosen or se.Symbol(f"lambda.{name}") in used)


def rows_of(system: CompiledSystem, X: np.ndarray) -> Callable[[int], tuple[ActiveRows, Sequence[int]]]:
    """The rows of a system at each state of X. All of them are active."""
    from dalembert.motions.routes import ActiveRows  # a motion without a question need not load them

    every = range(system.m)
    return lambda i: (ActiveRows(*system.unpacked(system.dynamics(X[i]))), every)


def release(
    rows: Callable[[int], tuple[ActiveRows, Sequence[int]]],
    a: np.ndarray,
    nu: np.ndarray,
    places: dict[str, int],
    asked: Sequence[str],
    known: bool = True,
) -> tuple[Release | None, np.ndarray]:
    """Put the multipliers of the constraints `asked` into ν, a row for each sample.

    Returns how large the matrix was (None if no row asked for is active), and the samples that it leaves open.
    `places` are the columns of ν by name.
    """
    from dalembert.motions.released import along

    sizes, active = along(rows, a, nu, [places[name] for name in asked], known)
    if (sizes < 0).all():
        return None, sizes <= 0
    absorbed = tuple(name for name, row in places.items() if name not in asked and row in active)
    size = 0 if (sizes == 0).any() else int(sizes.max())
    return Release(tuple(asked), absorbed, size, a.shape[1]), sizes <= 0
