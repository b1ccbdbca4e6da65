"""A linearization as aligned text: state, verdict, eigenvalues, modes and matrices."""

from __future__ import annotations

from cmath import phase
from collections.abc import Collection
from math import degrees, pi

from dalembert.language import tr
from dalembert.results.linearization import Linearization, Matrices
from dalembert.results.state import labelled
from dalembert.results.text.control import control_text
from dalembert.results.text.layout import noted, number, table

MOST_MODES = 6  # in one table
WIDEST = 8  # a larger matrix is not printed


def linearization_text(found: Linearization) -> str:
    lines = [
        *([found.title] if found.title else []),
        tr("method {method}, t = {time}", method=found.method, time=number(found.time)),
        "",
    ]
    q, v = found.state_in_units()
    rows = [[labelled(name, found.units), number(q[name]), number(v[name])] for name in q]
    lines += table(["", "q", "q'"], rows)
    if not found.states:
        return "\n".join([*lines, "", tr("nothing is free to move"), *noted(found.notes)])
    lines += ["", _about(found), found.verdict, ""]
    lines += table(
        [tr("eigenvalues"), tr("growth rate"), tr("frequency [rad/s]"), tr("period [s]")], spectrum_lines(found)
    )
    lines += _mode_table(found)
    if len(found.states) <= WIDEST:
        entries = [
            [name, *(f"{e + 0.0:.6g}" for e in row)] for name, row in zip(found.states, found.matrix, strict=True)
        ]
        lines += ["", *table([tr("rate of"), *found.states], entries)]
    else:
        lines += ["", tr("the matrix, {count} by {count}, is in the answer of --json", count=len(found.states))]
    if found.matrices is not None and len(found.matrices.speeds) <= WIDEST:
        lines += ["", *_matrices(found.matrices, found.steady.ignorable)]
    if found.control is not None:
        lines += ["", control_text(found.control)]
    return "\n".join([*lines, *noted(found.notes)])


def _about(found: Linearization) -> str:
    what = tr("no steady motion")
    if found.steady.holds:
        what = tr("steady motion") if any(found.speeds.values()) else tr("equilibrium")
    zeros = sum(found.is_small(abs(value)) for value in found.eigenvalues)
    words = [
        what,
        tr(found.stability),
        *([tr("zero eigenvalues: {zeros} of {count}", zeros=zeros, count=len(found.states))] if zeros else []),
    ]
    ignorable = ", ".join(found.steady.ignorable)
    return ", ".join(words) + (tr("; ignorable: {ignorable}", ignorable=ignorable) if ignorable else "")


def _mode_table(found: Linearization) -> list[str]:
    """Amplitude and phase of the coordinates in every mode, a column for each."""
    shown = found.modes[:MOST_MODES]
    if not shown:
        return []
    heads = [_written(mode.eigenvalue) for mode in shown]
    rows = [[name, *(_polar(mode.coordinates[name]) for mode in shown)] for name in found.coordinates]
    rows = [row for row in rows if any(cell != "0" for cell in row[1:])]
    return ["", *table([tr("mode"), *heads], rows)] if rows else []


def spectrum_lines(found: Linearization) -> list[list[str]]:
    """A line for each real eigenvalue and each pair. Equal lines are merged and counted."""
    counts: dict[tuple[str, ...], int] = {}
    for value in found.eigenvalues.tolist():
        growth, turn = (0.0 if found.is_small(part) else part for part in (value.real, value.imag))
        if turn >= 0:
            cells = (number(turn), number(2 * pi / turn)) if turn else ("", "")
            line = (found.kind(value), number(growth), *cells)
            counts[line] = counts.get(line, 0) + 1
    return [[tr(kind) + (f" ({count})" if count > 1 else ""), *line] for (kind, *line), count in counts.items()]


def _matrices(matrices: Matrices, ignorable: Collection[str]) -> list[str]:
    """The three matrices as tables. Columns of ignorable coordinates are zero and are left out."""
    lines = [tr("M δu̇ + C δu + K δq = 0, u the independent speeds")]
    shown = [i for i, name in enumerate(matrices.coordinates) if name not in ignorable]
    for name, matrix, heads in (
        ("M", matrices.M, list(matrices.speeds)),
        ("C", matrices.C, list(matrices.speeds)),
        ("K", matrices.K[:, shown], [matrices.coordinates[i] for i in shown]),
    ):
        rows = [
            [row, *(f"{e + 0.0:.6g}" for e in entries)] for row, entries in zip(matrices.speeds, matrix, strict=True)
        ]
        lines += table([name, *heads], rows)
    return lines


def _written(value: complex) -> str:
    turn = f" ± {abs(value.imag):.4g}i" if value.imag else ""
    return f"{value.real + 0.0:.4g}{turn}"


def _polar(value: complex) -> str:
    """Amplitude and phase in degrees. A real number is printed as it is."""
    if value.imag == 0 or abs(value.imag) <= 1e-9 * abs(value):
        return f"{value.real + 0.0:.4g}"
    return f"{abs(value):.4g} ∠ {degrees(phase(value)):.1f}°"
