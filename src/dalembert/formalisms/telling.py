"""Turns the steps of a method into a lecture: a sentence before each, the places of the model's own paper, and errata.

Locators belong to the model and the step. A method gives the number of the general law. If the model is an example of a
paper (`places`), the step carries the number that the paper has for this very equation.
"""

from __future__ import annotations

import re
from dataclasses import replace

from dalembert.equations import Erratum, Step
from dalembert.formalisms.errata import ERRATA
from dalembert.formalisms.places import places_of
from dalembert.language import Sentences, english, mark, tr
from dalembert.model.record import ModelRecord

WHY: Sentences = {  # by key, or by the beginning of the title
    "Masses that vary": "Masses that change in time get letters of their own, so that what follows stays readable.",
    "contacts": "A contact can push and not pull. Its gap stays positive. Its force λ acts along the gradient of the "
    "gap, only while the gap is closed.",
    "first kind": "An impact on a rough surface reverses these together with the rate of the gap.",
    "second kind": "A friction force acts along each velocity of slip. Where the slip is zero the contact rolls or "
    "sticks, and the force is a reaction. Where it is not, the force follows from Coulomb's law.",
    "touching forces": "The reactions of contacts and frictions count among the active forces. The system is then "
    "treated as if it were free of them.",
    "modes": "An open contact has no force. A closed one stays closed as long as that takes a force that pushes: the "
    "gap's second derivative vanishes. Where the force would pull, the contact opens.",
    "pressing": "The force that presses is the reaction of a constraint. It follows from the rows of the dependent "
    "coordinates.",
    "slip": "Coulomb's law closes the equations. Friction opposes the slip and lies on the surface of its cone.",
    "stick": "Without slip the friction force is the reaction that keeps the slip zero. It must lie in Coulomb's cone. "
    "Where it would leave the cone, slip begins.",
    "impact": "When the gap closes, the speeds jump. The rate of the gap and the quantities of the first kind are "
    "reversed, times the restitution e. Bilateral constraints and rolling contacts go on to hold. Other contacts that "
    "slip carry no impulse.",
    "jump": "With the impulses solved for, every speed after the impact is known, and so is the change of energy.",
    "balance": "The impulses are found with numbers at the impact. The energy changes by their work on the mean of the "
    "speeds before and after it.",
    "course choice": "The whole course needs quasi-velocities that an impact either reverses or leaves alone. Momenta "
    "along which no impulse acts are left alone.",
    "course variables": "The gap is unfolded: where the system is reflected, the auxiliary one passes through with its "
    "sign changed. The variables with a star are continuous over every impact.",
    "course energy": "Put into the kinetic energy, they give the energy of the auxiliary system.",
    "course forces": "Forces along reversed quantities change their sign with s.",
    "course equations": "The equations of Boltzmann and Hamel's type hold for the auxiliary system, with s constant "
    "between two impacts. One integration describes the whole course.",
    "course held": "Quantities of the second kind that are held vanish.",
    "at the start": "At the initial state the coefficients are numbers. The dependent accelerations are put in.",
    "start": "These equations are solved one after the other: first the motion, then the reactions.",
    "held": "Quantities of the second kind that are held vanish, and the contacts are open.",
    "segment": "The rates are constant, so the equations are integrated at sight. The constants follow from the start, "
    "and after an impact from the speeds that it leaves.",
    "course integrals": "The rates are constant where s is, so the equations are integrated at sight. The same formula "
    "serves before and after an impact.",
    "written": "With the highest derivatives on the left and common constants divided out, the equations read:",
    "free": "If no constraint force acted, the motion would follow from the forces alone. It has to agree with the "
    "constraint.",
    "Kinetic energy in quasi-velocities": "The speeds are replaced by the quasi-velocities in the kinetic energy.",
    "Kinetic energy": "The derivation starts from the kinetic energy of all bodies.",
    "Generalized forces": "Everything that acts, except reactions of the constraints, is projected on the coordinates.",
    "Generalized active forces": "The active forces are projected on the partial accelerations.",
    "Generalized inertia forces": "The inertia forces are projected on the partial accelerations in the same way.",
    "on partial velocities": "The inertia forces are projected on the partial velocities in the same way.",
    "Generalized inertia forces and thrust": "The inertia forces, and the thrust of masses that vary, are projected "
    "on the partial velocities.",
    "Generalized thrust": "What leaves or joins a body pushes it with ṁu.",
    "Generalized momenta": "The momenta are the derivatives of the kinetic energy by the speeds.",
    "Generalized speeds": "The model chooses the quantities in which its motion is written. The constraints complete "
    "them.",
    "Constraint forces": "The reactions act along the derivatives of the constraints by the speeds: Chetaev's rule.",
    "Constraint force, seen": "The reaction is the force that a control would need to keep the constraint.",
    "Constraints that are kept": "Constraints whose reactions are not asked for are absorbed: they give speeds by "
    "others.",
    "Constraints that are released": "The constraints asked for are released, and come back as conditions on what is "
    "left.",
    "Constraints of the accelerations": "The constraints, differentiated once more, complete group II.",
    "Constraints": "The constraints are conditions on the speeds. One of coordinates alone is differentiated first.",
    "Constraints, differentiated": "Differentiated, the constraints are conditions on the accelerations.",
    "Coefficients of Hamel": "Quasi-velocities need not be derivatives of coordinates. These coefficients measure by "
    "how much they fail to be.",
    "Coefficients of the": "The coefficients of the dependent speeds and accelerations, one by one.",
    "Coefficients of the speeds": "Long coefficients of the quasi-velocities get letters, k. The terms δ are what "
    "differentiation adds to their rates: π̇ = Σ_r (∂π/∂q̇_r) q̈_r + δ.",
    "Dependent speeds": "The constraints give some of the speeds by the others.",
    "Dependent accelerations": "Differentiated, they give the dependent accelerations too.",
    "Derivatives of the constraints": "The matrix of the constraints is split so that its second part can be inverted.",
    "Normalizing factor": "Its columns separate the equations of the reactions from those of the motion.",
    "Group I": "The first columns give the reactions, one equation for each.",
    "Group II": "The other columns are free of reactions and give the motion.",
    "Partial velocities by": "The partial velocities by the independent speeds combine those of all coordinates.",
    "Partial velocities of": "The partial velocities are the coefficients of the speeds in the velocities.",
    "Partial speeds": "The speeds are differentiated by the independent quantities.",
    "Quasi-velocities": "Quasi-velocities replace the speeds. The last of them are the constraints.",
    "Speeds left free": "The columns of C span the speeds that the constraints leave free.",
    "Speeds": "Turned round, the speeds follow from the quasi-velocities.",
    "Thrust and corrections": "The derivatives of T contain derivatives of the masses. This term takes them back and "
    "adds the thrust.",
    "Energy of accelerations": "The energy of accelerations is quadratic in q̈. Terms without q̈ are of no use.",
    "Its derivatives": "Differentiated by q̈, it gives what Lagrange's left sides give.",
    "Lagrange's left sides": "The kinetic energy is differentiated for every coordinate.",
    "Acceleration and partial": "The acceleration is worked out once. Its coefficients of q̈ are read off.",
    "Angular acceleration": "The same is done for the angular acceleration, which is the derivative of the vector ω.",
    "Active forces": "The forces and couples that act on each body.",
    "Inertia forces and couples": "By d'Alembert's principle each body carries an inertia force and an inertia couple.",
    "Unconstrained system": "Without its constraints the system would follow these equations.",
    "The same, for T": "T holds no coordinates here, so it can be differentiated by the chosen quantities directly.",
    "Equation of motion": "The reactions are the smallest ones, by Gauss's principle, that keep the constraints.",
    "Equations of motion": "Put together, the parts give one equation for each quantity that is free.",
    "Virtual displacements": "The model itself says along which displacements the reactions do no work.",
}
NO_BASIS: Sentences = {  # methods whose theory has no choice of quasi-velocities
    "normalized-routh": "It eliminates by dependent speeds",
    "chetaev": "It keeps all speeds, and multipliers take care of the constraints",
    "vakonomic": "It varies the coordinates themselves",
    "virtual-displacements": "It keeps all speeds, and multipliers take care of the virtual displacements",
    "udwadia-kalaba": "It solves for all accelerations at once",
}
LONG_AXES = {"Components in the axes of the body less its spin.": mark("Components along n, τ, b.")}
AUTHORS: Sentences = {"Long": "Long", "Sun": "Sun", "ZhangMei": "ZhangMei", "Qiao": "Qiao", "WangGao": "WangGao"}
BESIDE: Sentences = {
    "before": "before {number}", "after": "after {number}", "under": "under {number}", "step": "step {number}",
}  # fmt: skip


