"""The origin of a motion, complete enough to make it again. A file of the motion holds it as JSON.

A .csv table stays plain: its origin is in a file next to it, as the W3C's recommendation "CSV on the Web" names it
(`motion.csv-metadata.json`), or in a first line that begins with #.

model       the text of the model file, with the values that were used
parameters  their numbers
method      of derivation
settings    times, tolerance, stepper; the parameters that were left open as symbols, since they affect rounding
versions    of this program, of Python and of NumPy
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dalembert.errors import ModelError

MARK = "# dalembert "  # begins the line of a described CSV file
NAME = "origin"  # of the attribute in all other files


@dataclass(frozen=True, slots=True, repr=False)
class Origin:
    """Model, parameters, method, settings and versions: everything that is needed to make a motion again."""

    model: str  # the text of the model file
    parameters: Mapping[str, float]  # their values
    method: str  # of derivation
    settings: Mapping[str, Any]  # times, tolerance, stepper and open parameters
    versions: Mapping[str, str]  # of dalembert, Python and NumPy

    def __repr__(self) -> str:
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return f"<Origin by {self.method}: {versions}>"

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "parameters": dict(self.parameters),
            "method": self.method,
            "settings": dict(self.settings),
            "versions": dict(self.versions),
        }

    def text(self) -> str:
        """One line of JSON; all letters are ASCII."""
        return json.dumps(self.to_dict(), allow_nan=False)


def origin_of(path: Path) -> Origin:
    """The origin that a file records. A file without one is refused with a sentence."""
    readers: dict[str, Callable[[Path], str]] = {
        ".json": _json, ".csv": _csv, ".nc": _netcdf, ".parquet": _parquet, ".zarr": _zarr,
    }  # fmt: skip
    ending = path.suffix.lower()
    if ending not in readers:
        raise ModelError(
            "{path}: a motion is made again from {endings}, and the ending is {ending!r}",
            path=path,
            endings=", ".join(readers),
            ending=ending,
        )
    if not path.exists():
        raise ModelError("there is no file {path}", path=path)
    try:
        told = json.loads(readers[ending](path))
        parts = {name: told[name] for name in ("model", "parameters", "method", "settings", "versions")}
    except (OSError, ValueError, KeyError, TypeError):
        raise ModelError("{path}: this file does not say how it was made; files of simulate do", path=path) from None
    return Origin(**parts)


def _json(path: Path) -> str:
    return json.dumps(json.loads(path.read_text(encoding="utf-8"))[NAME])


def _csv(path: Path) -> str:
    if is_described(path):
        with path.open(encoding="utf-8") as file:
            return file.readline().removeprefix(MARK)
    beside = metadata_file(path)
    if not beside.is_file():
        raise ModelError(
            "{path}: there is no {beside} that says how this table was made; keep the two files together, or write "
            "one file with --describe",
            path=path,
            beside=beside.name,
        )
    (note,) = json.loads(beside.read_text(encoding="utf-8"))["notes"]
    return json.dumps(note[NAME])


def is_described(path: Path) -> bool:
    """Whether the file is a table with a first line that says how it was made."""
    with path.open("rb") as file:
        return file.read(len(MARK)) == MARK.encode()


def metadata_file(path: Path) -> Path:
    """The file that describes a .csv table."""
    return path.with_name(f"{path.name}-metadata.json")


def _netcdf(path: Path) -> str:
    import netCDF4

    with netCDF4.Dataset(path) as file:
        return str(file.getncattr(NAME)) if NAME in file.ncattrs() else ""


def _parquet(path: Path) -> str:
    from pyarrow import parquet

    return (parquet.read_schema(path).metadata or {}).get(NAME.encode(), b"").decode()


def _zarr(path: Path) -> str:
    return str(json.loads((path / "zarr.json").read_text(encoding="utf-8"))["attributes"][NAME])
