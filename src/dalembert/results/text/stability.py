"""What `analyze` says of steady motions, in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.results.stability import Stability
from dalembert.results.text.blocks import Block, Grid, Sentence
from dalembert.results.text.layout import number
from dalembert.results.text.linearization import spectrum_lines


def stability_blocks(found: Stability) -> Iterable[Block]:
    if found.near is None:
        yield Sentence(found.reason)
        return
    if not found.near.states:
        yield Sentence("Nothing is free to move, so that nothing can be disturbed.")
        return
    near, moves = found.near, any(found.near.speeds.values())
    what = "a steady motion" if moves else "an equilibrium"
    if found.initial:
        yield Sentence(f"The initial state is {what}, {near.stability}: {near.verdict}.")
    else:
        yield Sentence(f"The initial state is no steady motion; the nearest is {what}, {near.stability}:")
        rows = [(name, number(near.coordinates[name]), number(near.speeds[name])) for name in near.coordinates]
        yield Grid(("", "q", "q'"), tuple(rows))
        yield Sentence(f"{near.verdict[0].upper()}{near.verdict[1:]}.")
    lines = spectrum_lines(near)
    if lines:
        yield Grid(("eigenvalues", "growth rate", "frequency [rad/s]", "period [s]"), tuple(map(tuple, lines)))
