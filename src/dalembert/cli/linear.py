"""The command `linearize`: one state, or a root locus over many."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dalembert.cli.flags import (
    file_option,
    json_option,
    method_option,
    model_argument,
    set_option,
    strict_option,
    together,
)
from dalembert.cli.options import answered, numbers, record_of, settings, split_names
from dalembert.errors import ModelError

if TYPE_CHECKING:
    from dalembert.model.record import ModelRecord
    from dalembert.results.linearization import Linearization
    from dalembert.results.locus import Locus


@dataclass(frozen=True, slots=True)
class Near:
    """Options about the state that the equations are linearized at."""

    method: str | None
    steady: bool
    hold: str | None
    strict: bool

    @property
    def held(self) -> list[str]:
        return [] if self.hold is None else split_names(self.hold)


@dataclass(frozen=True, slots=True)
class Measured:
    """Options about inputs, outputs and a regulator."""

    inputs: str | None
    outputs: str | None
    lqr: str | None

    @property
    def something(self) -> bool:
        return (self.inputs, self.outputs, self.lqr) != (None, None, None)


@click.command(short_help="Steady motions, modes, eigenvalues, root loci.")
@model_argument
@method_option
@set_option
@click.option("--steady", is_flag=True, help="At the steady motion nearest to the initial state.")
@click.option("--hold", metavar="A,B'", help="Keep these while a steady motion is looked for.")
@click.option("--vary", metavar="NAME=FROM:TO:N", help="Over a parameter, coordinate or speed: root locus.")
@file_option(help="The root locus, or Bode diagram and step responses, written by its ending: .csv .json .png .svg")
@click.option("--inputs", metavar="A,B", help="Inputs or parameters; default the model's [inputs].")
@click.option("--outputs", metavar="A,B'", help="What is measured; default the model's [outputs], else coordinates.")
@click.option("--lqr", metavar="Q=…,R=…", help="A regulator with these weights: Q=1 or Q=[…] or Q=x:1 theta:10.")
@strict_option
@json_option
@together(Near)
@together(Measured)
def linearize(
    model: str,
    pairs: tuple[str, ...],
    near: Near,
    measured: Measured,
    vary: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Steady motions, matrices, modes and eigenvalues of the equations near a state, or near a family of them."""
    record = record_of(model, settings(pairs))
    if vary is None:
        answered(_at_one_state(record, near, measured, output), as_json)
    elif measured.something:
        raise ModelError("--inputs, --outputs and --lqr look at one state; leave out --vary.")
    else:
        answered(_over_many(record, near, vary, output), as_json)


def _at_one_state(record: ModelRecord, near: Near, measured: Measured, output: Path | None) -> Linearization:
    """Write the part about inputs and outputs if a file was named."""
    from dalembert.api.control import Asked, weights_of
    from dalembert.api.linearize import linearize
    from dalembert.results.control import ENDINGS
    from dalembert.results.write import check_target

    if output is not None:
        check_target(output, ENDINGS)
    asked = Asked(
        None if measured.inputs is None else tuple(split_names(measured.inputs)),
        None if measured.outputs is None else tuple(split_names(measured.outputs)),
        None if measured.lqr is None else weights_of(measured.lqr),
    )
    found = linearize(record, near.method, near.strict, near.steady, near.held, asked)
    if output is not None and found.control is None:
        raise ModelError(
            "-o writes a root locus (say over what with --vary), or responses from inputs to "
            "outputs, and this model has no inputs; name parameters with --inputs."
        )
    if output is not None and found.control is not None:
        found.control.save(output)
    return found


def _over_many(record: ModelRecord, near: Near, vary: str, output: Path | None) -> Locus:
    """The root locus. It is written if a file was named."""
    from dalembert.results.locus import ENDINGS
    from dalembert.results.write import check_target

    if output is not None:
        check_target(output, ENDINGS)
    name, values = varied(vary)
    from dalembert.api.linearize import root_locus

    found = root_locus(record, name, values, near.method, near.steady, near.held)
    if output is not None:
        found.save(output)
    return found


def varied(text: str) -> tuple[str, list[float]]:
    """Parse --vary: NAME=FROM:TO:N, which includes FROM and TO, or NAME=A,B,C."""
    name, equals, values = text.partition("=")
    parts = values.split(":")
    if not (equals and name.strip() and values.strip()) or len(parts) not in (1, 3):
        raise ModelError('--vary was given {text!r}; NAME=FROM:TO:N is expected, as in --vary "v=0:10:101".', text=text)
    if len(parts) == 1:
        return name.strip(), numbers(values, "--vary")
    first, last = numbers(parts[0], "--vary") + numbers(parts[1], "--vary")
    try:
        count = int(parts[2])
    except ValueError:
        raise ModelError("--vary was given {parts!r} where the number of values is expected.", parts=parts[2]) from None
    from dalembert.api.linearize import FEWEST, MOST

    if not FEWEST <= count <= MOST:
        raise ModelError(
            "--vary was given {count} values of {name}; {fewest} to {most} are expected.",
            count=count,
            name=name.strip(),
            fewest=FEWEST,
            most=MOST,
        )
    return name.strip(), [first + (last - first) * (i / (count - 1)) for i in range(count)]
