"""Additions to mkdocs: formulas as MathML, and animated pages that are made when the manual is built."""

from __future__ import annotations

import posixpath
import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

SHIM = "https://unpkg.com/iframe-worker/shim"
PLAYED = {"rolling-disk": 8.0, "rattleback": 6.0, "bouncing-ball": 4.0}  # model: seconds
FORMULA = re.compile(r'<(span|div) class="arithmatex">(\\\(|\\\[)(.*?)(\\\)|\\\])</\1>', re.DOTALL)


def on_page_content(html: str, **_: Any) -> str:
    """The browser itself shows the formulas: no script, nothing fetched."""
    return FORMULA.sub(_mathml, html)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """The theme would fetch a helper for search in files; ours comes with the manual."""
    return output.replace(SHIM, page.file.url.count("/") * "../" + "worker.js")


def on_post_template(output_content: str, **_: Any) -> str:
    return output_content.replace(SHIM, "worker.js")


def _mathml(found: re.Match[str]) -> str:
    return convert(unescape(found[3]), display="block" if found[1] == "div" else "inline")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to files of the repository that are not in the manual become plain words."""
    folder = page.file.src_uri.rpartition("/")[0]

    def kept(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, found[2].partition("#")[0]))
        return found[1] if target.startswith("../") else found[0]

    markdown = re.sub(r"<!-- words: (\w+) -->", lambda found: _words(found[1]), markdown)
    return re.sub(r"(?<!!)\[([^\]]*)\]\(((?!https?:)[^)\s]+\.md[^)\s]*)\)", kept, markdown)


def _words(name: str) -> str:
    """A table of `model/help.py`, which the editor of the lab shows too."""
    from dalembert.model import help as lines

    rows = [f"| `{word}` | {said.replace('|', '&#124;')} |" for word, said in getattr(lines, name.upper()).items()]
    return "\n".join(["| word | means |", "| --- | --- |", *rows])


def on_files(files: Files, config: Any) -> Files:
    """Pages `live/MODEL.html` for the frames of the manual."""
    import dalembert as da

    for name, seconds in PLAYED.items():
        motion = da.gallery(name).simulate(duration=seconds, dense=True)
        page = motion.animate(equations=False, header=False, plots=False, autoplay=True).html()
        files.append(File.generated(config, f"live/{name}.html", content=page))
    return files
