"""A motion by SciPy's steppers, one step at a time: Radau where it is stiff, DOP853 where there is no machine code.

Every step ends in a projection, and events go through the same isolation of roots as in the compiled steppers.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.motions.accelerations import explained, lost
from dalembert.motions.raw import Crossing
from dalembert.simulate import linear
from dalembert.simulate.intervals import followed
from dalembert.simulate.linear import shape_of
from dalembert.simulate.roots import NODES, isolate

Progress = Callable[[float], None]
State = Callable[[Any], np.ndarray]
Seen = Callable[[np.ndarray], np.ndarray]  # times -> guards, a row for each


LEAP = 1e3  # errors by which a projection may move the end of a step, as in `dop853`
SHORTEST = 1e-13  # of the whole motion, a step after which no shorter one is tried


class Fails(Exception):
    """The motion cannot go on; its text is the sentence."""


class Lost(Fails):
    """The constraints cannot be kept by this step; a shorter one may keep them."""


@dataclass
class Books:
    """What a motion has written so far."""

    samples: np.ndarray
    sampled: list[np.ndarray] = field(default_factory=list)
    events: list[Crossing] = field(default_factory=list)
    steps: int = 0
    evaluations: int = 0
    residual: float = 0.0
    rate_residual: float = 0.0
    t: float = 0.0
    y: np.ndarray = field(default_factory=lambda: np.zeros(0))
    status: str = "finished"
    message: str = ""


class Problem:
    """ẏ = f(t, y) and the projection onto the constraints, in NumPy."""

    def __init__(self, system: CompiledSystem, books: Books):
        self.system, self.books = system, books
        self.shape = shape_of(system)
        self.work = linear.workspace(system.n, system.m, system.reactions)
        self.a, self.nu = np.zeros(max(system.n, 1)), np.zeros(max(system.reactions, 1))
        self.bad: tuple[np.ndarray, int, int] | None = None

    def x(self, t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([[t], y, self.system.parameters])

    def parts(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n = self.system.n
        return rows[:, :n], rows[:, n : 2 * n], rows[:, 2 * n :]

    def slope(self, t: float, y: np.ndarray) -> np.ndarray:
        """ẏ, or NaN where there is none: SciPy's steppers then shorten the step."""
        n, k = self.system.n, self.system.k
        self.books.evaluations += 1
        x = self.x(t, y)
        if not np.all(np.isfinite(y)):
            return np.full(len(y), np.nan)
        with np.errstate(all="ignore"):
            status, row = linear.accelerations(
                self.system.dynamics(x), self.shape, False, self.work, self.a, self.nu, k > 0
            )
        if status != linear.DONE:
            self.bad = (x, int(status), int(row))
            return np.full(len(y), np.nan)
        return np.concatenate([y[n : 2 * n], self.a[:n], self.nu[:k]])

    def projected(self, t: float, y: np.ndarray) -> np.ndarray:
        n, system = self.system.n, self.system
        y = y.copy()
        if system.mh:
            self._newton(t, y, system.position, system.mh, 0)
        if system.m:
            self._newton(t, y, system.velocity, system.m, n)
        return y

    def kept(self, t: float, y: np.ndarray, near: np.ndarray) -> np.ndarray:
        """The projection of the end of a step, where it is near: farther away is another branch."""
        new = self.projected(t, y)
        if np.all(np.abs(new - y) <= near):
            return new
        raise Lost(f"at t = {t:.9g} {lost(self.system, self.x(t, y))}")

    def _newton(self, t: float, y: np.ndarray, function: Callable[..., np.ndarray], rows: int, offset: int) -> None:
        n, before, left = self.system.n, np.inf, np.inf
        for _ in range(12):
            out = function(self.x(t, y))
            r, J = out[:rows], out[rows:].reshape(rows, n)
            left = float(np.abs(r).max())
            if not (left > 0 and left < 0.5 * before):
                break
            before = left
            y[offset : offset + n] -= np.linalg.lstsq(J, r, rcond=1e-8)[0]
        if not left <= 1e-9 * max(1.0, float(np.abs(y).max())):
            raise Lost(f"at t = {t:.9g} {lost(self.system, self.x(t, y))}")
        if offset:
            self.books.rate_residual = max(self.books.rate_residual, left)
        else:
            self.books.residual = max(self.books.residual, left)

    def sentence(self, t: float) -> str:
        if self.bad is not None:
            return explained(self.system, *self.bad)
        return f"at t = {t:.9g} the step became too small: the motion is singular or not smooth there"


def run_scipy(
    system: CompiledSystem,
    y0: np.ndarray,
    samples: np.ndarray,
    start: float,
    end: float,
    tolerance: float,
    method: str = "Radau",
    progress: Progress | None = None,
) -> Books:
    """The motion from y0 at `start`; KeyboardInterrupt ends it with what there is."""
    books = Books(samples)
    problem = Problem(system, books)
    books.t, books.y = start, np.asarray(y0, dtype=float)
    try:
        _march(problem, books, start, end, tolerance, method, progress)
    except Fails as failure:
        books.status, books.message = "failed", str(failure)
    except KeyboardInterrupt:
        books.status, books.message = "interrupted", f"interrupted at t = {books.t:.9g}"
    return books


