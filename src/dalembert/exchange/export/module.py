"""The common head of all Python modules: their origin, names and numbers."""

from __future__ import annotations

from dalembert import __version__
from dalembert.columns import lines
from dalembert.exchange.export.names import comment
from dalembert.exchange.export.sheet import RATES, ExportSheet
from dalembert.language import tr


def begun(sheet: ExportSheet, imports: str) -> list[str]:
    """The head. Text of a model appears only in literals and comments."""
    text = [f"# {comment(line)}" for line in (*sheet.origin, *sheet.notes)]
    text += ["", imports, "", f"MODEL = {sheet.title!r}", f"METHOD = {sheet.method!r}", f"HASH = {sheet.digest!r}"]
    text += [f"VERSION = {__version__!r}", f"COORDINATES = {sheet.coordinates!r}"]
    text += ["PARAMETERS = {", *(f"    {name!r}: {value!r}," for name, value in sheet.parameters.items()), "}"]
    text.append(f"INPUTS = {sheet.inputs!r}")
    if sheet.states:
        text += ["STATES = {", *(f"    {name!r}: {value!r}," for name, value in sheet.states.items()), "}"]
    return text


def called(sheet: ExportSheet, text: str) -> str:
    """The code of a call; with first-order states it has s among its arguments."""
    if not sheet.states:
        return text
    changes = {"q, v, p": "q, v, s, p", "(v, COORDINATES), ": "(v, COORDINATES), (s, STATES), ",
               '"v": len(COORDINATES), ': '"v": len(COORDINATES), "s": len(STATES), '}  # fmt: skip
    for plain, more in changes.items():
        text = text.replace(plain, more)
    return text


def documented(first: str, rest: str, states: object = ()) -> str:
    """The docstring of a function: a sentence, an empty line, and the rest; a word on `states` if there are any."""
    rest += " " + tr(RATES) if states else ""
    return "\n".join([f'    """{first}', "", *lines(rest, 116, "    ", "    "), '    """'])


def reads(sheet: ExportSheet) -> list[str]:
    return ["t" if letter == "t" else f"{letter}[{k}]" for letter, k in sheet.places]
