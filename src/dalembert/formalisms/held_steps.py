r"""The motion between two impacts, with held quantities of the second kind at zero (ZhangMei (4.16)–(4.19), (4.31)).

    π_β = 0, π̇_β = 0          the equations of held quantities give their reactions, the others the motion
    π = A + π̇ t               if π̇ is constant: no coordinate, quasi-velocity or time occurs in it
Coulomb's force is constant while the slip keeps its direction, if it has one and nothing that presses it varies.
"""

from __future__ import annotations

from collections.abc import Sequence

import symengine as se

from dalembert.equations import Step
from dalembert.formalisms.base import Dynamics
from dalembert.formalisms.display import Display, size
from dalembert.mechanics import variable_mass
from dalembert.mechanics.algebra import HALF, ONE, ZERO, Scalar, dot, total
from dalembert.mechanics.elimination import inverse, sample_state
from dalembert.mechanics.quasi import Inverted, inverted, left_sides_in_quasi_velocities
from dalembert.mechanics.system import System

Pair = tuple[Scalar, Scalar]  # left and right side
LONGEST = 100  # operations of an equation that is shown
S = se.Symbol("s")  # sgn q₁* of the whole course; s² = 1


def segment_steps(system: System, dynamics: Dynamics, show: Display) -> tuple[Step, ...]:
    """The equations with the held quantities at zero and, if they can be integrated at sight, the motion.

    No steps if the method's quasi-velocities do not contain all held quantities.
    """
    quasi = dynamics.quasi
    lines = [line for friction in system.touching.frictions for line in friction.held]
    if quasi is None or not lines:
        return ()
    held = [any(se.expand(value - line.rate) == 0 for line in lines) for value in quasi.values]
    turned = inverted(system, quasi, show)
    if sum(held) < len(lines) or turned is None or not turned.speeds:
        return ()
    pairs = flight(system, turned, show)
    written, solved = held_equations(pairs, held, turned.rates, turned.pi, system, show)
    if any(size(se.sympify(e)) > LONGEST for _, e in written):
        return ()
    steps = [
        Step(
            "Equations with the held quantities at zero",
            r"\pi_\beta = 0",
            "ZhangMei (1.4), (2.8)",
            tuple(written),
            "The equation of a held quantity gives its reaction.",
            key="held",
        )
    ]
    integrals = [] if solved is None else integrated(solved, turned.pi, gap_rates(system, quasi.values), system, show)
    if integrals:
        steps.append(
            Step(
                "The motion between two impacts",
                r"\pi = A + \dot\pi\,t",
                "",
                tuple(integrals),
                "It holds while each slip keeps its direction.",
                key="segment",
            )
        )
    return tuple(steps)


def flight(system: System, turned: Inverted, show: Display) -> list[Pair]:
    """The equations in quasi-velocities while all contacts are open: terms with π̇ left, the rest right."""
    motion = system.motion
    T, back = variable_mass.frozen_energy(system)
    T = show.quadratic(turned.put_in(show(T)), turned.pi)
    push = variable_mass.written(variable_mass.thrust(system), motion)
    open_ = {contact.line.force: ZERO for contact in system.touching.contacts}
    forces = [turned.put_in(dot(system.forces, c) + dot(push, c)).subs(open_) for c in zip(*turned.k, strict=True)]
    still, named = dict.fromkeys(turned.rates, ZERO), system.touching.forces
    pairs = []
    for left, force in zip(left_sides_in_quasi_velocities(motion, turned, T, {}), forces, strict=True):
        e = se.expand(left.subs(back) - force)
        coefficients = total(show(e.diff(r)) * r for r in turned.rates)
        pairs.append((coefficients, show.linear(-e.subs(still), named, turned.pi)))
    return pairs


def gap_rates(system: System, values: Sequence[Scalar]) -> dict[int, Scalar]:
    """Places of quasi-velocities that are the rate of a coordinate which is a gap, with that coordinate."""
    gaps = [contact.gap for contact in system.touching.contacts]
    speeds = {v: q for q, v in zip(system.motion.q, system.motion.v, strict=True) if q in gaps}
    return {i: speeds[value] for i, value in enumerate(values) if value in speeds}


