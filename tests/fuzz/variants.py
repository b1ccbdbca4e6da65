"""Metamorphic laws: another model with the same motion, and the map of its answer to the first one's coordinates."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz.cases import Case, Model

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?'?")


@dataclass(frozen=True)
class Variant:
    law: str
    model: Model
    back: Callable[[dict[str, Any]], dict[str, Any]]  # coordinates of the variant as those of the case


def variant(case: Case, rng: np.random.Generator) -> Variant | None:
    """One random law that applies to this model."""
    laws = [renamed, moved]
    if case.model.get("bodies"):
        laws.append(halved)
    if case.model.get("constraints"):
        laws.append(repeated)
    if case.reference in ("kink", "rest"):
        laws = [renamed]
    return laws[int(rng.integers(len(laws)))](case.model, rng)


def renamed(model: Model, rng: np.random.Generator) -> Variant:
    """Other names, in another order of the coordinates."""
    names = list(model["coordinates"])
    new = {name: f"other_{name}" for name in names}
    changed = replaced(model, lambda token: new.get(token.rstrip("'"), token.rstrip("'")) + "'" * token.endswith("'"))
    changed["coordinates"] = {new[name]: model["coordinates"][name] for name in reversed(names)}
    _keys(changed, lambda name, push: (new[name], push))
    return Variant("other names, another order", changed, lambda q: {name: q[new[name]] for name in names})


def moved(model: Model, rng: np.random.Generator) -> Variant:
    """Each coordinate x = c X + d."""
    names = list(model["coordinates"])
    factor = {name: round(float(rng.uniform(0.5, 2)), 2) for name in names}
    shift = {name: round(float(rng.uniform(-0.5, 0.5)), 2) * _size(model["coordinates"][name]) for name in names}

    def token(word: str) -> str:
        name = word.rstrip("'")
        if name not in factor:
            return word
        return f"({factor[name]!r}*{name}')" if word.endswith("'") else f"({factor[name]!r}*{name} + ({shift[name]!r}))"

    changed = replaced(model, token)
    for name, given in model["coordinates"].items():
        initial, speed = (given["initial"], given.get("speed")) if isinstance(given, dict) else (given, None)
        entry: dict[str, Any] = {"initial": f"(({initial}) - ({shift[name]!r}))/{factor[name]!r}"}
        if speed is not None:
            entry["speed"] = f"({speed})/{factor[name]!r}"
        changed["coordinates"][name] = entry
    _keys(changed, lambda name, push: (name, f"{factor[name]!r}*({push})"))
    return Variant(
        "other coordinates x = c X + d",
        changed,
        lambda q: {name: factor[name] * np.asarray(q[name]) + shift[name] for name in names},
    )


def _size(given: Any) -> float:
    """A length scale of the model: 1 for initial values of about one, otherwise their order of magnitude."""
    initial = given["initial"] if isinstance(given, dict) else given
    if isinstance(initial, str) or initial == 0:
        return 0.0 if not isinstance(initial, str) else 1.0
    return float(10.0 ** np.round(np.log10(abs(initial))))


def halved(model: Model, rng: np.random.Generator) -> Variant:
    """A body as two halves that move as one."""
    changed = copy.deepcopy(model)
    name = list(changed["bodies"])[int(rng.integers(len(changed["bodies"])))]
    body = changed["bodies"][name]
    share = round(float(rng.uniform(0.2, 0.8)), 2)
    half = copy.deepcopy(body)
    for part, of in ((body, share), (half, 1 - share)):
        part["mass"] = f"{of!r}*({part['mass']})"
        if "inertia" in part:
            part["inertia"] = [f"{of!r}*({entry})" for entry in part["inertia"]]
    changed["bodies"][f"{name}_half"] = half
    return Variant("a body in two halves", changed, dict)


def repeated(model: Model, rng: np.random.Generator) -> Variant:
    """A constraint stated twice."""
    changed = copy.deepcopy(model)
    name = list(changed["constraints"])[int(rng.integers(len(changed["constraints"])))]
    left, _, right = changed["constraints"][name].partition("=")
    changed["constraints"][f"{name}_again"] = f"3*({left}) = 3*({right})"
    return Variant("a redundant copy of a constraint", changed, dict)


def replaced(model: Any, token: Callable[[str], str], key: str = "") -> Any:
    """A copy with every name in every expression replaced; names of tables stay."""
    if isinstance(model, dict):
        skip = ("title", "reference", "body", "frame", "from", "in")
        return {k: v if k in skip else replaced(v, token, k) for k, v in model.items()}
    if isinstance(model, list):
        return [
            entry if entry in ("x", "y", "z") and key in ("turn", "rotation", "spin") else replaced(entry, token, key)
            for entry in model
        ]
    return NAME.sub(lambda found: token(found.group()), model) if isinstance(model, str) else model


def _keys(model: Model, change: Callable[[str, str], tuple[str, str]]) -> None:
    """Generalized forces are named by coordinates."""
    for force in model.get("forces", {}).values():
        if "generalized" in force:
            force["generalized"] = dict(change(name, push) for name, push in force["generalized"].items())
