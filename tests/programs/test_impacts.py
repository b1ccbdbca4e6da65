"""The impact of one contact, written out, against the engine's solve of all contacts together."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.model.read import read_text
from dalembert.motions.touching import ModeSolver
from dalembert.prepared import prepare
from dalembert.programs.evaluate import values_of
from dalembert.programs.impacts import can_strike, strike
from dalembert.programs.modes import modes

ROD = """
[parameters]
mu = {mu}
[coordinates]
x = 0
y = 0.4
theta = 0.3
[speeds]
x = {slip}
y = -1
theta = 0.2
[bodies.rod]
mass = 1
position = ["x", "y", 0]
rotation = [["z", "theta"]]
inertia = [0, 0, 0.1]
[contacts.floor]
gap = "y - 0.5*abs(sin(theta))"
restitution = {e}
slip = ["x' + 0.5*theta'*sin(theta)"]
friction = "mu"
"""


def struck(record, scatter, seed=5, states=12):
    """Pairs of Δv: as written out, and by the engine; only where the program is fine."""
    start = prepare(record)
    assert start.hybrid is not None
    eq, n = start.hybrid.equations, start.system.n
    solver, chance = ModeSolver(start.hybrid), np.random.default_rng(seed)
    pairs = []
    for mode in modes(eq):
        for i in range(len(eq.unilateral.contacts)):
            if not can_strike(eq, mode, i):
                continue
            program = strike(eq, i)
            for _ in range(states):
                x = np.array(start.x, float)
                x[1 : 1 + 2 * n] += scatter * chance.normal(size=2 * n)
                out = values_of(program, np.append(x, 1.0)[None])[0]
                if out[-1] == 1.0:
                    found = solver.impact(x, np.array([*mode.contacts, *mode.frictions]), [i])
                    assert found is not None
                    pairs.append((out[:n], found.change))
    return pairs


@pytest.mark.parametrize(
    "name", ["ellipse-billiard", "newtons-cradle", "rocking-block", "sleigh-at-a-wall", "superball"]
)
def test_an_impact_is_that_of_the_engine(name):
    pairs = struck(da.gallery(name).record, 0.1)
    assert len(pairs) >= 8
    for mine, engine in pairs:
        np.testing.assert_allclose(mine, engine, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("mu", [0.05, 0.3, 5.0])
@pytest.mark.parametrize("slip", [-2.0, 2.0])
def test_a_slip_stops_or_goes_on_in_an_impact(mu, slip):
    """With little friction the slip goes on, with much it stops; the program says so exactly where the engine does."""
    pairs = struck(read_text(ROD.format(mu=mu, slip=slip, e=0.4).replace("abs(sin(theta))", "sin(theta)")), 0.02)
    assert len(pairs) >= 6
    for mine, engine in pairs:
        np.testing.assert_allclose(mine, engine, rtol=1e-10, atol=1e-11)


def test_an_impact_without_rebound_keeps_the_gap_closed():
    start = prepare(da.gallery("bouncing-ball").record)
    eq, n = start.hybrid.equations, start.system.n
    program = strike(eq, 0)
    x = np.array(start.x, float)
    x[1 + n] = -2.0
    change, row, rate, fine = values_of(program, np.append(x, 0.0)[None])[0]
    assert (fine, rate) == (1.0, -2.0)
    assert rate + row * change == 0.0


def test_an_opening_gap_has_no_impact():
    start = prepare(da.gallery("bouncing-ball").record)
    eq, n = start.hybrid.equations, start.system.n
    x = np.array(start.x, float)
    x[1 + n] = 2.0
    assert values_of(strike(eq, 0), np.append(x, 1.0)[None])[0][-1] == 0.0
