"""(1)–(17): partial accelerations of particles, and the equations that follow."""

from __future__ import annotations

from typing import Any

from dalembert.language import mark, tr
from dalembert.mechanics.algebra import ZERO, Symbols, dot, total
from dalembert.papers.sheet import Sheet, difference
from dalembert.papers.worked import Worked

OVER = mark("at random places of two particles with a constraint, all depending on time")


def kinematics(sheet: Sheet, w: Worked) -> None:
    motion, reduced = w.system.motion, w.reduced
    body = w.system.bodies["one"]
    r, v, a = body.centre.position, body.centre.velocity(motion), body.centre.acceleration(motion)
    q, v_, a_ = motion.q, motion.v, motion.a
    columns = [motion.gradient(c, q) for c in r]
    sheet.law(
        "1",
        "virtual displacement",
        "δr = Σ ∂r/∂q_j δq_j",
        worst(v, [total([dot(row, v_), c.diff(motion.t)]) for row, c in zip(columns, r, strict=True)]),
        tr("{over} (its columns are those of the velocity)", over=tr(OVER)),
    )
    sheet.law("2", "velocity", "v = Σ ∂r/∂q_j q̇_j + ∂r/∂t", worst(v, [motion.derivative(c) for c in r]), OVER)
    full = [acceleration(motion, c) for c in v]
    sheet.law("3", "acceleration", "a = Σ ∂v/∂q̇_j q̈_j + Σ ∂v/∂q_j q̇_j + ∂v/∂t", worst(a, full), OVER)
    by_speeds = [motion.gradient(c, v_) for c in v]
    sheet.law("4", "partial velocities", "∂v/∂q̇_j = ∂r/∂q_j", worst(flat(by_speeds), flat(columns)), OVER)
    constraint = w.system.constraints
    put = reduced.written
    sheet.law(
        "5",
        "dependent speeds",
        "q̇_{p+s} = Σ C q̇_r + D",
        worst([constraint.psi[0].subs(put)], [ZERO]),
        tr("{over}: the constraint holds with them", over=tr(OVER)),
    )
    free = list(reduced.choice.independent)
    (s,) = reduced.choice.dependent
    virtual = dict.fromkeys(v_, ZERO) | {v_[j]: v_[j] for j in free}
    virtual[v_[s]] = dot(reduced.C[0], [v_[j] for j in free])
    row = list(constraint.A[0])
    moved = dot(row, [virtual[x] for x in v_])
    sheet.law(
        "6",
        "dependent virtual displacements",
        "δq_{p+s} = Σ C δq_r",
        worst([moved], [ZERO]),
        tr("{over}: they leave the constraint", over=tr(OVER)),
    )
    split = [total([row_[j] * v_[j] for j in free]) + row_[s] * virtual[v_[s]] for row_ in columns]
    partial = [[row_[j] + row_[s] * reduced.C[0][i] for i, j in enumerate(free)] for row_ in columns]
    joined = [dot(row_, [v_[j] for j in free]) for row_ in partial]
    sheet.law(
        "7",
        "virtual displacement, split",
        "δr = Σ_r ∂r/∂q_r δq_r + Σ_s ∂r/∂q_{p+s} δq_{p+s}",
        worst(split, joined),
        OVER,
    )
    sheet.law("8", "virtual displacement by partial accelerations", "δr = Σ a_r δq_r", worst(joined, split), OVER)
    put_in = [e.subs(reduced.accelerations) for e in full]
    read_off = [[e.diff(a_[j]) for j in free] for e in put_in]
    sheet.law(
        "9", "partial accelerations", "a_r = ∂r/∂q_r + Σ ∂r/∂q_{p+s} C", worst(flat(partial), flat(read_off)), OVER
    )
    C, D = reduced.C[0], reduced.written[v_[s]] - dot(reduced.C[0], [v_[j] for j in free])
    swing = dot([motion.derivative(c) for c in C], [v_[j] for j in free])
    right = dot(C, [a_[j] for j in free]) + motion.derivative(D) + swing
    wrong = dot(C, [a_[j] for j in free]) + D + swing
    known = reduced.accelerations[a_[s]]
    sheet.law(
        "10",
        "dependent accelerations",
        "q̈_{p+s} = Σ C q̈_r + E, E = D + ΣĊ q̇",
        worst([known.subs(put)], [right.subs(put)]),
        OVER,
        "E = Ḋ + ΣĊ q̇",
        worst([known.subs(put)], [wrong.subs(put)]),
    )
    rest = [[dot([e.diff(x) for x in q], v_), e.diff(motion.t)] for e in v]
    eleven = [total([*(c[j] * a_[j] for j in free), c[s] * a_[s], *x]) for c, x in zip(by_speeds, rest, strict=True)]
    sheet.law("11", "acceleration, split", "a = Σ ∂v/∂q̇_r q̈_r + Σ ∂v/∂q̇_{p+s} q̈_{p+s} + …", worst(full, eleven), OVER)
    E = known - dot(C, [a_[j] for j in free])
    U = [c[s] * E + total(x) for c, x in zip(columns, rest, strict=True)]
    V = [c[s] * E + x[0] + r_.diff(motion.t) for c, x, r_ in zip(columns, rest, r, strict=True)]
    twelve = [dot(c, [a_[j] for j in free]) + u for c, u in zip(partial, U, strict=True)]
    thirteen = [dot(c, [a_[j] for j in free]) + u for c, u in zip(partial, V, strict=True)]
    sheet.law(
        "12",
        "acceleration by partial accelerations",
        "a = Σ a_r q̈_r + U, U = … + ∂r/∂t",
        worst(put_in, twelve),
        OVER,
        "the last term of U is ∂v/∂t",
        worst(put_in, thirteen),
    )
    sheet.law("13", "partial accelerations read off", "a_r = ∂a/∂q̈_r", worst(flat(read_off), flat(partial)), OVER)


