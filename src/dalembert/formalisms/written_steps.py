"""The equations of motion at the end of a derivation, with the unknowns on the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import gcd, lcm

import symengine as se

from dalembert.equations import Row, Step
from dalembert.formalisms.base import Dynamics
from dalembert.formalisms.display import Display, expanded, size
from dalembert.formalisms.shared import LONGEST_DIVIDED, TOO_LONG, balance
from dalembert.language import mark
from dalembert.mechanics.algebra import ONE, ZERO, Scalar, dot, total
from dalembert.mechanics.basis import Basis
from dalembert.mechanics.readable import as_decimal
from dalembert.mechanics.system import System

WITH_MULTIPLIERS = mark(
    "With the highest derivatives on the left and common constants divided out, the equations with their multipliers "
    "and the differentiated constraints read as follows. Together they determine all accelerations, and all "
    "multipliers unless a constraint follows from the others."
)


def equations_of_motion(
    system: System,
    dynamics: Dynamics,
    basis: Basis | None,
    show: Display,
    formula: str,
    locator: str,
    leading: str = "",
) -> tuple[Step, ...]:
    """The balance combined so that no reaction remains, one line for every independent rate, then written out.

    If the elimination in symbols is too long, the rows with their multipliers and the constraints are written instead.
    """
    if basis is None:
        return (Step("Equations of motion", formula, locator, note=TOO_LONG), with_multipliers(system, dynamics, show))
    left = basis.combined(balance(system, dynamics))
    shown = tuple(("0", show.linear(e, basis.rates, basis.values)) for e in left)
    rows = tuple(
        (basis.put_in(dot(row, system.motion.a)), basis.put_in(b)) for row, b in _nonlinear_rows(system, basis)
    )
    extra = tuple(show.linear(a - b, basis.rates) for a, b in rows)
    return (
        Step("Equations of motion", formula, locator, shown),
        written_out(system, (*left, *extra), basis.rates, show, basis.values, leading=leading),
    )


def _nonlinear_rows(system: System, basis: Basis) -> list[tuple[Row, Scalar]]:
    """The constraints, if they were not used to substitute the accelerations."""
    if basis.accelerations or not basis.quasi:
        return []
    return list(zip(system.constraints.A, system.constraints.b, strict=True))


def with_multipliers(system: System, dynamics: Dynamics, show: Display, letter: str = "lambda") -> Step:
    """D q̈ = d + R ν and A q̈ = b, line by line."""
    names = system.constraints.names if dynamics.multipliers is None else dynamics.multipliers
    a, A = system.motion.a, system.constraints.A
    nu = [se.Symbol(f"{letter}[{name}]" + ("'" if i < len(dynamics.z) else "")) for i, name in enumerate(names)]
    R = dynamics.R if dynamics.R is not None else tuple(zip(*A, strict=True)) if A else ((),) * system.size
    motion = [e - dot(row, nu) for e, row in zip(balance(system, dynamics), R, strict=True)]
    rows = [dot(row, a) - b for row, b in zip(A, system.constraints.b, strict=True)]
    rates = (*a, *nu[: len(dynamics.z)])
    written = written_out(system, (*motion, *rows), rates, show, forces=tuple(nu[len(dynamics.z) :]))
    return replace(written, why=WITH_MULTIPLIERS) if nu and not dynamics.z else written


def written_out(
    system: System,
    lefts: Sequence[Scalar],
    rates: Sequence[Scalar],
    show: Display,
    others: Sequence[Scalar] = (),
    forces: Sequence[Scalar] = (),
    leading: str = "",
) -> Step:
    """Equations e = 0 with the unknowns on the left and the rest on the right, and common constants divided out.

    The coefficient of the `leading` rate, an equation's "own" or its "first" one, is divided out if it is a constant.
    """
    results = []
    constants = set(system.parameters)
    for i, e in enumerate(lefts):
        present = [r for r in rates if r in e.free_symbols]
        coefficients = {r: show(e.diff(r)) for r in present}
        first = [rates[i]] if leading == "own" and i < len(rates) else present[:1] if leading == "first" else []
        factor = next((c for r in first if (c := coefficients.get(r, ZERO)) != 0 and c.free_symbols <= constants), None)
        rest = -e.subs(dict.fromkeys(rates, ZERO))
        if size(rest) > LONGEST_DIVIDED:
            rest = show.linear(rest, (*system.touching.forces, *forces), others)
        if factor is None:
            own = [coefficients[r] for r in rates[i : i + 1] if r in coefficients]  # the first one decides the sign
            factor = common_factor([*own, *coefficients.values(), *([rest] if rest != 0 else [])], constants)
        left = total(show(c / factor) * r for r, c in coefficients.items())
        right = expanded(rest / factor) if factor != 1 and size(rest) < LONGEST_DIVIDED else rest / factor
        results.append((left, show.linear(right, (*system.touching.forces, *forces), others)))
    return Step("Equations of motion, written out", "", "", tuple(results), key="written")


def common_factor(coefficients: Sequence[Scalar], constants: set[Scalar]) -> Scalar:
    """The number and the product of constants that divide every one of these, negative if the first is; 1 if they are
    long. Among decimals, the number is that of the first one.
    """
    found = [e for e in coefficients if e != 0]
    if not found or any(size(e) > LONGEST_DIVIDED for e in found):
        return ONE
    terms = [_monomial(term) for e in found for term in _sum_terms(se.expand(e))]
    if any(not number.is_Rational for number, _ in terms):
        return ONE
    first = [_monomial(term)[0] for term in _sum_terms(se.expand(found[0]))]
    numbers = [number for number, _ in terms]
    if any(as_decimal(number) is not None for number in numbers):  # 9.81 is not cleared to 981
        numbers = first if len(first) == 1 else [ONE]
    above = gcd(*(abs(int(number.p)) for number in numbers))
    below = lcm(*(int(number.q) for number in numbers))
    sign = -1 if all(number < 0 for number in first) else 1
    shared = {base: power for base, power in terms[0][1].items() if base.free_symbols <= constants}
    for _, powers in terms[1:]:
        shared = {
            base: min(power, powers[base], key=abs) for base, power in shared.items() if power * powers.get(base, 0) > 0
        }
    return se.Rational(sign * above, below) * se.Mul(*(base**power for base, power in shared.items()))


def _sum_terms(e: Scalar) -> Sequence[Scalar]:
    return e.args if isinstance(e, se.Add) else (e,)


def _monomial(term: Scalar) -> tuple[Scalar, dict[Scalar, int]]:
    """The number of a term, and the integer powers of its other factors."""
    number, powers = ONE, {}
    for part in term.args if isinstance(term, se.Mul) else (term,):
        base, power = part.args if isinstance(part, se.Pow) else (part, ONE)
        if part.is_Number:
            number *= part
        elif power.is_Integer:
            powers[base] = int(power)
    return number, powers
