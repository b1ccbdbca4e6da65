"""The printed equations hold: states of every model of the gallery, put into the JSON of every method."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import symengine as se

import dalembert as da
from dalembert import collection
from dalembert.formalisms import applicable
from dalembert.model.read import read
from dalembert.motions.accelerations import solve_accelerations
from dalembert.prepared import prepare
from dalembert.report.plain import equations_dict

CLOSE = 1e-9
NAMES = collection.names()
TOUCHING = [name for name in NAMES if read(collection.path(name)).contacts or read(collection.path(name)).frictions]
SMOOTH = [name for name in NAMES if name not in TOUCHING]
WHOLE = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*(?:\[\d+\])?'{0,2}")


def expression(text: str, known: dict[str, float]) -> float:
    """The value of an expression of the JSON. Names become letters; SymEngine's parser executes nothing."""
    letters: dict[str, str] = {}

    def letter(match: re.Match[str]) -> str:
        name = match[0]
        if name in known:
            return letters.setdefault(name, f"Z{len(letters)}")
        return name

    plain = cases(WHOLE.sub(letter, text).replace("^", "**"))
    e = se.sympify(plain)
    values = {se.Symbol(short): known[name] for name, short in letters.items()}
    assert {str(s) for s in e.free_symbols} <= set(letters.values()), text
    return float(e.subs(values))


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


def residual(equation: str, known: dict[str, float]) -> float:
    left, _, right = equation.partition(" = ")
    a, b = expression(left, known), expression(right, known)
    return abs(a - b) / (1.0 + abs(a) + abs(b))


def derived(model: da.Model, method: str) -> dict[str, Any]:
    return equations_dict(model.derive(method).equations)


LONG = {"whipple-bicycle", "rattleback"}  # derivations that take some seconds each


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in SMOOTH])
def test_smooth_models(name: str) -> None:
    model = da.gallery(name)
    for method in applicable(model.record):
        start = prepare(model.record, method, often=False)
        solution = solve_accelerations(start.system, start.x)
        answer = derived(model, method)
        held = dict(zip(map(str, start.system.equations.inputs), start.x.tolist(), strict=True))  # and what varies
        varying = {name: held[name] for name in map(str, start.system.equations.varying)}
        known = {**answer["parameters"], **varying, "t": start.time, "pi": np.pi}
        for i, q in enumerate(answer["coordinates"]):
            known |= {q: start.q[i], f"{q}'": start.v[i], f"{q}''": solution.a[i]}
        names = answer["unknowns"]["multipliers"]
        known |= dict(zip(names, solution.multipliers.tolist(), strict=True))
        known |= {n.rstrip("'"): z for n, z in zip(names, start.z[: start.system.k].tolist(), strict=False)}
        worst = max(residual(equation, known) for equation in answer["equations"])
        assert worst < CLOSE, f"{method}: {worst}"


def force_names(answer: dict[str, Any]) -> dict[str, str]:
    """The names of forces in the equations, by those of the motion."""
    contacts = [c["name"] for c in answer["contacts"]]
    found = {name: f"lambda.{name}" for name in [*answer["constraints"], *contacts]}
    for friction in answer["frictions"]:
        own = friction["name"] in contacts
        base, point = (f"{friction['name']}.slip", "") if own else (friction["name"], ".")
        slips, held = len(friction["slips"]), len(friction["held"])
        motion = [base if slips == 1 else f"{base}{point}{i}" for i in range(1, slips + 1)]
        base = f"{friction['name']}.held"
        motion += [base if held == 1 else f"{base}{i}" for i in range(1, held + 1)]
        found |= dict(zip(motion, friction["names"], strict=True))
    return found


@pytest.mark.parametrize("name", TOUCHING)
def test_models_with_contacts_and_frictions(name: str) -> None:
    """Open, closed, sliding and sticking: the equations, and the law of the mode that the motion is in."""
    model = da.gallery(name)
    motion = model.simulate(samples=13)
    for place, method in enumerate(applicable(model.record)):
        answer = derived(model, method)
        assert [c["name"] for c in answer["contacts"]] == list(model.record.contacts)
        forces = force_names(answer)
        text = str(model.derive(method)) if place == 0 else ""
        for name_ in (*model.record.contacts, *model.record.frictions):
            assert place or name_ in text
        for i, t in enumerate(motion.times.tolist()):
            known = {**answer["parameters"], "t": t, "pi": np.pi}
            for q in answer["coordinates"]:
                known |= {q: float(motion.coordinates[q][i]), f"{q}'": float(motion.speeds[q][i])}
                known[f"{q}''"] = float(motion.accelerations[q][i])
            known |= {shown: float(motion.multipliers[n][i]) for n, shown in forces.items()}
            worst = max(residual(equation, known) for equation in answer["equations"])
            assert worst < CLOSE, f"{method} at t = {t}: {worst}"
            if place == 0:
                check_laws(answer, motion, i, known)


def check_laws(answer: dict[str, Any], motion: Any, i: int, known: dict[str, float]) -> None:
    for contact in answer["contacts"]:
        force, gap = known[f"lambda.{contact['name']}"], expression(contact["gap"], known)
        assert force >= -CLOSE and gap >= -CLOSE and abs(force * gap) < CLOSE * (1 + force)
    for friction in answer["frictions"]:
        label = (
            friction["name"]
            if friction["name"] in motion.modes and not any(c["name"] == friction["name"] for c in answer["contacts"])
            else f"{friction['name']}.slip"
        )
        mode = str(motion.modes[label][i])
        slips = [expression(slip, known) for slip in friction["slips"]]
        if mode == "slip" and np.linalg.norm(slips) > 1e-6:
            for law, shown in zip(friction["sliding"], friction["names"], strict=False):
                value = expression(law, known)
                assert abs(value - known[shown]) < 1e-7 * (1 + abs(value)), (friction["name"], mode)
        elif mode == "stick" and friction["static"] != "rough":
            size = np.linalg.norm([known[shown] for shown in friction["names"]])
            cone = expression(friction["static"], known) * expression(friction["normal"], known)
            assert size <= cone * (1 + 1e-9) + CLOSE
