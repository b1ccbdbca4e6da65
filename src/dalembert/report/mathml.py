"""LaTeX as MathML, which browsers show without a library."""

from __future__ import annotations

import re
from functools import lru_cache

_FUNCTION = re.compile(  # MathML would leave no space in sin x
    r"(\\(?:(?:sin|cos|tan)h?|exp|log|arcsin|arccos|arctan|mathrm\{(?:sign|atan2)\})(?:\^\{\d+\})?) (?=[\w\\])"
)
_LETTER = '<mi mathvariant="normal">[^<]+</mi>'
_JOINT = r"<mi>&#x0005F;</mi>|<mo>&#x0005F;</mo>|<mo>&#x0002E;</mo>|<mn>[\d.]+</mn>"  # inside of no_slip, ball.e0
_WORD = re.compile(f"{_LETTER}(?:{_LETTER}|{_JOINT})+")

_TEXT = re.compile(r"<mtext>[^<]*</mtext>")  # the converter leaves \_ inside \text as it is


@lru_cache(maxsize=4096)
def mathematics(latex: str, block: bool = False) -> str:
    """A formula in MathML. An upright word is one identifier, not single letters."""
    from latex2mathml.converter import convert

    latex = _FUNCTION.sub(r"\1\\,", latex.replace(r"\operatorname", r"\mathrm"))
    found = convert(latex, display="block" if block else "inline")
    found = found.replace('display="inline"', 'display="inline" displaystyle="true"', 1)
    found = found.replace("<mi>&</mi>", "<mi>&amp;</mi>")
    found = _TEXT.sub(lambda match: match[0].replace("\\_", "_"), found)
    return _WORD.sub(_joined, found)


def _joined(match: re.Match[str]) -> str:
    letters = re.sub(r"<[^>]+>", "", match[0]).replace("&#x0005F;", "_").replace("&#x0002E;", ".")
    return f"<mi>{letters}</mi>"
