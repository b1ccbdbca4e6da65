"""Modes of contacts and frictions at one state, by the engine, for a description that makes its own steps.

The engine holds the state of every contact and friction. Here it is read and set through the same structs.
"""

from __future__ import annotations

import ctypes as c

import numpy as np

from dalembert.engine import library as engine
from dalembert.engine.library import Status
from dalembert.motions.accelerations import solved
from dalembert.motions.laws import active_rows
from dalembert.motions.scales import natural_sizes
from dalembert.motions.settled import contact_failure
from dalembert.motions.touching import ModeSolver, NativeTouching
from dalembert.motions.unilateral import HybridSystem, still
from dalembert.programs.modes import CLOSED, SLIP


class Fails(Exception):
    """A failure of the mathematics during a motion, as a sentence."""


class Modes:
    """A system's mode in the engine, and the memory to work with it."""

    def __init__(self, hybrid: HybridSystem):
        self.hybrid, self.system, self.laws, self.n = hybrid, hybrid.system, hybrid.laws, hybrid.system.n
        self.native = NativeTouching(hybrid)
        self.motion = self.native.motion()
        self.library, self.handle = self.motion.library, self.motion.handle
        self.contacts = self.library.dalembert_contacts(self.handle)[: self.laws.contacts]
        self.frictions: list[engine.Friction] = self.library.dalembert_frictions(self.handle)[: self.laws.frictions]
        for friction in self.frictions:
            friction.sign = 1.0
        self.instant = ModeSolver(hybrid)
        self.evaluations = 0
        self.entered = False
        self.a, self.nu, self.b = (np.zeros(max(size, 1)) for size in (self.n, self.laws.rows, self.laws.rows))
        self.seen = np.zeros(self.native.struct.counts.guards + self.laws.contacts + 3 * self.laws.frictions + 2)

    def statuses(self) -> np.ndarray:
        """The status of every contact, then of every friction."""
        return np.array([one.mode for one in (*self.contacts, *self.frictions)], dtype=np.int64)

    def friction(self, j: int) -> int:
        return int(self.frictions[j].mode)

    def active(self) -> list[int]:
        """The active rows of A."""
        return active_rows(self.laws, self.statuses())

    def touches(self) -> bool:
        return bool(self.contacts[0].mode == CLOSED)

    def starts(self, j: int) -> bool:
        """Whether friction j slips from rest."""
        return self.friction(j) == SLIP and bool(self.frictions[j].resting)

    def tiny_speed(self, x: np.ndarray) -> float:
        return float(still(self.hybrid.speeds(x)))

    def _enter(self, x: np.ndarray, decide: bool) -> None:
        free = solved(self.system, x, self.system.dynamics(x), range(self.laws.bilateral))
        natural = natural_sizes(self.system, x, np.nan_to_num(free.a), 1.0)
        x = np.ascontiguousarray(x, dtype=float)
        self._check(self.library.dalembert_enter(self.handle, x.ctypes.data, natural.ctypes.data, int(decide)), x)
        self.entered = True

    def _check(self, status: int, x: np.ndarray) -> None:
        if status != Status.DONE:
            row = self.motion.report().row
            raise Fails(contact_failure(self.hybrid, Status(status), float(x[0]), row, x))

    def accelerations(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """a, ν and b at x. Raises Fails if they cannot be solved."""
        if not self.entered:
            self._enter(x, False)
        self.evaluations += 1
        x = np.ascontiguousarray(x, dtype=float)
        pointers = (part.ctypes.data for part in (x, self.a, self.nu, self.b, self.seen))
        self._check(self.library.dalembert_in_mode(self.handle, *pointers), x)
        return self.a, self.nu, self.b

    def guards(self, x: np.ndarray) -> np.ndarray:
        """Three guards of every friction that must stay positive: of its mode, of the side it is pressed on, of its
        held rows.
        """
        if not self.laws.frictions:
            return np.ones(0)
        self.accelerations(x)
        first = self.native.struct.counts.guards + self.laws.contacts
        return self.seen[first : first + 3 * self.laws.frictions].copy()

    def settle(self, x: np.ndarray, touching: bool, resting: set[int], left: set[int]) -> None:
        """Settle the next mode at x. Frictions in `left` have just left their cone; those in `resting` do not slip."""
        tiny = self.tiny_speed(x)
        self.contacts[0].candidate = touching
        for j, friction in enumerate(self.frictions):
            friction.resting = j in resting or self.hybrid.slip(x, j) <= tiny
            friction.left, friction.side = j in left, 0
        self._enter(x, True)

    def impact(self, x: np.ndarray, inelastic: bool = False) -> tuple[np.ndarray, float, float]:
        """Δv of the contact's impact at x, its impulse, and the energy gained."""
        mode = self.statuses()
        mode[0] = 0
        found = self.instant.impact(x, mode, [0], inelastic)
        if found is None:
            raise Fails(contact_failure(self.hybrid, Status.NO_STATE, float(x[0]), 0, x))
        return found.change, float(found.impulses[0]), found.energy

    def planar_stop(self, x: np.ndarray, j: int) -> tuple[float, np.ndarray]:
        """The short time from |c| = ε to rest, and the change of v."""
        y, t = x[1 : 1 + 2 * self.n].copy(), c.c_double(float(x[0]))
        self._check(self.library.dalembert_stop(self.handle, c.addressof(t), y.ctypes.data, j), x)
        return t.value - float(x[0]), y[self.n :] - x[1 + self.n : 1 + 2 * self.n]
