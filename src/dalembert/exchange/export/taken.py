"""An exported motion: the model's programs as a C++ type, and the engine's headers as one text.

    in = (t, y, p)                       of the functions that the engine calls, y = (q, v, z, s)
    in = (t, y, p, q̈, multipliers)       of `values`: energies, definitions, outputs, multipliers

Inputs are among p. The engine integrates first-order states s, so they come before the constant parameters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path

import symengine as se

from dalembert.engine.build import ROOM
from dalembert.equations import Equations
from dalembert.errors import ModelError
from dalembert.exchange.export.names import comment
from dalembert.exchange.export.sheet import digest, formulas, origin_of
from dalembert.expressions.nodes import Expression, Time, walk
from dalembert.expressions.nodes import names as names_in
from dalembert.model.machine import Input, Signal
from dalembert.model.plain import written_out
from dalembert.model.record import ModelRecord, read_only
from dalembert.model.units import in_si, unit
from dalembert.model.values import at_start
from dalembert.motions.inlined import WITHOUT_PAIRS, function, model_text
from dalembert.motions.many import native_of
from dalembert.motions.native import Native, uncoded
from dalembert.motions.span import TimeSpan
from dalembert.motions.touching import NativeTouching
from dalembert.prepared import Start, prepared
from dalembert.programs.c99 import C
from dalembert.programs.expressions import program
from dalembert.programs.program import Program

HEADERS = ("keep.hpp",)  # it includes all others that a motion needs
QUIET = '#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never leave this file\n'
QUOTED = re.compile(r'^#include "([^"]+)"[^\n]*\n', re.MULTILINE)


@dataclass(frozen=True)
class Taken:
    name: str  # name of the file, as an identifier
    record: ModelRecord
    start: Start
    native: Native
    inputs: tuple[str, ...]

    @property
    def equations(self) -> Equations:
        return self.native.system.equations

    @property
    def method(self) -> str:
        return self.equations.method

    @cached_property
    def digest(self) -> str:
        return digest(self.record)

    @property
    def origin(self) -> tuple[str, ...]:
        """The lines that state the origin of a file."""
        return origin_of(self.record.title or self.name, self.method, self.digest)

    @property
    def stated_inputs(self) -> Mapping[str, Input]:
        """The inputs as the user stated them."""
        return (self.record.stated or self.record).inputs

    @cached_property
    def limits(self) -> dict[str, tuple[float, float]]:
        """The least and the greatest value of inputs that are numbers, in SI, if the model limits them."""
        at, found = at_start(self.record), {}
        for name, entry in self.stated_inputs.items():
            if name in self.inputs and entry.signal is None and (entry.least, entry.greatest) != (None, None):
                of, ends = unit(entry.unit), (entry.least, entry.greatest)
                low, high = (None if end is None else at.number(in_si(end, of)) for end in ends)
                found[name] = (-inf if low is None else low, inf if high is None else high)
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on parameters that are formulas of others in the model, but separate numbers here."""
        return formulas(self.record)

    @property
    def states(self) -> dict[str, float]:
        """Coordinates, speeds and other integrated states, with their values at the start."""
        eq, start = self.equations, self.start
        names = [*eq.coordinates, *(f"{q}'" for q in eq.coordinates), *map(str, eq.z), *map(str, eq.followed)]
        return dict(zip(names, start.y.tolist(), strict=True))

    @property
    def parameters(self) -> dict[str, float]:
        """All of p in order, including inputs. First-order states are not parameters."""
        values = dict(zip(map(str, self.equations.parameters), self.native.system.parameters.tolist(), strict=True))
        return {name: value for name, value in values.items() if name not in self.states}

    @property
    def ends(self) -> tuple[list[float], list[float]]:
        """The least and the greatest value of every parameter."""
        found = [self.limits.get(name, (-inf, inf)) for name in self.parameters]
        return [low for low, _ in found], [high for _, high in found]

    @property
    def multipliers(self) -> dict[str, int]:
        """The names of the reported multipliers, and their places in ν."""
        if isinstance(self.native, NativeTouching):
            bilateral = {row.name: i for i, row in enumerate(self.start.system.equations.constraints)}
            return bilateral | self.native.hybrid.forces
        return {name: i for i, name in enumerate(self.native.system.multiplier_names)}

    @property
    def modes(self) -> tuple[str, ...]:
        """Contacts, then frictions."""
        if not isinstance(self.native, NativeTouching):
            return ()
        return (*self.native.hybrid.contact_labels, *self.native.hybrid.friction_labels)

    @property
    def kinks(self) -> tuple[str, ...]:
        return () if self.native.kinks is None else self.native.kinks.names

    @cached_property
    def values(self) -> Program:
        """The program of all values reported at a state, by name."""
        eq = self.equations
        symbols = [*eq.inputs, *(se.Symbol(f"{q}''") for q in eq.coordinates)]
        multipliers = {name: se.Symbol(f"lambda.{name}") for name in self.multipliers}
        told = {"energy.kinetic": eq.kinetic, "energy.potential": eq.potential, **eq.outputs, **eq.measured}
        told |= {f"lambda.{name}": symbol for name, symbol in multipliers.items()}
        made = program([*symbols, *multipliers.values()], list(told.values()))
        return replace(made, names=tuple(told))

    def text(self) -> str:
        """The types `Inlined` and `Told`, in the namespace of the engine."""
        rows = list(self.multipliers.values())
        lines = [
            "namespace dalembert {",
            f"TABLE int MULTIPLIER_ROWS[] = {{{', '.join(map(str, [*rows, 0]))}}};",
            *function("values_of", self.values, WITHOUT_PAIRS),
            "struct Told {",
            f"    static constexpr int COUNT = {len(self.values.outputs)}, INPUTS = {len(self.values.inputs)};",
            "    static void call(double* out, const double* in, void*) { values_of(in, out); }",
            "    static Quantities quantities() { return {{call, nullptr}, COUNT, INPUTS, 1, MULTIPLIER_ROWS}; }",
            "};",
            "}  // namespace dalembert",
            "",
        ]
        return model_text(self.native, all_steppers=True, words=WITHOUT_PAIRS) + "\n".join(lines)

    def head(self) -> str:
        """The comment at the beginning of a file."""
        return "\n".join(["/*", *(f" * {comment(line)}" for line in (*self.origin, *self.notes)), " */", ""])

    def tables(self) -> str:
        """The start, the duration of the motion, and all names, as C++ tables."""
        simulation, eq = self.record.simulation, self.equations
        least, greatest = self.ends
        numbers = {
            "START_STATES": self.states.values(), "START_PARAMETERS": self.parameters.values(),
            "PARAMETER_LEAST": least, "PARAMETER_GREATEST": greatest,
        }  # fmt: skip
        lines = [
            f"static const double {name}[] = {{{', '.join(map(C.number, [*values, 0.0]))}}};"
            for name, values in numbers.items()
        ]
        words = {
            "STATE": self.states, "PARAMETER": self.parameters, "TOLD": self.values.names, "MODE": self.modes,
            "GUARD": (*eq.events, *eq.masses, *self.kinks),
        }  # fmt: skip
        for name, own in words.items():
            texts = ", ".join(json.dumps(one) for one in (*own, ""))
            lines.append(f"[[maybe_unused]] static const char* const {name}_NAMES[] = {{{texts}}};")
        times = f"START_TIME = {C.number(self.start.time)}, DURATION = {C.number(float(simulation.duration or 1.0))}"
        lines += [
            f"constexpr double {times}, TOLERANCE = {C.number(simulation.tolerance)};",
            f"constexpr int STATES = {len(self.states)}, PARAMETERS = {len(self.parameters)};",
            f"constexpr int SIGNALS = {len(self.inputs)};",
            "inline Signal the_signal(int i) { return THE_SIGNALS[i]; }",
            f"constexpr long SAMPLES = {simulation.samples or 201};",
        ]
        return "\n".join(["namespace dalembert {", *lines, "}  // namespace dalembert", ""])


