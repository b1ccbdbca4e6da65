"""Steps of Runge and Kutta's method: their order, their number, and constraints that are kept."""

from __future__ import annotations

import numpy as np
import pytest
import systems

from dalembert.engine.interface import Status
from dalembert.equations import Equations
from dalembert.motions.buffers import Buffers, run
from dalembert.motions.native import EngineMotion, Native, vector
from dalembert.motions.span import TimeSpan
from dalembert.programs.system import CompiledSystem

END = 2.0


def followed(equations: Equations, y0: list[float], step: float) -> tuple[Status, EngineMotion, np.ndarray]:
    """A motion to `END` with steps of one length: the status, the motion, and its last state."""
    native = Native(CompiledSystem(equations))
    motion = EngineMotion(native)
    span = TimeSpan(0.0, END, [END], stepper="rk4", step=step)
    motion.set(span.settings(), np.array(y0), np.ones(native.size))
    buffers = Buffers.of(native, span)
    status = run(motion, buffers, span)
    return status, motion, vector(motion.report().y, native.size)


def test_order_and_count() -> None:
    exact = np.array([np.cos(END), -np.sin(END)])
    errors = []
    for steps in (20, 40):
        status, motion, y = followed(systems.oscillator(), [1, 0], END / steps)
        assert status == Status.FINISHED and motion.report().steps == steps
        assert motion.report().evaluations <= 5 * steps + 2  # four stages and the slope at the end
        errors.append(np.abs(y - exact).max())
    assert 3.8 < np.log2(errors[0] / errors[1]) < 4.2


def test_steps_end_at_the_end_and_keep_the_constraint() -> None:
    status, motion, y = followed(systems.cartesian(), [1, 0, 0, 0], 0.03)  # 67 steps, each a little shorter
    assert status == Status.FINISHED and motion.report().steps == 67 and motion.report().t == END
    assert np.hypot(y[0], y[1]) == pytest.approx(1.0, abs=1e-9)
