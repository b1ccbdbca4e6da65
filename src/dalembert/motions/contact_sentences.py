"""Why contacts and frictions stop a motion: sentences with a remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Status
from dalembert.language import Sentences, mark, tr
from dalembert.motions.accelerations import explained
from dalembert.motions.kinked import SENTENCES
from dalembert.motions.native import vector
from dalembert.motions.unilateral import HybridSystem

if TYPE_CHECKING:
    from dalembert.motions.touching import NativeTouching

PAINLEVE: Sentences = {
    Status.NO_STATE: "no state of the contacts {names} satisfies the equations (Painlevé's paradox: sliding "
    "friction presses a contact harder than the body can give way); the rigid model has no "
    "motion from here: lower the friction, or give the contact a compliance",
    Status.SEVERAL_STATES: "more than one state of the contacts {names} satisfies the equations (Painlevé's "
    "paradox: it may as well lift off as go on pressed); the rigid model does not "
    "determine the motion from here: lower the friction, or give the contact a compliance",
    Status.UNDECIDED: "the forces of the contacts {names} could not be found: more of them with friction "
    "touch at once than can be told apart; give some of them a small compliance",
}
HELD_TOO_MUCH = mark(
    "no state of {names} satisfies the equations: the reaction of the rates that a friction holds leaves its cone, "
    "or a constraint or contact presses harder the more friction pulls (Painlevé's paradox); raise or lower the "
    "coefficients, or give the contact a compliance"
)
REVERSES_TOO_MUCH = mark(
    "no impulse of the contacts {names} satisfies their law: to reverse the rates in `reverses`, a contact would "
    "have to pull; let it reverse less, or lower its restitution"
)
STOPPED: Sentences = {
    Status.CONTRADICTS: "the contact {name} contradicts the constraints: they leave its gap no motion; leave one of "
    "them out",
    Status.ENERGY_GAIN: "{when} the {law} law would add energy at the impact of {name}: its restitution does "
    'not fit the friction or the other contacts; use law = "poisson" or a smaller restitution',
    Status.NOT_REVERSED: "at t = {t:.9g} a change of sign does not describe the impact of {name}: an impulse leaves a "
    'cone of friction, or would pull; use description = "segmented"',
    Status.HELD_BROKEN: "{when} the friction {friction} can no longer hold its rates at zero: the reaction leaves the "
    "cone; raise its coefficient, or let it slip",
    Status.LAW_BROKEN: "{when} the force of the {names} breaks its own law, so it is not reported; tighten "
    "the tolerance, and if that does not help, please report the model",
    Status.STUCK: "{when} the state of contacts and frictions changes again and again without time "
    "advancing; loosen the tolerance, or give the contacts a small compliance",
    "stuck at kinks": "{when} the contacts and frictions ({names}) and the kinks of {kinks} change again and again "
    "without time advancing; loosen the tolerance, round the corner off, or state a kinked gap as one contact for each "
    "side",
}


def failure(native: NativeTouching, report: engine.Report, status: Status) -> str:
    """Why a motion failed."""
    from dalembert.motions.sentences import sentence

    hybrid, u = native.hybrid, native.hybrid.unilateral
    if status in SENTENCES and native.kinks is not None:
        parts: tuple[Any, ...] = (*hybrid.equations.constraints, *u.contacts, *u.frictions)
        return sentence(native, report, status, dict.fromkeys(part.name for part in parts))
    if status < Status.CONTRADICTS and status not in (Status.SINGULAR, Status.INCONSISTENT, Status.NONFINITE):
        return sentence(native, report, status)
    bad = vector(report.bad, native.system.dynamics.inputs)
    at = bad if bad.any() else hybrid.system.along(report.t, vector(report.y, native.size))
    return contact_failure(hybrid, status, report.t, report.row, at)


def paradox(hybrid: HybridSystem, status: Status) -> str:
    """A sentence that no state, or more than one, is possible."""
    contacts, frictions = hybrid.unilateral.contacts, hybrid.unilateral.frictions
    none = status == Status.NO_STATE
    if none and (not contacts or any(friction.held for friction in frictions)):
        names = [contact.name for contact in contacts] + [friction.name for friction in frictions]
        return tr(HELD_TOO_MUCH, names=", ".join(dict.fromkeys(names)))  # a contact's own friction shares its name
    # Without friction there is always a state, unless a contact reverses rates.
    sentence = REVERSES_TOO_MUCH if none and not frictions else PAINLEVE[status]
    return tr(sentence, names=", ".join(contact.name for contact in contacts))


def contact_failure(hybrid: HybridSystem, status: Status, t: float, index: int, at: np.ndarray) -> str:
    """Why contacts stop a motion, in a sentence. `index` is the row at fault, and `at` the state of the evaluation."""
    u, when = hybrid.unilateral, tr("at t = {t:.9g}", t=t)
    contacts, frictions = [c.name for c in u.contacts], [f.name for f in u.frictions]
    if status in PAINLEVE:
        return f"{when} {paradox(hybrid, status)}"
    if status == Status.CONTRADICTS:
        return f"{when} {tr(STOPPED[status], name=contacts[index])}"
    if status in (Status.ENERGY_GAIN, Status.NOT_REVERSED):
        return tr(STOPPED[status], when=when, t=t, law=u.contacts[index].law, name=contacts[index])
    if status == Status.HELD_BROKEN:
        return tr(STOPPED[status], when=when, friction=frictions[index % len(frictions)])
    if status == Status.LAW_BROKEN:
        named = [tr("contact {name}", name=name) for name in contacts]
        named += [tr("friction {name}", name=name) for name in frictions]
        return tr(STOPPED[status], when=when, names=named[index])
    if status == Status.STUCK and hybrid.kinks is not None:
        names = ", ".join(dict.fromkeys([*contacts, *frictions]))
        return tr(STOPPED["stuck at kinks"], when=when, names=names, kinks=", ".join(hybrid.kinks.names))
    if status == Status.STUCK:
        return tr(STOPPED[status], when=when)
    return explained(hybrid.system, at, status, index, list(range(hybrid.laws.bilateral)))
