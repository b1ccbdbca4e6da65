"""Exact derivatives of the equations at a state: differentiated in symbols, solved numerically.

    r(x; a, ν) = (D a − d − R ν, A a − b) = 0      gives      K (δa, δν) = −(∂r/∂x) δx,   K = [D −R; A 0]
So a and ν are differentiated by X = (q, v, e) without being solved for in symbols. e are the extra states: multipliers
that are integrated (z), then first-order states (s). Derivatives by inputs, which are parameters of the system, are
found in the same way.
Dependent rows of A and columns of R are left out of K. They are chosen again at every state: rows that are independent
here need not be so elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.explicit import Explicit, ExplicitDerivatives
from dalembert.analysis.derivatives.symbolic import jacobian, symbols
from dalembert.errors import MathematicsError
from dalembert.motions.accelerations import accelerations
from dalembert.motions.routes import independent, solved
from dalembert.programs.functions import Function, compiled
from dalembert.programs.system import CompiledSystem

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Place:
    """A state: t, q, v, and the extra states z, followed by first-order states."""

    t: float
    q: Array
    v: Array
    z: Array


@dataclass(frozen=True, slots=True)
class Kept:
    """Rows of A, columns of R and rows of φ that are independent at a state."""

    rows: list[int]
    columns: list[int]
    holonomic: list[int]

    @property
    def ranks(self) -> tuple[int, int, int]:
        return len(self.rows), len(self.columns), len(self.holonomic)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Accelerations and multipliers at one state, and derivatives at fixed ones."""

    kept: Kept
    D: Array
    A: Array
    R: Array
    a: Array
    nu: Array
    explicit: Explicit


@dataclass(frozen=True, slots=True)
class Local:
    """Values and derivatives at one state; a last axis X runs over (q, v, e), u over the inputs.

    A `size` is the sum of the absolute terms of an entry. An entry that is tiny relative to it is a rounding error.
    """

    kept: Kept
    a: Array
    nu: Array
    D: Array
    R: Array
    phi_q: Array
    psi_q: Array
    A: Array
    phi_e: Array
    psi_e: Array
    a_X: Array
    nu_X: Array  # zero for columns of R that were left out
    a_u: Array
    nu_u: Array
    extra: Array  # ė, ∂ė/∂X, ∂ė/∂u
    extra_X: Array
    extra_size: Array
    extra_u: Array
    speed: Array  # for every candidate speed: its value w(q, v, t), ∂w/∂v, ∂w/∂q, ẇ, ∂ẇ/∂X
    speed_v: Array
    speed_q: Array
    rate: Array
    rate_X: Array
    rate_size: Array
    rate_u: Array
    speed_e: Array


