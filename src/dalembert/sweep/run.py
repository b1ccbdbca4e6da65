"""The loop of a sweep: missing ranges are computed in chunks of a second or two, stored, and assembled at the end.

Chunks follow the measured rate. They are long enough that the overhead is small, and short enough that an interruption
loses little. But each has enough motions to keep all threads and their lanes busy: if a motion takes a second, one
thread would compute a chunk of two in the time in which it can compute eight. The numbers do not depend on the chunks.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.model.units import counted
from dalembert.sweep import targets
from dalembert.sweep.ensemble import FAILED, REFUSED, Outcome
from dalembert.sweep.layout import LARGEST, Layout, Summary, assembled
from dalembert.sweep.plan import SweepPlan
from dalembert.sweep.space import Sample
from dalembert.sweep.store import BlockMemory, Store, differences, known_manifest

CHUNK_SECONDS = 2.0
PILOT = 8  # number of motions in the first chunk
GROWTH = 8  # a chunk is at most this many times as large as the previous one
ROUNDS = 4  # least number of rounds in a chunk: threads do not end together, and wait for the last
WIDEST = 10_000  # columns of a Parquet table
SMALL = 50_000_000  # numbers that are kept in memory if no file is named


@dataclass(frozen=True, slots=True)
class News:
    """The progress of a sweep."""

    done: int
    size: int
    fresh: int  # motions that were computed now and not found in the store
    failed: int  # of the fresh ones
    seconds: float


@dataclass(frozen=True)
class SweepWatch:
    """The functions that receive news and warnings, and that may request a stop."""

    stop: Callable[[], bool] = lambda: False
    news: Callable[[News], None] = lambda _: None
    warn: Callable[[str], None] = lambda _: None


class Unfinished(Exception):
    """The sweep was stopped by request. Finished motions are kept."""

    def __init__(self, done: int, size: int) -> None:
        self.done, self.size = done, size
        super().__init__(tr("stopped after {done} of {size} motions", done=done, size=size))


Results = Iterator[tuple[int, Outcome]]


class Workers(Protocol):
    """Computes ranges of motions, in this process or on a cluster, and yields them in any order."""

    def __call__(self, plan: SweepPlan, ranges: list[tuple[int, int]], stop: Callable[[], bool]) -> Results: ...


def here(chunk: int | None = None) -> Workers:
    """The crew of this process, which uses the plan's engine."""

    def compute(plan: SweepPlan, ranges: list[tuple[int, int]], stop: Callable[[], bool]) -> Results:
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
    """A complete sweep. Its Dataset is made, and xarray loaded, on request."""

    layout: Layout
    summary: Summary | None  # None if the result existed already
    dataset: Callable[[], Any]


def layout_of(plan: SweepPlan) -> Layout:
    """The layout of a result without sentences of its motions."""
    order = plan.order
    about = {
        "title": plan.prepared.record.title,
        "method": plan.prepared.equations.method,
        "dalembert": order.version,
        "sweep": order.fingerprint,
        "manifest": json.dumps(order.told, ensure_ascii=False),
    }
    return Layout(order.space, plan.variables, about, False, _units(plan))


def _units(plan: SweepPlan) -> dict[str, str]:
    """Units of the quantities that vary, and of times."""
    found = {name: one.unit for name, one in counted(plan.prepared.record).items()}
    found |= {name: "s" for v in plan.variables for name, _ in v.beyond if name not in ("mode", "crossing")}
    return {name: unit for name, unit in found.items() if unit}


def to_memory(plan: SweepPlan, crew: Workers, watch: SweepWatch) -> Done:
    """Run a small sweep and keep it in memory."""
    size = plan.order.space.size
    if size * max(1, plan.columns) > SMALL:
        raise ModelError(
            "{size:,} motions with {columns:,} numbers of each are too many to keep in memory; name a file",
            size=size,
            columns=plan.columns,
        )
    store = BlockMemory()
    layout = _filled(store, plan, crew, watch)
    target = targets.DatasetMemory(layout)
    return Done(layout, assembled(layout, store.outcomes(), target), target.dataset)


