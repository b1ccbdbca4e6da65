"""A model with contacts as C++ text for threads that step it in registers (engine/contact/bounce.hpp).

The type `Stepping` has the programs of every mode: accelerations, corrections, guards, everything that decides about
the next mode, and the impact of each contact. A model with too many modes, or too long programs, uses the full loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from dalembert.equations import Equations
from dalembert.motions.inlined import Places, method, program_body, stepping_head
from dalembert.motions.native import Native
from dalembert.motions.unilateral import HybridSystem
from dalembert.motions.written import LARGEST_M, LARGEST_N, MOST_MODES
from dalembert.programs.functions import Function
from dalembert.programs.impacts import can_strike, strike
from dalembert.programs.independent import turns_with_speeds
from dalembert.programs.modes import ContactMode, guards_in, is_plain, kept_in, modes, series_in, slopes_in, survey_in
from dalembert.programs.program import Program

DEAREST = 3000  # price of an evaluation in all modes together, in sums: all are compiled for every stage
BRIEF = 400  # the same, below which each stage has its own copy


@dataclass(frozen=True)
class Bouncing:
    """The programs of a model's modes, in their order."""

    equations: Equations
    modes: tuple[ContactMode, ...]
    uniform: bool  # accelerations are constant in every mode
    own: Function | None  # guards of the model

    @property
    def quadratic(self) -> bool:
        """Whether every guard is a parabola in time."""
        return self.uniform and self.own is None

    @cached_property
    def slopes(self) -> list[Program]:
        return [slopes_in(self.equations, mode) for mode in self.modes]

    @property
    def price(self) -> int:
        return sum(program.price for program in self.slopes)


def bouncing_of(hybrid: HybridSystem, own: Function | None) -> Bouncing | None:
    """The programs of a model with contacts, or None if it must use the full loop."""
    eq, system = hybrid.equations, hybrid.system
    if hybrid.kinks is not None or eq.varying or eq.masses or system.k or system.signals:
        return None
    if len(eq.q) > LARGEST_N or len(eq.b) > LARGEST_M or turns_with_speeds(system.equations):
        return None  # an impact with rows that depend on speeds is not a linear problem
    u, every = eq.touching, tuple(islice(modes(eq), MOST_MODES + 1))
    turning = any(len(friction.slips) > 1 for friction in u.frictions)  # forces turn with a slip in a plane
    found = Bouncing(eq, every, hybrid.is_uniform and not turning, own)
    plain = len(every) <= MOST_MODES and all(is_plain(eq, mode) for mode in every)
    return found if plain and found.price <= DEAREST else None


def bouncing_text(native: Native, found: Bouncing) -> str:
    """The type `Stepping`."""
    eq, u, counts = found.equations, found.equations.touching, native.struct.counts
    n, parameters = len(eq.q), counts.parameters
    contacts, frictions, own = len(u.contacts), len(u.frictions), counts.guards
    known = 1 + 2 * n + parameters
    statuses = ", ".join(str(status) for mode in found.modes for status in (*mode.contacts, *mode.frictions)) or "0"

    position, velocity = ([kept_in(eq, mode, rates) for mode in found.modes] for rates in (False, True))
    how = "void" if found.price <= BRIEF else "APART void"
    strikes = {
        (m, i): strike(eq, i) for m, mode in enumerate(found.modes) for i in range(contacts) if can_strike(eq, mode, i)
    }

    def switched(
        name: str, programs: Sequence[Program | None], how: str = "void", places: Places | None = None
    ) -> list[str]:
        lines = [f"    HD {how} {name}(const double* in, double* out) const {{", "        switch (mode) {"]
        for m, program in enumerate(programs):
            body = none(n) if program is None else program_body(program, places=places)
            lines += [f"        case {m}: {{", *body, "        } break;"]
        return [*lines, "        }", "    }"]

    def directed(i: int) -> str:
        """Inputs after x: directions and sides of frictions, then natural sizes, which are after x in the engine."""
        if i < known:
            return f"in[{i}]"
        i -= known
        if i < 2 * frictions:
            return f"{'along' if i < frictions else 'side'}[{i % frictions}]"
        return f"in[{known + i - 2 * frictions}]"

    flags = {"REDUCED": False, "QUADRATIC": found.quadratic}
    lines = [
        f"TABLE int THE_STATUSES[] = {{{statuses}}};",
        *stepping_head(native, 2 * n, any(position) + 2 * any(velocity), flags),
        f"    static constexpr int CONTACTS = {contacts}, FRICTIONS = {frictions}, OWN = {own};",
        f"    static constexpr int MODES = {len(found.modes)};",
        "    HD static constexpr bool idle(int) { return false; }",
        "    int mode = 0;",
        f"    double along[{frictions + 1}], side[{frictions + 1}], rebound = 1.0;",
        *switched("slopes", found.slopes, how, directed),
        *switched("correct_position", position),
        *switched("correct_velocity", velocity),
        *switched("guards_of_mode", [guards_in(eq, mode) for mode in found.modes], "void", directed),
        *switched("survey", [survey_in(eq, mode) for mode in found.modes], "APART void", directed),
        *switched("series", [series_in(eq, mode) for mode in found.modes] if found.quadratic else [], "void", directed),
        *method("own", None if found.own is None else found.own.program),
        "    HD APART void seen(const double* in, double* out) const {",
        "        own(in, out);",
        f"        guards_of_mode(in, out + {own});",
        "    }",
        "    HD APART bool strike(int contact, const double* in, double* out) const {",
        f"        switch (mode * {max(contacts, 1)} + contact) {{",
    ]
    for (m, i), program in strikes.items():
        rebounds = program_body(program, places=lambda i: "rebound" if i == known else f"in[{i}]")
        lines += [f"        case {m * max(contacts, 1) + i}: {{", *rebounds, "            return true;", "        }"]
    lines += ["        }", "        return false;", "    }", "};", "}  // namespace dalembert", ""]
    return "\n".join(lines)


def none(n: int) -> list[str]:
    """A correction without rows: no change, no residual."""
    return [f"        UNROLL for (int i = 0; i < {n + 2}; ++i) out[i] = 0.0;", f"        out[{n + 2}] = 1.0;"]
