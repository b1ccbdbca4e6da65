"""Loops of joints that cannot close: the model is at fault, and the refusal names the joint."""

from __future__ import annotations

from dalembert.errors import Fault, MathematicsError, ModelError
from dalembert.language import tr
from dalembert.model.closures import joint_of
from dalembert.model.record import Model
from dalembert.motions.initial import NoPosition


def unclosed(record: Model, error: NoPosition) -> ModelError | MathematicsError:
    """The refusal of a start at which no position was found: a fault of the joints if their rows are among the broken
    ones.
    """
    joints = dict.fromkeys(joint for row in error.rows if (joint := joint_of(record, row)) is not None)
    if not joints:
        return error
    message = tr("the loop cannot close: {message}, or change where the joint sits in its bodies", message=error)
    return ModelError([Fault(f"joints.{next(iter(joints))}", "", None, message)])
