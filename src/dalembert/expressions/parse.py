"""Parses text of the model language into expression trees, by the grammar in this folder. Nothing is ever executed.

Length and brackets of a text are checked before it is read. The tree is then checked against the other limits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from dalembert.expressions.grammar import Token, Unexpected, read
from dalembert.expressions.limits import LEVELS, LONGEST, LONGEST_SHARED, examine, fault
from dalembert.expressions.nodes import (
    ANSWERS,
    FREE_NAMES,
    FUNCTIONS,
    Axis,
    Call,
    Expression,
    Inequality,
    Logic,
    Name,
    Negative,
    Number,
    Pi,
    Power,
    Prime,
    Product,
    Reciprocal,
    ResultName,
    Sum,
    Time,
    Vector,
)
from dalembert.language import Sentences, mark, tr

Columns = dict[int, int]  # the column of a node, by its id

_EXPECTED: Sentences = {  # names of the grammar's terminals in messages
    "NUMBER": "a number",
    "NAME": "a name",
    "OPEN": "'['",
    "LPAR": "'('",
    "RPAR": "')'",
    "RSQB": "']'",
    "COMMA": "','",
    "DOT": "'.'",
    "SIGN": "+ or -",
    "FACTOR": "* or /",
    "POWER": "^",
    "PRIME": "a prime",
    "END": "the end",
}
_LOOKALIKES = {"−": "-", "–": "-", "′": "'", "’": "'", "‘": "'", "`": "'", "×": "*", "·": "*", "÷": "/", "²": "^2"}
_ACCELERATION = mark("the motion solves for accelerations, so only outputs and events may contain them")
QUATERNION = ("e0", "e1", "e2", "e3")  # components of a body's quaternion: the names top.e0, …
ON_SURFACE = ("u", "v", "w")  # coordinates of the contact point on a surface: the names bowl.u, …
MANY = 100  # at most this many names are searched for the nearest one


@dataclass(frozen=True)
class Shared:
    """Nodes that were made already: by what they are and the ids of their parts, and by the text of their brackets."""

    nodes: dict[Any, Expression] = field(default_factory=dict)
    brackets: dict[str, Expression] = field(default_factory=dict)


def parse(
    text: str, columns: Columns | None = None, offset: int = 0, answers: bool = False, shared: Shared | None = None
) -> Expression:
    """The tree of an expression. `columns` receives the column of every node, counted from 1, by the node's id.

    With `answers`, second derivatives are allowed, and so are multipliers, reactions and loads by name. With `shared`,
    equal parts become one node: long texts of other programs then cost as much as their different parts.
    """
    columns = {} if columns is None else columns
    _judge_text(text, offset, LONGEST if shared is None else LONGEST_SHARED)
    try:
        root = read(text, _Nodes(columns, offset, answers, shared), None if shared is None else shared.brackets)
    except Unexpected as met:
        raise fault(_sentence(met.token, met.expected), offset + met.token.place + 1) from None
    return examine(root, columns)


def parse_equation(text: str, columns: Columns | None = None) -> tuple[Expression, Expression]:
    """The two sides of "left = right"."""
    _judge_length(text)
    left, sign, right = text.partition("=")
    if not sign:
        raise fault(tr("there is no '='; a constraint is an equation, left = right"), None)
    if "=" in right:
        column = len(left) + right.index("=") + 2
        raise fault(tr("a second '=' was met; a constraint is one equation, left = right"), column)
    return parse(left, columns), parse(right, columns, len(left) + 1)


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: "; did you mean theta?", or an empty text."""
    import difflib  # needed for a fault only

    candidates = list(known)
    if len(candidates) > MANY:  # compare only names with a similar length and start
        alike = (k for k in candidates if k[:1].lower() == name[:1].lower() and abs(len(k) - len(name)) < 2)
        candidates = list(islice(alike, MANY))
    close = difflib.get_close_matches(name[:100], candidates, n=1, cutoff=0.6)
    return tr("; did you mean {close}?", close=close[0]) if close else ""


