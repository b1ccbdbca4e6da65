"""Written-out slopes: the cheapest form that is valid at every start, counted."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.motions.written import unbound, written
from dalembert.prepared import prepare
from dalembert.programs.solve import slopes


@pytest.mark.parametrize(
    ("name", "price"), [("rolling-disk", 114), ("chaplygin-sleigh", 54), ("long-1", 49), ("whipple-bicycle", 1150)]
)
def test_dependent_speeds_are_eliminated_for_good(name, price):
    system = prepare(da.gallery(name).record).system
    assert written(system).slopes.price <= price < slopes(system.equations).price / 2


def test_pivots_that_hold_at_some_states_alone_are_not_taken():
    system = prepare(da.gallery("andrews-squeezer").record).system
    assert written(system).slopes.digest == slopes(system.equations).digest


def test_the_form_does_not_depend_on_the_start():
    one, other = (da.gallery("rolling-disk").changed({"lean": lean, "yaw'": 3.0 * lean}) for lean in (0.1, 0.7))
    assert len({written(prepare(m.record).system).slopes.digest for m in (one, other)}) == 1


def test_nothing_is_solved_for_while_nothing_touches():
    hybrid = prepare(da.gallery("ellipse-billiard").record).hybrid
    assert sum(unbound(hybrid.system, hybrid.equations).slopes.cost.values()) == 0
