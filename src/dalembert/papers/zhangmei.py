# ruff: noqa: E501
"""Zhang and Mei's paper: one-sided constraints, segmented and whole-course; the ball between incline and wall.

π is the quasi-velocity (the print's π̇), and a2 stands for a².
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Any

import symengine as se

from dalembert import collection
from dalembert.api.describe import described
from dalembert.api.instant import solve
from dalembert.api.motion import simulate
from dalembert.formalisms.boltzmann_hamel import BoltzmannHamel
from dalembert.formalisms.display import Display
from dalembert.language import tr
from dalembert.mechanics.algebra import cross, dot, plus, total
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.quasi import hamel_coefficients, inverted, quasi_velocities
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text
from dalembert.papers.sheet import Sheet, difference, parsed
from dalembert.papers.worked import Worked, general, worked

METHOD = "boltzmann-hamel"
BALL, PAPER, EULER = "zhang-mei-ball", "zhang-mei-ball-paper", "zhang-mei-ball-euler"


@cache
def course() -> Worked:
    return Worked(described(read(collection.path(PAPER)), "whole-course"), METHOD)


@cache
def motion(name: str, until: float, f: float = 0.15) -> Any:
    record = with_settings(read(collection.path(name)), {"f": f})
    return simulate(record, until=until, samples=201, tolerance=1e-12)


def numbers(name: str) -> tuple[float, ...]:
    """a², f, cos α, cos β, cos γ of a model of the gallery."""
    known = {str(symbol): value for symbol, value in worked(name, METHOD).system.parameters.items()}
    return tuple(known[key] for key in ("a2", "f", "cos_alpha", "cos_beta", "cos_gamma"))


def left_for_slip(name: str) -> float:
    """S of (4.18)."""
    a2, f, _, cos_beta, cos_gamma = numbers(name)
    return sqrt((f * cos_gamma) ** 2 - (a2 / (1 + a2) * cos_beta) ** 2)


def fill(sheet: Sheet) -> None:
    problem(sheet)
    segmented(sheet)
    whole(sheet)
    ball(sheet, worked(PAPER, METHOD), worked(EULER, METHOD))
    friction(sheet, worked(PAPER, METHOD))
    impacts(sheet)
    ball_whole(sheet)


def problem(sheet: Sheet) -> None:
    w = general("chetaev")
    sheet.law(
        "1.1",
        "d'Alembert's principle with reactions",
        "Σ (−m r̈ + F + R)·δr = 0",
        w.largest(balance(w)),
        "for two particles with a constraint, at the state that Kane's equations give too",
    )
    run = motion(BALL, 20.0)
    sheet.law(
        "1.2",
        "one-sided constraint",
        "q₁ ≥ 0",
        max(0.0, -float(min(run.coordinates["x"]))),
        "the deepest that the ball enters the wall in 20 s",
    )
    contact = worked(EULER, METHOD).system.touching.contacts[0]
    f = contact.reverses[0]
    v = worked(EULER, METHOD).system.motion.v
    sheet.law(
        "1.3",
        "first kind",
        "f_α = Σ a_αs(q) q̇_s",
        difference(f.rate, dot(f.gradient, v)),
        "for the ball in Euler's angles",
    )
    sheet.law(
        "1.4",
        "second kind",
        "φ_β(q, q̇, t) = C_β",
        float(max(abs(x) for x in run.definitions["pi5"])),
        "the largest held φ₂ of the ball in 20 s; C₁ varies",
    )


def balance(w: Worked) -> list[Any]:
    """M q̈ + h − Q − Aᵀλ."""
    system = w.system
    inertia, _ = lagrange(system)
    nu = [se.Symbol(f"lambda[{row.name}]") for row in system.constraints.rows]
    rows = zip(inertia.matrix, inertia.vector, system.forces, strict=True)
    left = [dot(row, system.motion.a) + h - Q for row, h, Q in rows]
    return [e - dot([row[j] for row in system.constraints.A], nu) for j, e in enumerate(left)]


def jump(name: str) -> dict[str, Any]:
    return dict(worked(name, METHOD).step("jump"))


def changed(name: str, e: Any) -> Any:
    """The change of a linear quantity of the speeds in an impact."""
    w = worked(name, METHOD)
    found = jump(name)
    motion_ = w.system.motion
    changes = {label: value for label, value in found.items() if "^{+}-" in label}
    by_speed = {}
    from dalembert.formalisms.display import label as latex

    for n in motion_.names:
        by_speed[n] = changes.get(f"{latex(n, 1)}^{{+}}-{latex(n, 1)}^{{-}}", se.Integer(0))
    return total(e.diff(v) * by_speed[n] for n, v in zip(motion_.names, motion_.v, strict=True))


def law_of(bracket: bool) -> float:
    """(2.7), (2.8) against Lagrange's left sides combined by ∂q̇/∂π at random places, with the correct or the printed bracket."""
    w = worked(EULER, METHOD)
    system, m = w.system, w.system.motion
    quasi, _ = quasi_velocities(system)
    turned = inverted(system, quasi, Display())
    assert turned is not None
    T = turned.put_in(system.kinetic)
    gamma = [[turned.put_in(e) for e in row] for row in hamel_coefficients(quasi, turned.k, m)]
    if not bracket:
        gamma = [
            [
                turned.put_in(
                    total(
                        [
                            *(m.derivative(g) for g in row),
                            *(-s * k for s, k in zip(m.gradient(value, m.q), column, strict=True)),
                        ]
                    )
                )
                for column in zip(*turned.k, strict=True)
            ]
            for value, row in zip(quasi.values, quasi.jacobian, strict=True)
        ]
    lefts = BoltzmannHamel.left_sides(m, turned, T, tuple(map(tuple, gamma)))
    inertia, _ = lagrange(system)
    plain = [dot(row, m.a) + h for row, h in zip(inertia.matrix, inertia.vector, strict=True)]
    expected = [turned.put_in(dot(plain, column)) for column in zip(*turned.k, strict=True)]
    return max(difference(a, b) for a, b in zip(lefts, expected, strict=True))


