"""The cone solver: bodies with forces worked out by hand, and laws that every answer must satisfy."""

from __future__ import annotations

import numpy as np
import pytest
from cones import CLOSED, NONE, ONE, OPEN, SEVERAL, SLIP, STICK, Friction, Problem, assert_lawful, solve


def planar(points, normals, mus, Q, m=1.0, J=0.1, **more):
    """A body in a plane, (x, y, θ), touched at points given from its centre, along unit normals."""
    contacts, frictions = [], []
    for i, (r, n, mu) in enumerate(zip(points, normals, mus, strict=True)):
        n, t = np.array(n, float), np.array([n[1], -n[0]], float)
        contacts.append(np.array([*n, r[0] * n[1] - r[1] * n[0]]))
        if mu is not None:
            row = np.array([[*t, r[0] * t[1] - r[1] * t[0]]])
            frictions.append(Friction(row, mu, contact=i, **more))
    return Problem(np.diag([m, m, J]), np.array(Q, float), contacts, frictions)


def spatial(points, mu, Q, J=(0.2, 0.2, 0.3), height=0.5, **more):
    """A table on legs, (x, y, z, rotation), its centre `height` above the floor."""
    contacts, frictions = [], []
    for i, (px, py) in enumerate(points):
        r = np.array([px, py, -height])
        rows = [np.concatenate([e, np.cross(r, e)]) for e in np.eye(3)]
        contacts.append(rows[2])
        frictions.append(Friction(np.array(rows[:2]), mu, contact=i, **more))
    return Problem(np.diag([1, 1, 1, *J]), np.array(Q, float), contacts, frictions)


FEET = [(0.5, -0.6), (-0.5, -0.6)]
UP = [(0, 1), (0, 1)]


def box(F, **more):
    """Pushed at its top, 0.6 above the centre; the right foot is smooth, the left one rough."""
    return planar(FEET, UP, (0.1, 0.6), (F, -10, -0.6 * F), **more)


@pytest.mark.parametrize("F", [0.0, 1.0, 2.0, 2.18])
def test_two_feet_hold_as_long_as_forces_exist(F):
    answer = solve(box(F))
    assert answer.found == ONE and answer.modes == [STICK, STICK]
    np.testing.assert_allclose(answer.forces[:2], [5 + 1.2 * F, 5 - 1.2 * F], atol=1e-12)
    assert_lawful(box(F), answer)


@pytest.mark.parametrize("F", [2.19, 2.5, 3.0])
def test_two_feet_slide_together(F):
    """x'' = (1.6 F − 3.5)/1.3: the moment of friction presses the right foot."""
    answer = solve(box(F))
    assert answer.found == ONE and answer.modes == [SLIP, SLIP]
    np.testing.assert_allclose(answer.answers[2:], (1.6 * F - 3.5) / 1.3, atol=1e-10)
    assert_lawful(box(F), answer)


def test_two_feet_slide_as_their_cones_are_left_together():
    answer = solve(box(2.1875, left=2))
    assert answer.found == ONE and answer.modes == [SLIP, SLIP]


def test_four_legs_hold_and_slide():
    legs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    held = solve(spatial(legs, 0.3, (2.9, 0, -10, 0, 0, 0)))
    assert held.found == ONE and held.modes == [STICK] * 4
    np.testing.assert_allclose(held.forces[:4].sum(), 10, atol=1e-10)
    assert_lawful(spatial(legs, 0.3, (2.9, 0, -10, 0, 0, 0)), held)
    slid = solve(spatial(legs, 0.3, (3.4, 0, -10, 0, 0, 0)))
    assert slid.modes == [SLIP] * 4
    np.testing.assert_allclose(slid.answers[4::2], 0.4, atol=1e-10)
    assert_lawful(spatial(legs, 0.3, (3.4, 0, -10, 0, 0, 0)), slid)
    left = solve(spatial(legs, 0.3, (3.0, 0, -10, 0, 0, 0), left=2))
    assert left.modes == [SLIP] * 4
    np.testing.assert_allclose(left.along, [[1, 0]] * 4, atol=1e-5)


def test_three_legs_slide_with_known_loads():
    legs = [(1, 0), (-0.5, 0.8), (-0.5, -0.8)]
    problem = spatial(legs, 0.3, (4, 0, -10, 0, 0, 0))
    answer = solve(problem)
    assert answer.found == ONE and answer.modes == [SLIP] * 3
    np.testing.assert_allclose(answer.forces[:3], [13 / 3, 17 / 6, 17 / 6], atol=1e-10)
    np.testing.assert_allclose(answer.answers[3::2], 1.0, atol=1e-10)
    held = solve(spatial(legs, 0.3, (2, 0, -10, 0, 0, 0)))
    assert held.modes == [STICK] * 3
    assert_lawful(spatial(legs, 0.3, (2, 0, -10, 0, 0, 0)), held)


