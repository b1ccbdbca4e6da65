"""Scenes: packed numbers, instants, arrows that do the work of the reactions they stand for, shapes, outlook."""

from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.collection.nlink import nlink
from dalembert.results.motion import Motion
from dalembert.view import stage as stages
from dalembert.view.arrows import Arrow, arrows
from dalembert.view.drawn import quaternions
from dalembert.view.frames import Frames
from dalembert.view.instants import course, instants
from dalembert.view.packing import coarse, exact
from dalembert.view.page import page
from dalembert.view.scene import scene
from dalembert.view.stage import Stage
from packed import unpacked


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 3), min_size=1, max_size=20))
def test_packing_is_as_exact_as_it_says(rows: list[tuple[float, float, float]]) -> None:
    values = np.array(rows)
    error = np.abs(unpacked(coarse(values)) - values)
    assert (error <= np.ptp(values, axis=0) / 131070 * (1 + 1e-9) + 1e-9).all()
    np.testing.assert_array_equal(unpacked(exact(values)), values)


@given(st.lists(st.tuples(*[st.floats(-4, 4)] * 3), min_size=1, max_size=12))
def test_quaternions_are_the_rotations(angles: list[tuple[float, float, float]]) -> None:
    from scipy.spatial.transform import Rotation

    turned = Rotation.from_euler("zxz", np.array(angles))
    found = quaternions(turned.as_matrix())
    np.testing.assert_allclose(Rotation.from_quat(found).as_matrix(), turned.as_matrix(), atol=1e-12)
    assert (np.sum(found[1:] * found[:-1], axis=1) >= -1e-12).all()


def frames_of(name: str, method: str | None = None, **settings: float) -> Frames:
    """A motion at its own samples, so that reactions need no interpolation."""
    model = da.gallery(name)
    run = model.simulate(method, samples=40, settings={k.replace("_dot", "'"): v for k, v in settings.items()})
    stage = Stage.of(model.record)
    q = np.array([run[q] for q in run.coordinates]).T
    v = np.array([run[f"{q}'"] for q in run.coordinates]).T
    x = stage.states(model.changed({k.replace("_dot", "'"): v for k, v in settings.items()}).record, run.times, q, v)
    return Frames(stage, run, run.times, x, 1.0, stage.drawn(x), stage.acting(x))


def columns(frames: Frames, name: str, arrow: Arrow) -> np.ndarray:
    """∂v/∂q̇ of a body's material point where the arrow is, ∂ω/∂q̇ where it turns.

    For a named point, by differences of the drawn places.
    """
    bodies = frames.stage.record.bodies
    if name in bodies:
        J = frames.stage.partial(frames.x)[name]
        if arrow.turns:
            return J[:, 3:]
        arm = arrow.place - frames.drawn[f"body {name}"][:, :3]
        return J[:, :3] + np.cross(J[:, 3:].transpose(0, 2, 1), arm[:, None]).transpose(0, 2, 1)
    n, h = len(frames.stage.names), 1e-6
    found = []
    for j in range(n):
        step = np.zeros(frames.x.shape[1])
        step[1 + j] = h
        ahead, behind = (frames.stage.drawn(frames.x + sign * step)[f"point {name}"] for sign in (1, -1))
        found.append((ahead - behind) / (2 * h))
    return np.stack(found, axis=2)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("rolling-disk", {}),
        ("whipple-bicycle", {"phi_dot": 0.5}),
        ("chaplygin-sleigh", {}),
        ("qiao-sleigh", {}),
        ("double-pendulum-cartesian", {}),
        ("appell-hamel", {}),
        ("sliding-rod", {}),
        ("sleigh-at-a-wall", {}),
        ("rattleback", {}),
        ("trailer", {}),
        ("sun-1", {}),
        ("suslov", {}),  # a couple
        ("snakeboard", {}),  # forces, and couples between two bodies
        ("roller-racer", {}),
        ("nonholonomic-particle", {"method": "vakonomic"}),  # not along the constraint's gradient
    ],
)
def test_arrows_do_the_work_of_the_reactions(name: str, settings: dict[str, Any]) -> None:
    frames = frames_of(name, **settings)
    found = [arrow for arrow in arrows(frames, {}) if arrow.kind in ("reaction", "contact")]
    assert found
    ends = [(a, a.body, 1.0) for a in found] + [(a, a.against, -1.0) for a in found if a.against]
    power = sum(sign * np.einsum("tij,ti->tj", columns(frames, body, a), a.vector) for a, body, sign in ends)
    whole = np.zeros_like(power)
    for reaction in frames.motion.reactions.values():
        for q, values in reaction.items():
            whole[:, frames.stage.names.index(q)] += values
    np.testing.assert_allclose(power, whole, atol=1e-7 * (1 + np.abs(whole).max()))


