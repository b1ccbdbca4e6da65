"""Random models without contacts: kinks, scales, stiffness, nearly singular systems, long times, and plain ones."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
from scipy.linalg import expm
from scipy.special import ellipj, ellipk

from fuzz.cases import Case, Model
from fuzz.touching import number
from random_systems import Writer


def kinked_force(rng: np.random.Generator, seed: int) -> Case:
    """Forces with abs, max, min and potentials with abs; the motion crosses the kinks and does not rest on them."""
    springs = [
        ("potential", f"{number(rng, 1, 5)}*abs(x) + x^2/2"),
        ("potential", f"{number(rng, 5, 50)}/2*max(x, 0)^2 + x^2/2"),
        ("force", f"-{number(rng, 1, 4)}*x - {number(rng, 1, 4)}*abs(x)*x"),
        ("force", f"-{number(rng, 1, 4)}*x + min({number(rng, 0, 1)}, x)*y"),
        ("force", f"-{number(rng, 1, 4)}*x - {number(rng, 1, 10)}*max(x - {number(rng, -0.3, 0.3)}, 0)"),
    ]
    kind, chosen = springs[int(rng.integers(len(springs)))]
    model: Model = {
        "coordinates": {
            "x": {"initial": number(rng, 0.3, 1), "speed": number(rng, 0.5, 2)},
            "y": {"initial": number(rng, 0.3, 1), "speed": number(rng, -1, 1)},
        },
        "energy": {"kinetic": f"x'^2/2 + y'^2/2 + {number(rng, 0, 0.3)}*x'*y'", "potential": "2*y^2"},
    }
    if kind == "potential":
        model["energy"]["potential"] += " + " + chosen
    else:
        model["forces"] = {"spring": {"generalized": {"x": chosen}}}
    return Case("kinked-force", seed, model, 3.0, "smooth", digits=1e-6)


def dry(rng: np.random.Generator, seed: int) -> Case:
    """Coulomb's friction written as a force with a sign; the reference has it as a friction."""
    size, stiffness, speed = number(rng, 0.3, 2), number(rng, 1, 10), number(rng, 0.5, 3)
    drive = number(rng, 0, 1.5)
    base: Model = {
        "coordinates": {"x": {"initial": number(rng, -0.5, 0.5), "speed": speed}},
        "energy": {"kinetic": "x'^2/2", "potential": f"{stiffness}/2*x^2"},
        "forces": {"f": {"generalized": {"x": f"{drive}*sin(2*t) - {size}*sign(x')"}}},
    }
    instead = base | {
        "forces": {"f": {"generalized": {"x": f"{drive}*sin(2*t)"}}},
        "frictions": {"dry": {"slip": ["x'"], "normal": size, "coefficient": 1}},
    }
    return Case("dry", seed, base, 2.5, "stepped", step=0.002, instead=instead, digits=1e-6)


def kinked_rest(rng: np.random.Generator, seed: int) -> Case:
    """At rest at the kink of a potential, under a force that lies between the slopes on both sides; or passing it."""
    slope, bias = number(rng, 0.5, 3), number(rng, -0.9, 0.9)
    if rng.integers(3):
        model: Model = {
            "coordinates": {"x": {"initial": 0, "speed": 0}, "y": {"initial": 0, "speed": number(rng, 0.5, 1)}},
            "energy": {"kinetic": "x'^2/2 + y'^2/2", "potential": f"{slope}*abs(x) + {bias * slope:.6g}*x + y^2"},
        }
        return Case("kinked-rest", seed, model, 2.0, "rest", ends={"x": 0.0}, digits=1e-7)
    model = {
        "coordinates": {"x": {"initial": number(rng, 0.2, 0.5), "speed": 0}},
        "energy": {"kinetic": "x'^2/2", "potential": f"{slope}*abs(x)", "dissipation": f"{number(rng, 0.1, 1)}*x'^2/2"},
    }
    return Case("kinked-rest", seed, model, 3.0, "smooth", digits=1e-6)


