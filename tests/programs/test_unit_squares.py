"""sin² + cos² becomes one: once for every pair, and never without a pair."""

from __future__ import annotations

import numpy as np
import pytest
import symengine
from symengine import cos, exp, sin, symbols

import dalembert as da
from dalembert.programs.evaluate import values_of
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


SAME = r * sin(x) ** 2 + r * cos(x) ** 2  # r


@pytest.mark.parametrize("expression", [r * SAME, r**2 * SAME**2, r * exp(r) * SAME, r * y * SAME + r * y + SAME * y])
def test_a_factor_that_another_becomes_is_not_lost(expression):
    at = {r: 0.7, x: 0.3, y: 1.9}
    found = values_of(program([*at], [expression, r * y]), np.array([*at.values()]))
    assert found[0] == pytest.approx(float(expression.subs(at)), rel=1e-14)


def test_a_force_with_such_a_factor(tmp_path):
    file = tmp_path / "spring.toml"
    file.write_text("""
        [coordinates]
        x = 0.7
        q = 0.3
        [bodies.a]
        mass = 1
        position = ["x", "q", 0]
        [forces.spring]
        generalized = { x = "-x*(x*sin(q)^2 + x*cos(q)^2)" }
    """)
    assert da.load(file).solve().accelerations["x"] == pytest.approx(-0.49, rel=1e-14)
