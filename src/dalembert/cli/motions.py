"""Commands that follow a motion: `simulate`, and `connect` to a given end."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.cli.flags import (
    description_option,
    file_option,
    json_option,
    method_option,
    model_argument,
    plot_option,
    reactions_option,
    samples_option,
    set_option,
    step_option,
    stepper_option,
    strict_option,
    together,
    tolerance_option,
    until_option,
)
from dalembert.cli.main import INTERRUPTED
from dalembert.cli.options import answered, numbers, record_of, say, settings, split_names, told
from dalembert.errors import ModelError
from dalembert.language import tr

if TYPE_CHECKING:
    from dalembert.model.record import ModelRecord
    from dalembert.results.motion import Motion

FILMS = (".html", ".gif", ".mp4")  # these show the motion between the samples too, as do the pictures of BETWEEN
BETWEEN = ("phase", "path")


@dataclass(frozen=True, slots=True)
class Followed:
    """Options about the motion."""

    method: str | None
    until: float | None
    samples: int | None
    at: str | None
    tolerance: float | None
    stepper: str | None
    step: float | None
    strict: bool

    @property
    def words(self) -> dict[str, Any]:
        """The same as words of the API."""
        return asdict(self) | {"at": None if self.at is None else numbers(self.at, "--at")}


@dataclass(frozen=True, slots=True)
class Reported:
    """Options about what is reported besides the motion itself."""

    reactions: str | None
    sensitivity: str | None
    of: str | None


@dataclass(frozen=True, slots=True)
class Showing:
    """Options about where and how a motion is shown."""

    output: Path | None
    plot: str | None
    describe: bool
    as_json: bool


@click.command(short_help="The motion: numbers, pictures, an animated page.")
@click.argument("model", required=False)
@click.option(
    "--again", "file", metavar="FILE", type=click.Path(path_type=Path), help="The motion of a file once more."
)
@method_option
@until_option
@samples_option
@click.option("--at", metavar="T1,T2,…", help="The sample times themselves.")
@set_option
@tolerance_option
@stepper_option
@step_option
@file_option(help="Written by its ending: .csv .json .nc .zarr .parquet .png .svg .html (an animated page) .gif .mp4")
@click.option("--describe", is_flag=True, help="In .csv, a first line says how the motion was made, not a second file.")
@plot_option
@click.option("--sensitivity", metavar="A,B'", help="Derivatives of the motion by these parameters and beginnings.")
@click.option("--of", metavar="X,Y'", help="Of these quantities only; default coordinates, speeds, definitions.")
@reactions_option
@description_option
@strict_option
@json_option
@together(Followed)
@together(Reported)
@together(Showing)
def simulate(
    model: str | None,
    file: Path | None,
    pairs: tuple[str, ...],
    description: str | None,
    followed: Followed,
    reported: Reported,
    showing: Showing,
) -> int:
    """The motion from the initial state."""
    picture = drawing(showing.plot, showing.output)
    if showing.describe or (file is not None and _has_first_line(file)):
        picture |= {"describe": True}
    if file is not None:
        said = {"MODEL": model, "set": pairs, "description": description, **asdict(followed), **asdict(reported)}
        motion, course = _repeated(file, [name for name, value in said.items() if value])
    elif model is None:
        raise click.MissingParameter(param_hint="'MODEL'", param_type="argument")
    else:
        words = followed.words
        record = record_of(model, settings(pairs), description)
        course = record.simulation.description
        if reported.sensitivity is not None or reported.of is not None:
            motion = _differentiated(record, reported, words)
        else:
            film = showing.output is not None and showing.output.suffix.lower() in FILMS
            motion = _followed(record, reported, {**words, "dense": film or picture.get("kind") in BETWEEN})
    return _shown(motion, showing, picture, course)


def _has_first_line(file: Path) -> bool:
    """Whether the table's own first line says how the motion was made."""
    from dalembert.results.origin import is_described

    return file.suffix.lower() == ".csv" and file.is_file() and is_described(file)


