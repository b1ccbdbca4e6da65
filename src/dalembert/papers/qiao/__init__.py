"""Qiao's paper: variable mass m(q, q̇, t), nonlinear nonholonomic constraints; the burning sleigh."""

from __future__ import annotations

from dalembert.papers.qiao.equations import equations
from dalembert.papers.qiao.forces import forces
from dalembert.papers.qiao.frozen import frozen
from dalembert.papers.qiao.functions import functions
from dalembert.papers.qiao.particles import LINEAR, NONLINEAR
from dalembert.papers.qiao.quasi import quasi
from dalembert.papers.qiao.sleigh import sleigh
from dalembert.papers.sheet import Sheet
from dalembert.papers.worked import of_text, worked


def fill(sheet: Sheet) -> None:
    nonlinear = of_text(NONLINEAR, "qiao-lagrange")
    linear = of_text(LINEAR, "qiao-lagrange")
    functions(sheet, nonlinear, linear)
    forces(sheet, nonlinear)
    equations(sheet, nonlinear, linear)
    frozen(sheet, nonlinear)
    quasi(sheet, nonlinear, linear)
    sleigh(sheet, worked("qiao-sleigh", "qiao-lagrange-frozen"))
