"""Factors of polynomials over the rationals, in an amount of work that does not depend on chance.

SymPy factors polynomials in several letters by Wang's algorithm. It draws random places, and from some of them it takes
more than an hour. Formulas of mechanics need less. Let x be the letter of the lowest degree in p, and p have no factor
without x (the common divisor of its coefficients, which is factored apart). Then

    p = A x + B              is irreducible
    p = A x² + B x + C       has factors if and only if B² − 4 A C = D² :  2 A x + B ± D, without their content

If p is of higher degree in every letter, its multiple factors are found, and all of them if it has one or two letters.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any

import sympy
from sympy.polys.polyerrors import HeuristicGCDFailed
from sympy.polys.rings import PolyElement

from dalembert.expressions.numeric import rational_root

FEW = 2  # letters in which SymPy factors any polynomial without delay

Powers = list[tuple[PolyElement, int]]


def irreducible(p: PolyElement) -> Powers:
    """Factors over the rationals and their powers, in SymPy's order. Their constant is left out."""
    found: Counter[PolyElement] = Counter()
    try:
        parts = _factors(p)
    except HeuristicGCDFailed:  # after six attempts, with ever larger numbers
        parts = [(p, 1)]
    for f, power in parts:
        found[_normal(f)] += power
    return sorted(found.items(), key=_place) if len(found) > 1 else list(found.items())


def _factors(p: PolyElement) -> Powers:
    letters, rest = monomial_content(p)
    if rest.is_ground:
        return letters
    degrees = [*map(max, zip(*rest.monoms(), strict=True))]
    lowest = min(filter(None, degrees))
    i = min((i for i, d in enumerate(degrees) if d == lowest), key=lambda i: sum(m[i] > 0 for m in rest.monoms()))
    coefficients = _coefficients(rest, i)
    common = reduce(lambda a, b: a if len(a) == 1 else a.gcd(b), sorted(coefficients.values(), key=len))
    if len(common) > 1:  # no letter divides all of them
        return [*letters, *_factors(common), *_factors(rest.quo(common))]
    return [*letters, *_primitive_factors(rest, i, coefficients, sum(map(bool, degrees)))]


def _primitive_factors(p: PolyElement, i: int, coefficients: dict[int, PolyElement], count: int) -> Powers:
    """Factors of a polynomial of `count` letters that has none without letter i."""
    degree = max(coefficients)
    if degree == 1:
        return [(p, 1)]
    if degree == 2:
        C, B, A = (coefficients.get(k, p.ring.zero) for k in range(3))
        root = square_root(B**2 - 4 * A * C)
        if root is None:
            return [(p, 1)]
        one = 2 * A * p.ring.gens[i] + B - root
        factor = one.quo(reduce(lambda a, b: a.gcd(b), _coefficients(one, i).values()))
        return [(factor, 1), (p.quo(factor), 1)]
    if count <= FEW:
        return list(p.factor_list()[1])
    multiple = p.gcd(p.diff(p.ring.gens[i]))
    if multiple.is_ground:
        return [(p, 1)]
    rest = p.quo(multiple)  # each factor once
    shared = rest.gcd(multiple)
    return [*_factors(multiple), *_factors(shared), *_factors(rest.quo(shared))]


def _coefficients(p: PolyElement, i: int) -> dict[int, PolyElement]:
    """The coefficients of the powers of letter i."""
    found: dict[int, dict[Any, Any]] = {}
    for m, c in p.terms():
        found.setdefault(m[i], {})[(*m[:i], 0, *m[i + 1 :])] = c
    return {power: p.ring.from_dict(terms) for power, terms in found.items()}


def square_root(p: PolyElement) -> PolyElement | None:
    """The polynomial whose square is p, term by term from the first. None if there is none."""
    if not p:
        return p
    ring = p.ring
    m, c = p.LT
    number = _rational_root(c)
    if number is None or any(e % 2 for e in m):
        return None
    root = ring.from_dict({tuple(e // 2 for e in m): ring.domain.convert(number)})
    rest, first = p - root**2, 2 * root
    while rest and len(root) <= len(p):
        term = ring.from_dict(dict([rest.LT])).quo(first)
        if not term:
            return None
        rest -= (2 * root + term) * term
        root += term
    return None if rest else root


def _rational_root(c: Any) -> Any:
    found = rational_root(Fraction(int(sympy.QQ(c).numerator), int(sympy.QQ(c).denominator)))
    return None if found is None else sympy.QQ(found.numerator, found.denominator)


def monomial_content(p: PolyElement) -> tuple[Powers, PolyElement]:
    """Letters that divide a polynomial, with their powers, and what is left."""
    common = tuple(map(min, zip(*p.monoms(), strict=True)))
    letters = [(s, e) for s, e in zip(p.ring.gens, common, strict=True) if e]
    if not letters:
        return [], p
    rest = {tuple(e - k for e, k in zip(m, common, strict=True)): c for m, c in p.terms()}
    return letters, p.ring.from_dict(rest)


def _normal(f: PolyElement) -> PolyElement:
    """A multiple of f with whole coefficients, no common divisor, and a positive first one."""
    whole = f.clear_denoms()[1].primitive()[1] if f.ring.domain.is_Field else f.primitive()[1]
    return whole if whole[max(whole)] > 0 else -whole


def _place(factor: tuple[PolyElement, int]) -> tuple[Any, ...]:
    f, power = factor
    dense = f.to_dense()
    return len(dense), power, dense


def factored(e: Any) -> Any:
    """A SymPy expression as a number times a product of factors, those of the denominator too."""
    number, powers = sympy.S.One, []
    for part in sympy.Mul.make_args(sympy.together(e)):
        base, exponent = part.as_base_exp()
        p = _polynomial(base) if exponent.is_Integer and base.is_Add else None
        if p is not None:
            factors = irreducible(p)
            number *= sympy.QQ.to_sympy(p.quo(reduce(mul, (f**power for f, power in factors))).LC) ** exponent
            powers += [f.as_expr() ** (power * exponent) for f, power in factors]
        elif part.is_Rational:
            number *= part
        else:
            powers.append(part)
    product = sympy.Mul(*powers)
    if product == 1 or number in (1, -1):
        return number * product
    return sympy.Mul(number, *sympy.Mul.make_args(product), evaluate=False)  # 2 (x + y) stays a product


def _polynomial(e: Any) -> PolyElement | None:
    """A sum as a polynomial over the rationals in its letters, sines and so on."""
    try:
        p = sympy.Poly(e)
    except (sympy.PolynomialError, sympy.GeneratorsNeeded):  # such as a letter in an exponent, or no letter at all
        return None
    if not p or not (p.domain.is_ZZ or p.domain.is_QQ):
        return None
    return sympy.ring(p.gens, sympy.QQ)[0].from_dict({m: sympy.QQ(c) for m, c in p.rep.to_dict().items()})
