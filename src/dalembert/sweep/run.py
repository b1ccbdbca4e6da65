"""The loop of a sweep: missing ranges, computed in chunks of a second or two, kept, and put together at the end.

Chunks follow the measured rate: long enough that nothing but the motions costs time, short enough that a machine that
stops loses little, but of as many motions as keep all threads and their lanes busy: where a motion takes a second, one
thread would follow a chunk of two, in as long as it takes for eight. What is computed does not depend on them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from dalembert.errors import ModelError
from dalembert.model.units import counted
from dalembert.sweep import targets
from dalembert.sweep.ensemble import FAILED, REFUSED, Outcome
from dalembert.sweep.layout import LARGEST, Layout, Summary, assembled
from dalembert.sweep.plan import Plan
from dalembert.sweep.space import Sample
from dalembert.sweep.store import Memory, Store, differences, known_manifest

CHUNK_SECONDS = 2.0
PILOT = 8  # motions of the first chunk
GROWTH = 8  # a chunk is at most so many times the one before
ROUNDS = 4  # of motions in a chunk, at least: threads do not end together, and wait for the last
WIDEST = 10_000  # columns of a Parquet table
SMALL = 50_000_000  # numbers that are kept in memory where no file is named


@dataclass(frozen=True, slots=True)
class News:
    """How far a sweep is."""

    done: int
    size: int
    fresh: int  # of those done, computed now and not found
    failed: int  # of the fresh ones
    seconds: float


@dataclass(frozen=True)
class Watch:
    """Who is told, and who may say stop."""

    stop: Callable[[], bool] = lambda: False
    news: Callable[[News], None] = lambda _: None
    warn: Callable[[str], None] = lambda _: None


class Unfinished(Exception):
    """The sweep was told to stop; what is done is kept."""

    def __init__(self, done: int, size: int) -> None:
        self.done, self.size = done, size
        super().__init__(f"stopped after {done} of {size} motions")


Results = Iterator[tuple[int, Outcome]]


class Crew(Protocol):
    """Who computes: this process, or a cluster. Gives ranges back in any order."""

    def __call__(self, plan: Plan, ranges: list[tuple[int, int]], stop: Callable[[], bool]) -> Results: ...


def here(chunk: int | None = None) -> Crew:
    """This process, by the plan's engine."""

    def compute(plan: Plan, ranges: list[tuple[int, int]], stop: Callable[[], bool]) -> Results:
        workers, each = plan.at_once()
        together, limit = workers * each, max(1, LARGEST // max(1, plan.columns))
        least = together * ROUNDS if workers > 1 else together
        size = chunk or max(PILOT, together)
        for first, last in ranges:
            while first < last and not stop():
                count = min(size, limit, last - first)
                began = perf_counter()
                yield first, plan.computed(first, first + count, stop)
                if chunk is None:
                    rate = count / max(perf_counter() - began, 1e-6)
                    size = max(least, min(size * GROWTH, int(rate * CHUNK_SECONDS)))
                first += count

    return compute


@dataclass(frozen=True)
class Done:
    """A sweep that is complete. Its Dataset is made, and xarray loaded, when it is asked for."""

    layout: Layout
    summary: Summary | None  # None where the result was there already
    dataset: Callable[[], Any]


def layout_of(plan: Plan, messages: bool) -> Layout:
    order = plan.order
    about = {
        "title": plan.record.title,
        "method": plan.prepared.equations.method,
        "dalembert": order.version,
        "sweep": order.fingerprint,
        "manifest": json.dumps(order.told(), ensure_ascii=False),
    }
    return Layout(order.motions, plan.variables, about, messages, _units(plan))


def _units(plan: Plan) -> dict[str, str]:
    """Of the quantities that vary, and of times."""
    found = {name: one.unit for name, one in counted(plan.record).items()}
    found |= {name: "s" for v in plan.variables for name, _ in v.beyond if name not in ("mode", "crossing")}
    return {name: unit for name, unit in found.items() if unit}


def to_memory(plan: Plan, crew: Crew, watch: Watch) -> Done:
    """A small sweep, kept in memory."""
    size = plan.order.motions.size
    if size * max(1, plan.columns) > SMALL:
        raise ModelError(
            f"{size:,} motions with {plan.columns:,} numbers of each are too many to keep in memory; name a file"
        )
    store = Memory()
    _filled(store, plan, crew, watch)
    messages = any(outcome.sentences for _, outcome in store.outcomes())
    layout = layout_of(plan, messages)
    target = targets.Memory(layout)
    return Done(layout, assembled(layout, store.outcomes(), target), target.dataset)


def to_file(plan: Plan, path: Path, crew: Crew, watch: Watch, restart: bool = False) -> Done:
    """A sweep to a file, going on where it stopped."""
    folder, dataset = parts_of(path), partial(targets.opened, path)
    if already(plan, path, restart):
        shutil.rmtree(folder, ignore_errors=True)
        return Done(layout_of(plan, messages=False), None, dataset)
    require_space(plan, path)
    if restart and not _restarted(plan, path):
        shutil.rmtree(folder, ignore_errors=True)
    with Store(folder, plan.order.fingerprint, plan.order.told(), plan.columns) as store:
        store.resume(watch.warn)
        _filled(store, plan, crew, watch)
        layout = layout_of(plan, any(outcome.sentences for _, outcome in store.outcomes()))
        beside = folder / f"result{path.suffix}"
        _removed(beside)
        summary = assembled(layout, store.outcomes(), targets.TARGETS[path.suffix](beside, layout))
        if path.is_dir():  # a folder is not replaced by a rename
            path.rename(folder / "before")
        beside.replace(path)
        store.remove()
    return Done(layout, summary, dataset)


def _restarted(plan: Plan, path: Path) -> bool:
    """Whether what is under way was begun to replace what is there, and stopped: only --restart begins that."""
    return path.exists() and known_manifest(parts_of(path)) == json.loads(json.dumps(plan.order.told()))


def parts_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.parts")


def already(plan: Plan, path: Path, restart: bool) -> bool:
    """Whether the result is there; another one, or another sweep under way, is refused unless it is to be replaced."""
    if restart:
        return False
    told = plan.order.told()
    if path.exists():
        known = targets.attributes_of(path)
        if known is None or "sweep" not in known:
            raise ModelError(f"{path} is there and is no sweep; name another file, or --restart to replace it")
        if known["sweep"] == plan.order.fingerprint:
            return True
        what = "; ".join(differences(json.loads(known["manifest"]), told))
        raise ModelError(f"{path} holds another sweep: {what}. Name another file, or --restart to replace it")
    before = known_manifest(parts_of(path))
    if before is not None and before != json.loads(json.dumps(told)):
        what = "; ".join(differences(before, json.loads(json.dumps(told))))
        raise ModelError(
            f"{path} was begun otherwise and is not done: {what}. Name another file, or --restart to begin anew"
        )
    return False


def require_space(plan: Plan, path: Path) -> None:
    """Parts and result lie side by side for a moment; a table that is too wide is none."""
    if path.suffix == ".parquet" and plan.columns > WIDEST:
        raise ModelError(
            f"{path}: {plan.columns:,} columns were asked for, and a table has at most {WIDEST:,}; take .zarr or .nc"
        )
    space = plan.order.motions
    random = sum(len(axis.names) + 1 for axis in space.axes if isinstance(axis, Sample))
    needed = 2 * space.size * (8 * (plan.columns + random) + 1)
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        raise ModelError(
            f"{path}: {plan.order.motions.size:,} motions with {plan.columns:,} numbers of each need up to "
            f"{needed / 1e9:.3g} GB, and {free / 1e9:.3g} GB are free there; keep less of each, or take fewer"
        )


def _filled(store: Store | Memory, plan: Plan, crew: Crew, watch: Watch) -> None:
    size = plan.order.motions.size
    began, found, failed = perf_counter(), store.done, 0
    done = found
    watch.news(News(done, size, 0, 0, 0.0))
    for first, outcome in crew(plan, store.missing(size), watch.stop):
        done += store.keep(first, outcome)
        failed += int(((outcome.status == FAILED) | (outcome.status == REFUSED)).sum())
        watch.news(News(done, size, done - found, failed, perf_counter() - began))
    if done < size:
        raise Unfinished(done, size)


def _removed(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
