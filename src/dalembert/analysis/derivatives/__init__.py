"""Exact derivatives of the equations of motion, and where they have none."""

from dalembert.analysis.derivatives.gradients import Array, Gradients, Kept, Local, Place
from dalembert.analysis.derivatives.symbolic import jacobian, total

__all__ = ["Array", "Gradients", "Kept", "Local", "Place", "jacobian", "total"]
