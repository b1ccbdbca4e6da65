"""Bodies that roll on surfaces, against planes, each other and rows written by hand, by every method."""

import pytest

import dalembert as da
from dalembert.collection import text as gallery_text
from dalembert.errors import ModelError
from dalembert.model.read import model_of, read_text
from dalembert.model.values import initial_values
from dalembert.model.write import write_text
from machines import same_bodies

START = {"x": 0.3, "y": -0.2, "z": 1.0, "psi": 0.4, "theta": 1.1, "phi": 0.3}
SPEEDS = {"psi": 0.7, "theta": -0.5, "phi": 2.0}
BODY = {
    "mass": 2,
    "position": ["x", "y", "z"],
    "rotation": [["z", "psi"], ["x", "theta"], ["z", "phi"]],
    "inertia": [0.3, 0.4, 0.5, 0.02, -0.01, 0.03],
}
KINDS = {
    "ball": {"ball": 0.5},
    "wheel": {"wheel": 0.6},
    "ellipsoid": {"convex": {"ellipsoid": [0.4, 0.6, 0.5]}},
    "torus": {"convex": {"torus": [0.5, 0.15]}},
}
N = "(-0.3*world.x + 0.2*world.y + world.z)/sqrt(1.13)"
POINTS = {  # the lowest point towards the plane with normal N, in the model language
    "ball": "b - 0.5*n",
    "wheel": "b - 0.6*(n - dot(n, b.z)*b.z)/sqrt(1 - dot(n, b.z)^2)",
    "ellipsoid": "b - (0.16*dot(n, b.x)*b.x + 0.36*dot(n, b.y)*b.y + 0.25*dot(n, b.z)*b.z)"
    "/sqrt(0.16*dot(n, b.x)^2 + 0.36*dot(n, b.y)^2 + 0.25*dot(n, b.z)^2)",
    "torus": "b - 0.5*(n - dot(n, b.z)*b.z)/sqrt(1 - dot(n, b.z)^2) - 0.15*n",
}


def rolling(kind, on, **more):
    data = {"gravity": [0, 0, -9.81], "coordinates": START, "speeds": SPEEDS, "bodies": {"b": BODY}}
    return data | {"rolling": {"r": {"body": "b", **KINDS[kind], "on": on}}} | more


def settled(data):
    """The model starts at its contact point, so that two models start from the same state."""
    model = da.Model.of(model_of(data))
    state = model.solve()
    settings = {**state.coordinates, **{f"{name}'": value for name, value in state.speeds.items()}}
    return settings, model.changed(settings).record


def alike(first, second):
    """Two models from the consistent start of the first."""
    settings, one = settled(first)
    known = model_of(second)
    kept = {name: value for name, value in settings.items() if name.rstrip("'") in known.coordinates}
    other = da.Model.of(known).changed(kept).record
    same_bodies(one, other)


PLANE = {"point": [0, 0, 0.1], "normal": [-0.3, 0.2, 1]}


@pytest.mark.parametrize("kind", KINDS)
def test_a_plane_as_a_surface_is_the_plane(kind):
    alike(rolling(kind, "z = 0.1 + 0.3*x - 0.2*y"), rolling(kind, PLANE))
    alike(rolling(kind, "z - 0.3*x + 0.2*y - 0.1 = 0"), rolling(kind, PLANE))


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_plane_each_kind_rolls_on_its_lowest_point(kind):
    point = rolling(kind, PLANE, definitions={"n": N})
    point["rolling"] = {"r": {"body": "b", "at": POINTS[kind], "on": PLANE}}
    alike(rolling(kind, PLANE), point)


def test_an_ellipsoid_with_equal_axes_is_a_ball_and_a_thin_torus_a_wheel():
    ball = rolling("ball", "z = 0.2*x^2 - 0.1*x*y")
    sphere = rolling("ball", "z = 0.2*x^2 - 0.1*x*y")
    sphere["rolling"] = {"r": {"body": "b", "convex": {"ellipsoid": [0.5, 0.5, 0.5]}, "on": "z = 0.2*x^2 - 0.1*x*y"}}
    alike(ball, sphere)


@pytest.mark.parametrize("kind", KINDS)
def test_the_two_forms_of_a_curved_surface_are_one(kind):
    explicit = rolling(kind, "z = k*x^2 + 0.05*y^2 + 0.1*sin(x)", parameters={"k": 0.1})
    implicit = rolling(kind, "3*z - 3*k*x^2 = 0.15*y^2 + 0.3*sin(x)", parameters={"k": 0.1})
    alike(explicit, implicit)


def test_a_ball_in_a_spherical_bowl_is_the_rows_by_hand():
    """The centre stays at S − R from the centre of the bowl, and the contact is R away from it, outwards."""
    start = {"x": 0.5, "y": -0.3, "z": -1.4}
    inside = rolling("ball", "4 - x^2 - y^2 - z^2 = 0") | {"coordinates": START | start}
    by_hand = {key: value for key, value in inside.items() if key != "rolling"}
    by_hand["definitions"] = {"n": "b/norm(b)"}
    by_hand["constraints"] = {"touch": "dot(b, b) = 1.5^2", "slip": "cross(n, b' + cross(omega(b), 0.5*n)) = 0"}
    alike(inside, by_hand)
    state = da.Model.of(settled(inside)[1]).solve()
    assert state.multipliers["r.at1"] == pytest.approx(0, abs=1e-9)
    assert state.multipliers["r.at2"] == pytest.approx(0, abs=1e-9)


