"""The ways from rows to accelerations: against dense algebra, with redundant rows, and without mass."""

import numpy as np
import pytest

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.errors import MathematicsError
from dalembert.formalisms import CHETAEV, derive, method
from dalembert.model.read import model_of, read
from dalembert.motions import routes
from dalembert.motions.accelerations import solve_accelerations
from dalembert.programs.system import CompiledSystem


def drawn(seed, n=6, m=3, redundant=False, massless=False, skewed=False):
    chance = np.random.default_rng(seed)
    L = chance.normal(size=(n, n))
    if massless:
        L[:, 0] = 0
    D = L.T @ L + (0 if massless else np.eye(n))
    if skewed:
        D = D + 0.3 * chance.normal(size=(n, n))
    A, b, d = chance.normal(size=(m, n)), chance.normal(size=m), chance.normal(size=n)
    if redundant:
        A, b = np.vstack([A, 3 * A[0] - A[1]]), np.append(b, 3 * b[0] - b[1])
    own, drift = chance.normal(size=(2, n)), chance.normal(size=2)
    return routes.ActiveRows(D, d, A, b, A.T, own, drift)


def dense(rows):
    n, m = len(rows.d), len(rows.b)
    K = np.block([[rows.D, -rows.R], [rows.A, np.zeros((m, m))]])
    return np.split(np.linalg.pinv(K, rcond=1e-12) @ np.concatenate([rows.d, rows.b]), [n])


@pytest.mark.parametrize("route", routes.ROUTES)
@pytest.mark.parametrize("kind", [{}, {"redundant": True}, {"massless": True}, {"skewed": True}, {"m": 0}, {"m": 6}])
def test_against_dense_algebra(route, kind):
    for seed in range(5):
        rows = drawn(seed, **kind)
        a, nu = routes.ROUTES[route](rows)
        expected_a, expected_nu = dense(rows)
        np.testing.assert_allclose(a, expected_a, atol=1e-9 * (1 + np.abs(expected_a).max()))
        np.testing.assert_allclose(nu, expected_nu, atol=1e-9 * (1 + np.abs(expected_nu).max(initial=0)))


def test_quasi_velocities_that_do_not_do_are_completed_anew():
    rows = drawn(3)
    useless = routes.replace(rows, own=np.vstack([rows.A[0], rows.A[0] + rows.A[1]]))
    np.testing.assert_allclose(routes.quasi(useless)[0], dense(rows)[0], atol=1e-10)


def test_every_method_names_a_known_route():
    model = read(collection.path("sun-1"))
    named = {name: derive(model, name).route for name in CHETAEV}
    assert set(named.values()) <= {"null-space", *routes.ROUTES}
    assert (
        named["normalized-routh"] == "normalized-routh" and named["boltzmann-hamel"] == named["qiao-quasi"] == "quasi"
    )
    assert named["udwadia-kalaba"] == "pseudo-inverse" and named["chetaev"] == "saddle-point"


@pytest.mark.parametrize("name", [name for name in CHETAEV if method(name)])
def test_the_route_is_taken(name, monkeypatch):
    """`solve` answers with the route itself, not with the elimination that serves as a fallback."""
    system = CompiledSystem(derive(read(collection.path("sun-1")), name, numeric=True))
    if system.equations.route == "null-space":
        pytest.skip("the elimination is this method's own way")
    original = routes.ROUTES[system.equations.route]
    calls = []
    monkeypatch.setitem(routes.ROUTES, system.equations.route, lambda rows: calls.append(1) or original(rows))
    solve_accelerations(system, np.linspace(0.1, 0.9, system.dynamics.inputs))
    assert calls


@pytest.mark.parametrize("name", CHETAEV)
def test_the_same_sentences_whatever_the_route(name):
    body = {"mass": 1, "position": ["x", 0, 0]}
    free = model_of({"coordinates": {"x": 0, "y": 0}, "bodies": {"b": body}})
    with pytest.raises(MathematicsError, match="y carries no inertia"):
        solve(free, name)
    torn = model_of({"coordinates": {"x": 0, "y": 0}, "bodies": {"b": body | {"position": ["x", "y", 0]}},
                     "constraints": {"one": "x' = 0", "two": "x' = t"}})  # fmt: skip
    with pytest.raises(MathematicsError, match="one and two contradict"):
        solve(torn, name)


@pytest.mark.parametrize("name", CHETAEV)
def test_redundant_rows_get_the_smallest_multipliers(name):
    state = solve(read(collection.path("long-1")), name)
    side = [state.multipliers[f"{wheel}.slip{i}"] for wheel in ("first_wheel", "second_wheel") for i in (1, 2)]
    # both side forces act along n = (cos q2, sin q2); only their sum is determined, and halves are smallest
    n = np.array([np.cos(0.4), np.sin(0.4)])
    assert np.dot(side[:2], n) == pytest.approx(np.dot(side[2:], n), abs=1e-10)
    assert any("second_wheel.slip2" in note for note in state.notes)
