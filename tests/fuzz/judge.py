"""One case compared with its reference, with the laws of contact and with a metamorphic law."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.model.read import model_of
from dalembert.model.record import ModelRecord
from fuzz.asked import HANGS, Told, ask
from fuzz.cases import Case, written
from fuzz.free import FREE
from fuzz.laws import breaches
from fuzz.touching import TOUCHING
from fuzz.variants import variant
from reference.motions import Functions, Reference, rounded, smooth, start, stepped

STRATA: dict[str, Any] = {**TOUCHING, **FREE}
SAMPLES = 6
ROUGH = 2e-2  # a reference with a larger relative error does not judge

SMALL = 1e-2  # a smaller coordinate, relative to the largest, is judged by this size

RIGHT, WRONG, REFUSED, HUNG, FAULT, UNJUDGED = "right", "wrong", "refused", "hung", "fault", "unjudged"
BAD = (WRONG, REFUSED, HUNG, FAULT)


@dataclass(frozen=True)
class Verdict:
    case: Case
    kind: str
    detail: str = ""


def drawn(stratum: str, seed: int) -> Case:
    rng = np.random.default_rng([zlib.crc32(stratum.encode()), seed])
    return STRATA[stratum](rng, seed)


def judge(case: Case, limit: float = HANGS, laws: bool = True) -> Verdict:
    times = [case.until * k / (SAMPLES - 1) for k in range(SAMPLES)]
    told = ask("simulate", written(case.model), limit, at=times)
    if case.reference == "kink":
        return _kinked(case, told)
    if told.values is None:
        return _without(case, told, times)
    wrong = _misses(case, told.values, times)
    for finer in (4, 16):  # the reference may misjudge its own error if an impact falls into a step
        if wrong and case.reference == "stepped":
            wrong = _misses(replace(case, step=case.step / finer), told.values, times)
    if wrong is None:
        return Verdict(case, UNJUDGED, "the reference itself is too rough here")
    if not wrong:
        found = breaches(Functions(record(case.model)), told.values)
        wrong = "; ".join(found[:3])
    if wrong:
        return Verdict(case, WRONG, wrong)
    return _same_by_laws(case, told.values, times, limit) if laws else Verdict(case, RIGHT)


def record(model: Mapping[str, Any]) -> ModelRecord:
    return model_of(dict(model))


def _without(case: Case, told: Told, times: list[float]) -> Verdict:
    """No motion: a refusal counts as a fault if the reference finds a motion."""
    if told.hung:
        return Verdict(case, HUNG, "no answer within the time")
    if told.fault:
        return Verdict(case, FAULT, told.refusal)
    try:
        if case.reference != "rest":
            _expected(case, times)
    except AssertionError as error:
        return Verdict(case, UNJUDGED, f"{told.refusal} (the reference: {error})")
    return Verdict(case, REFUSED, told.refusal)


def _misses(case: Case, values: Mapping[str, Any], times: list[float]) -> str | None:
    """The faults, empty if all is right; None if the reference is too inaccurate."""
    if case.reference == "rest":
        for name, end in case.ends.items():
            x, v = values["coordinates"][name], values["speeds"][name]
            size = max(map(abs, (entry for track in values["coordinates"].values() for entry in track))) or 1.0
            if abs(x[-1] - end) > case.digits * size or abs(v[-1]) > case.digits * size:
                return f"{name} ends at {x[-1]:.9g} with {v[-1]:.3g}, right is rest at {end}"
        return ""
    try:
        expected, error = _expected(case, times)
    except AssertionError:
        return None
    worst = ""
    for name, right in expected.items():
        found = np.asarray(values["coordinates"][name])
        size = max(float(np.abs(right).max()), SMALL * _most(expected))
        rough = error.get(name, 0.0)
        if rough > ROUGH * size:
            return None
        off = np.abs(found - right)
        digits = max(case.digits, 1e-6) if case.reference == "stepped" else case.digits
        if not np.all(np.isfinite(found)) or off.max() > digits * size + 4 * rough:
            k = int(np.argmax(off))
            worst = f"t = {times[k]:.6g}: {name} = {found[k]:.9g}, right is {right[k]:.9g} (± {rough:.1g})"
            break
    return worst


def _most(expected: Mapping[str, np.ndarray]) -> float:
    return max(float(np.abs(x).max()) for x in expected.values())


def _expected(case: Case, times: list[float]) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Coordinates over the times, and their errors."""
    if case.exact is not None:
        return case.exact(np.array(times)), {}
    model = record(case.instead or case.model)
    own = [t / case.time_factor for t in times]
    found: Reference
    if case.reference == "stepped":
        found = stepped(model, own, case.step)
    else:
        found = smooth(model, own) if case.reference == "smooth" else rounded(model, own)
    size = np.abs(found.q).max()
    if not np.isfinite(size) or size > 1e6:
        raise AssertionError("the reference runs away")
    factors = {name: case.factors.get(name, 1.0) for name in model.coordinates}
    values = {name: factors[name] * found.q[:, k] for k, name in enumerate(model.coordinates)}
    return values, {n: f * float(found.error[k]) for k, (n, f) in enumerate(factors.items())}


