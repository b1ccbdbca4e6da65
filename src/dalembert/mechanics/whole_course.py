"""The whole-course description in symbols: the ingredients of the auxiliary system, and the models that have one.

ZhangMei section 3. The gap becomes a coordinate, and the speeds become quasi-velocities of three kinds:

    q₁ = g = f q_p + r,   f and r free of q_p
    π = (ψ_A, ψ_B, Zᵀ D q̇)     ψ_A: the gap's rate and the rates that an impact reverses;  ψ_B: the rates that it
    keeps;  Z = ker [A; B]
    V = 1 for ψ_A, 0 for the others (3.1)

An impact acts along the rows A and B alone, so Zᵀ D q̇ is continuous. Sliding contacts keep their momentum and not
their slip, so (3.1) is true for C_β ≠ 0 as well. Constraints must be linear in the speeds.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.equations import Equations, Matrix, Row, Scalar, Unilateral
from dalembert.errors import Fault, ModelError
from dalembert.language import tr
from dalembert.mechanics.algebra import ZERO, Symbols


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """The auxiliary system's ingredients. Rows are those of the constraints, then those of `Unilateral`."""

    place: int  # p, the coordinate that the gap replaces
    factor: Scalar  # f
    rest: Scalar  # r
    reversed_rows: tuple[int, ...]  # the gap first
    kept_rows: tuple[int, ...]  # kept in every mode
    rolling_rows: dict[int, tuple[int, ...]]  # kept while that friction rolls
    A: Matrix  # gradients of all these rows, in this order
    offset: Row  # ψ at q̇ = 0
    A_rate: Matrix
    D: Matrix
    D_rate: Matrix

    @property
    def rows(self) -> tuple[int, ...]:
        return (*self.reversed_rows, *self.kept_rows, *(i for rows in self.rolling_rows.values() for i in rows))


def auxiliary(eq: Equations) -> Auxiliary:
    """Return the auxiliary system of a model with one contact. A ModelError names the precondition that fails."""
    u = eq.unilateral
    if u is None or len(u.contacts) != 1:
        count = 0 if u is None else len(u.contacts)
        raise _refused(
            "simulation",
            "description",
            tr("there must be one contact, and the model has {count}", count=count)
            if count
            else tr("there must be one contact, and the model has none"),
        )
    motion, bilateral = Symbols(eq.coordinates), len(eq.b)
    contact = u.contacts[0]
    _check(eq, u, motion)
    place, factor, rest = _gap(u, motion)
    reversed_rows = tuple(bilateral + i for i in (contact.gap, *contact.reverses))
    kept = [*range(bilateral), *(bilateral + i for friction in u.frictions for i in friction.held)]
    rolling: dict[int, tuple[int, ...]] = {}
    for j, friction in enumerate(u.frictions):
        slips = tuple(bilateral + i for i in friction.slips)
        if contact.law == "zhang-mei":
            kept += slips
        elif friction.constraint is not None:
            rolling[j] = slips
    rows = (*reversed_rows, *kept, *(i for some in rolling.values() for i in some))
    all_rows, psi = (*eq.A, *u.A), (*eq.psi, *u.psi)
    A = tuple(all_rows[i] for i in rows)
    at_rest = dict.fromkeys(motion.v, ZERO)
    return Auxiliary(
        place=place,
        factor=factor,
        rest=rest,
        reversed_rows=reversed_rows,
        kept_rows=tuple(kept),
        rolling_rows=rolling,
        A=A,
        offset=tuple(psi[i].subs(at_rest) for i in rows),
        A_rate=_rates(A, motion),
        D=eq.D,
        D_rate=_rates(eq.D, motion),
    )


def _check(eq: Equations, u: Unilateral, motion: Symbols) -> None:
    contact = u.contacts[0]
    for friction in u.frictions:
        if friction.contact is not None:
            raise _refused(
                "contacts" if friction.name == contact.name else "frictions",
                f"{friction.name}.slip",
                tr(
                    "the contact must have no friction of its own: whether it sticks or slips in an impact "
                    "is decided by Coulomb's cone, which no change of sign describes; state what is "
                    "reversed in `reverses`"
                ),
            )
    if {motion.t, *motion.q, *motion.v} & contact.restitution.free_symbols:
        raise _refused("contacts", f"{contact.name}.restitution", tr("the restitution must be a constant"))
    for row in eq.constraints:
        if row.kind == "nonlinear":
            raise _refused(
                "constraints",
                row.name,
                tr(
                    "constraints must be linear in the speeds: an impact changes the direction in which a "
                    "nonlinear one reacts, so what that direction leaves continuous before it is not so after"
                ),
            )
    if any(motion.has_speeds(entry) for row in eq.D for entry in row):
        raise _refused("bodies", "", tr("the inertia must not depend on speeds: momenta would not be linear in them"))


def _gap(u: Unilateral, motion: Symbols) -> tuple[int, Scalar, Scalar]:
    """Choose a coordinate in which the gap is linear; one with a constant factor is preferred."""
    linear = [
        (bool({motion.t, *motion.q} & slope.free_symbols), place)
        for place, slope in enumerate(u.phi_q[0])
        if slope != 0 and motion.q[place] not in slope.free_symbols
    ]
    if not linear:
        raise _refused(
            "contacts",
            f"{u.contacts[0].name}.gap",
            tr(
                "the gap must be linear in at least one coordinate, which it replaces (q₁ = |q₁*|); "
                "choose coordinates of which one measures the gap"
            ),
        )
    place = min(linear)[1]
    return place, u.phi_q[0][place], u.phi[0].subs({motion.q[place]: ZERO})


def _rates(matrix: Matrix, motion: Symbols) -> Matrix:
    return tuple(tuple(motion.derivative(entry) if entry != 0 else ZERO for entry in row) for row in matrix)


def _refused(table: str, key: str, reason: str) -> ModelError:
    return ModelError(
        [
            Fault(
                table,
                key,
                None,
                tr('description = "whole-course" does not apply: {reason}; use "segmented"', reason=reason),
            )
        ]
    )
