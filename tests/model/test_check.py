"""The checker: every rule of the record, one model at fault for each."""

from __future__ import annotations

import pytest

from dalembert.errors import ModelError
from dalembert.model.read import read_text

BASE = """
[parameters]
R = 0.5
[coordinates]
x = 1
y = 0
[speeds]
x = 2
[frames]
lean = { turn = [["z", "x"]] }
[points]
hub = ["x", "y", 0]
[bodies.p]
mass = 2
position = ["x", "y", 0]
"""


def told(addition: str) -> list:
    with pytest.raises(ModelError) as caught:
        read_text(BASE + addition)
    return list(caught.value.faults)


@pytest.mark.parametrize(
    ("addition", "table", "key", "words"),
    [
        ('[definitions]\nd = "hub + x"', "definitions", "d", "vector and x a scalar"),
        ('[definitions]\nd = "hub*p"', "definitions", "d", "both vectors"),
        ('[definitions]\nd = "1/hub"', "definitions", "d", "divide by a vector"),
        ('[definitions]\nd = "hub^2"', "definitions", "d", "power"),
        ('[definitions]\nd = "sin(hub)"', "definitions", "d", "takes a scalar"),
        ('[definitions]\nd = "dot(x, hub)"', "definitions", "d", "takes a vector"),
        ('[definitions]\nd = "[hub, 0, 0]"', "definitions", "d", "entries"),
        ('[definitions]\nd = "lean"', "definitions", "d", "frame"),
        ('[definitions]\nd = "2*lean"', "definitions", "d", "frame"),
        ('[definitions]\nd = "hub.x"', "definitions", "d", "no axes"),
        ('[definitions]\nd = "laen.x"', "definitions", "d", "did you mean lean?"),
        ('[definitions]\nd = "omega(hub)"', "definitions", "d", "omega takes"),
        ('[definitions]\nd = "x\'"\ne = "d\'"', "definitions", "e", "acceleration"),
        ('[definitions]\nd = "e"\ne = "d"', "definitions", "d", "depends on itself"),
        ('[definitions]\nx = "1"', "definitions", "x", "[coordinates] as well"),
        ('[definitions]\nworld = "1"', "definitions", "world", "reserved"),
        ('[definitions]\na = "(9*x)^1000"\nb = "a^1000"', "definitions", "b", "nested powers"),
        ('[constraints]\nc = "1 = 1"', "constraints", "c", "constrains nothing"),
        ('[constraints]\nc = "x = hub"', "constraints", "c", "of one kind"),
        ('[energy]\npotential = "x\'^2"', "energy", "potential", "contains speeds"),
        ('[energy]\nkinetic = "hub"', "energy", "kinetic", "scalar is expected"),
        ('[forces.f]\nbody = "q"\nforce = [0, 0, 1]', "forces.f", "body", "there is p"),
        ('[forces.f]\nbody = "p"\nforce = "x"', "forces.f", "force", "vector is expected"),
        ("[forces.f]\nforce = [0, 0, 1]", "forces.f", "body", "missing"),
        ('[forces.f]\nbody = "p"', "forces.f", "", "nothing acts"),
        ("[forces.f]\ngeneralized = { z = 1 }", "forces.f.generalized", "z", "no coordinate"),
        ('[rolling.r]\nbody = "q"\nball = "R"', "rolling.r", "body", "no body"),
        ('[rolling.r]\nbody = "p"\nball = "-R"', "rolling.r", "ball", "positive radius"),
        ('[rolling.r]\nbody = "p"\nwheel = "R"', "rolling.r", "body", "a wheel turns"),
        ('[rolling.r]\nbody = "p"\nball = "R"\nat = "hub"', "rolling", "r", "exactly one"),
        ('[rolling.r]\nbody = "p"\nball = "R"\non = "p"', "rolling.r", "on", "itself"),
        ('[rolling.r]\nbody = "p"\nball = "R"\nrows = ["skid"]', "rolling.r", "rows", "touch or slip"),
        ('[quasi_velocities]\nu = "x"', "quasi_velocities", "u", "contains none"),
        ('[virtual_displacements]\nrule = "rows"', "virtual_displacements", "rows", "missing"),
        ('[virtual_displacements]\nrule = "hamilton"', "virtual_displacements", "rule", "chetaev"),
        ('[virtual_displacements]\nrule="rows"\nrows=[{z=1}]', "virtual_displacements.rows[1]", "z", "no coordinate"),
        ("[multipliers]\nblade = 1", "multipliers", "blade", "no constraint"),
        ('[contacts.c]\ngap = "x\'"', "contacts.c", "gap", "contains speeds"),
        ('[contacts.c]\ngap = "R"', "contacts.c", "gap", "never close"),
        ('[contacts.c]\ngap = "x"\nrestitution = 1.1', "contacts.c", "restitution", "from 0 to 1"),
        ('[contacts.c]\ngap = "x"\nslip = ["y\'"]', "contacts.c", "friction", "missing"),
        ('[contacts.c]\ngap = "x"\nfriction = 0.1', "contacts.c", "slip", "missing"),
        ('[contacts.c]\ngap = "x"\nslip = ["y"]\nfriction = 0.1', "contacts.c", "slip", "holds no speed"),
        ('[contacts.c]\ngap = "x"\nlaw = "hertz"', "contacts.c", "law", "newton"),
        ('[frictions.f]\nslip = ["x\'"]\nnormal = "q"\ncoefficient = 1', "frictions.f", "normal", "not known"),
        (
            '[frictions.f]\nslip = ["x\'"]\nnormal = "q.touch"\ncoefficient = 1',
            "frictions.f",
            "normal",
            "no constraint",
        ),
        ('[frictions.f]\nslip = ["x\'"]\nnormal = 1\ncoefficient = -1', "frictions.f", "coefficient", "at least 0"),
        ('[frictions.f]\nslip=["x\'"]\nnormal=1\ncoefficient=0.3\nstatic=0.2', "frictions.f", "static", "at least 0.3"),
        ('[bodies.b]\nmass = "x - 2"\nposition = "hub"', "bodies.b", "mass", "at least 0"),
        ('[bodies.b]\nmass = "sqrt(-x)"\nposition = "hub"', "bodies.b", "mass", "no finite value"),
        ('[bodies.b]\nmass = 1\nposition = "hub\'"', "bodies.b", "position", "contains speeds"),
        ('[bodies.b]\nmass = 1\nposition = "b"', "bodies", "b", "depends on itself"),
        ('[bodies.b]\nmass=1\nposition="hub"\nframe="lean"\nrotation=[["z","x"]]', "bodies.b", "rotation", "frame"),
        ('[bodies.b]\nmass=1\nposition="hub"\nspin=["y","x"]\ninertia=[1,2,3]', "bodies.b", "spin", "symmetric"),
        ('[bodies.b]\nmass=1\nposition="hub"\nrotation=[[[0,0,0],"x"]]', "bodies.b", "rotation", "no direction"),
        ('[bodies.b]\nmass=1\nposition="hub"\nrotation=[["w","x"]]', "bodies.b", "rotation", "axis"),
        ('[bodies.b]\nmass=1\nposition="hub"\ninertia=[1,2]', "bodies.b", "inertia", "xx, yy, zz"),
        ('[events.e]\nwhen = "hub"', "events.e", "when", "scalar"),
        ('[events.e]\nwhen = "x"\nstop = 1', "events.e", "stop", "true or false"),
        ('[events.e]\nwhen = "2*R"', "events.e", "when", "never crosses zero"),
        (
            '[bodies.b]\nmass=1\nposition="hub"\nframe="lean"\ninertia=[1,1,"-R",-1,0,0]',
            "bodies.b",
            "inertia",
            "at least 0",
        ),
        ("[simulation]\nduration = 0", "simulation", "duration", "positive"),
        ("[simulation]\nsamples = 1", "simulation", "samples", "from 2"),
        ("[simulation]\ntolerance = 0.1", "simulation", "tolerance", "0.01"),
        ("[simulation]\nduration = inf", "simulation", "duration", "finite"),
    ],
)
def test_faults(addition, table, key, words):
    (fault,) = told(addition)
    assert (fault.table, fault.key) == (table, key)
    assert words in fault.message


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ('a = "b"\nb = 1', "is stated below"),
        ('a = "x"', "not a parameter"),
        ('a = "t"', "numbers and parameters"),
        ('a = "1/(R - 0.5)"', "no finite value"),
        ("a = { value = 3, max = 2 }", "at most 2"),
        ('a = { value = 3, min = "10*R" }', "at least 5"),
        ("a = inf", "finite"),
    ],
)
def test_values_of_parameters(parameters, words):
    text = BASE.replace("R = 0.5", "R = 0.5\n" + parameters)
    with pytest.raises(ModelError) as caught:
        read_text(text)
    (fault,) = caught.value.faults
    assert (fault.table, fault.key) == ("parameters", "a")
    assert words in fault.message


