"""The input of every writer of slopes: the programs of a model, its names and numbers, and its origin.

    a = slopes(t, q, v, p, u)

The programs are several ways to the same accelerations, from x = (t, q, v, p, u) to (a, fine). A way is valid if its
`fine` is 1 and the speeds satisfy the constraints. The first is the cheapest. The last is valid wherever D is definite
and the rows of the constraints are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from dalembert import __version__
from dalembert.equations import Equations
from dalembert.errors import MathematicsError, ModelError
from dalembert.expressions.nodes import names as names_in
from dalembert.language import tr
from dalembert.model.record import Model
from dalembert.model.write import write_text
from dalembert.prepared import Start, prepared
from dalembert.programs import answers, solve
from dalembert.programs.program import Program
from dalembert.programs.slopes import PLAIN, QUICK, Slopes, slopes


@dataclass(frozen=True)
class Sheet:
    name: str  # name of the file, as an identifier
    title: str
    method: str
    digest: str
    coordinates: tuple[str, ...]
    parameters: Mapping[str, float]
    inputs: tuple[str, ...]
    ways: tuple[Program, ...]
    places: tuple[tuple[str, int], ...]  # for every input of the programs: a letter of t, q, v, p, u, and an index
    equations: Equations
    start: tuple[tuple[float, ...], tuple[float, ...]]  # coordinates and speeds, on the constraints
    notes: tuple[str, ...] = ()

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

    def linear(self) -> Program:
        return answers.linear(self.equations, [i for i, (letter, _) in enumerate(self.places) if letter == "u"])

    @property
    def origin(self) -> tuple[str, ...]:
        """The lines that state the origin of a file."""
        return origin_of(self.title or self.name, self.method, self.digest)


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


def digest(record: Model) -> str:
    """The hash of the text of a model file."""
    return blake2b(write_text(record).encode(), digest_size=16).hexdigest()


def sheet(record: Model, name: str, method: str | None = None) -> Sheet:
    """The slopes of a model by a method. A model that they cannot represent is refused in a sentence."""
    ready = prepared(record, method, often=False)
    _refuse(ready.equations)
    start = ready.at()
    eq = ready.equations
    values = dict(zip(map(str, eq.parameters), start.system.parameters.tolist(), strict=True))
    inputs = tuple(str(symbol) for symbol in eq.signals)
    own = {name: value for name, value in values.items() if name not in inputs}
    places = [("t", 0), *(("q", i) for i in range(len(eq.q))), *(("v", i) for i in range(len(eq.v)))]
    places += [("u", inputs.index(one)) if one in inputs else ("p", [*own].index(one)) for one in values]
    return Sheet(
        name=name,
        title=record.title,
        method=eq.method,
        digest=digest(record),
        coordinates=eq.coordinates,
        parameters=own,
        inputs=inputs,
        ways=_ways(eq, start),
        places=tuple(places),
        equations=eq,
        start=(tuple(start.q.tolist()), tuple(start.v.tolist())),
        notes=_notes(record, eq),
    )


def _refuse(eq: Equations) -> None:
    what = tr("a slopes export gives q'' from t, q, q', parameters and inputs")
    if eq.unilateral is not None:
        names = [*(law.name for law in eq.unilateral.contacts), *(law.name for law in eq.unilateral.frictions)]
        raise ModelError(
            tr(
                "{what}; it cannot carry contacts and frictions, and the model has {names}",
                what=what,
                names=", ".join(names),
            )
        )
    if eq.states:
        names = [str(symbol) for symbol in eq.states]
        raise ModelError(
            tr(
                "{what}; it cannot carry first-order states, and the model has {names}",
                what=what,
                names=", ".join(names),
            )
        )
    if eq.sampled:
        names = [law.name for law in eq.sampled]
        raise ModelError(
            tr(
                "{what}; it cannot carry sampled controllers, and the model has {names}",
                what=what,
                names=", ".join(names),
            )
        )
    if not solve.applies(eq):
        raise ModelError(
            tr(
                "{what}; the method {method} needs more for this model: a symmetric mass matrix, "
                "reactions by Chetaev's rule and no extra states are expected, as those of kane",
                what=what,
                method=eq.method,
            )
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
            tr(
                "the accelerations of this model cannot be written out as one formula at its initial "
                "state; its masses or its constraints are singular there"
            )
        )
    return tuple(way.program for way in found)


def formulas(record: Model) -> tuple[str, ...]:
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


def _notes(record: Model, eq: Equations) -> tuple[str, ...]:
    events = (tr("Events are not in this file: {names}.", names=", ".join(eq.events)),) if eq.events else ()
    return (*formulas(record), *events)
