"""Pages of machines: every row of a joint, an attitude or a surface has an arrow at the right place."""

import pytest

from dalembert.model.read import model_of
from dalembert.view.stage import Stage

BODY = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}
ARM = {"type": "revolute", "parent": "ground", "child": "a", "in_child": [-0.2, 0, 0], "axis": "y"}
PLACES = [{"name": name, "initial": start} for name, start in zip("xyz", (0.6, 0, 0), strict=True)]
MACHINES = {
    "loop": {
        "bodies": {"a": BODY, "b": BODY | {"attitude": "quaternion"}},
        "joints": {
            "h": ARM | {"coordinate": {"name": "theta"}},
            "f": {"type": "free", "parent": "ground", "child": "b", "coordinates": PLACES},
            "l": {"type": "revolute", "parent": "a", "child": "b", "at": [0.2, 0, 0], "axis": [0, 1, 0.2]},
        },
    },
    "bowl": {
        "bodies": {"b": BODY | {"attitude": "quaternion", "position": ["x", "y", "z"]}},
        "coordinates": {"x": 0, "y": 0, "z": 0.2},
        "rolling": {"r": {"body": "b", "ball": 0.2, "on": "z = x^2"}},
    },
}


@pytest.mark.parametrize("name", MACHINES)
def test_every_row_is_shown(name):
    stage = Stage.of(model_of(MACHINES[name]))
    assert [row.label for row in stage.rows] == list(stage.system.constraints.names)
    assert any(row.acts for row in stage.rows)
