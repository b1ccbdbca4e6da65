"""Notes on statements of a model that are allowed but hardly intended."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.model.values import DOMAIN, Gradual, Values

ROUNDING = 1e-9  # relative; for rounded digits of an inertia


def remarks(model: ModelRecord, values: Values) -> tuple[str, ...]:
    """A sentence for every remark, at the values of the start."""
    return tuple(_impossible_inertias(model, values))


def _impossible_inertias(model: ModelRecord, values: Values) -> Iterator[str]:
    """A principal moment of inertia that exceeds the sum of the other two, which no distribution of mass has.

    ∫ (y² + z²) + ∫ (x² + z²) ≥ ∫ (x² + y²). A body that turns in the plane may state its one moment alone: [0, 0, J].
    """
    at = Gradual(model, values)
    for name, body in model.bodies.items():
        try:
            entries = [at.number(entry) for entry in body.inertia]
        except (*DOMAIN, KeyError):
            continue
        if not entries:
            continue
        xx, yy, zz, xy, yz, xz = (*entries, 0.0, 0.0, 0.0)[:6]
        small, middle, large = (
            np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
            if xy or yz or xz
            else sorted((xx, yy, zz))
        )
        alone = max(abs(small), abs(middle)) <= ROUNDING * large
        if not alone and small + middle < large * (1 - ROUNDING):
            yield (
                tr(
                    "The inertia of {name} belongs to no body: its principal moments are {small:.4g}, "
                    "{middle:.4g} and {large:.4g}, and none may exceed the sum of the other two.",
                    name=name,
                    small=small,
                    middle=middle,
                    large=large,
                )
            )
