"""Exports: `export` writes a model's slopes, equations or motion for another language or program.

The module of a target has `ENDING`. For slopes it has `written(sheet, path)`, which returns the text or bytes of every
file by its path; otherwise `files(record, path, method, what)`, which also returns notes. CONTRIBUTING.md explains how
to add one.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from dalembert.errors import ModelError
from dalembert.exchange.export.names import identifier
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.prepared import require_closed
from dalembert.results.write import check_target, placed

TARGETS = {  # for each target its possible contents, the default first, with the module that writes them
    "c": {"slopes": "c", "linear": "c", "motion": "c_motion"},
    "numpy": {"slopes": "numpy_module"},
    "jax": {"slopes": "jax_module", "motion": "jax_motion"},
    "casadi": {"slopes": "casadi_module"},
    "matlab": {"slopes": "matlab_function"},
    "modelica": {"slopes": "modelica_model"},
    "wasm": {"slopes": "wasm_module"},
    "sympy": {"equations": "sympy_module"},
    "latex": {"equations": "latex_pieces"},
    "fmu": {"fmi2": "fmu", "fmi3": "fmu"},
}


class Exported(NamedTuple):
    """The files that were written, and notes on what they do not contain."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]


def export(
    record: ModelRecord, to: str, path: str | Path, method: str | None = None, what: str | None = None
) -> Exported:
    """Write a model for a target. Either all files are written, or none."""
    files, notes = contents(record, to, Path(path), method, what)
    for target in files:
        check_target(target, (target.suffix,))
    _place(list(files.items()))
    return Exported(tuple(files), notes)


def contents(
    record: ModelRecord, to: str, path: Path | None = None, method: str | None = None, what: str | None = None
) -> tuple[dict[Path, str | bytes], tuple[str, ...]]:
    """The contents of all files by their paths, and notes. Without a path the files are called `model`."""
    if to == "julia":
        raise ModelError(
            "there is no target 'julia', since no file for it could be run in our tests; export to c, which Julia "
            "calls with ccall, or to fmu, which its FMI.jl reads"
        )
    if to not in TARGETS:
        near = get_close_matches(to, TARGETS, 1)
        raise ModelError(
            "there is no target {to!r}; {value}",
            to=to,
            value=tr("did you mean {near}?", near=near[0]) if near else _known(),
        )
    offered = TARGETS[to]
    what = what or next(iter(offered))
    if what not in offered:
        raise ModelError(
            "an export to {to} cannot hold {what!r}; it can hold {offered}",
            to=to,
            what=what,
            offered=", ".join(offered),
        )
    writer = import_module(f"dalembert.exchange.export.{offered[what]}")
    path = Path(f"model{writer.ENDING}") if path is None else path
    check_target(path, (writer.ENDING,))
    require_closed(record)
    if what in ("slopes", "linear"):
        from dalembert.exchange.export.sheet import sheet

        page = sheet(record, identifier(path.stem), method)
        return (writer.linear if what == "linear" else writer.written)(page, path), page.notes
    files, notes = writer.files(record, path, method, what)
    return files, notes


def _place(files: list[tuple[Path, str | bytes]]) -> None:
    """Write all files under temporary names before the first gets its own."""
    if not files:
        return
    (path, data), *others = files

    def make(beside: Path) -> None:
        beside.write_bytes(data.encode() if isinstance(data, str) else data)
        _place(others)

    placed(path, make)


def _known() -> str:
    return tr("known are {names}", names=", ".join(TARGETS))
