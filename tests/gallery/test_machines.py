"""Machines are short to state: lines of the file without titles, comments, blank lines and the numbers of bodies."""

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.collection import text


def lines(name: str) -> int:
    counted, table = 0, ""
    for line in text(name).splitlines():
        stated = line.strip()
        if stated.startswith("["):
            table = stated
        if stated and not stated.startswith(("#", "title", "reference")) and not table.startswith("[bodies"):
            counted += 1
    return counted


@pytest.mark.parametrize(("name", "most"), [("four-bar", 20), ("six-axis-arm", 25), ("differential-drive", 20)])
def test_a_machine_is_short_to_state(name, most):
    assert lines(name) <= most


def test_the_loads_of_an_arm_are_answers_by_name():
    """The force at the waist is the arm's weight plus its mass times the acceleration of its centre of mass."""
    arm = da.gallery("six-axis-arm")
    masses = {"column": 8, "upper": 6, "fore": 4, "roll": 1.5, "pitch": 1, "hand": 0.6}
    for body in masses:
        arm.output(f"a_{body}", f"{body}''")
    state = arm.solve(reactions=["waist"])
    for axis, weight in zip("xyz", (0, 0, 9.81), strict=True):
        total = sum(m * (state.outputs[f"a_{body}.{axis}"] + weight) for body, m in masses.items())
        assert state.outputs[f"load.waist.force.{axis}"] == pytest.approx(total, rel=1e-9, abs=1e-9)


def test_a02_two_four_bars_pass_their_singular_positions():
    """A pendulum that turns over: θ'' = 7/6 g sin θ, with a singular position at every odd quarter of a turn."""
    times = np.arange(1.0, 11.0)
    exact = solve_ivp(
        lambda _, y: [y[1], 7 / 6 * 9.81 * np.sin(y[0])], (0, 10), [0, 1], "DOP853", times, rtol=1e-13, atol=1e-13
    )
    motion = da.gallery("n-four-bar").simulate(at=times)
    assert motion["theta"] == pytest.approx(exact.y[0], abs=2e-6) and exact.y[0][-1] > 10 * np.pi
    assert motion["q2"] == pytest.approx(motion["theta"], abs=1e-9)
    assert motion.diagnostics.energy_drift < 1e-4


def _turned(axis: int, angle: float) -> np.ndarray:
    c, s, (i, k) = np.cos(angle), np.sin(angle), [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[i, i], R[i, k], R[k, i], R[k, k] = c, -s, s, c
    return R


def _rods(a: float) -> list[np.ndarray]:
    """Bricard's linkage: four points of each rod that together have its mass and its inertia."""
    b = np.arcsin(np.sin(a) / (1 + np.sin(a)))
    R, corner, found = np.eye(3), np.zeros(3), []
    along = [np.eye(3)[0], -np.eye(3)[1], np.eye(3)[2], -np.eye(3)[0], np.eye(3)[1]]
    for axis, angle, rod in zip((1, 2, 0, 1, 2), (a, -b, a, -b, a), along, strict=True):
        R = R @ _turned(axis, angle)
        half, thick = np.sqrt(1 / 12), 0.1 * np.sqrt(1 / 12)
        sides = [e for e in np.eye(3) if abs(e @ rod) < 0.5]
        for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)):
            place = rod / 2 + signs[0] * half * rod + thick * (signs[1] * sides[0] + signs[2] * sides[1])
            found.append(corner + R @ place)
        corner = corner + R @ rod
    return found


def test_a04_bricards_linkage():
    """One degree of freedom: every rod is four points of a quarter kilogram, and potential energy becomes kinetic."""
    motion = da.gallery("bricard").simulate(samples=101)
    a, b = motion["q1"], -motion["q2"]
    assert np.sin(b) * (1 + np.sin(a)) == pytest.approx(np.sin(a), abs=1e-9)
    for name, value in (("q3", a), ("q4", -b), ("q5", a)):
        assert motion[name] == pytest.approx(value, abs=1e-9)
    height = sum(place[1] for place in _rods(0.0))
    for angle, speed in list(zip(a, motion["q1'"], strict=True))[1::10]:
        step = 1e-6
        rates = [(p - q) / (2 * step) for p, q in zip(_rods(angle + step), _rods(angle - step), strict=True)]
        fallen = height - sum(place[1] for place in _rods(angle))
        assert speed**2 == pytest.approx(2 * 9.81 * fallen / sum(r @ r for r in rates), rel=1e-6, abs=1e-9)
    assert motion.diagnostics.energy_drift < 1e-6


