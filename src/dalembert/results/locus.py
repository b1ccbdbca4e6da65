"""The answer of `root_locus`: a family of states, their eigenvalues followed by continuity, and critical values."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.language import tr
from dalembert.results.state import in_units, labelled

if TYPE_CHECKING:
    from dalembert.results.plots.figure import Picture

ENDINGS = (".csv", ".json", ".png", ".svg")


@dataclass(frozen=True, slots=True)
class Member:
    """One state of the family. Its eigenvalues are in the order of the branches."""

    value: float  # of the varied quantity
    coordinates: Mapping[str, float]
    speeds: Mapping[str, float]
    eigenvalues: np.ndarray  # in the order of the branches
    stability: str  # stable, neutral or unstable
    holds: bool  # whether it moves steadily

    def to_dict(self, scales: Mapping[str, float]) -> dict[str, Any]:
        return {
            "value": self.value,
            "coordinates": in_units(self.coordinates, scales),
            "speeds": in_units(self.speeds, scales),
            "eigenvalues": [[value.real, value.imag] for value in self.eigenvalues.tolist()],
            "stability": self.stability,
            "steady": self.holds,
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """A critical value. `kind` is "crossing" (a real part is zero) or "meeting" (two eigenvalues are equal)."""

    kind: str  # crossing or meeting
    value: float  # of the varied quantity
    eigenvalue: complex  # at this value
    stability: tuple[str, str]  # just below it and just above it

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "value": self.value,
            "eigenvalue": [self.eigenvalue.real, self.eigenvalue.imag],
            "stability": list(self.stability),
        }

    @property
    def words(self) -> str:
        if self.kind == "crossing":
            return (
                tr("a pair crosses the imaginary axis")
                if abs(self.eigenvalue.imag) > 0
                else tr("a real one crosses zero")
            )
        if self.eigenvalue == 0:
            return tr("a pair meets at zero")
        return tr("two meet on the real axis") if self.eigenvalue.imag == 0 else tr("two frequencies meet")


@dataclass(frozen=True, slots=True, repr=False)
class Locus:
    """The members over `vary`, and the critical values at which stability or the kind of motion changes."""

    method: str
    vary: str  # name of the varied quantity
    steady: bool  # whether steady motions were searched
    held: tuple[str, ...]  # quantities that the search kept
    members: tuple[Member, ...]  # one for each value
    critical: tuple[Turn, ...]  # crossings and meetings of eigenvalues
    failures: tuple[tuple[float, str], ...] = ()  # values without a member, with a sentence
    notes: tuple[str, ...] = ()  # sentences about the answer
    title: str = ""
    units: Mapping[str, str] = field(default_factory=dict)  # of coordinates and of what is varied, if not SI
    scales: Mapping[str, float] = field(default_factory=dict)  # size of a coordinate's unit in SI, if it is not one

    @property
    def values(self) -> np.ndarray:
        return np.array([member.value for member in self.members])

    @property
    def eigenvalues(self) -> np.ndarray:
        """A row for each member, a column for each branch. NaN fills the rows of members with fewer eigenvalues."""
        most = max(len(member.eigenvalues) for member in self.members)
        rows = np.full((len(self.members), most), complex(np.nan, np.nan))
        for row, member in zip(rows, self.members, strict=True):
            row[: len(member.eigenvalues)] = member.eigenvalues
        return rows

    @property
    def ranges(self) -> list[tuple[float, float, str]]:
        """Ranges (from, to, stability), bounded by critical values, or by members if no critical value was found."""
        cuts = [turn.value for turn in self.critical]
        slack = 1e-9 * float(np.ptp(self.values))
        found: list[tuple[float, float, str]] = []
        for member in self.members:
            if not found:
                found.append((member.value, member.value, member.stability))
                continue
            first, last, word = found[-1]
            if word == member.stability:
                found[-1] = (first, member.value, word)
                continue
            between = [cut for cut in cuts if last - slack <= cut <= member.value + slack]
            edge = between[0] if between else member.value
            found[-1] = (first, max(first, edge), word)
            found.append((edge, member.value, member.stability))
        return found

    def columns(self) -> dict[str, np.ndarray]:
        """The columns of the table: the varied quantity, the state in the model's units, eigenvalues, stability."""
        rows = self.eigenvalues
        found: dict[str, np.ndarray] = {self.vary: self.values}
        names = list(self.members[0].coordinates)
        states = [(in_units(m.coordinates, self.scales), in_units(m.speeds, self.scales)) for m in self.members]
        found |= {n: np.array([q[n] for q, _ in states]) for n in names if n != self.vary}
        found |= {f"{n}'": np.array([v[n] for _, v in states]) for n in names if f"{n}'" != self.vary}
        for k in range(rows.shape[1]):
            found |= {f"eigenvalue.{k + 1}.re": rows[:, k].real, f"eigenvalue.{k + 1}.im": rows[:, k].imag}
        return found | {"stability": np.array([member.stability for member in self.members])}

    def to_dict(self) -> dict[str, Any]:
        """The answer of `linearize --vary … --json`."""
        return {
            "method": self.method,
            "vary": self.vary,
            "steady": self.steady,
            "held": list(self.held),
            "members": [member.to_dict(self.scales) for member in self.members],
            **({"units": dict(self.units)} if self.units else {}),
            "critical": [turn.to_dict() for turn in self.critical],
            "ranges": [{"from": first, "to": last, "stability": word} for first, last, word in self.ranges],
            "failures": [{"value": value, "message": sentence} for value, sentence in self.failures],
            "notes": list(self.notes),
        }

    def plot(self) -> Picture:
        """Real and imaginary parts over the varied quantity, and the root locus."""
        from dalembert.results.plots.locus import figure

        return figure(self)

    def save(self, path: str | Path) -> None:
        """Write a file. Its ending chooses the form: .csv .json .png .svg"""
        from dalembert.results.write import save_answer

        save_answer(self, Path(path), ENDINGS)

    def csv(self, path: Path) -> None:
        """Write the table."""
        columns = self.columns()
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([labelled(name, self.units) for name in columns])
            writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))

    def __str__(self) -> str:
        from dalembert.results.text.locus import locus_text

        return locus_text(self)

    def __repr__(self) -> str:
        return f"<Locus over {self.vary}: {len(self.members)} states, {len(self.critical)} critical values>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """For a notebook: the picture alone, and the picture with critical values."""
        from dalembert.results.text.notebook import locus_html

        picture = self.plot()._repr_png_()
        return {"image/png": picture, "text/html": locus_html(self, picture), "text/plain": repr(self)}
