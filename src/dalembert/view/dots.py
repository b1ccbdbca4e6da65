"""Points drawn for a model without bodies and drawings: its configuration.

Coordinates with matching names, such as x and y, or xl, yl and xr, yr, are the places of points. Without such names the
first three coordinates are the place of one point.
"""

from __future__ import annotations

import re

from dalembert.mechanics.algebra import ZERO, Triple
from dalembert.mechanics.system import System


def dots(system: System) -> dict[str, Triple]:
    if system.model.bodies or system.model.points or system.model.drawings:
        return {}
    symbols = dict(zip(system.motion.names, system.motion.q, strict=True))
    found: dict[str, Triple] = {}
    for name in symbols:
        match = re.fullmatch(r"x(\w*)", name)
        if match and f"y{match[1]}" in symbols:
            names = [name, f"y{match[1]}", *([f"z{match[1]}"] if f"z{match[1]}" in symbols else [])]
            found[f"({', '.join(names)})"] = _place(symbols, names)
    names = list(symbols)[:3]
    return found or ({f"({', '.join(names)})": _place(symbols, names)} if names else {})


def _place(symbols: dict[str, object], names: list[str]) -> Triple:
    x, y, z = [*(symbols[name] for name in names), ZERO, ZERO][:3]
    return x, y, z