def test_a05_stiff_governor():
    """(s, α) of the symmetric governor; the angular momentum about the shaft is conserved."""
    across, along = 0.0250025, 5e-6
    hinge = across + 0.3 * 0.25 + 5

    def about(alpha: float) -> tuple[float, float]:
        c, s = np.cos(alpha), np.sin(alpha)
        rod = 0.3 * (0.05 + 0.5 * c) ** 2 + along * s * s + across * c * c + 5 * (0.05 + c) ** 2
        slope = -0.3 * (0.05 + 0.5 * c) * s + 2 * (along - across) * s * c - 10 * (0.05 + c) * s
        return 5e-6 + 0.005 + 2 * rod, 2 * slope

    momentum = about(np.pi / 6)[0] * 2 * np.pi

    def slopes(_, y):
        s, alpha, v, w = y
        x, z = 0.5 * np.cos(alpha), 1 - 0.5 * np.sin(alpha) - s
        dx, dz = -0.5 * np.sin(alpha), -0.5 * np.cos(alpha)
        length = np.hypot(x, z)
        pull = 8e5 * (length - 0.5) + 4e4 * (x * dx * w + z * (dz * w - v)) / length
        turning, slope = about(alpha)
        lift = 0.5 * slope * (momentum / turning) ** 2
        weight = 2 * 9.81 * np.cos(alpha) * (0.3 * 0.5 + 5)
        return [
            v,
            w,
            2 * pull * z / length / 3 - 9.81,
            (lift + weight - 2 * pull * (x * dx + z * dz) / length) / (2 * hinge),
        ]

    times = np.arange(1.0, 11.0)
    exact = solve_ivp(slopes, (0, 10), [0.5, np.pi / 6, 0, 0], "Radau", times, rtol=1e-8, atol=1e-9)
    motion = da.gallery("stiff-governor").simulate(at=times)
    assert motion["s"] == pytest.approx(exact.y[0], abs=1e-5)
    assert motion["alpha"] == pytest.approx(exact.y[1], abs=1e-5)


def test_eulers_disk():
    """Without friction its centre is at rest and the contact goes round evenly; with friction the motion ends."""
    disk = da.gallery("eulers-disk")
    disk.output("centre", "hub")
    even = disk.simulate(settings={"c": 0}, until=0.5, samples=51)
    rate = np.sqrt(4 * 9.81 / (0.0375 * np.sin(0.1)))
    assert even["alpha"] == pytest.approx(0.1, abs=1e-7) and even["yaw'"] == pytest.approx(rate, rel=1e-6)
    assert np.hypot(even["centre.x"], even["centre.y"]).max() < 1e-7
    slow = disk.simulate(samples=41)
    assert slow.status == "stopped" and slow.events[-1].name == "flat"
    law = 0.01 - 16 * 4e-7 / (3 * 0.44 * 0.0375**2) * slow.times
    assert slow["alpha"] ** 2 == pytest.approx(law, abs=1e-4)


def test_a_unicycle_robot_is_balanced_and_carries_its_weight():
    robot = da.gallery("unicycle-robot")
    robot.output("load", "reaction.wheel.normal")
    motion = robot.simulate(until=12, samples=121)
    for name in ("lean", "pitch", "lean'", "pitch'"):
        assert abs(motion[name][-1]) < 1e-4, name
    assert motion["load"][-1] == pytest.approx(13 * 9.81, rel=1e-4) and motion["load"].min() > 0


def test_a_steered_car_turns_about_one_centre():
    """With the steering held: radius L/tan δ of the rear axle, and the trailer's own circle inside it."""
    car = da.gallery("ackermann-car")
    motion = car.simulate(settings={"delta": 0.3}, samples=9, until=2)
    for psi, x, y, delta in zip(*(motion[n] for n in ("psi'", "x'", "y'", "delta")), strict=True):
        assert psi == pytest.approx(np.hypot(x, y) * np.tan(delta) / 2.6, rel=1e-9)
    left, right = motion["q3'"], motion["q4'"]
    assert 0.3 * (right - left) == pytest.approx(2 * 0.75 * motion["psi'"], abs=1e-9)


def test_a02_at_a_tight_tolerance_says_what_to_do():
    """Next to a singular position accelerations have no digits left, so short steps end there; a sentence says so."""
    chain = da.gallery("n-four-bar")
    with pytest.raises(da.MathematicsError, match="longer steps pass over such a position") as stopped:
        chain.simulate(tolerance=1e-13)
    advised = re.search(r"loosen the tolerance to (\S+):", str(stopped.value))
    assert advised and chain.simulate(tolerance=float(advised[1]), samples=2)["q2"][-1] > 10 * np.pi
