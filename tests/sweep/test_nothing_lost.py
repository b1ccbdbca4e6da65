"""A sweep that is stopped, killed, damaged or changed continues, or says why not; its result has the same bytes."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.errors import ModelError
from dalembert.sweep.run import SweepWatch, Unfinished, parts_of

PENDULUM = da.gallery("simple-pendulum")
Q = next(iter(PENDULUM.record.coordinates))
VARY, KEEP = {Q: "0:1:30"}, ["final", f"max {Q}"]
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


def tree(path: Path) -> dict[str, bytes]:
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}


def swept(path: Path, stop_after: int | None = None, **more):
    """The sweep of these tests; `stop_after` ends it after this number of motions."""
    from dalembert.api.sweep import carried_out, ordered

    told: list[str] = []
    done = [0]

    def news(now):
        done[0] = now.done

    watch = SweepWatch(lambda: stop_after is not None and done[0] >= stop_after, news, told.append)
    options = {name: more.pop(name) for name in ("restart", "chunk") if name in more}
    order = ordered(more.pop("model", PENDULUM).record, **{"vary": VARY, "keep": KEEP, "until": 0.5} | more)
    with suppress(Unfinished):
        carried_out(order, path, watch=watch, **{"chunk": 4} | options)
    return told, done[0]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("alone") / "out.zarr"
    swept(path)
    return tree(path)


def test_what_is_done_is_not_done_again(tmp_path, undisturbed, monkeypatch):
    from dalembert.sweep.plan import SweepPlan

    ranges: list[tuple[int, int]] = []
    computed = SweepPlan.computed

    def counted(self, first, last, stop):
        ranges.append((first, last))
        return computed(self, first, last, stop)

    monkeypatch.setattr(SweepPlan, "computed", counted)
    path = tmp_path / "out.zarr"
    for stop_after in (5, 5, 17, None):
        swept(path, stop_after)
    assert sorted(i for a, b in ranges for i in range(a, b)) == list(range(30))
    assert tree(path) == undisturbed and not parts_of(path).exists()
    swept(path)
    assert sum(b - a for a, b in ranges) == 30


def test_a_damaged_part_is_noticed_and_computed_again(tmp_path, undisturbed):
    path = tmp_path / "out.zarr"
    swept(path, 20)
    parts = sorted(parts_of(path).glob("*.part"))
    data = bytearray(parts[1].read_bytes())
    data[len(data) // 2] ^= 1
    parts[1].write_bytes(data)
    parts[2].write_bytes(parts[2].read_bytes()[:-40])
    parts[3].write_bytes(b"")
    told, _ = swept(path)
    assert len(told) == 3 and all("is damaged" in text for text in told)
    assert tree(path) == undisturbed


def test_a_part_of_another_sweep_is_not_taken(tmp_path, undisturbed):
    path, other = tmp_path / "out.zarr", tmp_path / "other.zarr"
    swept(path, 4)
    swept(other, 8, tolerance=1e-7)
    for part in parts_of(other).glob("00*.part"):
        (parts_of(path) / part.name).write_bytes(part.read_bytes())
    told, _ = swept(path)
    assert told and "another sweep" in told[0] and tree(path) == undisturbed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tolerance": 1e-10}, "tolerance was 1e-09 and is 1e-10"),
        ({"until": 0.6}, "end was 0.5 and is 0.6"),
        ({"keep": ["final"]}, "record was"),
        ({"vary": {Q: "0:1:31"}}, f"the values of {Q} differ"),
        ({"vary": {f"{Q}'": "0:1:30"}}, f"{Q} varied; {Q}' did not vary"),
        ({"model": PENDULUM.changed({Q: 0.123})}, "the model differs, first in its line"),
    ],
)
def test_what_was_asked_otherwise_is_not_gone_on_with(tmp_path, undisturbed, change, words):
    path = tmp_path / "out.zarr"
    swept(path, 8)
    kept = tree(parts_of(path))
    with pytest.raises(ModelError, match=words) as caught:
        swept(path, **change)
    assert "--restart" in str(caught.value) and tree(parts_of(path)) == kept
    swept(path)
    with pytest.raises(ModelError, match=words):
        swept(path, **change)
    assert tree(path) == undisturbed
    swept(path, restart=True, **change)
    assert tree(path) != undisturbed and not parts_of(path).exists()


def test_a_replacement_that_was_stopped_goes_on_too(tmp_path, undisturbed):
    path = tmp_path / "out.zarr"
    swept(path, until=0.4)
    swept(path, 12, restart=True)
    old = tree(path)
    assert old != undisturbed and len(list(parts_of(path).glob("*.part"))) == 3
    kept = {p.name: p.stat().st_mtime_ns for p in parts_of(path).glob("*.part")}
    swept(path, 16, restart=True)
    now = {p.name: p.stat().st_mtime_ns for p in parts_of(path).glob("*.part")}
    assert len(now) == 4 and kept.items() <= now.items() and tree(path) == old
    swept(path, restart=True)
    assert tree(path) == undisturbed and not parts_of(path).exists()


def test_another_version_is_not_gone_on_with(tmp_path, monkeypatch):
    path = tmp_path / "out.zarr"
    swept(path, 8)
    monkeypatch.setattr(da, "__version__", "99.0")
    with pytest.raises(ModelError, match=r"version was .* and is 99\.0"):
        swept(path)


def test_another_engine_is_not_gone_on_with(tmp_path):
    path = tmp_path / "out.zarr"
    swept(path, 8, engine="reference")
    manifest = parts_of(path) / "manifest.json"
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(told | {"engine": "another"}))
    with pytest.raises(ModelError, match="engine was another and is reference"):
        swept(path, engine="reference")
    manifest.write_text("{")
    with pytest.raises(ModelError, match="cannot be read"):
        swept(path, engine="reference")


def test_what_is_no_sweep_is_not_replaced(tmp_path):
    path = tmp_path / "notes.parquet"
    path.write_text("mine")
    with pytest.raises(ModelError, match="is not a sweep"):
        swept(path)
    assert path.read_text() == "mine"


@POSIX
def test_two_processes_do_not_work_on_one_sweep(tmp_path):
    from dalembert.sweep.store import Store

    path = tmp_path / "out.zarr"
    swept(path, 8)
    with Store(parts_of(path), "", {}, 1), pytest.raises(ModelError, match="another process works on this sweep"):
        swept(path)


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_nothing_lost import swept, tree
swept(Path(sys.argv[2]) / "first.zarr")  # what is compiled only once is, and what takes how long is known
began = time.perf_counter()
swept(Path(sys.argv[2]) / "alone.zarr", chunk=1)
whole = time.perf_counter() - began
chance, kills, sweeps = random.Random(5), 0, 0
while kills < int(sys.argv[3]):
    path = Path(sys.argv[2]) / f"{sweeps}.zarr"
    while not path.exists():
        child = os.fork()
        if not child:
            swept(path, chunk=1)
            os._exit(0)
        time.sleep(chance.uniform(0, 0.5) * whole)
        os.kill(child, signal.SIGKILL)
        kills += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        if kills >= int(sys.argv[3]):
            swept(path, chunk=1)
    swept(path)  # one killed after the result was there, and before all was tidied up
    sweeps += 1
    assert tree(path) == tree(Path(sys.argv[2]) / "alone.zarr"), "other bytes"
    assert not path.with_name(path.name + ".parts").exists()
print(kills, sweeps)
"""


