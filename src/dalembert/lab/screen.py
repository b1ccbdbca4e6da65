"""A motion for the screen: the scene for the player, and the numbers for comparing two runs."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np

from dalembert.model.values import initial_values
from dalembert.prepared import Start
from dalembert.results.motion import Motion
from dalembert.view.controls import controls
from dalembert.view.scene import scene
from dalembert.view.stage import Stage

INSTANTS = 1500  # the most at which a motion is drawn


def shown(start: Start, motion: Motion, stage: Stage, data: bool) -> dict[str, Any]:
    """The motion. `data` adds its coordinates, speeds, definitions and energy, to the last bit."""
    return {
        "method": motion.method,
        "status": motion.status,
        "scene": scene(motion, start.record, stage, most=INSTANTS),
        "notes": list(motion.notes),
        "corrections": [dict(change) for change in motion.corrections],
        "values": _values(start),
        "diagnostics": motion.diagnostics.to_dict(),
        **({"data": _data(motion)} if data else {}),
    }


def _values(start: Start) -> dict[str, float]:
    """The start of the motion, by names and in units of the controls: set, computed from parameters, or solved for."""
    numbers = {
        **initial_values(start.record).parameters,
        **dict(zip(start.record.coordinates, start.q.tolist(), strict=True)),
        **{f"{name}'": speed for name, speed in zip(start.record.coordinates, start.v.tolist(), strict=True)},
    }
    return {
        one["name"]: (numbers[one["name"]] - one.get("offset", 0.0)) / one.get("factor", 1.0)
        for one in controls(start.record)
    }


def _data(motion: Motion) -> dict[str, Any]:
    columns = {
        **motion.coordinates,
        **{f"{name}'": values for name, values in motion.speeds.items()},
        **motion.definitions,
        "energy": motion.energy["total"],
    }
    return {
        "times": _packed(motion.times),
        "coordinates": list(motion.coordinates),
        "columns": {name: _packed(values) for name, values in columns.items()},
    }


def _packed(values: np.ndarray) -> str:
    return b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode("ascii")
