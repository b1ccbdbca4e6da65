"""The language of sentences for users.

    tr("there is no method {name}; {hint}", name=name, hint=hint)

The English sentence is the key of a gettext catalogue, `locale/LANGUAGE/LC_MESSAGES/dalembert.po`, which is read
directly, without compilation. A translation may use the values in any order, and omit those of English grammar. A
sentence outside functions is marked in place, `mark("…")`, and translated when it is used: `tr(CONSTANT)`.

The language belongs to the context: threads may have different ones (`speaking`). If none was chosen, it is that of the
locale. Keys of answers, methods, kinds of events and verdicts are words of the interface and are never translated.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

Sentences = Mapping[Any, str]  # every value of a table with this type is marked
LANGUAGES = ("en", "zh")
CATALOGUES = Path(__file__).parent / "locale"
_chosen: ContextVar[str] = ContextVar("language", default="")


class Said(str):
    """A sentence in another language. `english` is the English text, by which a program finds it."""

    english: str

    def __new__(cls, text: str, english: str) -> Said:
        said = super().__new__(cls, text)
        said.english = english
        return said

    def __reduce__(self) -> tuple[type[Said], tuple[str, str]]:
        return Said, (str(self), self.english)


def tr(message: str, /, **values: Any) -> str:
    """The sentence in the language of the context, with its values inserted."""
    text = message.format(**values) if values else message
    found = catalogue(language()).get(message)
    if found is None:
        return text
    return Said(found.format(**values) if values else found, english(text))


def mark(message: str) -> str:
    """Return the sentence unchanged. `tr` translates it later."""
    return message


def marked(*messages: str) -> tuple[str, ...]:
    """Return the sentences unchanged. They are translated later."""
    return messages


def english(text: str) -> str:
    """The English form of a sentence in any language."""
    return text.english if isinstance(text, Said) else text


def chosen() -> str:
    """The language that was chosen in this context, or "" if none was."""
    return _chosen.get()


def language() -> str:
    """The language that was chosen in this context, otherwise that of the locale."""
    return _chosen.get() or of_locale(os.environ)


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Use a language for all sentences inside; "" means that of the locale."""
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)


def of_locale(environment: Mapping[str, str]) -> str:
    """The language of the first gettext variable that is set, or English if that language is not known."""
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            return known(environment[variable].partition(":")[0]) or "en"
    return "en"


def known(name: str) -> str:
    """The language of a name such as zh_CN.UTF-8 or zh-Hans, or "" if it is not known."""
    short = name.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return short if short in LANGUAGES else ""


@cache
def catalogue(name: str) -> Mapping[str, str]:
    """English sentences and their translations."""
    file = CATALOGUES / name / "LC_MESSAGES" / "dalembert.po"
    return read_po(file.read_text(encoding="utf-8")) if name != "en" else {}


def read_po(text: str) -> dict[str, str]:
    """The translated entries of a gettext catalogue, without its head, whose key is ""."""
    found: dict[str, str] = {}
    parts: dict[str, list[str]] = {"msgid": [], "msgstr": []}
    field = ""
    for line in (*text.splitlines(), "msgid"):
        word, _, quoted = line.partition(" ")
        if word in parts:
            field, quoted = word, quoted
            if word == "msgid":
                _keep(found, parts)
                parts = {"msgid": [], "msgstr": []}
        elif line.startswith('"'):
            quoted = line
        else:
            continue
        if quoted:
            parts[field].append(ast.literal_eval(quoted))
    return found


def _keep(found: dict[str, str], parts: Mapping[str, list[str]]) -> None:
    key, value = "".join(parts["msgid"]), "".join(parts["msgstr"])
    if key and value:
        found[key] = value
