"""The part `free` of `analyze`: the set of states from which the constraints need no force (WangGao (13)–(17)).

    Φ₀ = f,  Φ_{k+1} = dΦ_k/dt along a_f = M⁻¹(Q − h):    free from a state iff every Φ_k vanishes there

The paper's (17) is Φ₁ = 0 alone. `ideals` finds the set in symbols, in a child process with a time limit: first with
the values of the parameters, which decides, then with their names. Where units exist in which all parameters are 1
(`units`), one run gives both. If that fails, Newton's method searches for states in the set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import symengine as se

from dalembert.analysis.algebra.alphabet import Alphabet
from dalembert.analysis.algebra.child import bounded
from dalembert.analysis.algebra.ideals import Invariant, decomposed
from dalembert.analysis.algebra.rings import InRings
from dalembert.analysis.exact.series import Digits
from dalembert.analysis.free.chain import Unforced, chain, state, unforced
from dalembert.analysis.free.sampling import Chains, is_free, placed, sampled
from dalembert.analysis.question import Limit, Question
from dalembert.constraint_models.samples import initial, samples
from dalembert.equations import Equations
from dalembert.errors import MathematicsError
from dalembert.formalisms import derive
from dalembert.language import tr
from dalembert.mechanics.algebra import Symbols
from dalembert.mechanics.readable import readable
from dalembert.programs.functions import FEW_TIMES
from dalembert.programs.system import system_of
from dalembert.report.dialects import Language, Latex, Terminal
from dalembert.results.free import Component, Condition, Free

ORDER = 8  # order of the chain in the test of one state
VANISHES = 1e-9
LONGEST = 60_000  # largest number of characters of the equations


def free(question: Question) -> Free:
    """Find the states from which the constraints need no force."""
    record = question.record
    eq = derive(record, "chetaev")
    notes = (tr("Contacts and frictions are left out: this is about the constraints."),) if eq.unilateral else ()
    if not eq.constraints:
        return Free(True, True, (), (), (), notes=notes)
    system = system_of(derive(record, "chetaev", numeric=True), level=FEW_TIMES)
    X = samples(system, initial(record))
    n = system.n
    with Digits():
        places = [state(eq, x[0], x[1 : 1 + n], x[1 + n : 1 + 2 * n]) for x in X]
        rows = unforced(eq, places[-1])
        numbers = chain(rows, places[0], ORDER)
        size = 1.0 + max(abs(float(c)) for c in places[0].values())
        here = all(abs(float(c)) <= VANISHES * size ** (k + 1) for k, phi in enumerate(numbers) for c in phi)
        values = tuple(float(max(phi, key=abs)) for phi in numbers[:4])
        start = {symbol: float(number) for symbol, number in places[0].items()}
        answer, why = _answered(eq, rows, start, question.limit)
        parts, unseen, more = (
            (None, 0, ()) if answer is None else _components(eq, answer, rows, X[0][0], question.limit)
        )
        if answer is None or parts is None:
            states, tried = sampled(rows, places, question.limit)
            why = why or tr("what was found did not stand the test by numbers")
            said = tr(
                "The set was not worked out in symbols: {why}. States in it were looked for from {tried} starts.",
                why=why,
                tried=tried,
            )
            return Free(here, False, (), (), values, states, tried, notes=(*notes, said))
    first = tuple(map(_condition, answer.first))
    if rows.singular:
        more = (*more, tr("The mass matrix is singular; where the constraints do not make up for it, nothing is said."))
    return Free(here, answer.always, parts, first, values, unseen=unseen, notes=(*notes, *more))


def _answered(eq: Equations, rows: Unforced, start: Mapping[Any, float], limit: Limit) -> tuple[Invariant | None, str]:
    """The decomposition in the names of the model, or None and the reason."""
    try:
        problem, alphabet = _problem(eq, rows, start)
    except MathematicsError as error:
        return None, str(error)
    if problem is None:
        return None, tr("the equations are too long")
    found, why = bounded(decomposed, problem, seconds=0.7 * limit.left)
    return (None, why) if found is None else (_translated(found, alphabet), "")


def _translated(found: Invariant, alphabet: Alphabet) -> Invariant:
    def words(e: Any) -> Any:
        return readable(se.sympify(e).subs(alphabet.back))

    components = tuple(tuple(map(words, c)) for c in found.components)
    return Invariant(components, found.always, tuple(map(words, found.first)), found.symbolic)


def _problem(eq: Equations, rows: Unforced, start: Mapping[Any, float]) -> tuple[InRings | None, Alphabet]:
    """The whole problem in letters, as SymPy's expressions."""
    import sympy

    alphabet = Alphabet(Symbols(eq.coordinates), start)
    matrices = [*(e for row in (*rows.rows, *rows.spare) for e in row), *rows.right, *rows.spare_right]
    every = [*matrices, *eq.phi, *eq.psi]
    if sum(len(str(e)) for e in every) > LONGEST:
        return None, alphabet
    alphabet.look_at(every)

    def letters(entries: Any) -> tuple[Any, ...]:
        return tuple(sympy.sympify(alphabet(e)) for e in entries)

    matrix = tuple(letters(row) for row in rows.rows)
    spare = tuple(letters(row) for row in rows.spare)
    right, spare_right = letters(rows.right), letters(rows.spare_right)
    conditions = letters((*eq.phi, *eq.psi))
    constants = {s: float(number) for s, number in eq.parameters.items()}
    put = dict(eq.parameters)
    for letter in alphabet.constants:
        constants[letter] = float(alphabet.back[letter].subs(put))
    rates = dict(zip(eq.q, eq.v, strict=True)) | {eq.t: se.Integer(1)} | alphabet.rates
    held = set().union(
        *(e.free_symbols for row in (*matrix, *spare) for e in row),
        *(e.free_symbols for e in (*right, *spare_right, *conditions)),
        *(sympy.sympify(e).free_symbols for e in (*alphabet.relations, *alphabet.rates.values())),
        {sympy.sympify(v) for v in eq.v},
    )
    moving = [*eq.v, *eq.q, eq.t, *(s for s in alphabet.back if s not in alphabet.constants)]
    problem = InRings(
        letters=tuple(sympy.sympify(s) for s in moving if sympy.sympify(s) in held),
        constants=tuple((sympy.sympify(s), number) for s, number in constants.items() if sympy.sympify(s) in held),
        speeds=tuple(sympy.sympify(s) for s in eq.v),
        accelerations=tuple(sympy.sympify(s) for s in alphabet.motion.a),
        rates=tuple((sympy.sympify(s), sympy.sympify(e)) for s, e in rates.items() if sympy.sympify(s) in held),
        matrix=matrix,
        right=right,
        spare=spare,
        spare_right=spare_right,
        relations=tuple(sympy.sympify(e) for e in alphabet.relations),
        conditions=conditions,
        positive=tuple(sympy.sympify(e) for e in alphabet.positive),
        pairs=tuple((sympy.sympify(s), sympy.sympify(c)) for s, c in alphabet.pairs),
    )
    return problem, alphabet


def _components(
    eq: Equations, found: Invariant, rows: Unforced, time: float, limit: Limit
) -> tuple[tuple[Component, ...] | None, int, tuple[str, ...]]:
    """Components with real states, and the number of those without. None if the test of a state fails."""
    parts, unseen, chains = [], 0, Chains(rows)
    for generators in found.components:
        size, y = placed(eq, (*generators, *eq.psi, *eq.phi), limit)
        if y is None:
            unseen += 1
            continue
        if not is_free(chains, y, time):
            return None, 0, ()
        parts.append(Component(tuple(map(_condition, generators)), size))
    letters = found.symbolic or not eq.parameters
    notes = (
        []
        if letters
        else [
            tr("The conditions are those for the parameters' values; with letters they take too long, or are others.")
        ]
    )
    return tuple(parts), unseen, tuple(notes)


def _condition(e: Any) -> Condition:
    text = Language()(e)
    if text.startswith("-"):
        e = -e
    return Condition(Language()(e), Terminal()(e), Latex()(e))
