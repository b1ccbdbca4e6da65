"""Derivatives of a motion as aligned text: at its end, and of the times of its events."""

from __future__ import annotations

from dalembert.results.sensitivity import Sensitivities
from dalembert.results.text.layout import number, table

MOST_EVENTS = 20


def sensitivities_text(found: Sensitivities) -> str:
    rows = [[of, *(number(found[of, to][-1]) for to in found.to)] for of in found.of]
    lines = [f"derivatives at t = {number(found.times[-1])}", *table(["of", *(f"by {to}" for to in found.to)], rows)]
    if found.events:
        rows = [
            [f"{event.name}, {event.kind}", number(event.time), *(number(event.time_by[to]) for to in found.to)]
            for event in found.events[:MOST_EVENTS]
        ]
        lines += ["", *table(["time of", "", *(f"by {to}" for to in found.to)], rows)]
        if len(found.events) > MOST_EVENTS:
            lines.append(f"  … and {len(found.events) - MOST_EVENTS} more")
    return "\n".join([*lines, *(f"note: {note}" for note in found.notes)])
