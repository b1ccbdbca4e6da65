"""Counts how often this process derived equations and compiled functions, so that a claim of no work can be checked."""

from __future__ import annotations

from collections import Counter

WORK: Counter[str] = Counter()  # derived, compiled
