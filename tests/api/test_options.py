"""Options that are not numbers get a sentence, not an exception of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"until": np.array([1.0, 2.0])}, "until: a ndarray was met, and a number is expected"),
        ({"until": "1"}, "until: '1' was met, and a number is expected"),
        ({"tolerance": [1e-9]}, "tolerance: a list of 1 was met, and a number is expected"),
        ({"step": (0.1,)}, "step: .* was met, and a number is expected"),
        ({"samples": True}, "samples: true was met, and a number is expected"),
        ({"at": [[0.1, 0.2]]}, "the times asked for must be finite numbers"),
        ({"at": ["a"]}, "the times asked for must be finite numbers"),
        ({"samples": 3.5}, "3.5 samples were asked for; a whole number"),
        ({"settings": [1]}, "settings: a list of 1 was met; names with values"),
        ({"method": 5}, "there is no method 5; known are"),
        ({"stepper": "gauss", "step": 1e-30}, "steps of 1e-30 were asked for, and at most 536,870,911 are taken"),
        ({"stepper": "gauss", "step": np.inf}, "the step is inf: expected a positive number"),
    ],
)
def test_options_that_are_no_numbers(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        da.gallery("simple-pendulum").simulate(**options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"threads": -1}, "threads: -1 was met, and a whole number from 1 on"),
        ({"threads": "a"}, "threads: 'a' was met, and a whole number from 1 on"),
        ({"stepper": "gauss", "step": 1e-17}, "steps of 1e-17 were asked for"),
    ],
)
def test_options_of_a_sweep(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        da.gallery("simple-pendulum").sweep({"theta": [0.1, 0.2]}, until=1, **options)


def test_data_of_an_input_may_be_arrays() -> None:
    model, times = da.Model(), np.linspace(0.0, 1.0, 5)
    model.body("cart", mass=1, position=[model.coordinate("x"), 0, 0])
    model.input("F", times=times, values=np.sin(times))
    assert model.record.inputs["F"].signal is not None
