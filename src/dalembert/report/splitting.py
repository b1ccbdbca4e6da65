"""Long expressions split by the rates, then by the speeds and their products: M[r, s] q̈_s, Γ[r, s, k] q̇_s q̇_k, g[r]."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import symengine as se

from dalembert.equations import Equations, Step
from dalembert.formalisms.display import is_speed, vanishes
from dalembert.mechanics.algebra import cases_apart
from dalembert.report.known import Namer
from dalembert.report.lines import LARGEST_ROW, length, shorter, values

SHORT = 60  # characters; a coefficient up to this length gets no name
MOST_PRODUCTS = 60  # of speeds; more are left in one expression
FORCES = ("lambda[", "mu[", "nu[", "sigma[", "friction[")  # names of reactions, in which equations are linear


def rates(eq: Equations) -> tuple[Any, ...]:
    """The unknowns of equations of motion: accelerations, rates of quasi-velocities and of multipliers."""
    names = [f"{name}''" for name in eq.coordinates]
    names += [f"{name}'" for name in (() if eq.quasi is None else eq.quasi.names)]
    return tuple(se.Symbol(name) for name in dict.fromkeys((*names, *(f"{z}'" for z in eq.z))))  # x' may be both


def _chosen_rates(step: Step, eq: Equations) -> list[Any]:
    """Rates of the quasi-velocities that the model chose, in a method whose record has none."""
    symbols = {s for e in values(step) for s in se.sympify(e).free_symbols} - {*eq.v, *rates(eq)}
    named = [s for s in sorted(symbols, key=str) if str(s).endswith("'") and not str(s).endswith("]'")]
    return [] if eq.quasi is not None else named


class Splitter:
    """Splits long expressions by rates and speeds. A coefficient that is a known quantity takes its name."""

    def __init__(self, eq: Equations, namer: Namer):
        self._eq, self._namer = eq, namer
        self._meaning: dict[Any, Any] = {}  # of the coefficients named so far

    def split(self, step: Step) -> tuple[tuple[Any, Any], ...]:
        """The results, with the coefficients of a long one before it."""
        held = {s for e in values(step) for s in se.sympify(e).free_symbols}
        unknowns = (*rates(self._eq), *_chosen_rates(step, self._eq))
        present = [u for u in unknowns if u in held]
        forces = sorted((s for s in held if str(s).startswith(FORCES)), key=str)
        speeds = _speeds(held, present, self._eq)
        rows = [i for i, (left, _) in enumerate(step.results) if left == "0" or not isinstance(left, str)]
        own = [str(u).rstrip("'") for u in present] if len(rows) == len(present) else []
        found: list[tuple[Any, Any]] = []
        for i, (left, value) in enumerate(step.results):
            if length(left) + length(value) <= LARGEST_ROW:
                found.append((left, value))
                continue
            if i in rows:
                row = own[rows.index(i)] if own else str(rows.index(i) + 1)
                found += self._equation(left, value, row, present, (forces, speeds))
                continue
            names = self._eq.coordinates
            row = names[i] if len(step.results) == len(names) else _name(left) or str(i + 1)
            new: list[tuple[Any, Any]] = []
            value = self._each(value, row, ([*present, *forces], speeds), new)
            found += [*new, (left, value)]
        return tuple(found)

    def _each(self, value: Any, row: str, symbols: tuple[list[Any], list[Any]], new: list[tuple[Any, Any]]) -> Any:
        if isinstance(value, tuple):
            return tuple(self._each(part, f"{row}, {i}", symbols, new) for i, part in enumerate(value, 1))
        if isinstance(value, str) or length(value) <= LARGEST_ROW:
            return value
        first, rest = self._linear(se.sympify(value), row, symbols[0], new)
        return se.Add(*first) + self._rest(rest, row, symbols[1], new)

    def _equation(
        self, left: Any, value: Any, row: str, present: list[Any], others: tuple[list[Any], list[Any]]
    ) -> list[tuple[Any, Any]]:
        """Σ M ż = g + Σ A λ, with M, Γ and g before it."""
        new: list[tuple[Any, Any]] = []
        e = se.sympify(value) if left == "0" else left - value
        shown, rest = self._linear(e, row, present, new)
        forces, rest = self._linear(-rest, row, others[0], new)
        right = self._rest(rest, row, others[1], new)
        if length(right) > SHORT:
            right = self._symbol(f"g[{row}]", right, new)
        return [*new, (se.Add(*shown), se.Add(right, *forces))]

    def _rest(self, e: Any, row: str, speeds: list[Any], new: list[tuple[Any, Any]]) -> Any:
        """The terms without rates: a known quantity, or a polynomial in the speeds."""
        if length(e) > SHORT and (known := self._namer.known(e)) is not None:
            new += known[1]
            return known[0]
        return self._products(e, row, speeds, new)

    def _linear(self, e: Any, row: str, present: list[Any], new: list[tuple[Any, Any]]) -> tuple[list[Any], Any]:
        """The terms with rates, and the rest. No terms if e is not linear in the rates."""
        coefficients = [(u, e.diff(u)) for u in present]
        if any(c.free_symbols & set(present) for _, c in coefficients):
            return [], e
        shown = [self._named("M", row, (u,), c, new) * u for u, c in coefficients if c != 0]
        return shown, e.subs(dict.fromkeys(present, se.Integer(0)))

    def _products(self, e: Any, row: str, speeds: list[Any], new: list[tuple[Any, Any]]) -> Any:
        """A polynomial of second degree in the speeds, coefficient by coefficient. Any other expression is kept."""
        smooth, cases = cases_apart(e)
        held = [s for s in speeds if s in smooth.free_symbols]
        if length(e) <= LARGEST_ROW or not held:
            return e
        zero = dict.fromkeys(held, se.Integer(0))
        found: list[tuple[tuple[Any, ...], Any]] = []
        for i, s in enumerate(held):
            slope = smooth.diff(s)
            found.append(((s,), slope.subs(zero)))
            for r in held[i:]:
                c = slope.diff(r)
                if c.free_symbols & set(held):
                    return e  # not of second degree
                found.append(((s, r), c / (2 if r == s else 1)))
        found = [(pair, c) for pair, c in found if c != 0 and not vanishes(c)]
        if len(found) > MOST_PRODUCTS:
            return e
        products = [self._named("Gamma", row, pair, c.xreplace(cases), new) * se.Mul(*pair) for pair, c in found]
        return se.Add(smooth.subs(zero).xreplace(cases), *products)

    def _named(self, letter: str, row: str, of: tuple[Any, ...], c: Any, new: list[tuple[Any, Any]]) -> Any:
        """A coefficient: itself if it is short, a known quantity, or a new symbol."""
        c = shorter(c)
        if length(c) <= SHORT or not c.free_symbols:
            return c
        if (known := self._namer.known(c)) is not None:
            name, first = known
            new += first
            return name
        index = ", ".join(str(s).rstrip("'") for s in of)
        return self._symbol(f"{letter}[{row}, {index}]", c, new)

    def _symbol(self, name: str, value: Any, new: list[tuple[Any, Any]]) -> Any:
        symbol, number = se.Symbol(name), 1
        while self._meaning.get(symbol, value) != value:  # another step has this name for something else
            number += 1
            symbol = se.Symbol(f"{name[:-1]}; {number}]")
        if symbol not in self._meaning:
            self._meaning[symbol] = value
            self._namer.learn(symbol, value)
            new.append((symbol, value))
        return symbol


def _name(left: str) -> str:
    """The name in a left side of LaTeX, which tells coefficients apart: its index, its letter, or "" if it is long."""
    inside = re.search(r"_\{(.*)\}$", left)
    found = inside[1] if inside and re.search(r"[A-Za-z]", inside[1]) else left
    found = re.sub(r"\\(?:d?dot|text|mathrm)(?![a-z])|[\\{}^]", "", found)
    found = re.sub(r"_(?=\d)", "", found)
    return found if re.fullmatch(r"[\w.*, ]+", found) else ""


def _speeds(held: set[Any], present: Sequence[Any], eq: Equations) -> list[Any]:
    """Speeds and quasi-velocities among these symbols."""
    own = {str(u)[:-1] for u in present} | set(() if eq.quasi is None else eq.quasi.names)
    found = [s for s in held if s in eq.v or is_speed(s) or str(s) in own or str(s).startswith("pi[")]
    return sorted((s for s in found if s not in present and not str(s).endswith("''")), key=str)