def shown(text: str) -> str:
    """A text of the user's, made safe for a message: short and printable."""
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _judge_length(text: str, longest: int = LONGEST) -> None:
    if len(text) > longest:
        raise fault(
            tr(
                "the expression has {count} characters; at most {longest} are allowed", count=len(text), longest=longest
            ),
            None,
        )


def _judge_text(text: str, offset: int, longest: int) -> None:
    _judge_length(text, longest)
    if not text.strip():
        raise fault(tr("the expression is empty; a number or an expression is expected"), offset + 1)
    level = 0
    for position, character in enumerate(text):
        if character in "([":
            level += 1
            if level > LEVELS:
                raise fault(
                    tr(
                        "brackets are nested more than {levels} levels deep; at most {levels} levels are allowed",
                        levels=LEVELS,
                    ),
                    offset + position + 1,
                )
        elif character in ")]":
            level -= 1


def _sentence(token: Token, expected: frozenset[str]) -> str:
    if token.kind == "OTHER":
        return _unreadable(token.text)
    found = tr("the end of the expression") if token.kind == "END" else shown(token.text)
    if token.kind in ("COMPARED", "AND", "OR", "NOT"):
        return tr("{found} was met; a condition stands in if(condition, a, b)", found=found)
    if token.kind in ("NAME", "NUMBER", "LPAR", "OPEN") and "FACTOR" in expected:
        return tr("{found} was met where an operator is expected; a product needs a *", found=found)
    return tr(
        "{found} was met, and {expected} was expected",
        found=found,
        expected=_listed([tr(_EXPECTED[e]) for e in _EXPECTED if e in expected]),
    )


def _unreadable(character: str) -> str:
    if character == "=":
        return tr("'=' was met in an expression; only constraints are equations")
    if character in _LOOKALIKES:
        return tr(
            "{character} was met; write {lookalikes} instead",
            character=shown(character),
            lookalikes=_LOOKALIKES[character],
        )
    if character.isalpha():
        return tr(
            "the letter {character} was met; names are of Latin, Greek or Chinese letters, digits and _",
            character=shown(character),
        )
    return tr("the character {character} was met, which the model language does not have", character=shown(character))


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + tr(" or ") + items[-1]