def test_a_ball_on_top_of_a_sphere_is_the_rows_by_hand():
    start = {"x": 0.2, "y": -0.3, "z": 2.4}
    outside = rolling("ball", "x^2 + y^2 + z^2 - 4 = 0") | {"coordinates": START | start}
    by_hand = {key: value for key, value in outside.items() if key != "rolling"}
    by_hand["definitions"] = {"n": "b/norm(b)"}
    by_hand["constraints"] = {"touch": "norm(b) = 2.5", "slip": "cross(n, b' - cross(omega(b), 0.5*n)) = 0"}
    alike(outside, by_hand)
    force = da.Model.of(settled(outside)[1]).solve().multipliers["r.touch"]
    hand = da.Model.of(model_of(by_hand))
    kept = {n: v for n, v in settled(outside)[0].items() if n.rstrip("'") in hand.record.coordinates}
    assert force == pytest.approx(hand.changed(kept).solve().multipliers["touch"], rel=1e-9)


def test_a_material_point_on_a_surface():
    surface = rolling("ball", "z = 0.2*x^2")
    surface["rolling"] = {"r": {"body": "b", "at": "b - 0.4*b.z", "on": "z = 0.2*x^2", "rows": ["touch"]}}
    by_hand = {key: value for key, value in surface.items() if key != "rolling"}
    by_hand["points"] = {"tip": "b - 0.4*b.z"}
    by_hand["constraints"] = {"c": "dot(tip, world.z) = 0.2*dot(tip, world.x)^2"}
    alike(surface, by_hand)


def test_the_contact_is_found_at_the_start():
    data = rolling("ball", "z = 0.2*x^2") | {"coordinates": START | {"x": 0.0, "y": 0.25, "z": 0.5}}
    values = initial_values(model_of(data))
    assert values.coordinates["r.u"] == pytest.approx(0, abs=1e-12)
    assert values.coordinates["r.v"] == pytest.approx(0.25, abs=1e-12)


def test_energy_stays_in_a_bowl():
    motion = da.Model.of(model_of(rolling("ellipsoid", "z = 0.1*x^2 + 0.2*y^2"))).simulate(until=1, samples=5)
    assert motion.diagnostics.energy_drift < 1e-7


def test_a_rattleback_as_a_convex_body():
    """The gallery's, whose surface and contact are written out by hand."""
    text = gallery_text("rattleback")
    cut = text.index("[constraints]")
    rest = text[text.index("[simulation]") :]
    convex = '[rolling.r]\nbody = "stone"\nconvex = { ellipsoid = ["a", "b", "c"] }\ncentre = [0, 0, "h"]\n'
    curved = convex + 'on = "z = 0*x"\n'
    for words in (convex, curved):
        same_bodies(read_text(text[:cut] + words + rest), read_text(text))


SURFACE = """
gravity = [0, 0, -9.81]
[parameters]
k = 0.1
[coordinates]
x = 0
y = 0
z = 0.6
a = 0
[bodies.b]
mass = 1
position = ["x", "y", "z"]
rotation = [["x", "a"]]
inertia = [0.1, 0.1, 0.1]
[rolling.r]
body = "b"
"""


@pytest.mark.parametrize(
    ("rest", "key", "words"),
    [
        ('ball = 0.5\non = "z = a*x"', "on", "a may move, and a surface must be at rest"),
        ('ball = 0.5\non = "z = t*x"', "on", "a surface must be at rest"),
        ('ball = 0.5\non = "z = x\'"', "on", "a surface must be at rest"),
        ('ball = 0.5\non = "k = 0"', "on", "none of x, y and z"),
        ('ball = 0.5\non = "z = [x, 0, 0]"', "on", "is a vector"),
        ('ball = 0.5\non = "z = kk*x"', "on", "did you mean k?"),
        ('ball = 0.5\non = "z = x = y"', "on", "a second '='"),
        ('ball = 0.5\non = "z = x^2"\nrows = ["slip"]', "rows", "a body on a surface always touches it"),
        ("convex = { ellipsoid = [1, 2] }", "convex.ellipsoid", "three semi-axes"),
        ("convex = { torus = [1, 0.2], ellipsoid = [1, 2, 3] }", "convex", "exactly one"),
        ("convex = { cube = [1] }", "cube", "not known"),
        ('at = "b"\ncentre = [0, 0, 1]', "centre", "a material point has no centre"),
        ("convex = { torus = [1, -0.2] }", "convex", "a positive radius"),
        ("ball = 1\nconvex = { torus = [1, 0.2] }", "r", "exactly one of wheel, ball, at or convex"),
    ],
)
def test_what_is_wrong_is_told(rest, key, words):
    with pytest.raises(ModelError) as caught:
        read_text(SURFACE + rest)
    assert any(fault.key == key and words in fault.message for fault in caught.value.faults), caught.value


def test_saved_and_in_python():
    text = SURFACE + 'convex = { ellipsoid = ["k", 0.3, 0.5] }\non = "z = k*x^2"'
    model = read_text(text, "r")
    assert read_text(write_text(model), "r") == model
    built = da.Model("r")
    built.gravity([0, 0, -9.81])
    k = built.parameters(k=0.1)
    x, y, z, a = built.coordinates("x y z a", z=0.6)
    built.body("b", 1, [x, y, z], rotation=[("x", a)], inertia=[0.1, 0.1, 0.1])
    built.rolling("r", "b", convex={"ellipsoid": [k, 0.3, 0.5]}, on="z = k*x^2")
    assert built.record == model
    with pytest.raises(ModelError, match="one of ellipsoid and torus"):
        built.rolling("s", "b", convex={"cube": [1]})
    with pytest.raises(ModelError, match="three semi-axes"):
        built.rolling("s", "b", convex={"ellipsoid": [1]})
