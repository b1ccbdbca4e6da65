"""Random machines with joints, and the same machines by hand: rotations and positions written out body by body."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import symengine as se

from dalembert.formalisms import CHETAEV, derive
from dalembert.mechanics.system import System
from dalembert.model.read import model_of
from dalembert.model.record import ModelRecord
from dalembert.model.values import initial_values
from dalembert.motions.accelerations import solve_accelerations
from dalembert.motions.initial import consistent
from dalembert.programs.system import CompiledSystem

FREE = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "ball": 3, "planar": 3, "weld": 0, "free": 6}
UNITS = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}


def drawn(chance: Random) -> list[float]:
    return [round(chance.uniform(-1, 1), 3) for _ in range(3)]


def tree(seed: int, types: list[str] | None = None) -> tuple[dict, dict]:
    """A tree of bodies by joints, and by hand."""
    chance = Random(seed)
    kinds = types or [chance.choice(list(FREE)) for _ in range(chance.randint(1, 3))]
    jointed: dict = {"gravity": [0.5, 0.2, -9.81], "bodies": {}, "joints": {}}
    by_hand: dict = {"gravity": [0.5, 0.2, -9.81], "bodies": {}, "coordinates": {}, "speeds": {}, "frames": {}}
    rotations: dict[str, list] = {"ground": []}
    for i, kind in enumerate(kinds):
        child, parent = f"b{i}", chance.choice(list(rotations)) if i else "ground"
        mass = {"mass": round(chance.uniform(0.5, 2), 3)}
        mass["inertia"] = [0.5, 0.6, 0.7, *(round(chance.uniform(-0.1, 0.1), 3) for _ in range(3))]
        at, inside = drawn(chance), drawn(chance)
        axis = chance.choice(["x", "y", "z", drawn(chance)])
        turn = [["x", 0.3], ["y", -0.7]] if chance.random() < 0.3 else []
        names = [f"{child}q{k}" for k in range(FREE[kind])]
        starts = [(round(chance.uniform(-1, 1), 3), round(chance.uniform(-1, 1), 3)) for _ in names]
        joint = {"type": kind, "parent": parent, "child": child, "at": at, "in_child": inside, "turn": turn}
        joint["coordinates"] = [{"name": n, "initial": q, "speed": v} for n, (q, v) in zip(names, starts, strict=True)]
        if kind not in ("ball", "weld", "free"):
            joint["axis"] = axis
        second = drawn(chance)
        if kind == "universal":
            joint["second_axis"] = second
        jointed["bodies"][child], jointed["joints"][f"j{i}"] = dict(mass), joint
        by_hand["coordinates"] |= {n: q for n, (q, _) in zip(names, starts, strict=True)}
        by_hand["speeds"] |= {n: v for n, (_, v) in zip(names, starts, strict=True)}
        base = rotations[parent] + turn
        by_hand["frames"][f"f{i}"] = {"turn": base}
        turns, moved = moves(kind, names, axis, second)
        rotations[child] = base + turns
        place = along(at, "world" if parent == "ground" else parent)
        place += f" + {along(moved, f'f{i}')} - ({along(inside, child)})"
        body = mass | {"rotation": rotations[child], "position": place if parent == "ground" else f"{parent} + {place}"}
        by_hand["bodies"][child] = body
        if names and chance.random() < 0.5:
            joint["damping"], joint["stiffness"], joint["motor"] = 0.3, 1.7, [f"0.4 - 0.1*{n}'*{n}" for n in names]
            push = {n: f"-0.3*{n}' - 1.7*{n} + 0.4 - 0.1*{n}'*{n}" for n in names}
            by_hand.setdefault("forces", {})[f"push{i}"] = {"generalized": push}
    if not by_hand["coordinates"]:
        return tree(seed + 10**6, types)
    return jointed, by_hand


def moves(kind: str, q: list[str], axis: str | list[float], second: list[float]) -> tuple[list, list[str]]:
    """Turns and displacement of a joint, from its definition."""
    n = np.array(UNITS[axis] if isinstance(axis, str) else axis, float)
    n /= np.linalg.norm(n)
    if kind == "revolute":
        return [[axis, q[0]]], ["0"] * 3
    if kind == "prismatic":
        return [], [f"{c!r}*{q[0]}" for c in n.tolist()]
    if kind == "cylindrical":
        return [[axis, q[0]]], [f"{c!r}*{q[1]}" for c in n.tolist()]
    if kind == "universal":
        return [[axis, q[0]], [second, q[1]]], ["0"] * 3
    if kind == "planar":
        if isinstance(axis, str):
            i = "xyz".index(axis)
            e1, e2 = np.eye(3)[(i + 1) % 3], np.eye(3)[(i + 2) % 3]
        else:
            e1 = np.cross(n, np.eye(3)[np.argmin(abs(n))])
            e1 /= np.linalg.norm(e1)
            e2 = np.cross(n, e1)
        return [[axis, q[2]]], [
            f"({a!r})*{q[0]} + ({b!r})*{q[1]}" for a, b in zip(e1.tolist(), e2.tolist(), strict=True)
        ]
    turns = [[letter, name] for letter, name in zip("xyz", q[-3:], strict=True)] if q else []
    return turns, q[:3] if kind == "free" else ["0"] * 3


def along(entries: list, frame: str) -> str:
    return " + ".join(f"({e})*{frame}.{axis}" for e, axis in zip(entries, "xyz", strict=True))


def accelerations(model: ModelRecord, method: str) -> dict[str, float]:
    """q̈ by name at the model's consistent initial state."""
    system = CompiledSystem(derive(model, method, numeric=True), "numpy")
    values = initial_values(model)
    names = system.equations.coordinates
    q = np.array([values.coordinates[name] for name in names])
    v = np.array([values.speeds[name] or 0.0 for name in names])
    given = np.array([values.speeds[name] is not None for name in names])
    t = model.simulation.start
    q, v, _ = consistent(system, q, v, given, t=t)
    found = solve_accelerations(system, system.state(t, q, v))
    return dict(zip(names, found.a.tolist(), strict=True))


