"""Commands that answer a question on a model: its state, its methods, its analysis."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import click

from dalembert.cli.flags import (
    description_option,
    json_option,
    method_option,
    model_argument,
    reactions_option,
    samples_option,
    set_option,
    strict_option,
    together,
    until_option,
)
from dalembert.cli.options import answered, record_of, say, settings, split_names, told


@click.command(short_help="Accelerations and reactions at the start.")
@model_argument
@method_option
@set_option
@reactions_option
@click.option("--exact", is_flag=True, help="Exact values, parameters as letters: -18*g/(55*l).")
@description_option
@strict_option
@json_option
def solve(
    model: str,
    method: str | None,
    pairs: tuple[str, ...],
    reactions: str | None,
    description: str | None,
    exact: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Accelerations, multipliers and reactions at the initial state."""
    changes = settings(pairs)
    record = record_of(model, changes, description)
    wanted = None if reactions is None else split_names(reactions)
    state: Any
    if exact:
        from dalembert.api.exact import solve_exactly

        state = solve_exactly(record, method, wanted)
    else:
        from dalembert.api.instant import solve as solved

        state = solved(record, method, wanted, strict)
    answered(state, as_json)


@click.command(short_help="All methods side by side: who agrees.")
@model_argument
@click.option("--methods", metavar="A,B", help="Only these methods; default all that take the model.")
@until_option
@samples_option
@set_option
@json_option
def compare(
    model: str, methods: str | None, until: float | None, samples: int | None, pairs: tuple[str, ...], as_json: bool
) -> None:
    """The same state and motion by every method: who agrees, and where models of constraint differ."""
    record = record_of(model, settings(pairs))
    from dalembert.api.compare import compare as compared

    found = compared(record, None if methods is None else split_names(methods), until, samples)
    answered(found, as_json)


@dataclass(frozen=True, slots=True)
class Searched:
    """Options about quantities that are looked for."""

    inputs: tuple[str, ...]
    checks: tuple[str, ...]
    basis: tuple[str, ...]
    quadratic: bool


@click.command(short_help="Integrability, free motion, what is conserved.")
@model_argument
@click.option(
    "--parts", metavar="A,B", help="Only these of constraints, free, models, stability, conserved; default all."
)
@click.option("--inputs", metavar="DIRECTION", multiple=True, help="A direction that can be driven; may be repeated.")
@click.option("--check", "checks", metavar="EXPR", multiple=True, help="Is this conserved? May be repeated.")
@click.option("--basis", metavar="EXPR", multiple=True, help="A quantity for the search of integrals; may be repeated.")
@click.option("--quadratic", is_flag=True, help="Search integrals among products of two speeds, too.")
@click.option("--until", type=float, metavar="T", help="The time at which the motions looked at end.")
@click.option("--seconds", type=float, metavar="S", help="Time for everything.")
@set_option
@click.option(
    "--format", "form", type=click.Choice(["text", "html", "json"]), default="text", help="How the answer is written."
)
@json_option
@together(Searched)
def analyze(
    model: str,
    parts: str | None,
    searched: Searched,
    until: float | None,
    seconds: float | None,
    pairs: tuple[str, ...],
    form: str,
    as_json: bool,
) -> None:
    """Integrability, reach, free motion, models of constraint, conserved quantities."""
    record = record_of(model, settings(pairs))
    from dalembert.api.analyze import SECONDS
    from dalembert.api.analyze import analyze as analyzed

    found = analyzed(
        record,
        None if parts is None else split_names(parts),
        **asdict(searched),
        until=until,
        seconds=SECONDS if seconds is None else seconds,
    )
    if as_json or form == "json":
        told(found.to_dict())
    else:
        say(found.html() if form == "html" else str(found))
