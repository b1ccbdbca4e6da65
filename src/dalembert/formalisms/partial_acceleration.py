"""Long's partial accelerations: the coefficients of q̈, read from the accelerations themselves.

    a_i = Σ_r a_ir q̈_r + U_i,  a_ir = ∂a_i/∂q̈_r                         (12), (13)
    α_i = Σ_r α_ir q̈_r + k_i,  α_ir = ∂α_i/∂q̈_r                         (30), (31)
    L_r = Σ F·a_ir + T·α_ir                                              (16), (32)
    L_r* = Σ −m a_C·a_Cr − (Jα + ω×Jω)·α_r                               (17), (33)–(35)
    L_r + L_r* = 0                                                       (15)
(35) as printed has J_b − J_n in the τ-component; J_n − J_b is right, and follows from ω×Jω. F acts at its own point,
whose partial accelerations are those of the material point there. Constraints enter by q̈_dep = Σ C q̈_ind + E (10),
nonlinear ones too, through ∂q̈_dep/∂q̈_r. C and E are numbers, and the dependent accelerations are chosen by pivoting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.equations import Step
from dalembert.formalisms import shared, speed_steps, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display, indexed, label, size
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import Scalar, Symbols, Triple, apply, cross, dot, is_null, plus, total
from dalembert.mechanics.basis import Basis, chosen_basis
from dalembert.mechanics.bodies import BodyMotion
from dalembert.mechanics.forces import Load
from dalembert.mechanics.inertia import Inertia, add_energy
from dalembert.mechanics.system import System


@dataclass(frozen=True, slots=True)
class Accelerations:
    """A vector that is linear in q̈: its coefficients, and its rest at q̈ = 0."""

    full: Triple
    partial: dict[int, Triple]
    rest: Triple


@dataclass(frozen=True, slots=True)
class ShownBody:
    """The accelerations of one body in the form in which they are shown."""

    body: BodyMotion
    a: Triple
    turned: bool  # a is in the axes of the body without its spin
    alpha: Triple | None
    omega: Triple | None


def read_off(rate: Triple, motion: Symbols) -> Accelerations:
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
    title = mark("Partial accelerations")
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
        basis = chosen_basis(system, show)
        dependent = speed_steps.basis_steps(system, basis, show, PLACES)
        equations = written_steps.equations_of_motion(
            system, dynamics, basis, show, r"-(L_r + L_r^*) = 0", "Long (15)", "first"
        )
        shown = [self.shown(body, system, basis, show) for body in system.bodies.values()]
        bodies = [step for body in shown for step in self.acceleration_steps(body, system, basis, show)]
        forces = (self.active_force_step(shown, system, show), self.inertia_force_step(shown, show))
        if basis is None:
            return (*dependent, *bodies, *forces, *equations)
        inertial = tuple(-e - L for e, L in zip(shared.balance(system, dynamics), system.forces, strict=True))
        acting = shared.acting(system, show, basis.combined(system.forces))
        L = [(indexed("L", name), e) for name, e in zip(basis.names, acting, strict=True)]
        lefts = basis.combined(inertial)
        inert = [
            (indexed("L^*", name), show.linear(e, basis.rates, basis.values))
            for name, e in zip(basis.names, lefts, strict=True)
        ]
        return (
            *dependent,
            *self.coefficients(system, basis),
            *bodies,
            forces[0],
            Step("Generalized active forces", ACTIVE, "Long (16), (32)", tuple(L)),
            forces[1],
            Step(_inertial_title(system), INERTIAL, "Long (17), (33)", tuple(inert), key="inertial"),
            *equations,
        )

    @staticmethod
    def coefficients(system: System, basis: Basis) -> tuple[Step, ...]:
        """C and E of (5) and (10), one by one."""
        reduced = basis.reduced
        if reduced is None or not reduced.choice.rows or reduced.letters:
            return ()
        names = system.motion.names
        found = [
            (f"C_{{{label(names[r])},{label(names[s])}}}", c)
            for s, row in zip(reduced.choice.dependent, reduced.C, strict=True)
            for r, c in zip(reduced.choice.independent, row, strict=True)
        ]
        found += [(indexed("E", names[s]), e) for s, e in zip(reduced.choice.dependent, reduced.E, strict=True)]
        formula = r"E_s = \dot D_s + \sum_r\dot C_{r,p+s}\,\dot q_r"
        return (Step("Coefficients of the constraints", formula, "Long (5), (10)", tuple(found)),)

    @staticmethod
    def accelerations(body: BodyMotion, system: System) -> tuple[Accelerations, Accelerations | None]:
        motion = system.motion
        velocity: Triple = tuple(motion.derivative(c) for c in body.centre.position)  # type: ignore[assignment]
        a = read_off(velocity, motion)
        if body.turning is None:
            return a, None
        alpha = read_off(body.turning.omega, motion)
        # The carrier turns with Ω: the true dω/dt is the derivative of the components plus Ω × ω.
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

    def shown(self, body: BodyMotion, system: System, basis: Basis | None, show: Display) -> ShownBody:
        """a, α, ω of one body as shown: in the axes of the body without its spin if that is shorter."""
        rates = system.motion.a if basis is None else basis.rates

        def written(vector: Triple) -> Triple:
            whole = vector if basis is None else tuple(basis.put_in(c) for c in vector)
            return tuple(show.linear(c, rates, () if basis is None else basis.values) for c in whole)  # type: ignore

        a, alpha = self.accelerations(body, system)
        world, local = written(a.full), written(system.lowering.carrier(body.name).local(a.full))
        turned = sum(size(c) for c in local) < sum(size(c) for c in world)
        omega = None if body.turning is None else written(body.turning.omega)
        return ShownBody(
            body, local if turned else world, turned, None if alpha is None else written(alpha.full), omega
        )

    def acceleration_steps(
        self, shown: ShownBody, system: System, basis: Basis | None, show: Display
    ) -> tuple[Step, ...]:
        """a = Σ a_r q̈_r + U and α = Σ α_r q̈_r + k with their coefficients."""
        body = shown.body
        rates = system.motion.a if basis is None else basis.rates
        names = system.motion.names if basis is None or len(basis.names) != len(rates) else basis.names

        def lines(letter: str, rest: str, vector: Triple) -> list[tuple[str, object]]:
            found: list[tuple[str, object]] = [(indexed(letter, body.name), vector)]
            for name, rate in zip(names, rates, strict=True):
                column = show(tuple(system.motion.slope(c, rate) for c in vector))
                found.append((f"{letter}_{{{label(body.name)},{label(name)}}}", column))
            still = dict.fromkeys(rates, 0)
            found.append((indexed(rest, body.name), show(tuple(c.subs(still) for c in vector))))
            return found

        axes = tr(AXES) if shown.turned else tr("Components in inertial axes.")
        steps = [
            Step(
                tr("Acceleration and partial accelerations of {name}", name=body.name),
                r"a_i = \sum_r a_{ir}\ddot q_r + U_i,\quad a_{ir} = \partial a_i/\partial\ddot q_r",
                "Long (12), (13)",
                tuple(lines("a", "U", shown.a)),
                axes,
                key=f"accelerations of {body.name}",
            )
        ]
        if shown.alpha is not None:
            steps.append(
                Step(
                    tr("Angular acceleration and partial angular accelerations of {name}", name=body.name),
                    r"\alpha_i = \sum_r\alpha_{ir}\ddot q_r + k_i,\quad \alpha_{ir} = \partial\alpha_i/\partial\ddot "
                    r"q_r",
                    "Long (30), (31)",
                    ((indexed(r"\omega", body.name), shown.omega), *lines(r"\alpha", "k", shown.alpha)),
                    tr(AXES),
                    key=f"turning of {body.name}",
                )
            )
        return tuple(steps)

    @staticmethod
    def active_force_step(shown: Sequence[ShownBody], system: System, show: Display) -> Step:
        """F and T of every body from [gravity] and [forces], in the axes of its acceleration."""
        results: list[tuple[str, object]] = []
        for body in shown:
            loads = [load for load in system.loads if load.body.name == body.body.name]
            carrier = system.lowering.carrier(body.body.name)
            for load in loads:
                force = carrier.local(load.force) if body.turned else load.force
                letter = "F" if len(loads) == 1 else f"F^{{{label(load.name)}}}"
                if not is_null(load.force):
                    results.append((indexed(letter, body.body.name), show(force)))
                if not is_null(load.torque):
                    results.append(
                        (indexed(letter.replace("F", "T"), body.body.name), show(carrier.local(load.torque)))
                    )
        note = "" if results else tr("No forces act on the bodies themselves.")
        return Step("Active forces", "", "Long (14), (32)", tuple(results), note)

    @staticmethod
    def inertia_force_step(shown: Sequence[ShownBody], show: Display) -> Step:
        """F* = −m a and T* = −(Jα + ω×Jω) of every body."""
        results: list[tuple[str, object]] = []
        for body in shown:
            mass = body.body.mass
            results.append((indexed("F^*", body.body.name), show(tuple(-mass * c for c in body.a))))
            if body.alpha is not None and body.omega is not None and body.body.turning is not None:
                J = body.body.turning.inertia
                moment = plus(apply(J, body.alpha), cross(body.omega, apply(J, body.omega)))
                results.append((indexed("T^*", body.body.name), show(tuple(-c for c in moment))))
        formula = r"F^*_i = -m_i a_i,\quad T^*_i = -(J\alpha+\omega\times J\omega)"
        return Step("Inertia forces and couples", formula, "Long (34), (35)", tuple(results))


def _inertial_title(system: System) -> str:
    if any(body.thrusts for body in system.bodies.values()):
        return mark("Generalized inertia forces, thrust included")
    return mark("Generalized inertia forces")


PLACES = {"speeds": "Long (5)", "accelerations": "Long (10)", "index": "{r,p+s}"}
AXES = mark("Components in the axes of the body less its spin.")
ACTIVE = r"L_r = \sum F_i\cdot a_{ir} + T_i\cdot\alpha_{ir}"
INERTIAL = r"L_r^* = \sum F^*_i\cdot a_{ir} + T^*_i\cdot\alpha_{ir}"
