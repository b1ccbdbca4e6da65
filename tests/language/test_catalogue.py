"""Every sentence that the sources mark has a translation, which uses the same values."""

import importlib.util
import string
from pathlib import Path

import pytest

from dalembert.language import LANGUAGES, catalogue

TOOL = Path(__file__).parents[2] / "tools" / "catalogue.py"
OTHERS = LANGUAGES[1:]


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("catalogue_tool", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def messages(tool):
    return tool.messages()


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_has_a_translation(messages, language):
    missing = [f"{file}: {text}" for text, file in messages.items() if not catalogue(language).get(text)]
    assert not missing, f"run tools/catalogue.py and translate: {missing[:5]}"


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_of_what_nothing_says(messages, language):
    assert set(catalogue(language)) <= set(messages), "run tools/catalogue.py"


@pytest.mark.parametrize("language", OTHERS)
def test_translations_use_the_values_that_the_sentence_has(language):
    wrong = {text: said for text, said in catalogue(language).items() if not _fields(said) <= _fields(text)}
    assert not wrong


def _fields(text):
    """Names in braces; a text that is not a template, such as LaTeX, has none."""
    try:
        found = [(name, spec) for _, name, spec, _ in string.Formatter().parse(text) if name is not None]
    except ValueError:
        return set()
    return {name for name, _ in found if name.isidentifier() or name == ""}


def test_marks_are_found(tool):
    source = """
WHY: Sentences = {"a": "first", "b": "second"}
def f():
    raise ModelError(tr("third {x}", x=1))
    return Step("fourth", r"a", "Sun", (), note), law("1", "fifth one", "x = y", 0, "sixth one"), mark("seventh")
@app.command(short_help="eighth")
def g():
    '''Ninth.'''
"""
    found = set(tool.in_python(source))
    assert found == {"first", "second", "third {x}", "fourth", "fifth one", "sixth one", "seventh", "eighth", "Ninth."}


def test_a_refusal_that_is_not_marked_is_found(tool):
    """All refusals of the package are marked sentences, so each has a translation."""
    assert tool.unmarked('raise ModelError(f"there is no {name}")') == ["there is no {}"]
    assert tool.unmarked('raise ModelError(tr("there is no {name}", name=name))') == []
    assert tool.unmarked('raise ModelError("there is no {name}", name=name)') == []
    assert list(tool.in_python('raise ModelError("there is no {name}", name=name)')) == ["there is no {name}"]
    assert tool.unmarked('def refusal(self, system): return "it is too large" if system.size > 9 else None') != []
    assert tool.unmarked('def refusal(self, system): return tr("it is too large")') == []
    found = {}
    for file in sorted(tool.SOURCE.rglob("*.py")):
        found |= {str(file): texts} if (texts := tool.unmarked(file.read_text(encoding="utf-8"))) else {}
    assert found == {}
