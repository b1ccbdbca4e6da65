"""Dialects of printed expressions: a terminal, LaTeX, and the language of model files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import symengine as se

from dalembert.language import tr
from dalembert.report.printer import ATOM, OTHERWISE, POWER, PRODUCT, SUM, Printed, Printer

_FIRST = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega"
)
_REST = "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
GREEK = dict(zip(f"{_FIRST} {_REST}".split(), "αβγδεζηθικλμνξρστυφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
_NAMES = {letter: name for name, letter in GREEK.items()}
_GREEK_NAME = re.compile(rf"({'|'.join(sorted(GREEK, key=len, reverse=True))})(?![a-z])_?(.*)")
_COSINE = re.compile(rf"(sin|cos|tan)_({'|'.join(GREEK)})")  # a parameter cos_alpha is the cosine of an angle
_LETTER_NAME = re.compile(r"([A-Za-z])_?(\d+|[A-Z]|(?<=_)\w+)?")
_MULTIPLIER = re.compile(r"lambda\[(.*)\]")
_FRICTION = re.compile(r"friction\[(.*), (\d+)\]")
_NUMBERED_PI = re.compile(r"pi\d+")
_AFTER = re.compile(r"(gamma|f)_after\[(.*)\]")  # rates after an impact
_ENTRY = re.compile(r"([^\W\d]+)\[(.*)\]")  # a letter with the names of its owners: D[x, y], μ[blade]
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _primes(name: str) -> tuple[str, int]:
    bare = name.rstrip("'")
    return bare, len(name) - len(bare)


def _float(value: Any) -> str:
    number = float(value)
    return repr(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


class Language(Printer):
    """The language of model files: a*cos(theta)*theta'^2"""

    def symbol(self, name: str) -> str:
        return name

    def number(self, value: Any) -> str:
        return str(value) if isinstance(value, int | se.Integer) else _float(value)

    def quotient(self, above: str, below: Printed) -> Printed:
        return Printed(f"{above}/{self.inside(below, POWER)}", PRODUCT)

    def times(self, factors: Sequence[Printed]) -> str:
        return "*".join(self.inside(factor, PRODUCT) for factor in factors)

    def power(self, base: Printed, exponent: Printed, kind: str) -> Printed:
        return Printed(f"{self.inside(base, ATOM)}^{self.inside(exponent, ATOM)}", POWER)

    def root(self, base: Printed) -> Printed:
        return self.function("sqrt", [base])

    def function(self, name: str, arguments: Sequence[Printed]) -> Printed:
        return Printed(f"{name}({', '.join(part.text for part in arguments)})", ATOM, 3)

    def cases(self, pairs: Sequence[tuple[str, str]]) -> Printed:
        return Printed("{" + "; ".join(f"{value} if {condition}" for value, condition in pairs) + "}", ATOM, 4)


class Plain(Language):
    """For `derive --json`: the language of model files, with forces by name: lambda.floor, friction.sole[1]"""

    def symbol(self, name: str) -> str:
        bare, primes = _primes(name)
        if multiplier := _MULTIPLIER.fullmatch(bare):
            return f"lambda.{multiplier[1]}" + "'" * primes
        if friction := _FRICTION.fullmatch(bare):
            return f"friction.{friction[1]}[{friction[2]}]"
        return name

    def cases(self, pairs: Sequence[tuple[str, str]]) -> Printed:
        """if(condition, value, else …), as in the model language."""
        text = pairs[-1][0]
        for value, condition in reversed(pairs[:-1]):
            text = f"if({condition}, {value}, {text})"
        return Printed(text, ATOM, 4)