WALL = """
title = "A particle that strikes a wall, held by one constraint"
[coordinates]
x = { initial = 1, speed = -0.7 }
y = { initial = 0, speed = 0.4 }
z = 0
[bodies.particle]
mass = 1
position = ["x", "y", "z"]
[constraints]
phi = "z' = PHI"
[contacts.wall]
gap = "x"
"""


def momentum_jump(phi: str) -> float:
    """The change of π₂ = ∂T/∂q̇₂ in an impact, where T has z' = φ(x', y'). The speeds are those of the motion."""
    run = simulate(read_text(WALL.replace("PHI", phi)), until=2.0, tolerance=1e-12)
    x, y = se.Symbol("x'"), se.Symbol("y'")
    z = parsed(phi.replace("'", "_d"))
    momentum = ((x**2 + y**2 + z**2) / 2).diff(y)
    impact = next(event for event in run.events if event.kind == "impact")
    before, after = (float(momentum.subs({x: v["x"], y: v["y"]})) for v in (impact.before, impact.after))
    return abs(after - before)


def segmented(sheet: Sheet) -> None:
    system = worked(PAPER, METHOD).system
    at = dict(system.parameters) | {v: 0.3 + 0.2 * i for i, v in enumerate(system.motion.v)}
    right, printed = jump(BALL)["\\Delta T"], jump(PAPER)["\\Delta T"]
    sheet.law(
        "2.1",
        "elastic impact, second kind continuous",
        "q̇₁⁺ = −q̇₁⁻, f⁺ = −f⁻, φ continuous: no energy is lost",
        abs(float(se.sympify(right).subs(at))),
        "the change of energy of the ball in an elastic impact",
        "a contact that slips carries no impulse; φ is not continuous",
        abs(float(printed.subs(at))),
    )
    w = Worked(read(collection.path("appell-hamel")), METHOD)
    quasi, _ = quasi_velocities(w.system)
    residual = [dot(balance_without(w), column) for column in columns(w)]
    sheet.law(
        "2.2",
        "quasi-velocities, also nonlinear",
        "π_σ = π_σ(q, q̇, t), the last ones f and φ",
        w.largest(residual),
        "the equations of Appell and Hamel's particle, whose last π is nonlinear, at the state of Lagrange's multipliers",
    )
    sheet.law(
        "2.3",
        "the constraints in quasi-velocities",
        "π_{ε+m+β} = C_β",
        difference(quasi.values[-1], w.system.constraints.psi[0]),
        "for the same particle, C = 0",
    )
    free = columns(w)
    sheet.law(
        "2.4",
        "ideal constraints",
        "Σ R*·δr = 0",
        max(difference(dot(w.system.constraints.A[0], c), 0) for c in free),
        "the power of the reaction in the directions that the constraint allows",
    )
    sheet.law(
        "2.5",
        "d'Alembert's principle, reactions among the forces",
        "Σ (−m r̈ + F*)·δr = 0",
        w.largest(balance(w)),
        "at the same state",
    )
    sheet.law(
        "2.6",
        "the principle in quasi-velocities",
        "Σ δπ_ρ {−d/dt ∂T*/∂π_ρ + … } = 0",
        law_of(True),
        "for the ball in Euler's angles, anywhere",
    )
    sheet.law(
        "2.7",
        "equations of Boltzmann–Hamel type",
        "d/dt ∂T*/∂π_ρ − ∂T*/∂π̄_ρ + Σ ∂T*/∂π_s Σ(d/dt ∂π_s/∂q̇_r − ∂π_s/∂q_r)∂q̇_r/∂π_ρ = P*_ρ",
        law_of(True),
        "for the ball in Euler's angles, anywhere",
    )
    sheet.law(
        "2.8",
        "the same with reactions",
        "… Σ [d/dt ∂π_s/∂q̇_r − ∂π_s/∂q_r ∂q̇_r/∂π_β] = P*_β + R_β",
        law_of(True),
        "for the ball in Euler's angles, anywhere",
        "the bracket closes before ∂q̇_r/∂π_β",
        law_of(False),
    )
    state = solve(read(collection.path(BALL)))
    held = state.accelerations["y"] + state.accelerations["rx"]
    _, f, _, _, cos_gamma = numbers(BALL)
    cone = state.multipliers["incline"] ** 2 + state.multipliers["incline.held"] ** 2 - (f * cos_gamma) ** 2
    sheet.law(
        "2.9",
        "some held, some slipping: supplementary equations",
        "π_{ε+m+γ} = 0, π_{ε+m+μ} = C_μ ≠ 0",
        max(abs(held), abs(cone)),
        "the ball at its start: the held rate's derivative, and Coulomb's law",
    )
    sheet.law(
        "2.10",
        "momenta are continuous",
        "π_σ = ∂T/∂q̇_σ keep their values in an impact",
        momentum_jump("0.5*y' + 0.3*x'"),
        "π₂ of a particle in an impact, φ linear",
        "for φ that are linear in the speeds",
        momentum_jump("y'*(1 + x')"),
    )


