"""Random mechanical systems with a state that satisfies their constraints, the same for the same seed.

Everything that a model can state about a motion without contacts takes part: bodies with rotations and spin, energies,
dissipation, loads, rheonomic terms, holonomic, linear and nonlinear constraints, redundant ones, coordinates without
mass, masses m(q, q̇, t) with ejection, and quasi-velocities.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms import derive
from dalembert.model.read import model_of
from dalembert.model.record import ModelRecord
from dalembert.motions.initial import consistent
from dalembert.programs.system import CompiledSystem

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Case:
    model: ModelRecord
    data: dict
    t: float
    q: np.ndarray
    v: np.ndarray

    def compiled(self, method: str, backend: str = "numpy") -> tuple[CompiledSystem, np.ndarray]:
        """The system by a method, with its state."""
        system = CompiledSystem(derive(self.model, method, numeric=True), backend)
        return system, system.state(self.t, self.q, self.v)


def case(seed: int, **wanted: bool) -> Case:
    """The system of a seed; `wanted` fixes choices that are random otherwise (bodies, varying, rheonomic, loads …)."""
    for attempt in range(50):
        chance = Random(1000 * seed + attempt)
        found = _attempt(chance, wanted)
        if found is not None:
            return found
    raise AssertionError(f"no system with a consistent state was found for seed {seed}")


def _attempt(chance: Random, wanted: dict[str, bool]) -> Case | None:
    data = Writer(chance, wanted).model()
    t = 0.3
    try:
        model = model_of(data)
        system = CompiledSystem(derive(model, "kane", numeric=True), "numpy")
        n = system.n
        q = np.array([chance.uniform(-1, 1) for _ in range(n)])
        v = np.array([chance.uniform(-1, 1) for _ in range(n)])
        q, v, _ = consistent(system, q, v, np.ones(n, bool), t=t)
        D, _, A, _, _ = system.unpacked(system.dynamics(system.state(t, q, v)))
    except (MathematicsError, ModelError):
        return None
    # near a singularity the test would measure rounding, not the derivations
    values = np.linalg.svd(A, compute_uv=False)
    rank = int((values > 1e-9).sum())
    null = np.linalg.svd(A)[2][rank:].T if len(A) else np.eye(n)
    well = rank == 0 or values[rank - 1] > 0.05
    if not well or (null.size and np.linalg.cond(null.T @ D @ null) > 1e4) or np.abs([*q, *v]).max() > 10:
        return None
    return Case(model, data, t, q, v)


class Writer:
    """Writes one model, term by term."""

    def __init__(self, chance: Random, wanted: dict[str, bool]):
        self.chance = chance
        self.wanted = wanted
        self.names = [f"q{i}" for i in range(chance.randint(2, 5))]
        self.rheonomic = self.maybe("rheonomic", 0.4)

    def maybe(self, what: str, odds: float) -> bool:
        drawn = self.chance.random() < odds
        return self.wanted.get(what, drawn)

    def number(self, low: float = -1.0, high: float = 1.0) -> str:
        return f"({self.chance.uniform(low, high):.4f})"

    def some(self, least: int = 1) -> list[str]:
        return self.chance.sample(self.names, self.chance.randint(least, min(3, len(self.names))))

    def function(self) -> str:
        """A smooth function of the coordinates, and of time if the system is rheonomic."""
        shapes = ("{c}*{q}", "sin({q} + {c})", "cos({c}*{q})", "{c}*{q}^2", "{c}*{q}*{p}", "exp({c}*sin({q}))")
        terms = []
        for q in self.some():
            shape = self.chance.choice(shapes)
            terms.append(shape.format(c=self.number(), q=q, p=self.chance.choice(self.names)))
        if self.rheonomic and self.chance.random() < 0.5:
            terms.append(f"{self.number()}*sin({self.number(0.5, 2)}*t)")
        return " + ".join(terms)

    def linear(self) -> str:
        """Linear in the speeds."""
        terms = [f"({self.function()})*{q}'" for q in self.some(2)]
        if self.rheonomic and self.chance.random() < 0.5:
            terms.append(self.number())
        return " + ".join(terms)

    def model(self) -> dict:
        data: dict = {
            "parameters": {"g": 9.81, "c": 0.7},
            "coordinates": dict.fromkeys(self.names, 0.1),
            "simulation": {"start": 0.3},
            "gravity": ["0.3*g", 0, "-g"],
            "bodies": {},
            "forces": {},
        }
        if self.maybe("bodies", 0.85):
            for i in range(self.chance.randint(1, 3)):
                data["bodies"][f"body{i}"] = self.body()
        data["energy"] = self.energy(bool(data["bodies"]))
        if data["bodies"] and self.maybe("loads", 0.5):
            data["forces"]["push"] = self.load(self.chance.choice(list(data["bodies"])))
        if self.maybe("generalized", 0.4):
            pushes = {q: f"{self.number()}*{self.chance.choice(self.names)}' + {self.function()}" for q in self.some()}
            data["forces"]["field"] = {"generalized": pushes}
        self.constrain(data)
        if self.maybe("quasi", 0.5):
            count = self.chance.randint(1, len(self.names))
            data["quasi_velocities"] = {f"w{i}": self.linear() for i in range(count)}
        return data

    def body(self) -> dict:
        body: dict = {"mass": self.number(0.5, 2), "position": [self.function() for _ in AXES]}
        if self.maybe("rigid", 0.6):
            turns = [[self.axis(), self.angle()] for _ in range(self.chance.randint(1, 3))]
            body["rotation"] = turns
            if self.maybe("spin", 0.4):
                body["spin"] = ["z", self.angle()]
                body["inertia"] = [0.4, 0.4, self.number(0.2, 0.7)]
            else:
                body["inertia"] = [
                    0.5,
                    0.6,
                    0.7,
                    self.number(-0.1, 0.1),
                    self.number(-0.1, 0.1),
                    self.number(-0.1, 0.1),
                ]
        if self.maybe("varying", 0.3):
            body["mass"] = self.mass()
            if self.maybe("ejection", 0.8):
                body["ejection"] = [f"{self.number()} + {self.number()}*{self.speed()}" for _ in AXES]
        return body

    def axis(self) -> str | list:
        return self.chance.choice(AXES) if self.chance.random() < 0.8 else [self.number(0.5, 1), self.number(), 1]

    def angle(self) -> str:
        swing = f" + {self.number()}*t" if self.rheonomic and self.chance.random() < 0.3 else ""
        return f"{self.number(0.5, 1.5)}*{self.chance.choice(self.names)}{swing}"

    def speed(self) -> str:
        return f"{self.chance.choice(self.names)}'"

    def mass(self) -> str:
        """Of t, of q, of q̇, or of all of them; positive at every state that is drawn."""
        terms = ["2.5", f"{self.number()}*0.3*t"]
        if self.chance.random() < 0.6:
            terms.append(f"0.4*sin({self.chance.choice(self.names)})")
        if self.chance.random() < 0.6:
            terms.append(f"0.3*sin({self.speed()}) + 0.05*{self.speed()}^2")
        return " + ".join(terms)

    def energy(self, bodies: bool) -> dict:
        weights = [f"{self.number(0.5, 2)}*(1 + 0.3*sin({self.chance.choice(self.names)}))*{q}'^2" for q in self.names]
        if bodies and self.maybe("massless", 0.2):
            weights.pop()
        mixed = f" + 0.1*{self.speed()}*{self.speed()}*cos({self.chance.choice(self.names)})"
        gyroscopic = f" + {self.number()}*{self.chance.choice(self.names)}*{self.speed()}"
        energy = {"kinetic": " + ".join(weights) + mixed + gyroscopic}
        if self.maybe("potential", 0.6):
            energy["potential"] = self.function()
        if self.maybe("dissipation", 0.4):
            energy["dissipation"] = f"0.2*{self.speed()}^2 + 0.05*{self.speed()}^4"
        return energy

    def load(self, body: str) -> dict:
        load: dict = {"body": body, "force": [f"{self.number()} + {self.number()}*{self.speed()}" for _ in AXES]}
        if self.chance.random() < 0.6:
            load["at"] = [self.function() for _ in AXES]
        if self.chance.random() < 0.6:
            load["torque"] = [self.number() for _ in AXES]
        return load

    def constrain(self, data: dict) -> None:
        rows: dict[str, str] = {}
        room = len(self.names) - 1
        kinds = [k for k in ("holonomic", "linear", "nonlinear") if self.maybe(k, 0.45)]
        for kind in self.chance.sample(kinds, min(len(kinds), room)):
            rows[kind] = {
                "holonomic": lambda: (
                    f"{self.chance.choice(self.names)} + 0.5*({self.function()}) = {self.number(-0.3, 0.3)}"
                ),
                "linear": lambda: f"{self.linear()} = {self.number(-0.3, 0.3)}",
                "nonlinear": self.nonlinear,
            }[kind]()
        if rows and self.maybe("redundant", 0.2):
            left, _, right = rows[next(iter(rows))].partition(" = ")
            rows["again"] = f"2*({left}) = 2*{right}"
        data["constraints"] = rows

    def nonlinear(self) -> str:
        a, b = self.chance.sample(self.names, 2)
        rest = f"(1 + 0.3*sin({self.chance.choice(self.names)}))"
        if self.chance.random() < 0.5:
            return f"{a}'^2 + {self.number(0.5, 2)}*{b}'^2 = {self.number(0.5, 2)}*{rest}"
        return f"{a}' + {self.number()}*{b}'^3 + 0.2*{a}'*{b}' = {self.number()}*{rest}"
