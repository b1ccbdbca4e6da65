"""Constraints as a part of `analyze`: ranks now and generically, integrability, growth, reach.

Frobenius: D is integrable iff [D, D] ⊂ D. The derived flag I ⊃ I¹ ⊃ … of the forms,

    I^{k+1} = {ω ∈ I^k : dω ≡ 0 mod I^k}

ends in the largest integrable part, and I^k is what annihilates D⁽ᵏ⁾; so the number of integrals is the codimension of
the Lie closure of D, and a row belongs to the integrable part iff it annihilates the closure. All this on φ = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dalembert.analysis.distribution import Flag, derived, frame, growth
from dalembert.analysis.forms import Forms, Point, forms, numbers, onto, points
from dalembert.analysis.inputs import driven
from dalembert.analysis.integrals import integrals
from dalembert.analysis.nonlinear import Nonlinear, nonlinear
from dalembert.analysis.question import Limit, Question
from dalembert.analysis.ranks import CHANCE, GIVEN, Elimination, eliminated
from dalembert.analysis.relations import combination, relations
from dalembert.analysis.series import Digits
from dalembert.errors import MathematicsError
from dalembert.mechanics.system import System
from dalembert.results.constraints import Constraints, Reach, Row

POINTS = 3
ORDERS = (1, 2, 3, 5, 8, 12)  # of the series: brackets of one field more
FARTHER = 2  # how many fields more than in general a bracket may need at this state


def constraints(question: Question) -> Constraints:
    """What the constraints of the model are."""
    with Digits():
        return _constraints(question, System(question.record))


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
    whole = _Whole(found, generic, at, here, question.limit)
    report, notes = _reported(whole, system, curved)
    shown, further, more = whole.kept_functions(system, question.limit)
    return Constraints(
        coordinates=n,
        rank=here.rank + curved.rank,
        generic_rank=best + curved.generic_rank,
        rows=report,
        relations=relations(found, generic, here),
        extended=found.extended,
        holonomic=None if curved.disguised or whole.undecided else (whole.integrable and not found.nonlinear),
        integrals=shown,
        further=further,
        combinations=whole.combinations(),
        flag=whole.derived,
        reach=whole.reach,
        chosen=_chosen(question, system, found),
        remarks=curved.remarks,
        notes=(*notes, *more),
    )


def _possible(found: Forms, left: Sequence[float]) -> None:
    """Refuse holonomic constraints that no configuration satisfies, by name."""
    if max(map(abs, left), default=0.0) < 1e-20:
        return
    largest = max(map(abs, left))
    against = {name: r for name, r in zip(found.names, left, strict=False) if abs(r) > 1e-3 * largest}
    rest = ", ".join(f"{r:.6g}" for r in against.values())
    raise MathematicsError(
        f"no configuration near the initial one satisfies the holonomic constraints together; {', '.join(against)} "
        f"contradict each other: at the nearest point they are left with {rest}"
    )


@dataclass
class _Whole:
    """The distribution of all rows, about a random point and about the state."""

    found: Forms
    generic: Sequence[tuple[Point, Elimination]]
    at: Point
    here: Elimination
    limit: Limit

    def __post_init__(self) -> None:
        self.chosen = self.generic[0][1].kept
        self.room = len(self.found.variables) - sum(i < self.found.holonomic for i in self.chosen)
        flags = [_grown(self.found, self.chosen, p, self.room, self.limit) for p, _ in self.generic]
        self.flags = [flag for flag, _ in flags]
        self.frames = [f for _, f in flags]
        top = max(flag.dimensions[-1] for flag in self.flags)
        self.best = next(i for i, flag in enumerate(self.flags) if flag.dimensions[-1] == top)
        self.flag: Flag = self.flags[self.best]
        self.undecided = not self.flag.complete
        m = self.flag.dimensions[0]
        self.integrable = self.flag.dimensions[-1] == m
        self.integrals = len(self.found.variables) - self.flag.dimensions[-1]
        self.new = self.integrals - (len(self.found.variables) - self.room)  # beyond φ
        steps = len(self.flag.dimensions)
        self.derived = derived(self.frames[self.best], steps, self.room, self.limit) if len(self.chosen) else ()
        self.reach = self._reach()

    def _reach(self) -> Reach | None:
        generic = _trimmed(self.flag.dimensions)
        kept = self.here.kept  # where the rank drops here, D is larger than in general
        length = len(generic) + FARTHER
        local = frame(self.found.only(kept), self.found.variables, self.found.last, self.at, length, GIVEN)
        room = len(self.found.variables) - sum(i < self.found.holonomic for i in kept)
        flag = growth(local, length, min(room, self.flag.dimensions[-1]), False, self.limit)
        return Reach((), _trimmed(flag.dimensions), generic, self.room, flag.complete)

    def annihilates(self, row: int) -> bool:
        """Whether a row kills the closure, at every point."""
        for (point, _), flag, fields in zip(self.generic, self.flags, self.frames, strict=True):
            entries = numbers([self.found.rows[row]], point)[0]
            size = max((abs(c) for c in entries), default=Decimal(0))
            for Z in flag.brackets:
                product = sum((entries[b] * z for b, z in zip(fields.dependent, Z, strict=True)), Decimal(0))
                if abs(product) > CHANCE * size * max(abs(z) for z in Z):
                    return False
        return True

    def combinations(self) -> tuple[str, ...]:
        """Constant combinations of rows that are integrable though no row of them is."""
        outside = [i for i in range(self.found.holonomic, len(self.found.rows)) if not self.annihilates(i)]
        outside = [i for i in outside if i in self.chosen]
        if len(outside) < 2 or not self.new:
            return ()
        columns: list[list[Decimal]] = []
        for (point, _), flag, fields in zip(self.generic, self.flags, self.frames, strict=True):
            entries = numbers(self.found.only(outside), point)
            for Z in flag.brackets:
                pairs = list(zip(fields.dependent, Z, strict=True))
                columns.append([sum((row[b] * z for b, z in pairs), Decimal(0)) for row in entries])
        rows = [list(row) for row in zip(*columns, strict=True)]
        related = eliminated(rows, CHANCE).relations
        names = [self.found.names[i] for i in outside]
        return tuple(combination(names, i, parts) for i, parts in related.items())

    def kept_functions(self, system: System, limit: Limit) -> tuple[tuple, int, tuple[str, ...]]:
        if self.new <= 0:
            return (), 0, ()
        shown, notes = integrals(self.found, system, self.chosen, self.at, self.new, limit)
        return shown, self.new - len(shown), notes


def _trimmed(dimensions: tuple[int, ...]) -> tuple[int, ...]:
    """Without the repetition that shows it is complete; one that grows again later stays."""
    shown = list(dimensions)
    while len(shown) > 1 and shown[-1] == shown[-2]:
        shown.pop()
    return tuple(shown)


def _grown(found: Forms, chosen: Sequence[int], at: Point, room: int, limit: Limit):
    """The flag at a random point, with series long enough for it to stop growing."""
    rows = found.only(chosen)
    for order in ORDERS:
        local = frame(rows, found.variables, found.last, at, order, CHANCE)
        flag = growth(local, order + 1, room, True, limit)
        if flag.complete or limit.over:
            break
    return flag, local


def _reported(whole: _Whole, system: System, curved: Nonlinear) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """One line for every constraint of the model, in its order."""
    found, rows, notes = whole.found, [], []
    if whole.undecided:
        notes.append("Brackets were cut short by the time limit: integrability is not decided.")
    for stated in system.constraints.rows:
        if stated.kind == "nonlinear":
            rows.append(Row(stated.name, "nonlinear", False, False, None, None))
            continue
        i = found.names.index(stated.name)
        generic = all(i not in e.kept for _, e in whole.generic)
        if stated.kind == "holonomic":
            rows.append(Row(stated.name, "holonomic", generic, i not in whole.here.kept, True, True))
            continue
        inside = None if whole.undecided else whole.annihilates(i)
        rows.append(Row(stated.name, "linear", generic, i not in whole.here.kept, inside, _alone(whole, i)))
    return tuple(rows), tuple(notes)


def _alone(whole: _Whole, row: int) -> bool | None:
    """Frobenius for one row, with the holonomic ones."""
    found = whole.found
    point, _ = whole.generic[0]
    order = [*range(found.holonomic), row]
    kept = eliminated([numbers(found.rows, point)[i] for i in order], CHANCE, found.last).kept
    chosen = [order[k] for k in kept]
    if row not in chosen:
        return True
    local = frame(found.only(chosen), found.variables, found.last, point, 1, CHANCE)
    flag = growth(local, 2, len(found.variables), True, whole.limit)
    if len(local.independent) > 1 and len(flag.dimensions) < 2:
        return None
    return flag.dimensions[-1] == flag.dimensions[0]


def _chosen(question: Question, system: System, found: Forms) -> Reach | None:
    if not question.inputs:
        return None
    at, _ = onto(found.phi, system.motion.q, found.start)
    places = points(found, system.motion.q, at, POINTS) or [at]
    return driven(question, system, found, at, places)
