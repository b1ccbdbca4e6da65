"""Methods of derivation, one file each. `derive` is the entry point."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from importlib import import_module

from dalembert.counters import WORK
from dalembert.equations import Equations
from dalembert.errors import ModelError
from dalembert.formalisms.base import Formalism
from dalembert.formalisms.places import method_of
from dalembert.language import tr
from dalembert.mechanics.system import System
from dalembert.model.record import ModelRecord

METHODS: dict[str, str] = {  # id: module and class, imported when used
    "partial-acceleration": "partial_acceleration:PartialAcceleration",
    "normalized-routh": "normalized_routh:NormalizedRouth",
    "boltzmann-hamel": "boltzmann_hamel:BoltzmannHamel",
    "qiao-lagrange": "qiao_lagrange:QiaoLagrange",
    "qiao-lagrange-frozen": "qiao_lagrange_frozen:QiaoLagrangeFrozen",
    "qiao-quasi": "qiao_quasi:QiaoQuasi",
    "qiao-quasi-frozen": "qiao_quasi_frozen:QiaoQuasiFrozen",
    "kane": "kane:Kane",
    "chetaev": "chetaev:Chetaev",
    "vakonomic": "vakonomic:Vakonomic",
    "virtual-displacements": "virtual_displacements:VirtualDisplacements",
    "maggi": "maggi:Maggi",
    "gibbs-appell": "gibbs_appell:GibbsAppell",
    "udwadia-kalaba": "udwadia_kalaba:UdwadiaKalaba",
}
OTHER_MODELS = ("vakonomic", "virtual-displacements")  # methods with a model of constraint of their own
CHETAEV = tuple(name for name in METHODS if name not in OTHER_MODELS)  # by Chetaev's rule: one motion for all of them


def method(name: str) -> Formalism:
    if name not in METHODS:
        near = difflib.get_close_matches(str(name), METHODS, 1)
        hint = (
            tr("did you mean {near}?", near=near[0]) if near else tr("known are {methods}", methods=", ".join(METHODS))
        )
        raise ModelError(tr("there is no method {name!r}; {hint}", name=name, hint=hint))
    module, _, kind = METHODS[name].partition(":")
    return getattr(import_module(f"dalembert.formalisms.{module}"), kind)()


def default_method(model: ModelRecord) -> str:
    """The method that the model names or that its rule implies; by default Kane's equations, which are cheapest."""
    rules = {"chetaev": "kane", "vakonomic": "vakonomic", "rows": "virtual-displacements"}
    return model.simulation.method or rules[model.virtual_displacements.rule]


def chetaev_method(model: ModelRecord) -> str:
    """A method by Chetaev's rule: Kane's if it is the default, so that one derivation serves several questions."""
    return "kane" if default_method(model) == "kane" else "chetaev"


def shown_method(model: ModelRecord) -> str:
    """The method of a derivation to read: that of the paper whose example the model is, if the model names none."""
    own = None if model.simulation.method or model.virtual_displacements.rule != "chetaev" else method_of(model)
    return own or default_method(model)


def derive(
    model: ModelRecord,
    name: str | None = None,
    numeric: bool = False,
    reactions: Sequence[str] | None = None,
    open: Collection[str] = (),
) -> Equations:
    """The equations of a model by a method. `numeric` substitutes the parameters' values (see `mechanics.lowering`).

    Without `numeric` they are for reading, and hold in the region of states in which the motion begins (`region`).

    `reactions` names the constraints whose reactions are requested, by default all. `open` parameters stay symbols.
    """
    WORK["derived"] += 1
    formalism = method(name or (default_method if numeric else shown_method)(model))
    system = System(model, numeric, open, readable=not numeric)
    reason = formalism.refusal(system)
    if reason is not None:
        others = [m for m in METHODS if method(m).refusal(system) is None]
        raise ModelError(
            tr(
                "the method {id} does not apply: {reason}; these do: {others}",
                id=formalism.id,
                reason=reason,
                others=", ".join(others),
            )
        )
    equations = formalism.derive(system, reactions)
    if model.simulation.description == "whole-course":
        from dalembert.mechanics.whole_course import auxiliary

        auxiliary(equations)  # refuses at once if there is no such description
    return equations


def applicable(model: ModelRecord) -> list[str]:
    """The methods that apply to a model."""
    system = System(model, numeric=True)
    return [name for name in METHODS if method(name).refusal(system) is None]
