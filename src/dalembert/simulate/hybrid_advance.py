"""The compiled entry to motions with contacts and frictions; apart from what calls it, so that its cache lives long."""

from __future__ import annotations

from dalembert.simulate import hybrid
from dalembert.simulate.parts import entry, stamp


def _entry(mark):  # type: ignore[no-untyped-def]
    @entry
    def advance(base, mem, real, whole, samples, sampled, modes, events, recorded, most):
        if mark < 0:
            return hybrid.CONTINUE
        return hybrid.hybrid_loop(base, mem, real, whole, samples, sampled, modes, events, recorded, most)

    return advance


advance = _entry(stamp(hybrid))
