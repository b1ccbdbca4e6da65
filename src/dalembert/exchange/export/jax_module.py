"""JAX: a module with a pure function `slopes(t, q, v, p, u)`, for jit, grad and vmap.

Only the way that is valid at the most states is written, so that no branch spoils a gradient.
"""

from __future__ import annotations

from pathlib import Path

from dalembert.exchange.export.dialects import dialect, statements
from dalembert.exchange.export.module import begun, called, documented, reads
from dalembert.exchange.export.numpy_module import ONE, TWO
from dalembert.exchange.export.sheet import ExportSheet
from dalembert.language import mark, tr

ENDING = ".py"
NAMES = {**TWO, "pow": "power"}
PATTERNS = {kind: f"jnp.{name}({{0}}, {{1}})" for kind, name in NAMES.items()} | {"select": "jnp.where({0}, {1}, {2})"}
WORDS = dialect("jnp", ONE, PATTERNS)

ABOUT = mark("Accelerations q'' as an array. p = None stands for the model's own parameters.")
REST = mark("NaN where the masses or the constraints are singular. Set jax_enable_x64 for doubles.")


def written(sheet: ExportSheet, path: Path) -> dict[Path, str]:
    names = [f"a{k}" for k in range(sheet.size)]
    body = statements(sheet.ways[-1], WORDS, reads(sheet), [*names, "fine"])
    lines = [*begun(sheet, "import jax.numpy as jnp"), "", "", called(sheet, "def slopes(t, q, v, p=None, u=()):")]
    lines += [
        documented(tr(ABOUT), tr(REST), sheet.states),
        "    p = jnp.array(list(PARAMETERS.values())) if p is None else p",
    ]
    lines += [f"    {line}" for line in body]
    lines.append(f"    return jnp.where(fine, jnp.array([{', '.join(names)}]), jnp.nan)")
    return {path: "\n".join(lines) + "\n"}
