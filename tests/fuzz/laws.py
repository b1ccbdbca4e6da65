"""Laws that every reported force and state obeys, checked on an answer alone.

contacts   gap ≥ 0, λ ≥ 0, λ = 0 where the gap is open
frictions  |R| ≤ μ_s N,  R·slip ≤ 0,  |R| = 0 where nothing presses
           R = −μN slip/|slip| where it slips clearly
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reference.motions import Functions

CLOSE = 1e-6  # of the largest force or speed of the answer
OPEN = 1e-6  # of the largest coordinate


def breaches(functions: Functions, values: Mapping[str, Any]) -> list[str]:
    """A sentence for every violation in an answer of `solve` or `simulate`."""
    u = functions.u
    if u is None:
        return []
    names = functions.eq.coordinates
    times = np.atleast_1d(values["times"] if "times" in values else values["time"])
    q = np.array([np.atleast_1d(values["coordinates"][name]) for name in names])
    v = np.array([np.atleast_1d(values["speeds"][name]) for name in names])
    forces = {name: np.atleast_1d(f) for name, f in values["multipliers"].items()}
    force = max([float(np.abs(f).max(initial=0.0)) for f in forces.values()] + [1e-300])
    length = max(float(np.abs(q).max()), 1e-300)
    speed = max(float(np.abs(v).max()), 1e-6 * length)  # at rest the speed is rounding
    found = []
    for k, t in enumerate(times):
        now = functions(float(t), q[:, k], v[:, k])
        for i, contact in enumerate(u.contacts):
            gap, pressing = float(now["gap"][i]), float(forces[contact.name][k])
            if gap < -OPEN * length:
                found.append(f"t = {t:.6g}: the gap of {contact.name} is {gap:.3g}")
            if pressing < -CLOSE * force:
                found.append(f"t = {t:.6g}: {contact.name} pulls with {pressing:.6g}")
            if gap > 1e-3 * length and abs(pressing) > CLOSE * force:
                found.append(f"t = {t:.6g}: {contact.name} presses with {pressing:.6g} over a gap of {gap:.3g}")
        for j, law in enumerate(u.frictions):
            if law.rough or law.held or law.constraint is not None:
                continue
            R = np.array([forces[name][k] for name in _names(forces, law.name, law.contact is not None)])
            N = float(now["N"][j]) if law.contact is None else float(forces[u.contacts[law.contact].name][k])
            mu, hold = float(now["mu"][j]), float(now["static"][j])
            slip = now["Upsi"][list(law.slips)]
            size, moves = float(np.linalg.norm(R)), float(np.linalg.norm(slip))
            if size > hold * N + CLOSE * force:
                found.append(f"t = {t:.6g}: {law.name} rubs with {size:.6g}, its cone holds {hold * N:.6g}")
            if float(R @ slip) > CLOSE * force * speed:
                found.append(f"t = {t:.6g}: {law.name} drives with the power {float(R @ slip):.3g}")
            if moves > 1e-4 * speed and np.abs(R + mu * N * slip / moves).max() > 1e-4 * force:
                found.append(f"t = {t:.6g}: {law.name} slips with {slip}, and its force is {R}")
    return found


def _names(forces: Mapping[str, Any], name: str, of_contact: bool) -> list[str]:
    """The entries of a friction's force: NAME.slip, or .slip1 and .slip2, of a contact; NAME, or .1 and .2, else."""
    stem = f"{name}.slip" if of_contact else name
    if stem in forces and not of_contact:
        return [stem]
    ends = [stem] if stem in forces else [f"{stem}{c}" if of_contact else f"{stem}.{c}" for c in (1, 2)]
    return [end for end in ends if end in forces]