def kinked_row(rng: np.random.Generator, seed: int) -> Case:
    """Constraints and gaps with a kink: an event by a documented law, or a sentence that names it."""
    slope, speed = number(rng, 0.3, 1), number(rng, 0.5, 2)
    model: Model = {"coordinates": {}, "bodies": {"p": {"mass": 1, "position": ["x", "y", 0]}}}
    if rng.integers(2):
        model["coordinates"] = {"x": {"initial": 1, "speed": -speed}, "y": {"initial": slope, "speed": -slope * speed}}
        model["constraints"] = {"vee": f"y - {slope}*abs(x) = 0"}
        row = "vee"
    else:
        model["gravity"] = [0, -10, 0]
        model["coordinates"] = {"x": {"initial": 0.3, "speed": -speed}, "y": {"initial": 1, "speed": 0}}
        model["contacts"] = {"valley": {"gap": f"y - {slope}*abs(x)", "restitution": float(rng.choice([0.0, 0.5]))}}
        row = "valley"
    return Case("kinked-row", seed, model, 2.0 / speed, "kink", row=row)


def scale(rng: np.random.Generator, seed: int) -> Case:
    """A rod, a sliding block and a bouncing ball in other units of length, time and mass: the same digits."""
    L = 10.0 ** int(rng.choice([-9, -7, -6, -3, 3, 6, 9, 11]))
    T = 10.0 ** int(rng.choice([-3, 0, 0, 2]))
    M = 10.0 ** int(rng.choice([-6, 0, 0, 6]))
    kind = int(rng.integers(3))
    angle, pull = number(rng, 0.3, 1.3), number(rng, 0.5, 2)

    def build(L: float, T: float, M: float) -> tuple[Model, float]:
        speed = L / T
        force = M * L / T**2
        if kind == 0:
            x, y = math.sin(angle) * L, -math.cos(angle) * L
            return {
                "coordinates": {"x": x, "y": y},
                "bodies": {"p": {"mass": M, "position": ["x", "y", 0]}},
                "forces": {"w": {"body": "p", "force": [0, -pull * force, 0]}},
                "constraints": {"rod": f"sqrt(x^2 + y^2) = {math.hypot(x, y)!r}"},
            }, 4.0 * T
        if kind == 1:
            return {
                "coordinates": {"x": {"initial": 0.1 * L, "speed": pull * speed}, "y": {"initial": 0, "speed": speed}},
                "bodies": {"p": {"mass": M, "position": ["x", "y", 0]}},
                "energy": {"potential": f"{2 * force / L!r}*(x^2 + y^2)"},
                "frictions": {"f": {"slip": ["x'", "y'"], "normal": force, "coefficient": 0.3}},
            }, 2.0 * T
        return {
            "coordinates": {"x": {"initial": 0.5 * L, "speed": 0}},
            "bodies": {"p": {"mass": M, "position": ["x", 0, 0]}},
            "forces": {"w": {"body": "p", "force": [-pull * force, 0, 0]}},
            "contacts": {"floor": {"gap": "x", "restitution": 0.5}},
        }, 2.0 * T

    model, until = build(L, T, M)
    instead, _ = build(1.0, 1.0, 1.0)
    names = list(model["coordinates"])
    reference = "smooth" if kind == 0 else "stepped"
    return Case(
        "scale",
        seed,
        model,
        until,
        reference,
        step=0.002,
        instead=instead,
        factors=dict.fromkeys(names, L),
        time_factor=T,
    )


