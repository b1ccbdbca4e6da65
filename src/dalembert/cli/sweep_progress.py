"""Progress of a sweep on stderr: at a terminal a bar with rate and time left, elsewhere a line from time to time."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

from dalembert.language import tr

if TYPE_CHECKING:
    from dalembert.sweep.run import News

PATIENCE = 1.0  # seconds before anything is shown
PLAIN_EVERY = 10.0


class SweepBar:
    """Call `show(news)` as often as there is news."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._next = perf_counter() + (PATIENCE if self._terminal else PLAIN_EVERY)
        self._shown: Any = None
        self._task: Any = None
        self._first: News | None = None  # at the first news, after compiling; the rate counts from there

    def show(self, news: News) -> None:
        if self._first is None and news.fresh:
            self._first = news
        if not news.fresh and news.done:
            self.say(tr("{done:,} of {size:,} motions are there already", done=news.done, size=news.size))
        if perf_counter() < self._next:
            return
        if self._terminal:
            self._bar(news)
        elif news.done < news.size:
            print(f"dalembert: {sentence(news, self._first)}", file=sys.stderr, flush=True)
            self._next = perf_counter() + PLAIN_EVERY

    def say(self, text: str) -> None:
        if self._shown is None:
            print(f"dalembert: {text}", file=sys.stderr, flush=True)
        else:
            self._shown.console.print(f"dalembert: {text}", highlight=False, markup=False)

    def _bar(self, news: News) -> None:
        if self._shown is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            columns = (BarColumn(), TextColumn("{task.description}"))
            self._shown = Progress(*columns, console=Console(stderr=True), transient=True)
            self._shown.start()
            self._task = self._shown.add_task("", total=news.size)
        self._shown.update(self._task, completed=news.done, description=sentence(news, self._first))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.stop()


def sentence(news: News, first: News | None) -> str:
    """A line like "1,200 of 10,000 motions, 480 a second, 18 s left, 3 failed". The rate counts from the first news."""
    parts = [tr("{done:,} of {size:,} motions", done=news.done, size=news.size)]
    if first is not None and news.fresh > first.fresh and news.seconds > first.seconds:
        rate = (news.fresh - first.fresh) / (news.seconds - first.seconds)
        left = _time(round((news.size - news.done) / rate))
        speed = f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
        parts += [tr("{speed} a second", speed=speed), tr("{left} left", left=left)]
    if news.failed:
        parts.append(tr("{failed:,} failed", failed=news.failed))
    return ", ".join(parts)


def _time(seconds: int) -> str:
    if seconds < 100:
        return f"{seconds} s"
    if seconds < 6000:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"
