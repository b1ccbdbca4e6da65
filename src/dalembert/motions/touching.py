"""A system with contacts and frictions in the engine's form, and its forces and modes at single states."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Status
from dalembert.errors import MathematicsError
from dalembert.motions.contact_sentences import contact_failure
from dalembert.motions.native import Coding, EngineMotion, Native, code, when_called
from dalembert.motions.series import Jet, jet_of, pays
from dalembert.motions.unilateral import HybridSystem
from dalembert.motions.written import Written, unbound, written_modes
from dalembert.programs.functions import Function


class NativeTouching(Native):
    """The struct `Model` with contacts and frictions. Their rows come after those of the constraints."""

    def __init__(
        self,
        hybrid: HybridSystem,
        written: Written | None = None,
        jet: Jet | None = None,
        coded: Coding = code,
        begins: bool = False,
    ):
        """`written` and `jet` describe the system while nothing touches (`of_flights`)."""
        laws, kinks = hybrid.laws, None if begins else hybrid.kinks  # with those of the laws
        super().__init__(hybrid.system, range(laws.bilateral), written, jet, coded, begins)
        self.hybrid = hybrid
        counts = self.struct.counts
        counts.bilateral, counts.bilateral_holonomic = laws.bilateral, laws.holonomic
        counts.contacts, counts.frictions = laws.contacts, laws.frictions
        counts.uniform = kinks is None and not begins and hybrid.is_uniform
        self.put(
            contacts=(engine.ContactLaw * laws.contacts)(*laws.of_contact),
            frictions=(engine.FrictionLaw * laws.frictions)(*laws.of_friction),
        )
        self.functions["laws"] = hybrid.function if kinks is None or kinks.laws is None else kinks.laws
        self.struct.laws = self._code("laws", self.functions["laws"], None)
        self.mode_functions: list[Callable[[], Function]] = []
        if coded is code and kinks is None and not begins:
            self.write_modes()

    def write_modes(self) -> None:
        """Give the engine the programs of the modes; each is made when the engine first asks for it."""
        found = written_modes(self.hybrid.system, self.hybrid.equations)
        self.put(mode_statuses=np.array([(*mode.contacts, *mode.frictions) for mode in found], dtype=np.int32))
        self.mode_code = (engine.Code * max(2 * len(found), 1))()
        self.mode_functions = [function for mode in found.values() for function in mode]
        for place, made in enumerate(self.mode_functions):
            self.mode_code[place] = when_called(made, partial(self._put, place), self.kept)
        self.kept.append(self.mode_code)
        self.struct.counts.modes = len(found)
        self.struct.mode_code = c.addressof(self.mode_code)

    def _put(self, place: int, function: Function) -> None:
        self.mode_code[place] = code(function, self.kept)

    def complete(self) -> None:
        super().complete()
        for place, made in enumerate(self.mode_functions):
            self._put(place, made())


def of_flights(hybrid: HybridSystem, stepper: str, tolerance: float) -> tuple[Written | None, Jet | None]:
    """The written-out programs while nothing touches, and the jet. For `auto` the jet is made only if it is faster."""
    eq = hybrid.equations
    parts = unbound(hybrid.system, eq) if hybrid.kinks is None and not eq.varying else None
    if parts is None or not (stepper == "taylor" or (stepper == "auto" and pays(parts.slopes, tolerance))):
        return parts, None
    return parts, jet_of(hybrid.system, parts.slopes, tolerance, hybrid.unilateral.phi)


@dataclass(frozen=True, slots=True)
class Settled:
    """The mode in which a motion continues from a state: a status for every contact, then for every friction."""

    mode: np.ndarray
    colliding: tuple[int, ...]  # contacts that touch and close: they stay open, and their impact is not applied


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that stick or slip together: those of friction `who` ≥ 0, or the reversed rows of contact −1 − who."""

    start: int
    dim: int
    who: int
    status: int
    direction: tuple[float, float]
    sign: float


@dataclass(frozen=True, slots=True)
class Impact:
    """The result of an impact: changes of the speeds, impulses by row, and the case of every contact and group."""

    change: np.ndarray
    impulses: np.ndarray
    energy: float  # energy gained in the impact
    bilateral: tuple[int, ...]  # rows that hold in both directions
    rows: tuple[int, ...]
    which: tuple[int, ...]  # the model's contacts of the first rows
    closed: tuple[bool, ...]
    groups: tuple[Group, ...]


