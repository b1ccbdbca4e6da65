"""A random model with its known motion, and the text of models."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Model = dict[str, Any]
Exact = Callable[[np.ndarray], dict[str, np.ndarray]]  # coordinates over times


@dataclass(frozen=True)
class Case:
    """`reference` says how the motion is judged.

    smooth   an integration near rounding, of the model or of `instead`
    stepped  Moreau's steps of size `step`, of the model or of `instead` (the same motion, stated differently)
    rounded  frictions whose corner at rest is rounded off, in the limit
    exact    a formula
    rest     the end is at rest at `ends`
    laws     no reference but the laws
    kink     an answer that keeps the laws, or a sentence that names the kink in `row`
    """

    stratum: str
    seed: int
    model: Model
    until: float
    reference: str
    step: float = 0.0
    instead: Model | None = None
    factors: dict[str, float] = field(default_factory=dict)  # coordinate = factor · coordinate of `instead`
    time_factor: float = 1.0
    exact: Exact | None = None
    ends: dict[str, float] = field(default_factory=dict)
    row: str = ""
    reversible: bool = False
    digits: float = 1e-7  # the allowed error, relative to the largest value of each coordinate

    @property
    def text(self) -> str:
        return f"# {self.stratum}, seed {self.seed}: until {self.until!r}\n" + written(self.model)


def written(model: Model) -> str:
    """TOML. Lists and short tables stand in one line."""
    lines: list[str] = []
    _table(lines, "", model)
    return "\n".join(lines) + "\n"


def _table(lines: list[str], path: str, table: Model) -> None:
    whole = path in ("coordinates", "parameters", "frames", "points")
    plain = {k: v for k, v in table.items() if whole or k == "generalized" or not isinstance(v, dict)}
    if path and (plain or not table):
        lines.append(f"[{path}]")
    lines.extend(f"{key} = {_value(value)}" for key, value in plain.items())
    for key, value in table.items():
        if key not in plain:
            _table(lines, f"{path}.{key}" if path else key, value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + " }"
    return "[" + ", ".join(_value(v) for v in value) + "]"
