"""The reference solver on problems that were solved by hand."""

import math

import numpy as np
import pytest

from reference.cones import Friction, Problem, violation
from reference.interior import certified, margin, minimum
from reference.states import fixed_point, solve


def body(rows, load, mass=1.0, inertia=(1.0,), contacts=0, frictions=()):
    """A problem of one body: rows of (force directions, moments), W = A M⁻¹ Aᵀ, w₀ = A M⁻¹ load."""
    A = np.array(rows, dtype=float)
    inverse = np.diag([1 / mass] * (A.shape[1] - len(inertia)) + [1 / i for i in inertia])
    return Problem(A @ inverse @ A.T, A @ inverse @ np.array(load, dtype=float), contacts, tuple(frictions))


def pressed(rows, coefficient, contact):
    return Friction(rows, coefficient, press=((contact, 1.0),))


def box(push, coefficients=(0.1, 0.6), height=0.6):
    """A box on two feet ±0.5 from its centre, mass 1, gravity 10, pushed at its top."""
    rows = [[0, 1, 0.5], [0, 1, -0.5], [1, 0, height], [1, 0, height]]
    load = [push, -10, -height * push]
    frictions = [pressed((2,), coefficients[0], 0), pressed((3,), coefficients[1], 1)]
    return body(rows, load, inertia=(0.1,), contacts=2, frictions=frictions)


def table(legs, load, coefficient=0.3, height=0.5):
    """A table of mass 1 with legs below its centre of mass, gravity in the load."""
    rows = []
    for axes in (((0, 0, 1),), ((1, 0, 0), (0, 1, 0))):
        for x, y in legs:
            rows += [[*axis, *np.cross([x, y, -height], axis)] for axis in axes]
    c = len(legs)
    frictions = [pressed((c + 2 * i, c + 2 * i + 1), coefficient, i) for i in range(c)]
    return body(rows, [*load, 0, 0, 0], inertia=(0.2, 0.2, 0.3), contacts=c, frictions=frictions)


def only(problem):
    answer = solve(problem)
    assert answer.complete
    assert len(answer.solutions) == 1
    found = answer.solutions[0]
    assert violation(problem, found.forces) < 1e-7
    return found


@pytest.mark.parametrize("push", [0.0, 1.0, 2.0, 2.187])
def test_a_box_on_two_feet_stands_while_both_cones_together_hold_it(push):
    """N = 5 ± 1.2 F; the feet hold 0.1 N_right + 0.6 N_left = 3.5 − 0.6 F ≥ F up to F = 2.1875."""
    found = only(box(push))
    assert found.frictions == ("stick", "stick")
    assert np.allclose(found.w, 0)
    assert np.allclose(found.forces[:2], [5 + 1.2 * push, 5 - 1.2 * push])
    assert found.forces[2:].sum() == pytest.approx(-push, abs=1e-8)
    assert found.spread.shape[1] == 1  # the share of the feet in the friction
    assert np.allclose(found.sums @ found.spread, 0)


@pytest.mark.parametrize("push", [2.19, 2.5, 3.0])
def test_a_box_on_two_feet_slides_beyond(push):
    """x″ = (1.6 F − 3.5)/1.3, with moments about the centre: the rubbed feet share the moment 0.6 (F + R)."""
    found = only(box(push))
    assert found.frictions == ("slip", "slip")
    assert np.allclose(found.w[2:], (1.6 * push - 3.5) / 1.3, atol=1e-9)
    assert np.allclose(found.forces[2:], [-0.1 * found.forces[0], -0.6 * found.forces[1]])


def test_least_norm_is_taken_inside_the_cones():
    """F = 2: halves (−1, −1) leave the right cone 0.74; the least norm inside is on its boundary."""
    assert np.allclose(only(box(2.0)).forces[2:], [-0.74, -1.26], atol=1e-7)


def test_a_table_on_three_legs_slides():
    """Moments about the centre of mass give normal forces 4.333, 2.833, 2.833; x″ = 4 − 3."""
    found = only(table([(1, 0), (-0.5, 0.8), (-0.5, -0.8)], [4, 0, -10]))
    assert np.allclose(found.forces[:3], [13 / 3, 17 / 6, 17 / 6])
    assert np.allclose(found.w, [0, 0, 0, 1, 0, 1, 0, 1, 0], atol=1e-8)


def test_a_table_on_three_legs_stands():
    found = only(table([(1, 0), (-0.5, 0.8), (-0.5, -0.8)], [2, 0, -10]))
    assert found.frictions == ("stick",) * 3
    assert found.spread.shape[1] == 3  # six unknown frictions, three equations


LEGS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


@pytest.mark.slow
@pytest.mark.parametrize(("push", "slides"), [(2.9, 0.0), (3.2, 0.2)])
def test_a_table_on_four_legs_holds_what_all_legs_hold_together(push, slides):
    found = only(table(LEGS, [push, 0, -10]))
    assert np.allclose(found.w, [0, 0, 0, 0, *[slides, 0] * 4], atol=1e-8)
    assert found.forces[:4].sum() == pytest.approx(10)