@pytest.mark.parametrize(
    "addition",
    [
        '[bodies.rod]\nmass = 1\nrotation = [["z", "x"]]\nposition = "hub + R*rod.x"',
        '[bodies.b]\nmass=1\nposition="hub"\nspin=[[1,1,0],"x"]\ninertia=[1.5,1.5,1,0.5,0,0]',
        '[bodies.b]\nmass = 0\nposition = "hub"\nejection = [1, 0, 0]',
        '[definitions]\nb = "sin(t)"\nc = "b\'"\nd = "c\'"',
        '[definitions]\ne = "d + 1"\nd = "x"',
        '[definitions]\ng = "x^(1/2)"\nh = "g^R"\ni = "h^(1/2)"',
        '[constraints]\nx = "hub = 0"',
        '[events.a]\nwhen = "t - 1"\n[events.b]\nwhen = "norm(hub\') - R"',
        '[events.c]\nwhen = "dot(omega(lean), lean.z)"',
        '[definitions]\nd = "2*t"\n[events.a]\nwhen = "d"',
        '[quasi_velocities]\nu = "dot(hub\', lean.x) - 2*t"',
        '[frictions.f]\nslip = ["x\'"]\nnormal = "c.z"\ncoefficient = 1\n[constraints]\nc = "hub = 0"',
    ],
)
def test_what_is_allowed(addition):
    read_text(BASE + addition)


def test_a_model_without_coordinates():
    with pytest.raises(ModelError, match="no coordinates"):
        read_text("[bodies.p]\nmass = 1\nposition = [0, 0, 0]")
