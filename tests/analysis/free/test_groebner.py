"""Bases and remainders against SymPy's, in both kinds of coefficients, and their work."""

from __future__ import annotations

import random

import pytest
import sympy as sp
from sympy.core import random as sympy_chance
from sympy.polys.groebnertools import groebner
from sympy.polys.orderings import grevlex
from sympy.polys.rings import PolyElement, PolyRing

from dalembert.analysis.algebra.child import bounded
from dalembert.analysis.algebra.groebner import Bases
from dalembert.analysis.algebra.rings import Blocks
from dalembert.analysis.algebra.work import TooMuchError, Work
from dalembert.mechanics.factors import irreducible


def some(ring: PolyRing, chance: random.Random, degree: int, terms: int) -> PolyElement:
    domain, found = ring.domain, ring.zero
    for _ in range(chance.randint(1, terms)):
        c = domain.convert(sp.QQ(chance.randint(-5, 5), chance.randint(1, 4)))
        if not domain.is_QQ and chance.random() < 0.5:
            c *= chance.choice(domain.gens)
        found += ring.from_dict({tuple(chance.randint(0, degree) for _ in ring.gens): c})
    return found


@pytest.mark.parametrize("constants", [(), ("a", "b")])
@pytest.mark.parametrize("blocks", [(3,), (1, 2)])
def test_bases_and_remainders_are_sympy_s(constants: tuple[str, ...], blocks: tuple[int, ...]):
    domain = sp.QQ.frac_field(*sp.symbols(constants)) if constants else sp.QQ
    ring = PolyRing(sp.symbols("x y z"), domain, Blocks(blocks[0]) if len(blocks) > 1 else grevlex)
    chance, grown = random.Random(5), 0
    for _ in range(12):
        given = [p for p in (some(ring, chance, 2, 4) for _ in range(2)) if p]
        bases = Bases(ring, blocks, Work(10**8))
        basis = bases.basis(given)
        assert basis == (groebner(given, ring) if given else [])
        p = some(ring, chance, 3, 5)
        assert bases.remainder(p, basis) == (p.rem(basis) if basis else p)
        grown += len(basis) > len(given)
    assert grown > 2


def test_a_derivative_along_rates():
    ring = PolyRing(sp.symbols("x y"), sp.QQ, grevlex)
    x, y = ring.gens
    bases = Bases(ring, (2,), Work(10**6))
    p, rates = x**2 * y / 3 - y**3 + 5, [y, -2 * x / 7]
    assert bases.element(bases.along(p, rates)) == p.diff(x) * rates[0] + p.diff(y) * rates[1]


def test_the_work_for_cyclic_roots_does_not_grow():
    """The cyclic 5-roots, a standard example (Björck 1985): 20 polynomials from 5."""
    ring = PolyRing(sp.symbols("x0:5"), sp.QQ, grevlex)
    x = ring.gens
    given = [sum(sp.prod(x[(i + j) % 5] for j in range(k)) for i in range(5)) for k in range(1, 5)]
    given = [ring.from_expr(sp.expand(e)) if not isinstance(e, PolyElement) else e for e in given]
    given.append(x[0] * x[1] * x[2] * x[3] * x[4] - 1)
    work = Work(10**8)
    assert len(Bases(ring, (5,), work).basis(given)) == 20
    assert work.done < 60_000
    with pytest.raises(TooMuchError):
        Bases(ring, (5,), Work(1000)).basis(given)


@pytest.mark.parametrize("seed", range(6))
def test_factors_are_sympy_s_in_its_order(seed: int):
    ring, chance = PolyRing(sp.symbols("x y z"), sp.QQ, grevlex), random.Random(seed)
    sympy_chance.seed(seed)  # SymPy's factors need chance
    for _ in range(10):
        p = some(ring, chance, 1, 3) * some(ring, chance, 2, 3) * some(ring, chance, 1, 2)
        if p and not p.is_ground:
            ours, theirs = irreducible(p), p.factor_list()[1]
            assert [(f.monic(), k) for f, k in ours] == [(f.monic(), k) for f, k in theirs]


def test_a_child_says_that_it_is_too_much():
    assert bounded(much, seconds=20) == ("first", "it needs too many operations")


def much():
    yield "first"
    raise TooMuchError
