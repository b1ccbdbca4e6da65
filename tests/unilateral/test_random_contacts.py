"""Conditions that every motion with contacts must satisfy, on random models."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.errors import MathematicsError

END = 2.0
HONEST = ("would add energy", "no state of the contacts", "more than one state", "without time advancing")
REFUSALS = 0.1  # the largest share of refusals
LEAST = 2  # draws that show each kind of event
examples = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@dataclass(frozen=True)
class Case:
    model: da.Model
    frictions: dict[str, float]  # coefficient by contact


def combination(weights: np.ndarray, terms: list[Any]) -> Any:
    total = float(weights[0]) * terms[0]
    for weight, term in zip(weights[1:], terms[1:], strict=True):
        total = total + float(weight) * term
    return total


@st.composite
def cases(draw: st.DrawFn, pressed: bool = False) -> Case:
    """Up to three coordinates with a mass matrix that turns with them, springs, and up to three bent walls.

    With `pressed`, a load that comes and goes presses into all walls, which are rougher and bounce less.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, walls = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    law = draw(st.sampled_from(["newton", "poisson"]))
    model = da.Model("random")
    q = [model.coordinate(f"q{i}", initial=0, speed=float(rng.uniform(-1, 1))) for i in range(n)]
    speeds = [c.dot for c in q]
    kinetic = 0.1 * da.cos(q[-1]) ** 2 * speeds[0] ** 2
    for row in np.eye(n) + 0.3 * rng.normal(size=(n, n)):
        kinetic = kinetic + 0.5 * combination(row, speeds) ** 2
    potential = combination(rng.uniform(-3, 3, n), q)
    for c in q:
        potential = potential + float(rng.uniform(0, 4)) * c**2
    normals = [row / np.linalg.norm(row) for row in rng.normal(size=(walls, n))]
    if pressed:
        load = float(rng.uniform(3, 6)) + float(rng.uniform(0, 12)) * da.sin(float(rng.uniform(3, 8)) * da.t)
        potential = potential + load * combination(np.sum(normals, axis=0), q)
    model.energy(kinetic=kinetic, potential=potential)
    frictions = {}
    for k, normal in enumerate(normals):
        bend = float(rng.uniform(-0.2, 0.2)) * da.sin(q[int(rng.integers(n))]) ** 2
        gap = float(rng.uniform(0.1, 0.6)) + combination(normal, q) + bend
        further = {}
        if n > 1 and (pressed or draw(st.booleans())):
            along = rng.normal(size=n)
            along -= 0.8 * (along @ normal) * normal
            frictions[f"wall{k}"] = float(rng.uniform(0, 1.2 if pressed else 0.6))
            further = {"slip": [combination(along, speeds)], "friction": frictions[f"wall{k}"]}
        restitution = draw(st.sampled_from([0.0, 0.3] if pressed else [0.0, 0.3, 0.6, 0.8, 1.0]))
        model.contact(f"wall{k}", gap=gap, restitution=restitution, law=law, **further)
        model.define(f"gap{k}", gap)
    return Case(model, frictions)


def moved(model: da.Model, tolerance: float) -> Any:
    """The motion, or None if the answer says that rigid bodies have no motion."""
    try:
        return model.simulate(until=END, samples=201, tolerance=tolerance)
    except MathematicsError as error:
        assert any(reason in str(error) for reason in HONEST), error
        return None


def test_walls_hold_impacts_lose_and_friction_stays_in_its_cone() -> None:
    """Refusals are few, and the draws are not thin: contacts stick, slip, collide together and bounce to rest."""
    met: Counter[str] = Counter()

    @given(st.one_of(cases(), cases(pressed=True), cases(pressed=True)))
    @settings(examples, max_examples=36)
    def one(case: Case) -> None:
        motion = moved(case.model, 1e-10)
        met["drawn"] += 1
        if motion is None:
            met["refused"] += 1
            return
        met.update({event.kind for event in motion.events})
        closed = sum(mode == "closed" for name, mode in motion.modes.items() if "slip" not in name)
        met["two at once"] += bool(np.max(closed) > 1)
        check_laws(case, motion)

    one()
    assert met["refused"] <= REFUSALS * met["drawn"]
    for kind in ("stick", "slip", "chatter", "liftoff", "two at once"):
        assert met[kind] >= LEAST, kind


def check_laws(case: Case, motion: Any) -> None:
    size = 1.0 + np.abs(motion.energy["kinetic"]).max()
    for name, values in motion.definitions.items():
        assert values.min() > -1e-9, name
    for event in motion.events:
        if event.kind == "impact":
            assert event.impulse > 0
            assert event.energy <= 1e-11 * size
    for contact in (name for name, mode in motion.modes.items() if "slip" not in name):
        force, closed = motion.multipliers[contact], motion.modes[contact] == "closed"
        assert force[closed].min(initial=0.0) >= -1e-7 * size
        assert not force[~closed].any()
        if contact in case.frictions:
            cone = case.frictions[contact] * force
            assert np.all(np.abs(motion.multipliers[f"{contact}.slip"]) <= cone + 1e-7 * size)


@given(cases())
@examples
def test_energy_goes_only_where_it_is_said_to(case: Case) -> None:
    """Without sustained friction the energy is the initial energy minus the losses at impacts."""
    motion = moved(case.model, 1e-11)
    if motion is None or case.frictions or any(event.kind == "chatter" for event in motion.events):
        return
    taken = {event.time: event.energy for event in motion.events if event.kind == "impact"}
    lost = [sum(energy for time, energy in taken.items() if time <= t) for t in motion.times]
    total = motion.energy["total"]
    assert total == pytest.approx(total[0] + np.array(lost), abs=1e-7 * (1 + np.abs(total).max()))


@given(cases())
@examples
def test_half_the_tolerance_is_the_same_motion(case: Case) -> None:
    """Up to the first grazing: a touch so slow that it depends on the tolerance."""
    coarse, fine = moved(case.model, 1e-10), moved(case.model, 5e-11)
    if coarse is None or fine is None:
        return
    until = first_grazing(coarse, fine)
    early = coarse.times < until
    impacts = sum(event.kind == "impact" for event in coarse.events)
    for name in coarse.coordinates:
        size = 1.0 + np.abs(coarse[f"{name}'"]).max()
        assert coarse[name][early] == pytest.approx(fine[name][early], abs=1e-7 * size * (1 + impacts))


def first_grazing(*motions: Any) -> float:
    """The first event that not all of the motions have, or infinity."""
    lists = [[e for e in motion.events if e.kind in ("impact", "contact", "liftoff")] for motion in motions]
    for events in zip(*lists, strict=False):
        if len({(e.kind, e.name) for e in events}) > 1 or np.ptp([e.time for e in events]) > 1e-5:
            return min(e.time for e in events)
    rest = [events[min(map(len, lists))].time for events in lists if len(events) > min(map(len, lists))]
    return min(rest, default=np.inf)
