"""Shapes of a model: read, checked and written; meshes stay in the folder of the model."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.model.mesh import MOST, read_mesh
from dalembert.model.read import read, read_text
from dalembert.model.shapes import SIZES, WORDS
from dalembert.model.write import write_text

MODEL = """
title = "t"
[parameters]
R = 0.5
[coordinates]
x = { initial = 0, speed = 1 }
[points]
post = [0, 1, 0]
[bodies.b]
mass = 1
position = ["x", 0, 0]
"""
TRIANGLES = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, 1]]], float)


def stated(line: str, further: str = "") -> Any:
    return read_text(f"{MODEL}{line}\n{further}")


@pytest.mark.parametrize("word", SIZES)
def test_every_word_takes_expressions_and_is_written_again(word: str) -> None:
    for way in SIZES[word]:
        count = 3 if "c]" in way else 1 + way.count(",")
        sizes = '"R"' if count == 1 else "[" + ", ".join(['"R/2"'] * count) + "]"
        ends = ', from = [0, 0, 0], to = ["R", 0, 0]' if "from" in way else ""
        model = stated(f'shape = {{ {word} = {sizes}{ends}, colour = "wood" }}')
        assert model.bodies["b"].shapes[0].kind == word
        assert read_text(write_text(model)) == model


def test_several_shapes_drawings_and_the_view_are_written_again() -> None:
    shapes = """shapes = [
      { wheel = "R", spokes = 8, axis = "y" },
      { box = [1, "2*R", 0.2], at = [0, 0, "R"], turn = [["z", "pi/2"]], axis = [1, 0, 1], clear = true },
      { text = "A", size = 0.1 },
    ]"""
    further = """[drawings]
      spring = { spring = 0.1, from = "post", to = "b", turns = 8 }
      velocity = { arrow = 0.01, from = "b", to = "b + b'" }
      [view]
      up = [0, 1, 0]
      follow = false"""
    model = stated(shapes, further)
    assert [one.kind for one in model.bodies["b"].shapes] == ["wheel", "box", "text"]
    assert read_text(write_text(model)) == model


def test_python_says_it_too() -> None:
    import sympy

    model = da.Model("t")
    R = model.parameter("R", 0.5)
    x = model.coordinate("x", initial=0, speed=1)
    post = model.point("post", [0, 1, 0])
    body = model.body(
        "b", 1, [x, 0, 0], shapes=[{"ball": R}, {"box": [1, 2 * R, sympy.Symbol("R") / 2], "at": [0, 0, R]}]
    )
    model.drawing("spring", spring=0.1, from_=post, to=body, turns=8)
    model.view(up=[0, 1, 0])
    told = 'shapes = [{ ball = "R" }, { box = [1, "2*R", "R/2"], at = [0, 0, "R"] }]'
    further = '[drawings]\nspring = { spring = 0.1, from = "post", to = "b", turns = 8 }\n[view]\nup = [0, 1, 0]'
    assert write_text(model.record) == write_text(stated(told, further))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('shape = { sphere = "Q" }', "the name 'Q' is not known"),
        ("shape = { teapot = 1 }", "which is not a shape"),
        ("shape = { bal = 1 }", "did you mean ball"),
        ("shape = { sphere = -1 }", "a length is expected"),
        ('shape = { sphere = "R - 1" }', "R - 1 is -0.5 at the start"),
        ('shape = { sphere = "1/(R - R)" }', "no finite value"),
        ("shape = { ball = 0 }", "a length is expected"),
        ("shape = { box = [1, 2] }", "edge or [a, b, c] is expected"),
        ("shape = { ball = [0.1, 0.2] }", "radius is expected"),
        ("shape = { ball = true }", "radius is expected"),
        ("shape = { ball = { r = 1 } }", "radius is expected"),
        ("shape = { sphere = 1, box = 2 }", "were met together"),
        ('shape = { colour = "blue" }', "no shape was met"),
        ('shape = { ball = "post" }', "is a vector"),
        ('shape = { tube = 0.1, from = [0, 0, 0], to = ["x", 0, 0] }', "[drawings]"),
        ('shape = { box = 1, turn = [["z", "x"]] }', "[drawings]"),
        ('shape = { ball = 1, at = "R" }', "a vector is expected"),
        ('shape = { ball = 1, colour = "blu" }', "the colour 'blu' was met"),
        ("shape = { ball = 1, spokes = 3 }", "spokes belongs to a wheel"),
        ("shape = { wheel = 1, spokes = 900 }", "a number from 0 to 400"),
        ("shape = { ball = 1, size = 3 }", "size belongs to text or mesh"),
        ("shape = { tube = 1 }", "radius with from and to"),
        ("shape = { tube = 1, from = [0, 0, 0] }", "give both"),
        ("shape = { ball = 1, from = [0, 0, 0], to = [1, 0, 0] }", "from and to place"),
        ("shape = { text = 3 }", "a text of 1 to 80 letters"),
        ("shape = 3", "a table such as"),
        ("shapes = { ball = 1 }", "a list of shapes"),
        ("shapes = [1]", "a table such as"),
        ("shape = { ball = 1 }\nshapes = [{ ball = 1 }]", "shapes is given as well"),
        ('shape = { mesh = "x.stl" }', "this model has none"),
    ],
)
def test_a_wrong_shape_is_a_fault_with_a_sentence(line: str, sentence: str) -> None:
    with pytest.raises(ModelError) as raised:
        stated(line)
    assert sentence in str(raised.value)
    assert raised.value.faults[0].table == "bodies.b"


def test_a_value_that_makes_a_size_negative_is_refused() -> None:
    model = da.Model.of(stated('shape = { ball = "R" }'))
    with pytest.raises(ModelError, match="R is -1 at the start"):
        model.changed({"R": -1})


def binary(triangles: np.ndarray) -> bytes:
    rows = b"".join(struct.pack("<12fH", 0, 0, 1, *corners.ravel(), 0) for corners in triangles)
    return b"any title".ljust(80) + struct.pack("<I", len(triangles)) + rows


def ascii_stl(triangles: np.ndarray) -> bytes:
    corners = ["".join(f"vertex {x} {y} {z}\n" for x, y, z in one) for one in triangles]
    faces = [f"facet normal 0 0 1\nouter loop\n{some}endloop\nendfacet" for some in corners]
    return ("solid s\n" + "\n".join(faces) + "\nendsolid s\n").encode()


OBJ = b"# a tetrahedron's corner\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1/1/1 2 3\nf -4 -2 -1\n"


@pytest.mark.parametrize(
    ("name", "data"), [("b.stl", binary(TRIANGLES)), ("a.STL", ascii_stl(TRIANGLES)), ("m/o.obj", OBJ)]
)
def test_meshes_of_every_kind_hold_their_triangles(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / name).write_bytes(data)
    mesh = read_mesh(name, tmp_path)
    corners = np.frombuffer(mesh.corners, "<f4").reshape(-1, 3)
    faces = np.frombuffer(mesh.faces, "<u4").reshape(-1, 3)
    np.testing.assert_array_equal(corners[faces], TRIANGLES)


def test_a_mesh_beside_the_model_is_read_with_it(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(binary(TRIANGLES))
    (tmp_path / "model.toml").write_text(MODEL + 'shape = { mesh = "part.stl", size = "R" }')
    model = read(tmp_path / "model.toml")
    assert model.bodies["b"].shapes[0].mesh is not None
    assert 'mesh = "part.stl", size = "R"' in write_text(model)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("../outside.stl", "is outside the model's folder"),
        ("m/../../outside.stl", "is outside the model's folder"),
        ("link.stl", "is outside the model's folder"),
        ("/etc/passwd.stl", "a path relative to the model's folder"),
        ("..\\\\outside.stl", "a path relative to the model's folder"),
        ("gone.stl", "there is no file"),
        ("m.stl", "there is no file"),
        ("model.toml", ".stl or .obj"),
        ("empty.stl", "0 triangles"),
        ("text.stl", "not a mesh"),
        ("bytes.obj", "not a mesh"),
        ("far.obj", "not a mesh"),
        ("nan.obj", "not finite"),
        ("many.stl", f"1 to {MOST} are drawn"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, sentence: str) -> None:
    folder = tmp_path / "folder"
    (folder / "m.stl").mkdir(parents=True)
    (folder / "m").mkdir()
    (tmp_path / "outside.stl").write_bytes(binary(TRIANGLES))
    (folder / "link.stl").symlink_to(tmp_path / "outside.stl")
    (folder / "empty.stl").write_bytes(binary(TRIANGLES[:0]))
    (folder / "text.stl").write_text("vertex 1 2\nvertex")
    (folder / "bytes.obj").write_bytes(b"\xff\xfe\x00")
    (folder / "far.obj").write_text("v 0 0 0\nf 1 2 3\n")
    (folder / "nan.obj").write_text("v nan 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n")
    (folder / "many.stl").write_bytes(binary(np.repeat(TRIANGLES, MOST, axis=0)))
    (folder / "model.toml").write_text(MODEL + f'shape = {{ mesh = "{name}" }}')
    with pytest.raises(ModelError) as raised:
        read(folder / "model.toml")
    assert sentence in str(raised.value)


def test_the_words_are_all_there() -> None:
    wanted = "wheel tube box ball sphere cylinder cone ellipsoid torus spring chain blade arrow text mesh"
    assert set(wanted.split()) <= set(WORDS)
