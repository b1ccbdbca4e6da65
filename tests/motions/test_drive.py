"""Motions: order, accuracy, constraints, events, resumption and every way to fail."""

import numpy as np
import pytest
import symengine as se
import systems

from dalembert.engine.interface import Status
from dalembert.errors import ModelError
from dalembert.motions.buffers import Buffers
from dalembert.motions.native import EngineMotion, Native
from dalembert.motions.one import integrate
from dalembert.motions.span import TimeSpan
from dalembert.programs.system import CompiledSystem

TIMES = np.linspace(0, 10, 41)
q1, v1 = systems.symbols(1)


def total(system, raw):
    energies = system.outputs(system.along(raw.times, raw.states))
    return energies[:, 0] + energies[:, 1]


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
def test_the_error_follows_the_tolerance(tolerance):
    raw = integrate(CompiledSystem(systems.oscillator()), [1, 0], TimeSpan(0, 10, TIMES, tolerance))
    assert raw.status == "finished" and raw.times.tolist() == TIMES.tolist()
    assert np.abs(raw.states[:, 0] - np.cos(TIMES)).max() < 30 * tolerance
    assert raw.evaluations < 1200


def test_order_eight_in_fixed_steps():
    """With a loose tolerance the largest step decides: halving it divides the error by about 2^8."""
    system = CompiledSystem(systems.oscillator())
    errors = [
        np.abs(
            integrate(system, [1, 0], TimeSpan(0, 10, [10.0], 1.0, "dop853", h)).end_state - [np.cos(10), -np.sin(10)]
        ).max()
        for h in (1.0, 0.5)
    ]
    assert 7 < np.log2(errors[0] / errors[1]) < 9.5