def test_a_servo_between_two_bodies_is_a_couple() -> None:
    found = {arrow.name: arrow for arrow in arrows(frames_of("snakeboard"), {})}
    assert {name: arrow.turns for name, arrow in found.items()} == {
        "nose_wheels": False, "tail_wheels": False, "steers": True, "swings": True,
    }  # fmt: skip
    assert {found["swings"].body, found["swings"].against} == {"board", "rotor"}
    assert np.all(found["swings"].vector[:, :2] == 0)  # about the vertical


def test_a_torque_of_the_model_is_a_couple_at_its_body() -> None:
    model = da.gallery("andrews-squeezer")
    seen = scene(model.simulate(samples=20), model.record)
    (drive,) = seen["couples"]
    assert (drive["name"], drive["kind"], drive["body"]) == ("drive", "force", "K1")
    assert not {"drive"} & {arrow["name"] for arrow in seen["arrows"]}
    np.testing.assert_allclose(unpacked(drive["vector"])[-1], [0, 0, 0.033], rtol=1e-6)


def test_weights_are_weights() -> None:
    frames = frames_of("rolling-disk")
    (weight,) = [arrow for arrow in arrows(frames, {}) if arrow.kind == "weight"]
    np.testing.assert_allclose(weight.vector, np.broadcast_to([0, 0, -9.81], weight.vector.shape))


def test_between_samples_the_motion_goes_on_and_corners_stay() -> None:
    model = da.gallery("bouncing-ball")
    coarse_run, fine = model.simulate(samples=60), model.simulate(samples=3001)
    run = course(coarse_run)
    q, _ = run.at(fine.times)
    before = fine.times < 3.5  # later, impacts come faster than samples; the course still has every one of them
    np.testing.assert_allclose(q[before, 0], fine["z"][before], atol=1e-6)
    impact = coarse_run.events[0].time
    assert run.at(np.array([impact]), after=False)[1][0, 0] == pytest.approx(-((2 * 9.81) ** 0.5))
    assert run.at(np.array([impact]), after=True)[1][0, 0] == pytest.approx(0.8 * (2 * 9.81) ** 0.5)


def test_instants_miss_nothing_that_can_be_seen() -> None:
    run = da.gallery("double-pendulum").simulate(dense=True)
    way = course(run)

    def drawn(times: np.ndarray) -> np.ndarray:
        q, _ = way.at(times)
        return np.column_stack([np.sin(q[:, 0]) + np.sin(q[:, 1]), -np.cos(q[:, 0]) - np.cos(q[:, 1])])

    times = instants(run, way, drawn, 1e-3)
    assert len(times) < 6000
    middles = (times[1:] + times[:-1]) / 2
    ends = drawn(times)
    assert np.abs(drawn(middles) - (ends[1:] + ends[:-1]) / 2).max() < 2e-3


def test_a_wheel_that_turns_fast_does_not_seem_to_stand() -> None:
    model = da.Model("fast")
    a = model.coordinate("a", initial=0, speed=2 * np.pi * 12)  # one turn for each tenth interval of the first division
    model.body(
        "wheel", mass=1, position=[0, 0, 0], rotation=[("z", a)], inertia=[1, 1, 2], shape={"cylinder": [1, 0.1]}
    )
    made = scene(model.simulate(duration=10), model.record)
    turn = unpacked(made["bodies"][0]["rotation"])
    steps = 2 * np.arccos(np.clip(np.abs(np.sum(turn[1:] * turn[:-1], axis=1)), 0, 1))
    assert steps.max() < 1.2


