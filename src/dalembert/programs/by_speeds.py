"""Programs of accelerations by independent speeds u: for all speeds, or for coordinates and u.

For all speeds, a program takes the independent speeds of the state and computes the others from the constraints. A
state slightly off the constraints is thus treated as one that satisfies them. A pivot that is a sum may vanish, and a
cosine may lose the sign that it had under a root. `fine` watches both.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import symengine

from dalembert.equations import Equations
from dalembert.programs import watch
from dalembert.programs.expressions import take
from dalembert.programs.forms import needed
from dalembert.programs.maker import Maker, Place
from dalembert.programs.polynomials import Letters
from dalembert.programs.products import Reduced, begun, names
from dalembert.programs.program import Program


@dataclass(frozen=True)
class BySpeeds:
    """Expressions in names of `definitions` and in `letters`. `start` is u by v, and `end` is v by u.

    `outputs` are the accelerations of all coordinates, or v and u̇ for a motion in coordinates and u.
    """

    definitions: Mapping[Any, Any]
    u: tuple[Any, ...]
    start: tuple[Any, ...]
    end: tuple[Any, ...]
    outputs: tuple[Any, ...]
    pivots: tuple[tuple[Any, Any], ...]  # of the solve, each with the diagonal entry before elimination
    signs: tuple[tuple[Any, int], ...]  # assumed signs of expressions that stood under a root
    beyond: tuple[tuple[Any, float], ...] = ()  # pivots of the constraints, each with its bound of the same sign
    letters: Letters = field(default_factory=Letters)


def slopes(eq: Equations, found: BySpeeds | None) -> Program | None:
    """The program from x to a and `fine`."""
    if found is None:
        return None
    own = {u: e for u, e in zip(found.u, found.start, strict=True) if u not in eq.v}
    m, places = begun(eq)
    return m.program(_watched(m, places, replace(found, definitions={**found.definitions, **own})), names(eq))


def reduced(eq: Equations, found: BySpeeds | None) -> Reduced | None:
    """The programs for coordinates and independent speeds."""
    if found is None:
        return None
    rates, u = [f"{c}'" for c in eq.coordinates], [str(symbol) for symbol in found.u]
    m, places = begun(eq, found.u)
    whole = m.program(_watched(m, places, found), [*rates, *u, "fine"])
    return Reduced(whole, _plain(eq, eq.v, found, found.start, u), _plain(eq, found.u, found, found.end, rates))


def taken(
    m: Maker, places: Mapping[Any, Place], letters: Letters, outputs: Sequence[Any], definitions: Mapping[Any, Any]
) -> list[Place]:
    """The places of outputs. The sines, cosines and roots that letters stand for come first."""
    outputs = [symengine.sympify(e) for e in outputs]
    live = needed(definitions, outputs)
    used = set().union(*(e.free_symbols for e in (*live.values(), *outputs)))
    return take(m, with_letters(m, places, letters, used), outputs, live, parsed=letters.parsed)


def with_letters(m: Maker, places: Mapping[Any, Place], letters: Letters, used: Container[Any]) -> dict[Any, Place]:
    """The places of symbols, and those of the functions that the used letters stand for."""
    met = [letter for letter in (*letters.angles, *letters.roots) if letter in used]
    return {**places, **dict(zip(met, take(m, places, [letters.plain(letter) for letter in met]), strict=True))}


def _watched(m: Maker, places: Mapping[Any, Place], found: BySpeeds) -> list[Place]:
    """The outputs, and whether the watched conditions hold."""
    pairs = [e for pair in found.pivots for e in pair]
    values = [*found.outputs, *pairs, *(e for e, _ in found.beyond), *(e for e, _ in found.signs)]
    part = iter(taken(m, places, found.letters, values, found.definitions))
    results = [next(part) for _ in found.outputs]
    fine = watch.counts(m, [(next(part), next(part)) for _ in found.pivots])
    fine = m.both(fine, watch.signs(m, [(next(part), limit) for _, limit in found.beyond], limited=True))
    return [*results, m.both(fine, watch.signs(m, [(next(part), sign) for _, sign in found.signs]))]


def _plain(eq: Equations, speeds: Sequence[Any], found: BySpeeds, outputs: Sequence[Any], names: list[str]) -> Program:
    m, places = begun(eq, speeds)
    return m.program(taken(m, places, found.letters, outputs, found.definitions), names)
