"""MATLAB and Octave: one file with a function `a = NAME(t, q, v, p, u)`, and names and parameters from `NAME()`."""

from __future__ import annotations

from pathlib import Path

from dalembert.errors import ModelError
from dalembert.exchange.export.names import comment, identifiers
from dalembert.exchange.export.sheet import RATES, ExportSheet, renamed
from dalembert.language import tr
from dalembert.programs.dialects import Dialect, statements

ENDING = ".m"
ONE = "sqrt abs sign sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log floor".split()
WORDS = Dialect(
    {kind: f"{kind}({{0}})" for kind in ONE}
    | {kind: f"{kind}({{0}}, {{1}})" for kind in ("min", "max", "atan2")}
    | {"neg": "-{0}", "not": "~{0}", "ne": "{0} ~= {1}", "pow": "{0}^{1}", "select": "pick({0}, {1}, {2})"},
    nan="NaN",
    infinity="Inf",
    truth=("false", "true"),
    end=";",
)


def written(sheet: ExportSheet, path: Path) -> dict[Path, str]:
    if path.stem != sheet.name:
        raise ModelError(
            "{file}: a function of MATLAB has the name of its file; call it {name}.m", file=path.name, name=sheet.name
        )
    name, n, given = sheet.name, sheet.size, ", ".join(["t", *sheet.groups])
    names = identifiers((*sheet.coordinates, *sheet.states, *sheet.parameters, *sheet.inputs))
    about = tr("q and v are vectors in SI units; v meets the constraints. a is NaN where masses or rows are singular.")
    calls = {
        f"a = {name}({given[:-6]})": tr("with the model's own parameters"),
        f"a = {name}({given})": tr("with parameters p and inputs u, as vectors"),
        f"about = {name}()": tr("names, in order, and the model's own parameters"),
    }
    lines = [
        f"function a = {name}({given})",
        f"% {name.upper()} " + tr("Accelerations q'' of a mechanical system."),
        *(f"%   {call.ljust(len(name) + 19)}  {said}" for call, said in calls.items()),
        "%",
        f"% {about}",
        *([f"% {tr(RATES)}"] if sheet.states else []),
        "%",
        *(f"% {comment(line)}" for line in (*sheet.origin, *sheet.notes, *renamed(names))),
        "  if nargin == 0",
        "    a = about();",
        "    return",
        "  end",
        f"  if nargin < {len(sheet.groups)} || isempty(p), own = about(); p = own.p; end",
        f"  if nargin < {len(sheet.groups) + 1}, u = []; end",
        f"  a = NaN({n}, 1);",
    ]
    for i in range(len(sheet.ways)):
        lines += [f"  [found, fine] = way{i}({given});", "  if fine && isreal(found), a = found; return, end"]
    lines += ["end", "", "function s = about()"]
    groups = {"coordinates": sheet.coordinates, "parameters": sheet.parameters, "inputs": sheet.inputs}
    groups |= {"states": sheet.states} if sheet.states else {}
    lines += [f"  s.{word} = {{{', '.join(_quoted(names[one]) for one in own)}}};" for word, own in groups.items()]
    lines += [f"  s.p = [{', '.join(WORDS.number(value) for value in sheet.parameters.values())}];", "end"]
    reads = ["t" if letter == "t" else f"{letter}({k + 1})" for letter, k in sheet.places]
    for i, way in enumerate(sheet.ways):
        body = statements(way, WORDS, reads, [*(f"a({k + 1}, 1)" for k in range(n)), "fine"])
        lines += ["", f"function [a, fine] = way{i}({given})", f"  a = zeros({n}, 1);"]
        lines += [*(f"  {line}" for line in body), "end"]
    lines += ["", "function x = pick(condition, a, b)", "  if condition, x = a; else, x = b; end", "end"]
    return {path: "\n".join(lines) + "\n"}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
