"""Long's paper: partial accelerations. n, τ, b are the axes of the axle; q₁ and q₃ turn the wheels, q₂ the axle."""

from __future__ import annotations

from dalembert.papers.long.example_1 import example_1
from dalembert.papers.long.example_2 import example_2
from dalembert.papers.long.particles import dynamics, kinematics
from dalembert.papers.long.rigid import rigid
from dalembert.papers.sheet import Sheet
from dalembert.papers.worked import general, worked

METHOD = "partial-acceleration"


def fill(sheet: Sheet) -> None:
    kinematics(sheet, general(METHOD))
    dynamics(sheet, general(METHOD))
    example_1(sheet, worked("long-1", METHOD))
    rigid(sheet, worked("long-2", METHOD))
    example_2(sheet, worked("long-2", METHOD))
