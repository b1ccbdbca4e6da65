"""Taylor series of motions: their order, the compiled jets that the engine steps with, and when they pay off.

A step of order K has a length in proportion to ε^(1/K), with the tolerance ε. If a jet costs K² times the products of
the slopes, K = ⌈1 − 0.5 ln ε⌉ is the cheapest order (Jorba and Zou 2005, section 3.2). Here products are summed side by
side, so a jet costs hardly more than K times the operations of the slopes, which gives K = −ln ε. Between the two,
K = ⌈1 − 0.7 ln ε⌉ was the fastest for chains of two to four links. DOP853 needs the more evaluations the smaller ε is.
So series pay off for short slopes and small tolerances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log
from typing import Any

import numpy as np

from dalembert.equations import Equations
from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.motions.written import STATES, anywhere
from dalembert.programs.evaluate import values_of
from dalembert.programs.functions import Function
from dalembert.programs.program import Program
from dalembert.programs.solve import applies
from dalembert.programs.solve import slopes as plain
from dalembert.programs.system import CompiledSystem

LEAST, MOST = 6, 30  # orders
PAYS_BELOW, PAYS_UP_TO = 1e-8, 120  # largest tolerance and price of slopes for which series are faster than DOP853
MOST_PRODUCTS = 60  # of slopes for which shorter series are looked for
AGREED = 1e-10  # relative difference of accelerations that are the same
FIRST = 500  # steps of `auto` before series, as in engine/taylor.hpp


@dataclass(frozen=True, slots=True)
class Jet:
    """A compiled function of x that gives the Taylor coefficients of y and of `guards` guards up to an order."""

    function: Function
    order: int
    guards: int


def order_of(tolerance: float) -> int:
    """The cheapest order for a tolerance."""
    return min(max(ceil(1.0 - 0.7 * log(tolerance)), LEAST), MOST)


def pays(slopes: Program, tolerance: float) -> bool:
    """Whether series are faster, judged by the price of the slopes and the tolerance."""
    return tolerance <= PAYS_BELOW and slopes.price <= PAYS_UP_TO


def jet_of(system: CompiledSystem, slopes: Program, tolerance: float, gaps: Sequence[Any] = ()) -> Jet | None:
    """The jet of a system with these slopes, its guards and gaps, or None if the slopes have kinks.

    Guards with kinks or accelerations are not in the jet. The engine then searches for their roots in every step.
    """
    order, eq = order_of(tolerance), system.equations

    def made() -> Jet | None:
        from dalembert.programs.jets import without_fine  # other motions need not load these
        from dalembert.programs.taylor import jet, with_others

        if not without_fine(slopes).is_smooth:
            return None
        own = [*(guard for guard, _ in eq.events.values()), *eq.masses.values(), *gaps]
        guards = [] if eq.guards_forces else own  # accelerations have no series
        short = with_fewest_products(eq, slopes)
        for watched in (guards, []) if guards else ([],):
            function = jet(with_others(short, eq, watched) if watched else short, system.n, order)
            if function is not None:
                return Jet(function, order, len(watched))
        return None

    return system.once(("jet", order), made)


def with_fewest_products(eq: Equations, slopes: Program) -> Program:
    """The slopes, or others with the same values whose series need fewer products: sin(a − b) has two, in place of four
    for sin a cos b − cos a sin b. Sums of angles make slopes dearer, but their series cheaper.
    """
    from dalembert.mechanics.readable import readable  # other motions need not load these
    from dalembert.programs.jets import products

    if eq.b or eq.varying or not applies(eq) or slopes.cost["mul"] > MOST_PRODUCTS:
        return slopes
    D, d = tuple(tuple(map(readable, row)) for row in eq.D), tuple(map(readable, eq.d))
    other, n = plain(replace(eq, D=D, d=d)), len(eq.q)
    if products(other, n) >= products(slopes, n):
        return slopes
    states = anywhere(eq, -1.0, 1.0, STATES)
    mine, its = values_of(slopes, states), values_of(other, states)
    same = np.abs(mine - its) <= AGREED * (1.0 + np.abs(mine))
    return other if same.all() else slopes


def no_series() -> ModelError:
    return ModelError(
        tr(
            "the stepper taylor needs equations without abs, sign, min, max or cases, whose constraints are not "
            "redundant and follow Chetaev's rule, and no states, data or controllers; use auto for this model"
        )
    )
