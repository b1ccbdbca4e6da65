# ruff: noqa: E501
"""Qiao's paper: variable mass m(q, q̇, t), nonlinear nonholonomic constraints; the burning sleigh."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.formalisms.display import Display
from dalembert.language import mark, tr
from dalembert.mechanics import variable_mass
from dalembert.mechanics.algebra import HALF, NULL, dot, total
from dalembert.mechanics.bodies import combined
from dalembert.mechanics.inertia import frozen_kinetic, lagrange
from dalembert.mechanics.quasi import Inverted, inverted, left_sides_in_quasi_velocities, quasi_velocities
from dalembert.papers.sheet import Sheet, difference
from dalembert.papers.worked import Worked, of_text, worked

BURNING = """
title = "Two particles that lose mass, their rates depending on everything"
[parameters]
c = 0.2
[coordinates]
x = { initial = 0.4, speed = 0.3 }
y = { initial = 0.2, speed = 0.6 }
z = 0.1
[quasi_velocities]
w1 = "x' + y*z'"
w2 = "y' - t*x'"
[bodies.one]
mass = "2 - c*t + 0.1*x*y' + 0.05*z'^2"
position = ["x + t*z", "y*cos(z)", "t*x"]
ejection = ["1 + x", "y", "-2"]
[bodies.two]
mass = "1 + 0.1*sin(y) + 0.2*x'"
position = ["x*y", "z", "t*y"]
ejection = ["0.5", "-x", "z"]
[forces.pull]
body = "one"
force = ["-x", "t", "y'"]
[constraints]
link = "CONSTRAINT"
[simulation]
start = 0.3
"""
NONLINEAR = BURNING.replace("CONSTRAINT", "z' = 0.3*x'^2 + y*y' + t").replace(
    "z = 0.1\n", 'z = { initial = 0.1, speed = "0.3*0.09 + 0.12 + 0.3" }\n'
)
LINEAR = BURNING.replace("CONSTRAINT", "z' = (t + y)*x' + x*y' + sin(t)")
OVER = mark("for two particles of mass m(q, q̇, t)")


def fill(sheet: Sheet) -> None:
    nonlinear = of_text(NONLINEAR, "qiao-lagrange")
    linear = of_text(LINEAR, "qiao-lagrange")
    functions(sheet, nonlinear, linear)
    forces(sheet, nonlinear)
    equations(sheet, nonlinear, linear)
    frozen(sheet, nonlinear)
    quasi(sheet, nonlinear, linear)
    sleigh(sheet, worked("qiao-sleigh", "qiao-lagrange-frozen"))


def turned_of(w: Worked) -> tuple[Any, Inverted]:
    chosen, _ = quasi_velocities(w.system)
    turned = inverted(w.system, chosen, Display(0))
    assert turned is not None
    return chosen, turned


def free(w: Worked) -> list[Any]:
    """Columns of k for the W that are free."""
    chosen, turned = turned_of(w)
    return list(zip(*turned.k, strict=True))[: len(chosen.names) - chosen.held]


def functions(sheet: Sheet, n: Worked, w: Worked) -> None:
    chosen, _ = turned_of(n)
    f = n.system.constraints.rows[0].residual
    sheet.law(
        "2.1",
        "nonlinear constraints",
        "f_s(q, q̇, t) = 0",
        abs(n.value(f)),
        tr("the constraint at the state, {over}", over=tr(OVER)),
    )
    gradients = [n.system.motion.gradient(value, n.system.motion.v) for value in chosen.values[:2]]
    linear = max(
        difference(v, dot(row, n.system.motion.v)) for v, row in zip(chosen.values[:2], gradients, strict=True)
    )
    sheet.law(
        "2.2", "functions W, free to choose", "W_s = Σ a_sr q̇_r + b_s", linear, "the model's own w1, w2, with b = 0"
    )
    sheet.law("2.3", "the last W are the constraints", "W_s = f_s = 0", difference(chosen.values[-1], f), OVER)
    motion = n.system.motion
    row = motion.gradient(f, motion.v)
    at_rest = [e.subs(dict.fromkeys(motion.v, 0)) for e in row]
    # Chetaev: A k = 0 with A at the actual speeds; read literally, with the linear part at q̇ = 0, it is not
    k = free(n)
    J0 = [*[list(r) for r in gradients], at_rest]
    literal = inverse_columns(J0)
    sheet.law(
        "2.4",
        "the constraints solved for their linear part",
        "W_s = Σ ∂f_s/∂q̇_r q̇_r + h_s",
        max(abs(n.value(dot(row, c))) for c in k),
        "the power of the reactions on the columns of k",
        "∂f/∂q̇ at the actual speeds",
        max(abs(n.value(dot(row, c))) for c in literal),
    )
    sheet.law(
        "2.5",
        "the speeds by W",
        "q̇_r = Σ k_rs W_s + l_r, k from the linear part",
        max(abs(n.value(dot(row, c))) for c in k),
        "the power of the reactions on the columns of k",
        "k = ∂q̇/∂W at the actual speeds",
        max(abs(n.value(dot(row, c))) for c in literal),
    )
    body = w.system.bodies["one"]
    motion = w.system.motion
    r, v = body.centre.position, body.centre.velocity(motion)
    by_speeds = [motion.gradient(c, motion.v) for c in v]
    right = [dot(row, motion.v) + c.diff(motion.t) for row, c in zip(by_speeds, r, strict=True)]
    wrong = [dot(row, motion.v) + c.diff(motion.t) for row, c in zip(by_speeds, v, strict=True)]
    sheet.law(
        "2.6", "velocity", "V = Σ ∂V/∂q̇_r q̇_r + ∂V/∂t", worst(v, right), OVER, "the last term is ∂r/∂t", worst(v, wrong)
    )
    chosen, turned = turned_of(w)
    put = [turned.put_in(c).subs({turned.pi[-1]: 0}) for c in v]
    U = partial_velocities(w)
    rest = [e.subs(dict.fromkeys(turned.pi, 0)) for e in put]
    seven = [total([*(U[s][i] * turned.pi[s] for s in range(2)), rest[i]]) for i in range(3)]
    sheet.law("2.7", "velocity by W", "V = Σ U_s W_s + U", worst(put, seven), OVER)
    eight = [tuple(put[i].diff(turned.pi[s]) for i in range(3)) for s in range(2)]
    sheet.law(
        "2.8",
        "partial velocities",
        "U_is = Σ ∂V_i/∂q̇_r k_rs",
        max(worst(a, b) for a, b in zip(U, eight, strict=True)),
        OVER,
    )
    l_r = [turned.speeds[x].subs(dict.fromkeys(turned.pi, 0)) for x in motion.v]
    nine = [dot(row, l_r) + c.diff(motion.t) for row, c in zip(by_speeds, r, strict=True)]
    false = [dot(row, l_r) + turned.put_in(c.diff(motion.t)) for row, c in zip(by_speeds, v, strict=True)]
    sheet.law(
        "2.9",
        "the rest of the velocity",
        "U_i = Σ ∂V_i/∂q̇_r l_r + ∂V_i/∂t",
        worst(rest, nine),
        OVER,
        "the last term is ∂r/∂t",
        worst(rest, [e.subs(dict.fromkeys(turned.pi, se.Rational(1, 3))) for e in false]),
    )


def inverse_columns(J: list[list[Any]]) -> list[Any]:
    import sympy

    inverse = sympy.Matrix(J).inv()
    return [[se.sympify(inverse[i, s]) for i in range(len(J))] for s in range(2)]


def partial_velocities(w: Worked, body: str = "one") -> list[Any]:
    return [combined(w.system.bodies[body].centre.columns, tuple(c)) for c in free(w)]


def rate(body: Any, motion: Any) -> Any:
    """ṁ with its accelerations."""
    return body.mass_drift + dot(body.mass_slopes, motion.a)


def forces(sheet: Sheet, w: Worked) -> None:
    system, motion = w.system, w.system.motion
    k = free(w)
    K = [dot(system.forces, c) for c in k]
    R = [dot(variable_mass.written(variable_mass.thrust(system), motion), c) for c in k]
    inertia: list[list[Any]] = [[], []]
    active: list[list[Any]] = [[], []]
    thrust: list[list[Any]] = [[], []]
    for name, body in system.bodies.items():
        U = partial_velocities(w, name)
        a = body.centre.acceleration(motion)
        for s in range(2):
            inertia[s].append(-body.mass * dot(a, U[s]))
            thrust[s].append(rate(body, motion) * dot(body.ejection, U[s]))
            active[s] += [dot(load.force, U[s]) for load in system.loads if load.body is body]
    index = tr("the sum over r belongs to the coordinates, over i to the particles")
    shown = [total(x) for x in active], [total(x) for x in thrust], [total(x) for x in inertia]
    lagrangian, _ = lagrange(system)
    # lagrange() has the thrust on its left side; without it the left side is m a·∂v/∂q̇
    left = [dot(row, motion.a) + h for row, h in zip(lagrangian.matrix, lagrangian.vector, strict=True)]
    push = variable_mass.written(variable_mass.thrust(system), motion)
    K_star = [-dot([e + p for e, p in zip(left, push, strict=True)], c) for c in k]
    mixed = misplaced(w)
    sheet.law("2.10", "generalized force", "K_s = Σ_i (Σ_i F_i·∂V_i/∂q̇_r) k_rs", at(w, K, shown[0]), OVER, index, mixed)
    sheet.law(
        "2.11", "generalized thrust", "K_s^R = Σ_i (Σ_i R_i·∂V_i/∂q̇_r) k_rs", at(w, R, shown[1]), OVER, index, mixed
    )
    sheet.law(
        "2.12",
        "generalized inertia force",
        "K_s* = −Σ_i (Σ_i m_i a_i·∂V_i/∂q̇_r) k_rs",
        at(w, K_star, shown[2]),
        OVER,
        index,
        mixed,
    )
    energy, _ = variable_mass.ordinary_energy(system)
    full = variable_mass.written(energy, motion)
    corrected = [e - c for e, c in zip(full, corrections(system, motion), strict=True)]
    plain = [
        total(
            body.mass * dot(body.centre.acceleration(motion), body.centre.columns[r] or NULL)
            for body in system.bodies.values()
        )
        for r in range(3)
    ]
    sheet.law(
        "2.13",
        "inertia by derivatives of T and of the masses",
        "Σ m a·∂V/∂q̇_r = d/dt ∂T/∂q̇_r − ∂T/∂q_r − Σ ṁ V·∂V/∂q̇_r − …",
        at(w, plain, corrected),
        OVER,
    )
    sheet.law(
        "2.14",
        "generalized inertia force by T",
        "K_s* = −Σ_i {d/dt ∂T/∂q̇_r − …} k_rs",
        at(w, [-dot(corrected, c) for c in k], shown[2]),
        OVER,
        index,
        mixed,
    )
    sum_ = [K_ + R_ + S for K_, R_, S in zip(*shown, strict=True)]
    sheet.law(
        "A",
        "Kane's equations of variable mass",
        "K_s + K_s* + K_s^R = 0",
        w.largest(sum_),
        "at the state that Lagrange's multipliers give",
    )


def misplaced(w: Worked) -> float:
    """Σ_i over particles with k_is instead of Σ_r over coordinates with k_rs: how far it is off."""
    system, k = w.system, free(w)
    body = system.bodies["one"]
    loads = [load for load in system.loads if load.body is body]
    powers = [dot(loads[0].force, c or NULL) for c in body.centre.columns]
    right = [dot(powers, c) for c in k]
    wrong = [total(powers) * c[0] for c in k]
    return max(abs(w.value(a) - w.value(b)) for a, b in zip(right, wrong, strict=True))


def corrections(system: Any, motion: Any) -> list[Any]:
    """ṁ V·∂V/∂q̇_r + d/dt(∂m/∂q̇_r ½V²) − ∂m/∂q_r ½V², term by term."""
    found = []
    for r in range(system.size):
        terms = []
        for body in system.bodies.values():
            v = body.centre.velocity(motion)
            half = HALF * dot(v, v)
            gathered = body.mass_slopes[r] * half
            terms.append(rate(body, motion) * dot(v, body.centre.columns[r] or NULL))
            terms.append(motion.derivative(gathered) + dot(motion.gradient(gathered, motion.v), motion.a))
            terms.append(-body.mass.diff(motion.q[r]) * half)
        found.append(total(terms))
    return found


def phi(w: Worked) -> list[Any]:
    system, motion = w.system, w.system.motion
    plain = corrections(system, motion)
    push = [
        total(rate(b, motion) * dot(b.ejection, b.centre.columns[r] or NULL) for b in system.bodies.values())
        for r in range(system.size)
    ]
    return [a + b for a, b in zip(plain, push, strict=True)]


def left_of(w: Worked) -> list[Any]:
    energy, _ = variable_mass.ordinary_energy(w.system)
    return list(variable_mass.written(energy, w.system.motion))


def equations(sheet: Sheet, n: Worked, w: Worked) -> None:
    state = tr("at the state that Lagrange's multipliers give")
    index = "φ_s = Σ_r {Σ_i …} k_rs"
    residual = [
        dot([e - Q - p for e, Q, p in zip(left_of(n), n.system.forces, phi(n), strict=True)], c) for c in free(n)
    ]
    sheet.law(
        "2.15",
        "Lagrange's equations of variable mass",
        "Σ (d/dt ∂T/∂q̇_r − ∂T/∂q_r) k_rs = K_s + φ_s, φ_s = Σ_i {Σ_r …} k_rs",
        n.largest(residual),
        tr("{state}; constraint nonlinear", state=state),
        index,
        misplaced(n),
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
    balance = [e - Q - p for e, Q, p in zip(left_of(w), w.system.forces, phi(w), strict=True)]
    residual = [dot(balance, c) for c in free(w)]
    sheet.law(
        "2.21",
        "the equations for linear constraints",
        "Σ (d/dt ∂T/∂q̇_r − ∂T/∂q_r) a⁻¹_rs = K̃_s + ψ_s",
        w.largest(residual),
        tr("{state}; constraint linear, W chosen", state=state),
    )
    combined_ = [balance[j] + balance[s] * reduced.C[0][i] for i, j in enumerate(reduced.choice.independent)]
    printed = [balance[j] + total(balance[i] * reduced.C[0][0] for i in range(3)) for j in reduced.choice.independent]
    sheet.law(
        "2.22",
        "W_s = q̇_s",
        "… + Σ_{r=1}^n (…) C_rs = K̃_s + ψ_s",
        w.largest(combined_),
        state,
        "Σ_{r=P+1}^n",
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


FIXED = """
title = "A particle whose T holds no coordinates"
[parameters]
c = 0.2
[coordinates]
x = { initial = 0.4, speed = 0.3 }
y = { initial = 0.2, speed = 0.6 }
z = 0.1
[quasi_velocities]
w1 = "x' + y*z'"
w2 = "y' - t*x'"
[bodies.one]
mass = "2 - c*t"
position = ["x", "y", "z"]
ejection = ["1 + x", "y", "-2"]
[forces.pull]
body = "one"
force = ["-x", "t", "y'"]
[constraints]
link = "z' = (t + y)*x' + x*y' + sin(t)"
[simulation]
start = 0.3
"""


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
    lagrangian, _ = lagrange(system)
    push = variable_mass.written(variable_mass.thrust(system), motion)
    full = [dot(row, motion.a) + h + p for row, h, p in zip(lagrangian.matrix, lagrangian.vector, push, strict=True)]
    star = [
        -total(b.mass * dot(b.centre.acceleration(motion), b.centre.columns[r] or NULL) for b in system.bodies.values())
        for r in range(3)
    ]
    sheet.law(
        "2.26",
        "generalized inertia force",
        "K_s* = −Σ [D/Dt ∂T/∂q̇_r − ∂T/∂q_r] k_rs",
        at(w, [dot(star, c) for c in free(w)], [-dot(full, c) for c in free(w)]),
        OVER,
    )
    residual = [dot([e - Q - p for e, Q, p in zip(full, system.forces, push, strict=True)], c) for c in free(w)]
    wrong = [dot([e - Q - s for e, Q, s in zip(full, system.forces, star, strict=True)], c) for c in free(w)]
    sheet.law(
        "2.27",
        "equations with frozen derivatives",
        "Σ [D/Dt ∂T/∂q̇_r − ∂T/∂q_r] k_rs = K_s + K_s*",
        w.largest(residual),
        "at the state that Lagrange's multipliers give",
        "K_s + K_s^R",
        w.largest(wrong),
    )


def along(motion: Any, e: Any) -> Any:
    return motion.derivative(e) + dot(motion.gradient(e, motion.v), motion.a)


def quasi(sheet: Sheet, n: Worked, w: Worked) -> None:
    system, motion = w.system, w.system.motion
    chosen, turned = turned_of(w)
    two = max(difference(v, dot(row, motion.v)) for v, row in zip(chosen.values[:2], chosen.jacobian[:2], strict=True))
    sheet.law("3.1", "quasi-velocities", "ω_s = Σ a_sr q̇_r + b_s", two, OVER)
    sheet.law(
        "3.2",
        "the last ones are the constraints",
        "ω_s = Σ ∂f_s/∂q̇_r q̇_r + h_s = 0",
        abs(n.value(turned_of(n)[0].values[-1])),
        "at the state, constraint nonlinear",
    )
    sheet.law(
        "3.3",
        "speeds",
        "q̇_r = Σ k_rs ω_s + l_r",
        worst(motion.v, [dot(row, [v - b for v, b in zip(chosen.values, rests(w), strict=True)]) for row in turned.k]),
        OVER,
    )
    body = system.bodies["one"]
    v, r = body.centre.velocity(motion), body.centre.position
    right = [
        total([*(c * s for c, s in zip(motion.gradient(e, motion.v), motion.v, strict=True)), p.diff(motion.t)])
        for e, p in zip(v, r, strict=True)
    ]
    wrong = [
        total([*(c * s for c, s in zip(motion.gradient(e, motion.v), motion.v, strict=True)), e.diff(motion.t)])
        for e in v
    ]
    sheet.law("3.4", "velocity", "V = … + ∂V/∂t", worst(v, right), OVER, "the last term is ∂r/∂t", worst(v, wrong))
    index = tr("the sum over r belongs to the coordinates, over i to the particles")
    k = free(n)
    shown = {
        "3.5": (
            tr("generalized force"),
            [
                total(dot(load.force, U) for load in n.system.loads for U in [partial_velocities(n, load.body.name)[s]])
                for s in range(2)
            ],
            [dot(n.system.forces, c) for c in k],
        )
    }
    push = variable_mass.written(variable_mass.thrust(n.system), n.system.motion)
    thrust = [
        total(
            rate(b, n.system.motion) * dot(b.ejection, partial_velocities(n, name)[s])
            for name, b in n.system.bodies.items()
        )
        for s in range(2)
    ]
    shown["3.6"] = (tr("generalized thrust"), thrust, [dot(push, c) for c in k])
    star = [
        -total(
            b.mass * dot(b.centre.acceleration(n.system.motion), partial_velocities(n, name)[s])
            for name, b in n.system.bodies.items()
        )
        for s in range(2)
    ]
    corrected = [e - c for e, c in zip(left_of(n), corrections(n.system, n.system.motion), strict=True)]
    shown["3.7"] = (tr("generalized inertia force"), star, [-dot(corrected, c) for c in k])
    for number, (title, one, two_) in shown.items():
        sheet.law(number, title, "Σ_i (Σ_r …) k_rs with the indices mixed", at(n, one, two_), OVER, index, misplaced(n))
    plain = of_text(FIXED.replace("2 - c*t", "2"), "qiao-quasi")
    _, flat = turned_of(plain)
    T = flat.put_in(plain.system.kinetic)
    lefts = left_sides_in_quasi_velocities(plain.system.motion, flat, T, {})
    lag, _ = lagrange(plain.system)
    expected = [
        flat.put_in(
            dot([dot(row, plain.system.motion.a) + h for row, h in zip(lag.matrix, lag.vector, strict=True)], c)
        )
        for c in zip(*flat.k, strict=True)
    ]
    sheet.law(
        "3.8",
        "Lagrange's left side in quasi-velocities",
        "Σ (d/dt ∂T/∂q̇_r − ∂T/∂q_r) k_rs = d/dt ∂T*/∂ω_s − ∂T*/∂π_s − Σ ∂T/∂q̇_r(…)",
        worst(lefts, expected),
        "at random places",
    )
    wrong9 = [
        -dot([e + c for e, c in zip(left_of(n), corrections(n.system, n.system.motion), strict=True)], c) for c in k
    ]
    sheet.law(
        "3.9",
        "generalized inertia force by T*",
        "… − {…} k_rs",
        at(n, star, [-dot(corrected, c) for c in k]),
        OVER,
        "… + {…} k_rs",
        at(n, star, wrong9),
    )
    residual = [dot([e - Q - p for e, Q, p in zip(left_of(n), n.system.forces, phi(n), strict=True)], c) for c in k]
    for number, method in (("3.10", "qiao-quasi"), ("3.11", "qiao-quasi-frozen")):
        q = worked("qiao-sleigh", method)
        known = states(q)
        found = max(abs(float(e.subs(known))) for left, e in q.step("Equations of motion") if left == "0")
        title = tr("equations in quasi-velocities") if number == "3.10" else tr("the same with frozen derivatives")
        sheet.law(
            number,
            title,
            "d/dt ∂T*/∂ω_s − ∂T*/∂π_s = K_s + φ_s + Σ ∂T/∂q̇_r (…)"
            if number == "3.10"
            else "D/Dt ∂T*/∂ω_s − … = K_s + K_s^R + …",
            max(found, n.largest(residual)),
            "the burning sleigh at the state of Lagrange's multipliers",
        )


def states(q: Worked) -> dict[Any, float]:
    """The sleigh's state with the letters of its derivation."""
    chosen, _ = quasi_velocities(q.system)
    known = dict(q.state)
    fuel = q.system.bodies["fuel"]
    known |= {se.Symbol("m[fuel]"): q.value(fuel.mass), se.Symbol("m[fuel]'"): q.value(fuel.mass_drift)}
    for i, (name, value, row, drift) in enumerate(
        zip(chosen.names, chosen.values, chosen.jacobian, chosen.drift, strict=True)
    ):
        symbol = name if i < len(chosen.names) - chosen.held else f"pi[{name}]"
        known[se.Symbol(symbol)] = q.value(value)
        known[se.Symbol(f"{symbol}'")] = q.value(dot(row, q.system.motion.a) + drift)
    return known


