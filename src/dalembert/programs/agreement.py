"""Compares the accelerations of a program with those of the record, at states near a start."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from dalembert.equations import Equations
from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import program
from dalembert.programs.products import Reduced
from dalembert.programs.program import Program
from dalembert.programs.solve import unpacked

WIDTHS = (0.0, 0.02, 0.1, 0.3)
AGREED = 1e-9  # relative error of accelerations against the record's
AGREED_RATES = 1e-6  # relative error of difference quotients
STEP = 1e-6
MET = 1e-13  # residual of a constraint that is met, relative to the state


@dataclass(frozen=True)
class ReferenceStates:
    """States whose speeds meet the constraints, with their A and accelerations. The first state is the start."""

    states: np.ndarray
    A: np.ndarray
    a: np.ndarray

    def agrees(self, code: Program) -> bool:
        """Whether `fine` holds at the start, and the accelerations are the record's at every state where it holds."""
        out = values_of(code, self.states)
        return _same(out[:, :-1], self.a, out[:, -1], AGREED)

    def agrees_reduced(self, form: Reduced) -> bool:
        """The same test for speeds and their rates. The rates are differences of v(q, u, t) along the slopes."""
        n, size = self.a.shape[1], len(form.start.outputs)
        u = values_of(form.start, self.states)
        at = np.hstack([self.states[:, : 1 + n], u, self.states[:, 1 + 2 * n :]])
        out = values_of(form.slopes, at)
        step = np.zeros_like(at)
        step[:, 0] = STEP
        step[:, 1 : 1 + n + size] = STEP * out[:, : n + size]
        rates = (values_of(form.end, at + step) - values_of(form.end, at - step)) / (2 * STEP)
        speeds = self.states[:, 1 + n : 1 + 2 * n]
        fine = out[:, -1]
        return _same(out[:, :n], speeds, fine, AGREED) and _same(rates, self.a, fine, AGREED_RATES)


def reference(eq: Equations, record: Program, x: np.ndarray) -> ReferenceStates:
    """Make the reference with `record`, the program of D (its upper triangle), d, A and b."""
    n = len(eq.q)
    chance = random.Random(4)
    states = np.array([x] * len(WIDTHS))
    for state, width in zip(states, WIDTHS, strict=True):
        state[1 : 1 + 2 * n] += [width * chance.uniform(-1.0, 1.0) for _ in range(2 * n)]
    if eq.b:
        rates = program(eq.inputs, [*eq.psi, *(e for row in eq.A for e in row)])
        for _ in range(4):  # Newton: one step is enough for constraints that are linear in the speeds
            found = values_of(rates, states)
            residuals = found[:, : len(eq.b)]
            if not (np.abs(residuals) > MET * (1.0 + np.abs(states).max())).any():
                break
            for state, rest, A in zip(states, residuals, found[:, len(eq.b) :], strict=True):
                if np.isfinite(A).all() and np.isfinite(rest).all():
                    state[1 + n : 1 + 2 * n] -= np.linalg.lstsq(A.reshape(-1, n), rest, rcond=1e-10)[0]
    out = values_of(record, states)
    good = np.isfinite(out).all(axis=1)
    D, d, A, b, _ = unpacked(eq, out[good])
    a = [_accelerations(*one) for one in zip(D, d, A, b, strict=True)]
    return ReferenceStates(states[good], A, np.array(a).reshape(-1, n))


def _accelerations(D: np.ndarray, d: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solve K (a, ν) = (d, b) with scaled rows and columns, by least squares if rows are redundant."""
    n, m = len(d), len(b)
    s = 1.0 / np.sqrt(np.where(np.diag(D) > 0.0, np.diag(D), 1.0))
    r = 1.0 / np.maximum(np.abs(A * s).max(axis=1, initial=0.0), 1e-300)
    rows = r[:, None] * A * s
    K = np.block([[D * np.outer(s, s), -rows.T], [rows, np.zeros((m, m))]])
    right = np.concatenate([s * d, r * b])
    found = np.linalg.lstsq(K, right, rcond=1e-11)[0]
    found += np.linalg.lstsq(K, right - K @ found, rcond=1e-11)[0]
    return s * found[:n]


def _same(found: np.ndarray, right: np.ndarray, fine: np.ndarray, agreed: float) -> bool:
    size = 1.0 + np.abs(right).max(axis=1, initial=0.0)
    close = np.abs(found - right).max(axis=1, initial=0.0) <= agreed * size
    return bool(len(fine) and fine[0] == 1.0 and (close | (fine != 1.0)).all())
