r"""The steps that contacts and frictions add to any derivation: their forces before it, their laws after it.

    one-sided         0 ≤ λ ⟂ g ≥ 0                                                        ZhangMei (1.2)
    first kind        f_α, reversed together with ġ                                        (1.3), (2.1)
    second kind       φ_β = C_β: rolling if C_β = 0, slip otherwise                        (1.4), (2.9)
    impact            v⁺ = v⁻ + M⁻¹CᵀΛ,  C = [A; B],  (C M⁻¹ Cᵀ) Λ = [−(1+e) A v⁻; −B v⁻]
    energy            ΔT = ½ Σ_i (ψ_i⁺ + ψ_i⁻) Λ_i
A: the gap's rate and the reversed rates; B: bilateral and held rows. By (2.1) as printed, slips belong to B too and
keep their values; their impulse μ then adds φᵀμ to the energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import symengine as se

from dalembert.equations import Matrix, Row, Step
from dalembert.formalisms.base import Dynamics
from dalembert.formalisms.display import Display, indexed, label, size
from dalembert.formalisms.held_steps import segment_steps
from dalembert.formalisms.shared import balance
from dalembert.language import Sentences, mark, tr
from dalembert.mechanics.algebra import HALF, ONE, ZERO, Scalar, dot, total
from dalembert.mechanics.elimination import (
    independent_rows,
    inverse,
    length,
    matrix_product,
    numbers,
    reduction,
    sample_state,
    transposed,
)
from dalembert.mechanics.system import System
from dalembert.mechanics.touching import TouchingContact, TouchingFriction, TouchRow, acceleration

LONGEST_SLIP = 12  # operations of a slip or coefficient that is written into Coulomb's law
LARGEST_IMPACT = 400  # operations of a jump that is written out
HELD = mark("Held at zero: {names}. The reactions that hold them count in the same cone.")
SHARED_CONE = mark("Reactions that hold a quantity at zero take their share of the cone first.")
KINDS: Sentences = {
    "newton": "Newton's law of restitution",
    "poisson": "Poisson's law of restitution: the impulse of restitution is e times that of compression",
    "zhang-mei": "the law as Zhang and Mei print it: quantities of the second kind keep their values",
}


def forces_first(system: System, show: Display) -> tuple[Step, ...]:
    """Gaps, quantities of both kinds, and the directions of their forces."""
    touching = system.touching
    steps = []
    if touching.contacts:
        results = [line for contact in touching.contacts for line in _gap(contact, show)]
        steps.append(
            Step(
                "One-sided constraints",
                r"g(q,t) \ge 0,\quad \lambda \ge 0,\quad \lambda\,g = 0",
                "ZhangMei (1.2)",
                tuple(results),
                key="contacts",
            )
        )
    reversed_ = [(c, i, line) for c in touching.contacts for i, line in enumerate(c.reverses, 1)]
    if reversed_:
        results = [(_indexed("f", c.name, i, len(c.reverses)), show(line.rate)) for c, i, line in reversed_]
        steps.append(
            Step(
                "Quantities of the first kind",
                r"f_\alpha = \sum_s a_{\alpha s}(q)\,\dot q_s",
                "ZhangMei (1.3)",
                tuple(results),
                key="first kind",
            )
        )
    if touching.frictions:
        held = [f"ϕ[{f.name}, {len(f.slips) + i}]" for f in touching.frictions for i in range(1, len(f.held) + 1)]
        steps.append(
            Step(
                "Quantities of the second kind, and what presses",
                r"\varphi_\beta(q,\dot q,t) = C_\beta",
                "ZhangMei (1.4)",
                tuple(line for friction in touching.frictions for line in _second_kind(friction, show)),
                tr(HELD, names=", ".join(held)) if held else "",
                key="second kind",
            )
        )
    named = system.touching.generalized(system.size)
    forces = system.touching.forces
    acting = [
        (indexed("Q^R", n), show.linear(e, forces)) for n, e in zip(system.motion.names, named, strict=True) if e != 0
    ]
    if acting:
        steps.append(
            Step(
                "Forces of contacts and frictions",
                r"Q^R_r = \sum\lambda\,\frac{\partial g}{\partial q_r} + \sum R_\beta\,"
                r"\frac{\partial\varphi_\beta}{\partial\dot q_r}",
                "ZhangMei (2.5)",
                tuple(acting),
                key="touching forces",
            )
        )
    return tuple(steps)


def _indexed(letter: str, name: str, place: int, count: int) -> str:
    return indexed(letter, name) if count == 1 else f"{letter}_{{{label(name)}, {place}}}"


def _gap(contact: TouchingContact, show: Display) -> list[tuple[str, object]]:
    g = indexed("g", contact.name)
    return [
        (g, show(contact.gap)),
        (f"{g} \\ge", ZERO),
        (f"\\dot{{g}}_{{{label(contact.name)}}}", show(contact.line.rate)),
    ]


def _second_kind(friction: TouchingFriction, show: Display) -> list[tuple[str, object]]:
    lines = (*friction.slips, *friction.held)
    found: list[tuple[str, object]] = [
        (_indexed(r"\varphi", friction.name, i, len(lines)), show(line.rate)) for i, line in enumerate(lines, 1)
    ]
    found.append((indexed("N", friction.name), show(friction.normal)))
    if not friction.law.rough:
        brief = {line.rate: short.rate for line, short in zip(friction.slips, _brief(friction).slips, strict=True)}
        found.append((indexed(r"\mu", friction.name), show(friction.law.coefficient.xreplace(brief))))
        if friction.law.static != friction.law.coefficient:
            found.append((indexed(r"\mu^0", friction.name), show(friction.law.static.xreplace(brief))))
    return found


def laws_after(system: System, dynamics: Dynamics, show: Display) -> tuple[Step, ...]:
    """The conditions that close the equations in every mode, and the impact."""
    touching = system.touching
    steps: list[Step] = []
    if touching.contacts:
        steps.append(_modes(system, show))
    if touching.frictions:
        steps += [*_pressing(system, dynamics, show), _slip(system, show), _stick(system, show)]
    steps += segment_steps(system, dynamics, show)
    steps += [step for contact in touching.contacts for step in _impact(system, dynamics, contact, show)]
    return tuple(steps)


def _modes(system: System, show: Display) -> Step:
    results: list[tuple[str, object]] = []
    for contact in system.touching.contacts:
        force = indexed(r"\lambda", contact.name)
        closing = show.linear(acceleration(contact.line, system.motion.a), system.motion.a)
        results += [(f"\\ddot{{g}}_{{{label(contact.name)}}}", closing), (force + r" \ge", ZERO)]
    return Step(
        "Open and closed",
        r"g>0:\ \lambda=0;\qquad g=\dot g=0:\ \lambda\ge 0,\ \ddot g\ge 0,\ \lambda\,\ddot g=0",
        "ZhangMei (2.9)",
        tuple(results),
        key="modes",
    )


def _pressing(system: System, dynamics: Dynamics, show: Display) -> tuple[Step, ...]:
    """The reactions of constraints that press a friction, by the accelerations. No step if they would be long."""
    wanted = {friction.pressed_by for friction in system.touching.frictions}
    rows = system.constraints.rows
    if wanted.isdisjoint(row.name for row in rows) or (reduced := reduction(system, show)) is None:
        return ()
    left = balance(system, dynamics)
    columns = zip(reduced.choice.rows, zip(*reduced.D, strict=True), strict=True)
    symbols = (*system.motion.a, *system.touching.forces)
    results = tuple(
        (indexed(r"\lambda", rows[i].name), show.linear(dot(left, column), symbols))
        for i, column in columns
        if rows[i].name in wanted
    )
    formula = r"\lambda_\alpha = \sum_r D_{r\alpha}(M\ddot q + h - Q)_r,\quad AD = I"
    return (Step("The reaction that presses", formula, "", results, key="pressing"),)


def _slip(system: System, show: Display) -> Step:
    results: list[tuple[str, object]] = []
    for friction in system.touching.frictions:
        if friction.law.rough:
            continue
        for line, force in zip(friction.slips, _sliding(friction), strict=True):
            results.append((_name(line), show(force)))
    rough = [f.name for f in system.touching.frictions if f.law.rough]
    notes = [tr("{note}: rough, so there is no slip while it touches.", note=", ".join(rough))] if rough else []
    if any(f.held for f in system.touching.frictions):
        notes.append(tr(SHARED_CONE))
    return Step(
        "Friction while it slips",
        r"C_\beta\ne 0:\quad R = -\mu N\,\frac{\varphi}{|\varphi|}",
        "ZhangMei (2.9)",
        tuple(results),
        " ".join(notes),
        key="slip",
    )


def _stick(system: System, show: Display) -> Step:
    results: list[tuple[str, object]] = []
    for friction in system.touching.frictions:
        lines = (*friction.slips, *friction.held)
        for i, line in enumerate(lines, 1):
            rate = show.linear(acceleration(line, system.motion.a), system.motion.a)
            results.append((_indexed(r"\dot{\varphi}", friction.name, i, len(lines)), rate))
        if not friction.law.rough:
            results.append((_size(friction) + r" \le", show(_brief(friction).cone)))
    return Step(
        "Friction while it rolls or sticks",
        r"C_\beta\equiv 0:\quad \dot\varphi_\beta = 0,\quad |R|\le\mu_0 N",
        "ZhangMei (2.9)",
        tuple(results),
        key="stick",
    )


def _brief(friction: TouchingFriction) -> TouchingFriction:
    """The friction with letters for long parts: slips φ and coefficients μ, which an earlier step explains."""

    def short(e: Scalar, name: str) -> Scalar:
        return e if size(e) <= LONGEST_SLIP else se.Symbol(name)

    count = len(friction.slips) + len(friction.held)
    slips = tuple(
        replace(line, rate=short(line.rate, f"varphi[{friction.name}{f', {i}' if count > 1 else ''}]"))
        for i, line in enumerate(friction.slips, 1)
    )
    law = friction.law
    law = replace(
        law,
        coefficient=short(law.coefficient, f"mu[{law.name}]"),
        static=short(law.static, f"mu{'' if law.static == law.coefficient else '0'}[{law.name}]"),
    )
    return replace(friction, slips=slips, law=law)


def _sliding(friction: TouchingFriction) -> Row:
    """R by Coulomb's law, with letters if it would be long."""
    whole = friction.sliding
    return whole if length([whole]) <= LONGEST_SLIP * len(whole) * 2 else _brief(friction).sliding


