"""Equations to audit, as expressions in the quantities of a model, and states at which they are evaluated.

E(t, q, v, a, λ, p) = 0
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.equations import Equations
from dalembert.errors import DalembertError, ModelError
from dalembert.expressions.nodes import Expression
from dalembert.expressions.nodes import names as names_in
from dalembert.expressions.parse import parse
from dalembert.formalisms import derive
from dalembert.language import tr
from dalembert.model.builder import Builder
from dalembert.model.change import with_settings
from dalembert.model.record import Model
from dalembert.model.values import initial_values
from dalembert.motions.accelerations import Solution, solve_accelerations
from dalembert.prepared import Prepared, Start, prepared
from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import program
from dalembert.programs.program import Program

MULTIPLIER = re.compile(r"(lambda|lamda|lmbda|lam|mu|nu|L)_?\w*")
STATES, SPREAD = 6, 0.3
OWN = "audited_{}"


@dataclass(frozen=True)
class Claims:
    """The model, and its equations with the claimed ones as outputs."""

    ready: Prepared
    equations: Equations
    count: int
    free: tuple[Any, ...]  # symbols of multipliers: those of the model, and names that occur only in the equations

    @cached_property
    def E(self) -> list[Any]:
        """Each equation, as left − right."""
        return [self.equations.measured[OWN.format(i)] for i in range(self.count)]

    @cached_property
    def a(self) -> list[Any]:
        return [se.Symbol(f"{q}''") for q in self.equations.coordinates]

    @cached_property
    def inputs(self) -> list[Any]:
        """x without the free multipliers among the parameters, then a, then the multipliers."""
        return [*(s for s in self.equations.inputs if s not in self.free), *self.a, *self.free]

    @cached_property
    def jacobian(self) -> Program:
        """E, ∂E/∂a and ∂E/∂λ by rows."""
        unknowns = [*self.a, *self.free]
        return program(self.inputs, [*self.E, *(e.diff(s) for e in self.E for s in unknowns)])

    @cached_property
    def samples(self) -> list[tuple[Start, np.ndarray]]:
        """States on the constraints, with parameters varied, and their accelerations."""
        return [(start, solution.a) for start, solution in self.solutions]

    @cached_property
    def solutions(self) -> list[tuple[Start, Solution]]:
        random, found = np.random.default_rng(11), []
        record, base = self.ready.record, self.ready.at()
        values = dict(zip(map(str, self.ready.equations.parameters), base.system.parameters.tolist(), strict=True))
        for attempt in range(4 * STATES):
            width = SPREAD if attempt < 2 * STATES else 0.05
            settings: dict[str, float] = {}
            for name in record.parameters:
                if values.get(name):
                    settings[name] = values[name] * (1.0 + width * random.uniform(-0.5, 0.5))
            for name, q, v in zip(self.equations.coordinates, base.q, base.v, strict=True):
                settings[name] = q + width * random.uniform(-1.0, 1.0)
                settings[f"{name}'"] = v + random.uniform(-1.0, 1.0)
            time = base.time + width * random.uniform(0.0, 3.0)
            try:
                start = self._at(settings, time)
                found.append((start, solve_accelerations(start.system, start.x)))
            except DalembertError:
                continue
            if len(found) == STATES:
                break
        if len(found) < 2:
            raise ModelError(
                tr("no states near the start of the model are consistent; the equations cannot be compared there")
            )
        return found

    def _at(self, settings: dict[str, float], time: float) -> Start:
        """The consistent state at another time."""
        record = self.ready.record
        later = replace(record, simulation=replace(record.simulation, start=time))
        changed = with_settings(later, settings)
        return self.ready.start(changed, initial_values(changed), False)

    def x(self, start: Start, a: np.ndarray) -> np.ndarray:
        """The inputs of E, with multipliers zero."""
        values = dict(zip(self.ready.equations.inputs, start.x.tolist(), strict=True))
        kept = [values[s] for s in self.inputs[: len(self.inputs) - len(a) - len(self.free)]]
        return np.concatenate([kept, a, np.zeros(len(self.free))])

    def evaluated(self, start: Start, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """E at λ = 0, ∂E/∂a and ∂E/∂λ."""
        out = values_of(self.jacobian, self.x(start, a))
        k, n = len(self.E), len(self.a)
        rows = out[k:].reshape(k, -1)
        return out[:k], rows[:, :n], rows[:, n:]


def claims(record: Model, texts: Sequence[str]) -> Claims:
    """The equations in the names of the model. A name that stands alone on the left and is new is a definition."""
    if not texts:
        raise ModelError(tr("there are no equations to look at; write one a line, as m*x'' + k*x = 0"))
    if record.contacts or record.frictions:
        raise ModelError(
            tr("equations of a model with contacts or frictions change with its modes; audit knows none of them")
        )
    builder = Builder.of(record)
    known = _known(record)
    left_over: list[Expression] = []
    more: list[str] = []
    for text in texts:
        left, sign, right = text.partition("=")
        name = left.strip()
        if sign and re.fullmatch(r"[A-Za-z]\w*", name) and name not in known:
            builder.define(name, right.strip())
            known.add(name)
        else:
            left_over.append(parse(f"({left}) - ({right})" if sign else left, answers=True))
    for one in left_over:
        for name in sorted(names_in([one])):
            if name not in known and MULTIPLIER.fullmatch(name):
                builder.parameter(name, 1)
                known.add(name)
                more.append(name)
    builder._tables["outputs"] = {}
    for i, one in enumerate(left_over):
        builder.output(OWN.format(i), one)
    stated = builder.record
    whole = derive(stated, "chetaev", numeric=True, open=stated.parameters)
    rows = [se.Symbol(f"lambda.{row.name}") for row in whole.constraints]
    ready = prepared(record, "chetaev", often=False)
    return Claims(ready, whole, len(left_over), (*rows, *map(se.Symbol, more)))


def _known(record: Model) -> set[str]:
    stated = record.stated or record
    tables = (
        "parameters",
        "coordinates",
        "definitions",
        "frames",
        "points",
        "bodies",
        "quasi_velocities",
        "inputs",
        "states",
    )
    found = {name for table in tables for name in getattr(stated, table)}
    return found | set(record.coordinates) | set(record.parameters) | {"t", "pi"}
