"""Free motion (WangGao (13)–(17)): do the constraints hold without any constraint force?

    Φ₀ = f,   Φ_{k+1} = Φ_k,q v + Φ_k,v a_f + Φ_k,t,   a_f = M⁻¹(Q − h)

The paper's (17) is Φ₁ = 0 alone. A motion is free from a state iff every Φ_k vanishes there; all admissible motions are
free iff Φ₁ vanishes wherever f does. The chain is that of hidden constraints with no rows of virtual displacements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dalembert.compile.functions import compiled
from dalembert.constraint_models.hidden import completed
from dalembert.constraint_models.samples import Initial
from dalembert.equations import Equations
from dalembert.errors import MathematicsError

VANISHES = 1e-9


@dataclass(frozen=True, slots=True)
class FreeMotion:
    """Φ₁, Φ₂, … as text of the model language, with their values at the initial state; `reason` where none can be."""

    conditions: tuple[tuple[str, float], ...]
    reason: str = ""

    @property
    def always(self) -> bool:
        """Every admissible motion is free."""
        return not self.conditions and not self.reason

    @property
    def here(self) -> bool:
        """The motion from the initial state is."""
        return not self.reason and all(abs(value) <= VANISHES for _, value in self.conditions)

    @property
    def possible(self) -> bool:
        """Some admissible state near the initial one begins a free motion."""
        return not self.reason

    def __str__(self) -> str:
        if self.reason:
            return f"No motion near this one is free: {self.reason}."
        if self.always:
            return "Every motion that keeps the constraints is free: they need no force."
        asked = ", ".join(f"{text} = 0 (here {value:.6g})" for text, value in self.conditions)
        return f"The motion is {'' if self.here else 'not '}free from this state; a free one needs {asked}."


def free_motion(equations: Equations, start: Initial) -> FreeMotion:
    """Whether the motion from `start` is free; `equations` are those of any method without extra states."""
    n = len(equations.q)
    unforced = replace(equations, R=((),) * n, multipliers=(), route="null-space")
    try:
        found = completed(unforced, start).hidden
    except MathematicsError as error:
        return FreeMotion((), str(error))
    x = np.concatenate([[start.time], start.q, start.v, list(equations.parameters.values())]).astype(float)
    values = compiled(equations.inputs, [hidden.residual for hidden in found], "numpy")(x)
    return FreeMotion(tuple((hidden.text, float(value)) for hidden, value in zip(found, values, strict=True)))
