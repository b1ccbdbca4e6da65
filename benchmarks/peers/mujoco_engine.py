"""MuJoCo: recursive mass matrix in compiled C, Runge-Kutta of fourth order at a fixed step, stepped without Python.

MuJoCo has no nonholonomic constraint (its contacts are soft), so it gets the pendulums only.
"""

from __future__ import annotations

from time import perf_counter

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks import systems
from benchmarks.peers import Prepared, each
from benchmarks.systems import FIRST_TOLERANCE, System

INERTIA = 1e-12  # MuJoCo refuses a body without inertia


def prepare(system: System) -> Prepared:
    n, begin = system.links, perf_counter()
    model = mujoco.MjModel.from_xml_string(chain(n))
    data = mujoco.MjData(model)
    end = perf_counter()
    absolute = np.array(systems.pendulum_start(n))

    def reset() -> np.ndarray:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = np.diff(absolute, prepend=0.0)
        data.qvel[:] = 0.0
        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        first = np.empty(mujoco.mj_stateSize(model, full))
        mujoco.mj_getState(model, data, first, full)
        return first

    def integrate(tolerance: float) -> tuple[float, list[float]]:
        steps = steps_for(tolerance)
        model.opt.timestep = system.duration / steps
        first = reset()
        start = perf_counter()
        states, _ = rollout.rollout(model, data, first, nstep=steps)
        taken = perf_counter() - start
        last = np.asarray(states).reshape(-1, len(first))[-1]  # time, qpos, qvel, …
        return taken, [*np.cumsum(last[1 : 1 + n]).tolist(), *np.cumsum(last[1 + n : 1 + 2 * n]).tolist()]

    def evaluate(count: int) -> float:
        reset()
        return each(lambda: mujoco.mj_forward(model, data), count)

    return Prepared(None, None, end - begin, integrate, evaluate)


def steps_for(tolerance: float) -> int:
    """A fixed step instead of a tolerance: the error falls with the fourth power of the number of steps."""
    return round(10_000 * (FIRST_TOLERANCE / tolerance) ** 0.25)


def chain(n: int) -> str:
    """The pendulum as MJCF: hinges in a row, y the axis, z up."""
    length, mass = systems.LINK_LENGTH, systems.LINK_MASS
    head = (
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        f'<option integrator="RK4" gravity="0 0 -{systems.GRAVITY}">'
        '<flag contact="disable" constraint="disable"/></option><worldbody>'
    )
    link = (
        '<body pos="0 0 {drop}"><joint type="hinge" axis="0 -1 0"/>'
        f'<inertial pos="0 0 -{length}" mass="{mass}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>'
    )
    links = "".join(link.format(drop=0 if i == 0 else -length) for i in range(n))
    return head + links + "</body>" * n + "</worldbody></mujoco>"
