"""The kinks of a compiled system: functions that are smooth on every branch, and guards at which branches change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.engine.interface import EVENT_KINDS, Status
from dalembert.language import Sentences, mark, tr
from dalembert.mechanics.branches import Kink, locked
from dalembert.programs.functions import Function
from dalembert.programs.system import CompiledSystem

if TYPE_CHECKING:
    from dalembert.motions.unilateral import HybridSystem

SENTENCES: Sentences = {
    Status.KINKS_TOGETHER: "several kinks reach zero at once, among them {name}, and the effect of each depends "
    "on the others; round one of the corners off, or start so that they are met one after the other",
    Status.KINK_OPEN: "more than one motion is possible from the kink of {name}: the forces on both sides of it "
    "drive away from it; start next to it",
    Status.KINK_HELD: "the motion comes to rest at the kink of {name}, where reactions ({rows}) have two "
    "directions, and friction acts or more than one kink holds; end the motion before, round the corner off, or state "
    "a kinked gap as one contact for each side",
    Status.KINK_STUCK: "the kink of {name} is crossed again and again without time advancing; loosen the tolerance, or "
    "round the corner off",
    Status.KINK_JUMPS: "{rows} jump at the kink of {name}, and no motion can follow; make them continuous there",
    Status.KINK_TOUCHED: "the kink of {name} and the contacts and frictions ({rows}) cannot be decided together; state "
    "a force with a kink as a friction",
}
ROW_TURNS = mark(
    "the constraint {name} is singular: its derivative by the speeds has no direction in this state, and no motion can "
    "be followed from here; end the motion before, or write the constraint without a root that vanishes there"
)
NOT_ALONG_STATES = mark(
    "rates on both sides of the kink of {name} drive into it, and a motion along a kink of states or data is not "
    "followed; round the corner off, as in s/sqrt(s^2 + 1e-6) for sign(s)"
)


@dataclass(frozen=True)
class Kinked:
    """`system` has the branches as its last parameters, after those of the record."""

    system: CompiledSystem
    kinks: tuple[Kink, ...]
    branches: int
    guards: Function  # events, masses, then kinks
    rows: Function  # of every kink: g, ψ, b, A
    laws: Function | None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(kink.name for kink in self.kinks)


def kinked(system: CompiledSystem, laws: Function | None = None, said: Sequence[object] = ()) -> Kinked | None:
    """The system on its branches, or None if it is smooth. `said` are the expressions of the laws."""
    return system.once("kinks", lambda: _made(system, laws, said))


def _made(system: CompiledSystem, laws: Function | None, said: Sequence[object]) -> Kinked | None:
    functions = (system.dynamics, system.position, system.velocity, system.rates, laws)
    if all(function.program.is_smooth for function in functions if function is not None):
        return None
    found = locked(system.equations, said)
    if not found.kinks:
        return None
    smooth = CompiledSystem(found.equations, system.backend, system.level)
    eq = system.equations
    seen = [*(guard for guard, _ in eq.events.values()), *eq.masses.values(), *(kink.guard for kink in found.kinks)]
    guards = smooth.compiled("guards at kinks", lambda _: seen, eq.answers if eq.guards_forces else ())
    rows = smooth.compiled("kinks", lambda _: [e for k in found.kinks for e in (k.guard, k.psi, k.b, *k.A)])
    further = None if laws is None else smooth.compiled("laws", lambda _: found.further)
    return Kinked(smooth, found.kinks, found.branches, guards, rows, further)


def stopped_at(kinks: Kinked, status: Status, guard: int, rows: str) -> str:
    """Why a motion ends at a kink. `guard` is its place among all guards."""
    place = guard - (kinks.guards.outputs - len(kinks.kinks))
    along = status == Status.KINK_STUCK and kinks.kinks[place].degree == 0
    return tr(NOT_ALONG_STATES if along else SENTENCES[status], name=kinks.names[place], rows=rows)


def event_names(system: CompiledSystem, hybrid: HybridSystem | None) -> dict[str, tuple[str, ...]]:
    """The names of the events of every kind, in the engine's order."""
    kinks = kinked(system) if hybrid is None else hybrid.kinks
    contacts = () if hybrid is None else tuple(contact.name for contact in hybrid.unilateral.contacts)
    frictions = () if hybrid is None else tuple(friction.name for friction in hybrid.unilateral.frictions)
    turning = () if kinks is None else kinks.names
    named = {"crossing": tuple(system.equations.events), "stick": frictions, "slip": frictions, "kink": turning}
    return {kind: named.get(kind, contacts) for kind in EVENT_KINDS}
