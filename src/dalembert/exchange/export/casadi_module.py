"""CasADi: a module with `slopes(t, q, v, p, u)` of SX, MX or DM columns, and `function()`, the same as a Function."""

from __future__ import annotations

from pathlib import Path

from dalembert.exchange.export.module import begun, called, documented, reads
from dalembert.exchange.export.numpy_module import ONE
from dalembert.exchange.export.sheet import ExportSheet
from dalembert.language import mark, tr
from dalembert.programs.dialects import dialect, statements

ENDING = ".py"
NAMES = {kind: kind for kind in ONE} | {"abs": "fabs", "not": "logic_not"}
TWO = {"min": "fmin", "max": "fmax", "atan2": "atan2", "and": "logic_and", "or": "logic_or"}
PATTERNS = {kind: f"ca.{name}({{0}}, {{1}})" for kind, name in TWO.items()}
WORDS = dialect("ca", NAMES, {**PATTERNS, "pow": "{0} ** {1}", "select": "ca.if_else({0}, {1}, {2})"})

ABOUT = mark("Accelerations q'' as a column. p = None stands for the model's own parameters.")
REST = mark("NaN where the masses or the constraints are singular.")
FUNCTION = '''\
def function(kind=ca.SX):
    """DOCSTRING"""
    sizes = {"t": 1, "q": len(COORDINATES), "v": len(COORDINATES), "p": len(PARAMETERS), "u": len(INPUTS)}
    given = [kind.sym(name, size) for name, size in sizes.items()]
    return ca.Function("slopes", given, [slopes(*given)], list(sizes), ["a"])
'''


def written(sheet: ExportSheet, path: Path) -> dict[Path, str]:
    names = [f"a{k}" for k in range(sheet.size)]
    body = statements(sheet.ways[-1], WORDS, reads(sheet), [*names, "fine"])
    lines = [*begun(sheet, "import casadi as ca"), "", "", called(sheet, "def slopes(t, q, v, p=None, u=()):")]
    lines += [
        documented(tr(ABOUT), tr(REST), sheet.states),
        "    p = list(PARAMETERS.values()) if p is None else p",
    ]
    lines += [f"    {line}" for line in body]
    lines += [f"    return ca.if_else(fine, ca.vertcat({', '.join(names)}), float('nan'))", "", ""]
    lines.append(called(sheet, FUNCTION).replace("DOCSTRING", tr("The Function (t, q, v, p, u) to a.")))
    return {path: "\n".join(lines)}
