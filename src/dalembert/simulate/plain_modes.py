"""Modes of contacts and frictions at one state, in plain Python over the same table as the compiled loop's.

For descriptions that step outside machine code: accelerations in a mode, the guards of frictions, which mode follows
(`contacts.settle`), what an impact does (`impacts.impact`), and how a slip in the plane comes to rest.
"""

from __future__ import annotations

import numpy as np

from dalembert.motions.laws import (
    BY_CONSTRAINT,
    HELD_COUNT,
    HELD_START,
    IS_ROUGH,
    PRESS_AT,
    PRESS_KIND,
    SLIP_DIM,
    SLIP_START,
)
from dalembert.motions.unilateral import HybridSystem, still
from dalembert.simulate import contacts, impacts, linear, sliding
from dalembert.simulate.complementarity import CLOSED, NO_SOLUTION, OPEN, SEVERAL, SLIP, STICK, TOO_MANY
from dalembert.simulate.forces_in_mode import active_rows
from dalembert.simulate.linear import DONE, Shape
from dalembert.simulate.stiff import Fails
from dalembert.simulate.table import (
    CANDIDATE,
    CHANGE,
    CONTACT,
    CONTACTS,
    COUNTS,
    EPSILON,
    FRICTION,
    FROM_REST,
    INVOLVED,
    LAWS,
    MAY,
    MODE_DIR0,
    MODE_SIGN,
    NORMAL_IMPULSE,
    RATES,
    RESPONSE,
    RESTING,
    ROWS,
    SIZE,
    SLOPES,
)  # fmt: skip
from dalembert.simulate.tables import table_of


