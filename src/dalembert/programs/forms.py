"""Solves M u̇ = r in symbols: L D Lᵀ of a definite M, with polynomials as entries if that is cheaper.

    p_j = M_jj,   f_i = M_ij / p_j,   M_ik −= f_i M_kj,   r_i −= f_i r_j,   u̇_j = r_j / p_j − Σ f_i u̇_i

Every quantity has more than one form: a product and a sum of earlier quantities, or a polynomial in the model's own
letters, in which much may cancel. The disk's second pivot, for example, is k cos²θ, and its numerator has a cosine too.
The forms are chosen by their total cost, one quantity after the other, until no change helps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import symengine

from dalembert.programs.independent import IndependentForm
from dalembert.programs.polynomials import FORMS, Letters, grouped, terms_of

ZERO = symengine.Integer(0)
SHORT = 40  # a longer polynomial is not written out


@dataclass(frozen=True)
class Formed:
    """`value` stands in other quantities' forms; `closed` is a polynomial in letters, or None if it is too long."""

    value: Any
    closed: Any


@dataclass
class QuantityForms:
    """The forms of every quantity that has a symbol, and the chosen one."""

    letters: Letters
    trials: int  # number of operations that the search for the cheapest choice may still count
    forms: dict[Any, list[Any]] = field(default_factory=dict)
    chosen: dict[Any, int] = field(default_factory=dict)

    def quantity(self, form: Any, closed: Any, letter: bool = False) -> Formed:
        """Make a quantity from a form in other quantities. As a `letter` it stands for itself in polynomials."""
        normal = None if closed is None else self.letters.normal(closed)
        if normal is not None and len(terms_of(normal)) > SHORT:
            form, normal = grouped(normal) if form is None else form, None
        if normal is not None and (normal.is_number or not normal.args):
            return Formed(normal, normal)
        if form is not None and not form.args:
            return Formed(form, normal)
        symbol = symengine.Symbol(f"let {len(self.forms)}")
        found = [] if normal is None else [grouped(normal), grouped(self.letters.normal(normal, FORMS[1]))]
        if form is not None:
            found.append(form)
        self.forms[symbol] = list(dict.fromkeys(found))
        self.chosen[symbol] = 0
        return Formed(symbol, symbol if letter else normal)

    @property
    def definitions(self) -> dict[Any, Any]:
        return {symbol: forms[self.chosen[symbol]] for symbol, forms in self.forms.items()}

    def settle(self, cost: Callable[[dict[Any, Any]], int], outputs: Sequence[Any]) -> None:
        """Choose the forms: one change at a time, from polynomials and from products and sums, the cheaper first."""
        starts = [dict.fromkeys(self.forms, 0), {symbol: len(forms) - 1 for symbol, forms in self.forms.items()}]
        prices = [cost(self.definitions) for self.chosen in starts]
        ends = {i: self._descend(prices[i], starts[i], cost, outputs) for i in sorted((0, 1), key=prices.__getitem__)}
        self.chosen = min(ends[0], ends[1], key=lambda end: end[0])[1]

    def _descend(
        self, price: int, chosen: dict[Any, int], cost: Callable[[dict[Any, Any]], int], outputs: Sequence[Any]
    ) -> tuple[int, dict[Any, int]]:
        self.chosen = chosen
        best, changed, live = price, True, needed(self.definitions, outputs)
        while changed:
            changed = False
            for symbol in reversed(self.forms):
                for place in range(len(self.forms[symbol])):
                    kept = self.chosen[symbol]
                    if place == kept or symbol not in live:
                        continue
                    if self.trials < price:
                        return best, self.chosen
                    self.trials -= max(price, 1)
                    self.chosen[symbol] = place
                    found = cost(self.definitions)
                    if found < best:
                        best, changed, live = found, True, needed(self.definitions, outputs)
                    else:
                        self.chosen[symbol] = kept
        return best, self.chosen


def needed(definitions: Mapping[Any, Any], outputs: Sequence[Any]) -> dict[Any, Any]:
    """The definitions that the outputs depend on."""
    found: dict[Any, Any] = {}
    waiting = [s for e in outputs for s in e.free_symbols]
    while waiting:
        symbol = waiting.pop()
        if symbol in definitions and symbol not in found:
            found[symbol] = definitions[symbol]
            waiting.extend(definitions[symbol].free_symbols)
    return {symbol: e for symbol, e in definitions.items() if symbol in found}


@dataclass(frozen=True)
class MaggiForm:
    """v = B u + b, M = Bᵀ D B, r = Bᵀ (d − D drift), and the drift Ḃ u + ḃ."""

    v: list[Formed]
    B: list[list[Formed]]
    drift: list[Formed]
    M: dict[tuple[int, int], Formed]
    r: list[Formed]


