"""Wang and Gao's paper: models of constraint as control forces, and the free motion of a climbing particle."""

from __future__ import annotations

from typing import Any

import numpy as np
import symengine as se

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.language import tr
from dalembert.mechanics.algebra import dot, total
from dalembert.mechanics.elimination import inverse, sample_state
from dalembert.mechanics.inertia import lagrange
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text
from dalembert.papers.sheet import CLOSE, PAIRS, Sheet, difference
from dalembert.papers.worked import Worked, general, worked

ROWS = '\n[virtual_displacements]\nrule = "rows"\nrows = [THE_ROW]\n'
PARTICLE = "wang-gao-particle"


def fill(sheet: Sheet) -> None:
    holonomic(sheet)
    nonholonomic(sheet)
    free_motion(sheet)
    virtual(sheet)


def left_sides(w: Worked) -> list[Any]:
    """d/dt ∂T/∂q̇ − ∂T/∂q − Q, by differentiation of T."""
    motion, T = w.system.motion, w.system.kinetic
    found = []
    for q, v, Q in zip(motion.q, motion.v, w.system.forces, strict=True):
        p = T.diff(v)
        found.append(motion.derivative(p) + dot(motion.gradient(p, motion.v), motion.a) - T.diff(q) - Q)
    return found


def reactions(w: Worked) -> list[Any]:
    """Σ λ ∂f/∂q̇ for every coordinate."""
    nu = [se.Symbol(f"lambda[{row.name}]") for row in w.system.constraints.rows]
    return [dot([row[j] for row in w.system.constraints.A], nu) for j in range(w.system.size)]


def with_factor(w: Worked, D: float) -> list[float]:
    """q̈ from M q̈ + h − Q = D Gᵀλ and G q̈ = b, solved in numbers at the state."""
    system, still = w.system, dict.fromkeys(w.system.motion.a, 0)
    left = left_sides(w)
    M = np.array([[w.value(e.diff(a)) for a in system.motion.a] for e in left])
    rest = [-w.value(e.subs(still)) for e in left]
    G = np.array([[w.value(e) for e in row] for row in system.constraints.A])
    b = [w.value(e) for e in system.constraints.b]
    matrix = np.block([[M, -D * G.T], [G, np.zeros((len(G), len(G)))]])
    return np.linalg.solve(matrix, [*rest, *b])[: system.size].tolist()


def allowed(w: Worked) -> list[Any]:
    """Columns of virtual displacements that the constraints allow."""
    return list(zip(*w.reduced.k, strict=True))


def holonomic(sheet: Sheet) -> None:
    g = general("chetaev")
    state = tr("at a state whose accelerations are solved for")
    with_force = [a - b for a, b in zip(left_sides(g), reactions(g), strict=True)]
    sheet.law(
        "1",
        "Newton's law in generalized coordinates",
        "d/dt ∂T/∂q̇_j − ∂T/∂q_j − Q_j − Q_j^c = 0",
        g.largest(with_force),
        tr("two particles with a constraint, {state}", state=state),
    )
    p = worked("simple-pendulum-cartesian", "chetaev")
    powers = [dot(left_sides(p), c) for c in allowed(p)]
    sheet.law(
        "2",
        "general equation of dynamics",
        "Σ (d/dt ∂T/∂q̇_j − ∂T/∂q_j − Q_j) δq_j = 0",
        p.largest(powers),
        tr("a pendulum in x and y, {state}", state=state),
    )
    d = worked("double-pendulum", "chetaev")
    sheet.law(
        "3",
        "as many coordinates as freedoms",
        "d/dt ∂T/∂q̇_j − ∂T/∂q_j − Q_j = 0",
        d.largest(left_sides(d)),
        tr("a double pendulum by its angles, {state}", state=state),
    )
    rows = p.system.constraints
    sheet.law("4", "holonomic constraints", "g_β(q, t) = 0", p.largest(rows.phi), "the pendulum at its start")
    gradient = p.system.motion.gradient(rows.phi[0], p.system.motion.q)
    sheet.law(
        "5",
        "their condition on virtual displacements",
        "Σ ∂g_β/∂q_j δq_j = 0",
        max(difference(dot(gradient, c), 0) for c in allowed(p)),
        "the displacements that are left free, at random places",
    )
    lam = se.Symbol("lambda[rod]")
    weighted = [total(lam * e * c[j] for j, e in enumerate(gradient)) for c in allowed(p)]
    sheet.law(
        "6",
        "the same with multipliers",
        "Σ_j (Σ_β λ_β ∂g_β/∂q_j) δq_j = 0",
        max(difference(e, 0) for e in weighted),
        "at random places",
    )
    forced = [a - b for a, b in zip(left_sides(p), reactions(p), strict=True)]
    sheet.law(
        "7",
        "multipliers up to a factor",
        "d/dt ∂T/∂q̇_j − … = D Σ λ_β ∂g_β/∂q_j",
        max(abs(a - b) for a, b in zip(with_factor(p, 3.0), with_factor(p, 1.0), strict=True)),
        tr("accelerations of a pendulum in x and y for D = 3 against those for D = 1"),
    )
    sheet.law(
        "8",
        "Lagrange's equations with multipliers",
        "d/dt ∂T/∂q̇_j − ∂T/∂q_j − Q_j = Σ λ_β ∂g_β/∂q_j",
        p.largest(forced),
        tr("a pendulum in x and y, {state}", state=state),
    )


