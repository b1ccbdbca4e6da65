# ruff: noqa: E501
"""Qiao's paper: variable mass m(q, q̇, t), nonlinear nonholonomic constraints; the burning sleigh."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import symengine as se

from dalembert.api.instant import solve
from dalembert.formalisms.display import Display
from dalembert.language import mark, tr
from dalembert.mechanics import variable_mass
from dalembert.mechanics.algebra import HALF, NULL, dot, total
from dalembert.mechanics.bodies import combined
from dalembert.mechanics.inertia import frozen_kinetic, lagrange
from dalembert.mechanics.quasi import Inverted, inverted, left_sides_in_quasi_velocities, quasi_velocities
from dalembert.papers.sheet import CLOSE, Sheet, difference
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
    """Columns of k for the free W."""
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
    # Chetaev: A k = 0 with A at the actual speeds. Read literally, with the linear part at q̇ = 0, it is not zero.
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
        worst(rest, false),
    )


def inverse_columns(J: list[list[Any]]) -> list[Any]:
    import sympy

    inverse = sympy.Matrix(J).inv()
    return [[se.sympify(inverse[i, s]) for i in range(len(J))] for s in range(2)]


def partial_velocities(w: Worked, body: str = "one") -> list[Any]:
    return [combined(w.system.bodies[body].centre.columns, tuple(c)) for c in free(w)]


def rate(body: Any, motion: Any) -> Any:
    """ṁ with the terms of accelerations."""
    return body.mass_drift + dot(body.mass_slopes, motion.a)


class Rows:
    """Qiao's sums over the particles, one entry for every coordinate r, and their projections on the free W."""

    def __init__(self, w: Worked):
        self.w, self.system, self.motion, self.k = w, w.system, w.system.motion, free(w)
        self.forces = list(w.system.forces)
        self.thrust = list(variable_mass.written(variable_mass.thrust(w.system), self.motion))
        self.inertia = self._over(lambda b, e: b.mass * dot(b.centre.acceleration(self.motion), e))
        energy, _ = variable_mass.ordinary_energy(w.system)
        self.left = list(variable_mass.written(energy, self.motion))  # d/dt ∂T/∂q̇_r − ∂T/∂q_r
        self.corrections = [self._correction(r) for r in range(w.system.size)]
        self.phi = [a + b for a, b in zip(self.corrections, self.thrust, strict=True)]
        self.balance = [e - Q - p for e, Q, p in zip(self.left, self.forces, self.phi, strict=True)]

    def _over(self, term: Callable[[Any, Any], Any]) -> list[Any]:
        bodies = self.system.bodies.values()
        return [total(term(b, b.centre.columns[r] or NULL) for b in bodies) for r in range(self.system.size)]

    def _correction(self, r: int) -> Any:
        """ṁ V·∂V/∂q̇_r + d/dt(∂m/∂q̇_r ½V²) − ∂m/∂q_r ½V², summed over the particles."""
        terms = []
        for body in self.system.bodies.values():
            v = body.centre.velocity(self.motion)
            half = HALF * dot(v, v)
            terms.append(rate(body, self.motion) * dot(v, body.centre.columns[r] or NULL))
            terms.append(along(self.motion, body.mass_slopes[r] * half))
            terms.append(-body.mass.diff(self.motion.q[r]) * half)
        return total(terms)

    def projected(self, rows: list[Any]) -> list[Any]:
        return [dot(rows, column) for column in self.k]

    def by_particles(self, term: Callable[[Any, Any], Any]) -> list[Any]:
        """Σ_i term_i·U_is for every free W."""
        U = {name: partial_velocities(self.w, name) for name in self.system.bodies}
        return [total(term(b, U[name][s]) for name, b in self.system.bodies.items()) for s in range(len(self.k))]

    def slipped(self, rows: list[Any], inside: bool = True) -> float:
        """The error of the printed sum, which sums r inside, or i instead of r, and leaves the r of k_rs free.

        Every value of that r is tried, and the nearest result counts.
        """
        values, k = [self.w.value(e) for e in rows], [[self.w.value(e) for e in column] for column in self.k]
        right = [sum(p * e for p, e in zip(values, column, strict=True)) for column in k]
        sums = [sum(values)] * len(values) if inside else [len(self.system.bodies) * p for p in values]
        read = [[p * column[r] for column in k] for r, p in enumerate(sums)]
        return min(max(abs(a - b) for a, b in zip(one, right, strict=True)) for one in read)


