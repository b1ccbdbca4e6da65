"""What a name of a kernel can be, seen from C++: numbers, known values, arrays, records and tuples of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from dalembert.cuda.writer import number


class Untranslatable(Exception):
    """A kernel uses what the translator does not know: a fault of this program, not of a model."""


@dataclass(frozen=True, slots=True)
class Number:
    cpp: str  # double, int or bool


REAL, WHOLE, TRUTH = Number("double"), Number("int"), Number("bool")


@dataclass(frozen=True, slots=True)
class Known:
    """A value that the translation knows; `fixed` where it is a size of this model, worth a function of its own."""

    value: Any
    fixed: bool = False


class Numbers:
    """An array whose entries are known."""

    def __init__(self, values: np.ndarray):
        self.values = values
        self.key = (values.shape, values.dtype.kind, values.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numbers) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, slots=True)
class Array:
    """A view of memory: its rows have the sizes `inner`, and there are `length` of them, or as many as it carries."""

    item: Number
    length: int | None
    inner: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Entries, where their number is known."""
        assert self.length is not None
        return self.length * prod(self.inner)


@dataclass(frozen=True, slots=True)
class Record:
    """A named tuple; what is known of it takes no room. One that is `packed` is memory in one piece.

    It is handed on as one address, its arrays at places that a compiler knows: a call with an address for each array
    would fill a thread's registers.
    """

    name: str
    fields: tuple[tuple[str, Kind], ...]
    packed: bool = False

    def __getitem__(self, name: str) -> Kind:
        for key, kind in self.fields:
            if key == name:
                return kind
        raise Untranslatable(f"{self.name} has no {name}")


@dataclass(frozen=True, slots=True)
class Row:
    """A tuple."""

    entries: tuple[Kind, ...]


Kind = Number | Known | Array | Record | Row
NOTHING = Known(None)


def kind_of(value: Any, memory: bool = False) -> Kind:
    """The kind of a Python value whose numbers are sizes, and whose arrays are known too unless they are memory."""
    if isinstance(value, np.ndarray):
        if not memory:
            return Known(Numbers(value), True)
        item = REAL if value.dtype.kind == "f" else WHOLE
        return Array(item, value.shape[0], value.shape[1:])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        entries = ((f, kind_of(v, memory)) for f, v in zip(value._fields, value, strict=True))
        return Record(type(value).__name__, tuple(entries), packed=memory)
    if isinstance(value, tuple):
        return Row(tuple(kind_of(v, memory) for v in value))
    return Known(value.item() if isinstance(value, np.generic) else value, True)


