"""Models from files of other programs. The outermost element of a file shows its format."""

from __future__ import annotations

from pathlib import Path

from dalembert.errors import ModelError
from dalembert.exchange.robot import model_of
from dalembert.exchange.xml import root_of
from dalembert.expressions.parse import shown
from dalembert.language import tr
from dalembert.model.record import ModelRecord


def converted(path: str | Path) -> tuple[ModelRecord, tuple[str, ...]]:
    """The model in a URDF or MJCF file, and notes on what was left out."""
    path = Path(path)
    if not path.is_file():
        raise ModelError("there is no file {path}", path=shown(str(path)))
    tag = root_of(path).tag
    if tag == "robot":
        from dalembert.exchange.urdf import robot_of

        return model_of(robot_of(path))
    if tag == "mujoco":
        from dalembert.exchange import mjcf

        return model_of(mjcf.robot_of(path))
    message = tr(
        "the file {path} has <{tag}> outermost; <robot> (URDF) or <mujoco> (MJCF) is expected",
        path=shown(str(path)),
        tag=tag,
    )
    raise ModelError(message)
