"""The XML of an FMU: quantities with their value references, numbered as in instance.hpp, and the model structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from xml.sax.saxutils import quoteattr

from dalembert import __version__
from dalembert.exchange.export.taken import Taken
from dalembert.language import tr
from dalembert.model.machine import joint_coordinates
from dalembert.model.units import unit
from dalembert.programs.c99 import C

BASES = {"mass": "kg", "length": "m", "time": "s", "current": "A", "temperature": "K", "substance": "mol",
         "luminosity": "cd"}  # fmt: skip


@dataclass(frozen=True)
class FmuVariable:
    name: str
    reference: int
    causality: str
    variability: str = "continuous"
    initial: str = ""
    start: str = ""
    derivative: int | None = None  # the reference of the state whose derivative it is
    about: str = ""
    stated: str = ""  # the unit of the model; values are in SI
    rate: bool = False  # whether it is the rate of a quantity with that unit
    whole: bool = False
    limits: tuple[float, float] = (-inf, inf)

    @property
    def unit(self) -> str:
        """The name of the coherent unit."""
        return (unit(self.stated).si or "1") + ("/s" if self.rate else "") if self.stated else ""

    @property
    def display(self) -> str:
        """The stated unit if it is not coherent."""
        return self.stated + ("/s" if self.rate else "") if self.stated and not unit(self.stated).coherent else ""


def quantities(found: Taken, version: int) -> list[FmuVariable]:
    """All quantities. Coordinates, speeds, accelerations and values are outputs."""
    eq, record = found.equations, found.record.stated or found.record
    n, size = len(eq.q), len(found.states)
    said = {**record.parameters, **record.coordinates, **joint_coordinates(record.joints), **found.stated_inputs}
    rows = [FmuVariable("time", 0, "independent")]
    for i, (name, value) in enumerate(found.states.items()):
        entry = said.get(name.removesuffix("'"))
        stated, about = getattr(entry, "unit", ""), getattr(entry, "about", "") if i < n else ""
        rows.append(
            FmuVariable(
                name, 1 + i, "output", initial="exact", start=number_of(value), about=about, stated=stated, rate=i >= n
            )
        )
    for i, name in enumerate(found.states):
        outer = f"der({name})" if i < n or i >= 2 * n else f"{name}'"
        causality = "output" if n <= i < 2 * n else "local"
        rows.append(FmuVariable(outer, 1 + size + i, causality, "continuous", "calculated", derivative=1 + i))
    at = 1 + 2 * size
    for k, (name, value) in enumerate(found.parameters.items()):
        entry = said.get(name)
        stated, about = getattr(entry, "unit", ""), getattr(entry, "about", "")
        kind = ("input", "continuous", "") if name in found.inputs else ("parameter", "tunable", "exact")
        limits = found.limits.get(name, (-inf, inf))
        rows.append(FmuVariable(name, at + k, *kind, start=number_of(value), about=about, stated=stated, limits=limits))
    at += len(found.parameters)
    for name in found.values.names:
        rows.append(FmuVariable(name, at, "output", "continuous", "calculated"))
        at += 1
    for name in found.modes:
        rows.append(
            FmuVariable(f"mode.{name}", at, "output", "discrete", "calculated", about=_mode(found, name), whole=True)
        )
        at += 1
    if version == 3:
        rows += [FmuVariable(f"indicator.{name}", at + i, "local") for i, name in enumerate(indicators(found))]
    return rows


def number_of(value: float) -> str:
    return C.number(value).strip("()")


def _mode(found: Taken, name: str) -> str:
    contacts = len(found.equations.unilateral.contacts) if found.equations.unilateral else 0
    return tr("0 open, 1 closed") if name in found.modes[:contacts] else tr("0 off, 1 sticks, 2 slips")


def indicators(found: Taken) -> list[str]:
    """Names of the event indicators, in order."""
    eq = found.equations
    names = [*eq.events, *(f"mass.{body}" for body in eq.masses)]
    names += [f"kink.{i}" for i in range(1, 1 + len(found.kinks))]
    if eq.unilateral is None:
        return names
    contacts, frictions = found.modes[: len(eq.unilateral.contacts)], found.modes[len(eq.unilateral.contacts) :]
    parts = [f"{name}.{part}" for part in ("mode", "side", "cone") for name in frictions]
    return [*names, *contacts, *parts, "shared"]


def model_description(found: Taken, version: int, token: str) -> str:
    rows = quantities(found, version)
    count = len(indicators(found))
    title = _plain(tr(found.record.title or found.name))
    head = {"fmiVersion": "2.0" if version == 2 else "3.0", "modelName": title}
    head |= {"guid": token} if version == 2 else {"instantiationToken": token}
    made = tr("method {method}; hash {digest}", method=found.method, digest=found.digest)
    about = _plain("; ".join(filter(None, (found.record.reference, made))))
    head |= {"description": about, "generationTool": f"dalembert {__version__}"}
    head |= {"variableNamingConvention": "flat"}
    if version == 2:
        head["numberOfEventIndicators"] = str(count)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<fmiModelDescription{_written(head)}>"]
    lines += _interfaces(found.name, version)
    lines += _unit_definitions(rows)
    simulation = found.record.simulation
    begin, duration = found.start.time, float(simulation.duration or 1.0)
    experiment = {"startTime": begin, "stopTime": begin + duration, "tolerance": simulation.tolerance}
    lines.append(f"  <DefaultExperiment{_written({name: repr(value) for name, value in experiment.items()})}/>")
    lines += ["  <ModelVariables>", *_variables(rows, version), "  </ModelVariables>"]
    lines += _structure(rows, version)
    return "\n".join([*lines, "</fmiModelDescription>", ""])


def _interfaces(name: str, version: int) -> Iterator[str]:
    state = "FMUstate" if version == 2 else "FMUState"
    common = {"modelIdentifier": name, f"canGetAndSet{state}": "true", f"canSerialize{state}": "true"}
    common |= {"providesDirectionalDerivative" + ("s" if version == 3 else ""): "true"}
    for kind in ("ModelExchange", "CoSimulation"):
        own = common | ({"canHandleVariableCommunicationStepSize": "true"} if kind == "CoSimulation" else {})
        if version == 3:
            yield f"  <{kind}{_written(own)}/>"
            continue
        yield f"  <{kind}{_written(own)}>"
        yield f'    <SourceFiles><File name="{name}.cpp"/></SourceFiles>'
        yield f"  </{kind}>"


def _unit_definitions(rows: list[FmuVariable]) -> Iterator[str]:
    stated = {row.unit: [other for other in rows if other.unit == row.unit] for row in rows if row.unit}
    if not stated:
        return
    yield "  <UnitDefinitions>"
    for name, own in stated.items():
        powers = {BASES[what]: int(power) for what, power in unit(own[0].stated).dimension if what in BASES}
        if own[0].rate:
            powers["s"] = powers.get("s", 0) - 1
        if "rad" in name:
            powers["rad"] = 1
        yield f"    <Unit name={quoteattr(name)}>"
        yield f"      <BaseUnit{_written({base: str(power) for base, power in powers.items() if power})}/>"
        for display in dict.fromkeys(row.display for row in own if row.display):
            of = next(unit(row.stated) for row in own if row.display == display)
            factors = {"name": display, "factor": repr(1.0 / of.factor), "offset": repr(-of.offset / of.factor)}
            yield f"      <DisplayUnit{_written(factors)}/>"
        yield "    </Unit>"
    yield "  </UnitDefinitions>"


def _variables(rows: list[FmuVariable], version: int) -> Iterator[str]:
    index = {row.reference: i for i, row in enumerate(rows, 1)}
    for row in rows:
        common = {"name": row.name, "valueReference": str(row.reference), "causality": row.causality}
        common |= {"variability": row.variability, "description": _plain(row.about), "initial": row.initial}
        own = {"start": row.start, "unit": row.unit, "displayUnit": row.display}
        own |= {name: repr(end) for name, end in zip(("min", "max"), row.limits, strict=True) if isfinite(end)}
        if version == 2:
            own["derivative"] = "" if row.derivative is None else str(index[row.derivative])
            kind = "Integer" if row.whole else "Real"
            yield f"    <ScalarVariable{_written(common)}><{kind}{_written(own)}/></ScalarVariable>"
        else:
            own["derivative"] = "" if row.derivative is None else str(row.derivative)
            yield f"    <{'Int32' if row.whole else 'Float64'}{_written(common | own)}/>"


def _structure(rows: list[FmuVariable], version: int) -> Iterator[str]:
    index = {row.reference: i for i, row in enumerate(rows, 1)}
    outputs = [row for row in rows if row.causality == "output"]
    slopes = [row for row in rows if row.derivative is not None]
    first = [row for row in rows if row.initial == "calculated" and (row.causality == "output" or row in slopes)]
    yield "  <ModelStructure>"
    if version == 2:
        for word, found in (("Outputs", outputs), ("Derivatives", slopes), ("InitialUnknowns", first)):
            if found:
                yield f"    <{word}>"
                yield from (f'      <Unknown index="{index[row.reference]}"/>' for row in found)
                yield f"    </{word}>"
    else:
        watched = [row for row in rows if row.name.startswith("indicator.") and row.causality == "local"]
        for word, found in (
            ("Output", outputs), ("ContinuousStateDerivative", slopes), ("InitialUnknown", first),
            ("EventIndicator", watched),
        ):  # fmt: skip
            yield from (f'    <{word} valueReference="{row.reference}"/>' for row in found)
    yield "  </ModelStructure>"


def build_description(name: str) -> str:
    """The XML that tells a tool how to compile the sources of an FMU 3.0."""
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<fmiBuildDescription fmiVersion="3.0">',
            f'  <BuildConfiguration modelIdentifier="{name}">',
            '    <SourceFileSet language="C++17">',
            f'      <SourceFile name="{name}.cpp"/>',
            "    </SourceFileSet>",
            "  </BuildConfiguration>",
            "</fmiBuildDescription>",
            "",
        ]
    )


def _written(attributes: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items() if value)


def _plain(text: str) -> str:
    """The text in one line of printable characters, as XML requires."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
