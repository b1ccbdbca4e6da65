"""Convex problems over second-order cones, by a primal-dual interior-point method. NumPy alone, nothing of the package.

    minimize ½ xᵀP x + qᵀx   subject to   h − G x ∈ K,      K = K₁ × K₂ × …,  K_i = {(s₀, s₁): |s₁| ≤ s₀}

A cone of one entry is s₀ ≥ 0. The multipliers z ∈ K answer to P x + q + Gᵀz = 0 and zᵀ(h − G x) = 0. Scaling by
Nesterov and Todd, steps by Mehrotra. The method converges in polynomial time where both sides have an interior.

`margin` asks whether {x: h − G x ∈ K} is empty: min τ with h − G x + τ e ∈ K. A positive minimum is a proof, and
its multipliers are the certificate: z ∈ K, Gᵀz = 0 and hᵀz < 0 exclude every x.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

DIGITS = 1e-12  # of residuals and of the gap, relative to the numbers of the problem
ROUNDS = 80
FAR = 1e6  # `margin` looks no further than this: forces of a million times the problem's own


@dataclass(frozen=True)
class Optimum:
    x: np.ndarray
    z: np.ndarray
    value: float
    error: float  # the largest of the residuals and the gap


@dataclass(frozen=True)
class Margin:
    x: np.ndarray
    tau: float  # ≤ 0: there is a point; its cones have −τ to spare
    certificate: np.ndarray  # z, normed to eᵀz = 1; its proof is −hᵀz = τ > 0


class Cones:
    """K, and its Jordan product a∘b = (aᵀb, a₀b₁ + b₀a₁) with the unit e. Cones of one entry are handled together."""

    def __init__(self, dims: tuple[int, ...]):
        ends = np.cumsum(dims, dtype=int)
        self.count, self.size = len(dims), int(sum(dims))
        self.firsts = ends - np.asarray(dims, dtype=int)
        self.single = np.array([end - 1 for end, dim in zip(ends, dims, strict=True) if dim == 1], dtype=int)
        self.blocks = [slice(int(end - dim), int(end)) for end, dim in zip(ends, dims, strict=True) if dim > 1]
        self.e = np.zeros(self.size)
        self.e[self.firsts] = 1.0

    def lack(self, s: np.ndarray) -> float:
        """The distance of s outside of the cones; negative inside."""
        worst = float((-s[self.single]).max(initial=-np.inf))
        return max([worst, *(float(np.sqrt(s[b][1:] @ s[b][1:]) - s[b][0]) for b in self.blocks)])

    def inside(self, s: np.ndarray) -> np.ndarray:
        lack = self.lack(s)
        return s if lack < -1e-8 else s + (1.0 + lack) * self.e

    def product(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        out = a * b
        for k in self.blocks:
            x, y = a[k], b[k]
            out[k] = x[0] * y + y[0] * x
            out[k.start] = x @ y
        return out

    def quotient(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """u with a ∘ u = b."""
        out = np.empty_like(b)
        out[self.single] = b[self.single] / a[self.single]
        for k in self.blocks:
            x, y = a[k], b[k]
            first = (x[0] * y[0] - x[1:] @ y[1:]) / _norm(x) ** 2
            out[k.start] = first
            out[k.start + 1 : k.stop] = (y[1:] - first * x[1:]) / x[0]
        return out

    def reach(self, s: np.ndarray, ds: np.ndarray) -> float:
        """The largest length with s + length·ds in the cones."""
        most = float((-ds[self.single] / s[self.single]).max(initial=0.0))
        for b in self.blocks:
            norm = _norm(s[b])
            x, d = s[b] / norm, ds[b] / norm
            along = x[0] * d[0] - x[1:] @ d[1:]
            across = d[1:] - (along + d[0]) / (x[0] + 1.0) * x[1:]
            most = max(most, float(np.sqrt(across @ across)) - along)
        return np.inf if most <= 0.0 else 1.0 / most

    def interior(self, s: np.ndarray) -> bool:
        """Whether s is inside by more than rounding."""
        return bool(np.all(s[self.single] > 0.0)) and all(_norm(s[b]) > 0.0 and s[b][0] > 0.0 for b in self.blocks)

    def scaling(self, s: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """W with W z = W⁻¹ s (Nesterov and Todd), and its inverse."""
        W, inverse = np.zeros((self.size, self.size)), np.zeros((self.size, self.size))
        root = np.sqrt(s[self.single] / z[self.single])
        W[self.single, self.single], inverse[self.single, self.single] = root, 1.0 / root
        for b in self.blocks:
            J = -np.eye(b.stop - b.start)
            J[0, 0] = 1.0
            sb, zb = _norm(s[b]), _norm(z[b])
            x, y = s[b] / sb, z[b] / zb
            w = (x + J @ y) / np.sqrt(2.0 * (1.0 + x @ y))
            v = w.copy()
            v[0] += 1.0
            v /= np.sqrt(2.0 * (w[0] + 1.0))
            beta, Jv = np.sqrt(sb / zb), J @ v
            W[b, b], inverse[b, b] = beta * (2.0 * np.outer(v, v) - J), (2.0 * np.outer(Jv, Jv) - J) / beta
        return W, inverse


def minimum(
    P: np.ndarray,
    q: np.ndarray,
    G: np.ndarray,
    h: np.ndarray,
    dims: tuple[int, ...],
    enough: Callable[[np.ndarray, np.ndarray], bool] | None = None,
) -> Optimum:
    """The optimum. A problem without interior ends with an error for the caller. `enough` may end it earlier."""
    K, n = Cones(dims), len(q)
    start = np.linalg.lstsq(np.block([[P, G.T], [G, -np.eye(len(h))]]), np.concatenate([-q, h]), rcond=None)[0]
    x, s, z = start[:n], K.inside(-start[n:]), K.inside(start[n:])
    size_x, size_z = 1.0 + np.abs(q).max(initial=0.0), 1.0 + np.abs(h).max(initial=0.0)
    best = None
    for _ in range(ROUNDS):
        rx, rz = P @ x + q + G.T @ z, s + G @ x - h
        gap = float(s @ z)
        value = float(0.5 * x @ P @ x + q @ x)
        error = max(np.abs(rx).max(initial=0.0) / size_x, np.abs(rz).max(initial=0.0) / size_z, gap / (1 + abs(value)))
        if best is None or error < best.error:
            best = Optimum(x, z, value, error)
        if error < DIGITS:
            break
        if enough is not None and enough(x, z):
            return Optimum(x, z, value, error)
        if not (K.interior(s) and K.interior(z)):
            break
        W, inverse = K.scaling(s, z)
        lam = W @ z
        if not K.interior(lam):
            break
        V = inverse @ G
        M = P + V.T @ V

        def step(target: np.ndarray, lam=lam, W=W, inverse=inverse, M=M, V=V, rx=rx, rz=rz) -> tuple[np.ndarray, ...]:
            """dx, ds, dz with λ∘(W dz + W⁻¹ ds) = target."""
            u = K.quotient(lam, target)
            right = inverse @ (-rz) - u
            dx = _solve(M, -rx + V.T @ right)
            scaled_dz = V @ dx - right
            return dx, W @ (u - scaled_dz), inverse @ scaled_dz

        square = K.product(lam, lam)
        dx, ds, dz = step(-square)
        length = min(1.0, K.reach(s, ds), K.reach(z, dz))
        centre = (1.0 - length) ** 3 * gap / K.count
        dx, ds, dz = step(centre * K.e - square - K.product(inverse @ ds, W @ dz))
        length = min(1.0, 0.99 * K.reach(s, ds), 0.99 * K.reach(z, dz))
        if not np.all(np.isfinite(dx)) or length < 1e-10:
            break
        x, s, z = x + length * dx, s + length * ds, z + length * dz
    assert best is not None
    return best


def margin(G: np.ndarray, h: np.ndarray, dims: tuple[int, ...], sign: float = 0.0) -> Margin:
    """The point deepest inside the cones, or the proof that there is none.

    With a positive `sign` the search ends as soon as it is known whether τ is below −sign or above sign.
    """
    K, n = Cones(dims), G.shape[1]
    scale = 1.0 + np.abs(h).max(initial=0.0)
    bounds = np.zeros((2 + n, n + 1))
    bounds[0, -1] = -1.0  # τ ≥ −scale, and |x| ≤ FAR: a bounded problem with an interior on both sides
    bounds[2:, :n] = -np.eye(n)
    right = np.zeros(2 + n)
    right[0], right[1] = scale, FAR * scale
    everything = np.vstack([np.hstack([G, -K.e[:, None]]), bounds])
    q = np.zeros(n + 1)
    q[-1] = 1.0

    def known(x: np.ndarray, z: np.ndarray) -> bool:
        return K.lack(h - G @ x[:n]) < -sign or proof(z[: len(h)]) > sign * float(K.e @ z[: len(h)])

    def proof(z: np.ndarray) -> float:
        return -float(h @ z) - FAR * scale * float(np.linalg.norm(G.T @ z))

    dims = (*dims, 1, n + 1)
    zero = np.zeros((n + 1, n + 1))
    found = minimum(zero, q, everything, np.concatenate([h, right]), dims, known if sign else None)
    z = found.z[: len(h)] / max(float(K.e @ found.z[: len(h)]), 1e-300)
    return Margin(found.x[:n], max(K.lack(h - G @ found.x[:n]), proof(z) if sign else -np.inf), z)


def certified(G: np.ndarray, h: np.ndarray, dims: tuple[int, ...], z: np.ndarray) -> bool:
    """Whether z proves that no x with |x| ≤ FAR has h − G x ∈ K: then zᵀ(h − G x) ≥ 0, but it is negative."""
    scale = 1.0 + np.abs(h).max(initial=0.0)
    inside = Cones(dims).lack(z) <= 1e-12
    return inside and float(h @ z) + FAR * scale * float(np.linalg.norm(G.T @ z)) < 0.0


def _norm(s: np.ndarray) -> float:
    """√(s₀² − |s₁|²), 0 outside."""
    rest = float(np.sqrt(s[1:] @ s[1:]))
    square = (s[0] - rest) * (s[0] + rest)
    return float(np.sqrt(square)) if square > 0.0 else 0.0


def _solve(M: np.ndarray, b: np.ndarray) -> np.ndarray:
    scale = 1.0 / np.sqrt(np.maximum(np.diag(M), 1e-300))
    S = M * scale[:, None] * scale[None, :]
    try:
        x = np.linalg.solve(S, scale * b)
        x = x + np.linalg.solve(S, scale * b - S @ x)
    except np.linalg.LinAlgError:
        x = np.linalg.lstsq(S, scale * b, rcond=1e-16)[0]
    return scale * x
