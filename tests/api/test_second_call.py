"""Another value costs no derivation and no compilation: the content of a model decides, and its values do not."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.counters import WORK
from dalembert.expressions.nodes import Name, Number, Sum
from dalembert.model.alike import alike
from dalembert.model.read import model_of, read_text
from dalembert.model.values import initial_values
from dalembert.model.write import write_text
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


def test_linearizing_at_other_speeds_derives_nothing() -> None:
    """The equations of the bicycle do not name v and push; they do name w, which is put in as a number."""

    def derived(**settings: float) -> int:
        before = WORK["derived"]
        found.append(da.gallery("whipple-bicycle").linearize(settings=settings))
        return WORK["derived"] - before

    found: list[Any] = []
    derived(push=0.0, v=4.0, w=1.021)
    assert derived(push=0.0, v=3.0, w=1.021) == 0
    assert derived(push=0.0, v=3.0, w=1.022) == 1
    assert derived(push=0.1, v=4.0, w=1.021) == 0 and "no steady motion" in str(found[-1])
    assert np.abs(found[0].matrix - found[1].matrix).max() > 0.1
    assert derived(push=0.0, v=4.0, w=1.021) == 0 and np.array_equal(found[0].matrix, found[-1].matrix)


def test_a_parameter_of_the_start_alone_is_never_opened() -> None:
    """Its second value costs nothing, and the motion has the bits of one without such a parameter."""

    def motion(angle: Any, rate: Any, **parameters: Any) -> da.Motion:
        data = {
            "gravity": [0, -9.81, 0],
            "parameters": {"l": 0.7, **parameters},
            "coordinates": {"theta": {"initial": angle, "speed": rate}},
            "bodies": {"bob": {"mass": 1, "position": ["l*sin(theta)", "-l*cos(theta)", 0]}},
        }
        return da.Model.of(model_of(data)).simulate(duration=SHORT, samples=3)

    motion("begin", "twice", begin=0.3, twice="2*begin")
    before = WORK["derived"]
    second = motion("begin", "twice", begin=0.4, twice="2*begin")
    assert WORK["derived"] == before
    assert np.array_equal(second["theta"], motion(0.4, 0.8)["theta"]) and WORK["derived"] == before + 1


def test_three_derivations_serve_all_values_and_a_question_keeps_its_bits() -> None:
    """Numbers put in, then what differs left open, then everything. The first one stays."""
    model, before = da.gallery("double-pendulum").changed({"theta1": 2.25, "g": 9.75}), WORK["derived"]

    def ends() -> list[float]:
        changes = [{}, {"m1": 1.1}, {"m2": 1.1}, {"l1": 1.1}, {"l2": 1.1}, {"g": 9.7}]
        return [float(model.simulate(duration=2, samples=2, settings=one)["theta1"][-1]) for one in changes]

    found = ends()
    assert WORK["derived"] <= before + 3
    assert ends() == found and WORK["derived"] <= before + 3


@pytest.mark.parametrize("name", ["segway", "four-bar", "rocket", "whipple-bicycle", "ball-in-bowl"])
def test_a_saved_model_is_the_same_model(name: str, tmp_path: Path) -> None:
    model, settings = da.gallery(name), {"duration": SHORT, "samples": 3}
    model.save(tmp_path / "saved.toml")
    first, before = model.simulate(**settings), WORK["derived"]
    again = da.load(tmp_path / "saved.toml").simulate(**settings)
    assert WORK["derived"] == before
    assert all(np.array_equal(first[q], again[q]) for q in model.record.coordinates)


def test_models_that_are_not_alike() -> None:
    record = da.gallery("double-pendulum").record
    assert alike(record, read_text(write_text(record)))
    assert not alike(Number(2), Number(2.0))
    assert not alike({"a": 1, "b": 2}, {"b": 2, "a": 1})  # which are equal
    assert not alike(record, da.gallery("double-pendulum").changed({"g": 9.7}).record)
    assert not alike((1, 2), (1, 2, 3)) and not alike(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    shared = Name("x")
    for _ in range(80):  # 2^80 nodes, if they were not shared
        shared = Sum((shared, shared))
    assert alike(shared, deepcopy(shared))
