"""Text of the model language to expression trees, by the grammar beside this file; nothing is ever executed.

The limits that a text can break before it is read (its length, its brackets) are tested first; the trees are built
while the parser reduces, without recursion, and then examined for the other limits.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Iterable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from dalembert.expressions.limits import LEVELS, LONGEST, examine, fault
from dalembert.expressions.nodes import (
    FUNCTIONS,
    Axis,
    Call,
    Expression,
    Name,
    Negative,
    Number,
    Pi,
    Power,
    Prime,
    Product,
    Reciprocal,
    Sum,
    Time,
    Vector,
)

Columns = dict[int, int]  # the column of a node, by its id

_EXPECTED = {  # how the grammar's terminals are called to a user
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
    "$END": "the end",
}
_LOOKALIKES = {"−": "-", "–": "-", "′": "'", "’": "'", "‘": "'", "`": "'", "×": "*", "·": "*", "÷": "/", "²": "^2"}
_ACCELERATION = "accelerations are what is solved for, so a second derivative cannot stand in a model"
MANY = 100  # names among which the nearest is looked for
_lock = threading.Lock()


def parse(text: str, columns: Columns | None = None, offset: int = 0) -> Expression:
    """The tree of an expression. `columns` takes the column of every node, counted from 1, by the node's id."""
    columns = {} if columns is None else columns
    _judge_text(text, offset)
    with _lock:
        parser, nodes = _parser()
        nodes.columns, nodes.offset = columns, offset
        root = _parsed(parser, text, offset)
    return examine(root, columns)


def parse_equation(text: str, columns: Columns | None = None) -> tuple[Expression, Expression]:
    """The two sides of "left = right"."""
    _judge_length(text)
    left, sign, right = text.partition("=")
    if not sign:
        raise fault("there is no '='; a constraint is an equation, left = right", None)
    if "=" in right:
        column = len(left) + right.index("=") + 2
        raise fault("a second '=' was met; a constraint is one equation, left = right", column)
    return parse(left, columns), parse(right, columns, len(left) + 1)


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: "; did you mean theta?", or nothing."""
    candidates = list(known)
    if len(candidates) > MANY:  # compare with those that look alike at first sight only
        alike = (k for k in candidates if k[:1].lower() == name[:1].lower() and abs(len(k) - len(name)) < 2)
        candidates = list(islice(alike, MANY))
    close = difflib.get_close_matches(name[:100], candidates, n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


def shown(text: str) -> str:
    """A text of the user's as it may stand in a message: short, and with nothing unprintable."""
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _judge_length(text: str) -> None:
    if len(text) > LONGEST:
        raise fault(f"the expression has {len(text)} characters; at most {LONGEST} are allowed", None)


def _judge_text(text: str, offset: int) -> None:
    _judge_length(text)
    if not text.strip():
        raise fault("the expression is empty; a number or an expression is expected", offset + 1)
    level = 0
    for position, character in enumerate(text):
        if character in "([":
            level += 1
            if level > LEVELS:
                raise fault(
                    f"brackets are nested more than {LEVELS} levels deep; at most {LEVELS} levels are allowed",
                    offset + position + 1,
                )
        elif character in ")]":
            level -= 1


@cache
def _parser() -> tuple[Any, _Nodes]:
    import lark

    grammar = Path(__file__).with_name("grammar.lark").read_text("utf-8")
    nodes = _Nodes()
    return lark.Lark(grammar, parser="lalr", lexer="basic", transformer=nodes, maybe_placeholders=False), nodes


def _parsed(parser: Any, text: str, offset: int) -> Expression:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    try:
        return parser.parse(text)
    except UnexpectedCharacters as met:
        place = met.pos_in_stream or 0
        raise fault(_unreadable(text[place]), offset + place + 1) from None
    except UnexpectedToken as met:
        at_end = met.token.type == "$END"
        column = offset + (len(text) if at_end else met.token.start_pos) + 1
        found = "the end of the expression" if at_end else shown(str(met.token))
        known = [_EXPECTED[e] for e in _EXPECTED if e in met.accepts | met.expected]
        if not at_end and met.token.type in ("NAME", "NUMBER", "LPAR", "OPEN") and "FACTOR" in met.expected:
            raise fault(f"{found} was met where an operator is expected; a product needs a *", column) from None
        raise fault(f"{found} was met, and {_listed(known)} was expected", column) from None


