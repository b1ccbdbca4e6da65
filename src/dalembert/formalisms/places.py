"""The places of the equations of the papers' own examples, by gallery model, method and step.

A model counts as an example of a paper if its reference says so and it equals the gallery's model except for numbers.
"""

from __future__ import annotations

from functools import cache

from dalembert import collection
from dalembert.errors import DalembertError
from dalembert.model.read import read
from dalembert.model.record import ModelRecord

STRUCTURE = (
    "gravity coordinates frames points bodies energy forces constraints rolling quasi_velocities contacts frictions"
).split()

_BALL_HEAD = {
    "contacts": "ZhangMei (4.4)",
    "first kind": "ZhangMei (4.5)",
    "second kind": "ZhangMei (4.6)",
    "touching forces": "ZhangMei, before (4.12)",
    "slip": "ZhangMei (4.15), (4.18)",
    "stick": "ZhangMei (4.14)",
    "impact": "ZhangMei (2.1), (4.20)",
}
_BALL = {
    **_BALL_HEAD,
    "Kinetic energy": "ZhangMei (4.1)",
    "Quasi-velocities": "ZhangMei (4.7), (4.11)",
    "Speeds": "ZhangMei (4.8), (4.10)",
    "Kinetic energy in quasi-velocities": "ZhangMei (4.9)",
    "Generalized forces": "ZhangMei (4.3), (4.12)",
    "Equations of motion": "ZhangMei (2.7), (2.8)",
    "written": "ZhangMei (4.13)",
    "course variables": "ZhangMei (3.1), (4.25), (4.26)",
    "course energy": "ZhangMei (4.27)",
    "course forces": "ZhangMei (4.28)",
    "course equations": "ZhangMei (3.2), (3.3), (4.29)",
    "course held": "ZhangMei (4.30)",
    "held": "ZhangMei (4.16), (4.17)",
    "segment": "ZhangMei (4.19)–(4.24)",
    "course integrals": "ZhangMei (4.31)",
}
# With the right impact law the whole course has a momentum in place of π₄, so that its equations are not the print's.
_BOUNCING = {name: place for name, place in _BALL.items() if not name.startswith("course")}
PLACES: dict[str, dict[str, dict[str, str]]] = {
    "long-1": {
        "partial-acceleration": {
            "Dependent speeds": "Long (5), (20)",
            "Coefficients of the constraints": "Long (10)",
            "accelerations of first": "Long (12), (13), (18), (22)",
            "accelerations of second": "Long (19), (21), (23)",
            "Active forces": "Long (24)",
            "Generalized active forces": "Long (16), (25)",
            "Inertia forces and couples": "Long (14)",
            "inertial": "Long (17), (26), (27)",
            "written": "Long (28), (29)",
        }
    },
    "long-2": {
        "partial-acceleration": {
            "Dependent speeds": "Long (5), (20)",
            "Coefficients of the constraints": "Long (10)",
            "accelerations of first": "Long (12), (13), (18), (22)",
            "turning of first": "Long (30), (41), (43), (45)",
            "accelerations of second": "Long (19), (21), (23)",
            "turning of second": "Long (31), (42), (44), (46)",
            "Active forces": "Long (24)",
            "Generalized active forces": "Long (25), (32)",
            "Inertia forces and couples": "Long (34)–(36), (39), (40)",
            "inertial": "Long (33), (37), (38), (47), (48)",
            "written": "Long, after (48)",
        }
    },
    "sun-1": {
        "normalized-routh": {
            "Constraints": "Sun (2.2), (2.2)′",
            "Derivatives of the constraints": "Sun, before (2.3)",
            "Normalizing factor": "Sun (2.3)",
            "Generalized forces": "Sun (2.4)",
            "Kinetic energy": "Sun, before (2.5)",
            "Generalized momenta": "Sun (2.5)",
            "Group I: the reactions": "Sun (2.1), (2.6), (2.6)′",
            "Group II: the motion": "Sun (2.6)′",
            "Constraints of the accelerations": "Sun (2.2)″",
            "start": "Sun (2.7), (2.8)",
        }
    },
    "sun-2": {
        "normalized-routh": {
            "Constraints": "Sun (2.9), (2.9)′",
            "Derivatives of the constraints": "Sun, before (2.10)",
            "Normalizing factor": "Sun (2.10)",
            "Generalized forces": "Sun (2.11)",
            "Kinetic energy": "Sun, before (2.12)",
            "Generalized momenta": "Sun (2.12)",
            "Group I: the reactions": "Sun (2.1), (2.13), (2.14)",
            "Group II: the motion": "Sun (2.14)",
            "Constraints of the accelerations": "Sun (2.9)″",
            "start": "Sun, after (2.14)",
        }
    },
    "sun-3": {
        "normalized-routh": {
            "Constraints": "Sun (2.15)",
            "Derivatives of the constraints": "Sun, before (2.16)",
            "Normalizing factor": "Sun (2.16)",
            "Generalized forces": "Sun (2.17)",
            "Kinetic energy": "Sun, before (2.18)",
            "Generalized momenta": "Sun (2.18)",
            "Group I: the reactions": "Sun (2.1)",
            "Group II: the motion": "Sun (2.1)",
            "Constraints of the accelerations": "Sun (2.15)",
            "at the start": "Sun (2.19), (2.20)",
            "start": "Sun, after (2.20)",
        }
    },
    "zhang-mei-ball": {"boltzmann-hamel": _BOUNCING, "": _BALL_HEAD},
    "zhang-mei-ball-paper": {"boltzmann-hamel": _BALL, "": _BALL_HEAD},
    "zhang-mei-ball-euler": {
        "boltzmann-hamel": {**_BALL, "Kinetic energy": "ZhangMei (4.1), (4.2)"},
        "": _BALL_HEAD,
    },
    "qiao-sleigh": {
        "qiao-lagrange-frozen": {
            "Kinetic energy": "Qiao, after (4.3)",
            "Dependent speeds": "Qiao, before (4.1)",
            "Dependent accelerations": "Qiao (4.1)",
            "Generalized forces": "Qiao, before (4.4)",
            "Generalized thrust": "Qiao, before (4.4)",
            "Lagrange's left sides, masses held constant": "Qiao (2.25), (4.2), (4.3)",
            "Equations of motion": "Qiao (2.27), (4.2), (4.3)",
            "written": "Qiao (4.4), (4.5)",
        },
        "": {"Dependent accelerations": "Qiao (4.1)", "written": "Qiao (4.4), (4.5)"},
    },
    "wang-gao-particle": {
        "chetaev": {
            "Constraints, differentiated": "WangGao (14)",
            "Equations of motion": "WangGao (11)",
            "written": "WangGao (15)",
            "free": "WangGao (13), (16), (17)",
        },
        "vakonomic": {"Constraints": "WangGao (14)"},
    },
    "appell-hamel": {"": {"free": "WangGao (13), (17)"}},
}

