"""The span of the search: functions of the coordinates, quantities that are linear in the speeds, and their products.

    functions   coordinates; sines, cosines and exponentials that occur in the model; definitions without speeds
    linear      speeds q̇; canonical momenta ∂L/∂q̇; linear and angular momenta of the bodies, about the origin and about
                their centres, in inertial and in body axes; definitions that are linear in the speeds
    energies    q̇·∂L/∂q̇ − L and T + V
Levels go from simple to large: linear quantities with constant factors first, products with functions later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import symengine as se

from dalembert.analysis.conserved.quantities import Product
from dalembert.equations import Equations
from dalembert.language import tr
from dalembert.mechanics.algebra import Scalar, apply, cross, dot, is_zero, plus, scaled, total
from dalembert.mechanics.system import System

LARGEST = 360  # largest number of candidates
LONGEST = 4000  # largest number of operations of a quantity
WAVES = frozenset({"sin", "cos", "exp"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A factor of candidates, and its name in words if the formula does not show what it is."""

    expression: Scalar
    about: str = ""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Quantities, and levels of candidates. A level is searched together with all levels before it."""

    quantities: tuple[Candidate, ...]
    energies: tuple[int, ...]  # their places
    levels: tuple[tuple[Product, ...], ...]
    linear: tuple[int, ...] = ()  # places of the quantities that are linear in the speeds
    weights: tuple[Product, ...] = ()  # functions of the coordinates, 1 first
    cut: bool = False  # products were left out because there would be too many

    @property
    def candidates(self) -> list[Product]:
        return [product for level in self.levels for product in level]

    @property
    def expressions(self) -> list[Scalar]:
        return [quantity.expression for quantity in self.quantities]


def constraint_part(eq: Equations) -> Scalar:
    """Σ λ f for a vakonomic motion, zero for others."""
    rows = [row for row in eq.constraints if row.kind != "holonomic"][: len(eq.z)]
    return total(lam * row.residual for lam, row in zip(eq.z, rows, strict=True))


def momenta(eq: Equations) -> list[Scalar]:
    """∂L/∂q̇. For a vakonomic motion, L + Σ λ f replaces L."""
    L = se.sympify(eq.kinetic) - eq.potential + constraint_part(eq)
    return [L.diff(v) for v in eq.v]


def generalized_energy(eq: Equations) -> Scalar:
    """q̇·∂L/∂q̇ − L: Jacobi's and Painlevé's integral."""
    return dot(eq.v, momenta(eq)) - eq.kinetic + eq.potential - constraint_part(eq)


def basis(system: System, eq: Equations, energies: Mapping[str, Scalar], quadratic: bool = False) -> Candidates:
    """The span for a system. `energies` are given by name."""
    speeds, places = frozenset((*eq.v, *eq.z)), frozenset((*eq.q, eq.t, *eq.states))
    named = [Candidate(se.sympify(e), name) for name, e in eq.outputs.items()]
    moving = [q for q in named if speeds & q.expression.free_symbols]
    still = [q for q in named if not speeds & q.expression.free_symbols and places & q.expression.free_symbols]
    lines = [q for q in moving if is_linear(q.expression, eq)]
    waves = found_waves(eq)
    turning = angles(eq)

    pool = _Pool()
    first = pool.several([Candidate(e, name) for name, e in energies.items()], longest=10 * LONGEST)
    alone = pool.several([Candidate(q) for q in eq.q if q in turning])
    factors = pool.several([*(Candidate(q) for q in eq.q if q not in turning), *still, *map(Candidate, waves)])
    conjugate = [
        Candidate(p, tr("momentum of {name}", name=name)) for name, p in zip(eq.coordinates, momenta(eq), strict=True)
    ]
    linear = pool.several([*map(Candidate, eq.v), *conjugate, *lines, *_bodies(system)])
    others = pool.several([q for q in moving if q not in lines])
    pairs = list(combinations_with_replacement(factors, 2))
    levels: list[list[Product]] = [
        [(i,) for i in (*alone, *factors)],
        [(i,) for i in (*first, *linear, *others)],
        [(f, i) for i in linear for f in factors],
        [*pairs, *((f, g) for f in factors for g in alone)],
        [(f, g, i) for i in linear for f, g in pairs],
    ]
    if quadratic:
        squares: list[Product] = list(combinations_with_replacement(linear, 2))
        levels.insert(2, squares)
        levels.insert(4, [(f, i, j) for i, j in squares for f in factors])
    kept, cut = _within(levels)
    weights = [(), *((f,) for f in factors), *pairs][: LARGEST // 4]
    return Candidates(tuple(pool.found), tuple(first), tuple(kept), tuple(linear), tuple(weights), cut)


def _within(levels: list[list[Product]]) -> tuple[list[tuple[Product, ...]], bool]:
    """The levels, cut at the largest number of candidates."""
    kept: list[tuple[Product, ...]] = []
    left = LARGEST
    for level in levels:
        kept.append(tuple(level[:left]))
        if len(level) > left:
            return kept, True
        left -= len(level)
    return kept, False


class _Pool:
    """Quantities without repetition. Those that are too long to read are left out."""

    def __init__(self) -> None:
        self.found: list[Candidate] = []
        self._places: dict[Scalar, int] = {}

    def several(self, quantities: Iterable[Candidate], longest: int = LONGEST) -> list[int]:
        kept = [q for q in quantities if not q.expression.is_Number and se.count_ops(q.expression) <= longest]
        new = []
        for quantity in kept:
            if quantity.expression not in self._places:
                self._places[quantity.expression] = len(self.found)
                self.found.append(quantity)
                new.append(len(self.found) - 1)
        return new


def is_linear(expression: Scalar, eq: Equations) -> bool:
    """Whether an expression is linear in the speeds."""
    speeds = frozenset(eq.v)
    return all(not speeds & expression.diff(v).free_symbols for v in eq.v if v in expression.free_symbols)


def found_waves(eq: Equations) -> list[Scalar]:
    """sin, cos and exp of coordinates that occur in the inertia, constraints or forces; the shortest come first."""
    coordinates, forbidden = frozenset(eq.q), frozenset((*eq.v, *eq.z))
    return [e for e in _waves(eq) if coordinates & e.free_symbols and not forbidden & e.free_symbols]


def parameter_waves(eq: Equations, parameters: Sequence[Scalar]) -> list[Scalar]:
    """sin, cos and exp of parameters alone."""
    allowed = frozenset(parameters)
    return [e for e in _waves(eq) if e.free_symbols and e.free_symbols <= allowed]


def _waves(eq: Equations) -> list[Scalar]:
    entries = [e for row in (*eq.D, *eq.A, eq.psi, eq.phi, eq.d) for e in row]
    found: dict[Scalar, None] = {}
    seen: set[Scalar] = set()
    stack = [se.sympify(e) for e in (*entries, eq.potential)]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if type(node).__name__ in WAVES:
            found.setdefault(node)
        stack.extend(node.args)
    return sorted(found, key=lambda e: (len(str(e)), str(e)))


def angles(eq: Equations) -> frozenset[Scalar]:
    """Coordinates that occur in a sine or cosine."""
    waves = [e for e in found_waves(eq) if type(e).__name__ in {"sin", "cos"}]
    return frozenset().union(*(e.free_symbols for e in waves)) & frozenset(eq.q)


def _bodies(system: System) -> list[Candidate]:
    """Momenta of each body and of all bodies together. Each component is a quantity."""
    motion = system.motion
    found: list[Candidate] = []
    sums = []
    for name, body in system.bodies.items():
        momentum = scaled(body.mass, body.centre.velocity(motion))
        about = cross(body.centre.position, momentum)
        if body.turning is not None:
            own = apply(body.turning.inertia, body.turning.omega)
            inertial = body.turning.attitude.world(own)
            spin = tr("angular momentum of {name} about its centre of mass", name=name)
            found += [
                Candidate(e, tr("{spin}, along {axis}", spin=spin, axis=axis))
                for e, axis in zip(inertial, "xyz", strict=True)
            ]
            found += [
                Candidate(e, tr("{spin}, along its own {axis}", spin=spin, axis=axis))
                for e, axis in zip(own, "xyz", strict=True)
            ]
            about = plus(about, inertial)
        found += [
            Candidate(e, tr("momentum of {name} along {axis}", name=name, axis=axis))
            for e, axis in zip(momentum, "xyz", strict=True)
        ]
        sums.append((momentum, about))
    names = (tr("momentum along"), tr("angular momentum about the origin, along"))
    whole = [
        Candidate(total(pair[k][i] for pair in sums), f"{name} {axis}")
        for k, name in enumerate(names)
        for i, axis in enumerate("xyz")
        if sums
    ]
    return [q for q in (*whole, *found) if not is_zero(q.expression)]
