# ruff: noqa: E501
"""(2.1)–(2.10): the segmented description, and the equations of Boltzmann and Hamel's type."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.api.motion import simulate
from dalembert.formalisms.boltzmann_hamel import BoltzmannHamel
from dalembert.formalisms.display import Display
from dalembert.mechanics.algebra import dot, total
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.quasi import hamel_coefficients, inverted, quasi_velocities
from dalembert.model.read import read, read_text
from dalembert.papers.sheet import Sheet, difference, parsed
from dalembert.papers.worked import Worked, worked
from dalembert.papers.zhangmei.models import BALL, EULER, METHOD, PAPER, jump, numbers
from dalembert.papers.zhangmei.problem import balance


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
