"""The grammar of expressions, read by operator precedence.

    sum         = product { ("+" | "-") product }
    product     = unary { ("*" | "/") unary }
    unary       = power | ("+" | "-") unary
    power       = postfix [ ("^" | "**") unary ]
    postfix     = atom { "'" }
    atom        = NUMBER | NAME { "." NAME } | NAME "(" [ arguments ] ")" | "[" arguments "]" | "(" disjunction ")"
    arguments   = disjunction { "," disjunction }
    disjunction = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = comparison | "not" negation
    comparison  = sum [ ("<" | "<=" | ">" | ">=") sum ]

A text is one sum. So -x^2 is -(x^2), 2^-1 is allowed, ^ groups to the right, and a chain of sums or products is one
node of any length. Conditions stand inside brackets only; the checker asks for "if" around them.

The reader keeps its own stacks of operators that wait for their right side and of brackets that wait for their end.
Deep nesting therefore does not deepen Python's stack.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Protocol

from dalembert.expressions.names import PATTERN

_TOKENS = re.compile(
    r"""[ \t\r\n]*(?:
    (?P<NUMBER>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?) | (?P<NAME>"""
    + PATTERN
    + r""")
    | (?P<POWER>\*\*|\^) | (?P<FACTOR>[*/]) | (?P<SIGN>[+-]) | (?P<PRIME>') | (?P<COMPARED>[<>]=?)
    | (?P<LPAR>\() | (?P<RPAR>\)) | (?P<OPEN>\[) | (?P<RSQB>\]) | (?P<COMMA>,) | (?P<DOT>\.)
    | (?P<END>\Z) | (?P<OTHER>.))""",
    re.VERBOSE | re.DOTALL,
)
_ROUND = re.compile(r"[()]")
_WORDS = {"or": "OR", "and": "AND", "not": "NOT"}
_LEVELS = {"OR": 0, "AND": 1, "COMPARED": 3, "SIGN": 4, "FACTOR": 5, "POWER": 7}  # of operators between two operands
_NOT, _SIGNED = 2, 6  # levels of operators before an operand
_MADE = ("either", "both", "negated", "compared", "addition", "multiplication", "signed", "power")  # by level
_CLOSERS = {
    "": frozenset({"END"}),
    "(": frozenset({"RPAR"}),
    "call": frozenset({"RPAR", "COMMA"}),
    "[": frozenset({"RSQB", "COMMA"}),
}
_ENDS = frozenset().union(*_CLOSERS.values())
_AFTER_PATH, _AFTER_NAME = frozenset({"DOT"}), frozenset({"DOT", "LPAR"})
OPERANDS = frozenset({"NUMBER", "NAME", "OPEN", "LPAR", "SIGN"})
OPERATORS = frozenset({"SIGN", "FACTOR", "POWER", "PRIME"})


class Token(NamedTuple):
    kind: str
    text: str
    place: int


class Unexpected(Exception):
    """A token stands where the grammar has no place for it; `expected` are the kinds that could stand there."""

    def __init__(self, token: Token, expected: frozenset[str]) -> None:
        self.token, self.expected = token, expected


class Nodes(Protocol):
    """Makes the nodes: one function for each name of `_MADE`, and those below. Each takes tokens and nodes in order."""

    def number(self, children: list[Any]) -> Any: ...
    def name(self, children: list[Any]) -> Any: ...
    def path(self, children: list[Any]) -> Any: ...
    def call(self, children: list[Any]) -> Any: ...
    def vector(self, children: list[Any]) -> Any: ...
    def prime(self, children: list[Any]) -> Any: ...


class _Bracket(NamedTuple):
    kind: str  # "(", "[", "call", or "" for the whole text
    token: Token | None
    below: int  # number of chains outside this bracket
    arguments: list[Any]


def read(text: str, nodes: Nodes, known: dict[str, Any] | None = None) -> Any:
    """The root of the tree that `nodes` makes of a text.

    With `known`, brackets of the same text are read once: later ones are the same node.
    """
    return _Reader(text, nodes, known).root()


def _partners(text: str) -> dict[int, int]:
    """Where the round brackets end that begin at a place."""
    found, opened = {}, []
    for met in _ROUND.finditer(text):
        if met[0] == "(":
            opened.append(met.start())
        elif opened:
            found[opened.pop()] = met.start()
    return found


class _Reader:
    def __init__(self, text: str, nodes: Nodes, known: dict[str, Any] | None) -> None:
        self._text, self._nodes, self._place = text, nodes, 0
        self._known, self._partners = known, {} if known is None else _partners(text)
        self._brackets = [_Bracket("", None, 0, [])]
        self._chains: list[tuple[int, list[Any]]] = []  # level; operands and operators so far, the last one an operator
        self._token = self._lexed()

    def root(self) -> Any:
        node = None  # the operand that was read last; None while one is expected
        while self._token.kind != "END" or node is None or len(self._brackets) > 1:
            node = self._operand() if node is None else self._after(node)
        return self._finished(node)

    def _lexed(self) -> Token:
        met = _TOKENS.match(self._text, self._place)
        assert met is not None and met.lastgroup is not None
        self._place = met.end()
        word = met[met.lastgroup]
        return Token(_WORDS.get(word, met.lastgroup), word, met.start(met.lastgroup))

    def _next(self) -> Token:
        """Return the current token and read the next one."""
        token, self._token = self._token, self._lexed()
        return token

    def _operand(self) -> Any:
        """Read an operand. Return None after a sign or an opening bracket."""
        kind = self._token.kind
        if kind == "NUMBER":
            return self._nodes.number([self._next()])
        if kind == "NAME":
            return self._named(self._next())
        if kind == "SIGN":
            self._chains.append((_SIGNED, [self._next()]))
        elif kind == "NOT" and self._condition_may_begin():
            self._chains.append((_NOT, [self._next()]))
        elif kind in ("LPAR", "OPEN"):
            if self._known and (node := self._known.get(self._bracket(self._token.place))) is not None:
                self._place = self._partners[self._token.place] + 1
                self._next()
                return node
            self._open("(" if kind == "LPAR" else "[", self._next())
        else:
            raise Unexpected(self._token, OPERANDS)
        return None

    def _condition_may_begin(self) -> bool:
        bracket = self._brackets[-1]
        return bool(bracket.kind) and (len(self._chains) == bracket.below or self._chains[-1][0] <= _NOT)

    def _named(self, name: Token) -> Any:
        if self._token.kind == "LPAR":
            self._next()
            self._open("call", name)
            if self._token.kind == "RPAR":
                return self._closed()
            if self._token.kind not in OPERANDS | {"NOT"}:
                raise Unexpected(self._token, OPERANDS | {"RPAR"})
            return None
        path = [name]
        while self._token.kind == "DOT":
            self._next()
            if self._token.kind != "NAME":
                raise Unexpected(self._token, frozenset({"NAME"}))
            path.append(self._next())
        if not self._fits() and self._token.kind not in _ENDS:
            raise Unexpected(self._token, self._expected(_AFTER_NAME if len(path) == 1 else _AFTER_PATH))
        return self._nodes.name(path) if len(path) == 1 else self._nodes.path(path)

    def _bracket(self, place: int) -> str:
        """The text of the bracket that begins at a place; empty if it has no end."""
        return self._text[place : self._partners.get(place, -1) + 1]

    def _open(self, kind: str, token: Token) -> None:
        self._brackets.append(_Bracket(kind, token, len(self._chains), []))

    def _fits(self) -> bool:
        """Whether the current token may follow an operand in the current bracket."""
        kind, bracket = self._token.kind, self._brackets[-1].kind
        return kind in OPERATORS or kind in _CLOSERS[bracket] or bool(bracket and kind in ("OR", "AND", "COMPARED"))

    def _expected(self, further: frozenset[str] = frozenset()) -> frozenset[str]:
        """The kinds that may follow an operand. If a wrong closing bracket was met, only the right ones are listed."""
        ends = _CLOSERS[self._brackets[-1].kind]
        return ends if self._token.kind in _ENDS else OPERATORS | ends | further

    def _after(self, node: Any) -> Any:
        """Read on after the operand `node`. Return None after an operator or a comma, an operand after a prime or a
        bracket's end.
        """
        kind = self._token.kind
        if not self._fits():
            raise Unexpected(self._token, self._expected())
        if kind == "PRIME":
            return self._nodes.prime([node, self._next()])
        if kind in _LEVELS:
            self._operator(node, _LEVELS[kind])
            return None
        self._brackets[-1].arguments.append(self._finished(node))
        if kind != "COMMA":
            return self._closed()
        self._next()
        return None

    def _operator(self, node: Any, level: int) -> None:
        node = self._finished(node, level)
        if level != _LEVELS["POWER"] and self._is_open() and self._chains[-1][0] == level:
            if level == _LEVELS["COMPARED"]:
                raise Unexpected(self._token, self._expected())
            self._chains[-1][1].extend((node, self._next()))
        else:
            self._chains.append((level, [node, self._next()]))

    def _is_open(self) -> bool:
        return len(self._chains) > self._brackets[-1].below

    def _finished(self, node: Any, level: int = -1) -> Any:
        """`node` as the last operand of every chain of this bracket that binds tighter than `level`."""
        while self._is_open() and self._chains[-1][0] > level:
            inner, children = self._chains.pop()
            node = getattr(self._nodes, _MADE[inner])([*children, node])
        return node

    def _closed(self) -> Any:
        """Close the current bracket and return it as an operand."""
        self._next()
        bracket = self._brackets.pop()
        if bracket.kind == "(":
            if self._known is not None and bracket.token is not None:
                self._known[self._bracket(bracket.token.place)] = bracket.arguments[0]
            return bracket.arguments[0]
        make = self._nodes.call if bracket.kind == "call" else self._nodes.vector
        return make([bracket.token, *bracket.arguments])