def nonholonomic(sheet: Sheet) -> None:
    w = worked("appell-hamel", "chetaev")
    state = tr("Appell and Hamel's particle at a state that Kane's equations give too")
    f = w.system.constraints.rows[0].residual
    sheet.law("9", "nonholonomic constraints", "f_α(q̇, q, t) = 0", abs(w.value(f)), "the particle at its start")
    motion = w.system.motion
    row = motion.gradient(f, motion.v)
    sheet.law(
        "10",
        "Chetaev's condition",
        "Σ ∂f_α/∂q̇_j δq_j = 0",
        max(difference(dot(row, c), 0) for c in allowed(w)),
        "the displacements that are left free, at random places",
    )
    chetaev = [a - b for a, b in zip(left_sides(w), reactions(w), strict=True)]
    sheet.law("11", "Chetaev's model", "d/dt ∂T/∂q̇_j − ∂T/∂q_j = Q_j + Σ μ_α ∂f_α/∂q̇_j", w.largest(chetaev), state)
    v = worked("appell-hamel", "vakonomic")
    sheet.law(
        "12",
        "vakonomic model",
        "… = Q_j + Σ [λ_α(∂f_α/∂q_j − d/dt ∂f_α/∂q̇_j) − λ̇_α ∂f_α/∂q̇_j]",
        stationary(v),
        "the derivation against the variation of ∫(L + λf)dt, at random places",
    )


def stationary(v: Worked) -> float:
    """The difference of the derivation's rows from d/dt ∂/∂q̇ − ∂/∂q of L + λ f."""
    system, motion = v.system, v.system.motion
    lam, rate = se.Symbol("lambda[climb]"), se.Symbol("lambda[climb]'")
    f = system.constraints.rows[0].residual
    action = system.kinetic - system.potential + lam * f
    worst = 0.0
    eq = v.equations
    for j, (q, s) in enumerate(zip(motion.q, motion.v, strict=True)):
        p = action.diff(s)
        whole = motion.derivative(p) + dot(motion.gradient(p, motion.v), motion.a) + p.diff(lam) * rate - action.diff(q)
        assert eq.R is not None
        row = dot(eq.D[j], motion.a) - eq.d[j] - eq.R[j][0] * rate
        worst = max(worst, difference(whole, row))
    return worst


def free_motion(sheet: Sheet) -> None:
    w = worked(PARTICLE, "chetaev")
    free = dict(w.step("free"))
    a = {se.Symbol(f"{n}''"): free[f"\\ddot{{{n}}}"] for n in "xyz"}
    sheet.law(
        "13",
        "free motion",
        "d/dt ∂T/∂q̇_j − ∂T/∂q_j − Q_j = 0",
        max(difference(e.subs(a), 0) for e in left_sides(w)),
        "the accelerations without a reaction, at random places",
    )
    z = se.Symbol("z'")
    climbed = [z, se.expand(z - w.system.constraints.rows[0].residual)]
    sheet.same("14", "the constraint", "z_d; (x_d**2 + y_d**2)**(1/2)", climbed, entries=PAIRS)
    known = {se.Symbol("mu[climb]"): se.Symbol("mu")}
    pairs = [(se.sympify(left), se.sympify(right).subs(known)) for left, right in w.step("written")]
    m = se.Symbol("m")
    root = "(x_d**2 + y_d**2)**(1/2)"
    sheet.same(
        "15",
        "equations of motion, with Qᶜ by Chetaev's rule",
        f"m*x_dd; Q1 - mu*x_d/{root}; m*y_dd; Q2 - mu*y_d/{root}; m*z_dd; Q3 - m*g + mu",
        [side for pair in pairs[:3] for side in pair],
        entries=PAIRS,
    )
    free_pairs = [side for symbol, e in a.items() for side in (m * symbol, m * e)]
    sheet.same("16", "equations of free motion", "m*x_dd; Q1; m*y_dd; Q2; m*z_dd; Q3 - m*g", free_pairs, entries=PAIRS)
    phi = free["\\Phi_{1,\\text{climb}}"]
    seventeen = f"Q3 - m*g - (x_d*Q1 + y_d*Q2)/{root}; 0"
    sheet.same("17", "condition of free motion", seventeen, [m * phi, 0], entries=PAIRS)
    t, c = se.Symbol("t"), se.Symbol("c")
    moving = phi.subs({se.Symbol("Q1"): 0, se.Symbol("Q2"): 0, se.Symbol("Q3"): m * se.Symbol("g") + c * t})
    at = {m: 1.2, c: 0.7, t: 0.0}
    first, second = float(moving.subs(at)), float(moving.diff(t).subs(at))
    record = with_settings(read(collection.path(PARTICLE)), {"Q1": 0, "Q2": 0, "Q3": "m*g"})
    free_now = abs(solve(record, "chetaev").multipliers["climb"])
    assert first == 0.0
    sheet.statement(
        "after 17",
        "the meaning of (17)",
        "free motion exists iff (17) holds",
        free_now <= CLOSE and abs(second) > CLOSE,
        tr(
            "for Q₁ = Q₂ = 0, Q₃ = mg the reaction is {reaction:.1g}; for Q₃ = mg + ct, (17) holds at t = 0 and Φ₂ is "
            "{second:.2g}",
            reaction=free_now,
            second=second,
        ),
        "all Φ_k = 0; for Q₃ = mg + ct, (17) holds at t = 0 and Φ₂ = c/m does not vanish",
    )


