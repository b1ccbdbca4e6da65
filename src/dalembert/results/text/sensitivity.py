"""Derivatives of a motion as aligned text: at its end, and of the times of its events."""

from __future__ import annotations

from dalembert.language import tr
from dalembert.results.sensitivity import Sensitivities
from dalembert.results.text.layout import noted, number, table

MOST_EVENTS = 20


def sensitivities_text(found: Sensitivities) -> str:
    rows = [[of, *(number(found[of, to][-1]) for to in found.to)] for of in found.of]
    lines = [
        tr("derivatives at t = {times}", times=number(found.times[-1])),
        *table([tr("of"), *(tr("by {to}", to=to) for to in found.to)], rows),
    ]
    if found.events:
        rows = [
            [f"{event.name}, {tr(event.kind)}", number(event.time), *(number(event.time_by[to]) for to in found.to)]
            for event in found.events[:MOST_EVENTS]
        ]
        lines += ["", *table([tr("time of"), "", *(tr("by {to}", to=to) for to in found.to)], rows)]
        if len(found.events) > MOST_EVENTS:
            lines.append(tr("  … and {count} more", count=len(found.events) - MOST_EVENTS))
    return "\n".join([*lines, *noted(found.notes)])
