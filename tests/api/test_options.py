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
    ],
)
def test_options_that_are_no_numbers(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        da.gallery("simple-pendulum").simulate(**options)
