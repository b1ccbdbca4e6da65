"""Conditions that end a step of a whole-course motion: q₁* = 0, turns of Ivanov's substitution, frictions, events.

Every guard is evaluated at Chebyshev points of the step. The step is halved if the polynomial through them does not
follow the guard. All roots of the polynomial are isolated, and then located on the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dalembert.motions.whole_course.course import Course, Path, on_constraints
from dalembert.motions.whole_course.roots import NODES, PLACES, isolate, resolved

NARROWEST = 2.0**-12  # part of a step below which the polynomial of a guard is accepted anyway
CROSSING, APEX, FIRST_FRICTION = 0, 1, 2  # q₁*, its rate, then three guards for each friction, then the model's own

Root = tuple[float, int, float]  # time, guard, side to which it crosses


def guards(course: Course, t: float, Y: np.ndarray) -> np.ndarray:
    system, equations = course.auxiliary, course.hybrid.equations
    own = np.array([Y[system.parts.place], Y[system.n] if system.k else 1.0])
    named = bool(equations.events or equations.masses)
    if not course.modes.laws.frictions and not named:
        return own
    x = course.x(t, course.state(t, Y))
    return np.concatenate([own, course.modes.guards(x), course.hybrid.system.guards(x) if named else ()])


def first_named(course: Course) -> int:
    """The index of the model's first own guard: its events come first, then masses that vary."""
    return FIRST_FRICTION + 3 * course.modes.laws.frictions


def ends(course: Course, root: Root) -> bool:
    _, guard, side = root
    place, events = guard - first_named(course), list(course.hybrid.equations.events.values())
    if place < 0:
        return True
    return bool(events[place][1]) if place < len(events) else side < 0.0


def search(course: Course, at: Path, t0: float, t1: float) -> tuple[float, list[int]]:
    """The first instant at which the step ends, and the guards that are zero there. Earlier crossings become events."""
    until = t1
    hits: list[int] = []
    for left, right, values in followed(lambda times: np.array([guards(course, t, at(t)) for t in times]), t0, t1):
        found: list[Root] = []
        for g in range(values.shape[1]):
            power = course.powers.get(g, 0) if left == t0 else 0
            found += _roots(course, at, left, right, g, values[:, g].copy(), power)
        found.sort()
        ending = [root for root in found if ends(course, root)]
        if ending:
            until = ending[0][0]
            hits = [g for t, g, _ in ending if t - until <= 1e-14 * (t1 - t0)]
        _note_crossings(course, at, [root for root in found if root[0] <= until])
        if hits:
            break
    return until, hits


def _roots(
    course: Course, at: Path, left: float, right: float, g: int, values: np.ndarray, power: int
) -> list[Root]:  # fmt: skip
    """Roots of guard g, for frictions only falling ones. A root of multiplicity `power` at the very start is not
    counted.
    """
    from scipy.optimize import brentq

    if np.ptp(values) == 0.0:
        return []
    stack, brackets = np.zeros((80, NODES + 2)), np.zeros((NODES, 3))
    values[1:] /= PLACES[1:] ** max(power - 1, 0)
    quick = {CROSSING: course.auxiliary.parts.place, APEX: course.auxiliary.n}

    def value(t: float) -> float:
        return float(at(t)[quick[g]] if g in quick else guards(course, t, at(t))[g])

    found: list[Root] = []
    for r in range(isolate(values, power > 0, stack, brackets)):
        a, b = left + brackets[r, :2] * (right - left)
        if power and a == left:
            a += 1e-5 * (b - left)
        at_a, at_b = value(a), value(b)
        falls = at_b < 0.0
        if (at_a >= 0.0) == (at_b >= 0.0) or (not falls and FIRST_FRICTION <= g < first_named(course)):
            continue
        t = b if at_b == 0.0 else brentq(value, a, b, xtol=1e-300, rtol=4 * np.finfo(float).eps)
        found.append((float(t), g, -1.0 if falls else 1.0))
    return found


def _note_crossings(course: Course, at: Path, found: list[Root]) -> None:
    first = first_named(course)
    for t, g, side in found:
        if first <= g < first + len(course.hybrid.equations.events):
            state = on_constraints(course, t, at(t))
            course.note("crossing", g - first, state, state, side=side, time=t)


def followed(
    guards: Callable[[np.ndarray], np.ndarray], t0: float, t1: float
) -> Iterator[tuple[float, float, np.ndarray]]:
    """Intervals from left to right, each with its ends and the guards at its nodes, one column per guard; halved if
    necessary.

    `guards(times)` returns a row for each time.
    """
    spans = [(t0, t1)]
    while spans:
        left, right = spans.pop()
        values = guards(left + PLACES * (right - left))
        if right - left > NARROWEST * (t1 - t0) and not all(resolved(column) for column in values.T):
            middle = left + (right - left) / 2
            spans += [(middle, right), (left, middle)]
        else:
            yield left, right, values
