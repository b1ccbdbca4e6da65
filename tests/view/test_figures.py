"""Figures: sizes by parameters, growing shapes, guessed shapes, fixed surfaces, places of contact."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.api.motion import simulate
from dalembert.model.read import read_text
from dalembert.model.shapes import COLOURS
from dalembert.view.figures import Figure, onto, support
from dalembert.view.film import Film
from dalembert.view.scene import scene
from dalembert.view.stage import Stage
from packed import unpacked


def drawn(name: str, stage: Stage | None = None, **settings: float) -> dict[str, Any]:
    model = da.gallery(name).changed(settings) if settings else da.gallery(name)
    return scene(model.simulate(samples=60), model.record, stage)


def one_body(**stated: Any) -> dict[str, Any]:
    model = da.Model("one")
    model.parameters(R=0.3)
    x = model.coordinate("x", initial=0, speed=1)
    inertia = stated.pop("inertia", ())
    model.body("thing", mass=2, position=[x, 0, 0], inertia=inertia, **stated)
    return scene(model.simulate(duration=1, samples=9), model.record)["bodies"][0]


def test_a_larger_radius_is_a_larger_disk_on_its_contact() -> None:
    stage = Stage.of(da.gallery("rolling-disk").record)
    for R in (0.5, 1.0):
        made = drawn("rolling-disk", stage, R=R)
        (body,), (contact,) = made["bodies"], made["contacts"]
        assert body["shapes"][0]["sizes"][0] == pytest.approx(R)
        apart = unpacked(body["position"]) - unpacked(contact["place"])
        np.testing.assert_allclose(np.linalg.norm(apart, axis=1), R, rtol=1e-3)


@pytest.mark.parametrize("name", ["tippe-top", "rolling-sphere"])
def test_a_ball_off_its_centre_of_mass_stands_on_the_table(name: str) -> None:
    model = da.gallery(name)
    made = scene(model.simulate(dense=True), model.record)
    (body,) = made["bodies"]
    ball = body["shapes"][0]
    x, y, z, w = unpacked(body["rotation"]).T
    up = np.stack([2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)], axis=1)  # the body's own z axis
    centre = unpacked(body["position"]) + ball["at"][2] * up
    np.testing.assert_allclose(centre[:, 2], ball["sizes"][0], rtol=2e-3)  # always one radius above the table


def test_every_model_of_the_gallery_has_its_shapes_stated() -> None:
    for name in da.gallery():
        record = da.gallery(name).record
        assert record.bodies or record.drawings, name
        unstated = {n for n, body in record.bodies.items() if not body.shapes}
        rolling = {rolling.body for rolling in record.rolling.values()}  # these are wheels and balls by themselves
        assert unstated <= rolling, name


SUNK = 0.03  # of the model's size: a thin disk rolls on its middle circle
FLUSH = ("sliding-to-rolling",)  # its table is the plane of the grid
STANDING = ("six-axis-arm", "heisenberg", "mecanum", "appell-hamel", "flyball-governor", "eulers-disk", "ball-in-bowl")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in STANDING else pytest.mark.slow)
        for name in da.gallery()
        if name not in FLUSH
    ],
)
def test_nothing_of_the_gallery_is_in_the_ground(name: str) -> None:
    made = drawn(name)
    if made["ground"] is None:
        return
    plane = made["ground"].get("slope", made["ground"])
    point, normal = np.array(plane["surface"][0] if "surface" in plane else plane["point"]), np.array(plane["normal"])
    film = Film(made)
    low = [
        (film.corners(part, t) - point) @ normal for part in film.parts for t in np.linspace(*film.times[[0, -1]], 40)
    ]
    assert min(map(np.min, low)) > -SUNK * made["outlook"]["size"]


def test_a_floor_is_below_the_whole_motion() -> None:
    """Painlevé's rod falls to the right of the place where it touches."""
    made = drawn("sliding-rod")
    (wall,) = made["walls"]
    reach = unpacked(wall["place"])[:, 0] + np.outer([-wall["half"], wall["half"]], [1.0])
    rod = Film(made)
    ends = [rod.corners(part, t)[:, 0] for part in rod.parts for t in rod.times]
    assert reach.min() < min(map(np.min, ends)) and max(map(np.max, ends)) < reach.max()