def w_value(name: str) -> Any:
    return worked(PAPER, METHOD).system.quasi_velocities[name]


def columns(w: Worked) -> list[Any]:
    quasi, _ = quasi_velocities(w.system)
    turned = inverted(w.system, quasi, Display())
    assert turned is not None
    return list(zip(*turned.k, strict=True))[: len(quasi.names) - quasi.held]


def balance_without(w: Worked) -> list[Any]:
    system = w.system
    inertia, _ = lagrange(system)
    rows = zip(inertia.matrix, inertia.vector, system.forces, strict=True)
    return [dot(row, system.motion.a) + h - Q for row, h, Q in rows]


def whole(sheet: Sheet) -> None:
    V = dict(course().step("course choice"))
    worst = 0.0
    for i in range(1, 6):
        p = w_value(f"p{i}")
        flag = float(V[f"V_{{p_{{{i}}}}}"])
        worst = max(worst, difference(changed(PAPER, p), -2 * flag * p))
    sheet.law(
        "3.1",
        "variables of the whole course",
        "q₁ = |q₁*|, π_i = π_i*(sgn q₁*)^V",
        worst,
        "the jump of each π of the ball against −2Vπ: π* is continuous",
    )
    left = [a - b for a, b in course().step("course equations")]
    plain = [a - b for a, b in worked(PAPER, METHOD).step("written")]
    sheet.law(
        "3.2",
        "equations of the whole course",
        "the same as (2.7) in T**, π*, P**",
        mirrored(left, plain, V),
        "against (2.7) mirrored by s^V, for s = 1 and s = −1",
        "its bracket closes as in (2.7)",
        law_of(False),
    )
    sheet.law(
        "3.3",
        "the same with reactions",
        "the same as (2.8) in T**, π*, P**",
        mirrored(left, plain, V),
        "against (2.8) mirrored by s^V, for s = 1 and s = −1",
        "its bracket closes as in (2.7)",
        law_of(False),
    )


