"""Faults have line numbers: for every form of a value in the file, the place of the wrong word is found."""

import re

import pytest

from dalembert.collection import names, text
from dalembert.errors import ModelError
from dalembert.lab.lines import located
from dalembert.model.read import read_text

MODEL = """title = "x"
gravity = [0, 0, "-G1"]
[parameters]
m = { value = 1.3, unit = "kg", min = "G2" }
J = "G3 + 2"
[parameters.k]
value = "G4"
[coordinates]
x = { initial = "G5", speed = "2*G6" }
theta = 0.2
[speeds]
theta = "G7"
[bodies.sleigh]
mass = 'm + G8'
position = [
  "x + G9*cos(theta)",  # ] not here
  "x + J*sin(G10)", 0]
rotation = [["z", "G11"]]
inertia = [0, 0, \"\"\"G12\"\"\"]
[constraints]
"blade" = "x'*cos(G13) - x = 0"
[frames]
lean = { turn = [["z", "theta"], ["x", "G14"]] }
[forces.push]
generalized = { x = "G15" }
[virtual_displacements]
rule = "rows"
rows = [{ x = "1" }, { theta = "G16" }]
[[virtual]]
"""


def faults(model):
    with pytest.raises(ModelError) as refused:
        read_text(model)
    return located(model, refused.value.faults)


def test_every_unknown_name_is_underlined_itself():
    lines = MODEL.split("\n")
    found = [lines[fault.line - 1][fault.start - 1 : fault.end - 1] for fault in faults(MODEL)]
    assert {word for word in found if word.startswith("G")} == set(re.findall(r"G\d+", MODEL))


def test_a_missing_key_stands_at_its_table():
    model = text("chaplygin-sleigh").replace('mass = "m"', "")
    (fault,) = faults(model)
    assert model.split("\n")[fault.line - 1].startswith("[bodies.") and "mass" in fault.message


@pytest.mark.parametrize(
    ("model", "line"),
    [
        ("x = 1\ny = = 2\n", 2),
        ("a = [1,\n2,\n", 2),
        ('x = "open\n', 1),
        ("x = 1\n\nx = 2\n", 3),
        ("", 1),
    ],
)
def test_what_is_no_model_has_a_line_too(model, line):
    assert faults(model)[0].line in (line, line + 1)


@pytest.mark.parametrize("name", names())
def test_a_wrong_word_in_any_model_of_the_gallery(name):
    model = text(name)
    quoted = [m for m in re.finditer(r'"[^"\n]*\b([a-z]\w*)\b[^"\n]*"', model) if '= "' in model[: m.end()]]
    body = model[: model.index("[simulation]")] if "[simulation]" in model else model
    place = next(m for m in quoted if m.start() > body.find("[coordinates]") and "'" not in m[0])
    broken = model[: place.start(1)] + "qqq" + model[place.end(1) :]
    try:
        read_text(broken)
    except ModelError as error:
        line = broken.count("\n", 0, place.start()) + 1
        assert line in {fault.line for fault in located(broken, error.faults)}
