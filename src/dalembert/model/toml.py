"""Reads TOML safely: a text that would exhaust the memory or the stack of the reader is refused first."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from dalembert.errors import ModelError

LARGEST = 5_000_000  # bytes
LONGEST_KEY = 32  # parts between dots
MOST_TABLES = 10_000
_HEAD = re.compile(r"^[ \t]*\[", re.MULTILINE)
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?'  # strings, closed or not, so that each character is read once
    r"|'''(?:[^']|'(?!''))*+(?:''')?"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+"
    r"|(?P<dot>\.)"
    r"|(?P<bare>[A-Za-z0-9_+-]++)"
    r"|(?P<blank>[ \t]++)"
    r"|(?P<other>[^\"'#.A-Za-z0-9_+ \t-]++)",
    re.DOTALL,
)


def loads(text: str) -> dict[str, Any]:
    """The data of a TOML text. A ModelError if the text is not valid."""
    if len(text) > LARGEST:
        raise ModelError("the model is larger than {largest} MB, the most that is read", largest=LARGEST // 1000000)
    if sum(1 for _ in _HEAD.finditer(text)) > MOST_TABLES:  # each could add a fault
        raise ModelError(
            "the model has more than {most_tables} tables, the most that are read", most_tables=MOST_TABLES
        )
    _judge_keys(text)
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ModelError("the file nests lists or tables too deeply to be read") from None
    except tomllib.TOMLDecodeError as error:
        raise ModelError("the file is not valid TOML: {error}", error=error) from None
    except ValueError:  # an integer beyond Python's limit of digits, or an impossible date
        raise ModelError("the file contains a number or date that is out of range") from None


def _judge_keys(text: str) -> None:
    """Refuse dotted keys of many parts. The library's reader needs memory with the square of their number."""
    dots = 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "dot":
            dots += 1
            if dots > LONGEST_KEY:
                line = text.count("\n", 0, token.start()) + 1
                raise ModelError(
                    "the key in line {line} has more than {longest_key} parts, and a model needs at most three",
                    line=line,
                    longest_key=LONGEST_KEY,
                )
        elif token.lastgroup == "other":
            dots = 0
