"""Gibbs–Appell equations: the energy of accelerations differentiated by q̈.

    S = Σ ½ m a·a + ½ α·Jα + α·(ω×Jω)  (terms without q̈ left out),     ∂S/∂q̈_r = Q_r
S is quadratic in q̈; its second derivatives are the mass matrix. For an energy T given without bodies, S has
½ q̈ᵀT_q̇q̇ q̈ + q̈ᵀ(T_q̇q q̇ + T_q̇t − T_q). Thrust ṁu is among the Q, with its q̈ part on the left.
Gibbs, Am. J. Math. 2 (1879) 49; Appell, C. R. Acad. Sci. 129 (1899) 317.
"""

from __future__ import annotations

from dalembert.equations import Step
from dalembert.formalisms import shared, speed_steps, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display, indexed
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import HALF, Scalar, apply, dot, total
from dalembert.mechanics.basis import chosen_basis
from dalembert.mechanics.bodies import BodyMotion
from dalembert.mechanics.inertia import Inertia, add_energy, add_thrust
from dalembert.mechanics.system import System


class GibbsAppell(Formalism):
    id = "gibbs-appell"
    title = mark("Gibbs–Appell equations")
    paper = "Gibbs (1879), Appell (1899)"

    def dynamics(self, system: System) -> Dynamics:
        motion = system.motion
        inertia = Inertia(system.size)
        rest = dict.fromkeys(motion.a, 0)
        for body in system.bodies.values():
            S = self.acceleration_energy(body, system)
            slopes = {r: motion.slope(S, a) for r, a in enumerate(motion.a) if a in S.free_symbols}
            for r, slope in slopes.items():
                inertia.add_force(r, slope.subs(rest))
                for s in slopes:
                    if s >= r:
                        inertia.add_symmetric(r, s, motion.slope(slope, motion.a[s]))
        add_energy(inertia, system.given_kinetic, motion)
        skewed = add_thrust(inertia, system.bodies.values())
        return Dynamics(inertia.matrix, right_side(system.forces, inertia.vector), symmetric=not skewed)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        basis = chosen_basis(system, show)
        shares = [(body.name, self.acceleration_energy(body, system)) for body in system.bodies.values()]
        slopes = tuple(e + Q for e, Q in zip(shared.balance(system, dynamics), system.forces, strict=True))
        pushed = any(body.thrusts for body in system.bodies.values())
        return (
            Step(
                "Energy of accelerations",
                r"S = \sum\tfrac12 m a^2 + \tfrac12\alpha\cdot J\alpha + \alpha\cdot(\omega\times J\omega)",
                "Appell",
                tuple((indexed("S", name), show(S)) for name, S in shares),
            ),
            shared.left_sides(
                system,
                show,
                slopes,
                "S",
                r"\partial S/\partial\ddot q_r",
                "Appell",
                tr("Its derivatives, less the thrust") if pushed else tr("Its derivatives"),
            ),
            shared.forces(system, show, "Q", "Q_r", "Appell"),
            *speed_steps.basis_steps(system, basis, show, {}),
            *written_steps.equations_of_motion(
                system,
                dynamics,
                basis,
                show,
                tr(r"\partial S/\partial\ddot q_r - Q_r = 0 \text{ for independent } \ddot q_r"),
                "Appell",
            ),
        )

    @staticmethod
    def acceleration_energy(body: BodyMotion, system: System) -> Scalar:
        a = body.centre.acceleration(system.motion)
        terms = [HALF * body.mass * dot(a, a)]
        if body.turning is not None:
            alpha = body.turning.acceleration(system.motion)
            terms += [HALF * dot(alpha, apply(body.turning.inertia, alpha)), dot(alpha, body.turning.gyroscopic())]
        return total(terms)
