"""Parts of long derivations: each has a meaning, stands before its use, and leaves the equations what they are."""

import math
import re
from functools import cache

import pytest
import symengine as se

import dalembert as da
from dalembert.formalisms import applicable
from dalembert.report.lines import fits, values
from dalembert.report.parts import structured
from dalembert.report.splitting import rates

MEANING = re.compile(
    r"(r|v|a|U|n|omega|Omega|alpha|kappa|W|H|N|tau|eta|s|c|rho|D|d|Q|h|A|b|f|E|S|M|Gamma|g)\[.+\]'?|T|V"
)  # as `report.meanings` explains them
SAMPLE = [("four-bar", "kane"), ("four-bar", "boltzmann-hamel"), ("ackermann-car", "udwadia-kalaba")]


@cache
def derived(name, method):
    equations = da.gallery(name).derive(method).equations
    return equations, structured(equations)


def parts_of(step):
    return {left: value for left, value in step.results if not isinstance(left, str) and left.is_Symbol}


def check_names(name, method):
    equations, steps = derived(name, method)
    known = {*equations.outputs, *(f"{name}''" for name in equations.coordinates)}
    known |= {f"{name}'" for name in equations.outputs}
    for plain, step in zip(equations.steps, steps, strict=True):
        if fits(values(plain)):
            continue  # as it was
        for part in map(str, parts_of(step)):
            assert MEANING.fullmatch(part) or part.partition("[")[0] in known, f"{method}: {part}"


@pytest.mark.parametrize(("name", "method"), SAMPLE)
def test_every_part_has_a_meaning(name, method):
    check_names(name, method)


@pytest.mark.slow
@pytest.mark.parametrize("name", da.gallery())
def test_every_part_of_the_gallery_has_a_meaning(name):
    for method in applicable(da.gallery(name).record):
        check_names(name, method)


@pytest.mark.parametrize(("name", "method"), SAMPLE)
def test_parts_put_in_give_the_expressions_again(name, method):
    assert check_values(name, method) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", da.gallery())
def test_parts_of_the_gallery_put_in_give_the_expressions_again(name):
    for method in applicable(da.gallery(name).record):
        check_values(name, method)


def check_values(name, method):
    """Numbers for every symbol: the lines with their parts have the values of the lines without. Returns how many."""
    equations, changed = derived(name, method)
    steps = equations.steps
    held = {s for step in steps for e in values(step) for s in se.sympify(e).free_symbols}
    start = {s: 0.3 + 0.617 * (i * 0.3137 % 1.0) for i, s in enumerate(sorted(held, key=str))}
    known, count = dict(start), 0
    for before, after in zip(steps, changed, strict=True):
        if before.results == after.results:
            continue
        lines = []
        for left, value in after.results:
            if not isinstance(left, str) and left.is_Symbol and left not in start:
                known[left] = float(se.sympify(value).subs(known))  # fails if a part of it comes later
            else:
                lines.append((left, value))
        for (left, value), (left2, value2) in zip(before.results, lines, strict=True):
            assert isinstance(left, str) == isinstance(left2, str) or left == "0"
            for a, b in zip(scalars(left, value), scalars(left2, value2), strict=True):
                one, two = float(a.subs(start)), float(b.subs(known))
                assert math.isclose(one, two, rel_tol=1e-8, abs_tol=1e-8), (after.title, left)
                count += 1
    return count


def scalars(left, value):
    """The expressions of a line. An equation is one expression, its left side minus its right side."""
    if isinstance(value, tuple):
        return [e for part in value for e in scalars("", part)]
    if left == "0" or isinstance(left, str):
        return [se.sympify(value)]
    return [se.sympify(left) - se.sympify(value)]


def test_a_rate_is_counted_once():
    """x″ may be an acceleration and the rate of a quasi-velocity. Its coefficient is not doubled."""
    equations = derived("double-pendulum-cartesian", "qiao-quasi")[0]
    assert se.Symbol("x2''") in rates(equations)
    assert len(set(rates(equations))) == len(rates(equations))
