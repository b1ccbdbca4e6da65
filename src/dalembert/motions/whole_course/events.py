"""Events of a whole-course motion: s changes sign, slips stop and start, impacts end.

At q₁* = 0 nothing is reset: the auxiliary state continues unchanged and is read with the other sign. The impact law is
computed as well, for the impulse and the energy of the event, and to check that the two agree.
"""

from __future__ import annotations

import numpy as np

from dalembert.language import tr
from dalembert.motions.laws import SLIP_DIM
from dalembert.motions.whole_course.course import Course, projected
from dalembert.motions.whole_course.guards import APEX, CROSSING, FIRST_FRICTION, first_named
from dalembert.motions.whole_course.modes import Fails
from dalembert.programs.modes import OFF, SLIP, STICK

STOPPED = 100.0  # times the negligible speed; below this a planar slip stops, since its direction has two digits there
AGREES = 1e-8  # allowed difference of the speeds after an impact from those of the impact law


def happen(course: Course, hits: list[int]) -> None:
    """Carry out the events of the guards that are zero."""
    first = first_named(course)
    if max(hits) >= first:
        _end(course, max(hits) - first)
        return
    if APEX in hits:
        turn(course)
    resting: set[int] = set()
    left: set[int] = set()
    for g in hits:
        if g >= FIRST_FRICTION:
            _friction(course, *divmod(g - FIRST_FRICTION, course.modes.laws.frictions), resting, left)
    if CROSSING in hits:
        impact(course)
    if not course.closed and hits != [APEX]:
        settle(course, resting, left)


def _end(course: Course, place: int) -> None:
    equations = course.hybrid.equations
    if place < len(equations.events):
        course.stopped = tr(
            "the event {events} ended the motion at t = {t:.9g}", events=list(equations.events)[place], t=course.t
        )
        return
    name = list(equations.masses)[place - len(equations.events)]
    raise Fails(
        tr(
            "at t = {t:.9g} the mass of {body} becomes negative; end the motion before, or keep the mass positive",
            t=course.t,
            body=name,
        )
    )


def turn(course: Course) -> None:
    """Change Ivanov's factor at q̇₁ = 0, so that q̇₁ does not change."""
    assert course.Y is not None
    course.Y[course.auxiliary.n] = 0.0
    course.auxiliary.sigma *= -1.0
    course.powers[APEX] = 1


def _friction(course: Course, kind: int, j: int, resting: set[int], left: set[int]) -> None:
    """Handle a guard of friction j: that of its mode, of the side it is pressed on, or of the rows that it holds."""
    modes = course.modes
    if kind == 1:
        modes.frictions[j].sign *= -1.0
    elif kind == 2:
        name = course.hybrid.unilateral.frictions[j].name
        raise Fails(
            tr(
                "at t = {t:.9g} the friction {name} can no longer hold its rates at zero: the reaction leaves the "
                "cone; raise its coefficient, or let it slip",
                t=course.t,
                name=name,
            )
        )
    else:
        resting.add(j)
        if modes.friction(j) == STICK:
            left.add(j)
        elif modes.laws.layout[SLIP_DIM, j] == 2:
            n, y = course.auxiliary.n, course.now()
            delta, change = modes.planar_stop(course.x(course.t, y), j)
            y[:n] += delta * (y[n:] + 0.5 * change)
            y[n:] += change
            course.t += delta
            course.go_on_from(y)


def impact(course: Course) -> None:
    """Carry out the impact when q₁* passes zero."""
    system, n = course.auxiliary, course.auxiliary.n
    assert course.Y is not None
    course.Y[system.parts.place] = 0.0
    before = course.now()
    x = course.x(course.t, before)
    change, impulse, energy = course.modes.impact(x)
    wanted = before[n:] + change
    after = _other_side(course)
    if not _agree(after[n:], wanted, before[n:]) and system.parts.rolling_rows:
        # A rolling contact takes part, so its slip stays zero, not the momentum along it.
        system.s, system.sigma = -system.s, -1.0
        system.choose(course.t, before[:n], rolling=True)
        course.Y = system.encoded(course.t, before[:n], before[n:])
        after = _other_side(course)
    if not _agree(after[n:], wanted, before[n:]):
        raise Fails(
            tr(
                "at t = {t:.9g} a change of sign does not describe the impact of {name}: an impulse leaves a cone of "
                'friction, or would pull; use description = "segmented"',
                t=course.t,
                name=course.hybrid.unilateral.contacts[0].name,
            )
        )
    course.note("impact", 0, before, after, impulse=impulse, energy=energy)
    course.powers[CROSSING] = 1
    ending = course.flights.accumulate(course.t)
    if np.isfinite(ending):
        _close(course, x, before, ending)


def _other_side(course: Course) -> np.ndarray:
    """The same auxiliary state, read on the other side of q₁* = 0, where the contact opens."""
    course.auxiliary.s *= -1.0
    course.auxiliary.sigma = 1.0
    return course.now()


def _agree(v: np.ndarray, wanted: np.ndarray, before: np.ndarray) -> bool:
    return bool(np.abs(v - wanted).max() <= AGREES * (np.abs(wanted).max() + np.abs(before).max()))


def _close(course: Course, x: np.ndarray, before: np.ndarray, ending: float) -> None:
    """Zeno: impacts accumulate, and from then on q₁* is zero, unless the contact opens at once."""
    n, after = course.auxiliary.n, before.copy()
    after[n:] += course.modes.impact(x, inelastic=True)[0]
    course.note("chatter", 0, before, after, time=ending)
    course.flights.steady = 0
    course.Y, course.y = None, after
    settle(course, set(), set(), touching=True)
    if course.closed:
        return
    course.auxiliary.s, course.auxiliary.sigma = 1.0, 1.0
    course.go_on_from(after)
    course.powers[CROSSING] = 3


def settle(course: Course, resting: set[int], left: set[int], touching: bool = False) -> None:
    """Settle the next mode and note its events. Frictions in `left` have just left their cone."""
    modes, y = course.modes, course.now()
    old = [modes.friction(j) for j in range(modes.laws.frictions)]
    if not old and not touching:
        return
    x = course.x(course.t, y)
    modes.settle(x, touching, resting, left)
    if modes.touches():
        course.note("contact", 0, y, y)
    for j, before in enumerate(old):
        now = modes.friction(j)
        prepare_slip(course, j, x, before)
        if now != OFF and (now != before or modes.starts(j)):
            kind = "stick" if now == STICK else "slip"
            course.note(kind, j, y, y, side=float(modes.frictions[j].along[0]))
    changed = old != [modes.friction(j) for j in range(len(old))]
    if not touching and (changed or course.auxiliary.rolling):
        course.go_on_from(projected(course, course.t, y, modes.active()))


def prepare_slip(course: Course, j: int, x: np.ndarray, before: int) -> None:
    """Prepare the guard of a slip for the next step."""
    modes = course.modes
    friction = modes.frictions[j]
    friction.from_rest = 0
    if modes.friction(j) == SLIP:
        friction.still = STOPPED * modes.tiny_speed(x)
    if modes.starts(j):
        friction.from_rest = 1
        course.powers[FIRST_FRICTION + j] = 1 if before == SLIP else 2