class _Nodes:
    """Makes the nodes of the grammar, and keeps the column of each."""

    def __init__(self, columns: Columns, offset: int, answers: bool, shared: Shared | None) -> None:
        self.columns, self.offset, self.answers, self.shared = columns, offset, answers, shared

    def _at(self, node: Expression, column: int) -> Expression:
        if self.shared is not None:
            node = self.shared.nodes.setdefault(_key(node), node)
        self.columns.setdefault(id(node), column)
        return node

    def _column(self, token: Token) -> int:
        return self.offset + token.place + 1

    def _beside(self, node: Expression, neighbour: Expression) -> Expression:
        return self._at(node, self.columns.get(id(neighbour), self.offset + 1))  # one of another text has no column

    def number(self, children: list[Any]) -> Expression:
        (token,) = children
        digits = token.text
        value = float(digits)
        if value == float("inf"):
            raise fault(
                tr("the number {digits} is larger than a double can hold", digits=shown(digits)), self._column(token)
            )
        whole = digits.isdigit()
        return self._at(Number(int(digits.lstrip("0") or "0") if whole else value), self._column(token))

    def name(self, children: list[Any]) -> Expression:
        (token,) = children
        name, column = token.text, self._column(token)
        if name in ("t", "pi"):
            return self._at(Time() if name == "t" else Pi(), column)
        if name in FUNCTIONS and name not in FREE_NAMES:
            raise fault(tr("{name} is a function; its argument in brackets is expected", name=name), column)
        return self._at(self._name(token), column)

    def _name(self, token: Token) -> Name:
        if "__" in token.text:
            raise fault(tr("the name {text} was met; names hold no '__'", text=shown(token.text)), self._column(token))
        return Name(token.text)

    def path(self, children: list[Any]) -> Expression:
        words, column = [token.text for token in children], self._column(children[0])
        if self.answers and words[0] in ANSWERS:
            return self._at(ResultName(words[0], tuple(words[1:])), column)
        if len(words) == 2:
            return self._axis(*children)
        if not self.answers:
            raise fault(tr("{words} was met; a name has one point at most", words=shown(".".join(words))), column)
        raise fault(
            tr(
                "{words} was met; before two points {answers} is expected",
                words=shown(words[0]),
                answers=_listed(list(ANSWERS)),
            ),
            column,
        )

    def _axis(self, frame: Token, axis: Token) -> Expression:
        if axis.text in (*QUATERNION, *ON_SURFACE):
            return self._at(Name(f"{self._name(frame).name}.{axis.text}"), self._column(frame))
        if axis.text not in ("x", "y", "z"):
            raise fault(
                tr(
                    "{shown} was met; after a point x, y or z is expected, a unit vector",
                    shown=shown(f"{frame.text}.{axis.text}"),
                ),
                self._column(axis),
            )
        return self._at(Axis(self._name(frame).name, axis.text), self._column(frame))

    def call(self, children: list[Any]) -> Expression:
        token, *arguments = children
        name, column = token.text, self._column(token)
        if name not in FUNCTIONS:
            hint = nearest(name, FUNCTIONS)
            raise fault(
                tr("{name} is not a function{hint}", name=shown(name), hint=hint or "; a product needs a *"), column
            )
        return self._at(Call(name, tuple(arguments)), column)

    def compared(self, children: list[Any]) -> Expression:
        left, operator, right = children
        return self._beside(Inequality(operator.text, left, right), left)

    def both(self, children: list[Any]) -> Expression:
        return self._beside(Logic("and", tuple(children[::2])), children[0])

    def either(self, children: list[Any]) -> Expression:
        return self._beside(Logic("or", tuple(children[::2])), children[0])

    def negated(self, children: list[Any]) -> Expression:
        return self._at(Logic("not", (children[1],)), self._column(children[0]))

    def vector(self, children: list[Any]) -> Expression:
        bracket, *entries = children
        if len(entries) != 3:
            raise fault(
                tr("a vector of {count} entries was met; three are expected", count=len(entries)), self._column(bracket)
            )
        return self._at(Vector(*entries), self._column(bracket))

    def prime(self, children: list[Any]) -> Expression:
        argument, token = children
        if isinstance(argument, Prime) and (not self.answers or isinstance(argument.argument, Prime)):
            raise fault(
                tr("a second prime was met: {acceleration}", acceleration=tr(_ACCELERATION)), self._column(token)
            )
        return self._beside(Prime(argument), argument)

    def power(self, children: list[Any]) -> Expression:
        base, _, exponent = children
        return self._beside(Power(base, exponent), base)

    def signed(self, children: list[Any]) -> Expression:
        sign, argument = children
        return argument if sign.text == "+" else self._at(Negative(argument), self._column(sign))

    def addition(self, children: list[Any]) -> Expression:
        terms = [children[0]]
        for sign, term in zip(children[1::2], children[2::2], strict=True):
            terms.append(term if sign.text == "+" else self._at(Negative(term), self._column(sign)))
        return self._beside(Sum(tuple(terms)), terms[0])

    def multiplication(self, children: list[Any]) -> Expression:
        factors = [children[0]]
        for sign, factor in zip(children[1::2], children[2::2], strict=True):
            factors.append(factor if sign.text == "*" else self._at(Reciprocal(factor), self._column(sign)))
        return self._beside(Product(tuple(factors)), factors[0])


def _key(node: Expression) -> Any:
    """What tells a node from others, if equal parts are one node."""
    if not node.children:
        return node, type(node.value) if isinstance(node, Number) else None
    return type(node), getattr(node, "function", getattr(node, "operator", "")), *map(id, node.children)
