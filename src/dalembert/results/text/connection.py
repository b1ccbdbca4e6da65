"""A connection as aligned text: its motion, and what it starts with."""

from __future__ import annotations

from dalembert.results.connection import Connection
from dalembert.results.text.layout import number
from dalembert.results.text.motion import motion_text


def connection_text(found: Connection) -> str:
    speeds = ", ".join(f"{name}' = {number(value)}" for name, value in found.initial_speeds.items())
    multipliers = ", ".join(f"{name} = {number(value)}" for name, value in found.initial_multipliers.items())
    lines = [motion_text(found.motion), "", f"starts with {speeds}"]
    if multipliers:
        lines.append(f"multipliers at the start: {multipliers}")
    lines.append(f"action {number(found.action)}, misses the end by {found.residual:.1e}")
    if found.others:
        lines.append(f"other motions connect too, with the actions {', '.join(map(number, found.others))}")
    return "\n".join(lines)
