"""The part of `analyze` on steady motions, in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.language import tr
from dalembert.results.stability import Stability
from dalembert.results.state import labelled
from dalembert.results.text.blocks import Block, Grid, Sentence
from dalembert.results.text.layout import number
from dalembert.results.text.linearization import spectrum_lines


def stability_blocks(found: Stability) -> Iterable[Block]:
    if found.near is None:
        yield Sentence(found.reason)
        return
    if not found.near.states:
        yield Sentence(tr("Nothing is free to move, so that nothing can be disturbed."))
        return
    near, moves = found.near, any(found.near.speeds.values())
    what = tr("a steady motion") if moves else tr("an equilibrium")
    if found.initial:
        yield Sentence(
            tr(
                "The initial state is {what}, {stability}: {verdict}.",
                what=what,
                stability=tr(near.stability),
                verdict=near.verdict,
            )
        )
    else:
        yield Sentence(
            tr(
                "The initial state is no steady motion; the nearest is {what}, {stability}:",
                what=what,
                stability=tr(near.stability),
            )
        )
        q, v = near.state_in_units()
        rows = [(labelled(name, near.units), number(q[name]), number(v[name])) for name in q]
        yield Grid(("", "q", "q'"), tuple(rows))
        yield Sentence(f"{near.verdict[0].upper()}{near.verdict[1:]}.")
    lines = spectrum_lines(near)
    if lines:
        yield Grid(
            (tr("eigenvalues"), tr("growth rate"), tr("frequency [rad/s]"), tr("period [s]")), tuple(map(tuple, lines))
        )
