"""The part `free` of `analyze`: the set of states from which the constraints need no force (WangGao (13)–(17)).

    Φ₀ = f,  Φ_{k+1} = dΦ_k/dt along a_f = M⁻¹(Q − h):    free from a state iff every Φ_k vanishes there

The paper's (17) is Φ₁ = 0 alone. `ideals` finds the set in symbols, in a child process with a time limit: first with
the values of the parameters, which decides, then with their names. Where units exist in which all parameters are 1
(`units`), one run gives both. If that fails, Newton's method searches for states in the set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dalembert.analysis.exact.series import Digits
from dalembert.analysis.free.chain import Unforced, chain, state, unforced
from dalembert.analysis.free.sampling import Chains, is_free, placed, sampled
from dalembert.analysis.question import Limit, Question
from dalembert.constraint_models.samples import initial, samples
from dalembert.equations import Equations
from dalembert.formalisms import chetaev_method, derive
from dalembert.language import tr
from dalembert.prepared import prepare
from dalembert.programs.functions import FEW_TIMES
from dalembert.programs.system import CompiledSystem
from dalembert.report.dialects import Language, Latex, Terminal
from dalembert.results.free import Component, Condition, Free

if TYPE_CHECKING:
    from dalembert.analysis.algebra.ideals import Invariant

ORDER = 8  # order of the chain in the test of one state
SHOWN = 3  # order of the chain that is shown; if it does not vanish, the further orders decide nothing
VANISHES = 1e-9
LONGEST = 60_000  # largest number of characters of equations that are given to SymPy


def free(question: Question) -> Free:
    """Find the states from which the constraints need no force."""
    record = question.record
    eq = derive(record, "chetaev")
    notes = (tr("Contacts and frictions are left out: this is about the constraints."),) if eq.unilateral else ()
    if not eq.constraints:
        return Free(True, True, (), (), (), notes=notes)
    if eq.unilateral:
        system = CompiledSystem(derive(record, "chetaev", numeric=True), level=FEW_TIMES)
    else:
        system = prepare(record, chetaev_method(record), often=False).system  # which later parts use again
    X = samples(system, initial(record))
    n = system.n
    with Digits():
        places = [state(eq, x[0], x[1 : 1 + n], x[1 + n : 1 + 2 * n]) for x in X]
        rows = unforced(eq, places[-1])
        numbers = chain(rows, places[0], SHOWN)
        values = tuple(float(max(phi, key=abs)) for phi in numbers)
        size = 1.0 + max(abs(float(c)) for c in places[0].values())
        here = _vanishes(numbers, size) and _vanishes(chain(rows, places[0], ORDER), size)
        start = {symbol: float(number) for symbol, number in places[0].items()}
        answer, why = _in_symbols(eq, rows, start, question.limit)
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


def _in_symbols(
    eq: Equations, rows: Unforced, start: Mapping[Any, float], limit: Limit
) -> tuple[Invariant | None, str]:
    """The set in symbols, or None and the reason."""
    matrices = (*(e for row in (*rows.rows, *rows.spare) for e in row), *rows.right, *rows.spare_right)
    if sum(len(str(e)) for e in (*matrices, *eq.phi, *eq.psi)) > LONGEST:
        return None, tr("the equations are too long")
    from dalembert.analysis.free.symbols import answered  # loads SymPy, which takes long

    return answered(eq, rows, start, limit)


def _vanishes(numbers: Sequence[Sequence[Decimal]], size: float) -> bool:
    return all(abs(float(c)) <= VANISHES * size ** (k + 1) for k, phi in enumerate(numbers) for c in phi)


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