def _march(
    problem: Problem, books: Books, start: float, end: float, tolerance: float, method: str, progress: Progress | None
) -> None:
    from scipy import integrate

    books.y = problem.projected(start, books.y)
    _sample(books, problem, lambda t: books.y, start)
    relative = max(tolerance, 2.3e-14)
    absolute = tolerance * np.maximum(np.abs(books.y), 1e-3)

    def solver_from(step: float | None) -> Any:
        stepper = getattr(integrate, method)
        return stepper(problem.slope, books.t, books.y, end, rtol=relative, atol=absolute, first_step=step)

    solver = solver_from(None)
    told, excluded = clock.perf_counter(), True
    while books.t < end:
        with np.errstate(all="ignore"):
            solver.step()
        if solver.status == "failed" or not np.all(np.isfinite(solver.y)):
            raise Fails(problem.sentence(books.t))
        problem.bad = None
        interpolant, t_old, t_new = solver.dense_output(), books.t, solver.t
        try:
            new = problem.kept(t_new, solver.y, LEAP * (absolute + relative * np.abs(solver.y)))
        except Lost:
            if t_new - t_old < SHORTEST * (end - start):
                raise
            solver = solver_from((t_new - t_old) / 4)
            continue
        if not np.array_equal(new, solver.y):
            solver.y, solver.f = new, problem.slope(t_new, new)
        books.steps += 1

        def state(t: float, t_new: float = t_new, new: np.ndarray = new, at: State = interpolant) -> np.ndarray:
            return new if t >= t_new else problem.projected(t, at(t))

        def seen(times: np.ndarray, t_new: float = t_new, new: np.ndarray = new, at: State = interpolant) -> np.ndarray:
            rows = at(times).T  # not on the constraints: near enough to tell where roots are to be looked for
            rows[times >= t_new] = new
            return problem.system.guards(problem.system.state(times, *problem.parts(rows)))

        ended = _events(problem, books, seen, state, t_old, t_new, excluded)
        until = t_new if ended is None else ended.time
        _sample(books, problem, state, until)
        books.t, books.y, excluded = until, state(until), False
        if ended is not None:
            _stop(problem, books, ended)
            return
        if progress is not None and clock.perf_counter() - told > 0.2:
            progress((books.t - start) / (end - start))
            told = clock.perf_counter()


def _sample(books: Books, problem: Problem, state: State, until: float) -> None:
    while len(books.sampled) < len(books.samples) and books.samples[len(books.sampled)] <= until:
        books.sampled.append(state(float(books.samples[len(books.sampled)])))


def _stop(problem: Problem, books: Books, ended: Crossing) -> None:
    if ended.name in problem.system.equations.events:
        books.status, books.message = "stopped", f"the event {ended.name} ended the motion at t = {ended.time:.9g}"
        return
    books.status = "failed"
    books.message = (
        f"at t = {ended.time:.9g} the mass of {ended.name} becomes negative; end the motion before, or keep the mass "
        "positive"
    )


def _events(
    problem: Problem, books: Books, seen: Seen, state: State, t0: float, t1: float, first: bool
) -> Crossing | None:
    """All crossings of the step into the books, up to one that ends the motion, which is returned."""
    eq, n = problem.system.equations, problem.system.n
    count = len(eq.events) + len(eq.masses)
    if not count:
        return None
    found: list[tuple[float, int, int]] = []
    for left, right, values in followed(seen, t0, t1):
        for g in range(count):
            column = np.ascontiguousarray(values[:, g])
            found += _roots(problem, state, g, column, left, right, first and left == t0)
    for t, g, direction in sorted(found):
        is_event = g < len(eq.events)
        name = list(eq.events)[g] if is_event else list(eq.masses)[g - len(eq.events)]
        stop = eq.events[name][1] if is_event else direction < 0
        y = state(t)
        crossing = Crossing(t, name, direction, stop, y[:n], y[n : 2 * n], y[2 * n :])
        if is_event:
            books.events.append(crossing)
        if stop:
            return crossing
    return None


def _roots(
    problem: Problem, state: State, g: int, values: np.ndarray, left: float, right: float, first: bool
) -> list[tuple[float, int, int]]:
    """The roots of one guard between two times, with the side to which it crosses."""
    stack, brackets = np.zeros((80, NODES + 2)), np.zeros((NODES, 3))
    if not np.abs(values).max() > 0:
        return []
    found = []
    for r in range(isolate(values, first and values[0] == 0.0, stack, brackets)):
        a, b = left + brackets[r, :2] * (right - left)
        root = _root(partial(_guard, problem, state, g), float(a), float(b))
        if root is not None:
            found.append((root, g, 1 if _guard(problem, state, g, float(b)) >= 0 else -1))
    return found


def _guard(problem: Problem, state: State, g: int, t: float) -> float:
    return float(problem.system.guards(problem.x(t, state(t)))[g])


def _root(f: Callable[[float], float], a: float, b: float) -> float | None:
    fa, fb = f(a), f(b)
    if (fa >= 0) == (fb >= 0):
        return None
    for _ in range(200):
        middle = a + (b - a) / 2
        if middle <= a or middle >= b:
            break
        value = f(middle)
        if (value >= 0) == (fb >= 0):
            b = middle
        else:
            a = middle
    return b
