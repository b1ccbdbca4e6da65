"""Programs as values, and cheaper forms of expressions."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se

from dalembert.programs.evaluate import rounding
from dalembert.programs.expressions import program
from dalembert.programs.functions import compiled, function
from dalembert.programs.maker import Maker
from dalembert.programs.pairs import shared_pairs
from dalembert.programs.simplify import as_exact, cost, simplified, specialized, without_idle

x, y, z = se.symbols("x y z")


def test_equal_operations_are_one_and_numbers_are_folded():
    m = Maker(["a", "b"])
    a, b = m.input(0), m.input(1)
    assert m.add(a, b) == m.add(b, a) and m.mul(a, b) == m.mul(b, a)
    assert m.mul(a, m.number(0.0)) == m.number(0.0) and m.add(a, m.number(0.0)) == a
    assert m.add(a, m.neg(b)) == m.sub(a, b) and m.neg(m.sub(a, b)) == m.sub(b, a)
    assert m.mul(m.neg(a), m.neg(b)) == m.mul(a, b) and m.neg(m.neg(a)) == a
    assert m.mul(m.number(2.0), m.number(3.0)) == m.number(6.0)
    assert m.select(m.compare("lt", m.number(1.0), m.number(2.0)), a, b) == a
    assert m.power(m.number(4.0), m.number(0.5)) == m.number(2.0)


def test_what_no_output_needs_is_left_out():
    m = Maker(["a", "b"])
    a, b = m.input(0), m.input(1)
    m.function("sin", b)
    code = m.program([m.mul(a, a)])
    assert code.cost == {"mul": 1} and code.reads() == {0} and len(code.inputs) == 2
    np.testing.assert_array_equal(function(code)(np.array([3.0, 5.0])), [9.0])


def test_costs_are_counted_by_kind():
    code = program([x, y], [se.sin(x) * se.cos(x) + se.sin(y), 1 / (x * y), x / y, se.sqrt(x) - 3])
    assert code.cost == {"sincos": 1, "sin": 1, "mul": 2, "add": 2, "div": 2, "sqrt": 1}
    assert code.price == 40 + 30 + 2 + 2 + 20 + 15


def test_a_reciprocal_that_several_have_is_taken_once():
    code = program([x, y, z], [x / (1 + z), y / (1 + z), x * y / (1 + z)])
    assert code.cost["div"] == 1
    assert program([x, y, z], [x / (1 + z)]).cost == {"div": 1, "add": 1}


def test_common_pairs_are_made_once():
    code = program([x, y, z], [x * y * z, 2 * x * y, x + y + z, x + y - 3])
    assert code.cost["mul"] == 3 and code.cost["add"] == 3
    sets, pairs = shared_pairs({0: [1, 2, 3], 1: [1, 2, 4], 2: [5, 6]}, 10)
    assert pairs == {10: (1, 2)} and sets == {0: [3, 10], 1: [4, 10], 2: [5, 6]}


def test_a_program_is_known_by_what_it_calculates():
    one, other = program([x, y], [x * y + 1]), program([y, z], [y * z + 1])
    assert one.digest == other.digest != program([x, y], [x * y + 1.0000000000000002]).digest
    assert one.digest != program([x, y, z], [x * y + 1]).digest


def test_an_input_that_changes_nothing_is_left_out():
    wheel = (se.sin(z) * x + se.cos(z) * y) ** 2 + (se.cos(z) * x - se.sin(z) * y) ** 2
    (found,) = without_idle([x, y, z], [wheel])
    assert z not in found.free_symbols
    (kept,) = without_idle([x, y, z], [wheel + z / 1000])
    assert z in kept.free_symbols
    beyond = y * (se.cos(x) - se.sqrt(se.cos(x) ** 2))  # y changes nothing before a quarter of a turn
    assert without_idle([x, y], [beyond]) == [beyond]


def test_simplified_expressions_cost_less_and_are_the_same():
    given = [(se.sin(x) * (y * se.cos(x) + z) - se.cos(x) * (y * se.sin(x) - z)) * 2, se.sin(x) ** 2 + se.cos(x) ** 2]
    found = simplified([x, y, z], given)
    assert cost([x, y, z], found) < cost([x, y, z], given)
    states = np.random.default_rng(1).uniform(-2, 2, (20, 3))
    np.testing.assert_allclose(compiled([x, y, z], found)(states), compiled([x, y, z], given)(states), atol=1e-14)


def test_a_cheaper_form_that_rounds_more_is_not_taken():
    square = (x - y) ** 2 * se.sin(z)
    near = np.array([1.0, 1.001, 0.3])
    value = (1.0 - 1.001) ** 2 * np.sin(0.3)
    error, expanded = (rounding(program([x, y, z], [e]), near[None])[0, 0] for e in (square, se.expand(square)))
    assert 1.0 <= error / value < 10.0 and expanded > 1e5 * error
    assert as_exact([x, y, z], near, se.sin(z) * (y - x) ** 2, square)
    assert not as_exact([x, y, z], near, se.expand(square), square)


@pytest.mark.parametrize("angle", [0.4, 2.4])
def test_a_root_of_a_square_takes_the_sign_that_it_has(angle):
    rolls = x * (se.cos(y) - se.sqrt(1 - se.sin(y) ** 2)) + z * se.sin(y) ** 2 / se.sqrt(1 - se.sin(y) ** 2)
    state = np.array([0.7, angle, 1.3])
    found, signs = specialized([x, y, z], [rolls], state)
    assert signs == [(se.cos(y), 1 if angle < np.pi / 2 else -1)]
    assert cost([x, y, z], found) < cost([x, y, z], simplified([x, y, z], [rolls]))
    np.testing.assert_allclose(compiled([x, y, z], found)(state), compiled([x, y, z], [rolls])(state), rtol=1e-14)
