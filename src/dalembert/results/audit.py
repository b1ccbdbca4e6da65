"""The answer to the question whether given equations are those of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.language import tr


@dataclass(frozen=True, slots=True)
class Parting:
    """A term in which an equation differs from the model's: its monomial, and both coefficients, as texts."""

    equation: int  # counted from 1
    of: str  # the equation of the model that it was compared with
    term: str  # theta'^2, x'', 1, …
    kind: str  # inertia, Coriolis or centrifugal, linear in the speeds, force, reaction
    stated: str  # its factor in the equation
    expected: str  # its factor in the model
    why: str  # the sign is opposite, the term is missing, …

    def __str__(self) -> str:
        what = tr("the term without speeds") if self.term == "1" else tr("the term with {term}", term=self.term)
        return tr(
            "Equation {equation} ({of}), {what} ({kind}): {why}. Stated: {stated}. The model's: {expected}.",
            equation=self.equation,
            of=self.of,
            what=what,
            kind=self.kind,
            why=self.why,
            stated=self.stated,
            expected=self.expected,
        )


@dataclass(frozen=True, slots=True, repr=False)
class Audit:
    """`agrees`: every equation holds on every motion of the model, and together they determine it."""

    agrees: bool
    verdict: str  # a sentence
    partings: tuple[Parting, ...] = ()  # terms that differ from the model's
    mistake: str = ""  # a sentence, if the mistake has a name
    state: Mapping[str, float] = field(default_factory=dict)  # where an equation does not hold
    residual: float = 0.0  # at that state, relative to the largest term
    equation: int = 0  # the equation with the largest residual, from 1
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [self.verdict]
        if self.mistake:
            lines.append(self.mistake)
        lines += [str(one) for one in self.partings]
        if self.state:
            at = ", ".join(f"{name} = {value:.6g}" for name, value in self.state.items())
            lines.append(
                tr(
                    "Equation {equation} misses by {residual:.3g} of its largest term at {at}.",
                    equation=self.equation,
                    residual=self.residual,
                    at=at,
                )
            )
        return "\n".join((*lines, *self.notes))

    def __repr__(self) -> str:
        return f"<Audit: {self.verdict}>"

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import audit_html

        return audit_html(self)

    def to_dict(self) -> dict[str, Any]:
        names = ("equation", "of", "term", "kind", "stated", "expected", "why")
        return {
            "agrees": self.agrees,
            "verdict": self.verdict,
            "mistake": self.mistake,
            "partings": [{name: getattr(one, name) for name in names} for one in self.partings],
            "equation": self.equation,
            "state": dict(self.state),
            "residual": self.residual,
            "notes": list(self.notes),
        }
