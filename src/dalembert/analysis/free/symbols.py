"""The set of free states in symbols: the problem in letters, its decomposition, and the answer in the model's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import symengine as se
import sympy

from dalembert.analysis.algebra.alphabet import Alphabet
from dalembert.analysis.algebra.child import bounded
from dalembert.analysis.algebra.ideals import Invariant, decomposed
from dalembert.analysis.algebra.rings import InRings
from dalembert.analysis.free.chain import Unforced
from dalembert.analysis.question import Limit
from dalembert.equations import Equations
from dalembert.errors import MathematicsError
from dalembert.mechanics.algebra import Symbols
from dalembert.mechanics.readable import readable


def answered(eq: Equations, rows: Unforced, start: Mapping[Any, float], limit: Limit) -> tuple[Invariant | None, str]:
    """The decomposition in the names of the model, or None and the reason."""
    try:
        problem, alphabet = stated(eq, rows, start)
    except MathematicsError as error:
        return None, str(error)
    found, why = bounded(decomposed, problem, seconds=0.7 * limit.left)
    return (None, why) if found is None else (_translated(found, alphabet), "")


def _translated(found: Invariant, alphabet: Alphabet) -> Invariant:
    def words(e: Any) -> Any:
        return readable(se.sympify(e).subs(alphabet.back))

    components = tuple(tuple(map(words, c)) for c in found.components)
    return Invariant(components, found.always, tuple(map(words, found.first)), found.symbolic)


def stated(eq: Equations, rows: Unforced, start: Mapping[Any, float]) -> tuple[InRings, Alphabet]:
    """The whole problem in letters, as SymPy's expressions."""
    alphabet = Alphabet(Symbols(eq.coordinates), start)
    matrices = [*(e for row in (*rows.rows, *rows.spare) for e in row), *rows.right, *rows.spare_right]
    alphabet.look_at([*matrices, *eq.phi, *eq.psi])

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