def _kinked(case: Case, told: Told) -> Verdict:
    if told.values is None:
        if told.hung:
            return Verdict(case, HUNG, "no answer within the time")
        names = case.row in told.refusal and "kink" in told.refusal
        return Verdict(case, RIGHT if names else FAULT if told.fault else REFUSED, told.refusal)
    functions = Functions(record(case.model))
    energy = np.array(told.values["energy"]["total"])
    if np.diff(energy).max() > 1e-7 * (1 + np.abs(energy).max()):
        return Verdict(case, WRONG, f"energy grows from {energy[0]:.9g} to {energy.max():.9g}")
    q = np.array([told.values["coordinates"][name] for name in functions.eq.coordinates])
    v = np.array([told.values["speeds"][name] for name in functions.eq.coordinates])
    for k, t in enumerate(told.values["times"]):
        now = functions(t, q[:, k], v[:, k])
        if np.abs(now["phi"]).max(initial=0.0) > 1e-7:
            return Verdict(case, WRONG, f"t = {t:.6g}: the constraint misses by {np.abs(now['phi']).max():.3g}")
    if "constraints" in case.model and not told.values["events"] and min(q[0]) < 0:
        return Verdict(case, WRONG, "the motion went through the kink without a word")
    found = breaches(functions, told.values)
    return Verdict(case, WRONG, "; ".join(found[:3])) if found else Verdict(case, RIGHT)


def _same_by_laws(case: Case, values: Mapping[str, Any], times: list[float], limit: float) -> Verdict:
    rng = np.random.default_rng([case.seed, 7])
    if case.reversible and case.seed % 2:
        return _reversed(case, values, limit)
    other = variant(case, rng)
    if other is None:
        return Verdict(case, RIGHT)
    told = ask("simulate", written(other.model), limit, at=times)
    if told.values is None:
        kind = HUNG if told.hung else FAULT if told.fault else REFUSED
        return Verdict(case, kind, f"{other.law}: {told.refusal or 'no answer within the time'}")
    again = other.back(told.values["coordinates"])
    for name, track in values["coordinates"].items():
        found, first = np.asarray(again[name]), np.asarray(track)
        most = max(float(np.abs(x).max()) for x in values["coordinates"].values())
        size = max(float(np.abs(first).max()), SMALL * most)
        off = float(np.abs(found - first).max())
        if off > 10 * case.digits * size + 1e-300:
            return Verdict(case, WRONG, f"{other.law}: {name} changes by {off:.3g} of {size:.3g}")
    return Verdict(case, RIGHT)


def _reversed(case: Case, values: Mapping[str, Any], limit: float) -> Verdict:
    """With reversed speeds the motion returns to the start."""
    back = dict(case.model)
    back["coordinates"] = {
        name: {"initial": values["coordinates"][name][-1], "speed": -values["speeds"][name][-1]}
        for name in case.model["coordinates"]
    }
    told = ask("simulate", written(back), limit, at=[case.until])
    if told.values is None:
        return Verdict(case, HUNG if told.hung else REFUSED, f"time reversed: {told.refusal}")
    _, q, _ = start(record(case.model))
    for k, name in enumerate(case.model["coordinates"]):
        off = abs(told.values["coordinates"][name][-1] - q[k])
        if off > 1e3 * case.digits * max(1.0, abs(q[k])):
            return Verdict(case, WRONG, f"time reversed: {name} misses its start by {off:.3g}")
    return Verdict(case, RIGHT)
