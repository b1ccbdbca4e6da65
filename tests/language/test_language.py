"""The language belongs to the context; the keys that programs read are the same in all languages."""

import pickle
import re
import threading

import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.errors import ModelError
from dalembert.formalisms import METHODS
from dalembert.language import Said, english, known, language, of_locale, read_po, speaking, tr

CHINESE = re.compile("[\u4e00-\u9fff]")
ENGLISH = re.compile(r"[A-Za-z]{3,} [a-z]{3,}")  # two words: names and formulas have none


def test_locale_decides_unless_a_language_is_chosen():
    assert of_locale({"LANG": "zh_CN.UTF-8"}) == "zh"
    assert of_locale({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}) == "en"
    assert of_locale({"LANGUAGE": "zh:en", "LC_ALL": "de_DE"}) == "zh"
    assert of_locale({}) == of_locale({"LANG": "fr_FR"}) == "en"
    assert [known(name) for name in ("zh-Hans", "zh", "EN_us", "fr", "")] == ["zh", "zh", "en", "", ""]
    with speaking("zh"):
        assert language() == "zh"
        with speaking("en"):
            assert language() == "en"
        assert language() == "zh"


def test_threads_speak_different_languages():
    said = {}

    def speak(chosen):
        with speaking(chosen):
            said[chosen] = tr("Equations of motion")

    threads = [threading.Thread(target=speak, args=(chosen,)) for chosen in ("en", "zh")]
    for thread in threads:
        thread.start()
        thread.join()
    assert said == {"en": "Equations of motion", "zh": "运动方程"}


def test_a_sentence_remembers_its_english():
    with speaking("zh"):
        said = tr("Partial velocities of {name}", name="disk")
    assert said == "disk 的偏速度" and isinstance(said, Said)
    assert english(said) == "Partial velocities of disk" == english(pickle.loads(pickle.dumps(said)))
    assert english("plain") == "plain"


def test_catalogue_is_read_as_gettext_writes_it():
    head = '# note\nmsgid ""\nmsgstr "head\\n"\n\n#: a.py\n'
    text = head + 'msgid "one "\n"two \\"x\\""\nmsgstr "一"\n"二"\n\nmsgid "none"\nmsgstr ""\n'
    assert read_po(text) == {'one two "x"': "一二"}


SHOWN = [
    ("rolling-disk", "kane"),
    ("rolling-disk", "udwadia-kalaba"),
    ("zhang-mei-ball", "boltzmann-hamel"),
    ("sun-3", "normalized-routh"),
    ("long-1", "partial-acceleration"),
    ("qiao-sleigh", "qiao-quasi-frozen"),
    ("wang-gao-particle", "vakonomic"),
    *(("simple-pendulum-cartesian", method) for method in METHODS if method != "virtual-displacements"),
]


@pytest.mark.parametrize(("name", "method"), SHOWN)
def test_derivations_have_no_english_left(name, method):
    with speaking("zh"):
        derivation = da.gallery(name).derive(method)
        for text in (derivation.text(), derivation.text(steps=True)):
            assert CHINESE.search(text)
            assert not ENGLISH.search(text), ENGLISH.search(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", da.gallery())
def test_no_derivation_of_the_gallery_has_english_left(name):
    model = da.gallery(name)
    with speaking("zh"):
        for method in METHODS:
            try:
                text = model.derive(method).text(steps=True)
            except ModelError as refusal:
                text = str(refusal)
            assert not ENGLISH.search(text), (method, ENGLISH.search(text))


def test_json_has_the_same_keys_and_words():
    model = da.gallery("zhang-mei-ball")
    plain = model.derive("boltzmann-hamel").to_dict(steps=True)
    with speaking("zh"):
        said = model.derive("boltzmann-hamel").to_dict(steps=True)
    assert keys(plain) == keys(said)
    for one, two in zip(plain["steps"], said["steps"], strict=True):
        assert (one["formula"], one["locator"], one["results"]) == (two["formula"], two["locator"], two["results"])
        assert CHINESE.search(two["title"])
    assert plain["equations"] == said["equations"]


def keys(answer):
    if isinstance(answer, dict):
        return {key: keys(value) for key, value in answer.items()}
    return [keys(value) for value in answer] if isinstance(answer, list) else None


@pytest.mark.parametrize(
    ("call", "status", "words"),
    [
        (["derive", "rolling-disk", "--method", "kanes", "--lang", "zh"], 2, "没有方法 'kanes'；您是否指 kane？"),
        (["--lang=zh", "derive", "nothing-at-all"], 2, "没有文件 'nothing-at-all'"),
        (["simulate", "rolling-disk", "--lang", "zh", "--nope"], 2, "没有选项 '--nope'"),
        (["derive", "rolling-disk", "--lang", "fr"], 2, "--lang was given 'fr'; en or zh is expected"),
    ],
)
def test_refusals(call, status, words, capsys):
    assert run(call) == status
    assert words in capsys.readouterr().err


def test_help_in_both_languages(capsys):
    assert run(["derive", "--help", "--lang", "zh"]) == 0
    assert "推导运动方程。" in (said := capsys.readouterr().out) and "用法：" in said
    assert run(["derive", "--help"]) == 0
    assert "Derive the equations of motion." in (said := capsys.readouterr().out) and not CHINESE.search(said)


def test_answers_in_chinese(capsys):
    for call in (["solve", "sun-1"], ["check", "zhang-mei-ball"], ["linearize", "simple-pendulum"], ["paper"]):
        assert run([*call, "--lang", "zh"]) == 0
        said = capsys.readouterr().out
        assert CHINESE.search(said) and not ENGLISH.search(said), said
