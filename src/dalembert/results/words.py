"""Words of answers for people: kinds, modes and verdicts. JSON has the English words, like its keys."""

from __future__ import annotations

from dalembert.language import Sentences, tr

KINDS: Sentences = {
    # of constraints
    "holonomic": "holonomic", "linear": "linear", "nonlinear": "nonlinear",
    # of events and modes
    "impact": "impact", "liftoff": "liftoff", "contact": "contact", "stick": "stick", "slip": "slip",
    "chatter": "chatter", "crossing": "crossing", "open": "open", "closed": "closed", "off": "off",
    # how a motion ended
    "finished": "finished", "stopped": "stopped", "interrupted": "interrupted", "failed": "failed",
    # of energies and conserved quantities
    "kinetic": "kinetic", "potential": "potential", "total": "total", "energy": "energy",
    "generalized energy": "generalized energy", "moving energy": "moving energy", "momentum": "momentum",
    "quadratic": "quadratic", "geometric": "geometric", "kept": "kept", "changed": "changed",
    "other forces": "other forces", "moving parts": "moving parts", "dissipation": "dissipation", "time": "time",
    # of steady motions
    "stable": "stable", "neutral": "neutral", "unstable": "unstable",
    # models of constraint
    "chetaev": "chetaev", "vakonomic": "vakonomic",
    # times of a computation
    "derive": "derive", "compile": "compile", "integrate": "integrate",
}  # fmt: skip

DESCRIPTIONS: Sentences = {"segmented": "segmented description", "whole-course": "whole-course description"}


def described(description: str) -> str:
    """How contacts and frictions were described, in words; "" if there are none."""
    return tr(DESCRIPTIONS[description]) if description else ""
