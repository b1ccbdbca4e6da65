"""The vakonomic model (WangGao (12)): stationary action of L + Σ λ_α f_α, an initial value problem in (q, q̇, λ).

    d/dt ∂T/∂q̇_j − ∂T/∂q_j = Q_j + Σ_α [λ_α (∂f_α/∂q_j − d/dt ∂f_α/∂q̇_j) − λ̇_α ∂f_α/∂q̇_j]          (12)
With W = M + Σ λ_α f_α,vv and b = −(f_q v + f_t):

    [W Gᵀ; G 0] [v̇; λ̇] = [Q − h − Σ λ_α (f_α,vq v + f_α,vt − f_α,q); b]
Holonomic constraints keep algebraic multipliers, as in (8). Regular iff G has full rank and ZᵀWZ is regular, Z = ker G
(`constraint_models.regularity`). The constraint force, regarded as a control force, is the bracket of (12). (12)
follows from Hamilton's principle only if Q has a potential; the equations are formed for any Q.
"""

from __future__ import annotations

from dataclasses import replace

import symengine as se

from dalembert.equations import Matrix, Row, Step
from dalembert.formalisms import shared, written_steps
from dalembert.formalisms.base import Dynamics, Formalism
from dalembert.formalisms.display import Display, indexed
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import ZERO, Scalar, dot, total
from dalembert.mechanics.forces import gravity_varies
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.system import System


