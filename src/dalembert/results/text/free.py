"""The free-motion part of `analyze` in sentences, tables and formulas."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.language import tr
from dalembert.results.free import Component, Free
from dalembert.results.text.blocks import Block, Formula, Grid, Heading, Sentence


def free_blocks(found: Free) -> Iterable[Block]:
    if not found.chain and found.always:
        yield Sentence(tr("There are no constraints: every motion is free."))
        return
    yield Sentence(_verdict(found))
    for i, component in enumerate(found.components if not found.always else (), 1):
        if len(found.components) > 1:
            yield Heading(f"{i}. {_dimension(component)}")
        for c in component.conditions:
            yield Formula(f"{c.shown} = 0", f"{c.latex} = 0")
    if found.states:
        names = tuple(found.states[0])
        columns = tuple((name, *(_short(state[name]) for state in found.states)) for name in names)
        yield Grid((tr("free states"), *("" for _ in found.states)), columns)
    if not found.here:
        values = ", ".join(map(_short, found.chain))
        yield Sentence(tr("The motion from this state is not free: Φ₀, Φ₁, … are {values}.", values=values))
    else:
        yield Sentence(tr("The motion from this state is free."))
    if found.effort is not None and found.effort.forces:
        yield Heading(
            tr(
                "Constraint forces as control forces, t = {start:g} to {end:g}",
                start=found.effort.start,
                end=found.effort.end,
            )
        )
        rows = [(f.name, *map(_short, (f.largest, f.effort, f.work, f.power))) for f in found.effort.forces]
        yield Grid(
            (tr("constraint"), tr("largest |Q|"), tr("effort ∫|Q|² dt"), tr("work ∫Q·q' dt"), tr("largest power")),
            tuple(rows),
        )


def _verdict(found: Free) -> str:
    if found.always:
        return tr("Every motion that keeps the constraints is free: they need no force.")
    if found.states is not None:
        if found.states:
            return tr("{count} states were found from which the constraints need no force.", count=len(found.states))
        return tr(
            "No state was found from which the constraints need no force ({tried} starts; no proof).", tried=found.tried
        )
    if not found.components:
        if found.unseen:
            return tr("No motion is free, as far as was found: the conditions have solutions, but no real one was met.")
        return tr("No motion is free: the conditions have no state in common (their ideal holds 1).")
    if len(found.components) > 1:
        return tr(
            "Free motions start from {count} families of states, besides the constraints given by:",
            count=len(found.components),
        )
    size = _dimension(found.components[0])
    return tr("Free motions start from one family of states ({size}), besides the constraints given by:", size=size)


def _dimension(component: Component) -> str:
    return "" if component.dimension is None else tr("{dimension} dimensions", dimension=component.dimension)


def _short(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.6g}"
