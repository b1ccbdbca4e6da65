"""What a derivation is about, before its first step: axes, frames and bodies, and the constraints.

R_body = (R_z(ψ), R_x(θ), …)     the turns that take the inertial axes to the body's, each about an axis turned already
r, m, J                          place of the centre of mass, mass, inertia about it in the axes that carry the body
f = 0                            the constraints, as stated
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import symengine as se

from dalembert.equations import Scalar, Step
from dalembert.formalisms.display import Display, indexed, label
from dalembert.language import Sentences, mark, tr
from dalembert.mechanics.system import System
from dalembert.model.record import AxisTurn

Line = tuple[str, Any]
KINDS: Sentences = {"holonomic": "holonomic", "linear": "linear", "nonlinear": "nonlinear"}  # of constraints
TURNS = mark(
    "R are the turns that take the inertial axes to those of a frame or body, one after the other, each about an axis "
    "that is turned already."
)


def system_step(system: System, show: Display) -> Step:
    """The system in its own words: one step that cites no paper."""
    model = system.model
    lines: list[Line] = [("q", system.motion.q)]
    if model.gravity is not None and model.bodies:
        lines.append((rf"\text{{{tr('gravity')}}}", show(system.lowering.vector(model.gravity))))
    for name, frame in model.frames.items():
        if frame.turn:
            lines.append(_turned(system, show, name, frame.origin, frame.turn))
    for name, body in model.bodies.items():
        turns = (*body.rotation, *([body.spin] if body.spin else []))
        if turns or body.frame:
            lines.append(_turned(system, show, name, body.frame or "world", turns))
        lines += _body(system, show, name)
    given = (("T_{0}", system.given_kinetic), ("V", system.given_potential), (r"\Psi", system.dissipation))
    lines += [(letter, show(e)) for letter, e in given if e != 0]
    lines += [(indexed("f", row.name), show(row.residual)) for row in system.constraints.rows]
    told = " ".join(_sentences(system, lines)).replace("。 ", "。")
    return Step("The system", "", "", tuple(lines), why=told, key="system")


def _sentences(system: System, lines: Sequence[Line]) -> Iterator[str]:
    letters = {left[:2] for left, _ in lines}
    yield tr("The coordinates are q.")
    if "R_" in letters:
        yield tr(TURNS)
    if "r_" in letters:
        yield tr("A body has its centre of mass at r, in inertial axes, and the mass m.")
    if "J_" in letters:
        yield tr(
            "J is its inertia about that centre, in its own axes: xx, yy, zz, and xy, yz, xz where they are given."
        )
    if "T_" in letters:
        yield tr("T0 is kinetic energy besides that of the bodies.")
    if "V" in letters:
        yield tr("V is potential energy besides that of gravity.")
    if r"\P" in letters:
        yield tr("Ψ is Rayleigh's dissipation: its derivatives by the speeds are the damping forces.")
    if system.constraints.rows:
        rows = ", ".join(f"{row.name} ({tr(KINDS[row.kind])})" for row in system.constraints.rows)
        yield tr("The constraints are f = 0: {rows}.", rows=rows)


def _turned(system: System, show: Display, name: str, origin: str, turns: Sequence[AxisTurn]) -> Line:
    """R of a frame or body, as a row of elementary turns after the frame that it starts from."""
    first = () if origin in ("world", "ground") else (se.Symbol(f"R[{origin}]"),)
    made = [se.Function(f"R_{t.axis if isinstance(t.axis, str) else 'n'}")(_angle(system, show, t)) for t in turns]
    return indexed("R", name), (*first, *made)


def _angle(system: System, show: Display, turn: AxisTurn) -> Scalar:
    return show(system.lowering.scalar(turn.angle))


def _body(system: System, show: Display, name: str) -> Iterator[Line]:
    body = system.bodies[name]
    yield indexed("r", name), show(body.centre.position)
    if not body.varies:  # a step of its own says how a mass varies
        yield indexed("m", name), show(body.mass)
    stated = [show(system.lowering.scalar(e)) for e in system.model.bodies[name].inertia]
    if any(e != 0 for e in stated):
        yield f"J_{{{label(name)}}}", tuple(stated)