def mirrored(left: list[Any], plain: list[Any], V: dict[str, Any]) -> float:
    worst = 0.0
    for s in (1, -1):
        put = {se.Symbol("s"): s}
        back: dict[Any, Any] = {se.Symbol("lambda[wall]"): 0}
        for i in range(1, 6):
            sign = s if V[f"V_{{p_{{{i}}}}}"] == 1 else 1
            back |= {se.Symbol(f"p{i}"): sign * se.Symbol(f"p{i}*"), se.Symbol(f"p{i}'"): sign * se.Symbol(f"p{i}*'")}
        for i, (a, b) in enumerate(zip(left, plain, strict=True), 1):
            sign = s if V[f"V_{{p_{{{i}}}}}"] == 1 else 1
            worst = max(worst, difference(se.sympify(a).subs(put), sign * se.sympify(b).subs(back)))
    return worst


def ball(sheet: Sheet, w: Worked, e: Worked) -> None:
    sheet.same("4.1", "kinetic energy", "T = (x_d**2 + y_d**2)/2 + a2/2*(rx_d**2 + ry_d**2 + rz_d**2)", w["T"])
    printed = "omega_x = theta_d*cos(psi) + {0}*sin(theta)*sin(psi); omega_y = theta_d*sin(psi) - {0}*sin(theta)*cos(psi); omega_z = psi_d + phi_d*cos(theta)"
    sheet.same(
        "4.2", "angular velocity in Euler's angles", printed.format("psi_d"), turned_axes(), printed.format("phi_d")
    )
    sheet.same("4.3", "generalized forces", "-cos_alpha; -cos_beta; 0; 0; 0", w.system.forces)
    sheet.same("4.4", "the wall", "q1 = x", w.system.touching.contacts[0].gap)
    names = [se.Symbol(n) for n in ("x'", "y'", "rx'", "ry'", "rz'")]
    spin = (names[2], names[3], names[4])
    wall = plus((names[0], names[1], se.Integer(0)), cross(spin, (se.Integer(-1), se.Integer(0), se.Integer(0))))
    sheet.same("4.5", "the rates that a rough wall stops", "f_1 = y_d - rz_d", [wall[1], wall[2]], "y_d - rz_d; ry_d")
    floor = plus((names[0], names[1], se.Integer(0)), cross(spin, (se.Integer(0), se.Integer(0), se.Integer(-1))))
    sheet.same("4.6", "slip on the incline", "phi_1 = x_d - ry_d; phi_2 = y_d + rx_d", [floor[0], floor[1]])
    chosen = [value for _, value in w.step("Quasi-velocities")]
    put = "((1 + 2*a2)*y_d - a2*(y_d - rz_d) - a2*(y_d + rx_d))"
    sheet.same(
        "4.7",
        "quasi-velocities",
        f"pi_1 = x_d; pi_2 = {put}; pi_3 = y_d - rz_d; pi_4 = x_d - ry_d; pi_5 = y_d + rx_d",
        chosen,
    )
    speeds = [value for _, value in w.step("Speeds")]
    d = "(1 + 2*a2)"
    sheet.same(
        "4.8",
        "speeds by quasi-velocities",
        f"x_d = p1; y_d = (p2 + a2*(p3 + p5))/{d}; omega_x = (-p2 - a2*p3 + (1 + a2)*p5)/{d}; omega_y = p1 - p4; omega_z = (p2 - (1 + a2)*p3 + a2*p5)/{d}",
        speeds,
    )
    T = f"T* = (1 + a2)*p1**2/2 + a2*p4**2/2 - a2*p1*p4 + 1/(2*{d})*(p2**2 + a2*(p3**2 + p5**2) + a2**2*(p3 - p5)**2)"
    sheet.same("4.9", "kinetic energy in quasi-velocities", T, w["T^*"])
    wx = f"(-p2 - a2*p3 + (1 + a2)*p5)/{d}"
    ct = "cos(theta)/sin(theta)"
    ten = (
        f"x_d = p1; y_d = (p2 + a2*(p3 + p5))/{d}; theta_d = cos(psi)*{wx} + (p1 - p4)*sin(psi); "
        f"psi_d = 1/{d}*((1 + {ct}*sin(psi))*p2 + (a2*{ct}*sin(psi) - (1 + a2))*p3 + (a2 - (1 + a2)*{ct}*sin(psi))*p5) + {ct}*cos(psi)*(p1 - p4); "
        f"phi_d = sin(psi)/sin(theta)*{wx} - cos(psi)/sin(theta)*(p1 - p4)"
    )
    sheet.same("4.10", "speeds in Euler's angles", ten, [value for _, value in e.step("Speeds")])
    eleven = (
        "p1 = x_d; p2 = y_d - a2*cos(psi)*theta_d + a2*psi_d + a2*(cos(theta) - sin(theta)*sin(psi))*phi_d; "
        "p3 = y_d - psi_d - cos(theta)*phi_d; p4 = x_d - sin(psi)*theta_d + sin(theta)*cos(psi)*phi_d; "
        "p5 = y_d + cos(psi)*theta_d + sin(theta)*sin(psi)*phi_d"
    )
    sheet.same("4.11", "quasi-velocities in Euler's angles", eleven, [value for _, value in e.step("Quasi-velocities")])
    P = [renamed(value) for _, value in w.step("Generalized forces")]
    sheet.same(
        "4.12",
        "forces",
        f"P1 = -cos_alpha; P2 = -cos_beta/{d}; P3 = -a2*cos_beta/{d}; P4 = Rx; P5 = -a2*cos_beta/{d} + Ry",
        P,
    )
    lines = [renamed(side) for pair in w.step("written") for side in pair]
    sheet.same("4.13", "equations of motion, left and right sides", THIRTEEN, lines)


