"""The files of the page (ours, the player's, three.js, CodeMirror), read once. A browser can ask for these only."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from importlib.util import find_spec

from dalembert import __version__
from dalembert.collection import text
from dalembert.collection.tags import TAGS
from dalembert.errors import ModelError
from dalembert.lab.asked import KINDS
from dalembert.lab.cache import FIRST
from dalembert.lab.limits import Limits
from dalembert.lab.words import WORDS
from dalembert.language import language, tr
from dalembert.model.help import FUNCTIONS, KEYS, SHAPES
from dalembert.results.write import EXTRAS
from dalembert.view.assets import STYLES, computing_script, library, own, player_script, three
from dalembert.view.laboratory import engine_text
from dalembert.view.vendored import CODEMIRROR
from dalembert.view.words import spoken

NEEDED = {ending[1:]: module for ending, (module, _) in EXTRAS.items()}
HELP = {"keys": KEYS, "shapes": SHAPES, "functions": FUNCTIONS}
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}


@dataclass(frozen=True, slots=True)
class File:
    content: bytes
    type: str


def static_files() -> dict[str, File]:
    """Every file that the page may load, by its name under /static/: lab/lab.js, view/player.js, …"""
    found = {f"view/{name}": own(name) for name in (*STYLES, "words.js")}
    found["view/three.js"], found["view/player.js"] = three(), f"{player_script()}\n{computing_script()}"
    found["view/codemirror.js"] = library(CODEMIRROR)
    with suppress(ModelError):  # built without the engine for pages, so the server computes everything
        found["view/engine.txt"] = engine_text()
    for entry in (files("dalembert.lab") / "static").iterdir():
        if entry.name != "index.html":
            found[f"lab/{entry.name}"] = entry.read_text(encoding="utf-8")
    return {
        name: File(text.encode(), f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8") for name, text in found.items()
    }


def available() -> list[str]:
    """The kinds of files that can be made here. Some need an optional package."""
    return [kind for kind in KINDS if kind not in NEEDED or find_spec(NEEDED[kind]) is not None]


def index(token: str, nonce: str, limits: Limits, folder: bool) -> bytes:
    """The page itself, with the data of this start: token, limits, help, and whether a folder was chosen.

    The policy of the page allows the styles of CodeMirror by the nonce.
    """
    told = json.dumps(
        {
            "token": token,
            "nonce": nonce,
            "first": {"name": FIRST, "text": text(FIRST)},
            "limits": limits.page,
            "folder": folder,
            "version": __version__,
            "kinds": available(),
            "help": {name: {key: tr(line) for key, line in lines.items()} for name, lines in HELP.items()},
        }
    )
    bare = (files("dalembert.lab") / "static" / "index.html").read_text(encoding="utf-8")
    modules = sorted(
        f"lab/{entry.name}"
        for entry in (files("dalembert.lab") / "static").iterdir()
        if entry.name[-3:] == ".js" and f"lab/{entry.name}" not in bare
    )
    scripts = "\n".join(  # modules that a browser need not find one after another
        [
            *(f'<script src="/static/view/{name}" defer></script>' for name in ("three.js", "player.js")),
            *(
                f'<link rel="modulepreload" href="/static/{name}" fetchpriority="low">'  # after what is asked ahead
                for name in ("view/codemirror.js", *modules)
            ),
        ]
    )
    words = spoken(*WORDS, *TAGS)
    if words:
        told_words = f'<meta name="lab-words" content="{escape(json.dumps(words))}">'
        scripts = f'{told_words}\n<script src="/static/view/words.js" defer></script>\n{scripts}'
    bare = bare.replace('<html lang="en">', f'<html lang="{language()}">')
    return bare.replace("{{start}}", escape(told)).replace("{{player}}", scripts).encode()


def closed() -> bytes:
    """The page for a request without the token."""
    said = tr("Open this lab by the address that <code>dalembert lab</code> printed: it contains a secret.")
    head = f"<!doctype html><html lang='{language()}'><meta charset='utf-8'><title>dalembert lab</title>"
    return f"{head}<p>{said}</p>".encode()