def _name(line: TouchRow) -> str:
    """R_{incline,1} for the symbol friction[incline, 1]."""
    name, _, place = str(line.force)[len("friction[") : -1].rpartition(", ")
    return f"R_{{{label(name)}, {place}}}"


def _size(friction: TouchingFriction) -> str:
    names = [_name(line) for line in (*friction.slips, *friction.held)]
    return f"|{names[0]}|" if len(names) == 1 else r"\sqrt{" + "+".join(f"{name}^2" for name in names) + "}"


def _impact(system: System, dynamics: Dynamics, contact: TouchingContact, show: Display) -> tuple[Step, ...]:
    """The law of impact of one contact, and the jump of the speeds and of the energy if they can be written out."""
    A = [contact.line, *contact.reverses]
    B = [_row(system, i) for i in range(len(system.constraints.rows))]
    held = [line for friction in system.touching.frictions for line in friction.held]
    kept = [line for f in system.touching.frictions for line in f.slips] if contact.law.law == "zhang-mei" else []
    e = contact.law.restitution
    names = [
        f"\\dot g_{{{label(contact.name)}}}",
        *(_indexed("f", contact.name, i, len(contact.reverses)) for i in range(1, len(A))),
    ]
    results: list[tuple[str, object]] = [
        (f"({name})^{{+}}", show(-e * line.rate)) for name, line in zip(names, A, strict=True)
    ]
    results.append(("A", tuple(show(line.gradient) for line in A)))
    if B or held or kept:
        results.append(("B", tuple(show(line.gradient) for line in (*B, *held, *kept))))
    first = Step(
        tr("Impact on {name}", name=contact.name),
        r"\dot q^+ = \dot q^- + M^{-1}C^{\mathsf T}\Lambda,\quad C=[A;\,B],\quad "
        r"(CM^{-1}C^{\mathsf T})\Lambda = [-(1+e)A\dot q^-;\,-B\dot q^-]",
        "ZhangMei (2.1)",
        tuple(results),
        tr("The right sides are taken before the impact. The law is {kinds}.", kinds=tr(KINDS[contact.law.law]))
        + (_friction_note(system, contact) if contact.law.law != "zhang-mei" else ""),
        key="impact",
    )
    return (first, *_written_jump(system, dynamics, contact, A, [*B, *held], kept, show))


