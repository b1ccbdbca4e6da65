"""The command line's frame: runs a command, and turns whatever goes wrong into a sentence and an exit status.

0 done; 1 the mathematics failed; 2 the call or the model is at fault; 130 interrupted. Never a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from dalembert.errors import DalembertError, ModelError

INTERRUPTED = 130  # what shells call a program that Ctrl-C ended


def run(arguments: Sequence[str]) -> int:
    """The exit status of one call."""
    try:
        status = _called(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader has gone (`| head`): nobody is left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _told("interrupted.", INTERRUPTED)
    except DalembertError as error:
        return _told(str(error), 2 if isinstance(error, ModelError) else 1)
    except RecursionError:
        return _told("the model is nested too deeply to be worked on.", 2)
    except MemoryError:
        return _told("there is not enough memory for this model.", 1)
    except OSError as error:
        return _told(f"{error.filename or 'a file'}: {error.strerror or error}.", 2)
    except Exception as error:  # our own faults, too, are told in a sentence
        if os.environ.get("DALEMBERT_TRACEBACK"):
            raise
        kind = type(error).__name__
        return _told(
            f"a fault inside dalembert ({kind}: {error}); DALEMBERT_TRACEBACK=1 shows where. Please report it.", 1
        )


def _called(arguments: Sequence[str]) -> int:
    import typer

    from dalembert.cli.commands import app

    usage_error: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
    try:
        result = app(list(arguments) or ["--help"], prog_name="dalembert", standalone_mode=False)
    except typer.Exit as leave:
        return int(leave.exit_code)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except usage_error as error:  # one sentence, in place of typer's usage, hint and box
        return _told(f"{error.format_message()} (see: dalembert --help)", 2)
    return int(result or 0)


def _told(sentence: str, status: int) -> int:
    for line in sentence.splitlines():
        print(f"dalembert: {line}", file=sys.stderr)
    return status
