"""What fails today, and why: the one list. A test that is named here must fail; when it passes, its line goes.

Keys are names of findings (`tests/findings`) and of strata (`tests/fuzz`).
"""

from __future__ import annotations

from typing import Any

import pytest

SPLIT = "forces are split by least squares, which knows no cones"
KINK = "kinks are no events"
SCALE = "absolute numbers that fit metres only"

FINDINGS = {
    "astronomic-rod": SCALE,
    "auto-stepper": "an undamped stiff oscillation is sent to radau",
    "axle": SPLIT,
    "coulomb-by-sign": KINK,
    "disk-in-corner": SPLIT,
    "euler": "small planar slips are limited by stability",
    "event-after-pole": "the sign before a pole is remembered",
    "four-legs": SPLIT,
    "gauss-singularity": "gauss runs through singularities",
    "integrability-decimals": "decimals are rounded before ranks are decided",
    "kink-max-abs": KINK,
    "kink-vee": KINK,
    "kinked-potential": KINK,
    "kinked-potential-solve": KINK,
    "ladder": SPLIT,
    "lift": SPLIT,
    "lift-lower-friction": SPLIT,
    "micro-start": SCALE,
    "radau-domain": "radau does not guard against values outside a domain",
    "red-sensitivity": "independent rows are not chosen again along the way",
    "long-2-sensitivity": "independent rows are not chosen again along the way",
    "skid": SPLIT,
    "small-lengths": SCALE,
    "three-legs": SPLIT,
    "three-legs-stand": SPLIT,
    "three-legs-dropped": SPLIT,
    "two-feet-slide": SPLIT,
    "two-feet-split": SPLIT,
    "valley-kink": KINK,
}

STRATA = {
    "feet": SPLIT,
    "legs": SPLIT,
    "wheels": SPLIT,
    "corner": SPLIT,
    "dry": KINK,
    "kinked-rest": KINK,
    "kinked-row": KINK,
}


def finding(name: str) -> Any:
    """The mark of a test of a finding."""
    return _mark(FINDINGS.get(name))


def stratum(name: str) -> Any:
    """The mark of a stratum of random models."""
    return _mark(STRATA.get(name))


def _mark(reason: str | None) -> Any:
    return pytest.mark.xfail(reason is not None, strict=True, reason=reason or "")
