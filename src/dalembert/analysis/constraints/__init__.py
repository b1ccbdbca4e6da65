"""Constraints: ranks, integrability, growth, reach, and where two models of constraint agree."""

from dalembert.analysis.constraints.answer import constraints
from dalembert.analysis.constraints.coincidence import Difference, Fit, difference, fitting

__all__ = ["Difference", "Fit", "constraints", "difference", "fitting"]
