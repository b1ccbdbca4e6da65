"""The project's targets of speed, and the results of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from benchmarks.linearization import ONCE, SYMPY
from benchmarks.measure import Record, numbers, ratio
from benchmarks.plan import BUDGET, ERROR, OURS
from benchmarks.systems import MANY, System, system


@dataclass(frozen=True, slots=True)
class Target:
    """A target and its result: `better` is "at least" or "at most"."""

    claim: str
    bound: float
    found: float | None
    better: str = "at least"

    @property
    def verdict(self) -> str:
        if self.found is None:
            return "not measured"
        good = self.found >= self.bound if self.better == "at least" else self.found <= self.bound
        return "pass" if good else "FAIL"


def found_targets(
    results: Mapping[System, Mapping[str, Record]],
    started: Mapping[str, list[float]],
    linearizing: Mapping[str, list[float]],
    dragged: Mapping[str, float],
    analysed: Mapping[str, float],
    exported: Mapping[str, float],
) -> list[Target]:
    """The targets of the project with the results of this run."""
    cells = {
        (what.key, peer): numbers(record, ERROR)
        for what, records in results.items()
        for peer, record in records.items()
    }

    def against(key: str, peer: str, *columns: str, ours: str = OURS) -> float | None:
        sums = []
        for side in (peer, ours):
            parts = [cells.get((key, side), {}).get(column) for column in columns]
            sums.append(None if None in parts else sum(part for part in parts if part is not None))
        return ratio(sums[0], sums[1])

    whole = {n: whole_build(results, n) for n in (2, 4, 8, 16, 32, 64)}
    bicycle = against("whipple", "sympy_scipy", "derive", "compile")
    entries = [Target("Whipple: derive + compile, SymPy / ours", 15, bicycle)]
    slower = ratio(*(min(linearizing.get(who) or [], default=None) for who in (SYMPY, ONCE)))
    entries.append(Target("Whipple: derive + linearize, SymPy's own test / ours", 300, slower))
    for n in (4, 8, 16, 32):
        claim = f"{n}-link pendulum: derive, SymPy / ours"
        entries.append(Target(claim, 50, against(f"pendulum-{n}", "sympy_scipy", "derive")))
        claim = f"{n}-link pendulum: state + derive, SymPy / ours"
        entries.append(Target(claim, 50, against(f"pendulum-{n}", "sympy_scipy", "state", "derive")))
    for key in ("pendulum-2", "pendulum-4", "pendulum-8", "rolling-disk"):
        claim = f"{system(key).title}: integrate at equal error, SymPy + SciPy / ours"
        entries.append(Target(claim, 100, against(key, "sympy_scipy", "integrate")))
    for n in (2, 4, 8, 16):
        claim = f"{n}-link pendulum: integrate at equal error, heyoka / ours"
        entries.append(Target(claim, 1, against(f"pendulum-{n}", "heyoka_taylor", "integrate")))
    by_series = against("pendulum-2", "heyoka_taylor", "integrate", ours="ours_taylor")
    entries.append(Target("2-link pendulum: integrate at equal error, heyoka / ours by series", 1, by_series))
    for n in (4, 8, 16):
        claim = f"{n}-link pendulum: state + derive + compile + integrate, heyoka / ours"
        entries.append(Target(claim, 1, against(f"pendulum-{n}", "heyoka_taylor", "all together")))
    for key in ("billiard", "ball", "wall-pendulum"):
        claim = f"{system(key).title}: integrate at equal error, SciPy with events / ours"
        entries.append(Target(claim, 50, against(key, "scipy_events", "integrate")))
        claim = f"{system(key).title}: integrate at equal error, heyoka with events / ours"
        entries.append(Target(claim, 1, against(key, "heyoka_events", "integrate")))
    for key in MANY:
        title = system(key).title
        per_core = against(key, "joblib_scipy", "integrate")
        entries.append(Target(f"{title}: one, per core at equal error, joblib + SciPy / ours", 100, per_core))
        entries.append(Target(f"{title}: one thread / two threads", 1.8, threads_gain(results.get(system(key), {}))))
    slowest = max(dragged.values(), default=None)
    entries.append(Target("a slider of the lab, to the new motion: slowest model, seconds", 0.05, slowest, "at most"))
    longest = max(analysed.values(), default=None)
    entries.append(Target("`analyze`: slowest model of the gallery, seconds", 3, longest, "at most"))
    entries += export_targets(exported)
    for n in (2, 4, 8, 16):
        growth = ratio(whole.get(2 * n), whole.get(n))
        entries.append(Target(f"state + derive + compile from {n} to {2 * n} links grows", 8, growth, "at most"))
    entries.append(Target("state + derive + compile of 64 links, seconds (works)", BUDGET, whole.get(64), "at most"))
    base = started.get("python -c 'import sympy'", [])
    for name, values in started.items():
        if name.startswith("dalembert"):
            bound = 1.5 if name.endswith("simulate rolling-disk") else 2
            entries.append(Target(f"cold `{name}` / import sympy", bound, min(values) / min(base), "at most"))
    return entries


def export_targets(exported: Mapping[str, float]) -> list[Target]:
    """Exports of the bicycle, and an evaluation of its C."""
    theirs, own = (exported.get(name) for name in ("PyDy's C", "C"))
    seconds = max((value for name, value in exported.items() if not name.endswith("C")), default=None)
    return [
        Target("Whipple: an evaluation of exported C, PyDy / ours", 1, ratio(theirs, own)),
        Target("Whipple: exported to its slowest target, seconds", 1, seconds, "at most"),
    ]


def threads_gain(records: Mapping[str, Record]) -> float | None:
    """One thread's seconds over two threads', which give the same numbers: the median over the tolerances."""
    one, two = (records[peer].motions if peer in records else {} for peer in (OURS, "ours_threads"))
    gains = [min(one[tolerance]) / min(two[tolerance]) for tolerance in one.keys() & two.keys()]
    return median(gains) if gains else None


def whole_build(results: Mapping[System, Mapping[str, Record]], n: int) -> float | None:
    """Our seconds to state, derive and compile n links."""
    record = results.get(system(f"pendulum-{n}"), {}).get(OURS)
    return record.built() if record else None
