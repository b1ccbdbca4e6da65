"""A model as the page shows it before any computation: its numbers with their ranges, methods, constraints."""

from __future__ import annotations

from typing import Any

from dalembert.api.calls import DURATION
from dalembert.formalisms import applicable, default_method
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.view.controls import controls


def described(model: ModelRecord) -> dict[str, Any]:
    """Everything that has a slider or a choice on the page."""
    return {
        "title": tr(model.title),
        "reference": model.reference,
        "controls": controls(model),
        "methods": applicable(model),
        "method": default_method(model),
        "constraints": [*model.constraints, *model.rolling],
        "contacts": [*model.contacts, *model.frictions],
        "start": float(model.simulation.start),
        "duration": float(DURATION if model.simulation.duration is None else model.simulation.duration),
    }