@pytest.mark.parametrize(("push", "slides"), [(2.9, 0.0), (2.99, 0.0), (3.2, 0.2), (6.0, 3.0)])
def test_the_fixed_point_finds_the_same(push, slides):
    problem = table(LEGS, [push, 0, -10])
    scaled, _, unit = problem.scaled()
    f = fixed_point(scaled)
    assert f is not None
    assert np.allclose(scaled.response(f) * unit, [0, 0, 0, 0, *[slides, 0] * 4], atol=1e-6)


def test_a_disk_in_a_corner_is_not_pulled():
    """Rows floor, wall, slip on the floor, slip on the wall; all that fits: floor 9.81 − s, wall −s, frictions ±s."""
    rows = [[0, 1, 0], [1, 0, 0], [1, 0, 0.3], [0, 1, -0.3]]
    frictions = [pressed((2,), 0.2, 0), pressed((3,), 0.2, 1)]
    found = only(body(rows, [0, -9.81, 0], inertia=(0.045,), contacts=2, frictions=frictions))
    assert np.allclose(found.w, 0)
    assert np.allclose(found.forces, [9.81, 0, 0, 0], atol=1e-6)
    assert found.spread.shape[1] == 0  # every other set of forces pulls at the wall, or leaves the cones


def ladder(floor, wall, angle=1.2):
    """A ladder of length 2 and mass 1; rows floor, wall, slips; the coordinates (x, y, θ) of its middle."""
    s, c = math.sin(angle), math.cos(angle)
    rows = [[0, 1, -c], [1, 0, s], [1, 0, -s], [0, 1, c]]
    return body(
        rows, [0, -9.81, 0], inertia=(1 / 3,), contacts=2, frictions=[pressed((2,), floor, 0), pressed((3,), wall, 1)]
    )


def test_a_ladder_stands_with_forces_in_its_cones():
    found = only(ladder(0.8, 0.3))
    assert found.frictions == ("stick", "stick")
    assert found.forces[0] + found.forces[3] == pytest.approx(9.81)
    assert found.forces[1] + found.forces[2] == pytest.approx(0, abs=1e-8)
    assert found.spread.shape[1] == 1


def test_a_ladder_with_too_little_friction_slides():
    """With μ at the floor and a smooth wall it stands if and only if tan(angle) ≥ 1/(2μ)."""
    limit = 1 / (2 * math.tan(1.2))
    assert only(ladder(limit * 1.01, 0.0)).frictions[0] == "stick"
    assert only(ladder(limit * 0.99, 0.0)).frictions[0] == "slip"


def wheels(places, loads, mass, inertia, spins, radius, spin_inertia, coefficient, normal, axle):
    """A cart with wheels at `places`; coordinates x, y, θ, and a spin for every entry of `spins` (its wheels)."""
    n = 3 + len(spins)
    rows = []
    for k, (a, b) in enumerate(places):
        along, across = np.zeros(n), np.zeros(n)
        along[[0, 2]] = 1, -b
        along[3 + next(i for i, wheels in enumerate(spins) if k in wheels)] = -radius
        across[[1, 2]] = 1, a
        rows += [along, across]
    A = np.array(rows)
    inverse = np.diag([1 / mass, 1 / mass, 1 / inertia, *[1 / spin_inertia] * len(spins)])
    frictions = tuple(Friction((2 * k, 2 * k + 1), coefficient, normal=normal) for k in range(len(places)))
    return Problem(A @ inverse @ A.T, A @ inverse @ np.array(loads, dtype=float) + axle, 0, frictions)


def test_an_axle_with_two_wheels_slips_with_one():
    """Cone 18. At the torques 6 and 2 the right wheel cannot hold 6/0.1 = 60 along, and slips; the left one stays."""
    problem = wheels([(0, -0.2), (0, 0.2)], [0, 0, 0, 6, 2], 10, 0.5, [(0,), (1,)], 0.1, 0.01, 0.6, 30, np.zeros(4))
    found = only(problem)
    assert found.frictions == ("slip", "stick")
    assert np.linalg.norm(found.forces[:2]) == pytest.approx(18)
    assert np.linalg.norm(found.forces[2:]) < 18
    assert found.determinate


@pytest.mark.parametrize("torque", [1.0, 3.0, 6.0])
def test_four_skid_steering_wheels_have_a_state(torque):
    places = [(0.2, 0.25), (0.2, -0.25), (-0.2, 0.25), (-0.2, -0.25)]
    loads = [0, 0, 0, -torque, torque * 1.05]
    problem = wheels(places, loads, 20, 1.0, [(0, 2), (1, 3)], 0.1, 0.04, 0.5, 50, np.zeros(8))
    found = only(problem)
    assert violation(problem, found.forces) < 1e-7
    assert all(np.linalg.norm(found.forces[2 * k : 2 * k + 2]) <= 25 + 1e-6 for k in range(4))


