"""Varied quantities: grids, lists, files and random numbers, and their refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import dalembert as da
from dalembert.errors import ModelError
from dalembert.sweep.asked import asked_space, pairs
from dalembert.sweep.chance import LAWS, spread, uniform
from dalembert.sweep.space import Sample, Table, space

RECORD = da.gallery("double-pendulum").record


def asked(vary=(), **more):
    return asked_space(RECORD, pairs(vary, "--vary"), **more)


def test_grids_multiply_in_the_order_of_an_array():
    found = asked(["l1=0.5:1.5:3", "theta1=pi/6,0,-pi/6", "g=1:100:3:log"])
    assert (found.shape, found.dimensions) == ((3, 3, 3), ("l1", "theta1", "g"))
    values = found.values(0, 27)
    whole = np.meshgrid([0.5, 1, 1.5], [np.pi / 6, 0, -np.pi / 6], [1, 10, 100], indexing="ij")
    for name, expected in zip(found.names, whole, strict=True):
        np.testing.assert_allclose(values[name], expected.ravel(), rtol=1e-15)


@settings(max_examples=40)
@given(st.data())
def test_a_range_is_a_range_of_the_whole(data):
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    axes = [Table(f"a{i}", {f"a{i}": np.arange(float(size))}) for i, size in enumerate(sizes)]
    laws = (spread("u", "uniform(0, 1)", float), spread("n", "normal(0, 1)", float))
    found = space([*axes, Sample(data.draw(st.integers(1, 40)), 3, laws)])
    first = data.draw(st.integers(0, found.size - 1))
    last = data.draw(st.integers(first + 1, found.size))
    whole = found.values(0, found.size)
    for name, part in found.values(first, last).items():
        np.testing.assert_array_equal(part, whole[name][first:last])


def test_columns_of_one_file_go_together_and_multiply_with_the_rest(tmp_path):
    file = tmp_path / "starts.csv"
    file.write_text("theta1,unused,theta1'\n0.1,9,1\n0.2,9,2\n0.3,9,3\n")
    for texts in (["theta1,theta1'=@" + str(file)], [f"theta1=@{file}", f"theta1'=@{file}"]):
        found = asked([*texts, "l1=1,2"])
        assert (found.dimensions, found.shape) == (("starts", "l1"), (3, 2))
        np.testing.assert_array_equal(found.values(0, 6)["theta1'"], [1, 1, 2, 2, 3, 3])
    file.write_text("0.1\n0.2\n")
    assert asked([f"theta2=@{file}"]).values(0, 2)["theta2"].tolist() == [0.1, 0.2]


def test_chance_depends_on_seed_name_and_number_alone():
    whole = uniform(7, "theta", 0, 1000)
    for first, last in ((0, 1), (3, 17), (998, 1000), (401, 402)):
        np.testing.assert_array_equal(uniform(7, "theta", first, last), whole[first:last])
    assert not np.array_equal(whole, uniform(8, "theta", 0, 1000))
    assert not np.array_equal(whole, uniform(7, "phi", 0, 1000))
    np.testing.assert_array_equal(
        uniform(7, "theta", 10**12, 10**12 + 3), uniform(7, "theta", 10**12 - 5, 10**12 + 3)[5:]
    )
    assert whole[:3].tolist() == [0.1652871293721479, 0.8206574566170715, 0.3370432899667362]


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("uniform(-1, 3)", stats.uniform(-1, 4)),
        ("normal(0.1, 0.02)", stats.norm(0.1, 0.02)),
        ("normal(0, 1, -0.5, 2)", stats.truncnorm(-0.5, 2)),
        ("lognormal(2, 0.3)", stats.lognorm(0.3, scale=2)),
        ("loguniform(0.01, 10)", stats.loguniform(0.01, 10)),
        ("exponential(3)", stats.expon(scale=3)),
        ("triangular(-1, 0, 3)", stats.triang(0.25, loc=-1, scale=4)),
    ],
)
def test_samples_follow_their_distribution(text, law):
    drawn = spread("x", text, float).values(1, 0, 4000)
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-3
    assert set(LAWS) >= {text.partition("(")[0]}


@pytest.mark.parametrize(
    ("vary", "more", "words"),
    [
        (["thta1=1:2:3"], {}, "no parameter, coordinate or speed 'thta1' to vary; did you mean theta1"),
        (["theta''=1,2"], {}, "no parameter, coordinate or speed"),
        (["l1=1:2:0"], {}, "the grid is empty"),
        (["l1=1:2"], {}, "FIRST:LAST:COUNT is expected"),
        (["l1=1:2:x"], {}, "a whole number is expected"),
        (["l1=1:2:1"], {}, "one value cannot run from 1 to 2"),
        (["l1=-1:2:3:log"], {}, "only with one sign"),
        (["l1=1,,2"], {}, "numbers between commas"),
        (["l1=nan,1"], {}, "a finite number is expected"),
        (["l1=1/0"], {}, "a finite number is expected"),
        (["l1=1e400"], {}, "a finite number is expected"),
        (["l1"], {}, "NAME=… is expected"),
        (["l1=1,2", "l1=3"], {}, "twice"),
        (["l1=@nowhere.csv"], {}, "cannot be read"),
        (["l1,l2=1:2:3"], {}, "only as columns of a file"),
        (["l1=0:1:1000000", "l2=0:1:1000000"], {}, r"1,000,000 × 1,000,000 = 1e\+12 motions"),
        (["l1=0:1:1000000000000"], {}, "at most 10,000,000 of one quantity"),
        ([], {}, "nothing varies"),
        ([], {"sample": 10}, "no spread"),
        ([], {"spreads": {"l1": "normal(1, 1)"}}, "no number of samples"),
        ([], {"sample": 0, "spreads": {"l1": "normal(1, 1)"}}, "at least one"),
        ([], {"sample": 10**12, "spreads": {"l1": "normal(1, 1)"}}, "at most 1,000,000,000"),
        ([], {"sample": 9, "spreads": {"l1": "norml(1, 1)"}}, "did you mean normal"),
        ([], {"sample": 9, "spreads": {"l1": "normal(1)"}}, r"normal\(mean, deviation\), or with low, high too"),
        ([], {"sample": 9, "spreads": {"l1": "uniform(2, 1)"}}, "low < high is expected"),
        ([], {"sample": 9, "spreads": {"l1": "uniform(1, inf)"}}, "a finite number is expected"),
        (["l1=1,2"], {"sample": 9, "spreads": {"l1": "uniform(1, 2)"}}, "varies twice"),
    ],
)
def test_what_is_wrong_is_said(vary, more, words):
    with pytest.raises(ModelError, match=words):
        asked(vary, **more)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no values"),
        ("theta2\n1\n", "no column theta1"),
        ("theta1\n", "no values below"),
        ("theta1\n1\nx\n", "row 2 of theta1: 'x'"),
        ("a,theta1\n1\n", "nothing was met"),
        ("theta1\n1\nnan\n", "value 2 of theta1 is nan"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, text, words):
    (tmp_path / "f.csv").write_text(text)
    with pytest.raises(ModelError, match=words):
        asked([f"theta1=@{tmp_path / 'f.csv'}"])


def test_arrays_are_taken_as_they_are():
    np.testing.assert_array_equal(asked_space(RECORD, {"l1": np.array([1.0, 4.0])}).values(0, 2)["l1"], [1, 4])
    with pytest.raises(ModelError, match="one is expected"):
        asked_space(RECORD, {"l1": np.ones((2, 2))})
    with pytest.raises(ModelError, match="value 2 of l1 is nan"):
        asked_space(RECORD, {"l1": [1, np.nan]})
