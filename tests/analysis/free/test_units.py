"""Units in which constants are 1: the same sets, found with fewer letters."""

from __future__ import annotations

import pytest
import sympy as sp

import dalembert as da
from dalembert.analysis.algebra.ideals import decomposed
from dalembert.analysis.algebra.rings import InRings, Ring, smaller
from dalembert.analysis.algebra.units import in_units
from dalembert.analysis.algebra.work import Work
from dalembert.analysis.exact.series import Digits
from dalembert.analysis.free.chain import state, unforced
from dalembert.analysis.free.symbols import stated
from dalembert.constraint_models.samples import initial, samples
from dalembert.formalisms import derive
from dalembert.programs.functions import FEW_TIMES
from dalembert.programs.system import CompiledSystem


def problem_of(model: da.Model) -> InRings:
    record = model.record
    eq = derive(record, "chetaev")
    system = CompiledSystem(derive(record, "chetaev", numeric=True), level=FEW_TIMES)
    n = system.n
    with Digits():
        places = [state(eq, x[0], x[1 : 1 + n], x[1 + n : 1 + 2 * n]) for x in samples(system, initial(record))]
        found, _ = stated(eq, unforced(eq, places[-1]), {symbol: float(number) for symbol, number in places[0].items()})
    assert found is not None
    return found


def test_mass_length_and_time_of_a_disk():
    """m, R and g are 1 in some units, and nothing is left."""
    scaled = in_units(problem_of(da.gallery("rolling-disk")))
    assert scaled is not None and {str(s) for s in scaled.units} == {"m", "R", "g"}
    assert scaled.problem.constants == ()
    R, g, roll, yaw, s = sp.symbols("R g roll' yaw' letter2")
    assert scaled.restored([roll * yaw + 4 * s]) == (R * roll * yaw + 4 * g * s,)
    assert scaled.restored([roll - s]) is None  # √(g/R) is no polynomial


def test_what_is_left_is_a_pure_number():
    """Two moments of inertia and a mass times a square: their quotients do not depend on units."""
    model = da.gallery("tippe-top")
    scaled = in_units(problem_of(model))
    assert scaled is not None
    values = {name: parameter.value for name, parameter in model.record.parameters.items()}
    assert {"A", "C"} <= set(values)
    left = {str(letter): number for letter, number in scaled.problem.constants if number}
    assert len(left) + len(scaled.units) == len([1 for _, number in problem_of(model).constants if number])
    assert left and all(number > 0 for number in left.values())


@pytest.mark.parametrize("name", ["ball-on-turntable", "vertical-rolling-disk", "knife-edge", "differential-drive"])
def test_the_sets_are_those_of_the_numbers(name: str):
    """Each generator, with the parameters' values, is in the ideal that was found with numbers, and the other way."""
    problem = problem_of(da.gallery(name))
    *_, found = decomposed(problem)
    work = Work(10**9)
    ring = Ring(smaller(problem, False, work), False, work)
    with_numbers = {letter: sp.Rational(str(number)) for letter, number in problem.constants}
    *_, plain = decomposed(_without_letters(problem))
    assert len(found.components) == len(plain.components) and found.symbolic

    def basis(generators):
        polynomials = [ring.ring.from_expr(sp.sympify(e).subs(with_numbers)) for e in generators]
        return ring.basis([*ring.relations, *polynomials])

    ours, theirs = (sorted(map(str, map(basis, one.components))) for one in (found, plain))
    assert ours == theirs


def _without_letters(problem: InRings) -> InRings:
    """The same with constants as numbers."""
    put = {letter: sp.Rational(str(number)) for letter, number in problem.constants}

    def row(entries):
        return tuple(sp.sympify(e).subs(put) for e in entries)

    return InRings(
        letters=problem.letters, constants=(), speeds=problem.speeds, accelerations=problem.accelerations,
        rates=tuple((s, sp.sympify(e).subs(put)) for s, e in problem.rates), matrix=tuple(map(row, problem.matrix)),
        right=row(problem.right), spare=tuple(map(row, problem.spare)), spare_right=row(problem.spare_right),
        relations=row(problem.relations), conditions=row(problem.conditions), positive=row(problem.positive),
        pairs=problem.pairs,
    )  # fmt: skip