def projections(sheet: Sheet, rows: Rows, numbers: Sequence[str]) -> None:
    """Active forces, thrust and inertia on the partial velocities, under the numbers of either section."""
    motion, loads = rows.motion, rows.system.loads
    index = tr("the sum over r belongs to the coordinates, over i to the particles")
    table = (
        (mark("generalized force"), "K_s = Σ_i F_i·U_is = Σ_i (Σ_r F_i·∂V_i/∂q̇_r) k_rs", rows.forces, 1,
         lambda b, U: total(dot(load.force, U) for load in loads if load.body is b)),
        (mark("generalized thrust"), "K_s^R = Σ_i R_i·U_is = Σ_i (Σ_r R_i·∂V_i/∂q̇_r) k_rs", rows.thrust, 1,
         lambda b, U: rate(b, motion) * dot(b.ejection, U)),
        (mark("generalized inertia force"), "K_s* = −Σ_i m_i a_i·U_is = −Σ_i (Σ_r m_i a_i·∂V_i/∂q̇_r) k_rs", rows.inertia, -1,
         lambda b, U: b.mass * dot(b.centre.acceleration(motion), U)),
    )  # fmt: skip
    for number, (title, printed, parts, sign, term) in zip(numbers, table, strict=True):
        shown = [sign * e for e in rows.by_particles(term)]
        right = [sign * e for e in rows.projected(parts)]
        sheet.law(number, tr(title), printed, at(rows.w, right, shown), OVER, index, rows.slipped(parts))


def forces(sheet: Sheet, w: Worked) -> None:
    rows = Rows(w)
    projections(sheet, rows, ("2.10", "2.11", "2.12"))
    corrected = [e - c for e, c in zip(rows.left, rows.corrections, strict=True)]
    sheet.law(
        "2.13",
        "inertia by derivatives of T and of the masses",
        "Σ m a·∂V/∂q̇_r = d/dt ∂T/∂q̇_r − ∂T/∂q_r − Σ ṁ V·∂V/∂q̇_r − …",
        at(w, rows.inertia, corrected),
        OVER,
    )
    sheet.law(
        "2.14",
        "generalized inertia force by T",
        "K_s* = −Σ_i {d/dt ∂T/∂q̇_r − …} k_rs",
        at(w, rows.projected(corrected), rows.projected(rows.inertia)),
        OVER,
        tr("the sum over r belongs to the coordinates, over i to the particles"),
        rows.slipped(corrected, inside=False),
    )
    kane = [f + p - m for f, p, m in zip(rows.forces, rows.thrust, rows.inertia, strict=True)]
    sheet.law(
        "A",
        "Kane's equations of variable mass",
        "K_s + K_s* + K_s^R = 0",
        w.largest(rows.projected(kane)),
        "at the state that Lagrange's multipliers give",
    )


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
    rows = Rows(n)
    projections(sheet, rows, ("3.5", "3.6", "3.7"))
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
    right9 = [e - c for e, c in zip(rows.left, rows.corrections, strict=True)]
    wrong9 = [e + c for e, c in zip(rows.left, rows.corrections, strict=True)]
    sheet.law(
        "3.9",
        "generalized inertia force by T*",
        "… − {…} k_rs",
        at(n, rows.projected(rows.inertia), rows.projected(right9)),
        OVER,
        "… + {…} k_rs",
        at(n, rows.projected(rows.inertia), rows.projected(wrong9)),
    )
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
            max(found, n.largest(rows.projected(rows.balance))),
            "the burning sleigh at the state of Lagrange's multipliers",
        )
    compared(sheet)


def compared(sheet: Sheet) -> None:
    """Whether (3.10) has a motion that (2.15) has not: the accelerations of both are compared."""
    by = [solve(of_text(NONLINEAR, method).record, method) for method in ("qiao-lagrange", "qiao-quasi")]
    apart = max(abs(by[0].accelerations[q] - by[1].accelerations[q]) for q in by[0].accelerations)
    sheet.statement(
        "after 3.10",
        "(3.10) beside (2.15)",
        "(3.10) is more general than (2.15)",
        apart <= CLOSE,
        tr("accelerations of two particles of mass m(q, q̇, t) by both differ by {apart:.1e}", apart=apart),
        "they are equivalent",
    )


def states(q: Worked) -> dict[Any, float]:
    """The sleigh's state in the letters of its derivation."""
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