def taken(record: ModelRecord, name: str, method: str | None = None) -> Taken:
    """A model with its motion. Inputs that are numbers or data become inputs of the file."""
    opened = with_open_inputs(record)
    ready = prepared(opened, method, often=False)
    eq = ready.equations
    if record.simulation.description == "whole-course" and eq.unilateral is not None:
        raise ModelError('an export of a motion computes contacts by segments; choose description = "segmented"')
    start = ready.at()
    if start.hybrid is not None:
        native: Native = NativeTouching(start.hybrid, coded=uncoded)
    else:
        native = native_of(start.system, TimeSpan(0.0, 1.0), uncoded)
    return Taken(name, record, start, native, tuple(map(str, eq.signals)))


def with_open_inputs(record: ModelRecord) -> ModelRecord:
    """The model with a signal in place of every input that is a number, so that the input keeps its name."""
    stated = record.stated or record
    at, opened = at_start(record), {}
    computed = {name for controller in stated.sampled.values() for name in controller.values}
    for name, entry in stated.inputs.items():
        if name in computed or entry.signal is not None or entry.value is None:
            continue
        if _fixed(entry.value, stated):
            value = at.number(entry.value)
            value = value if entry.least is None else max(value, at.number(entry.least))
            value = value if entry.greatest is None else min(value, at.number(entry.greatest))
            opened[name] = replace(entry, value=None, signal=Signal((0.0,), (value,), "hold"))
    if not opened:
        return record
    return written_out(replace(stated, inputs=read_only({**stated.inputs, **opened})))[0]


def _fixed(value: Expression, stated: ModelRecord) -> bool:
    """Whether a value is constant over the whole motion."""
    return names_in([value]) <= set(stated.parameters) and not any(isinstance(node, Time) for node in walk(value))


def engine_text(model: str, *headers: str) -> str:
    """One text: the headers with everything that they include, each once, then the text of the model."""
    seen: set[Path] = set()

    def unrolled(text: str, folder: Path) -> str:
        def found(match: re.Match[str]) -> str:
            path = (folder / match[1]).resolve()
            if path in seen:
                return ""
            seen.add(path)
            return unrolled(path.read_text(encoding="utf-8"), path.parent)

        return QUOTED.sub(found, text).replace("#pragma once\n", "")

    return QUIET + unrolled("".join(f'#include "{header}"\n' for header in headers) + model, ROOM)
