"""Contacts and frictions: the flow between events, and the quantities that survive impacts and sustained contact.

Contacts that are closed at the start are constraints, the others are open. Sliding friction is a force of any size
along the slip rows; rolling turns these rows into constraints. At an impact of contact i (rows C: its gap, the rows it
reverses, and all held rows)

    D Δv = Cᵀ Λ + Pᵀ f,   C Δv = −(1 + e) ψ for the gap and the reversed rows, 0 for those held
with f any impulse of friction along the contact's slip P; I survives iff I(q, v + Δv) = I(q, v) at random states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.analysis.conserved.flow import Array, Flow, Home
from dalembert.analysis.conserved.quantities import FlowQuantities
from dalembert.equations import ConstraintRow, ContactLaw, Equations, FrictionLaw, Unilateral
from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.programs.functions import compiled

TOUCHING = 1e-9
STATES = 12
KEPT = 1e-9


@dataclass(frozen=True, slots=True)
class FlowMode:
    """The flow between events, its variants without friction and while rolling, and the open contacts."""

    flow: Flow
    frictions: dict[str, tuple[int, ...]]  # names and rows of those that slide
    smooth: Flow | None  # without friction, if any slides
    rolling: Flow | None
    open: tuple[int, ...]
    closed: tuple[str, ...]


def mode_of(eq: Equations, home: Home) -> FlowMode:
    """The mode of the initial state."""
    u = eq.unilateral
    if u is None:
        return FlowMode(Flow(eq), {}, None, None, (), ())
    x = np.concatenate([[home.t], home.q, home.v, home.z, home.p])[None]
    gaps = compiled(eq.inputs, list(u.phi), backend="numpy")(x)[0]
    rates = compiled(eq.inputs, list(u.psi[: len(u.contacts)]), backend="numpy")(x)[0]
    closed = [i for i in range(len(u.contacts)) if abs(gaps[i]) < TOUCHING and abs(rates[i]) < TOUCHING]
    standing = [f for f in u.frictions if f.contact is None or f.contact in closed]
    held = [row for f in standing for row in (*f.held, *(f.slips if f.rough else ()))]
    sliding = [f for f in standing if not f.rough]
    base = with_rows(eq, u, [*(u.contacts[i].gap for i in closed), *held])
    rows = [row for f in sliding for row in f.slips]
    pushes = tuple(u.A[row] for row in rows)
    return FlowMode(
        Flow(base, pushes),
        {tr("friction of {name}", name=f.name): f.slips for f in sliding},
        Flow(base) if rows else None,
        Flow(with_rows(base, u, rows)) if rows else None,
        tuple(i for i in range(len(u.contacts)) if i not in closed),
        tuple(u.contacts[i].name for i in closed),
    )


def with_rows(eq: Equations, u: Unilateral, rows: Sequence[int]) -> Equations:
    """The equations with rows of contacts and frictions as constraints. A gap is holonomic."""
    gaps = [row for row in rows if row < len(u.phi)]
    named = tuple(
        ConstraintRow(_name(u, row), *(("holonomic", u.phi[row]) if row in gaps else ("linear", u.psi[row])))
        for row in rows
    )
    return replace(
        eq,
        A=(*eq.A, *(u.A[row] for row in rows)),
        b=(*eq.b, *(u.b[row] for row in rows)),
        psi=(*eq.psi, *(u.psi[row] for row in rows)),
        phi=(*eq.phi, *(u.phi[row] for row in gaps)),
        phi_q=(*eq.phi_q, *(u.phi_q[row] for row in gaps)),
        constraints=(*eq.constraints, *named),
        multipliers=(*eq.multipliers, *(row.name for row in named)),
        unilateral=None,
    )


def _name(u: Unilateral, row: int) -> str:
    for contact in u.contacts:
        if row == contact.gap:
            return contact.name
    for friction in u.frictions:
        if row in friction.slips:
            return f"{friction.name}.slip{friction.slips.index(row) + 1}"
        if row in friction.held:
            return f"{friction.name}.held{friction.held.index(row) + 1}"
    return f"row{row}"


def survivals(
    u: Unilateral | None, mode: FlowMode, flow: Flow, home: Home, expressions: Sequence[Any], seed: int = 4
) -> list[dict[str, str]]:
    """For every expression, whether it survives at open contacts, by "impact at NAME" and "contact at NAME".

    `flow` is the flow of the mode, or its variant without friction, or the one that rolls.
    """
    found: list[dict[str, str]] = [{} for _ in expressions]
    if u is None or not expressions:
        return found
    eq = flow.equations
    code = FlowQuantities(eq, expressions)
    for i in mode.open:
        contact = u.contacts[i]
        friction = next((f for f in u.frictions if f.contact == i), None)
        answers = {
            f"impact at {contact.name}": _at_impact(eq, u, contact, friction, home, code, seed),
            f"contact at {contact.name}": _in_contact(flow, u, contact, friction, home, code, seed),
        }
        for what, kept in answers.items():
            for k, place in enumerate(found):
                if kept is not None:
                    place[what] = "kept" if kept[k] else "changed"
    return found


def _in_contact(
    flow: Flow,
    u: Unilateral,
    contact: ContactLaw,
    friction: FrictionLaw | None,
    home: Home,
    code: FlowQuantities,
    seed: int,
) -> Array | None:
    """Whether rates vanish while the contact stays closed. It slides with any friction if it has some."""
    rough = friction is not None and friction.rough
    slips = friction.slips if friction is not None else ()
    base = with_rows(flow.equations, u, [contact.gap, *(slips if rough else ())])
    pushes = () if rough else tuple(u.A[row] for row in slips)
    try:
        states = Flow(base, (*flow.pushes, *pushes)).states(home, STATES, np.random.default_rng(seed))
    except MathematicsError:
        return None
    found = code.at(states)
    return np.all(np.abs(found.rate) <= KEPT * found.size, axis=0)


def _at_impact(
    eq: Equations,
    u: Unilateral,
    contact: ContactLaw,
    friction: FrictionLaw | None,
    home: Home,
    code: FlowQuantities,
    seed: int,
) -> Array | None:
    """Whether values are unchanged by impacts of this contact."""
    touching = replace(eq, phi=(*eq.phi, u.phi[contact.gap]), phi_q=(*eq.phi_q, u.phi_q[contact.gap]))
    chance = np.random.default_rng(seed)
    try:
        states = Flow(touching).states(home, STATES, chance)
    except MathematicsError:
        return None
    n, x = len(eq.q), states.x.copy()
    slips = friction.slips if friction is not None else ()
    sticking = slips if friction is not None and friction.rough else ()
    if contact.law == "zhang-mei":  # quantities of the second kind are continuous
        sticking = tuple(dict.fromkeys(row for f in u.frictions for row in f.slips))
    hit = [contact.gap, *contact.reverses]
    rows = [*(u.A[r] for r in hit), *(u.A[r] for r in sticking), *eq.A]
    psi = [*(u.psi[r] for r in hit), *(u.psi[r] for r in sticking)]
    outputs = [*(e for row in eq.D for e in row), *(e for row in rows for e in row), *psi, contact.restitution]
    free = [r for r in slips if r not in sticking]
    outputs += [e for r in free for e in u.A[r]]
    values = compiled(eq.inputs, outputs, backend="numpy")(x)
    m = len(rows)
    sizes = np.cumsum([n * n, m * n, len(psi), 1])
    D, C, rate, e, P = np.split(values, sizes, axis=1)
    D, C, P = D.reshape(-1, n, n), C.reshape(-1, m, n), P.reshape(len(x), -1, n)
    goal = np.zeros((len(x), m))
    goal[:, : len(hit)] = -(1 + e) * rate[:, : len(hit)]
    if friction is not None and friction.rough:
        goal[:, len(hit) : len(psi)] = -rate[:, len(hit) :]
    push = np.einsum("skn,sk->sn", P, chance.normal(size=P.shape[:2]))
    K = np.zeros((len(x), n + m, n + m))
    K[:, :n, :n], K[:, :n, n:], K[:, n:, :n] = D, -np.swapaxes(C, 1, 2), C
    change = (np.linalg.pinv(K, rcond=1e-12) @ np.hstack([push, goal])[:, :, None])[:, :n, 0]
    after = x.copy()
    after[:, 1 + n : 1 + 2 * n] += change
    approaching = rate[:, 0] < 0
    before, later = code.values(x), code.values(after)
    level = np.abs(before) + np.abs(later) + 1e-3
    return np.all((np.abs(later - before) <= KEPT * level)[approaching], axis=0)
