"""Derivatives of a motion by parameters and initial values, through its events."""

from dalembert.analysis.sensitivity.answer import Happening, Varied, varied

__all__ = ["Happening", "Varied", "varied"]
