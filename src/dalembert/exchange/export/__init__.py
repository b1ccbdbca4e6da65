"""Models taken along: `export` writes a model's slopes or equations in another language.

How to add a target: write a file with `ENDING` and `written(sheet, path)`, which returns the text or bytes of every
file by its path; add its line to `TARGETS`; add a test that runs what was written and compares it with the engine.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.exchange.export.names import identifier
from dalembert.model.record import Model
from dalembert.results.write import check_target, placed

TARGETS = {  # target: its module, and what it can hold, the default first
    "c": ("c", ("slopes",)),
    "numpy": ("numpy_module", ("slopes",)),
    "jax": ("jax_module", ("slopes",)),
    "casadi": ("casadi_module", ("slopes",)),
    "wasm": ("wasm_module", ("slopes",)),
    "sympy": ("sympy_module", ("equations",)),
}


def export(
    record: Model, to: str, path: str | Path, method: str | None = None, what: str | None = None
) -> tuple[Path, ...]:
    """Write a model for a target; return the files. They are complete, or nothing is written."""
    if to not in TARGETS:
        near = get_close_matches(to, TARGETS, 1)
        raise ModelError(f"there is no target {to!r}; {f'did you mean {near[0]}?' if near else _known()}")
    home, offered = TARGETS[to]
    what = what or offered[0]
    if what not in offered:
        raise ModelError(f"an export to {to} cannot hold {what!r}; it can hold {', '.join(offered)}")
    writer = import_module(f"dalembert.exchange.export.{home}")
    path = Path(path)
    check_target(path, (writer.ENDING,))
    name = identifier(path.stem)
    if what == "slopes":
        from dalembert.exchange.export.sheet import sheet

        files = writer.written(sheet(record, name, method), path)
    else:
        files = writer.equations(record, path, method)
    for target in files:
        check_target(target, (target.suffix,))
    _place(list(files.items()))
    return tuple(files)


def _place(files: list[tuple[Path, str | bytes]]) -> None:
    """Write all files under other names before the first gets its own."""
    if not files:
        return
    (path, content), *others = files

    def make(beside: Path) -> None:
        beside.write_bytes(content if isinstance(content, bytes) else content.encode())
        _place(others)

    placed(path, make)


def _known() -> str:
    return f"known are {', '.join(TARGETS)}"
