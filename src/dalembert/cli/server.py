"""The command `lab`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command(short_help="A page to change models in and watch them move.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Default: 8642, or the next that is free.")
@click.option(
    "--folder", type=click.Path(path_type=Path), metavar="DIR", help="Where the page may open and save models."
)
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@click.option(
    "--host", default="127.0.0.1", metavar="ADDRESS", help="Another address than loopback: others can reach it."
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=2, metavar="N", help="Processes that compute; default 2."
)
@click.option(
    "--seconds", type=click.FloatRange(0.1, 86400), default=60, metavar="S", help="Limit of a computation; default 60."
)
@click.option("--memory", type=click.FloatRange(0.1, 1024), default=3, metavar="GB", help="Its memory; default 3.")
def lab(folder: Path | None, no_browser: bool, seconds: float, memory: float, **options: Any) -> int:
    """Serve the lab: a page to change models in and watch them move, on loopback."""
    from dalembert.lab.limits import Limits
    from dalembert.lab.serve import Options, serve

    limits = Limits(seconds=seconds, memory=int(memory * 1e9))
    return serve(Options(folder=folder, browser=not no_browser, limits=limits, **options))
