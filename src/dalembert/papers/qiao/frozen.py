"""(2.24)–(2.27): the same with frozen derivatives, for which the masses count as constants."""

from __future__ import annotations

from dalembert.mechanics import variable_mass
from dalembert.mechanics.algebra import HALF, NULL, dot
from dalembert.mechanics.inertia import frozen_kinetic
from dalembert.papers.qiao.forces import Rows
from dalembert.papers.qiao.particles import OVER, along, at, worst
from dalembert.papers.sheet import Sheet
from dalembert.papers.worked import Worked


def frozen(sheet: Sheet, w: Worked) -> None:
    system, motion = w.system, w.system.motion
    body = system.bodies["one"]
    v, a = body.centre.velocity(motion), body.centre.acceleration(motion)
    square = dot(v, v)
    left = [dot(a, body.centre.columns[r] or NULL) for r in range(3)]
    right = [HALF * (along(motion, square.diff(motion.v[r])) - square.diff(motion.q[r])) for r in range(3)]
    sheet.law(
        "2.24",
        "a·U by derivatives of V²",
        "a·U_s = Σ ½[d/dt ∂V²/∂q̇_r − ∂V²/∂q_r] k_rs",
        worst(left, right),
        "at random places",
    )
    T, back = frozen_kinetic(body, motion)
    held = [along(motion, T.diff(motion.v[r])) - T.diff(motion.q[r]) for r in range(3)]
    sheet.law(
        "2.25",
        "the frozen derivative",
        "D/Dt ∂T/∂q̇_r − ∂T/∂q_r = Σ ½m[d/dt ∂V²/∂q̇_r − ∂V²/∂q_r]",
        worst([e.subs(back) for e in held], [body.mass * e for e in right]),
        "at random places",
    )
    rows = Rows(w)
    T, back = variable_mass.frozen_energy(system)
    full = [along(motion, T.diff(motion.v[r])) - T.diff(motion.q[r]) for r in range(3)]
    full = [e.subs(back) for e in full]
    sheet.law(
        "2.26",
        "generalized inertia force",
        "K_s* = −Σ [D/Dt ∂T/∂q̇_r − ∂T/∂q_r] k_rs",
        at(w, rows.projected(rows.inertia), rows.projected(full)),
        OVER,
    )
    residual = rows.projected([e - Q - p for e, Q, p in zip(full, rows.forces, rows.thrust, strict=True)])
    wrong = rows.projected([e - Q + m for e, Q, m in zip(full, rows.forces, rows.inertia, strict=True)])
    sheet.law(
        "2.27",
        "equations with frozen derivatives",
        "Σ [D/Dt ∂T/∂q̇_r − ∂T/∂q_r] k_rs = K_s + K_s*",
        w.largest(residual),
        "at the state that Lagrange's multipliers give",
        "K_s + K_s^R",
        w.largest(wrong),
    )
