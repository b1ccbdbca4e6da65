"""The language of a call: `--lang` anywhere in it, else the locale. Help texts are translated when a call begins."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from inspect import cleandoc
from itertools import zip_longest

import click

from dalembert.errors import ModelError
from dalembert.language import LANGUAGES, english, known, marked, tr

CLICK = marked(  # sentences of click itself, by gettext
    "Usage:",
    "Options",
    "Commands",
    "Positional arguments",
    "Show this message and exit.",
    "Show the version and exit.",
    "Missing command.",
    "Missing argument",
    "Missing option",
    "Missing parameter",
    "Missing parameter: {param_name}",
    "Missing {param_type}",
    "No such option {name!r}.",
    "No such command {name!r}.",
    "Did you mean {possibility}?",
    "(Did you mean one of: {possibilities}?)",
    "Invalid value: {message}",
    "Invalid value for {param_hint}: {message}",
    "Got unexpected extra argument ({args})",
    "Got unexpected extra arguments ({args})",
    "Option {name!r} does not take a value.",
    "Option {name!r} requires an argument.",
    "Option {name!r} requires {nargs} arguments.",
    "{value!r} is not {choice}.",
    "{value!r} is not one of {choices}.",
    "{value!r} is not a valid {number_type}.",
    "{value} is not in the range {range}.",
    "Choose from:\n\t{choices}",
    "Error: {message}",
    "Try '{command} {option}' for help.",
)


def asked(arguments: Sequence[str]) -> str:
    """The language that a call asks for, or "" if it leaves that to the locale."""
    for option, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        if option == "--":
            break
        name, equals, value = option.partition("=")
        if name == "--lang":
            return _language(value if equals else following)
    return ""


def _language(name: str) -> str:
    if not known(name):
        raise ModelError("--lang was given {name!r}; {known} is expected", name=name, known=tr(" or ").join(LANGUAGES))
    return known(name)


def speak(command: click.Command) -> None:
    """Translate the help texts of a command and of its options into the language of the context."""
    command.help = tr(cleandoc(english(command.help or "")))
    command.short_help, command.epilog = _said(command.short_help), _said(command.epilog)
    command._help_option = None  # click would keep the one that it made in another language
    for option in command.params:
        if isinstance(option, click.Option):
            option.help = _said(option.help)


def _said(text: str | None) -> str | None:
    return None if text is None else tr(english(text))


def teach_click() -> None:
    """Let click look up its own sentences in our catalogue: in its modules `_` is the name of gettext."""
    for name in ("core", "decorators", "exceptions", "formatting", "parser", "types"):
        module = sys.modules[f"click.{name}"]
        module._ = tr  # type: ignore[attr-defined]
        if hasattr(module, "ngettext"):
            module.ngettext = _counted  # type: ignore[attr-defined]


def _counted(one: str, many: str, count: int) -> str:
    return tr(one if count == 1 else many)
