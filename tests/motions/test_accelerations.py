"""The constrained solve at one state: against dense linear algebra, and its sentences."""

import numpy as np
import pytest
import symengine as se
import systems

import dalembert as da
from dalembert.errors import MathematicsError
from dalembert.model.read import model_of
from dalembert.motions.accelerations import accelerations, solve_accelerations, solved
from dalembert.prepared import prepare
from dalembert.programs.system import CompiledSystem


def full(system, x):
    """The same by the whole saddle-point matrix and its pseudo-inverse."""
    D, d, A, b, R = system.unpacked(system.dynamics(x))
    m, r = len(b), R.shape[1]
    K = np.block([[D, -R], [A, np.zeros((m, r))]])
    return np.split(np.linalg.pinv(K, rcond=1e-11) @ np.concatenate([d, b]), [len(d)])


@pytest.mark.parametrize("make", [lambda: systems.cartesian(3), systems.sleigh, lambda: systems.pendulum(5)])
@pytest.mark.parametrize("symmetric", [True, False])
def test_against_dense_algebra(make, symmetric):
    import dataclasses

    system = CompiledSystem(dataclasses.replace(make(), symmetric=symmetric))
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, v = rng.normal(size=(2, system.n))
        if system.mh:
            q /= np.linalg.norm(q)
            v = np.array([-q[1], q[0]])
        x = system.state(0.0, q, v)
        found = solve_accelerations(system, x)
        a, nu = full(system, x)
        np.testing.assert_allclose(found.a, a, atol=1e-11)
        np.testing.assert_allclose(found.multipliers, nu, atol=1e-11)
        np.testing.assert_allclose(found.reactions.sum(axis=0), system.unpacked(system.dynamics(x))[4] @ nu, atol=1e-11)


def test_general_reactions():
    """Two constraint rows whose reactions do not act along their gradients."""
    q, v = systems.symbols(3)
    R = ((1, 0.3), (0.2, 1), (0.5, 0.1))
    R = tuple(tuple(se.sympify(e) for e in row) for row in R)
    eq = systems.equations(3, [[2, 0.1, 0], [0.1, 3, 0], [0, 0, 1]], [1, 2, 3], psi=[v[0] - q[1] * v[2], v[1]], R=R)
    system = CompiledSystem(eq)
    x = system.state(0.0, [0.1, 0.7, 0.2], [0.7, 0, 1])
    a, nu = full(system, x)
    found = solve_accelerations(system, x)
    np.testing.assert_allclose(found.a, a, atol=1e-12)
    np.testing.assert_allclose(found.multipliers, nu, atol=1e-12)


def test_redundant_rows_are_named_and_multipliers_smallest():
    system = CompiledSystem(systems.cartesian(2))
    found = solve_accelerations(system, system.state(0.0, [0.6, -0.8], [0.8, 0.6]))
    assert found.redundant == ("c1",) and found.rank == 1 and found.degrees_of_freedom == 1
    assert found.multipliers[1] == pytest.approx(2 * found.multipliers[0])


def test_rows_can_be_switched_off():
    system = CompiledSystem(systems.cartesian(2))
    x = system.state(0.0, [0.6, -0.8], [0.8, 0.6])
    one = solved(system, x, system.dynamics(x), [1])
    assert one.nu[0, 0] == 0
    np.testing.assert_allclose(one.a[0], solve_accelerations(system, x).a, atol=1e-13)
    np.testing.assert_allclose(solved(system, x, system.dynamics(x), []).a[0], [0, -9.81])


def test_massless_coordinates_held_by_constraints():
    q, _v = systems.symbols(2)
    system = CompiledSystem(systems.equations(2, [[1, 0], [0, 0]], [1, 0], phi=[q[0] - 2 * q[1]], symmetric=True))
    found = solve_accelerations(system, np.zeros(5))
    np.testing.assert_allclose(found.a, [1, 0.5])


def test_sentences():
    q, _v = systems.symbols(2)
    cases = [
        (systems.equations(2, [[1, 0], [0, 0]], [0, 0]), "q1 carries no inertia"),
        (systems.equations(2, [[1, 1], [1, 1]], [0, 0], symmetric=True), "q0 and q1 carry no inertia"),
        (
            systems.equations(2, systems.identity(2), [0, 0], phi=[q[0], q[0] - systems.t**2], names=("a", "b")),
            "a and b contradict",
        ),
        (systems.equations(2, systems.identity(2), [1 / q[0], 0]), "a division by q0 = 0, in the equation of q0"),
    ]
    for eq, words in cases:
        with pytest.raises(MathematicsError, match="t = 0") as caught:
            solve_accelerations(CompiledSystem(eq), np.zeros(5))
        assert words in str(caught.value)


@pytest.mark.parametrize("name", ["long-1", "whipple-bicycle", "chaplygin-sleigh", "andrews-squeezer"])
def test_many_states_at_once_are_the_same_as_one_by_one(name):
    """Long's mechanism has redundant constraints: the smallest multipliers are reported, for one state and for many."""
    motion = da.gallery(name).simulate(samples=7)
    system = prepare(da.gallery(name).record).system
    q, v = (np.column_stack([*arrays.values()]) for arrays in (motion.coordinates, motion.speeds))
    X = system.state(motion.times, q, v)
    a, nu = accelerations(system, X)
    for i, x in enumerate(X):
        alone = solve_accelerations(system, x)
        np.testing.assert_allclose(a[i], alone.a, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(alone.a).max()))
        np.testing.assert_allclose(nu[i], alone.multipliers, rtol=1e-8, atol=1e-9 * max(1.0, np.abs(nu).max()))


def test_angles_about_one_axis_are_said_to_be_so():
    """An upright top: its turn about the vertical and its spin are the same rotation."""
    top = {"mass": 1, "position": [0, 0, 0], "inertia": [1, 1, 2]}
    top["rotation"] = [["z", "psi"], ["x", "th"], ["z", "phi"]]
    model = model_of({"coordinates": {"psi": 0, "th": 0, "phi": 0}, "bodies": {"top": top}})
    with pytest.raises(MathematicsError, match=r"the angles psi and phi turn about one axis .*quaternion"):
        da.Model.of(model).solve()
