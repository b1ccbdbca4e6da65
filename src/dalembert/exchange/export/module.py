"""The common head of all Python modules: their origin, names and numbers."""

from __future__ import annotations

from dalembert import __version__
from dalembert.exchange.export.names import comment
from dalembert.exchange.export.sheet import Sheet


def begun(sheet: Sheet, imports: str) -> list[str]:
    """The head. Text of a model appears only in literals and comments."""
    lines = [f"# {comment(line)}" for line in (*sheet.origin, *sheet.notes)]
    lines += ["", imports, "", f"MODEL = {sheet.title!r}", f"METHOD = {sheet.method!r}", f"HASH = {sheet.digest!r}"]
    lines += [f"VERSION = {__version__!r}", f"COORDINATES = {sheet.coordinates!r}"]
    lines += ["PARAMETERS = {", *(f"    {name!r}: {value!r}," for name, value in sheet.parameters.items()), "}"]
    return [*lines, f"INPUTS = {sheet.inputs!r}"]


def reads(sheet: Sheet) -> list[str]:
    return ["t" if letter == "t" else f"{letter}[{k}]" for letter, k in sheet.places]
