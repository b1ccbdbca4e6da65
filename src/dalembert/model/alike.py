"""Whether two models, or two parts of models, state the same: the same kinds, names, order and numbers.

Equality of tables ignores their order, and 2 equals 2.0. To derivations these are not the same. A pair of parts that
others share is compared once, so that expressions built in Python cost no more than their nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def alike(a: Any, b: Any) -> bool:
    """Whether a and b state the same."""
    seen: set[tuple[int, int]] = set()
    waiting = [(a, b)]
    while waiting:
        one, other = waiting.pop()
        if one is other or (id(one), id(other)) in seen:
            continue
        if type(one) is not type(other):
            return False
        seen.add((id(one), id(other)))
        if isinstance(one, Mapping):
            if list(one) != list(other):
                return False
            waiting += zip(one.values(), other.values(), strict=True)
        elif isinstance(one, tuple | list):
            if len(one) != len(other):
                return False
            waiting += zip(one, other, strict=True)
        elif is_dataclass(one):
            waiting += [(getattr(one, part.name), getattr(other, part.name)) for part in fields(one)]
        elif not np.array_equal(one, other):
            return False
    return True
