"""The animated page: one self-contained file that plays a motion. It fetches nothing.

Its Content-Security-Policy allows the scripts and styles of the page by their hashes, and WebAssembly if the page
computes. It allows no request, no frame and no form, whatever the texts of a model contain. These texts are in the page
as JSON without any `<`, and enter the document as text only. The whole page is ASCII, so that encodings do not matter.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from typing import Any

from dalembert.errors import MathematicsError
from dalembert.language import language, tr
from dalembert.view.assets import computing_script, own, player_script, player_style, three
from dalembert.view.packing import zipped
from dalembert.view.words import spoken

MOST_BYTES = 5_000_000  # a page of a few thousand instants has less than 2 MB
LONG = 20_000  # longer equations (in characters) are compressed
LARGE = 400_000  # so is a larger scene, of a motion with thousands of instants


def page(
    scene: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
    laboratory: Mapping[str, Any] | None = None,
    recorded: str = "",
) -> str:
    """The page of a scene. `options` are those of `mountPlayer`.

    With a `laboratory` (from `laboratory.laboratory`) and the engine's text, its sliders compute other motions.
    `recorded` says why there is no laboratory.
    """
    scene, book = _parted(scene)
    computing = [] if laboratory is None else [computing_script()]
    words = spoken()
    speaking = [own("words.js")] if words else []
    scripts = [_plain(script) for script in (*speaking, three(), player_script(), *computing, own("page.js"))]
    wasm = "" if laboratory is None else " 'wasm-unsafe-eval'"
    styles = [player_style(), own("page.css")]
    title = _ascii(str(scene["title"]))
    needs = tr("{title}: this page plays a motion, and needs scripts to do so.", title=scene["title"])
    made = tr("Made by dalembert. Everything is in this file; nothing is fetched.")
    policy = (
        f"default-src 'none'; script-src {_hashes(scripts)}{wasm}; style-src {_hashes(styles)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = [
        "<meta charset='utf-8'>",
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        "<meta name='generator' content='dalembert'>",
        f"<title>{title}</title>",
        *(f"<style>{style}</style>" for style in styles),
    ]
    body = [
        "<main>",
        "<button id='theme' class='page-theme' type='button'></button>",
        "<div id='mount'></div>",
        f"<noscript><p>{_ascii(needs)}</p></noscript>",
        f"<footer>{_ascii(made)}{_why(recorded)}</footer>",
        "</main>",
        *([_data("words", words)] if words else []),
        _data("scene", _packed(scene)),
        *([_data("book", book)] if book else []),
        _data("options", options or {}),
        *([_data("computes", laboratory)] if laboratory is not None else []),
        *(f"<script>{script}</script>" for script in scripts),
    ]
    html = "\n".join(
        [
            "<!doctype html>",
            f"<html lang='{language()}'>",
            "<head>",
            *head,
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )
    if len(html.encode()) > MOST_BYTES:
        raise MathematicsError(
            "The page would have {count:.1f} MB, more than {most_bytes:g}; sample less.",
            count=len(html.encode()) / 1e6,
            most_bytes=MOST_BYTES / 1e6,
        )
    return html


def _parted(scene: Mapping[str, Any]) -> tuple[Mapping[str, Any], dict[str, str]]:
    """The scene, and its equations as compressed text if they are long: they were half of a bicycle's page."""
    book = {key: scene[key] for key in ("equations", "latex") if key in scene}
    if sum(map(len, book.values())) <= LONG:
        return scene, {}
    return {**scene, **dict.fromkeys(book, "")}, {"packed": zipped(json.dumps(book).encode())}


def _packed(scene: Mapping[str, Any]) -> Mapping[str, Any]:
    """A large scene as compressed text. A page of a small one opens in older browsers, too."""
    text = json.dumps(scene, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return scene if len(text) <= LARGE else {"packed": zipped(text.encode())}


def _why(recorded: str) -> str:
    """A sentence that the motion is recorded, and why."""
    return _ascii(tr(" This page plays a recorded motion: {why}.", why=recorded)) if recorded else ""


def _ascii(text: str) -> str:
    return escape(text).encode("ascii", "xmlcharrefreplace").decode()


def _plain(script: str) -> str:
    """The script in ASCII. In a page with another encoding, the hash of other letters would not match."""
    return script.encode("ascii", "backslashreplace").decode()


def _data(name: str, value: Mapping[str, Any]) -> str:
    """JSON that cannot end its element or start a comment, because every < is escaped."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f"<script type='application/json' id='{name}'>{text}</script>"


def _hashes(texts: list[str]) -> str:
    return " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)
