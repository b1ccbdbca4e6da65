"""Equations and derivations as text for a terminal."""

from __future__ import annotations

import re
from typing import Any

from dalembert import columns
from dalembert.equations import Equations, Erratum, Step
from dalembert.formalisms.telling import cited
from dalembert.language import tr
from dalembert.mechanics.readable import readable
from dalembert.report.content import Section, content, remarks
from dalembert.report.dialects import GREEK, Terminal
from dalembert.report.parts import structured
from dalembert.results.words import described

WRITE = Terminal()
WIDTH = 118


def equations_text(eq: Equations, title: str = "") -> str:
    """The unknowns, the equations, the constraints, the energy."""
    shown = content(eq)
    unknowns = ", ".join(map(WRITE, shown.unknowns))
    solved = tr("solved for: {unknowns}", unknowns=unknowns)
    lines = [*heading(eq, title), *columns.lines(solved, WIDTH, "", " " * 12)]
    if shown.form:
        reactions = f" + Σ {'A[i, r]' if eq.R is None else 'R[r, i]'}·λ[i]" if eq.constraints else ""
        system = f"Σ D[r, s]·s″ = d[r]{reactions}"
        touching = " + Q[r]" if eq.unilateral is not None else ""
        lines += [tr("in:         {system}", system=system + touching)]
        lines += ["            Σ A[i, s]·s″ = b[i]"] if eq.constraints else []
        lines += ["", *columns.lines(shown.letters, WIDTH)]
    for section in shown.sections:
        lines += ["", section.title, *_section(section)]
    return "\n".join([*lines, *_notes(shown.notes)])


def heading(eq: Equations, title: str) -> list[str]:
    way = ", ".join(filter(None, (tr("method {method}", method=eq.method), described(eq.description))))
    return [*([title] if title else []), way]


def _section(section: Section) -> list[str]:
    width = max(columns.width(label) for label in section.labels)
    lines = []
    for condition in section.conditions:
        lines += folded(f"  {columns.left(condition.label, width)}   {WRITE.chain(condition.parts)}", width + 9)
    for line in section.lines:
        label = f"  {columns.left(line.label, width)}   " if width else "  "
        lines += folded(f"{label}{WRITE(line.left)} = {WRITE(line.right)}", len(label) + 4)
    return lines


