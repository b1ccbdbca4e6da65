"""The language in which sentences are said.

    tr("there is no method {name}; {hint}", name=name, hint=hint)

The English sentence is the key of a gettext catalogue, `locale/LANGUAGE/LC_MESSAGES/dalembert.po`, which is read as it
is: nothing has to be compiled. A translation may use the values in any order, and leave out those of English grammar. A
sentence that stands outside functions is marked where it stands, `mark("…")`, and translated where it is said:
`tr(CONSTANT)`.

The language belongs to the context: threads may have different ones (`speaking`). Where none was chosen it is that of
the locale. Keys of answers, methods, kinds of events and verdicts are words of the interface and are never translated.
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

Sentences = Mapping[Any, str]  # of a table by this name every value is marked
LANGUAGES = ("en", "zh")
CATALOGUES = Path(__file__).parent / "locale"
_chosen: ContextVar[str] = ContextVar("language", default="")


class Said(str):
    """A sentence in another language. `english` is what it is called where a program looks for it."""

    english: str

    def __new__(cls, text: str, english: str) -> Said:
        said = super().__new__(cls, text)
        said.english = english
        return said

    def __reduce__(self) -> tuple[type[Said], tuple[str, str]]:
        return Said, (str(self), self.english)


def tr(message: str, /, **values: Any) -> str:
    """The sentence in the language of the context, with its values put in."""
    text = message.format(**values) if values else message
    found = catalogue(language()).get(message)
    if found is None:
        return text
    return Said(found.format(**values) if values else found, english(text))


def mark(message: str) -> str:
    """A sentence as it is: it is translated later, by `tr`."""
    return message


def marked(*messages: str) -> tuple[str, ...]:
    """Sentences as they are, to be translated later."""
    return messages


def english(text: str) -> str:
    """A sentence as it is in English, whatever the language."""
    return text.english if isinstance(text, Said) else text


def chosen() -> str:
    """The language that was chosen in this context, "" where none was."""
    return _chosen.get()


def language() -> str:
    """The language that was chosen in this context, else that of the locale."""
    return _chosen.get() or of_locale(os.environ)


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """A language for all that is said inside; "" for that of the locale."""
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)


def of_locale(environment: Mapping[str, str]) -> str:
    """The first of gettext's variables that is set decides; English where it names a language that is not known."""
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            return known(environment[variable].partition(":")[0]) or "en"
    return "en"


def known(name: str) -> str:
    """The language of a name such as zh_CN.UTF-8 or zh-Hans, "" if it is none of ours."""
    short = name.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return short if short in LANGUAGES else ""


@cache
def catalogue(name: str) -> Mapping[str, str]:
    """English sentences and their translations."""
    file = CATALOGUES / name / "LC_MESSAGES" / "dalembert.po"
    return read_po(file.read_text(encoding="utf-8")) if name != "en" else {}


def read_po(text: str) -> dict[str, str]:
    """The entries of a gettext catalogue that have a translation; its head has the key "" and is left out."""
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
