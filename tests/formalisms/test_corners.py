"""abs, sign, min and max in positions, energies and constraints: constant and linear parts are recognized."""

import pytest

from dalembert.api.model import Model
from dalembert.model.read import model_of

CORNERED = {
    "coordinates": {"x": {"initial": 0.3, "speed": 0.4}, "y": {"initial": -0.5, "speed": 2}},
    "bodies": {"bead": {"mass": 1, "position": ["x + abs(y)", "max(y, x - 9)", "min(1, 2, y^2 + 3)*sign(x)"]}},
    "constraints": {"row": "x' + min(abs(y), 7)*y' = 1.4"},
}


def test_a_constraint_with_corners_is_linear_in_the_speeds() -> None:
    assert [row["kind"] for row in Model.of(model_of(CORNERED)).check().to_dict()["constraints"].values()] == ["linear"]


@pytest.mark.parametrize(
    "method", [m for m in Model.of(model_of(CORNERED)).methods() if m not in {"vakonomic", "virtual-displacements"}]
)
def test_every_method_takes_corners(method: str) -> None:
    """Where y < 0 the bead is at (x − y, y, 1) and the row is x' − y y' = 1.4.

    [1 −1; −1 2] q̈ = λ (1, −y) with x'' − y y'' = y'²: y = −½, y' = 2 give x'' = 2.5 λ, y'' = 1.5 λ, 3.25 λ = 4.
    """
    state = Model.of(model_of(CORNERED)).solve(method)
    assert state.multipliers["row"] == pytest.approx(4 / 3.25, rel=1e-13)
    assert [*state.accelerations.values()] == pytest.approx([2.5 * 4 / 3.25, 1.5 * 4 / 3.25], rel=1e-13)
