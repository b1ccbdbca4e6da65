"""Computations that grow too long or too large, are stopped, superseded or killed: each ends in a sentence, alone."""

import asyncio
import http.client
import json
import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from dalembert.collection import text
from dalembert.lab.limits import Limits
from dalembert.lab.pool import Job, Pool, Worker
from dalembert.lab.refusal import Refusal
from lab_server import running

MODEL = text("rolling-disk")
LONG = {"text": MODEL, "until": 1e9, "samples": 3}
SHORT = {"text": MODEL, "until": 0.1, "samples": 3}


@pytest.fixture(scope="module")
def lab():
    with running("--workers", "1", "--seconds", "3", "--memory", "0.1") as lab:
        lab.result("motion", SHORT)  # the worker is warm
        yield lab


def streamed(lab, data):
    """A computation whose lines can be read one by one."""
    connection = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=60)
    headers = {"x-lab-token": lab.token, "content-type": "application/json"}
    connection.request("POST", "/api/motion", json.dumps(data).encode(), headers)
    return connection, connection.getresponse()


def test_a_motion_that_is_too_long_keeps_what_it_has(lab):
    connection, answer = streamed(lab, LONG)
    lines = [json.loads(line) for line in answer.read().splitlines()]
    connection.close()
    assert {"limit": 3.0} in lines and lines[-1]["result"]["status"] == "interrupted"
    assert lab.result("motion", SHORT)["status"] == "finished"


def test_a_computation_that_is_too_long_is_ended_and_told(lab):
    status, answer = lab.post("/api/compare", {"text": MODEL, "until": 1e9})
    assert status == 200 and answer["kind"] == "limit"  # its name was streamed before
    assert answer["error"].startswith("the computation was ended after 3 s, the limit")
    assert lab.result("motion", SHORT)["status"] == "finished"


def test_a_run_that_is_too_large_is_ended_and_told(lab):
    status, answer = lab.post("/api/motion", {"text": MODEL, "samples": 200_000})
    assert answer["kind"] == "memory" and "0.1 GB" in answer["error"], (status, answer)
    assert lab.result("motion", SHORT)["status"] == "finished"


def test_a_stopped_run_gives_what_it_has(lab):
    connection, answer = streamed(lab, LONG)
    job = json.loads(answer.readline())["job"]
    assert "progress" in json.loads(answer.readline())
    assert lab.post("/api/stop", {"job": job}) == (200, {"stopping": job})
    lines = [json.loads(line) for line in answer.read().splitlines()]
    connection.close()
    assert lines[-1]["result"]["status"] == "interrupted"


def test_a_run_that_nobody_waits_for_is_given_up(lab):
    before = lab.result("motion", SHORT)["work"]
    connection, answer = streamed(lab, LONG)
    answer.readline()
    connection.close()
    answer.close()
    assert lab.result("motion", SHORT)["work"] == before  # the same worker: it was not ended by its limit


def test_only_the_newest_of_a_lane_counts(lab):
    found = {}

    def ask(i):
        found[i] = lab.post("/api/motion", {**(LONG if i < 3 else SHORT), "client": "page", "lane": "a"})

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
        time.sleep(0.15)
    for thread in threads:
        thread.join()
    assert [found[i][1].get("kind") for i in range(3)] == ["stopped"] * 3
    assert found[3][1]["result"]["status"] == "finished"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found by /proc")
def test_a_worker_that_dies_is_replaced(lab):
    connection, answer = streamed(lab, LONG)
    answer.readline()
    for child in _workers(lab.process.pid):
        os.kill(child, signal.SIGKILL)
    last = json.loads(answer.read().splitlines()[-1])
    connection.close()
    assert last["kind"] == "memory" and "ended unexpectedly" in last["error"]
    assert lab.result("motion", SHORT)["status"] == "finished"


def _workers(server):
    children = [int(p) for t in Path(f"/proc/{server}/task").iterdir() for p in (t / "children").read_text().split()]
    return [child for child in children if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]


def test_too_many_that_wait_are_refused():
    pool = Pool(Limits(waiting=3), 1)  # never started: all workers are busy
    for _ in range(3):
        pool.submit(Job("check", {}))
    with pytest.raises(Refusal) as refused:
        pool.submit(Job("check", {}))
    assert refused.value.status == 503
    newest = pool.jobs[-1]
    newest.lane = "page/a"
    later = Job("check", {}, lane="page/a")
    pool.submit(later)  # it replaces the previous one
    assert newest.over and later in pool.jobs and len(pool.jobs) == 3


def test_the_limit_counts_from_the_beginning_of_a_task():
    ours, theirs = multiprocessing.Pipe()
    loop = asyncio.new_event_loop()
    pool = Pool(Limits(), 1)
    worker = Worker(None, ours, ready=True)
    pool.workers, pool._loop = [worker], loop
    job = pool.submit(Job("derive", {}))
    assert theirs.recv()[:3] == ("job", job.name, "derive") and job.alarm is None  # the worker may still load modules
    pool._heard(worker, ("began", job.name))
    assert job.alarm is not None and not job.alarm.cancelled()
    loop.close()