def test_a_shape_grows_with_its_model() -> None:
    model = da.gallery("raindrop")
    run = model.simulate(samples=80)
    made = scene(run, model.record)
    (shape,) = made["bodies"][0]["shapes"]
    radius = shape["sizes"][0] * unpacked(shape["growth"])[:, 0]
    times = unpacked(made["times"])[:, 0]
    np.testing.assert_allclose(radius, np.interp(times, run.times, run["radius"]), atol=3e-3 * radius.max())
    chain = next(one for one in drawn("falling-chain")["drawings"] if one["name"] == "chain")
    assert unpacked(chain["shapes"][0]["growth"])[-1, 2] == pytest.approx(1, abs=1e-3)


def test_a_spring_goes_from_end_to_end() -> None:
    model = da.gallery("leaking-oscillator")
    run = model.simulate(samples=2001)
    made = scene(run, model.record)
    spring = next(one for one in made["drawings"] if one["name"] == "spring")
    (shape,) = spring["shapes"]
    length = shape["sizes"][1] * unpacked(shape["growth"])[:, 2]
    x = np.interp(unpacked(made["times"])[:, 0], run.times, run["x"])
    np.testing.assert_allclose(length, x - 0.25 + 1.9, atol=2e-3)
    np.testing.assert_allclose(unpacked(spring["position"])[:, 0], (x - 0.25 - 1.9) / 2, atol=2e-3)


def test_a_slope_slopes() -> None:
    made = drawn("long-1")
    slope = made["ground"]["slope"]
    up = np.array(made["outlook"]["up"])
    assert np.array(slope["normal"]) @ up == pytest.approx(np.cos(np.pi / 6))
    heights = np.array(slope["surface"]) @ up
    assert np.ptp(heights) > 0.3 and np.ptp(np.array(slope["foot"]) @ up) < 1e-9
    assert min(heights) > max(np.array(slope["foot"]) @ up)
    touches = np.concatenate([unpacked(touch["place"]) for touch in made["contacts"]])
    np.testing.assert_allclose((touches - slope["surface"][0]) @ slope["normal"], 0, atol=1e-3)
    for flat in ("rolling-disk", "chaplygin-ball"):
        assert "slope" not in drawn(flat)["ground"]
    assert "slope" in drawn("knife-edge")["ground"]  # the model states only gravity and the plane of the motion


@pytest.mark.parametrize(
    ("inertia", "kind", "sizes"),
    [
        ([0.072, 0.072, 0.072], "ball", (0.3,)),  # 2/5 m r²
        ([0.0465, 0.0465, 0.09], "cylinder", (0.3, 0.095)),
        ([0, 0, 0.5], "box", None),
    ],
)
def test_what_is_not_stated_has_the_bodys_inertia(inertia: list[float], kind: str, sizes: Any) -> None:
    (shape,) = one_body(inertia=inertia)["shapes"]
    assert shape["kind"] == kind
    if sizes:
        np.testing.assert_allclose(shape["sizes"], sizes, rtol=2e-2)


def test_particles_that_touch_are_drawn_touching() -> None:
    model = da.Model("touch")
    x, y = model.coordinates("x y", x=0, y=1)
    model.speeds(x=1)
    one = model.body("one", mass=1, position=[x, 0, 0])
    two = model.body("two", mass=1, position=[y, 0, 0])
    model.contact("hit", gap=da.norm(two - one) - 0.4)
    made = scene(model.simulate(duration=1), model.record)
    assert [body["shapes"][0]["sizes"] for body in made["bodies"]] == [[0.2], [0.2]]


