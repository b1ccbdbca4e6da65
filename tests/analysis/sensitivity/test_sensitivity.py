"""Derivatives of smooth motions by parameters and initial values, against differences of high-accuracy motions."""

from __future__ import annotations

import json
from math import cos, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from differences import assert_agree, model, value

import dalembert as da
from dalembert.analysis.sensitivity.variation import maps, tableau
from dalembert.cli.main import run


@pytest.mark.parametrize(
    ("name", "to", "until"),
    [
        ("simple-pendulum", ["l", "g", "theta", "theta'"], 3),
        ("double-pendulum", ["m1", "l2", "theta1"], 2),
        ("simple-pendulum-cartesian", ["l", "g", "y"], 2),
        ("chaplygin-sleigh", ["a", "J", "theta'"], 3),
        ("rolling-disk", ["R", "lean", "roll'"], 2),
        ("qiao-sleigh", ["M", "b", "k"], 2),
        ("rocket", ["m0", "rate", "exhaust"], 2),
        ("appell-hamel", ["k", "u0", "x'"], 1),
        ("heisenberg", ["x", "y'"], 2),
    ],
)
def test_models_of_the_gallery(name: str, to: list[str], until: float) -> None:
    assert_agree(da.gallery(name), to, until)


@pytest.mark.slow
@pytest.mark.parametrize("name", da.gallery())
def test_the_whole_gallery(name: str) -> None:
    """States of every model, with contacts or without, by two parameters and a speed."""
    record = da.gallery(name).record
    to = [p for p in record.parameters if p != "e"][:2]
    to += [f"{q}'" for q, c in record.coordinates.items() if c.speed is not None][:1]
    state = [*record.coordinates, *(f"{q}'" for q in record.coordinates)]
    longest = 0.6 if name == "n-four-bar" else 0.8  # differences at 1e-13 do not pass its singular position at 0.714
    until = record.simulation.start + min(longest, float(record.simulation.duration or 1))
    assert_agree(da.gallery(name), to or list(record.coordinates)[:1], until, 1e-4, 1e-6, state, relative=True)


def test_redundant_rows_along_the_way() -> None:
    """Both wheels keep the axle from sliding along itself; the heading passes right angles on the way."""
    columns = ["x", "y", "q1", "q3", "x'", "y'", "q1'", "q3''"]
    assert_agree(da.gallery("long-2"), ["q1", "q2", "q2'", "rho"], 4.0, 1e-4, 1e-7, columns)


def test_bicycle_s_speed_sets_three_others() -> None:
    """v states x', thetaR' and thetaF'; the wheels' radii stand in the state and in the equations."""
    pushed = da.gallery("whipple-bicycle").changed({"phi'": 0.3})
    found = pushed.sensitivities(["v", "rR"], at=[0, 1.3], of=["phi", "delta", "thetaR'"])
    assert found["thetaR'", "v"][0] == pytest.approx(-1 / 0.3)
    assert found["thetaR'", "rR"][0] == pytest.approx(5 / 0.09)
    step = 1e-4
    for name, here in (("v", 5.0), ("rR", 0.3)):
        two = [pushed.simulate(at=[1.3], settings={name: here + s}, tolerance=1e-13)["delta"][0] for s in (step, -step)]
        assert found["delta", name][1] == pytest.approx((two[0] - two[1]) / (2 * step), rel=1e-6)


