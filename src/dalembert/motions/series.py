"""Taylor series of motions: their order, the compiled jets that the engine steps with, and when they pay off.

The order K = ⌈−½ ln ε + 1⌉ is the cheapest for an error of the tolerance ε (Jorba and Zou 2005, section 3.2). The cost
of a jet is about K² times the products of the slopes, and that of DOP853 is the number of evaluations for ε. So series
pay off for short slopes and small tolerances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Any

from dalembert.programs.functions import Function
from dalembert.programs.program import Program
from dalembert.programs.system import CompiledSystem

LEAST, MOST = 6, 30  # orders
PAYS_BELOW, PAYS_UP_TO = 1e-8, 120  # largest tolerance and price of slopes for which series are faster than DOP853
FIRST = 500  # steps of `auto` before series, as in engine/taylor.hpp


@dataclass(frozen=True, slots=True)
class Jet:
    """A compiled function of x that gives the Taylor coefficients of y and of `guards` guards up to an order."""

    function: Function
    order: int
    guards: int


def order_of(tolerance: float) -> int:
    """The cheapest order for a tolerance."""
    return min(max(ceil(1.0 - 0.5 * log(tolerance)), LEAST), MOST)


def pays(slopes: Program, tolerance: float) -> bool:
    """Whether series are faster, judged by the price of the slopes and the tolerance."""
    return tolerance <= PAYS_BELOW and slopes.price <= PAYS_UP_TO


def jet_of(system: CompiledSystem, slopes: Program, tolerance: float, gaps: Sequence[Any] = ()) -> Jet | None:
    """The jet of a system with these slopes, its guards and gaps, or None if the slopes have kinks.

    If guards have kinks or contain accelerations, the jet omits them. The engine then searches for their roots in every
    step.
    """
    order, eq = order_of(tolerance), system.equations

    def made() -> Jet | None:
        from dalembert.programs.motion_jets import jet, with_others  # other motions need not load it

        own = [*(guard for guard, _ in eq.events.values()), *eq.masses.values(), *gaps]
        guards = [] if eq.guards_forces else own  # accelerations have no series
        for watched in (guards, []) if guards else ([],):
            function = jet(with_others(slopes, eq, watched) if watched else slopes, system.n, order)
            if function is not None:
                return Jet(function, order, len(watched))
        return None

    return system.once(("jet", order), made)
