"""Integrals, fields and momenta in words and formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

import symengine as se

from dalembert.equations import Equations
from dalembert.language import tr
from dalembert.mechanics.readable import readable
from dalembert.report.dialects import Language, Latex, Terminal
from dalembert.results.conserved import FormulaText

DIGITS = 12


@overload
def written_formula(expression: Any) -> FormulaText: ...
@overload
def written_formula(expression: Any, *others: Any) -> tuple[FormulaText, ...]: ...


def written_formula(expression: Any, *others: Any) -> Any:
    """An expression, simplified and written in three forms. Several share one sign: the first is positive."""
    shown = [rounded(readable(e)) for e in (expression, *others)]
    if others and Terminal()(shown[0]).startswith("-"):
        shown = [readable(-e) for e in shown]
    found = tuple(FormulaText(Terminal()(e), Latex()(e), Language()(e)) for e in shown)
    return found if others else found[0]


def written_integral(expression: Any, parameters: Iterable[Any]) -> FormulaText:
    """The same without constant factors, and without a minus at the start."""
    constants = frozenset(parameters)
    shown = readable(expression)
    if constants and type(shown).__name__ == "Mul":
        shown = se.Mul(*(e for e in shown.args if not e.free_symbols <= constants))
    if constants and Terminal()(shown).startswith("-"):
        shown = readable(-shown)
    return written_formula(shown)


def rounded(expression: Any, digits: int = DIGITS) -> Any:
    """Round numbers to `digits` digits: 0.08000000000000002 becomes 0.08."""
    expression = se.sympify(expression)
    numbers = expression.atoms(se.RealDouble)
    return expression.xreplace({n: _plain(float(n), digits) for n in numbers}) if numbers else expression


def _plain(value: float, digits: int) -> Any:
    short = float(f"{value:.{digits}g}")
    return se.Integer(int(short)) if short == int(short) and abs(short) < 2**20 else se.RealDouble(short)


def phrase(terms: Sequence[tuple[Any, str]]) -> str:
    """Σ c ⟨words⟩, or the words alone if there is one term."""
    if len(terms) == 1 and se.sympify(terms[0][0]).is_Number:
        return terms[0][1]
    write = Terminal()
    parts = []
    for c, words in terms:
        text = write(readable(c))
        parts.append(f"({words})" if text == "1" else f"-({words})" if text == "-1" else f"{_closed(text)}·({words})")
    return " + ".join(parts).replace("+ -", "− ")


def _closed(text: str) -> str:
    return f"({text})" if " + " in text or " - " in text else text


def shift(eq: Equations, field: Sequence[Any]) -> str:
    """A field as δq = …; a constant field is a shift."""
    write = Terminal()
    moved = [(name, e) for name, e in zip(eq.coordinates, field, strict=True) if e != 0]
    if len(moved) == 1 and se.sympify(moved[0][1]).is_Number:
        return tr("shift of {symbol}", symbol=write.symbol(moved[0][0]))
    return ", ".join(f"δ{write.symbol(name)} = {write(rounded(readable(e), 6))}" for name, e in moved)
