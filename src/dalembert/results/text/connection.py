"""A connection as aligned text: its motion and its initial values."""

from __future__ import annotations

from dalembert.language import tr
from dalembert.results.connection import Connection
from dalembert.results.text.layout import number
from dalembert.results.text.motion import motion_text


def connection_text(found: Connection) -> str:
    speeds = ", ".join(f"{name}' = {number(value)}" for name, value in found.initial_speeds.items())
    multipliers = ", ".join(f"{name} = {number(value)}" for name, value in found.initial_multipliers.items())
    lines = [motion_text(found.motion), "", tr("starts with {speeds}", speeds=speeds)]
    if multipliers:
        lines.append(tr("multipliers at the start: {multipliers}", multipliers=multipliers))
    lines.append(
        tr("action {action}, misses the end by {residual:.1e}", action=number(found.action), residual=found.residual)
    )
    if found.others:
        lines.append(
            tr("other motions connect too, with the actions {number}", number=", ".join(map(number, found.others)))
        )
    return "\n".join(lines)
