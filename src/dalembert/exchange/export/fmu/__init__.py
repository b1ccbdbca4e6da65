"""FMU: a model for tools with the Functional Mock-up Interface, 2.0 or 3.0, as sources and binaries.

For co-simulation the FMU contains the engine itself, with contacts. For model exchange it gives derivatives, event
indicators and the changes at an event; see instance.hpp.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from dalembert.engine.build import FLAGS, compilers
from dalembert.errors import ModelError
from dalembert.exchange.export.fmu.description import build_description, model_description
from dalembert.exchange.export.fmu.packed import holes_of, with_model
from dalembert.exchange.export.fmu.shells import PLATFORMS, own_platform, shell, shell_file
from dalembert.exchange.export.fmu.signature import signed
from dalembert.exchange.export.names import identifier
from dalembert.exchange.export.taken import HEADERS, Taken, engine_text, taken
from dalembert.language import english, tr
from dalembert.model.record import ModelRecord

ENDING = ".fmu"
ROOM = Path(__file__).parent
OPTIMIZED = "-O2"  # optimization of the binary; its numbers are the same at every level
DATE = (1980, 1, 1, 0, 0, 0)  # date of every entry, so that the same model gives the same bytes


def files(record: ModelRecord, path: Path, method: str | None, what: str) -> tuple[dict[Path, bytes], tuple[str, ...]]:
    """The FMU of a model, and notes on what it does not contain. `what` is fmi2 or fmi3."""
    found = taken(record, identifier(path.stem), method)
    version = {"fmi2": 2, "fmi3": 3}[what]
    entries = {
        "modelDescription.xml": model_description(found, version, token(found)).encode(),
        f"sources/{found.name}.cpp": source(found, version).encode(),
    }
    if version == 3:
        entries["sources/buildDescription.xml"] = build_description(found.name).encode()
    notes = list(_notes(found))
    binaries = _binaries(found, version)
    if not binaries:
        notes.append(
            tr(
                "The FMU has its sources but no binary: this model needs a C++ compiler here, and there is none, or "
                "FMI has no name for this platform."
            )
        )
    entries |= binaries
    entries["documentation/notes.txt"] = "\n".join((*found.origin, *notes, "")).encode()
    return {path: _packed(entries)}, tuple(notes)


def token(found: Taken) -> str:
    """The GUID: the same for the same model, method and version of this program."""
    origin = "\n".join(map(english, found.origin))  # in every language
    return f"{{{UUID(bytes=blake2b(origin.encode(), digest_size=16).digest())}}}"


def source(found: Taken, version: int) -> str:
    """The whole FMU as one file of C++17: the engine's headers, the model, the instance and the functions of FMI."""
    names = ("../sentences.hpp", "../given.hpp", "instance.hpp", "door.hpp", f"fmi{version}.cpp")
    own = [(ROOM / name).read_text(encoding="utf-8") for name in names]
    known = f'static const char TOKEN[] = "{token(found)}";\n'
    return "\n".join([found.head(), engine_text(found.text(), *HEADERS), found.tables(), known, *own])


def _binaries(found: Taken, version: int) -> dict[str, bytes]:
    """Libraries by their paths in the FMU: for this platform, and for all others that have a shell here."""
    own, binaries = own_platform(), {}
    holes = holes_of(found, token(found), _processors(version))
    for platform in PLATFORMS.values():
        place = platform.place(version, found.name)
        empty, hole = shell(version, platform), holes.get(platform.processor)
        if place and empty is not None and hole is not None:
            made = with_model(empty, hole)
            binaries[place] = signed(made) if platform.ending == "dylib" else made
        elif place and platform == own and compilers():
            binaries[place] = _compiled(source(found, version), found.name, platform.ending)
    return binaries


def _processors(version: int) -> list[str]:
    """The processors for which there is a shell."""
    there = [p for p in PLATFORMS.values() if p.place(version, "") and shell_file(version, p).is_file()]
    return sorted({p.processor for p in there})


def _compiled(text: str, name: str, ending: str) -> bytes:
    """The library, compiled in its own folder, so that it contains no path of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{name}.cpp").write_text(text, encoding="utf-8")
        lean = ["-Wl,--as-needed"] if sys.platform == "linux" else []
        command = [*compilers()[0], *FLAGS, OPTIMIZED, "-shared", *lean, f"{name}.cpp", "-o", f"{name}.{ending}", "-lm"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise ModelError(
                "the FMU could not be compiled by {command}: {stderr}",
                command=command[0],
                stderr=done.stderr.strip()[:500],
            )
        return (Path(folder) / f"{name}.{ending}").read_bytes()


def _packed(entries: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with ZipFile(held, "w", ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            info = ZipInfo(name, DATE)
            info.compress_type, info.external_attr, info.create_system = ZIP_DEFLATED, 0o644 << 16, 3
            archive.writestr(info, data, compresslevel=1)  # a third of the time of the usual level
    return held.getvalue()


def _notes(found: Taken) -> Iterator[str]:
    """Sentences on the parts of a model that an FMU does not contain or changes."""
    yield from found.notes
    eq = found.equations
    data = [name for name, entry in found.stated_inputs.items() if entry.signal is not None]
    if data:
        yield tr("The inputs {names} follow their data until they are set from outside.", names=", ".join(data))
    inside = [name for name in found.stated_inputs if name not in found.inputs]
    if inside:
        yield tr("Inputs that are expressions in the model stay inside the FMU: {names}.", names=", ".join(inside))
    recorded = [name for name, (_, stop) in eq.events.items() if not stop]
    if recorded:
        yield tr(
            "Events are indicators for model exchange; the FMU itself does not record them: {names}.",
            names=", ".join(recorded),
        )
    if found.modes:
        yield tr(
            "FMI has no place for events at an accumulation point: a contact whose bounces die out is closed when the "
            "rest of them is below 1e-6 of the first flight, and in model exchange every bounce before is an event of "
            "the importer."
        )
