"""A motion as a GIF: its frames, and the meshes that are drawn in it."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from PIL import Image, ImageColor

import dalembert as da
from dalembert.cli.main import run
from dalembert.results import write
from dalembert.view.figures import Figure
from dalembert.view.film import FINE, HEIGHT, LONGEST, RATE, SIDE, SLOPE, SMOOTH, WIDTH, Film, gif
from dalembert.view.meshes import mesh

KINDS = {
    "box": (1.0, 2.0, 3.0), "ball": (0.5,), "ellipsoid": (0.5, 1.0, 0.7), "cylinder": (0.5, 2.0), "wheel": (0.5, 0.1),
    "tube": (0.1, 2.0), "capsule": (0.2, 1.0), "cone": (0.5, 2.0), "torus": (1.0, 0.2), "pipe": (0.3, 1.0),
    "bowl": (1.0,), "spring": (0.2, 1.0), "chain": (0.1, 1.0), "blade": (1.0, 0.2), "arrow": (2.0, 0.05),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_meshes_have_the_sizes_of_their_figures(kind):
    figure = Figure(kind, KINDS[kind])
    made = mesh(figure.to_dict())
    assert np.isfinite(made.corners).all() and made.faces.max() < len(made.corners)
    reach = np.abs(made.corners).max(axis=0)
    slack = 0.12 * KINDS[kind][0] if kind in ("spring", "chain") else 1e-9
    assert (reach <= figure.half + slack).all()
    if kind not in ("blade", "arrow", "bowl", "wheel"):
        assert (reach >= 0.9 * figure.half).all()


def test_the_film_of_a_disk(tmp_path):
    file = tmp_path / "disk.gif"
    assert run(["simulate", "rolling-disk", "--until", "0.5", "-o", str(file)]) == 0
    film = Image.open(file)
    assert film.size == (WIDTH, HEIGHT)
    assert film.n_frames == 1 + RATE // 2
    assert film.info["loop"] == 0
    pictures = []
    for k in (0, film.n_frames - 1):
        film.seek(k)
        pictures.append(np.asarray(film.convert("RGB"), float))
    blue = [(one[:, :, 2] > one[:, :, 0] + 60).sum() for one in pictures]
    assert min(blue) > 300  # the disk is in the picture, at both ends
    assert np.abs(pictures[0] - pictures[1]).max(axis=2).mean() > 0.5


def test_the_film_as_mp4(tmp_path, monkeypatch, capsys):
    """Finer pictures with an encoder, and a sentence without one."""
    file = tmp_path / "disk.mp4"
    ask = ["simulate", "rolling-disk", "--until", "0.2", "-o", str(file)]
    if find_spec("imageio_ffmpeg") is not None:
        from imageio_ffmpeg import read_frames

        assert run(ask) == 0
        told, *pictures = read_frames(str(file))
        assert told["size"] == (FINE * WIDTH, FINE * HEIGHT) and told["codec"] == "h264"
        assert len(pictures) == 1 + SMOOTH // 5
        last = np.frombuffer(pictures[-1], np.uint8).reshape(FINE * HEIGHT, FINE * WIDTH, 3).astype(float)
        assert (last[:, :, 2] > last[:, :, 0] + 60).sum() > 1000
    monkeypatch.setitem(write.EXTRAS, ".mp4", ("no_such_encoder", "film"))
    assert run(ask) == 2 and "dalembert[film]" in capsys.readouterr().err


def test_where_things_are_in_the_picture():
    """The bob of a pendulum is drawn where its place is projected; a long motion runs faster."""
    motion = da.gallery("simple-pendulum").simulate()
    scene = motion.animate().scene
    film = Film(scene)
    picture = np.asarray(film.frame(0.3), float)
    at = film.eye.project(film._at(film.ways[0], 0.3)[None], np.array(scene["outlook"]["centre"]))[0, :2] / 2
    x, y = (round(e) for e in at)
    assert picture[y, x, 2] > picture[y, x, 0] + 40
    assert len(film.instants()) <= RATE * LONGEST + 1


def test_walls_are_in_the_picture():
    film = Film(da.gallery("bouncing-ball").simulate(samples=20).animate().scene)
    picture = np.asarray(film.frame(0.1), int)
    middle = film.eye.project(film.walls[0][:1], np.array(film.scene["outlook"]["centre"]))[0, :2] / FINE
    x, y = (round(e) for e in middle)
    assert np.abs(picture[y - 1 : y + 3, x] - picture[2, 2]).max() > 20


def test_a_gif_keeps_the_colours(tmp_path):
    """Even the few pixels of a thin green fork beside an orange coat."""
    motion = da.gallery("whipple-bicycle").simulate(until=0.2)
    (tmp_path / "bicycle.gif").write_bytes(gif(motion.animate().scene))
    there = np.asarray(Image.open(tmp_path / "bicycle.gif").convert("RGB"), int)
    assert np.abs(there - np.asarray(Film(motion.animate().scene).frame(0.0), int)).max() < 50  # by fewer colours 77


def test_shadows_and_slopes():
    """A ball above the slope has its shadow on it; a planar motion without a ground has none."""
    film = Film(da.gallery("knife-edge").simulate(samples=20).animate().scene)
    picture = film.frame(1.0)
    painted = {colour for _, colour in picture.getcolors(WIDTH * HEIGHT)}
    assert {ImageColor.getrgb(SLOPE), ImageColor.getrgb(SIDE)} <= painted
    shadow = np.asarray(film._shadow(1.0, np.array(film.scene["outlook"]["centre"]))) > 0
    outline = film.eye.project(
        np.array(film.scene["ground"]["slope"]["surface"]), np.array(film.scene["outlook"]["centre"])
    )
    (low, left), (high, right) = np.argwhere(shadow).min(axis=0), np.argwhere(shadow).max(axis=0)
    assert 200 < shadow.sum() < 0.1 * shadow.size
    assert outline[:, 0].min() < left and right < outline[:, 0].max()
    assert outline[:, 1].min() < low and high < outline[:, 1].max()
    flat = Film(da.gallery("simple-pendulum").simulate(samples=20).animate().scene)
    assert flat._shadow(0.1, np.zeros(3)) is None
