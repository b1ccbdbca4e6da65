"""`sweep`: many motions of one model, to a file or as an xarray Dataset."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.model.forms import met
from dalembert.model.record import ModelRecord
from dalembert.prepared import Prepared
from dalembert.sweep import targets
from dalembert.sweep.ensemble import Engine, Outcome
from dalembert.sweep.order import ENGINES, Order, ordered
from dalembert.sweep.plan import Inspect, SweepPlan, plan
from dalembert.sweep.records import Wish
from dalembert.sweep.reference import Reference
from dalembert.sweep.run import Done, SweepWatch, already, here, to_file, to_memory

if TYPE_CHECKING:
    import xarray

MOST_PLANS = 4
_mine = threading.local()  # a worker's last plans; engines have memory of their own, which threads do not share
_building = threading.Lock()


def engine(name: str, threads: int | None = None) -> Engine:
    """An engine by its name."""
    from dalembert.api.motion import simulate_from

    if name not in ENGINES:
        raise ModelError("there is no engine {name}; known are {engines}", name=name, engines=", ".join(ENGINES))
    reference = Reference(simulate_from)
    if name == "reference":
        return reference
    if name == "gpu":
        from dalembert.motions.device import Gpu
        from dalembert.sweep.gpu import OnDevice

        return OnDevice(reference, Gpu())
    from dalembert.engine.library import library
    from dalembert.sweep.threads import Threads

    library()  # a sweep without it is refused before any file is begun
    return Threads(reference, threads or 0)


def inspector(once: Prepared, asked: Order, added: Mapping[str, str], wishes: Sequence[Wish]) -> Inspect:
    """The object that computes eigenvalues and derivatives at a start, which no engine does."""
    from dalembert.api.inspect import Inspector

    return Inspector(once, asked, added, wishes)


def build(asked: Order, threads: int | None = None) -> SweepPlan:
    """Derive and compile the model of a request."""
    return plan(asked, engine(asked.engine, threads), inspector)


def work(asked: bytes, values: Mapping[str, np.ndarray]) -> Outcome:
    """A task of a cluster: `asked` is a pickled order, which a worker derives and compiles once for all its tasks."""
    plans: dict[bytes, SweepPlan] = _mine.__dict__.setdefault("plans", {})
    if asked not in plans:
        while len(plans) >= MOST_PLANS:
            plans.pop(next(iter(plans)))
        with _building:
            plans[asked] = build(pickle.loads(asked), threads=1)
    return plans[asked].computed_from(values, lambda: False)


def carried_out(
    asked: Order,
    output: Path | None,
    *,
    restart: bool = False,
    chunk: int | None = None,
    threads: int | None = None,
    cluster: Any = None,
    watch: SweepWatch | None = None,
) -> Done:
    """Compute a sweep, to `output` or to memory."""
    watch = watch or SweepWatch()
    if output is not None:
        output = targets.named(Path(output))
        targets.check(output)
    if chunk is not None and chunk < 1:
        raise ModelError("chunks of {chunk} motions were asked for; at least one is expected", chunk=chunk)
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise ModelError("threads: {met} was met, and a whole number from 1 on is expected", met=met(threads))
    made = build(asked, threads)
    if output is not None:
        already(made, output, restart)  # refuse before a cluster is contacted
    with _crew(cluster, chunk, watch.warn) as crew:
        if output is None:
            return to_memory(made, crew, watch)
        return to_file(made, output, crew, watch, restart)


def _crew(cluster: Any, chunk: int | None, warn: Callable[[str], None]) -> Any:
    from contextlib import nullcontext

    if cluster is None:
        return nullcontext(here(chunk))
    from dalembert.sweep.cluster import crew

    return crew(cluster, work, chunk, warn)


def sweep(
    record: ModelRecord,
    vary: Mapping[str, Any] | None = None,
    *,
    output: str | Path | None = None,
    restart: bool = False,
    chunk: int | None = None,
    threads: int | None = None,
    cluster: Any = None,
    progress: Callable[[Any], None] | None = None,
    **asked: Any,
) -> xarray.Dataset:
    """Compute many motions; see `Model.sweep`."""
    watch = SweepWatch() if progress is None else SweepWatch(news=progress)
    whole = ordered(record, vary, **asked)
    return carried_out(
        whole, None if output is None else Path(output), restart=restart, chunk=chunk, threads=threads,
        cluster=cluster, watch=watch,
    ).dataset()  # fmt: skip
