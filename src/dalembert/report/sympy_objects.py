"""The equations of a derivation as objects of SymPy, with its `dynamicsymbols`.

    M q̈ + h = R λ,   A q̈ = b          R = Aᵀ by Chetaev's rule

h is −d of the record: all terms without accelerations, so applied forces have a minus sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.equations import Equations
from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.programs.evaluate import magnitudes, values_of
from dalembert.programs.expressions import program

SHOWN = 300  # operations of equations that a notebook shows


@dataclass(frozen=True)
class SympyEquations:
    """Equations of motion in SymPy: M q'' + h = R λ and A q'' = b. Coordinates are `dynamicsymbols`, functions of t.

    `da.from_sympy` makes a model of it. `parameters` has the values of its symbols.
    """

    method: str
    t: Any
    q: Any  # a column; h, b and multipliers are columns, too
    M: Any
    h: Any
    A: Any
    b: Any
    R: Any
    multipliers: Any
    parameters: dict[Any, float]
    inputs: tuple[Any, ...]  # functions of t from data
    kinetic: Any
    potential: Any
    holonomic: dict[str, Any]  # residuals, by the names of the constraints
    nonholonomic: dict[str, Any]
    quasi_velocities: dict[str, Any]
    region: tuple[Any, ...] = ()  # relations for the states at which the equations hold; () if they hold everywhere

    def __repr__(self) -> str:
        return f"<SympyEquations by {self.method}: {', '.join(str(q.func) for q in self.q)}>"

    def _repr_latex_(self) -> str | None:
        """For a notebook: M q'' + h = R λ. Large systems have only the line above."""
        import sympy

        if sympy.count_ops(self.equations) > SHOWN:
            return None
        reactions = rf"{sympy.latex(self.R)} {sympy.latex(self.multipliers)}" if len(self.multipliers) else "0"
        speeding = sympy.latex(self.q.diff(self.t, 2))
        return rf"$\displaystyle {sympy.latex(self.M)} {speeding} + {sympy.latex(self.h)} = {reactions}$"

    @cached_property
    def equations(self) -> Any:
        """The column M q'' + h − R λ, which is zero in every motion."""
        return self.M * self.q.diff(self.t, 2) + self.h - self.R * self.multipliers

    @cached_property
    def forces(self) -> Any:
        """Generalized forces without the potential's: Q = d/dt ∂T/∂q̇ − ∂T/∂q + ∂V/∂q − M q̈ − h."""
        import symengine
        import sympy

        moving = [*self.q, *self.q.diff(self.t)]
        letters = {e: sympy.Symbol(str(e)) for e in (*moving, *self.inputs)}  # SymEngine differentiates by symbols
        plain = [_without_ite(e.xreplace(letters)) for e in (self.kinetic, self.potential, self.h, self.M)]
        T, V, h, M = map(symengine.sympify, plain)
        symbols = [symengine.sympify(letters[e]) for e in moving]
        (q, v), t = (symbols[: len(self.q)], symbols[len(self.q) :]), symengine.sympify(self.t)
        p = [T.diff(speed) for speed in v]
        errors = [p[i].diff(v[j]) - M[i, j] for i in range(len(q)) for j in range(len(q))]
        if not all(self._vanish(errors, letters)):
            raise ModelError(
                tr(
                    "M by {method} is not the matrix of the kinetic energy, so the forces without a potential "
                    "are not known; use M, h, A and b, or derive by chetaev if no mass depends on speeds",
                    method=self.method,
                )
            )
        rates = [sum((e.diff(a) * b for a, b in zip(q, v, strict=True)), e.diff(t)) for e in p]
        found = [rates[i] - T.diff(q[i]) + V.diff(q[i]) - h[i] for i in range(len(q))]
        taken = _Taken({letter: e for e, letter in letters.items()})
        none = self._vanish(found, letters)
        return sympy.Matrix([0 if zero else taken(e.expand()) for e, zero in zip(found, none, strict=True)])

    def _vanish(self, expressions: Sequence[Any], letters: Mapping[Any, Any]) -> list[bool]:
        """Which expressions are zero within rounding, at three states at which they have a value."""
        import symengine

        moving = [*letters.values(), self.t]
        code = program([symengine.Symbol(s.name) for s in (*moving, *self.parameters)], expressions)
        states = np.empty((20, len(code.inputs)))
        states[:, : len(moving)] = np.random.default_rng(7).uniform(0.1, 0.9, (20, len(moving)))
        states[:, len(moving) :] = list(self.parameters.values())
        with np.errstate(all="ignore"):
            values, sizes = np.abs(values_of(code, states)), magnitudes(code, states)
        answers = []
        for value, size in zip(values.T, sizes.T, strict=True):
            met = np.flatnonzero(np.isfinite(value) & np.isfinite(size))[:3]
            answers.append(len(met) == 3 and bool((value[met] <= 1e-9 * size[met]).all()))
        return answers