def _killed(tmp_path, times):
    call = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(tmp_path), str(times)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) >= times


@POSIX
def test_killed_at_random_moments_it_ends_in_the_same_bytes(tmp_path):
    _killed(tmp_path, 20)


@POSIX
@pytest.mark.slow
def test_killed_at_many_random_moments_it_ends_in_the_same_bytes(tmp_path):
    _killed(tmp_path, 200)


@POSIX
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_cleanly_and_it_goes_on(tmp_path, sent, status, undisturbed):
    call = [sys.executable, "-m", "dalembert", "sweep", "simple-pendulum", "--vary", f"{Q}=0:1:30", "--until", "0.5"]
    call += ["--record", "final", "--record", f"max {Q}", "--chunk", "1", "-o", str(tmp_path / "out.zarr")]
    slowed = (
        "import time, dalembert.sweep.store as s; f = s.written; s.written = lambda *a: (time.sleep(0.05), f(*a))\n"
    )
    program = slowed + "import sys; from dalembert.cli.main import run; sys.exit(run(sys.argv[1:]))"
    process = subprocess.Popen([sys.executable, "-c", program, *call[3:]], stderr=subprocess.PIPE, text=True)
    parts = parts_of(tmp_path / "out.zarr")
    while process.poll() is None and len(list(parts.glob("*.part"))) < 3:
        time.sleep(0.01)
    process.send_signal(sent)
    _, said = process.communicate(timeout=60)
    assert process.returncode == status, said
    assert "of 30 motions are kept; the same command goes on" in said
    assert run(call[3:]) == 0
    assert tree(tmp_path / "out.zarr") == undisturbed
