"""Random models with contacts and frictions, stratum by stratum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fuzz.cases import Case, Model


def number(rng: np.random.Generator, low: float, high: float) -> float:
    return round(float(rng.uniform(low, high)), 3)


def feet(rng: np.random.Generator, seed: int) -> Case:
    """A box in the plane on two feet with coefficients of their own, or on three with one, pushed to and fro."""
    count = int(rng.choice([2, 2, 3]))
    height, top = number(rng, 0.1, 0.6), number(rng, -0.3, 0.4)
    places = [round(x, 3) for x in sorted(rng.uniform(-0.6, 0.6, count))]
    places[0], places[-1] = min(places[0], -0.3), max(places[-1], 0.3)
    one = number(rng, 0.1, 0.7)
    swing, rate, lean = number(rng, 1, 6), number(rng, 1, 4), number(rng, -1, 1)
    model: Model = {
        "gravity": [0, -10, 0],
        "coordinates": {"x": 0, "y": height, "th": 0},
        "bodies": {
            "box": {
                "mass": 1,
                "position": ["x", "y", 0],
                "rotation": [["z", "th"]],
                "inertia": [0, 0, number(rng, 0.05, 0.3)],
            }
        },
        "forces": {
            "push": {
                "body": "box",
                "force": [f"{swing}*sin({rate}*t) + {lean}", 0, 0],
                "at": [f"x - {top}*sin(th)", f"y + {top}*cos(th)", 0],
            }
        },
        "contacts": {},
    }
    for k, place in enumerate(places):
        model["contacts"][f"foot{k}"] = {
            "gap": f"y + {place}*sin(th) - {height}*cos(th)",
            "slip": [f"x' - ({place}*sin(th) - {height}*cos(th))*th'"],
            "friction": number(rng, 0.05, 0.7) if count == 2 else one,
            "restitution": 0,
        }
    return Case("feet", seed, model, 1.0, "stepped", step=0.01)


def legs(rng: np.random.Generator, seed: int) -> Case:
    """A table on three legs, or on four and pushed along an axis of symmetry."""
    count = int(rng.choice([3, 3, 4]))
    height, inertia = number(rng, 0.1, 0.5), [number(rng, 0.1, 0.3) for _ in range(3)]
    if count == 4:
        a, b = number(rng, 0.4, 1), number(rng, 0.4, 1)
        places = [(a, b), (a, -b), (-a, b), (-a, -b)]
        angle, turning = 0.0, 0.0
    else:
        angles = 2 * math.pi * (np.arange(3) + rng.uniform(0, 0.4, 3)) / 3
        places = [(round(math.cos(w), 3), round(math.sin(w), 3)) for w in angles]
        angle, turning = float(rng.uniform(0, 2 * math.pi)), number(rng, -1, 1)
    size = number(rng, 1, 5)
    fx, fy = round(size * math.cos(angle), 3), round(size * math.sin(angle), 3)
    same = number(rng, 0.1, 0.5)
    growth = str(rng.choice(["t", "1", "sin(3*t)"]))
    model: Model = {
        "gravity": [0, 0, -10],
        "coordinates": {"x": 0, "y": 0, "z": height, "a": 0, "b": 0, "c": 0},
        "frames": {"F": {"turn": [["z", "c"], ["x", "a"], ["y", "b"]]}},
        "points": {"L": ["x", "y", "z"]},
        "bodies": {"top": {"mass": 1, "position": "L", "frame": "F", "inertia": inertia}},
        "forces": {
            "push": {"body": "top", "force": [f"{fx}*{growth}", f"{fy}*{growth}", 0], "torque": [0, 0, turning]}
        },
        "contacts": {},
    }
    for k, (x, y) in enumerate(places):
        model["points"][f"P{k}"] = {"from": "L", "in": "F", "at": [x, y, -height]}
        model["contacts"][f"c{k}"] = {
            "gap": f"dot(P{k}, world.z)",
            "slip": [f"dot(P{k}', world.x)", f"dot(P{k}', world.y)"],
            "friction": same,
            "restitution": 0,
        }
    return Case("legs", seed, model, 0.8, "stepped", step=0.01)


def wheels(rng: np.random.Generator, seed: int) -> Case:
    """A cart in the plane on two to four wheels that may slip, with given loads."""
    count = int(rng.integers(2, 5))
    radius, torque = 0.1, number(rng, 1, 6)
    model: Model = {
        "coordinates": {"x": {"initial": 0, "speed": 1}, "y": 0, "th": 0},
        "frames": {"c": {"turn": [["z", "th"]]}},
        "points": {"mid": ["x", "y", 0]},
        "bodies": {
            "cart": {
                "mass": number(rng, 5, 20),
                "position": "mid",
                "frame": "c",
                "inertia": [0, 0, number(rng, 0.3, 1)],
            }
        },
        "energy": {},
        "forces": {"motors": {"generalized": {}}},
        "frictions": {},
    }
    kinetic = []
    for k in range(count):
        a, b = number(rng, -0.3, 0.3), number(rng, 0.1, 0.3) * (1 if k % 2 else -1)
        model["points"][f"p{k}"] = {"from": "mid", "in": "c", "at": [a, b, 0]}
        model["coordinates"][f"w{k}"] = {"initial": 0, "speed": 1 / radius}
        kinetic.append(f"0.01*w{k}'^2")
        if rng.integers(2):
            share = number(rng, -1, 1) * torque
            model["forces"]["motors"]["generalized"][f"w{k}"] = f"{share:.4g}*(1 - exp(-{number(rng, 1, 5)}*t))"
        model["frictions"][f"f{k}"] = {
            "slip": [f"dot(p{k}', c.x) - {radius}*w{k}'", f"dot(p{k}', c.y)"],
            "normal": number(rng, 10, 50),
            "coefficient": number(rng, 0.2, 0.7),
        }
    model["energy"]["kinetic"] = " + ".join(kinetic)
    if not model["forces"]["motors"]["generalized"]:
        model["forces"]["motors"]["generalized"]["th"] = f"{torque}*t"
    return Case("wheels", seed, model, 0.6, "rounded", digits=1e-6)


def plane(rng: np.random.Generator, seed: int) -> Case:
    """Particles on a table, connected by springs to each other and to a moving point."""
    count = int(rng.integers(1, 3))
    model: Model = {"coordinates": {}, "bodies": {}, "energy": {}, "forces": {}, "frictions": {}}
    springs = []
    for k in range(count):
        model["coordinates"] |= {
            f"x{k}": {"initial": 0.5 * k, "speed": number(rng, -1, 1)},
            f"y{k}": {"initial": 0, "speed": number(rng, -1, 1)},
        }
        model["bodies"][f"p{k}"] = {"mass": number(rng, 0.5, 2), "position": [f"x{k}", f"y{k}", 0]}
        model["frictions"][f"f{k}"] = {
            "slip": [f"x{k}'", f"y{k}'"],
            "normal": number(rng, 1, 10),
            "coefficient": number(rng, 0.1, 0.6),
        }
        stiffness = number(rng, 5, 30)
        springs.append(
            f"{stiffness}/2*((x{k} - {0.5 * k} - {number(rng, 0.2, 1)}*sin({number(rng, 1, 4)}*t))^2 + y{k}^2)"
        )
    if count == 2:
        springs.append(f"{number(rng, 5, 20)}/2*((x1 - x0 - 0.5)^2 + (y1 - y0)^2)")
    model["energy"]["potential"] = " + ".join(springs)
    return Case("plane", seed, model, 1.5, "rounded", digits=1e-6)


def bounce(rng: np.random.Generator, seed: int) -> Case:
    """A particle dropped on a floor, straight or bent, with impacts that may accumulate; with friction or without."""
    restitution = float(rng.choice([0.0, 0.2, 0.5, 0.8]))
    bend = number(rng, 0.0, 0.3) if rng.integers(2) else 0.0
    model: Model = {
        "gravity": [0, -10, 0],
        "coordinates": {"x": {"initial": 0, "speed": number(rng, -1, 1)}, "y": {"initial": 0.2, "speed": 0}},
        "bodies": {"p": {"mass": number(rng, 0.5, 2), "position": ["x", "y", 0]}},
        "contacts": {"floor": {"gap": f"y - {bend}*x^2" if bend else "y", "restitution": restitution}},
    }
    if rng.integers(2):
        model["contacts"]["floor"] |= {
            "slip": [f"(x' + {2 * bend}*x*y')/sqrt(1 + {4 * bend * bend:.6g}*x^2)" if bend else "x'"],
            "friction": number(rng, 0.05, 0.5),
        }
    return Case("bounce", seed, model, 1.2, "stepped", step=0.002, digits=1e-6)


def grazing(rng: np.random.Generator, seed: int) -> Case:
    """An oscillator near a wall that it just reaches, just misses, or just hits."""
    amplitude, rate = number(rng, 0.5, 2), number(rng, 1, 4)
    depth = float(rng.choice([0.0, 1e-3, 1e-6, -1e-3, -1e-9, 0.05]))
    restitution = float(rng.choice([0.3, 0.7, 1.0]))
    wall = amplitude - depth
    model: Model = {
        "coordinates": {"x": {"initial": -amplitude, "speed": 0}},
        "energy": {"kinetic": "x'^2/2", "potential": f"{rate}^2*x^2/2"},
        "contacts": {"wall": {"gap": f"{amplitude} - ({depth}) - x", "restitution": restitution}},
    }

    def exact(times: np.ndarray) -> dict[str, np.ndarray]:
        return {"x": np.array([_beside(float(t), amplitude, rate, wall, restitution) for t in times])}

    # an error δ of x decides between a miss and an impact with the speed ω √(2Aδ)
    digits = 2e-4 if abs(depth) < 1e-5 else 2e-6
    return Case("grazing", seed, model, 3 * math.pi / rate, "exact", exact=exact, digits=digits)


def _beside(t: float, amplitude: float, rate: float, wall: float, restitution: float) -> float:
    """x = A cos(ωs + φ) between impacts at x = wall, each of which turns ẋ to −e ẋ."""
    phase = math.pi  # of the cosine at the time s = 0
    for _ in range(60):
        if amplitude <= wall:
            break
        hit = -math.acos(wall / amplitude) % (2 * math.pi)  # where x grows through the wall
        wait = ((hit - phase) % (2 * math.pi)) / rate
        if wait > t:
            break
        t -= wait
        speed = -restitution * amplitude * rate * math.sqrt(max(0.0, 1 - (wall / amplitude) ** 2))
        amplitude = math.hypot(wall, speed / rate)
        phase = math.atan2(-speed / rate, wall)
    return amplitude * math.cos(rate * t + phase)


def corner(rng: np.random.Generator, seed: int) -> Case:
    """A disk pressed into a corner and turned, or a ladder at a wall."""
    if rng.integers(2):
        model: Model = {
            "gravity": [0, -10, 0],
            "coordinates": {"x": 0.3, "y": 0.3, "th": 0},
            "bodies": {
                "disk": {"mass": 1, "position": ["x", "y", 0], "rotation": [["z", "th"]], "inertia": [0, 0, 0.045]}
            },
            "forces": {
                "press": {
                    "body": "disk",
                    "force": [number(rng, -10, 2), number(rng, -2, 2), 0],
                    "torque": [0, 0, f"{number(rng, -3, 3)}*t"],
                }
            },
            "contacts": {
                "floor": {"gap": "y - 0.3", "slip": ["x' + 0.3*th'"]},
                "wall": {"gap": "x - 0.3", "slip": ["y' - 0.3*th'"]},
            },
        }
    else:
        angle = number(rng, 0.7, 1.3)
        model = {
            "gravity": [0, -10, 0],
            "coordinates": {"x": f"cos({angle})", "y": f"sin({angle})", "th": angle},
            "bodies": {
                "ladder": {
                    "mass": 1,
                    "position": ["x", "y", 0],
                    "rotation": [["z", "-th"]],
                    "inertia": [0, 0, "1/3"],
                }
            },
            "contacts": {
                "floor": {"gap": "y - sin(th)", "slip": ["x' - sin(th)*th'"]},
                "wall": {"gap": "x - cos(th)", "slip": ["y' + cos(th)*th'"]},
            },
        }
    for contact in model["contacts"].values():
        contact |= {"friction": number(rng, 0.05, 0.5), "restitution": 0}
    return Case("corner", seed, model, 0.5, "stepped", step=0.005)


def hanging(rng: np.random.Generator, seed: int) -> Case:
    """A particle on a rod that swings against a wall with friction: constraints and contacts together."""
    angle, wall = number(rng, 0.6, 1.4), number(rng, -0.3, 0.2)
    length = number(rng, 0.6, 1.5)
    x0, y0 = length * math.sin(angle), -length * math.cos(angle)
    model: Model = {
        "gravity": [0, -10, 0],
        "coordinates": {"x": x0, "y": y0},
        "bodies": {"p": {"mass": number(rng, 0.5, 2), "position": ["x", "y", 0]}},
        "constraints": {"rod": f"x^2 + y^2 = {x0 * x0 + y0 * y0!r}"},
        "contacts": {"wall": {"gap": f"x - ({wall})", "restitution": float(rng.choice([0.0, 0.4, 0.8]))}},
    }
    if rng.integers(2):
        model["contacts"]["wall"] |= {"slip": ["y'"], "friction": number(rng, 0.05, 0.4)}
    return Case("hanging", seed, model, 1.0, "stepped", step=0.002, digits=1e-6)


TOUCHING: dict[str, Any] = {
    "feet": feet,
    "legs": legs,
    "wheels": wheels,
    "plane": plane,
    "bounce": bounce,
    "grazing": grazing,
    "corner": corner,
    "hanging": hanging,
}
