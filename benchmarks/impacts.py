"""Systems with thousands of impacts, and their states in closed form, to measure every peer's error."""

from __future__ import annotations

from typing import Any

ELLIPSE = {"a": 2.0, "b": 1.0}
BILLIARD_START = {"x": 0.3, "y": 0.1, "x'": 0.8, "y'": 0.6}

# Zhang and Mei (1997), section 4, with the impact law in print: impacts for ever, at equal intervals.
BALL = {"a2": 0.4, "f": 0.15, "cos_alpha": 0.5, "cos_beta": 0.3}
BALL_START = {"x": 0.5, "x'": 0.2, "p2": 0.7, "p3": 0.4, "p4": -1.0}  # p2: the momentum that an impact does not change

# A pendulum let go at rest that swings against an elastic wall.
PENDULUM = {"g": 9.81, "l": 1.0, "start": -1.0, "wall": 0.2}


def ball_numbers() -> dict[str, float]:
    """ẍ, ṗ₂, ṗ₃ and ṗ₄ of the ball, (4.18) and (4.29): constant as long as the slip keeps its sign."""
    a2, alpha, beta = BALL["a2"], BALL["cos_alpha"], BALL["cos_beta"]
    gamma2 = 1 - alpha**2 - beta**2
    across = a2 * beta / (1 + a2)  # the force that holds the slip across the slope
    along = (BALL["f"] ** 2 * gamma2 - across**2) ** 0.5
    return {"x''": along - alpha, "p2'": -beta, "p3'": -beta / (1 + a2), "p4'": along * (1 + 1 / a2) - alpha}


def closed_form(key: str, duration: float) -> list[float]:
    """The state at the end, in the order of `compared`."""
    from mpmath import mp

    with mp.workdps(40):
        found = {"billiard": billiard, "ball": ball, "wall-pendulum": wall_pendulum}[key](mp, mp.mpf(duration))
    return [float(value) for value in found]


def billiard(mp: Any, duration: Any) -> list[Any]:
    """Chord by chord."""
    x, y, u, v = (mp.mpf(str(value)) for value in BILLIARD_START.values())
    A, B = mp.mpf(ELLIPSE["a"]) ** 2, mp.mpf(ELLIPSE["b"]) ** 2
    t = mp.mpf(0)
    while True:
        p, q, r = u * u / A + v * v / B, x * u / A + y * v / B, x * x / A + y * y / B - 1
        flight = (mp.sqrt(q * q - p * r) - q) / p
        if t + flight > duration:
            return [x + (duration - t) * u, y + (duration - t) * v, u, v]
        t, x, y = t + flight, x + flight * u, y + flight * v
        size = mp.sqrt(x * x / A + y * y / B)
        x, y = x / size, y / size
        back = 2 * (u * x / A + v * y / B) / (x * x / A**2 + y * y / B**2)
        u, v = u - back * x / A, v - back * y / B


def ball(mp: Any, duration: Any) -> list[Any]:
    """Parabolas of equal length after the first impact; p₃ is reversed by each of them."""
    rate = {name: mp.mpf(value) for name, value in ball_numbers().items()}
    x, u, p3 = mp.mpf(BALL_START["x"]), mp.mpf(str(BALL_START["x'"])), mp.mpf(str(BALL_START["p3"]))
    first = (-u - mp.sqrt(u * u - 2 * rate["x''"] * x)) / rate["x''"]
    strike = -(u + rate["x''"] * first)  # the speed with which it leaves the wall, every time
    interval = -2 * strike / rate["x''"]
    p3 = -(p3 + rate["p3'"] * first)
    count = int(mp.floor((duration - first) / interval))
    for _ in range(count):
        p3 = -(p3 + rate["p3'"] * interval)
    rest = duration - first - count * interval
    speed = strike + rate["x''"] * rest
    p2, p4 = (mp.mpf(str(BALL_START[p])) + rate[f"{p}'"] * duration for p in ("p2", "p4"))
    along = (p2 + mp.mpf(str(BALL["a2"])) * (p3 + rate["p3'"] * rest)) / (1 + 2 * mp.mpf(str(BALL["a2"])))
    return [strike * rest + rate["x''"] * rest**2 / 2, speed, along, speed - p4]


def wall_pendulum(mp: Any, duration: Any) -> list[Any]:
    """sin(q/2) = −k cd(ωt); the wall turns the motion back in time."""
    k = mp.sin(mp.mpf(str(-PENDULUM["start"])) / 2)
    omega, m = mp.sqrt(mp.mpf(str(PENDULUM["g"])) / mp.mpf(str(PENDULUM["l"]))), k**2

    def angle(t: Any) -> Any:
        return -2 * mp.asin(k * mp.ellipfun("cd", omega * t, m=m))

    quarter = mp.ellipk(m) / omega
    strikes = mp.findroot(lambda t: angle(t) - mp.mpf(str(PENDULUM["wall"])), quarter * mp.mpf("1.1"))
    phase = duration - 2 * strikes * mp.floor(duration / (2 * strikes))
    sign = 1 if phase < strikes else -1
    t = phase if phase < strikes else 2 * strikes - phase
    sn, dn = mp.ellipfun("sn", omega * t, m=m), mp.ellipfun("dn", omega * t, m=m)
    q = angle(t)
    return [q, sign * 2 * k * omega * (1 - m) * sn / dn**2 / mp.cos(q / 2)]
