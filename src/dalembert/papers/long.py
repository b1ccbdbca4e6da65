"""Long's paper: partial accelerations. n, τ, b are the axes of the axle; q₁ and q₃ turn the wheels, q₂ the axle."""

from __future__ import annotations

from typing import Any

from dalembert.formalisms.partial_acceleration import PartialAcceleration
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import ZERO, Symbols, apply, cross, dot, plus, total
from dalembert.papers.sheet import Sheet, difference
from dalembert.papers.worked import Worked, general, worked

METHOD = "partial-acceleration"
OVER = mark("at random places of two particles with a constraint, all depending on time")


def fill(sheet: Sheet) -> None:
    kinematics(sheet, general(METHOD))
    dynamics(sheet, general(METHOD))
    example_1(sheet, worked("long-1", METHOD))
    rigid(sheet, worked("long-2", METHOD))
    example_2(sheet, worked("long-2", METHOD))


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


def example_1(sheet: Sheet, w: Worked) -> None:
    a, b = w["a_{\\text{first}}"], w["a_{\\text{second}}"]
    sheet.same(
        "18",
        "acceleration of P along n and τ",
        "a_n = R*q1_d*q2_d; a_tau = -R*q1_d",
        [a[0], a[1]],
        "R*q1_d*q2_d; -R*q1_dd",
    )
    speeds, rates = dict(w.step("Dependent speeds")), dict(w.step("Dependent accelerations"))
    q3, q3_rate = speeds["\\dot{q}_{3}"], rates["\\ddot{q}_{3}"]
    sheet.same(
        "19",
        "acceleration of P′ by q₃",
        "a_n = R*q2_d*q3_d; a_tau = -R*q3_d",
        [b[0], b[1]],
        f"R*q2_d*({plain(q3)}); -R*({plain(q3_rate)})",
    )
    sheet.same("20", "q₃, with P′ = P − 2R n", "q3_d = q1_d + 2*q2_d", q3)
    row = [q3.diff(v) for v in w.system.motion.v]
    curl = max(abs(float(e.diff(q))) if e.diff(q).is_Number else 1.0 for e in row for q in w.system.motion.q)
    sheet.statement(
        "after 20",
        "kind of (20)",
        "(20) is a nonholonomic constraint",
        curl == 0.0,
        tr("its coefficients do not depend on the coordinates (largest derivative {curl:.1g})", curl=curl),
        "it integrates to q₃ = q₁ + 2q₂ + c; those that cannot be integrated are the two of the contact points",
    )
    sheet.same(
        "21",
        "acceleration of P′",
        "a_n = R*(q1_d*q2_d + 2*q2_d**2); a_tau = -R*(q1_d + 2*q2_d)",
        [b[0], b[1]],
        "R*(q1_d + 2*q2_d)*q2_d; -R*(q1_dd + 2*q2_dd)",
    )
    P1, P2 = w["a_{\\text{first},q_{1}}"], w["a_{\\text{first},q_{2}}"]
    sheet.same("22", "partial accelerations of P along τ", "a_P1 = -R; a_P2 = 0", [P1[1], P2[1]])
    P1, P2 = w["a_{\\text{second},q_{1}}"], w["a_{\\text{second},q_{2}}"]
    sheet.same("23", "partial accelerations of P′ along τ", "a_P1 = -R; a_P2 = -2*R", [P1[1], P2[1]])
    F = w["F_{\\text{first}}"]
    sheet.same(
        "24",
        "weight along n, τ, b",
        "F_n = m*g*sin(theta)*cos(q2); F_tau = -m*g*sin(theta)*sin(q2); F_b = -m*g*cos(theta)",
        F,
    )
    L = [w["L_{q_{1}}"], w["L_{q_{2}}"]]
    sheet.same(
        "25", "generalized active forces", "L_1 = 2*g*R*m*sin(theta)*sin(q2); L_2 = 2*g*R*m*sin(theta)*sin(q2)", L
    )
    sheet.same("26", "first generalized inertia force", "L*_1 = -2*m*R**2*(q1_dd + q2_dd)", w["L^*_{q_{1}}"])
    sheet.same("27", "second generalized inertia force", "L*_2 = -2*m*R**2*(q1_dd + 2*q2_dd)", w["L^*_{q_{2}}"])
    first, second = w.step("written")
    sheet.same(
        "28",
        "first equation of motion, left and right",
        "left = q1_dd + q2_dd; right = g/R*sin(theta)*sin(q2)",
        list(first),
    )
    sheet.same(
        "29", "second equation of motion", "left = q1_dd + 2*q2_dd; right = g/R*sin(theta)*sin(q2)", list(second)
    )