def test_closed_form() -> None:
    """x″ = −(k/m) x from x₀ at rest: x = x₀ cos ωt, ∂x/∂k = −x₀ t sin(ωt)/(2mω)."""
    spring = model(
        {
            "parameters": {"k": 3.0, "m": 2.0},
            "coordinates": {"x": 0.7},
            "definitions": {"force": "-k*x"},
            "energy": {"kinetic": "m*x'^2/2", "potential": "k*x^2/2"},
        }
    )
    t, w = 2.3, sqrt(1.5)
    found = spring.sensitivities(["k", "x", "x'"], of=["x", "x''", "force", "energy.total"], at=[t])
    assert found["x", "k"] == pytest.approx([-0.7 * t * sin(w * t) / (4 * w)], rel=1e-10)
    assert found["x", "x"] == pytest.approx([cos(w * t)], rel=1e-10)
    assert found["x", "x'"] == pytest.approx([sin(w * t) / w], rel=1e-10)
    assert found["energy.total", "k"] == pytest.approx([0.245], rel=1e-10)
    assert found["force", "k"] == pytest.approx(-0.7 * cos(w * t) - 3 * found["x", "k"], rel=1e-10)
    assert found["x''", "x"] == pytest.approx([-1.5 * cos(w * t)], rel=1e-9)
    assert found["x"].shape == (1, 3) and found.jacobian(["x", "force"]).shape == (2, 3)


def test_initial_state_that_is_corrected() -> None:
    """Coordinates off the circle and speeds off its tangent: the correction is differentiated with the rest."""
    off = {
        "gravity": [0, -9.81, 0],
        "parameters": {"r": 2.0, "w": 0.3},
        "coordinates": {"x": "0.9*r", "y": -1.1},
        "speeds": {"x": "w", "y": 0.8},
        "bodies": {"bob": {"mass": 1.5, "position": ["x", "y", 0]}},
        "constraints": {"rod": "x^2 + y^2 = r^2"},
    }
    assert model(off).simulate(until=0.1, samples=2).corrections
    assert_agree(model(off), ["r", "w", "y", "y'"], 1.0)


def test_speeds_that_are_left_out() -> None:
    """Least-norm speeds, under constraints that are linear and nonlinear in them; then one of the speeds is set."""
    free = {
        "parameters": {"c": 1.7},
        "coordinates": {"x": 0.3, "y": 0.2, "z": 0.1},
        "speeds": {"x": 0.9},
        "energy": {"kinetic": "(x'^2 + 2*y'^2 + z'^2)/2", "potential": "x^2 + y*z"},
        "constraints": {"bent": "x'^2 + y'^2 + 0.3*z'^2 = c + 0.1*x", "flat": "y' + (1 + x)*z' = 0.4*y"},
    }
    assert_agree(model(free), ["c", "x", "y", "x'"], 1.0)
    slide = {**free, "constraints": {"flat": "y' + (1 + c*x)*z' + x' = 0.4"}}
    assert_agree(model(slide), ["c", "x", "x'", "z'"], 1.0)


def test_redundant_constraints_and_their_notes() -> None:
    twice = {
        "gravity": [0, -9.81, 0],
        "parameters": {"r": 2.0},
        "coordinates": {"x": "r*sin(0.4)", "y": "-r*cos(0.4)"},
        "bodies": {"bob": {"mass": 1.5, "position": ["x", "y", 0]}},
        "constraints": {"rod": "x^2 + y^2 = r^2", "again": "3*x^2 + 3*y^2 = 3*r^2"},
    }
    found = model(twice).sensitivities(["r"], at=[0, 1])
    once = model(twice, constraints={"rod": "x^2 + y^2 = r^2"}).sensitivities(["r"], at=[0, 1])
    assert found["x"] == pytest.approx(once["x"], abs=1e-8)
    assert "not determined one by one" in found.notes[0]
    with pytest.raises(da.ModelError, match="no rod to differentiate"):
        model(twice).sensitivities(["r"], of=["rod"], at=[1])


def test_initial_multipliers_of_a_vakonomic_motion() -> None:
    assert_agree(da.gallery("heisenberg"), ["multipliers.area", "x'"], 2)
    stated = {
        "parameters": {"p": 0.7},
        "coordinates": {"x": "p", "y": 0.2, "z": 0.0},
        "speeds": {"x": 0.9, "y": "0.5*p"},
        "energy": {"kinetic": "(x'^2 + y'^2 + z'^2)/2"},
        "constraints": {"c": "z' - y*x' = 0"},
        "virtual_displacements": {"rule": "vakonomic"},
        "multipliers": {"c": "0.3 + p^2"},
    }
    assert_agree(model(stated), ["p", "x", "y'"], 1)