def _repeated(file: Path, other: list[str]) -> tuple[Motion, str]:
    """The motion of a file again, and its description. The file determines everything; other options are refused."""
    from dalembert.api.again import again
    from dalembert.cli.progress import Bar
    from dalembert.model.read import read_text

    if other:
        raise ModelError("--again takes all from the file; leave out {names}", names=", ".join(other))
    with Bar() as bar:
        motion = again(file, bar.show)
    assert motion.origin is not None
    return motion, read_text(motion.origin.model).simulation.description


def _followed(record: ModelRecord, reported: Reported, words: dict[str, Any]) -> Motion:
    from dalembert.api.motion import simulate
    from dalembert.cli.progress import Bar

    wanted = None if reported.reactions is None else split_names(reported.reactions)
    with Bar() as bar:
        return simulate(record, progress=bar.show, reactions=wanted, **words)


def _differentiated(record: ModelRecord, reported: Reported, words: dict[str, Any]) -> Motion:
    """The motion with its derivatives."""
    if reported.sensitivity is None:
        raise ModelError('--of names what is differentiated; say by what with --sensitivity, as in --sensitivity "R".')
    if reported.reactions is not None:
        raise ModelError("--sensitivity reports the reactions of all constraints; leave out --reactions.")
    from dalembert.api.sensitivity import sensitivities

    wanted = None if reported.of is None else split_names(reported.of)
    return sensitivities(record, split_names(reported.sensitivity), wanted, **words).motion


def _shown(motion: Motion, showing: Showing, picture: dict[str, Any], description: str) -> int:
    """Write and print a motion. Return the exit status."""
    files = [] if showing.output is None else motion.save(showing.output, **picture)
    if showing.as_json:
        told({**motion.to_dict(), "description": description})
    else:
        say(str(motion))
        if motion.sensitivities is not None:
            say(f"\n{motion.sensitivities}")
        for path in files:
            say(tr("written: {output}", output=path))
    return INTERRUPTED if motion.status == "interrupted" else 0


@click.command(short_help="A vakonomic motion from here to there.")
@model_argument
@click.option("--to", metavar="x=…,y=…", required=True, help="Where it ends; coordinates left out are free there.")
@until_option
@samples_option
@set_option
@file_option(help="Written by its ending: .csv .json .nc .parquet .png .svg .html (an animated page) .gif .mp4")
@plot_option
@json_option
def connect(
    model: str,
    to: str,
    until: float | None,
    samples: int | None,
    pairs: tuple[str, ...],
    output: Path | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """A vakonomic motion from the initial configuration to another."""
    picture = drawing(plot, output)
    wanted = target(to)
    record = record_of(model, settings(pairs))
    from dalembert.api.connect import connect as connected

    found = connected(record, wanted, until, samples)
    if output is not None:
        found.save(output, **picture)
    answered(found, as_json)


def drawing(plot: str | None, output: Path | None) -> dict[str, Any]:
    """Parse --plot. Refuse a file that cannot be written before anything is computed."""
    if output is None:
        if plot is not None:
            raise ModelError("--plot says what a picture shows; name its file, too: -o motion.png.")
        return {}
    from dalembert.results.write import check_target

    kind, _, names = (plot or "").partition(":")
    if kind in ("time", "phase", "path"):
        shown: dict[str, Any] = {"kind": kind, "of": split_names(names)}
    else:
        shown = {} if plot is None else {"names": split_names(plot)}
    check_target(output, drawing=shown)
    return shown


def target(text: str) -> dict[str, str]:
    """Parse --to: NAME=VALUE, separated by commas. A value may contain commas in brackets: atan2(1, 2)."""
    found: dict[str, str] = {}
    for pair in re.split(r",(?=\s*\w+\s*=)", text):
        name, equals, value = pair.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise ModelError('--to was given {text!r}; coordinates are expected, as in --to "x=1, y=0".', text=text)
        if name.strip() in found:
            raise ModelError("--to was given {name} twice; each coordinate is expected once.", name=name.strip())
        found[name.strip()] = value.strip()
    return found
