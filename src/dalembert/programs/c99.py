"""A program as C: the body of a function of `double *out, const double *in`, one statement for every operation.

Compiled without contraction of products and sums (`-ffp-contract=off`), it gives the same values as the machine code
here, except for functions, which come from the C library. The same text is C++, and with sines and cosines taken
together (CUDA_PAIRS) CUDA C++.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isnan

from dalembert.programs.program import CONDITIONS, Program

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "ne": "!=", "and": "&",
         "or": "|"}  # fmt: skip
PATTERNS = {
    "neg": "-{0}", "not": "!{0}", "abs": "fabs({0})", "select": "{0} ? {1} : {2}",
    "max": "({0} >= {1} || {0} != {0}) ? {0} : {1}", "min": "({0} <= {1} || {0} != {0}) ? {0} : {1}",
    "sign": "{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}", "nan": "NAN", "infinity": "INFINITY",
}  # fmt: skip
CUDA_PAIRS = "sincos({angle}, &{sine}, &{cosine});"


def number(value: float, patterns: Mapping[str, str] = PATTERNS) -> str:
    """A double as text that reads back to the same bits."""
    if isnan(value):
        return patterns["nan"]
    if value in (inf, -inf):
        return patterns["infinity"] if value > 0 else f"(-{patterns['infinity']})"
    return f"({value!r})" if value < 0 else repr(value)


def body(program: Program, pairs: str = "", patterns: Mapping[str, str] = PATTERNS) -> list[str]:
    """The statements. `pairs` is a statement that computes a sine and its cosine, with {angle}, {sine} and {cosine}."""
    both = program.turned("sin") & program.turned("cos") if pairs else set()
    names: list[str] = []
    lines: list[str] = []
    turned: dict[int, str] = {}
    for place, (kind, arguments, value) in enumerate(program.operations):
        name = f"v{place}"
        if kind == "number":
            names.append(number(value, patterns))
            continue
        if kind in ("true", "false"):
            names.append("1" if kind == "true" else "0")
            continue
        if kind in ("sin", "cos") and arguments[0] in both:
            angle = arguments[0]
            if angle not in turned:
                turned[angle] = name
                given = {"angle": names[angle], "sine": f"{name}s", "cosine": f"{name}c"}
                lines.append(f"double {name}s, {name}c; {pairs.format(**given)}")
            names.append(turned[angle] + kind[0])
            continue
        if kind == "input":
            right = f"in[{arguments[0]}]"
        elif kind in INFIX and kind not in patterns:
            right = f"{names[arguments[0]]} {INFIX[kind]} {names[arguments[1]]}"
        else:
            pattern = patterns.get(kind, f"{kind}({', '.join(f'{{{i}}}' for i in range(len(arguments)))})")
            right = pattern.format(*(names[a] for a in arguments))
        names.append(name)
        lines.append(f"const {'int' if kind in CONDITIONS else 'double'} {name} = {right};")
    return lines + [f"out[{i}] = {names[place]};" for i, place in enumerate(program.outputs)]
