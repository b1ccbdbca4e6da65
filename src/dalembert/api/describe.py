"""The description of contacts, if a call asks for another than the model's."""

from __future__ import annotations

from dataclasses import replace

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.model.record import ModelRecord

DESCRIPTIONS = ("segmented", "whole-course")


def described(record: ModelRecord, description: str | None) -> ModelRecord:
    """The model with the description `segmented` or `whole-course`. None keeps the model's own."""
    if description is None:
        return record
    if description not in DESCRIPTIONS:
        raise ModelError(
            "there is no description {description!r}; expected {descriptions}",
            description=description,
            descriptions=tr(" or ").join(DESCRIPTIONS),
        )
    simulation = replace(record.simulation, description=description)  # type: ignore[arg-type]
    return replace(record, simulation=simulation)
