"""Consistent initial states: smallest changes, held speeds, refusals."""

import numpy as np
import pytest
import systems

from dalembert.errors import MathematicsError, ModelError
from dalembert.motions.initial import consistent
from dalembert.programs.system import CompiledSystem

NONE = [False, False]


def test_position_goes_to_the_nearest_point():
    q, _v, corrections = consistent(CompiledSystem(systems.cartesian(2)), [1.1, 0.2], [0, 0], NONE)
    np.testing.assert_allclose(q, np.array([1.1, 0.2]) / np.hypot(1.1, 0.2), atol=1e-14)
    assert [c.quantity for c in corrections] == ["q0", "q1"]


def test_nearest_point_of_an_ellipse():
    """Gauss-Newton alone is not enough: the change must be normal to the curve."""
    q, _v = systems.symbols(2)
    system = CompiledSystem(systems.equations(2, systems.identity(2), [0, 0], phi=[q[0] ** 2 / 9 + q[1] ** 2 - 1]))
    found, _, _ = consistent(system, [2.5, 1.2], [0, 0], NONE)
    change, normal = found - [2.5, 1.2], np.array([2 * found[0] / 9, 2 * found[1]])
    assert abs(change[0] * normal[1] - change[1] * normal[0]) < 1e-9


def test_what_is_consistent_stays():
    q, v, corrections = consistent(CompiledSystem(systems.cartesian()), [0.6, -0.8], [0.8, 0.6], [True, True], True)
    assert q.tolist() == [0.6, -0.8] and v.tolist() == [0.8, 0.6] and not corrections


def test_given_speeds_are_held_and_the_rest_solved():
    _, v, corrections = consistent(CompiledSystem(systems.cartesian()), [0.6, -0.8], [0.4, 0], [True, False])
    np.testing.assert_allclose(v, [0.4, 0.3])
    assert not corrections


def test_given_speeds_change_only_where_they_must():
    system = CompiledSystem(systems.cartesian())
    _, v, corrections = consistent(system, [1, 0], [1, 5], [True, True])
    np.testing.assert_allclose(v, [0, 5], atol=1e-14)
    assert [str(c).split()[0] for c in corrections] == ["q0'"]
    with pytest.raises(ModelError, match="q0'"):
        consistent(system, [1, 0], [1, 5], [True, True], strict=True)


@pytest.mark.parametrize(("speeds", "given"), [([0, 0], NONE), ([1, 0], [True, False]), ([5, 0], [True, False])])
def test_nonlinear_rows_without_gradient_at_rest(speeds, given):
    _q, v = systems.symbols(2)
    system = CompiledSystem(
        systems.equations(2, systems.identity(2), [0, 0], psi=[v[0] ** 2 + v[1] ** 2 - 9], kinds=("nonlinear",))
    )
    _, found, corrections = consistent(system, [0, 0], speeds, given)
    assert np.hypot(*found) == pytest.approx(3, abs=1e-12)
    assert bool(corrections) == (speeds[0] > 3)
    if given[0] and not corrections:
        assert found[0] == 1


def test_impossible_constraints_are_named():
    q, v = systems.symbols(2)
    with pytest.raises(MathematicsError, match=r"no position.*never"):
        consistent(
            CompiledSystem(
                systems.equations(2, systems.identity(2), [0, 0], phi=[q[0] ** 2 + 1], names=("never",))
            ),
            [0.3, 0], [0, 0], NONE,
        )  # fmt: skip
    with pytest.raises(MathematicsError, match=r"no speeds.*still"):
        consistent(
            CompiledSystem(
                systems.equations(2, systems.identity(2), [0, 0], psi=[v[0] ** 2 + 1], names=("still",))
            ),
            [0, 0], [0, 0], NONE,
        )  # fmt: skip
