"""The record of equations as plain data: every expression as text of the model language."""

from __future__ import annotations

from typing import Any

from dalembert.equations import Equations
from dalembert.report.content import accelerations, multipliers
from dalembert.report.dialects import Language
from dalembert.report.simplify import readable

WRITE = Language()


def equations_dict(eq: Equations, title: str = "", steps: bool = False) -> dict[str, Any]:
    """D q'' = d + R ν and A q'' = b, with what they are over."""
    answer: dict[str, Any] = {
        "method": eq.method,
        "title": title,
        "coordinates": list(eq.coordinates),
        "unknowns": {
            "accelerations": [WRITE(symbol) for symbol in accelerations(eq)],
            "multipliers": [WRITE(symbol) for symbol in multipliers(eq)],
        },
        "parameters": {WRITE(symbol): value for symbol, value in eq.parameters.items()},
        "D": _matrix(eq.D),
        "d": _row(eq.d),
        "A": _matrix(eq.A),
        "b": _row(eq.b),
        "R": None if eq.R is None else _matrix(eq.R),
        "constraints": {row.name: {"kind": row.kind, "residual": _written(row.residual)} for row in eq.constraints},
        "energy": {"kinetic": _written(eq.kinetic), "potential": _written(eq.potential)},
        "definitions": {name: _written(value) for name, value in eq.outputs.items()},
        "notes": list(eq.notes),
    }
    if steps:
        answer["steps"] = [
            {
                "title": step.title,
                "formula": step.formula,
                "locator": step.locator,
                "results": [{"name": left, "value": _value(value)} for left, value in step.results],
                "note": step.note,
            }
            for step in eq.steps
        ]
    return answer


def _written(expression: Any) -> str:
    return WRITE(readable(expression))


def _row(row: Any) -> list[str]:
    return [_written(e) for e in row]


def _matrix(matrix: Any) -> list[list[str]]:
    return [_row(row) for row in matrix]


def _value(value: Any) -> Any:
    if not isinstance(value, tuple):
        return _written(value)
    return _matrix(value) if value and isinstance(value[0], tuple) else _row(value)