def room(kind: Kind) -> int:
    """Doubles that memory of that kind takes."""
    if isinstance(kind, Record):
        return sum(room(k) for _, k in kind.fields)
    if isinstance(kind, Known):
        return 0
    assert isinstance(kind, Array)
    return max(kind.count if kind.item == REAL else -(-kind.count // 2), 1)


def member(code: str, kind: Record, name: str) -> str:
    """The term for an entry of a record."""
    return f"{code}.{name}{'()' if kind.packed else ''}"


def plain(kind: Kind) -> Kind:
    """What a variable of that kind is: numbers are no longer known."""
    if isinstance(kind, Known):
        if isinstance(kind.value, bool):
            return TRUTH
        if isinstance(kind.value, int):
            return WHOLE
        if isinstance(kind.value, float):
            return REAL
    return kind


def joined(a: Kind, b: Kind) -> Kind:
    """What holds either."""
    if a == b:
        return a
    if isinstance(a, Known) and isinstance(b, Known) and type(a.value) is type(b.value) and a.value == b.value:
        return Known(a.value, a.fixed and b.fixed)
    if isinstance(a, Array) and isinstance(b, Array) and (a.item, a.inner) == (b.item, b.inner):
        return Array(a.item, None, a.inner)
    if isinstance(a, Record) and isinstance(b, Record) and a.name == b.name:
        pairs = zip(a.fields, b.fields, strict=True)
        return Record(a.name, tuple((name, joined(k, other)) for (name, k), (_, other) in pairs))
    if isinstance(a, Row) and isinstance(b, Row) and len(a.entries) == len(b.entries):
        return Row(tuple(joined(k, other) for k, other in zip(a.entries, b.entries, strict=True)))
    a, b = plain(a), plain(b)
    if isinstance(a, Number) and isinstance(b, Number):
        return a if a == b else REAL if REAL in (a, b) else WHOLE
    raise Untranslatable(f"one name is both {a} and {b}")


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else number(value)


@dataclass
class Structures:
    """The C++ types of records and tuples met so far."""

    names: dict[tuple[tuple[str, str], ...], str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def cpp(self, kind: Kind) -> str:
        if isinstance(kind, Number):
            return kind.cpp
        if isinstance(kind, Array):
            inner = "".join(f", {size}" for size in kind.inner)
            held = "Fixed" if kind.length is not None else "View"
            return f"{held}{1 + len(kind.inner)}<{kind.item.cpp}{inner}>"
        if isinstance(kind, Record) and kind.packed:
            return self._packed(kind)
        if isinstance(kind, Record):
            return self._named([(name, k) for name, k in kind.fields], kind.name)
        if isinstance(kind, Row):
            return self._named([(f"at{i}", k) for i, k in enumerate(kind.entries)], "Row")
        return "void" if kind.value is None else self.cpp(plain(kind))

    def _named(self, entries: Sequence[tuple[str, Kind]], stem: str) -> str:
        held = tuple((name, self.cpp(k)) for name, k in entries if not isinstance(k, Known))
        key = ((stem, ""), *held)
        if key not in self.names:
            self.names[key] = f"{stem}_{len(self.names)}"
            members = " ".join(f"{cpp} {name};" for name, cpp in held)
            self.lines.append(f"struct {self.names[key]} {{ {members} }};")
        return self.names[key]

    def _packed(self, kind: Record) -> str:
        lines, place = [], 0
        for name, k in kind.fields:
            if isinstance(k, Known):
                continue
            start = "base" if not place else f"base + {place}"
            if isinstance(k, Array) and k.item != REAL:
                start = f"({k.item.cpp} *)({start})"
            lines.append(f"FUNCTION_MEMBER {self.cpp(k)} {name}() const {{ return {{{start}}}; }}")
            place += room(k)
        key = ((kind.name, " ".join(lines)),)
        if key not in self.names:
            self.names[key] = f"{kind.name}_{len(self.names)}"
            self.lines.append("\n  ".join([f"struct {self.names[key]} {{", "double *base;", *lines]) + "\n};")
        return self.names[key]

    def converted(self, code: str, have: Kind, want: Kind, keep: Any) -> str:
        """`code` as the kind wanted; `keep` names a value that is used more than once."""
        if isinstance(have, Known) and not isinstance(want, Known):
            return literal(have.value)
        if self.cpp(have) == self.cpp(want) or isinstance(have, Number):
            return code
        if isinstance(have, Array) and isinstance(want, Array):
            return f"{self.cpp(want)}{{{code}.p, {have.length}}}"
        code = keep(code)
        entries = self.members(have, want)
        parts = [
            self.converted(f"{code}.{name}", k, other, keep)
            for name, k, other in entries
            if not isinstance(other, Known)
        ]
        return f"{self.cpp(want)}{{{', '.join(parts)}}}"

    @staticmethod
    def members(have: Kind, want: Kind) -> list[tuple[str, Kind, Kind]]:
        if isinstance(have, Record) and isinstance(want, Record):
            return [(f"{name}{'()' if have.packed else ''}", k, want[name]) for name, k in have.fields]
        assert isinstance(have, Row) and isinstance(want, Row)
        return [(f"at{i}", k, o) for i, (k, o) in enumerate(zip(have.entries, want.entries, strict=True))]
