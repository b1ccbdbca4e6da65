"""Derivations as a lecture: equation numbers of the paper, errata at their steps, sentences, one text in every run."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import symengine as se

import dalembert as da
from dalembert import collection
from dalembert.formalisms import applicable
from dalembert.formalisms.display import Display, vanishes
from dalembert.formalisms.errata import ERRATA
from dalembert.formalisms.places import PLACES, example
from dalembert.formalisms.telling import NO_BASIS, errata_of
from dalembert.model.read import read, read_text


def applied(name: str) -> list[str]:
    return applicable(read(collection.path(name)))


def locators(name: str, method: str) -> dict[str, str]:
    return {step.title: step.locator for step in da.gallery(name).derive(method).steps}


def test_examples_carry_the_numbers_of_their_own_equations():
    assert locators("sun-2", "normalized-routh")["Normalizing factor"] == "Sun (2.10)"
    assert locators("sun-3", "normalized-routh")["Generalized momenta"] == "Sun (2.18)"
    assert locators("long-1", "partial-acceleration")["Equations of motion, written out"] == "Long (28), (29)"
    assert locators("zhang-mei-ball", "boltzmann-hamel")["Equations of motion, written out"] == "ZhangMei (4.13)"
    assert locators("qiao-sleigh", "qiao-lagrange-frozen")["Equations of motion, written out"] == "Qiao (4.4), (4.5)"


@pytest.mark.parametrize("name", ["double-pendulum-cartesian", "rolling-disk", "bouncing-ball", "rocket"])
def test_other_models_carry_the_general_laws_alone(name):
    record = read(collection.path(name))
    for method in applicable(record):
        for step in da.gallery(name).derive(method).steps:
            assert not re.search(r"ZhangMei .*\(4\.|Qiao .*\(4\.|Sun .*\(2\.(?!1\))", step.locator), step.locator


def test_a_changed_example_is_no_example():
    text = collection.text("sun-2")
    assert example(read_text(text)) == "sun-2"
    assert example(read_text(text.replace("m = 1", "m = 3"))) == "sun-2"
    assert example(read_text(text.replace("l*cos(theta1)", "2*l*cos(theta1)"))) is None


def test_places_name_steps_that_there_are():
    for name, methods in PLACES.items():
        model = da.gallery(name)
        for method, places in methods.items():
            if not method:
                continue
            description = "whole-course" if any(key.startswith("course") for key in places) else None
            steps = model.derive(method, description=description).steps
            named = {word for step in steps for word in (step.title, step.key)}
            assert set(places) <= named, (name, set(places) - named)


def test_errata_stand_where_their_equation_is_cited():
    (erratum,) = errata_of("Long (34), (35)")
    assert "J_n-J_b" in erratum.right
    assert errata_of("Qiao (2.21)–(2.23)")[0].place.startswith("Qiao (2.10)–(2.15)")
    steps = da.gallery("long-2").derive("partial-acceleration").steps
    places = [e.place for step in steps for e in step.errata]
    assert "Long (35)" in places and len(places) == len(set(places))


BOXES = {  # where the box of each erratum stands: example, method, and the places in the order of ERRATA
    ("long-1", "partial-acceleration"): "under (10); under (12); after (17); (18); (19), (21); (20)",
    ("long-2", "partial-acceleration"): "(35); (42); (37), (47)",
    ("sun-1", "normalized-routh"): "(2.1); before (2.3); (2.6); (2.7)",
    ("sun-2", "normalized-routh"): "(2.13); (2.14)",
    ("sun-3", "normalized-routh"): "p4 under (2.18); (2.19), (2.20); after (2.18)",
    ("zhang-mei-ball-paper", "boltzmann-hamel"): "(2.1); (2.8), (3.2), (3.3); (2.10); (4.5); (4.14), (4.15); "
    "after (4.24); (4.29); (4.31)",
    ("zhang-mei-ball-euler", "boltzmann-hamel"): "(4.2)",
    ("qiao-sleigh", "qiao-lagrange"): "(2.4), (2.5)",
    ("qiao-sleigh", "kane"): "(2.6), (2.9), (3.4)",
    ("qiao-sleigh", "qiao-lagrange-frozen"): "(2.27); before (4.5)",
    ("qiao-sleigh", "qiao-quasi"): "(2.10)–(2.15), (2.17), (2.22), (3.5)–(3.7); (3.9); after (3.10)",
    ("wang-gao-particle", "chetaev"): "(17)",
    ("appell-hamel", "virtual-displacements"): "after (21)",
}


@pytest.mark.parametrize(("name", "method"), BOXES)
def test_every_erratum_has_its_box(name, method):
    model = da.gallery(name)
    if method == "virtual-displacements":
        rows = '[virtual_displacements]\nrule = "rows"\nrows = [{ x = "-y\'", y = "x\'" }]\n'
        model = da.Model.of(read_text(f"{collection.text(name)}\n{rows}"))
    whole = "whole-course" if name == "zhang-mei-ball-paper" else None
    steps = model.derive(method, description=whole).steps
    boxes = [e.place.partition(" ")[2] for step in steps for e in step.errata]
    assert set(BOXES[name, method].split("; ")) <= set(boxes)
    assert len(boxes) == len(set(boxes))


def test_an_erratum_of_one_line_stands_at_the_step_with_that_line():
    """The third line of Sun (2.14) belongs to group II, and the sentence after Qiao (3.10) to the equations."""
    boxes = {e.place: step.title for step in da.gallery("sun-2").derive().steps for e in step.errata}
    boxes |= {e.place: step.title for step in da.gallery("qiao-sleigh").derive("qiao-quasi").steps for e in step.errata}
    assert boxes["Sun (2.14)"] == "Group II: the motion"
    assert boxes["Qiao after (3.10)"] == "Equations of motion"


def test_no_erratum_is_forgotten():
    """Thirty-six places: fourteen statements that are false, the others slips."""
    papers = {"long": "Long", "sun": "Sun", "zhang": "ZhangMei", "qiao": "Qiao", "wang": "WangGao", "appell": "WangGao"}
    listed = [
        f"{papers[name.split('-')[0]]} {place}" for (name, _), said in BOXES.items() for place in said.split("; ")
    ]
    assert sorted(listed) == sorted(entry.erratum.place for entry in ERRATA)
    assert (len(ERRATA), sum(entry.wrong for entry in ERRATA)) == (36, 14)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("rolling-disk", "kane"),
        ("zhang-mei-ball", "boltzmann-hamel"),
        *(("sun-1", method) for method in applied("sun-1")),
    ],
)
def test_every_step_is_introduced_by_a_sentence(name, method):
    for step in da.gallery(name).derive(method).steps:
        assert step.why, f"give the step {step.title!r} its `why`, or its title a line in `WHY` of telling.py"


@pytest.mark.parametrize("method", applied("chaplygin-sleigh"))
def test_generalized_speeds_of_the_model_are_used_or_the_method_says_why_not(method):
    text = da.gallery("chaplygin-sleigh").derive(method).text(steps=True)
    names = list(da.gallery("chaplygin-sleigh").record.quasi_velocities)
    assert names
    last = text[text.index("written out") :] if method not in NO_BASIS else ""
    assert ("This method does not use" in text) == (method in NO_BASIS)
    assert method in NO_BASIS or all(f"{name}′" in last for name in names)


BASES = {  # the model, and the quasi-velocities that it gets
    "rolling-disk": 'u1 = "lean\'"\nu2 = "roll\' + sin(lean)*yaw\'"\nu3 = "cos(lean)*yaw\'"',  # linear
    "chaplygin-sleigh": 'along = "x\'*cos(theta) + y\'*sin(theta) + t*y"\nturn = "theta\' - t/2"',  # rheonomic
    "appell-hamel": "fast = \"sqrt(x'^2 + y'^2)\"\nheading = \"atan2(y', x')\"",  # nonlinear
}


@pytest.mark.parametrize("name", BASES)
def test_a_basis_may_be_linear_rheonomic_or_nonlinear(name):
    """Every method with a basis shows it, and its equations give the accelerations of the others."""
    text = collection.text(name)
    plain = da.Model.of(read_text(text.partition("[quasi_velocities]")[0])).solve().accelerations
    own = text.partition("[quasi_velocities]")[0] + f"\n[quasi_velocities]\n{BASES[name]}\n"
    model = da.Model.of(read_text(own))
    for method in set(applicable(model.record)) - set(NO_BASIS):
        assert model.solve(method=method).accelerations == pytest.approx(plain, abs=1e-9), method
        told = model.derive(method).text(steps=True)
        assert all(f"\n     {quasi} = " in told for quasi in model.record.quasi_velocities), method
        if name == "appell-hamel":
            assert "x′·y″ - y′·x″ = 0" in told, method  # k at the actual speeds, and equations in q̈
        else:
            last = told[told.index("written out") :]
            assert all(f"{quasi}′" in last for quasi in model.record.quasi_velocities), method


LEAKS = re.compile(r"\\[a-zA-Z]|tfrac|\bfrac\b|l′ambda|[_^]\{|√\(cos\(\w+\)²\)|\d\.\d{9,}e-\d\d")


@pytest.mark.parametrize("name", ["rolling-disk", "zhang-mei-ball-paper", "appell-hamel", "qiao-sleigh", "tippe-top"])
def test_text_is_text(name):
    model = da.gallery(name)
    for method in applicable(model.record):
        found = LEAKS.search(model.derive(method).text(steps=True))
        assert found is None, (method, found)


def test_a_long_zero_is_found():
    """Identities of several angles are recognized by their values; what is only small is no zero."""
    a, b, c = se.symbols("a b c")
    zero = se.tan(a) * (se.cos(a) * se.cos(b - c) - se.cos(a) * (se.cos(b) * se.cos(c) + se.sin(b) * se.sin(c)))
    assert vanishes(zero) and Display(0)(zero) == 0
    assert not vanishes(zero + se.Rational(1, 10**30) * se.sin(b))
    assert not vanishes(se.sqrt(-1 - a**2) - se.sqrt(-1 - a**2) * (se.sin(b) ** 2 + se.cos(b) ** 2) * c)


def test_the_ball_in_eulers_angles_has_constant_coefficients():
    """The products of quasi-velocities vanish, and no page of them is written."""
    steps = {step.key: step for step in da.gallery("zhang-mei-ball-euler").derive("maggi").steps}
    moving = {se.Symbol(name) for name in ("theta", "psi", "phi", "p1", "p2", "p3", "p4", "p5")}
    for left, right in steps["written"].results:
        assert not moving & (left.free_symbols | right.free_symbols)


def test_no_roots_of_squares_and_the_region_is_told():
    text = da.gallery("rolling-disk").derive("kane").text(steps=True)
    assert " = R·cos(yaw)·roll′\n" in text
    assert "written for cos(lean) > 0, as at the start" in text


def test_every_run_gives_the_same_text():
    """The text does not depend on the seed of Python's hashes."""
    code = (
        "import dalembert as da\n"
        "for n, m in (('rolling-disk', 'kane'), ('qiao-sleigh', 'qiao-quasi'), ('suslov', 'boltzmann-hamel')):\n"
        "    print(da.gallery(n).derive(m).text(steps=True))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(texts) == 1
