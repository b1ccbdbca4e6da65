"""Every method is registered, and keeps the contract of `Formalism`."""

from pathlib import Path

import pytest

import dalembert as da
import dalembert.formalisms as formalisms
from dalembert import collection
from dalembert.errors import ModelError
from dalembert.formalisms import METHODS, applicable, derive, method
from dalembert.language import catalogue
from dalembert.model.read import read

HELPERS = {
    "__init__",
    "base",
    "display",
    "shared",
    "speed_steps",
    "written_steps",
    "quasi_steps",
    "qiao_steps",
    "held_steps",
    "touching_steps",
    "whole_course_steps",
    "telling",
    "places",
    "errata",
    "head",
}


def test_every_file_is_registered():
    files = {file.stem for file in Path(formalisms.__file__).parent.glob("*.py")} - HELPERS
    assert files == {entry.partition(":")[0] for entry in METHODS.values()}


@pytest.mark.parametrize("name", METHODS)
def test_identity(name):
    found = method(name)
    assert found.id == name and found.paper
    assert catalogue("zh").get(found.title), "mark the title, run tools/catalogue.py and translate it"
    assert METHODS[name].partition(":")[0] == name.replace("-", "_")


def test_an_unknown_method_is_told_its_nearest():
    with pytest.raises(ModelError, match="normalized-routh"):
        method("normalised-routh")


def test_a_method_that_does_not_apply_says_why_and_names_others():
    model = read(collection.path("sun-1"))
    with pytest.raises(ModelError, match=r"states no rows.*these do: .*kane"):
        derive(model, "virtual-displacements")
    assert "virtual-displacements" not in applicable(model) and "qiao-quasi" in applicable(model)


def test_unknown_reactions_are_told_their_nearest():
    with pytest.raises(ModelError, match=r"'XOO'.*did you mean XO"):
        derive(read(collection.path("sun-1")), "normalized-routh", reactions=["XOO"])


@pytest.mark.parametrize("name", METHODS)
def test_steps_are_not_worked_out_before_they_are_read(name, monkeypatch):
    model = read(collection.path("sun-1"))
    if name not in applicable(model):
        pytest.skip("does not apply")
    calls = []
    kind = type(method(name))
    original = kind.steps
    monkeypatch.setattr(kind, "steps", lambda *given: calls.append(1) or original(*given))
    equations = derive(model, name)
    assert not calls
    assert equations.steps and equations.steps is equations.steps and len(calls) == 1


def test_a_method_that_releases_no_constraint_alone_says_so():
    model = da.gallery("rolling-disk")
    assert not any("releases" in note for note in model.derive(reactions=["table.slip1"]).equations.notes)
    notes = model.derive("kane", reactions=["table.slip1"]).equations.notes
    assert "kane has all reactions at once; only normalized-routh releases table.slip1 alone" in notes
