"""Slopes by permanently chosen independent speeds: Maggi's equations, in the cheapest forms.

    v = B u + b,  (Bᵀ D B) u̇ = Bᵀ (d − D (Ḃ u + ḃ)),  v̇ = B u̇ + Ḃ u + ḃ

A pivot that is a sum may vanish, and a cosine may lose the sign that it had under a root. `fine` watches both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import symengine

from dalembert.equations import Equations
from dalembert.programs import watch
from dalembert.programs.expressions import take
from dalembert.programs.forms import QuantityForms, accelerations, equations, needed, solved
from dalembert.programs.independent import IndependentForm, reduction
from dalembert.programs.maker import Maker, Place
from dalembert.programs.polynomials import Letters
from dalembert.programs.products import Reduced, begun, names
from dalembert.programs.program import Program


def reduced(eq: Equations, x: np.ndarray, trials: int) -> Reduced | None:
    """The programs for coordinates and independent speeds, or None if no permanent choice exists."""
    known = reduction(eq, x)
    if known is None:
        return None
    forms = QuantityForms(known.letters, trials)
    maggi = equations(forms, known)
    rates, watched = solved(forms, maggi.M, maggi.r)
    outputs = [*(speed.value for speed in maggi.v), *(a.value for a in rates)]
    u = [str(symbol) for symbol in known.u]
    return Reduced(
        _settled(eq, known.u, forms, known, outputs, watched, [*(f"{c}'" for c in eq.coordinates), *u, "fine"]),
        _plain(eq, eq.v, known.letters, known.start, u),
        _plain(eq, known.u, known.letters, known.speeds, [f"{c}'" for c in eq.coordinates]),
    )


def slopes(eq: Equations, x: np.ndarray, trials: int) -> Program | None:
    """The program from x to a and `fine`. Dependent speeds come from the constraints; their values in x are ignored."""
    known = reduction(eq, x)
    if known is None:
        return None
    forms = QuantityForms(known.letters, trials)
    maggi = equations(forms, known)
    rates, watched = solved(forms, maggi.M, maggi.r)
    a = accelerations(forms, maggi, rates)
    for symbol, e in zip(known.u, known.start, strict=True):
        if symbol not in eq.v:
            forms.forms[symbol], forms.chosen[symbol] = [e], 0
    own = {speed: given.value for speed, given in zip(known.u, rates, strict=True)}
    outputs = [own.get(speed, found.value) for speed, found in zip(eq.v, a, strict=True)]
    return _settled(eq, eq.v, forms, known, outputs, watched, names(eq))


def lettered(
    m: Maker, places: Mapping[Any, Place], letters: Letters, outputs: Sequence[Any], defined: Mapping[Any, Any]
) -> list[Place]:
    """The places of outputs in letters. The sines, cosines and roots that they need come first."""
    live = needed(dict(defined), outputs)
    used = set().union(*(e.free_symbols for e in (*live.values(), *outputs)))
    met = [letter for letter in (*letters.angles, *letters.roots) if letter in used]
    found = dict(zip(met, take(m, places, [letters.plain(letter) for letter in met]), strict=True))
    return take(m, {**places, **found}, outputs, live)


def _settled(
    eq: Equations, speeds: Sequence[Any], forms: QuantityForms, known: IndependentForm, outputs: Sequence[Any],
    watched: Sequence[tuple[Any, Any]], names: Sequence[str],
) -> Program:  # fmt: skip
    """The program of the outputs in their cheapest forms, and of the conditions for them."""
    outputs = [symengine.sympify(e) for e in outputs]
    pairs = [symengine.sympify(e) for pair in watched for e in pair]

    def cost(definitions: dict[Any, Any]) -> int:
        m, places = begun(eq, speeds)
        return m.program(lettered(m, places, known.letters, [*outputs, *pairs], definitions)).price

    forms.settle(cost, [*outputs, *pairs])
    m, places = begun(eq, speeds)
    signed = [letter for letter, _ in known.signs]
    found = lettered(m, places, known.letters, [*outputs, *pairs, *signed], forms.definitions)
    results, rest = found[: len(outputs)], found[len(outputs) :]
    fine = watch.counts(m, zip(rest[: len(pairs) : 2], rest[1 : len(pairs) : 2], strict=True))
    signs = [(place, sign) for place, (_, sign) in zip(rest[len(pairs) :], known.signs, strict=True)]
    return m.program([*results, m.both(fine, watch.signs(m, signs))], names)


def _plain(eq: Equations, speeds: Sequence[Any], letters: Letters, outputs: Sequence[Any], names: list[str]) -> Program:
    m, places = begun(eq, speeds)
    return m.program(lettered(m, places, letters, [symengine.sympify(e) for e in outputs], {}), names)