class Terminal(Language):
    """For reading: m·a·cos(θ)·θ′²"""

    for_reading = True

    def symbol(self, name: str) -> str:
        bare, primes = _primes(name)
        if multiplier := _MULTIPLIER.fullmatch(bare):
            return f"λ{'′' * primes}[{multiplier[1]}]"
        if friction := _FRICTION.fullmatch(bare):
            return f"R[{friction[1]}, {friction[2]}]"
        if after := _AFTER.fullmatch(bare):
            return f"{'ġ' if after[1] == 'gamma' else after[1]}⁺[{after[2]}]"
        if bare.startswith("varphi["):
            return "ϕ" + bare[6:]
        if bare.endswith(("*", "+")):
            return self.symbol(bare[:-1]) + ("*" if bare[-1] == "*" else "⁺") + ("", "′", "″")[primes]
        if cosine := _COSINE.fullmatch(bare):
            return f"{cosine[1]}({GREEK[cosine[2]]})"
        if greek := _GREEK_NAME.fullmatch(bare):
            bare = GREEK[greek[1]] + greek[2]
        if entry := _ENTRY.fullmatch(bare):
            owners = ", ".join(map(self.symbol, entry[2].split(", ")))
            return f"{self.symbol(entry[1])}{('', '′', '″')[primes]}[{owners}]"
        if _NUMBERED_PI.fullmatch(bare):
            bare = "π" + bare[2:]
        return {"pi": "π"}.get(bare, bare) + ("", "′", "″")[primes]

    def number(self, value: Any) -> str:
        mantissa, e, exponent = Language.number(self, value).partition("e")
        if not e:
            return mantissa
        power = "10" + str(int(exponent)).replace("-", "⁻").translate(_SUPERSCRIPT)
        return {"1": power, "-1": f"-{power}"}.get(mantissa, f"{mantissa}·{power}")

    def times(self, factors: Sequence[Printed]) -> str:
        return "·".join(self.inside(factor, PRODUCT) for factor in factors)

    def cases(self, pairs: Sequence[tuple[str, str]]) -> Printed:
        told = [tr("{value} if {condition}", value=value, condition=condition) for value, condition in pairs[:-1]]
        last, condition = pairs[-1]
        other = tr("{value} if {condition}", value=last, condition=condition)
        told.append(tr("{value} otherwise", value=last) if condition == OTHERWISE else other)
        return Printed("{" + "; ".join(told) + "}", ATOM, 4)

    def power(self, base: Printed, exponent: Printed, kind: str) -> Printed:
        if exponent.text.isdigit():
            return Printed(self.inside(base, ATOM) + exponent.text.translate(_SUPERSCRIPT), POWER)
        return Language.power(self, base, exponent, kind)

    def root(self, base: Printed) -> Printed:
        return Printed("√" + (base.text if base.level == ATOM else self.bracketed(base.text)), ATOM, 3)

    def relation(self, sign: str) -> str:
        return f" {({'<=': '≤', '>=': '≥', '!=': '≠', 'perp': '⟂'}).get(sign, sign)} "


