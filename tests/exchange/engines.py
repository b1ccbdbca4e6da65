"""M, bias and accelerations of a robot by Pinocchio and MuJoCo, and by a converted model, at one state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dalembert.exchange.convert import converted
from dalembert.formalisms import derive
from dalembert.model.machine import JointCoordinate
from dalembert.model.record import ModelRecord
from dalembert.programs.system import CompiledSystem


def ours(
    model: ModelRecord, q: np.ndarray, v: np.ndarray, method: str = "kane"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, h and q̈ of a tree: M q̈ + h = 0."""
    system = CompiledSystem(derive(model, method, numeric=True), "numpy")
    D, d, *_ = system.unpacked(system.dynamics(system.state(0.0, q, v)))
    return D, -d, np.linalg.solve(D, d)


def joints(model: ModelRecord) -> dict[str, str]:
    """The joint of every coordinate, by the coordinate's name."""
    assert model.stated is not None
    pairs = ((entry, name) for name, joint in model.stated.joints.items() for entry in joint.coordinates)
    return {entry.name: name for entry, name in pairs if isinstance(entry, JointCoordinate)}


def by_pinocchio(path: Path, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same by Pinocchio, in the order of the model's coordinates; mimicking joints by their factors."""
    import pinocchio

    from dalembert.exchange.robot import Names
    from dalembert.exchange.urdf import robot_of

    model, data = pinocchio.buildModelFromUrdf(str(path)), None
    data = model.createData()
    stated = robot_of(path)
    names = list(converted(path)[0].coordinates)
    own = [joint for joint in stated.joints if joint.type in ("revolute", "prismatic") and joint.mimic is None]
    plain = {joint.name: Names().new(joint.name) for joint in own}
    columns = {}
    for joint in own:
        matches = [n for n in names if n == plain[joint.name] or n == f"{plain[joint.name]}_q"]
        if matches:
            columns[joint.name] = names.index(matches[0])
    place, speed = pinocchio.neutral(model), np.zeros(model.nv)
    G = np.zeros((model.nv, len(names)))
    damping = np.zeros(len(names))
    for joint in stated.joints:
        if joint.type not in ("revolute", "prismatic") or not model.existJointName(joint.name):
            continue
        other, factor, offset = joint.mimic or (joint.name, 1.0, 0.0)
        if other not in columns:
            continue
        entry, k = model.joints[model.getJointId(joint.name)], columns[other]
        angle = factor * q[k] + offset
        if entry.nq == 2:
            place[entry.idx_q : entry.idx_q + 2] = np.cos(angle), np.sin(angle)
        else:
            place[entry.idx_q] = angle
        G[entry.idx_v, k] = factor
        if joint.mimic is None:
            damping[k] = joint.damping
    speed = G @ v
    M = pinocchio.crba(model, data, place)
    M = np.triu(M) + np.triu(M, 1).T
    h = pinocchio.rnea(model, data, place, speed, np.zeros(model.nv))
    M, h = G.T @ M @ G, G.T @ h + damping * v
    return M, h, np.linalg.solve(M, -h)


def by_mujoco(robot: Any, names: list[str], q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same by MuJoCo, of a file or a model of its own, without contacts and limits."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(robot)) if isinstance(robot, Path) else robot
    bits = mujoco.mjtDisableBit
    model.opt.disableflags |= int(bits.mjDSBL_CONTACT) | int(bits.mjDSBL_LIMIT) | int(bits.mjDSBL_EQUALITY)
    data = mujoco.MjData(model)
    order = []
    for k, name in enumerate(names):
        ids = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, n) for n in (name, name.removesuffix("_q"))]
        joint = max(ids)
        place = model.jnt_qposadr[joint]
        data.qpos[place] = model.qpos0[place] + q[k]
        data.qvel[model.jnt_dofadr[joint]] = v[k]
        order.append(model.jnt_dofadr[joint])
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    h = (data.qfrc_bias - data.qfrc_passive)[order]
    M = M[np.ix_(order, order)]
    return M, h, np.linalg.solve(M, -h)


def state(size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(seed)
    return chance.uniform(-0.7, 0.7, size), chance.uniform(-1, 1, size)
