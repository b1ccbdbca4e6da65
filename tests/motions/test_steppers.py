"""Every stepper has its number in the engine, and every list of steppers has the same names."""

from __future__ import annotations

import re

import pytest

from dalembert.engine.library import Stepper
from dalembert.engine.sources import ROOM
from dalembert.model import tables
from dalembert.motions import one
from dalembert.sweep import order


def test_python_and_the_engine_have_the_same_numbers() -> None:
    text = (ROOM / "settings.hpp").read_text(encoding="utf-8")
    listed = re.search(r"enum Stepper : int \{(.*?)\}", text)
    assert listed is not None
    numbers = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", listed[1])}
    assert numbers == {stepper.name: stepper.value for stepper in Stepper}


@pytest.mark.parametrize("name", sorted({*one.STEPPERS, *order.STEPPERS} - {"auto"}))
def test_a_name_is_the_stepper_of_that_name(name: str) -> None:
    """Otherwise a new stepper would be DOP853 without a word."""
    settings = one.settings_of(0.0, 1.0, 1e-9, name, 0.1)
    assert settings.stepper == Stepper[name.upper()]
    assert not settings.automatic


def test_lists_agree() -> None:
    assert tables.STEPPERS == one.STEPPERS
    assert set(order.STEPPERS) <= {*one.STEPPERS, "rk4"}
    assert {name.upper() for name in {*one.STEPPERS, *order.STEPPERS} - {"auto"}} == set(Stepper.__members__)


def test_automatic_steps_begin_with_dop853() -> None:
    settings = one.settings_of(0.0, 1.0, 1e-9, "auto", None)
    assert settings.stepper == Stepper.DOP853
    assert settings.automatic