def test_general_virtual_displacements() -> None:
    data = {
        "parameters": {"s": 0.3},
        "coordinates": {"x": 0.1, "y": 0.2, "z": 0.3},
        "speeds": {"x": 0.7, "y": -0.4},
        "energy": {"kinetic": "(x'^2 + y'^2 + z'^2)/2", "potential": "x^2 + x*y + z^4"},
        "constraints": {"c": "z' - y*x' = 0"},
        "virtual_displacements": {"rule": "rows", "rows": [{"z": 1, "x": "-y - s*x", "y": "0.2"}]},
    }
    assert_agree(model(data), ["s", "x", "y'"], 0.5)


def test_events_of_the_model_have_times_with_derivatives() -> None:
    data = {
        "parameters": {"g": 9.81},
        "coordinates": {"h": 1.0},
        "speeds": {"h": 2.0},
        "energy": {"kinetic": "h'^2/2", "potential": "g*h"},
        "events": {"top": {"when": "h'"}, "floor": {"when": "h", "stop": True}},
    }
    found = model(data).sensitivities(["g", "h'"], until=3, samples=4)
    top, floor = found.events
    assert top.time_by["g"] == pytest.approx(-2 / 9.81**2) and top.time_by["h'"] == pytest.approx(1 / 9.81)
    speed = sqrt(4 + 2 * 9.81)
    assert floor.after_by["h'"]["h'"] == pytest.approx(-2 / speed)
    assert floor.after_by["h"]["g"] == pytest.approx(0, abs=1e-10)
    assert found.motion.status == "stopped" and found.times[-1] == pytest.approx((2 + speed) / 9.81)


def test_kinks_are_passed() -> None:
    """A force that jumps: x″ = −x − sign(x)/2; and one with a corner, 3|x|."""
    for force in ("-x - sign(x)/2", "-x - k*max(x, 0) - abs(x - 0.2)"):
        data = {
            "parameters": {"k": 3.0},
            "coordinates": {"x": 1.0},
            "energy": {"kinetic": "x'^2/2"},
            "forces": {"f": {"generalized": {"x": force}}},
        }
        of = model(data, simulation={"tolerance": 1e-12})
        found = of.sensitivities(["x", "k"], of=["x", "x'"], at=[2.9])
        step = 1e-3
        for name, here in (("x", 1.0), ("k", 3.0)):
            runs = [of.simulate(at=[2.9], settings={name: here + s * step}, tolerance=1e-12) for s in (1, -1, 2, -2)]
            for q in ("x", "x'"):
                a, b, c, d = (r[q][0] for r in runs)
                assert found[q, name][0] == pytest.approx((8 * (a - b) - (c - d)) / (12 * step), abs=2e-6)


def test_stiff_motion_without_an_interpolant() -> None:
    stiff = {
        "parameters": {"mu": 10.0},
        "coordinates": {"x": 2.0},
        "energy": {"kinetic": "x'^2/2", "potential": "x^2/2"},
        "forces": {"f": {"generalized": {"x": "mu*(1 - x^2)*x'"}}},
    }
    from dalembert.api.sensitivity import sensitivities

    asked = {"at": [0.2, 1.0], "of": ["x", "x'"]}
    found = sensitivities(model(stiff).record, ["mu", "x"], stepper="radau", tolerance=1e-8, **asked)
    usual = sensitivities(model(stiff).record, ["mu", "x"], **asked)
    assert found.jacobian() == pytest.approx(usual.jacobian(), rel=1e-6, abs=1e-8)


def test_gauss_s_method_has_its_order() -> None:
    """b integrates polynomials below degree 2s, and y′ = −y is carried with an error of order 2s."""
    for stages in (5, 6):
        a, b, c = tableau(stages)
        for degree in range(2 * stages):
            assert b @ c**degree == pytest.approx(1 / (degree + 1), rel=1e-12)
        assert a.sum(axis=1) == pytest.approx(c)
    ones = maps(lambda t: (-np.ones((len(t), 1, 1)), np.ones((len(t), 1, 1))), np.array([0.0, 1.0]), 1e-13)
    S = np.array([[2.0]])
    for phi, g in zip(ones.phi, ones.g, strict=True):
        S = phi @ S + g
    assert S[0, 0] == pytest.approx(1 + np.exp(-1), rel=1e-13)


