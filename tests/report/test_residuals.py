"""The printed equations hold: motions of every model of the gallery, inserted into the JSON of every method.

One motion is inserted into the equations of all methods that share its rule of virtual displacements; the vakonomic one
and the one by stated rows have their own. Contacts and frictions add the rows of the mode that they are in.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
import symengine as se

import dalembert as da
from dalembert import collection
from dalembert.formalisms import applicable, default_method
from dalembert.model.read import read
from dalembert.motions.accelerations import solve_accelerations
from dalembert.prepared import prepare
from dalembert.report.plain import equations_dict

CLOSE = 1e-9
SAMPLES = 13
SHORT = 10  # vakonomic motions leave the region in which the default method stays
OWN = ("vakonomic", "virtual-displacements")  # they have other motions
GATE = ("kane", "boltzmann-hamel", "normalized-routh", "vakonomic", "virtual-displacements")
LONG = {  # derivations that take some seconds each
    *("whipple-bicycle", "rattleback", "six-axis-arm", "ball-in-bowl", "rolling-ellipsoid", "tippe-top-quaternion"),
    *("bricard", "n-four-bar", "ackermann-car", "mobile-arm", "unicycle-robot"),
}
NAMES = collection.names()
WHOLE = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*(?:\[\d+\])?'{0,2}")
Table = dict[str, np.ndarray]


def values(text: str, known: Table) -> np.ndarray:
    """An expression of the JSON at every sample. Names become letters; SymEngine's parser executes nothing."""
    letters: dict[str, str] = {}

    def letter(match: re.Match[str]) -> str:
        name = match[0]
        return letters.setdefault(name, f"Z{len(letters)}") if name in known else name

    e = se.sympify(cases(WHOLE.sub(letter, text).replace("^", "**")))
    assert {str(s) for s in e.free_symbols} <= set(letters.values()), text
    names = [(se.Symbol(short), known[name]) for name, short in letters.items()]
    return np.array([float(e.subs({short: float(row[i]) for short, row in names})) for i in range(len(known["t"]))])


def cases(text: str) -> str:
    """if(condition, a, b) as SymEngine's parser takes it."""
    while match := re.search(r"\bif\(", text):
        depth, parts, last = 1, [], match.end()
        for end in range(match.end(), len(text)):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if depth == 0 or (depth == 1 and text[end] == ","):
                parts.append(text[last:end])
                last = end + 1
            if depth == 0:
                break
        condition, one, other = parts
        text = f"{text[: match.start()]}Piecewise(({one}, {condition}), ({other}, True)){text[last:]}"
    return text


def residual(equation: str, known: Table) -> np.ndarray:
    """|left − right| at every sample, relative to the size of both sides or one."""
    left, _, right = equation.partition(" = ")
    a, b = values(left, known), values(right, known)
    return np.abs(a - b) / (1.0 + np.abs(a) + np.abs(b))


def force_names(answer: dict[str, Any]) -> dict[str, str]:
    """The names of forces in the equations, by those of the motion."""
    contacts = [c["name"] for c in answer["contacts"]]
    found = {name: f"lambda.{name}" for name in contacts}
    for friction in answer["frictions"]:
        own = friction["name"] in contacts
        base, point = (f"{friction['name']}.slip", "") if own else (friction["name"], ".")
        slips, held = len(friction["slips"]), len(friction["held"])
        motion = [base if slips == 1 else f"{base}{point}{i}" for i in range(1, slips + 1)]
        base = f"{friction['name']}.held"
        motion += [base if held == 1 else f"{base}{i}" for i in range(1, held + 1)]
        found |= dict(zip(motion, friction["names"], strict=True))
    return found


@cache
def motion_of(name: str, method: str) -> Any:
    model = da.gallery(name)
    span = model.record.simulation.duration / (SHORT if method == "vakonomic" else 1)
    return model.simulate(method=method, duration=span, samples=SAMPLES)


