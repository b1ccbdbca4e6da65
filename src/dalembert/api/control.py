"""The inputs and outputs of a linearization, and the answer about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.linear import FamilyState, cleaned
from dalembert.analysis.linear.control import StateSpace, require_determinate, require_forces, space
from dalembert.analysis.linear.response import channel, reached, regulator
from dalembert.errors import ModelError
from dalembert.expressions.nodes import Name, Number, Sum
from dalembert.expressions.parse import nearest
from dalembert.expressions.text import text
from dalembert.model.record import ModelRecord, Parameter, read_only
from dalembert.results.control import Control, ReachedStates, Regulator, Transfer

ADDED = ".added"  # suffix for an input that is an expression: the parameter that is added to it


@dataclass(frozen=True, slots=True)
class Asked:
    """Names of inputs and outputs (None: all that the model states), and weights of a regulator."""

    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None
    lqr: Mapping[str, Any] | None = None

    @property
    def something(self) -> bool:
        return self.inputs is not None or self.outputs is not None or self.lqr is not None


EVERYTHING = Asked()


@dataclass(frozen=True, slots=True)
class Driven:
    """The model with a parameter for every input: the input itself, or a term added to its expression."""

    record: ModelRecord
    symbols: Mapping[str, str]  # parameter by input


def driven(record: ModelRecord, asked: Asked) -> Driven:
    """The requested inputs. A model without [inputs] may name parameters."""
    stated = record.stated or record
    held = [name for controller in record.sampled.values() for name in controller.values]
    known = list(dict.fromkeys([*stated.inputs, *held]))
    names = known if asked.inputs is None else list(asked.inputs)
    parameters, definitions = dict(record.parameters), dict(record.definitions)
    symbols: dict[str, str] = {}
    for name in names:
        if name in record.parameters:
            symbols[name] = name
        elif name in known and name in definitions:
            symbols[name] = name + ADDED
            parameters[name + ADDED] = Parameter(Number(0))
            definitions[name] = Sum((definitions[name], Name(name + ADDED)))
        else:
            raise ModelError(
                "there is no input or parameter {name}{name2}.",
                name=name,
                name2=nearest(name, [*known, *record.parameters]),
            )
    return Driven(replace(record, parameters=read_only(parameters), definitions=read_only(definitions)), symbols)


def control(point: FamilyState, of: Driven, asked: Asked) -> Control | None:
    """Matrices, transfer functions, ranks and the regulator, or None if the model has no inputs."""
    if not of.symbols:
        if asked.something:
            raise ModelError("the model has no inputs; state them in [inputs], or name parameters with --inputs.")
        return None
    found, eq = point.found, point.start.system.equations
    if not found.states:
        return None
    require_forces(found, {se.Symbol(symbol): name for name, symbol in of.symbols.items()})
    outputs = _outputs(point, asked)
    require_determinate(found, outputs)
    made = space(found, cleaned(found.linear.matrix)[0] + 0.0, outputs)
    system, place = point.start.system, point.place
    x = system.state(place.t, place.q, place.v, place.z)
    values = dict(zip(map(str, eq.inputs), x.tolist(), strict=True))
    values |= dict(zip(eq.outputs, system.outputs(x)[2:].tolist(), strict=False))
    operating = {name: values[name] for name in of.symbols}
    return Control(
        inputs=tuple(of.symbols),
        outputs=tuple(outputs),
        states=found.states,
        A=made.A,
        B=made.B,
        C=made.C,
        D=made.D,
        operating=operating,
        measured=dict(zip(outputs, made.outputs.tolist(), strict=True)),
        poles=point.eigenvalues,
        transfers=_transfers(made, tuple(of.symbols), tuple(outputs)),
        controllability=_reach(made.A, made.B),
        observability=_reach(made.A.T, made.C.T),
        lqr=None if asked.lqr is None else _regulator(point, made, tuple(of.symbols), operating, asked.lqr),
        title=point.start.record.title,
    )


def _outputs(point: FamilyState, asked: Asked) -> dict[str, Any]:
    """The expressions by name: the requested ones, else [outputs], else the coordinates."""
    eq = point.start.system.equations
    known: dict[str, Any] = dict(zip(eq.coordinates, eq.q, strict=True))
    known |= {f"{name}'": v for name, v in zip(eq.coordinates, eq.v, strict=True)}
    known |= {f"{name}''": se.Symbol(f"{name}''") for name in eq.coordinates}
    known |= {str(symbol): symbol for symbol in eq.states}
    known |= {**eq.outputs, **eq.measured}
    if asked.outputs is None:
        names = list(eq.measured) or list(eq.coordinates)
    else:
        names = []
        for name in asked.outputs:
            parts = [name] if name in known else [f"{name}.{axis}" for axis in "xyz" if f"{name}.{axis}" in known]
            if not parts:
                raise ModelError(
                    "there is no coordinate, speed, definition or output {name}{name2}.",
                    name=name,
                    name2=nearest(name, known),
                )
            names += parts
    return {name: se.sympify(known[name]) for name in names}


def _transfers(made: StateSpace, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> tuple[Transfer, ...]:
    found = []
    for i, output in enumerate(outputs):
        for j, name in enumerate(inputs):
            one = channel(made.A, made.B[:, j], made.C[i], float(made.D[i, j]))
            found.append(Transfer(name, output, one.gain, one.zeros, one.poles))
    return tuple(found)


def _reach(A: np.ndarray, B: np.ndarray) -> ReachedStates:
    found = reached(A, B)
    return ReachedStates(found.rank, len(A), found.left)


def _regulator(
    point: FamilyState,
    made: StateSpace,
    inputs: tuple[str, ...],
    operating: Mapping[str, float],
    weights: Mapping[str, Any],
) -> Regulator:
    states = point.found.states
    stray = sorted(set(weights) - {"Q", "R"})
    if stray:
        raise ModelError(
            "lqr was given {stray!r}; weights Q of the states and R of the inputs are expected.", stray=stray[0]
        )
    Q, R = _weights(weights.get("Q", 1.0), states, "Q"), _weights(weights.get("R", 1.0), inputs, "R")
    if np.any(np.linalg.eigvalsh(R) <= 0.0):
        raise ModelError("lqr: every input needs a weight in R that is greater than zero.")
    if np.any(np.linalg.eigvalsh(Q) < -1e-12 * np.abs(Q).max(initial=0.0)):
        raise ModelError("lqr: weights in Q must not be negative.")
    K, poles = regulator(made.A, made.B, Q, R)
    at = dict(zip(states, point.found.linear.values.tolist(), strict=True))
    stated = point.start.record.stated
    feedback = {}
    for i, name in enumerate(inputs):
        entry = None if stated is None else stated.inputs.get(name)
        first = repr(operating[name]) if operating[name] else ""
        if name + ADDED in point.start.record.parameters and entry is not None and entry.value is not None:
            first = f"({text(entry.value)})"
        feedback[name] = _written(first, K[i].tolist(), states, at)
    owners = {held: owner for owner, one in point.start.record.sampled.items() for held in one.values}
    controllers = {name: owners[name] for name in inputs if name in owners}
    return Regulator(K, Q, R, poles, feedback, controllers)


def _written(first: str, gains: Sequence[float], states: Sequence[str], at: Mapping[str, float]) -> str:
    """u₀ − Σ k (x − x₀) in the model's language."""
    terms = [first] if first else []
    for gain, name in zip(gains, states, strict=True):
        if gain:
            x = name if not at[name] else f"({name} - {at[name]!r})"
            terms.append(f"{-gain!r}*{x}")
    return " + ".join(terms).replace("+ -", "- ").replace("- -", "+ ") or "0"


