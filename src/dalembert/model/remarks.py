"""Notes on statements of a model that are allowed but hardly intended."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from dalembert.expressions.nodes import Expression
from dalembert.language import tr
from dalembert.model.record import Model
from dalembert.model.values import DOMAIN, Evaluator, Values, at_start

ROUNDING = 1e-9  # relative; for rounded digits of an inertia


def remarks(model: Model, values: Values) -> tuple[str, ...]:
    """A sentence for every remark, at the values of the start."""
    return tuple(_impossible_inertias(model, values))


def _impossible_inertias(model: Model, values: Values) -> Iterator[str]:
    """A principal moment of inertia that exceeds the sum of the other two, which no distribution of mass has.

    ∫ (y² + z²) + ∫ (x² + z²) ≥ ∫ (x² + y²). A body that turns in the plane may state its one moment alone: [0, 0, J].
    """
    of_parameters, everything = Evaluator(values.parameters), cache(lambda: at_start(model, values))

    def number(entry: Expression) -> float:
        try:
            return of_parameters.number(entry)
        except KeyError:  # it depends on definitions or coordinates, which take longer
            return everything().number(entry)

    for name, body in model.bodies.items():
        try:
            entries = [number(entry) for entry in body.inertia]
        except (*DOMAIN, KeyError):
            continue
        if not entries:
            continue
        xx, yy, zz, xy, yz, xz = (*entries, 0.0, 0.0, 0.0)[:6]
        small, middle, large = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
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