def to_file(plan: SweepPlan, path: Path, crew: Workers, watch: SweepWatch, restart: bool = False) -> Done:
    """Run a sweep to a file, and resume it where it stopped."""
    folder, dataset = parts_of(path), partial(targets.opened, path)
    if already(plan, path, restart):
        shutil.rmtree(folder, ignore_errors=True)
        return Done(layout_of(plan), None, dataset)
    require_space(plan, path)
    if restart and not (path.exists() and known_manifest(folder) == plan.order.told):
        shutil.rmtree(folder, ignore_errors=True)  # unless it is an interrupted sweep that --restart began
    with Store(folder, plan.order.fingerprint, plan.order.told, plan.columns) as store:
        store.resume(watch.warn)
        layout = _filled(store, plan, crew, watch)
        beside = folder / f"result{path.suffix}"
        if beside.is_dir():
            shutil.rmtree(beside)
        beside.unlink(missing_ok=True)
        summary = assembled(layout, store.outcomes(), targets.TARGETS[path.suffix](beside, layout))
        if path.is_dir():  # a rename does not replace a folder
            path.rename(folder / "before")
        beside.replace(path)
        store.remove()
    return Done(layout, summary, dataset)


def parts_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.parts")


def already(plan: SweepPlan, path: Path, restart: bool) -> bool:
    """Whether the result exists. Another result, or another unfinished sweep, is refused unless `restart` is set."""
    if restart:
        return False
    told = plan.order.told
    if path.exists():
        known = targets.attributes_of(path)
        if known is None or "sweep" not in known:
            raise ModelError(
                "{path} exists and is not a sweep; name another file, or --restart to replace it", path=path
            )
        if known["sweep"] == plan.order.fingerprint:
            return True
        what = "; ".join(differences(json.loads(known["manifest"]), told))
        raise ModelError(
            "{path} holds another sweep: {what}. Name another file, or --restart to replace it", path=path, what=what
        )
    before = known_manifest(parts_of(path))
    if before is not None and before != told:
        what = "; ".join(differences(before, told))
        raise ModelError(
            "{path} is an unfinished sweep with another request: {what}. Name another file, or --restart to "
            "begin again",
            path=path,
            what=what,
        )
    return False


def require_space(plan: SweepPlan, path: Path) -> None:
    """Refuse a table with too many columns, or a disk without room for parts and result, which coexist for a moment."""
    if path.suffix == ".parquet" and plan.columns > WIDEST:
        raise ModelError(
            "{path}: {columns:,} columns were asked for, and a table has at most {widest:,}; take .zarr or .nc",
            path=path,
            columns=plan.columns,
            widest=WIDEST,
        )
    space = plan.order.space
    random = sum(len(axis.names) + 1 for axis in space.axes if isinstance(axis, Sample))
    needed = 2 * space.size * (8 * (plan.columns + random) + 1)
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        raise ModelError(
            "{path}: {size:,} motions with {columns:,} numbers of each need up to {needed:.3g} GB, "
            "and {free:.3g} GB are free there; keep less of each, or take fewer",
            path=path,
            size=plan.order.space.size,
            columns=plan.columns,
            needed=needed / 1e9,
            free=free / 1e9,
        )


def _filled(store: Store | BlockMemory, plan: SweepPlan, crew: Workers, watch: SweepWatch) -> Layout:
    """Compute all motions that are missing, and return the layout of the result."""
    size, layout = plan.order.space.size, layout_of(plan)
    began, found, failed = perf_counter(), store.done, 0
    done = found
    watch.news(News(done, size, 0, 0, 0.0))
    for first, outcome in crew(plan, store.missing(size), watch.stop):
        done += store.keep(first, outcome)
        failed += int(((outcome.status == FAILED) | (outcome.status == REFUSED)).sum())
        watch.news(News(done, size, done - found, failed, perf_counter() - began))
    if done < size:
        raise Unfinished(done, size)
    return replace(layout, messages=any(outcome.sentences for _, outcome in store.outcomes()))
