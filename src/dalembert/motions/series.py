"""Taylor series of motions: their order, and the compiled jets that the engine steps by.

An error of the tolerance ε is had most cheaply by the order K = ⌈−½ ln ε + 1⌉ (Jorba and Zou 2005, section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from dalembert.programs.functions import Function
from dalembert.programs.system import CompiledSystem

LEAST, MOST = 6, 30  # orders


@dataclass(frozen=True, slots=True)
class Jet:
    """A compiled function of x that gives the Taylor coefficients of y up to an order."""

    function: Function
    order: int


def order_of(tolerance: float) -> int:
    """The order that is cheapest for a tolerance."""
    return min(max(ceil(1.0 - 0.5 * log(tolerance)), LEAST), MOST)


def jet_of(system: CompiledSystem, x: np.ndarray, tolerance: float) -> Jet | None:
    """The jet of a system for motions that start at x; None where its equations have kinks or no slopes written out."""
    order = order_of(tolerance)

    def made() -> Jet | None:
        from dalembert.programs.motion_jets import jet  # which other motions need not load
        from dalembert.programs.slopes import QUICK, slopes

        found = slopes(system.equations, x, QUICK)
        function = None if found is None or found.redundant else jet(found.program, system.n, order)
        return None if function is None else Jet(function, order)

    return system.once(("jet", order), made)
