"""Machine code as one piece of bytes that runs wherever it lies, for those who have no linker.

LLVM writes an object file (ELF): sections, and places in them that hold the distance to a symbol. With P the place, S
the symbol and A a constant, these are

    x86-64   the word at P  =  S + A − P
    arm64    bits of the instruction at P: (S + A − P)/4 of a call; the page of S + A less that of P; S + A in its page

The sections are laid one after another, so every distance inside the piece is known. On arm64 the piece must begin with
a page. Calls of functions outside are listed, for the one who knows where these functions are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import iter_unpack, pack_into, unpack_from
from typing import NamedTuple

from dalembert.programs import llvm, machine, sines
from dalembert.programs.program import Program

GRAIN = 64  # bytes on which every section begins, as wide as the widest vector
IS_IN_MEMORY, CODE_OR_DATA, LIST_OF_PLACES, SYMBOLS = 2, 1, 4, 2  # of a section: a flag, and types
PAGE = 4096
BRANCHES, PAGES, IN_PAGE = (282, 283), 275, {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4}  # of arm64: R_AARCH64_…
DISTANCES = {"x86_64": (2, 4), "aarch64": (*BRANCHES, PAGES, *IN_PAGE)}  # types of relocations: R_X86_64_PC32, PLT32


class NotFlat(Exception):
    """An object file that cannot be laid out: it needs a linker."""


class ElfSection(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    grain: int
    entry: int

    def part(self, data: bytes) -> bytes:
        return data[self.offset : self.offset + self.size]


class FlatCall(NamedTuple):
    """A place that holds the distance to a function outside."""

    place: int
    constant: int
    name: str
    kind: int


class Flat(NamedTuple):
    code: bytearray
    places: dict[str, int]  # of functions, by name
    calls: list[FlatCall]

    def resolve(self, outside: Mapping[str, int]) -> bytes:
        """The bytes, with functions outside at places counted from the beginning of the piece."""
        for call in self.calls:
            if call.name not in outside:
                raise NotFlat(call.name)
            _write(self.code, call.place, outside[call.name] + call.constant, call.kind)
        return bytes(self.code)


def texts_of(programs: Mapping[str, Program], often: Sequence[str]) -> list[tuple[int, str]]:
    """Programs as functions `void f(double *out, const double *in, void *data)` in LLVM's language, with its levels.

    Programs named in `often` are compiled by LLVM's level 1 and others by level 0. Both give the same bits. Functions
    touch every page of a large frame in turn, as Windows wants it.
    """
    made = [
        (level, *llvm.library({name: program for name, program in programs.items() if (name in often) == level}))
        for level in (0, 1)
    ]
    widths = sorted(set().union(*(turns for _, _, turns in made)))
    texts = [(1, sines.module([llvm.Text(width) for width in widths])), *((level, text) for level, text, _ in made)]
    return [(level, text.replace(" nounwind {", ' nounwind "probe-stack"="inline-asm" {')) for level, text in texts]


def flat_programs(texts: Sequence[tuple[int, str]], processor: str) -> Flat:
    """Functions of `texts_of` for any x86_64 or any aarch64 processor."""
    return flat([machine.object_code(text, level, processor) for level, text in texts], processor)


def flat(objects: Sequence[bytes], processor: str) -> Flat:
    """Object files as one piece."""
    found = Flat(bytearray(), {}, [])
    for data in objects:
        (at,), (size, count) = unpack_from("<Q", data, 40), unpack_from("<HH", data, 58)
        sections = [ElfSection(*unpack_from("<IIQQQQIIQQ", data, at + i * size)) for i in range(count)]
        begins = {}
        for i, section in enumerate(sections):
            if section.type == CODE_OR_DATA and section.flags & IS_IN_MEMORY:
                found.code.extend(bytes(-len(found.code) % GRAIN))
                begins[i] = len(found.code)
                found.code.extend(section.part(data))
        symbols = _symbols(data, sections, begins)
        found.places.update({name: place for name, place in symbols if place is not None and name})
        for section in sections:
            if section.type == LIST_OF_PLACES and section.info in begins:
                _measure(found, begins[section.info], section.part(data), symbols, DISTANCES[processor])
    calls = [call for call in found.calls if call.name not in found.places]
    between = [call for call in found.calls if call.name in found.places]
    found._replace(calls=between).resolve(found.places)
    return found._replace(calls=calls)


def _symbols(data: bytes, sections: list[ElfSection], begins: dict[int, int]) -> list[tuple[str, int | None]]:
    """Names and places; a symbol from outside has no place."""
    (table,) = (section for section in sections if section.type == SYMBOLS)
    names = sections[table.link].offset
    found: list[tuple[str, int | None]] = []
    for name, _, _, section, value, _ in iter_unpack("<IBBHQQ", table.part(data)):
        text = data[names + name : data.index(b"\0", names + name)].decode()
        found.append((text, begins[section] + value if section in begins else None))
    return found


def _measure(
    found: Flat, begin: int, listed: bytes, symbols: list[tuple[str, int | None]], known: Sequence[int]
) -> None:
    """Write the distances of one section."""
    for place, what, constant in iter_unpack("<QQq", listed):
        (name, at), kind = symbols[what >> 32], what & 0xFFFFFFFF
        if kind not in known:
            raise NotFlat(f"relocation {kind}")
        if at is None:
            found.calls.append(FlatCall(begin + place, constant, name, kind))
        else:
            _write(found.code, begin + place, at + constant, kind)


def _write(code: bytearray, place: int, at: int, kind: int) -> None:
    """Write a distance as the instruction at `place` holds it."""
    if kind in DISTANCES["x86_64"]:
        pack_into("<i", code, place, at - place)
        return
    (word,) = unpack_from("<I", code, place)
    if kind in BRANCHES:
        word |= (at - place) // 4 & 0x3FFFFFF
    elif kind == PAGES:
        pages = at // PAGE - place // PAGE
        word |= (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
    else:
        word |= (at % PAGE >> IN_PAGE[kind]) << 10
    pack_into("<I", code, place, word)
