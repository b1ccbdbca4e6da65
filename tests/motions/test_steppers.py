"""Every stepper has its number in the engine, and every list of steppers has the same names."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import dalembert as da
from dalembert.engine.interface import Stepper
from dalembert.engine.sources import ROOM
from dalembert.errors import MathematicsError, ModelError
from dalembert.model import tables
from dalembert.motions.span import TimeSpan
from dalembert.sweep import order
from dalembert.view import laboratory


def test_python_and_the_engine_have_the_same_numbers() -> None:
    text = (ROOM / "settings.hpp").read_text(encoding="utf-8")
    listed = re.search(r"enum Stepper : int \{(.*?)\}", text)
    assert listed is not None
    numbers = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", listed[1])}
    assert numbers == {stepper.name: stepper.value for stepper in Stepper}


@pytest.mark.parametrize("name", sorted({*tables.STEPPERS, *order.STEPPERS} - {"auto"}))
def test_a_name_is_the_stepper_of_that_name(name: str) -> None:
    """Otherwise a new stepper would silently be DOP853."""
    settings = TimeSpan(0.0, 1.0, stepper=name, step=0.1).settings()
    assert settings.stepper == Stepper[name.upper()]
    assert not settings.automatic


def test_lists_agree() -> None:
    assert set(order.STEPPERS) <= {*tables.STEPPERS, "rk4"}
    assert {name.upper() for name in {*tables.STEPPERS, *order.STEPPERS} - {"auto"}} == set(Stepper.__members__)
    assert set(tables.ONE_LENGTH) <= {*tables.STEPPERS, *order.STEPPERS}


def test_pages_have_the_same_numbers() -> None:
    text = (Path(laboratory.__file__).parent / "static" / "engine.js").read_text(encoding="utf-8")
    listed = re.search(r"const STEPPERS = \{(.*?)\}", text)
    assert listed is not None
    numbers = {name: int(value) for name, value in re.findall(r"(\w+): (\d+)", listed[1])}
    assert numbers == {
        name: Stepper.DOP853 if name == "auto" else Stepper[name.upper()] for name in laboratory.STEPPERS
    }


@pytest.mark.parametrize("name", [name for name in tables.STEPPERS if name in tables.ONE_LENGTH])
def test_steps_of_one_length_end_at_the_end_and_meet_neither_kinks_nor_contacts(name: str) -> None:
    assert TimeSpan(0.0, 1.0, stepper=name, step=0.3).settings().longest == 1 / 3
    with pytest.raises(ModelError, match=f"the stepper {name} .* does not follow contacts"):
        da.gallery("bouncing-ball").simulate(stepper=name)
    with pytest.raises(ModelError, match=f"the stepper {name} .* does not end them at kinks"):
        da.load(Path(__file__).parents[1] / "findings" / "kink-vee.toml").simulate(stepper=name, until=1)


def test_automatic_steps_begin_with_dop853() -> None:
    settings = TimeSpan(0.0, 1.0).settings()
    assert settings.stepper == Stepper.DOP853
    assert settings.automatic


@pytest.mark.parametrize(
    ("name", "most"), [("long-1", 8), ("relativistic-particle", 9), ("differential-drive", 18), ("whipple-bicycle", 58)]
)
def test_a_component_that_begins_at_zero_does_not_make_the_first_steps_tiny(name: str, most: int) -> None:
    """A first step by the size of a component near zero is a hundred times too short: two or three steps are lost."""
    assert da.gallery(name).simulate().diagnostics.steps <= most


@pytest.mark.parametrize("name", ["auto", "dop853", "radau"])
@pytest.mark.parametrize("speed", [0.0, 1e-310])
def test_a_motion_below_all_numbers_ends_with_a_sentence(
    loaded: Callable[[str], da.Model], name: str, speed: float
) -> None:
    """A tolerance of 1e-9 times 1e-310 is zero in floating point, and the length of a step is no number."""
    coordinate = f"[coordinates]\nx = {{ initial = 1e-310, speed = {speed} }}\n"
    model = loaded(coordinate + '[bodies.p]\nmass = 1\nposition = ["x", 0, 0]\n')
    with pytest.raises(
        MathematicsError, match=r"at t = 0 the (step became too small|equations of motion are singular)"
    ):
        model.simulate(until=1e30, at=[1e30], stepper=name)
