"""Another value costs no derivation and no compilation: the content of a model decides, and its values do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.counters import WORK
from dalembert.model.values import initial_values
from dalembert.programs.functions import Function

# states and inputs; a sampled controller; joints; contacts; neither of them
SAMPLE = {"car-with-trailer", "segway", "differential-drive", "bouncing-ball", "simple-pendulum"}
SHORT = 0.01


def work(model: Any, **settings: float) -> dict[str, int]:
    before = dict(WORK)
    model.simulate(duration=SHORT, samples=3, settings=settings)
    return {what: WORK[what] - before.get(what, 0) for what in ("derived", "compiled")}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.slow) for name in da.gallery()]
)
def test_other_values_are_followed_with_what_is_there(name: str) -> None:
    """The second initial value of a coordinate or state, and the third value of a parameter: the second opens it."""
    nothing = {"derived": 0, "compiled": 0}
    record = da.gallery(name).record
    values = initial_values(record)
    stated = (record.stated or record).parameters
    work(da.gallery(name))
    for start in [*list(values.coordinates)[-1:], *list(record.states)[:1]]:
        before = {**values.parameters, **values.coordinates}[start]
        assert work(da.gallery(name), **{start: before + 1e-6}) == nothing, start
    for parameter in [one for one in stated if values.parameters[one]][:1]:
        number = values.parameters[parameter]
        work(da.gallery(name), **{parameter: number * (1 + 1e-7)})
        assert work(da.gallery(name), **{parameter: number * (1 + 2e-7)}) == nothing, parameter


@pytest.mark.parametrize("name", ["double-pendulum", "rolling-disk"])
def test_no_function_is_evaluated_twice_at_the_samples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[bytes, bytes]] = []
    values = Function._values

    def counted(self: Function, x: np.ndarray, by_numpy: bool) -> np.ndarray:
        if x.ndim == 2:
            asked.append((self.program.digest, x.tobytes()))
        return values(self, x, by_numpy)

    monkeypatch.setattr(Function, "_values", counted)
    da.gallery(name).simulate(duration=SHORT, samples=5)
    assert len(asked) >= 2 and len(set(asked)) == len(asked)