THIRTEEN = (
    "p1_d - a2/(1 + a2)*p4_d; -cos_alpha/(1 + a2); p2_d; -cos_beta; p3_d - a2/(1 + a2)*p5_d; -cos_beta/(1 + a2); "
    "p4_d - p1_d; Rx/a2; p5_d - a2/(1 + a2)*p3_d; -cos_beta/(1 + a2) + (1 + 2*a2)/(a2*(1 + a2))*Ry"
)


def renamed(e: Any) -> Any:
    """An expression with R_x and R_y for the forces of the incline. The wall acts only in the impact."""
    forces = {se.Symbol("friction[incline, 1]"): se.Symbol("Rx"), se.Symbol("friction[incline, 2]"): se.Symbol("Ry")}
    starred = {se.Symbol(f"p{i}*{prime}"): se.Symbol(f"p{i}{prime}") for i in range(1, 6) for prime in ("", "'")}
    return se.sympify(e).subs(forces | starred | {se.Symbol("lambda[wall]"): 0})


def turned_axes() -> list[Any]:
    """ω of a body turned by ψ about z, θ about x, φ about z, in inertial components, from the rotation matrix."""
    record = read_text(
        'title = "b"\n[coordinates]\npsi = 0\ntheta = 1\nphi = 0\n[bodies.b]\nmass = 1\nposition = [0, 0, 0]\n'
        'rotation = [["z", "psi"], ["x", "theta"], ["z", "phi"]]\ninertia = [1, 1, 1]\n'
    )
    return list(Worked(record, METHOD).system.lowering.attitude("b").omega_world)


def friction(sheet: Sheet, w: Worked) -> None:
    state = solve(read(collection.path(PAPER)))
    held = state.multipliers["incline.held"]
    both = collection.text(BALL).replace('slip = ["pi4"]', 'slip = ["pi4", "pi5"]').replace('held = ["pi5"]\n', "")
    free = solve(read_text(both.replace('speed = "-43/90"', 'speed = "-40/90"')))
    c = (free.speeds["x"] - free.speeds["ry"], free.speeds["y"] + free.speeds["rx"])
    R = (free.multipliers["incline.1"], free.multipliers["incline.2"])
    _, f, _, _, cos_gamma = numbers(BALL)
    size = f * cos_gamma / sqrt(c[0] ** 2 + c[1] ** 2)
    isotropic = max(abs(R[i] + size * c[i]) for i in range(2))
    for number, title, printed in (
        ("4.14", tr("slip down the slope, held across it"), "π₄ = C₁ ≠ 0, π₅ = 0"),
        ("4.15", tr("Coulomb's law"), "√(R_x² + R_y²) = f cos γ"),
    ):
        sheet.law(
            number,
            title,
            printed,
            isotropic,
            "isotropic slip of the ball: R + f cos γ c/|c|",
            "R = −f cos γ c/|c|; (4.14) and (4.15) hold together only for cos β = 0",
            abs(held),
        )
    solved = dict(course().step("course held"))
    rates = [renamed(e).subs({se.Symbol("s"): 1}) for e in list(solved.values())[:4]]
    sheet.same(
        "4.16",
        "equations with π₅ = 0",
        "p1_d = Rx - cos_alpha; p2_d = -cos_beta; p3_d = -cos_beta/(1 + a2); p4_d = -cos_alpha + (1 + a2)/a2*Rx",
        rates,
    )
    Ry = next(renamed(e) for left, e in solved.items() if str(left) == "friction[incline, 2]")
    sheet.same("4.17", "reaction across the slope", "R_y = a2/(1 + a2)*cos_beta", Ry)
    force = renamed(w.system.touching.frictions[0].sliding[0]).subs({se.Symbol("Ry"): Ry})
    force = force.subs({se.sign(se.Symbol("x'") - se.Symbol("ry'")): se.Symbol("sgn")})
    sheet.same(
        "4.18", "friction down the slope", "R_x = -sqrt(f**2*cos_gamma**2 - (a2/(1 + a2))**2*cos_beta**2)*sgn", force
    )


