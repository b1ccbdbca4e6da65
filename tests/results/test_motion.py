"""Motions as named data and as files."""

from __future__ import annotations

import csv
import json
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.api.motion import simulate
from dalembert.errors import MathematicsError, ModelError
from dalembert.model.read import read_text
from dalembert.results.motion import Diagnostics, Event, Motion
from dalembert.results.plots import panels, picture
from dalembert.results.write import EXTRAS, WRITERS, check_target, json_text

TIMES = np.linspace(0.0, 1.0, 11)


@pytest.fixture
def motion() -> Motion:
    angle = np.sin(TIMES) / 3
    return Motion(
        method="kane",
        status="finished",
        times=TIMES,
        coordinates={"theta": angle},
        speeds={"theta": np.cos(TIMES) / 3},
        accelerations={"theta": -angle},
        multipliers={"rod": angle**2},
        definitions={"height": 1 - angle},
        energy={"kinetic": angle**2, "potential": 1 - angle**2, "total": np.ones(11)},
        events=(Event(0.4, "top", "crossing", {"theta": 1.0}, {"theta": 1.0}),),
        diagnostics=Diagnostics(7, 80, 1e-15, 0.0, {"derive": 0.1, "compile": 0.2, "integrate": 0.3}, "dop853"),
        title="Pendulum",
        units={"theta": "rad"},
    )


def test_names(motion: Motion) -> None:
    assert motion["theta"] is motion.coordinates["theta"]
    assert motion["theta'"] is motion.speeds["theta"]
    assert motion["theta''"] is motion.accelerations["theta"]
    assert motion["height"] is motion.definitions["height"]
    assert motion["rod"] is motion.multipliers["rod"]
    with pytest.raises(KeyError, match="did you mean 'theta'"):
        motion["tehta"]


def test_dictionary_has_the_keys_of_the_contract(motion: Motion) -> None:
    answer = motion.to_dict()
    keys = [
        *("method", "status", "times", "coordinates", "speeds", "accelerations", "multipliers", "definitions"),
        *("energy", "events", "diagnostics", "notes"),
    ]
    assert [key for key in answer if key in keys] == keys
    assert list(answer["diagnostics"]) == ["steps", "evaluations", "constraint_residual", "energy_drift", "seconds"]
    assert list(answer["diagnostics"]["seconds"]) == ["derive", "compile", "integrate"]
    assert list(answer["events"][0]) == ["time", "name", "kind", "before", "after"]


def test_units_of_rates(motion: Motion) -> None:
    assert [motion.unit(name) for name in ("theta", "theta'", "theta''", "height")] == ["rad", "rad/s", "rad/s^2", ""]


def test_xarray(motion: Motion) -> None:
    data = motion.to_xarray()
    assert data["theta'"].dims == ("t",)
    assert data["theta'"].attrs["units"] == "rad/s"
    np.testing.assert_array_equal(data["multiplier.rod"], motion.multipliers["rod"])


@pytest.mark.parametrize("ending", WRITERS)
def test_every_form_is_written_whole_and_nothing_is_left_beside(motion: Motion, tmp_path: Path, ending: str) -> None:
    pytest.importorskip(EXTRAS.get(ending, ("json", ""))[0])
    target = tmp_path / f"motion{ending}"
    target.write_text("old")
    viewer = SimpleNamespace(html=lambda: "<!doctype html>" * 10, gif=lambda: b"GIF89a" * 20, mp4=lambda: b"mp4" * 40)
    shown = replace(motion, viewer=lambda _: viewer)
    shown.save(target)
    assert target.stat().st_size > 100
    assert [file.name for file in tmp_path.iterdir()] == [target.name]


def test_numbers_read_back_to_the_same_double(motion: Motion, tmp_path: Path) -> None:
    motion.save(tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["theta"]) for row in rows] == motion["theta"].tolist()
    motion.save(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text())["speeds"]["theta"] == motion["theta'"].tolist()


