"""Inputs and outputs of a linearization as aligned text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dalembert.language import tr
from dalembert.results.control import Control, ReachedStates, Transfer
from dalembert.results.text.blocks import Block, Grid, Sentence
from dalembert.results.text.layout import table

WIDEST = 8  # a larger matrix is not printed


def control_text(control: Control) -> str:
    lines = [tr("from {inputs} to {outputs}", inputs=", ".join(control.inputs), outputs=", ".join(control.outputs))]
    if max(len(control.states), len(control.inputs)) <= WIDEST:
        lines += ["", *_matrix("B", control.states, control.inputs, control.B)]
        lines += ["", *_matrix("C", control.outputs, control.states, control.C)]
        if np.any(control.D):
            lines += ["", *_matrix("D", control.outputs, control.inputs, control.D)]
    lines += ["", *table(*_transfers(control)), "", *_reaches(control)]
    if control.lqr is not None:
        lines += ["", tr("regulator; poles with it: {poles}", poles=_listed(control.lqr.poles))]
        for head, entries in control.lqr.tables.items():
            lines += [f"[{head}]", *(f'{name} = "{text}"' for name, text in entries.items())]
    return "\n".join(lines)


def control_blocks(control: Control) -> Iterable[Block]:
    """The same in a notebook, below the picture: transfer functions, ranks and the regulator."""
    head, rows = _transfers(control)
    yield Grid(tuple(head), tuple(tuple(row) for row in rows))
    for line in _reaches(control):
        yield Sentence(line)
    if control.lqr is not None:
        yield Sentence(tr("regulator; poles with it: {poles}", poles=_listed(control.lqr.poles)))
        yield Grid(("", ""), tuple(control.lqr.feedback.items()))


def _transfers(control: Control) -> tuple[list[str], list[list[str]]]:
    rows = [
        [f"{one.output}/{one.input}", _gain(one), _listed(one.zeros), _listed(one.poles)] for one in control.transfers
    ]
    return [tr("transfer function"), "gain", "zeros", "poles"], rows


def _reaches(control: Control) -> list[str]:
    size = float(np.abs(control.poles).max(initial=0.0))
    found = {"controllable": control.controllability, "observable": control.observability}
    return [_reach(word, reach, size) for word, reach in found.items()]


def _matrix(name: str, rows: tuple[str, ...], columns: tuple[str, ...], matrix: np.ndarray) -> list[str]:
    lines = [[row, *(f"{e + 0.0:.6g}" for e in entries)] for row, entries in zip(rows, matrix, strict=True)]
    return table([name, *columns], lines)


def _gain(one: Transfer) -> str:
    return f"{one.gain:.6g}"


def _listed(values: np.ndarray, size: float = 0.0) -> str:
    """Real values and pairs, each pair once. Values that are tiny relative to the largest, or to `size`, are printed as
    zero.
    """
    size = max(size, float(np.abs(values).max(initial=0.0)))
    shown = []
    for value in values.tolist():
        real, turn = (0.0 if abs(part) <= 1e-10 * size else part for part in (value.real, value.imag))
        if turn >= 0:
            shown.append(f"{real + 0.0:.5g}" + (f"±{turn:.5g}i" if turn else ""))
    return ", ".join(shown) or tr("none")


def _reach(word: str, reach: ReachedStates, size: float) -> str:
    rest = "" if reach.rank == reach.of else f"; not: {_listed(reach.left, size)}"
    return tr("{word}: {rank} of {of}{rest}", word=word, rank=reach.rank, of=reach.of, rest=rest)
