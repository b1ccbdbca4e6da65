"""Conserved quantities in sentences, tables and formulas."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.results.conserved import Conserved
from dalembert.results.text.blocks import Block, Formula, Grid, Heading, Sentence

LONGEST = 700  # characters of a formula that is shown


def conserved_blocks(found: Conserved) -> Iterable[Block]:
    for energy in found.energies:
        what = energy.name[0].upper() + energy.name[1:]
        lost = any("changed" in q.contacts.values() for q in found.quantities if q.kind == energy.name)
        between = " between impacts" if energy.conserved and lost else ""
        yield Sentence(f"{what} is {'' if energy.conserved else 'not '}conserved{between}.")
        for spoiler in energy.spoilers:
            yield Sentence(f"  {spoiler}.")
    for when in dict.fromkeys(q.when for q in found.quantities):
        yield Heading(f"Integrals {when}".rstrip())
        for i, quantity in enumerate(found.quantities, 1):
            if quantity.when == when and len(quantity.formula.text) > LONGEST:
                yield Sentence(f"  {i}  {quantity.kind}: long, and therefore written in the answer of --json only")
            elif quantity.when == when:
                yield Formula(quantity.formula.text, quantity.formula.latex, f"{i}  {quantity.kind}")
    if not found.quantities:
        yield Sentence(f"No integral was found among combinations of {found.searched} candidates.")
    else:
        yield Heading("What they are, and how they were verified")
        yield _table(found)
        yield Sentence(_said(found))
    if any(q.contacts for q in found.quantities):
        yield Heading("At contacts")
        yield _contacts(found)
    if found.momentum_equations:
        yield Heading("Momentum equations along symmetries, d/dt of the first is the second")
        for law in found.momentum_equations:
            yield Formula(law.momentum.text, law.momentum.latex, "momentum")
            yield Formula(law.rate.text, law.rate.latex, "its rate")
    for check in found.checks:
        yield Heading(f"Check of {check.expression}")
        yield Sentence(check.verdict)


def _table(found: Conserved) -> Grid:
    rows = []
    for i, q in enumerate(found.quantities, 1):
        drift = ("", "") if q.drift is None else (f"{q.drift[0]:.0e}", f"{q.drift[1]:.0e}")
        rows.append((f"{i}  {q.words or q.kind}", q.symmetry, "all" if q.general else "these", *drift))
    coarse, fine = (f"drift at {t:.0e}" for t in found.tolerances)
    return Grid(("", "symmetry", "parameters", coarse, fine), tuple(rows))


def _said(found: Conserved) -> str:
    digits = min(q.digits for q in found.quantities)
    precise = f"in {digits} digits" if digits > 16 else "in double precision"
    motions = min(q.motions for q in found.quantities)
    return (
        f"Searched: combinations of {found.searched} candidates, decided by a gap of singular values. Rates vanish "
        f"at random states {precise}; drifts are the largest of {motions} random motions, beside their terms."
    )


def _contacts(found: Conserved) -> Grid:
    events = list(dict.fromkeys(event for q in found.quantities for event in q.contacts))
    rows = [
        (f"{i}  {q.words or q.kind}", *(q.contacts.get(event, "") for event in events))
        for i, q in enumerate(found.quantities, 1)
        if q.contacts
    ]
    return Grid(("", *events), tuple(rows))
