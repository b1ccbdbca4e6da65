"""A program as C: the body of a function of `double *out, const double *in`, one statement for every operation.

Compiled without contraction of products and sums (`-ffp-contract=off`), it gives the same values as the machine code
here, except for functions, which come from the C library. The same text is C++, and with sines and cosines taken
together (CUDA) CUDA C++.
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.programs.dialects import Dialect, statements
from dalembert.programs.program import FUNCTIONS, Program

WORDS = {kind: f"{kind}({{0}})" for kind in (*FUNCTIONS, "sqrt")} | {
    "atan2": "atan2({0}, {1})", "pow": "pow({0}, {1})", "neg": "-{0}", "not": "!{0}", "abs": "fabs({0})",
    "select": "{0} ? {1} : {2}", "max": "({0} >= {1} || {0} != {0}) ? {0} : {1}",
    "min": "({0} <= {1} || {0} != {0}) ? {0} : {1}", "sign": "{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}",
}  # fmt: skip
C = Dialect(WORDS, "NAN", "INFINITY", ("0", "1"), ";", "v", ("const double ", "const int "), reads_once=True)
CUDA = replace(C, pair="double {sine}, {cosine}; sincos({angle}, &{sine}, &{cosine});")


def body(program: Program, words: Dialect = C) -> list[str]:
    """The statements."""
    inputs = [f"in[{i}]" for i in range(len(program.inputs))]
    return statements(program, words, inputs, [f"out[{i}]" for i in range(len(program.outputs))])
