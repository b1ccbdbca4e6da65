"""The catalogues of translations: the marked sentences of the sources, with their translations.

    python tools/catalogue.py          bring the catalogues up to date; new sentences have no translation yet
    python tools/catalogue.py --check  list missing translations, and sentences that are no longer in a source

Sentences are found by parsing; nothing is executed:

    tr("…"), mark("…"), marked("…", …)   in Python; t("…") in JavaScript; data-t in HTML
    ModelError("…"), MathematicsError("…")
    NAME: Sentences = {key: "…"}          every value
    Step("title", …, note=), Entry(…)     and others of `PLACES`, where the text is an argument
    title = "…"                           of the gallery's models
    help=, short_help=, epilog= and the docstrings of click's commands
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "dalembert"
WORDS = re.compile(r"[A-Za-z]{2,}")
PLACES = {  # calls, and their arguments that are sentences
    "Step": (0, 4, "title", "note", "why"),
    "Entry": (2, 3, 4),
    "same": (1,),
    "law": (1, 2, 4, 5, "right"),
    "statement": (1, 2, 5, "right"),
    "unreadable": (1, 2, 3),
    "Paper": (1, 2),
}
PROSE = ("Entry", "same", "law", "statement", "unreadable")  # may be only formulas
TRANSLATED = ("ModelError", "MathematicsError")  # refusals that translate their sentence
REFUSALS = (*TRANSLATED, "Stopped", "Fault", "Fails")
HELPS = ("help", "short_help", "epilog")


def messages() -> dict[str, str]:
    """Every sentence that the sources mark, and the file that has it first."""
    found: dict[str, str] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        for text in in_python(file.read_text(encoding="utf-8")):
            found.setdefault(text, file.relative_to(SOURCE).as_posix())
    for file in sorted((*SOURCE.rglob("*.js"), *SOURCE.rglob("*.html"))):
        for text in in_javascript(file.read_text(encoding="utf-8")):
            found.setdefault(text, file.relative_to(SOURCE).as_posix())
    for file in sorted((SOURCE / "collection").glob("*.toml")):
        title = tomllib.loads(file.read_text(encoding="utf-8")).get("title", "")
        found.setdefault(title, file.relative_to(SOURCE).as_posix())
    return {text: file for text, file in found.items() if WORDS.search(text)}


def in_python(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            yield from _in_call(node)
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "Sentences":
            values = node.value.values if isinstance(node.value, ast.Dict) else ()
            yield from (text for value in values for text in _texts(value))
        elif isinstance(node, ast.FunctionDef) and any(
            "command" in ast.unparse(d) or "group" in ast.unparse(d) for d in node.decorator_list
        ):
            yield cleandoc(ast.get_docstring(node) or "")


def _in_call(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    if name in ("tr", "mark", *TRANSLATED):
        yield from _texts(call.args[0])
    elif name == "marked":
        yield from (text for argument in call.args for text in _texts(argument))
    places = PLACES.get(name, ())
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    for place in places:
        node = named.get(place) if isinstance(place, str) else dict(enumerate(call.args)).get(place)
        for text in _texts(node):
            if name not in PROSE or prose(text):
                yield text
    for keyword in HELPS:
        yield from _texts(named.get(keyword))


def _texts(node: ast.AST | None) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*_texts(node.body), *_texts(node.orelse))


def prose(text: str) -> bool:
    """Whether there are words outside of formulas: one next to dollar signs, otherwise two, or one of five letters."""
    outside = "".join(text.split("$")[::2])
    words = r"[a-z]{2,}" if "$" in text else r"[A-Za-z]{2,} [A-Za-z]{1,}|[a-z]{5,}"
    return bool(re.search(words, re.sub(r"\\[a-z]+|\w+_\w+", "", outside)))


def unmarked(source: str) -> list[str]:
    """Unmarked sentences of refusals: raised, or returned by a method's `refusal`."""
    said: list[ast.AST] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSALS:
            plain = node.func.id not in TRANSLATED  # type: ignore[attr-defined]
            said += [e for e in node.args if plain or not isinstance(e, ast.Constant)]
            said += [keyword.value for keyword in node.keywords if plain]
        elif isinstance(node, ast.FunctionDef) and node.name == "refusal":
            for part in ast.walk(node):
                if isinstance(part, ast.Return) and part.value is not None:
                    said += [part.value.body, part.value.orelse] if isinstance(part.value, ast.IfExp) else [part.value]
    return [text for text in map(_template, said) if re.search(r"[a-z]{2,} [a-z]{2,}", text)]


def _template(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def in_javascript(source: str) -> Iterator[str]:
    for quoted in re.findall(r"""\bt\(\s*("(?:[^"\\]|\\.)*")""", source):
        yield ast.literal_eval(quoted)
    yield from re.findall(r"""data-t>([^<]+)<""", source)


def written(entries: dict[str, tuple[str, str]]) -> str:
    """A catalogue: sentence, its translation, the file that has it."""
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
    parts = [f"#: {file}\nmsgid {_quoted(text)}\nmsgstr {_quoted(said)}\n" for text, (said, file) in entries.items()]
    return "\n".join([head, *parts])


def _quoted(text: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\b": "\\b"}
    return '"' + "".join(escapes.get(c, c) for c in text) + '"'


def main(check: bool) -> int:
    from dalembert.language import CATALOGUES, LANGUAGES, read_po

    wanted = messages()
    missing = 0
    for language in LANGUAGES[1:]:
        file = CATALOGUES / language / "LC_MESSAGES" / "dalembert.po"
        known = read_po(file.read_text(encoding="utf-8")) if file.exists() else {}
        lost = [text for text in known if text not in wanted]
        new = [text for text in wanted if text not in known]
        missing += len(new)
        print(f"{language}: {len(wanted)} sentences, {len(new)} without translation, {len(lost)} that nothing says")
        if check:
            print(*(f"  {text!r}" for text in new), sep="\n")
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            written({text: (known.get(text, ""), where) for text, where in wanted.items()}), encoding="utf-8"
        )
    return 1 if missing else 0


if __name__ == "__main__":
    sys.path.insert(0, str(SOURCE.parent))
    sys.exit(main("--check" in sys.argv))
