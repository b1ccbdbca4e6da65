"""The input of every writer of slopes: the programs of a model, its names and numbers, and its origin.

    a = slopes(t, q, v, p, u),   or, with first-order states s,   (a, ṡ) = slopes(t, q, v, s, p, u)

The programs are several ways to the same slopes, from x = (t, q, v, s, p, u) to (a, ṡ, fine). A way is valid if its
`fine` is 1 and the speeds satisfy the constraints. The first is the cheapest. The last is valid wherever D is definite
and the rows of the constraints are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from dalembert import __version__
from dalembert.equations import Equations
from dalembert.errors import MathematicsError, ModelError
from dalembert.expressions.nodes import names as names_in
from dalembert.language import mark, tr
from dalembert.model.machine import joint_coordinates
from dalembert.model.record import ModelRecord
from dalembert.model.units import unit
from dalembert.model.write import write_text
from dalembert.prepared import Start, prepared
from dalembert.programs import answers, solve
from dalembert.programs.corrections import correction
from dalembert.programs.expressions import program
from dalembert.programs.maker import Maker
from dalembert.programs.program import Program
from dalembert.programs.slopes import PLAIN, QUICK, Slopes, slopes

RATES = mark("With first-order states s, these are an argument after v, and their rates s' follow the accelerations.")


@dataclass(frozen=True)
class Described:
    """The unit in SI and the description that a model states for a quantity; "" if it states none."""

    unit: str
    about: str


@dataclass(frozen=True)
class ExportSheet:
    name: str  # name of the file, as an identifier
    title: str
    method: str
    digest: str
    coordinates: tuple[str, ...]
    parameters: Mapping[str, float]
    inputs: tuple[str, ...]
    states: Mapping[str, float]  # first-order states, and their values at the start
    ways: tuple[Program, ...]
    places: tuple[tuple[str, int], ...]  # for every input of the programs: a letter of t, q, v, s, p, u, and an index
    equations: Equations
    start: tuple[tuple[float, ...], tuple[float, ...]]  # coordinates and speeds, on the constraints
    notes: tuple[str, ...] = ()
    said: Mapping[str, Described] = field(default_factory=dict)  # by name, of quantities with a unit or a description

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The names of each argument after t, by its letter; s only if there are first-order states."""
        states = {"s": tuple(self.states)} if self.states else {}
        return {"q": self.coordinates, "v": self.coordinates, **states, "p": tuple(self.parameters), "u": self.inputs}

    @property
    def size(self) -> int:
        """The number of slopes: accelerations and rates of first-order states."""
        return len(self.coordinates) + len(self.states)

    @property
    def constraints(self) -> tuple[str, ...]:
        """Names of the multipliers."""
        return tuple(row.name for row in self.equations.constraints)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Definitions, then outputs."""
        return (*self.equations.outputs, *self.equations.measured)

    def told(self) -> dict[str, Program]:
        """Programs of energies; of outputs and of reactions, each with `fine`."""
        whole, n = answers.told(self.equations), 2 + len(self.outputs)
        last = len(whole.outputs) - 1
        parts = {"energies": [0, 1], "outputs": [*range(2, n), last], "reactions": [*range(n, last), last]}
        return {name: whole.selected(places) for name, places in parts.items()}

    def controls(self) -> Program:
        """The program of the values that sampled controllers compute at their instants."""
        laws = self.equations.sampled
        return program(self.equations.inputs, [value for law in laws for value in law.values.values()])

    def linear(self) -> Program:
        return answers.linear(self.equations, [i for i, (letter, _) in enumerate(self.places) if letter == "u"])

    def corrections(self) -> dict[str, Program]:
        """By letter the smallest change of q, and of v, that satisfies the constraints to first order, and `fine`."""
        eq, n, found = self.equations, len(self.equations.q), {}
        for letter, rows, rates in (("q", eq.phi, False), ("v", eq.psi, True)):
            if rows:
                whole = correction(eq, rates)
                maker = Maker(whole.inputs[: -2 * n])
                given = [*(maker.input(i) for i in range(len(maker.inputs))), *([maker.number(1.0)] * (2 * n))]
                found[letter] = maker.program(maker.copied(whole.selected([*range(n), n + 2]), given))
        return found

    @property
    def origin(self) -> tuple[str, ...]:
        """The lines that state the origin of a file, and the units and descriptions of its quantities."""
        quantities = (f"{name} [{said.unit or '1'}] {said.about}".rstrip() for name, said in self.said.items())
        return (*origin_of(self.title or self.name, self.method, self.digest), *quantities)


def origin_of(title: str, method: str, digest: str) -> tuple[str, ...]:
    return (
        tr("model    {title}", title=tr(title)),
        tr("method   {method}", method=method),
        tr("hash     {digest} (of the model's text)", digest=digest),
        tr("made by  dalembert {version}", version=__version__),
    )


def renamed(names: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for every name that is another one in the file."""
    return tuple(tr("{name} is called {other} here.", name=n, other=o) for n, o in names.items() if n != o)


