"""The list of known failures, with reasons. A test that is named here must fail; when it passes, remove its line.

Keys are names of findings (`tests/findings`) and of strata (`tests/fuzz`).
"""

from __future__ import annotations

from typing import Any

import pytest

FINDINGS: dict[str, str] = {}

STRATA: dict[str, str] = {}


def finding(name: str) -> Any:
    """The mark of a test of a finding."""
    return _mark(FINDINGS.get(name))


def stratum(name: str) -> Any:
    """The mark of a stratum of random models."""
    return _mark(STRATA.get(name))


def _mark(reason: str | None) -> Any:
    return pytest.mark.xfail(reason is not None, strict=True, reason=reason or "")
