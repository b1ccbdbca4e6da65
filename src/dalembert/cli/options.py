"""Parts that all commands share: models by name, settings, lists of numbers, and printing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.errors import ModelError
from dalembert.language import tr

if TYPE_CHECKING:
    from dalembert.model.record import ModelRecord

CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def say(text: str) -> None:
    """Print text without control characters, so that a title cannot send commands to a terminal."""
    print(text.translate(CONTROLS))


def told(answer: dict[str, Any]) -> None:
    """Print one answer as JSON."""
    from dalembert.results.write import json_text

    print(json_text(answer))


def answered(found: Any, as_json: bool) -> None:
    """Print an answer, as JSON or as text."""
    told(found.to_dict()) if as_json else say(str(found))


def record_of(name: str, changes: Mapping[str, str] | None = None, description: str | None = None) -> ModelRecord:
    """Read a model from a file or the gallery, and apply the values of --set and the requested description."""
    from dalembert.model.read import read

    record = read(_place(name))
    if changes:
        from dalembert.model.change import with_settings

        record = with_settings(record, changes)
    if description is not None:
        from dalembert.api.describe import described

        record = described(record, description)
    return record


def _place(name: str) -> Path:
    from dalembert.collection import names, path

    file = Path(name)
    try:
        if file.is_file():
            return file
    except ValueError:
        raise ModelError("{name!r} cannot be the name of a file.", name=name) from None
    known = names()
    if name in known:
        return path(name)
    if file.exists() or file.suffix == ".toml" or len(file.parts) > 1:
        return file  # the reader reports what is wrong with it
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    hint = (
        tr("the nearest name in the gallery is {near}", near=near[0])
        if near
        else tr("`dalembert gallery` lists the gallery")
    )
    raise ModelError(
        "there is no file {name!r} and no model of that name in the gallery; {hint}.", name=name, hint=hint
    )


def settings(pairs: Iterable[str]) -> dict[str, str]:
    """Parse the NAME=VALUE of every --set."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise ModelError(
                '--set was given {pair!r}; NAME=VALUE is expected, as in --set R=0.3 or --set "theta\'=0.1".', pair=pair
            )
        found[name.strip()] = value.strip()
    return found


ENDINGS = {".txt": "text", ".tex": "latex", ".html": "html", ".htm": "html", ".json": "json"}


def form_of(form: str | None, output: Path | None) -> str:
    """The form of an answer: as given by --format, else by the ending of the file, else text."""
    if output is None:
        return form or "text"
    from dalembert.results.write import check_target

    check_target(output, ENDINGS if form is None else (output.suffix.lower(),))
    return form or ENDINGS[output.suffix.lower()]


def document(answer: str | dict[str, Any] | list[Any], output: Path | None) -> None:
    """Print an answer, or write it to a file."""
    from dalembert.results.write import json_text, placed

    if output is None:
        say(answer) if isinstance(answer, str) else print(json_text(answer))
        return
    text = answer.translate(CONTROLS) if isinstance(answer, str) else json_text(answer)
    placed(output, lambda path: path.write_text(text + "\n", encoding="utf-8"))
    print(tr("written: {output}", output=output))


def split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def numbers(text: str, option: str) -> list[float]:
    """Parse numbers that are separated by commas."""
    found = []
    for part in text.split(","):
        try:
            found.append(float(part))
        except ValueError:
            raise ModelError(
                "{option} was given {part!r}; numbers between commas are expected, as in 0.5,1,2.",
                option=option,
                part=part,
            ) from None
    return found