def rigid(sheet: Sheet, w: Worked) -> None:
    system, motion, reduced = w.system, w.system.motion, w.reduced
    over = tr("for the wheels of example 2, at random places")
    method = PartialAcceleration()
    body = system.bodies["second"]
    assert body.turning is not None
    _, alpha = method.accelerations(body, system)
    assert alpha is not None
    full = [reduced.put_in(c) for c in alpha.full]
    parts = [[c.diff(motion.a[j]) for j in reduced.choice.independent] for c in full]
    rest = w["k_{\\text{second}}"]
    thirty = [dot(p, [motion.a[j] for j in reduced.choice.independent]) + k for p, k in zip(parts, rest, strict=True)]
    sheet.law("30", "angular acceleration", "α = Σ α_r q̈_r + k", worst(full, thirty), over)
    shown = [w[f"\\alpha_{{\\text{{second}},q_{{{i}}}}}"] for i in (1, 2)]
    sheet.law(
        "31",
        "partial angular accelerations",
        "α_r = ∂α/∂q̈_r",
        worst(flat(parts), [shown[i][c] for c in range(3) for i in range(2)]),
        over,
    )
    L = [w["L_{q_{1}}"], w["L_{q_{2}}"]]
    powers = []
    for i in (1, 2):
        sums = []
        for name in ("first", "second"):
            sums.append(dot(w[f"F_{{\\text{{{name}}}}}"], w[f"a_{{\\text{{{name}}},q_{{{i}}}}}"]))
        powers.append(total(sums))
    sheet.law("32", "generalized active force of a body", "L_r = F·a_r + T·α_r", worst(L, powers), over)
    stars = []
    for i in (1, 2):
        sums = []
        for name in ("first", "second"):
            sums.append(dot(w[f"F^*_{{\\text{{{name}}}}}"], w[f"a_{{\\text{{{name}}},q_{{{i}}}}}"]))
            sums.append(dot(w[f"T^*_{{\\text{{{name}}}}}"], w[f"\\alpha_{{\\text{{{name}}},q_{{{i}}}}}"]))
        stars.append(total(sums))
    sheet.law(
        "33",
        "generalized inertia force of a body",
        "L_r* = F*·a_r + T*·α_r",
        worst([w["L^*_{q_{1}}"], w["L^*_{q_{2}}"]], stars),
        over,
    )
    F = [-body.mass * c for c in w["a_{\\text{second}}"]]
    sheet.law("34", "inertia force", "F* = −m a_C", worst(w["F^*_{\\text{second}}"], F), over)
    J, omega = body.turning.inertia, tuple(w["\\omega_{\\text{second}}"])
    alpha_ = tuple(w["\\alpha_{\\text{second}}"])
    moment = plus(apply(J, alpha_), cross(omega, apply(J, omega)))
    printed = (
        -(J[0][0] * alpha_[0] + (J[2][2] - J[1][1]) * omega[2] * omega[1]),
        -(J[1][1] * alpha_[1] + (J[2][2] - J[0][0]) * omega[2] * omega[0]),
        -(J[2][2] * alpha_[2] + (J[1][1] - J[0][0]) * omega[1] * omega[0]),
    )
    shown_ = w["T^*_{\\text{second}}"]
    sheet.law(
        "35",
        "inertia couple",
        "T*_τ = −[J_τ α_τ + (J_b − J_n) ω_b ω_n]",
        worst(shown_, [-c for c in moment]),
        over,
        "T*_τ = −[J_τ α_τ + (J_n − J_b) ω_b ω_n]",
        worst(shown_, printed),
    )


