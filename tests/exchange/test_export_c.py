"""Exported C: it compiles without a warning, and its accelerations are the engine's."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import MathematicsError, ModelError
from dalembert.exchange.export.names import identifiers

sys.path.insert(0, str(Path(__file__).parent))
from exports import states_of

FEW = ["rolling-disk", "whipple-bicycle", "appell-hamel", "four-bar", "raindrop", "chaplygin-sleigh", "rattleback"]
Vector = ctypes.POINTER(ctypes.c_double)


def built(model, folder, name="plant", **options):
    """The library of an exported model."""
    source, header = model.export("c", folder / f"{name}.c", **options)
    assert header.name == f"{name}.h"
    library = folder / f"{name}.so"
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, source, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(str(library))


def called(library, n, name="plant"):
    """slopes(t, q, v, p, u) of the library; with states slopes(t, q, v, s, p, u)."""
    function = getattr(library, f"{name}_slopes")
    function.restype = None

    def slopes(t, *given):
        given = given if len(given) > 3 else (*given, ())
        function.argtypes = [ctypes.c_double, *[Vector] * (len(given) + 1)]
        a = np.full(n, 7.0)
        arrays = [np.ascontiguousarray(x, dtype=float) for x in given]
        function(t, *(x.ctypes.data_as(Vector) for x in (*arrays, a)))
        return a

    return slopes


@pytest.mark.parametrize("name", FEW)
def test_accelerations(name, tmp_path):
    states = states_of(name)
    library = built(da.gallery(name), tmp_path)
    p = np.zeros(len(states.p))
    library.plant_parameters(p.ctypes.data_as(Vector))
    assert p.tolist() == states.p.tolist()
    states.same(called(library, states.q.shape[1]))


@pytest.mark.parametrize("method", ["chetaev", "gibbs-appell", "udwadia-kalaba"])
def test_methods(method, tmp_path):
    states = states_of("rolling-disk", method)
    states.same(called(built(da.gallery("rolling-disk"), tmp_path, method=method), states.q.shape[1]))


def test_other_parameters(tmp_path):
    """Parameters are arguments: the file of one model serves another value of them."""
    slopes = called(built(da.gallery("simple-pendulum"), tmp_path), 1)
    states_of("simple-pendulum", settings={"l": 0.4}).same(slopes)


def test_singular_state(tmp_path):
    """A double pendulum without masses has no accelerations, and says so."""
    states = states_of("double-pendulum")
    a = called(built(da.gallery("double-pendulum"), tmp_path), 2)(0.0, states.q[0], states.v[0], 0 * states.p)
    assert np.isnan(a).all()


def test_same_bytes(tmp_path):
    (tmp_path / "other").mkdir()
    one, two = (da.gallery("rolling-disk").export("c", tmp_path / place) for place in ("disk.c", "other/disk.c"))
    assert [file.read_bytes() for file in one] == [file.read_bytes() for file in two]
    other = da.gallery("rolling-disk").changed({"R": 0.7}).export("c", tmp_path / "disk.c")
    assert other[0].read_bytes() != two[0].read_bytes()


def test_title_in_a_comment(tmp_path):
    """A title cannot end the comment that contains it; words of C may be names of a model."""
    model = da.Model("Evil */ int main(void) { return 1; } /* ??/")
    angle, turn = model.coordinate("double", 0.3), model.coordinate("int", 0.1)
    size = model.parameter("return_", 2)
    model.energy(kinetic=size * (angle.dot**2 + turn.dot**2) / 2, potential=size * da.cos(angle))
    a = called(built(model, tmp_path), 2)(0.0, [0.3, 0.1], [0.0, 0.0], [2.0])
    assert a == pytest.approx([np.sin(0.3), 0.0], rel=1e-12)
    assert "plant_q_int = 1" in (tmp_path / "plant.h").read_text()
    assert model.export("c", tmp_path / "2 masses.c")[1].read_text().count("void model_2_masses_slopes(") == 1


def test_renamed(tmp_path):
    """Names that are not valid in C are renamed and listed: those of an attitude by quaternion have a dot."""
    header = da.gallery("rolling-ellipsoid").export("c", tmp_path / "stone.c")[1].read_text()
    assert re.search(r"^ \* (\S+)\.(\S+) is called \1_\2 here\.$", header, re.MULTILINE)


def test_data_inputs_are_arguments(tmp_path):
    """An input from data is an argument u. With the value at the start, the engine's accelerations come out."""
    model = da.Model("pushed")
    model.coordinate("x", 0.2)
    model.parameter("m", 2)
    model.input("push", times=[0, 1], values=[3, 5])
    model.energy(kinetic="m*x'^2/2")
    model.force("push", generalized={"x": "push"})
    slopes = called(built(model, tmp_path), 1)
    assert slopes(0.0, [0.2], [0.0], [2.0], [3.0])[0] == model.solve().accelerations["x"] == 1.5
    assert slopes(0.0, [0.2], [0.0], [2.0], [5.0])[0] == 2.5
    assert "#define PLANT_INPUTS 1" in (tmp_path / "plant.h").read_text()


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("bouncing-ball", {}, "cannot carry contacts and frictions"),
        ("knife-edge", {"method": "vakonomic"}, "the method vakonomic needs more"),
        ("simple-pendulum", {"what": "equations"}, "cannot hold 'equations'; it can hold slopes"),
        ("simple-pendulum", {"to": "cc"}, "there is no target 'cc'"),
        ("simple-pendulum", {"to": "julia"}, "export to c, which Julia calls with ccall"),
        ("simple-pendulum", {"method": "kan"}, "did you mean kane"),
    ],
)
def test_refusals(name, options, sentence, tmp_path):
    words = {"to": "c", **options}
    with pytest.raises(ModelError, match=sentence):
        da.gallery(name).export(words.pop("to"), tmp_path / "plant.c", **words)
    assert not list(tmp_path.iterdir())


