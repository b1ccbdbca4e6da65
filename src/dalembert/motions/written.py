"""Written-out programs of a system: accelerations and corrections, for one state and for lanes.

Both give the same bits, so a motion is the same alone and in any lane. If there is no program, or a program reports
that a pivot does not count, the engine solves with pivots.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from dalembert.equations import Equations
from dalembert.programs.corrections import correction
from dalembert.programs.functions import OFTEN, Function, function
from dalembert.programs.program import Program
from dalembert.programs.solve import applies
from dalembert.programs.solve import slopes as plain
from dalembert.programs.system import CompiledSystem

if TYPE_CHECKING:
    from dalembert.programs.modes import ContactMode

SEED, STATES = 2, 64  # states at which a cheaper form must be fine: for loops of bodies, pivots may hold only at some
CHOSEN = ("independent", "bodies")  # forms chosen from the equations; pivots would depend on a state
MOST_MODES = 8  # programs of more modes cost more than they save
LARGEST_N, LARGEST_M = 12, 8  # a larger solve is long when written out, and pivoting costs little


@dataclass(frozen=True, slots=True)
class Written:
    """Programs from x to (a, fine), and from (x, natural sizes) to corrections; see engine/model.hpp."""

    slopes: Program
    position: Program | None
    velocity: Program | None

    def functions(self, lanes: int = 1, level: int = OFTEN) -> dict[str, Function | None]:
        """Functions by the names of the engine's model. They are one module: each module takes LLVM 1 to 2 ms more."""
        parts = {"slopes": self.slopes, "correct_position": self.position, "correct_velocity": self.velocity}
        made = {name: part for name, part in parts.items() if part is not None}
        functions = {name: Function(part, level, lanes=lanes, name=name, library=made) for name, part in made.items()}
        return {name: functions.get(name) for name in parts}

    @property
    def corrections(self) -> int:
        """The existing corrections, coded as in the engine."""
        return (self.position is not None) + 2 * (self.velocity is not None)


def written(system: CompiledSystem) -> Written | None:
    """The written-out programs of a system, or None if the solve cannot be written out."""
    eq = system.equations
    if not _fits(system, eq) or eq.unilateral is not None:
        return None

    def made() -> Written:
        position = correction(eq, False) if system.mh else None
        velocity = correction(eq, True) if system.m else None
        return Written(_slopes(eq), position, velocity)

    return system.once("written", made)


def unbound(system: CompiledSystem, eq: Equations) -> Written | None:
    """The accelerations of a system with contacts while none touches and no friction acts; `eq` has its constraints."""
    if not _fits(system, eq):
        return None
    return system.once("unbound", lambda: Written(_slopes(replace(eq, unilateral=None)), None, None))


def written_modes(system: CompiledSystem, eq: Equations) -> dict[ContactMode, tuple[Callable[[], Function], ...]]:
    """Accelerations and guards of a system with contacts in each of its modes; empty if there are too many modes.

    Each is compiled at its first use. Modes in which nothing touches and no friction acts are left to `unbound`.
    """
    if not _fits(system, eq) or len(system.equations.b) > LARGEST_M:
        return {}
    from dalembert.programs.modes import guards_in, is_plain, modes, slopes_in  # smooth motions need not load it

    every = list(islice(modes(eq), MOST_MODES + 1))
    if len(every) > MOST_MODES:
        return {}

    def once(make: Callable[[Equations, ContactMode], Program], mode: ContactMode) -> Callable[[], Function]:
        return lambda: system.once((make.__name__, mode), lambda: function(make(eq, mode), system.level))

    touching = [mode for mode in every if (any(mode.contacts) or any(mode.frictions)) and is_plain(eq, mode)]
    return {mode: (once(slopes_in, mode), once(guards_in, mode)) for mode in touching}


def _fits(system: CompiledSystem, eq: Equations) -> bool:
    return applies(eq) and system.backend == "llvm" and len(eq.q) <= LARGEST_N and len(eq.b) <= LARGEST_M


def _slopes(eq: Equations) -> Program:
    """The cheapest form that is the same for every start, so that a motion always has the same bits."""
    if eq.b and not eq.varying:
        from dalembert.programs.slopes import QUICK, slopes  # motions without rows need not load it

        found = slopes(eq, anywhere(eq, 0.2, 0.8, 1)[0], QUICK, anywhere(eq, -1.0, 1.0, STATES))
        if found is not None and found.way in CHOSEN:
            return found.program
    return plain(eq)


def anywhere(eq: Equations, low: float, high: float, count: int) -> np.ndarray:
    """Generic states, with all parameters equal to one."""
    chance, size = random.Random(SEED), 2 * len(eq.q)
    states = [[chance.uniform(low, high) for _ in range(size)] for _ in range(count)]
    return np.array([[0.0, *y, *[1.0] * (len(eq.inputs) - 1 - size)] for y in states])
