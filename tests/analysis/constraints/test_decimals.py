"""Decimals are exact wherever something is decided."""

import pytest

from dalembert.analysis.exact.decimals import fraction, with_fractions
from dalembert.api.analyze import analyze
from dalembert.expressions.nodes import Number, walk
from dalembert.model.read import read_text

ROW = """
[parameters]
k = 0.7
[coordinates]
x = 0.3
y = 0.4
z = 0.1
[energy]
kinetic = "x'^2 + y'^2 + z'^2"
[constraints]
c = "{row} = 0"
"""


@pytest.mark.parametrize(
    "row",
    [
        "0.3*(y^3*x' + 3*x*y^2*y') + z'",
        "0.1*(y^3*x' + 3*x*y^2*y') + 0.7*z'",
        "1.1e-3*(y^7*x' + 7*x*y^6*y') + z'",
        "k*(y^3*x' + 3*x*y^2*y') + z'",
        "0.8207434956155849*(y^3*x' + 3*x*y^2*y') + z'",
    ],
)
def test_multiples_of_a_derivative_are_integrable(row) -> None:
    """d(c x yⁿ + z): c n in double precision is not n times c."""
    found = analyze(read_text(ROW.format(row=row)), ["constraints"]).to_dict()["constraints"]
    assert found["holonomic"]
    assert found["constraints"]["c"]["integrable"]


def test_a_row_that_is_none_stays_none() -> None:
    found = analyze(read_text(ROW.format(row="0.3*(y^3*x' + 2.9999999999999996*x*y^2*y') + z'")), ["constraints"])
    assert not found.to_dict()["constraints"]["holonomic"]


@pytest.mark.parametrize("value", [0.3, 0.1, 1e-9, 1e300, 123456.789, 0.8207434956155849, 5e-324, 1.7976931348623157e308])
def test_a_fraction_is_its_decimal(value) -> None:
    from fractions import Fraction

    tree = fraction(value)
    assert all(isinstance(node.value, int) for node in walk(tree) if isinstance(node, Number))
    assert _exactly(tree) == Fraction(repr(value))


def _exactly(tree):
    from fractions import Fraction
    from math import prod

    from dalembert.expressions import nodes as x

    return x.fold(
        tree,
        lambda node, parts: {
            x.Number: lambda: Fraction(node.value),
            x.Sum: lambda: sum(parts),
            x.Product: lambda: prod(parts),
            x.Power: lambda: parts[0] ** parts[1],
            x.Reciprocal: lambda: 1 / parts[0],
        }[type(node)](),
    )


def test_models_keep_their_meaning() -> None:
    model = read_text(ROW.format(row="0.3*x' + sin(2.5*x)*y' + z'"))
    changed = with_fractions(model)
    assert not any(isinstance(n, Number) and isinstance(n.value, float) for n in walk(changed.constraints["c"].left))
    assert changed.coordinates["x"].initial != model.coordinates["x"].initial  # 3/10 now