def test_what_is_left_out_is_told(tmp_path):
    """Parameters that are formulas become numbers, and events are left out; both files say so."""
    model = da.Model("told")
    model.parameter("R", 0.5)
    model.parameter("J", "2*R^2")
    model.coordinate("x", 0.2)
    model.energy(kinetic="J*x'^2/2", potential="R*x")
    model.event("low", "x")
    for file in model.export("c", tmp_path / "told.c"):
        assert " * The parameter J is a formula of R in the model. Change it with them.\n" in file.read_text()
        assert " * Events are not in this file: low.\n" in file.read_text()


def test_name_of_the_file(tmp_path):
    with pytest.raises(ModelError, match="cannot be used in an #include of C"):
        da.gallery("simple-pendulum").export("c", tmp_path / 'a"b.c')
    assert not list(tmp_path.iterdir())


def test_ending(tmp_path):
    with pytest.raises(ModelError, match=r"the ending '.py' is not known"):
        da.gallery("simple-pendulum").export("c", tmp_path / "plant.py")


POSITIVE_MASS = {"falling-chain": {"x": 0.5}}  # at states near the start, some of the chain would have a negative mass


@pytest.mark.slow
@pytest.mark.parametrize("name", da.gallery())
def test_whole_gallery(name, tmp_path):
    """Every model that is not refused. Redundant rows (bricard) leave no formula."""
    try:
        library = built(da.gallery(name), tmp_path)
    except (ModelError, MathematicsError) as refusal:
        assert any(word in str(refusal) for word in ("cannot carry", "needs more", "constraints are singular there"))
        assert name == "bricard" or "singular" not in str(refusal)
        return
    states = states_of(name, settings=POSITIVE_MASS.get(name))
    states.same(called(library, states.a.shape[1]))


def test_example_of_the_manual(tmp_path):
    """The snippet of docs/exports.md compiles with the file that it names, and its disk falls."""
    page = (Path(__file__).parents[2] / "docs" / "exports.md").read_text(encoding="utf-8")
    include, body = re.findall(r"^```c\n(#include.*?)\n\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0]
    shows = 'printf("%.17g\\n", a[disk_q_lean]);'
    text = f"{include}\n#include <stdio.h>\nint main(void) {{\n{body}\n{shows}\nreturn 0;\n}}\n"
    (tmp_path / "main.c").write_text(text)
    source, _ = da.gallery("rolling-disk").export("c", tmp_path / "disk.c")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, source, tmp_path / "main.c", "-o", tmp_path / "main", "-lm"], check=True)
    shown = float(subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout)
    rest = dict.fromkeys(["x", "y", "yaw", "roll", "x'", "y'", "yaw'", "lean'", "roll'"], 0)
    settings = {**rest, "R": 0.3, "lean": 0.5}
    assert shown == pytest.approx(da.gallery("rolling-disk").solve(settings=settings).accelerations["lean"], rel=1e-12)


def test_names():
    """Names survive; Greek letters are spelt out, and other scripts have numbers."""
    found = identifiers(["θ", "theta", "车", "Δx", "wheel.e0", "wheel_e0"])
    assert list(found.values()) == ["theta_2", "theta", "u8f66", "Deltax", "wheel_e0_2", "wheel_e0"]


def test_contents_without_files(tmp_path, monkeypatch):
    """Without a path nothing is written; with one, the answer has the notes, too."""
    monkeypatch.chdir(tmp_path)
    held = da.gallery("rolling-disk").export("c")
    assert list(held) == ["model.c", "model.h"] and "void model_slopes(" in held["model.h"]
    assert not list(tmp_path.iterdir())
    files = da.gallery("rolling-disk").export("c", "model.c")
    assert [path.read_text() for path in files] == list(held.values())
    assert any("accumulation" in note for note in da.gallery("bouncing-ball").export("fmu", "ball.fmu").notes)
