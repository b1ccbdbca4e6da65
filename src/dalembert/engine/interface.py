"""The engine's structs, numbers and functions in Python, read from the text of its headers.

    interface.Counts                a struct as a class of ctypes, with the members of the C++ struct in their order
    interface.AT_END                an enumerator, or a constant whole number
    interface.Status                an enum whose numbers have names in Python, too
    interface.functions()           the result and the arguments of every function of the C interface

So nothing is stated twice. A struct of the interface has plain members: numbers, pointers, and other such structs.
Pointers are addresses, also those to structs.
"""

from __future__ import annotations

import ctypes as c
import re
from enum import IntEnum
from functools import cache
from hashlib import sha256
from typing import Any

from dalembert.engine.sources import files

PLAIN: dict[str, Any] = {
    "int": c.c_int, "long": c.c_long, "long long": c.c_longlong, "double": c.c_double, "unsigned char": c.c_ubyte,
    "void": None,
}  # fmt: skip
NAMED = ("Status", "Stepper")  # enums whose numbers are told by name
EVENT_KINDS = ("impact", "liftoff", "contact", "stick", "slip", "chatter", "crossing", "kink")  # as EventKind
STRUCTS = (
    "Model ContactLaw FrictionLaw Switch Signal Clock Settings Event Desk Report ImpactAsked ImpactGroup ImpactDecided "
    "SolveAsked SolveFound Sizing Auxiliary Wish Column Plan Motions WideModel Starts"
).split()  # those that Python and the library hand to each other
FUNCTION = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, c.c_void_p)


def __getattr__(name: str) -> Any:
    found = enum(name) if name in NAMED else numbers().get(name)
    if found is None:
        found = struct(name)
    globals()[name] = found
    return found


@cache
def text() -> str:
    """The headers and the doors on the processor, without comments."""
    whole = "\n".join(path.read_text(encoding="utf-8") for path in files())
    return re.sub(r"//[^\n]*", "", whole)


@cache
def numbers() -> dict[str, int]:
    """All enumerators and constant whole numbers by name."""
    found = {name: int(value) for name, value in re.findall(r"constexpr int (\w+) = (\d+);", text())}
    for body in re.findall(r"\nenum \w+ : int \{(.*?)\}", text(), re.DOTALL):
        last = -1
        for name, value in re.findall(r"(\w+)(?: = (-?\d+))?", body):
            last = found[name] = int(value) if value else last + 1
    return found


def enum(name: str) -> Any:
    """An enum of the headers."""
    (body,) = re.findall(rf"\nenum {name} : int \{{(.*?)\}}", text(), re.DOTALL)
    return IntEnum(name, {one: numbers()[one] for one in re.findall(r"[A-Z]\w+", body)})


@cache
def struct(name: str) -> type[c.Structure]:
    """The class of a struct."""
    return type(name, (c.Structure,), {"_fields_": [field for line in _members(name) for field in _declared(line)]})


def _members(name: str) -> list[str]:
    """The declarations of a struct's data. Functions and constants are left out."""
    if name not in _places():
        raise AttributeError(f"the engine has no struct or number {name}")
    found, start, depth = [], _places()[name], 0
    for mark in re.compile("[{};]").finditer(text(), start):
        depth += {"{": 1, "}": -1, ";": 0}[mark[0]]
        if depth < 0:
            break
        if depth == 0:
            line = text()[start : mark.start()].strip()
            if mark[0] == ";" and not line.startswith("static"):
                found.append(line)
            start = mark.end()
    return found


@cache
def _places() -> dict[str, int]:
    """Where the members of structs begin in the text, by name."""
    return {found[1]: found.end() for found in re.finditer(r"\nstruct (\w+) \{", text())}


def _declared(line: str) -> list[tuple[str, Any]]:
    """The fields of `type a, *b` or of a pointer to a function."""
    called = re.fullmatch(r"\w+ \(\*(\w+)\)\(.*\)", line, re.DOTALL)
    if called:
        return [(called[1], c.c_void_p)]
    kind, *names = _split(line)
    return [(re.sub(r"\W", "", name.split("=")[0]), _type(kind, name)) for name in names[0].split(",")]


def _split(stated: str) -> tuple[str, str]:
    """A type, and what follows it."""
    found = re.match(r"\s*(?:const )?(long long|unsigned char|[\w:]+)(.*)", stated, re.DOTALL)
    assert found is not None
    return found[1], found[2]


def _type(kind: str, declarator: str) -> Any:
    if "*" in declarator:
        return c.c_char_p if kind == "char" else c.c_void_p
    return PLAIN[kind] if kind in PLAIN else struct(kind.rpartition(":")[2])


@cache
def functions() -> dict[str, tuple[Any, list[Any]]]:
    """The result and the arguments of every function of the C interface, by name."""
    return {
        name: (_type(*_split(result)), [_type(*_split(one)) for one in given.split(",") if one])
        for result, name, given in _doors()
    }


def _doors() -> list[Any]:
    return re.findall(r"\nDOOR ([\w :*]+?)(dalembert_\w+)\((.*?)\) \{", text(), re.DOTALL)


@cache
def digest() -> str:
    """A mark of the structs and functions. A library with another one is called in another way."""
    return sha256(repr(({name: _members(name) for name in STRUCTS}, _doors())).encode()).hexdigest()[:16]