def told(steps: tuple[Step, ...], model: ModelRecord, method: str, own: bool = True) -> tuple[Step, ...]:
    """The steps with their sentences, the places of the model's own paper, and the errata of the places they cite.

    If the question differs from the paper's (`own` is False), the paper's numbers do not belong to these equations.
    """
    places = places_of(model, method) if own else {}
    axes = LONG_AXES if any(place.startswith("Long") for place in places.values()) else {}
    finished = []
    for step in steps:
        locator = _place(step, places) or step.locator
        why = tr(step.why or _why(step))
        note = tr(axes.get(english(step.note), step.note))
        said = replace(step, title=tr(step.title), note=note, why=why)
        finished.append(replace(said, locator=locator, errata=errata_of(locator, english(step.title))))
    first, *rest = _once(finished)
    return (first, *_no_basis(model, method), *rest)


def _place(step: Step, places: dict[str, str]) -> str:
    found = [place for name, place in places.items() if name in (step.key, english(step.title))]
    return found[0] if found else ""


def _why(step: Step) -> str:
    if step.key in WHY:
        return WHY[step.key]
    found = [name for name in WHY if english(step.title).startswith(name)]
    return WHY[max(found, key=len)] if found else ""


def errata_of(locator: str, title: str = "") -> tuple[Erratum, ...]:
    """The errata of the equations that a step's locator names: "Long (34), (35)" has those of both."""
    found = []
    for paper, numbers in _cited(locator):
        found += [e for e in ERRATA if e.paper == paper and numbers & set(e.numbers) and e.step in ("", title)]
    return tuple(_said(e.erratum) for e in found)


