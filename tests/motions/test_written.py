"""Written-out slopes: the cheapest form that is valid at every start, counted."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.counters import WORK
from dalembert.motions.written import unbound, written
from dalembert.prepared import prepare
from dalembert.programs.expressions import _Graph
from dalembert.programs.program import Program
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


@pytest.mark.parametrize(
    ("name", "most_nodes", "most_programs"), [("rolling-disk", 1008, 13), ("andrews-squeezer", 1703, 8)]
)
def test_a_first_motion_makes_few_programs_of_few_expressions(name, most_nodes, most_programs, monkeypatch):
    """Counted before the search ended early: 1521 nodes, 19 programs and 2 modules, and 2894, 24 and 3."""
    nodes, programs, before = [], [], WORK["compiled"]
    added, pruned = _Graph._added, Program.pruned
    monkeypatch.setattr(_Graph, "_added", lambda self, *node: nodes.append(node) or added(self, *node))
    monkeypatch.setattr(Program, "pruned", lambda self: programs.append(self) or pruned(self))
    da.gallery(name).simulate(at=[0.01])
    assert len(nodes) <= most_nodes and len(programs) <= most_programs and WORK["compiled"] <= before + 1
