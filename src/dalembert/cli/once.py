"""Options that may be given only once: of several, click would silently keep the last."""

from __future__ import annotations

from typing import Any

import click

from dalembert.language import tr


def once(command: click.Command, flag: str = "-o") -> None:
    """Refuse a repetition of this option, since all but one would be dropped."""
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