def _weights(given: Any, names: Sequence[str], letter: str) -> np.ndarray:
    """A matrix of weights: one number for all, one number each, by name (others are zero), or the matrix itself."""
    size = len(names)
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise ModelError(
                    "lqr: {letter} names {name}, which is none of {names}{name2}.",
                    letter=letter,
                    name=name,
                    names=", ".join(names),
                    name2=nearest(name, list(names)),
                )
        return np.diag([float(given.get(name, 0.0)) for name in names])
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ModelError("lqr: {letter} is {given!r}; numbers are expected.", letter=letter, given=given) from None
    if not np.isfinite(found).all():
        raise ModelError("lqr: {letter} holds a number that is not finite.", letter=letter)
    if found.ndim == 0:
        return float(found) * np.eye(size)
    if found.shape == (size,):
        return np.diag(found)
    if found.shape == (size, size):
        return 0.5 * (found + found.T)
    raise ModelError(
        "lqr: {letter} has the shape {shape}; one weight for each of {names} is expected.",
        letter=letter,
        shape=found.shape,
        names=", ".join(names),
    )


def weights_of(text: str) -> dict[str, Any]:
    """Weights from the command line: Q=1,R=0.1 or Q=[1,10],R=2 or Q=pitch:100 x:1,R=0.1."""
    parts: dict[str, str] = {}
    for place, letter in sorted((text.find(f"{letter}="), letter) for letter in "QR"):
        if place >= 0:
            parts[letter] = text[place + 2 :]
            for other, before in parts.items():
                if other != letter and f",{letter}=" in before:
                    parts[other] = before[: before.index(f",{letter}=")]
    if not parts or text.strip()[:2] not in ("Q=", "R="):
        raise ModelError(
            '--lqr was given {text!r}; weights are expected, as in --lqr "Q=1,R=0.1" or "Q=x:1 pitch:100,R=1".',
            text=text,
        )
    return {letter: _weight(value.strip(), letter) for letter, value in parts.items()}


def _weight(text: str, letter: str) -> Any:
    try:
        if text.startswith("["):
            return [float(part) for part in text.strip("[]").split(",")]
        if ":" in text:
            return {name: float(value) for name, _, value in (part.partition(":") for part in text.split())}
        return float(text)
    except ValueError:
        raise ModelError(
            "--lqr was given {text!r} as {letter}; a number, [1, 2, …] or NAME:WEIGHT … is expected.",
            text=text,
            letter=letter,
        ) from None
