"""The one folder whose models the page may open and save, by bare names. It cannot reach any other part of the disk."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dalembert.lab.refusal import Refusal
from dalembert.language import mark, tr

_BARE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ .-]{0,79}\.toml")
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)\b.*")  # reserved names of Windows
MOST = 1000  # listed names
EXISTS = mark("{name} exists already; confirm that it shall be replaced.")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with its links resolved. The path is None if no folder was chosen."""

    path: Path | None

    def names(self) -> list[str]:
        if self.path is None:
            return []
        found = [name for name in os.listdir(self.path) if _BARE.fullmatch(name)]
        return sorted(name for name in found if self._lies_inside(name))[:MOST]

    def open(self, name: str, largest: int) -> str:
        """The text of a model in the folder."""
        path = self._place(name)
        if not path.is_file():
            raise Refusal(404, tr("there is no file {name} in the folder.", name=name))
        with path.open("rb") as file:
            data = file.read(largest + 1)
        if len(data) > largest:
            raise Refusal(
                413,
                tr("{name} is larger than {largest} bytes, the most that the lab opens.", name=name, largest=largest),
            )
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise Refusal(422, tr("{name} is not UTF-8; save it as UTF-8.", name=name)) from None

    def save(self, name: str, text: str, replace: bool) -> None:
        """Write a model to a temporary file and rename it. An existing file is replaced only if `replace` says so."""
        path = self._place(name)
        if path.exists() and not replace:
            raise Refusal(409, tr(EXISTS, name=name), exists=True)
        if path.exists() and not path.is_file():
            raise Refusal(409, tr("{name} is not a regular file; choose another name.", name=name))
        assert self.path is not None
        try:
            handle, beside = tempfile.mkstemp(dir=self.path, prefix=".lab-", suffix=".toml")
        except OSError as error:
            raise Refusal(
                403, tr("{name} cannot be written: {strerror}.", name=name, strerror=error.strerror or error)
            ) from None
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.chmod(beside, path.stat().st_mode & 0o777 if path.exists() else 0o644)
            if replace:
                os.replace(beside, path)
            else:
                os.link(beside, path)  # fails where somebody else was faster
        except FileExistsError:
            raise Refusal(409, tr(EXISTS, name=name), exists=True) from None
        except OSError as error:
            raise Refusal(
                403, tr("{name} cannot be written: {strerror}.", name=name, strerror=error.strerror or error)
            ) from None
        finally:
            Path(beside).unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        if self.path is None:
            raise Refusal(
                404, tr("no folder was chosen; start the lab with --folder DIR to open and save files there.")
            )
        if not _BARE.fullmatch(name) or _DEVICES.fullmatch(name) or ".." in name:
            raise Refusal(
                400,
                tr("a file name has letters, digits, spaces, '.', '_' and '-', ends in .toml, and names no folder."),
            )
        if not self._lies_inside(name):
            raise Refusal(403, tr("{name} is a link to a place outside the folder; copy the file into it.", name=name))
        return (self.path / name).resolve()

    def _lies_inside(self, name: str) -> bool:
        assert self.path is not None
        try:
            return (self.path / name).resolve().parent == self.path
        except (OSError, RuntimeError):  # a link that leads to itself
            return False


def chosen(folder: Path | None) -> Folder:
    return Folder(None if folder is None else folder.resolve())
