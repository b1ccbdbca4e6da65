"""Constraints that are nonlinear in the speeds: Frobenius's theorem does not apply, Sussmann's does.

Frobenius's theorem is about planes of speeds; f(q, q̇, t) = 0 leaves a curved set V(q, t). All admissible motions keep a
function g(q, t) iff dg vanishes on every (1, v) with v ∈ V, hence on their span. The reachable set is the orbit of all
admissible fields (Sussmann 1973), and its tangent space contains that span. So if V spans all that the linear rows
leave, the nonlinear rows keep nothing, and only the linear rows decide integrability. If V spans less, it lies in a
plane, and the row is a linear one in disguise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.analysis.constraints.forms import Pfaffian
from dalembert.analysis.question import Limit
from dalembert.constraint_models.samples import initial, samples
from dalembert.errors import MathematicsError
from dalembert.formalisms import derive
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.motions.initial import consistent
from dalembert.programs.functions import FEW_TIMES
from dalembert.programs.system import CompiledSystem

SMALL = 1e-7  # relative singular value that counts as zero: the sampled speeds are far apart and exact to rounding


@dataclass(frozen=True, slots=True)
class Nonlinear:
    """The rank that the nonlinear rows add, at the state and in general, and remarks on them."""

    rank: int = 0
    generic_rank: int = 0
    disguised: bool = False
    remarks: tuple[str, ...] = ()


def nonlinear(record: ModelRecord, found: Pfaffian, limit: Limit) -> Nonlinear:
    """Examine the nonlinear rows."""
    system = CompiledSystem(derive(record, "kane", numeric=True), level=FEW_TIMES)
    every = samples(system, initial(record))
    valued = [x for x in every if np.isfinite(_rows(system, x)).all()]  # at rest a row such as a norm has no derivative
    X = np.array(valued) if valued else every
    bent = [i for i, row in enumerate(system.equations.constraints) if row.kind == "nonlinear"]
    flat = [i for i in range(system.m) if i not in bent]
    ranks = [_rank(_rows(system, x)) - _rank(_rows(system, x)[flat]) for x in X]
    names = ", ".join(found.nonlinear)
    word = "is" if len(found.nonlinear) == 1 else "are"
    spanned, room = _span(system, X[-1], limit), system.n + 1 - _rank(_rows(system, X[-1])[flat])
    if spanned >= room:
        said = tr(
            "{names} {word} nonlinear in the speeds, and no question for Frobenius: the speeds "
            "that satisfy it span all directions that the other rows leave, so no function of time "
            "and coordinates is kept because of it (Sussmann), and reach is that of the other rows.",
            names=names,
            word=word,
        )
        return Nonlinear(ranks[0], max(ranks), False, (said,))
    said = tr(
        "{names} {word} stated nonlinearly, but the speeds that satisfy it span {spanned} of "
        "{room} directions of time and coordinates: near this state it is a linear constraint "
        "in disguise. State it as one (a factor of it) to have its integrability decided.",
        names=names,
        word=word,
        spanned=spanned,
        room=room,
    )
    return Nonlinear(ranks[0], max(ranks), True, (said,))


def _rows(system: CompiledSystem, x: np.ndarray) -> np.ndarray:
    return system.velocity(x)[system.m :].reshape(system.m, system.n)


def _rank(rows: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(rows, 1e-10)) if rows.size else 0


def _span(system: CompiledSystem, x: np.ndarray, limit: Limit) -> int:
    """The dimension of the span of (1, v) over admissible speeds v at the configuration of x."""
    n = system.n
    q, v = x[1 : 1 + n], x[1 + n : 1 + 2 * n]
    chance = np.random.default_rng(7)
    size = max(1.0, float(np.abs(v).max()))
    found = [np.append(1.0, v)]
    for _ in range(12 * n):
        if limit.over or len(found) > 4 * n:
            break
        try:
            near = v + size * chance.uniform(-1.5, 1.5, n)
            moved = consistent(system, q, near, np.ones(n, dtype=bool), False, float(x[0]))
        except MathematicsError:
            continue
        found.append(np.append(1.0, moved[1]))
    sizes = np.linalg.svd(np.array(found), compute_uv=False)
    return int((sizes > SMALL * sizes[0]).sum())
