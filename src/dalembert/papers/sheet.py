"""Lines of a paper: a printed formula, the computed one, and the verdict of their comparison.

A printed formula is text of our own, in which `q1_d` and `q1_dd` are derivatives. It is compared with the computed
expression at random places. The verdict is "as printed" if both agree, and "erratum" if they differ. A line holds if
the print agrees. A line with a correct form holds if the print does not agree and the correct form does.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, nan
from typing import Any

import symengine as se

from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.mechanics.readable import readable
from dalembert.papers.typeset import Typeset
from dalembert.report.dialects import GREEK, Terminal
from dalembert.report.letters import FORMS, letter

AS_PRINTED, ERRATUM, UNREADABLE = "as printed", "erratum", "unreadable"
CLOSE = 1e-9
PLACES = 4  # random places at which two expressions are compared
WRITE = Terminal()
LETTERS = {**GREEK, "pi": "π"}
Scalar = Any


@dataclass(frozen=True, slots=True)
class SheetLine:
    number: str
    title: str
    printed: str
    computed: str
    verdict: str
    holds: bool
    right: str = ""  # the correct form of an erratum
    typeset: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # rows of LaTeX of the forms above, by their name

    def to_dict(self) -> dict[str, Any]:
        found = {
            "number": self.number,
            "title": self.title,
            "printed": self.printed,
            "computed": self.computed,
            "verdict": self.verdict,
        }
        return found | ({"right": self.right} if self.right else {}) | ({} if self.holds else {"holds": False})


@dataclass(frozen=True, slots=True)
class Entries:
    """How the entries of a formula are shown and compared.

    The entries of a matrix are shown in rows with so many `columns`. Both sides of equations are compared if they are
    given as `pairs` of entries: left; right; left; right. Both forms are compared for every set of values in `where`:
    those of letters that only the print has, or of signs.
    """

    columns: int = 0
    pairs: bool = False
    where: Sequence[Mapping[str, str]] = ({},)

    def shown(self, entries: Sequence[str]) -> str:
        return _joined(entries) if self.pairs else _rows(entries, self.columns)


SINGLE, PAIRS = Entries(), Entries(pairs=True)


@dataclass(slots=True)
class Sheet:
    lines: list[SheetLine] = field(default_factory=list)
    letters: Mapping[str, str] = field(default_factory=dict)  # of the paper, by names of its models

    def same(
        self, number: str, title: str, printed: str, computed: Any, right: str = "", entries: Entries = SINGLE
    ) -> None:
        """A formula of an example: `printed` is `left = right side`, or several of them separated by semicolons."""
        values = list(computed) if isinstance(computed, list | tuple) else [computed]
        put = [{parsed(name): parsed(value) for name, value in one.items()} for one in entries.where]
        agrees = _agree(printed, values, put)
        holds = agrees if not right else not agrees and _agree(right, values, put)
        verdict = AS_PRINTED if agrees else ERRATUM

        def text(formula: str) -> str:
            return entries.shown([self._pretty(part.strip()) for part in formula.split(";")])

        lefts = [self._pretty(part.strip()).rpartition(" = ")[0] for part in printed.split(";")]
        told = entries.shown(list(_named(lefts, [WRITE(readable(self._lettered(e))) for e in values])))
        rows = Typeset(lambda side: self._lettered(parsed(side)), self._lettered, entries.columns, entries.pairs)
        typeset = {
            "printed": rows.of_text(printed),
            "computed": rows([name for name, _ in _sides(printed)], values),
            "right": rows.of_text(right) if right else [],
        }
        line = SheetLine(number, title, text(printed), told, verdict, holds, text(right) if right else "", typeset)
        self._add(line)

    def _lettered(self, e: Any) -> Any:
        put = {se.Symbol(name + form): letter(to, form) for name, to in self.letters.items() for form in FORMS}
        return se.sympify(e).subs(put) if put else e

    def _pretty(self, text: str) -> str:
        for name, to in self.letters.items():
            base, _, power = to.replace("*", "⋆").partition("^")
            text = text.replace(f"sqrt({name})", base) if power else text
            text = re.sub(
                rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9])", base + ("**" + power if power else ""), text
            )
        return pretty(text.replace("**2**2", "**4"))

    def law(
        self,
        number: str,
        title: str,
        printed: str,
        residual: float,
        over: str,
        right: str = "",
        as_printed: float | None = None,
    ) -> None:
        """A general law: the largest difference of its sides, and that of the printed form if the print is wrong."""
        small = residual <= CLOSE
        told = (
            tr("both sides are equal, {over}", over=tr(over))
            if residual == 0
            else tr("both sides differ by {residual:.1e} at most, {over}", residual=residual, over=tr(over))
        )
        if not right:
            self._add(SheetLine(number, title, printed, told, AS_PRINTED if small else ERRATUM, small))
            return
        wrong = as_printed is None or as_printed > 1e3 * CLOSE
        if as_printed is not None:
            told += tr("; as printed they differ by {residual:.1e}", residual=as_printed)
        verdict = ERRATUM if wrong else AS_PRINTED
        self._add(SheetLine(number, title, printed, told, verdict, small and wrong, right))

    def statement(self, number: str, title: str, printed: str, refuted: bool, computed: str, right: str) -> None:
        """A sentence of the paper that a computation refutes."""
        verdict = ERRATUM if refuted else AS_PRINTED
        self._add(SheetLine(number, title, printed, computed, verdict, refuted, right))

    def unreadable(self, number: str, title: str, printed: str, computed: str) -> None:
        self._add(SheetLine(number, title, printed, computed, UNREADABLE, True))

    def _add(self, line: SheetLine) -> None:
        """Add a line, with its words in the language of the reader."""
        title, printed, computed, right = map(tr, (line.title, line.printed, line.computed, line.right))
        self.lines.append(replace(line, title=title, printed=printed, computed=computed, right=right))


def _named(lefts: Sequence[str], values: Sequence[str]) -> Iterator[str]:
    """The computed values with the left sides of the printed ones."""
    for i, value in enumerate(values):
        left = lefts[i] if i < len(lefts) else ""
        yield f"{left} = {value}" if left else value


def _joined(entries: Sequence[str]) -> str:
    return "; ".join(f"{left} = {right}" for left, right in zip(entries[::2], entries[1::2], strict=True))


def _rows(entries: Sequence[str], columns: int) -> str:
    if not columns:
        return "; ".join(entries)
    rows = [", ".join(entries[i : i + columns]) for i in range(0, len(entries), columns)]
    return " ".join(f"[{row}]" for row in rows)


def _sides(text: str) -> list[tuple[str, str]]:
    """Left and right side of every entry; the left one may be empty."""
    return [(left.strip(), right.strip()) for left, _, right in (part.rpartition("=") for part in text.split(";"))]


def _agree(text: str, values: Sequence[Scalar], where: Sequence[Mapping[Scalar, Scalar]]) -> bool:
    sides = [right for _, right in _sides(text)]
    if len(sides) != len(values):
        return False
    pairs = [(parsed(side), se.sympify(value)) for side, value in zip(sides, values, strict=True)]
    return all(equal(a.subs(put), b.subs(put)) for a, b in pairs for put in where)


def parsed(text: str) -> Scalar:
    """An expression from our own text, where q1_dd is the symbol q1''."""
    e = se.sympify(text.strip())
    names = {s: se.Symbol(_primed(s.name)) for s in e.free_symbols}
    return e.subs({s: t for s, t in names.items() if s.name != t.name})


def _primed(name: str) -> str:
    for ending, primes in (("_dd", "''"), ("_d", "'")):
        if name.endswith(ending):
            return name.removesuffix(ending) + primes
    return name


def equal(one: Scalar, two: Scalar) -> bool:
    return difference(one, two) <= CLOSE


def difference(one: Scalar, two: Scalar) -> float:
    """The largest relative difference at random places."""
    one, two = se.sympify(one), se.sympify(two)
    symbols = sorted(one.free_symbols | two.free_symbols, key=str)
    chance = random.Random(11)
    worst = 0.0
    for _ in range(PLACES):
        at = {s: chance.uniform(0.3, 1.3) for s in symbols}
        a, b = number(one.subs(at)), number(two.subs(at))
        worst = max(worst, abs(a - b) / (1.0 + abs(b)))
    return worst


def number(value: Scalar) -> float:
    """A value as a finite number. NaN would pass every comparison with a bound."""
    try:
        found = float(value)
    except RuntimeError:  # SymEngine has no float for its nan and its infinity without a sign
        found = nan
    if not isfinite(found):
        raise MathematicsError("a formula of the paper has the value {value} where it is compared", value=value)
    return found


def pretty(text: str) -> str:
    """q1_dd as q1″, and products with a dot. L*_1 keeps its star."""
    text = re.sub(r"(\*+)(?=_|\s*=)", lambda m: "⋆" * len(m[1]), text)
    text = re.sub(r"(sin|cos|tan)_([a-z]+)", lambda m: f"{m[1]}({GREEK[m[2]]})", text)
    text = re.sub(r"[A-Za-z]+", lambda m: LETTERS.get(m[0], m[0]), text)
    text = re.sub(r"sqrt\((\w+)\)", r"√\1", text).replace("sqrt(", "√(")
    text = re.sub(r"([\w⋆]+?)_dd\b", r"\1″", text)
    text = re.sub(r"([\w⋆]+?)_d\b", r"\1′", text)
    return (
        text.replace("**2", "²")
        .replace("**3", "³")
        .replace("**4", "⁴")
        .replace("**", "^")
        .replace("*", "·")
        .replace("⋆", "*")
    )
