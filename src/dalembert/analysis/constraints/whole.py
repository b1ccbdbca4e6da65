"""The distribution of all constraints: its flags about random points and the state, and what annihilates its closure.

Everything is asked of the rows that are independent in general. Where their rank drops at the state itself the
admissible speeds there are no limit of those nearby, and growth is told of states nearby.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dalembert.analysis.constraints.distribution import Flag, Frame, derived, frame, growth
from dalembert.analysis.constraints.forms import Forms, Point, numbers
from dalembert.analysis.constraints.relations import combination
from dalembert.analysis.exact.ranks import CHANCE, GIVEN, Elimination, eliminated
from dalembert.analysis.question import Limit
from dalembert.results.constraints import Reach

ORDERS = (1, 2, 3, 5, 8, 12)  # of the series: brackets of one field more
FARTHER = 2  # how many fields more than in general a bracket may need at this state


@dataclass(frozen=True, slots=True)
class Whole:
    """The distribution of all rows; `flags` and `frames` are those at the points of `generic`."""

    found: Forms
    generic: tuple[tuple[Point, Elimination], ...]
    here: Elimination
    room: int  # the dimension that φ = 0 leaves
    flags: tuple[Flag, ...]
    frames: tuple[Frame, ...]
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
        """How many functions are kept beyond φ: the codimension of the closure in what φ = 0 leaves."""
        return self.room - self.flag.dimensions[-1]

    @property
    def singular(self) -> bool:
        """The rank at the state is less than in general."""
        return self.here.rank < len(self.chosen)

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


def whole(
    found: Forms, generic: Sequence[tuple[Point, Elimination]], at: Point, here: Elimination, limit: Limit
) -> Whole:
    """The distribution looked at about random points and about the state `at`."""
    chosen = generic[0][1].kept
    room = len(found.variables) - sum(i < found.holonomic for i in chosen)
    grown = [_grown(found, chosen, p, room, limit) for p, _ in generic]
    flag, fields = max(grown, key=lambda pair: pair[0].dimensions[-1])
    steps = derived(fields, len(flag.dimensions), room, limit) if chosen else ()
    reach = _reach(found, chosen, at, here, room, flag, limit)
    flags, frames = tuple(f for f, _ in grown), tuple(f for _, f in grown)
    return Whole(found, tuple(generic), here, room, flags, frames, steps, reach)


def _reach(
    found: Forms, chosen: Sequence[int], at: Point, here: Elimination, room: int, flag: Flag, limit: Limit
) -> Reach:
    generic = _trimmed(flag.dimensions)
    if here.rank < len(chosen):
        return Reach((), generic, generic, room, flag.complete)
    length = len(generic) + FARTHER
    local = frame(found.only(here.kept), found.variables, found.last, at, length, GIVEN)
    there = growth(local, length, flag.dimensions[-1], False, limit)
    return Reach((), _trimmed(there.dimensions), generic, room, there.complete)


def _trimmed(dimensions: tuple[int, ...]) -> tuple[int, ...]:
    """Without the repetition that shows it is complete; one that grows again later stays."""
    shown = list(dimensions)
    while len(shown) > 1 and shown[-1] == shown[-2]:
        shown.pop()
    return tuple(shown)


def _grown(found: Forms, chosen: Sequence[int], at: Point, room: int, limit: Limit) -> tuple[Flag, Frame]:
    """The flag at a random point, with series long enough for it to stop growing."""
    rows = found.only(chosen)
    for order in ORDERS:
        local = frame(rows, found.variables, found.last, at, order, CHANCE)
        flag = growth(local, order + 1, room, True, limit)
        if flag.complete or limit.over:
            break
    return flag, local