def test_chaotic_motion_against_scipy():
    from scipy.integrate import solve_ivp

    system = CompiledSystem(systems.pendulum(2))
    raw = integrate(system, [1.2, 1.5, 0, 0], TimeSpan(0, 5, [5.0], 1e-12))

    def slope(t, y):
        D, d, *_ = system.unpacked(system.dynamics(system.state(t, y[:2], y[2:])))
        return [*y[2:], *np.linalg.solve(D, d)]

    expected = solve_ivp(slope, (0, 5), [1.2, 1.5, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    np.testing.assert_allclose(raw.end_state, expected, atol=1e-8)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("stepper", ["dop853", "radau", "gauss"])
def test_constraints_hold_at_every_sample(rows, stepper):
    system = CompiledSystem(systems.cartesian(rows))
    raw = integrate(system, [1, 0, 0, 0], TimeSpan(0, 10, TIMES, 1e-8, stepper, 0.02 if stepper == "gauss" else None))
    assert raw.status == "finished"
    q, v = raw.states[:, :2], raw.states[:, 2:]
    assert np.abs(q[:, 0] ** 2 + q[:, 1] ** 2 - 1).max() < 1e-12
    assert np.abs((q * v).sum(axis=1)).max() < 1e-12
    assert raw.residual < 1e-12 and raw.rate_residual < 1e-11
    assert np.abs(total(system, raw)).max() < 1e-4


def test_nonholonomic_sleigh_keeps_its_energy():
    system = CompiledSystem(systems.sleigh())
    raw = integrate(system, [0, 0, 0.2, np.cos(0.2), np.sin(0.2), 1], TimeSpan(0, 10, TIMES, 1e-11))
    energy = total(system, raw)
    assert np.abs(energy - energy[0]).max() < 1e-9
    q, v = raw.states[:, :3], raw.states[:, 3:]
    slip = v[:, 1] * np.cos(q[:, 2]) - v[:, 0] * np.sin(q[:, 2])
    assert np.abs(slip).max() < 1e-13


@pytest.mark.parametrize("stepper", ["dop853", "radau", "gauss"])
def test_both_crossings_of_one_step_and_no_grazing(stepper):
    depth = 1e-5
    events = {"dip": (q1[0] + 1 - depth, False), "touch": (q1[0] - 1 - 1e-7, False)}
    system = CompiledSystem(systems.oscillator(events=events))
    raw = integrate(system, [1, 0], TimeSpan(0, 10, [10.0], 1e-10, stepper, 0.1 if stepper == "gauss" else None))
    half = np.arccos(1 - depth)
    expected = [np.pi - half, np.pi + half, 3 * np.pi - half, 3 * np.pi + half]
    assert [(e.kind, e.which) for e in raw.events] == [("crossing", 0)] * 4
    assert [e.side for e in raw.events] == [-1, 1, -1, 1]
    np.testing.assert_allclose([e.time for e in raw.events], expected, atol=1e-6)
    for event in raw.events:
        assert abs(event.before[0] + 1 - depth) < 1e-12


def test_a_guard_that_starts_at_zero_is_no_event():
    system = CompiledSystem(systems.oscillator(events={"top": (q1[0] - 1, False), "speed": (v1[0], False)}))
    raw = integrate(system, [1, 0], TimeSpan(0, 2, [2.0], 1e-10))
    assert raw.events == ()


def test_a_stop_ends_the_motion_there():
    system = CompiledSystem(systems.oscillator(events={"zero": (q1[0], True)}))
    raw = integrate(system, [1, 0], TimeSpan(0, 10, TIMES, 1e-11, dense=True))
    assert raw.status == "stopped" and "zero" in raw.message
    assert raw.end == pytest.approx(np.pi / 2, abs=1e-10) and abs(raw.end_state[0]) < 1e-14
    assert raw.times[-1] <= raw.end < raw.times[-1] + 0.25
    np.testing.assert_allclose(raw.dense(np.linspace(0, 1.5, 7))[:, 0], np.cos(np.linspace(0, 1.5, 7)), atol=1e-9)


def test_in_chunks_as_in_one_go():
    system = CompiledSystem(systems.pendulum(2, events={"swing": (q1[0], False)}))
    ends = []
    for chunk in (1, 100000):
        native = Native(system)
        span = TimeSpan(0, 10, TIMES, stepper="dop853", dense=True)
        motion, buffers = EngineMotion(native), Buffers.of(native, span)
        motion.set(span.settings(), np.array([1.2, 1.5, 0, 0]), np.ones(native.size))
        status, reached = Status.CONTINUE, []
        while status in (Status.CONTINUE, Status.NEED_ROOM):
            status = motion.run(buffers.desk, chunk)
            reached.append(motion.report().t)
            if status == Status.NEED_ROOM:
                buffers.grow()
        assert status == Status.FINISHED and reached == sorted(reached)
        ends.append((buffers.samples.tolist(), buffers.events["time"][: buffers.desk.event_count].tolist()))
    assert ends[0] == ends[1] and len(ends[0][1]) > 5


def test_interruption_keeps_what_there_is(monkeypatch):
    from dalembert.motions import buffers

    monkeypatch.setattr(buffers, "CHUNK_SECONDS", 0.0)
    system = CompiledSystem(systems.pendulum(2))

    def interrupt(fraction):
        raise KeyboardInterrupt

    raw = integrate(system, [1.2, 1.5, 0, 0], TimeSpan(0, 1000, np.linspace(0, 1000, 11), 1e-9, progress=interrupt))
    assert raw.status == "interrupted" and 0 < len(raw.times) < 11 and 0 < raw.end < 1000


def test_failures_are_sentences_with_time():
    def outcome(eq, y0=(0, 1)):
        raw = integrate(CompiledSystem(eq), list(y0), TimeSpan(0, 10, TIMES, 1e-9))
        assert raw.status == "failed" and raw.end < 10 and len(raw.times) < len(TIMES)
        return raw.message

    t = systems.t
    assert "the square root of 1 - q0" in outcome(systems.equations(1, [[1]], [se.sqrt(1 - q1[0])]))
    assert "t = 1 " in outcome(systems.equations(1, [[1]], [v1[0] ** 2]))
    assert "mass of fuel becomes negative" in outcome(systems.equations(1, [[2 - t]], [1], masses={"fuel": 1 - t}))
    step = se.Piecewise((1, t < 2), (0, True))
    assert "q0 carries no inertia" in outcome(systems.equations(1, [[step]], [1]))


def test_stiff_motions_are_handed_to_radau():
    system = CompiledSystem(systems.equations(1, [[1]], [-1e6 * (q1[0] - se.cos(systems.t)) - 1e7 * v1[0]]))
    raw = integrate(system, [1, 0], TimeSpan(0, 10, [10.0], 1e-8))
    assert raw.status == "finished" and raw.steppers == ("dop853", "radau") and raw.evaluations < 20000


def test_without_machine_code():
    system = CompiledSystem(systems.cartesian(), "numpy")
    raw = integrate(system, [1, 0, 0, 0], TimeSpan(0, 1, [1.0], 1e-9))
    compiled = integrate(CompiledSystem(systems.cartesian()), [1, 0, 0, 0], TimeSpan(0, 1, [1.0], 1e-9))
    np.testing.assert_allclose(raw.states[:, :2], compiled.states[:, :2], atol=1e-7)


def test_gauss_returns_where_it_came_from():
    system = CompiledSystem(systems.cartesian())
    there = integrate(system, [1, 0, 0, 0], TimeSpan(0, 5, [5.0], stepper="gauss", step=0.05)).end_state
    back = integrate(system, [*there[:2], *-there[2:]], TimeSpan(0, 5, [5.0], stepper="gauss", step=0.05)).end_state
    np.testing.assert_allclose(back, [1, 0, 0, 0], atol=1e-11)


def test_gauss_energy_stays_bounded_and_order_is_six():
    system = CompiledSystem(systems.pendulum(1))
    times = np.linspace(0, 1000, 1001)
    raw = integrate(system, [2.0, 0], TimeSpan(0, 1000, times, stepper="gauss", step=0.1))
    error = np.abs(total(system, raw) - total(system, raw)[0])
    assert error[-100:].max() < 1.5 * error[:100].max()
    exact = integrate(system, [2.0, 0], TimeSpan(0, 5, [5.0], 1e-13)).end_state
    errors = [
        np.abs(integrate(system, [2.0, 0], TimeSpan(0, 5, [5.0], stepper="gauss", step=h)).end_state - exact).max()
        for h in (0.1, 0.05)
    ]
    assert 5.5 < np.log2(errors[0] / errors[1]) < 6.8


def test_calls_at_fault():
    system = CompiledSystem(systems.oscillator())
    for arguments in ({"stepper": "euler"}, {"step": -1.0}, {"end": -1.0}, {"samples": [0.5, 0.1]}):
        with pytest.raises(ModelError):
            integrate(system, [1, 0], TimeSpan(**{"start": 0.0, "end": 1.0} | arguments))
