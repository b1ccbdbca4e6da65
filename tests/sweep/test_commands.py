"""`dalembert sweep` and `dalembert plot` as a user calls them."""

import json
import subprocess
import sys

import numpy as np
import pytest
import xarray

from dalembert.cli.main import run

SWEEP = ["sweep", "simple-pendulum", "--until", "0.5"]


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_sweep_to_a_file_and_its_picture(tmp_path, capsys):
    call = [*SWEEP, "--vary", "theta=0:1:5", "--vary", "l=1,2", "--record", "max theta", "-o", "map"]
    assert run(call) == 0
    said = capsys.readouterr().out
    assert "theta 5 × l 2: 10 motions, 10 finished" in said and "written: map.zarr" in said
    assert xarray.open_zarr("map.zarr")["max theta"].shape == (5, 2)
    assert run(call) == 0
    assert "complete already, nothing was computed" in capsys.readouterr().out
    assert run(["plot", "map.zarr"]) == 0
    assert (tmp_path / "map.png").read_bytes()[:4] == b"\x89PNG"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["map.png", "map.zarr"]


def test_a_small_sweep_in_json(capsys):
    call = [
        "--sample",
        "4",
        "--seed",
        "7",
        "--spread",
        "theta=normal(0.1,0.02)",
        "--record",
        "crossing theta=5",
        "--json",
    ]
    assert run([*SWEEP, *call]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["dimensions"] == {"sample": 4} and found["variables"]["status"]["values"] == [0] * 4
    assert found["variables"]["crossing theta = 5"]["values"] == [None] * 4
    assert abs(np.mean(found["coordinates"]["theta"]["values"]) - 0.1) < 0.05


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--vary", "thta=0:1:3"], "did you mean theta"),
        (["--vary", "theta=0:1:0"], "the grid is empty"),
        (["--vary", "theta=nan,1"], "a finite number is expected"),
        (["--vary", "theta=0:1:1000000", "--vary", "l=1:2:1000000"], "1e+12 motions"),
        (["--sample", "1000000000000", "--spread", "theta=normal(0,1)"], "at most 1,000,000,000"),
        ([], "nothing varies"),
        (["--vary", "theta=0:1:3", "--record", "max thta"], "thta"),
        (["--vary", "theta=0:1:3", "--record", "theta at 1"], "1 is outside"),
        (["--vary", "theta=0:1:3", "--until", "-1"], "cannot end at -1"),
        (["--vary", "theta=0:1:3", "--tolerance", "1"], "tolerance is 1"),
        (["--vary", "theta=0:1:3", "--tolerance", "nan"], "tolerance is nan"),
        (["--vary", "theta=0:1:3", "--stepper", "euler"], "no stepper"),
        (["--vary", "theta=0:1:3", "--method", "kanes"], "kane"),
        (["--vary", "theta=0:1:3", "--engine", "steam"], "no engine steam"),
        (["--vary", "theta=0:1:3", "--chunk", "0"], "at least one"),
        (["--vary", "theta=0:1:3", "-o", "out.xls"], "the ending '.xls' is not known"),
        (["--vary", "theta=0:1:3", "--record", "trajectory 0:0.5:9000", "-o", "out.parquet"], "at most 10,000"),
        (["--vary", "theta=0:1:3", "-o", "nowhere/out.zarr"], "there is no folder nowhere"),
        (["--vary", "theta=0:1:1000", "--vary", "l=1:2:1000", "--record", "trajectory 0:0.5:100000"], "GB are free"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_written(tmp_path, capsys, more, words):
    output = [] if "-o" in more else ["-o", "out.zarr"]
    assert run([*SWEEP, *more, *output]) == 2
    caught = capsys.readouterr()
    assert words in caught.err and not caught.out and "Traceback" not in caught.err
    assert list(tmp_path.iterdir()) == []


def test_too_much_for_memory_asks_for_a_file(capsys):
    assert run([*SWEEP, "--sample", "100000000", "--spread", "theta=normal(0,1)"]) == 2
    assert "too many to keep in memory; name a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["nothing.zarr"], "there is no file"),
        (["notes.txt"], "is no result of a sweep"),
        (["map.zarr", "max thta"], "did you mean max theta?"),
        (["map.zarr", "-o", "map.xyz"], "the endings known are .png, .svg, .pdf"),
        (["map.zarr", "-o", "nowhere/map.png"], "there is no directory nowhere"),
    ],
)
def test_a_picture_that_cannot_be_drawn(tmp_path, capsys, call, words):
    (tmp_path / "notes.txt").write_text("")
    run([*SWEEP, "--vary", "theta=0:1:2", "--record", "max theta", "-o", "map.zarr"])
    assert run(["plot", *call]) == 2
    assert words in capsys.readouterr().err


