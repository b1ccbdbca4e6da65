"""The mode of contacts and frictions at one state, decided in plain Python by the functions that steppers compile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.errors import MathematicsError
from dalembert.motions.accelerations import explained
from dalembert.motions.unilateral import TOUCHING, HybridSystem, still
from dalembert.simulate import contacts, linear
from dalembert.simulate.complementarity import CLOSED, NO_SOLUTION, OPEN, SEVERAL, SLIP, SOLVED
from dalembert.simulate.table import CANDIDATE, CONTACT, FRICTION, LAWS, MAY, MODE_DIR0, MODE_SIGN, RESTING, Table
from dalembert.simulate.tables import table_of

PAINLEVE = {
    NO_SOLUTION: "no state of the contacts {names} satisfies the equations (Painlevé's paradox: sliding friction "
    "presses a contact harder than the body can give way); the rigid model has no motion from here",
    SEVERAL: "more than one state of the contacts {names} satisfies the equations (Painlevé's paradox: it may as well "
    "lift off as go on pressed); the rigid model does not determine the motion from here",
}
HELD_TOO_MUCH = (
    "no state of {names} satisfies the equations: what a friction is to hold needs more than its cone, or a constraint "
    "or contact presses harder the more friction pulls (Painlevé's paradox)"
)
REVERSES_TOO_MUCH = (
    "no impulse of the contacts {names} does what it is to do: to reverse what it reverses besides its gap's rate, a "
    "contact would have to pull"
)
CONTRADICTION = "the contact {name} contradicts the constraints: they leave its gap no motion"
TOO_MANY = "more contacts with friction touch at once than can be told apart"


@dataclass(frozen=True, slots=True)
class Settled:
    mode: np.ndarray  # a status for every contact, then for every friction
    colliding: tuple[int, ...]  # contacts that touch and close: left open, their impact not applied


def settle(hybrid: HybridSystem, x: np.ndarray) -> Settled:
    """The mode in which a motion goes on from x; a failure of the laws of contact raises."""
    laws = hybrid.laws
    gaps, tiny = hybrid.gaps(x), still(hybrid.speeds(x))
    rates = hybrid.system.velocity(x)[laws.bilateral : laws.bilateral + laws.contacts]
    touching = np.abs(gaps) <= TOUCHING
    resting = [bool(hybrid.slip(x, j) <= tiny) for j in range(laws.frictions)]
    closed = touching & (np.abs(rates) <= tiny)
    tab, status, row, cases = _decided(hybrid, x, closed, resting, [True] * laws.frictions)
    when = f"at t = {x[0]:.9g}"
    if status == contacts.CONTRADICTS:
        raise MathematicsError(f"{when} {CONTRADICTION.format(name=hybrid.unilateral.contacts[row].name)}")
    if status != linear.DONE:
        raise MathematicsError(explained(hybrid.system, x, status, row, list(range(laws.bilateral))))
    if cases != SOLVED:
        raise MathematicsError(f"{when} {paradox(hybrid, cases)}")
    mode = np.concatenate([tab.wholes[CONTACT, : laws.contacts], tab.wholes[FRICTION, : laws.frictions]])
    return Settled(mode, tuple(np.flatnonzero(touching & (rates < -tiny)).tolist()))


def paradox(hybrid: HybridSystem, cases: int) -> str:
    """That no state, or more than one, is possible."""
    contacts, frictions = hybrid.unilateral.contacts, hybrid.unilateral.frictions
    if cases == NO_SOLUTION and (not contacts or any(friction.held for friction in frictions)):
        names = [contact.name for contact in contacts] + [friction.name for friction in frictions]
        return HELD_TOO_MUCH.format(names=", ".join(dict.fromkeys(names)))  # a contact's own friction has its name
    pulls = (
        cases == NO_SOLUTION and not frictions
    )  # what presses and does not rub has a state, but for what it reverses
    sentence = REVERSES_TOO_MUCH if pulls else PAINLEVE.get(cases, TOO_MANY)
    return sentence.format(names=", ".join(contact.name for contact in contacts))


def directions_from_rest(hybrid: HybridSystem, x: np.ndarray, mode: np.ndarray) -> np.ndarray:
    """Unit vectors of the slips that begin at x in a mode that is known, a row for every friction."""
    laws, tiny = hybrid.laws, still(hybrid.speeds(x))
    resting = [bool(hybrid.slip(x, j) <= tiny) for j in range(laws.frictions)]
    sticks = [status != SLIP for status in mode[laws.contacts :].tolist()]
    tab = _decided(hybrid, x, mode[: laws.contacts] == CLOSED, resting, sticks)[0]
    return tab.reals[MODE_DIR0 : MODE_DIR0 + 2, : laws.frictions].T.copy()


def _decided(
    hybrid: HybridSystem, x: np.ndarray, candidates: np.ndarray, resting: list[bool], may_stick: list[bool]
) -> tuple[Table, int, int, int]:
    laws, system = hybrid.laws, hybrid.system
    F = system.dynamics(x)
    tab = table_of(laws, system.n, len(F) + system.n * laws.rows, 1)
    values = hybrid.function(x)
    tab.reals[LAWS, : len(values)] = values
    tab.wholes[CONTACT, : laws.contacts] = OPEN
    tab.wholes[CANDIDATE, : laws.contacts] = candidates
    tab.wholes[RESTING, : laws.frictions], tab.wholes[MAY, : laws.frictions] = resting, may_stick
    tab.reals[MODE_SIGN, : laws.frictions] = 1.0
    w = linear.workspace(system.n, laws.rows, laws.rows)
    with np.errstate(all="ignore"):
        status, row, cases = contacts.settle(tab, F, laws, system.n, bool(system.equations.symmetric), w)
    return tab, int(status), int(row), int(cases)
