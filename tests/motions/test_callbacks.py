"""An error in a function that the engine calls in Python is raised, not printed while the engine goes on."""

import pytest

import dalembert as da
from dalembert.programs import functions


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize("before", range(0, 12, 3))
def test_an_error_inside_the_engine_is_raised(error, before, monkeypatch, capfd):
    whole, calls = functions.values_of, []

    def fails(program, x):
        calls.append(program)
        if len(calls) > before:
            raise error("here")
        return whole(program, x)

    monkeypatch.setattr(functions, "values_of", fails)
    with pytest.raises(error, match="here"):
        da.gallery("rolling-disk").changed({"lean": 0.3 + 0.01 * before}).solve()
    assert capfd.readouterr().err == ""


def test_the_next_question_is_answered():
    assert da.gallery("rolling-disk").solve().accelerations