def impacts(sheet: Sheet) -> None:
    """(4.19)–(4.24) with the numbers of the gallery's ball, against integrated motions."""
    a2, _, ca, cb, _ = numbers(PAPER)
    run = motion(PAPER, 4.0)
    Rx, q0, v0 = left_for_slip(PAPER), float(run.coordinates["x"][0]), float(run.speeds["x"][0])
    A2, A3 = (float(run.definitions[name][0]) for name in ("pi3", "pi4"))
    first = next(event for event in run.events if event.kind == "impact")
    worst = 0.0
    for i, t in enumerate(run.times):
        if t > first.time:
            break
        worst = max(worst, abs(run.coordinates["x"][i] - (-(ca - Rx) / 2 * t * t + v0 * t + q0)))
        worst = max(worst, abs(run.definitions["pi3"][i] - (-t * cb / (1 + a2) + A2)))
        worst = max(worst, abs(run.definitions["pi4"][i] - (-(ca - (1 + a2) / a2 * Rx) * t + A3)))
    over = tr("against the motion that is integrated")
    sheet.law("4.19", "motion before the first impact", "q₁ = −½(cos α − R_x)t² + q̇₁₀t + q₁₀, …", worst, over)
    changes = [difference(changed(PAPER, w_value(p)), -2 * w_value(p)) for p in ("p1", "p3")]
    sheet.law(
        "4.20", "first impact", "q₁ = 0, q̇₁⁺ = −q̇₁⁻, π₃⁺ = −π₃⁻", max(changes), "the jump of both by the impact law"
    )
    ts = first.time
    sheet.law(
        "4.21",
        "its time",
        "−½(cos α − R_x)t*² + q̇₁₀t* + q₁₀ = 0",
        abs(-(ca - Rx) / 2 * ts * ts + v0 * ts + q0),
        "at the time of the impact that is found",
    )
    before, after = first.before["x"], first.after["x"]
    sheet.law(
        "4.22",
        "speeds before and after it",
        "q̇₁ = ∓((cos α − R_x)t* − q̇₁₀)",
        max(abs(before + (ca - Rx) * ts - v0), abs(after - (ca - Rx) * ts + v0)),
        over,
    )
    worst, worst3 = 0.0, 0.0
    second = [event.time for event in run.events if event.kind == "impact"][1:2] or [float(run.times[-1])]
    for i, t in enumerate(run.times):
        if ts < t < second[0]:
            q = -(ca - Rx) / 2 * t * t + (2 * (ca - Rx) * ts - v0) * (t - ts) + (ca - Rx) / 2 * ts * ts
            worst = max(worst, abs(run.coordinates["x"][i] - q))
            worst3 = max(
                worst3,
                abs(run.definitions["pi3"][i] - (-t * cb / (1 + a2) + 2 * ts * cb / (1 + a2) - A2)),
            )
    sheet.law("4.23", "motion after it", "q₁ = −½(cos α − R_x)t² + [2(cos α − R_x)t* − q̇₁₀](t − t*) + …", worst, over)
    sheet.law("4.24", "π₃ after it", "π₃ = −t cos β/(1 + a²) + 2t* cos β/(1 + a²) − A₂", worst3, over)
    stops = [event for event in motion(BALL, 9.0, 0.3).events if event.kind == "stick"]
    slides = [event for event in motion(BALL, 20.0).events if event.kind == "stick"]
    sheet.statement(
        "after 4.24",
        "when the motion is periodic",
        "cos α > S and π₄ < 0",
        not slides and bool(stops),
        tr(
            "slip stops {slides} times in 20 s for f = 0.15, where S ≤ a² cos α/(1 + a²), and {stops} times in 9 s for "
            "f = 0.3, where it is not",
            slides=len(slides),
            stops=len(stops),
        ),
        "also S ≤ a² cos α/(1 + a²), else the slip stops",
    )