def folded(line: str, indent: int) -> list[str]:
    """A long line, broken before a plus or minus between terms, or after the entry of a row; if it can be, not within
    parentheses. The indices of a name stay together.
    """
    out, open_ = [], 0
    while len(line) > WIDTH:
        names = re.sub(r"(?<=[\w′″*])\[[^\[\]]*\]", lambda m: "n" * len(m[0]), line)
        cuts = [m.start() for m in re.finditer(r" [+\-=] |(?<=,) ", names[: WIDTH + 1]) if m.start() > indent]
        depths = {cut: open_ + line.count("(", 0, cut) - line.count(")", 0, cut) for cut in cuts}
        if not cuts:
            break
        late = [cut for cut in cuts if cut > WIDTH // 2] or cuts
        cut = min(late, key=lambda cut: (depths[cut], -cut))
        out.append(line[:cut])
        line, open_ = " " * indent + line[cut + 1 :], depths[cut]
    return [*out, line]


def steps_text(eq: Equations, title: str = "") -> str:
    """The derivation in the steps of the paper."""
    lines = heading(eq, title)
    for i, step in enumerate(structured(eq), 1):
        lines += ["", f"{i}. {step.title}" + (f"   [{cited(step.locator)}]" if step.locator else ""), *_step(step)]
    return "\n".join([*lines, *_notes(remarks(eq))])


def _notes(notes: tuple[str, ...]) -> list[str]:
    told = [tr("note: {note}", note=note) for note in notes]
    return ["", *(line for note in told for line in columns.lines(note, WIDTH, "", "  "))] if notes else []


def _step(step: Step) -> list[str]:
    lines = _paragraph(step.why)
    lines += folded(f"   {plain_latex(step.formula)}", 7) if step.formula else []
    for left, value in step.results:
        lines += _result(_left(left) if isinstance(left, str) else _written(left), value)
    return [*lines, *_paragraph(step.note), *(line for erratum in step.errata for line in _box(erratum))]


def _left(latex: str) -> str:
    """A left side in the form of the expressions: q1′, θR′ and E[θ], not q̇_1, θ̇_R and E_θ."""
    text = plain_latex(latex)
    dots = r"(\w)([\u0307\u0308])(?:_(\d+|[A-Z]\b))?"
    text = re.sub(dots, lambda m: m[1] + (m[3] or "") + ("′" if m[2] == "\u0307" else "″"), text)
    text = re.sub(r"(?<=\w)_(\d+)(?!\w)|(?<=[α-ω])_([A-Z])(?=[,)])", lambda m: m[1] or m[2], text)
    return re.sub(r"_(?:\(([^()]*)\)|([^\W²³]+))", lambda m: f"[{m[1] or m[2]}]", text)


def _paragraph(text: str) -> list[str]:
    return columns.lines(text, WIDTH, "   ", "   ") if text else []


def _box(erratum: Erratum) -> list[str]:
    """The printed form, the correct form, and the reason, with a rule at the left."""
    told = [
        tr("Erratum, {place}", place=cited(erratum.place)),
        tr("in print: {formula}", formula=plain_latex(erratum.printed)),
        tr("right is: {formula}", formula=plain_latex(erratum.right)),
        tr("because:  {formula}", formula=plain_latex(erratum.because)),
    ]
    return [f"   │ {line}" for part in told for line in columns.lines(part, WIDTH - 5)]


def _result(left: str, value: Any) -> list[str]:
    if left[-1:] in "≥≤≠":
        return folded(f"     {left} {_written(value)}", 9)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        rows = [", ".join(_written(e) for e in row) for row in value]
        return [f"     {left} =", *(line for row in rows for line in folded(f"       [{row}]", 11))]
    if isinstance(value, tuple):
        return folded(f"     {left} = [{', '.join(_written(e) for e in value)}]", 9)
    return folded(f"     {left} = {_written(value)}", 9)


def _written(expression: Any) -> str:
    return WRITE(readable(expression))


_COMMANDS = {
    r"\sum": "Σ", r"\partial": "∂", r"\cdot": "·", r"\times": "×", r"\delta": "δ", r"\quad": "   ", r"\qquad": "   ",
    r"\,": " ", r"\;": " ", r"\!": "", r"\left": "", r"\right": "", r"\le": "≤", r"\ge": "≥", r"\neq": "≠", r"\ne": "≠",
    r"\ldots": "…", r"\dots": "…", r"\to": "→", r"\in": "∈", r"\int": "∫", r"\nabla": "∇", r"\pm": "±", r"\pi": "π",
    r"\varphi": "ϕ", r"\equiv": " ≡ ", r"\perp": " ⟂ ", r"\bigl": "", r"\bigr": "", r"\infty": "∞",
}  # fmt: skip
_LETTERS = GREEK | {"varphi": "ϕ", "pi": "π"}
_ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "tilde": "\u0303", "bar": "\u0304", "hat": "\u0302", "vec": "\u20d7"}
_HALVES = {"12": "½", "13": "⅓", "14": "¼", "34": "¾"}
_TOKEN, _BRACED = r"\\[A-Za-z]+|\w", r"\{(?:[^{}]|\{[^{}]*\})*\}"  # an argument of \\frac without braces, or with them
_WRAPPERS = "mathrm|mathsf|mathbf|boldsymbol|operatorname|text|textstyle|displaystyle|bm"


