"""Sun's normalized Routh equations: the multipliers are decoupled, and the equations of motion are free of them.

    (Ṗ − ∂T/∂q)ᵀ [B] = Qᵀ [B] + [σᵀ 0]                  (2.1), with the ∂T/∂q that the print omits
    [B] = [[D] [C]],  [D] = [0; A₂⁻¹],  [C] = [I; −A₂⁻¹A₁],   A = ∂F/∂q̇ = [A₁ A₂],  A D = I,  A C = 0
P is differentiated before it is multiplied by B. Group I, the first s columns, gives the reactions σ of the released
constraints F_β(q, q̇, t) = 0 one by one; group II, the rest, the motion:

    I    σ = Dᵀ(M q̈ + h − Q)
    II   CᵀMC q̈₁ = Cᵀ(Q − h − M D c),   q̈ = C q̈₁ + D c,   c = −(F_q q̇ + F_t)
Numerically the dependent columns are chosen by pivoting at every state. All constraints stay in F; those whose
reactions are requested count as released. For f(q, t) = 0, F = ḟ. σ is the force along F_β if F_β is a relative
velocity with unit coefficients: scaling F by c divides σ by c.
"""

from __future__ import annotations

import symengine as se

from dalembert.equations import Matrix, Step
from dalembert.errors import MathematicsError
from dalembert.formalisms import shared, speed_steps, written_steps
from dalembert.formalisms.base import Dynamics, Formalism, right_side
from dalembert.formalisms.display import Display, indexed, label, size, spoken
from dalembert.language import mark, tr
from dalembert.mechanics.algebra import ONE, ZERO, Scalar, dot
from dalembert.mechanics.elimination import (
    Reduction,
    choose,
    inverse,
    matrix_product,
    numbers,
    reduction,
    sample_state,
)
from dalembert.mechanics.exact_start import exact_start, inexact
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.roots import without_roots
from dalembert.mechanics.system import System

EQUATIONS = (
    r"\left(\dot P - \frac{\partial T}{\partial q}\right)^{\mathsf T}[B]"
    r" = \{Q\}^{\mathsf T}[B] + [\{\sigma\}^{\mathsf T}\ 0]"
)

LARGEST_EXACT = 8  # coordinates
LONGEST_EXACT = 100  # operations of a value; longer ones are not shown