def _said(e: Erratum) -> Erratum:
    return Erratum(e.place, tr(e.printed), tr(e.right), tr(e.because))


def cited(locator: str) -> str:
    """A locator in the language of its reader: "Sun, before (2.3)"."""
    for name in AUTHORS:
        locator = re.sub(rf"\b{name}\b", tr(name), locator)
    return re.sub(
        rf"\b({'|'.join(BESIDE)}) (\([\d.]+[′a-z]?\)|\d+(?:\.\d+)*′?)", lambda m: tr(BESIDE[m[1]], number=m[2]), locator
    )


def _cited(locator: str) -> list[tuple[str, set[str]]]:
    """The papers with the numbers cited of each. A range (2.21)–(2.23) counts with all its numbers."""
    found = []
    for part in re.split(r";\s*", locator):
        paper, _, rest = part.partition(" ")
        numbers = set(re.findall(r"\(([\d.A]+)\)", rest))
        for first, last in re.findall(r"\(([\d.]+)\)[–-]\(([\d.]+)\)", rest):
            numbers |= _between(first, last)
        found.append((paper, numbers))
    return found


def _between(first: str, last: str) -> set[str]:
    head, _, low = first.rpartition(".")
    _, _, high = last.rpartition(".")
    return {f"{head}.{n}" if head else str(n) for n in range(int(low), int(high) + 1)}


def _once(steps: list[Step]) -> list[Step]:
    """Keep each erratum only at the first step that cites its place."""
    seen: set[str] = set()
    found = []
    for step in steps:
        fresh = tuple(e for e in step.errata if e.place not in seen)
        seen |= {e.place for e in fresh}
        found.append(replace(step, errata=fresh))
    return found


def _no_basis(model: ModelRecord, method: str) -> tuple[Step, ...]:
    if not model.quasi_velocities or method not in NO_BASIS:
        return ()
    names = ", ".join(model.quasi_velocities)
    note = tr("This method does not use {names}. {reason}.", names=names, reason=tr(NO_BASIS[method]))
    return (Step(tr("Quasi-velocities of the model"), note=note),)
