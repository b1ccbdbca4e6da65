"""Programs that are written out for a system: accelerations and corrections, for one state and for lanes.

Both have the same bits, so a motion has the same ones alone and in any lane. Where no program is known, or one says
that a pivot does not count, the engine solves with pivots.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.programs.corrections import correction
from dalembert.programs.functions import LANES, OFTEN, Function, function
from dalembert.programs.program import Program
from dalembert.programs.solve import applies, slopes
from dalembert.programs.system import CompiledSystem

LARGEST_N, LARGEST_M = 12, 8  # beyond these a solve that is written out is long, and pivoting costs little


@dataclass(frozen=True, slots=True)
class Written:
    """x to (a, fine), and (x, natural sizes) to corrections; see engine/model.hpp."""

    slopes: Program
    position: Program | None
    velocity: Program | None

    def functions(self, lanes: int = 1, level: int = OFTEN) -> dict[str, Function | None]:
        """Functions by the names of the engine's model."""
        parts = {"slopes": self.slopes, "correct_position": self.position, "correct_velocity": self.velocity}
        return {name: None if part is None else function(part, level, lanes=lanes) for name, part in parts.items()}

    @property
    def corrections(self) -> int:
        """Which corrections there are, as the engine counts them."""
        return (self.position is not None) + 2 * (self.velocity is not None)


def written(system: CompiledSystem) -> Written | None:
    """What is written out for a system; None where the solve cannot be."""
    eq = system.equations
    fits = applies(eq) and system.backend == "llvm" and system.n <= LARGEST_N and system.m <= LARGEST_M
    if not fits or eq.unilateral is not None:
        return None

    def made() -> Written:
        position = correction(eq, False) if system.mh else None
        velocity = correction(eq, True) if system.m else None
        return Written(slopes(eq), position, velocity)

    return system.once("written", made)


__all__ = ["LANES", "Written", "written"]
