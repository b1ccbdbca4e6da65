"""The chain of n links: a pendulum of any length, built in Python."""

from __future__ import annotations

from dalembert.expressions.functions import cos, sin
from dalembert.model.builder import Builder
from dalembert.model.record import ModelRecord


def nlink(n: int, *, mass: float = 1.0, length: float = 1.0, gravity: float = 9.81, angle: float = 1.0) -> ModelRecord:
    """A pendulum of n equal massless rods with equal point masses at their ends.

    The coordinates theta1 … theta_n are absolute, from the downward vertical (y points up):

        r_k = Σ_{i ≤ k} l (sin θ_i, -cos θ_i)

    All of them start at `angle`, at rest, so the chain is straight.
    """
    model = Builder(f"Pendulum of {n} links")
    m, l, g = model.parameters(m=mass, l=length, g=gravity)
    model.gravity([0, -g, 0])
    end = None
    for k in range(1, n + 1):  # each joint is placed from the one before, so the cost grows with the number of links
        theta = model.coordinate(f"theta{k}", initial=angle)
        end = model.point(f"end{k}", [l * sin(theta), -l * cos(theta), 0], origin=end)
        model.body(f"mass{k}", mass=m, position=end)
    model.simulation(duration=10)
    return model.record
