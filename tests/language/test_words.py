"""The lists of words hold all texts of the scripts of page and lab, and nothing else."""

import re
from pathlib import Path

import pytest

import dalembert
from dalembert.formalisms.telling import cited
from dalembert.lab import words as lab
from dalembert.lab.limits import Limits
from dalembert.lab.pages import index
from dalembert.language import speaking
from dalembert.results.words import KINDS
from dalembert.view import words as view
from dalembert.view.assets import library
from dalembert.view.vendored import CODEMIRROR

ROOT = Path(dalembert.__file__).parent
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
SENTENCE = re.compile(
    r"[A-Z][a-z]+ [a-z{].*|[A-Z][a-z].*\."
)  # begins with a capital, and has a second word or a full stop
NAMES = {"Bearer", "Content-Type"}


def sources(room):
    return [file.read_text(encoding="utf-8") for file in sorted((ROOT / room / "static").glob("*.[jh][st]*"))]


def pieces(text):
    """The parts of a sentence between its values."""
    return [part.strip() for part in re.split(r"\{\w+\}", text) if part.strip(" .,:;()")]


@pytest.mark.parametrize(("room", "words"), [("view", view.WORDS), ("lab", (*lab.WORDS, *view.WORDS))])
def test_every_sentence_of_a_script_is_listed(room, words):
    known = [[*pieces(word)] for word in (*words, *KINDS)]
    for source in sources(room):
        for plain, template in LITERAL.findall(re.sub(r"(?m)^\s*//.*$", "", source)):
            text = re.sub(r"\$\{[^{}]*(\{[^{}]*\}[^{}]*)*\}", "{x}", template) if template else plain
            if SENTENCE.fullmatch(text) and "\n" not in text:
                assert pieces(text) in known, text


@pytest.mark.parametrize(("room", "words"), [("view", view.WORDS), ("lab", lab.WORDS)])
def test_lists_have_no_word_that_is_not_written(room, words):
    others = (file for file in sorted((ROOT / room).glob("*.py")) if file.name != "words.py")
    written = "".join([*sources(room), *(file.read_text(encoding="utf-8") for file in others), library(CODEMIRROR)])
    for word in words:
        for part in re.findall(r"[A-Za-z]{4,}", re.sub(r"\{\w+\}", "", word)):
            assert part in written, (word, part)


def test_the_lab_speaks_the_language_of_the_context():
    english = index("token", "nonce", Limits(), False).decode()
    assert 'lang="en"' in english and "lab-words" not in english
    with speaking("zh"):
        said = index("token", "nonce", Limits(), False).decode()
    assert 'lang="zh"' in said and "words.js" in said and "\\u793a\\u4f8b\\u5e93" in said  # 示例库


@pytest.mark.parametrize(
    ("place", "chinese"),
    [
        ("after 2.2′", "2.2′ 之后"),
        ("before 2.3", "2.3 之前"),
        ("Qiao, after (2.12)", "乔永芬, (2.12) 之后"),
        ("after 48", "48 之后"),
    ],
)
def test_a_place_keeps_its_whole_number(place, chinese):
    with speaking("zh"):
        assert cited(place) == chinese
