"""Expressions built in Python share their parts: each part is checked once, its faults are reported at every use."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.formalisms import derive
from dalembert.mechanics.lowering import Lowering
from dalembert.model import order
from dalembert.model.kinds import Scope


def chain(links: int) -> da.Model:
    model = da.Model("chain")
    x, y = 0, 0
    for i in range(links):
        q = model.coordinate(f"q{i}")
        x, y = x + da.sin(q), y - da.cos(q)
        model.body(f"mass{i}", mass=1, position=[x, y, 0])
    return model


def test_parts_that_bodies_share_are_looked_at_once(monkeypatch) -> None:
    """The place of the last body contains those of all others."""
    seen: list[object] = []
    look = Scope._node
    monkeypatch.setattr(Scope, "_node", lambda self, node, *rest: (seen.append(node), look(self, node, *rest))[1])

    def looked_at(links: int) -> int:
        seen.clear()
        assert chain(links).record
        return len(seen)

    assert looked_at(32) <= 2 * looked_at(16)


def test_references_of_bodies_that_name_no_other_are_looked_for_once(monkeypatch) -> None:
    asked: list[object] = []
    look = order.references
    monkeypatch.setattr(order, "references", lambda roots: (asked.append(roots), look(roots))[1])
    assert order.evaluation_order(chain(8).record) == (
        [*((f"mass{i}", "value") for i in range(8)), *((f"mass{i}", "axes") for i in range(8))],
        [],
    )
    assert len(asked) == 1


def test_places_beyond_a_limit_are_told_where_they_stand() -> None:
    model = da.Model("far")
    q = model.coordinate("q")
    far = q ** float("inf")
    model.point("p", [far, 0, 0])
    model.body("a", mass=1, position=[far, 0, 0])
    with pytest.raises(ModelError, match="inf is not a finite number") as caught:
        assert model.record
    assert [(fault.table, fault.key) for fault in caught.value.faults] == [("points", "p"), ("bodies.a", "position")]


def test_a_fault_that_bodies_share_is_told_of_each() -> None:
    model = da.Model("two")
    q = model.coordinate("q")
    wrong = da.sin(da.vector(q, 0, 0))
    for name in "ab":
        model.body(name, mass=1, position=[wrong, 0, 0])
    with pytest.raises(ModelError) as caught:
        assert model.record
    assert [fault.table for fault in caught.value.faults] == ["bodies.a", "bodies.b"]


def test_lowering_takes_shared_parts_once(monkeypatch) -> None:
    seen: list[object] = []
    lower = Lowering._combined
    monkeypatch.setattr(
        Lowering, "_combined", lambda self, node, parts: (seen.append(node), lower(self, node, parts))[1]
    )

    def lowered(links: int) -> int:
        record = chain(links).record
        seen.clear()
        assert derive(record)
        return len(seen)

    assert lowered(32) <= 2 * lowered(16)


def test_a_model_is_checked_again_only_after_a_change() -> None:
    model = chain(2)
    first = model.record
    assert model.record is first
    model.event("level", when="q0")
    assert model.record is not first and "level" in model.record.events
    model.body("wrong", mass="unknown", position=[0, 0, 0])
    for _ in range(2):
        with pytest.raises(ModelError):
            assert model.record