def test_netcdf_and_parquet_read_back(motion: Motion, tmp_path: Path) -> None:
    pytest.importorskip("netCDF4")
    parquet = pytest.importorskip("pyarrow.parquet")
    import xarray

    motion.save(tmp_path / "a.nc")
    with xarray.open_dataset(tmp_path / "a.nc") as data:
        np.testing.assert_array_equal(data["theta''"], motion["theta''"])
    motion.save(tmp_path / "a.parquet")
    assert parquet.read_table(tmp_path / "a.parquet")["theta"].to_pylist() == motion["theta"].tolist()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.xyz", "the endings known are .csv, .json"),
        ("a", "no ending"),
        ("a.pgn", "Did you mean .png"),
        ("missing/a.csv", "there is no directory"),
        (".", "no ending"),
    ],
)
def test_targets_that_cannot_be_written(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        check_target(tmp_path / name)


def test_what_is_not_finite_is_not_written(motion: Motion, tmp_path: Path) -> None:
    bad = motion["theta"].copy()
    bad[3] = np.nan
    broken = replace(motion, coordinates={"theta": bad})
    with pytest.raises(MathematicsError, match=r"theta is not finite at t = 0\.3"):
        broken.save(tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())
    with pytest.raises(MathematicsError):
        json_text(broken.to_dict())


def test_a_writer_that_fails_leaves_the_old_file(
    motion: Motion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(motion: Motion, path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(WRITERS, ".csv", full)
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(ModelError, match="No space left"):
        motion.save(tmp_path / "a.csv")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.csv", "old")]


def test_picture_has_a_panel_for_everything(motion: Motion) -> None:
    figure = motion.plot()
    titles = [axes.get_title(loc="left") for axes in figure.axes if axes.get_visible()]
    assert titles[:5] == [
        "coordinates  [rad]", "speeds  [rad/s]", "definitions", "reactions (multipliers)", "energy",
    ]  # fmt: skip
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["theta"]
    assert len(motion.plot(["theta", "rod"]).axes) == 2


def test_no_panel_is_crowded_and_none_hides_a_small_line(motion: Motion) -> None:
    many = {f"q{i}": np.full(11, 1.0 + i) for i in range(10)} | {"tiny": np.linspace(0, 1e-4, 11), "zero": np.zeros(11)}
    shown = panels(replace(motion, coordinates=many, units={}))
    coordinates = [panel for panel in shown if panel.title == "coordinates"]
    assert sorted(name for panel in coordinates for name in panel.lines) == sorted(many)
    assert max(len(panel.lines) for panel in coordinates) <= 6
    assert not any("tiny" in panel.lines and "q9" in panel.lines for panel in coordinates)


def test_a_motion_of_nothing_has_a_picture(motion: Motion) -> None:
    still = replace(motion, coordinates={}, speeds={}, definitions={}, multipliers={}, events=(), residuals={})
    assert picture(still.plot(), "png").startswith(b"\x89PNG")


def test_portraits(motion: Motion) -> None:
    phase = motion.plot(kind="phase", of="theta").axes[0]
    np.testing.assert_array_equal(phase.lines[0].get_xdata(), motion["theta"])
    np.testing.assert_array_equal(phase.lines[0].get_ydata(), motion["theta'"])
    path = motion.plot(kind="path", of=("theta", "height")).axes[0]
    np.testing.assert_array_equal(path.lines[0].get_ydata(), motion["height"])


def test_a_phase_portrait_between_samples_needs_no_event() -> None:
    motion = da.gallery("simple-pendulum").simulate(samples=5, until=1.0, dense=True)
    assert len(motion.plot(kind="phase").axes[0].lines[0].get_xdata()) > 5


STOPS = """
[coordinates]
q = 1
[energy]
kinetic = "q'^2/2"
potential = "q^2/2"
[events.zero]
when = "q"
stop = true
"""


def test_a_motion_that_ends_before_the_first_time_asked_for(tmp_path: Path) -> None:
    motion = da.Model.of(read_text(STOPS)).simulate(at=[2, 3])
    assert motion.status == "stopped" and not len(motion.times)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("a.csv", "a.json", "a.nc", "a.png"):
            motion.save(tmp_path / name)
        motion.save(tmp_path / "path.png", kind="path", of=("q", "t"))
    with pytest.raises(ModelError, match="ended before the first"):
        motion.save(tmp_path / "a.html")
    with pytest.raises(ModelError, match="ended before the first"):
        da.Model.of(read_text(STOPS)).sensitivities(["q"], at=[2, 3])


def test_letters_that_the_font_lacks_are_no_complaint(motion: Motion) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert picture(replace(motion, title="\u6446 \U0001f389 $\\frac{ \x07").plot(), "svg")


def test_portraits_between_samples_go_to_the_wall_and_break_where_speeds_jump() -> None:
    motion = da.gallery("bouncing-ball").simulate(samples=12, until=1.0, dense=True)
    (fallen,) = [event.time for event in motion.events]
    phase = motion.plot(kind="phase").axes[0].lines[0]
    z, speed = phase.get_xdata(), phase.get_ydata()
    (gap,) = np.flatnonzero(np.isnan(speed))
    np.testing.assert_allclose(z[gap - 1 : gap + 2], 0, atol=1e-12)
    np.testing.assert_allclose([speed[gap - 1], speed[gap + 1]], [-9.81 * fallen, 0.8 * 9.81 * fallen], rtol=1e-9)
    path = motion.plot(kind="path", of=("z", "z")).axes[0].lines[0].get_xdata()
    assert np.isfinite(path).all() and len(path) > 4000


def test_what_is_nothing_but_rounding_has_no_panel_and_the_last_one_fills_its_row(motion: Motion) -> None:
    lines = {"x": TIMES, "noise": 1e-17 * TIMES}
    shown = panels(replace(motion, coordinates=lines, units={}, residuals={"rod": np.zeros(11)}))
    assert [list(panel.lines) for panel in shown if panel.title == "coordinates"] == [["x", "noise"]]
    assert not any("residuals" in panel.title for panel in shown)
    figure = motion.plot()  # five panels
    figure.draw_without_rendering()
    widths = [axes.get_position().width for axes in figure.axes]
    assert len(widths) == 5 and widths[4] > 1.8 * widths[0]


@pytest.mark.parametrize(
    ("places", "rows"), [("['1', '0', 'z']", ""), ("['y', 'z', 0]", "a = 'y + z = 1'\nb = 'y = z - 1'")]
)
def test_a_path_that_is_a_line_or_a_point_is_drawn_without_complaint(places: str, rows: str) -> None:
    text = f"""
    gravity = [0.3, -9.81, -1]
    [coordinates]
    y = 0
    z = 1
    [bodies.p]
    mass = 3
    position = {places}
    [energy]
    kinetic = "y'^2"
    [constraints]
    {rows}
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = simulate(read_text(text), until=1.0, samples=11)
        assert picture(motion.plot(kind="path"), "png").startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("drawing", "said"),
    [
        ({"kind": "phase", "of": "height"}, "no coordinate of this motion"),
        ({"kind": "path", "of": ("theta",)}, "needs two quantities"),
        ({"kind": "pie"}, "time, phase and path are"),
        ({"names": ["thata"]}, "did you mean 'theta'"),
    ],
)
def test_pictures_that_cannot_be_drawn(motion: Motion, drawing: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        motion.plot(**drawing)


def test_a_notebook_shows_a_picture(motion: Motion) -> None:
    assert motion._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(ModelError, match="does not know its model"):
        motion.animate()


def test_picture_takes_names_as_they_are(motion: Motion, tmp_path: Path) -> None:
    odd = replace(motion, title=r"costs $5 and $\frac 100%", definitions={"a_$x$": motion["height"]})
    odd.save(tmp_path / "a.png")


def test_text_has_the_last_state_and_the_events(motion: Motion) -> None:
    text = str(motion)
    assert "t = 0 to 1, 11 samples, finished" in text
    assert "crossing" in text
    assert "7 steps, 80 evaluations (dop853)" in text


def test_between_samples(motion: Motion) -> None:
    with pytest.raises(ValueError, match="dense=True"):
        motion.at(0.5)
    dense = replace(motion, dense=lambda t, after: (np.sin(t)[:, None], np.cos(t)[:, None]))
    assert dense.at(0.25) == {"theta": np.sin(0.25), "theta'": np.cos(0.25)}
    assert dense.at([0.1, 0.2])["theta"].shape == (2,)
    with pytest.raises(ValueError, match="from t = 0 to 1"):
        dense.at(1.5)
