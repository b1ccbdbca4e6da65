"""Options that several commands take, and records of options that belong together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any

import click

from dalembert.language import LANGUAGES, tr

Command = Callable[..., Any]

model_argument = click.argument("model", metavar="MODEL")
lang_option = click.option(  # read by `spoken.asked` before the call begins
    "--lang", metavar="|".join(LANGUAGES), expose_value=False, help="The language; default that of the locale."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
method_option = click.option("--method", metavar="ID", help="The method of derivation; see dalembert derive --help.")
until_option = click.option("--until", type=float, metavar="T", help="The time of the end; default as the model says.")
tolerance_option = click.option("--tolerance", type=float, metavar="X", help="Of each step, relative; default 1e-9.")
stepper_option = click.option("--stepper", metavar="NAME", help="auto (default), dop853, gauss, radau or taylor.")
step_option = click.option("--step", type=float, metavar="H", help="The step of gauss; the longest one of dop853.")
samples_option = click.option("--samples", type=click.IntRange(min=2), metavar="N", help="Number of samples.")
strict_option = click.option("--strict", is_flag=True, help="Refuse an initial state that misses a constraint.")
plot_option = click.option(
    "--plot",
    metavar="WHAT",
    help="What a picture shows: names (x,theta'), phase or phase:theta, path or path:x,y; default all over time.",
)
reactions_option = click.option(
    "--reactions", metavar="A,B", help="Reactions of these constraints only, by a small matrix."
)
description_option = click.option(
    "--description",
    type=click.Choice(["segmented", "whole-course"]),
    help="How contacts are described; default as the model says.",
)
set_option = click.option(
    "--set",
    "pairs",
    metavar="NAME=VALUE",
    multiple=True,
    help="Another value of a parameter, coordinate or speed (x'=2); may be repeated.",
)


def file_option(help: str, metavar: str = "FILE") -> Callable[[Command], Command]:
    """-o, with a help of its own."""
    return click.option("-o", "--output", metavar=metavar, type=click.Path(path_type=Path), help=help)


def together(kind: type) -> Callable[[Command], Command]:
    """Pass the options that are fields of a record as one argument, named like the record in lower case."""
    names = [field.name for field in fields(kind)]

    def decorated(command: Command) -> Command:
        @wraps(command)
        def called(**options: Any) -> Any:
            record = kind(**{name: options.pop(name) for name in names})
            return command(**options, **{kind.__name__.lower(): record})

        return called

    return decorated


def once(command: click.Command, flag: str = "-o") -> None:
    """Refuse a repetition of this option: of several, click would silently keep the last."""
    for option in command.params:
        if isinstance(option, click.Option) and flag in option.opts and not option.multiple:
            option.multiple, option.callback = True, _only


def _only(context: click.Context, option: click.Parameter, values: tuple[Any, ...]) -> Any:
    if len(values) > 1:
        met = tr(" and ").join(str(value) for value in values)
        raise click.UsageError(
            tr(
                "{opts} was given {count} times, with {met}; give it once",
                opts=option.opts[0],
                count=len(values),
                met=met,
            ),
            context,
        )
    return values[0] if values else None
