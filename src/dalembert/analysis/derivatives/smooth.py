"""Decides whether the equations have a derivative at a switch of abs, sign, min or max.

v |v| has a derivative at v = 0; |v| and sign(v) do not. Values just before and after the switch are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.errors import MathematicsError
from dalembert.programs.evaluate import all_values
from dalembert.programs.expressions import program, written
from dalembert.programs.functions import FEW_TIMES, Function, function
from dalembert.programs.program import COMPARISONS, Program
from dalembert.programs.system import CompiledSystem

ASIDE = 1e-7
JUMP = 1e-4
SAME = 1e-12  # sides of a condition that differ by less than this are equal


def require_smooth(system: CompiledSystem, derivatives: Program, inputs: np.ndarray) -> None:
    """Refuse a state at which the equations or their `derivatives` jump. `inputs` start with x = (t, q, v, z, p)."""
    own = own_program(system)
    switch = _text_of_switch(system, derivatives, inputs) or _text_of_switch(system, own, inputs[: len(own.inputs)])
    if switch is None:
        return
    states = 1 + 2 * system.n + system.k
    step = np.zeros(len(inputs))
    step[1:states] = ASIDE / np.sqrt(2.0 + np.arange(states - 1))  # a direction without any symmetry of the model
    before, after = inputs - step, inputs + step
    x = states + len(system.parameters)
    pairs = [
        (system.dynamics(before[:x]), system.dynamics(after[:x])),
        (values_of(derivatives, before), values_of(derivatives, after)),
    ]
    for left, right in pairs:
        if np.any(np.abs(left - right) > JUMP * np.maximum(1.0, np.abs(left))):
            raise MathematicsError(
                "the equations have no derivative in this state, because {switch} switches there; linearize next to it",
                switch=switch,
            )


def own_program(system: CompiledSystem) -> Program:
    """The equations themselves, since a jump may leave no trace in their derivatives."""
    eq = system.equations
    rows = [*eq.D, eq.d, *eq.A, eq.b, *(eq.R or ())]
    return system.once("own program", lambda: program(eq.inputs, [e for row in rows for e in row], sources=True))


def values_of(code: Program, inputs: np.ndarray) -> np.ndarray:
    """The outputs of a program."""
    values = all_values(code, inputs)
    return np.array([float(values[place]) for place in code.outputs])


def switches(code: Program) -> bool:
    """Whether a program contains a condition."""
    return any(operation.kind in COMPARISONS for operation in code.operations)


def at_switch(code: Program, values: Sequence[Any]) -> bool:
    """Whether the two sides of a condition are equal, given the values of all operations."""
    conditions = [operation.arguments for operation in code.operations if operation.kind in COMPARISONS]
    return any(bool(_equal(values[left], values[right])) for left, right in conditions)


def _equal(left: Any, right: Any) -> Any:
    return np.abs(left - right) <= SAME * np.maximum(1.0, np.maximum(np.abs(left), np.abs(right)))


def _text_of_switch(system: CompiledSystem, code: Program, inputs: np.ndarray) -> str | None:
    """The text of a condition whose two sides are equal, if there is one."""

    def sides() -> tuple[list[int], Function | None]:
        """The places of all conditions; their left sides, then the right sides, without the rest of the program."""
        places = [place for place, operation in enumerate(code.operations) if operation.kind in COMPARISONS]
        if not places:
            return [], None
        ends = [code.operations[place].arguments[side] for side in (0, 1) for place in places]
        return places, function(replace(code, outputs=tuple(ends), names=()).pruned(), FEW_TIMES)

    places, both = system.once(("sides of conditions", code.digest), sides)
    if both is None:
        return None
    left, right = np.split(both(inputs), 2)
    equal = _equal(left, right)
    return written(code.sources[places[int(np.argmax(equal))]], 60) if equal.any() else None
