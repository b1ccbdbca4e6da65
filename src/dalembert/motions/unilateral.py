"""A compiled system with contacts and frictions, and the names of its reported quantities."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from copy import copy
from functools import cached_property

import numpy as np

from dalembert.equations import ConstraintRow, Equations, Unilateral
from dalembert.errors import Fault, ModelError
from dalembert.language import tr
from dalembert.motions.accelerations import redundant_rows, solved
from dalembert.motions.kinked import Kinked, kinked
from dalembert.motions.laws import appended, extended, law_expressions, layout
from dalembert.motions.scales import natural_sizes
from dalembert.programs.functions import FEW_TIMES, OFTEN, compiled
from dalembert.programs.modes import USUAL, ContactMode, rows_in
from dalembert.programs.system import CompiledSystem

TOUCHING = 1e-12  # a gap smaller than this, relative to its terms, counts as zero
RESTING = 1e-11  # a rate smaller than this, relative to its terms, counts as zero
CONTACT_WORDS, FRICTION_WORDS = ("open", "closed"), ("off", "stick", "slip")  # by status (programs.modes)


def still(speeds: np.ndarray) -> np.ndarray:
    """The speed that counts as zero compared with these."""
    return 1e-11 * np.maximum(np.abs(speeds).max(axis=-1, initial=0.0), 1e-3)


class HybridSystem:
    """A compiled system with contacts and frictions. Their rows come after those of the constraints."""

    def __init__(self, eq: Equations, level: int = OFTEN):
        if eq.R is not None:
            raise ModelError(
                "contacts and frictions need Chetaev's rule, which {method} does not have; use another method",
                method=eq.method,
            )
        self.equations, self.unilateral, self.laws = eq, eq.touching, layout(eq)
        self.system = CompiledSystem(extended(eq), level=level)
        self.function = compiled(eq.inputs, law_expressions(eq.touching))
        self.contact_labels, self.friction_labels = labels({row.name for row in eq.constraints}, eq.touching)

    def valued(self, values: Iterable[float]) -> HybridSystem:
        """The same compiled system at other values of the parameters."""
        other = copy(self)
        other.system = self.system.valued(values)
        return other

    @property
    def kinks(self) -> Kinked | None:
        """The kinks, and the functions on their branches."""
        return kinked(self.system, self.function, law_expressions(self.unilateral))

    @property
    def is_uniform(self) -> bool:
        """Whether D, d, A, b and the coefficients and pressing forces of frictions depend on parameters alone."""
        first, last = len(self.unilateral.psi), len(self.unilateral.psi) + 3 * len(self.unilateral.frictions)
        parts = self.system.dynamics.program, self.function.program.selected(range(first, last))
        return not self.system.signals and not any(i <= self.system.size for part in parts for i in part.reads())

    def speeds(self, x: np.ndarray) -> np.ndarray:
        n = self.system.n
        return x[..., 1 + n : 1 + 2 * n]

    def natural(self, x: np.ndarray, duration: float = 1.0) -> np.ndarray:
        """Natural sizes at x, with the accelerations under the constraints alone."""
        free = solved(self.system, x, self.system.dynamics(x), range(self.laws.bilateral))
        return natural_sizes(self.system, x, np.nan_to_num(free.a[0]), duration)

    def gaps(self, x: np.ndarray) -> np.ndarray:
        first = self.laws.holonomic
        return self.system.position(x)[first : first + self.laws.contacts]

    @cached_property
    def forces(self) -> dict[str, int]:
        """The forces of contacts and frictions by their reported names, with their rows of A."""
        found = {label: self.laws.bilateral + i for i, label in enumerate(self.contact_labels)}
        for own, label in zip(self.laws.of_friction, self.friction_labels, strict=True):
            dot = "" if label.endswith(".slip") else "."
            found |= {numbered(label, dot, i, own.slip_count): row for i, row in enumerate(own.slips)}
            found |= {numbered(f"{label}.held", "", i, own.held_count): row for i, row in enumerate(own.held)}
        return found

    def words(self, modes: np.ndarray) -> dict[str, np.ndarray]:
        """Modes in words: open, closed; off, stick, slip. A column for every contact, then for every friction."""
        contacts = self.laws.contacts
        found = {name: np.array(CONTACT_WORDS)[modes[..., i]] for i, name in enumerate(self.contact_labels)}
        return found | {
            name: np.array(FRICTION_WORDS)[modes[..., contacts + j]] for j, name in enumerate(self.friction_labels)
        }

    def active_rows(self, mode: np.ndarray) -> list[int]:
        """The active rows of A in a mode, which has a status for every contact, then for every friction."""
        contacts, frictions = np.split(mode, [self.laws.contacts])
        return rows_in(self.equations, ContactMode(tuple(contacts), tuple(frictions)))

    def checked(self, x: np.ndarray) -> CompiledSystem | None:
        """The constraints on a motion from x besides the model's own, or None. Impossible gaps are refused."""
        self.check_start(x)
        return self.kept_from_the_start(x)

    def kept_from_the_start(self, x: np.ndarray) -> CompiledSystem | None:
        """The constraints with the rows that frictions hold, or that never slip while touching; None without any."""
        u, laws = self.unilateral, self.laws
        rates = self.system.velocity(x)[laws.bilateral : laws.bilateral + laws.contacts]
        gap_terms, rate_terms = self._terms(x)
        closed = (np.abs(self.gaps(x)) <= TOUCHING * gap_terms) & (np.abs(rates) <= RESTING * rate_terms)
        rows = {
            row: f"{label}.{'held' if row in friction.held else 'rough'}"
            for friction, label in zip(u.frictions, self.friction_labels, strict=True)
            if friction.contact is None or closed[friction.contact]
            for row in (*friction.held, *(friction.slips if friction.rough else ()))
        }
        if not rows:
            return None

        def made() -> CompiledSystem:
            A, b, psi = ([part[row] for row in rows] for part in (u.A, u.b, u.psi))
            also = [ConstraintRow(name, "linear", u.psi[row]) for row, name in rows.items()]
            more = appended(self.equations, A=A, b=b, psi=psi, constraints=also)
            return CompiledSystem(more, level=FEW_TIMES)

        return self.system.once(("kept", *rows), made).valued(self.system.parameters)

    def check_start(self, x: np.ndarray) -> None:
        """Refuse a start that no motion can have: a gap below zero or without motion, or an unknown pressing force."""
        message = tr("the gap is {:.6g} at the start; it must not be negative: begin at a distance, or touching")
        faults = [
            Fault(*_stated(contact.name), None, message.format(gap))
            for contact, gap, terms in zip(self.unilateral.contacts, self.gaps(x), self._terms(x)[0], strict=True)
            if gap < -TOUCHING * terms
        ]
        rows = list(range(self.laws.bilateral))
        faults = faults or [
            self.contradicted(i) for i in range(self.laws.contacts) if self._bound(x, [*rows, self.laws.bilateral + i])
        ]
        faults = faults or [
            self._open(friction.name, friction.constraint)
            for friction in self.unilateral.frictions
            if friction.constraint is not None
            and self._bound(x, [*(row for row in rows if row != friction.constraint), friction.constraint])
        ]
        if faults:
            raise ModelError(faults)

    def _terms(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sizes of the terms of gaps, and of the terms of their rates."""
        system, laws, n = self.system, self.laws, self.system.n
        sizes = natural_sizes(system, x, np.zeros(n), 1.0)[: 2 * n]
        q, v = np.split(np.maximum(np.abs(x[1 : 1 + 2 * n]), USUAL * sizes), 2)
        phi_q = system.position(x)[system.mh :].reshape(system.mh, n)[laws.holonomic :]
        A = system.velocity(x)[system.m :].reshape(system.m, n)[laws.bilateral : laws.bilateral + laws.contacts]
        return np.abs(phi_q[: laws.contacts]) @ q, np.abs(A) @ v

    def contradicted(self, i: int) -> Fault:
        """The fault of a contact whose gap the constraints determine."""
        message = tr(
            "the constraints leave this gap no motion of its own, so no force can keep it open; "
            "leave out the contact, or the constraint that it repeats"
        )
        return Fault(f"contacts.{self.unilateral.contacts[i].name}", "gap", None, message)

    def _open(self, name: str, row: int) -> Fault:
        """The fault of a friction that a redundant constraint presses."""
        message = tr(
            "{name} follows from other constraints, so its own share of their reaction is not determined; leave out "
            "the others, or give the pressing force",
            name=self.equations.constraints[row].name,
        )
        return Fault(f"frictions.{name}", "normal", None, message)

    def _bound(self, x: np.ndarray, rows: list[int]) -> bool:
        """Whether the last row depends on the others, here and nearby: at one state it may do so by chance."""
        n, last = self.system.n, len(rows) - 1
        if not last:
            return False
        sizes = np.maximum(np.abs(x[1 : 1 + 2 * n]), natural_sizes(self.system, x, np.zeros(n), 1.0)[: 2 * n])
        for k in range(4):
            near = x.copy()
            near[1 : 1 + 2 * n] += 0.01 * k * np.cos(1.0 + k + np.arange(2 * n)) * sizes
            A = self.system.unpacked(self.system.dynamics(near))[2][rows] * sizes[:n]
            if not np.isfinite(A).all() or last not in redundant_rows(A):
                return False
        return True


def labels(constraints: Collection[str], u: Unilateral) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The reported names of contacts and of frictions: their own, unless taken. A contact's friction is NAME.slip."""
    contacts = tuple(f"contacts.{c.name}" if c.name in constraints else c.name for c in u.contacts)
    frictions: list[str] = []
    for friction in u.frictions:
        label = friction.name
        if friction.contact is not None and label == u.contacts[friction.contact].name:
            label = f"{contacts[friction.contact]}.slip"
        taken = label in constraints or label in contacts or label in frictions
        frictions.append(f"frictions.{friction.name}" if taken else label)
    return contacts, tuple(frictions)


def numbered(label: str, point: str, c: int, dim: int) -> str:
    return label if dim == 1 else f"{label}{point}{c + 1}"


def _stated(contact: str) -> tuple[str, str]:
    """The table and key of a contact. One with a dot in its name is the limit of a joint."""
    joint, dot, _ = contact.rpartition(".")
    return (f"joints.{joint}", "limits") if dot else (f"contacts.{contact}", "gap")
