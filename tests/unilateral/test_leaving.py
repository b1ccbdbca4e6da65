"""The ends of sticking and of bounces, against closed forms and counts: no end of a mode may be missed."""

import numpy as np
import pytest
from scipy.optimize import brentq

from dalembert.api.model import Model
from dalembert.model.read import model_of

G = 9.81


def rod(mu: float, angle: float, J: float) -> Model:
    """A rod of mass 1 falls from rest about its rough foot, at the distance 1 from the centre of mass."""
    return Model.of(
        model_of(
            {
                "gravity": [0, -G, 0],
                "coordinates": {
                    "x": {"initial": f"sin({angle})", "speed": 0},
                    "y": {"initial": f"cos({angle})", "speed": 0},
                    "p": {"initial": angle, "speed": 0},
                },
                "bodies": {
                    "rod": {"mass": 1, "position": ["x", "y", 0], "rotation": [["z", "-p"]], "inertia": [0, 0, J]}
                },
                "contacts": {
                    "foot": {"gap": "y - cos(p)", "restitution": 0, "slip": ["x' - p'*cos(p)"], "friction": mu}
                },
                "events": {"slipped": {"when": "x - sin(p) - 1e-3", "stop": True}},
            }
        )
    )


def angle_of_slip(mu: float, angle: float, J: float) -> float:
    """p'² = 2g (cos p₀ − cos p)/(1 + J), p'' = g sin p/(1 + J); the foot gives R = x'', N = g + y''."""

    def cone(p: float, side: int) -> float:
        square, turn = 2 * G * (np.cos(angle) - np.cos(p)) / (1 + J), G * np.sin(p) / (1 + J)
        R, N = np.cos(p) * turn - np.sin(p) * square, G - np.sin(p) * turn - np.cos(p) * square
        return mu * N - side * R

    places = np.linspace(angle, 1.5, 2000)
    found = []
    for side in (1, -1):
        left = np.flatnonzero(cone(places, side) < 0)
        if len(left):
            found.append(brentq(cone, places[left[0] - 1], places[left[0]], args=(side,), xtol=1e-14))
    return min(found)


@pytest.mark.parametrize("seed", range(12))
def test_a_falling_rod_slips_as_its_cone_is_left(seed: int) -> None:
    """The slip begins with zero acceleration: a small error of the instant must not matter."""
    chance = np.random.default_rng(seed)
    mu, angle, J = chance.uniform(0.1, 0.6), chance.uniform(0.02, 0.1), chance.uniform(0.1, 0.6)
    motion = rod(mu, angle, J).simulate(until=6, samples=2, dense=True, tolerance=1e-11)
    slip = next(event for event in motion.events if event.kind == "slip")
    assert float(motion.at(slip.time)["p"]) == pytest.approx(angle_of_slip(mu, angle, J), abs=1e-9)


@pytest.mark.parametrize(
    ("left", "right", "J", "angle"), [(0.4440602192538906, 0.3808546715723349, 0.20343389791758645, 0.2784226906768472)]
)
def test_a_rocker_comes_to_rest_on_both_feet(left: float, right: float, J: float, angle: float) -> None:
    """Its feet strike in turn without rebound, each interval about forty times shorter: few impacts, then rounding."""
    feet = {"left": -left, "right": right}
    model = Model.of(
        model_of(
            {
                "gravity": [0, -G, 0],
                "coordinates": {"y": {"initial": 0.6, "speed": 0}, "p": {"initial": angle, "speed": 0}},
                "bodies": {
                    "rocker": {"mass": 1, "position": [0, "y", 0], "rotation": [["z", "p"]], "inertia": [0, 0, J]}
                },
                "contacts": {
                    name: {"gap": f"y + ({arm!r})*sin(p) - 0.2*cos(p)", "restitution": 0} for name, arm in feet.items()
                },
            }
        )
    )
    motion = model.simulate(until=2, samples=2)
    assert (motion["y"][-1], motion["p"][-1]) == pytest.approx((0.2, 0), abs=1e-10)
    assert {name: mode[-1] for name, mode in motion.modes.items()} == {"left": "closed", "right": "closed"}
    assert sum(event.kind == "chatter" for event in motion.events) == 1


def puck(force: tuple[str, str], masses: tuple[float, float] = (2, 2), mu: float = 0.3) -> Model:
    """Pushed from rest over a rough plane, pressed by 5, with friction in two directions."""
    return Model.of(
        model_of(
            {
                "coordinates": {q: {"initial": 0, "speed": 0} for q in "xy"},
                "energy": {"kinetic": f"{masses[0] / 2}*x'^2 + {masses[1] / 2}*y'^2 + 0.1*x'*y'"},
                "forces": {"push": {"generalized": dict(zip("xy", force, strict=True))}},
                "frictions": {"ice": {"slip": ["x'", "y'"], "normal": 5, "coefficient": mu}},
            }
        )
    )


@pytest.mark.parametrize(("first", "second", "mass"), [(1, 1, 2.1), (1, -1, 1.9), (-1, -1, 2.1), (-1, 1, 1.9)])
def test_a_planar_slip_creeps_out_of_its_cone(first: int, second: int, mass: float) -> None:
    """A force t/2 along an eigenvector of the mass: slip from t = 3 with a speed of (t − 3)²/4/mass."""
    along = np.array([first, second]) / np.sqrt(2)
    motion = puck((f"({first})*t/sqrt(8)", f"({second})*t/sqrt(8)")).simulate(at=[2.9, 3.00001, 4, 6])
    assert [(event.kind, round(event.time, 12)) for event in motion.events] == [("slip", 3.0)]
    speed = np.column_stack([motion["x'"], motion["y'"]]) @ along
    late = np.maximum(motion.times - 3, 0)
    assert speed == pytest.approx(late**2 / 4 / mass, abs=2e-9)
    assert np.column_stack([motion["x"], motion["y"]]) @ along == pytest.approx(late**3 / 12 / mass, abs=1e-8)


