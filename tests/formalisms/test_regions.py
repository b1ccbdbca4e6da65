"""Constraints that hold in a region and constrain nothing there are refused; others with corners are kept."""

import pytest

from dalembert.api.motion import simulate
from dalembert.cli.main import run
from dalembert.errors import ModelError
from dalembert.model.read import read_text

POINT = """
[parameters]
h = 3
[coordinates]
x = {{ initial = {x}, speed = 0 }}
y = {{ initial = 0, speed = 1 }}
[bodies.p]
mass = 1
position = ["x", "y", 0]
[constraints]
row = "{row}"
[simulation]
duration = 1
"""

ONE_SIDED = [
    "sign(x) = 1",
    "abs(x) = x",
    "max(x, 0) = 0",
    "min(x', 0) = 0",
    "sign(x') = -1",
    "max(x - 1e4, 0) = 0",
    "x*max(y, 0) = 0",
    "abs(x) + abs(x + h) = h",
    "sqrt(x^2) = x",
    "acos(cos(x/3)) = x/3",
    "atan2(0*y, x) = 0",
    "abs(acos(cos(x/3)) - x/3) = 0",
]
STEPS = ["sign(x) = 0", "sign(x) = 2", "sign(x - 5) + 2*sign(y) = 0"]
IDENTICAL = ["abs(x) = max(x, -x)", "abs(abs(x)) = abs(x)", "max(x, y) + min(x, y) = x + y", "log(exp(x)) = x"]
REAL = [
    "abs(x) = 5",
    "abs(x) + x = 10",  # it is constant for negative x, but does not hold there
    "max(x, y) = 5",
    "sqrt(x^2 + y^2) = 5",
    "sqrt(abs(x)) = sqrt(5)",
    "exp(-abs(x))*y = 0",
    "x*sign(x) = 5",
    "atan2(y, x) = 0",
]


def text(row: str, x: float = 5.0) -> str:
    return POINT.format(row=row, x=x)


@pytest.mark.parametrize("x", [5.0, 0.1, -4.0])
@pytest.mark.parametrize("row", ONE_SIDED)
def test_a_condition_on_one_side_is_refused_wherever_it_starts(row, x) -> None:
    with pytest.raises(ModelError, match=r"row holds throughout a region of states.*is a contact"):
        simulate(read_text(text(row, x)))


@pytest.mark.parametrize("x", [5.0, 0.1, -4.0])
@pytest.mark.parametrize("row", STEPS)
def test_a_row_of_jumps_is_refused(row, x) -> None:
    with pytest.raises(ModelError, match="row only takes constant values"):
        simulate(read_text(text(row, x)))


@pytest.mark.parametrize("row", IDENTICAL)
def test_what_holds_in_every_piece_is_dropped(row) -> None:
    assert "the row row holds identically and is dropped" in simulate(read_text(text(row))).notes


@pytest.mark.parametrize("row", REAL)
def test_constraints_with_corners_are_kept(row) -> None:
    motion = simulate(read_text(text(row)))
    assert list(motion.multipliers) == ["row"]
    assert motion.diagnostics.constraint_residual < 1e-12


@pytest.mark.parametrize("command", ["check", "derive", "solve", "simulate"])
def test_the_command_line_says_it_and_exits_with_2(tmp_path, capsys, command) -> None:
    path = tmp_path / "model.toml"
    path.write_text(text("sign(x) = 1"))
    assert run([command, str(path)]) == 2
    assert "holds throughout a region" in "".join(capsys.readouterr())
