"""Results in files: the same numbers in every form, in any blocks, to the last byte."""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.model.read import read_text
from dalembert.sweep import layout as laying
from dalembert.sweep import targets
from dalembert.sweep.ensemble import FAILED, Outcome
from dalembert.sweep.layout import Layout, assembled
from dalembert.sweep.space import Space, Table
from dalembert.sweep.variables import Variable

PENDULUM = da.gallery("simple-pendulum")
Q = next(iter(PENDULUM.record.coordinates))
KEEP = ["final", f"max {Q}", f"{Q} at 0,0.5,1", "eigenvalues", f"final {Q}/2", f"d({Q})/d(l)"]
VARY = {Q: "0:1:4", f"{Q}'": "0,1,2"}


def tree(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [p for p in sorted(path.rglob("*")) if p.is_file()]
    return {str(p.relative_to(path)): p.read_bytes() for p in files}


@pytest.fixture(scope="module")
def in_memory():
    return PENDULUM.sweep(VARY, record=KEEP, until=1)


@pytest.mark.parametrize("ending", [".zarr", ".nc", ".parquet", ""])
def test_every_form_holds_the_same(tmp_path, ending, in_memory):
    found = PENDULUM.sweep(VARY, record=KEEP, until=1, output=tmp_path / f"out{ending}").load()
    place = tmp_path / f"out{ending or '.zarr'}"
    assert [p.name for p in tmp_path.iterdir()] == [place.name]
    if ending == ".parquet":
        for name in ("final " + Q, "max " + Q, "status"):
            np.testing.assert_array_equal(found[name].values, in_memory[name].values)
        np.testing.assert_array_equal(found[f"{Q}(t=0.5)"].values, in_memory[f"{Q}(t)"].sel(t=0.5).values)
        assert found[Q].values.tolist() == in_memory[Q].values.tolist()
    else:
        xarray.testing.assert_identical(found.drop_attrs(), in_memory.drop_attrs())
        assert found.attrs["sweep"] == in_memory.attrs["sweep"] and found["status"].attrs["flag_meanings"]
        other = xarray.open_zarr(place) if place.is_dir() else xarray.open_dataset(place)
        xarray.testing.assert_identical(other.load().drop_attrs(), in_memory.drop_attrs())


@pytest.mark.parametrize("ending", [".zarr", ".nc", ".parquet"])
def test_chunks_and_blocks_do_not_show_in_the_bytes(tmp_path, ending):
    bytes_ = []
    for i, chunk in enumerate((None, 1, 5)):
        PENDULUM.sweep(VARY, record=KEEP, until=1, output=tmp_path / f"{i}{ending}", chunk=chunk)
        bytes_.append(tree(tmp_path / f"{i}{ending}"))
    assert bytes_[0] == bytes_[1] == bytes_[2]


@settings(max_examples=60)
@given(
    shape=st.lists(st.integers(1, 7), min_size=1, max_size=4),
    largest=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_blocks_are_boxes_of_the_arrays_and_ranges_of_the_motions(shape, largest, seed):
    axes = tuple(Table(f"a{i}", {f"a{i}": np.arange(float(size))}) for i, size in enumerate(shape))
    variables = (Variable("one", 0, 1), Variable("two", 1, 3, (("t", (0.0, 1.0, 2.0)),)))
    layout = Layout(Space(axes), variables, {"title": ""}, True)
    size = layout.space.size
    values = np.arange(4.0 * size).reshape(size, 4)
    status = np.where(np.arange(size) % 3 == 1, FAILED, 0).astype(np.int8)
    cuts = np.unique([0, size, *np.random.default_rng(seed).integers(0, size + 1, 3).tolist()])
    outcomes = [
        (a, Outcome(values[a:b], status[a:b], {i - a: f"why {i}" for i in range(a, b) if i % 3 == 1}))
        for a, b in zip(cuts.tolist(), cuts[1:].tolist(), strict=False)
    ]
    before, laying.LARGEST = laying.LARGEST, 4 * largest
    try:
        assert all(last - first <= largest for first, last, _ in layout.boxes())
        target = targets.DatasetMemory(layout)
        summary = assembled(layout, outcomes, target)
    finally:
        laying.LARGEST = before
    found = target.dataset()
    np.testing.assert_array_equal(found["one"].values.ravel(), values[:, 0])
    np.testing.assert_array_equal(found["two"].values.reshape(size, 3), values[:, 1:])
    assert found["message"].values.ravel().tolist() == [f"why {i}" if i % 3 == 1 else "" for i in range(size)]
    assert sum(summary.counts.values()) == summary.motions == size
    np.testing.assert_allclose(summary.ranges["one"][1:], [values[:, 0].min(), values[:, 0].mean(), values[:, 0].max()])


def test_small_blocks_give_the_same_zarr_and_netcdf(tmp_path, monkeypatch, in_memory):
    monkeypatch.setattr(laying, "LARGEST", 40)
    for ending in (".zarr", ".nc"):
        found = PENDULUM.sweep(VARY, record=KEEP, until=1, output=tmp_path / f"out{ending}").load()
        xarray.testing.assert_identical(found.drop_attrs(), in_memory.drop_attrs())


@pytest.mark.parametrize("ending", [".zarr", ".nc", ".parquet"])
def test_sentences_of_failures_are_kept(tmp_path, ending):
    model = da.gallery("bouncing-ball")
    found = model.sweep({"e": [0.5, 2, 0.8]}, until=0.1, output=tmp_path / f"out{ending}")
    assert found["status"].values.tolist() == [0, 3, 0]
    messages = found["message"].values.tolist()
    assert messages[0] == messages[2] == "" and "from 0 to 1" in messages[1]


def test_the_manifest_tells_all_that_the_numbers_depend_on(in_memory):
    told = json.loads(in_memory.attrs["manifest"])
    assert read_text(told["model"]) == PENDULUM.record
    assert told["record"] == KEEP and told["end"] == 1 and told["version"] == da.__version__