def rests(w: Worked) -> list[Any]:
    chosen, _ = turned_of(w)
    return [v.subs(dict.fromkeys(w.system.motion.v, 0)) for v in chosen.values]


def sleigh(sheet: Sheet, w: Worked) -> None:
    def named(e: Any) -> Any:
        return se.sympify(e).subs({se.Symbol("m[fuel]"): se.Symbol("m"), se.Symbol("m[fuel]'"): se.Symbol("mdot")})

    accelerations = dict(w.step("Dependent accelerations"))
    sheet.same(
        "4.1",
        "constraint of the accelerations",
        "y_dd = x_dd*tan(theta) + x_d*theta_d/cos(theta)**2",
        list(accelerations.values()),
    )
    L = {name: named(w[f"L_{{{name}}}"]) for name in ("x", "y")} | {"theta": named(w["L_{\\theta}"])}
    K = {name: named(w[f"K^R_{{{name}}}"]) for name in ("x", "y")} | {"theta": named(w["K^R_{\\theta}"])}
    put = dict(w.reduced.accelerations) | dict(w.reduced.written)
    shown = [named(e) for _, e in w.step("Equations of motion")]
    first = (L["x"] + L["y"] * se.tan(se.Symbol("theta")) - K["x"] - K["y"] * se.tan(se.Symbol("theta"))).subs(put)
    sheet.law(
        "4.2",
        "first equation",
        "D/Dt ∂T/∂ẋ − ∂T/∂x + (D/Dt ∂T/∂ẏ − ∂T/∂y) C₃₁ = K̃₁ + K₁^R",
        difference(first, shown[0]),
        "C₃₁ = tg θ, at random places",
    )
    second = (L["theta"] - K["theta"]).subs(put)
    sheet.law(
        "4.3",
        "second equation",
        "D/Dt ∂T/∂θ̇ − ∂T/∂θ + (…) C₃₂ = K̃₂ + K₂^R",
        difference(second, shown[1]),
        "C₃₂ = 0, at random places",
    )
    four = "(M + m)*(x_dd + x_d*theta_d*tan(theta))/cos(theta)**2 - theta_d**2/cos(theta)*(M*a + m*b) - mdot*u*cos(alpha)/cos(theta)"
    sheet.same("4.4", "equation of x", four, shown[0])
    five = "(J + M*a**2 + m*b**2)*theta_dd + x_d*theta_d/cos(theta)*(M*a + m*b) - mdot*u*b*sin(alpha)"
    sheet.same("4.5", "equation of θ", five, shown[1])
    momentum = w.system.motion.gradient(w.system.kinetic, w.system.motion.v)[2]
    whole = along_frozen(w, momentum).subs(put)
    slips = whole + se.Symbol("M") * se.Symbol("x'") * se.Symbol("theta'") * (
        se.Symbol("a") - se.Symbol("a") ** 2
    ) * se.sin(se.Symbol("theta")) * se.tan(se.Symbol("theta"))
    expected = (L["theta"] + w.system.kinetic.diff(w.system.motion.q[2])).subs(put)
    sheet.law(
        "before 4.5",
        "D/Dt ∂T/∂θ̇ written out",
        "… − ẋθ̇ a² sin θ tg θ …",
        difference(named_mass(whole, w), named_mass(expected, w)),
        "at random places",
        "… − ẋθ̇ a sin θ tg θ …",
        difference(named_mass(slips, w), named_mass(expected, w)),
    )


def named_mass(e: Any, w: Worked) -> Any:
    return (
        se.sympify(e)
        .subs({w.system.bodies["fuel"].mass: se.Symbol("m")})
        .subs({se.Symbol("m0"): se.Symbol("m"), se.Symbol("k"): 0})
    )


def along_frozen(w: Worked, momentum: Any) -> Any:
    motion = w.system.motion
    return dot(motion.gradient(momentum, motion.v), motion.a) + dot(motion.gradient(momentum, motion.q), motion.v)


def at(w: Worked, one: Any, two: Any) -> float:
    """The largest difference at the state."""
    return max(abs(w.value(a) - w.value(b)) for a, b in zip(one, two, strict=True))


def worst(one: Any, two: Any) -> float:
    return max(difference(a, b) for a, b in zip(one, two, strict=True))
