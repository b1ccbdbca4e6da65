"""The line and column of each fault in the text of a model.

The reader reports a fault by table, key and the column inside the expression, because it does not know lines. This
module scans the text again, for places only. The text is already known to be TOML, so the scan can be short.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dalembert.errors import Fault
from dalembert.expressions.names import NAME

Path = tuple[str, ...]
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r'[ \t]*(?:([A-Za-z0-9_-]+)|"((?:[^"\\\n]|\\.)*)"|\'([^\'\n]*)\')[ \t]*')
_TEXT = re.compile(
    r'"""(?P<a>(?:[^"\\]|\\.|"(?!""))*+"{0,2})"""|'
    r"'''(?P<b>(?:[^']|'(?!''))*+'{0,2})'''|"
    r'"(?P<c>(?:[^"\\\n]|\\.)*+)"|'
    r"'(?P<d>[^'\n]*+)'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}\n#]*")
_STATED = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)|in line (\d+)")
_NAME = NAME
ELSEWHERE = {"speeds": ("coordinates", "speed")}  # another place where a file may state an entry of this table


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A key or header in a text, from its first character to its last."""

    start: int
    end: int


@dataclass(slots=True)
class TextPlaces:
    """Every key of a text, and every string among its values."""

    keys: dict[Path, TextPlace] = field(default_factory=dict)
    texts: list[tuple[Path, int, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Located:
    """A fault with its line and columns (from 1, the end excluded), for the editor."""

    line: int
    start: int
    end: int
    message: str

    def to_dict(self) -> dict[str, int | str]:
        return {"line": self.line, "start": self.start, "end": self.end, "message": self.message}


def located(text: str, faults: tuple[Fault, ...]) -> list[Located]:
    """Each fault at its place in the text, in the order of lines. A fault without a place gets the first line."""
    places = _walked(text)
    return sorted((_located(text, places, fault) for fault in faults), key=lambda found: (found.line, found.start))


def _located(text: str, places: TextPlaces | None, fault: Fault) -> Located:
    place = " ".join(part for part in (f"[{fault.table}]" if fault.table else "", fault.key) if part)
    said = f"{place}: {fault.message}" if place else fault.message
    stated = None if fault.table or fault.key else _STATED.search(fault.message)
    if stated is not None:  # the message of invalid TOML has its line
        line = int(stated[1] or stated[3]) if stated.lastindex else text.rstrip().count("\n") + 1
        row = text.split("\n")[line - 1] if line <= text.count("\n") + 1 else ""
        start = min(int(stated[2] or 1), max(len(row), 1))
        return Located(line, start, max(len(row) + 1, start + 1), said)
    start, end = (0, 0) if places is None else _found(places, fault)
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    last = text.find("\n", start)
    end = min(end, len(text) if last < 0 else last)
    return Located(line, column, column + max(end - start, 1), said)


def _found(places: TextPlaces, fault: Fault) -> tuple[int, int]:
    path: Path = tuple(part for part in (*fault.table.split("."), *fault.key.split(".")) if part)
    ways = [path]
    if path and path[0] in ELSEWHERE:
        table, key = ELSEWHERE[path[0]]
        ways.append((table, *path[1:], key))
    for way in ways:
        if fault.column is not None and (inside := _inside(places, way, fault)) is not None:
            return inside
        if way in places.keys:
            return places.keys[way].start, places.keys[way].end
    for size in range(len(path) - 1, 0, -1):
        if path[:size] in places.keys:
            return places.keys[path[:size]].start, places.keys[path[:size]].end
    return 0, 0


def _inside(places: TextPlaces, path: Path, fault: Fault) -> tuple[int, int] | None:
    """The place of the column in the expression. If a key has several, the one whose word there is in the message."""
    assert fault.column is not None
    best: tuple[int, tuple[int, int]] | None = None
    for owner, start, text in places.texts:
        at = fault.column - 1
        if owner[: len(path)] != path or at > len(text):
            continue
        word = _NAME.match(text, at)
        told = 0 if word is None else 2 * (f"'{word[0]}'" in fault.message) + (word[0] in _NAME.findall(fault.message))
        if best is None or told > best[0]:
            best = told, (start + at, start + at + (len(word[0]) if word else 1))
    return None if best is None else best[1]


def _walked(text: str) -> TextPlaces | None:
    places = TextPlaces()
    walk = _Walk(text, places)
    try:
        walk.file()
    except (_Unread, RecursionError):
        return None
    return places


class _Unread(Exception):
    """The text is not TOML. The message of its fault has the line."""


class _Walk:
    def __init__(self, text: str, places: TextPlaces) -> None:
        self.text, self.places, self.at = text, places, 0

    def file(self) -> None:
        if self.text.startswith("\ufeff"):
            self.at = 1
        table: Path = ()
        counts: dict[Path, int] = {}
        while self.blank() < len(self.text):
            start = self.at
            if self.text[self.at] == "[":
                several = self.text.startswith("[[", self.at)
                self.at += 2 if several else 1
                table = self.key()
                if several:
                    counts[table] = counts.get(table, 0) + 1
                    table = (*table[:-1], f"{table[-1]}[{counts[table]}]")
                self.at += 2 if several else 1
                self.places.keys.setdefault(table, TextPlace(start, self.at))
            else:
                self.pair(table)

    def blank(self) -> int:
        found = _BLANK.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.at

    def key(self) -> Path:
        parts = []
        while found := _KEY.match(self.text, self.at):
            parts.append(next(part for part in found.groups() if part is not None))
            self.at = found.end()
            if not self.text.startswith(".", self.at):
                return tuple(parts)
            self.at += 1
        raise _Unread

    def pair(self, table: Path) -> None:
        start = self.at
        path = (*table, *self.key())
        self.expect("=")
        self.value(path)
        self.places.keys.setdefault(path, TextPlace(start, self.at))

    def expect(self, character: str) -> None:
        if not self.text.startswith(character, self.at):
            raise _Unread
        self.at += 1

    def value(self, path: Path) -> None:
        self.blank()
        if found := _TEXT.match(self.text, self.at):
            kind = found.lastgroup or ""
            self.places.texts.append((path, found.start(kind), found[kind]))
            self.at = found.end()
        elif self.text.startswith("[", self.at):
            for i in self.items("]"):
                inner = (*path[:-1], f"{path[-1]}[{i}]") if self.text.startswith("{", self.at) else path
                self.value(inner)
        elif self.text.startswith("{", self.at):
            for _ in self.items("}"):
                self.pair(path)
        else:
            plain = _PLAIN.match(self.text, self.at)
            assert plain is not None
            self.at = plain.end() - (len(plain[0]) - len(plain[0].rstrip()))

    def items(self, close: str) -> Iterator[int]:
        """Stop at every item between brackets. The caller reads the item."""
        self.at += 1
        count = 0
        while True:
            self.blank()
            if self.text.startswith(close, self.at):
                self.at += 1
                return
            if self.at >= len(self.text):
                raise _Unread
            count += 1
            before = self.at
            yield count
            self.blank()
            if self.text.startswith(",", self.at):
                self.at += 1
            elif self.at == before:
                raise _Unread