class Modes:
    """A system's mode and the room to work with it."""

    def __init__(self, hybrid_system: HybridSystem):
        self.hybrid, self.system, self.laws = hybrid_system, hybrid_system.system, hybrid_system.laws
        self.n, self.symmetric = self.system.n, bool(self.system.equations.symmetric)
        outputs = self.system.dynamics.outputs + self.n * self.laws.rows
        self.tab = table_of(self.laws, self.n, outputs, self.laws.contacts + 3 * self.laws.frictions)
        self.F = np.zeros(outputs)
        self.w = linear.workspace(self.n, self.laws.rows, self.laws.rows)
        self.a, self.nu = np.zeros(self.n), np.zeros(max(self.laws.rows, 1))
        self.tab.reals[MODE_SIGN, : self.laws.frictions] = 1.0
        self.evaluations = 0
        self.shape = self._shape()

    def statuses(self) -> np.ndarray:
        """Of every contact, then of every friction."""
        tab = self.tab.wholes
        return np.concatenate([tab[CONTACT, : self.laws.contacts], tab[FRICTION, : self.laws.frictions]])

    def friction(self, j: int) -> int:
        return int(self.tab.wholes[FRICTION, j])

    def active(self) -> list[int]:
        """Rows of A that are on."""
        return active_rows(self.laws, self.statuses())

    def _shape(self) -> Shape:
        rows = np.array(self.active(), dtype=np.int64)
        general = any(self.friction(j) == SLIP for j in range(self.laws.frictions))
        return Shape(self.n, self.laws.rows, self.laws.rows, self.symmetric, general, rows, rows)

    def look(self, x: np.ndarray) -> None:
        """The dynamics and the laws at x."""
        values = self.hybrid.function(x)
        self.tab.reals[LAWS, : len(values)] = values
        self.F[: self.system.dynamics.outputs] = self.system.dynamics(x)
        self.evaluations += 1

    def accelerations(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """a, ν and b at x; Fails where there are none."""
        self.look(x)
        with np.errstate(all="ignore"):
            status, row = sliding.accelerations_in_mode(
                self.tab, self.F, self.laws, self.shape, False, self.w, self.a, self.nu, True
            )
        if status != DONE:
            raise Fails(self.sentence(x, status, row))
        at_b = contacts.sizes(self.n, self.symmetric) + self.n * (1 + self.laws.rows)
        return self.a, self.nu, self.F[at_b : at_b + self.laws.rows]

    def sentence(self, x: np.ndarray, status: int, row: int) -> str:
        from dalembert.simulate.hybrid_drive import failure

        return failure(self.hybrid, int(status), float(x[0]), int(row), x)

    def tiny_speed(self, x: np.ndarray) -> float:
        return float(still(self.hybrid.speeds(x)))

    def guards(self, x: np.ndarray) -> np.ndarray:
        """What must stay positive, of every friction: for its own mode, the side it is pressed on, what it holds."""
        if not self.laws.frictions:
            return np.ones(0)
        _, nu, _ = self.accelerations(x)
        laws, layout, tab = self.laws, self.laws.layout, self.tab
        out = np.ones((3, laws.frictions))
        for j in range(laws.frictions):
            slip, held = _part(nu, layout, SLIP_START, SLIP_DIM, j), _part(nu, layout, HELD_START, HELD_COUNT, j)
            N = sliding.pressing(tab, laws, j, nu)
            if self.friction(j) == STICK and not layout[IS_ROUGH, j]:
                out[0, j] = contacts.static_coefficient(tab, laws, j) ** 2 * N * abs(N) - held @ held - slip @ slip
            elif self.friction(j) == SLIP:
                if layout[SLIP_DIM, j] == 1:
                    out[0, j] = contacts.slip_of(tab, laws, j, 0) * tab.reals[MODE_DIR0, j]
                else:
                    threshold = 0.0 if tab.wholes[FROM_REST, j] else tab.reals[EPSILON, j]
                    out[0, j] = contacts.slip_size(tab, laws, j) ** 2 - threshold**2
                if layout[PRESS_KIND, j] == BY_CONSTRAINT:
                    out[1, j] = nu[layout[PRESS_AT, j]] * tab.reals[MODE_SIGN, j]
                if layout[HELD_COUNT, j] > 0:
                    out[2, j] = (contacts.coefficient(tab, laws, j) * N) ** 2 - held @ held
        return out.ravel()

    def settle(self, x: np.ndarray, touching: bool, resting: set[int], left: set[int]) -> None:
        """The mode that follows at x: frictions in `left` have just left their cone, those in `resting` do not slip."""
        self.look(x)
        tiny, wholes = self.tiny_speed(x), self.tab.wholes
        wholes[CANDIDATE, 0] = int(touching)
        for j in range(self.laws.frictions):
            wholes[RESTING, j] = int(j in resting or contacts.slip_size(self.tab, self.laws, j) <= tiny)
            wholes[MAY, j] = int(j not in left)
        status, row, cases = contacts.settle(self.tab, self.F, self.laws, self.n, self.symmetric, self.w)
        if status == DONE and cases != 1:
            status = self._which(cases)
        if status != DONE:
            raise Fails(self.sentence(x, status, row))
        self.shape = self._shape()

    def touches(self) -> bool:
        return bool(self.tab.wholes[CONTACT, 0] == CLOSED)

    def starts(self, j: int) -> bool:
        """Whether a friction slips from rest."""
        return self.friction(j) == SLIP and bool(self.tab.wholes[RESTING, j])

    def impact(self, x: np.ndarray, inelastic: bool = False) -> tuple[np.ndarray, float, float]:
        """Δv of the contact's impact at x, its impulse, and the energy gained."""
        laws, tab = self.laws, self.tab
        self.look(x)
        if inelastic:
            tab.reals[LAWS, laws.rows - laws.bilateral + 3 * laws.frictions] = 0.0
        tab.reals[RATES, : laws.rows] = self.system.velocity(x)[: laws.rows]
        tab.wholes[INVOLVED, 0], tab.wholes[CONTACT, 0] = 1, OPEN
        status, row, cases, energy = impacts.impact(tab, self.F, laws, self.n, self.symmetric, self.w)
        if status == DONE and cases in (NO_SOLUTION, TOO_MANY):
            status = self._which(cases)
        if status != DONE:
            raise Fails(self.sentence(x, status, row))
        return tab.reals[CHANGE, : self.n].copy(), float(tab.reals[NORMAL_IMPULSE, 0]), float(energy)

    @staticmethod
    def _which(cases: int) -> int:
        from dalembert.simulate import events  # which numba compiles

        if cases == NO_SOLUTION:
            return events.NO_CASE
        return events.TWO_CASES if cases == SEVERAL else events.TOO_MANY_CASES

    def planar_stop(self, x: np.ndarray, j: int) -> tuple[float, np.ndarray]:
        """From |c| = ε to rest: the time δ and the change of v with c + ċδ + W(P + μNδ ĉ) = 0 and |P| = μNδ."""
        laws, tab, n = self.laws, self.tab, self.n
        a, nu, b = self.accelerations(x)
        a, row = a.copy(), int(laws.layout[SLIP_START, j])
        c = np.array([contacts.slip_of(tab, laws, j, 0), contacts.slip_of(tab, laws, j, 1)])
        length = float(np.hypot(*c))
        if length == 0.0:
            return 0.0, np.zeros(n)
        pull = contacts.coefficient(tab, laws, j) * sliding.pressing(tab, laws, j, nu)
        at_A = contacts.sizes(n, self.symmetric) + n
        rate = self.F[at_A + row * n : at_A + (row + 2) * n].reshape(2, n) @ a - b[row : row + 2]
        tab.F[: len(self.F)] = self.F
        tab.wholes[COUNTS, SIZE], tab.wholes[COUNTS, CONTACTS] = 2, 0
        tab.wholes[ROWS, :2] = row, row + 1
        status, bad = contacts.responses(tab, self.shape._replace(general=False), laws, self.w)
        if status != DONE:
            raise Fails(self.sentence(x, status, bad))
        W = tab.squares[RESPONSE][:2, :2]
        rate = rate + pull * (W @ c) / length  # without this friction's pull
        trace = float(np.trace(W))
        if not trace > 0.0:
            return 0.0, np.zeros(n)
        p, r = -c / trace, -rate / trace
        if np.linalg.det(W) > contacts.ONE_WAY * trace**2:  # else all slips there can be are along c
            p, r = -np.linalg.solve(W, c), -np.linalg.solve(W, rate)
        square, cross, rest = r @ r - pull**2, p @ r, p @ p
        if cross**2 < square * rest or square >= 0.0:
            return 0.0, np.zeros(n)  # it cannot stop: the case analysis that follows says what happens
        delta = (-cross - np.sqrt(cross**2 - square * rest)) / square
        impulse = p + r * delta + pull * delta * c / length
        return delta, delta * a + tab.responses[SLOPES, 1:3, :n].T @ impulse


def _part(nu: np.ndarray, layout: np.ndarray, start: int, count: int, j: int) -> np.ndarray:
    return nu[layout[start, j] : layout[start, j] + layout[count, j]]
