"""Runs a command. Every failure becomes a sentence and an exit status.

0 done; 1 the mathematics failed; 2 the call or the model is at fault; 130, 143 stopped. Never a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from dalembert.errors import DalembertError, ModelError, Stopped
from dalembert.language import speaking, tr

INTERRUPTED = 130  # exit status of a program that Ctrl-C ended


def run(arguments: Sequence[str]) -> int:
    """Run one call. Return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # letters that a terminal lacks are written as escapes
            stream.reconfigure(errors="backslashreplace")
    try:
        from dalembert.cli.spoken import asked

        chosen = asked(arguments)
    except ModelError as error:
        return _told(str(error), 2)
    with speaking(chosen):
        return _finished(arguments)


def _finished(arguments: Sequence[str]) -> int:
    try:
        status = _called(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader has closed the pipe (`| head`)
        _silence()
        return 0
    except KeyboardInterrupt:
        return _told(tr("interrupted."), INTERRUPTED)
    except Stopped as error:
        return _told(str(error), error.status)
    except DalembertError as error:
        return _told(str(error), 2 if isinstance(error, ModelError) else 1)
    except RecursionError:
        return _told(tr("the model is nested too deeply; use definitions for its parts."), 2)
    except MemoryError:
        return _told(tr("there is not enough memory for this model."), 1)
    except OSError as error:
        _silence()
        return _told(f"{error.filename or tr('the output')}: {error.strerror or error}.", 2)
    except Exception as error:  # bugs of this package are reported in a sentence too
        if os.environ.get("DALEMBERT_TRACEBACK"):
            raise
        kind = type(error).__name__
        sentence = tr(
            "a fault inside dalembert ({kind}: {error}); DALEMBERT_TRACEBACK=1 shows where. Please report it.",
            kind=kind,
            error=error,
        )
        return _told(sentence, 1)


def _silence() -> None:
    """Point stdout to nothing, so that Python does not write to a closed pipe when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _called(arguments: Sequence[str]) -> int:
    import click

    from dalembert.cli.commands import app
    from dalembert.cli.spoken import speak, teach_click

    teach_click()
    speak(app)
    try:
        result = app(list(arguments) or ["--help"], prog_name="dalembert", standalone_mode=False)
    except click.Abort:  # click raises this for Ctrl-C
        raise KeyboardInterrupt from None
    except click.ClickException as error:  # one sentence, without click's usage and hint
        return _told(tr("{message} (see: dalembert --help)", message=error.format_message()), 2)
    if result == INTERRUPTED:  # a motion was cut short, and its part was written
        raise KeyboardInterrupt
    return int(result or 0)


def _told(sentence: str, status: int) -> int:
    for line in sentence.splitlines():
        print(f"dalembert: {line}", file=sys.stderr)
    return status
