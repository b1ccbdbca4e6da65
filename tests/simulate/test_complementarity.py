"""The complementarity solver against enumeration of all cases, and friction problems with known answers."""

import itertools

import numpy as np
import pytest

from dalembert.simulate import complementarity as cp


def problem(W, w0, contacts, **friction):
    size = len(w0)
    dims = np.array(friction.get("dim", []), dtype=np.int64)
    count = len(dims)
    starts = contacts + np.concatenate([[0], np.cumsum(dims)[:-1]]) if count else np.zeros(0)

    def real(name, default):
        return np.array(friction.get(name, [default] * count), dtype=float)

    def whole(name, default):
        return np.array(friction.get(name, [default] * count), dtype=np.int64)

    return cp.Problem(
        size, contacts, count, np.array(W, dtype=float), np.array(w0, dtype=float), starts.astype(np.int64), dims,
        whole("owner", 0), whole("rough", 0), whole("may_stick", 1), whole("forced", 0),
        np.array(friction.get("given", np.zeros((count, 2))), dtype=float), whole("two_sided", 0), real("kinetic", 0.5),
        real("static", 0.5), real("normal", 0.0), np.array(friction.get("lever", np.zeros((count, size))), dtype=float),
        whole("held", 0), np.array(friction.get("held_rest", np.zeros((count, 2)))),
        np.array(friction.get("held_lever", np.zeros((count, 2, size)))), 1.0, 1.0,
    )  # fmt: skip


def solved(p):
    best = cp.room_for(p.size, p.contacts, p.frictions)
    room = cp.room_for(p.size, p.contacts, p.frictions)
    return cp.solve(p, best, room), best


def enumerated(W, q):
    """Every complementary set of a frictionless problem, by brute force."""
    n = len(q)
    for chosen in itertools.product([False, True], repeat=n):
        on = np.flatnonzero(chosen)
        z = np.zeros(n)
        if len(on):
            z[on] = np.linalg.solve(W[np.ix_(on, on)], -q[on])
        w = W @ z + q
        if z.min() >= -1e-12 and w.min() >= -1e-12:
            return z
    return None


@pytest.mark.parametrize("seed", range(60))
def test_lemke_agrees_with_enumeration(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    B = rng.normal(size=(n, n + 1))
    W, q = B @ B.T, rng.normal(size=n)
    z, tableau, basis = np.zeros(n), np.zeros((n, 2 * n + 2)), np.zeros(n, dtype=np.int64)
    assert cp.lemke(W, q, n, z, tableau, basis)
    assert np.allclose(z, enumerated(W, q), atol=1e-10)


@pytest.mark.parametrize("seed", range(30))
def test_all_cases_agree_with_lemke(seed):
    rng = np.random.default_rng(100 + seed)
    n = int(rng.integers(1, 6))
    B = rng.normal(size=(n, n + 2))
    W, q = B @ B.T, rng.normal(size=n)
    status, best = solved(problem(W, q, n))
    assert status == cp.SOLVED
    assert np.allclose(best.f[:n], enumerated(W, q), atol=1e-10)


def block(pull, mu, dim=1):
    """A unit mass on a floor with weight 10 under a horizontal force: does it slide?"""
    size = 1 + dim
    w0 = np.concatenate([[-10.0], np.atleast_1d(pull)])
    lever = np.zeros((1, size))
    lever[0, 0] = 1.0
    return problem(np.eye(size), w0, 1, dim=[dim], kinetic=[mu], static=[mu], lever=lever)


def test_block_sticks_inside_its_cone():
    status, best = solved(block(3.0, 0.4))
    assert (status, best.friction[0]) == (cp.SOLVED, cp.STICK)
    assert best.f == pytest.approx([10.0, -3.0])


def test_block_slips_outside_its_cone():
    status, best = solved(block(-7.0, 0.4))
    assert (status, best.friction[0], best.direction[0, 0]) == (cp.SOLVED, cp.SLIP, -1.0)
    assert best.w[1] == pytest.approx(-3.0)


def test_planar_slip_points_along_the_pull():
    status, best = solved(block([3.0, 4.0], 0.4, dim=2))
    assert (status, best.friction[0]) == (cp.SOLVED, cp.SLIP)
    assert best.f[1:] == pytest.approx([-4 * 0.6, -4 * 0.8])


def test_static_friction_is_what_holds():
    p = block(5.0, 0.4)._replace(static=np.array([0.6]))
    assert solved(p)[1].friction[0] == cp.STICK
    assert solved(p._replace(may_stick=np.zeros(1, dtype=np.int64)))[1].friction[0] == cp.SLIP


def test_held_reactions_take_their_share_of_the_cone():
    """ZhangMei (4.18): S = sqrt(f² N² − R_y²)."""
    p = problem(
        [[1.0]], [0.5], 0, dim=[1], owner=[-1], normal=[1.0], kinetic=[0.3], static=[0.3], held=[1],
        held_rest=np.array([[0.2, 0.0]]),
    )  # fmt: skip
    status, best = solved(p)
    assert status == cp.SOLVED
    assert best.f[0] == pytest.approx(-np.sqrt(0.09 - 0.04))


def test_painleve_cases_are_seen():
    """One sliding contact with w = p λ + b: p < 0 has two solutions for b > 0 and none for b < 0."""
    assert solved(problem([[-0.5]], [1.0], 1))[0] == cp.SEVERAL
    assert solved(problem([[-0.5]], [-1.0], 1))[0] == cp.NO_SOLUTION