@dataclass(frozen=True)
class Gradients:
    """Derivatives of a system. `speeds` are candidates for independent speeds: quasi-velocities first, then v.

    `inputs` are symbols of parameters. `few`: only one state is asked for, and perhaps some that are compared with it.
    """

    system: CompiledSystem
    quasi: Mapping[str, Any]
    inputs: tuple[Any, ...] = ()
    few: bool = False

    def valued(self, values: Iterable[float]) -> Gradients:
        """The same derivatives at other values of the parameters."""
        _ = self._explicit, self.speed_values, self.occurring  # computed once, for both
        other = copy(self)
        object.__setattr__(other, "system", self.system.valued(values))
        return other

    @cached_property
    def speeds(self) -> dict[str, Any]:
        eq = self.system.equations
        return {**self.quasi, **{f"{name}'": v for name, v in zip(eq.coordinates, eq.v, strict=True)}}

    @property
    def extra(self) -> int:
        """The number of extra states: multipliers that are integrated, and first-order states."""
        return self.system.k + len(self.system.equations.states)

    @property
    def size(self) -> int:
        """The size of X."""
        return 2 * self.system.n + self.extra

    @cached_property
    def X(self) -> tuple[Any, ...]:
        eq = self.system.equations
        return (*eq.q, *eq.v, *eq.z, *eq.states)

    @cached_property
    def occurring(self) -> frozenset[Any]:
        """Every symbol on which the motion depends."""
        eq = self.system.equations
        rows = (*eq.D, eq.d, *eq.A, eq.b, *(eq.R or ()), eq.psi, eq.phi, tuple(eq.states.values()))
        return self.system.once("occurring", lambda: frozenset(symbols(*(e for row in rows for e in row))))

    def kept(self, place: Place) -> Kept:
        """The independent rows and columns at a state."""
        _, _, A, _, R = self.system.unpacked(self.system.dynamics(self._x(place)))
        return self._kept(place, A, R)

    def _kept(self, place: Place, A: Array, R: Array) -> Kept:
        k = self.system.k
        columns = independent(R.T)
        if k and len(columns) - len(independent(R.T[k:])) < k:
            raise MathematicsError(
                "the rates of the multipliers are not determined: the constraints are redundant; leave some out"
            )
        return Kept(independent(A), columns, independent(self._phi_q(place)))

    def rates(self, place: Place) -> tuple[Array, Array]:
        """The rates of the speeds and of the extra states at a state, refused where there are no derivatives."""
        found = self._evaluated(place)
        return found.explicit.rate, np.concatenate([found.nu[: self.system.k], found.explicit.extra])

    def _evaluated(self, place: Place) -> Evaluated:
        """Accelerations, multipliers, and the explicit derivatives at a state."""
        system = self.system
        x = self._x(place)
        F = system.dynamics(x)
        D, _, A, _, R = system.unpacked(F)
        kept = self._kept(place, A, R)
        (a,), (nu,) = accelerations(system, x[None], F[None])
        explicit = self._explicit.at(x, a, nu, self.few)
        if explicit is None:
            raise MathematicsError(
                "at t = {t:.9g} the equations of motion have no derivative in this state; take another", t=place.t
            )
        return Evaluated(kept, D, A, R, a, nu, explicit)

    def at(self, place: Place) -> Local:
        """Accelerations, multipliers, and all derivatives at a state."""
        found, n, k, width = self._evaluated(place), self.system.n, self.system.k, self.size
        kept, D, A, R, a, nu, explicit = found.kept, found.D, found.A, found.R, found.a, found.nu, found.explicit
        speed_v, s_X = explicit.speed_v, explicit.extra_X
        K = np.block([[D, -R[:, kept.columns]], [A[kept.rows], np.zeros((len(kept.rows), len(kept.columns)))]])
        right = explicit.r_X[[*range(n), *(n + i for i in kept.rows)]]
        change, size = _implicit(K, -right), np.abs(np.linalg.pinv(K)) @ np.abs(right)
        place_of = [n + kept.columns.index(i) for i in range(k)]
        nu_X = np.zeros((len(nu), right.shape[1]))
        nu_X[kept.columns] = change[n:]
        extra_X, extra_size = np.vstack([change[place_of], s_X]), np.vstack([size[place_of], np.abs(s_X)])
        rate_X = explicit.rate_X + speed_v @ change[:n]
        rate_size = np.abs(explicit.rate_X) + np.abs(speed_v) @ size[:n]
        return Local(
            kept=kept,
            a=a,
            nu=nu,
            D=D,
            R=R,
            phi_q=self._phi_q(place),
            psi_q=explicit.psi_q,
            A=A,
            phi_e=explicit.phi_e,
            psi_e=explicit.psi_e,
            a_X=change[:n, :width],
            nu_X=nu_X[:, :width],
            a_u=change[:n, width:],
            nu_u=nu_X[:, width:],
            extra=np.concatenate([nu[:k], explicit.extra]),
            extra_X=extra_X[:, :width],
            extra_size=extra_size[:, :width],
            extra_u=extra_X[:, width:],
            speed=explicit.speed,
            speed_v=speed_v,
            speed_q=explicit.speed_q,
            rate=explicit.rate,
            rate_X=rate_X[:, :width],
            rate_size=rate_size[:, :width],
            rate_u=rate_X[:, width:],
            speed_e=explicit.speed_e,
        )

    def _x(self, place: Place) -> Array:
        return self.system.state(place.t, place.q, place.v, place.z)

    def _phi_q(self, place: Place) -> Array:
        mh = self.system.mh
        return (
            self.system.position(self._x(place))[mh:].reshape(mh, self.system.n) if mh else np.zeros((0, len(place.q)))
        )

    @cached_property
    def _explicit(self) -> ExplicitDerivatives:
        return ExplicitDerivatives(self.system, self.speeds, self.X, self.inputs)

    @cached_property
    def speed_values(self) -> Function:
        """w and ∂w/∂v."""
        w, eq = list(self.speeds.values()), self.system.equations
        return compiled(eq.inputs, [*w, *(e for row in jacobian(w, eq.v) for e in row)], backend="numpy")


def _implicit(K: Array, right: Array) -> Array:
    """Solve K y = right, also with more consistent rows than unknowns (general virtual displacements)."""
    if K.shape[0] == K.shape[1]:
        try:
            return solved(K, right)
        except np.linalg.LinAlgError:
            raise MathematicsError(
                "the constraints depend on each other in this state, and the accelerations have no derivative there"
            ) from None
    return np.linalg.lstsq(K, right, rcond=1e-12)[0]