class ModeSolver:
    """Modes and forces of a system with contacts, state by state. What the laws of contact forbid raises an error."""

    def __init__(self, hybrid: HybridSystem):
        self.hybrid, self.native = hybrid, NativeTouching(hybrid)
        self.n, self.m = hybrid.system.n, hybrid.laws.rows
        self.modes = hybrid.laws.contacts + hybrid.laws.frictions

    @cached_property
    def _motion(self) -> EngineMotion:
        return EngineMotion(self.native)

    def _asked(self, what: str, x: np.ndarray, *arguments: Any) -> Status:
        """Call the engine at state x, with its natural sizes."""
        motion, x, natural = self._motion, np.ascontiguousarray(x, dtype=float), self.hybrid.natural(x)
        call = getattr(motion.library, f"dalembert_{what}")
        return Status(call(motion.handle, x.ctypes.data, natural.ctypes.data, *arguments))

    def _answered(self, what: str, x: np.ndarray, *arguments: Any) -> None:
        status = self._asked(what, x, *arguments)
        if status != Status.DONE:
            row = self._motion.report().row
            raise MathematicsError(contact_failure(self.hybrid, status, float(x[0]), row, x))

    def settled(self, x: np.ndarray) -> Settled:
        """The mode in which a motion continues from x."""
        mode, colliding = np.zeros(max(self.modes, 1), np.int32), np.zeros(max(self.hybrid.laws.contacts, 1), np.int32)
        self._answered("settle", x, mode.ctypes.data, colliding.ctypes.data)
        found = tuple(np.flatnonzero(colliding[: self.hybrid.laws.contacts]).tolist())
        return Settled(mode[: self.modes].astype(np.int64), found)

    def forces(self, x: np.ndarray, mode: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q̈ and ν of all rows in a mode, 0 for rows that are off. Forces of slips are in the places of their rows."""
        a, nu = np.zeros(max(self.n, 1)), np.zeros(max(self.m, 1))
        mode = np.ascontiguousarray(mode, dtype=np.int32)
        self._answered("forces", x, mode.ctypes.data, a.ctypes.data, nu.ctypes.data)
        return a[: self.n], nu[: self.m]

    def all_forces(self, X: np.ndarray, modes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same at every row of X in its mode."""
        a, nu = np.zeros((len(X), self.n)), np.zeros((len(X), self.m))
        for i, (x, mode) in enumerate(zip(X, modes, strict=True)):
            a[i], nu[i] = self.forces(x, mode)
        return a, nu

    def impact(
        self, x: np.ndarray, mode: np.ndarray, involved: Sequence[int], inelastic: bool = False, once: bool = False
    ) -> Impact | None:
        """The impact of the contacts `involved` at state x before it, or None if it has no solution.

        `inelastic` means without restitution; `once` means Poisson's law without its second phase.
        """
        marks = np.zeros(max(self.hybrid.laws.contacts, 1), np.int32)
        marks[list(involved)] = 1
        mode = np.ascontiguousarray(mode, dtype=np.int32)
        asked = engine.ImpactAsked(mode.ctypes.data, marks.ctypes.data, int(inelastic), int(once))
        groups = (engine.ImpactGroup * (self.m + 1))()
        found = engine.ImpactDecided(groups=c.addressof(groups))
        if self._asked("impact", x, c.byref(asked), c.byref(found)) != Status.DONE:
            return None

        def read(kind: Any, address: int, count: int) -> tuple[Any, ...]:
            return tuple((kind * count).from_address(address))

        return Impact(
            change=np.array(read(c.c_double, found.change, self.n)),
            impulses=np.array(read(c.c_double, found.impulses, found.size)),
            energy=found.energy,
            bilateral=read(c.c_int, found.base, found.base_count),
            rows=read(c.c_int, found.rows, found.size),
            which=read(c.c_int, found.which, found.contacts),
            closed=tuple(map(bool, read(c.c_int, found.closed, found.contacts))),
            groups=tuple(
                Group(one.start, one.dim, one.who, one.status, (one.along_first, one.along_second), one.sign)
                for one in groups[: found.group_count]
            ),
        )

    def indeterminate(self) -> np.ndarray:
        """Directions in which multipliers may change without changing the motion. Call it after `forces`."""
        rows = np.zeros((max(self.m, 1), max(self.m, 1)))
        count = self._motion.library.dalembert_indeterminate(self._motion.handle, rows.ctypes.data)
        return rows.reshape(-1)[: count * self.m].reshape(count, self.m)
