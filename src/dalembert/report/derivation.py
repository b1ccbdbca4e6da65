"""The answer of `derive`: the record of equations, and its forms for display."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.equations import Equations, Step

if TYPE_CHECKING:
    from dalembert.report.sympy_objects import SympyEquations


@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """The equations of one model by one method. Prints as text, and shows as LaTeX in a notebook."""

    equations: Equations
    title: str = ""

    @property
    def method(self) -> str:
        return self.equations.method

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.equations.steps

    def text(self, steps: bool = False) -> str:
        from dalembert.report.text import equations_text, steps_text

        return (steps_text if steps else equations_text)(self.equations, self.title)

    def latex(self, steps: bool = False) -> str:
        """A LaTeX document that compiles on its own."""
        from dalembert.report.latex import equations_document, steps_document

        return (steps_document if steps else equations_document)(self.equations, self.title)

    def html(self, steps: bool = False) -> str:
        from dalembert.report.html import page

        return page(self.equations, self.title, steps)

    def to_dict(self, steps: bool = False) -> dict[str, Any]:
        """The answer of `derive --json`, with every expression as text of the model language."""
        from dalembert.report.plain import equations_dict

        return equations_dict(self.equations, self.title, steps)

    def to_sympy(self) -> SympyEquations:
        """The equations as objects of SymPy: M, h, A, b, constraints and energies, with `dynamicsymbols`."""
        from dalembert.report.sympy_objects import sympy_equations

        return sympy_equations(self.equations)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Derivation by {self.method}: coordinates {', '.join(self.equations.coordinates)}>"

    def _repr_latex_(self) -> str:
        from dalembert.report.latex import fragment

        return fragment(self.equations)