def test_wall_does_not_pull():
    problem = planar([(0, -0.3), (-0.3, 0)], [(0, 1), (1, 0)], (0.2, 0.2), (0, -9.81, 0), J=0.045)
    answer = solve(problem)
    assert answer.found == ONE and answer.closed[0] == CLOSED
    np.testing.assert_allclose(answer.forces, [9.81, 0, 0, 0], atol=1e-8)


def test_ladder_stands_inside_its_cones():
    a, g = 1.2, 9.81
    foot, top = (np.cos(a), -np.sin(a)), (-np.cos(a), np.sin(a))
    problem = planar([foot, top], [(0, 1), (1, 0)], (0.8, 0.3), (0, -g, 0), J=1 / 3)
    answer = solve(problem)
    assert answer.found == ONE and answer.modes == [STICK, STICK]
    assert_lawful(problem, answer)
    assert answer.forces[1] > 0


def test_axle_has_a_state():
    """Given normal forces make it a convex problem: two wheels, one slips, the other holds."""
    rows = [np.array([[1, 0, s * 0.2, -0.1 * (s > 0), -0.1 * (s < 0)], [0, 1, 0, 0, 0]]) for s in (1, -1)]
    M = np.diag([10, 10, 0.5, 0.01, 0.01])
    for tau in (1.0, 2.0, 4.0, 6.0):
        problem = Problem(M, np.array([0, 12.0, 0, tau, tau / 3]), [], [Friction(r, 0.6, normal=30) for r in rows])
        answer = solve(problem)
        assert answer.found == ONE
        assert_lawful(problem, answer)


@pytest.mark.parametrize("seed", range(60))
def test_random_skids_have_states(seed):
    """Wheels with given loads: W is singular, and there is always a state."""
    rng = np.random.default_rng(seed)
    wheels = int(rng.integers(2, 7))
    rows = [np.array([[1, 0, -y], [0, 1, x]]) for x, y in rng.uniform(-1, 1, (wheels, 2))]
    frictions = [Friction(r, rng.uniform(0.1, 1), normal=rng.uniform(0.5, 2)) for r in rows]
    problem = Problem(np.diag([2, 2, 0.7]), rng.normal(0, 2, 3), [], frictions)
    answer = solve(problem)
    assert answer.found == ONE
    assert_lawful(problem, answer)


@pytest.mark.parametrize("seed", range(60))
def test_random_tables_have_states(seed):
    rng = np.random.default_rng(100 + seed)
    legs = rng.uniform(-1, 1, (int(rng.integers(1, 6)), 2))
    problem = spatial(legs, rng.uniform(0.05, 0.4), (*rng.normal(0, 3, 2), -10, *rng.normal(0, 1, 3)))
    answer = solve(problem)
    assert answer.found == ONE
    assert_lawful(problem, answer)


@pytest.mark.parametrize("seed", range(40))
def test_random_planar_bodies(seed):
    """Contacts all around in a plane, redundant ones among them."""
    rng = np.random.default_rng(500 + seed)
    count = int(rng.integers(1, 5))
    angles = rng.uniform(0, 2 * np.pi, count)
    points = [(0.5 * np.cos(a), 0.5 * np.sin(a)) for a in angles]
    normals = [(-np.cos(a + e), -np.sin(a + e)) for a, e in zip(angles, rng.uniform(-0.5, 0.5, count), strict=True)]
    problem = planar(points, normals, rng.uniform(0.05, 0.3, count), rng.normal(0, 5, 3))
    answer = solve(problem)
    assert answer.found == ONE
    assert_lawful(problem, answer)


def painleve(mu, angle=1.0, Q=(0.0, -10.0, 0.0), spin=0.0):
    """A thin rod that slides on its lower end."""
    tip = (-np.cos(angle), -np.sin(angle))
    problem = planar([tip], [(0, 1)], (mu,), Q, J=1 / 3, slip=(-1.0,))
    bias = np.array([np.sin(angle) * spin**2, 0.0])
    return Problem(problem.M, problem.Q, problem.contacts, problem.frictions, bias)


def test_painleve_is_told_with_proof():
    found = {solve(painleve(2.0, angle, spin=spin)).found for angle in (0.9, 1.0, 1.1) for spin in (0.0, 5.0)}
    assert found <= {NONE, ONE, SEVERAL} and NONE in found and SEVERAL in found


def test_units_do_not_change_the_state():
    for force, length in ((1e-9, 1e-9), (1e12, 1e11), (1e-6, 1e9)):
        one = box(2.5)
        scale = np.diag([1, 1, 1 / length])
        rows = [r @ scale * length for r in one.contacts]
        frictions = [Friction(f.rows @ scale * length, f.mu, contact=f.contact) for f in one.frictions]
        other = Problem(scale @ one.M @ scale * force, scale @ one.Q * force, rows, frictions)
        answer = solve(other)
        assert answer.modes == [SLIP, SLIP]
        np.testing.assert_allclose(answer.answers[2:] / length, 0.5 / 1.3, rtol=1e-10)


def test_open_contact_carries_nothing():
    answer = solve(planar(FEET, UP, (0.5, 0.5), (0, -10, -20)))
    assert answer.closed == [CLOSED, OPEN] or answer.closed == [OPEN, CLOSED]
