"""The commands: each reads its options, asks the API, and prints."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.options import interrupted, numbers, say, settings, split_names, told

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="A model file, or the name of a model of the gallery.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Method = Annotated[str | None, typer.Option("--method", metavar="ID", help="The method of derivation.")]
Settings = Annotated[
    list[str],
    typer.Option("--set", metavar="NAME=VALUE", help="Another value of a parameter, coordinate or speed (x'=2)."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse an initial state that misses a constraint.")]


class Format(StrEnum):
    text = "text"
    latex = "latex"
    html = "html"
    json = "json"


def _version(asked: bool) -> None:
    if asked:
        from dalembert import __version__

        say(f"dalembert {__version__}")
        raise typer.Exit


@app.callback()
def dalembert(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="The version.")] = False,
) -> None:
    """Equations of motion of constrained mechanical systems: derived, solved, simulated."""


@app.command()
def gallery(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Print this model's file.")] = None,
    json: Json = False,
) -> None:
    """List the gallery, or print the file of one of its models."""
    from dalembert.gallery import names, summary, text

    if name is not None:
        say(text(name).rstrip("\n"))
        return
    summaries = {name: summary(name) for name in names()}
    if json:
        told({name: {"title": title, "reference": reference} for name, (title, reference) in summaries.items()})
        return
    width = max(map(len, summaries), default=0)
    for name, (title, _) in summaries.items():
        say(f"{name.ljust(width)}   {title}")


@app.command()
def check(model: ModelName, json: Json = False) -> int:
    """Read and check a model: degrees of freedom, the kind of every constraint, redundancy."""
    from dalembert.api.examine import Examination, examine
    from dalembert.cli.options import record_of
    from dalembert.errors import ModelError

    try:
        found = examine(record_of(model))
    except ModelError as error:
        if json:
            told(Examination(faults=error.faults).to_dict())
        raise
    told(found.to_dict()) if json else say(str(found))
    return 0


@app.command()
def derive(
    model: ModelName,
    method: Method = None,
    format: Annotated[Format, typer.Option("--format", help="How the equations are written.")] = Format.text,
    steps: Annotated[bool, typer.Option("--steps", help="The derivation as the paper lays it out.")] = False,
    json: Json = False,
) -> None:
    """Derive the equations of motion."""
    from dalembert.cli.options import record_of
    from dalembert.formalisms import derive as derived
    from dalembert.report.derivation import Derivation

    record = record_of(model)
    derivation = Derivation(derived(record, method), record.title)
    if json or format is Format.json:
        told(derivation.to_dict(steps))
    else:
        say({Format.text: derivation.text, Format.latex: derivation.latex, Format.html: derivation.html}[format](steps))


@app.command()
def solve(
    model: ModelName,
    method: Method = None,
    set: Settings = [],  # noqa: B006
    reactions: Annotated[
        str | None, typer.Option("--reactions", metavar="A,B", help="Only these constraints'.")
    ] = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Accelerations, multipliers and reactions at the initial state."""
    from dalembert.api.instant import solve as solved
    from dalembert.cli.options import record_of

    record = record_of(model, settings(set))
    state = solved(record, method, None if reactions is None else split_names(reactions), strict)
    told(state.to_dict()) if json else say(str(state))


@app.command()
def simulate(
    model: ModelName,
    method: Method = None,
    until: Annotated[float | None, typer.Option("--until", metavar="T", help="The time at which it ends.")] = None,
    samples: Annotated[int | None, typer.Option("--samples", metavar="N", min=2, help="Number of samples.")] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="T1,T2,…", help="The sample times themselves.")] = None,
    set: Settings = [],  # noqa: B006
    tolerance: Annotated[float | None, typer.Option("--tolerance", help="Of each step, relative.")] = None,
    stepper: Annotated[str | None, typer.Option("--stepper", help="auto, dop853, gauss or radau.")] = None,
    step: Annotated[float | None, typer.Option("--step", help="Step of a fixed-step stepper.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Written by its ending: .csv .json .nc .parquet .png .svg"),
    ] = None,
    strict: Strict = False,
    json: Json = False,
) -> int:
    """The motion from the initial state."""
    from dalembert.cli.options import record_of
    from dalembert.cli.progress import Bar

    if output is not None:
        from dalembert.results.write import check_target

        check_target(output)
    wanted: dict[str, Any] = {"until": until, "samples": samples, "at": None if at is None else numbers(at, "--at")}
    record = record_of(model, settings(set))
    from dalembert.api.motion import simulate as simulated

    with Bar() as bar:
        motion = simulated(
            record, method, **wanted, tolerance=tolerance, stepper=stepper, step=step, strict=strict, progress=bar.show
        )
    if output is not None:
        motion.save(output)
    if json:
        told(motion.to_dict())
    else:
        say(str(motion))
        if output is not None:
            say(f"written: {output}")
    return interrupted(motion.status)