def same(
    jointed: dict | ModelRecord, by_hand: dict | ModelRecord, methods: Sequence[str] = CHETAEV, tolerance: float = 1e-10
) -> None:
    """Two models have the same accelerations by every method; the names of the second are compared."""
    first, second = (model_of(m) if isinstance(m, dict) else m for m in (jointed, by_hand))
    reference = accelerations(second, "kane")
    scale = 1 + max(map(abs, reference.values()))
    for method in methods:
        found = accelerations(first, method)
        for name, value in reference.items():
            assert abs(found[name] - value) <= tolerance * scale, (method, name, found[name], value)


def body_accelerations(model: ModelRecord, method: str) -> dict[str, np.ndarray]:
    """For every body, the acceleration of its centre and its angular acceleration in inertial axes."""
    system = System(model, numeric=True)
    motion = system.motion
    compiled = CompiledSystem(derive(model, method, numeric=True), "numpy")
    values = initial_values(model)
    q = np.array([values.coordinates[name] for name in motion.names])
    v = np.array([values.speeds[name] or 0.0 for name in motion.names])
    given = np.array([values.speeds[name] is not None for name in motion.names])
    q, v, _ = consistent(compiled, q, v, given)
    a = solve_accelerations(compiled, compiled.state(0.0, q, v)).a
    symbols = [*motion.q, *motion.v, *motion.a]
    found = {}
    for name, body in system.bodies.items():
        turning = body.turning.attitude.world(body.turning.acceleration(motion))
        function = se.Lambdify(symbols, [*body.centre.acceleration(motion), *turning])
        found[name] = np.array(function([*q, *v, *a]))
    return found


def same_bodies(
    first: ModelRecord, second: ModelRecord, methods: Sequence[str] = CHETAEV, tolerance: float = 1e-10
) -> None:
    """The bodies of two models have the same accelerations by every method."""
    reference = body_accelerations(second, "kane")
    for method in methods:
        found = body_accelerations(first, method)
        for name, value in reference.items():
            scale = 1 + np.abs(value).max()
            np.testing.assert_allclose(found[name], value, rtol=0, atol=tolerance * scale, err_msg=f"{method} {name}")
