"""The same expressions are turned into a program once, whoever asks."""

import symengine as se

from dalembert.programs.expressions import program

x, y = se.symbols("x y")


def test_the_same_expressions_give_the_same_program():
    first = program((x, y), [x * y + 1, se.sin(x)])
    assert program([x, y], (1 + y * x, se.sin(x))) is first
    assert program((y, x), [x * y + 1, se.sin(x)]) is not first


def test_names_and_sources_are_kept_apart():
    plain = program((x, y), [x * y])
    named = program((x, y), [x * y], names=("area",))
    assert (plain.names, named.names) == ((), ("area",))
    assert program((x, y), [x * y], sources=True).sources and not plain.sources


def test_a_truth_is_no_number():
    assert program((x,), [True]).operations != program((x,), [1]).operations
