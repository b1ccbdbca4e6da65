"""Ranks, null vectors and conditions of the whole system, on matrices with known ones."""

import numpy as np
import pytest
import symengine as se

from dalembert.constraint_models.elimination import compatibility
from dalembert.constraint_models.saddle import saddle
from dalembert.equations import ConstraintRow, Equations
from dalembert.programs.system import CompiledSystem

ZERO = se.Integer(0)


def equations(D, d, R, A, b):
    """A record with constant rows."""

    def exact(matrix):
        return tuple(tuple(se.RealDouble(float(e)) for e in row) for row in matrix)

    n, m = len(D), len(A)
    names = tuple(f"q{i}" for i in range(n))
    return Equations(
        "test", names, se.Symbol("t"), tuple(map(se.Symbol, names)), tuple(se.Symbol(f"{name}'") for name in names),
        exact(D), exact([d])[0], exact(A), exact([b])[0] if m else (),
        tuple(ConstraintRow(f"c{i}", "linear", ZERO) for i in range(m)), (), (), (ZERO,) * m, R=exact(R),
    )  # fmt: skip


def random_case(seed, n, r, s, rank):
    """D positive, A of r rows, R of s columns such that A D⁻¹R has the given rank."""
    chance = np.random.default_rng(seed)
    L = chance.normal(size=(n, n))
    D = L @ L.T + np.eye(n)
    A = chance.normal(size=(r, n))
    S = chance.normal(size=(r, rank)) @ chance.normal(size=(rank, s))
    R = D @ np.linalg.pinv(A) @ S + D @ (np.eye(n) - np.linalg.pinv(A) @ A) @ chance.normal(size=(n, s))
    return D, chance.normal(size=n), R, A, chance.normal(size=r)


CASES = [(5, 2, 2, 2), (5, 2, 2, 1), (5, 3, 1, 1), (5, 1, 3, 1), (6, 3, 3, 0)]


@pytest.mark.parametrize(("n", "r", "s", "rank"), CASES)
def test_ranks_and_null_vectors(n, r, s, rank):
    D, d, R, A, b = random_case(n + r + s, n, r, s, rank)
    system = CompiledSystem(equations(D, d, R, A, b))
    found = saddle(system, system.state(0.0, np.zeros(n), np.zeros(n)))
    assert found.rank == n + rank
    assert found.regular == (r == s == rank)
    assert len(found.left_null) == r - rank
    np.testing.assert_allclose(found.left_null @ found.K, 0, atol=1e-9)
    assert len(found.free_accelerations) == s - rank
    np.testing.assert_allclose(A @ found.free_accelerations.T, 0, atol=1e-8)
    rho = b - A @ np.linalg.solve(D, d)
    S = A @ np.linalg.solve(D, R)
    contradicts = np.linalg.matrix_rank(np.column_stack([S, rho]), tol=1e-8) > rank
    assert (np.abs(found.contradictions).max(initial=0.0) > 1e-9) == contradicts


def test_conditions_in_symbols():
    """D = diag(m), G·h = 0: what is left of G a = b is a multiple of b − G D⁻¹ d."""
    m, x, y, X, Y, b = symbols = se.symbols("m x' y' X Y b")
    K = [[m, ZERO, y], [ZERO, m, -x], [x, y, ZERO]]
    chance = np.random.default_rng(1)
    states = [dict(zip(symbols, chance.uniform(0.5, 2, 6), strict=True)) for _ in range(4)]
    at = np.array([[[float(e.subs(state)) for e in row] for row in K] for state in states])
    right_at = np.array([[float(e.subs(state)) for e in (X, Y, b)] for state in states])
    (chi,) = compatibility(K, (X, Y, b), at, right_at)
    expected = b - (x * X + y * Y) / m
    zero = {b: (x * X + y * Y) / m}
    for state in states:
        assert float(chi.subs(zero).subs(state)) == pytest.approx(0, abs=1e-12)
        assert abs(float(chi.subs(state))) > 0.01 * abs(float(expected.subs(state)))


def test_a_rank_that_changes_is_not_eliminated():
    a = se.Symbol("a")
    assert compatibility([[a]], [se.Symbol("b")], np.array([[[0.0]], [[1.0]]]), np.ones((2, 1))) is None
