"""Starts by the engine: equal to those of an independent program, motion by motion; least squares like NumPy's."""

import numpy as np
import pytest
import systems
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.engine import interface as engine
from dalembert.engine.library import library
from dalembert.errors import MathematicsError, ModelError
from dalembert.model.values import initial_values
from dalembert.motions.starts import ManyStarts
from dalembert.prepared import prepared
from dalembert.programs.system import CompiledSystem
from reference.starts import consistent

MODELS = (
    "andrews-squeezer", "appell-hamel", "ball-on-turntable", "car-axis", "chaplygin-sleigh", "constant-speed",
    "disk-off-a-ledge", "double-pendulum-cartesian", "long-1", "newtons-cradle", "qiao-sleigh", "roller-racer",
    "sleigh-at-a-wall", "sliding-to-rolling", "sun-1", "trailer", "two-wheeled-cart", "whipple-bicycle",
    "zhang-mei-ball",
)  # fmt: skip


def one_by_one(once, q, v, z, given):
    """The same as `prepared` for one motion."""
    q, v0 = consistent(once.system, q, v, given, 0.0, z)
    kept = None if once.hybrid is None else once.hybrid.checked(once.system.state(0.0, q, v0))
    return q, v0 if kept is None else consistent(kept, q, v, given, 0.0)[1]


@pytest.mark.parametrize("name", MODELS)
def test_as_one_by_one(name):
    record = da.gallery(name).record
    once, values = prepared(record), initial_values(record)
    names, system = once.equations.coordinates, once.system
    stated = np.array([values.speeds[c] is not None for c in names])
    random = np.random.default_rng(5)
    q = np.array([values.coordinates[c] for c in names]) + 0.02 * random.standard_normal((12, system.n))
    v = np.array([values.speeds[c] or 0.0 for c in names]) + 0.1 * random.standard_normal((12, system.n))
    z = np.zeros((12, system.k))
    states = np.hstack([q, v * stated, z])
    status, _ = ManyStarts(once.hybrid or system, stated, 2).run(0.0, np.tile(system.parameters, (12, 1)), states)
    for i in range(12):
        try:
            expected = np.concatenate([*one_by_one(once, q[i], v[i], z[i], stated), z[i]])
        except MathematicsError:
            assert status[i] in (engine.NO_POSITION, engine.NO_SPEEDS)
        except ModelError:
            assert status[i] in (engine.NEGATIVE_GAP, engine.DOUBTFUL)
        else:
            assert status[i] == engine.CONSISTENT
            np.testing.assert_allclose(states[i], expected, rtol=1e-12, atol=1e-12 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize(
    ("speeds", "stated"),
    [([0, 0], [False, False]), ([1, 0], [True, False]), ([5, 0], [True, False]), ([5, 1], [True, True])],
)
def test_nonlinear_rows_without_gradient_at_rest(speeds, stated):
    """Every search is used: held, changed, nearby."""
    _q, v = systems.symbols(2)
    psi = [v[0] ** 2 + v[1] ** 2 - 9]
    system = CompiledSystem(systems.equations(2, systems.identity(2), [0, 0], psi=psi, kinds=("nonlinear",)))
    expected = consistent(system, [0, 0], speeds, stated)[1]
    states = np.array([[0.0, 0.0, *speeds]])
    status, _ = ManyStarts(system, np.array(stated), 1).run(0.0, np.zeros((1, 0)), states)
    assert status[0] == engine.CONSISTENT
    np.testing.assert_allclose(states[0, 2:], expected, atol=1e-12)


def test_what_cannot_be_says_so():
    q, v = systems.symbols(2)
    for options, code in (
        ({"phi": [q[0] ** 2 + 1]}, engine.NO_POSITION),
        ({"psi": [v[0] ** 2 + 1]}, engine.NO_SPEEDS),
    ):
        system = CompiledSystem(systems.equations(2, systems.identity(2), [0, 0], **options))
        status, left = ManyStarts(system, np.zeros(2, bool), 1).run(0.0, np.zeros((2, 0)), np.full((2, 4), 0.3))
        assert status.tolist() == [code, code]
        assert (np.abs(left[:, 0]) > 0.5).all()


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 5), st.integers(0, 10**6))
def test_least_squares_is_numpy_s(rows, cols, rank, seed):
    """Systems of any rank, also contradictory: the smallest solution of least residual."""
    random = np.random.default_rng(seed)
    M = random.standard_normal((rows, rank)) @ random.standard_normal((rank, cols))
    b, x = random.standard_normal(rows), np.zeros(cols)
    turned, right = M.copy(), b.copy()
    library().dalembert_least_squares(turned.ctypes.data, rows, cols, right.ctypes.data, x.ctypes.data)
    np.testing.assert_allclose(x, np.linalg.lstsq(M, b, rcond=1e-10)[0], rtol=1e-7, atol=1e-9)
