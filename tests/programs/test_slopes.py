"""Accelerations as programs: the solution of the whole system, for every model of the gallery, and what they cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from exact import accelerations
from lanes import by_lanes

import dalembert as da
from dalembert.collection import names
from dalembert.collection.nlink import nlink
from dalembert.formalisms import derive
from dalembert.prepared import prepared
from dalembert.programs import slopes, solve
from dalembert.programs.corrections import correction
from dalembert.programs.functions import function
from dalembert.programs.nullspace import pivots_of
from dalembert.programs.slopes import PLAIN, QUICK, THOROUGH
from dalembert.programs.system import CompiledSystem
from random_systems import case

OTHERS = {"heisenberg", "relativistic-particle", "bricard"}  # extra states, D not symmetric, rows dependent in places
SINGULAR = {"tippe-top-quaternion", "rolling-ellipsoid", "ball-in-bowl"}  # only D is singular: these need pivots


def begun(name):
    record = nlink(int(name[5:])) if name.startswith("links") else da.gallery(name).record
    return prepared(record, open=(), often=False, backend="numpy").at()


def consistent(system, x, count, width=0.05):
    """States near x whose speeds meet the constraints."""
    n, m = system.n, system.m
    random = np.random.default_rng(7)
    states = np.array([x] * count)
    for state in states:
        state[1 : 1 + 2 * n] += width * random.uniform(-1.0, 1.0, 2 * n)
        for _ in range(5 if m else 0):
            out = system.velocity(state)
            state[1 + n : 1 + 2 * n] -= np.linalg.lstsq(out[m:].reshape(m, n), out[:m], rcond=1e-10)[0]
    return states


@pytest.mark.parametrize("effort", [PLAIN, QUICK])
@pytest.mark.parametrize("name", ["links2", "links4", "links8", *(n for n in names() if n not in OTHERS)])
def test_accelerations_of_the_gallery(name, effort):
    start = begun(name)
    system, n = start.system, start.system.n
    found = slopes.slopes(system.equations, start.x, effort)
    if effort == PLAIN and name in SINGULAR:
        assert found is None
        return
    assert found is not None
    states = consistent(system, start.x, 11)
    if name == "falling-chain":
        states[:, 1] = np.abs(states[:, 1])  # its mass grows with the coordinate
    out = function(found.program, 0).by_machine(states)
    np.testing.assert_array_equal(by_lanes(found.program, states, 0), out)
    assert (out[:, n] == 1.0).all()
    for row, state in zip(out, states, strict=True):
        if not found.redundant or found.way == "independent":
            a = accelerations(system, state)
            np.testing.assert_allclose(row[:n], a, rtol=0, atol=1e-12 * max(1.0, np.abs(a).max()))


@pytest.mark.parametrize("name", ["rolling-disk", "tippe-top", "trailer", "suslov", "double-pendulum"])
def test_more_effort_costs_fewer_operations(name):
    start = begun(name)
    prices = []
    for effort in (PLAIN, QUICK, THOROUGH):
        found = slopes.slopes(start.system.equations, start.x, effort)
        out = function(found.program, 0)(start.x)
        a = accelerations(start.system, start.x)
        np.testing.assert_allclose(out[:-1], a, rtol=0, atol=1e-12 * max(1.0, np.abs(a).max()))
        prices.append(found.program.price)
    assert prices[0] >= prices[1] >= prices[2] and prices[2] < 0.95 * prices[0]


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_where_the_solve_cannot_be_written_out(name):
    start = begun(name)
    assert slopes.slopes(start.system.equations, start.x) is None


def counted(name, effort=QUICK):
    start = begun(name)
    return slopes.slopes(start.system.equations, start.x, effort)


def test_the_disk_costs_what_one_by_hand_costs():
    """By hand: two sines with their cosines, a quotient, 18 products and sums for yaw, lean and roll."""
    found = counted("rolling-disk", THOROUGH)
    cost = dict(found.program.cost)
    assert found.way == "independent"
    assert cost.pop("sincos") == 2 and cost.pop("div") == 1 and cost.pop("lt") == 1
    assert sum(cost.values()) <= 23  # with x and y
    assert counted("rolling-disk").program.price <= 125


def test_the_bicycle_goes_body_by_body():
    found = counted("whipple-bicycle")
    assert found.way == "bodies"
    cost = dict(found.program.cost)
    assert cost["sincos"] == 4 and cost["div"] <= 6 and found.program.price <= 1085
    assert found.program.price < 0.3 * counted("whipple-bicycle", PLAIN).program.price


@pytest.mark.parametrize(("links", "price"), [(2, 121), (4, 332), (8, 1008), (16, 3832)])
def test_chains(links, price):
    found = counted(f"links{links}")
    assert found.program.price <= price and found.program.cost["sincos"] == links
    assert found.program.cost["div"] == links - 1  # the first pivot is a number


def test_two_links_in_their_cheapest_form():
    assert counted("links2", THOROUGH).program.price <= 116


@pytest.mark.parametrize(
    "name", ["rolling-disk", "whipple-bicycle", "rolling-sphere", "chaplygin-sleigh", "two-wheeled-cart"]
)
def test_independent_speeds(name):
    """Conversion of v to u and back, and the rates of both."""
    start = begun(name)
    system, n = start.system, start.system.n
    form = slopes.reduced(system.equations, start.x)
    size = len(form.start.outputs)
    assert size == n - system.m or name == "whipple-bicycle"
    states = consistent(system, start.x, 5)
    u = function(form.start, 0)(states)
    at = np.hstack([states[:, : 1 + n], u, states[:, 1 + 2 * n :]])
    np.testing.assert_allclose(function(form.end, 0)(at), states[:, 1 + n : 1 + 2 * n], rtol=0, atol=1e-12)
    out = function(form.slopes, 0)(at)
    np.testing.assert_allclose(out[:, :n], states[:, 1 + n : 1 + 2 * n], rtol=0, atol=1e-12)
    assert (out[:, -1] == 1.0).all()
    h = 1e-5
    for row, state, point in zip(out, states, at, strict=True):
        a = accelerations(system, state)
        moved = [point + s * h * np.r_[1.0, row[: n + size], np.zeros(len(point) - 1 - n - size)] for s in (1, -1)]
        one, other = function(form.end, 0)(np.array(moved))
        np.testing.assert_allclose((one - other) / (2 * h), a, rtol=0, atol=1e-8 * max(1.0, np.abs(a).max()))


def test_a_disk_that_falls_flat_is_not_fine():
    """The sign of a cosine under a root changes: the chosen form is no longer valid."""
    start = begun("rolling-disk")
    lean = start.system.equations.coordinates.index("lean")
    for effort in (QUICK, THOROUGH):
        code = function(slopes.slopes(start.system.equations, start.x, effort).program, 0)
        fallen = start.x.copy()
        fallen[1 + lean] = 2.0
        assert code(start.x)[-1] == 1.0 and code(fallen)[-1] == 0.0


def test_a_singular_state_says_so():
    """Two rows that are one, and a mass that vanishes."""
    start = begun("rolling-disk")
    eq = start.system.equations
    doubled = replace(eq, A=(*eq.A, eq.A[0]), b=(*eq.b, eq.b[0]))
    assert function(solve.slopes(doubled), 0)(start.x)[-1] == 0
    vanishing = replace(eq, A=(), b=(), D=tuple(tuple(0 * e for e in row) for row in eq.D))
    assert function(solve.slopes(vanishing), 0)(start.x)[-1] == 0


def test_redundant_rows_are_left_out():
    start = begun("long-1")
    found = slopes.slopes(start.system.equations, start.x, PLAIN)
    assert len(found.redundant) == 1 and "by pivots" in found.way
    a = accelerations(start.system, start.x)
    np.testing.assert_allclose(function(found.program, 0)(start.x)[:-1], a, rtol=0, atol=1e-13)


def test_pivots():
    A = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 1.0, 1e-3]])
    found = pivots_of(A)
    assert len(found.rows) == 2 and found.columns[0] == 1 and len(found.left) == 1
    assert np.linalg.matrix_rank(A[np.ix_(found.rows, found.columns)]) == 2


@pytest.mark.parametrize("name", ["rolling-disk", "andrews-squeezer", "whipple-bicycle", "simple-pendulum-cartesian"])
def test_corrections(name):
    start = begun(name)
    system, n = start.system, start.system.n
    states = start.x + 1e-3 * np.random.default_rng(3).standard_normal((12, len(start.x))) * np.r_[0, np.ones(2 * n)]
    sizes = np.random.default_rng(4).uniform(0.5, 2.0, 2 * n)
    inputs = np.hstack([states, np.broadcast_to(sizes, (12, 2 * n))])
    for rates, rows, given in ((False, system.mh, system.position), (True, system.m, system.velocity)):
        if rows:
            code = correction(system.equations, rates)
            change = function(code, 0).by_machine(inputs)
            np.testing.assert_array_equal(by_lanes(code, inputs, 0), change)
            out = given(states)
            J = out[:, rows:].reshape(12, rows, n)
            assert (change[:, -1] == 1.0).all()
            np.testing.assert_allclose(np.einsum("kij,kj->ki", J, change[:, :n]), -out[:, :rows], atol=1e-12)
            np.testing.assert_allclose(change[:, n], np.abs(out[:, :rows]).max(axis=1), atol=1e-15)
            own = sizes[n:] if rates else sizes[:n]
            smallest = [-own * (np.linalg.pinv(j * own) @ r) for j, r in zip(J, out[:, :rows], strict=True)]
            np.testing.assert_allclose(change[:, :n], smallest, atol=1e-9)


@pytest.mark.parametrize("seed", range(25))
def test_random_systems(seed):
    """Rows of all kinds, redundant ones, masses that vary, coordinates without mass."""
    given = case(seed)
    system = CompiledSystem(derive(given.model, None, numeric=True), "numpy")
    x = system.state(given.t, given.q, given.v, np.zeros(system.k))
    found = slopes.slopes(system.equations, x, QUICK)
    if found is not None:
        out, a = function(found.program, 0)(x), accelerations(system, x)
        assert out[-1] == 1.0
        np.testing.assert_allclose(out[:-1], a, rtol=0, atol=1e-10 * max(1.0, np.abs(a).max()))
