"""Conserved quantities: energies, integrals, momentum equations, and checks of the user's expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.language import mark, tr
from dalembert.results.part import Shown

if TYPE_CHECKING:
    from dalembert.results.text.blocks import Block


PLURAL = ("other forces", "moving parts")  # spoilers without a name in the model


@dataclass(frozen=True, slots=True)
class FormulaText:
    """A formula in three ways: for a terminal, for printing, and in the language of model files."""

    text: str
    latex: str
    language: str


@dataclass(frozen=True, slots=True)
class Spoiler:
    """Something that changes an energy. `power` is typical of random states. `sign`: −1 if it only takes energy, 1 if
    it only gives, 0 if both occur.
    """

    name: str
    kind: str
    power: float
    sign: int
    why: str

    def __str__(self) -> str:
        s = "" if self.name in PLURAL else "s"
        what = {-1: tr("take{s} energy", s=s), 1: tr("give{s} energy", s=s)}.get(
            self.sign, tr("give{s} and take{s} energy", s=s)
        )
        size = tr(" (power about {power:.3g})", power=self.power) if self.power else ""
        return f"{tr(self.name)} {what}{size}: {self.why}"


@dataclass(frozen=True, slots=True)
class EnergyVerdict:
    name: str  # "energy", "generalized energy"
    formula: FormulaText
    conserved: bool
    spoilers: tuple[Spoiler, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "text": self.formula.language,
            "latex": self.formula.latex,
            "conserved": self.conserved,
            "spoilers": [
                {"name": s.name, "kind": s.kind, "power": s.power, "sign": s.sign, "why": s.why} for s in self.spoilers
            ],
        }


@dataclass(frozen=True, slots=True)
class ConservedQuantity:
    """One integral, and how it was verified.

    `when` says in which mode it holds. `general` means that it holds for all values of the parameters. Its rate was
    evaluated at random states with `digits` digits. `drift` is its largest change along random motions, at two
    tolerances. `contacts` says for every contact whether an impact keeps it.
    """

    formula: FormulaText
    kind: str  # energy, generalized energy, moving energy, momentum, linear, quadratic, nonlinear; geometric: no speeds
    words: str  # a common name, such as energy
    symmetry: str  # the field of its symmetry, or none
    when: str  # the condition under which it is conserved
    general: bool  # for all values of the parameters
    digits: int  # to which its rate vanishes
    drift: tuple[float, float] | None  # along motions, at the coarse and the fine tolerance
    motions: int = 0  # number of motions
    contacts: Mapping[str, str] = field(default_factory=dict)  # kept or changed, by contact and kind of event

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.formula.language,
            "latex": self.formula.latex,
            "kind": self.kind,
            "words": self.words,
            "symmetry": self.symmetry,
            "when": self.when,
            "general": self.general,
            "digits": self.digits,
            "drift": None if self.drift is None else list(self.drift),
            "motions": self.motions,
            "contacts": dict(self.contacts),
        }


@dataclass(frozen=True, slots=True)
class MomentumLaw:
    """A momentum equation: d/dt momentum = rate, along a field of the distribution."""

    field: str
    momentum: FormulaText
    rate: FormulaText

    def to_dict(self) -> dict[str, Any]:
        return {
            "field": self.field,
            "momentum": self.momentum.language,
            "rate": self.rate.language,
            "latex": rf"\frac{{d}}{{dt}}\left({self.momentum.latex}\right) = {self.rate.latex}",
        }


@dataclass(frozen=True, slots=True)
class Check:
    """The test of one expression: its rate at random states, and its drift along random motions at two tolerances."""

    expression: str  # as it was given
    conserved: bool
    rate: float  # the largest one, relative to the size of its terms
    digits: int  # to which its rate vanishes
    drift: tuple[float, float] | None  # along motions, at the coarse and the fine tolerance
    motions: int  # number of motions
    verdict: str  # a sentence
    contacts: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "expression": self.expression,
            "conserved": self.conserved,
            "rate": self.rate,
            "digits": self.digits,
            "drift": None if self.drift is None else list(self.drift),
            "motions": self.motions,
            "verdict": self.verdict,
            "contacts": dict(self.contacts),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Conserved(Shown):
    """Energies with their spoilers, integrals that were found and proved, momentum equations, and the user's checks."""

    energies: tuple[EnergyVerdict, ...]
    quantities: tuple[ConservedQuantity, ...]
    momentum_equations: tuple[MomentumLaw, ...]
    checks: tuple[Check, ...]
    searched: int  # number of candidates
    tolerances: tuple[float, float]  # of the motions along which integrals are followed
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = mark("Conserved quantities")
    source: ClassVar[str] = mark(
        "Jacobi and Painlevé (generalized energy); Bloch, Krishnaprasad, Marsden and Murray, "
        "Arch. Rat. Mech. 136 (1996) 21 (momentum equation); Fassò and Sansonetto, J. "
        "Nonlinear Sci. 26 (2016) 519 (moving energies)."
    )

    def __getitem__(self, place: int) -> ConservedQuantity:
        return self.quantities[place]

    def __len__(self) -> int:
        return len(self.quantities)

    def to_dict(self) -> dict[str, Any]:
        return {
            "energies": [e.to_dict() for e in self.energies],
            "quantities": [q.to_dict() for q in self.quantities],
            "momentum_equations": [m.to_dict() for m in self.momentum_equations],
            "checks": [c.to_dict() for c in self.checks],
            "searched": self.searched,
            "tolerances": list(self.tolerances),
        }

    def blocks(self) -> Iterable[Block]:
        from dalembert.results.text.conserved import conserved_blocks

        return conserved_blocks(self)

    def __repr__(self) -> str:
        kinds = ", ".join(quantity.words or quantity.kind for quantity in self.quantities)
        return f"<Conserved: {len(self.quantities)} quantities{': ' + kinds if kinds else ''}>"