def plain_latex(text: str) -> str:
    """The LaTeX of a general law as text: fractions as a/b, accents as combining characters, Greek as Greek."""
    if "$" in text:  # words with formulas between dollar signs
        pieces = text.split("$")
        return "".join(plain_latex(piece) if i % 2 else piece for i, piece in enumerate(pieces))
    text = text.replace(r"\{", "⦃").replace(r"\}", "⦄")
    text = re.sub(r"\\(?:mathsf|mathrm|mathbf)\s+(\w)", r"\1", text)
    text = re.sub(r"\\sqrt\s*(\d)", r"√\1 ", text)
    text = re.sub(r"\\[dt]?frac\s*(\d)\s*(\d)", lambda m: _HALVES.get(m[1] + m[2], f"{m[1]}/{m[2]} "), text)
    text = re.sub(rf"\\frac(?:\s+({_TOKEN})|({_BRACED}))\s*({_TOKEN}|{_BRACED})", _braced, text)
    for _ in range(6):  # innermost braces first
        text = re.sub(r"\\(?:d|t)?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", _divided, text)
        text = re.sub(rf"\\(?:{_WRAPPERS})\s*\{{([^{{}}]*)\}}", r"\1", text)
        text = re.sub(r"\\sqrt\s*\{([^{}]*)\}", r"√(\1)", text)
        text = re.sub(
            r"\\(ddot|dot|tilde|bar|hat|vec)(?![A-Za-z])\s*(?:\{([^{}\\]+|\\\w+)\}|(\\[A-Za-z]+|\w))", _accented, text
        )
        text = re.sub(r"([_^])\{([^{}]*)\}", r"\1⟦\2⟧", text)
    for name, letter in GREEK.items():
        text = re.sub(rf"\\{name}(?![A-Za-z])", letter, text)
    for command, sign in sorted(_COMMANDS.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(command, sign)
    text = re.sub(r"(?<=[\w)])\s*\\(sin|cos|tan)(?![a-z])", r" \\\1", text)
    text = re.sub(r"\\(sin|cos|tan)(?![a-z])\s*(?=\w)", r"\1 ", text)
    text = re.sub(r"\^⟦?([+-])⟧?(?!\w)", lambda m: "⁺" if m[1] == "+" else "⁻", text)
    text = (
        re.sub(r"\^⟦?T⟧?", "ᵀ", text)
        .replace("^⟦-1⟧", "⁻¹")
        .replace("^⟦*⟧", "*")
        .replace("^⟦**⟧", "**")
        .replace("^*", "*")
    )
    text = re.sub(r"\^(⟦?)([0-9])(⟧?)", lambda m: m[2].translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")), text)
    text = re.sub(r"⟦(\w)⟧", r"\1", text).replace("⟦", "(").replace("⟧", ")")
    text = _related(re.sub(r"([∂δΣΔ×·]) +(?=\w)", r"\1", text))
    text = re.sub(r"(?<=[(\[]) +(?=\S)|(?<=\S) +(?=[)\]])|(?<=[=(,;] -) (?=[\w√])|(?<=^-) (?=[\w√])", "", text)
    text = text.replace("{", "").replace("}", "").replace("\\", "").replace("⦃", "{").replace("⦄", "}")
    return re.sub(r" {2,}(?=\S)", " ", text).strip()


def _braced(match: re.Match[str]) -> str:
    r"""\\frac l2 as \\frac{l}{2}."""
    above, below = match[1] or match[2], match[3]
    return r"\frac" + "".join(part if part.startswith("{") else f"{{{part}}}" for part in (above, below))


def _related(text: str) -> str:
    """Spaces around relations and signs between two terms, except inside parentheses and indices."""
    found, depth = "", 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        hyphen = re.match(r"[a-z]{2}-[a-z]{2}", text[max(i - 2, 0) :]) is not None
        binary = c in "+-" and not hyphen and re.search(r"[\w)\]|*′″\u0300-\u036f²³]$", found) is not None
        found += f" {c} " if (c in "=≠≤≥≡<>" or binary) and not depth else c
    return found


def _accented(match: re.Match[str]) -> str:
    letter = match[2] or match[3]
    letter = _LETTERS.get(letter.removeprefix("\\"), letter)
    if len(letter) > 1 and match[1] in {"dot", "ddot"}:
        return letter + {"dot": "′", "ddot": "″"}[match[1]]
    return letter[0] + _ACCENTS[match[1]] + letter[1:]


def _divided(match: re.Match[str]) -> str:
    above, below = (part if re.fullmatch(r"[^+\-]*", part) else f"({part})" for part in match.groups())
    return f" {above.strip()}/{below.strip()} "
