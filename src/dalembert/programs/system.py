"""The record's expressions as compiled functions of x = (t, q, v, z, p), each compiled when it is first requested.

Parameters that are symbols are arguments, so that one compiled record serves all their values (`valued`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from dalembert.equations import Equations
from dalembert.language import tr
from dalembert.model.signals import Pieces, pieces
from dalembert.programs.domain import domain_failure
from dalembert.programs.functions import OFTEN, Backend, Function, compiled
from dalembert.programs.solve import expressions, unpacked

T = TypeVar("T")


@dataclass(frozen=True)
class CompiledSystem:
    """The compiled form of a record. Nothing is compiled before it is used."""

    equations: Equations
    backend: Backend = "llvm"
    level: int = OFTEN
    values: tuple[float, ...] | None = None  # of the parameters; None means the record's own
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def valued(self, values: Iterable[float]) -> CompiledSystem:
        """The same compiled functions at other values of the parameters. Both share what either compiles later."""
        other = copy(self)
        object.__setattr__(other, "values", tuple(float(value) for value in values))
        return other

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.equations.q)

    @property
    def m(self) -> int:
        """Number of rows of A."""
        return len(self.equations.b)

    @property
    def mh(self) -> int:
        """Number of holonomic residuals."""
        return len(self.equations.phi)

    @property
    def k(self) -> int:
        """Number of extra states."""
        return len(self.equations.z)

    @property
    def s(self) -> int:
        """Number of parameters that a motion carries along: states, and values held by controllers."""
        return len(self.equations.followed)

    @property
    def size(self) -> int:
        """Number of components of a motion, y = (q, v, z, s)."""
        return 2 * self.n + self.k + self.s

    @property
    def reactions(self) -> int:
        """Number of columns of R: the multipliers."""
        eq = self.equations
        return self.m if eq.R is None else (len(eq.R[0]) if eq.R else len(eq.multipliers))

    @cached_property
    def multiplier_names(self) -> tuple[str, ...]:
        eq = self.equations
        return eq.multipliers or tuple(row.name for row in eq.constraints)

    @property
    def parameters(self) -> np.ndarray:
        values = self.equations.parameters.values() if self.values is None else self.values
        return np.array([float(value) for value in values], dtype=float)

    @cached_property
    def signals(self) -> tuple[tuple[int, Pieces], ...]:
        """Inputs from data, each with its place in x."""
        eq = self.equations
        return tuple((eq.inputs.index(symbol), pieces(signal)) for symbol, signal in eq.signals.items())

    def state(self, t: float | np.ndarray, q: Any, v: Any, z: Any = ()) -> np.ndarray:
        """x at one instant, or a row for each of many. `z` may be followed by s; else s has its values at the start."""
        t, parameters = np.asarray(t, dtype=float), self.parameters
        if t.ndim == 0:
            x = np.concatenate([[float(t)], q, v, z, parameters[max(len(z) - self.k, 0) :]]).astype(float)
        else:
            extra = np.asarray(z, dtype=float).reshape(len(t), -1) if self.k or self.s else np.zeros((len(t), 0))
            rest = parameters[max(extra.shape[1] - self.k, 0) :]
            x = np.hstack([t[:, None], q, v, extra, np.broadcast_to(rest, (len(t), len(rest)))])
        for place, signal in self.signals:
            x[..., place] = signal(t)
        return x

    def along(self, t: float | np.ndarray, y: np.ndarray) -> np.ndarray:
        """x at one instant or at many of a motion y = (q, v, z, s)."""
        return self.state(t, *np.split(y, [self.n, 2 * self.n], axis=-1))

    @property
    def dynamics(self) -> Function:
        """D, d, A, b, and R if it is given, as `solve.expressions` packs them."""
        return self.compiled("dynamics", expressions)

    def unpacked(self, out: np.ndarray) -> tuple[np.ndarray, ...]:
        """D, d, A, b, R (n by the multipliers) from the values of `dynamics`, for one state or for rows of states."""
        return unpacked(self.equations, out)

    @property
    def position(self) -> Function:
        """φ and ∂φ/∂q."""
        return self.compiled("position", lambda eq: [*eq.phi, *_flat(eq.phi_q)])

    @property
    def velocity(self) -> Function:
        """ψ and A = ∂ψ/∂v."""
        return self.compiled("velocity", lambda eq: [*eq.psi, *_flat(eq.A)])

    @property
    def quasi(self) -> Function:
        """∂π/∂q̇ by rows and dπ/dt at q̈ = 0, for the quasi-velocities that are not held."""
        pi = self.equations.quasi
        free = 0 if pi is None else len(pi.names) - pi.held
        return self.compiled("quasi", lambda _: [] if pi is None else [*_flat(pi.jacobian[:free]), *pi.drift[:free]])

    @property
    def outputs(self) -> Function:
        """Kinetic energy, potential energy, outputs, and the masses that vary."""
        return self.compiled(
            "outputs", lambda eq: [eq.kinetic, eq.potential, *eq.outputs.values(), *eq.masses.values()]
        )

    @property
    def reaction_parts(self) -> Function:
        """The part of the reactions that no multiplier scales: rest (n by the multipliers), then every E."""
        eq = self.equations
        n, size = self.n, len(self.multiplier_names)
        rest = eq.reaction_rest or ((0,) * size,) * n
        slopes = eq.reaction_slope or (((0,) * n,) * n,) * size
        return self.compiled("reaction parts", lambda _: [*_flat(rest), *(e for E in slopes for e in _flat(E))])

    @property
    def guards(self) -> Function:
        """The events' guards, then the masses that vary, as functions of x, and if needed of q'' and all ν."""
        beside = self.equations.answers if self.equations.guards_forces else ()
        guards = [*(guard for guard, _ in self.equations.events.values()), *self.equations.masses.values()]
        return self.compiled("guards", lambda _: guards, beside)

    @property
    def rates(self) -> Function:
        """ṡ: the rates of the states, and zero for values held by controllers."""
        return self.compiled("rates", lambda eq: [eq.states.get(symbol, 0) for symbol in eq.followed])

    @property
    def controls(self) -> Function:
        """The values that controllers compute at an instant."""
        return self.compiled("controls", lambda eq: [value for law in eq.sampled for value in law.values.values()])

    @property
    def poses(self) -> Function:
        """The position of every body and its rotation matrix by rows."""
        return self.compiled("poses", lambda eq: [e for p, r in eq.poses.values() for e in (*p, *_flat(r))])

    def domain_failure(self, x: np.ndarray) -> str | None:
        """Name the operation of the equations of motion that has no value at x, or return None."""
        eq = self.equations
        named: list[tuple[str, Any]] = []
        for constraint, row, right in zip(eq.constraints, eq.A, eq.b, strict=True):
            named += [(tr("constraint {name}", name=constraint.name), e) for e in (*row, right)]
        for coordinate, row, right in zip(eq.coordinates, eq.D, eq.d, strict=True):
            named += [(tr("the equation of {name}", name=coordinate), e) for e in (*row, right)]
        for row in eq.R or ():
            named += [(tr("the reactions"), e) for e in row]
        return domain_failure(eq.inputs, named, x)

    def compiled(self, name: str, of: Callable[[Equations], Sequence[Any]], beside: tuple[Any, ...] = ()) -> Function:
        """A function of x and of the symbols in `beside`, compiled when its name is first requested."""
        eq = self.equations
        return self.once(("function", name), lambda: compiled((*eq.inputs, *beside), of(eq), self.level, self.backend))

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """A result derived from the record. It is made at the first request and kept for all values of parameters."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]


def _flat(matrix: Any) -> list[Any]:
    return [e for row in matrix for e in row]