class NormalizedRouth(Formalism):
    id = "normalized-routh"
    title = mark("Normalized Routh equations")
    paper = "Sun (2.1)"

    def dynamics(self, system: System) -> Dynamics:
        inertia, skewed = lagrange(system)
        d = right_side(system.forces, inertia.vector)
        return Dynamics(inertia.matrix, d, symmetric=not skewed, route="normalized-routh")

    def steps(self, system: System, dynamics: Dynamics, released: tuple[str, ...]) -> tuple[Step, ...]:
        show = Display()
        constraints, names = system.constraints, system.motion.names
        if 0 < len(released) < len(constraints.rows):
            smaller = self.released_steps(system, dynamics, released, show)
            if smaller is not None:
                return smaller
        reduced = reduction(system, show)
        P = system.motion.gradient(system.kinetic, system.motion.v)
        rates = tuple(
            (indexed("F", row.name), show(F)) for row, F in zip(constraints.rows, constraints.psi, strict=True)
        )
        return (
            *((Step("Constraints", r"F_\beta(q,\dot q,t) = 0", "Sun, step 2", rates),) if rates else ()),
            *self.factor(system, reduced, show),
            shared.forces(system, show, "Q", shared.POWER, "Sun, step 3"),
            shared.kinetic_energy(system, show, "Sun, step 3"),
            Step(
                "Generalized momenta",
                r"\{P\} = \frac{\partial T}{\partial\dot q}",
                "Sun, step 3",
                tuple((indexed("p", name), show(p)) for name, p in zip(names, P, strict=True)),
                tr("Masses that vary are not differentiated in what follows: their thrust is among the forces.")
                if system.varying_masses
                else "",
            ),
            *self.groups(system, dynamics, reduced, show, released),
        )

    @staticmethod
    def released_steps(
        system: System, dynamics: Dynamics, released: tuple[str, ...], show: Display
    ) -> tuple[Step, ...] | None:
        """Sun's method for the requested constraints only: the others are absorbed first, so that [B] is no larger than
        necessary.

        With q̇ = k u by the kept constraints, F_β(q, k u + l, t) has the derivatives A k by u, and Routh's rows are
        kᵀ(M q̈ + h − Q). None if the elimination would be too long to read.
        """
        constraints, motion = system.constraints, system.motion
        asked = [i for i, row in enumerate(constraints.rows) if row.name in released]
        kept = reduction(system.with_constraints([i for i in range(len(constraints.rows)) if i not in asked]), show)
        if kept is None:
            return None
        names = [motion.names[j] for j in kept.choice.independent]
        A = show(tuple(tuple(dot(constraints.A[i], c) for c in zip(*kept.k, strict=True)) for i in asked))
        state = sample_state(system)
        for symbol, meaning in kept.letters.items():  # a letter may contain those before it
            state[symbol] = float(meaning.subs(state))
        choice = choose(numbers(A, state), list(reversed(range(len(names)))))
        A1, A2 = choice.split(A)
        inverted = inverse(A2, state, show)
        if inverted is None or len(choice.rows) < len(asked):
            return None
        inverted = show(inverted)
        C = show(tuple(tuple(-e for e in row) for row in matrix_product(inverted, A1)))
        below = dict(zip(choice.dependent, zip(inverted, C, strict=True), strict=True))
        nothing = (ZERO,) * len(asked)
        B = tuple(
            (*below[j][0], *below[j][1])
            if j in below
            else (*nothing, *(ONE if j == i else ZERO for i in choice.independent))
            for j in range(len(names))
        )
        left = kept.combined(shared.balance(system, dynamics))
        rates = tuple(motion.a[j] for j in kept.choice.independent)
        columns = list(zip(*B, strict=True))
        first = tuple(
            (indexed(r"\sigma", constraints.rows[i].name), show.linear(dot(left, c), rates))
            for i, c in zip(asked, columns, strict=False)
        )
        second = tuple(("0", show.linear(dot(left, c), rates)) for c in columns[len(asked) :])
        F = tuple((indexed("F", constraints.rows[i].name), show(kept.put_in(constraints.psi[i]))) for i in asked)
        rows = [kept.put_in(dot(constraints.A[i], motion.a) - constraints.b[i]) for i in asked]
        absorbed = [row.name for i, row in enumerate(constraints.rows) if i not in asked]
        return (
            Step(
                "Constraints that are kept",
                r"\dot q = k\,u + l",
                "Sun, step 1",
                tuple((label(str(v)), e) for v, e in {**kept.letters, **kept.written}.items()),
                tr(
                    "Not asked for, and absorbed: {absorbed}. Coordinates left: {names}.",
                    absorbed=", ".join(absorbed),
                    names=", ".join(map(spoken, names)),
                ),
            ),
            Step("Constraints that are released", r"F_\beta(q,\dot q,t) = 0", "Sun, step 2", F),
            Step(
                "Derivatives of the constraints",
                r"[A_1\ A_2] = \frac{\partial F}{\partial\dot q},\quad |A_2|\ne 0",
                "Sun, step 2",
                (("[A_1]", A1), ("[A_2]", A2), ("[A_2]^{-1}", inverted)),
                tr("Columns of A₂: {dependent}.", dependent=", ".join(spoken(names[j]) for j in choice.dependent)),
            ),
            Step(
                "Normalizing factor",
                r"[B] = [[D]\ [C]],\quad [D] = [0;\ A_2^{-1}],\quad [C] = [I;\ -A_2^{-1}A_1]",
                "Sun, step 2",
                (("[B]", B),),
                tr(
                    "Rows in the order {names}: {count}×{count}, as small as the question.",
                    names=", ".join(map(spoken, names)),
                    count=len(names),
                ),
            ),
            shared.forces(system, show, "Q", shared.POWER, "Sun, step 3"),
            shared.kinetic_energy(system, show, "Sun, step 3"),
            Step("Group I: the reactions", EQUATIONS, "Sun (2.1)", first),
            Step("Group II: the motion", EQUATIONS, "Sun (2.1)", second),
            Step(
                "Constraints of the accelerations",
                r"\dot F_\beta = 0",
                "Sun, step 5",
                tuple(("0", show.linear(e, rates)) for e in rows),
            ),
        )

    @staticmethod
    def factor(system: System, reduced: Reduction | None, show: Display) -> tuple[Step, ...]:
        """[A₁], [A₂], [A₂]⁻¹ and the normalizing factor [B]."""
        if not system.constraints.rows:
            return ()
        if reduced is None:
            return (Step("Normalizing factor", r"[B] = [[D]\ [C]]", "Sun, step 2", note=shared.TOO_LONG),)
        A1, A2 = reduced.choice.split(system.constraints.A)
        names = system.motion.names
        dependent = ", ".join(spoken(names[j]) for j in reduced.choice.dependent)
        order = tr("Columns of A₂: {dependent}.", dependent=dependent)
        left_out = [system.constraints.rows[i].name for i in reduced.choice.redundant]
        note = order + (" " + tr(shared.LEFT_OUT, names=", ".join(left_out)) if left_out else "")
        return (
            Step(
                "Derivatives of the constraints",
                r"[A_1\ A_2] = \frac{\partial F}{\partial\dot q},\quad |A_2|\ne 0",
                "Sun, step 2",
                (("[A_1]", show(A1)), ("[A_2]", show(A2)), ("[A_2]^{-1}", reduced.inverse)),
                note,
            ),
            Step(
                "Normalizing factor",
                r"[B] = [[D]\ [C]],\quad [D] = [0;\ A_2^{-1}],\quad [C] = [I;\ -A_2^{-1}A_1]",
                "Sun, step 2",
                (*NormalizedRouth.letters(reduced, of_C=True), ("[B]", NormalizedRouth.B(reduced))),
                tr("Rows in the order {names}.", names=", ".join(map(spoken, names))),
            ),
        )

    @staticmethod
    def letters(reduced: Reduction, of_C: bool) -> tuple[tuple[str, Scalar], ...]:
        """The meaning of the letters that stand for long entries of C, or of those in q̈ = C q̈₁ + E."""
        wanted = [(symbol, e) for symbol, e in reduced.letters.items() if str(symbol).startswith("C[") == of_C]
        return tuple((label(str(symbol)), e) for symbol, e in wanted)

    @staticmethod
    def B(reduced: Reduction) -> Matrix:
        return tuple((*d, *c) for d, c in zip(reduced.D, reduced.k, strict=True))

    @staticmethod
    def groups(
        system: System, dynamics: Dynamics, reduced: Reduction | None, show: Display, released: tuple[str, ...]
    ) -> tuple[Step, ...]:
        if reduced is None:
            together = Step("Groups I and II", EQUATIONS, "Sun (2.1)", note=shared.TOO_LONG)
            return (together, written_steps.with_multipliers(system, dynamics, show, "sigma"))
        a, rows = system.motion.a, system.constraints.rows
        left = shared.balance(system, dynamics)
        columns = zip(reduced.choice.rows, zip(*reduced.D, strict=True), strict=True)
        first = [(indexed(r"\sigma", rows[i].name), dot(left, c)) for i, c in columns if rows[i].name in released]
        second = [("0", dot(left, c)) for c in zip(*reduced.k, strict=True)]
        accelerations = tuple((label(str(s)), e) for s, e in reduced.accelerations.items())
        rest = NormalizedRouth.letters(reduced, of_C=False)
        formula = r"\ddot q = [C]\ddot q_1 + " + (r"E,\quad E = [D]c" if rest else "[D]c")
        told = speed_steps.BY_ROWS if any(name.startswith(r"\beta") for name, _ in rest) else ""
        steps = [
            Step("Group I: the reactions", EQUATIONS, "Sun (2.1)", tuple((n, show.linear(e, a)) for n, e in first)),
            Step("Group II: the motion", EQUATIONS, "Sun (2.1)", tuple((n, show.linear(e, a)) for n, e in second)),
            Step("Constraints of the accelerations", formula, "Sun, step 5", (*rest, *accelerations), told),
        ]
        steps += NormalizedRouth.at_the_start(system, first, [e for _, e in second], reduced, show)
        return tuple(step for step in steps if step.results)

    @staticmethod
    def at_the_start(
        system: System,
        first: list[tuple[str, Scalar]],
        second: list[Scalar],
        reduced: Reduction,
        show: Display,
    ) -> tuple[Step, ...]:
        """Both groups at the initial state, then accelerations and reactions, if all is exact and the system small."""
        dependent = reduced.accelerations
        a, free = system.motion.a, [s for s in system.motion.a if s not in dependent]
        if len(a) > LARGEST_EXACT:
            return ()
        try:
            at = exact_start(system)
        except MathematicsError:
            return ()
        whole = (*(e for _, e in first), *second, *dependent.values())
        parts = [reduced.without_letters(se.sympify(e)).subs(at) for e in whole]
        parts = [without_roots(e, system.parameters) for e in parts]
        if any(inexact(e) or e.atoms(se.RealDouble) for e in parts):
            return ()
        bound = dict(zip(dependent, parts[len(first) + len(second) :], strict=True))
        rows = [e.subs(bound) for e in parts[len(first) : len(first) + len(second)]]
        slopes = tuple(tuple(se.expand(e).diff(s) for s in free) for e in rows)
        found = inverse(slopes, {**sample_state(system), **system.parameters}, show) if free else ()
        if found is None:
            return ()
        still = dict.fromkeys(free, ZERO)
        known = {s: show(-dot(row, [e.subs(still) for e in rows])) for s, row in zip(free, found, strict=True)}
        known |= {s: show(e.subs(known)) for s, e in bound.items()}
        reactions = zip(first, parts[: len(first)], strict=True)
        values = (
            *((label(str(s)), known[s]) for s in a),
            *((name, show(se.expand(e.subs(known)))) for (name, _), e in reactions),
        )
        if any(size(e) > LONGEST_EXACT for _, e in values):
            return ()
        sigma = {indexed(r"\sigma", row.name): se.Symbol(f"sigma[{row.name}]") for row in system.constraints.rows}
        told = [(e.subs(bound), sigma[name]) for (name, _), e in zip(first, parts, strict=False)]
        lines = tuple(
            (show.linear(e - e.subs(still), free), show(unknown - e.subs(still)))
            for e, unknown in (*told, *((e, ZERO) for e in rows))
        )
        return (
            Step("Equations at the start", "", "Sun, step 5", lines, key="at the start"),
            Step("Values at the start", "", "Sun, step 5", values, key="start"),
        )
