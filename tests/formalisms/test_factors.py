"""Factors without chance: those of SymPy, but never by its algorithm for many letters, which may not end."""

from __future__ import annotations

import random

import pytest
import sympy as sp
from sympy.polys import factortools
from sympy.polys.orderings import lex
from sympy.polys.polyerrors import HeuristicGCDFailed
from sympy.polys.rings import PolyElement, PolyRing

from dalembert import collection
from dalembert.formalisms import derive, display
from dalembert.mechanics.factors import factored, irreducible, square_root
from dalembert.model.read import read

LETTERS = sp.symbols("a b c d e")
RING = PolyRing(LETTERS, sp.QQ, lex)


def some(chance: random.Random, terms: int) -> PolyElement:
    """A random polynomial of degree one in each letter."""
    powers = [tuple(chance.randint(0, 1) for _ in LETTERS) for _ in range(terms)]
    return RING.from_dict({m: sp.QQ(chance.choice([-3, -2, -1, 1, 2, 3]), chance.randint(1, 3)) for m in powers})


@pytest.mark.parametrize("seed", range(8))
def test_products_come_apart_again(seed):
    chance = random.Random(seed)
    for _ in range(12):
        parts = [some(chance, 2), some(chance, 3)]
        product = parts[0] * parts[1] ** chance.randint(1, 2)
        found = irreducible(product)
        back = RING.one
        for f, power in found:
            back *= f**power
        assert product.monic() == back.monic()
        assert sum(power for _, power in found) >= sum(not p.is_ground for p in parts)


@pytest.mark.parametrize("seed", range(8))
def test_the_root_of_a_square(seed):
    p = some(random.Random(seed), 5)
    assert square_root(p**2) in (p, -p)
    assert square_root(p**2 + RING.gens[0] ** 7) is None
    assert square_root(2 * p**2) is None and square_root(-(p**2)) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("x**2 - y**2", "(x - y)*(x + y)"),
        ("2*a*c + 2*a*d + b*c + b*d", "(2*a + b)*(c + d)"),
        ("(-m1 - m2)*sin(q)/((m1 + m2)*l)", "-sin(q)/l"),
        ("x**2/2 + x*y + y**2/2", "(x + y)**2/2"),
        ("x**2 + y**2", "x**2 + y**2"),
        ("a**2*b**2 - 2*a*b*c*d*e + c**2*d**2*e**2", "(a*b - c*d*e)**2"),
        ("x**3*y**3 - 1", "(x*y - 1)*(x**2*y**2 + x*y + 1)"),
        ("(x + 1)**(y + 1)", "(x + 1)**(y + 1)"),
        ("x*(x + 1) - x**2 - x", "0"),
        ("1 + sqrt(2)", "1 + sqrt(2)"),
    ],
)
def test_expressions(given, expected):
    assert factored(sp.sympify(given)) == sp.sympify(expected)


def test_cubes_in_every_letter_show_their_multiple_factors():
    a, b, c = RING.gens[:3]
    p = (a**3 + b**3 + c**3 + 1) * (a**2 + b * c + 2) ** 2
    assert {(f, power) for f, power in irreducible(p)} == {(a**3 + b**3 + c**3 + 1, 1), (a**2 + b * c + 2, 2)}


def test_without_a_common_divisor_the_product_stays(monkeypatch):
    """SymPy's search for a common divisor may give up. What is left is right, though not in factors."""
    x, y = sp.symbols("x y")

    def gives_up(*_):
        raise HeuristicGCDFailed("no luck")

    monkeypatch.setattr(PolyElement, "gcd", gives_up)
    assert sp.expand(factored(x * y + x + y + 1) - (x + 1) * (y + 1)) == 0


@pytest.mark.parametrize("name", ["long-2", "whipple-bicycle", "rolling-disk"])
def test_derivations_leave_nothing_to_chance(name, monkeypatch):
    """But for tiny expressions, which SymPy simplifies as a whole."""
    wang = factortools.dmp_zz_wang
    calls = []

    def counted(f, u, *rest, **options):
        calls.append(u)
        return wang(f, u, *rest, **options)

    monkeypatch.setattr(factortools, "dmp_zz_wang", counted)
    monkeypatch.setattr(sp, "simplify", lambda tiny: tiny)
    display.by_sympy.cache_clear()
    assert derive(read(collection.path(name)), "partial-acceleration").steps
    display.by_sympy.cache_clear()
    assert all(u < 2 for u in calls)
