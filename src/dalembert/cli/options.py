"""Parts that all commands share: models by name, settings, lists of numbers, and printing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.errors import ModelError
from dalembert.language import tr

if TYPE_CHECKING:
    from dalembert.model.record import Model

CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def say(text: str) -> None:
    """Print text without control characters, so that a title cannot send commands to a terminal."""
    print(text.translate(CONTROLS))


def told(answer: dict[str, Any]) -> None:
    """Print one answer as JSON."""
    from dalembert.results.write import json_text

    print(json_text(answer))


def record_of(name: str, changes: Mapping[str, str] | None = None, description: str | None = None) -> Model:
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
        raise ModelError(tr("{name!r} cannot be the name of a file.", name=name)) from None
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
        tr("there is no file {name!r} and no model of that name in the gallery; {hint}.", name=name, hint=hint)
    )


def settings(pairs: Iterable[str]) -> dict[str, str]:
    """Parse the NAME=VALUE of every --set."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise ModelError(
                tr(
                    '--set was given {pair!r}; NAME=VALUE is expected, as in --set R=0.3 or --set "theta\'=0.1".',
                    pair=pair,
                )
            )
        found[name.strip()] = value.strip()
    return found


def target(text: str) -> dict[str, str]:
    """Parse --to: NAME=VALUE, separated by commas. A value may contain commas in brackets: atan2(1, 2)."""
    found: dict[str, str] = {}
    for pair in re.split(r",(?=\s*\w+\s*=)", text):
        name, equals, value = pair.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise ModelError(tr('--to was given {text!r}; coordinates are expected, as in --to "x=1, y=0".', text=text))
        if name.strip() in found:
            raise ModelError(tr("--to was given {name} twice; each coordinate is expected once.", name=name.strip()))
        found[name.strip()] = value.strip()
    return found


def drawing(plot: str | None, output: Path | None) -> dict[str, Any]:
    """Parse --plot. Refuse a file that cannot be written before anything is computed."""
    if output is None:
        if plot is not None:
            raise ModelError(tr("--plot says what a picture shows; name its file, too: -o motion.png."))
        return {}
    from dalembert.results.write import check_target

    kind, _, names = (plot or "").partition(":")
    if kind in ("time", "phase", "path"):
        shown: dict[str, Any] = {"kind": kind, "of": split_names(names)}
    else:
        shown = {} if plot is None else {"names": split_names(plot)}
    check_target(output, drawing=shown)
    return shown


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
                tr(
                    "{option} was given {part!r}; numbers between commas are expected, as in 0.5,1,2.",
                    option=option,
                    part=part,
                )
            ) from None
    return found


def varied(text: str) -> tuple[str, list[float]]:
    """Parse --vary: NAME=FROM:TO:N, which includes FROM and TO, or NAME=A,B,C."""
    name, equals, values = text.partition("=")
    parts = values.split(":")
    if not (equals and name.strip() and values.strip()) or len(parts) not in (1, 3):
        raise ModelError(
            tr('--vary was given {text!r}; NAME=FROM:TO:N is expected, as in --vary "v=0:10:101".', text=text)
        )
    if len(parts) == 1:
        return name.strip(), numbers(values, "--vary")
    first, last = numbers(parts[0], "--vary") + numbers(parts[1], "--vary")
    try:
        count = int(parts[2])
    except ValueError:
        raise ModelError(
            tr("--vary was given {parts!r} where the number of values is expected.", parts=parts[2])
        ) from None
    from dalembert.api.linearize import FEWEST, MOST

    if not FEWEST <= count <= MOST:
        raise ModelError(
            tr(
                "--vary was given {count} values of {name}; {fewest} to {most} are expected.",
                count=count,
                name=name.strip(),
                fewest=FEWEST,
                most=MOST,
            )
        )
    return name.strip(), [first + (last - first) * (i / (count - 1)) for i in range(count)]


def linearization_of(
    record: Model, output: Path | None, inputs: str | None, outputs: str | None, lqr: str | None, **options: Any
) -> Any:
    """Compute linearize at one state, and write the part about inputs and outputs if a file was named."""
    from dalembert.api.control import Asked, weights_of
    from dalembert.api.linearize import linearize
    from dalembert.results.control import ENDINGS
    from dalembert.results.write import check_target

    if output is not None:
        check_target(output, ENDINGS)
    asked = Asked(
        None if inputs is None else tuple(split_names(inputs)),
        None if outputs is None else tuple(split_names(outputs)),
        None if lqr is None else weights_of(lqr),
    )
    found = linearize(record, asked=asked, **options)
    if output is not None and found.control is None:
        raise ModelError(
            tr(
                "-o writes a root locus (say over what with --vary), or responses from inputs to "
                "outputs, and this model has no inputs; name parameters with --inputs."
            )
        )
    if output is not None and found.control is not None:
        found.control.save(output)
    return found


def root_locus_of(record: Model, vary: str, output: Path | None, **options: Any) -> Any:
    """Compute linearize --vary, and write it if a file was named."""
    from dalembert.results.locus import ENDINGS
    from dalembert.results.write import check_target

    if output is not None:
        check_target(output, ENDINGS)
    name, values = varied(vary)
    from dalembert.api.linearize import root_locus

    found = root_locus(record, name, values, **options)
    if output is not None:
        found.save(output)
    return found


def differentiated(
    record: Model, method: str | None, sensitivity: str | None, of: str | None, times: Any, options: Mapping[str, Any]
) -> Any:
    """The motion of simulate --sensitivity, with its derivatives."""
    if sensitivity is None:
        raise ModelError(
            tr('--of names what is differentiated; say by what with --sensitivity, as in --sensitivity "R".')
        )
    from dalembert.api.sensitivity import sensitivities

    wanted = None if of is None else split_names(of)
    return sensitivities(record, split_names(sensitivity), wanted, method, at=times, **options).motion