def rod(angle, coefficient, falls=0.0, slides=1.0):
    """Painlevé's rod (length 2, mass 1, J = 1/3) whose lower end slides to the right, at the level of accelerations.

    That end lies at (c, −s) from the middle. N alone lifts it with 1 + 3c², together with R = −μN with 1 + 3c(c − μs).
    """
    c, s = math.cos(angle), math.sin(angle)
    rows = [[0, 1, c], [1, 0, s]]
    centripetal = falls**2 * s
    friction = Friction((1,), coefficient, press=((0, 1.0),), direction=(slides,))
    problem = body(rows, [0, -9.81, 0], inertia=(1 / 3,), contacts=1, frictions=[friction])
    return Problem(problem.W, problem.w0 + np.array([centripetal, 0.0]), 1, (friction,))


def test_painleves_rod_has_no_state_and_that_is_proved():
    """1 + 3c(c − μs) < 0 and −g + ω²s < 0: neither pressing nor leaving is consistent."""
    c, s = math.cos(1.0), math.sin(1.0)
    mu = (1 + 3 * c * c) / (3 * c * s) * 1.5
    answer = solve(rod(1.0, mu))
    assert answer.complete
    assert answer.solutions == ()


def test_painleves_rod_has_two_states_where_it_would_leave():
    """With ω²s > g it may leave, and it may press with N = (ω²s − g)/−(1 + 3c(c − μs))."""
    c, s = math.cos(1.0), math.sin(1.0)
    mu = (1 + 3 * c * c) / (3 * c * s) * 1.5
    answer = solve(rod(1.0, mu, falls=4.0))
    assert answer.complete
    assert sorted(found.contacts[0] for found in answer.solutions) == ["closed", "open"]
    pressing = next(found for found in answer.solutions if found.contacts == ("closed",))
    assert pressing.forces[0] == pytest.approx((16 * s - 9.81) / -(1 + 3 * c * (c - mu * s)))


def test_below_painleves_coefficient_there_is_one_state():
    assert only(rod(1.0, 0.5)).contacts == ("closed",)
    assert only(rod(1.0, 0.5, falls=4.0)).contacts == ("open",)


def test_a_static_coefficient_above_the_other_gives_rest_and_slip():
    """Block of mass 1, N = 10: pushed with 4, it rests (0.5·10 holds it) and would slide with 4 − 3."""
    problem = Problem(np.eye(1), np.array([4.0]), 0, (Friction((0,), 0.3, static=0.5, normal=10.0),))
    answer = solve(problem)
    assert answer.complete
    assert sorted(float(s.w[0]) for s in answer.solutions) == pytest.approx([0.0, 1.0])


def test_a_pressing_reaction_of_either_sign():
    """N = |2 − f|: the friction that slows also presses less."""
    friction = Friction((0,), 0.5, normal=-2.0, press=((0, 0.0),), two_sided=True)
    found = only(Problem(np.eye(1), np.array([3.0]), 0, (friction,)))
    assert float(found.w[0]) == pytest.approx(2.0)


def test_rough_contacts_never_slip():
    friction = Friction((1,), math.inf, press=((0, 1.0),))
    problem = Problem(np.eye(2), np.array([-1.0, 100.0]), 1, (friction,))
    assert np.allclose(only(problem).forces, [1, -100])
    assert only(Problem(np.eye(2), np.array([1.0, 100.0]), 1, (friction,))).frictions == ("off",)


@pytest.mark.parametrize("seed", range(20))
def test_certificates_prove_and_points_lie_inside(seed):
    rng = np.random.default_rng(seed)
    dims = (3, 1, 1, 2, 2)
    G, h = rng.normal(size=(9, 4)), rng.normal(size=9)
    found = margin(G, h, dims)
    s = h - G @ found.x
    inside = min(s[0] - math.hypot(s[1], s[2]), s[3], s[4], s[5] - abs(s[6]), s[7] - abs(s[8]))
    assert inside == pytest.approx(-found.tau, abs=1e-8)
    assert certified(G, h, dims, found.certificate) == (found.tau > 0)


@pytest.mark.parametrize("seed", range(20))
def test_the_optimum_is_one(seed):
    """No point of a random feasible set is better, to first order: (P x + q)ᵀ(y − x) ≥ 0."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(6, 4))
    P, q = B @ B.T, rng.normal(size=6)
    G, h = np.zeros((9, 6)), np.zeros(9)
    for j in range(3):
        h[3 * j] = rng.uniform(0.1, 1)
        G[[3 * j + 1, 3 * j + 2], [2 * j, 2 * j + 1]] = -1
    x = minimum(P, q, G, h, (3, 3, 3)).x
    for _ in range(200):
        y = rng.normal(size=6)
        for j in range(3):
            y[2 * j : 2 * j + 2] *= rng.uniform() * h[3 * j] / np.linalg.norm(y[2 * j : 2 * j + 2])
        assert (P @ x + q) @ (y - x) > -1e-8
