"""The systems of the benchmark: parameters, initial states and the compared quantities.

Numbers only, standard library only: this file is read by the orchestrator and inside every peer's process.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

FIRST_TOLERANCE = 1e-9  # of the first motion from a cold process

# n point masses on massless links, absolute angles from the downward vertical.
LINK_MASS, LINK_LENGTH, GRAVITY = 1.0, 1.0, 9.81

# A homogeneous thin disk that rolls without slipping on a level plane.
DISK = {"m": 2.0, "r": 0.3, "g": 9.81}
DISK_START = {"yaw": 0.0, "lean": 0.35, "spin": 0.0}  # lean: tilt of the disk's plane from the vertical
DISK_RATES = {"yaw": 0.5, "lean": 0.1, "spin": 9.0}

# Meijaard, Papadopoulos, Ruina, Schwab (2007), table 1. Axes: x forward, y to the right, z down.
WHIPPLE = {
    "w": 1.02, "c": 0.08, "lam": pi / 10, "g": 9.81,
    "rR": 0.3, "mR": 2.0, "IRxx": 0.0603, "IRyy": 0.12,
    "xB": 0.3, "zB": -0.9, "mB": 85.0, "IBxx": 9.2, "IByy": 11.0, "IBzz": 2.8, "IBxz": 2.4,
    "xH": 0.9, "zH": -0.7, "mH": 4.0, "IHxx": 0.05892, "IHyy": 0.06, "IHzz": 0.00708, "IHxz": -0.00756,
    "rF": 0.35, "mF": 3.0, "IFxx": 0.1405, "IFyy": 0.28,
}  # fmt: skip
WHIPPLE_SPEED, WHIPPLE_LEAN_RATE = 4.6, 0.5

# Schiehlen (ed.), Multibody Systems Handbook (1990); Hairer & Wanner II, section VII.7.
ANDREWS = {
    "m1": 0.04325, "m2": 0.00365, "m3": 0.02373, "m4": 0.00706, "m5": 0.07050, "m6": 0.00706, "m7": 0.05498,
    "I1": 2.194e-6, "I2": 4.410e-7, "I3": 5.255e-6, "I4": 5.667e-7, "I5": 1.169e-5, "I6": 5.667e-7, "I7": 1.912e-5,
    "xa": -0.06934, "ya": -0.00227, "xb": -0.03635, "yb": 0.03273, "xc": 0.014, "yc": 0.072,
    "d": 0.028, "da": 0.0115, "e": 0.02, "ea": 0.01421, "rr": 0.007, "ra": 0.00092,
    "ss": 0.035, "sa": 0.01874, "sb": 0.01043, "sc": 0.018, "sd": 0.02, "ta": 0.02308, "tb": 0.00916,
    "u": 0.04, "ua": 0.01228, "ub": 0.00449, "zf": 0.02, "zt": 0.04, "fa": 0.01421,
    "mom": 0.033, "c0": 4530.0, "lo": 0.07785,
}  # fmt: skip
ANDREWS_ANGLES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
ANDREWS_START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
    0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip


# Sweeps: a system, the initial angle that varies, and its range.
MANY = {"many-pendulums": ("pendulum-2", "q0", 0.3, 0.9), "many-disks": ("rolling-disk", "lean", 0.2, 0.5)}
MOTIONS = 100_000
EVERY = MOTIONS // 32  # compared motions; slow peers compute only these


@dataclass(frozen=True, slots=True)
class System:
    """One system of the benchmark; `compared` names the entries of a final state (a prime is a rate)."""

    key: str
    title: str
    duration: float
    compared: tuple[str, ...]
    links: int = 0


def pendulum(n: int) -> System:
    names = tuple(f"q{i}" for i in range(n))
    return System(f"pendulum-{n}", f"{n}-link pendulum", 10.0, names + tuple(f"{name}'" for name in names), n)


def pendulum_start(n: int) -> tuple[float, ...]:
    """A bent chain at rest: nonlinear, but not so chaotic that ten seconds hide the error."""
    return tuple(0.6 - 0.4 * i / n for i in range(n))


def varied(key: str) -> list[float]:
    """The initial angle of every motion of a sweep."""
    low, high = MANY[key][2:]
    return [low + (high - low) * i / (MOTIONS - 1) for i in range(MOTIONS)]


def many(key: str) -> System:
    one = system(MANY[key][0])
    title = f"{MOTIONS:,} motions of a {'double pendulum' if one.links else one.title}"
    return System(key, title, one.duration, one.compared, one.links)


def system(key: str) -> System:
    """The system of that key, for instance `pendulum-8`."""
    if key in MANY:
        return many(key)
    if key.startswith("pendulum-"):
        return pendulum(int(key.removeprefix("pendulum-")))
    return FIXED[key]


def primed(*names: str) -> tuple[str, ...]:
    return names + tuple(f"{name}'" for name in names)


FIXED = {
    "rolling-disk": System("rolling-disk", "rolling disk", 5.0, primed("yaw", "lean", "spin")),
    "whipple": System(
        "whipple", "Whipple bicycle", 5.0, ("yaw", "lean", "steer", "yaw'", "lean'", "steer'", "rear'", "front'")
    ),
    "andrews": System("andrews", "Andrews squeezer", 0.03, primed(*ANDREWS_ANGLES)),
    # 2000, 2000 and 1000 impacts, see `impacts.py`; the ball's speeds grow, and with them what rounding does to it
    "billiard": System("billiard", "billiard in an ellipse", 4200.0, primed("x", "y")),
    "ball": System("ball", "Zhang and Mei's ball", 6400.0, ("x", "x'", "y'", "ry'")),
    "wall-pendulum": System("wall-pendulum", "pendulum at a wall", 1250.0, primed("q")),
}
