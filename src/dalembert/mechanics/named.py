"""Quantities of a system that have a name: places, velocities, axes, angular velocities, then the equations in them.

An expression that is written out in coordinates fills pages for a large system. Here every quantity with a meaning is a
symbol as soon as it is formed, and its value is written in terms of the symbols before it:

    r[P, x]      place of a point or a body's centre       v = ṙ, v[P, x, q] = ∂r/∂q, U = r̈ at q̈ = 0
    n[F, xy]     components of a frame's axes              ∂n/∂q follows from ∂ω/∂q̇, so it needs no name
    omega[F, x]  angular velocity in the frame's axes      omega[F, x, q] = ∂ω/∂q̇, kappa = ω̇ at q̈ = 0
    N, tau, eta  normal and tangents of a contact          s the arm to it, c the velocity of the point there
    H[B, x]      Jκ + ω×Jω, the rate of the moment of momentum at q̈ = 0

Derivatives go through these symbols by the chain rule. The derivative of a quantity S by q, or by q̇ if S has speeds, is
S[…, q]; then S[…; q] is that by q. The rate is S', and U[S, …] is what is left of S̈ at q̈ = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product as pairs

import symengine as se

from dalembert.mechanics.algebra import (
    HALF,
    IDENTITY,
    ONE,
    ZERO,
    Matrix3,
    Scalar,
    Symbols,
    Triple,
    apply,
    cross,
    dot,
    plus,
    scaled,
    total,
)
from dalembert.mechanics.bodies import Columns
from dalembert.mechanics.inertia import Inertia, add_energy, add_thrust
from dalembert.mechanics.readable import readable
from dalembert.mechanics.rotations import Attitude
from dalembert.mechanics.system import System
from dalembert.model.record import ModelRecord

SHORT = 3  # operations; a quantity up to this length gets no symbol
RATES = {"r": "v", "v": "U", "omega": "kappa"}
PARTIAL = {"r": "v"}


class NamedSymbols(Symbols):
    """Symbols of a motion, and of named quantities, through which derivatives go by the chain rule."""

    names_quantities = True

    def __init__(self, names: Sequence[str]):
        super().__init__(names)
        self.values: dict[Scalar, Scalar] = {}  # by symbol, each in terms of those before it
        self._held: dict[Scalar, frozenset[Scalar]] = {}  # the symbols of the motion in a quantity
        self._slopes: dict[tuple[Scalar, Scalar], Scalar] = {}
        self._rates: dict[Scalar, Scalar] = {}
        self._source: dict[Scalar, Scalar] = {}  # of a rate: the quantity
        self._axes: dict[Scalar, tuple[Attitude, int, int]] = {}
        self._bent: dict[int, Matrix3] = {}  # [κ]× + [ω]×[ω]× by attitude
        self._taken = {*names}

    def named(self, name: str, value: Scalar) -> Scalar:
        value = readable(value)
        if len(value.args) <= 1 or se.count_ops(value) <= SHORT:
            return value
        symbol = se.Symbol(name)
        if self.values.get(symbol, value) != value:
            return value
        self.values[symbol] = value
        self._held[symbol] = self.held(value)
        return symbol

    def with_roots(self, name: str, value: Scalar) -> Scalar:
        roots = [p for p in value.atoms(se.Pow) if _is_root(p) and not p.free_symbols.isdisjoint(self.q)]
        changes = {}
        for i, root in enumerate(sorted(roots, key=str)):
            changes[root] = self.named(f"rho[{name}{f', {i}' if i else ''}]", root)
        return value.xreplace(changes) if changes else value

    def attitude(self, name: str, attitude: Attitude) -> Attitude:
        matrix = [
            [self.named(f"n[{name}, {i}{j}]", e) for j, e in zip("xyz", row, strict=True)]
            for i, row in zip("xyz", attitude.matrix, strict=True)
        ]
        omega = self.triple("omega", name, attitude.omega)
        found = Attitude(tuple(map(tuple, matrix)), omega, attitude.last)  # type: ignore[arg-type]
        for i, j in pairs(range(3), range(3)):
            if matrix[i][j] in self.values:
                self._axes.setdefault(matrix[i][j], (found, i, j))
        return found

    def held(self, expression: Scalar) -> frozenset[Scalar]:
        free = expression.free_symbols
        return frozenset(free).union(*(self._held[s] for s in free if s in self._held))

    def has_speeds(self, expression: Scalar) -> bool:
        return not self.speeds.isdisjoint(self.held(expression))

    def whole(self, expression: Scalar) -> Scalar:
        while quantities := self._quantities(expression):
            expression = expression.xreplace({s: self.values[s] for s in quantities})
        return expression

    def slope(self, expression: Scalar, symbol: Scalar) -> Scalar:
        explicit = super().slope
        through = [(s, self._slope(s, symbol)) for s in self._quantities(expression)]
        return total(
            [explicit(expression, symbol), *(explicit(expression, s) * slope for s, slope in through if slope != 0)]
        )

    def derivative(self, expression: Scalar) -> Scalar:
        explicit = super().slope
        free = sorted(expression.free_symbols, key=str)
        terms = [explicit(expression, s) * self.v[self._place[s]] for s in free if s in self._place]
        terms += [explicit(expression, s) * self.rates[s] for s in free if s in self.rates]
        terms += [explicit(expression, s) * self._rate(s) for s in free if s in self.values]
        return total([*terms, explicit(expression, self.t)])

    def gradient(self, expression: Scalar, symbols: Sequence[Scalar]) -> tuple[Scalar, ...]:
        held = self.held(expression)
        return tuple(self.slope(expression, s) if s in held else ZERO for s in symbols)

    def _quantities(self, expression: Scalar) -> list[Scalar]:
        return sorted((s for s in expression.free_symbols if s in self.values), key=str)

    def _slope(self, quantity: Scalar, symbol: Scalar) -> Scalar:
        if symbol not in self._held[quantity]:
            return ZERO
        if (quantity, symbol) not in self._slopes:
            self._slopes[quantity, symbol] = self._new_slope(quantity, symbol)
        return self._slopes[quantity, symbol]

    def _new_slope(self, quantity: Scalar, symbol: Scalar) -> Scalar:
        if symbol in self.speeds and quantity in self._source:  # ∂Ṡ/∂q̇ = ∂S/∂q
            return self.slope(self._source[quantity], self.q[self.v.index(symbol)])
        if quantity in self._axes and symbol in self._place:  # the speed's part of ω turns the axes
            speed = self.v[self._place[symbol]]
            return self._turned(quantity, lambda c: self.slope(c, speed))
        letter, index = _parted(quantity)
        comma = ";" if symbol not in self.speeds and self.has_speeds(quantity) else ","
        by = str(symbol).rstrip("'")
        name = f"{PARTIAL.get(letter, letter)}[{f'{index}{comma} {by}' if index else by}]"
        value = self.values[quantity]
        if _is_root(value):
            return self.named(name, _half(self.slope(value.args[0], symbol)) / quantity)
        return self.named(name, self.slope(value, symbol))

    def _rate(self, quantity: Scalar) -> Scalar:
        if quantity not in self._rates:
            self._rates[quantity] = self._new_rate(quantity)
        return self._rates[quantity]

    def _new_rate(self, quantity: Scalar) -> Scalar:
        if quantity in self._axes:
            rate = self.named(f"{quantity}'", self._turned(quantity, lambda c: c))
            self._source.setdefault(rate, quantity)
            return rate
        letter, index = _parted(quantity)
        if letter == "n" and self._source.get(quantity) in self._axes:
            attitude, i, j = self._axes[self._source[quantity]]
            return dot(attitude.matrix[i], [row[j] for row in self._swing(index.partition(",")[0], attitude)])
        if letter in RATES and "," in index:
            name = f"{RATES[letter]}[{index}]"
        elif self.has_speeds(quantity):
            source = self._source.get(quantity, quantity)
            name = f"U[{', '.join(filter(None, _parted(source)))}]"
        else:
            name = f"{quantity}'"
        rate = self.named(name, self._derived(quantity))
        if rate in self.values and not self.has_speeds(quantity):
            self._source.setdefault(rate, quantity)
        return rate

    def _derived(self, quantity: Scalar) -> Scalar:
        """The rate of a quantity. That of a root ρ is ½(ρ²)˙/ρ, and of this rate (½(ρ²)¨ − ρ̇²)/ρ."""
        source = self._source.get(quantity)
        if _is_root(self.values[quantity]):
            return _half(self.derivative(self.values[quantity].args[0])) / quantity
        if source in self.values and _is_root(self.values[source]):
            swing = _half(self.derivative(self.derivative(self.values[source].args[0])))
            return (readable(swing) - quantity**2) / source
        return self.derivative(self.values[quantity])

    def _turned(self, entry: Scalar, part: Callable[[Scalar], Scalar]) -> Scalar:
        """The entry of R [w]×, where w is a part of the angular velocity in the turned axes."""
        attitude, i, j = self._axes[entry]
        w = tuple(part(c) for c in attitude.omega)
        axis: Triple = tuple(ONE if k == j else ZERO for k in range(3))  # type: ignore[assignment]
        return dot(attitude.matrix[i], cross(w, axis))  # type: ignore[arg-type]

    def _swing(self, frame: str, attitude: Attitude) -> Matrix3:
        """W = [κ]× + [ω]×[ω]×, with which r̈ = R W r of a point that is fixed in the frame, at q̈ = 0."""
        if id(attitude) not in self._bent:
            omega = attitude.omega
            rate: Triple = tuple(map(self.derivative, omega))  # type: ignore[assignment]
            columns = [plus(cross(rate, e), cross(omega, cross(omega, e))) for e in IDENTITY]
            self._bent[id(attitude)] = tuple(  # type: ignore[assignment]
                tuple(self.named(f"W[{frame}, {i}{j}]", columns[b][a]) for b, j in enumerate("xyz"))
                for a, i in enumerate("xyz")
            )
        return self._bent[id(attitude)]


def _half(e: Scalar) -> Scalar:
    return total(HALF * term for term in e.args) if isinstance(e, se.Add) else HALF * e


def _is_root(value: Scalar) -> bool:
    return isinstance(value, se.Pow) and value.args[1] == HALF


def _parted(symbol: Scalar) -> tuple[str, str]:
    letter, _, index = str(symbol).rstrip("'").rstrip("]").partition("[")
    return letter, index


def named_quantities(model: ModelRecord) -> dict[Scalar, Scalar]:
    """The quantities of a model by their symbols, each in terms of those before it.

    After those of kinematics come a body's accelerations a and alpha and its energy of accelerations S, then D,
    d = Q − h, A and b of the equations D q̈ = d + Aᵀλ, A q̈ = b with constraints f = 0, then
    E = d/dt ∂f/∂q̇ − ∂f/∂q of those with speeds, and the energies T and V.
    """
    motion = NamedSymbols(tuple(model.coordinates))
    system = System(model, readable=True, motion=motion)
    found = motion.values
    names = motion.names
    inertia = Inertia(system.size)
    for body in system.bodies.values():
        a = motion.triple("a", body.name, body.centre.acceleration(motion))
        S = [HALF * body.mass * dot(a, a)]
        if body.turning is not None:
            J, gyroscopic = body.turning.inertia, body.turning.gyroscopic()
            H = motion.triple("H", body.name, plus(apply(J, body.turning.bias), gyroscopic))
            alpha = motion.triple("alpha", body.name, body.turning.acceleration(motion))
            S += [HALF * dot(alpha, apply(J, alpha)), dot(alpha, gyroscopic)]
            _add(inertia, body.turning.columns, J, H)
        m = body.mass
        mass = ((m, ZERO, ZERO), (ZERO, m, ZERO), (ZERO, ZERO, m))
        _add(inertia, body.centre.columns, mass, scaled(m, body.centre.bias))
        found[se.Symbol(f"S[{body.name}]")] = readable(total(S))
    add_energy(inertia, motion.whole(system.given_kinetic), motion)
    add_thrust(inertia, system.bodies.values())
    for r, line in zip(names, inertia.matrix, strict=True):
        found |= {se.Symbol(f"D[{r}, {s}]"): readable(e) for s, e in zip(names, line, strict=True)}
    for r, Q, h in zip(names, system.forces, inertia.vector, strict=True):
        found[se.Symbol(f"d[{r}]")] = motion.named(f"Q[{r}]", Q) - motion.named(f"h[{r}]", h)
    rows = system.constraints
    for row, line, b in zip(rows.rows, rows.A, rows.b, strict=True):
        found |= {se.Symbol(f"A[{row.name}, {q}]"): readable(e) for q, e in zip(names, line, strict=True)}
        found[se.Symbol(f"b[{row.name}]")] = readable(b)
        found[se.Symbol(f"f[{row.name}]")] = readable(row.residual)
        if row.kind == "linear":
            swings = [motion.derivative(e) - motion.slope(row.residual, q) for e, q in zip(line, motion.q, strict=True)]
            found |= {se.Symbol(f"E[{row.name}, {q}]"): readable(e) for q, e in zip(names, swings, strict=True)}
    kinetic = [*(readable(body.kinetic(motion)) for body in system.bodies.values()), system.given_kinetic]
    energies = {"T": total(kinetic), "V": system.potential}
    return found | {se.Symbol(letter): readable(e) for letter, e in energies.items()}


def _add(inertia: Inertia, columns: Columns, weight: Matrix3, rest: Triple) -> None:
    """Add the share of the columns c: D_rs += W c_r·c_s, h_r += c_r·rest."""
    present = [(r, c) for r, c in enumerate(columns) if c is not None]
    for place, (r, c) in enumerate(present):
        inertia.add_force(r, dot(c, rest))
        for s, other in present[place:]:
            inertia.add_symmetric(r, s, readable(dot(apply(weight, c), other)))
