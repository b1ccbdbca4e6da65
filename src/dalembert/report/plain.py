"""The record of equations as plain data: every expression as text of the model language."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.equations import Equations
from dalembert.mechanics.readable import readable
from dalembert.mechanics.touching import TouchingContact, TouchingFriction, TouchRow, acceleration, touching_of
from dalembert.report.content import accelerations, multipliers, reactions, touching_forces
from dalembert.report.dialects import Plain

WRITE = Plain()


def equations_dict(eq: Equations, title: str = "", steps: bool = False) -> dict[str, Any]:
    """D q'' = d + R ν and A q'' = b, with their coordinates, parameters and constraints."""
    answer: dict[str, Any] = {
        "method": eq.method,
        "title": title,
        "coordinates": list(eq.coordinates),
        "unknowns": {
            "accelerations": [WRITE(symbol) for symbol in accelerations(eq)],
            "multipliers": [WRITE(symbol) for symbol in multipliers(eq)],
            "forces": [WRITE(symbol) for symbol in touching_of(eq).forces],
        },
        "parameters": {WRITE(symbol): value for symbol, value in eq.parameters.items()},
        "D": _matrix(eq.D),
        "d": _row(eq.d),
        "A": _matrix(eq.A),
        "b": _row(eq.b),
        "R": None if eq.R is None else _matrix(eq.R),
        "equations": written_equations(eq),
        "contacts": [_contact(contact, eq) for contact in touching_of(eq).contacts],
        "frictions": [_friction(friction, eq) for friction in touching_of(eq).frictions],
        "region": [f"{_written(e)} {sign} 0" for e, sign in eq.region],
        "constraints": {row.name: {"kind": row.kind, "residual": _written(row.residual)} for row in eq.constraints},
        "energy": {"kinetic": _written(eq.kinetic), "potential": _written(eq.potential)},
        "definitions": {name: _written(value) for name, value in eq.outputs.items()},
        "notes": list(eq.notes),
    }
    if eq.states:
        answer["states"] = {str(symbol): _written(rate) for symbol, rate in eq.states.items()}
    if eq.sampled:
        answer["sampled"] = {
            law.name: {"every": law.every, "offset": law.offset}
            | {"values": {str(symbol): _written(value) for symbol, value in law.values.items()}}
            for law in eq.sampled
        }
    if eq.signals:
        answer["signals"] = {
            str(symbol): {"values": len(one.times), "from": one.times[0], "to": one.times[-1], "between": one.between}
            for symbol, one in eq.signals.items()
        }
    if steps:
        answer["steps"] = [
            {
                "title": step.title,
                "formula": step.formula,
                "locator": step.locator,
                "why": step.why,
                "results": [{"name": _left(left), "value": _value(value)} for left, value in step.results],
                "note": step.note,
                "errata": [
                    {"place": e.place, "printed": e.printed, "right": e.right, "because": e.because}
                    for e in step.errata
                ],
            }
            for step in eq.steps
        ]
    return answer


def written_equations(eq: Equations) -> list[str]:
    """Every equation of motion as `left = right`, with forces by name, then those of the constraints."""
    a, nu = accelerations(eq), multipliers(eq)
    found = []
    for row, right, reaction, touch in zip(eq.D, eq.d, reactions(eq), touching_forces(eq), strict=True):
        found.append(f"{_combined(row, a)} = {_sum(right, reaction, nu, touch)}")
    return [*found, *(f"{_combined(row, a)} = {_written(b)}" for row, b in zip(eq.A, eq.b, strict=True))]


def _combined(row: Any, unknowns: Any) -> str:
    return WRITE(se.Add(*(readable(e) * u for e, u in zip(row, unknowns, strict=True))))


def _sum(right: Any, reaction: Any, nu: Any, touch: Any) -> str:
    forces = se.Add(*(readable(e) * u for e, u in zip(reaction, nu, strict=True)))
    return WRITE(readable(right) + forces + touch)


def _contact(contact: TouchingContact, eq: Equations) -> dict[str, Any]:
    return {
        "name": contact.name,
        "gap": _written(contact.gap),
        "force": _acting(contact.line.gradient, contact.line.force, eq),
        "law": contact.law.law,
        "restitution": _written(contact.law.restitution),
        "rate": _written(contact.line.rate),
        "reverses": [_written(line.rate) for line in contact.reverses],
        "condition": f"0 <= {WRITE(contact.line.force)} perp gap >= 0",
        "closed": _kept((contact.line,), eq),
    }


def _friction(friction: TouchingFriction, eq: Equations) -> dict[str, Any]:
    lines = (*friction.slips, *friction.held)
    return {
        "name": friction.name,
        "slips": [_written(line.rate) for line in friction.slips],
        "held": [_written(line.rate) for line in friction.held],
        "names": [WRITE(line.force) for line in lines],
        "forces": [_acting(line.gradient, line.force, eq) for line in lines],
        "coefficient": "rough" if friction.law.rough else _written(friction.law.coefficient),
        "static": "rough" if friction.law.rough else _written(friction.law.static),
        "pressed_by": friction.pressed_by or _written(friction.normal),
        "normal": _written(friction.normal),
        "sliding": None if friction.law.rough else [_written(force) for force in friction.sliding],
        "sticking": _kept(friction.slips, eq),
        "holding": _kept(friction.held, eq),
    }


def _kept(lines: tuple[TouchRow, ...], eq: Equations) -> list[str]:
    """The rows ψ̇ = 0 that are added while a contact is closed, a friction sticks, or a slip is held."""
    return [f"{_written(acceleration(line, accelerations(eq)))} = 0" for line in lines]


def _acting(gradient: Any, force: Any, eq: Equations) -> dict[str, str]:
    """The generalized force of one force, by coordinate."""
    pairs = zip(eq.coordinates, gradient, strict=True)
    return {name: WRITE(readable(e) * force) for name, e in pairs if e != 0}


def _written(expression: Any) -> str:
    return WRITE(readable(expression))


def _row(row: Any) -> list[str]:
    return [_written(e) for e in row]


def _matrix(matrix: Any) -> list[list[str]]:
    return [_row(row) for row in matrix]


def _left(left: Any) -> str:
    return left if isinstance(left, str) else _written(left)


def _value(value: Any) -> Any:
    if not isinstance(value, tuple):
        return _written(value)
    return _matrix(value) if value and isinstance(value[0], tuple) else _row(value)
