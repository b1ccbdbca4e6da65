"""ZhangMei's equations of Boltzmann–Hamel type in quasi-velocities, with reactions.

    d/dt ∂T*/∂π_ρ − ∂T*/∂π̄_ρ + Σ_s ∂T*/∂π_s Σ_r (d/dt ∂π_s/∂q̇_r − ∂π_s/∂q_r) ∂q̇_r/∂π_ρ = P*_ρ          (2.7)
and = P*_β + R_β for the held ones                                                                        (2.8)
with the bracket around the whole difference (the print misplaces it). π is the quasi-velocity (the print's π̇), and
∂T*/∂π̄_ρ := Σ_r ∂T*/∂q_r ∂q̇_r/∂π_ρ. The last quasi-velocities are the constraints' residuals, φ̇ for a holonomic φ; they
may be nonlinear. With J = ∂π/∂q̇, k = J⁻¹ and δ = (∂π/∂q)q̇ + ∂π/∂t the same equations are, in numbers,

    kᵀMk π̇ = kᵀ(Q − h + M k δ)
The rows and columns of held quasi-velocities (π̇ = 0) are deleted, and R is recovered from the deleted rows. γ is for
reading only.
"""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.equations import Matrix, Step
from dalembert.formalisms import quasi_steps, shared, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display, indexed
from dalembert.language import mark
from dalembert.mechanics import variable_mass
from dalembert.mechanics.algebra import ZERO, Scalar, Symbols, dot, total
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.quasi import Inverted, hamel_coefficients, quasi_velocities
from dalembert.mechanics.system import System


class BoltzmannHamel(Formalism):
    id = "boltzmann-hamel"
    title = mark("Equations of Boltzmann–Hamel type")
    paper = "ZhangMei (2.7), (2.8)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = lagrange(system)
        quasi, notes = quasi_velocities(system)
        d = right_side(system.forces, inertia.vector)
        return Dynamics(inertia.matrix, d, symmetric=not skewed, route="quasi", quasi=quasi, notes=notes)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        assert dynamics.quasi is not None
        show = Display()
        quasi = dynamics.quasi
        energy, masses = variable_mass.frozen_energy(system)
        turned, T = quasi_steps.in_quasi_velocities(system, quasi, show, energy)
        return (
            shared.kinetic_energy(system, show, ""),
            *quasi_steps.first_steps(quasi, turned, show, system, ("ZhangMei (2.2)", "")),
            *(
                (written_steps.with_multipliers(system, dynamics, show),)
                if turned is None
                else self.own(system, dynamics, turned, T, masses, show)
            ),
        )

    @staticmethod
    def own(
        system: System,
        dynamics: Dynamics,
        turned: Inverted,
        T: Scalar,
        masses: Mapping[Scalar, Scalar],
        show: Display,
    ) -> tuple[Step, ...]:
        """γ, the forces, T* with the given masses, and the equations."""
        quasi = dynamics.quasi
        assert quasi is not None
        P = shared.acting(
            system, show, tuple(turned.put_in(dot(system.forces, c)) for c in zip(*turned.k, strict=True))
        )
        gamma = tuple(
            tuple(show.quadratic(turned.put_in(e), turned.pi) for e in row)
            for row in hamel_coefficients(quasi, turned.k, system.motion)
        )
        named = zip(system.motion.names, shared.acting(system, show, system.forces), strict=True)
        forces = (
            *((indexed("Q", name), Q) for name, Q in named),
            *((indexed("P^*", name), p) for name, p in zip(quasi.names, P, strict=True)),
        )
        coefficients = Step(
            "Coefficients of Hamel",
            r"\gamma_{s\rho} = \sum_r\left(\frac{d}{dt}\frac{\partial\pi_s}{\partial\dot q_r}"
            r"-\frac{\partial\pi_s}{\partial q_r}\right)\frac{\partial\dot q_r}{\partial\pi_\rho}",
            "ZhangMei (2.7)",
            ((r"\gamma", gamma),),
        )
        generalized = Step(
            "Generalized forces", r"P^*_\rho = \sum_r Q_r\,\partial\dot q_r/\partial\pi_\rho", "ZhangMei (2.6)", forces
        )
        if not turned.speeds:
            lefts = quasi_steps.combined(shared.balance(system, dynamics), turned)
            equations = Step("Equations of motion", EQUATIONS, "ZhangMei (2.7), (2.8)", note=quasi_steps.NONLINEAR)
            return coefficients, generalized, equations, quasi_steps.quasi_written(system, lefts, quasi, turned, show)
        free = len(quasi.names) - quasi.held
        push = variable_mass.written(variable_mass.thrust(system), system.motion)
        thrusts = [turned.put_in(dot(push, c)) for c in zip(*turned.k, strict=True)]
        if turned.letters:
            inertial = [e + Q for e, Q in zip(shared.balance(system, dynamics), system.forces, strict=True)]
            lefts = [e + t for e, t in zip(quasi_steps.combined(inertial, turned), thrusts, strict=True)]
        else:
            lefts = [e.subs(masses) for e in BoltzmannHamel.left_sides(system.motion, turned, T, gamma)]
        still = dict.fromkeys((*turned.pi[free:], *turned.rates[free:]), ZERO)
        results = []
        for i, (name, left, thrust) in enumerate(zip(quasi.names, lefts, thrusts, strict=True)):
            letter = indexed("P^*", name) + (" + " + indexed("R", name) if i >= free else "")
            results.append((letter, show.linear((left - thrust).subs(still), turned.rates, turned.pi)))
        energy = (("T^*", T.subs(masses)),)
        return (
            Step("Kinetic energy in quasi-velocities", quasi_steps.TRANSFORMED, "ZhangMei (2.6)", energy),
            coefficients,
            generalized,
            Step(
                "Equations of motion",
                EQUATIONS,
                "ZhangMei (2.7), (2.8)",
                tuple(results),
                quasi_steps.by_letters(turned),
            ),
            quasi_steps.quasi_written(
                system,
                [e - t - p for e, t, p in zip(lefts, thrusts, P, strict=True)],
                quasi,
                turned,
                show,
                leading="own",
            ),
        )

    @staticmethod
    def left_sides(motion: Symbols, turned: Inverted, T: Scalar, gamma: Matrix) -> list[Scalar]:
        """The left sides of (2.7) and (2.8) from T*(q, π, t) and γ, with nothing held."""
        slopes = [T.diff(p) for p in turned.pi]
        along = [turned.put_in(g) for g in motion.gradient(T, motion.q)]
        lefts = []
        for rho, slope in enumerate(slopes):
            column = [row[rho] for row in turned.k]
            rate = [
                *(slope.diff(p) * dp for p, dp in zip(turned.pi, turned.rates, strict=True)),
                *(slope.diff(q) * turned.speeds[v] for q, v in zip(motion.q, motion.v, strict=True)),
                slope.diff(motion.t),
            ]
            lefts.append(total([*rate, -dot(along, column), dot(slopes, [row[rho] for row in gamma])]))
        return lefts


EQUATIONS = (
    r"\frac{d}{dt}\frac{\partial T^*}{\partial\pi_\rho}-\sum_r\frac{\partial T^*}{\partial q_r}"
    r"\frac{\partial\dot q_r}{\partial\pi_\rho}+\sum_s\frac{\partial T^*}{\partial\pi_s}\gamma_{s\rho}"
    r" = P^*_\rho\ (+R_\rho)"
)
