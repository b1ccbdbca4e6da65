"""How many times this process derived equations and compiled functions: who says that nothing was, can show it."""

from __future__ import annotations

from collections import Counter

WORK: Counter[str] = Counter()  # derived, compiled
