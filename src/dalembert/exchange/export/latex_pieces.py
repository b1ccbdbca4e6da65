r"""LaTeX: single equations and matrices of a derivation, for use in other documents.

    \input{disk.tex}   then   \[ \dalembert{disk.M} \]   \[ \dalembert{disk.equation.lean} \]

A document needs amsmath, and for matrices of more than ten columns \setcounter{MaxMatrixCols}{99}.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import symengine as se

from dalembert.equations import Equations
from dalembert.exchange.export.names import comment, identifier
from dalembert.exchange.export.sheet import digest, origin_of
from dalembert.formalisms import derive
from dalembert.language import tr
from dalembert.mechanics.readable import readable
from dalembert.model.record import ModelRecord
from dalembert.report.content import accelerations, multipliers, reactions, touching_forces
from dalembert.report.latex import WRITE
from dalembert.report.printer import Printed

ENDING = ".tex"
COMMAND = r"\providecommand{\dalembert}[1]{\csname dalembert.#1\endcsname}"


def files(record: ModelRecord, path: Path, method: str | None, _: str) -> tuple[dict[Path, str], tuple[str, ...]]:
    eq, name = derive(record, method), identifier(path.stem)
    pieces = dict(_pieces(eq))
    lines = [
        *origin_of(record.title, eq.method, digest(record)),
        tr("names    {names}", names=", ".join(f"{name}.{piece}" for piece in pieces)),
    ]
    text = [f"% {comment(line)}" for line in lines] + [COMMAND]
    text += [
        rf"\expandafter\def\csname dalembert.{name}.{piece}\endcsname{{%" + f"\n{tex}}}"
        for piece, tex in pieces.items()
    ]
    return {path: "\n".join(text) + "\n"}, ()


def _pieces(eq: Equations) -> Iterator[tuple[str, str]]:
    """Matrices, then every equation and constraint, by name."""
    done: dict[Any, Printed] = {}  # an entry of a matrix is written again in an equation

    def written(e: Any) -> str:
        return WRITE.written(se.sympify(e), done).text

    def matrix(rows: Sequence[Sequence[Any]]) -> str:
        entries = " \\\\\n".join(" & ".join(written(readable(e)) for e in row) for row in rows)
        return rf"\begin{{pmatrix}} {entries} \end{{pmatrix}}"

    yield "q", matrix([[q] for q in eq.q])
    yield "M", matrix(eq.D)
    yield "d", matrix([[e] for e in eq.d])
    if eq.b:
        yield "A", matrix(eq.A)
        yield "b", matrix([[e] for e in eq.b])
        yield "R", matrix(reactions(eq))
        yield "multipliers", matrix([[nu] for nu in multipliers(eq)])
    yield "kinetic", written(readable(eq.kinetic))
    yield "potential", written(readable(eq.potential))
    a, nu = accelerations(eq), multipliers(eq)
    rows = zip(eq.coordinates, eq.D, eq.d, reactions(eq), touching_forces(eq), strict=True)
    for name, row, right, reaction, touch in rows:
        yield f"equation.{name}", f"{written(_sum(row, a))} = {written(readable(right) + _sum(reaction, nu) + touch)}"
    for constraint, row, right in zip(eq.constraints, eq.A, eq.b, strict=True):
        yield f"constraint.{constraint.name}", f"{written(readable(constraint.residual))} = 0"
        yield f"acceleration.{constraint.name}", f"{written(_sum(row, a))} = {written(readable(right))}"


def _sum(row: Sequence[Any], unknowns: Sequence[Any]) -> Any:
    return se.Add(*(readable(e) * u for e, u in zip(row, unknowns, strict=True)))
