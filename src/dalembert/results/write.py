"""Motions to files. The ending of the name chooses the form. A file is written under another name, then renamed."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from dalembert.errors import MathematicsError, ModelError
from dalembert.language import tr
from dalembert.results.motion import Motion
from dalembert.results.origin import MARK, NAME, metadata_file
from dalembert.results.state import labelled


def json_text(answer: dict[str, Any] | list[Any]) -> str:
    """JSON whose floats read back to the same doubles. Numbers that are not finite are refused."""
    try:
        return json.dumps(answer, allow_nan=False, ensure_ascii=False)
    except ValueError as error:
        raise MathematicsError("The result holds a number that is not finite, which JSON cannot say.") from error


def _table(motion: Motion) -> dict[str, np.ndarray]:
    return motion.columns() | {f"mode.{name}": words for name, words in motion.modes.items()}


def _csv(motion: Motion, path: Path, describe: bool = False) -> None:
    columns = _table(motion)
    with path.open("w", newline="", encoding="utf-8") as file:
        if describe and motion.origin is not None:
            file.write(f"{MARK}{motion.origin.text()}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_head(motion, name) for name in columns)
        writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))  # floats by repr


def _head(motion: Motion, name: str) -> str:
    """The head of a column: its name, and its unit if that is not the SI unit, so that no number is misread."""
    return labelled(name, motion.units) if name.rstrip("'") in motion.scales else name


def _metadata(motion: Motion, name: str, path: Path) -> None:
    """The description of a table: its columns with their units, and how the motion was made (CSV on the Web)."""
    columns = []
    for column, values in _table(motion).items():
        entry = {"titles": _head(motion, column), "datatype": "number" if values.dtype.kind == "f" else "string"}
        columns.append(entry | ({"schema:unitText": motion.unit(column)} if motion.unit(column) else {}))
    assert motion.origin is not None
    told = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": name,
        "dc:title": motion.title,
        "tableSchema": {"columns": columns},
        "notes": [{NAME: motion.origin.to_dict()}],
    }
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def _json(motion: Motion, path: Path) -> None:
    path.write_text(json_text(motion.to_dict()) + "\n", encoding="utf-8")


def _netcdf(motion: Motion, path: Path) -> None:
    found = motion.to_xarray()
    # HDF5 would read a slash as a path
    slashed = {name: str(name).replace(")/d(", ") by d(") for name in found if "/" in str(name)}
    found.rename(slashed).to_netcdf(path, engine="netcdf4")


def _zarr(motion: Motion, path: Path) -> None:
    """Write a folder. The modes are numbers there, since words of different lengths have no type."""
    found = motion.to_xarray()
    for name, words in motion.modes.items():
        known = sorted(set(words.tolist()))
        numbers = np.array([known.index(word) for word in words], dtype=np.int8)
        found[f"mode.{name}"] = (
            "t",
            numbers,
            {"flag_values": list(range(len(known))), "flag_meanings": " ".join(known)},
        )
    found.to_zarr(path, mode="w", zarr_format=3, consolidated=False)


def _parquet(motion: Motion, path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    metadata = {"title": motion.title, "method": motion.method, "status": motion.status}
    metadata |= {} if motion.origin is None else {NAME: motion.origin.text()}
    parquet.write_table(pyarrow.table(_table(motion)).replace_schema_metadata(metadata), path)


def _picture(motion: Motion, path: Path, **drawing: Any) -> None:
    from dalembert.results.plots import picture

    path.write_bytes(picture(motion.plot(**drawing), path.suffix[1:]))


def _page(motion: Motion, path: Path) -> None:
    path.write_text(motion.animate().html(), encoding="utf-8")


def _film(motion: Motion, path: Path) -> None:
    animation = motion.animate()
    path.write_bytes(animation.mp4() if path.suffix.lower() == ".mp4" else animation.gif())


WRITERS: dict[str, Callable[..., None]] = {
    ".csv": _csv,
    ".json": _json,
    ".nc": _netcdf,
    ".zarr": _zarr,
    ".parquet": _parquet,
    ".png": _picture,
    ".svg": _picture,
    ".html": _page,
    ".gif": _film,
    ".mp4": _film,
}
PICTURES = (".png", ".svg")
FOLDERS = (".zarr",)
EXTRAS = {  # ending: (module, extra of this package)
    ".nc": ("netCDF4", "netcdf"),
    ".parquet": ("pyarrow", "parquet"),
    ".mp4": ("imageio_ffmpeg", "film"),
}


def check_target(
    path: Path, endings: Collection[str] = tuple(WRITERS), drawing: Mapping[str, Any] | None = None
) -> None:
    """Refuse a file that cannot be written, before anything is computed. `endings` are the known ones."""
    ending = path.suffix.lower()
    drawing = {name: value for name, value in (drawing or {}).items() if name != "describe"}
    if drawing and ending not in PICTURES:
        raise ModelError(
            "{path}: what to draw was said, but {ending} is no picture; use .png or .svg.",
            path=path,
            ending=ending or "this",
        )
    known = ", ".join(endings)
    if ending not in endings:
        near = get_close_matches(ending, endings, 1)
        hint = tr(" Did you mean {near}?", near=near[0]) if near else ""
        met = (
            tr("the ending {ending!r} is not known", ending=ending)
            if ending
            else tr("the name has no ending that says the form")
        )
        raise ModelError(
            "{path}: {met}; the endings known are {known}.{hint}", path=path, met=met, known=known, hint=hint
        )
    module, extra = EXTRAS.get(ending, ("", ""))
    if module and find_spec(module) is None:
        raise ModelError(
            "{path}: writing {ending} needs the extra {extra!r}: pip install 'dalembert[{extra}]'.",
            path=path,
            ending=ending,
            extra=extra,
        )
    if path.is_dir() and not (ending in FOLDERS and (path / "zarr.json").is_file()):
        raise ModelError("{path}: this is a directory; give the name of a file.", path=path)
    if not path.parent.is_dir():
        raise ModelError("{path}: there is no directory {parent}; make it first.", path=path, parent=path.parent)
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise ModelError("{path}: writing there is not permitted.", path=path)


def write(motion: Motion, path: Path, **drawing: Any) -> list[Path]:
    """Write the motion to `path`, completely or not at all. `drawing` has the options of `plot`.

    Returns the written files. A plain .csv table has a second one, which describes it.
    """
    check_target(path, drawing=drawing)
    for name, values in motion.columns().items():
        if not np.isfinite(values).all():
            raise MathematicsError(
                "{name} is not finite at t = {motion:.10g}; nothing was written.",
                name=name,
                motion=_first_bad(motion, values),
            )
    if path.suffix.lower() in FOLDERS:
        _folder_placed(path, partial(WRITERS[path.suffix.lower()], motion))
        return [path]
    if path.suffix.lower() != ".csv":
        drawing.pop("describe", None)
    placed(path, partial(WRITERS[path.suffix.lower()], motion, **drawing))
    if path.suffix.lower() != ".csv" or drawing.get("describe") or motion.origin is None:
        return [path]
    beside = metadata_file(path)
    placed(beside, partial(_metadata, motion, path.name))
    return [path, beside]


def _folder_placed(path: Path, make: Callable[[Path], object]) -> None:
    """The same for a form that is a folder."""
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.stem}-") as folder:
            beside = Path(folder) / path.name
            make(beside)
            if path.exists():
                path.replace(Path(folder) / "old")
            beside.replace(path)
    except OSError as error:
        raise ModelError(
            "{path}: could not be written ({strerror}).", path=path, strerror=error.strerror or error
        ) from error


class Savable(Protocol):
    """An answer that has a table and a picture."""

    def to_dict(self) -> dict[str, Any]: ...

    def csv(self, path: Path) -> None: ...

    def plot(self) -> Any: ...


def save_answer(answer: Savable, path: Path, endings: Collection[str]) -> None:
    """Write an answer to a file with one of these endings: .json all of it, .csv its table, otherwise its picture."""
    from dalembert.results.plots.figure import picture

    check_target(path, endings)
    ending = path.suffix.lower()

    def make(beside: Path) -> None:
        if ending == ".json":
            beside.write_text(json_text(answer.to_dict()) + "\n", encoding="utf-8")
        elif ending == ".csv":
            answer.csv(beside)
        else:
            beside.write_bytes(picture(answer.plot(), ending[1:]))

    placed(path, make)


def placed(path: Path, make: Callable[[Path], object]) -> None:
    """Call `make` with a temporary name in the same folder, then rename the file to `path`."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix.lower())
    except OSError as error:
        raise ModelError(
            "{path}: could not be written ({strerror}).", path=path, strerror=error.strerror or error
        ) from error
    os.close(handle)
    beside = Path(name)
    try:
        make(beside)
        beside.chmod(0o666 & ~_umask())
        beside.replace(path)
    except OSError as error:
        raise ModelError(
            "{path}: could not be written ({strerror}).", path=path, strerror=error.strerror or error
        ) from error
    finally:
        beside.unlink(missing_ok=True)


def _first_bad(motion: Motion, values: np.ndarray) -> float:
    return float(motion.times[np.flatnonzero(~np.isfinite(values))[0]])


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
