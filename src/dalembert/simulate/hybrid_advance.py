"""The compiled entry to motions with contacts and frictions; apart from what calls it, so that its cache lives long."""

from __future__ import annotations

from dalembert.simulate import advance as smooth
from dalembert.simulate import (
    complementarity,
    contacts,
    core,
    dop853,
    guards,
    happenings,
    hybrid,
    linear,
    modes,
    parts,
    roots,
    sliding,
    tableau,
    turning,
)  # fmt: skip
from dalembert.simulate.parts import entry, stamp


def _entry(mark):  # type: ignore[no-untyped-def]
    @entry
    def advance(base, mem, real, whole, samples, sampled, modes, events, recorded, most):
        if mark < 0:
            return hybrid.CONTINUE
        return hybrid.hybrid_loop(base, mem, real, whole, samples, sampled, modes, events, recorded, most)

    return advance


advance = _entry(
    stamp(
        smooth, core, dop853, linear, parts, roots, tableau, complementarity, contacts, sliding, modes, guards,
        happenings, turning, hybrid,
    )
)  # fmt: skip
