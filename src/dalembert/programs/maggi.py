"""Accelerations by permanently chosen independent speeds: Maggi's equations, in the cheapest forms.

v = B u + b,  (Bᵀ D B) u̇ = Bᵀ (d − D (Ḃ u + ḃ)),  v̇ = B u̇ + Ḃ u + ḃ
"""

from __future__ import annotations

from typing import Any

import numpy as np
import symengine

from dalembert.equations import Equations
from dalembert.programs.by_speeds import BySpeeds, with_letters
from dalembert.programs.expressions import take
from dalembert.programs.forms import QuantityForms, accelerations, equations, needed, solved
from dalembert.programs.independent import reduction
from dalembert.programs.products import begun


def maggi(eq: Equations, x: np.ndarray, trials: int, fewer: bool = False) -> BySpeeds | None:
    """The accelerations, or None if no permanent choice exists. With `fewer`, for a motion in independent speeds."""
    known = reduction(eq, x)
    if known is None:
        return None
    forms = QuantityForms(known.letters, trials)
    form = equations(forms, known)
    rates, watched = solved(forms, form.M, form.r)
    if fewer:
        outputs = [*(speed.value for speed in form.v), *(rate.value for rate in rates)]
    else:
        a = accelerations(forms, form, rates)
        for symbol, e in zip(known.u, known.start, strict=True):
            if symbol not in eq.v:
                forms.forms[symbol], forms.chosen[symbol] = [e], 0
        own = {speed: rate.value for speed, rate in zip(known.u, rates, strict=True)}
        outputs = [own.get(speed, found.value) for speed, found in zip(eq.v, a, strict=True)]
    counted = [symengine.sympify(e) for e in (*outputs, *(e for pair in watched for e in pair))]
    letters = known.letters
    begin, inputs = begun(eq, known.u if fewer else eq.v)
    places = with_letters(begin, inputs, letters, {*letters.angles, *letters.roots})

    def cost(definitions: dict[Any, Any]) -> int:
        m = begin.branch()
        return m.program(take(m, places, counted, needed(definitions, counted), parsed=letters.parsed)).price

    forms.settle(cost, counted)
    return BySpeeds(
        forms.definitions, known.u, known.start, known.speeds, tuple(outputs), tuple(watched), known.signs,
        letters=letters,
    )  # fmt: skip