class Vakonomic(Formalism):
    id = "vakonomic"
    title = mark("The vakonomic model")
    paper = "WangGao (12)"

    def refusal(self, system: System) -> str | None:
        if touching := (*system.model.contacts, *system.model.frictions):
            return tr(
                "the model has contacts or frictions ({names}), whose forces are known for Chetaev's rule only",
                names=", ".join(touching),
            )
        return None

    def dynamics(self, system: System) -> Dynamics:
        rows = system.constraints.rows
        inertia, skewed = lagrange(system)
        bent = [i for i, row in enumerate(rows) if row.kind != "holonomic"]
        flat = [i for i, row in enumerate(rows) if row.kind == "holonomic"]
        lam = [se.Symbol(f"lambda[{rows[i].name}]") for i in bent]
        slopes: list[Matrix] = []
        rests: list[Row] = []
        for i, multiplier in zip(bent, lam, strict=True):
            slope, rest = self.control_force(system, rows[i].residual, system.constraints.A[i], multiplier)
            slopes.append(slope)
            rests.append(rest)
        n = system.size
        W = tuple(tuple(total([inertia.matrix[j][k], *(-E[j][k] for E in slopes)]) for k in range(n)) for j in range(n))
        d = tuple(total([system.forces[j], -inertia.vector[j], *(e[j] for e in rests)]) for j in range(n))
        A = system.constraints.A
        R = tuple((*(-A[i][j] for i in bent), *(A[i][j] for i in flat)) for j in range(n))
        empty: Matrix = ((ZERO,) * n,) * n
        return Dynamics(
            W,
            d,
            symmetric=False,
            R=R,
            multipliers=tuple(rows[i].name for i in (*bent, *flat)),
            z=tuple(lam),
            reaction_rest=tuple((*(e[j] for e in rests), *(ZERO for _ in flat)) for j in range(n)),
            reaction_slope=(*slopes, *(empty for _ in flat)),
            notes=self.caution(system, skewed),
        )

    @staticmethod
    def control_force(system: System, f: Scalar, gradient: Row, multiplier: Scalar) -> tuple[Matrix, Row]:
        """λ (f_q − d/dt f_v) as E q̈ + e: E = −λ f_vv, e = λ (f_q − f_vq v − f_vt)."""
        motion = system.motion
        slope = tuple(tuple(-multiplier * c for c in motion.gradient(g, motion.v)) for g in gradient)
        along = motion.gradient(f, motion.q)
        rest = tuple(multiplier * (s - motion.derivative(g)) for s, g in zip(along, gradient, strict=True))
        return slope, rest

    @staticmethod
    def caution(system: System, skewed: bool) -> tuple[str, ...]:
        model = system.model
        holonomic = [row.name for row in system.constraints.rows if row.kind == "holonomic"]
        found = [
            tr("the multiplier of {name} is solved for and not taken from [multipliers], as it is holonomic", name=name)
            for name in model.multipliers
            if name in holonomic
        ]
        pulled = model.forces or gravity_varies(model, system.lowering)
        if system.dissipation != 0 or pulled or skewed or system.varying_masses:
            found.append(tr("WangGao (12) follows from Hamilton's principle only where the forces have a potential"))
        return tuple(found)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        bent = [row for row in system.constraints.rows if row.kind != "holonomic"]
        forces = tuple(
            (indexed("Q^c", name), show.linear(e, self.unknown(system, dynamics)))
            for name, e in zip(system.motion.names, self.control_forces(system, dynamics), strict=True)
        )
        left = tuple(e + Q for e, Q in zip(self.without(system), system.forces, strict=True))
        return (
            shared.kinetic_energy(system, show, "WangGao (1)"),
            shared.forces(system, show, "Q", shared.POWER, "WangGao (1)"),
            shared.left_sides(
                system,
                show,
                left,
                "L",
                r"L_j = \frac{d}{dt}\frac{\partial T}{\partial\dot q_j}-\frac{\partial T}{\partial q_j}",
                "WangGao (1)",
                tr("Lagrange's left sides"),
            ),
            Step(
                "Constraints",
                r"f_\alpha(\dot q,q,t) = 0",
                "WangGao (9)",
                tuple((indexed("f", row.name), show(row.residual)) for row in system.constraints.rows),
            ),
            Step(
                "Constraint force, seen as a control force",
                r"Q^c_j = \sum_\alpha\left[\lambda_\alpha\left(\frac{\partial f_\alpha}{\partial q_j}"
                r"-\frac{d}{dt}\frac{\partial f_\alpha}{\partial\dot q_j}\right)"
                r"-\dot\lambda_\alpha\frac{\partial f_\alpha}{\partial\dot q_j}\right]",
                "WangGao (12)",
                forces,
                "" if bent else tr("All constraints are holonomic: their multipliers are those of Lagrange."),
            ),
            replace(
                written_steps.with_multipliers(system, dynamics, show),
                title=mark("Equations of motion, with the multipliers as further states"),
                formula=r"L_j = Q_j + Q^c_j,\quad \frac{d}{dt}f_\alpha = 0",
                locator="WangGao (12)",
                note=mark(
                    "The equations are regular where G = ∂f/∂q̇ has full rank and W = M + Σ_α λ_α ∂²f_α/∂q̇², the "
                    "matrix of q̈ above, is regular on the kernel of G. The value of λ at the start is free."
                ),
            ),
        )

    @staticmethod
    def unknown(system: System, dynamics: Dynamics) -> tuple[Scalar, ...]:
        """q̈ and λ̇."""
        names = dynamics.multipliers or ()
        return (*system.motion.a, *(se.Symbol(f"lambda[{name}]'") for name in names[: len(dynamics.z)]))

    @staticmethod
    def without(system: System) -> Row:
        """Lagrange's left side minus Q, without constraint forces."""
        inertia, _ = lagrange(system)
        rows = zip(inertia.matrix, inertia.vector, system.forces, strict=True)
        return tuple(dot(row, system.motion.a) + h - Q for row, h, Q in rows)

    @staticmethod
    def control_forces(system: System, dynamics: Dynamics) -> Row:
        """Q^c: the additional terms of the vakonomic rows compared with Lagrange's."""
        names = dynamics.multipliers or ()
        nu = [se.Symbol(f"lambda[{name}]" + ("'" if i < len(dynamics.z) else "")) for i, name in enumerate(names)]
        whole = shared.balance(system, dynamics)
        plain = Vakonomic.without(system)
        R = dynamics.R or ()
        return tuple(p - w + dot(row, nu) for p, w, row in zip(plain, whole, R, strict=True))
