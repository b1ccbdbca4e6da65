# ruff: noqa: E501
"""Sun's paper: the normalized Routh equations and three problems of two hinged rods."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert import collection
from dalembert.api.exact import solve_exactly
from dalembert.formalisms.normalized_routh import NormalizedRouth
from dalembert.mechanics.algebra import dot
from dalembert.mechanics.exact_start import exact_start
from dalembert.mechanics.inertia import lagrange
from dalembert.model.change import with_settings
from dalembert.model.read import read
from dalembert.papers.sheet import Entries, Sheet
from dalembert.papers.worked import Worked, worked

METHOD = "normalized-routh"


def fill(sheet: Sheet) -> None:
    law(sheet)
    problem_1(sheet, worked("sun-1", METHOD))
    problem_2(sheet, worked("sun-2", METHOD))
    problem_3(sheet, worked("sun-3", METHOD))


def law(sheet: Sheet) -> None:
    """(2.1) at a moving state of problem 3, where T depends on the angles."""
    record = with_settings(read(collection.path("sun-3")), {"theta1'": 1, "theta2'": 2})
    w = Worked(record, METHOD)
    right, wrong = [], []
    system, motion = w.system, w.system.motion
    inertia, _ = lagrange(system)
    left = [dot(row, motion.a) + h - Q for row, h, Q in zip(inertia.matrix, inertia.vector, system.forces, strict=True)]
    slopes = motion.gradient(system.kinetic, motion.q)
    B = list(zip(*NormalizedRouth.B(w.reduced), strict=True))
    sigma = [se.Symbol(f"lambda[{row.name}]") for row in system.constraints.rows]
    for i, column in enumerate(B):
        force = sigma[i] if i < len(sigma) else 0
        right.append(dot(left, column) - force)
        wrong.append(dot([e + s for e, s in zip(left, slopes, strict=True)], column) - force)
    sheet.law(
        "2.1",
        "normalized Routh equations",
        "d/dt{P}ᵀ[B] = {Q}ᵀ[B] + [{σ}ᵀ 0]",
        w.largest(right),
        "at problem 3 in motion (θ₁′ = 1, θ₂′ = 2), solved by Lagrange's multipliers",
        "(Ṗ − ∂T/∂q)ᵀ[B] = {Q}ᵀ[B] + [{σ}ᵀ 0], P differentiated before the product",
        w.largest(wrong),
    )


def flat(matrix: Any) -> list[Any]:
    return [e for row in matrix for e in row]


def matrix(text: str) -> str:
    """A matrix for `same`, from rows separated by "/ " and entries separated by commas."""
    return "; ".join(entry.strip() for row in text.split("/ ") for entry in row.split(","))


B1 = "0,0,0,0,1,0/ 0,0,0,0,0,1/ 1,0,0,0,-l/2*sin(theta1),0/ 0,1,0,0,l/2*cos(theta1),0/ 1,0,1,0,-l*sin(theta1),-l/2*sin(theta2)/ 0,1,0,1,l*cos(theta1),l/2*cos(theta2)"
B2 = "0,0,1,0/ 0,0,0,1/ 1,0,-l*sin(theta1),-l/2*sin(theta2)/ 0,1,l*cos(theta1),l/2*cos(theta2)"
A1 = "l/2*sin(theta1),0/ -l/2*cos(theta1),0/ l/2*sin(theta1),l/2*sin(theta2)/ -l/2*cos(theta1),-l/2*cos(theta2)"


def problem_1(sheet: Sheet, w: Worked) -> None:
    residuals = [row.residual for row in w.system.constraints.rows]
    stated = "x1 - l/2*cos(theta1); y1 - l/2*sin(theta1); x2 - l/2*cos(theta2) - x1 - l/2*cos(theta1); y2 - l/2*sin(theta2) - y1 - l/2*sin(theta1)"
    sheet.same("2.2", "constraints of O and A", stated, residuals)
    rates = "x1_d + l/2*sin(theta1)*theta1_d; y1_d - l/2*cos(theta1)*theta1_d; x2_d + l/2*sin(theta2)*theta2_d - x1_d + l/2*sin(theta1)*theta1_d; y2_d - l/2*cos(theta2)*theta2_d - y1_d - l/2*cos(theta1)*theta1_d"
    sheet.same("2.2′", "their rates", rates, [value for _, value in w.step("Constraints")])
    sheet.same("after 2.2′", "[A₁]", matrix(A1), flat(w["[A_1]"]), entries=Entries(columns=2))
    C = [row[4:] for row in w["[B]"]]
    below = "-l/2*sin(theta1),0/ l/2*cos(theta1),0/ -l*sin(theta1),-l/2*sin(theta2)/ l*cos(theta1),l/2*cos(theta2)"
    wrong, right = matrix(f"0,0/ 0,0/ {below}"), matrix(f"1,0/ 0,1/ {below}")
    sheet.same("before 2.3", "[C], its upper block", wrong, flat(C), right, Entries(columns=2))
    sheet.same("2.3", "normalizing factor", matrix(B1), flat(w["[B]"]), entries=Entries(columns=6))
    sheet.same("2.4", "generalized forces", "0; 0; m*g; 0; m*g; 0", w.system.forces)
    T = "1/24*m*l**2*(theta1_d**2 + theta2_d**2) + m/2*(x1_d**2 + y1_d**2) + m/2*(x2_d**2 + y2_d**2)"
    sheet.same("before 2.5", "kinetic energy", T, w["T"])
    momenta = [value for _, value in w.step("Generalized momenta")]
    sheet.same(
        "2.5", "generalized momenta", "m*l**2*theta1_d/12; m*l**2*theta2_d/12; m*x1_d; m*y1_d; m*x2_d; m*y2_d", momenta
    )
    printed = B1.replace("0,0,0,0,0,1/", "0,0,0,0,0,0/", 1)
    sheet.same("2.6", "[B] on the right side", matrix(printed), flat(w["[B]"]), matrix(B1), Entries(columns=6))
    groups = [value for name in ("Group I: the reactions", "Group II: the motion") for _, value in w.step(name)]
    lines = (
        "m*x1_dd + m*x2_dd - 2*m*g; m*y1_dd + m*y2_dd; m*x2_dd - m*g; m*y2_dd; "
        "m*l**2*theta1_dd/12 - m*x1_dd*l/2*sin(theta1) + m*y1_dd*l/2*cos(theta1) - m*x2_dd*l*sin(theta1) + m*y2_dd*l*cos(theta1) + 3/2*m*g*l*sin(theta1); "
        "m*l**2*theta2_dd/12 - m*x2_dd*l/2*sin(theta2) + m*y2_dd*l/2*cos(theta2) + m*g*l*sin(theta2)/2"
    )
    sheet.same("2.6′", "six equations: the expressions equal to σ₁ … σ₄, 0, 0", lines, groups)
    dependent = dict(w.step("Constraints of the accelerations"))
    second = "x1_dd = -l/2*sin(theta1)*theta1_dd - l/2*cos(theta1)*theta1_d**2; y1_dd = l/2*cos(theta1)*theta1_dd - l/2*sin(theta1)*theta1_d**2; x2_dd = -l/2*sin(theta2)*theta2_dd - l*sin(theta1)*theta1_dd - l/2*cos(theta2)*theta2_d**2 - l*cos(theta1)*theta1_d**2; y2_dd = l/2*cos(theta2)*theta2_dd + l*cos(theta1)*theta1_dd - l/2*sin(theta2)*theta2_d**2 - l*sin(theta1)*theta1_d**2"
    sheet.same("2.2″", "constraints of the accelerations", second, list(dependent.values()))
    exact = solve_exactly(w.record, METHOD)
    seven = "theta1_dd = -18*g/(55*l); theta2_dd = -69*g/(55*l); x1_dd = 9*g/110; y1_dd = -9*sqrt(3)*g/{}; x2_dd = 87*g/110; y2_dd = -9*sqrt(3)*g/55"
    sheet.same(
        "2.7", "accelerations at the start", seven.format(119), list(exact.accelerations.values()), seven.format(110)
    )
    eight = "X_O = -62*m*g/55; Y_O = -27*sqrt(3)*m*g/110; X_A = -23*m*g/110; Y_A = -9*sqrt(3)*m*g/55"
    sheet.same("2.8", "reactions at the start", eight, list(exact.multipliers.values()))


def problem_2(sheet: Sheet, w: Worked) -> None:
    residuals = [row.residual for row in w.system.constraints.rows]
    sheet.same(
        "2.9",
        "constraints of A",
        "x2 - l/2*cos(theta2) - l*cos(theta1); y2 - l/2*sin(theta2) - l*sin(theta1)",
        residuals,
    )
    rates = "x2_d + l/2*sin(theta2)*theta2_d + l*sin(theta1)*theta1_d; y2_d - l/2*cos(theta2)*theta2_d - l*cos(theta1)*theta1_d"
    sheet.same("2.9′", "their rates", rates, [value for _, value in w.step("Constraints")])
    sheet.same("2.10", "normalizing factor, 4×4", matrix(B2), flat(w["[B]"]), entries=Entries(columns=4))
    sheet.same("2.11", "generalized forces", "-m*g*l*sin(theta1)/2; 0; m*g; 0", w.system.forces)
    momenta = [value for _, value in w.step("Generalized momenta")]
    sheet.same("2.12", "generalized momenta", "m*l**2*theta1_d/3; m*l**2*theta2_d/12; m*x2_d; m*y2_d", momenta)
    printed = B2.replace("0,1,l*cos", "0,0,l*cos")
    sheet.same("2.13", "[B] on the right side", matrix(printed), flat(w["[B]"]), matrix(B2), Entries(columns=4))
    groups = [value for name in ("Group I: the reactions", "Group II: the motion") for _, value in w.step(name)]
    lines = (
        "m*x2_dd - m*g; m*y2_dd; m*l**2*theta1_dd/3 - m*x2_dd*{}*sin(theta1) + m*y2_dd*l*cos(theta1) + 3/2*m*g*l*sin(theta1); "
        "m*l**2*theta2_dd/12 - m*x2_dd*l/2*sin(theta2) + m*y2_dd*l/2*cos(theta2) + m*g*l*sin(theta2)/2"
    )
    sheet.same(
        "2.14", "four equations: the expressions equal to λ₁, λ₂, 0, 0", lines.format("l/2"), groups, lines.format("l")
    )
    second = "x2_dd = -l/2*sin(theta2)*theta2_dd - l*sin(theta1)*theta1_dd - l/2*cos(theta2)*theta2_d**2 - l*cos(theta1)*theta1_d**2; y2_dd = l/2*cos(theta2)*theta2_dd + l*cos(theta1)*theta1_dd - l/2*sin(theta2)*theta2_d**2 - l*sin(theta1)*theta1_d**2"
    sheet.same(
        "2.9″", "constraints of the accelerations", second, [e for _, e in w.step("Constraints of the accelerations")]
    )
    exact = solve_exactly(w.record, METHOD)
    sheet.same(
        "after 2.14", "reactions at A", "X_A = -23*m*g/110; Y_A = -9*sqrt(3)*m*g/55", list(exact.multipliers.values())
    )


def problem_3(sheet: Sheet, w: Worked) -> None:
    sheet.same("2.15", "constraints of O", "x_d; y_d", [value for _, value in w.step("Constraints")])
    sheet.same(
        "2.16",
        "normalizing factor",
        matrix("0,0,1,0/ 0,0,0,1/ 1,0,0,0/ 0,1,0,0"),
        flat(w["[B]"]),
        entries=Entries(columns=4),
    )
    sheet.same("2.17", "generalized forces", "-3/2*m*g*l*sin(theta1); -m*g*l*sin(theta2)/2; 2*m*g; 0", w.system.forces)
    momenta = [value for _, value in w.step("Generalized momenta")]
    one, two = "(x_d - l/2*sin(theta1)*theta1_d)", "(x_d - l*sin(theta1)*theta1_d - l/2*sin(theta2)*theta2_d)"
    three, four = "(y_d + l/2*cos(theta1)*theta1_d)", "(y_d + l*cos(theta1)*theta1_d + l/2*cos(theta2)*theta2_d)"
    p = (
        f"p1 = m*l**2*theta1_d/12 - m*{one}*l/2*sin(theta1) + m*{three}*l/2*cos(theta1) - m*{two}*l*sin(theta1) + m*{four}*l*cos(theta1); "
        f"p2 = m*l**2*theta2_d/12 - m*{two}*l/2*sin(theta2) + m*{four}*l/2*cos(theta2); p3 = m*{one} + m*{two}; "
    )
    sheet.same("2.18", "generalized momenta", f"{p}p4 = m*{four}", momenta, f"{p}p4 = m*{three} + m*{four}")
    at = exact_start(w.system)
    first, second, third = (
        "(x_dd - l/4*theta1_dd)",
        "(x_dd - l/2*theta1_dd - l/2*theta2_dd)",
        "(y_dd + sqrt(3)/4*l*theta1_dd)",
    )
    fourth = "(y_dd + sqrt(3)/2*l*theta1_dd)"
    rates = (
        f"p1_d = m*l**2*theta1_dd/12 - m{{}}*{first}/4 + sqrt(3)/4*m*l*{third} - m*l*{second}/2 + sqrt(3)/2*m*l*{fourth}; "
        f"p2_d = m*l**2*theta2_dd/12 - m*l*{second}/2; p3_d = m*{first} + m*{second}; p4_d = {{}}m*{fourth}"
    )
    sheet.same(
        "after 2.18",
        "rates of the momenta at the start, O free",
        rates.format("", ""),
        [rate.subs(at) for rate in momentum_rates(w, momenta)],
        rates.format("*l", f"m*{third} + "),
    )
    still = {se.Symbol("x''"): 0, se.Symbol("y''"): 0}
    left = [rate.subs(at).subs(still) for rate in momentum_rates(w, momenta)]
    rows = "4*m*l**2*theta1_dd/3 + m*l**2*theta2_dd/4; m*l**2*theta1_dd/4 + m*l**2*theta2_dd/3; -3*m*l*theta1_dd/4 - m*l*theta2_dd/2; {}*m*l*theta1_dd"
    sheet.same("2.19", "rates of the momenta at the start", rows.format("sqrt(3)/2"), left, rows.format("3*sqrt(3)/4"))
    forces = [Q.subs(at) for Q in w.system.forces]
    order = (2, 3, 0, 1)
    lines = [left[i] - forces[i] for i in order]
    printed = "-3*m*l*theta1_dd/4 - m*l*theta2_dd/2 - 2*m*g; {}*m*l*theta1_dd; 4*m*l**2*theta1_dd/3 + m*l**2*theta2_dd/4 + 3*m*g*l/4; m*l**2*theta1_dd/4 + m*l**2*theta2_dd/3 + m*g*l/2"
    sheet.same(
        "2.20",
        "four equations: the expressions equal to σ₁, σ₂, 0, 0",
        printed.format("sqrt(3)/2"),
        lines,
        printed.format("3*sqrt(3)/4"),
    )
    exact = solve_exactly(w.record, METHOD)
    sheet.same(
        "after 2.20", "reactions at O", "X_O = -62*m*g/55; Y_O = -27*sqrt(3)*m*g/110", list(exact.multipliers.values())
    )


def momentum_rates(w: Worked, momenta: list[Any]) -> list[Any]:
    motion = w.system.motion
    return [motion.derivative(p) + dot(motion.gradient(p, motion.v), motion.a) for p in momenta]