def test_another_value_of_a_parameter_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = da.gallery("rolling-disk")
    stage = Stage.of(model.record)
    first = scene(model.simulate(samples=20), model.record, stage)
    monkeypatch.setattr(stages, "compiled", lambda *_: pytest.fail("compiled again"))
    other = model.changed({"R": 0.3})
    second = scene(other.simulate(samples=20), other.record, stage)
    heights = [unpacked(made["bodies"][0]["position"])[0, 2] for made in (first, second)]
    assert heights[1] / heights[0] == pytest.approx(0.6, rel=1e-3)


@pytest.mark.parametrize(("edges", "turn"), [((2.0, 1.0, 0.5), 0.0), ((1.0, 0.7, 0.9), 0.4)])
def test_a_box_is_found_from_its_inertia(edges: tuple[float, float, float], turn: float) -> None:
    a, b, c = np.array(edges) ** 2 / 12 * 3.0
    cos, sin = np.cos(turn), np.sin(turn)
    R = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    J = R @ np.diag([b + c, a + c, a + b]) @ R.T
    model = da.Model("box")
    angle = model.coordinate("angle", initial=0, speed=1)
    inertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[1, 2], J[0, 2]]
    model.body("box", mass=3, position=[0, 0, 0], rotation=[("z", angle)], inertia=inertia)
    made = scene(model.simulate(samples=5), model.record)
    shape = made["bodies"][0]["shapes"][0]
    ratio = np.sort(shape["sizes"]) / np.sort(edges)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "up", "planar", "eye"),
    [
        ("whipple-bicycle", [0, 0, -1], False, None),  # z points down
        ("rolling-disk", [0, 0, 1], False, None),
        ("double-pendulum", [0, 1, 0], True, [0, 0, 1]),
        ("bouncing-ball", [0, 0, 1], True, [0, -1, 0]),  # x to the right
        ("chaplygin-sleigh", [0, 0, 1], False, None),  # no gravity, but the model states the upward direction
    ],
)
def test_outlook(name: str, up: list[float], planar: bool, eye: list[float] | None) -> None:
    model = da.gallery(name)
    seen = scene(model.simulate(samples=50), model.record)["outlook"]
    np.testing.assert_allclose(seen["up"], up, atol=1e-12)
    assert seen["planar"] is planar
    if eye is not None:
        np.testing.assert_allclose(seen["eye"], eye, atol=1e-12)


def test_contacts_tell_whether_they_roll_slide_or_are_open() -> None:
    model = da.gallery("sliding-to-rolling")
    run = model.simulate()
    made = scene(run, model.record)
    (contact,) = made["contacts"]
    mode = [contact["modes"][int(code)] for code in unpacked(contact["mode"])[:, 0]]
    assert (mode[0], mode[-1]) == ("sliding", "rolling")
    (stick,) = [event.time for event in run.events if event.kind == "stick"]
    times = unpacked(made["times"])[:, 0]
    assert mode[int(np.searchsorted(times, stick)) - 1] == "sliding"
    place = unpacked(contact["place"])
    np.testing.assert_allclose(place[:, 2], 0.0, atol=1e-6)  # under the ball, not in its middle


def test_walls_stand_where_the_gap_closes() -> None:
    model = da.gallery("ellipse-billiard")
    (wall,) = scene(model.simulate(), model.record)["walls"]
    turn = np.linspace(0, 2 * np.pi, 2001)
    ellipse = np.column_stack([2 * np.cos(turn), np.sin(turn)])
    line = np.array(wall["line"])[:, :2]
    far = np.linalg.norm(line[:, None] - ellipse, axis=2).min(axis=1)
    np.testing.assert_allclose(far, 0.09, atol=1e-3)  # the radius of the drawn ball, which touches outside
    assert (np.hypot(line[:, 0] / 2, line[:, 1]) > 1).all()
    model = da.gallery("bouncing-ball")
    made = scene(model.simulate(), model.record)
    (wall,) = made["walls"]
    np.testing.assert_allclose(unpacked(wall["place"])[:, 2], 0, atol=1e-9)  # under the ball, whose lowest point is z