def _friction_note(system: System, contact: TouchingContact) -> str:
    own = [f for f in system.touching.frictions if f.pressed_by == contact.name]
    if own:
        return tr(
            " Friction of the contact acts in the impact too: its impulse stays in Coulomb's cone "
            "over the impulse of the contact, and stops the slip where that is enough."
        )
    others = [f.name for f in system.touching.frictions]
    return tr(" While {others} rolls, its rows belong to B.", others=", ".join(others)) if others else ""


def _row(system: System, i: int) -> TouchRow:
    constraints = system.constraints
    return TouchRow(constraints.psi[i], constraints.A[i], constraints.b[i])


def _written_jump(
    system: System,
    dynamics: Dynamics,
    contact: TouchingContact,
    A: Sequence[TouchRow],
    B: Sequence[TouchRow],
    kept: Sequence[TouchRow],
    show: Display,
) -> tuple[Step, ...]:
    """The speeds after the impact and the change of energy, while other frictions slip, or no step if they are long."""
    own = [f for f in system.touching.frictions if f.pressed_by == contact.name]
    e = contact.law.restitution
    jump = None if own else impact_in_symbols(dynamics.D, A, B, kept, e, system, show)
    if jump is None:
        return (_balance(contact, A, [line for f in own for line in f.slips], kept, show),)
    impulses, change, energy = jump
    names = system.motion.names
    speeds = [(f"{label(n, 1)}^{{+}}-{label(n, 1)}^{{-}}", e) for n, e in zip(names, change, strict=True) if e != 0]
    forces = [(f"\\Lambda_{{{i}}}", e) for i, e in enumerate(impulses, 1)]
    return (
        Step(
            tr("Jump of the speeds and of the energy on {name}", name=contact.name),
            r"\Delta T = \tfrac12\sum_i(\psi_i^++\psi_i^-)\,\Lambda_i",
            "",
            (*forces, *speeds, (r"\Delta T", energy)),
            key="jump",
        ),
    )