def test_a_rolling_wheel_is_a_wheel() -> None:
    made = drawn("whipple-bicycle", rR=0.33)
    shapes = {body["name"]: body["shapes"][0] for body in made["bodies"]}
    assert shapes["rear_wheel"]["kind"] == "wheel" and shapes["rear_wheel"]["sizes"][0] == 0.33
    assert np.abs(np.array(shapes["rear_wheel"]["turn"])[:, 2]).tolist() == [0, 1, 0]  # its axle is the spin axis


@given(st.tuples(*[st.floats(-1, 1)] * 3))
def test_a_figure_is_turned_to_its_axis(axis: tuple[float, float, float]) -> None:
    n = np.array(axis)
    if np.linalg.norm(n) < 1e-3:
        return
    (turn,) = onto(n[None])
    np.testing.assert_allclose(turn @ [0, 0, 1], n / np.linalg.norm(n), atol=1e-6)
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-5)
    np.testing.assert_array_equal(onto(np.array([[0.0, 0, 3.0]]))[0], np.eye(3))


@given(st.sampled_from(["ball", "box", "ellipsoid", "cylinder"]), st.tuples(*[st.floats(-1, 1)] * 3))
def test_support_is_the_farthest_place(kind: str, direction: tuple[float, float, float]) -> None:
    d = np.array(direction)
    if np.linalg.norm(d) < 0.1:
        return
    d /= np.linalg.norm(d)
    sizes = {"ball": (0.7,), "cylinder": (0.7, 0.4)}.get(kind, (0.7, 0.4, 0.9))
    at = support([Figure(kind, sizes), Figure("ball", (0.01,))], np.eye(3)[None], d[None])[0]
    u = np.random.default_rng(3).normal(size=(4000, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    if kind == "box":
        inside = np.clip(2 * u, -1, 1) * np.array(sizes) / 2
    elif kind == "cylinder":
        flat = u[:, :2] / np.maximum(1, np.linalg.norm(u[:, :2], axis=1, keepdims=True))
        inside = np.column_stack([0.7 * flat, 0.2 * np.sign(u[:, 2])])
    else:
        inside = u * np.array(sizes if kind == "ellipsoid" else (0.7,) * 3)
    assert at @ d >= (inside @ d).max() - 1e-5


def test_colours_and_places_reach_the_scene() -> None:
    body = one_body(shapes=[{"ball": "R", "at": [0.1, 0, "R"], "colour": "wood"}, {"text": "A", "size": 0.2}])
    ball, letter = body["shapes"]
    assert ball == {"kind": "ball", "sizes": [0.3], "at": [0.1, 0, 0.3], "colour": COLOURS["wood"]}
    assert (letter["text"], letter["sizes"]) == ("A", [0.2])


def test_a_mesh_reaches_the_scene(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n")
    monkeypatch.chdir(tmp_path)
    (shape,) = one_body(shape={"mesh": "part.obj", "size": 0.5})["shapes"]
    corners = np.frombuffer(base64.b64decode(shape["mesh"]["corners"]), "<f4").reshape(-1, 3)
    assert sorted(map(tuple, corners.tolist())) == [(0, 0, 0), (0, 1, 0), (2, 0, 0)] and shape["sizes"] == [0.5]


def test_a_shape_without_a_finite_size_is_told_and_not_drawn() -> None:
    model = da.Model("gap")
    x = model.coordinate("x", initial=-1, speed=1)
    body = model.body("thing", mass=1, position=[x, 0, 0], shape={"ball": 0.1})
    model.drawing("ring", torus=da.sqrt(-x) / 4, at=body)
    made = scene(model.simulate(duration=2, samples=41), model.record)
    assert "drawing ring has no finite size" in made["notes"][0]
    growth = unpacked(made["drawings"][0]["shapes"][0]["growth"])
    assert growth[0, 0] == pytest.approx(1) and growth[-1, 0] == 0 and np.isfinite(growth).all()


CAVE = """
gravity = [0, 0, -9.81]
[parameters]
R = 0.2
b = 1
[coordinates]
x = "0.8*sin(0.9)"
y = 0
z = "-0.8*cos(0.9)"
[bodies.ball]
mass = 1
position = ["x", "y", "z"]
inertia = ["0.4*R^2", "0.4*R^2", "0.4*R^2"]
attitude = "quaternion"
[rolling.wall]
body = "ball"
ball = "R"
on = SURFACE
[simulation]
duration = 0.2
samples = 3
"""


@pytest.mark.parametrize(
    ("surface", "off", "slack"),
    [
        ('"z = 0.4*x^2 + 0.1*y - b"', lambda x, y, z: z - 0.4 * x**2 - 0.1 * y + 1, 1e-6),
        ('"b^2 - x^2 - y^2 - z^2 = 0"', lambda x, y, z: 1 - x**2 - y**2 - z**2, 0.01),
    ],
)
def test_what_something_rolls_on_is_drawn(surface: str, off: Any, slack: float) -> None:
    """Corners lie on the surface, and the side of the body is outwards."""
    model = read_text(CAVE.replace("SURFACE", surface))
    found = scene(simulate(model), model)["drawings"]
    (wall,) = [one for one in found if one.get("surface")]
    mesh = wall["shapes"][0]["mesh"]
    corners = np.frombuffer(base64.b64decode(mesh["corners"]), "<f4").reshape(-1, 3).astype(float)
    corners = corners + np.array(wall["position"]["value"])
    faces = np.frombuffer(base64.b64decode(mesh["faces"]), "<u4").reshape(-1, 3)
    assert np.abs(off(*corners.T)).max() < slack and len(faces) > 500
    a, b, c = (corners[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    large = np.linalg.norm(normal, axis=1) > 1e-4
    middle = (a + b + c)[large] / 3
    step = 0.05 * normal[large] / np.linalg.norm(normal[large], axis=1, keepdims=True)
    assert (off(*(middle + step).T) > off(*(middle - step).T)).all()


TANK = """
[coordinates]
x = { initial = 0, speed = 0.5 }
[states]
h = { initial = 1, rate = "-h" }
[inputs]
u = "0.2*t"
[bodies.cart]
mass = 2
position = ["x", 0, 0]
shapes = [
  { box = 0.3 }, { cylinder = [0.15, "h"], at = ["u", 0, "h/2"] }, { ball = "0.1 + 0.1*x'", at = ["x/2", 0, 0] },
]
[drawings.float]
ball = "0.05 + 0.1*u"
at = [0, 1, "h"]
[simulation]
duration = 2
samples = 400
"""


def test_states_inputs_and_speeds_stand_in_sizes_and_places() -> None:
    """h = exp(−t) is the height of a cylinder in the axes of its body, and half of it its place."""
    record = read_text(TANK)
    made = scene(da.Model.of(record).simulate(), record)
    t = unpacked(made["times"])[:, 0]
    box, level, ball = made["bodies"][0]["shapes"]
    assert "growth" not in box
    growth = unpacked(level["growth"])
    np.testing.assert_allclose(level["sizes"][1] * growth[:, 2], np.exp(-t), atol=1e-4)
    place = np.array(level["at"]) + growth[:, 3:]
    np.testing.assert_allclose(place, np.column_stack([0.2 * t, 0 * t, np.exp(-t) / 2]), atol=1e-4)
    np.testing.assert_allclose(ball["sizes"][0], 0.15)
    np.testing.assert_allclose(unpacked(ball["growth"])[:, 3], 0.25 * t, atol=1e-4)
    (piece,) = made["drawings"]
    np.testing.assert_allclose(unpacked(piece["position"])[:, 2], np.exp(-t), atol=1e-4)
    np.testing.assert_allclose(
        piece["shapes"][0]["sizes"][0] * unpacked(piece["shapes"][0]["growth"])[:, 0], 0.05 + 0.02 * t, atol=1e-4
    )
