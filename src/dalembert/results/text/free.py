"""What `analyze` says of free motion, in sentences, tables and formulas."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.results.free import Component, Free
from dalembert.results.text.blocks import Block, Formula, Grid, Heading, Sentence


def free_blocks(found: Free) -> Iterable[Block]:
    if not found.chain and found.always:
        yield Sentence("There are no constraints: every motion is free.")
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
        yield Grid(("free states", *("" for _ in found.states)), columns)
    if not found.here:
        values = ", ".join(map(_short, found.chain))
        yield Sentence(f"The motion from this state is not free: Φ₀, Φ₁, … are {values}.")
    else:
        yield Sentence("The motion from this state is free.")
    if found.effort is not None and found.effort.forces:
        yield Heading(f"Constraint forces as control forces, t = {found.effort.start:g} to {found.effort.end:g}")
        rows = [(f.name, *map(_short, (f.largest, f.effort, f.work, f.power))) for f in found.effort.forces]
        yield Grid(("constraint", "largest |Q|", "effort ∫|Q|² dt", "work ∫Q·q' dt", "largest power"), tuple(rows))


def _verdict(found: Free) -> str:
    if found.always:
        return "Every motion that keeps the constraints is free: they need no force."
    if found.states is not None:
        if found.states:
            return f"{len(found.states)} states were found from which the constraints need no force."
        return f"No state was found from which the constraints need no force ({found.tried} starts; no proof)."
    if not found.components:
        if found.unseen:
            return "No motion is free, as far as was found: the conditions have solutions, but no real one was met."
        return "No motion is free: the conditions have no state in common (their ideal holds 1)."
    if len(found.components) > 1:
        return f"Free motions start from {len(found.components)} families of states, besides the constraints given by:"
    size = _dimension(found.components[0])
    return f"Free motions start from one family of states ({size}), besides the constraints given by:"


def _dimension(component: Component) -> str:
    return "" if component.dimension is None else f"{component.dimension} dimensions"


def _short(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.6g}"