class Latex(Printer):
    r"""For printing: m a \cos\theta\,\dot{\theta}^{2}"""

    for_reading = True

    def symbol(self, name: str) -> str:
        bare, primes = _primes(name)
        if multiplier := _MULTIPLIER.fullmatch(bare):
            letter, index = r"\lambda", rf"_{{{_upright(multiplier[1])}}}"
        elif friction := _FRICTION.fullmatch(bare):
            letter, index = "R", rf"_{{{_upright(friction[1])}, {friction[2]}}}"
        elif after := _AFTER.fullmatch(bare):
            letter, index = r"\dot{g}" if after[1] == "gamma" else after[1], rf"_{{{_upright(after[2])}}}^{{+}}"
        elif cosine := _COSINE.fullmatch(bare):
            return rf"\{cosine[1]}\{cosine[2]}"
        elif bare.startswith("varphi["):
            letter, index = r"\varphi", rf"_{{{_upright(bare[7:-1])}}}"
        elif bare.endswith(("*", "+")):
            letter, index = latex_name(bare[:-1])
            index += f"^{{{bare[-1]}}}"
        elif entry := _ENTRY.fullmatch(bare):
            letter = latex_name(entry[1])[0]
            index = rf"_{{{', '.join(''.join(latex_name(name)) for name in entry[2].split(', '))}}}"
        else:
            letter, index = latex_name(bare)
        accent = ("", r"\dot", r"\ddot")[primes]
        return (f"{accent}{{{letter}}}" if accent else letter) + index

    def number(self, value: Any) -> str:
        text = str(value) if isinstance(value, int | se.Integer) else _float(value)
        mantissa, e, exponent = text.partition("e")
        return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if e else mantissa

    def quotient(self, above: str, below: Printed) -> Printed:
        if above.startswith("-"):
            return Printed(rf"-\frac{{{above[1:]}}}{{{below.text}}}", SUM)
        return Printed(rf"\frac{{{above}}}{{{below.text}}}", POWER)

    def above(self, part: Printed) -> str:
        return self.inside(part, PRODUCT) if part.negative else part.text

    def times(self, factors: Sequence[Printed]) -> str:
        texts = [self.inside(factor, PRODUCT) for factor in factors]
        joined = texts[0] if texts else ""
        for left, right in pairwise(texts):
            joined += (r" \cdot " if left[-1].isdigit() and right[0].isdigit() else r" \, ") + right
        return joined

    def power(self, base: Printed, exponent: Printed, kind: str) -> Printed:
        function = re.match(r"\\(sin|cos|tan)h?(?![a-z])", base.text)
        if exponent.text.isdigit() and function is not None and (kind in _TRIGONOMETRIC or kind == "Symbol"):
            return Printed(f"{function[0]}^{{{exponent.text}}}{base.text[function.end() :]}", POWER)
        inside = self.inside(base, ATOM)
        if inside.endswith(("^{*}", "^{+}")):  # TeX takes no second superscript
            inside = f"{{{inside}}}"
        return Printed(f"{inside}^{{{exponent.text}}}", POWER)

    def root(self, base: Printed) -> Printed:
        return Printed(rf"\sqrt{{{base.text}}}", ATOM, 3)

    def function(self, name: str, arguments: Sequence[Printed]) -> Printed:
        if name == "abs":
            return Printed(rf"\left|{arguments[0].text}\right|", ATOM, 3)
        turn = re.fullmatch("R_([nxyz])", name)  # an elementary rotation
        command = f"R_{{{turn[1]}}}" if turn else _FUNCTIONS.get(name, rf"\operatorname{{{_escaped(name)}}}")
        if len(arguments) == 1 and arguments[0].level == ATOM and "(" not in arguments[0].text and not turn:
            return Printed(f"{command} {arguments[0].text}", POWER, 3)
        return Printed(command + self.bracketed(", ".join(part.text for part in arguments)), ATOM, 3)

    def cases(self, pairs: Sequence[tuple[str, str]]) -> Printed:
        other = rf"\text{{{tr('otherwise')}}}"
        rows = r" \\ ".join(
            rf"{value} & {other if condition == OTHERWISE else condition}" for value, condition in pairs
        )
        return Printed(rf"\begin{{cases}} {rows} \end{{cases}}", ATOM, 4)

    def bracketed(self, text: str) -> str:
        return rf"\left({text}\right)"

    def relation(self, sign: str) -> str:
        return f" {_RELATIONS.get(sign, sign)} "


_RELATIONS = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne", "perp": r"\perp"}
_TRIGONOMETRIC = {"sin", "cos", "tan", "sinh", "cosh", "tanh"}
_FUNCTIONS = {name: rf"\{name}" for name in (*_TRIGONOMETRIC, "exp", "log", "min", "max")} | {
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan": r"\arctan",
}


def _escaped(text: str) -> str:
    return text.replace("_", r"\_")


def _upright(text: str) -> str:
    return rf"\{'mathrm' if text.isascii() else 'text'}{{{_escaped(text)}}}"


def latex_name(name: str) -> tuple[str, str]:
    r"""A name as letter and subscript: thetaR is \theta and _{R}, m0 is m and _{0}. Other words are upright."""
    if name == "pi":
        return r"\pi", ""
    if _NUMBERED_PI.fullmatch(name):
        return r"\pi", f"_{{{name[2:]}}}"
    name = "".join(_NAMES.get(letter, letter) for letter in name)
    greek = _GREEK_NAME.fullmatch(name)
    letter = _LETTER_NAME.fullmatch(name)
    if greek:
        head, tail = rf"\{greek[1]}", greek[2]
    elif letter:
        head, tail = letter[1], letter[2] or ""
    else:
        return _upright(name), ""
    if not tail:
        return head, ""
    plain = tail.isdigit() or (len(tail) == 1 and tail.isascii())
    return head, f"_{{{tail if plain else _upright(tail)}}}"
