"""Letters of names: Latin with accents, Greek, Chinese and Japanese. Digits are those of ASCII."""

from __future__ import annotations

import re
from unicodedata import normalize

LETTERS = "A-Za-z_À-ÖØ-öø-ɏΆΈ-Ͽぁ-ヿ㐀-鿿"
PATTERN = rf"[{LETTERS}][{LETTERS}0-9]*"
NAME = re.compile(PATTERN)


def is_name(text: str) -> bool:
    """Whether a text can be a name. Letters that look alike have one form each, that of NFKC."""
    return NAME.fullmatch(text) is not None and normalize("NFKC", text) == text
