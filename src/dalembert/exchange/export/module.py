"""The beginning that all modules of Python have: where they come from, and names and numbers."""

from __future__ import annotations

from dalembert import __version__
from dalembert.exchange.export.names import comment
from dalembert.exchange.export.sheet import Sheet


def begun(sheet: Sheet, imports: str) -> list[str]:
    """Text of a model stands in literals and comments only."""
    lines = [f"# {comment(line)}" for line in (*sheet.origin, *sheet.notes)]
    lines += ["", imports, "", f"MODEL = {sheet.title!r}", f"METHOD = {sheet.method!r}", f"HASH = {sheet.digest!r}"]
    lines += [f"VERSION = {__version__!r}", f"COORDINATES = {sheet.coordinates!r}"]
    lines += ["PARAMETERS = {", *(f"    {name!r}: {value!r}," for name, value in sheet.parameters.items()), "}"]
    lines.append(f"INPUTS = {sheet.inputs!r}")
    if sheet.states:
        lines += ["STATES = {", *(f"    {name!r}: {value!r}," for name, value in sheet.states.items()), "}"]
    return lines


def called(sheet: Sheet, text: str) -> str:
    """A function's text, which has s among its arguments and ṡ after its accelerations if there are such states."""
    if not sheet.states:
        return text
    changes = {"q, v, p": "q, v, s, p", "(v, COORDINATES), ": "(v, COORDINATES), (s, STATES), ",
               '"v": len(COORDINATES), ': '"v": len(COORDINATES), "s": len(STATES), ',
               "Accelerations q''": "Slopes: accelerations q'', then the rates s' of STATES",
               "STATES. Each": "STATES.\n\n    Each"}  # fmt: skip
    for plain, more in changes.items():
        text = text.replace(plain, more)
    return text


def reads(sheet: Sheet) -> list[str]:
    return ["t" if letter == "t" else f"{letter}[{k}]" for letter, k in sheet.places]
