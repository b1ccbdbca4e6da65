"""This package, through its public names."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import dalembert as da
import dalembert.api.motion
from benchmarks import impacts, systems
from benchmarks.peers import Prepared
from benchmarks.systems import FIRST_TOLERANCE, System


def prepare(system: System, stepper: str = "auto") -> Prepared:
    """Stating a model is reading or building it, and checking it whole."""
    if system.key in systems.MANY:
        return prepare_many(system, 1)
    begin = perf_counter()
    model = state(system)
    _ = model.record  # the whole model is checked
    stated = perf_counter() - begin
    moved = model.simulate(at=[system.duration], tolerance=FIRST_TOLERANCE, stepper=stepper)
    first, kept = moved.diagnostics, [moved]

    def integrate(tolerance: float) -> tuple[float, list[float]]:
        if tolerance == FIRST_TOLERANCE and kept:
            motion = kept.pop()  # the compilation includes this motion; it is not computed again
        else:
            motion = model.simulate(at=[system.duration], tolerance=tolerance, stepper=stepper)
        return motion.diagnostics.seconds["integrate"], [value(motion, name) for name in system.compared]

    def evaluate(count: int) -> float:
        """Seconds of a whole motion for each evaluation, so they include the other costs of the steps."""
        found = model.simulate(at=[system.duration], tolerance=1e-12, stepper=stepper).diagnostics
        return found.seconds["integrate"] / found.evaluations

    return Prepared(stated, first.seconds["derive"], first.seconds["compile"], integrate, evaluate)


def prepare_many(system: System, threads: int) -> Prepared:
    """A whole sweep with derivation and compilation; the seconds are those of one motion."""
    one, angle, low, high = systems.MANY[system.key]
    model = state(systems.system(one))
    known = model.record.coordinates
    kept = [f"final {name}" if name.rstrip("'") in known else f"final {renamed(name)}" for name in system.compared]
    grid = f"{low}:{high}:{systems.MOTIONS}"

    def integrate(tolerance: float) -> tuple[float, list[float]]:
        begin = perf_counter()
        found = model.sweep({angle: grid}, record=kept, until=system.duration, tolerance=tolerance, threads=threads)
        taken = (perf_counter() - begin) / systems.MOTIONS
        columns = [found[name].values[:: systems.EVERY] for name in kept]
        return taken, [float(column[i]) for i in range(len(columns[0])) for column in columns]

    return Prepared(None, None, None, integrate)


def warm() -> None:
    """As for the others; and models of each kind are read and moved, since late imports do not count."""
    prepare(systems.pendulum(1))
    for name in ("chaplygin-sleigh", "four-bar", "bouncing-ball"):
        da.gallery(name).simulate(duration=0.1)


def state(system: System) -> Any:
    """The model: the chain built in Python, the others from the gallery with the benchmark's values."""
    if system.links:
        return chain(system.links)
    if system.key == "andrews":
        return da.gallery("andrews-squeezer")
    if system.key in ("billiard", "ball"):
        return da.gallery({"billiard": "ellipse-billiard", "ball": "zhang-mei-ball-paper"}[system.key])
    if system.key == "wall-pendulum":
        return wall_pendulum()
    if system.key == "whipple":
        values = {"v": systems.WHIPPLE_SPEED, "phi'": systems.WHIPPLE_LEAN_RATE, "delta'": 0.0}
        return da.gallery("whipple-bicycle").changed(values)
    place, rates = systems.DISK_START, systems.DISK_RATES
    values = {"m": systems.DISK["m"], "R": systems.DISK["r"], "yaw": place["yaw"], "lean": place["lean"], "roll": 0.0}
    values |= {"yaw'": rates["yaw"], "lean'": rates["lean"], "roll'": rates["spin"]}
    return da.gallery("rolling-disk").changed(values)


def chain(n: int) -> Any:
    model = da.Model(f"Pendulum of {n} links")
    model.gravity([0, -systems.GRAVITY, 0])
    m, length = model.parameters(m=systems.LINK_MASS, l=systems.LINK_LENGTH)
    x, y = 0, 0
    for i, angle in enumerate(systems.pendulum_start(n)):
        q = model.coordinate(f"q{i}", initial=angle)
        x, y = x + length * da.sin(q), y - length * da.cos(q)
        model.body(f"mass{i}", mass=m, position=[x, y, 0])
    return model


def wall_pendulum() -> Any:
    model, pendulum = da.Model("Pendulum at a wall"), impacts.PENDULUM
    q = model.coordinate("q", initial=pendulum["start"])
    model.gravity([0, -pendulum["g"], 0])
    model.body("bob", mass=1, position=[pendulum["l"] * da.sin(q), -pendulum["l"] * da.cos(q), 0])
    model.contact("wall", gap=pendulum["wall"] - q)
    return model


NAMES = {
    "yaw": "psi", "lean": "phi", "steer": "delta", "rear": "thetaR", "front": "thetaF", "pitch": "chi",
    "spin": "roll", "omega": "Omega",
}  # fmt: skip


def renamed(name: str) -> str:
    plain = name.rstrip("'")
    return NAMES[plain] + name[len(plain) :]


def value(motion: Any, name: str) -> float:
    """The last value of a compared entry, by its name in the model."""
    plain, rate = name.rstrip("'"), name.endswith("'")
    table = motion.speeds if rate else motion.coordinates
    own = plain if plain in table else NAMES[plain]
    if own == "thetaR":  # counted from the lean here, from the rear frame in the comparison
        return float(table[own][-1] - table["chi"][-1])
    return float(table[own][-1])
