"""The same expressions are turned into a program once, whoever asks."""

import symengine as se

from dalembert.programs.expressions import _program, program

x, y = se.symbols("x y")


def test_the_same_expressions_give_the_same_program():
    outputs = [x * y + 1, se.sin(x)]
    first = program((x, y), outputs)
    assert program([x, y], tuple(outputs)) is first
    assert program((y, x), outputs) is not first


def test_equal_expressions_do_not_share_a_program():
    """Their terms may stand in another order: an answer would depend on what was asked before."""
    letters = se.symbols("a:h")
    up, down = (sum(s * se.sin(s) for s in order) for order in (letters, letters[::-1]))
    assert up == down and up.args != down.args
    alone = program(letters, [up])
    _program.cache_clear()
    program(letters, [down])
    assert program(letters, [up]) == alone


def test_names_and_sources_are_kept_apart():
    plain = program((x, y), [x * y])
    named = program((x, y), [x * y], names=("area",))
    assert (plain.names, named.names) == ((), ("area",))
    assert program((x, y), [x * y], sources=True).sources and not plain.sources


def test_a_truth_is_no_number():
    assert program((x,), [True]).operations != program((x,), [1]).operations
