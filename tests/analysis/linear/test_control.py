"""A, B, C, D, transfer functions, ranks and regulators: against hand-made matrices, differences, SciPy and motions."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import signal

import dalembert as da
from dalembert.analysis.linear.response import channel, reached
from dalembert.cli.main import run
from dalembert.errors import MathematicsError, ModelError
from dalembert.model.read import model_of
from random_systems import case

POLE = {
    "title": "Pole on a cart",
    "gravity": [0, 0, -9.81],
    "parameters": {"M": 1, "m": 0.2, "l": 0.5},
    "coordinates": {"x": 0, "theta": 0},
    "inputs": {"force": {"value": 0, "min": -20, "max": 20}, "wind": "-0.3*theta'"},
    "states": {"motor": {"rate": "10*(force - motor)"}},
    "bodies": {
        "cart": {"mass": "M", "position": ["x", 0, 0]},
        "bob": {"mass": "m", "position": ["x + l*sin(theta)", 0, "l*cos(theta)"]},
    },
    "forces": {"drive": {"generalized": {"x": "motor", "theta": "wind"}}},
    "outputs": {"tilt": "theta", "imu": "dot(bob'', world.x)", "twice": "2*motor + force"},
}


def model(data):
    return da.Model.of(model_of(data))


@pytest.fixture(scope="module")
def control():
    return model(POLE).linearize(lqr={"Q": {"x": 1, "theta": 10}, "R": [0.1, 1]}).control


def test_matrices_by_hand(control):
    """(M + m) x″ + m l θ″ = motor, m l x″ + m l² θ″ = m g l θ + wind."""
    inertia = np.array([[1.2, 0.1], [0.1, 0.05]])
    rates = np.linalg.solve(inertia, [[0, 0, 0, 0, 1], [0, 0.2 * 9.81 * 0.5, 0, -0.3, 0]])
    A = np.vstack([[0, 0, 1, 0, 0], [0, 0, 0, 1, 0], rates, [0, 0, 0, 0, -10]])
    B = np.vstack([np.zeros((2, 2)), np.linalg.solve(inertia, [[0, 0], [0, 1]]), [10, 0]])
    assert control.states == ("x", "theta", "x'", "theta'", "motor") and control.inputs == ("force", "wind")
    np.testing.assert_allclose(control.A, A, atol=1e-13)
    np.testing.assert_allclose(control.B, B, atol=1e-13)
    tip = A[2] + 0.5 * A[3]
    np.testing.assert_allclose(control.C, [[0, 1, 0, 0, 0], tip, [0, 0, 0, 0, 2]], atol=1e-12)
    np.testing.assert_allclose(control.D, [[0, 0], B[2] + 0.5 * B[3], [1, 0]], atol=1e-12)


@pytest.mark.parametrize("seed", [4, 8, 11])
def test_matrices_of_random_systems_are_differences(seed):
    """Inputs in forces and rates, constraints and quasi-velocities at random: derivatives of ẋ and y by differences."""
    drawn = case(seed, generalized=True, varying=False)
    names = list(drawn.data["coordinates"])
    pushes = {
        q: f"({text}) + u*(1 + 0.3*{q}) + 0.2*s" for q, text in drawn.data["forces"]["field"]["generalized"].items()
    }
    data = drawn.data | {"forces": drawn.data["forces"] | {"field": {"generalized": pushes}}}
    data["coordinates"], data["speeds"] = (dict(zip(names, part.tolist(), strict=True)) for part in (drawn.q, drawn.v))
    data |= {"inputs": {"u": 0.4}, "states": {"s": {"initial": 0.2, "rate": f"u - s*{names[0]}"}}}
    data |= {"outputs": {"y": f"{names[0]}'' + u*{names[1]}' + s"}, "simulation": {"start": drawn.t}}
    try:
        found = model(data).linearize(method="kane").control
    except MathematicsError as error:  # the draw has a kink or depends on itself here
        pytest.skip(str(error))
    step = 1e-5
    ends = [model(data).changed({"u": 0.4 + sign * step}).solve("kane") for sign in (1, -1)]
    slopes = {f"{q}'": (ends[0].accelerations[q] - ends[1].accelerations[q]) / (2 * step) for q in names}
    slopes["s"] = 1.0
    for name, row in zip(found.states, found.B, strict=True):
        expected = slopes.get(name, None if name not in names else 0.0)
        if expected is not None:
            assert row[0] == pytest.approx(expected, rel=1e-6, abs=1e-6 * max(1, np.abs(found.B).max()))
    assert found.D[0, 0] == pytest.approx(
        (ends[0].outputs["y"] - ends[1].outputs["y"]) / (2 * step), rel=1e-6, abs=1e-6
    )


def test_transfer_functions_are_scipys(control):
    for i, output in enumerate(control.outputs):
        for j, name in enumerate(control.inputs):
            one = control.transfer(output, name)
            omega = np.geomspace(0.1, 100, 7)
            by_factors = np.polyval(one.numerator, 1j * omega) / np.polyval(one.denominator, 1j * omega)
            np.testing.assert_allclose(by_factors, control.response(omega)[:, i, j], rtol=1e-8, atol=1e-12)
    n, d = signal.ss2tf(control.A, control.B, control.C, control.D, input=0)
    omega = np.array([0.3, 2.0, 40.0])
    for i in range(3):
        np.testing.assert_allclose(
            np.polyval(n[i], 1j * omega) / np.polyval(d, 1j * omega), control.response(omega)[:, i, 0], rtol=1e-6
        )
    with pytest.raises(KeyError, match="no transfer function from 'x' to 'tilt'"):
        control.transfer("tilt", "x")


def test_zeros_of_random_channels():
    """Numerators that were drawn come back, at every relative degree."""
    chance = np.random.default_rng(1)
    for degree in range(5):
        poles, zeros = -chance.uniform(0.5, 3, 5), chance.normal(size=5 - degree)
        numerator = 1.7 * np.poly(zeros)
        A, B, C, D = signal.tf2ss(numerator, np.poly(poles))
        turn = np.linalg.qr(chance.normal(size=(5, 5)))[0]
        found = channel(turn @ A @ turn.T, turn @ B[:, 0], (C @ turn.T)[0], float(D[0, 0]))
        assert found.gain == pytest.approx(1.7, rel=1e-8)
        np.testing.assert_allclose(np.sort(found.zeros.real), np.sort(zeros), rtol=1e-7, atol=1e-8)


def test_ranks_of_blocks():
    A = np.diag([1.0, -2.0, 3.0, -4.0])
    B = np.array([[1.0], [1.0], [0.0], [0.0]])
    found = reached(A, B)
    assert found.rank == 2 and sorted(found.left.real) == [-4.0, 3.0]
    assert reached(A, np.ones((4, 1))).rank == 4


def test_ranks_of_the_model(control):
    assert (control.controllability.rank, control.controllability.of) == (5, 5)
    assert control.observability.rank == 3 + 0 and len(control.observability.left) == 2  # place and speed of the cart
    seen = model(POLE).linearize(outputs=["x"]).control
    assert seen.observability.rank == 5 and seen.outputs == ("x",)


def test_the_regulator_can_be_put_back(control):
    lqr = control.lqr
    assert np.all(lqr.poles.real < 0)
    closed = model(POLE).changed(dict(lqr.feedback)).linearize()
    np.testing.assert_allclose(np.sort_complex(closed.eigenvalues), np.sort_complex(lqr.poles), rtol=1e-8)
    motion = model(POLE).changed({**lqr.feedback, "theta": 0.2}).simulate(until=20, samples=3)
    assert abs(motion["theta"][-1]) < 1e-4 and abs(motion["x"][-1]) < 1e-2
    # the gain is the stationary one: the cost's gradient vanishes, (A − BK)ᵀP + P(A − BK) + Q + KᵀRK = 0 with RK = BᵀP
    from scipy.linalg import solve_continuous_lyapunov

    closed_loop = control.A - control.B @ lqr.K
    P = solve_continuous_lyapunov(closed_loop.T, -(lqr.Q + lqr.K.T @ lqr.R @ lqr.K))
    np.testing.assert_allclose(lqr.R @ lqr.K, control.B.T @ P, rtol=1e-6, atol=1e-8)


def test_frequency_response_is_that_of_the_motion():
    """A damped cart on a spring, driven by a small sine through a motor with a lag."""
    data = {
        "coordinates": {"x": 0, "y": 0},
        "energy": {
            "kinetic": "x'^2 + 0.5*y'^2",
            "potential": "2*x^2 + 3*(x - y)^2 + x^4",
            "dissipation": "0.5*x'^2 + y'^2",
        },
        "inputs": {"u": 0.0},
        "states": {"motor": {"rate": "5*(u - motor)"}},
        "forces": {"f": {"generalized": {"x": "motor"}}},
        "outputs": {"a": "y''", "p": "x"},
    }
    found = model(data).linearize().control
    omega, size = 2.3, 1e-4
    driven = data | {"inputs": {"u": f"{size}*sin({omega}*t)"}}
    period = 2 * np.pi / omega
    times = np.linspace(30 * period, 32 * period, 401)[:-1]
    motion = model(driven).simulate(at=times, tolerance=1e-12)
    G = found.response([omega])[0, :, 0]
    for i, name in enumerate(("a", "p")):
        amplitude = 2j * np.mean(motion[name] * np.exp(-1j * omega * times)) / size
        assert abs(amplitude - G[i]) < 1e-6 * abs(G[i]), name
    t, steps = found.step([0.5, 2.0])
    pushed = model(data | {"inputs": {"u": size}}).simulate(at=t, tolerance=1e-12)
    np.testing.assert_allclose(pushed["p"] / size, steps[:, 1, 0], rtol=1e-6)
    np.testing.assert_allclose(pushed["a"] / size, steps[:, 0, 0], rtol=1e-6)


def test_controllers_are_cut_and_data_are_as_they_are():
    data = POLE | {"sampled": {"c": {"every": 0.01, "force": "-theta"}}}
    data["inputs"] = POLE["inputs"] | {"gust": {"times": [0, 1], "values": [0.1, 2]}}
    data["forces"] = {"drive": {"generalized": {"x": "motor + gust", "theta": "wind"}}}
    found = model(data).linearize()
    assert found.control.inputs == ("force", "wind", "gust")
    assert any("Sampled controllers are disconnected (c)" in note for note in found.notes)
    assert any("Data are taken as they are at t = 0: gust" in note for note in found.notes)


def test_command_line_and_files(tmp_path, capsys):
    da.Model.of(model_of(POLE)).save(tmp_path / "pole.toml")
    file = str(tmp_path / "pole.toml")
    assert run(["linearize", file, "--lqr", "Q=x:1 theta:10,R=[0.1,1]", "--outputs", "tilt,imu", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    told = whole["control"]
    assert {key: whole[key] for key in "ABCD"} == {key: told[key] for key in "ABCD"} and whole["states"] == told[
        "states"
    ]
    assert told["outputs"] == ["tilt", "imu"] and np.array(told["B"]).shape == (5, 2)
    assert set(told["lqr"]["feedback"]) == {"force", "wind"} and told["controllability"]["rank"] == 5
    assert len(told["bode"]["magnitude"]["tilt"]["force"]) == len(told["bode"]["frequencies"])
    assert len(told["step"]["values"]["imu"]["wind"]) == len(told["step"]["times"])
    for ending in (".png", ".csv", ".json"):
        assert run(["linearize", file, "-o", str(tmp_path / f"bode{ending}")]) == 0
        assert (tmp_path / f"bode{ending}").stat().st_size > 1000
    assert "transfer function" in capsys.readouterr().out
    assert run(["linearize", "simple-pendulum", "--inputs", "g", "--outputs", "theta''"]) == 0
    assert "theta''/g" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--lqr", "1"], r"--lqr was given '1'; weights are expected"),
        (["--lqr", "Q=a,R=1"], r"--lqr was given 'a' as Q; a number"),
        (["--lqr", "Q=1,R=0"], r"every input needs a weight in R"),
        (["--lqr", "Q=-1,R=1"], r"weights in Q must not be negative"),
        (["--lqr", "Q=y:1,R=1"], r"Q names y, which is none of x, theta"),
        (["--lqr", "Q=[1,2],R=1"], r"one weight for each of x, theta"),
        (["--inputs", "fource"], r"there is no input or parameter fource; did you mean force\?"),
        (["--outputs", "tild"], r"there is no coordinate, speed, definition or output tild; did you mean tilt\?"),
        (["--vary", "l=1:2:3", "--lqr", "Q=1,R=1"], r"look at one state; leave out --vary"),
    ],
)
def test_faults_are_said(tmp_path, capsys, arguments, sentence):
    da.Model.of(model_of(POLE)).save(tmp_path / "pole.toml")
    assert run(["linearize", str(tmp_path / "pole.toml"), *arguments]) == 2
    import re

    assert re.search(sentence, capsys.readouterr().err)


def test_what_no_input_moves_is_said():
    two = {
        "coordinates": {"x": 0, "y": 0},
        "energy": {"kinetic": "x'^2 + y'^2"},
        "inputs": {"u": 0},
        "forces": {"f": {"generalized": {"x": "u"}}},
    }
    sentence = r"the inputs cannot move all that the weights see and that does not fade \(eigenvalues 0, 0\)"
    with pytest.raises(MathematicsError, match=sentence):
        model(two).linearize(lqr={"Q": 1, "R": 1})
    with pytest.raises(ModelError, match="the model has no inputs"):
        da.gallery("simple-pendulum").linearize(lqr={"Q": 1, "R": 1})
    held = two | {"constraints": {"c": "x' - y' = u"}}
    with pytest.raises(ModelError, match="the input u stands in the constraint c"):
        model(held).linearize()


def test_an_output_without_a_derivative_is_named():
    """norm(v) where v is zero: a sentence, and other outputs are found."""
    still = POLE | {"outputs": {"pace": "norm(bob')", "tilt": "theta"}}
    with pytest.raises(ModelError, match="the output pace has no derivative at this state"):
        model(still).linearize()
    assert model(still).linearize(outputs=["tilt"]).control.outputs == ("tilt",)


def test_what_the_weights_do_not_see_needs_no_input():
    """The angle of the wheels and the error of the path follow from the rest; pitch and place are regulated."""
    segway = da.gallery("segway").changed({"pitch": 0, "cruise": 0})
    found = segway.linearize(lqr={"Q": {"pitch": 100, "x": 1}, "R": 0.5}).control
    assert found.controllability.rank == 4 and len(found.controllability.left) == 2
    assert sum(abs(found.lqr.poles) < 1e-9) == 2 and sum(found.lqr.poles.real < -0.1) == 4
    assert "phi -" not in found.lqr.feedback["torque"]