def _balance(
    contact: TouchingContact,
    A: Sequence[TouchRow],
    slips: Sequence[TouchRow],
    kept: Sequence[TouchRow],
    show: Display,
) -> Step:
    """The change of energy by the impulses, if these are not written out: ψ⁺ is −eψ⁻ for A and a letter for a slip."""
    e = contact.law.restitution
    Lambda = [se.Symbol(f"Lambda{i}") for i in range(1, len(A) + len(slips) + len(kept) + 1)]
    parts = [HALF * (ONE - e) * line.rate * impulse for line, impulse in zip(A, Lambda, strict=False)]
    after = [se.Symbol(f"psi{i}+") for i in range(len(A) + 1, len(A) + len(slips) + 1)]
    for line, found, impulse in zip(slips, after, Lambda[len(A) :], strict=False):
        parts.append(HALF * (line.rate + found) * impulse)
    parts += [line.rate * impulse for line, impulse in zip(kept, Lambda[len(A) + len(slips) :], strict=True)]
    changed = total(show(part) for part in parts)
    note = tr("ψ⁺ is the slip after the impact, and its impulse opposes it.") if slips else ""
    return Step(
        tr("Jump of the energy on {name}", name=contact.name),
        r"\Delta T = \tfrac12\sum_i(\psi_i^++\psi_i^-)\,\Lambda_i",
        "",
        ((r"\Delta T", changed),),
        note,
        key="balance",
    )


def impact_in_symbols(
    M: Matrix,
    A: Sequence[TouchRow],
    B: Sequence[TouchRow],
    kept: Sequence[TouchRow],
    e: Scalar,
    system: System,
    show: Display,
) -> tuple[Row, Row, Scalar] | None:
    """Λ, v⁺ − v⁻ and ΔT with Bv⁻ = 0, or None if they would be long or M is singular."""
    state = sample_state(system)
    rows = independent_rows(numbers(tuple(line.gradient for line in (*A, *B, *kept)), state))
    lines = [(*A, *B, *kept)[i] for i in rows]
    if rows[: len(A)] != list(range(len(A))):
        return None
    C = tuple(line.gradient for line in lines)
    inverted = inverse(M, state, show)
    if inverted is None or length(inverted) > LARGEST_IMPACT:
        return None
    reach = matrix_product(inverted, transposed(C))  # M⁻¹Cᵀ
    G = inverse(show(matrix_product(C, reach)), state, show)
    if G is None or length(G) > LARGEST_IMPACT:
        return None
    right = [-(1 + e) * line.rate if i < len(A) else ZERO for i, line in enumerate(lines)]
    impulses = show(tuple(dot(row, right) for row in G))
    change = show(tuple(dot(row, impulses) for row in reach))
    still = {id(line) for line in B}
    halves = []
    for i, (line, impulse) in enumerate(zip(lines, impulses, strict=True)):
        mean = HALF * (ONE - e) * line.rate if i < len(A) else ZERO if id(line) in still else line.rate
        halves.append(mean * impulse)
    energy = show(total(halves))
    return None if length([impulses, change, [energy]]) > LARGEST_IMPACT else (impulses, change, energy)
