"""The steps that express all speeds by independent ones, or by the quasi-velocities that the model chose."""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.equations import Step
from dalembert.formalisms.display import Display, label
from dalembert.formalisms.quasi_steps import held_names
from dalembert.formalisms.shared import LEFT_OUT, TOO_LONG
from dalembert.language import mark, tr
from dalembert.mechanics.basis import Basis
from dalembert.mechanics.elimination import Reduction
from dalembert.mechanics.quasi import symbols
from dalembert.mechanics.system import System

K = r"k_{rs} = \frac{\partial\dot q_r}{\partial\pi_s}"
COEFFICIENTS = r"\dot q_s = \sum_r C_{sr}\dot q_r + D_s,\quad \ddot q_s = \sum_r C_{sr}\ddot q_r + E_s"
BY_ROWS = mark("b are the right sides of A q̈ = b, and β the entries of the inverse of A₂: E_s = Σ_α β_sα b_α.")
NONLINEAR_BASIS = mark(
    "A generalized speed is nonlinear, so k is taken at the actual speeds, and the equations stay in q̈."
)


def basis_steps(system: System, basis: Basis | None, show: Display, locators: Mapping[str, str]) -> tuple[Step, ...]:
    """The steps that express the speeds by the independent ones, or by the quasi-velocities that the model chose.

    `locators` has the places of the speeds, the accelerations, the quasi-velocities and k in the method's paper.
    """
    if basis is None:
        return (Step("Dependent speeds", dependence(locators), locators.get("speeds", ""), note=TOO_LONG),)
    if basis.quasi is not None:
        return _chosen_steps(basis, show, locators)
    return dependent_speeds(system, basis.reduced, locators) if basis.reduced is not None else ()


def _chosen_steps(basis: Basis, show: Display, locators: Mapping[str, str]) -> tuple[Step, ...]:
    quasi = basis.quasi
    assert quasi is not None
    pi, _ = symbols(quasi)
    chosen = tuple((label(str(p)), show(value)) for p, value in zip(pi, quasi.values, strict=True))
    place = locators.get("quasi", "")
    first = Step(
        "Generalized speeds, chosen by the model", r"\pi_s = \pi_s(q,\dot q,t)", place, chosen, held_names(quasi)
    )
    if not basis.speeds:
        return (first, Step("Partial speeds", K, locators.get("k", ""), (("k", basis.k),), NONLINEAR_BASIS))
    speeds = tuple((label(str(v)), e) for v, e in basis.speeds.items())
    return (
        first,
        Step("Speeds", r"\dot q_r = \sum_s k_{rs}\pi_s + l_r", locators.get("k", ""), speeds),
        Step("Partial speeds", K, locators.get("k", ""), (("k", basis.k),)),
    )


def dependent_speeds(system: System, reduced: Reduction | None, locators: Mapping[str, str]) -> tuple[Step, ...]:
    """q̇₂ = C q̇₁ + D and q̈₂ = C q̈₁ + E, with C and E themselves if later steps use letters for them."""
    if not system.constraints.rows:
        return ()
    speeds, accelerations = locators.get("speeds", ""), locators.get("accelerations", "")
    if reduced is None:
        return (Step("Dependent speeds", dependence(locators), speeds, note=TOO_LONG),)
    names = [system.constraints.rows[i].name for i in reduced.choice.redundant]
    note = tr(LEFT_OUT, names=", ".join(names)) if names else ""
    steps = []
    if reduced.letters:
        meanings = tuple((label(str(symbol)), e) for symbol, e in reduced.letters.items())
        told = BY_ROWS if any(str(symbol).startswith("beta[") for symbol in reduced.letters) else ""
        steps.append(Step("Coefficients of the dependent speeds", COEFFICIENTS, accelerations, meanings, told))
    elif reduced.written:
        results = tuple((label(str(v)), e) for v, e in reduced.written.items())
        steps.append(Step("Dependent speeds", dependence(locators), speeds, results, note))
    results = tuple((label(str(a)), e) for a, e in reduced.accelerations.items())
    note = "" if steps and steps[0].note else note
    steps.append(Step("Dependent accelerations", dependence(locators, "ddot"), accelerations, results, note))
    return tuple(steps)


def dependence(locators: Mapping[str, str], accent: str = "dot") -> str:
    """How dependent speeds or accelerations follow from the others, with the paper's index of C."""
    index, rest = locators.get("index", "{sr}"), "D" if accent == "dot" else "E"
    left = "p+s" if index == "{r,p+s}" else "s"
    return rf"\{accent} q_{{{left}}} = \sum_r C_{index}\{accent} q_r + {rest}_s"


def partial_speeds(basis: Basis | None, locator: str) -> tuple[Step, ...]:
    """k of independent speeds. That of chosen quasi-velocities is shown with them."""
    if basis is None or basis.reduced is None or not basis.reduced.choice.rows:
        return ()
    formula = r"k_{rs} = \partial\dot q_r/\partial W_s,\quad W_s = \dot q_s"
    return (Step("Partial speeds", formula, locator, (("k", basis.k),)),)
