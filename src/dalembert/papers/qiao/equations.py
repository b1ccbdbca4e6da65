"""(2.15)–(2.23): Lagrange's equations of variable mass with ordinary derivatives, and their special cases."""

from __future__ import annotations

import symengine as se

from dalembert.language import tr
from dalembert.mechanics.algebra import dot
from dalembert.mechanics.quasi import quasi_velocities
from dalembert.papers.qiao.forces import Rows
from dalembert.papers.qiao.particles import FIXED, OVER, free, turned_of, worst
from dalembert.papers.sheet import Sheet, difference
from dalembert.papers.worked import Worked, of_text


def equations(sheet: Sheet, n: Worked, w: Worked) -> None:
    state = tr("at the state that Lagrange's multipliers give")
    index = "φ_s = Σ_r {Σ_i …} k_rs"
    rows = Rows(n)
    sheet.law(
        "2.15",
        "Lagrange's equations of variable mass",
        "Σ (d/dt ∂T/∂q̇_r − ∂T/∂q_r) k_rs = K_s + φ_s, φ_s = Σ_i {Σ_r …} k_rs",
        n.largest(rows.projected(rows.balance)),
        tr("{state}; constraint nonlinear", state=state),
        index,
        rows.slipped(rows.phi),
    )
    motion = w.system.motion
    constraint = w.system.constraints
    row = constraint.A[0]
    sheet.law(
        "2.16",
        "linear constraints",
        "Σ a_sr q̇_r + b_s = 0",
        difference(constraint.psi[0], dot(row, motion.v) + constraint.psi[0].subs(dict.fromkeys(motion.v, 0))),
        OVER,
    )
    reduced = w.reduced
    (s,) = reduced.choice.dependent
    first = [motion.v[j] for j in reduced.choice.independent]
    right = dot(reduced.C[0], first)
    shifted = reduced.written[motion.v[s]] - right
    sheet.law(
        "2.17",
        "dependent speeds",
        "q̇_r = Σ_{i≤g} C_ri q̇_i + d_r",
        difference(constraint.psi[0].subs({motion.v[s]: right + shifted}), 0),
        OVER,
        "the sum runs over the P independent speeds",
        abs(w.value(dot(reduced.C[0][:1], first[:1]) - right)),
    )
    chosen, turned = turned_of(w)
    rest = [v.subs(dict.fromkeys(motion.v, 0)) for v in chosen.values]
    eighteen = [dot(row, motion.v) + b for row, b in zip(chosen.jacobian, rest, strict=True)]
    sheet.law("2.18", "functions W", "W_s = Σ a_sr q̇_r + b_s, s = 1 … n", worst(chosen.values, eighteen), OVER)
    nineteen = [dot(row, [value - b for value, b in zip(chosen.values, rest, strict=True)]) for row in turned.k]
    sheet.law("2.19", "their inverse", "q̇_r = Σ a⁻¹_rs (W_s − b_s)", worst(motion.v, nineteen), OVER)
    twenty = [turned.speeds[v].diff(p) for v in motion.v for p in turned.pi]
    sheet.law(
        "2.20", "its derivatives", "∂q̇_r/∂W_s = a⁻¹_rs", worst(twenty, [e for row in turned.k for e in row]), OVER
    )
    balance = Rows(w).balance
    residual = [dot(balance, c) for c in free(w)]
    sheet.law(
        "2.21",
        "the equations for linear constraints",
        "Σ (d/dt ∂T/∂q̇_r − ∂T/∂q_r) a⁻¹_rs = K̃_s + ψ_s",
        w.largest(residual),
        tr("{state}; constraint linear, W chosen", state=state),
    )
    combined_ = [balance[j] + balance[s] * reduced.C[0][i] for i, j in enumerate(reduced.choice.independent)]
    printed = [2 * balance[j] + balance[s] * reduced.C[0][i] for i, j in enumerate(reduced.choice.independent)]
    sheet.law(
        "2.22",
        "W_s = q̇_s",
        "… + Σ_{r=1}^n (…) C_rs = K̃_s + ψ_s",
        w.largest(combined_),
        state,  # for r ≤ P, (2.17) has no C, and the inverse of A has the unit matrix
        "Σ_{r=P+1}^n, with C of g rows and P columns",
        w.largest(printed),
    )
    fixed = of_text(FIXED, "qiao-lagrange")
    shown = [e for _, e in fixed.step("The same, for T without coordinates")]
    chosen, _ = quasi_velocities(fixed.system)
    put = {
        se.Symbol(n_ if i < 2 else f"pi[{n_}]"): v
        for i, (n_, v) in enumerate(zip(chosen.names, chosen.values, strict=True))
    }
    put |= {
        se.Symbol(f"{n_}'"): dot(row, fixed.system.motion.a) + d
        for n_, row, d in zip(chosen.names, chosen.jacobian, chosen.drift, strict=True)
    }
    masses = {
        se.Symbol("m[one]"): fixed.system.bodies["one"].mass,
        se.Symbol("m[one]'"): fixed.system.bodies["one"].mass_drift,
    }
    sheet.law(
        "2.23",
        "T without coordinates",
        "d/dt ∂T/∂W_s + ΣΣ ∂T/∂W_k ȧ_kr a⁻¹_rs = K̃_s + ψ_s",
        fixed.largest([e.subs(put).subs(masses) for e in shown]),
        tr("{state}, for a particle of mass m(t)", state=state),
    )
