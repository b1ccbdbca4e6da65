"""sin² + cos² becomes one: once for every pair, and never without a pair."""

from __future__ import annotations

import pytest
import symengine
from symengine import cos, sin, symbols

from dalembert.programs.expressions import program
from dalembert.programs.unit_squares import joined

r, x, y = symbols("r x y")


@pytest.mark.parametrize(
    ("stands", "is_"),
    [
        (2 * sin(x) ** 2 + 2 * cos(x) ** 2, 2),
        (r * sin(x) ** 2 + r * cos(x) ** 2 + y, r + y),
        (sin(x) ** 2 * sin(y) ** 2 + sin(x) ** 2 * cos(y) ** 2 + cos(x) ** 2, 1),
        (sin(x) ** 2 + cos(x) ** 2 + sin(y) ** 2 + cos(y) ** 2, 2),
        (r * (sin(x) ** 2 + cos(x) ** 2 + sin(y) ** 2 + cos(y) ** 2).expand() + r, None),
        ((r * sin(x) ** 2 + r * cos(x) ** 2 + r * sin(y) ** 2 + r * cos(y) ** 2 + r), 3 * r),
        (2 * sin(x) ** 2 + 3 * cos(x) ** 2, None),
        (sin(x) ** 2 + cos(y) ** 2, None),
        (sin(x) ** 4 + cos(x) ** 4, None),
    ],
)
def test_pairs_are_made_one(stands, is_):
    found = joined(stands.args)
    assert found == (None if is_ is None else symengine.sympify(is_))


def test_programs_have_them():
    whole = program([r, x], [r * sin(x) ** 2 + r * cos(x) ** 2 + sin(x)])
    assert whole.cost == {"sin": 1, "add": 1}
    kept = program([r, x], [r * sin(x) ** 2 + r * cos(x) ** 2 + sin(x)], sources=True)
    assert kept.cost["mul"] > 0
