"""The complementarity solver against enumeration of all cases, and friction problems with known answers."""

import itertools

import numpy as np
import pytest

from dalembert.simulate import cases, lemke
from dalembert.simulate import complementarity as cp
from dalembert.simulate import table as tb


def problem(W, w0, contacts, **friction):
    """A table with the problem in it; what a friction leaves out has a harmless value."""
    dims = friction.get("dim", [])
    groups, size = len(dims), len(w0)
    tab = tb.table_for(size, contacts, groups)
    tab.squares[tb.RESPONSE] = W
    tab.reals[tb.W0, :size] = w0
    tab.reals[tb.SCALES, :2] = 1.0
    tab.wholes[tb.COUNTS, :3] = size, contacts, groups
    start = contacts
    for j, dim in enumerate(dims):
        tab.wholes[[tb.START, tb.DIM, tb.OWNER, tb.MAY_STICK], j] = start, dim, friction.get("owner", 0), 1
        tab.wholes[tb.HELD, j] = len(friction.get("held", []))
        for c, reaction in enumerate(friction.get("held", [])):
            tab.reals[tb.HELD0 + c, j] = reaction
        tab.reals[[tb.KINETIC, tb.STATIC, tb.NORMAL], j] = friction["mu"], friction["mu"], friction.get("normal", 0.0)
        if "lever" in friction:
            tab.levers[tb.PRESS, j] = friction["lever"]
        start += dim
    return tab


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
    assert lemke.lemke(W, q, n, z, tableau, basis)
    assert np.allclose(z, enumerated(W, q), atol=1e-10)


@pytest.mark.parametrize("seed", range(30))
def test_all_cases_agree_with_lemke(seed):
    rng = np.random.default_rng(100 + seed)
    n = int(rng.integers(1, 6))
    B = rng.normal(size=(n, n + 2))
    W, q = B @ B.T, rng.normal(size=n)
    tab = problem(W, q, n)
    assert cases.solve(tab) == cp.SOLVED
    assert np.allclose(forces(tab), enumerated(W, q), atol=1e-10)


def forces(tab):
    return tab.reals[tb.BEST_FORCE, : tab.wholes[tb.COUNTS, tb.SIZE]]


def block(pull, mu, dim=1):
    """A unit mass on a floor with weight 10 under a horizontal force: does it slide?"""
    lever = np.zeros(1 + dim)
    lever[0] = 1.0
    return problem(np.eye(1 + dim), np.concatenate([[-10.0], np.atleast_1d(pull)]), 1, dim=[dim], mu=mu, lever=lever)


def test_block_sticks_inside_its_cone():
    tab = block(3.0, 0.4)
    assert (cases.solve(tab), tab.wholes[tb.BEST_STATUS, 0]) == (cp.SOLVED, cp.STICK)
    assert forces(tab) == pytest.approx([10.0, -3.0])


def test_block_slips_outside_its_cone():
    tab = block(-7.0, 0.4)
    assert (cases.solve(tab), tab.wholes[tb.BEST_STATUS, 0]) == (cp.SOLVED, cp.SLIP)
    assert tab.reals[tb.BEST_DIR0, 0] == -1.0
    assert tab.reals[tb.BEST_ANSWER, 1] == pytest.approx(-3.0)


def test_planar_slip_points_along_the_pull():
    tab = block([3.0, 4.0], 0.4, dim=2)
    assert (cases.solve(tab), tab.wholes[tb.BEST_STATUS, 0]) == (cp.SOLVED, cp.SLIP)
    assert forces(tab)[1:] == pytest.approx([-4 * 0.6, -4 * 0.8])


@pytest.mark.parametrize(("may_stick", "status"), [(1, cp.STICK), (0, cp.SLIP)])
def test_static_friction_is_what_holds(may_stick, status):
    tab = block(5.0, 0.4)
    tab.reals[tb.STATIC, 0], tab.wholes[tb.MAY_STICK, 0] = 0.6, may_stick
    assert (cases.solve(tab), tab.wholes[tb.BEST_STATUS, 0]) == (cp.SOLVED, status)


def test_held_reactions_take_their_share_of_the_cone():
    """ZhangMei (4.18): S = sqrt(f² N² − R_y²)."""
    tab = problem([[1.0]], [0.5], 0, dim=[1], owner=-1, normal=1.0, mu=0.3, held=[0.2])
    assert cases.solve(tab) == cp.SOLVED
    assert forces(tab)[0] == pytest.approx(-np.sqrt(0.09 - 0.04))


def test_painleve_cases_are_seen():
    """One sliding contact with w = p λ + b: p < 0 has two solutions for b > 0 and none for b < 0."""
    assert cases.solve(problem([[-0.5]], [1.0], 1)) == cp.SEVERAL
    assert cases.solve(problem([[-0.5]], [-1.0], 1)) == cp.NO_SOLUTION
