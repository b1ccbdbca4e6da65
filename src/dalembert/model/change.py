"""A model with other numbers: parameters, initial coordinates and initial speeds set by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from dalembert.errors import ModelError
from dalembert.expressions.nodes import Expression
from dalembert.expressions.parse import nearest, shown
from dalembert.language import tr
from dalembert.model.check import checked
from dalembert.model.forms import Forms, met
from dalembert.model.machine import joint_coordinates, with_coordinate
from dalembert.model.record import ModelRecord

PLACE = "settings"


def _are_values(settings: Mapping[str, Any], parameters: Collection[str], coordinates: Collection[str]) -> bool:
    """Whether settings put numbers in place of parameters, initial coordinates and speeds, and nothing else."""
    names = (stated.strip() for stated in settings)
    known = all(name in parameters or name.removesuffix("'") in coordinates for name in names)
    return known and all(isinstance(value, (int, float)) for value in settings.values())


def with_settings(model: ModelRecord, settings: Mapping[str, Any]) -> ModelRecord:
    """The model with `{"R": 0.3, "theta": "pi/6", "theta'": 0.3}` in place of its own values, checked again.

    An initial multiplier of a vakonomic motion is "multipliers.NAME". The new value of a name that a sampled controller
    sets takes the place of the controller's law.
    """
    if not settings:
        return model
    if not isinstance(settings, Mapping):
        raise ModelError(
            "settings: {met} was met; names with values are expected, as in {example}",
            met=met(settings),
            example='{"theta": 0.1}',
        )
    made = {name: coordinate for name, coordinate in model.coordinates.items() if "." in name}
    model = model.stated or model
    forms = Forms()
    of_joints = joint_coordinates(model.joints)
    inputs, states, sampled = dict(model.inputs), dict(model.states), dict(model.sampled)
    owners = {held: owner for owner, controller in sampled.items() for held in controller.values}
    parameters, coordinates, multipliers = (
        dict(model.parameters),
        {**made, **model.coordinates, **of_joints},
        dict(model.multipliers),
    )
    for stated, value in settings.items():
        name = stated.strip()
        coordinate, prime, rest = name.partition("'")
        expression = value if isinstance(value, Expression) else forms.expression(value, PLACE, name)
        if expression is None:
            continue
        if name in parameters:
            parameters[name] = replace(parameters[name], value=expression)
        elif name in owners:
            law = sampled[owners[name]]
            sampled[owners[name]] = replace(law, values=MappingProxyType({**law.values, name: expression}))
        elif name in inputs and inputs[name].signal is None:
            inputs[name] = replace(inputs[name], value=expression)
        elif name in inputs:
            forms.fault(PLACE, name, tr("the input comes from data; change them in the model"))
        elif name in states:
            states[name] = replace(states[name], initial=expression)
        elif name in coordinates:
            coordinates[name] = replace(coordinates[name], initial=expression)
        elif prime and not rest and coordinate in coordinates:
            coordinates[coordinate] = replace(coordinates[coordinate], speed=expression)
        elif name.startswith("multipliers."):
            multipliers[name.removeprefix("multipliers.")] = expression
        else:
            known = [*parameters, *inputs, *states, *coordinates, *(f"{q}'" for q in coordinates)]
            what = tr(
                "there is no parameter, coordinate or speed {name} to set{name2}",
                name=shown(name),
                name2=nearest(name, known),
            )
            forms.fault(PLACE, name, what)
    changed = replace(
        model,
        parameters=MappingProxyType(parameters),
        coordinates=MappingProxyType({n: c for n, c in coordinates.items() if n not in of_joints and c != made.get(n)}),
        joints=MappingProxyType(with_coordinate(model.joints, coordinates)),
        inputs=MappingProxyType(inputs),
        states=MappingProxyType(states),
        sampled=MappingProxyType(sampled),
        multipliers=MappingProxyType(multipliers),
    )
    if forms.faults:
        raise ModelError(forms.faults)
    plain, faults = checked(changed, forms.columns, only_values=_are_values(settings, parameters, coordinates))
    if faults:
        raise ModelError(faults)
    return plain
