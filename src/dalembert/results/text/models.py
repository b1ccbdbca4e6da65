"""The part of `analyze` on models of constraint, in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dalembert.language import tr
from dalembert.results.models import Models, Numbers
from dalembert.results.text.blocks import Block, Grid, Heading, Sentence


def models_blocks(found: Models) -> Iterable[Block]:
    if found.reason:
        yield Sentence(found.reason)
        return
    yield Sentence(_verdict(found))
    if found.partings:
        yield Heading(tr("Largest difference of a coordinate, vakonomic from Chetaev's"))
        head = ("t", *(f"λ₀ = {_named(parting.multipliers)}" for parting in found.partings))
        rows = [
            (f"{t:.4g}", *(f"{parting.distances[i]:.3g}" for parting in found.partings))
            for i, t in enumerate(found.times)
        ]
        yield Grid(head, tuple(rows))


def _verdict(found: Models) -> str:
    if found.always:
        return tr("Chetaev's and the vakonomic motion coincide in every state and for every λ₀.")
    if found.fitting is None:
        return tr("From this state Chetaev's and the vakonomic motion coincide for no λ₀.")
    free = (
        tr(", plus any multiple of {named}", named=tr(" and of ").join(map(_named, found.directions)))
        if found.directions
        else ""
    )
    return tr(
        "From this state Chetaev's and the vakonomic motion coincide for λ₀ = {fitting}{free}.",
        fitting=_named(found.fitting),
        free=free,
    )


def _named(numbers: Numbers) -> str:
    if not np.any([*numbers.values()]):
        return "0"
    return "(" + ", ".join(f"{name}: {value + 0.0:.6g}" for name, value in numbers.items()) + ")"