def test_rods_are_drawn_where_distances_stay() -> None:
    def rods(name: str) -> set[str]:
        model = da.gallery(name)
        return {rod["name"] for rod in scene(model.simulate(samples=101), model.record)["links"]}

    assert rods("double-pendulum-cartesian") == {"origin – upper", "upper – lower"}
    assert rods("newtons-cradle") == {"origin – one", "rod of two", "rod of three"}
    assert rods("ellipse-billiard") == set()


def test_a_model_without_bodies_shows_its_configuration() -> None:
    model = da.gallery("car-axis")
    run = model.simulate(samples=20)
    made = scene(run, replace(model.record, drawings=MappingProxyType({})))
    assert [body["name"] for body in made["bodies"]] == ["(xl, yl)", "(xr, yr)"]
    made = scene(run, model.record)
    assert not made["bodies"]
    axle = next(one for one in made["drawings"] if one["name"] == "axle")
    middle = [(run["xl"][0] + run["xr"][0]) / 2, (run["yl"][0] + run["yr"][0]) / 2, 0]
    np.testing.assert_allclose(unpacked(axle["position"])[0], middle, atol=1e-4)


def test_a_minute_of_ten_bodies_fits_into_five_megabytes() -> None:
    record = nlink(10)
    model = da.Model.of(record)
    run = model.simulate(until=60.0, tolerance=1e-6, dense=True)
    made = scene(run, record)
    assert len(unpacked(made["times"])) <= 6000
    assert len(page(made).encode()) < 5_000_000
    json.loads(json.dumps(made, allow_nan=False))


def test_one_instant_and_times_out_of_order_are_drawn() -> None:
    model = da.gallery("chaplygin-sleigh")
    assert len(unpacked(scene(model.simulate(at=[1.0]), model.record)["times"])) == 1
    made = scene(model.simulate(at=[2.0, 0.5, 1.0]), model.record)
    assert (np.diff(unpacked(made["times"])[:, 0]) > 0).all()


def test_a_notebook_shows_a_frame_that_can_reach_nothing() -> None:
    run: Motion = da.gallery("chaplygin-sleigh").simulate(samples=20)
    frame = run.animate(autoplay=True)._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts" ')
    assert "allow-same-origin" not in frame
    assert frame.count("<") == 2  # other markup is escaped
    assert "&quot;autoplay&quot;:true" in frame


def test_rods_written_in_coordinates_pull_at_both_ends() -> None:
    model = da.Model("two particles on a rod")
    x1, y1, x2, y2 = model.coordinates("x1 y1 x2 y2", x1=0, y1=0, x2=1, y2=0)
    model.speeds(y2=3)
    for i, (x, y) in enumerate([(x1, y1), (x2, y2)], 1):
        model.body(f"p{i}", mass=i, position=[x, y, 0])
    model.constraint("rod", (x2 - x1) ** 2 + (y2 - y1) ** 2 - 1)
    run = model.simulate(duration=2)
    made = scene(run, model.record)
    assert [rod["name"] for rod in made["links"]] == ["p1 – p2"]
    pulls = {arrow["body"]: unpacked(arrow["vector"]) for arrow in made["arrows"]}
    np.testing.assert_allclose(pulls["p1"], -pulls["p2"], atol=1e-6)
    tension = 3**2 * 1 * 2 / (1 + 2)  # reduced mass 2/3, relative speed 3, length 1
    np.testing.assert_allclose(np.linalg.norm(pulls["p1"], axis=1), tension, rtol=1e-5)


def test_arrows_start_where_their_forces_act() -> None:
    """A table pushes a top from below, not at its centre; the four wheels of a platform carry one force each."""

    def points(name: str) -> dict[str, str]:
        model = da.gallery(name)
        return {a["name"]: a.get("point") for a in scene(model.simulate(duration=0.1), model.record)["arrows"]}

    assert points("tippe-top")["table"] == "touch"
    assert points("mecanum") == {"front_left": "fl", "front_right": "fr", "rear_left": "rl", "rear_right": "rr"}


def test_tips_of_arrows_are_in_the_picture() -> None:
    model = da.gallery("sun-1")
    made = scene(model.simulate(), model.record)
    highest = min(unpacked(a["place"])[:, 0].min() for a in made["arrows"] if a["kind"] == "reaction")
    assert made["outlook"]["low"][0] < highest - 0.2  # x points down, and the hinge at the top pulls upwards