def _without_ite(e: Any) -> Any:
    """The same without `ITE`, to which SymPy turns conditions of a `Piecewise` and which SymEngine does not know."""
    import sympy

    return e.replace(sympy.ITE, lambda c, a, b: (c & a) | (~c & b)) if e.has(sympy.ITE) else e


class _Taken:
    """SymEngine's expressions as SymPy's objects, each part converted once, with symbols replaced."""

    def __init__(self, places: dict[Any, Any]) -> None:
        import sympy

        self.sympy, self.places = sympy, places
        self.made = {"Add": sympy.Add, "Mul": sympy.Mul, "Pow": sympy.Pow, "sin": sympy.sin, "cos": sympy.cos}
        self.known: dict[Any, Any] = {}

    def __call__(self, expression: Any) -> Any:
        import symengine

        root = symengine.sympify(expression)
        waiting = [root]
        while waiting:
            node = waiting[-1]
            args = node.args if type(node).__name__ in self.made else ()
            left = [part for part in args if part not in self.known]
            if node in self.known or not left:
                waiting.pop()
            if node not in self.known and not left:
                self.known[node] = self._object(node, args)
            waiting += left
        return self.known[root]

    def _object(self, node: Any, args: Any) -> Any:
        if args:
            return self.made[type(node).__name__](*[self.known[part] for part in args])
        found = self.sympy.sympify(node)
        return self.places.get(found, found) if found.is_Symbol else found.xreplace(self.places)


def sympy_equations(eq: Equations) -> SympyEquations:
    """The record in SymPy's objects."""
    import sympy
    from sympy.physics.mechanics import dynamicsymbols

    _refuse(eq)
    t = dynamicsymbols._t
    places: dict[Any, Any] = {sympy.Symbol(str(eq.t)): t}
    for name, q, v in zip(eq.coordinates, eq.q, eq.v, strict=True):
        moving = sympy.Function(name)(t)
        places |= {sympy.Symbol(str(q)): moving, sympy.Symbol(str(v)): moving.diff(t)}
    inputs = {sympy.Symbol(str(symbol)): sympy.Function(str(symbol))(t) for symbol in eq.signals}
    names = eq.multipliers or tuple(row.name for row in eq.constraints)
    multipliers = [sympy.Function(f"lambda_{name}")(t) for name in names]
    extra = {sympy.Symbol(str(z)): multiplier for z, multiplier in zip(eq.z, multipliers, strict=False)}
    places |= {**inputs, **extra}

    taken = _Taken(places)

    def matrix(rows: Any, width: int) -> Any:
        return sympy.Matrix(len(rows), width, [taken(e) for row in rows for e in row])

    n, m = len(eq.q), len(eq.b)
    multipliers[: len(extra)] = [state.diff(t) for state in extra.values()]  # ν = λ̇ of a vakonomic motion
    A = matrix(eq.A, n)
    kinds = {
        kind: {row.name: taken(row.residual) for row in eq.constraints if (row.kind == "holonomic") is kind}
        for kind in (True, False)
    }
    values = {sympy.Symbol(str(symbol)): float(value) for symbol, value in eq.parameters.items()}
    quasi = {} if eq.quasi is None else dict(zip(eq.quasi.names, eq.quasi.values, strict=True))
    return SympyEquations(
        method=eq.method,
        t=t,
        q=sympy.Matrix(n, 1, [places[sympy.Symbol(str(q))] for q in eq.q]),
        M=matrix(eq.D, n),
        h=-sympy.Matrix(n, 1, [taken(e) for e in eq.d]),
        A=A,
        b=sympy.Matrix(m, 1, [taken(e) for e in eq.b]),
        R=A.T if eq.R is None else matrix(eq.R, len(eq.R[0]) if eq.R else 0),
        multipliers=sympy.Matrix(len(multipliers), 1, multipliers),
        parameters={symbol: value for symbol, value in values.items() if symbol not in inputs},
        inputs=tuple(inputs.values()),
        kinetic=taken(eq.kinetic),
        potential=taken(eq.potential),
        holonomic=kinds[True],
        nonholonomic=kinds[False],
        quasi_velocities={name: taken(e) for name, e in quasi.items()},
        region=tuple(taken(e) > 0 if sign == ">" else taken(e) < 0 for e, sign in eq.region),
    )


def _refuse(eq: Equations) -> None:
    if eq.unilateral is not None:
        names = [*(law.name for law in eq.unilateral.contacts), *(law.name for law in eq.unilateral.frictions)]
        raise ModelError(
            tr("equations in SymPy cannot carry contacts and frictions; the model has {names}", names=", ".join(names))
        )
    if eq.states or eq.sampled:
        names = [*map(str, eq.states), *(law.name for law in eq.sampled)]
        raise ModelError(
            tr(
                "equations in SymPy cannot carry first-order states and sampled controllers; the model has {names}",
                names=", ".join(names),
            )
        )
