"""Storage that loses nothing: results lie in files next to the final result, each complete or absent, until all are
done.

A folder NAME.parts holds `manifest.json` (the request) and a file for every finished range of motions. A file is
written under a temporary name, flushed to the disk and renamed. It carries the fingerprint of the sweep and a SHA-256
of its bytes; if either does not agree, the range is computed again. A lock, which the system releases when its process
ends in any way, keeps two processes from working on one sweep. Regions of a Zarr folder could not be these parts:
ranges follow the measured rate and not its chunks, and netCDF and Parquet files are made from them, too.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.sweep.ensemble import UNDONE, Outcome

MAGIC = b"dalembert part 1\n"
MANIFEST = "manifest.json"


class Store:
    """The folder of one unfinished sweep, to be opened with `with`."""

    def __init__(self, folder: Path, fingerprint: str, told: dict[str, Any], columns: int) -> None:
        self.folder, self.fingerprint, self.told, self.columns = folder, fingerprint, told, columns
        self.parts: list[tuple[int, int, Path]] = []  # finished ranges of motions: first, last + 1, and their file
        self._lock: Any = None

    def __enter__(self) -> Store:
        self.folder.mkdir(exist_ok=True)
        self._lock = _locked(self.folder)
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def resume(self, warn: Callable[[str], None]) -> None:
        """Take over the finished parts. A damaged file is reported and removed."""
        manifest = self.folder / MANIFEST
        if not manifest.exists():
            written(manifest, json.dumps(self.told, indent=1, ensure_ascii=False).encode())
        for path in self.folder.glob(".*.new"):
            path.unlink()
        self.parts = []
        reached = 0
        for path in sorted(self.folder.glob("*.part")):
            try:
                first, outcome = self._read(path)
                if first < reached:
                    raise ValueError("it overlaps another")
            except (ValueError, OSError, struct.error, KeyError) as error:
                warn(tr("{name} is damaged ({error}) and is computed again", name=path.name, error=error))
                path.unlink()
                continue
            reached = first + len(outcome.status)
            self.parts.append((first, reached, path))

    @property
    def done(self) -> int:
        return sum(last - first for first, last, _ in self.parts)

    def missing(self, size: int) -> list[tuple[int, int]]:
        """The ranges that are not done."""
        found, reached = [], 0
        for first, last, _ in sorted(self.parts):
            if first > reached:
                found.append((reached, first))
            reached = last
        if reached < size:
            found.append((reached, size))
        return found

    def keep(self, first: int, outcome: Outcome) -> int:
        """Store the finished motions from `first` on, and return their number."""
        done = outcome.status != UNDONE
        edges = np.flatnonzero(np.diff(np.concatenate([[False], done, [False]]).astype(np.int8)))
        for low, high in edges.reshape(-1, 2).tolist():
            self._write(first + low, outcome.part(low, high))
        return int(done.sum())

    def _write(self, first: int, outcome: Outcome) -> None:
        last = first + len(outcome.status)
        head = {"sweep": self.fingerprint, "first": first, "last": last, "columns": self.columns}
        head["sentences"] = outcome.sentences
        text = json.dumps(head, ensure_ascii=False).encode()
        data = MAGIC + struct.pack("<Q", len(text)) + text
        data += np.ascontiguousarray(outcome.values, "<f8").tobytes()
        data += np.ascontiguousarray(outcome.status, np.int8).tobytes()
        path = self.folder / f"{first:012d}-{last:012d}.part"
        written(path, data + sha256(data).digest())
        self.parts.append((first, last, path))

    def _read(self, path: Path) -> tuple[int, Outcome]:
        data = path.read_bytes()
        if not data.startswith(MAGIC) or sha256(data[:-32]).digest() != data[-32:]:
            raise ValueError("its bytes are not those that were written")
        at = len(MAGIC) + 8
        (size,) = struct.unpack("<Q", data[len(MAGIC) : at])
        head = json.loads(data[at : at + size])
        if head["sweep"] != self.fingerprint or head["columns"] != self.columns:
            raise ValueError("it belongs to another sweep")
        at += size
        count = head["last"] - head["first"]
        values = np.frombuffer(data, "<f8", count * self.columns, at).reshape(count, self.columns)
        status = np.frombuffer(data, np.int8, count, at + values.nbytes)
        sentences = {int(i): text for i, text in head["sentences"].items()}
        return head["first"], Outcome(values, status, sentences)

    def outcomes(self) -> Iterator[tuple[int, Outcome]]:
        """All finished motions in order, one file at a time."""
        for *_, path in sorted(self.parts):
            yield self._read(path)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class BlockMemory:
    """The same for a small sweep whose result is not written to a file."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, Outcome]] = []
        self.done = 0

    def missing(self, size: int) -> list[tuple[int, int]]:
        return [(0, size)]

    def keep(self, first: int, outcome: Outcome) -> int:
        done = int((outcome.status != UNDONE).sum())
        if done == len(outcome.status):
            self._kept.append((first, outcome))
        self.done += done
        return done

    def outcomes(self) -> Iterator[tuple[int, Outcome]]:
        yield from sorted(self._kept, key=lambda kept: kept[0])


def written(path: Path, data: bytes) -> None:
    """Write a file completely or not at all, even if the machine stops right afterwards."""
    beside = path.with_name(f".{path.name}.new")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    if os.name == "posix":  # so that the new name is on the disk too
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _locked(folder: Path) -> Any:
    file = (folder / "lock").open("a+b")
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise ModelError(
            "{folder}: another process works on this sweep; wait for it, or end it", folder=folder
        ) from None
    return file


def known_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of the sweep in a folder, or None if there is none."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, OSError) as error:
        raise ModelError(
            "{folder} cannot be read ({error}); --restart begins the sweep again and discards the stored parts",
            folder=folder / MANIFEST,
            error=error,
        ) from None
    return found


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The differences between two manifests, in words."""
    found = []
    for key in new:
        before, now = old.get(key), new[key]
        if before == now:
            continue
        if key == "model":
            found.append(_model_difference(str(before), str(now)))
        elif key == "varied":
            found += _varied(before or {}, now)
        else:
            found.append(tr("{key} was {before} and is {now}", key=key, before=_short(before), now=_short(now)))
    return found


def _varied(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    gone, come = [n for n in before if n not in now], [n for n in now if n not in before]
    changed = [
        tr("the values of {name} differ", name=name) for name in now if name in before and before[name] != now[name]
    ]
    names = [tr("{gone} varied", gone=", ".join(gone))] if gone else []
    names += [tr("{come} did not vary", come=", ".join(come))] if come else []
    return [*names, *changed] or [tr("the order of what varies differs")]


def _model_difference(before: str, now: str) -> str:
    old, new = before.splitlines(), now.splitlines()
    for i, (a, b) in enumerate(zip([*old, ""], [*new, ""], strict=False)):
        if a != b:
            return tr(
                "the model differs, first in its line {i}: {a} was there, and {b} is", i=i + 1, a=_short(a), b=_short(b)
            )
    return tr("the model differs")


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:58] + "…"