def digest(record: ModelRecord) -> str:
    """The hash of the text of a model file."""
    return blake2b(write_text(record).encode(), digest_size=16).hexdigest()


def sheet(record: ModelRecord, name: str, method: str | None = None) -> ExportSheet:
    """The slopes of a model by a method. A model that they cannot represent is refused in a sentence."""
    ready = prepared(record, method, often=False)
    _refuse(ready.equations)
    start = ready.at()
    eq = ready.equations
    values = dict(zip(map(str, eq.parameters), start.system.parameters.tolist(), strict=True))
    held = [symbol for law in eq.sampled for symbol in law.values]
    inputs = tuple(map(str, [*eq.signals, *held]))
    states = {name: values[name] for name in map(str, eq.states)}
    own = {name: value for name, value in values.items() if name not in inputs and name not in states}
    letters = {name: (letter, i) for letter, names in (("s", states), ("p", own), ("u", inputs))
               for i, name in enumerate(names)}  # fmt: skip
    places = [("t", 0), *(("q", i) for i in range(len(eq.q))), *(("v", i) for i in range(len(eq.v)))]
    return ExportSheet(
        name=name,
        title=record.title,
        method=eq.method,
        digest=digest(record),
        coordinates=eq.coordinates,
        parameters=own,
        inputs=inputs,
        states=states,
        ways=_ways(eq, start),
        places=(*places, *(letters[name] for name in values)),
        equations=eq,
        start=(tuple(start.q.tolist()), tuple(start.v.tolist())),
        notes=_notes(record, eq),
        said={name: said for name, said in said_of(record).items() if name in (*eq.coordinates, *values)},
    )


def said_of(record: ModelRecord) -> dict[str, Described]:
    stated = record.stated or record
    tables = (stated.parameters, stated.coordinates, joint_coordinates(stated.joints), stated.states, stated.inputs)
    entries = {name: entry for table in tables for name, entry in table.items()}
    pairs = {name: (getattr(entry, "unit", ""), getattr(entry, "about", "")) for name, entry in entries.items()}
    return {name: Described(unit(own).si if own else "", about) for name, (own, about) in pairs.items() if own or about}


def _refuse(eq: Equations) -> None:
    what = tr("a slopes export gives q'' from t, q, q', states, parameters and inputs")
    if eq.unilateral is not None:
        names = [*(law.name for law in eq.unilateral.contacts), *(law.name for law in eq.unilateral.frictions)]
        raise ModelError(
            "{what}; it cannot carry contacts and frictions, and the model has {names}",
            what=what,
            names=", ".join(names),
        )
    if not solve.applies(eq):
        raise ModelError(
            "{what}; the method {method} needs more for this model: a symmetric mass matrix, "
            "reactions by Chetaev's rule and no extra states are expected, as those of kane",
            what=what,
            method=eq.method,
        )


def _ways(eq: Equations, start: Start) -> tuple[Program, ...]:
    """The cheapest way, and the one without pivots chosen at the start if that is different."""
    found: list[Slopes] = []
    for effort in (QUICK, PLAIN):
        way = slopes(eq, start.x, effort)
        if way is not None and all(way.program.digest != other.program.digest for other in found):
            found.append(way)
    if not found:
        raise MathematicsError(
            "the accelerations of this model cannot be written out as one formula at its initial "
            "state; its masses or its constraints are singular there"
        )
    return tuple(answers.with_rates(eq, way.program) for way in found)


def formulas(record: ModelRecord) -> tuple[str, ...]:
    """A sentence for every parameter that is a formula of others in the model, but a separate number in the export."""
    told = []
    for name, parameter in record.parameters.items():
        used = names_in([parameter.value])
        of = [other for other in record.parameters if other in used]
        if of:
            told.append(
                tr(
                    "The parameter {name} is a formula of {of} in the model. Change it with them.",
                    name=name,
                    of=", ".join(of),
                )
            )
    return tuple(told)


def _notes(record: ModelRecord, eq: Equations) -> tuple[str, ...]:
    events = (tr("Events are not in this file: {names}.", names=", ".join(eq.events)),) if eq.events else ()
    held = (
        tr(
            "The controller {law} computes {names} every {every!r} s from t = {offset!r}, and holds the values; they "
            "are inputs here.",
            law=law.name,
            names=", ".join(map(str, law.values)),
            every=law.every,
            offset=law.offset,
        )
        for law in eq.sampled
    )
    return (*formulas(record), *events, *held)
