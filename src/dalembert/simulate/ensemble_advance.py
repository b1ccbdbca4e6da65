"""The compiled entries to many motions; apart from what calls them, so that their caches live long."""

from __future__ import annotations

from dalembert.compile import wide
from dalembert.simulate import ensemble, lanes_loop
from dalembert.simulate.parts import entry, stamp


def _smooth(mark):  # type: ignore[no-untyped-def]
    @entry
    def smooth_motions(
        surface, plan, books, method, calls, mem, real, whole, template, samples, sampled, events, recorded, motions
    ):  # fmt: skip
        """Motions without contacts, as they are claimed; threads call this at once, each with memory of its own."""
        if mark < 0:
            return
        ensemble.smooth_loop(
            surface, plan, books, method, calls, mem, real, whole, template, samples, sampled, events, recorded, motions
        )

    return smooth_motions


def _hybrid(mark):  # type: ignore[no-untyped-def]
    @entry
    def hybrid_motions(
        plan, books, base, mem, real, whole, template, samples, sampled, marks, events, recorded, motions
    ):  # fmt: skip
        """Motions with contacts and frictions, likewise."""
        if mark < 0:
            return
        ensemble.hybrid_loop(
            plan, books, base, mem, real, whole, template, samples, sampled, marks, events, recorded, motions
        )

    return hybrid_motions


def _lanes(mark):  # type: ignore[no-untyped-def]
    @entry
    def motions_in_lanes(watching, code, board, plan, shelves, calls, mem, real, whole, samples, events, motions):
        """Motions without contacts in lanes of vectors; those that meet anything unusual are left waiting."""
        if mark < 0:
            return
        lanes_loop.lanes_loop(watching, code, board, plan, shelves, calls, mem, real, whole, samples, events, motions)

    return motions_in_lanes


motions_in_lanes = _lanes(stamp(lanes_loop, wide))
smooth_motions = _smooth(stamp(ensemble))
hybrid_motions = _hybrid(stamp(ensemble))
