"""Linearized equations about a state, steady motions, eigenvalues, modes, and families of them."""

from dalembert.analysis.linear.family import Family, FamilyState, family
from dalembert.analysis.linear.linearize import Linearized, linearizations
from dalembert.analysis.linear.locus import critical_values, followed
from dalembert.analysis.linear.modes import mode, nullity
from dalembert.analysis.linear.relative import held, steady_motion
from dalembert.analysis.linear.second_order import second_order
from dalembert.analysis.linear.spectrum import cleaned, eigenvalues
from dalembert.analysis.linear.steady import Steadiness, linearized

__all__ = [
    "Family",
    "FamilyState",
    "Linearized",
    "Steadiness",
    "cleaned",
    "critical_values",
    "eigenvalues",
    "family",
    "followed",
    "held",
    "linearizations",
    "linearized",
    "mode",
    "nullity",
    "second_order",
    "steady_motion",
]
