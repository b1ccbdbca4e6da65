"""General virtual displacements (WangGao (20), (21)): reactions along rows h that need not be those of the constraints.

    Σ_j h_γj(q̇, q, t) δq_j = 0,  γ = 1 … s                                              (20)
    d/dt ∂T/∂q̇_j − ∂T/∂q_j = Q_j + Σ_γ ν_γ h_γj                                         (21)
    [M −Hᵀ; G 0] [q̈; ν] = [Q − h; b]
The paper calls s = r complete; it also needs det(G M⁻¹Hᵀ) ≠ 0 (singular M: NᵀMZ regular, N = ker H, Z = ker G). Ranks
decide at the state (`constraint_models`): a condition that the rows cannot maintain becomes a hidden constraint, and
accelerations that they leave free are refused. If there are as many rows as nonholonomic constraints, they replace
those, and the holonomic ones keep their own. If there are as many as constraints, they replace all. Any other number of
rows stands alone.
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.equations import Matrix, Step
from dalembert.formalisms import shared, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display
from dalembert.language import mark, tr
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.system import System


class VirtualDisplacements(Formalism):
    id = "virtual-displacements"
    title = mark("General virtual displacements")
    paper = "WangGao (20), (21)"

    def refusal(self, system: System) -> str | None:
        if not system.rows:
            return tr('the model states no rows of virtual displacements ([virtual_displacements] rule = "rows")')
        if touching := (*system.model.contacts, *system.model.frictions):
            return tr(
                "the model has contacts or frictions ({names}), whose forces are known for Chetaev's rule only",
                names=", ".join(touching),
            )
        return None

    def dynamics(self, system: System) -> Dynamics:
        inertia, _ = lagrange(system)
        M, h = inertia.matrix, inertia.vector
        H, names = self.rows(system)
        R = tuple(tuple(row[j] for row in H) for j in range(system.size))
        return Dynamics(M, right_side(system.forces, h), symmetric=False, R=R, multipliers=names)

    @staticmethod
    def rows(system: System) -> tuple[Matrix, tuple[str, ...]]:
        """H, and the names of its multipliers."""
        constraints = system.constraints
        given = system.rows
        bent = [i for i, row in enumerate(constraints.rows) if row.kind != "holonomic"]
        if len(given) == len(constraints.rows):
            return given, constraints.names
        if len(given) == len(bent):
            own = dict(zip(bent, given, strict=True))
            return tuple(own.get(i, row) for i, row in enumerate(constraints.A)), constraints.names
        return given, tuple(f"row{i}" for i in range(1, len(given) + 1))

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        H = tuple(zip(*(dynamics.R or ()), strict=True))
        left = tuple(e + Q for e, Q in zip(shared.balance(system, dynamics), system.forces, strict=True))
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
            Step("Virtual displacements", r"\sum_j h_{\gamma j}\,\delta q_j = 0", "WangGao (20)", (("H", show(H)),)),
            *shared.constraint_rows(system, show, "Gb", r"G\ddot q = b = -(f_q\dot q + f_t)", "WangGao (9)"),
            replace(
                written_steps.with_multipliers(system, dynamics, show, "nu"),
                formula=r"L_j = Q_j + \sum_\gamma\nu_\gamma h_{\gamma j},\quad G\ddot q = b",
                locator="WangGao (21)",
                why="",
                note=mark("Complete where the matrix of q̈ and ν is regular; equal numbers of rows are not enough."),
            ),
        )
