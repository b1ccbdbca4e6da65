"""A real Dask scheduler with two worker processes, one of which is killed in the middle."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dalembert as da
from dalembert.api.sweep import carried_out, ordered
from dalembert.errors import ModelError
from dalembert.sweep.cluster import messages
from dalembert.sweep.run import SweepWatch

pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
PENDULUM = da.gallery("simple-pendulum")
Q = next(iter(PENDULUM.record.coordinates))
ORDER = {"vary": {Q: "0:1:60"}, "keep": ["final", f"max {Q}"], "until": 5}


@pytest.fixture
def cluster(tmp_path):
    file = str(tmp_path / "scheduler.json")
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [
        subprocess.Popen([*dask, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", file], **quiet)
    ]
    worker = [*dask, "worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    started += [subprocess.Popen(worker, cwd=tmp_path, **quiet) for _ in range(2)]
    try:
        while not Path(file).exists() or not Path(file).read_text().endswith("}"):  # it is there before it is written
            time.sleep(0.05)
        yield file, started[1:], started[0]
    finally:
        for process in started:
            process.kill()
            process.wait()


def tree(path):
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_one_of_two_workers_is_killed_and_the_result_is_the_same(cluster, tmp_path):
    from distributed import Client

    file, workers, _ = cluster
    order = ordered(PENDULUM.record, **ORDER)
    carried_out(order, tmp_path / "here.zarr")
    seen = []
    with Client(scheduler_file=file, loop=messages()) as client:
        client.wait_for_workers(2, timeout=60)

        def news(now):
            seen.append(now.done)
            if now.done >= 12 and workers[0].poll() is None:
                workers[0].send_signal(signal.SIGKILL)
                workers[0].wait()

        carried_out(order, tmp_path / "there.zarr", cluster=client, chunk=3, watch=SweepWatch(news=news))
    assert workers[0].returncode == -signal.SIGKILL and workers[1].poll() is None
    assert seen[-1] == 60 and tree(tmp_path / "here.zarr") == tree(tmp_path / "there.zarr")


def test_tasks_grow_to_a_second_and_workers_with_threads_agree(tmp_path):
    from distributed import Client

    order = ordered(PENDULUM.record, sample=4000, spread={Q: "normal(0, 1)"}, keep=["final"], until=0.2)
    told = []
    carried_out(order, tmp_path / "here.zarr")
    local = {"processes": False, "n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with Client(**local, loop=messages()) as client:
        carried_out(order, tmp_path / "there.zarr", cluster=client, watch=SweepWatch(news=told.append))
    assert told[-1].done == 4000 and len(told) < 4000 / 8 / 4
    assert tree(tmp_path / "here.zarr") == tree(tmp_path / "there.zarr")


def test_where_there_is_no_scheduler_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("dalembert.sweep.cluster.CONNECT", 0.2)
    with pytest.raises(ModelError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:1 "):
        PENDULUM.sweep({Q: [0, 1]}, cluster="tcp://127.0.0.1:1")
    with pytest.raises(ModelError, match="no Dask scheduler at nonsense"):
        PENDULUM.sweep({Q: [0, 1]}, cluster="nonsense")
    assert dask.config.get("scheduler", None) is None  # xarray and others would import it


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_a_scheduler_that_is_gone_is_said_and_what_is_done_is_kept(cluster, tmp_path, monkeypatch):
    from dalembert.sweep.cluster import Lost
    from dalembert.sweep.run import parts_of

    file, workers, scheduler = cluster
    monkeypatch.setattr("dalembert.sweep.cluster.CONNECT", 15.0)
    address = json.loads(Path(file).read_text())["address"]
    order = ordered(PENDULUM.record, **ORDER)

    def news(now):
        if now.done >= 6 and workers[0].poll() is None:
            for process in (scheduler, *workers):
                process.kill()
                process.wait()

    with pytest.raises(Lost, match=r"the Dask scheduler is gone .*; what is done is kept"):
        carried_out(order, tmp_path / "out.zarr", cluster=address, chunk=3, watch=SweepWatch(news=news))
    assert len(list(parts_of(tmp_path / "out.zarr").glob("*.part"))) >= 2
    carried_out(order, tmp_path / "out.zarr")
    carried_out(order, tmp_path / "here.zarr")
    assert tree(tmp_path / "out.zarr") == tree(tmp_path / "here.zarr")
