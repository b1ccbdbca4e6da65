"""The distribution of all constraints: its flags at random points and at the state, and the annihilator of its closure.

Only rows that are independent in general are used. If their rank drops at the state, the admissible speeds there are
not the limit of those nearby. Growth is then reported for states nearby.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dalembert.analysis.constraints.distribution import FieldFrame, Flag, derived, frame, growth
from dalembert.analysis.constraints.forms import Pfaffian, Point, numbers
from dalembert.analysis.constraints.relations import combination
from dalembert.analysis.exact.ranks import CHANCE, GIVEN, RankRows, eliminated
from dalembert.analysis.question import Limit
from dalembert.results.constraints import Reach

ORDERS = (1, 2, 3, 5, 8, 12)  # order of the series: enough for brackets of one more field
FARTHER = 2  # further fields that a bracket may need at this state, compared with a random point


@dataclass(frozen=True, slots=True)
class Whole:
    """The distribution of all rows. `flags` and `frames` belong to the points in `generic`."""

    found: Pfaffian
    generic: tuple[tuple[Point, RankRows], ...]
    here: RankRows
    room: int  # the dimension that φ = 0 leaves
    flags: tuple[Flag, ...]
    frames: tuple[FieldFrame, ...]
    derived: tuple[int, ...]
    reach: Reach

    @property
    def chosen(self) -> tuple[int, ...]:
        return self.generic[0][1].kept

    @property
    def flag(self) -> Flag:
        return max(self.flags, key=lambda flag: flag.dimensions[-1])

    @property
    def undecided(self) -> bool:
        return not self.flag.complete

    @property
    def integrable(self) -> bool:
        return self.flag.dimensions[-1] == self.flag.dimensions[0]

    @property
    def integrals(self) -> int:
        """The number of functions that are kept besides φ: the codimension of the closure within φ = 0."""
        return self.room - self.flag.dimensions[-1]

    @property
    def singular(self) -> bool:
        """Whether the rank at the state is smaller than in general."""
        return self.here.rank < len(self.chosen)

    def annihilates(self, row: int) -> bool:
        """Whether a row annihilates the closure at every point."""
        for (point, _), flag, fields in zip(self.generic, self.flags, self.frames, strict=True):
            entries = numbers([self.found.rows[row]], point)[0]
            size = max((abs(c) for c in entries), default=Decimal(0))
            for Z in flag.brackets:
                product = sum((entries[b] * z for b, z in zip(fields.dependent, Z, strict=True)), Decimal(0))
                if abs(product) > CHANCE * size * max(abs(z) for z in Z):
                    return False
        return True

    def combinations(self) -> tuple[str, ...]:
        """Constant combinations of rows that are integrable although none of the rows is."""
        outside = [i for i in range(self.found.holonomic, len(self.found.rows)) if not self.annihilates(i)]
        outside = [i for i in outside if i in self.chosen]
        if len(outside) < 2 or not self.integrals:
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


def whole(found: Pfaffian, generic: Sequence[tuple[Point, RankRows]], at: Point, here: RankRows, limit: Limit) -> Whole:
    """Examine the distribution at random points and at the state `at`."""
    chosen = generic[0][1].kept
    room = len(found.variables) - sum(i < found.holonomic for i in chosen)
    grown = [_grown(found, chosen, p, room, limit) for p, _ in generic]
    flag, fields = max(grown, key=lambda pair: pair[0].dimensions[-1])
    steps = derived(fields, len(flag.dimensions), room, limit) if chosen else ()
    reach = _reach(found, chosen, at, here, room, flag, limit)
    flags, frames = tuple(f for f, _ in grown), tuple(f for _, f in grown)
    return Whole(found, tuple(generic), here, room, flags, frames, steps, reach)


def _reach(
    found: Pfaffian, chosen: Sequence[int], at: Point, here: RankRows, room: int, flag: Flag, limit: Limit
) -> Reach:
    generic = _trimmed(flag.dimensions)
    if here.rank < len(chosen):
        return Reach((), generic, generic, room, flag.complete)
    rows, most = found.only(here.kept), flag.dimensions[-1]
    for farther in range(FARTHER + 1):  # the shortest brackets first: the series of longer ones cost much more
        length = len(generic) + farther
        local = frame(rows, found.variables, found.last, at, length - (farther < FARTHER), GIVEN)
        there = growth(local, length, most, False, limit)
        if there.dimensions[-1] == most:
            break
    return Reach((), _trimmed(there.dimensions), generic, room, there.complete)


def _trimmed(dimensions: tuple[int, ...]) -> tuple[int, ...]:
    """Remove the repeated dimension at the end. A repetition before later growth stays."""
    shown = list(dimensions)
    while len(shown) > 1 and shown[-1] == shown[-2]:
        shown.pop()
    return tuple(shown)


def _grown(found: Pfaffian, chosen: Sequence[int], at: Point, room: int, limit: Limit) -> tuple[Flag, FieldFrame]:
    """The flag at a random point, with series long enough that it stops growing."""
    rows = found.only(chosen)
    for order in ORDERS:
        local = frame(rows, found.variables, found.last, at, order, CHANCE)
        flag = growth(local, order + 1, room, True, limit)
        if flag.complete or limit.over:
            break
    return flag, local
