"""One answer of every kind, each made once: small models, short motions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import dalembert as da

MAKERS: dict[str, Callable[[], Any]] = {
    "model": lambda: da.gallery("knife-edge"),
    "check": lambda: da.gallery("knife-edge").check(),
    "check contacts": lambda: da.gallery("bouncing-ball").check(),
    "derive": lambda: da.gallery("knife-edge").derive("chetaev"),
    "solve": lambda: da.gallery("knife-edge").solve(),
    "solve contacts": lambda: da.gallery("bouncing-ball").solve(),
    "simulate": lambda: da.gallery("knife-edge").simulate(duration=1, samples=11, dense=True),
    "simulate contacts": lambda: da.gallery("bouncing-ball").simulate(duration=1, samples=11, dense=True),
    "compare": lambda: da.gallery("knife-edge").compare(["kane", "chetaev", "vakonomic"], until=1),
    "linearize": lambda: da.gallery("simple-pendulum").linearize(settings={"theta": 0, "theta'": 0}),
    "root locus": lambda: da.gallery("simple-pendulum").root_locus("theta", [0, 0.5, 1, 3], settings={"theta'": 0}),
    "sensitivities": lambda: da.gallery("simple-pendulum").sensitivities(["theta"], duration=1, samples=11),
    "differentiate": lambda: da.gallery("simple-pendulum").differentiate(["theta"]),
    "analyze": lambda: da.gallery("knife-edge").analyze(["constraints", "models", "stability"], until=1),
    "conserved": lambda: da.gallery("simple-pendulum").conserved(),
    "connect": lambda: da.gallery("heisenberg").connect({"x": 0.3, "y": 0.2}, duration=1),
    "effort": lambda: answer("simulate").effort(),
    "animate": lambda: answer("simulate").animate(),
    "event": lambda: answer("simulate contacts").events[0],
    "events": lambda: answer("simulate contacts").events,
    "origin": lambda: answer("simulate").origin,
    "audit": lambda: da.gallery("simple-pendulum").audit("l*theta'' = g*sin(theta)"),
    "control": lambda: (
        da.gallery("simple-pendulum").linearize(settings={"theta": 1}, inputs=["g"], lqr={"Q": 1, "R": 1}).control
    ),
    "prepare": lambda: da.gallery("simple-pendulum").prepare(),
    "sympy": lambda: answer("derive").to_sympy(),
    "free": lambda: da.gallery("knife-edge").analyze(["free"], until=1)["free"],
    **{part: partial(lambda part: answer("analyze")[part], part) for part in ("constraints", "models", "stability")},
}


@cache
def answer(name: str) -> Any:
    return MAKERS[name]()
