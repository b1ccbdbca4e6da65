"""The part `constraints` of `analyze`: ranks at the state and in general, integrability, growth, reach.

Frobenius: D is integrable iff [D, D] ⊂ D. The derived flag I ⊃ I¹ ⊃ … of the forms,

    I^{k+1} = {ω ∈ I^k : dω ≡ 0 mod I^k}

ends in the largest integrable part, and I^k annihilates D⁽ᵏ⁾. So the number of integrals is the codimension of the Lie
closure of D, and a row belongs to the integrable part iff it annihilates the closure. All this holds on φ = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dalembert.analysis.constraints.distribution import frame, growth
from dalembert.analysis.constraints.forms import Pfaffian, forms, numbers, onto, points
from dalembert.analysis.constraints.inputs import driven
from dalembert.analysis.constraints.integrals import integrals
from dalembert.analysis.constraints.nonlinear import Nonlinear, nonlinear
from dalembert.analysis.constraints.relations import relations
from dalembert.analysis.constraints.whole import Whole, whole
from dalembert.analysis.exact.decimals import with_fractions
from dalembert.analysis.exact.ranks import CHANCE, GIVEN, eliminated
from dalembert.analysis.exact.series import Digits
from dalembert.analysis.question import Limit, Question
from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.mechanics.system import System
from dalembert.results.constraints import Constraints, Reach, Row

POINTS = 3


def constraints(question: Question) -> Constraints:
    """Analyse the constraints of a model."""
    with Digits():
        exact = replace(question, record=with_fractions(question.record))
        return _constraints(exact, System(exact.record))


def _constraints(question: Question, system: System) -> Constraints:
    found, q = forms(system), system.motion.q
    n = len(q)
    if not system.constraints.rows:
        return Constraints(n, 0, 0, (), (), False, True, (), 0, (), (), None, _chosen(question, system, found))
    at, left = onto(found.phi, q, found.start)
    _possible(found, left)
    curved = nonlinear(question.record, found, question.limit) if found.nonlinear else Nonlinear()
    places = points(found, q, at, POINTS) or [at]
    every = [(p, eliminated(numbers(found.rows, p), CHANCE, found.last)) for p in places]
    best = max(e.rank for _, e in every)
    generic = [(p, e) for p, e in every if e.rank == best]
    here = eliminated(numbers(found.rows, at), GIVEN, found.last)
    every_row = whole(found, generic, at, here, question.limit)
    report, notes = _reported(every_row, system, question.limit)
    shown, more = integrals(found, system, every_row.chosen, at, every_row.integrals, question.limit)
    return Constraints(
        coordinates=n,
        rank=here.rank + curved.rank,
        generic_rank=best + curved.generic_rank,
        rows=report,
        relations=relations(found, generic, here),
        extended=found.extended,
        holonomic=None if curved.disguised or every_row.undecided else every_row.integrable and not found.nonlinear,
        integrals=shown,
        further=every_row.integrals - len(shown),
        combinations=every_row.combinations(),
        flag=every_row.derived,
        reach=every_row.reach,
        chosen=_chosen(question, system, found),
        remarks=curved.remarks,
        notes=(*notes, *more),
    )


def _possible(found: Pfaffian, left: Sequence[float]) -> None:
    """Refuse holonomic constraints that no configuration satisfies, by name."""
    if max(map(abs, left), default=0.0) < 1e-20:
        return
    largest = max(map(abs, left))
    against = {name: r for name, r in zip(found.names, left, strict=False) if abs(r) > 1e-3 * largest}
    rest = ", ".join(f"{r:.6g}" for r in against.values())
    raise MathematicsError(
        "no configuration near the initial one satisfies the holonomic constraints together; "
        "{against} contradict each other: at the nearest point they are left with {rest}",
        against=", ".join(against),
        rest=rest,
    )


def _reported(every: Whole, system: System, limit: Limit) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """One row for every constraint of the model, in the order of the model."""
    found, rows, notes = every.found, [], []
    if every.undecided:
        notes.append(tr("Brackets were cut short by the time limit: integrability is not decided."))
    if every.singular:
        notes.append(tr("The rank of the constraints drops at this state; the growth vector is that of states nearby."))
    for stated in system.constraints.rows:
        if stated.kind == "nonlinear":
            rows.append(Row(stated.name, "nonlinear", False, False, None, None))
            continue
        i = found.names.index(stated.name)
        generic = all(i not in e.kept for _, e in every.generic)
        if stated.kind == "holonomic":
            rows.append(Row(stated.name, "holonomic", generic, i not in every.here.kept, True, True))
            continue
        inside = None if every.undecided else every.annihilates(i)
        rows.append(Row(stated.name, "linear", generic, i not in every.here.kept, inside, _alone(every, i, limit)))
    return tuple(rows), tuple(notes)


def _alone(every: Whole, row: int, limit: Limit) -> bool | None:
    """Frobenius's condition for one row together with the holonomic ones."""
    found = every.found
    point, _ = every.generic[0]
    order = [*range(found.holonomic), row]
    kept = eliminated([numbers(found.rows, point)[i] for i in order], CHANCE, found.last).kept
    chosen = [order[k] for k in kept]
    if row not in chosen:
        return True
    local = frame(found.only(chosen), found.variables, found.last, point, 1, CHANCE)
    flag = growth(local, 2, len(found.variables), True, limit)
    if len(local.independent) > 1 and len(flag.dimensions) < 2:
        return None
    return flag.dimensions[-1] == flag.dimensions[0]


def _chosen(question: Question, system: System, found: Pfaffian) -> Reach | None:
    if not question.inputs:
        return None
    at, _ = onto(found.phi, system.motion.q, found.start)
    places = points(found, system.motion.q, at, POINTS) or [at]
    return driven(question, system, found, at, places)
