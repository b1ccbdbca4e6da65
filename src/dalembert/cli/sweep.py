"""The commands of sweeps: `sweep` computes one, `plot` draws it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.cli.flags import (
    file_option,
    json_option,
    method_option,
    model_argument,
    set_option,
    strict_option,
    together,
    tolerance_option,
    until_option,
)
from dalembert.cli.options import record_of, say, settings, told
from dalembert.errors import ModelError, Stopped
from dalembert.language import tr

if TYPE_CHECKING:
    from dalembert.sweep.run import Done


@dataclass(frozen=True, slots=True)
class Starting:
    """Options about the starts."""

    vary: tuple[str, ...]
    sample: int | None
    seed: int
    spread: tuple[str, ...]

    @property
    def words(self) -> dict[str, Any]:
        """The same as words of the API."""
        from dalembert.sweep.asked import pairs

        return asdict(self) | {"vary": pairs(self.vary, "--vary"), "spread": pairs(self.spread, "--spread")}


@dataclass(frozen=True, slots=True)
class Moved:
    """Options about every motion."""

    method: str | None
    until: float | None
    tolerance: float | None
    stepper: str | None
    step: float | None
    strict: bool


@dataclass(frozen=True, slots=True)
class Computed:
    """Options about where motions are computed."""

    gpu: bool
    engine: str | None
    threads: int | None
    cluster: str | None
    chunk: int | None

    @property
    def named_engine(self) -> str:
        from dalembert.sweep.order import ENGINES

        if self.gpu and self.engine not in (None, "gpu"):
            raise ModelError("--gpu and --engine {engine} were given; one of them is expected", engine=self.engine)
        return "gpu" if self.gpu else self.engine or ENGINES[0]


@dataclass(frozen=True, slots=True)
class Stored:
    """Options about what is kept, and where."""

    keep: tuple[str, ...]
    output: Path | None
    restart: bool


@click.command(short_help="Many motions: grids, random starts, GPUs.")
@model_argument
@click.option(
    "--vary",
    metavar="NAME=…",
    multiple=True,
    help="A grid 0.2:0.4:21 (or 1:1e3:7:log), a list 1,2,5, or a column of @FILE; several multiply.",
)
@click.option("--sample", type=int, metavar="N", help="Number of random starts.")
@click.option("--seed", type=int, default=0, metavar="N", help="Of the random starts; default 0.")
@click.option(
    "--spread",
    metavar="NAME=LAW",
    multiple=True,
    help="What is random: normal(mean,deviation), uniform(low,high), lognormal, loguniform, exponential, triangular.",
)
@click.option(
    "--record",
    "keep",
    metavar="WHAT",
    multiple=True,
    help="What is kept: final, 'max theta', 'theta at 1,2', 'crossing theta = 0', events, drift, trajectory, "
    "eigenvalues, …; default final.",
)
@until_option
@method_option
@set_option
@tolerance_option
@click.option("--stepper", metavar="NAME", help="auto (default), dop853, gauss, radau; rk4 on a GPU.")
@click.option("--step", type=float, metavar="H", help="The step of gauss and rk4; the longest one of dop853.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads; default one for each core.")
@click.option("--cluster", metavar="ADDRESS", help="Compute on a Dask scheduler: tcp://host:8786, or local.")
@click.option("--gpu", is_flag=True, help="Compute on an NVIDIA GPU.")
@click.option("--engine", metavar="NAME", help="threads, reference or gpu.")
@click.option("--chunk", type=int, metavar="N", help="Motions computed at once; default about two seconds' worth.")
@click.option("--restart", is_flag=True, help="Begin anew, and replace what is there.")
@file_option(
    help="Written by its ending: .zarr (default) .nc .parquet; the same command goes on with one that stopped."
)
@strict_option
@json_option
@together(Starting)
@together(Moved)
@together(Computed)
@together(Stored)
def sweep(
    model: str,
    pairs: tuple[str, ...],
    starting: Starting,
    moved: Moved,
    computed: Computed,
    stored: Stored,
    as_json: bool,
) -> None:
    """Many motions at once, over parameters, initial values or samples."""
    from dalembert.api.sweep import carried_out
    from dalembert.cli.signals import Signals
    from dalembert.cli.sweep_progress import SweepBar
    from dalembert.sweep.order import ordered
    from dalembert.sweep.run import SweepWatch, Unfinished

    output, restart = stored.output, stored.restart
    engine = computed.named_engine
    record = record_of(model, settings(pairs))
    order = ordered(record, **starting.words, keep=stored.keep or ("final",), engine=engine, **asdict(moved))
    with SweepBar() as bar, Signals() as stop:
        try:
            done = carried_out(
                order,
                output,
                restart=restart,
                chunk=computed.chunk,
                threads=computed.threads,
                cluster=computed.cluster,
                watch=SweepWatch(stop, bar.show, bar.say),
            )
        except Unfinished as error:
            raise Stopped(_stopped(error, output, restart), stop.status) from None
        except KeyboardInterrupt:
            if stop.received is None:
                raise
            kept = tr("; what was computed before is kept") if output is not None else ""
            raise Stopped(tr("interrupted{kept}.", kept=kept), stop.status) from None
    if as_json:
        told(_answer(done.dataset()))
    else:
        say(_text(done, output))


def _stopped(error: Any, output: Path | None, restart: bool) -> str:
    """A sentence: how much is kept, and how to continue."""
    if output is None:
        return tr("interrupted: nothing is kept without a file; name one with -o.")
    from dalembert.sweep.targets import named

    how = tr(" without --restart") if restart and not named(output).exists() else ""
    return tr(
        "interrupted: {done:,} of {size:,} motions are kept; the same command{how} goes on from there.",
        done=error.done,
        size=error.size,
        how=how,
    )


def _answer(found: Any) -> dict[str, Any]:
    """A small result as JSON. NaN becomes null."""
    most = 1_000_000
    if sum(array.size for array in found.variables.values()) > most:
        raise ModelError("the result has more than {most:,} numbers; --json is for small ones, -o for files", most=most)

    def listed(array: Any) -> Any:
        return _without_nan(array.values.tolist())

    return {
        "dimensions": {str(name): size for name, size in found.sizes.items()},
        "coordinates": {
            str(name): {"dimensions": list(array.dims), "values": listed(array)} for name, array in found.coords.items()
        },
        "variables": {
            str(name): {"dimensions": list(array.dims), "values": listed(array)}
            for name, array in found.data_vars.items()
        },
    }


def _without_nan(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and value != value else value


def _text(done: Done, output: Path | None) -> str:
    from dalembert.results.text.layout import number, table

    space, about, summary = done.layout.space, done.layout.attributes, done.summary
    lines = [about["title"]]
    sizes = " × ".join(f"{name} {size}" for name, size in zip(space.dimensions, space.shape, strict=True))
    if summary is None:
        return "\n".join(
            [
                *lines,
                tr("{sizes}: complete already, nothing was computed", sizes=sizes),
                tr("there: {output}", output=output),
            ]
        )
    ended = ", ".join(f"{count:,} {tr(word)}" for word, count in summary.counts.items())
    told = tr(
        "method {method}, {sizes}: {motions:,} motions, {ended}",
        method=about["method"],
        sizes=sizes,
        motions=summary.motions,
        ended=ended,
    )
    lines += [told, ""]
    rows = [
        [name, f"{int(known[0]):,}", *(number(value) for value in known[1:])] for name, known in summary.ranges.items()
    ]
    lines += table(["", tr("numbers"), tr("least"), tr("mean"), tr("greatest")], rows)
    if summary.example:
        lines += ["", tr("note: the first that failed: {example}", example=summary.example)]
    for text, count in summary.notes.items():
        lines += ["", tr("note: {count:,} motion{s}: {text}", count=count, s="s" * (count > 1), text=text)]
    if output is not None:
        from dalembert.sweep.targets import named

        lines += ["", tr("written: {output}", output=named(output))]
    return "\n".join(lines)


@click.command(short_help="Draw a sweep: maps, histograms, curves.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("names", nargs=-1)
@file_option(help="The picture: .png or .svg")
@click.option("--log", is_flag=True, help="Colours or heights by their logarithm.")
def plot(file: Path, names: tuple[str, ...], output: Path | None, log: bool) -> None:
    """Draw the result of a sweep: maps, basins, histograms or curves, by what the data are."""
    from dalembert.sweep.pictures import saved

    say(tr("written: {output}", output=saved(file, names, output, log)))
