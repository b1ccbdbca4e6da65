"""Conserved quantities in sentences, tables and formulas."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.language import tr
from dalembert.results.conserved import Conserved
from dalembert.results.text.blocks import Block, Formula, Grid, Heading, Sentence

LONGEST = 700  # characters of a formula that is shown


def conserved_blocks(found: Conserved) -> Iterable[Block]:
    for energy in found.energies:
        name = tr(energy.name)
        what = name[0].upper() + name[1:]
        lost = any("changed" in q.contacts.values() for q in found.quantities if q.kind == energy.name)
        between = tr(" between impacts") if energy.conserved and lost else ""
        yield Sentence(
            tr("{what} is conserved{between}.", what=what, between=between)
            if energy.conserved
            else tr("{what} is not conserved.", what=what)
        )
        for spoiler in energy.spoilers:
            yield Sentence(f"  {spoiler}.")
    for when in dict.fromkeys(q.when for q in found.quantities):
        yield Heading(tr("Integrals {when}", when=when).rstrip())
        for i, quantity in enumerate(found.quantities, 1):
            if quantity.when == when and len(quantity.formula.text) > LONGEST:
                yield Sentence(
                    tr(
                        "  {i}  {kind}: long, and therefore written in the answer of --json only",
                        i=i,
                        kind=tr(quantity.kind),
                    )
                )
            elif quantity.when == when:
                yield Formula(quantity.formula.text, quantity.formula.latex, f"{i}  {tr(quantity.kind)}")
    if not found.quantities:
        yield Sentence(
            tr("No integral was found among combinations of {searched} candidates.", searched=found.searched)
        )
    else:
        yield Heading(tr("What they are, and how they were verified"))
        yield _table(found)
        yield Sentence(_said(found))
    if any(q.contacts for q in found.quantities):
        yield Heading(tr("At contacts"))
        yield _contacts(found)
    if found.momentum_equations:
        yield Heading(tr("Momentum equations along symmetries, d/dt of the first is the second"))
        for law in found.momentum_equations:
            yield Formula(law.momentum.text, law.momentum.latex, tr("momentum"))
            yield Formula(law.rate.text, law.rate.latex, tr("its rate"))
    for check in found.checks:
        yield Heading(tr("Check of {expression}", expression=check.expression))
        yield Sentence(check.verdict)


def _table(found: Conserved) -> Grid:
    rows = []
    for i, q in enumerate(found.quantities, 1):
        drift = ("", "") if q.drift is None else (f"{q.drift[0]:.0e}", f"{q.drift[1]:.0e}")
        rows.append((f"{i}  {q.words or tr(q.kind)}", tr(q.symmetry), tr("all") if q.general else tr("these"), *drift))
    coarse, fine = (tr("drift at {t:.0e}", t=t) for t in found.tolerances)
    return Grid(("", tr("symmetry"), tr("parameters"), coarse, fine), tuple(rows))


def _said(found: Conserved) -> str:
    digits = min(q.digits for q in found.quantities)
    precise = tr("in {digits} digits", digits=digits) if digits > 16 else tr("in double precision")
    motions = min(q.motions for q in found.quantities)
    return tr(
        "Searched: combinations of {searched} candidates, decided by a gap of singular values. Rates vanish at "
        "random states {precise}; drifts are the largest of {motions} random motions, relative to their terms.",
        searched=found.searched,
        precise=precise,
        motions=motions,
    )


def _contacts(found: Conserved) -> Grid:
    events = list(dict.fromkeys(event for q in found.quantities for event in q.contacts))
    rows = [
        (f"{i}  {q.words or tr(q.kind)}", *(tr(q.contacts.get(event, "")) for event in events))
        for i, q in enumerate(found.quantities, 1)
        if q.contacts
    ]
    return Grid(("", *events), tuple(rows))
