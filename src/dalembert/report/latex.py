r"""Equations and derivations in LaTeX: documents that compile on their own, and a fragment for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any
from unicodedata import normalize

from dalembert.equations import Equations, Erratum, Step
from dalembert.formalisms.telling import cited
from dalembert.language import english, tr
from dalembert.mechanics.readable import readable
from dalembert.report.content import Line, Section, content, remarks
from dalembert.report.dialects import GREEK, Latex
from dalembert.report.parts import structured
from dalembert.results.words import described

WRITE = Latex()
WIDTH = 78  # approximate number of printed characters in a line

LATIN = r"""\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
"""
HAN = r"""\documentclass[a4paper,zihao=false]{ctexart} % XeLaTeX or LuaLaTeX
"""  # zihao=false: the size of the letters is that of `article`, for which lines are broken
OTHER = r"""\documentclass[a4paper]{article} % XeLaTeX or LuaLaTeX
"""
FONTS = r"""\usepackage{fontspec} % letters that TeX's own fonts lack, such as Cyrillic ones
\IfFontExistsTF{DejaVu Serif}{\setmainfont[Scale=0.86]{DejaVu Serif}}{%
\IfFontExistsTF{FreeSerif}{\setmainfont{FreeSerif}}{}}
"""
PREAMBLE = r"""\usepackage[margin=20mm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\sloppy
\setcounter{MaxMatrixCols}{99}
\begin{document}
"""
_PRINTED = (
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"′": "'", "″": "''", "−": "--", "–": "--", "—": "---", "…": r"\ldots{}", "’": "'"}
    | {letter: rf"$\{name}$" for name, letter in GREEK.items()}
    | {letter: f"$_{digit}$" for digit, letter in enumerate("₀₁₂₃₄₅₆₇₈₉")}
    | {letter: f"$^{digit}$" for digit, letter in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
    | {
        "·": r"$\cdot$",
        "×": r"$\times$",
        "≤": r"$\le$",
        "≥": r"$\ge$",
        "≠": r"$\ne$",
        "∂": r"$\partial$",
        "√": r"$\surd$",
        "π": r"$\pi$",
        "ϕ": r"$\varphi$",
        "ᵀ": r"$^{\mathsf T}$",
        "ᶜ": "$^c$",
        "⁺": "$^{+}$",
        "⁻": "$^{-}$",
        "½": r"$\tfrac12$",
        "⅓": r"$\tfrac13$",
        "¼": r"$\tfrac14$",
        "∫": r"$\int$",
        "∓": r"$\mp$",
        "⟂": r"$\perp$",
        "Ψ": r"$\Psi$",
        "→": r"$\to$",
        "≡": r"$\equiv$",
    }
)
CHINESE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff“”‘]")
_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_ACCENTED = {"\u0307": "dot", "\u0308": "ddot", "\u0303": "tilde", "\u0304": "bar"}
_BELOW = r"\{[^{}]*\}|[^\W_⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]+"  # an index: one word, or anything in braces
_INDEXED = re.compile(
    rf"(?P<letter>[^\W\d_])(?P<accent>[{''.join(_ACCENTED)}]?)(?P<star>\*{{0,2}}|⁻¹)_(?P<below>{_BELOW})(?:\^(?P<above>{_BELOW}))?"
    rf"|(?P<bare>[^\W\d_])(?P<over>[{''.join(_ACCENTED)}])"
)


def escaped(text: str) -> str:
    """Text escaped for LaTeX. Greek letters, and letters with indices or accents, become mathematics. Letters that the
    fonts of TeX do not have stay as they are, and the document asks for a font that has them.
    """
    text = "".join(c if c in _PRINTED or (ord(c) < 0x1E00 and c not in "ȧċġ") else normalize("NFD", c) for c in text)
    text = re.sub("([₀-₉]+)", lambda m: "_{" + m[1].translate(_DIGITS) + "}", text)
    found, last = "", 0
    for match in _INDEXED.finditer(text):
        if match["letter"] and not _is_letter(match, text):
            continue
        found += _plain(text[last : match.start()]) + _indexed(match)
        last = match.end()
    return found + _plain(text[last:])


def _is_letter(match: re.Match[str], text: str) -> bool:
    """Whether the letter stands alone: the r of k_r, not that of rear_frame."""
    before = text[match.start() - 1 : match.start()]
    return not before.isalnum() or before in "∂δΔΣ" or ord(before) > 0x36F


def _indexed(match: re.Match[str]) -> str:
    if match["bare"]:
        return rf"$\{_ACCENTED[match['over']]}{{{_math(match['bare'])}}}$"
    letter = _math(match["letter"]).replace(r"\Sigma", r"\sum")
    if match["accent"]:
        letter = rf"\{_ACCENTED[match['accent']]}{{{letter}}}"
    above = match["star"].replace("⁻¹", "-1") + (match["above"] or "").strip("{}")
    return f"${letter}_{{{_math(match['below'].strip('{}'))}}}" + (f"^{{{_math(above)}}}$" if above else "$")


def _math(text: str) -> str:
    """Text between dollar signs: its letters without dollar signs of their own."""
    return _plain(text).replace("$", " ").strip().replace("--", "-")


def _plain(text: str) -> str:
    return "".join(_PRINTED.get(c, c) for c in text)


def document(lines: Iterable[str]) -> str:
    """A document that compiles on its own with any TeX. With Chinese text it needs XeLaTeX and the package ctex, with
    letters of other scripts XeLaTeX and the font FreeSerif or DejaVu Serif.
    """
    body = "\n".join(lines)
    others = any(ord(c) >= 0x180 and not CHINESE.match(c) for c in body)
    first = HAN if CHINESE.search(body) else OTHER if others else LATIN
    return first + (FONTS if others else "") + PREAMBLE + body + "\n\\end{document}"


def _heading(eq: Equations, title: str) -> list[str]:
    return [
        rf"\section*{{{escaped(title or tr('Equations of motion'))}}}",
        tr("Method: {method}.", method=escaped(", ".join(filter(None, (eq.method, described(eq.description)))))),
    ]


def _notes(notes: Iterable[str]) -> list[str]:
    items = [rf"\item {escaped(note)}" for note in notes]
    return [rf"\paragraph{{{tr('Notes')}}}", r"\begin{itemize}", *items, r"\end{itemize}"] if items else []


def equations_document(eq: Equations, title: str = "") -> str:
    """The unknowns, the equations, the constraints, the energy."""
    shown = content(eq)
    unknowns = ", ".join(f"${WRITE(symbol)}$" for symbol in shown.unknowns)
    lines = [*_heading(eq, title), tr("Solved for: {unknowns}.", unknowns=unknowns)]
    if shown.form:
        lines += ["\\[\n" + r",\qquad ".join(shown.form) + "\n\\]", escaped(shown.letters)]
    for section in shown.sections:
        lines += [rf"\subsection*{{{escaped(section.title)}}}", *_conditions(section), _aligned(section.lines)]
    return document([*lines, *_notes(shown.notes)])


def _conditions(section: Section) -> list[str]:
    rows = [rf"& {WRITE.chain(c.parts)} &&\text{{{escaped(c.label)}}}" for c in section.conditions]
    return ["\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"] if rows else []


def _aligned(lines: Iterable[Line]) -> str:
    """Aligned lines. A line whose left side fills a whole row is set separately, from the left margin."""
    written = [(WRITE(line.left), WRITE(line.right)) for line in lines]
    widest = _widest(left for left, _ in written)
    return _blocks(broken(left, right, widest) for left, right in written)


def _widest(lefts: Iterable[str]) -> int:
    """The width of the widest left side that does not fill a row of its own."""
    return max((width for left in lefts if (width := len(_visible(left))) <= WIDTH // 2), default=0)


def _blocks(equations: Iterable[list[str]]) -> str:
    blocks = []
    for _, group in groupby(equations, key=lambda rows: rows[0].startswith("&")):
        joined = " \\\\\n".join(" \\\\\n".join(rows) for rows in group)
        blocks.append("\\begin{align*}\n" + joined + "\n\\end{align*}")
    return "\n".join(blocks)


def broken(left: str, right: str, widest: int = 0) -> list[str]:
    """left &= right, over several lines if it is long. Lines break between terms outside of brackets. The right sides
    begin after the `widest` left side above or below."""
    left, sign = _relation(left)
    if len(_visible(left)) > WIDTH // 2:
        first = wrapped(left)
        rows = [f"& {first[0]}", *(rf"& \quad {{}}{piece}" for piece in first[1:])]
        return [
            *rows,
            *(rf"& \qquad {f'{sign} ' if i == 0 else '{}'}{piece}" for i, piece in enumerate(wrapped(right))),
        ]
    pieces = wrapped(right, WIDTH - max(widest, len(_visible(left))))
    return [f"{left} &{sign} {pieces[0]}", *(rf"&\quad {{}}{piece}" for piece in pieces[1:])]


def _relation(left: str) -> tuple[str, str]:
    """A left side without the relation at its end, and that relation, or = if it has none."""
    match = re.search(r"\s*(\\(?:ge|le|ne))$", left)
    return (left[: match.start()], match[1]) if match else (left, "=")


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    pieces: list[str] = [""]
    for term in _short(terms(text), width):
        if pieces[-1] and len(_visible(pieces[-1] + term)) > width:
            pieces.append("")
        pieces[-1] += term
    return [piece.strip() for piece in pieces]


def _short(parts: list[str], width: int) -> list[str]:
    """The parts. A part that is too long for a line is cut again inside its longest element."""
    found = []
    for part in parts:
        opened = _opened(part) if len(_visible(part)) > width else part
        inner = [term for term in terms(opened) if term] if opened != part else [part]
        found += _short(inner, width) if len(inner) > 1 else [inner[0]] if opened == part else _short([opened], width)
    return found


ELEMENT = re.compile(r"\\frac(?=\{)|\\sqrt(?=\{)|\\left\(|[{}]|\\[{}]|\\left\b|\\right\b.|\\begin\b|\\end\b")


def _opened(part: str) -> str:
    """A product with its longest bracket, root or fraction written so that a line may end inside: brackets of a fixed
    size, a root as a power, and a fraction as its numerator times the power of its denominator.
    """
    begin, end, written = max(_elements(part), key=lambda found: found[1] - found[0], default=(0, 0, ""))
    return part[:begin] + written + part[end:] if written else part


def _elements(part: str) -> Iterator[tuple[int, int, str]]:
    """Brackets, roots and fractions outside of others: where they begin and end, and how they are written open."""
    depth, place = 0, 0
    while match := ELEMENT.search(part, place):
        token, begin, place = match.group(), match.start(), match.end()
        if depth == 0 and token == r"\left(":
            place = _closed(part, place)
            inside = part[match.end() : place - len(r"\right)")]
            if len(terms(inside)) > 1 or _opened(inside) != inside:
                yield begin, place, rf"\bigl({inside}\bigr)"
        elif depth == 0 and token in (r"\frac", r"\sqrt"):
            first, rest = _braced(part, place)
            second, rest = _braced(rest, 0) if token == r"\frac" else ("", rest)
            place = len(part) - len(rest)
            if token == r"\sqrt":
                yield begin, place, rf"\bigl({first}\bigr)^{{1/2}}"
            elif len(_visible(second)) > WIDTH // 3:
                yield begin, place, ("" if first == "1" else rf"{_factor(first)} \, ") + _inverse(second)
            elif len(terms(first)) > 1:
                yield begin, place, rf"\frac{{1}}{{{second}}} \, {_factor(first)}"
            elif inner := max(_elements(first), key=lambda found: found[1] - found[0], default=None):
                before, written, after = _apart(first, *inner)
                rest = r" \, ".join(filter(None, (before, after)))
                yield begin, place, rf"\frac{{{rest or 1}}}{{{second}}} \, {written}"
        else:
            depth -= token == "}" or token.startswith(r"\right") or token == r"\end"
            depth += token == "{" or token.startswith(r"\left") or token == r"\begin"


def _apart(product: str, begin: int, end: int, written: str) -> tuple[str, str, str]:
    """The factors before an element, the element with its function and its exponent, and the factors after it."""
    before, after = product[:begin], product[end:]
    function = re.search(r"\\(?:[a-z]+|(?:mathrm|operatorname)\{\w+\})(?:\^\{[^{}]*\})?\s*$", before)
    name = function[0] if function else ""
    raised = after[: len(after) - len(_braced(after, 1)[1])] if after.startswith("^{") else ""
    thin = r"^(\s|\\,)+|(\s|\\,)+$"
    before, after = before[: len(before) - len(name)], after[len(raised) :]
    return re.sub(thin, "", before), name + written + raised, re.sub(thin, "", after)


def _factor(text: str) -> str:
    return text if len(terms(text)) == 1 else rf"\bigl({text}\bigr)"


def _inverse(text: str) -> str:
    """The power −1 of a denominator, or −1/2 of a root."""
    if text.startswith(r"\sqrt{"):
        inside, rest = _braced(text, len(r"\sqrt"))
        if not rest:
            return rf"\bigl({inside}\bigr)^{{-1/2}}"
    return rf"\bigl({text}\bigr)^{{-1}}"


def _closed(text: str, start: int) -> int:
    """The place after the \\right) that closes the bracket whose content begins at `start`."""
    depth = 1
    for match in re.finditer(r"\\left\b|\\right.", text[start:]):
        depth += 1 if match.group() == r"\left" else -1
        if depth == 0:
            return start + match.end()
    raise ValueError(f"the brackets of {text!r} do not close")


def _braced(text: str, start: int) -> tuple[str, str]:
    """The content of the braces that open at `start`, and the text after them."""
    depth = 0
    for match in re.finditer(r"\\[{}]|[{}]", text[start:]):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            end = start + match.start()
            return text[start + 1 : end], text[end + 1 :]
    raise ValueError(f"the braces of {text!r} do not close")


def terms(text: str) -> list[str]:
    """The text, cut before every plus and minus outside of braces and \\left … \\right."""
    depth, begin, found = 0, 0, []
    for match in re.finditer(r"\\[{}]|[{}]|\\left\b|\\right\b|\\begin\b|\\end\b| [+-] ", text):
        token = match.group()
        if token in {"{", r"\left", r"\begin"}:
            depth += 1
        elif token in {"}", r"\right", r"\end"}:
            depth -= 1
        elif depth == 0 and not token.startswith("\\"):
            found.append(text[begin : match.start()])
            begin = match.start()
    return [*found, text[begin:]]


def _visible(text: str) -> str:
    """Roughly the printed characters: a function takes four, a sign between two terms takes two."""
    text = re.sub(r"\\(?:left|right|bigl|bigr|frac|mathrm|text|ddot|dot|,)(?![a-z])", "", text)
    text = re.sub(r"\\(?:sin|cos|tan|operatorname)(?![a-z])", "aaaa", text)
    text = re.sub(r" ([+-]) ", r"\1\1", re.sub(r"\\[a-z]+", "a", text))
    return re.sub(r"[{}^_]| ", "", text)


def steps_document(eq: Equations, title: str = "") -> str:
    """The derivation in the steps of the paper."""
    lines = _heading(eq, title)
    for i, step in enumerate(structured(eq), 1):
        place = f" \\hfill {escaped(cited(step.locator))}" if step.locator else ""
        lines += [rf"\subsection*{{{i}. {escaped(step.title)}{place}}}", *_step(step)]
    return document([*lines, *_notes(remarks(eq))])


def _step(step: Step) -> list[str]:
    lines = [escaped(step.why)] if step.why else []
    lines += [f"\\[\n{step.formula}\n\\]"] if step.formula else []
    widest = _widest(_relation(left if isinstance(left, str) else WRITE(readable(left)))[0] for left, _ in step.results)
    lines += [_blocks(result(left, value, widest) for left, value in step.results)] if step.results else []
    return [*lines, *([escaped(step.note)] if step.note else []), *map(_box, step.errata)]


def _box(erratum: Erratum) -> str:
    """The printed form, the correct form, and the reason, in a frame."""
    told = [
        rf"\textbf{{{tr('Erratum, {place}.', place=escaped(cited(erratum.place)))}}}",
        tr("In print: {formula}.", formula=prose(erratum.printed)),
        tr("Right is: {formula}.", formula=prose(erratum.right)),
        tr("Because {formula}.", formula=prose(erratum.because)),
    ]
    return "\n\n" + rf"\fbox{{\parbox{{0.95\linewidth}}{{{' '.join(told)}}}}}" + "\n\n"


def prose(text: str) -> str:
    """Words with formulas between dollar signs. The words are escaped, the formulas are kept."""
    pieces = text.split("$")
    return "".join(f"${piece}$" if i % 2 else escaped(piece) for i, piece in enumerate(pieces))


def result(left: Any, value: Any, widest: int = 0) -> list[str]:
    """One result of a step: a scalar, a row as a column of components, or a matrix (by entries if it is wide)."""
    if not isinstance(left, str):
        return broken(WRITE(readable(left)), WRITE(readable(value)), widest)
    if not isinstance(value, tuple):
        return broken(left, WRITE(readable(value)), widest)
    room = WIDTH - max(widest, len(_visible(left)))
    if not (value and isinstance(value[0], tuple)):
        entries = [WRITE(readable(e)) for e in value]
        if sum(len(_visible(e)) + 2 for e in entries) <= room:
            return [rf"{left} &= \begin{{pmatrix}} {' & '.join(entries)} \end{{pmatrix}}"]
        letter = rf"({left})" if len(terms(left)) > 1 else f"{{{left}}}"
        return [row for i, e in enumerate(entries, 1) for row in broken(rf"{letter}_{{({i})}}", e, widest)]
    matrix = [[WRITE(readable(e)) for e in row] for row in value]
    if (
        len(_visible(left)) + sum(max(len(_visible(e)) for e in column) + 2 for column in zip(*matrix, strict=True))
        <= WIDTH
    ):
        rows = r" \\ ".join(" & ".join(row) for row in matrix)
        return [rf"{left} &= \begin{{pmatrix}} {rows} \end{{pmatrix}}"]
    lines = [
        line
        for i, row in enumerate(matrix, 1)
        for j, e in enumerate(row, 1)
        if e != "0"
        for line in broken(rf"{{{left}}}_{{({i},{j})}}", e, widest)
    ]
    return lines or [f"{left} &= 0"]


def fragment(eq: Equations) -> str:
    """The equations of motion and the constraints, for a notebook."""
    sections = [s for s in content(eq).sections if english(s.title) != "Energy"]
    rows = [
        row for section in sections for line in section.lines for row in broken(WRITE(line.left), WRITE(line.right))
    ]
    return "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$"