def with_row(row: str) -> Worked:
    text = collection.text("appell-hamel")
    return Worked(
        read_text(text.replace("\n[simulation]", ROWS.replace("THE_ROW", row) + "\n[simulation]")),
        "virtual-displacements",
    )


def virtual(sheet: Sheet) -> None:
    w = worked("appell-hamel", "chetaev")
    work = [dot(reactions(w), c) for c in allowed(w)]
    sheet.law(
        "18",
        "ideal constraints",
        "Σ Q_j^c δq_j = 0",
        max(difference(e, 0) for e in work),
        "the work of Chetaev's reaction, at random places",
    )
    powers = [dot(left_sides(w), c) for c in allowed(w)]
    sheet.law(
        "19",
        "general equation of dynamics",
        "Σ (d/dt ∂T/∂q̇_j − ∂T/∂q_j − Q_j) δq_j = 0",
        w.largest(powers),
        "the particle at the state that Chetaev's model gives",
    )
    v = with_row('{ x = "-k*x\'/sqrt(x\'^2 + y\'^2)", y = "0.2", z = "1" }')
    (h,) = v.system.rows
    sheet.law(
        "20",
        "general virtual displacements",
        "Σ h_γj(q̇, q, t) δq_j = 0",
        max(difference(h[j], v.equations.R[j][0]) for j in range(3)) if v.equations.R else 1.0,
        "the model's rows against those that carry the reaction",
    )
    state = solve(v.record, "virtual-displacements")
    known = dict(v.system.parameters)
    for n in "xyz":
        known |= {
            se.Symbol(n): state.coordinates[n],
            se.Symbol(f"{n}'"): state.speeds[n],
            se.Symbol(f"{n}''"): state.accelerations[n],
        }
    nu = state.multipliers["climb"]
    residual = [e - nu * h[j] for j, e in enumerate(left_sides(v))]
    sheet.law(
        "21",
        "their equations of motion",
        "d/dt ∂T/∂q̇_j − ∂T/∂q_j = Q_j + Σ ν_γ h_γj",
        max(abs(float(e.subs(known))) for e in residual),
        "the particle with a row of its own, solved",
    )
    above, other = determinant(v, known), determinant(with_row('{ x = "-y\'", y = "x\'" }'), known)
    sheet.statement(
        "after 21",
        "s = r is complete",
        "with as many rows as constraints the equations are complete",
        abs(above) > 1e-6 and abs(other) < 1e-12,
        tr(
            "det(GM⁻¹Hᵀ) is {above:.3g} for the row of (20) and {other:.1g} for h = (−ẏ, ẋ, 0)",
            above=above,
            other=abs(other),
        ),
        "they are where det(GM⁻¹Hᵀ) ≠ 0; it vanishes for h = (−ẏ, ẋ, 0)",
    )
    d = worked("double-pendulum", "chetaev")
    first, second = (body.centre.position for body in d.system.bodies.values())
    rods = [
        total(c**2 for c in first) - se.Symbol("l1") ** 2,
        total((a - b) ** 2 for a, b in zip(second, first, strict=True)) - se.Symbol("l2") ** 2,
    ]
    sheet.law(
        "22",
        "holonomic constraints of particles",
        "f_α(r_i, t) = 0",
        max(difference(e, 0) for e in rods),
        "the rods of a double pendulum, at random places",
    )
    names = set(d.system.motion.q) | set(d.system.parameters)
    loose = [s for c in (*first, *second) for s in c.free_symbols if s not in names]
    sheet.law(
        "23",
        "positions by generalized coordinates",
        "r_i = r_i(q_1, …, q_m, t)",
        float(len(loose)),
        "letters other than coordinates and parameters in the positions of the bobs",
    )


def determinant(v: Worked, known: dict[Any, float]) -> float:
    """G M⁻¹ Hᵀ of one constraint and one row."""
    inertia, _ = lagrange(v.system)
    found = inverse(inertia.matrix, sample_state(v.system), lambda e: e)
    assert found is not None
    (h,) = v.system.rows
    return float(dot(v.system.constraints.A[0], [dot(row, h) for row in found]).subs(known))