@pytest.mark.parametrize(("c", "w", "phase"), [(2.1, 0.7, 10), (3.3, 1.3, 14), (1.2, 1.9, 16)])
def test_a_planar_slip_turns_with_its_force(c: float, w: float, phase: int) -> None:
    """Against friction smoothed over speeds of 1e-7, by SciPy; and two tolerances against each other."""
    from scipy.integrate import solve_ivp

    mu, masses = 0.35, (0.9, 2.4)
    push = (f"{c}*t*cos({w}*t + {phase}) + 0.3*t^2", f"{c}*t*sin({w}*t + {phase})")

    def force(t: float) -> np.ndarray:
        return np.array([c * t * np.cos(w * t + phase) + 0.3 * t * t, c * t * np.sin(w * t + phase)])

    M = np.array([[masses[0], 0.1], [0.1, masses[1]]])

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        u = y[2:]
        return np.concatenate([u, np.linalg.solve(M, force(t) - 5 * mu * u / np.hypot(1e-7, np.hypot(*u)))])

    model = puck(push, masses, mu)
    rough, fine = (model.simulate(at=[2.5], tolerance=tolerance) for tolerance in (1e-8, 1e-10))
    times = np.linspace(0, 2.5, 5001)
    first = int(np.argmax(np.hypot(*force(times)) > 5 * mu))
    leaves = brentq(lambda t: np.hypot(*force(t)) - 5 * mu, times[first - 1], times[first], xtol=1e-14)
    assert fine.events[0].kind == "slip"
    assert fine.events[0].time == pytest.approx(leaves, abs=1e-11)
    smooth = solve_ivp(rate, (leaves, 2.5), np.zeros(4), method="Radau", rtol=1e-8, atol=1e-11).y[:, -1]
    answers = [np.array([motion[q][0] for q in ("x", "y", "x'", "y'")]) for motion in (rough, fine)]
    assert answers[1] == pytest.approx(smooth, abs=2e-5)
    assert answers[0] == pytest.approx(answers[1], abs=1e-7)


STONES = (  # mass, inertia, place, speeds, corners
    (
        0.7688281422467178,
        0.2872079447637657,
        (-0.014378075314694302, 1.0215018120682517, -0.37185481046118896),
        (0.170569745101264, -0.1581013934453439, -0.2718573096535377),
        (
            (-0.13111504767905394, 0.24785834415467406),
            (-0.05533772352699219, -0.20700835676785181),
            (0.47016140640815646, 0.06910956930332948),
        ),
    ),
    (
        0.8409532936719549,
        0.18309159344358106,
        (1.2109631924893869, 0.8125312357380574, -0.7340774334877971),
        (0.10646175000294122, 0.5521645182157096, 0.6482360755918664),
        (
            (0.38980282148338213, 0.2917888284654276),
            (-0.40341481218019015, 0.09681292105080479),
            (-0.1024777448206308, -0.43020894412534594),
        ),
    ),
)


def test_a_stone_comes_to_rest_while_another_lies() -> None:
    """Its flights reach rounding before they have shrunk six times; the steps do not become shorter."""
    data: dict = {"gravity": ["-1.597", "-9.679", 0], "coordinates": {}, "bodies": {}, "contacts": {}}
    for b, (mass, J, place, speeds, corners) in enumerate(STONES):
        names = [f"{q}{b}" for q in "xyp"]
        for name, q, v in zip(names, place, speeds, strict=True):
            data["coordinates"][name] = {"initial": q, "speed": v}
        x, y, p = names
        data["bodies"][f"stone{b}"] = {
            "mass": mass, "position": [x, y, 0], "rotation": [["z", p]], "inertia": [0, 0, J]
        }  # fmt: skip
        for i, (r, s) in enumerate(corners):
            data["contacts"][f"corner{b}{i}"] = {
                "gap": f"{y} + ({r})*sin({p}) + ({s})*cos({p})",
                "restitution": 0,
                "slip": [f"{x}' - {p}'*(({r})*sin({p}) + ({s})*cos({p}))"],
                "friction": 0.20476636801560938,
            }
    data["energy"] = {
        "potential": "4.953552017216273*(x0^2 + (x1 - 1.2)^2)",
        "dissipation": "0.25225374115848147*(x0'^2 + 0.1*p0'^2 + x1'^2 + 0.1*p1'^2)",
    }
    motion = Model.of(model_of(data)).simulate(until=3, samples=2)
    assert motion.diagnostics.steps < 300
    assert max(abs(motion[f"{q}{b}'"][-1]) for q in "xyp" for b in (0, 1)) < 1e-9


def test_a_planar_slip_creeps_on_a_belt() -> None:
    """On a moving belt the first slip is the rounding of the belt's speed; the force is t/2 as before."""
    data = {
        "coordinates": {"x": {"initial": 0, "speed": 0.7}, "y": {"initial": 0, "speed": -0.3}},
        "energy": {"kinetic": "x'^2 + y'^2"},
        "forces": {"push": {"generalized": {"x": "0.3*t", "y": "0.4*t"}}},
        "frictions": {"belt": {"slip": ["x' - 0.7", "y' + 0.3"], "normal": 5, "coefficient": 0.3}},
    }
    motion = Model.of(model_of(data)).simulate(at=[5])
    assert [(event.kind, round(event.time, 10)) for event in motion.events] == [("slip", 3.0)]
    assert (motion["x'"][0] - 0.7, motion["y'"][0] + 0.3) == pytest.approx((0.3, 0.4), abs=1e-7)
    assert motion.diagnostics.steps < 30_000
