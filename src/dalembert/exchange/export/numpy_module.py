"""NumPy: a module with `slopes(t, q, v, p, u)`, for one state or for arrays of states. It imports only NumPy."""

from __future__ import annotations

from pathlib import Path

from dalembert.exchange.export.module import begun, called, documented, reads
from dalembert.exchange.export.sheet import ExportSheet
from dalembert.language import mark, tr
from dalembert.programs.dialects import dialect, statements

ENDING = ".py"
ONE = {"sqrt": "sqrt", "abs": "abs", "sign": "sign", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin",
       "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh",
       "acosh": "arccosh", "atanh": "arctanh", "exp": "exp", "log": "log", "floor": "floor",
       "not": "logical_not"}  # fmt: skip
TWO = {"min": "minimum", "max": "maximum", "pow": "float_power", "atan2": "arctan2", "and": "logical_and",
       "or": "logical_or", "div": "divide"}  # fmt: skip
PATTERNS = {kind: f"np.{name}({{0}}, {{1}})" for kind, name in TWO.items()} | {"select": "np.where({0}, {1}, {2})"}
WORDS = dialect("np", ONE, PATTERNS)

ABOUT = mark("Accelerations q''. Each of q, v, p and u has its names along the first axis; further axes are states.")
REST = mark("p = None stands for the model's own parameters. NaN where the masses or the constraints are singular.")
CALL = """\
def slopes(t, q, v, p=None, u=()):
DOCSTRING
    p = tuple(PARAMETERS.values()) if p is None else p
    for given, names in ((q, COORDINATES), (v, COORDINATES), (p, PARAMETERS), (u, INPUTS)):
        if len(given) != len(names):
            raise ValueError(f"{len(given)} values were given for {', '.join(names) or 'no names'}")
    shape = np.broadcast_shapes(np.shape(t), *(np.shape(e) for part in (q, v, p, u) for e in part))
    found = np.full((SIZE, *shape), np.nan)
    left = np.ones(shape, dtype=bool)
    with np.errstate(all="ignore"):
        for way in _WAYS:
            a, fine = way(t, q, v, p, u)
            now = left & np.asarray(fine, dtype=bool)
            for i, value in enumerate(a):
                found[i] = np.where(now, value, found[i])
            left = left & ~now
            if not left.any():
                break
    return found
"""


def written(sheet: ExportSheet, path: Path) -> dict[Path, str]:
    lines = [*begun(sheet, "import numpy as np"), ""]
    n, arguments = sheet.size, ", ".join(sheet.groups)
    for i, way in enumerate(sheet.ways):
        body = statements(way, WORDS, reads(sheet), [*(f"a{k}" for k in range(n)), "fine"])
        lines += ["", f"def _way{i}(t, {arguments}):", *(f"    {line}" for line in body)]
        lines += [f"    return ({', '.join(f'a{k}' for k in range(n))},), fine", ""]
    lines += ["", f"_WAYS = ({', '.join(f'_way{i}' for i in range(len(sheet.ways)))},)", "", ""]
    call = called(sheet, CALL).replace("SIZE", str(n))
    lines.append(call.replace("DOCSTRING", documented(tr(ABOUT), tr(REST), sheet.states)))
    return {path: "\n".join(lines)}