def test_fitting_recovers_parameters() -> None:
    """Least squares with the exact Jacobian: parameters and a start from samples of one coordinate."""
    from scipy.optimize import least_squares

    true = {"l": 1.3, "theta": 0.8, "theta'": -0.4}
    pendulum = da.gallery("simple-pendulum")
    at = np.linspace(0.05, 4, 60).tolist()
    data = pendulum.simulate(at=at, settings=true, tolerance=1e-12)["theta"]
    names = list(true)
    asked: list[Any] = []

    slopes = pendulum.differentiate(names, of=["theta"])

    def at_values(p: np.ndarray) -> Any:
        asked.append(p)
        return slopes(dict(zip(names, p.tolist(), strict=True)), at=at)

    fit = least_squares(
        lambda p: at_values(p).motion["theta"] - data, [1.2, 0.7, 0.0], jac=lambda p: at_values(p).jacobian()
    )
    assert fit.x == pytest.approx(list(true.values()), rel=1e-8) and len(asked) < 30


@pytest.mark.parametrize("name", ["rolling-disk", "impact-double-pendulum", "zhang-mei-ball", "sliding-to-rolling"])
def test_nothing_is_worked_out_twice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With other parameter values a model is not compiled again, and answers like a new one."""
    record = da.gallery(name).record
    to = [*list(record.parameters)[:2], next(iter(record.coordinates))]
    slopes = da.gallery(name).differentiate(to)
    values = {to[0]: 1.001 * value(da.gallery(name), to[0])}
    slopes(at=[0, 1.3])
    fresh = da.gallery(name).sensitivities(to, at=[0, 1.3], settings=values)
    with monkeypatch.context() as patch:
        rooms = (f"analysis.sensitivity.{name}" for name in ("flow", "impact", "course", "beginning"))
        for module in ("programs.system", *rooms):
            patch.setattr(f"dalembert.{module}.compiled", _refuse)
        again = slopes(values, at=[0, 1.3])
    assert again.jacobian() == pytest.approx(fresh.jacobian(), rel=1e-7, abs=1e-7)


def _refuse(*_: Any, **__: Any) -> None:
    raise AssertionError("compiled again")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sensitivity", "thta"], "thta to differentiate by"),
        (["--sensitivity", ""], "nothing to differentiate by"),
        (["--sensitivity", "l", "--of", "nothing"], "no nothing to differentiate"),
        (["--of", "theta"], "--sensitivity"),
    ],
)
def test_calls_at_fault(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "simple-pendulum", "--until", "1", *options]) == 2
    assert said in capsys.readouterr().err


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["simulate", "simple-pendulum", "--at", "0,1,2", "--sensitivity", "l,theta'"]
    assert run([*arguments, "--json", "-o", str(tmp_path / "run.csv")]) == 0
    answer = json.loads(capsys.readouterr().out)["sensitivities"]
    assert list(answer) == ["of", "to", "derivatives", "events", "notes"] and answer["to"] == ["l", "theta'"]
    assert len(answer["derivatives"]["theta"]["l"]) == 3
    header = (tmp_path / "run.csv").read_text().splitlines()[0].split(",")
    assert "d(theta)/d(l)" in header and "d(theta')/d(theta')" in header
    assert run(arguments) == 0
    assert "derivatives at t = 2" in capsys.readouterr().out
    found = da.gallery("simple-pendulum").sensitivities(["l"], at=[0, 1])
    found.save(tmp_path / "s.csv")
    found.save(tmp_path / "s.json")
    assert json.loads((tmp_path / "s.json").read_text())["times"] == [0, 1]
    with pytest.raises(KeyError, match="did you mean 'theta'"):
        _ = found["thta", "l"]
    found.motion.save(tmp_path / "run.png")
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    found.motion.save(tmp_path / "run.nc")
    assert xarray.open_dataset(tmp_path / "run.nc")["d(theta) by d(l)"].values == pytest.approx(found["theta", "l"])


@pytest.mark.parametrize(
    ("name", "settings", "states", "t"),
    [
        ("double-pendulum", {"theta1": 0, "theta2": 0, "theta1'": 0, "theta2'": 0}, ["theta1", "theta2'"], 1.3),
        ("whipple-bicycle", {"v": 5, "phi'": 0, "delta'": 0}, ["phi'", "delta'"], 0.9),
        ("rolling-disk", {"lean": 0, "lean'": 0, "yaw'": 0, "roll'": 2}, ["lean", "lean'"], 0.7),
    ],
)
def test_linearization_and_derivatives_are_one(
    name: str, settings: dict[str, Any], states: list[str], t: float
) -> None:
    """About a steady motion, derivatives by the initial state are exp(A t). The two are computed independently."""
    from scipy.linalg import expm

    near = da.gallery(name).linearize(settings=settings)
    assert near.steady.holds
    found = da.gallery(name).sensitivities(states, at=[t], settings=settings)
    whole = expm(near.matrix * t)
    for of in (state for state in near.states if state in found.of):
        for to in states:
            expected = whole[near.states.index(of), near.states.index(to)]
            assert found[of, to][0] == pytest.approx(expected, abs=1e-8 * max(1.0, abs(expected))), (of, to)


def control(**more: Any) -> da.Model:
    """A mass on a spring that a force pushes, with a filter of its place and an output of its acceleration."""
    data = {
        "parameters": {"k": 3.0, "c": 0.4, "tau": 0.3, "K": 2.0},
        "coordinates": {"x": 0.7},
        "energy": {"kinetic": "x'^2", "potential": "k*x^2/2"},
        "states": {"s": {"initial": "0.1*k", "rate": "(x - s)/tau"}},
        "forces": {"f": {"generalized": {"x": "-c*x'*abs(x) - K*s"}}},
        "outputs": {"felt": "x''*s + k"},
        "events": {"half": {"when": "s - 0.2"}},
    }
    return model(data | more)


def test_states_of_first_order() -> None:
    assert_agree(control(), ["k", "tau", "K", "s", "x'"], 2.0)


@pytest.mark.parametrize("between", ["hold", "linear", "cubic"])
def test_inputs_from_data(between: str) -> None:
    """Also events that the data cause: their time changes with the parameter."""
    inputs = {"u": {"times": [0, 0.4, 1.1, 1.6], "values": [0, 2, -1, 0.5], "between": between}}
    events = {"level": {"when": "x - 0.3*u - 0.1*k" if between != "hold" else "x - 0.1*k"}}
    forces = {"f": {"generalized": {"x": "-c*x' - K*s + u*x"}}}
    assert_agree(control(inputs=inputs, events=events, forces=forces), ["k", "tau", "s", "x"], 2.0)


def test_sampled_controllers() -> None:
    """Two that compute at different instants, one of them a digital integrator; a kink is crossed between them."""
    sampled = {
        "fast": {"every": 0.13, "force": "-K*x - 0.3*k*total"},
        "slow": {"every": 0.4, "offset": 0.1, "total": "total + 0.4*s"},
    }
    forces = {"f": {"generalized": {"x": "force + c*abs(x' + 0.2)"}}}
    found = assert_agree(control(sampled=sampled, forces=forces), ["k", "tau", "K", "s", "x"], 2.0)
    assert np.abs(found["force", "K"]).max() > 0.1


def test_the_segway() -> None:
    """A controller with its own parameters, which reaches its limits."""
    assert_agree(
        da.gallery("segway"), ["cruise", "l", "error"], 1.0, 1e-4, 1e-6, ["x", "pitch", "error", "torque", "load"]
    )


def test_data_are_nothing_to_differentiate_by() -> None:
    with pytest.raises(da.ModelError, match="there is no parameter, coordinate, speed or multiplier u"):
        control(inputs={"u": {"times": [0, 1], "values": [0, 1]}}).sensitivities(["u"])