def table(name: str, method: str, answer: dict[str, Any]) -> Table:
    """Every name of the equations at every sample of the motion."""
    record = da.gallery(name).record
    usual = default_method(record)
    shared = usual if usual not in OWN else next(m for m in applicable(record) if m not in OWN)
    motion = motion_of(name, method if method in OWN else shared)
    size = len(motion.times)
    known = {name: np.full(size, value) for name, value in {**answer["parameters"], "pi": np.pi}.items()}
    known |= {"t": motion.times, **motion.states, **motion.inputs}
    for q in answer["coordinates"]:
        known |= {q: motion.coordinates[q], f"{q}'": motion.speeds[q], f"{q}''": motion.accelerations[q]}
    known |= {f"lambda.{row}": values for row, values in motion.multipliers.items()}
    known |= {shown: motion.multipliers[row] for row, shown in force_names(answer).items()}
    if any(name.endswith("'") for name in answer["unknowns"]["multipliers"]):
        known |= multiplier_rates(name, method, answer, known)
    return known


def multiplier_rates(name: str, method: str, answer: dict[str, Any], known: Table) -> Table:
    """λ̇ at every sample: the unknowns of a method that integrates its multipliers."""
    system = prepare(da.gallery(name).record, method, often=False).system
    names = answer["unknowns"]["multipliers"]
    columns = [*answer["coordinates"], *(f"{q}'" for q in answer["coordinates"])]
    columns += [*(row.rstrip("'") for row in names[: system.k]), *map(str, system.equations.followed)]
    found = []
    for i, t in enumerate(known["t"]):
        y = np.array([known[column][i] for column in columns])
        x = system.state(t, y[: system.n], y[system.n : 2 * system.n], y[2 * system.n :])
        found.append(solve_accelerations(system, x).multipliers)
    return dict(zip(names, np.array(found).T, strict=True))


def check(name: str, method: str) -> None:
    model = da.gallery(name)
    answer = equations_dict(model.derive(method).equations)
    known = table(name, method, answer)
    for equation in answer["equations"]:
        assert residual(equation, known).max() < CLOSE, f"{method}: {equation}"
    if answer["contacts"] or answer["frictions"]:
        text = str(model.derive(method))
        assert all(touching in text for touching in (*model.record.contacts, *model.record.frictions))
        check_laws(answer, motion_of(name, default_method(model.record)).modes, known)


def check_laws(answer: dict[str, Any], modes: Any, known: Table) -> None:
    """The laws of contacts and frictions, and the rows that hold in the mode that each is in."""
    contacts = [contact["name"] for contact in answer["contacts"]]
    for contact in answer["contacts"]:
        force, gap = known[f"lambda.{contact['name']}"], values(contact["gap"], known)
        assert force.min() >= -CLOSE and gap.min() >= -CLOSE
        assert np.all(np.abs(force * gap) < CLOSE * (1 + force))
        check_rows(contact["closed"], modes[contact["name"]] == "closed", known)
    for friction in answer["frictions"]:
        name = friction["name"]
        mode = modes[f"{name}.slip" if name in contacts else name]
        check_rows(friction["holding"], mode != "off", known)
        check_rows(friction["sticking"], mode == "stick", known)
        slip = np.linalg.norm([values(slip, known) for slip in friction["slips"]], axis=0)
        for law, shown in zip(friction["sliding"] or (), friction["names"], strict=False):
            check_rows(
                [f"{shown} = {law}"], (mode == "slip") & (slip > 1e-6), known
            )  # its direction is undefined at zero
        if friction["static"] != "rough":
            size = np.linalg.norm([known[shown] for shown in friction["names"]], axis=0)
            cone = values(friction["static"], known) * values(friction["normal"], known)
            assert np.all((size <= cone * (1 + CLOSE) + CLOSE)[mode == "stick"])


def check_rows(equations: list[str], when: np.ndarray, known: Table) -> None:
    there = {name: column[when] for name, column in known.items()}
    for equation in equations:
        assert np.all(residual(equation, there) < CLOSE), equation


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LONG])
def test_motions_by_some_methods(name: str) -> None:
    for method in applicable(read(collection.path(name))):
        if method in GATE:
            check(name, method)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_motions_by_all_methods(name: str) -> None:
    for method in applicable(read(collection.path(name))):
        check(name, method)


def test_every_mode_is_met() -> None:
    """Open and closed contacts, sliding and sticking frictions are all among the samples."""
    names = ("disk-off-a-ledge", "sliding-to-rolling", "bouncing-ball", "zhang-mei-ball")
    met = {word for name in names for modes in motion_of(name, "kane").modes.values() for word in modes}
    assert met >= {"open", "closed", "slip", "stick"}
