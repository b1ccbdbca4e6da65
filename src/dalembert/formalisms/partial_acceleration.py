"""Long's partial accelerations: the coefficients of q̈ read off the accelerations themselves.

    a_i = Σ_r a_ir q̈_r + U_i,  a_ir = ∂a_i/∂q̈_r                         (12), (13)
    α_i = Σ_r α_ir q̈_r + k_i,  α_ir = ∂α_i/∂q̈_r                         (30), (31)
    L_r = Σ F·a_ir + T·α_ir                                              (16), (32)
    L_r* = Σ −m a_C·a_Cr − (Jα + ω×Jω)·α_r                               (17), (33)–(35)
    L_r + L_r* = 0                                                       (15)
(35) as printed has J_b − J_n in the τ-component; J_n − J_b is right, and what ω×Jω gives. F acts at its own point,
whose partial accelerations are those of the material point there. Constraints enter by q̈_dep = Σ C q̈_ind + E (10),
nonlinear ones too, through ∂q̈_dep/∂q̈_r; C and E are numbers, the dependent ones chosen by pivoting.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.equations import Step
from dalembert.formalisms import shared
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display, indexed, label, size
from dalembert.mechanics.algebra import Motion, Scalar, Triple, apply, cross, dot, is_null, plus, total
from dalembert.mechanics.bodies import BodyMotion
from dalembert.mechanics.elimination import Reduction, reduction
from dalembert.mechanics.forces import Load
from dalembert.mechanics.inertia import Inertia, add_energy
from dalembert.mechanics.system import System


@dataclass(frozen=True, slots=True)
class Accelerations:
    """A vector that is linear in q̈: its coefficients, and what is left at q̈ = 0."""

    full: Triple
    partial: dict[int, Triple]
    rest: Triple


def read_off(rate: Triple, motion: Motion) -> Accelerations:
    """The time derivative of a vector of q, q̇, t, with its coefficients of q̈ (13), (31)."""
    rest: Triple = tuple(motion.derivative(c) for c in rate)  # type: ignore[assignment]
    full: Triple = tuple(
        total([r, *(motion.slope(c, v) * a for v, a in zip(motion.v, motion.a, strict=True) if v in c.free_symbols)])
        for c, r in zip(rate, rest, strict=True)
    )  # type: ignore[assignment]
    partial = {}
    for r, a in enumerate(motion.a):
        column = tuple(motion.slope(c, a) for c in full)
        if not is_null(column):  # type: ignore[arg-type]
            partial[r] = column
    return Accelerations(full, partial, rest)  # type: ignore[arg-type]


class PartialAcceleration(Formalism):
    id = "partial-acceleration"
    title = "Partial accelerations"
    paper = "Long (15), (32)–(35)"

    def dynamics(self, system: System) -> Dynamics:
        inertia = Inertia(system.size)
        active: list[list[Scalar]] = [[f] for f in system.fields]
        skewed = False
        for body in system.bodies.values():
            a, alpha = self.accelerations(body, system)
            self.inertia_forces(inertia, body, a, alpha)
            skewed |= self.thrust(inertia, body, a)
            for load in system.loads:
                if load.body is body:
                    self.active_forces(active, load, a, system)
        add_energy(inertia, system.given_kinetic, system.motion)
        L = tuple(total(terms) for terms in active)
        return Dynamics(inertia.matrix, right_side(L, inertia.vector), symmetric=not skewed)

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        reduced = reduction(system, show)
        bodies = tuple(self.acceleration_step(body, system, reduced, show) for body in system.bodies.values())
        dependent = shared.dependent_speeds(system, reduced, ("Long (5)", "Long (10)"))
        equations = shared.equations_of_motion(system, dynamics, reduced, show, r"-(L_r + L_r^*) = 0", "Long (15)")
        if reduced is None:
            return (*dependent, *bodies, equations)
        a = system.motion.a
        inertial = tuple(-e - L for e, L in zip(shared.balance(system, dynamics), system.forces, strict=True))
        names = [system.motion.names[j] for j in reduced.choice.independent]
        L = [(indexed("L", name), show(e)) for name, e in zip(names, reduced.combined(system.forces), strict=True)]
        lefts = reduced.combined(inertial)
        inert = [(indexed("L^*", name), show.linear(e, a)) for name, e in zip(names, lefts, strict=True)]
        return (
            *dependent,
            *bodies,
            Step(
                "Generalized active forces",
                r"L_r = \sum F_i\cdot a_{ir} + T_i\cdot\alpha_{ir}",
                "Long (16), (32)",
                tuple(L),
            ),
            Step(
                "Generalized inertia forces, thrust included",
                r"L_r^* = -\sum m_i a_i\cdot a_{ir} - (J\alpha+\omega\times J\omega)\cdot\alpha_{ir}",
                "Long (17), (33)–(35)",
                tuple(inert),
            ),
            equations,
        )

    @staticmethod
    def accelerations(body: BodyMotion, system: System) -> tuple[Accelerations, Accelerations | None]:
        motion = system.motion
        velocity: Triple = tuple(motion.derivative(c) for c in body.centre.position)  # type: ignore[assignment]
        a = read_off(velocity, motion)
        if body.turning is None:
            return a, None
        alpha = read_off(body.turning.omega, motion)
        # The carrier turns with Ω: the true dω/dt has Ω × ω beside the derivative of the components.
        swing = cross(body.turning.attitude.omega, body.turning.omega)
        return a, Accelerations(plus(alpha.full, swing), alpha.partial, plus(alpha.rest, swing))

    @staticmethod
    def inertia_forces(inertia: Inertia, body: BodyMotion, a: Accelerations, alpha: Accelerations | None) -> None:
        for r, a_r in a.partial.items():
            inertia.add_force(r, body.mass * dot(a_r, a.rest))
            for s, a_s in a.partial.items():
                inertia.add(r, s, body.mass * dot(a_r, a_s))
        if alpha is None or body.turning is None:
            return
        J = body.turning.inertia
        moment = plus(apply(J, alpha.rest), body.turning.gyroscopic())
        for r, alpha_r in alpha.partial.items():
            inertia.add_force(r, dot(alpha_r, moment))
            for s, alpha_s in alpha.partial.items():
                inertia.add(r, s, dot(alpha_r, apply(J, alpha_s)))

    @staticmethod
    def thrust(inertia: Inertia, body: BodyMotion, a: Accelerations) -> bool:
        if not body.thrusts:
            return False
        for r, a_r in a.partial.items():
            push = dot(a_r, body.ejection)
            inertia.add_force(r, -push * body.mass_drift)
            for s, slope in enumerate(body.mass_slopes):
                inertia.add(r, s, -push * slope)
        return any(slope != 0 for slope in body.mass_slopes)

    @staticmethod
    def active_forces(active: list[list[Scalar]], load: Load, a: Accelerations, system: System) -> None:
        omega = system.lowering.attitude(load.body.name).omega_world
        turning = read_off(omega, system.motion) if not (is_null(load.arm) and is_null(load.torque)) else None
        for r, a_r in a.partial.items():
            active[r].append(dot(load.force, a_r))
        if turning is not None:
            for r, alpha_r in turning.partial.items():
                active[r].append(dot(load.force, cross(alpha_r, load.arm)) + dot(load.torque, alpha_r))

    def acceleration_step(self, body: BodyMotion, system: System, reduced: Reduction | None, show: Display) -> Step:
        """a, α and their coefficients of the independent q̈, in the axes of the body's carrier where that is shorter."""
        motion = system.motion
        choice = range(system.size) if reduced is None else reduced.choice.independent

        def shown(vector: Triple) -> tuple[Scalar, ...]:
            whole = vector if reduced is None else tuple(reduced.put_in(c) for c in vector)
            return tuple(show.linear(c, motion.a) for c in whole)

        def lines(letter: str, vector: tuple[Scalar, ...]) -> list[tuple[str, object]]:
            columns = [(motion.names[r], tuple(motion.slope(c, motion.a[r]) for c in vector)) for r in choice]
            found: list[tuple[str, object]] = [(indexed(letter, body.name), vector)]
            return found + [
                (f"{letter}_{{{label(body.name)},{label(name)}}}", show(column)) for name, column in columns
            ]

        a, alpha = self.accelerations(body, system)
        world, local = shown(a.full), shown(system.lowering.carrier(body.name).local(a.full))
        turned = sum(size(c) for c in local) < sum(size(c) for c in world)
        results = lines("a", local if turned else world)
        if alpha is not None:
            results += lines("\\alpha", shown(alpha.full))
        axes = "a in the axes of the body less its spin" if turned else "a in inertial axes"
        return Step(
            f"Accelerations and partial accelerations of {body.name}",
            r"a_{ir} = \partial a_i/\partial\ddot q_r,\quad \alpha_{ir} = \partial\alpha_i/\partial\ddot q_r",
            "Long (12), (13), (30), (31)",
            tuple(results),
            axes + ("" if alpha is None else ", α in the axes of the body less its spin") + ".",
        )