def dynamics(sheet: Sheet, w: Worked) -> None:
    system, motion, reduced = w.system, w.system.motion, w.reduced
    k = list(zip(*reduced.k, strict=True))
    power = []
    L, L_star = [], []
    for column in k:
        active, inertial = [], []
        for body in system.bodies.values():
            a_r = tuple(
                total(c[i] * f for c, f in zip(body.centre.columns, column, strict=True) if c is not None)
                for i in range(3)
            )
            a = body.centre.acceleration(motion)
            inertial.append(-body.mass * dot(a, a_r))
            active += [dot(load.force, a_r) for load in system.loads if load.body is body]
        L.append(total(active))
        L_star.append(total(inertial))
        power.append(L[-1] + L_star[-1])
    at = tr("at the state that Lagrange's multipliers give")
    sheet.law("14", "d'Alembert's principle", "Σ (F + F*)·δr = 0", w.largest(power), at)
    sheet.law("15", "equations of partial accelerations", "L_r + L_r* = 0", w.largest(power), at)
    shown = [w[f"L_{{{name}}}"] for name in ("x", "z")]
    inert = [w[f"L^*_{{{name}}}"] for name in ("x", "z")]
    at = tr("the derivation's against the sums over the particles")
    sheet.law(
        "16",
        "generalized active force",
        "L_r = Σ F·a_r",
        worst([e.subs(reduced.written) for e in L], [e.subs(reduced.written) for e in shown]),
        at,
    )
    star = [e.subs(reduced.accelerations).subs(reduced.written) for e in L_star]
    sheet.law(
        "17",
        "generalized inertia force",
        "L_r* = Σ F*·a_r; a_r is the coefficient of q̇_r",
        worst(star, [e.subs(reduced.written) for e in inert]),
        at,
        "a_r is the coefficient of q̈_r",
        slope_difference(w),
    )


def slope_difference(w: Worked) -> float:
    """The difference of the coefficient of q̇ from the partial acceleration."""
    motion = w.system.motion
    a = w["a_{\\text{one}}"]
    return worst([c.diff(motion.v[0]) for c in a], [c.diff(motion.a[0]) for c in a])


def acceleration(motion: Symbols, c: Any) -> Any:
    return motion.derivative(c) + dot(motion.gradient(c, motion.v), motion.a)


def flat(rows: Any) -> list[Any]:
    return [e for row in rows for e in row]


def worst(one: Any, two: Any) -> float:
    return max(difference(a, b) for a, b in zip(one, two, strict=True))
