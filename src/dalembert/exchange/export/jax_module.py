"""JAX: a module with pure functions for jit, grad and vmap: `slopes(t, q, v, p, u)`, and with constraints `projected`.

Only the way that is valid at the most states is written, so that no branch spoils a gradient. A projection has a fixed
number of Newton's steps for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dalembert.exchange.export.module import begun, called, documented, reads
from dalembert.exchange.export.numpy_module import ONE, TWO
from dalembert.exchange.export.sheet import ExportSheet
from dalembert.language import mark, tr
from dalembert.programs.dialects import dialect, statements

ENDING = ".py"
NAMES = {**TWO, "pow": "power"}
PATTERNS = {kind: f"jnp.{name}({{0}}, {{1}})" for kind, name in NAMES.items()} | {"select": "jnp.where({0}, {1}, {2})"}
WORDS = dialect("jnp", ONE, PATTERNS)

ABOUT = mark("Accelerations q'' as an array. p = None stands for the model's own parameters.")
REST = mark("NaN where the masses or the constraints are singular. Set jax_enable_x64 for doubles.")
PROJECTED = mark("The nearest q and v that satisfy the constraints, each as an array.")
DRIFT = mark("For states that drift off them in an integration: call it after steps. NaN where they are singular.")
STEPS = 4  # Newton's, from a drift of 1e-2 to rounding


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
    return {path: "\n".join([*lines, *_projection(sheet)]) + "\n"}


def _projection(sheet: ExportSheet) -> Iterator[str]:
    corrections = sheet.corrections()
    names = [f"c{k}" for k in range(len(sheet.coordinates))]
    for letter, code in corrections.items():
        yield from ("", "", called(sheet, f"def _correction_of_{letter}(t, q, v, p, u):"))
        yield from (f"    {line}" for line in statements(code, WORDS, reads(sheet), [*names, "fine"]))
        yield f"    return jnp.where(fine, jnp.array([{', '.join(names)}]), jnp.nan)"
    if corrections:
        yield from ("", "", called(sheet, "def projected(t, q, v, p=None, u=()):"))
        yield documented(tr(PROJECTED), tr(DRIFT))
        yield "    p = jnp.array(list(PARAMETERS.values())) if p is None else p"
        yield "    q, v = jnp.asarray(q), jnp.asarray(v)"
        for letter in corrections:
            yield f"    for _ in range({STEPS}):"
            yield called(sheet, f"        {letter} = {letter} + _correction_of_{letter}(t, q, v, p, u)")
        yield "    return q, v"
