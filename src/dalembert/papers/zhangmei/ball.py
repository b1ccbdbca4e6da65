# ruff: noqa: E501
"""(4.1)–(4.13): the ball, its energy, constraints, quasi-velocities and equations of motion."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.mechanics.algebra import cross, plus
from dalembert.model.read import read_text
from dalembert.papers.sheet import PAIRS, Sheet
from dalembert.papers.worked import Worked
from dalembert.papers.zhangmei.models import METHOD, renamed


def ball(sheet: Sheet, w: Worked, e: Worked) -> None:
    sheet.same("4.1", "kinetic energy", "T = (x_d**2 + y_d**2)/2 + a2/2*(rx_d**2 + ry_d**2 + rz_d**2)", w["T"])
    printed = "omega_x = theta_d*cos(psi) + {0}*sin(theta)*sin(psi); omega_y = theta_d*sin(psi) - {0}*sin(theta)*cos(psi); omega_z = psi_d + phi_d*cos(theta)"
    sheet.same(
        "4.2", "angular velocity in Euler's angles", printed.format("psi_d"), turned_axes(), printed.format("phi_d")
    )
    sheet.same(
        "4.3", "generalized forces", "Q_1 = -cos_alpha; Q_2 = -cos_beta; Q_3 = 0; Q_4 = 0; Q_5 = 0", w.system.forces
    )
    sheet.same("4.4", "the gap at the wall", "x", w.system.touching.contacts[0].gap)
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
    P = [renamed(value) for left, value in w.step("Generalized forces") if left.startswith("P")]
    sheet.same(
        "4.12",
        "forces",
        f"P1 = -cos_alpha; P2 = -cos_beta/{d}; P3 = -a2*cos_beta/{d}; P4 = Rx; P5 = -a2*cos_beta/{d} + Ry",
        P,
    )
    lines = [renamed(side) for pair in w.step("written") for side in pair]
    sheet.same("4.13", "equations of motion", THIRTEEN, lines, entries=PAIRS)


THIRTEEN = (
    "p1_d - a2/(1 + a2)*p4_d; -cos_alpha/(1 + a2); p2_d; -cos_beta; p3_d - a2/(1 + a2)*p5_d; -cos_beta/(1 + a2); "
    "p4_d - p1_d; Rx/a2; p5_d - a2/(1 + a2)*p3_d; -cos_beta/(1 + a2) + (1 + 2*a2)/(a2*(1 + a2))*Ry"
)


def turned_axes() -> list[Any]:
    """ω of a body turned by ψ about z, θ about x, φ about z, in inertial components, from the rotation matrix."""
    record = read_text(
        'title = "b"\n[coordinates]\npsi = 0\ntheta = 1\nphi = 0\n[bodies.b]\nmass = 1\nposition = [0, 0, 0]\n'
        'rotation = [["z", "psi"], ["x", "theta"], ["z", "phi"]]\ninertia = [1, 1, 1]\n'
    )
    return list(Worked(record, METHOD).system.lowering.attitude("b").omega_world)