_BALL_LETTERS = {
    **{f"p{i}": f"pi{i}" for i in range(1, 6)},
    "a2": "a^2",
    "x": "q1",
    "y": "q2",
    "x0": "q10",
    "friction[incline, 1]": "R[x]",
    "friction[incline, 2]": "R[y]",
}
_OMEGA = {f"r{axis}'": f"omega[{axis}]" for axis in "xyz"}
LETTERS: dict[str, dict[str, str]] = {  # the paper's, by names of the model
    "long-1": {"first": "P", "second": "P'"},
    "long-2": {"first": "D", "second": "D'"},
    "sun-1": {f"sigma[{name}]": f"sigma{i}" for i, name in enumerate(("XO", "YO", "XA", "YA"), 1)},
    "sun-2": {"sigma[XA]": "lambda1", "sigma[YA]": "lambda2"},
    "sun-3": {"sigma[XO]": "sigma1", "sigma[YO]": "sigma2"},
    "zhang-mei-ball": {**_BALL_LETTERS, **_OMEGA},
    "zhang-mei-ball-paper": {**_BALL_LETTERS, **_OMEGA},
    "zhang-mei-ball-euler": _BALL_LETTERS,
    "qiao-sleigh": {"m[fuel]": "m", "fuel": "B", "sleigh": "C"},
    "wang-gao-particle": {"mu[climb]": "mu", "lambda[climb]": "lambda"},
}


def method_of(model: ModelRecord) -> str | None:
    """The method that the paper uses for this example of its own; None for other models."""
    return next(filter(None, PLACES.get(example(model) or "", {})), None)


def letters_of(model: ModelRecord) -> dict[str, str]:
    """The letters of the paper whose example the model is, by its own names; empty for other models."""
    return LETTERS.get(example(model) or "", {})


def places_of(model: ModelRecord, method: str) -> dict[str, str]:
    """The places of this model's steps by this method, and by any method; empty for other models."""
    name = example(model)
    if name is None:
        return {}
    own = PLACES[name]
    return {**own.get("", {}), **own.get(method, {})}


def example(model: ModelRecord) -> str | None:
    """The gallery's name of the paper's example that the model represents, regardless of its numbers, or None."""
    if not model.reference:
        return None
    for name in PLACES:
        known = _known(name)
        if known is not None and known.reference == model.reference and _structure(known) == _structure(model):
            return name
    return None


@cache
def _known(name: str) -> ModelRecord | None:
    try:
        return read(collection.path(name))
    except DalembertError:
        return None


def _structure(model: ModelRecord) -> tuple:
    parts = [getattr(model, part) for part in STRUCTURE]
    parts[STRUCTURE.index("coordinates")] = tuple(model.coordinates)
    return tuple(dict(part) if hasattr(part, "items") else part for part in parts)