PICTURED = [
    (["--vary", "theta=0:2:6", "--vary", "theta'=-1:1:5", "--record", "final", "--record", "s=final sign(theta')"], 3),
    (["--vary", "theta=0.01:1:6:log", "--record", "max theta", "--record", "theta at 0:0.5:11"], 2),
    (["--sample", "50", "--spread", "theta=normal(0,1)", "--record", "max theta", "--record", "events"], 2),
    (["--vary", "l=1:2:4", "--sample", "20", "--spread", "theta=normal(0,1)", "--record", "max theta", "--record",
      "s=final sign(theta)", "--record", "theta at 0:0.5:6"], 3),
    (["--vary", "theta=0:2:3", "--vary", "theta'=-1:1:3", "--vary", "l=1:2:3", "--record", "max theta"], 3),
    (["--vary", "g=-9,9,20", "--vary", "theta=0:1:2", "--record", "growth", "--record", "eigenvalues"], 5),
    (["--vary", "l=0.5:2:9", "--record", "growth", "--record", "eigenvalues"], 3),
]  # fmt: skip


@pytest.mark.parametrize(("more", "panels"), PICTURED)
def test_pictures_are_by_what_the_data_are(tmp_path, more, panels):
    from pathlib import Path

    from dalembert.sweep.pictures import figure
    from dalembert.sweep.targets import opened

    assert run([*SWEEP, *more, "-o", "out.zarr"]) == 0
    made = figure(opened(Path("out.zarr")))
    shown = [a for a in made.axes if a.get_visible() and a.get_title(loc="left")]
    assert len(shown) == panels, [a.get_title(loc="left") for a in shown]
    made.savefig(tmp_path / "out.svg")


def test_values_that_differ_by_rounding_are_one_bar():
    from matplotlib.figure import Figure

    from dalembert.sweep.draw import histogram

    for value in (0.051, -3.7, 0.0):
        place = Figure().subplots()
        histogram(None, place, xarray.DataArray(value * (1 + 1e-15 * np.arange(50)), dims="sample"), False)
        assert sum(bar.get_height() > 0 for bar in place.patches) == 1


def test_the_rate_of_a_sweep_is_that_after_compiling():
    from dalembert.cli.sweep_progress import sentence
    from dalembert.sweep.run import News

    first = News(8, 1000, 8, 0, 40.0)
    assert sentence(first, first) == "8 of 1,000 motions"
    assert sentence(News(508, 1000, 508, 2, 41.0), first) == "508 of 1,000 motions, 500 a second, 1 s left, 2 failed"


MILLION = """
import sys
from pathlib import Path
import numpy as np
import dalembert as da
from dalembert.sweep import run
from dalembert.sweep.ensemble import Outcome
from dalembert.api.sweep import inspector, ordered
from dalembert.sweep.plan import plan

class Cheap:  # as fast as an engine can be: what is measured is what the sweep itself keeps
    name = "cheap"
    def refusal(self, ensemble): return None
    def at_once(self, ensemble): return 1, 1
    def run(self, ensemble, stop):
        values = np.repeat(ensemble.starts[:, :1], 3, axis=1)
        return Outcome(values, np.zeros(ensemble.size, np.int8), {})

order = ordered(da.gallery("simple-pendulum").record, sample=1_000_000, spread={"theta": "normal(0,1)"},
                keep=["final", "max theta"], engine="reference")
plan = plan(order, Cheap(), inspector)
summary = run.to_file(plan, Path(sys.argv[1]), run.here(), run.SweepWatch()).summary
# not by getrusage, which counts what the process that started this one had
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
print(summary.motions, int(peak.split()[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process as Linux counts it")
@pytest.mark.parametrize("ending", ["zarr", "parquet"])
def test_a_million_motions_stay_under_a_gigabyte(tmp_path, ending):
    call = [sys.executable, "-c", MILLION, str(tmp_path / f"out.{ending}")]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    motions, peak = map(int, done.stdout.split())
    assert motions == 1_000_000 and peak < 1024


def test_the_file_of_one_motion_is_no_sweep(tmp_path, capsys):
    assert run(["simulate", "simple-pendulum", "--samples", "3", "-o", str(tmp_path / "motion.nc")]) == 0
    capsys.readouterr()
    assert run(["plot", str(tmp_path / "motion.nc")]) == 2
    assert "is no result of a sweep" in capsys.readouterr().err
    assert not (tmp_path / "motion.png").exists()