def held_equations(
    pairs: Sequence[Pair],
    held: Sequence[bool],
    rates: Sequence[Scalar],
    values: Sequence[Scalar],
    system: System,
    show: Display,
) -> tuple[list[Pair], list[Pair] | None]:
    """The equations with held quantities at zero, solved for the rates that are free if these can be separated."""
    named = system.touching.forces
    still = {v: ZERO for v, flag in zip((*values, *rates), (*held, *held), strict=True) if flag}
    kept = [(a.subs(still), b.subs(still)) for a, b in pairs]
    free = [i for i, flag in enumerate(held) if not flag]
    solved = _solved([kept[i] for i in free], [rates[i] for i in free], system, show)
    if solved is None:
        return [(show.linear(a, rates), show.linear(b, named, values)) for a, b in kept], None
    known = dict(solved)
    written = [(r, show.linear(e, named, values)) for r, e in solved]
    rest = [(a.subs(known), b) for i, (a, b) in enumerate(kept) if i not in free]
    return written + [pair for a, b in rest for pair in _reaction(signed(b - a), system, show)], solved


def integrated(
    solved: Sequence[Pair], values: Sequence[Scalar], gaps: dict[int, Scalar], system: System, show: Display
) -> list[Pair]:
    """π(t), and for a gap the gap itself, if all rates are constant; else nothing."""
    motion = system.motion
    moving = {*motion.q, *motion.v, motion.t, *values}
    for friction in system.touching.frictions:
        parts = (friction.law.coefficient, friction.normal)
        if len(friction.slips) > 1 or friction.pressed_by or any(moving & se.sympify(e).free_symbols for e in parts):
            moving |= {line.force for line in friction.slips}
    if any(moving & e.free_symbols for _, e in solved):
        return []
    found: list[Pair] = []
    by_rate = {se.Symbol(f"{value}'"): (i, value) for i, value in enumerate(values)}
    constants = (se.Symbol(f"A{i}") for i in range(1, len(values) + 1))
    for rate, e in solved:
        i, value = by_rate[rate]
        if i in gaps:
            name, star, _ = str(gaps[i]).partition("*")
            moved = se.Symbol(f"{name}0{star}") + se.Symbol(f"{name}0{star}'") * motion.t
            found.append((gaps[i], moved + show(HALF * e) * motion.t**2))
        else:
            found.append((value, next(constants) + show.linear(e, system.touching.forces) * motion.t))
    return found


def _solved(rows: list[Pair], rates: list[Scalar], system: System, show: Display) -> list[Pair] | None:
    """Solve for the single rates. s is a sign, so the inverse is valid for s = 1 and s = −1."""
    matrix = tuple(tuple(a.diff(r) for r in rates) for a, _ in rows)
    found = inverse(matrix, {**sample_state(system), S: 1.0}, lambda e: e)
    if found is None:
        return None
    right = [b for _, b in rows]
    below = [show(_rational(dot(row, right))) for row in found]
    return list(zip(rates, below, strict=True))


def _rational(e: Scalar) -> Scalar:
    """Apply s² = 1 in numerator and denominator."""
    above, below = e.as_numer_denom()
    return signed(above) / signed(below)


def _reaction(e: Scalar, system: System, show: Display) -> list[Pair]:
    """Solve e = 0 for the force of a held row in it."""
    held = [line.force for friction in system.touching.frictions for line in friction.held]
    for force in held:
        slope = e.diff(force)
        if slope != 0:
            return [(force, show(signed(-(e - slope * force) / slope)))]
    return []


def signed(e: Scalar) -> Scalar:
    """Apply s² = 1."""
    expanded = se.expand(e)
    powers = {p for p in expanded.atoms(se.Pow) if p.args[0] == S and p.args[1].is_Integer}
    changes = {p: ONE if int(p.args[1]) % 2 == 0 else S for p in powers}
    return se.expand(expanded.subs(changes)) if changes else expanded
