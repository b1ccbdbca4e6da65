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
from dalembert.expressions.parse import Shared, parse
from dalembert.formalisms import derive
from dalembert.model.builder import Builder
from dalembert.model.record import ModelRecord
from dalembert.model.values import Values, initial_values
from dalembert.motions.accelerations import Solution, solve_accelerations
from dalembert.prepared import Prepared, Start, prepared
from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import program
from dalembert.programs.maker import Maker
from dalembert.programs.program import Program
from dalembert.programs.tangents import tangents

MULTIPLIER = re.compile(r"(lambda|lamda|lmbda|lam|mu|nu|L)_?\w*")
STATES, SPREAD, NEAR = 6, 0.3, 0.05
KINKED = (se.Abs, se.sign, se.Max, se.Min, se.Piecewise, se.floor)  # functions with several sides
OWN = "audited_{}"


@dataclass(frozen=True)
class Claims:
    """The model, and its equations with the claimed ones as outputs."""

    ready: Prepared
    equations: Equations
    count: int
    free: tuple[Any, ...]  # symbols of multipliers: those of the model, and names that occur only in the equations
    spread: float = SPREAD  # of the states around the start

    @cached_property
    def near(self) -> Claims | None:
        """The same with states near the start, if roots alone divide the states into sides.

        √(1 − cos²α) is sin α on one side and −sin α on the other: whoever wrote sin α meant the side of the start. All
        functions are analytic on that side, so what holds near the start holds on all of it. None if the equations
        have functions with sides of their own.
        """
        eq = self.equations
        parts = [se.sympify(e) for e in (*self.E, *eq.d, *eq.b, *(e for row in (*eq.D, *eq.A) for e in row))]
        if any(e.atoms(*KINKED) for e in parts):
            return None
        near = replace(self, spread=NEAR)
        vars(near).update(E=self.E, a=self.a, inputs=self.inputs, code=self.code, jacobian=self.jacobian)
        return near

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
    def code(self) -> Program:
        return program(self.inputs, self.E)

    @cached_property
    def jacobian(self) -> Program:
        """E, ∂E/∂a and ∂E/∂λ by rows."""
        maker = Maker(self.code.inputs)
        inputs, zero = [maker.input(i) for i in range(len(self.inputs))], maker.number(0.0)
        unknowns = range(len(inputs) - len(self.a) - len(self.free), len(inputs))
        columns = tangents(maker, self.code, inputs, {i: {i: maker.number(1.0)} for i in unknowns})
        rows = [column.get(i, zero) for column in columns for i in unknowns]
        return maker.program([*maker.copied(self.code, inputs), *rows])

    @cached_property
    def samples(self) -> list[tuple[Start, np.ndarray]]:
        """States on the constraints, with parameters varied, and their accelerations."""
        return [(start, solution.a) for start, solution in self.solutions]

    @cached_property
    def solutions(self) -> list[tuple[Start, Solution]]:
        random, found = np.random.default_rng(11), []
        record, base, stated = self.ready.record, self.ready.at(), initial_values(self.ready.record)
        for attempt in range(4 * STATES):
            width = self.spread if attempt < 2 * STATES else NEAR
            parameters = {
                name: value if name in record.varying else value * (1.0 + width * random.uniform(-0.5, 0.5))
                for name, value in stated.parameters.items()
            }
            coordinates, speeds = {}, {}
            for name, q, v in zip(self.equations.coordinates, base.q, base.v, strict=True):
                coordinates[name] = q + width * random.uniform(-1.0, 1.0)
                speeds[name] = v + random.uniform(-1.0, 1.0)
            time = base.time + width * random.uniform(0.0, 3.0)
            later = replace(record, simulation=replace(record.simulation, start=time))
            try:
                start = self.ready.start(later, Values(parameters, coordinates, speeds), False)
                found.append((start, solve_accelerations(start.system, start.x)))
            except DalembertError:
                continue
            if len(found) == STATES:
                break
        if len(found) < 2:
            raise ModelError(
                "no states near the start of the model are consistent; the equations cannot be compared there"
            )
        return found

    def x(self, start: Start, a: np.ndarray) -> np.ndarray:
        """The inputs of E, with multipliers zero."""
        values = dict(zip(self.ready.equations.inputs, start.x.tolist(), strict=True))
        kept = [values[s] for s in self.inputs[: len(self.inputs) - len(a) - len(self.free)]]
        return np.concatenate([kept, a, np.zeros(len(self.free))])

    def evaluated(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """E, ∂E/∂a and ∂E/∂λ at every row of x."""
        out = values_of(self.jacobian, x)
        k, n = len(self.E), len(self.a)
        rows = out[:, k:].reshape(len(x), k, n + len(self.free))
        return out[:, :k], rows[:, :, :n], rows[:, :, n:]


def claims(record: ModelRecord, texts: Sequence[str]) -> Claims:
    """The equations in the names of the model. A name that stands alone on the left and is new is a definition."""
    if not texts:
        raise ModelError("there are no equations to look at; write one a line, as m*x'' + k*x = 0")
    if record.contacts or record.frictions:
        raise ModelError(
            "equations of a model with contacts or frictions change with its modes; audit knows none of them"
        )
    builder = Builder.of(record)
    known = _known(record)
    left_over: list[Expression] = []
    more: list[str] = []
    shared = Shared()
    for text in texts:
        left, sign, right = text.partition("=")
        name = left.strip()
        if sign and re.fullmatch(r"[A-Za-z]\w*", name) and name not in known:
            builder.define(name, right.strip())
            known.add(name)
        else:
            left_over.append(parse(f"({left}) - ({right})" if sign else left, answers=True, shared=shared))
    for one in left_over:
        for name in sorted(names_in([one])):
            if name not in known and MULTIPLIER.fullmatch(name):
                builder.parameter(name, 1)
                known.add(name)
                more.append(name)
    builder._tables["outputs"] = {}
    for i, one in enumerate(left_over):
        builder.output(OWN.format(i), one)
    stated = _checked(builder)
    whole = derive(stated, "chetaev", numeric=True, open=stated.parameters)
    rows = [se.Symbol(f"lambda.{row.name}") for row in whole.constraints]
    ready = prepared(record, "chetaev", often=False)
    return Claims(ready, whole, len(left_over), (*rows, *map(se.Symbol, more)))


def _checked(builder: Builder) -> ModelRecord:
    """The model with the equations as outputs. A fault in an equation has the equation's number."""
    try:
        return builder.record
    except ModelError as error:
        places = {OWN.format(i): str(i + 1) for i in range(len(builder._tables["outputs"]))}
        faults = [
            replace(fault, table="equations", key=places[fault.key]) if fault.key in places else fault
            for fault in error.faults
        ]
        raise ModelError(faults) from None


def _known(record: ModelRecord) -> set[str]:
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
