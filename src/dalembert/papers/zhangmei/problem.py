"""(1.1)–(1.4): the problem, and the kinds of its constraints."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.mechanics.algebra import dot
from dalembert.mechanics.inertia import lagrange
from dalembert.papers.sheet import Sheet, difference
from dalembert.papers.worked import Worked, general, worked
from dalembert.papers.zhangmei.models import BALL, EULER, METHOD, motion


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
