"""Taylor series of motions: their order, the compiled jets that the engine steps by, and when they pay.

An error of the tolerance ε is had most cheaply by the order K = ⌈−½ ln ε + 1⌉ (Jorba and Zou 2005, section 3.2). A jet
costs about K² times the products of the slopes, DOP853 as many evaluations as ε asks for. So series pay for short
slopes and small tolerances.
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
PAYS_BELOW, PAYS_UP_TO = 1e-8, 120  # the largest tolerance and price of slopes for which series are faster than DOP853
FIRST = 500  # steps of `auto` before series: the engine's, see engine/taylor.hpp


@dataclass(frozen=True, slots=True)
class Jet:
    """A compiled function of x that gives the Taylor coefficients of y, and of so many guards, up to an order."""

    function: Function
    order: int
    guards: int


def order_of(tolerance: float) -> int:
    """The order that is cheapest for a tolerance."""
    return min(max(ceil(1.0 - 0.5 * log(tolerance)), LEAST), MOST)


def pays(slopes: Program, tolerance: float) -> bool:
    """Whether series are the faster way, by what slopes cost and by the tolerance."""
    return tolerance <= PAYS_BELOW and slopes.price <= PAYS_UP_TO


def jet_of(system: CompiledSystem, slopes: Program, tolerance: float, gaps: Sequence[Any] = ()) -> Jet | None:
    """The jet of a system with these slopes, its guards and gaps; None where slopes have kinks.

    Where guards have kinks, or look at accelerations, the jet goes without them. The engine then looks for their roots
    in every step.
    """
    order, eq = order_of(tolerance), system.equations

    def made() -> Jet | None:
        from dalembert.programs.motion_jets import jet, with_others  # which other motions need not load

        own = [*(guard for guard, _ in eq.events.values()), *eq.masses.values(), *gaps]
        guards = [] if eq.guards_forces else own  # accelerations have no series
        for watched in (guards, []) if guards else ([],):
            function = jet(with_others(slopes, eq, watched) if watched else slopes, system.n, order)
            if function is not None:
                return Jet(function, order, len(watched))
        return None

    return system.once(("jet", order), made)