def example_2(sheet: Sheet, w: Worked) -> None:
    body = w.system.bodies["first"]
    assert body.turning is not None
    J = body.turning.inertia
    sheet.same(
        "36", "moments of inertia", "J_n = m*rho**2; J_tau = m*rho**2/2; J_b = m*rho**2/2", [J[i][i] for i in range(3)]
    )
    T, T_ = w["T^*_{\\text{first}}"], w["T^*_{\\text{second}}"]
    L1, L2 = w["L^*_{q_{1}}"], w["L^*_{q_{2}}"]
    a, b = w["F^*_{\\text{first}}"], w["F^*_{\\text{second}}"]
    parts = {
        i: [w[f"{x}_{{\\text{{{n}}},q_{{{i}}}}}"] for n in ("first", "second") for x in ("a", "\\alpha")]
        for i in (1, 2)
    }

    def sum_(i: int, last: Any) -> Any:
        p = parts[i]
        return dot(a, p[0]) + dot(b, p[2]) + dot(T, p[1]) + dot(last, p[3])

    over = tr("at random places")
    sheet.law(
        "37",
        "first generalized inertia force as a sum",
        "L*_1 = −m a_P·a_P1 − … + T*_D·α_D1 + T*_D·α_D′1",
        worst([L1], [sum_(1, T_)]),
        over,
        "the last couple is T*_D′",
        worst([L1], [sum_(1, T)]),
    )
    sheet.law(
        "38",
        "second generalized inertia force as a sum",
        "L*_2 = −m a_P·a_P2 − … + T*_D·α_D2 + T*_D′·α_D′2",
        worst([L2], [sum_(2, T_)]),
        over,
    )
    for number, name, moment in (("39", "first", T), ("40", "second", T_)):
        omega, alpha = w[f"\\omega_{{\\text{{{name}}}}}"], w[f"\\alpha_{{\\text{{{name}}}}}"]
        m_rho = J[0][0]
        printed = [
            -m_rho / 2 * 2 * alpha[0],
            -m_rho / 2 * (omega[2] * omega[0] + alpha[1]),
            m_rho / 2 * (omega[0] * omega[1] - alpha[2]),
        ]
        sheet.law(
            number,
            tr("inertia couple of the {name} wheel", name=name),
            "T* = −½mρ²[2α_n n + (ω_b ω_n + α_τ)τ − (ω_n ω_τ − α_b) b]",
            worst(moment, printed),
            over,
        )
    omega, alpha = w["\\omega_{\\text{first}}"], w["\\alpha_{\\text{first}}"]
    first = "omega_n = q1_d; omega_tau = 0; omega_b = q2_d; alpha_n = q1_dd; alpha_b = q2_dd; alpha_tau = q1_d*q2_d"
    sheet.same("41", "ω and α of D", first, [*omega, alpha[0], alpha[2], alpha[1]])
    omega, beta = w["\\omega_{\\text{second}}"], w["\\alpha_{\\text{second}}"]
    q3, q3_dd = "(q1_d + 2*q2_d)", "(q1_dd + 2*q2_dd)"
    line = "omega_n = {0}; omega_tau = 0; omega_b = q2_d; alpha_n = {1}; alpha_b = q2_dd; alpha_tau = {0}*{2}"
    sheet.same(
        "42",
        "ω and α of D′",
        line.format(q3, q3_dd, "q1_d"),
        [*omega, beta[0], beta[2], beta[1]],
        line.format(q3, q3_dd, "q2_d"),
    )
    sheet.same("43", "angular acceleration of D along n, τ, b", "n = q1_dd; tau = q1_d*q2_d; b = q2_dd", alpha)
    sheet.same("44", "angular acceleration of D′", f"n = {q3_dd}; tau = {q3}*q2_d; b = q2_dd", beta)
    sheet.same("45", "partial angular accelerations of D", "n1 = 1; b1 = 0; n2 = 0; b2 = 1", pairs(w, "first"))
    sheet.same("46", "partial angular accelerations of D′", "n1 = 1; b1 = 0; n2 = 2; b2 = 1", pairs(w, "second"))
    sheet.same(
        "47",
        "first generalized inertia force",
        "L*_1 = -2*m*(R**2 + rho**2)*(q1_d + q2_d)",
        L1,
        "-2*m*(R**2 + rho**2)*(q1_dd + q2_dd)",
    )
    sheet.same(
        "48", "second generalized inertia force", "L*_2 = -2*m*(R**2 + rho**2)*(q1_dd + 2*q2_dd) - m*rho**2*q2_dd", L2
    )
    one, two = w.step("written")
    right = "g*R/(R**2 + rho**2)*sin(theta)*sin(q2)"
    sheet.same(
        "after 48",
        "equations of motion",
        f"q1_dd + q2_dd; {right}; q1_dd + (4*R**2 + 5*rho**2)/(2*(R**2 + rho**2))*q2_dd; {right}",
        [*one, *two],
    )


def pairs(w: Worked, name: str) -> list[Any]:
    found = [w[f"\\alpha_{{\\text{{{name}}},q_{{{i}}}}}"] for i in (1, 2)]
    return [part[i] for part in found for i in (0, 2)]


def plain(e: Any) -> str:
    """An expression in our own text, with q̈ as q_dd."""
    return str(e).replace("''", "_dd").replace("'", "_d")


def acceleration(motion: Symbols, c: Any) -> Any:
    return motion.derivative(c) + dot(motion.gradient(c, motion.v), motion.a)


def flat(rows: Any) -> list[Any]:
    return [e for row in rows for e in row]


def worst(one: Any, two: Any) -> float:
    return max(difference(a, b) for a, b in zip(one, two, strict=True))