def stiff(rng: np.random.Generator, seed: int) -> Case:
    """Linear chains of masses with soft and very stiff springs, damped or not, against the matrix exponential."""
    n = int(rng.integers(2, 4))
    K, C = np.diag(rng.uniform(1, 4, n)).round(3), np.zeros((n, n))
    hard = 10.0 ** int(rng.integers(3, 8))
    damped = bool(rng.integers(2))
    row = np.zeros(n)
    row[0], row[1] = 1.0, -1.0
    K += hard * np.outer(row, row)
    if damped:
        C += round(float(2 * rng.uniform(0.2, 2) * math.sqrt(hard)), 3) * np.outer(row, row)
    names = [f"x{k}" for k in range(n)]
    start = rng.uniform(-1, 1, n).round(3)
    start[1] = start[0]
    potential = " + ".join(f"{float(K[k, k] - (hard if k < 2 else 0))!r}/2*x{k}^2" for k in range(n))
    model: Model = {
        "coordinates": {name: {"initial": float(x), "speed": 0} for name, x in zip(names, start, strict=True)},
        "energy": {
            "kinetic": " + ".join(f"{name}'^2/2" for name in names),
            "potential": f"{potential} + {hard!r}/2*(x0 - x1)^2",
        },
    }
    if damped:
        model["energy"]["dissipation"] = f"{float(C[0, 0])!r}/2*(x0' - x1')^2"
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]])

    def exact(times: np.ndarray) -> dict[str, np.ndarray]:
        y = np.array([(expm(A * t) @ np.concatenate([start, np.zeros(n)]))[:n] for t in times])
        return {name: y[:, k] for k, name in enumerate(names)}

    return Case("stiff", seed, model, 2.0, "exact", exact=exact, digits=1e-5)


def nearly_singular(rng: np.random.Generator, seed: int) -> Case:
    """A double pendulum with masses of very different size, or two nearly dependent rows."""
    if rng.integers(2):
        model: Model = {
            "gravity": [0, -9.81, 0],
            "coordinates": {"a": number(rng, 0.3, 1.2), "b": number(rng, -1, 1)},
            "bodies": {
                "one": {"mass": 10.0 ** int(rng.integers(-4, 1)), "position": ["sin(a)", "-cos(a)", 0]},
                "two": {"mass": 1, "position": ["sin(a) + sin(b)", "-cos(a) - cos(b)", 0]},
            },
        }
        return Case("nearly-singular", seed, model, 0.8, "smooth", reversible=True, digits=1e-5)
    small = 10.0 ** -int(rng.integers(2, 6))
    model = {
        "coordinates": {
            "x": {"initial": 0, "speed": 0},
            "y": {"initial": 0, "speed": 0},
            "z": {"initial": 0, "speed": 0},
        },
        "energy": {"kinetic": "x'^2/2 + y'^2/2 + z'^2/2", "potential": f"{number(rng, -2, 2)}*x + y^2 + z"},
        "constraints": {"a": "x' + y' + z' = 0", "b": f"x' + y' + (1 + {small!r})*z' = 0"},
    }
    return Case("nearly-singular", seed, model, 1.0, "smooth", digits=1e-6)


def long(rng: np.random.Generator, seed: int) -> Case:
    """A pendulum over many swings, against elliptic functions."""
    angle, rate = number(rng, 0.3, 2.5), number(rng, 1, 4)
    model: Model = {
        "coordinates": {"th": {"initial": angle, "speed": 0}},
        "energy": {"kinetic": "th'^2/2", "potential": f"-{rate}^2*cos(th)"},
    }
    m = math.sin(angle / 2) ** 2

    def exact(times: np.ndarray) -> dict[str, np.ndarray]:
        sn = ellipj(ellipk(m) - rate * times, m)[0]
        return {"th": 2 * np.arcsin(math.sin(angle / 2) * sn)}

    until = float(rng.choice([50.0, 200.0, 500.0]))
    return Case("long", seed, model, until, "exact", exact=exact, digits=2e-7 * until)  # the phase's error grows


def plain(rng: np.random.Generator, seed: int) -> Case:
    """Everything that a model without contacts can state, from `random_systems`, with a consistent start."""
    wanted = {"holonomic": False, "linear": False, "nonlinear": False, "massless": False, "quasi": False}
    model = Writer(Random(int(rng.integers(2**31))), wanted).model()
    model["coordinates"] = {
        name: {"initial": number(rng, -0.5, 0.5), "speed": number(rng, -0.5, 0.5)} for name in model["coordinates"]
    }
    model["simulation"] = {}
    return Case("plain", seed, {k: v for k, v in model.items() if v}, 0.7, "smooth", digits=1e-6)


FREE: dict[str, Any] = {
    "kinked-force": kinked_force,
    "dry": dry,
    "kinked-rest": kinked_rest,
    "kinked-row": kinked_row,
    "scale": scale,
    "stiff": stiff,
    "nearly-singular": nearly_singular,
    "long": long,
    "plain": plain,
}
