"""Safe reading of robots' XML: no entities, no other files, checked numbers."""

from __future__ import annotations

import math
import xml.etree.ElementTree as tree
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.expressions.parse import shown

LARGEST = 50_000_000  # bytes


def root_of(path: Path) -> tree.Element:
    """The outermost element of a file."""
    name = shown(str(path))
    try:
        if path.stat().st_size > LARGEST:
            raise ModelError(
                "the file {name} is larger than {largest} MB, the most that is read",
                name=name,
                largest=LARGEST // 1000000,
            )
        data = path.read_bytes()
    except OSError as error:
        raise ModelError("the file {name} cannot be read: {strerror}", name=name, strerror=error.strerror) from None
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ModelError("the file {name} declares entities, which are not read; write them out", name=name)
    try:
        return tree.fromstring(data)
    except tree.ParseError as error:
        raise ModelError("the file {name} is not XML: {error}", name=name, error=error) from None


def numbers(element: tree.Element | None, key: str, default: str, count: int | None = None) -> np.ndarray:
    """The numbers of an attribute; exactly `count` of them if that is given."""
    stated = default if element is None else element.get(key, default)
    place = "" if element is None else f"<{element.tag}> {element.get('name', '')}: "
    try:
        found = np.array([float(entry) for entry in stated.split()])
    except ValueError:
        raise ModelError(
            "{place}{key} is {stated}, and numbers are expected", place=place, key=key, stated=shown(stated)
        ) from None
    if not all(math.isfinite(entry) for entry in found):
        raise ModelError(
            "{place}{key} is {stated}, and finite numbers are expected", place=place, key=key, stated=shown(stated)
        )
    if count is not None and len(found) != count:
        raise ModelError(
            "{place}{key} has {count} numbers, and {count2} are expected",
            place=place,
            key=key,
            count=len(found),
            count2=count,
        )
    return found


def one(element: tree.Element | None, key: str, default: float) -> float:
    return float(numbers(element, key, repr(default), 1)[0])


def rotation(axis: str, angle: float) -> np.ndarray:
    """Rot(x, y or z; angle)."""
    c, s, i = math.cos(angle), math.sin(angle), "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    found = np.eye(3)
    found[j, j] = found[k, k] = c
    found[k, j], found[j, k] = s, -s
    return found


def turned(turns: tuple[tuple[str, float], ...]) -> np.ndarray:
    found = np.eye(3)
    for axis, angle in turns:
        found = found @ rotation(axis, angle)
    return found
