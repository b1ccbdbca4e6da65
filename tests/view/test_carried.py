"""The engine in WebAssembly: motions in node are those of this processor, to 1e-9 at equal tolerance."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.api.motion import simulate_from
from dalembert.errors import ModelError
from dalembert.motions.browser import engine_module
from dalembert.prepared import prepared
from dalembert.view.laboratory import engine_text, laboratory

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="no node"),
    pytest.mark.skipif(engine_module() is None, reason="the engine was built without ziglang"),
]
SAME = 1e-9  # of the largest value of a coordinate or speed
AMPLIFIED = {  # models that make a rounding larger than SAME, and why
    "tippe-top": "it slides fast on a small foot",
    "n-four-bar": "it passes singular positions",
    "eulers-disk": "it turns faster and faster, and ends in finite time",
}


def in_node(model, folder: Path, motions):
    """Each of `motions` has settings, times and the end."""
    told = [{"settings": s, "times": list(map(float, times)), "end": end} for s, times, end in motions]
    request = {"engine": engine_text(), "told": laboratory(model.record), "motions": told}
    (folder / "request.json").write_text(json.dumps(request))
    script = files("dalembert.view") / "static" / "engine.js"
    command = ["node", str(Path(__file__).parent / "carried.mjs"), str(script), str(folder / "request.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def same(model, folder, settings, until=None, samples=41):
    here = simulate_from(
        prepared(model.record).at(settings), until=until, samples=samples
    )  # parameters are arguments, too
    end = float(here.times[-1])
    (there,) = in_node(model, folder, [(settings, here.times, end)])
    assert there["status"] == here.status
    states = np.array(there["states"]).reshape(len(here.times), -1)
    for i, (kind, name) in enumerate((k, n) for k in ("coordinates", "speeds") for n in here.coordinates):
        right = getattr(here, kind)[name]
        assert np.abs(states[:, i] - right).max() <= SAME * (1.0 + np.abs(right).max()), (kind, name)
    assert [event["kind"] for event in there["events"]] == [event.kind for event in here.events]
    times = np.array([[one["time"], other.time] for one, other in zip(there["events"], here.events, strict=True)])
    assert np.abs(np.diff(times.reshape(-1, 2))).max(initial=0.0) <= SAME * (1.0 + end)
    return here, there


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("rolling-disk", {"R": 0.3, "lean": 0.4, "roll'": 6.0}),
        ("whipple-bicycle", {"v": 4.0, "phi": 0.05}),
        ("four-bar", {}),
        ("bouncing-ball", {"e": 0.6}),
        ("zhang-mei-ball", {}),
        ("sliding-to-rolling", {}),
        ("disk-off-a-ledge", {}),
        ("segway", {"cruise": 1.5, "error": 0.2}),  # a state and a controller
        ("rocket-with-slosh", {"fuel": 250, "k": 4000}),  # a state that follows data
        ("mecanum", {"R": 0.12}),  # data of three kinds
    ],
)
def test_the_same_motion(name, settings, tmp_path):
    here, there = same(da.gallery(name), tmp_path, settings)
    states = np.array(there["states"]).reshape(len(here.times), -1)
    for i, (state, right) in enumerate(here.states.items(), start=2 * len(here.coordinates)):
        assert np.abs(states[:, i] - right).max() <= SAME * (1.0 + np.abs(right).max()), state


@pytest.mark.parametrize(
    "more",
    [
        """[forces.drag]
    body = "bob"
    force = ["-0.3*sign(x')", 0, 0]""",
        """[events.slack]
    when = "multiplier.rod + 5"
    [events.turn]
    when = "x'' - 1" """,
    ],
    ids=["kinks", "events of forces"],
)
def test_kinks_and_events_of_forces(more, tmp_path):
    text = f"""
    gravity = [0, -9.81, 0]
    [coordinates]
    x = 0.8
    y = -0.6
    [bodies.bob]
    mass = 1
    position = ["x", "y", 0]
    [constraints]
    rod = "x^2 + y^2 = 1"
    {more}
    [simulation]
    duration = 4
    """
    (tmp_path / "bob.toml").write_text(text)
    here, there = same(da.load(tmp_path / "bob.toml"), tmp_path, {})
    assert len(here.events) > 2
    forces = np.array(there["forces"]).reshape(len(here.times), -1)
    right = here.multipliers["rod"]
    assert np.abs(forces[:, 2] - right).max() < 1e-7 * (1 + np.abs(right).max())


def test_what_is_set_reaches_what_follows(tmp_path):
    """A parameter that is a formula of another, a start that the constraints correct, a unit that is not of SI."""
    text = """
    [parameters]
    R = { value = 50, unit = "cm" }
    L = "2*R"
    [coordinates]
    x = "L"
    y = 0
    [speeds]
    y = 1
    [bodies.bob]
    mass = 1
    position = ["x", "y", 0]
    [constraints]
    rod = "x^2 + y^2 = L^2"
    """
    (tmp_path / "rod.toml").write_text(text)
    model = da.load(tmp_path / "rod.toml")
    same(model, tmp_path, {})
    _, there = same(model, tmp_path, {"R": 75, "y": 0.4}, until=2.0)
    first = np.array(there["states"][:2])
    assert abs(np.hypot(*first) - 1.5) < 1e-12
    assert abs(first[1]) > 0.1


def test_multipliers(tmp_path):
    here, there = same(da.gallery("rolling-disk"), tmp_path, {})
    forces = np.array(there["forces"]).reshape(len(here.times), -1)
    for i, (name, right) in enumerate(here.multipliers.items()):
        assert np.abs(forces[:, len(here.coordinates) + i] - right).max() < 1e-8 * (1 + np.abs(right).max()), name


def test_a_page_goes_on_with_the_tolerance_of_its_motion():
    assert '"tolerance":1e-06' in da.gallery("simple-pendulum").simulate(tolerance=1e-6).animate().html()


def table(motion, count):
    """Coordinates and speeds, a row for each of the first instants."""
    rows = [getattr(motion, kind)[name] for kind in ("coordinates", "speeds") for name in motion.coordinates]
    return np.array(rows).T[:count]


@pytest.mark.parametrize("name", AMPLIFIED)
def test_a_motion_that_amplifies_roundings(name, tmp_path):
    """The page's motion is as near to that of this processor as two motions of this processor are to each other.

    The starts of these two are one rounding apart, in one coordinate after the other. While they agree to SAME, so does
    the page. Later it may be twice as far away: it is one more motion of that family, on the other side.
    """
    record = da.gallery(name).record
    ready = prepared(record)
    here = simulate_from(ready.at({}), samples=41)
    (there,) = in_node(da.gallery(name), tmp_path, [({}, here.times, float(record.simulation.duration))])
    width = 2 * len(here.coordinates)
    page = np.array(there["states"]).reshape(-1, width)
    count = len(page)
    assert there["status"] == here.status
    assert count >= len(here.times) - 1  # an end in finite time has a last digit of its own
    right = table(here, count)
    size = 1.0 + np.abs(right).max(axis=0)
    spread = np.zeros(count)
    for q in here.coordinates:
        start = float(here[q][0])
        near = simulate_from(ready.at({q: start + np.spacing(max(1.0, abs(start)))}), samples=41)
        spread = np.maximum(spread, (np.abs(table(near, count) - right) / size).max(axis=1))
    spread = np.maximum.accumulate(spread)
    assert spread[-1] > SAME  # otherwise the model belongs to the others
    off = (np.abs(page - right) / size).max(axis=1)
    assert np.all(off <= np.where(spread <= SAME, SAME, 2 * spread)), list(zip(here.times, off, spread, strict=False))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have other libraries of functions")
@pytest.mark.parametrize(
    "name",
    [
        *AMPLIFIED,  # pivots, modes of contacts, an end in finite time
        "mobile-arm",  # kinks and redundant rows
        "newtons-cradle",  # impacts
        "segway",  # a controller
    ],
)
def test_the_same_bits(name, tmp_path):
    """A page steps the programs of Python, from the same natural sizes."""
    here = simulate_from(prepared(da.gallery(name).record).at({}), samples=41)
    (there,) = in_node(
        da.gallery(name), tmp_path, [({}, here.times[:-1], float(da.gallery(name).record.simulation.duration))]
    )
    page = np.array(there["states"]).reshape(len(here.times) - 1, -1)
    assert np.array_equal(page[:, : 2 * len(here.coordinates)], table(here, len(page)))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in da.gallery() if name not in AMPLIFIED])
def test_the_gallery(name, tmp_path):
    try:
        laboratory(da.gallery(name).record)
    except ModelError as error:
        pytest.skip(str(error))
    same(da.gallery(name), tmp_path, {})


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("heisenberg", "a page cannot start motions of the method vakonomic"),
    ],
)
def test_what_a_page_cannot_compute(name, sentence):
    with pytest.raises(ModelError, match=sentence):
        laboratory(da.gallery(name).record)