def ball_whole(sheet: Sheet) -> None:
    w = course()
    chosen = dict(w.step("course choice"))
    sheet.same("4.25", "V", "1; 0; 1; 0; 0", [chosen[f"V_{{p_{{{i}}}}}"] for i in range(1, 6)])
    variables = [renamed(value) for _, value in w.step("course variables")][1:]
    sheet.same("4.26", "quasi-velocities of the whole course", "p1*s; p2; p3*s; p4; p5", variables)
    d = "(1 + 2*a2)"
    T = f"T** = (1 + a2)*p1**2/2 + a2*p4**2/2 - a2*p1*p4*s + 1/(2*{d})*(p2**2 + a2*(p3**2 + p5**2) + a2**2*(p3**2 - 2*p3*s*p5 + p5**2))"
    sheet.same("4.27", "kinetic energy", T, renamed(w["T^{**}"]))
    P = [renamed(value) for _, value in w.step("course forces")]
    sheet.same("4.28", "forces", f"-cos_alpha*s; -cos_beta/{d}; -a2*cos_beta/{d}*s; Rx; -a2*cos_beta/{d} + Ry", P)
    lines = [renamed(side) for pair in w.step("course equations") for side in pair]
    text = (
        "p1_d - a2/(1 + a2)*p4_d*s; -cos_alpha/(1 + a2)*s; p2_d; -cos_beta; p3_d - a2/(1 + a2)*p5_d*s; -cos_beta/(1 + a2)*s; "
        "p4_d - p1_d*s; Rx/{}; p5_d - a2/(1 + a2)*p3_d*s; -cos_beta/(1 + a2) + (1 + 2*a2)/(a2*(1 + a2))*Ry"
    )
    sheet.same("4.29", "equations, left and right sides", text.format("sqrt(a2)"), lines, text.format("a2"))
    rates = [renamed(e) for _, e in w.step("course held")][:4]
    sheet.same(
        "4.30",
        "equations with π₅ = 0",
        "p1_d = (Rx - cos_alpha)*s; p2_d = -cos_beta; p3_d = -cos_beta/(1 + a2)*s; p4_d = -cos_alpha + (1 + a2)/a2*Rx",
        rates,
    )
    unfolded(sheet)


def unfolded(sheet: Sheet) -> None:
    """(4.31) against the ball that starts at the wall. Its motion is unfolded: s changes its sign at every impact."""
    (a2, _, ca, cb, _), v0 = numbers(PAPER), 0.3
    S = left_for_slip(PAPER)
    tau = 2 * v0 / (ca - S)
    record = with_settings(read(collection.path(PAPER)), {"x": 0, "x'": v0})
    run = simulate(record, until=1.9 * tau, samples=101, tolerance=1e-12)
    A2, A3 = float(run.definitions["pi3"][0]), float(run.definitions["pi4"][0])
    right, printed = 0.0, 0.0
    for i, t in enumerate(run.times):
        s = 1.0 if t < tau else -1.0
        unwound = t if t < tau else t - 2 * tau
        q1 = s * run.coordinates["x"][i] + (ca - S) / 2 * unwound * (abs(unwound) - tau)
        pi3 = s * run.definitions["pi3"][i]
        pi4 = run.definitions["pi4"][i] - (A3 - (ca - (1 + a2) / a2 * S) * t)
        right = max(right, abs(q1), abs(pi3 - (A2 - cb / (1 + a2) * abs(unwound))), abs(pi4))
        printed = max(printed, abs(pi3 - (A2 - cb / (1 + a2) * t * s)))
    sheet.law(
        "4.31",
        "the whole course integrated",
        "π₃* = −t cos β/(1 + a²) sgn q₁* + A₂, …",
        right,
        "over two flights of the ball, unfolded",
        "π₃* = A₂ − cos β/(1 + a²) tri(t), tri the 2τ-periodic triangle",
        printed,
    )
