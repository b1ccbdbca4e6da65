"""Conserved quantities: searched for in a chosen span, decided by ranks, proved in high precision."""

from dalembert.analysis.conserved.answer import SECONDS, conserved, conserved_quantities

__all__ = ["SECONDS", "conserved", "conserved_quantities"]
