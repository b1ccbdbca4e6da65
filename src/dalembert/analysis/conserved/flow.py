"""Random states of a system that satisfy its constraints, with the accelerations of the motion through them.

    φ(q, t) = 0,  ψ(q, v, t) = 0      by Gauss–Newton steps of least norm, all states at once
    a = A⁺b + Z y,  Lᵀ D Z y = Lᵀ (d + Pᵀf − D A⁺b)      Z = ker A, L = ker Rᵀ
f are forces of any size along rows P, the friction of a sliding contact. Only the direction of the rows is used, so
that a result for all f holds for every law of friction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dalembert.analysis.conserved.varying import Varying
from dalembert.equations import Equations, Row
from dalembert.errors import MathematicsError
from dalembert.programs.functions import FEW_TIMES, Function, compiled
from dalembert.programs.system import CompiledSystem

Array = np.ndarray

SPREADS = (1.0, 0.5, 0.2, 0.05)  # ranges of coordinates about the start, tried until enough states are admissible
CLOSED = 1e-12
INDEPENDENT = 1e-9
WELL = 1e-5  # smallest relative singular value of matrices that are inverted


@dataclass(frozen=True, slots=True)
class Home:
    """The initial state t, q, v, z with the values of the parameters. Random states are drawn about it."""

    t: float
    q: Array
    v: Array
    z: Array
    p: Array
    reach: Array  # range of random coordinates to both sides: half a turn for angles
    later: float = 1.0  # range of random t after the start


@dataclass(frozen=True, slots=True)
class States:
    """Rows x = (t, q, v, z, p) with the rates ẋ of t, q, v, z and of the parameters w that vary."""

    x: Array
    rates: Array
    places: Array  # their indices among the states that were drawn

    def __len__(self) -> int:
        return len(self.x)

    def some(self, chosen: Array | slice) -> States:
        return States(self.x[chosen], self.rates[chosen], self.places[chosen])


@dataclass(frozen=True)
class Flow:
    """The equations of motion in one mode. Forces of unknown size act along the rows `pushes`."""

    equations: Equations
    pushes: tuple[Row, ...] = ()

    @cached_property
    def system(self) -> CompiledSystem:
        return CompiledSystem(self.equations, level=FEW_TIMES)

    @cached_property
    def varying(self) -> Varying:
        return Varying(self.equations)

    @cached_property
    def _pushes(self) -> Function:
        return compiled(self.equations.inputs, [e for row in self.pushes for e in row], backend="numpy")

    def push_rows(self, x: Array) -> Array:
        """P at every state: pushes × coordinates."""
        return self._pushes(x).reshape(len(x), len(self.pushes), self.system.n)

    def states(self, home: Home, count: int, chance: np.random.Generator) -> States:
        """`count` random states about the initial one."""
        for spread in SPREADS:
            found: list[States] = []
            missing = count
            for _ in range(4):
                values = np.broadcast_to(home.p, (missing, len(home.p)))
                found.append(self._solved(self._drawn(home, values, spread, chance), chance))
                missing -= len(found[-1])
                if missing <= 0:
                    return _joined(found)
        raise MathematicsError(
            "too few states were found near the initial one that satisfy the constraints and determine the motion"
        )

    def grouped(self, home: Home, values: Array, each: int, chance: np.random.Generator) -> tuple[States, Array]:
        """`each` states for every row of parameter values. Rows without enough states are left out."""
        for spread in SPREADS:
            good = self._solved(self._drawn(home, np.repeat(values, 2 * each, axis=0), spread, chance), chance)
            owner = good.places // (2 * each)
            kept = [np.flatnonzero(owner == i)[:each] for i in range(len(values))]
            whole = [i for i, places in enumerate(kept) if len(places) == each]
            if len(whole) * 2 >= len(values):
                return good.some(np.concatenate([kept[i] for i in whole])), values[whole]
        raise MathematicsError("no states were found for other values of the parameters")

    def _drawn(self, home: Home, values: Array, spread: float, chance: np.random.Generator) -> Array:
        count, n, k = len(values), len(home.q), len(home.z)
        x = np.zeros((count, 1 + 2 * n + k + len(home.p)))
        x[:, 0] = home.t + home.later * chance.uniform(0.0, 1.0, count)
        x[:, 1 : 1 + n] = home.q + spread * chance.uniform(-1.0, 1.0, (count, n)) * home.reach
        size = max(1.0, float(np.abs(home.v).max(initial=0.0)) / 3)
        x[:, 1 + n : 1 + 2 * n] = size * chance.normal(size=(count, n))
        x[:, 1 + 2 * n : 1 + 2 * n + k] = chance.normal(size=(count, k))
        x[:, 1 + 2 * n + k :] = values
        if len(self.varying):
            places = self.varying.places
            x[:, places] = self.varying.drawn(x[:, places], spread, chance)
        return self._closed(x, home)

    def _closed(self, x: Array, home: Home) -> Array:
        """Move states onto the constraints. Those that do not converge are marked by NaN."""
        system, n, m, mh = self.system, self.system.n, self.system.m, self.system.mh
        x = x.copy()
        start = x.copy()
        with np.errstate(all="ignore"):
            for _ in range(30 if mh else 0):
                out = system.position(x)
                residual, J = out[:, :mh], out[:, mh:].reshape(-1, mh, n)
                x[:, 1 : 1 + n] -= _least_norm(_inverse(J), residual)
                if not np.nanmax(np.abs(residual), initial=0.0) > CLOSED / 100:
                    break
            gone = np.abs(system.position(x)[:, :mh]).max(axis=1, initial=0.0) > CLOSED
            gone |= (np.abs(x - start)[:, 1 : 1 + n] > 6 * home.reach).any(axis=1)
            inverse = None
            for _ in range(0 if not m else 2 if self._linear else 30):
                out = system.velocity(x)
                if inverse is None or not self._linear:
                    inverse = _inverse(out[:, m:].reshape(-1, m, n))
                x[:, 1 + n : 1 + 2 * n] -= _least_norm(inverse, out[:, :m])
                if not np.nanmax(np.abs(out[:, :m]), initial=0.0) > CLOSED / 100:
                    break
            if m:
                out = system.velocity(x)
                size = np.abs(out[:, m:].reshape(-1, m, n)).sum(axis=2) + 1.0
                gone |= np.abs(out[:, :m] / size).max(axis=1, initial=0.0) > CLOSED * 10
        x[gone] = np.nan
        return x

    @cached_property
    def _linear(self) -> bool:
        return all(row.kind != "nonlinear" for row in self.equations.constraints)

    def _solved(self, x: Array, chance: np.random.Generator) -> States:
        """The states among x at which the equations determine the motion, with their rates."""
        system, n, k = self.system, self.system.n, self.system.k
        with np.errstate(all="ignore"):
            out = system.dynamics(x)
        places = np.flatnonzero(np.isfinite(x).all(axis=1) & np.isfinite(out).all(axis=1))
        x, out = x[places], out[places]
        if not len(x):
            return States(x, np.zeros((0, 1 + 2 * n + k + len(self.varying))), places)
        D, d, A, b, R = system.unpacked(out)
        right = d
        if self.pushes:
            P = self.push_rows(x)
            size = np.abs(d).max(axis=1, keepdims=True) + 1.0
            right = d + np.einsum("skn,sk->sn", P, size * chance.normal(size=P.shape[:2]))
        pinned, Z, good = _kernel(A, b)
        _, L, also = (pinned, Z, good) if self.equations.R is None else _kernel(np.swapaxes(R, 1, 2), None)
        good = good & also
        places, x, D, right, R, pinned, Z, L = (e[good] for e in (places, x, D, right, R, pinned, Z, L))
        LT = np.swapaxes(L, 1, 2)
        if L.shape[2] != Z.shape[2]:
            raise MathematicsError("the virtual displacements and the constraints leave different numbers of freedoms")
        T = LT @ D @ Z
        scale = np.abs(T).max(axis=(1, 2), keepdims=True, initial=1e-300)
        well = np.linalg.svd(T / scale, compute_uv=False).min(axis=1, initial=1.0) > WELL**2
        places, x, D, right, R, pinned, Z, LT, T = (e[well] for e in (places, x, D, right, R, pinned, Z, LT, T))
        rest = right - np.einsum("sij,sj->si", D, pinned)
        y = np.linalg.solve(T, (LT @ rest[:, :, None])) if Z.shape[2] else np.zeros((len(x), 0, 1))
        a = pinned + (Z @ y)[:, :, 0]
        rates = np.zeros((len(x), 1 + 2 * n + k + len(self.varying)))
        rates[:, 0] = 1.0
        rates[:, 1 : 1 + n], rates[:, 1 + n : 1 + 2 * n] = x[:, 1 + n : 1 + 2 * n], a
        if k:
            nu = np.linalg.pinv(R) @ (np.einsum("sij,sj->si", D, a) - right)[:, :, None]
            rates[:, 1 + 2 * n : 1 + 2 * n + k] = nu[:, :k, 0]
        if len(self.varying):
            rates[:, 1 + 2 * n + k :] = self.varying.rates(x, chance)
        return States(x, rates, places)


def _joined(found: list[States]) -> States:
    x, rates, places = zip(*((s.x, s.rates, s.places) for s in found), strict=True)
    return States(np.vstack(x), np.vstack(rates), np.concatenate(places))


def _inverse(J: Array) -> tuple[Array, Array]:
    """The pseudo-inverse of J with scaled rows for every state, and the scales. States with NaN keep NaN."""
    bad = ~np.isfinite(J).all(axis=(1, 2))
    J = np.where(bad[:, None, None], 0.0, J)
    scale = np.abs(J).max(axis=2, initial=0.0)
    scale[scale == 0] = 1.0
    inverse = np.linalg.pinv(J / scale[:, :, None], rcond=INDEPENDENT)
    inverse[bad] = np.nan
    return inverse, scale


def _least_norm(inverse: tuple[Array, Array], residual: Array) -> Array:
    """J⁺ r for every state."""
    return (inverse[0] @ (residual / inverse[1])[:, :, None])[:, :, 0]


def _kernel(A: Array, b: Array | None) -> tuple[Array, Array, Array]:
    """A⁺b, an orthonormal basis of ker A, and the states at which A clearly has its generic rank."""
    count, m, n = A.shape
    if not m:
        return np.zeros((count, n)), np.broadcast_to(np.eye(n), (count, n, n)), np.ones(count, bool)
    scale = np.abs(A).max(axis=2, initial=0.0)
    scale[scale == 0] = 1.0
    U, s, Vt = np.linalg.svd(A / scale[:, :, None])
    ranks = (s > INDEPENDENT).sum(axis=1)
    rank = int(ranks.max(initial=0))
    good = (ranks == rank) & (s[:, rank - 1] > WELL if rank else True)
    Z = np.swapaxes(Vt[:, rank:], 1, 2)
    if b is None:
        return np.zeros((count, n)), Z, good
    goal = np.swapaxes(U, 1, 2)[:, :rank] @ (b / scale)[:, :, None]
    with np.errstate(all="ignore"):
        part = goal[:, :, 0] / s[:, :rank]
    return np.einsum("srn,sr->sn", Vt[:, :rank], part), Z, good
