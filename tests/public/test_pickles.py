"""Every answer can be pickled. The copy prints the same, and all its functions still work."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from answers import MAKERS, answer


@pytest.mark.parametrize("name", MAKERS)
def test_an_answer_comes_back(name: str) -> None:
    given = answer(name)
    back = pickle.loads(pickle.dumps(given))
    assert type(back) is type(given)
    assert str(back) == str(given)
    if hasattr(given, "to_dict"):
        assert back.to_dict() == given.to_dict()


def test_a_motion_still_interpolates_and_is_still_drawn() -> None:
    for name in ("simulate", "simulate contacts"):
        given = answer(name)
        back = pickle.loads(pickle.dumps(given))
        assert back.at(0.777) == given.at(0.777)
        assert back.animate().html() == given.animate().html()
        np.testing.assert_array_equal(
            back.plot().axes[0].lines[0].get_ydata(), given.plot().axes[0].lines[0].get_ydata()
        )


def test_a_derivation_still_tells_its_steps() -> None:
    given = answer("derive")
    assert pickle.loads(pickle.dumps(given)).text(steps=True) == given.text(steps=True)


def test_a_figure_comes_back() -> None:
    figure = answer("simulate").plot()
    assert pickle.loads(pickle.dumps(figure))._repr_png_() == figure._repr_png_()
