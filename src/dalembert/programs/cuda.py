"""A program as a device function of CUDA C++: the statements of C, with sines and cosines taken together."""

from __future__ import annotations

from dalembert.programs import c99
from dalembert.programs.program import Program

HEAD = "static __device__ __forceinline__ void {name}(double *out, const double *in)"
PAIRS = "sincos({angle}, &{sine}, &{cosine});"


def function(program: Program, name: str, head: str = HEAD) -> str:
    """The function's definition. `head` is the text before its body. `out` and `in` may be arrays in registers."""
    lines = c99.body(program, PAIRS)
    return "\n".join([head.format(name=name) + " {", *(f"  {line}" for line in lines), "}\n"])
