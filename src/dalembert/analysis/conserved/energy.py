"""The energy T + V and the generalized energy h = q̇·∂L/∂q̇ − L (Jacobi, Painlevé): is it conserved, and what changes it?

    ḣ = Σ Q·q̇ (forces without a potential) + Σ ν_i R_i·q̇ (reactions) − ∂L/∂t − ∂L/∂w ẇ + terms of varying masses
    d/dt (T + V) = ḣ + d/dt (2T − q̇·∂T/∂q̇)
A reaction does work if its constraint is rheonomic, affine or nonlinear in the speeds, since then R_i·q̇ is not zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.conserved.basis import constraint_part, generalized_energy
from dalembert.analysis.conserved.flow import Array, Flow, Home, States
from dalembert.analysis.conserved.quantities import FlowQuantities
from dalembert.equations import Equations
from dalembert.language import tr
from dalembert.mechanics.algebra import dot, total
from dalembert.mechanics.forces import load_power
from dalembert.mechanics.system import System
from dalembert.programs.functions import compiled

STATES = 40
NOTHING = 1e-10  # relative to the sizes of the powers: smaller ones count as zero


@dataclass(frozen=True, slots=True)
class PowerTerm:
    """Something that changes an energy: its power (root mean square over random states), and its sign if constant.

    Friction is represented by random forces of any size, so that only the sign of its power is meaningful.
    """

    name: str
    kind: str  # "force", "dissipation", "constraint", "friction", "time", "mass", "other"
    size: float
    sign: int
    why: str


@dataclass(frozen=True, slots=True)
class EnergyBalance:
    name: str
    expression: Any
    conserved: bool
    powers: tuple[PowerTerm, ...]


def energies(
    system: System, flow: Flow, home: Home, frictions: Mapping[str, tuple[int, ...]], seed: int = 3
) -> tuple[EnergyBalance, ...]:
    """The balance of both energies, or of one if they are equal. `frictions` names the pushes of the flow."""
    eq = flow.equations
    states = flow.states(home, STATES, np.random.default_rng(seed))
    h = generalized_energy(eq)
    E = se.sympify(eq.kinetic) + eq.potential
    values = FlowQuantities(eq, [h, E, se.sympify(eq.kinetic) * 2]).at(states)
    scale = values.size[:, 0] + values.size[:, 2]
    same = bool(np.all(np.abs(values.value[:, 0] - values.value[:, 1]) <= NOTHING * values.level[:, :2].sum(axis=1)))
    named = _powers(system, eq, flow, states, frictions)
    rest = values.rate[:, 0] - sum((p for p, *_ in named.values()), np.zeros(len(states)))
    varying = ", ".join(system.varying_masses)
    if varying:
        named[varying] = (
            rest,
            "mass",
            tr("its mass varies") if len(system.varying_masses) == 1 else tr("their masses vary"),
        )
    else:
        named["other forces"] = (rest, "other", tr("they are no gradient −∂V/∂q of the potential"))
    verdict = _verdict(values.rate[:, 0], named, scale)
    if same:
        return (EnergyBalance("energy", E, *verdict),)
    change = values.rate[:, 1] - values.rate[:, 0]
    named["moving parts"] = (
        change,
        "time",
        tr("positions that depend on time, or terms linear in the speeds, stand in T"),
    )
    return EnergyBalance("energy", E, *_verdict(values.rate[:, 1], named, scale)), EnergyBalance(
        "generalized energy", h, *verdict
    )


def _verdict(
    rate: Array, named: Mapping[str, tuple[Array, str, str]], scale: Array
) -> tuple[bool, tuple[PowerTerm, ...]]:
    conserved = bool(np.all(np.abs(rate) <= NOTHING * scale))
    powers = []
    for name, (power, kind, why) in named.items():
        if np.any(np.abs(power) > NOTHING * scale):
            signs = np.sign(np.where(np.abs(power) > NOTHING * scale, power, 0.0))
            sign = int(signs.max() if signs.min() >= 0 else signs.min() if signs.max() <= 0 else 0)
            size = float(np.sqrt((power**2).mean()))
            powers.append(
                PowerTerm(name, kind, size, sign, why) if kind != "friction" else PowerTerm(name, kind, 0.0, -1, why)
            )
    return conserved, tuple(sorted(powers, key=lambda p: -p.size))


def _powers(
    system: System, eq: Equations, flow: Flow, states: States, frictions: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[Array, str, str]]:
    """The power at every state of everything that has no potential."""
    found: dict[str, tuple[Any, str, str]] = {}
    for load in system.loads:
        if load.name in system.model.forces:
            power = dot(load_power(load, system.lowering), eq.v)
            found[load.name] = (power, "force", tr("a force without potential works"))
    for name, force in system.model.forces.items():
        if force.generalized:
            given = total(
                system.lowering.scalar(value) * eq.v[eq.coordinates.index(q)] for q, value in force.generalized.items()
            )
            before = found[name][0] if name in found else se.S.Zero
            found[name] = (before + given, "force", tr("a force without potential works"))
    if system.dissipation != 0:
        drag = -total(system.dissipation.diff(v) * v for v in eq.v)
        found["dissipation"] = (drag, "dissipation", tr("Rayleigh's dissipation takes energy"))
    lagrangian = se.sympify(eq.kinetic) - eq.potential + constraint_part(eq)
    found["time"] = (-lagrangian.diff(eq.t), "time", tr("the Lagrangian depends on time"))
    slopes = [lagrangian.diff(symbol) for symbol in eq.varying]
    values = compiled(eq.inputs, [*(power for power, *_ in found.values()), *slopes], backend="numpy")(states.x)
    if slopes:
        values[:, len(found) - 1] -= (values[:, len(found) :] * states.rates[:, -len(slopes) :]).sum(axis=1)
    named = {name: (values[:, i], kind, why) for i, (name, (_, kind, why)) in enumerate(found.items())}
    return named | _reactions(eq, flow, states, frictions)


def _reactions(
    eq: Equations, flow: Flow, states: States, frictions: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[Array, str, str]]:
    system, n = flow.system, flow.system.n
    D, d, _, _, R = system.unpacked(system.dynamics(states.x))
    v, a = states.x[:, 1 + n : 1 + 2 * n], states.rates[:, 1 + n : 1 + 2 * n]
    missing = np.einsum("sij,sj->si", D, a) - d
    columns = R[:, :, system.k :]  # in a vakonomic motion the others are part of L + Σ λ f
    names = list(system.multiplier_names[system.k :])
    if flow.pushes:
        P = np.swapaxes(flow.push_rows(states.x), 1, 2)
        columns = np.concatenate([columns, P], axis=2)
        names += [name for name, rows in frictions.items() for _ in rows]
    if not columns.shape[2] or system.k:
        return {}
    nu = (np.linalg.pinv(columns, rcond=1e-10) @ missing[:, :, None])[:, :, 0]
    works = nu * np.einsum("sni,sn->si", columns, v)
    kinds = {row.name: row.kind for row in eq.constraints}
    found: dict[str, tuple[Array, str, str]] = {}
    for i, name in enumerate(names):
        if name not in frictions:
            why = tr("its velocity depends on time or has a part without speeds, so that its reaction works")
            if kinds.get(name) == "nonlinear":
                why = tr("it is nonlinear in the speeds, and its reaction works")
            if eq.R is not None:
                why = tr("the virtual displacements are not what its speeds allow, so that its reaction works")
            found[name] = (works[:, i], "constraint", why)
        else:
            before = found[name][0] if name in found else 0.0
            found[name] = (before + works[:, i], "friction", tr("friction acts against the slip"))
    return found
