"""Files of motions say how they were made, and a motion is made again from them, bit for bit."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.errors import ModelError

ENDINGS = [".json", ".csv", ".nc", ".zarr", ".parquet"]


def same(one, two):
    """Every number of both motions is equal, except the seconds that they took."""
    for name, values in one.columns().items():
        assert np.array_equal(values, two.columns()[name]), name
    assert [e.to_dict() for e in one.events] == [e.to_dict() for e in two.events]
    assert one.notes == two.notes
    left, right = (motion.to_dict() for motion in (one, two))
    for found in (left, right):
        del found["diagnostics"]["seconds"]
    assert left == right


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_form(ending, tmp_path):
    motion = da.gallery("rolling-disk").simulate(until=0.7, samples=11, tolerance=1e-8, settings={"R": 0.31})
    motion.save(tmp_path / f"disk{ending}", describe=True)
    same(da.again(tmp_path / f"disk{ending}"), motion)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("zhang-mei-ball", {"samples": 21}),
        ("bouncing-ball", {"at": [0.3, 0.1, 2.5], "settings": {"z": 1.7}}),
        ("simple-pendulum", {"method": "chetaev", "stepper": "gauss", "step": 0.01, "until": 1, "samples": 5}),
        ("simple-pendulum", {"stepper": "taylor", "until": 1, "samples": 5, "dense": True}),
        ("knife-edge", {"method": "vakonomic", "until": 1, "samples": 5}),
        ("raindrop", {"until": 1, "samples": 5}),
        ("tippe-top", {"until": 0.05, "samples": 5}),
        ("rolling-sphere", {"until": 0.5, "samples": 5}),
    ],
)
def test_models(name, options, tmp_path):
    motion = da.gallery(name).simulate(**options)
    motion.save(tmp_path / "motion.json")
    same(da.again(tmp_path / "motion.json"), motion)


def test_history_makes_no_difference(tmp_path):
    """A parameter that had become an argument, because it changed, is one again: this decides the last bits."""
    model = da.gallery("double-pendulum")
    for length in (1.0, 1.1, 1.2):
        motion = model.simulate(until=3, samples=5, settings={"l1": length})
    motion.save(tmp_path / "motion.json")
    same(da.again(tmp_path / "motion.json"), motion)
    prepared = model.prepare().motion({"l1": 1.3}, until=3, samples=5)
    prepared.save(tmp_path / "prepared.json")
    same(da.again(tmp_path / "prepared.json"), prepared)


def test_what_is_said():
    origin = da.gallery("rolling-disk").simulate(until=0.1, samples=3, settings={"R": 0.31}).origin
    assert origin.parameters["R"] == 0.31 and origin.method == "kane"
    assert origin.settings["until"] == 0.1 and origin.settings["samples"] == 3
    assert origin.versions["dalembert"] == da.__version__
    assert "[bodies" in origin.model


def test_a_table_is_plain_and_described_next_to_it(tmp_path):
    model = da.gallery("simple-pendulum").changed({"l": 0.7})
    motion = model.simulate(until=0.1, samples=3)
    files = motion.save(tmp_path / "a.csv")
    assert files == [tmp_path / "a.csv", tmp_path / "a.csv-metadata.json"]
    assert files[0].read_text().startswith("t,theta")
    same(da.again(files[0]), motion)
    told = json.loads(files[1].read_text())
    heads = files[0].read_text().splitlines()[0].split(",")
    assert [column["titles"] for column in told["tableSchema"]["columns"]] == heads
    files[1].unlink()
    with pytest.raises(ModelError, match=r"no a\.csv-metadata\.json that says how this table was made"):
        da.again(files[0])
    files[1].write_text("{}")
    with pytest.raises(ModelError, match="does not say how it was made"):
        da.again(files[0])


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.json", "{}", "does not say how it was made"),
        ("a.json", "no", "does not say how it was made"),
        ("a.txt", "", "the ending is '.txt'"),
        ("b.json", None, "there is no file"),
        ("a.json", json.dumps({"origin": {"model": "title = 1", "parameters": {}, "method": "kane", "settings": {},
                                          "versions": {}}}), "title"),
        ("a.json", json.dumps({"origin": {"model": "[coordinates]\nx = 0\n[energy]\nkinetic = \"x'^2\"",
                                          "parameters": {}, "method": "kane", "settings": {"until": "x"},
                                          "versions": {}}}), "cannot be read"),
    ],
)  # fmt: skip
def test_refusals(name, text, sentence, tmp_path):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ModelError, match=sentence):
        da.again(tmp_path / name)


def test_another_version(tmp_path):
    motion = da.gallery("simple-pendulum").simulate(until=0.1, samples=3)
    told = motion.to_dict()
    told["origin"]["versions"]["dalembert"] = "0.0.1"
    (tmp_path / "old.json").write_text(json.dumps(told))
    assert "made by dalembert 0.0.1" in da.again(tmp_path / "old.json").notes[-1]


def test_command(tmp_path, capsys):
    first, second = tmp_path / "one.csv", tmp_path / "two.csv"
    assert run(["simulate", "simple-pendulum", "--until", "1", "--set", "l=0.7", "--describe", "-o", str(first)]) == 0
    assert run(["simulate", "--again", str(first), "-o", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()
    assert [path.name for path in tmp_path.iterdir() if "metadata" in path.name] == []
    plain, other = tmp_path / "plain.csv", tmp_path / "other.csv"
    assert run(["simulate", "simple-pendulum", "--until", "1", "-o", str(plain)]) == 0
    assert run(["simulate", "--again", str(plain), "-o", str(other)]) == 0
    assert plain.read_bytes() == other.read_bytes()
    assert "written: " + str(other) + "-metadata.json" in capsys.readouterr().out
    assert run(["simulate", "rocket", "--again", str(first)]) == 2
    assert "leave out MODEL" in capsys.readouterr().err
    assert run(["simulate"]) == 2
    assert "MODEL" in capsys.readouterr().err


def test_zarr_can_be_written_again(tmp_path):
    xarray = pytest.importorskip("xarray")
    model = da.gallery("bouncing-ball")
    for until in (1.0, 2.0):
        model.simulate(until=until, samples=5).save(tmp_path / "ball.zarr")
    found = xarray.open_zarr(tmp_path / "ball.zarr", consolidated=False)
    assert float(found["t"][-1]) == 2.0
    assert found["mode.floor"].attrs["flag_meanings"] == "open"
    with pytest.raises(ModelError, match="this is a directory"):
        (tmp_path / "other.zarr").mkdir()
        model.simulate(until=1, samples=5).save(tmp_path / "other.zarr")
