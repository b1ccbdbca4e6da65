"""The compiled entry to motions with contacts and frictions; apart from what calls it, so that its cache lives long."""

from __future__ import annotations

import numba

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
    roots,
    sliding,
    tableau,
    turning,
)  # fmt: skip
from dalembert.simulate.advance import _stamp


def _entry(stamp):  # type: ignore[no-untyped-def]
    @numba.njit(error_model="numpy", nogil=True, cache=True, _nrt=False)
    def advance(base, mem, real, whole, samples, sampled, modes, events, recorded, most):
        if stamp < 0:
            return hybrid.CONTINUE
        return hybrid.hybrid_loop(base, mem, real, whole, samples, sampled, modes, events, recorded, most)

    return advance


advance = _entry(
    _stamp(
        *(core, dop853, linear, roots, tableau, complementarity, contacts, sliding),
        *(modes, guards, turning, happenings, hybrid),
    )
)
