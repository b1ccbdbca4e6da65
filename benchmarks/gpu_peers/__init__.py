"""The benchmark's systems written by hand, in CUDA and in JAX.

Every kernel by hand is a system (MODEL.cu: its slopes, constants folded, as few variables as its theory allows) and a
stepper (rk4.cu, dop853.cu), put together as text. JAX (files .jax) has the same steppers, for all motions at once; its
pendulum and ball are written by hand, disk and bicycle come from the same record, with jax.numpy's own solve.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
HEAD = "#define DEVICE static __device__ __forceinline__\n#define SINCOS(x, s, c) sincos(x, &s, &c);\n"
ON_A_PROCESSOR = """
#include <cmath>
using std::fabs; using std::fmax; using std::fmin; using std::sqrt;
#define __device__
#define __global__
#define __forceinline__ inline
#define DEVICE static inline
static const struct { int x; } blockIdx = {0}, blockDim = {0}, threadIdx = {0};
#define SINCOS(x, s, c) s = std::sin(x); c = std::cos(x);
static inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
"""
STAGE = """{{
  double moved[N];
  for (int i = 0; i < N; i++) moved[i] = y[i] + h*({sum});
  slopes(moved, k[{place}]);
}}"""


def by_hand(model: str, stepper: str) -> str:
    """The kernel in CUDA, without its head (HEAD or ON_A_PROCESSOR)."""
    if (alone := HERE / f"{model}-{stepper}.cu").exists():
        return _filled(alone.read_text())
    return (HERE / f"{model}.cu").read_text() + _filled((HERE / f"{stepper}.cu").read_text())


def by_jax(model: str, stepper: str, slopes: str | None = None) -> str:
    """A module of JAX with `motions`; `slopes` where they are not written by hand."""
    names = ["rk4"] if stepper == "rk4" else ["dop853", "adaptive"]
    parts = [(HERE / f"{name}.jax").read_text() for name in names]
    if (alone := HERE / f"{model}-{stepper}.jax").exists():
        parts = [parts[0], alone.read_text()]
    elif slopes is None:
        parts.insert(0, (HERE / f"{model}.jax").read_text())
    else:
        parts.insert(0, slopes)
    unrolled = f"UNROLLED = {slopes is None}  # the stages, where slopes are short"
    lines = [f"{name} = {_listed(table)}" for name, table in tables().items()]
    return "\n\n\n".join(["\n".join(["import jax.numpy as jnp", "from jax import lax", "", *lines, unrolled]), *parts])


def tables() -> dict[str, np.ndarray]:
    """The table of DOP853, as text: the machine with the GPU does not have this package."""
    from scipy.integrate._ivp.dop853_coefficients import E3, E5, A, B, C, D

    return {"A": A, "B": B[:12], "C": C, "E3": E3[:12], "E5": E5[:12], "D": D}


def _listed(table: np.ndarray) -> str:
    return repr(np.asarray(table, float).tolist())


def _filled(text: str) -> str:
    """With the sums of DOP853 written out."""
    known = tables()
    rows = {f"SUM_{name}": known[name] for name in ("B", "E5", "E3")}
    rows |= {f"SUM_D{r}": row for r, row in enumerate(known["D"])}
    for word, row in rows.items():
        text = text.replace(word, _sum(row))
    for word, places in (("EXTRA_STAGES", range(13, 16)), ("STAGES", range(1, 12))):
        text = text.replace(word, "\n".join(STAGE.format(sum=_sum(known["A"][s]), place=s) for s in places))
    return text


def _sum(row: np.ndarray) -> str:
    return " + ".join(f"{float(w)!r}*k[{j}][i]" for j, w in enumerate(row) if w != 0.0)
