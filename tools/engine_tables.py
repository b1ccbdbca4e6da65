"""Writes the engine's `tables.hpp`: constants of the engine that are computed to the last digit of a double.

    python tools/engine_tables.py > src/dalembert/engine/tables.hpp

The nodes are Chebyshev–Lobatto points on [0, 1]. The matrices convert values at the nodes to Bernstein coefficients,
and values at every second node to those at the others and to the terms of an interpolant. A test compares the file
with this text.
"""

from __future__ import annotations

from collections.abc import Sequence

import mpmath

NODES = 15
HALF = (NODES + 1) // 2


def places() -> list[mpmath.mpf]:
    return [(1 - mpmath.cos(mpmath.pi * j / (NODES - 1))) / 2 for j in range(NODES)]


def to_bernstein(s: Sequence[mpmath.mpf]) -> mpmath.matrix:
    """The matrix that takes values at s to Bernstein coefficients."""
    p = len(s) - 1
    values = mpmath.matrix(p + 1, p + 1)
    for row, x in enumerate(s):
        for i in range(p + 1):
            values[row, i] = mpmath.binomial(p, i) * x**i * (1 - x) ** (p - i)
    return values**-1


def between(known: Sequence[mpmath.mpf], others: Sequence[mpmath.mpf]) -> mpmath.matrix:
    """The matrix that takes the values of a polynomial at the known places to those at others, by Lagrange."""
    found = mpmath.matrix(len(others), len(known))
    for row, x in enumerate(others):
        for j, own in enumerate(known):
            factors = [(x - other) / (own - other) for i, other in enumerate(known) if i != j]
            found[row, j] = mpmath.fprod(factors)
    return found


def to_terms(s: Sequence[mpmath.mpf]) -> mpmath.matrix:
    """The matrix that takes values at eight places to the terms of DOP853's interpolant (`interpolant` in step.hpp)."""
    values = mpmath.matrix(len(s), len(s))
    for row, x in enumerate(s):
        values[row, 7] = 1
        for r in range(7):
            values[row, r] = x ** (r // 2 + 1) * (1 - x) ** ((r + 1) // 2)
    return values**-1


def text() -> str:
    """The whole header."""
    with mpmath.workdps(60):
        s = places()
        matrices = {
            "TO_BERNSTEIN": to_bernstein(s),
            "TO_OTHERS": between(s[::2], s[1::2]),
            "TO_TERMS": to_terms(s[::2]),
        }
        lines = [
            "// Written by tools/engine_tables.py; do not edit.",
            "#pragma once",
            "",
            '#include "target.hpp"',
            "",
            "namespace dalembert {",
            "",
            f"constexpr int NODES = {NODES};",
            f"constexpr int HALF = {HALF};  // every second node",
            f"TABLE double PLACES[{NODES}] = {{{_row(s)}}};",
        ]
        for name, matrix in matrices.items():
            lines.append(f"TABLE double {name}[{matrix.rows}][{matrix.cols}] = {{")
            lines += [f"    {{{_row(matrix[i, j] for j in range(matrix.cols))}}}," for i in range(matrix.rows)]
            lines.append("};")
        return "\n".join([*lines, "", "}  // namespace dalembert", ""])


def _row(numbers: object) -> str:
    return ", ".join(repr(float(number)) for number in numbers)  # type: ignore[attr-defined]


if __name__ == "__main__":
    print(text(), end="")
