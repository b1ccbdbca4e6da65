"""JAX: a module with a whole motion as a differentiable function, by the sensitivities of this package.

    y = motion(times, x)      coordinates and speeds at the times; x: parameters, initial coordinates and speeds
    ∂y/∂x                     exact, also through impacts, stick and slip

The engine computes the motion, so the file needs this package. JAX calls it from jit, grad and vmap.
"""

from __future__ import annotations

from pathlib import Path

from dalembert.exchange.export.module import documented
from dalembert.exchange.export.names import comment
from dalembert.exchange.export.sheet import digest, formulas, origin_of
from dalembert.expressions.limits import constant
from dalembert.language import mark, tr
from dalembert.model.record import ModelRecord
from dalembert.model.units import counted
from dalembert.model.write import write_text
from dalembert.prepared import prepared, require_plain_events

ENDING = ".py"

ABOUT = mark("The QUANTITIES at the times, a row for each time. x are values of NAMES; None stands for START.")
REST = mark("All are in the units of the model. Set jax_enable_x64 for doubles.")
IMPORTS = """\
import functools

import dalembert as da
import jax
import jax.numpy as jnp
import numpy as np
from dalembert.model.read import read_text
"""

CODE = """
TOLERANCE = 1e-11


def motion(times, x=None):
DOCSTRING
    x = jnp.asarray(START if x is None else x, float)
    return _motion(jnp.asarray(times, float), x)


@functools.cache
def _model():
    return da.Model.of(read_text(TEXT))


@functools.cache
def _run(exact):
    return _model().differentiate(NAMES, QUANTITIES, METHOD) if exact else _model().prepare(METHOD).motion


def _followed(times, x, exact):
    times, x = np.asarray(times, float), np.asarray(x, float)
    found = _run(exact)(dict(zip(NAMES, x.tolist())), at=times.tolist(), tolerance=TOLERANCE)
    course = found.motion if exact else found
    if len(course.times) != len(times):
        raise ValueError(f"the motion ended at t = {course.times[-1]}, before the last of the times")
    table = course.columns()
    y = np.column_stack([table[name] for name in QUANTITIES])
    if not exact:
        return y
    rates = np.column_stack([table[f"{name}'"] for name in QUANTITIES])
    return y, rates, np.stack([found[name] for name in QUANTITIES], axis=1)


@jax.custom_jvp
def _motion(times, x):
    shape = jax.ShapeDtypeStruct((len(times), len(QUANTITIES)), x.dtype)
    call = functools.partial(_typed, x.dtype, False)
    return jax.pure_callback(call, shape, times, x, vmap_method="sequential")


@_motion.defjvp
def _differentiated(primals, tangents):
    times, x = primals
    rows = jax.ShapeDtypeStruct((len(times), len(QUANTITIES)), x.dtype)
    slopes = jax.ShapeDtypeStruct((len(times), len(QUANTITIES), len(NAMES)), x.dtype)
    call = functools.partial(_typed, x.dtype, True)
    y, rates, slopes = jax.pure_callback(call, (rows, rows, slopes), times, x, vmap_method="sequential")
    return y, rates * tangents[0][:, None] + slopes @ tangents[1]


def _typed(dtype, exact, times, x):
    found = _followed(times, x, exact)
    return tuple(part.astype(dtype) for part in found) if exact else found.astype(dtype)
"""


def files(record: ModelRecord, path: Path, method: str | None, _: str) -> tuple[dict[Path, str], tuple[str, ...]]:
    ready = prepared(record, method, often=False)
    if ready.equations.z:
        require_plain_events(ready.equations, tr("derivatives of vakonomic motions"))
    start, eq = ready.at(), ready.equations
    speeds = [f"{q}'" for q in eq.coordinates]
    fixed = {*record.inputs, *(name for law in record.sampled.values() for name in law.values)}  # data, and held values
    plain = [n for n, entry in record.parameters.items() if n not in fixed and constant(entry.value) is not None]
    counts = counted(record)
    values = dict(zip(map(str, eq.parameters), start.system.parameters.tolist(), strict=True))
    values |= dict(zip([*eq.coordinates, *speeds], start.y.tolist(), strict=False))
    names = [*(name for name in plain if name in values), *eq.coordinates, *speeds]
    units = {name: (counts[name].factor, counts[name].offset) if name in counts else (1.0, 0.0) for name in names}
    given = [(values[name] - units[name][1]) / units[name][0] for name in names]
    title = record.title or path.stem
    head = origin_of(title, eq.method, digest(record))
    notes = formulas(record)
    lines = [*(f"# {comment(line)}" for line in (*head, *notes)), "", IMPORTS]
    lines += [f"MODEL, METHOD = {title!r}, {eq.method!r}", f"TEXT = {write_text(record)!r}"]
    lines += [f"NAMES = {tuple(names)!r}", f"START = {tuple(given)!r}", f"QUANTITIES = {(*eq.coordinates, *speeds)!r}"]
    return {path: "\n".join(lines) + "\n" + CODE.replace("DOCSTRING", documented(tr(ABOUT), tr(REST)))}, notes
