"""The command line's commands, by name. A call loads the file of its own command alone."""

from __future__ import annotations

from importlib import import_module

import click

from dalembert import __version__
from dalembert.cli.flags import lang_option, once
from dalembert.cli.spoken import speak

COMMANDS = {  # in the order of use: the module that has the command
    "gallery": "models",
    "convert": "models",
    "check": "models",
    "derive": "equations",
    "audit": "equations",
    "paper": "equations",
    "export": "equations",
    "solve": "answers",
    "simulate": "motions",
    "compare": "answers",
    "analyze": "answers",
    "linearize": "linear",
    "connect": "motions",
    "sweep": "sweep",
    "plot": "sweep",
    "lab": "server",
}


class InOrder(click.Group):
    """A group that lists its commands in the order of use, and loads one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, in the language of the context. For an unknown name all are loaded: click names the nearest."""
        for name in (cmd_name,) if cmd_name in COMMANDS else COMMANDS:
            if name not in self.commands:
                self.add_command(getattr(import_module(f"dalembert.cli.{COMMANDS[name]}"), name), name)
        found = self.commands.get(cmd_name)
        if found is not None:
            speak(found)
        return found

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        once(cmd)
        lang_option(cmd)
        super().add_command(cmd, name)


@click.group(
    cls=InOrder,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
To begin with:
  dalembert gallery                             the models that come with it
  dalembert derive rolling-disk --steps         equations, and how one comes to them
  dalembert simulate rolling-disk -o disk.html  a page that plays the motion
  dalembert lab                                 a page to change models in
`dalembert COMMAND --help` says what a command takes.""",
)
@click.version_option(__version__, message="dalembert %(version)s")
@lang_option
def app() -> None:
    """Equations of motion of constrained mechanical systems: derived, solved, simulated.

    MODEL is a model file, or the name of a model of the gallery.
    """