def _unreadable(character: str) -> str:
    if character == "=":
        return "'=' was met in an expression; only constraints are equations"
    if character in _LOOKALIKES:
        return f"{shown(character)} was met; write {_LOOKALIKES[character]} instead"
    if character.isalpha():
        return f"the letter {shown(character)} was met; names are of ASCII letters, digits and _"
    return f"the character {shown(character)} was met, which the model language does not have"


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " or " + items[-1]


class _Nodes:
    """Called by the parser at each reduction with the children; keeps the column of every node."""

    columns: Columns
    offset: int

    def _at(self, node: Expression, column: int) -> Expression:
        self.columns[id(node)] = column
        return node

    def _column(self, token: Any) -> int:
        return self.offset + token.start_pos + 1

    def _beside(self, node: Expression, neighbour: Expression) -> Expression:
        return self._at(node, self.columns[id(neighbour)])

    def number(self, children: list[Any]) -> Expression:
        (token,) = children
        digits = str(token)
        value = float(digits)
        if value == float("inf"):
            raise fault(f"the number {shown(digits)} is larger than a double can hold", self._column(token))
        whole = digits.isdigit()
        return self._at(Number(int(digits.lstrip("0") or "0") if whole else value), self._column(token))

    def name(self, children: list[Any]) -> Expression:
        (token,) = children
        name, column = str(token), self._column(token)
        if name in ("t", "pi"):
            return self._at(Time() if name == "t" else Pi(), column)
        if name in FUNCTIONS:
            raise fault(f"{name} is a function; its argument in brackets is expected", column)
        return self._at(self._name(token), column)

    def _name(self, token: Any) -> Name:
        if "__" in token:
            raise fault(f"the name {shown(str(token))} was met; names hold no '__'", self._column(token))
        return Name(str(token))

    def axis(self, children: list[Any]) -> Expression:
        frame, axis = children
        if axis not in ("x", "y", "z"):
            raise fault(
                f"{shown(f'{frame}.{axis}')} was met; after a point x, y or z is expected, a unit vector",
                self._column(axis),
            )
        return self._at(Axis(self._name(frame).name, str(axis)), self._column(frame))

    def call(self, children: list[Any]) -> Expression:
        token, arguments = children[0], tuple(children[1]) if len(children) > 1 else ()
        name, column = str(token), self._column(token)
        if name not in FUNCTIONS:
            hint = nearest(name, FUNCTIONS)
            raise fault(f"{shown(name)} is not a function{hint or '; a product needs a *'}", column)
        return self._at(Call(name, arguments), column)

    def arguments(self, children: list[Any]) -> list[Any]:
        return children

    def vector(self, children: list[Any]) -> Expression:
        bracket, entries = children
        if len(entries) != 3:
            raise fault(f"a vector of {len(entries)} entries was met; three are expected", self._column(bracket))
        return self._at(Vector(*entries), self._column(bracket))

    def prime(self, children: list[Any]) -> Expression:
        argument, token = children
        if isinstance(argument, Prime):
            raise fault(f"a second prime was met: {_ACCELERATION}", self._column(token))
        return self._beside(Prime(argument), argument)

    def power(self, children: list[Any]) -> Expression:
        base, _, exponent = children
        return self._beside(Power(base, exponent), base)

    def signed(self, children: list[Any]) -> Expression:
        sign, argument = children
        return argument if sign == "+" else self._at(Negative(argument), self._column(sign))

    def addition(self, children: list[Any]) -> Expression:
        terms = [children[0]]
        for sign, term in zip(children[1::2], children[2::2], strict=True):
            terms.append(term if sign == "+" else self._at(Negative(term), self._column(sign)))
        return self._beside(Sum(tuple(terms)), terms[0])

    def multiplication(self, children: list[Any]) -> Expression:
        factors = [children[0]]
        for sign, factor in zip(children[1::2], children[2::2], strict=True):
            factors.append(factor if sign == "*" else self._at(Reciprocal(factor), self._column(sign)))
        return self._beside(Product(tuple(factors)), factors[0])
