"""Accelerations and guards written out for a mode of contacts and frictions, against the engine's pivoted solve."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import MathematicsError
from dalembert.motions import touching
from dalembert.motions.touching import ModeSolver
from dalembert.motions.written import written_modes
from dalembert.prepared import prepared
from dalembert.programs.evaluate import values_of
from dalembert.programs.modes import CLOSED, OPEN, SLIP, STICK, guards_in, modes, slopes_in

MODELS = [
    "zhang-mei-ball", "tippe-top", "tippe-top-quaternion", "sliding-rod", "sleigh-at-a-wall", "rocking-block",
    "sliding-to-rolling",
]  # fmt: skip


def drawn(start, chance, places):
    x = start.copy()
    x[1 : 1 + places] += chance.uniform(-0.3, 0.3, places)
    return x


@pytest.mark.parametrize("name", MODELS)
def test_programs_of_modes_agree_with_the_engine(name):
    ready = prepared(da.gallery(name).record)
    hybrid, chance = ready.hybrid, np.random.default_rng(3)
    eq, u, start = hybrid.equations, hybrid.unilateral, ready.at().x
    instant, first, met = ModeSolver(hybrid), len(hybrid.equations.b), set()
    for mode in modes(eq):
        slopes, guards = slopes_in(eq, mode), guards_in(eq, mode)
        for _ in range(6):
            x = drawn(start, chance, 2 * len(eq.q))
            try:
                a, nu = instant.forces(x, np.array([*mode.contacts, *mode.frictions]))
            except MathematicsError:
                a, nu = None, np.zeros(len(hybrid.system.equations.b))
            laws = hybrid.function(x)
            along = [np.sign(laws[f.slips[0]]) for f in u.frictions]
            side = [1.0 if f.constraint is None else np.sign(nu[f.constraint]) for f in u.frictions]
            given = np.array([[*x, *along, *side]])
            *found, fine = values_of(slopes, given)[0]
            if a is None:
                assert fine == 0.0  # the rows of this mode are redundant or contradict
                continue
            if fine == 0.0:
                continue
            met.add(mode)
            scale = 1 + np.abs(a).max()
            np.testing.assert_allclose(found, a, rtol=0, atol=1e-11 * scale)
            seen = values_of(guards, given)[0]
            for i, contact in enumerate(u.contacts):
                expected = hybrid.gaps(x)[i] if mode.contacts[i] == OPEN else nu[first + contact.gap]
                assert seen[i] == pytest.approx(expected, abs=1e-11 * scale)
            for j, friction in enumerate(u.frictions):
                own = seen[len(u.contacts) + j]
                slips = [first + row for row in friction.slips]
                coefficient = laws[len(u.psi) + j]
                if friction.contact is not None:
                    normal = nu[first + u.contacts[friction.contact].gap]
                elif friction.constraint is not None:
                    normal = abs(nu[friction.constraint])
                else:
                    normal = laws[len(u.psi) + 2 * len(u.frictions) + j]
                held = sum(nu[first + row] ** 2 for row in friction.held)
                if mode.frictions[j] == SLIP:  # on the cone, against the slip
                    speeds = np.array([laws[row] for row in friction.slips])
                    assert own == pytest.approx(abs(speeds[0]) if len(slips) == 1 else speeds @ speeds)
                    assert nu[slips] @ nu[slips] + held == pytest.approx((coefficient * normal) ** 2, rel=1e-9)
                elif mode.frictions[j] == STICK and not friction.rough:
                    static = laws[len(u.psi) + len(u.frictions) + j]
                    limit = static**2 * normal * abs(normal)
                    assert own == pytest.approx(limit - held - nu[slips] @ nu[slips], abs=1e-9 * (1 + abs(limit)))
    assert any(CLOSED in mode.contacts or SLIP in mode.frictions for mode in met)
    assert len(met) >= 2


@pytest.mark.parametrize("name", ["sliding-rod", "zhang-mei-ball", "sliding-to-rolling"])
def test_motions_are_the_same_by_programs_of_modes_and_by_pivoted_solves(name, monkeypatch):
    asked = []

    def watched(system, eq):
        found = written_modes(system, eq)
        asked.append(len(found))
        return found

    monkeypatch.setattr(touching, "written_modes", watched)
    written = da.gallery(name).simulate(tolerance=1e-11)
    assert asked[-1] >= 2
    monkeypatch.setattr(touching, "written_modes", lambda system, eq: {})
    solved = da.gallery(name).simulate(tolerance=1e-11)
    assert [event.kind for event in written.events] == [event.kind for event in solved.events]
    for coordinate in written.coordinates:
        np.testing.assert_allclose(written[coordinate], solved[coordinate], atol=1e-8)