def equations(forms: QuantityForms, known: IndependentForm) -> MaggiForm:
    """Maggi's equations of a reduction."""
    n, size = range(len(known.v)), range(len(known.u))
    v = [forms.quantity(None, e) for e in known.speeds]
    given = {symbol: speed.value for symbol, speed in zip(known.v, v, strict=True)}
    B = [[forms.quantity(None, e.diff(c)) for c in known.u] for e in known.speeds]
    D = {(a, b): forms.quantity(None, known.D[a][b]) for a in n for b in n if b <= a}
    D |= {(b, a): D[a, b] for a, b in D}
    drift = [forms.quantity(None, e) for e in known.drift]
    force = [forms.quantity(was.xreplace(given), e) for was, e in zip(known.as_it_was, known.d, strict=True)]
    force = [_sum(forms, force[a], -1, [(D[a, b], drift[b]) for b in n]) for a in n]
    zero = forms.quantity(None, ZERO)
    W = [[_sum(forms, zero, 1, [(D[a, b], B[b][j]) for b in n]) for j in size] for a in n]
    r = [_sum(forms, zero, 1, [(B[a][i], force[a]) for a in n]) for i in size]
    M = {(i, j): _sum(forms, zero, 1, [(B[a][i], W[a][j]) for a in n]) for i in size for j in size if j <= i}
    return MaggiForm(v, B, drift, M | {(j, i): M[i, j] for i, j in M}, r)


def solved(
    forms: QuantityForms, S: dict[tuple[int, int], Formed], r: Sequence[Formed]
) -> tuple[list[Formed], list[tuple[Any, Any]]]:
    """u̇, and pairs (pivot, diagonal entry) of the pivots that are sums, since these may vanish by cancellation."""
    size, S, b = len(r), dict(S), dict(enumerate(r))
    diagonal = {i: S[i, i] for i in range(size)}
    left, order, watched = list(range(size)), [], []
    factors: dict[tuple[int, int], Formed] = {}
    quotients: dict[int, Formed] = {}
    while left:
        j = min(left, key=lambda i: _weight(S[i, i].closed))
        left.remove(j)
        order.append(j)
        pivot = S[j, j]
        single = pivot.closed is not None and len(terms_of(pivot.closed)) == 1
        inverse = forms.quantity(1 / pivot.value, 1 / pivot.closed if single else None, letter=not single)
        if not single:
            watched.append((pivot.value, diagonal[j].value))
        quotients[j] = _product(forms, b[j], inverse)
        for i in left:
            factors[i, j] = _product(forms, S[i, j], inverse)
        for i in left:
            for k in left:
                if k <= i:
                    S[i, k] = S[k, i] = _sum(forms, S[i, k], -1, [(factors[i, j], S[k, j])])
            b[i] = _sum(forms, b[i], -1, [(factors[i, j], b[j])])
    u: dict[int, Formed] = {}
    for j in reversed(order):
        found = quotients[j]
        for i in u:
            found = _sum(forms, found, -1, [(factors[i, j], u[i])])
        u[j] = found
    return [u[j] for j in range(size)], watched


def accelerations(forms: QuantityForms, maggi: MaggiForm, u: Sequence[Formed]) -> list[Formed]:
    """v̇ = B u̇ + drift."""
    return [
        _sum(forms, start, 1, list(zip(row, u, strict=True))) for row, start in zip(maggi.B, maggi.drift, strict=True)
    ]


def _weight(e: Any) -> tuple[int, int]:
    if e is None:
        return 3, 0
    terms = terms_of(e)
    return (0 if e.is_number else 1 if len(terms) == 1 else 2), len(terms)


def _product(forms: QuantityForms, a: Formed, b: Formed) -> Formed:
    closed = None if a.closed is None or b.closed is None else a.closed * b.closed
    return forms.quantity(a.value * b.value, closed)


def _sum(forms: QuantityForms, first: Formed, sign: int, products: Sequence[tuple[Formed, Formed]]) -> Formed:
    """first ± Σ a b."""
    products = [(a, b) for a, b in products if a.value != ZERO and b.value != ZERO]
    if not products:
        return first
    form, closed = first.value, first.closed
    for a, b in products:
        form = form + a.value * b.value if sign > 0 else form - a.value * b.value
        known = closed is not None and a.closed is not None and b.closed is not None
        closed = (closed + a.closed * b.closed if sign > 0 else closed - a.closed * b.closed) if known else None
    return forms.quantity(form, closed)
