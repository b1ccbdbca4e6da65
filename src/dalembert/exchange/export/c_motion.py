"""C++17: the whole motion as one self-contained file with the engine's headers, the model and a `main`."""

from __future__ import annotations

from pathlib import Path

from dalembert.exchange.export.names import identifier
from dalembert.exchange.export.taken import HEADERS, engine_text, taken
from dalembert.language import tr
from dalembert.model.record import ModelRecord

ENDING = ".cpp"
ROOM = Path(__file__).parent
COMPILE = "c++ -std=c++17 -O2 -ffp-contract=off FILE.cpp -o FILE -lm"


def files(record: ModelRecord, path: Path, method: str | None, _: str) -> tuple[dict[Path, str], tuple[str, ...]]:
    """One file, and notes on what it does not contain."""
    found = taken(record, identifier(path.stem), method)
    own = [(ROOM / name).read_text(encoding="utf-8") for name in ("sentences.hpp", "given.hpp", "motion_main.cpp")]
    parts = [
        "// " + tr("Compile it with: {command}", command=COMPILE),
        found.head(),
        engine_text(found.text(), *HEADERS),
        found.tables(),
        *own,
    ]
    return {path: "\n".join(parts)}, found.notes
